/* One point: is it valid, and what does the model say? */
#include "explore/problem.h"

#include "base/checked.h"
#include "count/count.h"
#include "model/model.h"
#include "model/network.h"

#include <stdlib.h>

struct evaluation {
    struct sator_ctx *ctx;
    const struct sator_exploration *exploration;
    const struct explore_part *part;
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct space_point *point;
    const struct sator_order *order; /* that the workload's instances must keep, or NULL */
    struct sator_arena *arena;
    struct sator_workspace *workspace;
    struct sator_bound_dataflow dataflow;
    struct sator_stamping stamping;
};

/* ---- validity ---- */

/* Instances that one PE may run in one stamp; 0: any number. */
static int64_t stamp_limit(const struct sator_arch *arch)
{
    const struct sator_level *compute = sator_arch_compute_level(arch);

    return compute == NULL ? 0 : compute->compute.per_stamp;
}

static int64_t extent(const struct evaluation *e, int loop)
{
    return e->workload->upper[loop] - e->workload->lower[loop];
}

/* Tiled points are inside the array by their making; the sums of a matrix may pass it. */
static bool is_outside(const struct evaluation *e)
{
    for (int d = 0; d < e->part->space->n_dims && e->point->kind == SPACE_MATRIX; d++) {
        int64_t greatest = 0;
        for (int l = 0; l < e->workload->n_loops; l++)
            greatest += (e->point->rows[d] >> l & 1) != 0 ? extent(e, l) - 1 : 0;
        if (greatest >= e->part->space->shape[d])
            return true;
    }
    return false;
}

/* Whether a matrix has fewer stamps than its instances need, "limit" to a stamp: cheaper to see
 * than the most instances that meet, and true of most matrices that are invalid. */
static bool has_too_few_stamps(const struct evaluation *e, int64_t limit)
{
    sator_int stamps = limit, instances = 1;
    bool fits = true;

    for (int row = 0; row < e->workload->n_loops; row++) {
        int64_t values = 1;
        for (int l = 0; l < e->workload->n_loops; l++)
            values += (e->point->rows[row] >> l & 1) != 0 ? extent(e, l) - 1 : 0;
        fits = fits && sator_mul(stamps, values, &stamps);
        fits = fits && sator_mul(instances, extent(e, row), &instances);
    }
    return fits && e->workload->is_box && stamps < instances;
}

/* Whether more instances meet in one stamp than a PE can do. */
static enum sator_status is_overworked(const struct evaluation *e, bool *overworked)
{
    int64_t limit = stamp_limit(e->arch);
    sator_int most = 1;

    *overworked = false;
    if (limit == 0)
        return SATOR_OK;
    if (e->point->kind == SPACE_TILED) { /* all loops but the folded ones tell stamps apart */
        for (int l = 0; l < e->workload->n_loops; l++) {
            if ((e->point->folded >> l & 1) != 0 && !sator_mul(most, extent(e, l), &most))
                return SATOR_OVERFLOW;
        }
        *overworked = most > limit && e->workload->is_box;
        if (e->workload->is_box || most <= limit)
            return SATOR_OK;
    }
    if (e->point->kind == SPACE_MATRIX && has_too_few_stamps(e, limit)) {
        *overworked = true;
        return SATOR_OK;
    }
    struct sator_counter *counter = sator_workspace_counter(
            e->workspace, 0, e->ctx, e->exploration->options.engine, &e->stamping);
    enum sator_status st = sator_count_max_per_stamp(counter, &most, NULL);
    sator_counter_stop(counter);
    *overworked = most > limit;
    return st;
}

/* What the wires and trees of "access" leave of its pairs ((p,t), f), or its pairs (t, f) without
 * "space". */
static enum sator_status count_updates(const struct evaluation *e,
        const struct sator_access *access, bool space, sator_int *updates)
{
    struct sator_stamping stamping = e->stamping;
    struct sator_model_network network = {0};
    struct sator_counter *counter = NULL;
    struct sator_volumes volumes = {0};
    enum sator_status st;
    int n = 0;

    if (space)
        SATOR_TRY(sator_model_network(e->ctx, e->arena, e->arch, 0, stamping.n_space,
                access->tensor, access->role, &network));
    else
        stamping.n_space = 0;
    struct sator_transport transport;
    counter = sator_workspace_counter(
            e->workspace, 0, e->ctx, e->exploration->options.engine, &stamping);
    SATOR_TRY(sator_model_cut(e->ctx, e->arena, counter, access->relation, &network, &transport));
    struct sator_network_link *links =
            SATOR_NEW_ARRAY(e->arena, struct sator_network_link, transport.n_links + 1);
    for (int i = 0; i < transport.n_links; i++) {
        if (transport.links[i].interval == 0)
            links[n++] = transport.links[i];
    }
    transport.registers = false;
    transport.n_links = n;
    transport.links = links;
    SATOR_TRY(sator_count_volumes(counter, access->relation, &transport, &volumes));
    *updates = volumes.unique;
done:
    if (counter != NULL)
        sator_counter_stop(counter);
    return st;
}

