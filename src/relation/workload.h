/* A tensor operation: one statement in a loop nest (doc/model.md, section 1). */
#ifndef SATOR_RELATION_WORKLOAD_H
#define SATOR_RELATION_WORKLOAD_H

#include "relation/relation.h"
#include "sator/analyze.h"

/* A_{S,F}: one tensor in one role, the union of all its accesses (several pieces for Jacobi's five
 * reads). */
struct sator_access {
    const char *tensor;
    enum sator_role role;
    int word_bits;
    bool says_density;
    double density; /* where it says: the expected share of the tensor's elements that are not 0 */
    const struct sator_relation *relation; /* { S[n] -> F[f] } */
};

/* One of a layer's runs: a node of the graph that the network was read from, and what its tensors
 * are called there. Equal tensors in two runs are what one layer hands to another. */
struct sator_run {
    const char *node;
    int n_tensors;
    struct sator_run_tensor {
        const char *tensor, *name; /* the workload's "A", and the graph's "conv1.weight" */
    } * tensors;
};

struct sator_workload {
    const char *name;
    int n_loops;
    const char *const *loop_names; /* outermost first */
    const struct sator_relation *domain; /* D_S, a set { S[n] : ... } */
    bool is_box; /* the domain is lower <= n < upper and no more */
    const int64_t *lower,
            *upper; /* the least value of each loop, and the greatest and one, whatever
                       leaves out what is below and above; NULL: not known yet */
    int n_accesses;
    const struct sator_access *accesses; /* reads first, each in order of first appearance */
    int repeat; /* how often a network runs this layer */
    int n_runs; /* where it came from, as far as that is known: a node of a network's graph each */
    const struct sator_run *runs;
    struct sator_loc loc;
};

/* Set "is_box", and the bounds of every loop: of the hull, where the domain is no box. SATOR_INPUT
 * when the domain is empty, unbounded, or leaves -2^41 to 2^41.
 */
enum sator_status sator_workload_find_bounds(
        struct sator_ctx *ctx, struct sator_arena *arena, struct sator_workload *workload);

/* Where an access of "workload" is said; the workload's own place when that is not known. */
struct sator_loc sator_access_loc(
        const struct sator_workload *workload, const struct sator_access *access);

/* All of a workload that results depend on, as a text to free: equal texts, equal results. Its name
 * and how often it is repeated are not in it. */
char *sator_workload_key(const struct sator_workload *workload);

enum {
    SATOR_CUT_ALL = -1, /* every leading dimension */
    SATOR_CUT_UNSAID = -2 /* of time: follows from the capacity */
};

/* What a memory level holds: the data of the instances that agree in these leading dimensions
 * (doc/model.md, section 4). */
struct sator_cut {
    const char *level; /* a memory level's name */
    int time, space; /* leading dimensions, or a value above */
    int n_bypass; /* tensors that the memory does not hold, though it may */
    const char *const *bypass;
    struct sator_loc loc;
};

/* Where and when: { S[n] -> PE[p] } and { S[n] -> T[t] }. Loops are matched by name when the
 * dataflow came with loop names (Sator's own notation), by position when it came in isl notation.
 */
struct sator_dataflow {
    struct sator_arena *arena;
    const char *name;
    struct sator_loc loc;
    const struct sator_source
            *space_source; /* texts to be read when the loops are known; or NULL */
    struct sator_loc space_loc, time_loc; /* "PE[i%8, j%8]" and "T[...]", in Sator's notation */
    const struct sator_relation *space,
            *time; /* isl notation: read at once, positional; else NULL */
    int n_cuts;
    const struct sator_cut *cuts;
    const struct sator_loop_nest *loops; /* the "loops:" form; else NULL */
    bool any_order; /* the nest's entries come in any order: that of the machine's levels is meant
                     */
    /* of a network: each layer's own, and nothing else of the above but the name; else 0 */
    int n_layers;
    const struct sator_layer_dataflow *layers;
};

/* The dataflow of the layer called "layer". */
struct sator_layer_dataflow {
    const char *layer;
    const struct sator_dataflow *dataflow;
};

/* How many leading dimensions of "time", bound to "workload", have the same prefix stamps as the
 * first "n_time": those that follow these have one value each, as far as the bounds of the loops
 * tell. From 0 on, a prefix stamp is the whole run; up to all, it is one stamp. */
