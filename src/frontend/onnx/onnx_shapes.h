/* What the rules of shape inference share; each rule is of a kind of operators. */
#ifndef SATOR_FRONTEND_ONNX_ONNX_SHAPES_H
#define SATOR_FRONTEND_ONNX_ONNX_SHAPES_H

#include "frontend/onnx/onnx.h"

/* What an inference may use: nodes come in order, so the inputs are done. */
struct infer {
    struct onnx_model *model;
    const struct onnx_node *node;
    const struct onnx_shape *in; /* of input 0; NULL: not known */
    struct onnx_shape *out; /* of output 0 */
};

/* NULL, or why the outputs' shapes do not follow: something is not known, or, after a '!', wrong.
 */
typedef const char *infer_function(struct infer *i);

extern const struct onnx_shape onnx_no_shape;

/* The shape of an input; NULL: not known. */
const struct onnx_shape *onnx_shape_in(const struct infer *i, int input);
/* The whole numbers in an input, or failing that in an attribute (older opsets had those). */
const int64_t *onnx_numbers(const struct infer *i, int input, const char *name, int *n);
/* Axis "axis", counted from the end when negative; -1 when there is none. */
int onnx_axis_of(int64_t axis, int rank);
/* a * b and a + b, or -1 when one is not known or it is beyond any extent. */
int64_t onnx_times(int64_t a, int64_t b);
int64_t onnx_plus(int64_t a, int64_t b);

/* The shape of both together, by the rules of numpy. */
const char *onnx_broadcast(
        const struct onnx_shape *a, const struct onnx_shape *b, struct onnx_shape *out);
/* The shape that an input's contents say. */
const char *onnx_shape_from(struct infer *i, int input, struct onnx_shape *shape);

/* The rules of onnx_ops.def: onnx_shapes.c has those that keep a shape, onnx_shapes_*.c the others.
 */
const char *onnx_infer_arg(struct infer *i);
const char *onnx_infer_attention(struct infer *i);
const char *onnx_infer_broadcast(struct infer *i);
const char *onnx_infer_cast(struct infer *i);
const char *onnx_infer_compare(struct infer *i);
const char *onnx_infer_concat(struct infer *i);
const char *onnx_infer_constant(struct infer *i);
const char *onnx_infer_constant_of_shape(struct infer *i);
const char *onnx_infer_conv(struct infer *i);
const char *onnx_infer_conv_transpose(struct infer *i);
const char *onnx_infer_depth_to_space(struct infer *i);
const char *onnx_infer_dequantize(struct infer *i);
const char *onnx_infer_einsum(struct infer *i);
const char *onnx_infer_expand(struct infer *i);
const char *onnx_infer_flatten(struct infer *i);
const char *onnx_infer_gather(struct infer *i);
const char *onnx_infer_gather_elements(struct infer *i);
const char *onnx_infer_gather_nd(struct infer *i);
const char *onnx_infer_gemm(struct infer *i);
const char *onnx_infer_matmul(struct infer *i);
const char *onnx_infer_pad(struct infer *i);
const char *onnx_infer_pool(struct infer *i);
const char *onnx_infer_qlinear_conv(struct infer *i);
const char *onnx_infer_qlinear_matmul(struct infer *i);
const char *onnx_infer_quantize(struct infer *i);
const char *onnx_infer_range(struct infer *i);
const char *onnx_infer_recurrent(struct infer *i);
const char *onnx_infer_reduce(struct infer *i);
const char *onnx_infer_reshape(struct infer *i);
const char *onnx_infer_resize(struct infer *i);
const char *onnx_infer_same(struct infer *i);
const char *onnx_infer_shape(struct infer *i);
const char *onnx_infer_size(struct infer *i);
const char *onnx_infer_slice(struct infer *i);
const char *onnx_infer_space_to_depth(struct infer *i);
const char *onnx_infer_split(struct infer *i);
const char *onnx_infer_squeeze(struct infer *i);
const char *onnx_infer_tile(struct infer *i);
const char *onnx_infer_top_k(struct infer *i);
const char *onnx_infer_transpose(struct infer *i);
const char *onnx_infer_truth(struct infer *i);
const char *onnx_infer_unknown(struct infer *i);
const char *onnx_infer_unsqueeze(struct infer *i);
const char *onnx_infer_where(struct infer *i);

#endif