/* Whether two PEs update one element in one stamp and nothing adds their updates up on the way. */
static enum sator_status is_unordered(const struct evaluation *e, bool *unordered)
{
    *unordered = false;
    for (int i = 0; i < e->workload->n_accesses && !*unordered; i++) {
        const struct sator_access *access = &e->workload->accesses[i];
        sator_int leaving, elements;
        enum sator_status st = SATOR_OK;
        if (access->role != SATOR_WRITE)
            continue;
        SATOR_TRY(count_updates(e, access, true, &leaving));
        SATOR_TRY(count_updates(e, access, false, &elements));
        *unordered = leaving != elements;
    done:
        if (st != SATOR_OK)
            return st;
    }
    return SATOR_OK;
}

/* Whether the point runs instances in an order that the nest does not allow. */
static enum sator_status is_out_of_order(const struct evaluation *e, bool *out_of_order)
{
    const struct sator_disorder *disorder = NULL;
    enum sator_status st = SATOR_OK;

    sator_work_begin(e->ctx);
    if (e->order != NULL)
        st = sator_order_check(e->ctx, e->arena, e->order, e->dataflow.time, &disorder);
    *out_of_order = disorder != NULL;
    return st;
}

static enum sator_status find_fault(const struct evaluation *e, const char **rule)
{
    bool fault = false;
    enum sator_status st;

    if (is_outside(e)) {
        *rule = "outside_array";
        return SATOR_OK;
    }
    SATOR_TRY(is_out_of_order(e, &fault));
    if (fault) {
        *rule = "dependence";
        return SATOR_OK;
    }
    SATOR_TRY(is_overworked(e, &fault));
    if (fault) {
        *rule = "work_per_stamp";
        return SATOR_OK;
    }
    if (e->exploration->options.ordered)
        SATOR_TRY(is_unordered(e, &fault));
    if (fault)
        *rule = "unordered_updates";
done:
    return st;
}

/* ---- evaluation ---- */

/* A question that could not be answered is a rule of its own, not the end of the exploration. */
static enum sator_status unanswered(enum sator_status st, const char **rule)
{
    if (st != SATOR_LIMIT && st != SATOR_OVERFLOW && st != SATOR_DECLINED)
        return st;
    *rule = st == SATOR_LIMIT ? "work_limit" : st == SATOR_OVERFLOW ? "overflow" : "declined";
    return SATOR_OK;
}

struct explore_evaluator {
    const struct sator_exploration *exploration;
    const struct explore_part *part;
    struct sator_arena *arena; /* the models */
    const struct sator_model **models; /* one a layer of the family, made when it is first needed */
    const sator_int **footprints;
    struct sator_arena *scratch; /* of the latest point, its result too */
    struct sator_workspace *workspace;
};

struct explore_evaluator *explore_evaluator_new(
        const struct sator_exploration *exploration, const struct explore_part *part)
{
    struct explore_evaluator *evaluator = sator_alloc(sizeof *evaluator);
    struct sator_arena *arena = sator_arena_new();
    int n_layers = exploration->families[part->family].n_layers;

    *evaluator = (struct explore_evaluator){.exploration = exploration,
            .part = part,
            .arena = arena,
            .models = SATOR_NEW_ARRAY(arena, const struct sator_model *, n_layers),
            .footprints = SATOR_NEW_ARRAY(arena, const sator_int *, n_layers),
            .scratch = sator_arena_new(),
            .workspace = sator_workspace_own()};
    return evaluator;
}

void explore_evaluator_free(struct explore_evaluator *evaluator)
{
    if (evaluator == NULL)
        return;
    sator_workspace_free(evaluator->workspace);
    sator_arena_free(evaluator->scratch);
    sator_arena_free(evaluator->arena);
    free(evaluator);
}

