/* What is explored: layers by family, architectures, a space for each pair; and the evaluation of a
 * point. */
#ifndef SATOR_EXPLORE_PROBLEM_H
#define SATOR_EXPLORE_PROBLEM_H

#include "explore/figures.h"
#include "explore/space.h"
#include "sator/explore.h"
#include "sator/input.h"
#include "sator/map.h"

/* Layers with the same loops, in the network's order; one dataflow may be chosen for all of them.
 * Where points are mappings, all layers are one family: a machine may be chosen for all of them. */
struct explore_family {
    int n_layers;
    int *layers; /* numbers in the network; equal layers appear once */
    const struct sator_workload **workloads;
};

struct explore_hardware {
    const char *settings; /* "path=value" lines; "" when nothing varies */
    struct sator_arch *arch;
    const char *const *no_room; /* rules, by level: why a layer has no mapping */
};

/* A family's points on one architecture, all that the run may visit: [first, first + points). A
 * point is a dataflow of the space, for all layers of the family; or, without a space, the best
 * mapping of the family's layer of this number. */
struct explore_part {
    int family, hardware;
    struct space *space; /* NULL: SATOR_SPACE_MAPPINGS */
    bool unwanted; /* "where" refuses the machine, whatever runs on it */
    int unknown; /* unwanted: for want of the figure of this number, or -1 */
    uint64_t size;
    uint64_t first, points;
    uint64_t batch_points; /* the last batch may be shorter */
    uint64_t first_batch, n_batches;
};

struct sator_exploration {
    struct sator_arena *arena;
    const struct sator_network *network;
    int n_layers; /* of the network, or 1 when one layer was chosen */
    const int *layers; /* their numbers in the network */
    int *same_as; /* by position in "layers": the position of an equal layer before it, or its own
                   */
    int n_families;
    struct explore_family *families;
    int n_hardware;
    const struct explore_hardware *hardware;
    int n_parts;
    struct explore_part *parts;
    uint64_t n_batches;
    int n_tensors; /* names that appear in any layer */
    const char **tensors;
    int n_volumes; /* tensors in the roles that they have in any layer, reads first */
    struct explore_volumes {
        const char *tensor;
        enum sator_role role;
    } * volumes;
    struct explore_names names;
    const struct explore_expression *where; /* NULL: everything */
    int n_objectives;
    struct explore_objective *objectives; /* the first one ranks, all make the front */
    struct sator_explore_options options;
    struct space_options space_options;
    struct sator_map_options map_options;
    const char *prune_note; /* why the safe rules are off, or NULL */
    const char *identity; /* all that the results depend on, as text */
    char digest[65];
    const char *temporary; /* a database to be deleted with the exploration, or NULL */
};

/* An exploration of layer "layer" of "network" (-1: of all) on "hardware" (GIVE: explore_free,
 * which frees the architectures too). */
enum sator_status explore_new(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        int n_hardware, const struct explore_hardware *hardware,
        const struct sator_explore_options *options, struct sator_exploration **exploration);

/* The shard of "n_shards", counted from 0, that does a batch. Of n_shards batches in a row each
 * shard has one; but not always in the same order, or a shard would have one layer's mappings alone
 * where the layers' number is a multiple of the shards'. */
int explore_shard_of(uint64_t batch, int n_shards);

/* The text of all that an exploration's results depend on. */
void explore_describe(struct sator_exploration *exploration);

/* Evaluate point "index" of "part" for layer "layer" of its family. "*rule" is why the point is no
 * result (a static string, or one of the space's), or NULL; then "*result" is the model's answer
 * (GIVE: sator_result_free). SATOR_INPUT with a message when the model refuses a point that should
 * be valid. */
enum sator_status explore_evaluate(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, const struct explore_part *part,
        uint64_t index, int layer, const char **rule, struct sator_result **result);

/* Find the best mapping of layer "index" of the part's family, by the first objective, and analyse
 * it. "*rule" is why there is no result (it lives as long as the exploration), or NULL; then
 * "*mapping" (GIVE: sator_map_result_free) and "*result" (GIVE: sator_result_free) are set.
 * Messages say why in full. */
enum sator_status explore_map(struct sator_ctx *ctx, const struct sator_exploration *exploration,
        const struct explore_part *part, uint64_t index, const char **rule,
        struct sator_map_result **mapping, struct sator_result **result);
/* Read the options that mappings have, and refuse an objective that they have not. */
enum sator_status explore_map_options(struct sator_ctx *ctx, struct sator_exploration *exploration);

/* The models of a part's layers, and one thread's memory for a stretch of its points (GIVE:
 * explore_evaluator_free). */
struct explore_evaluator;
struct explore_evaluator *explore_evaluator_new(
        const struct sator_exploration *exploration, const struct explore_part *part);
void explore_evaluator_free(SATOR_TAKE struct explore_evaluator *evaluator);

/* As explore_evaluate; the evaluator owns "*result", until it evaluates the next point. */
enum sator_status explore_evaluate_next(struct sator_ctx *ctx, struct explore_evaluator *evaluator,
        uint64_t index, int layer, const char **rule, const struct sator_result **result);

/* The hardware that "varies" ask for: every combination of their values, as lists of settings
 * ("n_varies" to a combination). "array" is the name of the architecture's first array, which lone
 * "shape" and "topology" mean. */
enum sator_status explore_vary(struct sator_ctx *ctx, struct sator_arena *arena, const char *array,
        int n_varies, const char *const *varies, int *n_combinations, const char *const **settings);

#endif
