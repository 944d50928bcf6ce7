/* Orders at constant distances, under time-stamps whose every atom moves with one loop: digits,
 * tiles, and sums of them.
 *
 * What a step by "distance" adds to the stamp is then a sum of one vector a loop, and in a box the
 * loops choose theirs independently. The vectors of one loop repeat with the atoms' common period,
 * so that one period shows them all: a digit changes in one of two ways, with or without a carry.
 */
#include "base/checked.h"
#include "base/room.h"
#include "model/order.h"

enum {
    LONGEST_PERIOD = 1 << 12,
    MOST_SUMS = SATOR_ROOM(1 << 14, 4)
};

/* The changes of the stamp that one loop's step may make. */
struct loop_changes {
    int loop;
    int n;
    struct change {
        int64_t from; /* the loop's value at the earlier instance */
        const int64_t *by; /* of n_time */
    } * changes;
};

struct shift {
    struct sator_arena *arena;
    const struct sator_workload *workload;
    const struct sator_piece *time;
    int n_time;
    const int64_t *distance;
    bool strictly;
    int n_loops; /* that the distance moves */
    struct loop_changes *loops;
    int64_t *earlier;
    int n_sums;
};

static int64_t common_multiple(int64_t a, int64_t b)
{
    sator_int multiple = (sator_int)a / sator_gcd(a, b) * b;

    return multiple > LONGEST_PERIOD ? LONGEST_PERIOD + 1 : (int64_t)multiple;
}

/* The loop that moves "expr" and after how many steps it has moved by a constant more: false when
 * several loops do. "*loop" is -1 before the first one. */
static bool find_period(const struct sator_expr *expr, int *loop, int64_t *period)
{
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        if (term->atom == SATOR_ATOM_VAR) {
            if (*loop >= 0 && *loop != term->var)
                return false;
            *loop = term->var;
            continue;
        }
        int64_t inner = 1;
        if (!find_period(term->argument, loop, &inner))
            return false;
        sator_int own = (sator_int)inner * term->divisor;
        *period =
                common_multiple(*period, own > LONGEST_PERIOD ? LONGEST_PERIOD + 1 : (int64_t)own);
    }
    return true;
}

/* The common periods of all atoms, by loop (1 where there are none); false when an atom moves with
 * several. */
static bool find_periods(const struct shift *s, int64_t *periods)
{
    for (int d = 0; d < s->n_time; d++) {
        const struct sator_expr *expr = s->time->out[d];
        for (int i = 0; i < expr->n_terms; i++) {
            struct sator_expr term = {.n_terms = 1, .terms = &expr->terms[i]};
            int64_t period = 1;
            int loop = -1;
            if (!find_period(&term, &loop, &period))
                return false;
            if (loop >= 0)
                periods[loop] = common_multiple(periods[loop], period);
        }
    }
    return true;
}

static bool is_known(const struct shift *s, const struct loop_changes *loop, const int64_t *by)
{
    for (int c = 0; c < loop->n; c++) {
        bool same = true;
        for (int d = 0; d < s->n_time; d++)
            same = same && loop->changes[c].by[d] == by[d];
        if (same)
            return true;
    }
    return false;
}

/* All changes that loop "l" may make; false when there are too many values to look at, or a number
 * does not fit. */
static bool list_changes(const struct shift *s, int l, int64_t period, struct loop_changes *loop)
{
    const struct sator_workload *w = s->workload;
    int64_t step = s->distance[l], reach = step < 0 ? -step : step;
    int64_t first = w->lower[l] + (step < 0 ? reach : 0);
    int64_t n_values = w->upper[l] - w->lower[l] - reach;
    int64_t *at = SATOR_NEW_ARRAY(s->arena, int64_t, w->n_loops + 1);
    int64_t *by = NULL;

    n_values = period < n_values ? period : n_values;
    *loop = (struct loop_changes){.loop = l};
    if (n_values > LONGEST_PERIOD)
        return false;
    for (int64_t from = first; from < first + n_values; from++) {
        if (by == NULL)
            by = SATOR_NEW_ARRAY(s->arena, int64_t, s->n_time + 1);
        for (int d = 0; d < s->n_time; d++) {
            int64_t before, after;
            at[l] = from;
            bool fits = sator_expr_value(s->time->out[d], at, &before);
            at[l] = from + step;
            fits = fits && sator_expr_value(s->time->out[d], at, &after);
            if (!fits || __builtin_sub_overflow(after, before, &by[d]))
                return false;
        }
        if (is_known(s, loop, by))
            continue;
        SATOR_PUSH(s->arena, loop->changes, loop->n, (struct change){from, by});
        by = NULL;
    }
    return true;
}

static enum order_answer judge(const struct shift *s, const int64_t *sum)
{
    for (int d = 0; d < s->n_time; d++) {
        if (sum[d] != 0)
            return sum[d] > 0 ? ORDER_KEPT : ORDER_BROKEN;
    }
    return s->strictly ? ORDER_BROKEN : ORDER_KEPT;
}

/* Every choice of a change for each of the loops from "next" on, added to "sum". */
static enum order_answer try_all(struct shift *s, int next, const int64_t *sum)
{
    if (next == s->n_loops)
        return ++s->n_sums > MOST_SUMS ? ORDER_UNKNOWN : judge(s, sum);
    const struct loop_changes *loop = &s->loops[next];
    int64_t *longer = SATOR_NEW_ARRAY(s->arena, int64_t, s->n_time + 1);
    for (int c = 0; c < loop->n; c++) {
        for (int d = 0; d < s->n_time; d++) {
            if (__builtin_add_overflow(sum[d], loop->changes[c].by[d], &longer[d]))
                return ORDER_UNKNOWN;
        }
        s->earlier[loop->loop] = loop->changes[c].from;
        enum order_answer answer = try_all(s, next + 1, longer);
        if (answer != ORDER_KEPT)
            return answer;
    }
    return ORDER_KEPT;
}

enum order_answer order_after_shift(struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_relation *time,
        const int64_t *distance, bool strictly, int64_t *earlier)
{
    int n_loops = workload->n_loops;
    struct shift s = {.arena = arena,
            .workload = workload,
            .time = sator_relation_function(time),
            .n_time = time->n_out,
            .distance = distance,
            .strictly = strictly,
            .loops = SATOR_NEW_ARRAY(arena, struct loop_changes, n_loops + 1),
            .earlier = earlier};
    int64_t *periods = SATOR_NEW_ARRAY(arena, int64_t, n_loops + 1);

    for (int l = 0; l < n_loops; l++) {
        periods[l] = 1;
        earlier[l] = workload->lower[l];
    }
    if (s.time == NULL || !find_periods(&s, periods))
        return ORDER_UNKNOWN;
    for (int l = 0; l < n_loops; l++) {
        if (distance[l] != 0 && !list_changes(&s, l, periods[l], &s.loops[s.n_loops++]))
            return ORDER_UNKNOWN;
    }
    return try_all(&s, 0, SATOR_NEW_ARRAY(arena, int64_t, s.n_time + 1));
}
