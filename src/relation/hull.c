/* Bounds of a domain that is not given as a box, and what no domain may be: empty or unbounded. */
#include "relation/bridge.h"
#include "relation/workload.h"

#include <isl/ilp.h>
#include <isl/val.h>

/* Bounds stay where sums and differences of a few of them cannot leave 64 bits. */
static const int64_t most_bound = INT64_C(1) << 41;

enum side {
    SIDE_LOWER,
    SIDE_UPPER
};

static enum sator_status fail(
        struct sator_ctx *ctx, const struct sator_workload *w, int loop, const char *what)
{
    struct sator_loc loc = w->domain->loc.source != NULL ? w->domain->loc : w->loc;

    if (loop < 0)
        return sator_error(ctx, loc, "the domain is empty: no instance satisfies its conditions");
    return sator_error(ctx, loc, "loop '%s' %s", w->loop_names[loop], what);
}

/* The least or greatest value of a dimension. */
static enum sator_status bound_of(struct sator_ctx *ctx, const struct sator_workload *w,
        isl_set *set, int loop, enum side side, int64_t *bound)
{
    enum sator_status st = SATOR_OK;
    isl_val *value = side == SIDE_LOWER ? isl_set_dim_min_val(isl_set_copy(set), loop)
                                        : isl_set_dim_max_val(isl_set_copy(set), loop);

    if (value == NULL) {
        st = sator_bridge_status(ctx);
    } else if (!isl_val_is_int(value)) {
        st = fail(ctx, w, loop, side == SIDE_LOWER ? "has no lower bound" : "has no upper bound");
    } else if (isl_val_cmp_si(value, (long)most_bound) > 0 ||
            isl_val_cmp_si(value, -(long)most_bound) < 0) {
        st = fail(ctx, w, loop, "leaves the range that is supported, -2^41 to 2^41");
    } else {
        *bound = isl_val_get_num_si(value) + (side == SIDE_UPPER);
    }
    isl_val_free(value);
    return st;
}

/* Any domain: ask isl. */
static enum sator_status ask(
        struct sator_ctx *ctx, const struct sator_workload *w, int64_t *lower, int64_t *upper)
{
    enum sator_status st;
    isl_set *set = NULL;

    SATOR_TRY(sator_bridge_begin(ctx));
    set = sator_bridge_set(ctx, w->domain);
    isl_bool empty = isl_set_is_empty(set);
    if (empty < 0) {
        st = sator_bridge_status(ctx);
        goto done;
    }
    if (empty) {
        st = fail(ctx, w, -1, NULL);
        goto done;
    }
    for (int i = 0; i < w->n_loops; i++) {
        SATOR_TRY(bound_of(ctx, w, set, i, SIDE_LOWER, &lower[i]));
        SATOR_TRY(bound_of(ctx, w, set, i, SIDE_UPPER, &upper[i]));
    }
done:
    isl_set_free(set);
    sator_bridge_check(ctx);
    return st;
}

enum sator_status sator_workload_find_bounds(
        struct sator_ctx *ctx, struct sator_arena *arena, struct sator_workload *workload)
{
    int64_t *lower = SATOR_NEW_ARRAY(arena, int64_t, workload->n_loops + 1);
    int64_t *upper = SATOR_NEW_ARRAY(arena, int64_t, workload->n_loops + 1);
    enum sator_status st = SATOR_OK;

    workload->is_box = sator_set_is_box(workload->domain, lower, upper);
    if (!workload->is_box)
        SATOR_TRY(ask(ctx, workload, lower, upper));
    for (int i = 0; i < workload->n_loops && workload->is_box; i++) {
        if (upper[i] <= lower[i])
            return fail(ctx, workload, -1, NULL);
        if (lower[i] < -most_bound || upper[i] > most_bound)
            return fail(ctx, workload, i, "leaves the range that is supported, -2^41 to 2^41");
    }
    workload->lower = lower;
    workload->upper = upper;
done:
    return st;
}
