/* An ONNX graph while it is read: tensors with what is known of their shapes, nodes in the file's
 * order.
 *
 * All memory is the arena's. A dimension that is not known is -1, as is the rank of a tensor of
 * which nothing is known. Field numbers and operators: the ONNX specification (onnx.proto,
 * Operators.md).
 */
#ifndef SATOR_FRONTEND_ONNX_ONNX_H
#define SATOR_FRONTEND_ONNX_ONNX_H

#include "base/context.h"
#include "base/text.h"
#include "frontend/frontend.h"

#include <stdio.h>

enum {
    ONNX_MOST_DIMS = 16,
    ONNX_MOST_VALUES = 1024, /* elements of a constant that shapes may depend on */
    ONNX_MOST_INTS = 4096 /* numbers of an attribute */
};

#define ONNX_LARGEST_DIM (INT64_C(1) << 48)

/* TensorProto.DataType, as far as its width is known. */
int onnx_type_bits(int type);
const char *onnx_type_name(int type);

struct onnx_shape {
    int rank; /* -1: not known */
    int64_t dims[ONNX_MOST_DIMS];
    const char *symbols[ONNX_MOST_DIMS]; /* the name of a dimension without a number, or NULL */
};

struct onnx_tensor {
    const char *name;
    int type; /* TensorProto.DataType; 0: not known */
    struct onnx_shape shape;
    struct onnx_shape declared; /* by value_info; rank -1: not at all */
    bool is_input, is_initializer;
    int n_values; /* -1: the contents are not known */
    const int64_t *values; /* whole numbers, in row-major order */
    const double *reals; /* the same where the type is a floating-point one */
    const struct onnx_node *producer; /* NULL: an input, an initializer, or nothing */
};

struct onnx_attribute {
    const char *name, *text;
    int64_t number;
    double real;
    int n_ints, n_reals;
    const int64_t *ints;
    const double *reals;
    struct onnx_tensor *tensor;
    bool is_graph, is_number;
};

struct onnx_node {
    const char *name, *op, *domain;
    int index; /* in the file, from 0 */
    int n_inputs, n_outputs, n_attributes;
    struct onnx_tensor **inputs, **outputs; /* NULL: left out */
    const struct onnx_attribute *attributes;
    struct sator_loc loc; /* its line in the listing */
    const char *unknown; /* why its outputs' shapes are not known, or NULL */
};

struct onnx_model {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const char *path, *name;
    const struct sator_source *listing; /* the graph as text: what messages point into */
    int64_t opset; /* of the default domain */
    int n_nodes, n_functions;
    struct onnx_node **nodes;
    int n_tensors;
    struct onnx_tensor **tensors;
    int n_slots; /* of the hash table of tensors, a power of two */
    struct onnx_tensor **slots;
    int n_inputs;
    struct onnx_tensor **inputs;
};

/* ---- onnx_read.c, onnx_graph.c ---- */
/* The model in "file"; SATOR_INPUT with a message when it is none, or its graph does not hang
 * together. */
enum sator_status onnx_read(struct onnx_model *model, FILE *file);
/* The tensor of this name, made when there is none. */
struct onnx_tensor *onnx_tensor(struct onnx_model *model, const char *name);
const struct onnx_attribute *onnx_attribute(const struct onnx_node *node, const char *name);
int64_t onnx_int(const struct onnx_node *node, const char *name, int64_t otherwise);
const char *onnx_text(const struct onnx_node *node, const char *name, const char *otherwise);
/* Whether the node is the operator "op" of the tables: ONNX's own, or com.microsoft's where it
 * means the same. */
bool onnx_is_op(const struct onnx_node *node, const char *op);
/* The input or output of this number; NULL when the node has none there. */
struct onnx_tensor *onnx_in(const struct onnx_node *node, int i);
struct onnx_tensor *onnx_out(const struct onnx_node *node, int i);
/* The file as a whole, in messages. */
struct sator_loc onnx_file(const struct onnx_model *model);
/* Write the graph as text, a line an input and a node, and set the places of the nodes. */
void onnx_list(struct onnx_model *model);
/* Give the dimensions that have a name their numbers, from "NAME=NUMBER" (-D). */
enum sator_status onnx_bind(struct onnx_model *model, int n_defines, const char *const *defines);

/* ---- onnx_shapes.c ---- */
/* Find the shape of every tensor, as far as the operators and the file's own say. */
enum sator_status onnx_infer(struct onnx_model *model);
/* Whether all dimensions are known. */
bool onnx_is_known(const struct onnx_shape *shape);
/* The number of elements; false when not known, or beyond 2^62. */
bool onnx_elements(const struct onnx_shape *shape, int64_t *n);
void onnx_shape_write(struct sator_text *text, const struct onnx_shape *shape);
/* A convolution's window along one spatial axis, with padding as auto_pad has it. */
struct onnx_window {
    int64_t kernel, stride, dilation, pad_begin, pad_end;
};
int onnx_windows(const struct onnx_node *node, const struct onnx_shape *input,
        const int64_t *kernel, int n_axes, struct onnx_window *windows);

/* Which axes of its input a reduction sums over; NULL, or why that is not known. */
const char *onnx_reduced(const struct onnx_node *node, const struct onnx_shape *in, bool *reduced);

/* An Einsum's equation with letters for "...", without blanks, and with its result said. */
const char *onnx_equation(struct onnx_model *model, const struct onnx_node *node);

/* ---- onnx_values.c ---- */
/* The contents of the node's outputs where those of its inputs are known, of the operators that
 * exporters build shapes with. */
void onnx_fold(struct onnx_model *model, const struct onnx_node *node);

/* ---- onnx_nests.c ---- */
/* One loop nest that a node runs, as a workload in Sator's notation. */
struct onnx_nest {
    struct sator_text sizes, op; /* "n: 1, k: 64", "Y[n,k] += ..." */
    const char *suffix; /* of the layer's name, where a node runs several; or "" */
    int n_tensors;
    struct onnx_role {
        const char *role; /* "A", "B", "Y" */
        const char *tensor; /* its name in the file; one made up for what is only inside the node */
        int type;
    } roles[8];
};
enum onnx_kind {
    ONNX_NEST, /* multiplies and adds: a layer, or several */
    ONNX_LIGHT, /* a loop nest without multiply-accumulates: a layer when asked for */
    ONNX_MOVES, /* moves data, in no loop nest of the notation */
    ONNX_VIEW, /* names data anew: nothing moves */
    ONNX_UNKNOWN /* an operator that is not known here */
};
enum onnx_kind onnx_kind_of(const struct onnx_node *node);
/* The nests of a node of kind ONNX_NEST or ONNX_LIGHT, handed to "add"; SATOR_INPUT with a message
 * when a shape that they need is not known. */
typedef void onnx_add_nest(void *data, const struct onnx_node *node, struct onnx_nest *nest);
enum sator_status onnx_nests(
        struct onnx_model *model, const struct onnx_node *node, onnx_add_nest *add, void *data);

#endif
