/* Branch and bound over boxes of the iteration domain. A box is left out when interval arithmetic
 * shows that none of its stamps is wanted, else it is halved along a loop that the undecided time
 * coordinate depends on. The first coordinates decide first, as stamps are ordered
 * lexicographically, so a window of a tiled nest is reached in a few steps.
 */
#include "model/provenance/visit.h"

#include "base/context.h"
#include "relation/explicit.h"

#include <stdlib.h>
#include <string.h>

int visit_compare(const int64_t *a, const int64_t *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

/* ---- what holds on a box ---- */

enum truth {
    NEVER,
    SOMEWHERE,
    EVERYWHERE
};

static enum truth compare_over(
        const struct sator_cond *cond, const int64_t *lower, const int64_t *upper)
{
    int64_t least, greatest;

    if (!sator_expr_range(cond->expr, lower, upper, &least, &greatest))
        return SOMEWHERE;
    if (cond->op == SATOR_COND_AT_LEAST)
        return least >= 0 ? EVERYWHERE : greatest < 0 ? NEVER : SOMEWHERE;
    bool apart = least > 0 || greatest < 0, zero = least == 0 && greatest == 0;
    if (cond->op == SATOR_COND_NOT_EQUAL)
        return apart ? EVERYWHERE : zero ? NEVER : SOMEWHERE;
    return zero ? EVERYWHERE : apart ? NEVER : SOMEWHERE;
}

static enum truth cond_over(
        const struct sator_cond *cond, const int64_t *lower, const int64_t *upper)
{
    bool is_or = cond->op == SATOR_COND_OR;
    enum truth all = is_or ? NEVER : EVERYWHERE;

    switch (cond->op) {
    case SATOR_COND_TRUE:
        return EVERYWHERE;
    case SATOR_COND_NOT:
        return (enum truth)(EVERYWHERE - cond_over(cond->kids[0], lower, upper));
    case SATOR_COND_AND:
    case SATOR_COND_OR:
        for (int i = 0; i < cond->n_kids; i++) {
            enum truth kid = cond_over(cond->kids[i], lower, upper);
            all = (is_or ? kid > all : kid < all) ? kid : all;
        }
        return all;
    case SATOR_COND_EXISTS:
        return SOMEWHERE; /* visit_open lets none through */
    default:
        return compare_over(cond, lower, upper);
    }
}

static enum truth inside_over(
        const struct sator_relation *set, const int64_t *lower, const int64_t *upper)
{
    enum truth any = NEVER;

    for (int i = 0; i < set->n_pieces && any != EVERYWHERE; i++) {
        enum truth one = cond_over(set->pieces[i].cond, lower, upper);
        any = one > any ? one : any;
    }
    return any;
}

/* Bounds of the first "n" outputs on the box, over the pieces that hold somewhere. */
static void tuple_over(const struct sator_relation *relation, int n, const int64_t *lower,
        const int64_t *upper, int64_t *first, int64_t *last)
{
    bool any = false;

    for (int i = 0; i < n; i++) {
        first[i] = INT64_MIN;
        last[i] = INT64_MAX;
    }
    for (int p = 0; p < relation->n_pieces; p++) {
        const struct sator_piece *piece = &relation->pieces[p];
        if (relation->n_pieces > 1 && cond_over(piece->cond, lower, upper) == NEVER)
            continue;
        for (int i = 0; i < n; i++) {
            int64_t least, greatest;
            if (!sator_expr_range(piece->out[i], lower, upper, &least, &greatest)) {
                least = INT64_MIN;
                greatest = INT64_MAX;
            }
            first[i] = any && first[i] < least ? first[i] : least;
            last[i] = any && last[i] > greatest ? last[i] : greatest;
        }
        any = true;
    }
}

bool visit_image(
        const struct sator_relation *relation, const int64_t *point, int64_t *out, int *piece)
{
    for (int p = piece == NULL ? 0 : *piece; p < relation->n_pieces; p++) {
        bool holds = false;
        if (!sator_cond_holds(relation->pieces[p].cond, point, &holds) || !holds)
            continue;
        for (int i = 0; i < relation->n_out && holds; i++)
            holds = sator_expr_value(relation->pieces[p].out[i], point, &out[i]);
        if (!holds)
            continue;
        if (piece != NULL)
            *piece = p + 1;
        return true;
    }
    return false;
}

/* ---- opening ---- */

/* "workload" with relations that can be looked up point by point. */
static enum sator_status make_explicit(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_workload **result)
{
    struct sator_workload *made = sator_arena_copy(arena, workload, sizeof *workload);
    struct sator_access *accesses = sator_arena_copy(
            arena, workload->accesses, sizeof *accesses * (size_t)workload->n_accesses);
    enum sator_status st = sator_relation_explicit(ctx, arena, workload->domain, &made->domain);

    for (int a = 0; a < workload->n_accesses && st == SATOR_OK; a++)
        st = sator_relation_explicit(
                ctx, arena, workload->accesses[a].relation, &accesses[a].relation);
    made->accesses = accesses;
    *result = made;
    return st;
}

enum sator_status visit_open(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_bound_dataflow *dataflow,
        struct visit *visit)
{
    int n_loops = workload->n_loops, n_time = dataflow->time->n_out;
    const struct sator_relation *space, *time;
    enum sator_status st = make_explicit(ctx, arena, workload, &workload);

    if (st == SATOR_OK)
        st = sator_relation_explicit(ctx, arena, dataflow->space, &space);
    if (st == SATOR_OK)
        st = sator_relation_explicit(ctx, arena, dataflow->time, &time);
    if (st == SATOR_DECLINED) {
        sator_error(ctx, dataflow->time_loc,
                "stamps cannot be visited one by one: a map by hidden variables gives an instance "
                "several values");
        sator_help(ctx, "give domain, accesses, space and time as expressions of the loops");
    }
    if (st != SATOR_OK)
        return st;
    *visit = (struct visit){.ctx = ctx,
            .workload = workload,
            .space = space,
            .time = time,
            .n_time = n_time,
            .lower = SATOR_NEW_ARRAY(arena, int64_t, n_loops + 1),
            .upper = SATOR_NEW_ARRAY(arena, int64_t, n_loops + 1),
            .first = SATOR_NEW_ARRAY(arena, int64_t, n_time + 1),
            .last = SATOR_NEW_ARRAY(arena, int64_t, n_time + 1)};
    for (int l = 0; l < n_loops; l++) {
        visit->lower[l] = workload->lower[l];
        visit->upper[l] = workload->upper[l] - 1;
    }
    return SATOR_OK;
}

/* ---- branching ---- */

/* Whether output "i" of the relation depends on loop "loop". */
static bool depends(const struct sator_relation *relation, int i, int loop)
{
    if (relation->n_pieces > 1)
        return true;
    return sator_expr_has_var(relation->pieces[0].out[i], loop);
}

static int64_t width(const struct visit *visit, int loop)
{
    return visit->upper[loop] - visit->lower[loop];
}

/* The loop to halve: the widest of those that the first undecided of "n" outputs depends on, or of
 * all; -1 for a box of one point. */
static int branch_loop(const struct visit *visit, const struct sator_relation *relation, int n,
        const int64_t *first, const int64_t *last)
{
    int widest = -1, undecided = 0;

    while (undecided < n && first[undecided] == last[undecided])
        undecided++;
    for (int pass = undecided < n ? 0 : 1; pass < 2 && widest < 0; pass++) {
        for (int l = 0; l < visit->workload->n_loops; l++) {
            if (width(visit, l) > 0 && (widest < 0 || width(visit, l) > width(visit, widest)) &&
                    (pass == 1 || depends(relation, undecided, l)))
                widest = l;
        }
    }
    return widest;
}

/* ---- the nearest stamp ---- */

struct nearest {
    const struct visit *visit;
    int n;
    const int64_t *from;
    bool backward, found, exact; /* exact: nothing nearer can exist */
    int64_t *best;
    int64_t *at;
};

/* Whether a box whose stamps lie between "first" and "last" may have a nearer one. */
static bool may_be_nearer(const struct nearest *search, const int64_t *first, const int64_t *last)
{
    int n = search->n;

    if (search->backward)
        return visit_compare(first, search->from, n) <= 0 &&
                (!search->found || visit_compare(last, search->best, n) > 0);
    return visit_compare(last, search->from, n) >= 0 &&
            (!search->found || visit_compare(first, search->best, n) < 0);
}

static void take_nearer(struct nearest *search, const int64_t *stamp)
{
    size_t size = sizeof *stamp * (size_t)search->n;

    if (!may_be_nearer(search, stamp, stamp))
        return;
    memcpy(search->best, stamp, size);
    search->found = true;
    search->exact = visit_compare(search->best, search->from, search->n) == 0;
}

static enum sator_status search_nearest(struct nearest *search)
{
    const struct visit *visit = search->visit;
    const struct sator_workload *workload = visit->workload;
    int64_t *first = visit->first, *last = visit->last;
    enum sator_status st = sator_work(visit->ctx, 1);

    if (st != SATOR_OK || search->exact)
        return st;
    enum truth inside = inside_over(workload->domain, visit->lower, visit->upper);
    if (inside == NEVER)
        return SATOR_OK;
    tuple_over(visit->time, search->n, visit->lower, visit->upper, first, last);
    if (!may_be_nearer(search, first, last))
        return SATOR_OK;
    if (inside == EVERYWHERE && visit_compare(first, last, search->n) == 0) {
        take_nearer(search, first);
        return SATOR_OK;
    }
    int loop = branch_loop(visit, visit->time, search->n, first, last);
    if (loop < 0)
        return SATOR_OK; /* a point outside */
    int64_t lower = visit->lower[loop], upper = visit->upper[loop];
    int64_t middle = lower + (upper - lower) / 2;
    for (int half = 0; half < 2 && st == SATOR_OK; half++) {
        bool low = (half == 0) != search->backward;
        visit->lower[loop] = low ? lower : middle + 1;
        visit->upper[loop] = low ? middle : upper;
        st = search_nearest(search);
    }
    visit->lower[loop] = lower;
    visit->upper[loop] = upper;
    return st;
}

enum sator_status visit_nearest(const struct visit *visit, int n, const int64_t *from,
        bool backward, int64_t *stamp, bool *found)
{
    struct nearest search = {
            .visit = visit, .n = n, .from = from, .backward = backward, .best = stamp};
    enum sator_status st = search_nearest(&search);

    *found = search.found;
    return st;
}

/* ---- a window ---- */

struct window {
    const struct visit *visit;
    const int64_t *from, *to;
    enum sator_status (*each)(void *user, const int64_t *instance, const int64_t *time);
    void *user;
    int n_demands;
    const struct visit_demand *demands;
    bool met; /* demands: an instance was found */
};

/* Whether some piece of the demand's relation may give its value on the box. */
static bool may_meet(const struct visit *visit, const struct visit_demand *demand)
{
    for (int p = 0; p < demand->relation->n_pieces; p++) {
        const struct sator_piece *piece = &demand->relation->pieces[p];
        bool may = cond_over(piece->cond, visit->lower, visit->upper) != NEVER;
        for (int i = 0; i < demand->n && may; i++) {
            int64_t least, greatest;
            may = !sator_expr_range(piece->out[i], visit->lower, visit->upper, &least, &greatest) ||
                    (least <= demand->value[i] && demand->value[i] <= greatest);
        }
        if (may)
            return true;
    }
    return false;
}

/* All points of the box, of which every one is wanted. */
static enum sator_status visit_box(const struct window *window)
{
    const struct visit *visit = window->visit;
    int n_loops = visit->workload->n_loops, l;
    int64_t *point = visit->lower, *low = sator_alloc(sizeof *low * (size_t)(n_loops + 1));
    enum sator_status st = SATOR_OK;

    memcpy(low, visit->lower, sizeof *low * (size_t)n_loops);
    do {
        st = sator_work(visit->ctx, 1);
        if (st == SATOR_OK && visit_image(visit->time, point, visit->first, NULL))
            st = window->each(window->user, point, visit->first);
        for (l = n_loops - 1; l >= 0 && ++point[l] > visit->upper[l]; l--)
            point[l] = low[l];
    } while (l >= 0 && st == SATOR_OK);
    memcpy(visit->lower, low, sizeof *low * (size_t)n_loops);
    free(low);
    return st;
}

static enum sator_status search_window(struct window *window)
{
    const struct visit *visit = window->visit;
    int64_t *first = visit->first, *last = visit->last;
    enum sator_status st = sator_work(visit->ctx, 1);

    if (st != SATOR_OK || window->met)
        return st;
    enum truth inside = inside_over(visit->workload->domain, visit->lower, visit->upper);
    if (inside == NEVER)
        return SATOR_OK;
    for (int d = 0; d < window->n_demands; d++) {
        if (!may_meet(visit, &window->demands[d]))
            return SATOR_OK;
    }
    tuple_over(visit->time, visit->n_time, visit->lower, visit->upper, first, last);
    if (visit_compare(last, window->from, visit->n_time) < 0 ||
            visit_compare(first, window->to, visit->n_time) > 0)
        return SATOR_OK;
    bool whole = inside == EVERYWHERE && visit_compare(first, window->from, visit->n_time) >= 0 &&
            visit_compare(last, window->to, visit->n_time) <= 0;
    if (whole && window->each != NULL)
        return visit_box(window);
    int loop = branch_loop(visit, visit->time, visit->n_time, first, last);
    if (loop < 0) {
        window->met = whole && window->each == NULL;
        return SATOR_OK;
    }
    int64_t lower = visit->lower[loop], upper = visit->upper[loop];
    int64_t middle = lower + (upper - lower) / 2;
    for (int half = 0; half < 2 && st == SATOR_OK; half++) {
        visit->lower[loop] = half == 0 ? lower : middle + 1;
        visit->upper[loop] = half == 0 ? middle : upper;
        st = search_window(window);
    }
    visit->lower[loop] = lower;
    visit->upper[loop] = upper;
    return st;
}

enum sator_status visit_between(const struct visit *visit, const int64_t *from, const int64_t *to,
        enum sator_status (*each)(void *user, const int64_t *instance, const int64_t *time),
        void *user)
{
    struct window window = {.visit = visit, .from = from, .to = to, .each = each, .user = user};

    return search_window(&window);
}

enum sator_status visit_any(const struct visit *visit, const int64_t *from, const int64_t *to,
        int n_demands, const struct visit_demand *demands, bool *any)
{
    struct window window = {
            .visit = visit, .from = from, .to = to, .n_demands = n_demands, .demands = demands};
    enum sator_status st = search_window(&window);

    *any = window.met;
    return st;
}
