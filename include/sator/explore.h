/* Exploration: every dataflow of a design space, on every variant of an architecture, into a
 * database.
 *
 * An exploration is made of a network (or one layer of it), an architecture with the fields that
 * vary, and options. Its points are numbered; the same inputs and options give the same numbers and
 * the same results, whatever the number of threads, shards or interruptions (doc/explore.md).
 */
#ifndef SATOR_EXPLORE_H
#define SATOR_EXPLORE_H

#include "sator/analyze.h"
#include "sator/map.h"
#include "sator/report.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sator_explore_space {
    SATOR_SPACE_TILED, /* loops across the array by % and in time by /, orders, skews */
    SATOR_SPACE_MATRIX, /* matrices of 0 and 1 (TENET, section IV-A) */
    SATOR_SPACE_MAPPINGS /* no dataflows: of every layer the best mapping, with proof (sator/map.h)
                          */
};

enum sator_explore_prune {
    SATOR_PRUNE_SAFE, /* leaves out only points that another point is never worse than */
    SATOR_PRUNE_MOVEMENTS, /* every tensor has to move in a way the array supports; may lose the
                              best point */
    SATOR_PRUNE_NONE
};

enum {
    SATOR_NO_SKEW = -1 /* for sator_explore_options.skew */
};

struct sator_explore_options {
    size_t size; /* sizeof the struct: sator/context.h */
    /* the space of dataflows */
    enum sator_explore_space space;
    enum sator_explore_prune prune;
    int pack; /* most loops across one array dimension, 1 to 3; 0: the default, 1 */
    int skew; /* how many inner time dimensions are skewed, 1 or 2; SATOR_NO_SKEW; 0: the default, 1
               */
    int fold; /* most loops that run inside one stamp */
    bool whole_skews; /* skew by whole loops besides their digits */
    bool idle; /* array dimensions may stay without a loop */
    bool no_symmetry; /* visit points that are the same but for names, too */
    bool ordered; /* PEs must not update one output element in the same stamp unless a wire or tree
                     adds them */
    uint64_t first_point, n_points; /* of every space, only these; 0 points: all */
    /* the space of hardware: "PATH=[a,b,c]" or "PATH=from:to:step" */
    int n_varies;
    const char *const *varies;
    /* what is wanted */
    const char *where; /* results to keep: "pes <= 256 and energy < 1e9"; NULL: all */
    const char *keep; /* figures to store besides the usual ones, "levels.L1.fills,energy_pj.DRAM";
                         those named elsewhere are stored anyway; NULL: no more */
    const char *
            objective; /* "latency", "edp", "energy * latency", a list for a front; NULL: latency */
    /* the run */
    enum sator_engine_choice engine;
    uint64_t work_limit; /* ticks a counting question, 0: the default */
    double budget_seconds; /* mappings: give up a search after this long; 0: never */
    bool imperfect; /* mappings: innermost tiles need not divide extents, as in sator_map_options */
    int threads; /* 0: one a processor */
    const char *database; /* NULL: a temporary one */
    bool resume; /* go on with the database if it is there */
    int shard, n_shards; /* 1 to n_shards: visit one of n batches; n_shards 0: all */
    uint64_t batch; /* points a batch; 0: by the size of the space */
    enum sator_timing_choice timing; /* what latencies are */
};

struct sator_exploration;

/* Set up the exploration of layer "layer" (-1: all layers) of "network" (KEEP: must outlive it) on
 * the architecture "arch" (a spec, see sator_arch_load) and its variants (GIVE:
 * sator_exploration_free). */
SATOR_API enum sator_status sator_exploration_new(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, int layer, const char *arch,
        const struct sator_input_options *input, const struct sator_explore_options *options,
        SATOR_GIVE struct sator_exploration **exploration);
SATOR_API void sator_exploration_free(SATOR_TAKE struct sator_exploration *exploration);

/* Where text goes, piece by piece; false stops the writer, which then returns SATOR_OK early. */
struct sator_sink {
    bool (*write)(void *data, const char *text, size_t length);
    void *data;
};

/* Write the sizes of the spaces, then their points, a line each: layer family, hardware, number,
 * maps, and the rule that leaves the point out, if any. At most "most" points; 0: all. */
