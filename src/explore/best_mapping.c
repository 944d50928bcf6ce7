/* A point that is a layer on a machine: the best mapping, found and proved by the mapper, and the
 * model's figures for it. */
#include "explore/problem.h"

#include "model/model.h"

#include <math.h>
#include <string.h>

/* The mapper's proof is about its own figures. The model counts them again; whoever is right, a
 * mapping about which the two differ is no result. */
static const double most_difference = 1e-9;

enum sator_status explore_map_options(struct sator_ctx *ctx, struct sator_exploration *exploration)
{
    static const struct {
        const char *field;
        enum sator_map_objective objective;
    } objectives[] = {{"latency_cycles.total", SATOR_MAP_LATENCY},
            {"energy_pj.total", SATOR_MAP_ENERGY}, {"edp", SATOR_MAP_EDP}};
    const struct explore_objective *wanted = &exploration->objectives[0];
    int field = explore_expression_field(wanted->expression);

    exploration->map_options = (struct sator_map_options){.strategy = SATOR_MAP_OPTIMAL,
            .imperfect = exploration->options.imperfect,
            .timing = exploration->options.timing,
            .budget_seconds = exploration->options.budget_seconds};
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives && field >= 0; i++) {
        if (strcmp(explore_fields[field].key, objectives[i].field) != 0)
            continue;
        exploration->map_options.objective = objectives[i].objective;
        return SATOR_OK;
    }
    sator_error(ctx, (struct sator_loc){0}, "a mapping cannot be made for the objective '%s'",
            wanted->text);
    sator_help(ctx, "mappings minimise latency, energy or edp; sator query sorts by anything");
    return SATOR_INPUT;
}

/* ---- the mapping as a dataflow ---- */

static const struct sator_dataflow *dataflow_of(
        struct sator_arena *arena, const struct sator_map_result *mapping)
{
    struct sator_loop_nest *nest = SATOR_NEW(arena, struct sator_loop_nest);
    struct sator_dataflow *dataflow = SATOR_NEW(arena, struct sator_dataflow);

    nest->entries = SATOR_NEW_ARRAY(arena, struct sator_loop_entry, mapping->n_levels + 1);
    for (int i = 0; i < mapping->n_levels; i++) {
        const struct sator_map_level *level = &mapping->levels[i];
        if (level->n_loops == 0 && level->n_bypassed == 0 && level->skew == NULL)
            continue;
        struct sator_loop_entry *entry = &nest->entries[nest->n_entries++];
        *entry = (struct sator_loop_entry){.level = level->name,
                .n_bypass = level->n_bypassed,
                .bypass = level->bypassed,
                .n_skew = level->skew == NULL ? 0 : level->n_dims,
                .skew = level->skew,
                .says_joined = level->n_joined > 0,
                .joined = level->n_joined,
                .n_loops = level->n_loops,
                .loops = SATOR_NEW_ARRAY(arena, struct sator_nest_loop, level->n_loops)};
        for (int k = 0; k < level->n_loops; k++)
            entry->loops[k] = (struct sator_nest_loop){.loop = level->loops[k].name,
                    .extent = level->loops[k].factor,
                    .dim = level->is_array ? level->loops[k].dim : -1};
    }
    *dataflow = (struct sator_dataflow){.arena = arena, .name = "the best mapping", .loops = nest};
    return dataflow;
}

static enum sator_status analyse(struct sator_ctx *ctx, const struct sator_exploration *exploration,
        const struct sator_workload *workload, const struct sator_arch *arch,
        const struct sator_map_result *mapping, struct sator_result **result)
{
    const struct sator_analyze_options options = {
            .engine = exploration->options.engine, .timing = exploration->options.timing};
    struct sator_arena *arena = sator_arena_new();
    const struct sator_bound_dataflow *bound;
    enum sator_status st;

    SATOR_TRY(sator_arch_bind(ctx, arena, arch, dataflow_of(arena, mapping), workload, &bound));
    SATOR_TRY(sator_model_analyze(ctx, workload, arch, bound, &options, result));
done:
    sator_arena_free(arena);
    return st;
}

/* Missing figures are missing on both sides. */
static bool agree(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= most_difference * fmax(fabs(a), fabs(b));
}

/* ---- no mapping ---- */

/* The memory that the mapper's first message is about, if it is about one. */
static const char *obstacle(const struct sator_ctx *ctx, const struct explore_hardware *hardware)
{
    const char *memory = sator_ctx_first_about(ctx);

    for (int i = 0; i < hardware->arch->n_levels && memory != NULL; i++) {
        if (strcmp(hardware->arch->levels[i].name, memory) == 0)
            return hardware->no_room[i];
    }
    return "no_mapping";
}

/* A search that ended without an answer: which rule it is, or the end of the exploration. */
static enum sator_status no_answer(const struct sator_ctx *ctx,
        const struct explore_hardware *hardware, enum sator_status st, const char **rule)
{
    switch (st) {
    case SATOR_INFEASIBLE:
        *rule = obstacle(ctx, hardware);
        return SATOR_OK;
    case SATOR_INPUT:
        *rule = "not_mappable";
        return SATOR_OK;
    case SATOR_LIMIT:
        *rule = "unproved";
        return SATOR_OK;
    case SATOR_OVERFLOW:
        *rule = "overflow";
        return SATOR_OK;
    default:
        return st;
    }
}

/* The same for the model's account of a mapping. */
static enum sator_status no_account(enum sator_status st, const char **rule)
{
    switch (st) {
    case SATOR_INPUT:
        *rule = "unconfirmed";
        return SATOR_OK;
    case SATOR_LIMIT:
        *rule = "work_limit";
        return SATOR_OK;
    case SATOR_OVERFLOW:
        *rule = "overflow";
        return SATOR_OK;
    case SATOR_DECLINED:
        *rule = "declined";
        return SATOR_OK;
    default:
        return st;
    }
}

enum sator_status explore_map(struct sator_ctx *ctx, const struct sator_exploration *exploration,
        const struct explore_part *part, uint64_t index, const char **rule,
        struct sator_map_result **mapping, struct sator_result **result)
{
    const struct explore_family *family = &exploration->families[part->family];
    const struct explore_hardware *hardware = &exploration->hardware[part->hardware];
    int layer = exploration->layers[family->layers[index]];
    struct sator_map_result *found = NULL;
    struct sator_result *account = NULL;
    enum sator_status st;

    *rule = NULL;
    st = sator_map(
            ctx, exploration->network, layer, hardware->arch, &exploration->map_options, &found);
    if (st != SATOR_OK)
        return no_answer(ctx, hardware, st, rule);
    if (found->stopped == SATOR_INTERRUPTED)
        st = SATOR_INTERRUPTED;
    else if (found->unscheduled != NULL)
        *rule = "unscheduled"; /* its time is a lower bound, and does not compare with times */
    else if (!found->proved)
        *rule = "unproved";
    if (st == SATOR_OK && *rule == NULL) {
        st = analyse(ctx, exploration, family->workloads[index], hardware->arch, found, &account);
        if (st != SATOR_OK)
            st = no_account(st, rule);
        else if (!agree(found->energy_pj, account->energy_pj) ||
                !agree(found->total_cycles, account->total_cycles))
            *rule = "unconfirmed";
    }
    if (st == SATOR_OK && *rule == NULL) {
        *mapping = found;
        *result = account;
        return SATOR_OK;
    }
    sator_map_result_free(found);
    sator_result_free(account);
    return st;
}
