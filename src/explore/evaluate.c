/* One point: is it valid, and what does the model say? The only place that calls the model. */
#include "explore/problem.h"

#include "base/checked.h"
#include "count/count.h"
#include "model/model.h"
#include "model/network.h"

struct evaluation {
    struct sator_ctx *ctx;
    const struct sator_exploration *exploration;
    const struct explore_part *part;
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct space_point *point;
    struct sator_arena *arena;
    struct sator_bound_dataflow dataflow;
    struct sator_stamping stamping;
};

/* ---- validity ---- */

/* Instances that one PE may run in one stamp; 0: any number. */
static int64_t stamp_limit(const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_COMPUTE)
            return arch->levels[i].compute.per_stamp;
    }
    return 0;
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
    struct sator_counter *counter;
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
    enum sator_status st =
            sator_counter_new(e->ctx, e->exploration->options.engine, &e->stamping, &counter);
    if (st != SATOR_OK)
        return st;
    st = sator_count_max_per_stamp(counter, &most, NULL);
    sator_counter_free(counter);
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
    struct sator_transport transport = network.transport;
    struct sator_network_link *links =
            SATOR_NEW_ARRAY(e->arena, struct sator_network_link, transport.n_links + 1);
    for (int i = 0; i < transport.n_links; i++) {
        if (transport.links[i].interval == 0)
            links[n++] = transport.links[i];
    }
    transport.registers = false;
    transport.n_links = n;
    transport.links = links;
    SATOR_TRY(sator_counter_new(e->ctx, e->exploration->options.engine, &stamping, &counter));
    SATOR_TRY(sator_count_volumes(counter, access->relation, &transport, &volumes));
    *updates = volumes.unique;
done:
    sator_counter_free(counter);
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

static enum sator_status find_fault(const struct evaluation *e, const char **rule)
{
    const struct explore_family *family = &e->exploration->families[e->part->family];
    bool fault = false;
    enum sator_status st;

    if (is_outside(e)) {
        *rule = "outside_array";
        return SATOR_OK;
    }
    for (int i = 0; i < family->n_dependences; i++) {
        if (!explore_dependence_kept(e->part->space, e->point, &family->dependences[i])) {
            *rule = "dependence";
            return SATOR_OK;
        }
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

enum sator_status explore_evaluate(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, const struct explore_part *part,
        uint64_t index, int layer, const char **rule, struct sator_result **result)
{
    const struct explore_family *family = &exploration->families[part->family];
    const struct sator_analyze_options analyze = {.engine = exploration->options.engine};
    struct space_point point;
    struct evaluation e = {.ctx = ctx,
            .exploration = exploration,
            .part = part,
            .workload = family->workloads[layer],
            .arch = exploration->hardware[part->hardware].arch,
            .point = &point,
            .arena = sator_arena_new()};
    enum sator_status st;

    *rule = NULL;
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
        SATOR_TRY(sator_model_analyze(ctx, e.workload, e.arch, &e.dataflow, &analyze, result));
done:
    sator_arena_free(e.arena);
    if (st == SATOR_INPUT)
        sator_help(ctx, "this is about point %llu of layer '%s'", (unsigned long long)index,
                family->workloads[layer]->name);
    return unanswered(st, rule);
}