static enum sator_status find_model(struct evaluation *e, struct explore_evaluator *evaluator,
        int layer, const struct sator_model **model)
{
    enum sator_status st = SATOR_OK;

    if (evaluator->models[layer] == NULL) {
        SATOR_TRY(sator_model_new(e->ctx, evaluator->arena, e->workload, e->arch, SATOR_MODEL_SATOR,
                &evaluator->models[layer]));
        evaluator->footprints[layer] = sator_model_footprints(e->ctx, e->workspace, e->workload,
                e->exploration->options.engine, evaluator->arena);
    }
    *model = evaluator->models[layer];
done:
    return st;
}

/* The model's answer, in "arena"; none, and a rule, where a tile fits no memory. */
static enum sator_status ask_model(struct evaluation *e, struct explore_evaluator *evaluator,
        int layer, struct sator_arena *arena, const char **rule, struct sator_result **result)
{
    const struct sator_analyze_options options = {
            .engine = e->exploration->options.engine, .timing = e->exploration->options.timing};
    bool overflows = false;
    struct sator_model_question question = {.workload = e->workload,
            .dataflow = &e->dataflow,
            .options = &options,
            .overflows = &overflows,
            .in_order = true};
    const struct sator_model *model;
    enum sator_status st;

    SATOR_TRY(find_model(e, evaluator, layer, &model));
    question.footprints = evaluator->footprints[layer];
    sator_model_describe(arena, &question);
    SATOR_TRY(sator_model_evaluate(e->ctx, model, e->workspace, &question, arena, result));
done:
    if (overflows) {
        *rule = "capacity";
        return SATOR_OK;
    }
    return st;
}

/* The result is in "arena", which may be the evaluator's scratch. */
static enum sator_status evaluate(struct sator_ctx *ctx, struct explore_evaluator *evaluator,
        uint64_t index, int layer, struct sator_arena *arena, const char **rule,
        struct sator_result **result)
{
    const struct sator_exploration *exploration = evaluator->exploration;
    const struct explore_part *part = evaluator->part;
    struct space_point point;
    struct evaluation e = {.ctx = ctx,
            .exploration = exploration,
            .part = part,
            .workload = exploration->families[part->family].workloads[layer],
            .arch = exploration->hardware[part->hardware].arch,
            .point = &point,
            .order = part->space->orders[layer],
            .arena = evaluator->scratch,
            .workspace = evaluator->workspace};
    enum sator_status st;

    *rule = NULL;
    sator_arena_clear(evaluator->scratch);
    sator_space_point(part->space, index, &point);
    sator_space_maps(part->space, &point, layer, e.arena, &e.dataflow.space, &e.dataflow.time);
    e.dataflow.name = sator_arena_printf(e.arena, "point %llu", (unsigned long long)index);
    e.stamping = (struct sator_stamping){.domain = e.workload->domain,
            .space = e.dataflow.space,
            .time = e.dataflow.time,
            .n_space = e.dataflow.space->n_out,
            .n_time = e.dataflow.time->n_out,
            .shape = part->space->shape};
    SATOR_TRY(find_fault(&e, rule));
    if (*rule == NULL)
        SATOR_TRY(ask_model(&e, evaluator, layer, arena, rule, result));
    if (*rule == NULL && (*result)->unscheduled != NULL)
        *rule = "unscheduled"; /* a lower bound is no result among times */
done:
    if (st == SATOR_INPUT)
        sator_help(ctx, "this is about point %llu of layer '%s'", (unsigned long long)index,
                e.workload->name);
    return unanswered(st, rule);
}

enum sator_status explore_evaluate_next(struct sator_ctx *ctx, struct explore_evaluator *evaluator,
        uint64_t index, int layer, const char **rule, const struct sator_result **result)
{
    struct sator_result *made = NULL;
    enum sator_status st = evaluate(ctx, evaluator, index, layer, evaluator->scratch, rule, &made);

    if (st == SATOR_OK && *rule == NULL)
        *result = made;
    return st;
}

enum sator_status explore_evaluate(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, const struct explore_part *part,
        uint64_t index, int layer, const char **rule, struct sator_result **result)
{
    struct explore_evaluator *evaluator = explore_evaluator_new(exploration, part);
    struct sator_result *made = NULL;
    enum sator_status st = evaluate(ctx, evaluator, index, layer, evaluator->arena, rule, &made);

    if (made != NULL) { /* it takes the models along, whose names it uses */
        made->arena = evaluator->arena;
        evaluator->arena = NULL;
        *result = made;
    }
    explore_evaluator_free(evaluator);
    return st;
}
