/* What analyses share, and the state of one analysis, passed along its steps (model/analysis.c
 * lists them in order). */
#ifndef SATOR_MODEL_ANALYSIS_H
#define SATOR_MODEL_ANALYSIS_H

#include "model/model.h"
#include "model/network.h"
#include "model/questions.h"
#include "model/terms.h"

/* An access of the loop instances that run at one place of a memory's array, and nothing else. */
struct access_part {
    const struct sator_relation *relation;
    int n_space; /* the leading dimensions of the place */
    const int64_t *at;
};

/* What crosses the network between a level and the holder outside it, for one tensor in one role.
 */
struct transfer {
    int n_time, n_space; /* the prefix that selects the level's contents */
    int from; /* the space prefix of the holder outside */
    int from_time; /* its time prefix, where a link counts on what it holds; else 0 */
    bool holds_idle; /* contents stay while an instance idles */
    int outside; /* the holder that has to keep idle instances' sums, with those outside; or -1 */
    int access; /* index into the workload's accesses */
    const struct access_part *part; /* NULL: all of the access is asked for */
    const struct sator_model_network *network;
    struct sator_volumes volumes; /* by_link and by_bus are filled */
};

/* A network, shared by the tensors that it serves alike. */
struct shared_network {
    int from, to;
    bool any_role; /* there are no buses: links serve reads and writes alike */
    enum sator_role role;
    const char *tensor; /* NULL: no link or bus is for certain tensors alone */
    struct sator_model_network network;
};

struct sator_model {
    enum sator_model_choice choice;
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const char *workload_name, *arch_name;
    double area_um2; /* of the machine */
    int n_space;
    const int64_t *shape;
    const struct sator_level *scratchpad; /* innermost memory above the outermost array, or NULL */
    const struct model_level *levels; /* parallel to the architecture's */
    const char *const *tensors; /* names, one an access */
    int n_networks;
    struct shared_network *networks;
};

/* The network of access "access" between two space prefixes that moving its tensor needs. */
const struct sator_model_network *model_network(
        const struct sator_model *model, int from, int to, int access);

/* A counter for one prefix of the stamps; levels with equal cuts share it. */
struct prefix_counter {
    int n_time, n_space;
    enum sator_engine_choice engine;
    struct sator_counter *counter;
};

struct instances;

/* One memory of the architecture with its cut. */
struct memory {
    const struct sator_level *level;
    const struct model_level *named;
    struct sator_level_result *result;
    struct sator_level_tensor *tensors; /* one an access; "held" tells which count */
    bool *held;
    int *tile_cuts; /* the time cut that each tile was counted for; -1: none */
    sator_int *entries; /* of each access, over all instances: struct flow */
    int time_cut, space_cut;
    int n_bypass; /* tensors that the dataflow has bypass it */
    const char *const *bypass;
    struct sator_loc cut_loc; /* where the cut is declared */
    struct instances *apart; /* what single instances move; made when it is asked for (busiest.c) */
};

/* What one access moves at one memory, all instances together (doc/model.md, section 4). */
struct flow {
    sator_int fills, writes, reads, updates;
    sator_int entries; /* times that an instance takes an element up */
    sator_int fresh; /* of these, from zero: partial sums that nobody has touched */
};

struct analysis {
    struct sator_ctx *ctx;
    struct sator_arena *arena; /* the result's */
    const struct sator_model *model;
    struct sator_workspace *workspace;
    struct sator_family *family; /* that answers questions first; NULL: none */
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct sator_bound_dataflow *dataflow;
    const struct sator_analyze_options *options;
    struct sator_terms terms; /* the result's; set when they are complete */
    sator_int *footprints; /* of each access, as far as known; else 0 */
    struct sator_result *result;
    int n_space, n_time;
    const int64_t *shape;
    int n_counters;
    struct prefix_counter *counters;
    int n_transfers;
    const struct transfer **transfers;
    const struct transfer **full; /* of the full stamps over all arrays, one an access */
    struct sator_tensor_result *tensors; /* the result's */
    struct sator_level_result *levels;
    struct sator_port_result *ports;
    const struct sator_level *scratchpad;
    int n_memories;
    struct memory *memories; /* outermost first */
    bool *overflows; /* of the question */
    bool in_order; /* the dataflow is known to keep the workload's order */
};

/* transfers.c: the questions to the counting engines, each asked once. */
/* The counter of the leading "n_time" and "n_space" dimensions. */
struct sator_counter *analysis_counter(struct analysis *analysis, int n_time, int n_space);
/* The answer to a question about the full stamps, which is about no access; "instance" is as
 * sator_count_outside and sator_count_max_per_stamp set it. */
