/* Nests of digits: how many instances a PE runs in a stamp, and what its own memory serves for
 * them.
 */
#include "model/timing_nest.h"

/* How many values a loop's digits within a stamp make, up to "rest". */
static int64_t count_within(const struct nest *nest, int loop, int64_t rest)
{
    int64_t above = INT64_MAX, count = 0, within = 1;

    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        within *= digit->loop == loop && !digit->is_space && digit->order < 0 && digit->run == 0 &&
                        !digit->is_inner
                ? digit->extent
                : 1;
    }
    for (;;) { /* from the coarsest on: those below its greatest value are all there */
        const struct nest_digit *next = NULL;
        for (int i = 0; i < nest->n_digits; i++) {
            const struct nest_digit *digit = &nest->digits[i];
            if (digit->loop == loop && !digit->is_space && digit->order < 0 && digit->run == 0 &&
                    !digit->is_inner && digit->stride < above &&
                    (next == NULL || digit->stride > next->stride))
                next = digit;
        }
        if (next == NULL)
            return count + 1;
        within /= next->extent;
        int64_t most = rest / next->stride;
        if (most >= next->extent)
            most = next->extent - 1;
        count += most * within;
        rest -= most * next->stride;
        above = next->stride;
    }
}

int64_t nest_count_most(const struct nest *nest, const struct nest_stamp *stamp)
{
    int64_t most = 1;

    if (nest->most > 0)
        return nest->most;
    for (int l = 0; l < nest->n_loops; l++)
        most *= count_within(
                nest, l, nest->size[l] - 1 - nest_fixed_part(nest, nest->n_order, stamp, l));
    return most;
}

/* The uneven loop's one digit of the skewed row; -1: it has others there, or some that are finer.
 */
static int find_spread(const struct nest *nest)
{
    const struct nest_loop *loop = &nest->loops[nest->uneven];
    int spread = -1;

    for (int i = 0; i < loop->n; i++) {
        const struct nest_digit *digit = &nest->digits[loop->digits[i]];
        if (digit->extent == 1 || digit->order >= 0)
            continue;
        if (spread >= 0 || digit->run != 0 || digit->is_inner)
            return -1;
        if (digit->is_space)
            spread = digit->skew == 0 ? -1 : loop->digits[i];
        if (digit->is_space && digit->skew == 0)
            return -1;
    }
    return spread;
}

bool nest_find_pace(
        const struct nest *nest, const struct nest_stamp *prefix, struct nest_pace *pace)
{
    const int64_t most = nest_count_most(nest, prefix);

    *pace = (struct nest_pace){.slow = most, .fast = most};
    if (nest->uneven < 0)
        return true;
    const int loop = nest->uneven, spread = find_spread(nest);
    int64_t first, last;
    if (spread < 0 || !nest_row_range(nest, prefix, &first, &last))
        return false;
    const struct nest_digit *digit = &nest->digits[spread];
    const int64_t rest = nest->size[loop] - 1 - nest_fixed_part(nest, nest->n_order, prefix, loop);
    const int64_t each = count_within(nest, loop, rest); /* of those that run most */
    int64_t present = rest / digit->stride + 1, busy = 0;
    present = present < digit->extent ? present : digit->extent;
    while (busy < present && count_within(nest, loop, rest - busy * digit->stride) == each)
        busy++;
    if (busy == present)
        return true;
    int64_t less = count_within(nest, loop, rest - (present - 1) * digit->stride);
    if (count_within(nest, loop, rest - busy * digit->stride) != less)
        return false; /* of three kinds */
    pace->fast = most / each * less;
    *(digit->skew > 0 ? &pace->n_after : &pace->n_before) =
            (present - busy) * (digit->skew < 0 ? -digit->skew : digit->skew);
    return pace->n_after + pace->n_before <= last - first;
}

/* Whether all PEs are there: no loop that is spread over them ends within them. */
static bool is_whole(const struct nest *nest, const struct nest_stamp *stamp, int64_t *pes)
{
    *pes = 1;
    for (int l = 0; l < nest->n_loops; l++) {
        int64_t room = 0, spread = 1;
        for (int i = 0; i < nest->n_digits; i++) {
            const struct nest_digit *digit = &nest->digits[i];
            if (digit->loop != l || digit->order >= 0)
                continue;
            room += digit->stride * (digit->extent - 1);
            spread *= digit->is_space ? digit->extent : 1;
        }
        if (spread > 1 && nest_room(nest, nest->n_order, stamp, l) != room)
            return false;
        *pes *= spread;
    }
    return true;
}

/* The number of the PE whose digits are all 0, or "last", as great as can be. */
static int64_t end_pe(const struct nest *nest, bool last)
{
    const struct analysis *analysis = nest->timing->analysis;
    int64_t pe = 0;

    for (int d = 0; d < analysis->n_space; d++) {
        pe = pe * analysis->shape[d] + nest->space_constant[d];
        for (int i = 0; last && i < nest->n_digits; i++)
            pe += nest->space_factor[d * NEST_DIGITS + i] * (nest->digits[i].extent - 1);
    }
    return pe;
}

bool nest_follow_own(const struct nest *nest, const struct timing_transfer *transfer, int n,
        const struct nest_stamp *stamps, struct timing_movement *movement)
{
    struct sator_arena *arena = nest->timing->arena;
    const struct sator_access *what = &nest->timing->analysis->workload->accesses[transfer->access];
    const struct nest_access *access = &nest->accesses[transfer->access];
    bool untouched = what->role == SATOR_WRITE, spread = false;
    int64_t pes, fresh = 1;

    if (!transfer->is_own || n != 1 || nest->is_skewed || access->n_pieces != 1 ||
            !is_whole(nest, stamps, &pes))
        return false;
    for (int k = 0; k < nest->n_order; k++)
        untouched &= stamps->v[k] == 0 || access->uses[nest->digits[nest->order[k]].loop];
    for (int i = 0; i < nest->n_digits; i++)
        spread |= nest_spreads(nest, transfer, i);
    if (untouched && spread)
        return false; /* of several PEs the first starts a sum */
    for (int l = 0; l < nest->n_loops && untouched; l++)
        fresh *= access->uses[l] ? count_within(nest, l, nest_room(nest, nest->n_order, stamps, l))
                                 : 1;
    struct timing_words row = {.instance = end_pe(nest, false),
            .words = nest_count_most(nest, stamps),
            .copies = pes - 1,
            .last = end_pe(nest, true)};
    *movement = (struct timing_movement){0};
    if (what->role == SATOR_WRITE)
        SATOR_PUSH(arena, movement->stored.rows, movement->stored.n, row);
    row.words -= untouched ? fresh : 0;
    if (row.words > 0)
        SATOR_PUSH(arena, movement->sent.rows, movement->sent.n, row);
    return true;
}
