/* Inputs that are made by calls instead of files.
 *
 *     struct sator_builder *b = sator_workload_begin(ctx, "gemm");
 *     sator_workload_loop(b, "i", 64);
 *     sator_workload_loop(b, "j", 64);
 *     sator_workload_loop(b, "k", 64);
 *     sator_workload_access(b, SATOR_READ, "A", 2, (int64_t[]){1, 0, 0, 0, 0, 0, 1, 0});
 *     ...
 *     st = sator_workload_end(b, &network);
 *
 * The calls in between return nothing: what is wrong is kept, and the end says it. An end consumes
 * its builder, whatever it returns. What was built is checked as a file is, by the same code;
 * messages show the field as doc/formats.md writes it. A field that has no call of its own is set
 * by its path with sator_build_set.
 */
#ifndef SATOR_BUILD_H
#define SATOR_BUILD_H

#include "sator/analyze.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sator_builder;

/* Set a field by its path before the end, as `--set` does: ("levels.L2.leakage_pj", "0.3"); "value"
 * as doc/formats.md writes it. */
SATOR_API void sator_build_set(struct sator_builder *b, const char *path, const char *value);
/* Give up. */
SATOR_API void sator_builder_free(SATOR_TAKE struct sator_builder *b);

/* ---- workloads ---- */

/* A statement in a nest of loops (GIVE: consumed by sator_workload_end). Loops come first, the
 * outermost first, each from 0 to extent - 1. */
SATOR_API struct sator_builder *sator_workload_begin(struct sator_ctx *ctx, const char *name);
SATOR_API void sator_workload_loop(struct sator_builder *b, const char *name, int64_t extent);
/* The statement reads or writes the element of "tensor" whose n_dims indices are rows of a matrix:
 * row d has a coefficient a loop and then a constant, n_loops + 1 numbers. */
SATOR_API void sator_workload_access(struct sator_builder *b, enum sator_role role,
        const char *tensor, int n_dims, const int64_t *rows);
/* Only instances for which "row" (as above) is >= 0. */
SATOR_API void sator_workload_condition(struct sator_builder *b, const int64_t *row);
/* Bits of a word of "tensor"; 16 where nothing is said. */
SATOR_API void sator_workload_word_bits(struct sator_builder *b, const char *tensor, int bits);
/* The expected share, 0 to 1, of elements of "tensor" that are not 0: what gates save by. */
SATOR_API void sator_workload_density(struct sator_builder *b, const char *tensor, double density);
/* (GIVE: sator_network_free) a network of one layer. */
SATOR_API enum sator_status sator_workload_end(
        SATOR_TAKE struct sator_builder *b, SATOR_GIVE struct sator_network **network);

/* ---- networks ---- */

SATOR_API struct sator_builder *sator_network_begin(struct sator_ctx *ctx, const char *name);
/* Append layer "layer" of "network" (KEEP: until the end) under the name "name", to be run "repeat"
 * times. */
SATOR_API void sator_network_layer(struct sator_builder *b, const char *name,
        SATOR_KEEP const struct sator_network *network, int layer, int repeat);
SATOR_API enum sator_status sator_network_end(
        SATOR_TAKE struct sator_builder *b, SATOR_GIVE struct sator_network **network);

/* ---- architectures ---- */

/* Levels come from the outermost memory inwards; the compute level is the last. */
SATOR_API struct sator_builder *sator_arch_begin(struct sator_ctx *ctx, const char *name);

/* A memory's figures; one that is 0 is not given (sator_build_set gives a zero). */
struct sator_memory_fields {
    size_t size; /* sizeof the struct: sator/context.h */
    double capacity_bytes, capacity_words; /* of one instance, shared by the tensors */
    double read_bits, write_bits; /* bandwidth, bits per cycle of one instance */
    double read_pj, write_pj; /* energy per word */
    double leakage_pj; /* per cycle and instance */
    double area_um2; /* of one instance */
    bool double_buffered; /* halves the capacity */
};
SATOR_API void sator_arch_memory(
        struct sator_builder *b, const char *name, const struct sator_memory_fields *fields);
SATOR_API void sator_arch_array(
        struct sator_builder *b, const char *name, int n_dims, const int64_t *shape);
/* A wire in the array that was added last, from every PE to the PE "offset" (n_dims numbers) away:
 * what the provider held "interval" time-stamps ago. "pj" per word and hop; 0: not given. */
SATOR_API void sator_arch_link(
        struct sator_builder *b, const char *name, const int64_t *offset, int interval, double pj);
