/* Layers times machines, each point the best mapping: what the exploration finds is what trying all
 * mappings finds, a layer has no mapping where there is none, and leaving machines out that "where"
 * refuses loses no result that it wants.
 */
#include "explore/problem.h"
#include "oracle/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const workloads[] = {"gemm:i=%d,j=%d,k=%d", "gemv:i=%d,k=%d",
        "mttkrp:i=%d,j=%d,k=%d,l=2", "conv1d:k=%d,c=%d,ox=%d,rx=3",
        "conv2d:k=%d,c=%d,ox=%d,rx=2,oy=1,ry=1", "conv2d-depthwise:c=%d,ox=%d,oy=%d,rx=2,ry=1"};
static const char *const objectives[] = {"latency", "energy", "edp"};
static const enum sator_map_objective map_objectives[] = {
        SATOR_MAP_LATENCY, SATOR_MAP_ENERGY, SATOR_MAP_EDP};

struct test_case {
    char specs[2][96];
    char vary[2][96];
    char where[64];
    int objective;
};

static int below(struct random *random, int n)
{
    return (int)random_below(random, n);
}

static void make_case(struct random *random, struct test_case *c)
{
    static const int sizes[] = {1, 2, 3, 4, 6, 8};

    for (int i = 0; i < 2; i++) {
        int s[3];
        for (int k = 0; k < 3; k++)
            s[k] = sizes[below(random, 6)];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(c->specs[i], sizeof c->specs[i],
                workloads[below(random, sizeof workloads / sizeof *workloads)], s[0], s[1], s[2]);
#pragma GCC diagnostic pop
    }
    int rows = 1 + below(random, 3);
    snprintf(c->vary[0], sizeof c->vary[0], "shape=[[%d,2],[%d,%d],[4,4]]", rows,
            1 + below(random, 4), 1 + below(random, 2));
    /* 2 bytes a word: 4 do not hold the operands of one instance */
    snprintf(c->vary[1], sizeof c->vary[1], "L1.capacity_bytes=[4,%d]", 6 + 2 * below(random, 20));
    snprintf(c->where, sizeof c->where, "pes <= %d", 1 + below(random, 16));
    c->objective = below(random, 3);
}

/* ---- one point ---- */

static double value_of(const struct sator_result *r, enum sator_map_objective objective)
{
    return objective == SATOR_MAP_LATENCY   ? r->total_cycles
            : objective == SATOR_MAP_ENERGY ? r->energy_pj
                                            : r->edp;
}

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Say what is wrong with the point, or return NULL; "*compared" counts those that were tried out.
 */
static const char *check_point(struct sator_ctx *ctx, const struct sator_exploration *e,
        const struct explore_part *part, uint64_t index, int *compared)
{
    const struct explore_family *family = &e->families[part->family];
    struct sator_map_options all = {
            .objective = e->map_options.objective, .strategy = SATOR_MAP_EXHAUSTIVE, .limit = 2e5};
    struct sator_map_result *mapping = NULL, *best = NULL;
    struct sator_result *result = NULL;
    const char *rule = NULL, *wrong = NULL;
    struct sator_hush before;

    sator_ctx_hush(ctx, &before);
    enum sator_status found = explore_map(ctx, e, part, index, &rule, &mapping, &result);
    enum sator_status tried = sator_map(ctx, e->network, e->layers[family->layers[index]],
            e->hardware[part->hardware].arch, &all, &best);
    sator_ctx_unhush(ctx, &before);
    if (found != SATOR_OK)
        wrong = "the exploration ends at a point";
    else if (rule != NULL && strcmp(rule, "unconfirmed") == 0)
        wrong = "mapper and model differ";
    else if (tried == SATOR_INFEASIBLE && (rule == NULL || strncmp(rule, "no_", 3) != 0))
        wrong = "a mapping is found where there is none";
    else if (tried == SATOR_OK && rule != NULL)
        wrong = "no mapping is found where there is one";
    else if (tried == SATOR_OK && !close_to(value_of(result, all.objective), best->value))
        wrong = "what is found is not the best";
    *compared += tried == SATOR_OK;
    sator_map_result_free(mapping);
    sator_map_result_free(best);
    sator_result_free(result);
    return wrong;
}

static int64_t pes_of(const struct sator_arch *arch)
{
    int64_t shape[8], pes = 1;
    int n = sator_arch_space_dims(arch);

    sator_arch_shape(arch, shape);
    for (int d = 0; d < n; d++)
        pes *= shape[d];
    return pes;
}

static const char *check(
        struct sator_ctx *ctx, const struct sator_exploration *e, int most_pes, int *compared)
{
    const char *wrong = NULL;

    for (int p = 0; p < e->n_parts && wrong == NULL; p++) {
        const struct explore_part *part = &e->parts[p];
        if (part->unwanted != (pes_of(e->hardware[part->hardware].arch) > most_pes))
            wrong = "a machine is refused that is wanted, or the other way round";
        for (uint64_t i = 0; i < part->points && wrong == NULL && !part->unwanted; i++)
            wrong = check_point(ctx, e, part, i, compared);
    }
    return wrong;
}

/* false: a failure. */
static bool run_case(uint64_t seed, int *compared)
{
    struct random random = {seed};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    struct sator_exploration *exploration = NULL;
    const char *wrong = "an input cannot be read";
    struct test_case c;

    make_case(&random, &c);
    const char *specs[] = {c.specs[0], c.specs[1]}, *varies[] = {c.vary[0], c.vary[1]};
    struct sator_explore_options options = {.space = SATOR_SPACE_MAPPINGS,
            .objective = objectives[c.objective],
            .n_varies = 2,
            .varies = varies,
            .where = c.where};
    if (sator_network_load_all(ctx, 2, specs, NULL, &network) == SATOR_OK &&
            sator_exploration_new(ctx, network, -1, "conventional", NULL, &options, &exploration) ==
                    SATOR_OK)
        wrong = exploration->map_options.objective != map_objectives[c.objective]
                ? "the objective is not the one that was asked for"
                : check(ctx, exploration, atoi(strrchr(c.where, ' ')), compared);
    if (wrong != NULL) {
        char *messages = sator_ctx_take_messages(ctx, false);
        printf("FAILED: %s\n  %s %s, %s, %s, %s, %s\n%s", wrong, c.specs[0], c.specs[1], c.vary[0],
                c.vary[1], c.where, objectives[c.objective], messages == NULL ? "" : messages);
        free(messages);
    }
    sator_exploration_free(exploration);
    sator_network_free(network);
    sator_ctx_free(ctx);
    return wrong == NULL;
}

int main(int argc, char **argv)
{
    struct run_options options;
    int compared = 0;

    if (!run_options(argc, argv, 150, &options))
        return 2;
    for (int64_t i = 0; i < options.n_cases; i++) {
        if (!run_case(run_case_seed(&options, options.first_case + i), &compared)) {
            printf("  again: --seed %" PRIu64 " --case %" PRId64 "\n", options.seed,
                    options.first_case + i);
            return 1;
        }
    }
    printf("%d points compared with all their mappings\n", compared);
    return compared > 0 || options.n_cases < 5 ? 0 : 1;
}
