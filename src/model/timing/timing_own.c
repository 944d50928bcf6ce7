/* Nests of digits: how many instances a PE runs in a stamp, and what its own memory serves for
 * them.
 */
#include "model/timing/timing_nest.h"

#include "base/arena.h"

static bool is_within(const struct nest_digit *digit)
{
    return !digit->is_space && digit->order < 0 && digit->run == 0 && !digit->is_inner;
}

/* How many values a loop's digits within a stamp make, up to "rest". */
static int64_t count_within(const struct nest *nest, int loop, int64_t rest)
{
    const struct nest_loop *own = &nest->loops[loop];
    int64_t count = 1, within = 1;

    for (int k = 0; k < own->n; k++) {
        const struct nest_digit *digit = &nest->digits[own->digits[k]];
        within *= is_within(digit) ? digit->extent : 1;
    }
    for (int k = 0; k < own->n; k++) { /* those below the greatest value of one are all there */
        const struct nest_digit *digit = &nest->digits[own->digits[k]];
        if (!is_within(digit))
            continue;
        int64_t most = rest / digit->stride;
        most = most < digit->extent ? most : digit->extent - 1;
        within /= digit->extent;
        count += most * within;
        rest -= most * digit->stride;
    }
    return count;
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

void nest_count_own(const struct nest *nest, const struct timing_transfer *transfer,
        const int64_t *sum, bool starts, int64_t *sent, int64_t *stored)
{
    const struct nest_access *access = &nest->accesses[transfer->access];
    int64_t all = 1, fresh = 1;

    for (int l = 0; l < nest->n_loops; l++) {
        int64_t count = count_within(nest, l, nest->size[l] - 1 - sum[l]);
        all *= count;
        fresh *= access->uses[l] ? count : 1;
    }
    *sent = all - (starts ? fresh : 0);
    *stored = nest_is_output(nest, (int)(transfer - nest->timing->transfers)) ? all : 0;
}

/* ---- PE by PE ---- */

/* A PE that runs instances in the stamp. */
struct own_pe {
    int64_t number;
    int64_t words; /* instances */
    int64_t fresh; /* of these, that start a sum */
};

struct own_walk {
    const struct nest *nest;
    const struct nest_access *access;
    bool full;
    int n_digits;
    int digits[NEST_DIGITS]; /* that tell PEs apart */
    int64_t weight[NEST_DIGITS]; /* of each, in the PE's number */
    int64_t start[NEST_DIGITS]; /* of each: where a sum begins */
    bool spreads[NEST_DIGITS]; /* whether its PEs have one sum: the first of them starts it */
    int64_t sum[NEST_DIGITS]; /* of each loop */
    int n;
    struct own_pe *pes;
};

/* The PE whose digits have been set, "local" stamps into its running number. */
static void add_pe(struct own_walk *w, int64_t number, int64_t local, bool starts)
{
    const struct nest *nest = w->nest;
    const struct nest_digit *run = nest->n_runs == 0 ? NULL : &nest->digits[nest->runs[0]];
    struct own_pe pe = {.number = number, .words = 1, .fresh = 1};

    if (w->full && (local < 0 || local >= (run == NULL ? 1 : run->extent)))
        return;
    for (int l = 0; l < nest->n_loops; l++) {
        bool runs = w->full && run != NULL && run->loop == l;
        int64_t rest = nest->size[l] - 1 - w->sum[l] - (runs ? local * run->stride : 0);
        if (rest < 0)
            return;
        starts &= !runs || local == 0 || w->access->uses[l];
        if (!starts && nest->most > 0)
            continue; /* it runs as many as all do */
        int64_t count = count_within(nest, l, rest);
        pe.words *= count;
        pe.fresh *= w->access->uses[l] ? count : 1;
    }
    pe.fresh = starts ? pe.fresh : 0;
    pe.words = nest->most > 0 ? nest->most : pe.words;
    SATOR_PUSH(nest->timing->arena, w->pes, w->n, pe);
}

static void walk_pes(struct own_walk *w, int k, int64_t number, int64_t local, bool starts)
{
    if (k == w->n_digits) {
        add_pe(w, number, local, starts);
        return;
    }
    const struct nest_digit *digit = &w->nest->digits[w->digits[k]];
    bool counts = w->spreads[k] || (!w->access->uses[digit->loop] && digit->skew != 0);
    int64_t *sum = &w->sum[digit->loop];
    const int64_t before = *sum;
    for (int64_t d = 0; d < digit->extent && *sum < w->nest->size[digit->loop]; d++) {
        walk_pes(w, k + 1, number + d * w->weight[k], local - d * digit->skew,
                starts && (d == w->start[k] || !counts));
        *sum += digit->stride;
    }
    *sum = before;
}

/* The digits of PEs; false: a sum's first PE is not the one at which they are least. */
static bool choose_digits(struct own_walk *w, const struct timing_transfer *transfer)
{
    const struct nest *nest = w->nest;
    const struct analysis *analysis = nest->timing->analysis;

    for (int i = 0; i < nest->n_digits; i++) {
        bool is_grouped = false, falls = false;
        int64_t weight = 0;
        if (nest->digits[i].order >= 0 || !nest->digits[i].is_space)
            continue;
        for (int d = 0; d < analysis->n_space; d++) {
            int64_t factor = nest->space_factor[d * NEST_DIGITS + i];
            weight = weight * analysis->shape[d] + factor;
            is_grouped |= d < transfer->fresh_space && factor != 0;
            falls |= factor < 0;
        }
        w->spreads[w->n_digits] = !is_grouped && nest_spreads(nest, transfer, i);
        if (w->spreads[w->n_digits] && falls)
            return false;
        w->start[w->n_digits] = nest_start(nest, transfer, i, nest->digits[i].extent);
        w->weight[w->n_digits] = weight;
        w->digits[w->n_digits++] = i;
    }
    return true;
}

/* Whether nothing else passes the ports of "transfer" in its stamps: what other transfers move
 * there may be of other PEs. */
static bool has_own_ports(const struct timing *timing, const struct timing_transfer *transfer)
{
    for (int i = 0; i < timing->n_transfers; i++) {
        const struct timing_transfer *other = &timing->transfers[i];
        const int ports[] = {other->sends.port, other->arrives.port, other->takes.port};
        for (int p = 0; p < 3 && !other->is_own && other->n_time == transfer->n_time; p++) {
            if (ports[p] >= 0 &&
                    (ports[p] == transfer->sends.port || ports[p] == transfer->takes.port))
                return false;
        }
    }
    return true;
}

/* A row for each PE, or one where all do the same, or nothing; sums that start are left out where
 * "fresh". */
static void add_own(
        const struct own_walk *w, bool one_by_one, bool fresh, struct timing_moves *moves)
{
    struct timing_words all = {.copies = w->n - 1};

    for (int i = 0; i < w->n; i++) {
        const struct own_pe *pe = &w->pes[i];
        int64_t words = pe->words - (fresh ? pe->fresh : 0);
        one_by_one |= words > 0 && all.words > 0 && words != all.words;
        all.words = words > 0 ? words : all.words;
        all.idle += words == 0;
        all.instance = i == 0 || pe->number < all.instance ? pe->number : all.instance;
        all.last = i == 0 || pe->number > all.last ? pe->number : all.last;
    }
    for (int i = 0; i < w->n && one_by_one; i++) {
        const struct own_pe *pe = &w->pes[i];
        int64_t words = pe->words - (fresh ? pe->fresh : 0);
        timing_moves_add(moves, w->nest->timing->arena, 0, pe->number, words);
    }
    if (!one_by_one && all.words > 0)
        timing_moves_push(moves, w->nest->timing->arena, all);
}

static bool follow_pes(const struct nest *nest, const struct timing_transfer *transfer,
        const struct nest_stamp *stamp, bool one_by_one, struct timing_movement *movement)
{
    const struct analysis *analysis = nest->timing->analysis;
    bool is_output = analysis->workload->accesses[transfer->access].role == SATOR_WRITE;
    struct own_walk w = {.nest = nest,
            .access = &nest->accesses[transfer->access],
            .full = nest_is_full(nest, transfer->n_time)};
    int64_t constant = 0;

    if (nest->n_runs > 1 || (nest->is_skewed && nest->full_length < analysis->n_time) ||
            !choose_digits(&w, transfer))
        return false;
    for (int d = 0; d < analysis->n_space; d++)
        constant = constant * analysis->shape[d] + nest->space_constant[d];
    for (int l = 0; l < nest->n_loops; l++)
        w.sum[l] = nest_fixed_part(nest, nest->n_order, stamp, l);
    walk_pes(&w, 0, constant, stamp->skewed,
            is_output && nest_who_starts(nest, transfer, nest->n_order, stamp) == NEST_ALL_START);
    one_by_one |= !has_own_ports(nest->timing, transfer);
    *movement = (struct timing_movement){0};
    add_own(&w, one_by_one, is_output, &movement->sent);
    if (is_output)
        add_own(&w, one_by_one, false, &movement->stored);
    return true;
}

bool nest_follow_own(const struct nest *nest, const struct timing_transfer *transfer, int n,
        const struct nest_stamp *stamps, bool one_by_one, struct timing_movement *movement)
{
    struct sator_arena *arena = nest->timing->arena;
    const struct sator_access *what = &nest->timing->analysis->workload->accesses[transfer->access];
    const struct nest_access *access = &nest->accesses[transfer->access];
    enum nest_starts start = NEST_GOES_ON;
    bool spread = false;
    int64_t pes, fresh = 1;

    if (!transfer->is_own || n != 1 || access->n_pieces != 1)
        return false;
    if (what->role == SATOR_WRITE)
        start = nest_who_starts(nest, transfer, nest->n_order, stamps);
    bool untouched = start == NEST_ALL_START;
    for (int i = 0; i < nest->n_digits; i++)
        spread |= nest_spreads(nest, transfer, i);
    if (start == NEST_OTHERS_START || start == NEST_UNKNOWN)
        return false; /* all but the first of several PEs start a sum */
    if (one_by_one || nest->is_skewed || !is_whole(nest, stamps, &pes) || (untouched && spread))
        return follow_pes(nest, transfer, stamps, one_by_one, movement);
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