/* The usual wires: "systolic-2d", "mesh", "multicast" and so on (doc/formats.md, architecture). */
SATOR_API void sator_arch_topology(struct sator_builder *b, const char *topology);
/* Energy and cycles of a loop instance; 0: not given. */
SATOR_API void sator_arch_compute(
        struct sator_builder *b, const char *name, double pj, double cycles);
/* The level that was added last leaves out what is superfluous because an element of one of the
 * n_zeros tensors "zeros" is 0: a memory, its accesses to "tensor"; the compute level ("tensor" is
 * NULL), loop instances. Time stays (doc/model.md, "Expectations"). */
SATOR_API void sator_arch_gate(
        struct sator_builder *b, const char *tensor, int n_zeros, const char *const *zeros);
/* The same of the compute level alone, and what is left out takes no time either: the expected
 * latency. */
SATOR_API void sator_arch_skip(struct sator_builder *b, int n_zeros, const char *const *zeros);
/* The memory that was added last, below an array, keeps its contents while its instance runs
 * nothing (doc/model.md, "Idle PEs"). */
SATOR_API void sator_arch_hold_idle(struct sator_builder *b);
SATOR_API enum sator_status sator_arch_end(
        SATOR_TAKE struct sator_builder *b, SATOR_GIVE struct sator_arch **arch);

/* ---- dataflows ---- */

/* Either stamps, made of digits, or a nest of tile loops. */
SATOR_API struct sator_builder *sator_dataflow_begin(struct sator_ctx *ctx, const char *name);

enum sator_stamp {
    SATOR_SPACE_STAMP,
    SATOR_TIME_STAMP
};
/* Add coefficient * (floor(loop / divisor) mod modulus) to dimension "dim" of a stamp; modulus 0:
 * no remainder is taken. Dimensions are 0 to 63; those between that get nothing are 0. */
SATOR_API void sator_dataflow_digit(struct sator_builder *b, enum sator_stamp stamp, int dim,
        int64_t coefficient, const char *loop, int64_t divisor, int64_t modulus);

/* Tile loops, from the outermost level inwards: at the level "level", ... */
SATOR_API void sator_dataflow_level(struct sator_builder *b, const char *level);
/* ... "factor" tiles of "loop", one after the other, outermost first; ... */
SATOR_API void sator_dataflow_tile(struct sator_builder *b, const char *loop, int64_t factor);
/* ... at an array, "factor" tiles side by side along its dimension "dim"; ... */
SATOR_API void sator_dataflow_parallel(
        struct sator_builder *b, const char *loop, int64_t factor, int dim);
/* ... at a memory, "tensor" bypasses it. */
SATOR_API void sator_dataflow_bypass(struct sator_builder *b, const char *tensor);
SATOR_API enum sator_status sator_dataflow_end(
        SATOR_TAKE struct sator_builder *b, SATOR_GIVE struct sator_dataflow **dataflow);

/* ---- documents in memory ---- */

struct sator_input_options;

/* What a file called "name" that holds "text" would be (doc/formats.md; JSON is YAML, too); the
 * options are those of sator_network_load. Other files that the text names are looked for beside
 * "name". */
SATOR_API enum sator_status sator_network_parse(struct sator_ctx *ctx, const char *name,
        const char *text, const struct sator_input_options *options,
        SATOR_GIVE struct sator_network **network);
SATOR_API enum sator_status sator_arch_parse(struct sator_ctx *ctx, const char *name,
        const char *text, const struct sator_input_options *options,
        SATOR_GIVE struct sator_arch **arch);
SATOR_API enum sator_status sator_dataflow_parse(struct sator_ctx *ctx, const char *name,
        const char *text, const struct sator_input_options *options,
        SATOR_GIVE struct sator_dataflow **dataflow);

/* The other way round: an input as the text of a file in Sator's own notation, which reads back to
 * the same thing (GIVE: free). */
SATOR_API enum sator_status sator_network_text(
        struct sator_ctx *ctx, SATOR_KEEP const struct sator_network *network, char **text);
SATOR_API enum sator_status sator_arch_text(
        struct sator_ctx *ctx, SATOR_KEEP const struct sator_arch *arch, char **text);
SATOR_API enum sator_status sator_dataflow_text(
        struct sator_ctx *ctx, SATOR_KEEP const struct sator_dataflow *dataflow, char **text);

#ifdef __cplusplus
}
#endif
#endif
