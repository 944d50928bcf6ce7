/* MAESTRO's files while they are read: networks whose layers have data-centric directives, and
 * hardware of "key: value" lines. */
#ifndef SATOR_FRONTEND_MAESTRO_MAESTRO_H
#define SATOR_FRONTEND_MAESTRO_MAESTRO_H

#include "base/text.h"
#include "frontend/frontend.h"

/* Dimensions as the files call them; Y and X are the input's, Y' and X' the output's. */
enum maestro_dim {
    MAESTRO_N,
    MAESTRO_G,
    MAESTRO_K,
    MAESTRO_C,
    MAESTRO_R,
    MAESTRO_S,
    MAESTRO_Y,
    MAESTRO_X,
    MAESTRO_OY,
    MAESTRO_OX,
    MAESTRO_M,
    MAESTRO_DIMS
};

enum maestro_class {
    MAESTRO_TEMPORAL,
    MAESTRO_SPATIAL,
    MAESTRO_CLUSTER
};

struct maestro_directive {
    enum maestro_class class;
    int64_t size, offset; /* of a cluster: its size alone */
    enum maestro_dim dim;
    struct sator_loc loc;
};

struct maestro_layer {
    const char *name;
    struct sator_loc loc; /* of its name */
    const char *type; /* "CONV" and so on; NULL before it is said */
    struct sator_loc type_loc;
    int64_t stride_y, stride_x;
    int64_t sizes[MAESTRO_DIMS]; /* 0: not given */
    struct sator_loc size_locs[MAESTRO_DIMS];
    bool has_dataflow;
    int n_directives;
    struct maestro_directive *directives;
};

struct maestro {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_source *source;
    int errors_before;
    const char *network; /* its name */
    int n_layers;
    struct maestro_layer *layers;
    /* of all layers, to be said once each */
    struct sator_loc doubled_loc, transposed_loc;
    int n_doubled, n_transposed;
};

const char *maestro_dim_name(enum maestro_dim dim);
bool maestro_failed(const struct maestro *m);

/* maestro_parse.c: the layers of a network's file; located errors. */
void maestro_parse(struct maestro *m);
/* maestro_layer.c: whether the layer's type is known and has its dimensions, false after an error;
 * the layer as a workload. */
bool maestro_check_layer(struct maestro *m, const struct maestro_layer *layer);
bool maestro_is_product(const struct maestro_layer *layer);
void maestro_write_layer(
        struct maestro *m, const struct maestro_layer *layer, struct sator_text *text);
/* The outputs along Y (or X) of a layer: (Y - R) / stride + 1. */
int64_t maestro_outputs(const struct maestro_layer *layer, enum maestro_dim input);
/* maestro_dataflow.c: its directives as space- and time-stamps. */
void maestro_write_dataflow(
        struct maestro *m, const struct maestro_layer *layer, struct sator_text *text);
/* maestro_machine.c: a file of hardware. */
bool maestro_is_machine(const struct sator_source *source);
void maestro_write_machine(struct maestro *m, struct sator_text *text);

#endif