SATOR_API enum sator_status sator_explore_list(struct sator_ctx *ctx,
        struct sator_exploration *exploration, uint64_t most, const struct sator_sink *sink);

/* Analyse point "point" of hardware "hardware" for layer "layer" (positions among those explored)
 * in full (GIVE: sator_result_free). SATOR_INPUT with a message when there is no such point, or a
 * rule says that it is invalid; pruned points are analysed. */
SATOR_API enum sator_status sator_explore_point(struct sator_ctx *ctx,
        struct sator_exploration *exploration, int layer, int hardware, uint64_t point,
        SATOR_GIVE struct sator_result **result);

/* The same where points are mappings (SATOR_SPACE_MAPPINGS): find point "point" of hardware
 * "hardware" again; points are the different layers, in the network's order (GIVE:
 * sator_map_result_free). SATOR_INFEASIBLE, SATOR_INPUT, SATOR_LIMIT as from sator_map. */
SATOR_API enum sator_status sator_explore_point_mapping(struct sator_ctx *ctx,
        struct sator_exploration *exploration, int hardware, uint64_t point,
        SATOR_GIVE struct sator_map_result **mapping);

/* How far a run is. */
struct sator_explore_progress {
    size_t size; /* of the struct in the library */
    double points_done,
            points_total; /* numbered points of this shard, those left out by rules among them */
    uint64_t results; /* rows in the database so far */
    double seconds, points_per_second;
    double best; /* the first objective's best value in this run, NAN: none yet */
    const char *best_name; /* the maps of the best */
};

struct sator_explore_rule {
    const char *name;
    uint64_t points;
};

/* What a run did, resumed parts included. */
struct sator_explore_summary {
    size_t size; /* of the struct in the library */
    uint64_t points; /* numbered points of this shard that were looked at */
    uint64_t results; /* rows in the database */
    int n_rules;
    const struct sator_explore_rule
            *rules; /* points that are no results, by rule, names ascending */
    const char *note; /* what should be known about pruning, or NULL */
    bool complete; /* false after an interruption */
    const char *database; /* where the results are */
    double seconds;
};

/* Visit all points of the shard. Threads evaluate, the calling thread stores; "progress" (or NULL)
 * is called from it now and then. SATOR_INTERRUPTED after sator_ctx_cancel: all that was evaluated
 * is stored. "*summary" (KEEP: the exploration's) says what that is, whatever the status but
 * SATOR_USAGE. */
SATOR_API enum sator_status sator_explore_run(struct sator_ctx *ctx,
        struct sator_exploration *exploration,
        void (*progress)(void *data, const struct sator_explore_progress *progress), void *data,
        const struct sator_explore_summary **summary);

/* ---- databases ---- */

struct sator_query_options {
    size_t size; /* sizeof the struct: sator/context.h */
    const char *where; /* results to list; NULL: all */
    const char *sort; /* an objective, the best first; NULL: by layer, hardware, point */
    const char *pareto; /* objectives, "latency,energy": only their front, a layer; NULL: no */
    uint64_t top; /* the first so many of every layer; 0: all */
    const char *layer; /* only this layer; NULL: all */
    bool whole_network; /* a row a dataflow that all layers of a family have, figures added up */
    bool per_hardware; /* a row a machine, the figures of every layer's own best added up */
    bool summary; /* what the database is, instead of results */
    bool quiet; /* no warnings about results that lack a figure of "where", "sort" or "pareto" */
    enum sator_format format;
    int schema; /* JSON: as in sator_report_options */
    int width; /* text: columns that a line may have, where its words allow; 0: any number */
};

/* List results of a database. */
SATOR_API enum sator_status sator_explore_query(struct sator_ctx *ctx, const char *database,
        const struct sator_query_options *options, const struct sator_sink *sink);

/* Join databases of one exploration (shards in any order, results of several in one twice) into
 * "output", which may exist from an earlier merge. "text" says what was joined and what is missing
 * (GIVE: free). */
SATOR_API enum sator_status sator_explore_merge(struct sator_ctx *ctx, const char *output,
        int n_inputs, const char *const *inputs, SATOR_GIVE char **text);

#ifdef __cplusplus
}
#endif
#endif