int sator_time_reach(struct sator_arena *arena, const struct sator_workload *workload,
        const struct sator_relation *time, int n_time);

/* What "dataflow" is for "workload": itself, or the one for the layer of this name. SATOR_INPUT
 * with a message when it has none. */
enum sator_status sator_dataflow_of(struct sator_ctx *ctx, const struct sator_dataflow *dataflow,
        const struct sator_workload *workload, const struct sator_dataflow **own);

/* The "loops:" form: one entry a level, outermost first. */
struct sator_loop_nest {
    int n_entries;
    struct sator_loop_entry {
        const char *level;
        struct sator_loc loc;
        int n_bypass; /* tensors that a memory does not hold, though it may */
        const char *const *bypass;
        int n_loops;
        struct sator_nest_loop {
            const char *loop;
            int64_t extent;
            int dim; /* parallel: dimension of the array, from 0; -1 for a temporal loop */
            struct sator_loc loc;
        } * loops;
        /* An array's skew: the row of time that its PEs run by is later by so much with each step
         * along each dimension. The loops of the memory outside of it that are joined are one row:
         * the innermost "joined" ones, or all; then those of the memory outside that one which it
         * says are "joined", and so on. */
        int n_skew; /* 0: none is given */
        const int64_t *skew;
        struct sator_loc skew_loc;
        bool says_joined;
        int joined;
        struct sator_loc joined_loc;
    } * entries;
};

/* A dataflow bound to one workload: relations over the workload's loops, in its order. It borrows
 * from both. */
struct sator_bound_dataflow {
    const char *name;
    const struct sator_relation *space, *time;
    int n_cuts;
    const struct sator_cut *cuts;
    struct sator_loc space_loc, time_loc;
    const struct sator_loc *dim_locs; /* of a "loops:" form: for each dimension of the space-stamp
                                         the outermost of its parallel loops; NULL: space_loc */
    const char *ragged; /* the loops of a "loops:" form whose factors cover more than there is, as
                           "i 3 x 3 over 8, k 10 over 8"; NULL: none */
};

/* Where dimension "dim" of the space-stamp is said. */
struct sator_loc sator_dataflow_dim_loc(const struct sator_bound_dataflow *bound, int dim);

/* A level of the architecture as far as a dataflow may refer to it. */
struct sator_bind_level {
    const char *name;
    bool is_memory;
    int n_dims; /* of an array; 0 otherwise */
    const int64_t *shape; /* n_dims */
};

/* Bind "dataflow" to the loops of "workload", on an architecture of "levels", outermost first.
 * Extents of arrays in its stamps become numbers. Located errors: names that are no loops, extents
 * of arrays or dimensions that are not there, maps over another number of loops, a "loops:" form
 * whose factors do not cover an extent or whose levels are not there, in this order.
 *
 * A "loops:" form with factors f1 .. fm for a loop (outermost first) and strides s_j = f_(j+1) * ..
 * * fm turns into the digits floor((i - lower)/s_1) and floor((i - lower)/s_j) % f_j: the temporal
 * ones are the time-stamp, in the order of the nest; the parallel ones at one array dimension are
 * the digits of its coordinate, the first the most significant. The loops of a memory directly
 * outside a skewed array are joined into one row, to which the skew is added. Every memory gets its
 * cut, the rows of the entries outside it. */
enum sator_status sator_dataflow_bind(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_dataflow *given, const struct sator_workload *workload, int n_levels,
        const struct sator_bind_level *levels, const struct sator_bound_dataflow **bound);

/* Of a "loops:" form only this: its levels are there, in their order, with their dimensions, and
 * its names are loops. */
enum sator_status sator_dataflow_check_names(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_dataflow *given, const struct sator_workload *workload, int n_levels,
        const struct sator_bind_level *levels);

/* Nodes of a network's graph that are no layers, those of one operator together. */
struct sator_other_nodes {
    const char *op, *why;
    int64_t n_nodes;
    double bytes, share; /* that they read and write; of what all nodes do */
};

struct sator_network {
    struct sator_arena *arena;
    const char *name;
    int n_layers;
    const struct sator_workload *layers;
    int n_others;
    const struct sator_other_nodes *others;
    struct sator_loc loc;
};

#endif