enum sator_status analysis_ask(struct analysis *analysis, enum question_kind kind, int n_numbers,
        int64_t *instance, sator_int *numbers);
/* The most elements of access "access" that one stamp of a prefix touches. */
enum sator_status analysis_tile(
        struct analysis *analysis, int n_time, int n_space, int access, sator_int *words);
/* The volumes of access "access", or of its part "part" (NULL: all of it), at the prefix "to", over
 * the network from memory "holder" (-1: from the outside of all). */
struct transfer_end {
    int n_time, n_space;
    bool holds_idle;
};
enum sator_status analysis_transfer(struct analysis *analysis, const struct transfer_end *to,
        int holder, int access, const struct access_part *part, const struct transfer **transfer);
/* Where a memory's words arrive, and those of the full stamps: what PEs have of "access". */
struct transfer_end analysis_memory_end(const struct memory *memory);
struct transfer_end analysis_full_end(const struct analysis *analysis, int access);

/* What "volumes" says of each link and bus of "network". */
const struct sator_link_volume *analysis_link_volumes(struct analysis *analysis,
        const struct sator_model_network *network, const struct sator_volumes *volumes);

/* cuts.c: the memories with their cuts, declared or derived, and tiles that fit. */
enum sator_status analysis_cuts(struct analysis *analysis);
/* Whether "memory" holds what it holds for the whole run: its prefix is one stamp, outside all
 * arrays. */
bool analysis_is_whole(const struct analysis *analysis, const struct memory *memory);
/* Whether two tiles of all that "memory" holds fit: the one in use, and the next. */
bool analysis_holds_two(struct analysis *analysis, struct memory *memory);
/* levels.c: section 4 of doc/model.md; also collects the energy terms of memories and networks. */
enum sator_status analysis_levels(struct analysis *analysis);
/* The first part of it: what each tensor moves at each memory, and the networks' terms. */
enum sator_status analysis_count_flows(struct analysis *analysis);
/* What "access", or its part "part", moves at each memory; "flows" has one a memory. */
enum sator_status analysis_flows(
        struct analysis *analysis, int access, const struct access_part *part, struct flow *flows);
/* Report a sum over the tensors at "memory" that leaves 128 bits. */
enum sator_status analysis_too_many(struct analysis *analysis, const struct memory *memory);
/* ports.c: the delay of every port. */
enum sator_status analysis_ports(struct analysis *analysis);
/* The same file: name the links, buses and trees with a bandwidth that words pass as ports whose
 * delay the roofline does not know. */
void analysis_name_wires(struct analysis *analysis);
/* busiest.c: the bits through lane "lane" of the instance of memory "memory" that moves most, of
 * which all together move "*bits"; -1 with the reason in "*why" when that cannot be found. */
enum sator_status analysis_busiest(struct analysis *analysis, int memory,
        const struct sator_lane *lane, sator_int *bits, const char **why);
/* takes_up.c: whether the instance "at" of memory "memory", and what it lies in, takes up each sum
 * of "access" by itself, from the holder outside: no wire that brings sums leads to it from an
 * instance within "span", and it is the first on its trees. False where that is not known. */
struct model_span {
    int64_t *least, *greatest; /* of each space dimension */
};
enum sator_status analysis_takes_up(struct analysis *analysis, int memory, int access,
        const int64_t *at, const struct model_span *span, bool *result);
/* most.c: the most instances that one PE runs in a time-stamp, added up over all of them; at least
 * that many where stamps are no digits of loops. */
sator_int analysis_most(struct analysis *analysis);
/* metrics.c: section 3: utilization, latency, bandwidth. */
void analysis_metrics(struct analysis *analysis);
/* timing.c: section 7: the scheduled latency in place of the roofline, as far as it is known. */
enum sator_status analysis_timing(struct analysis *analysis);
/* The part of metrics that does not depend on what is moved: utilization and compute delay. */
void analysis_compute(struct analysis *analysis);
/* Bandwidths needed to keep up with the compute delay, from the tensors' results. */
void analysis_bandwidths(struct analysis *analysis);
/* tenet.c: section 6 in place of sections 3 and 4. */
enum sator_status analysis_tenet(struct analysis *analysis);
/* energy.c: the terms of control, where the machine says what it takes. */
enum sator_status analysis_control(struct analysis *analysis);
/* The terms that need the latency, and the sum. */
enum sator_status analysis_finish_energy(struct analysis *analysis);
/* expected.c: what gating of zeros is expected to save of the sum. */
enum sator_status analysis_expected(struct analysis *analysis);

#endif
