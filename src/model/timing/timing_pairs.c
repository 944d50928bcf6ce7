/* Nests of digits: what is held in a few stamps, pair by pair. */
#include "model/timing/timing_nest.h"

#include "base/memory.h"

enum {
    MOST_PAIRS = 1 << 24 /* of a window */
};

struct visitor {
    const struct nest *nest;
    const struct timing_transfer *transfer;
    const struct nest_access *access;
    const struct nest_stamp *stamp;
    bool full;
    int n_digits;
    int digits[NEST_DIGITS]; /* that are walked through */
    int64_t weight[NEST_DIGITS]; /* of each, in the number of the instance */
    int64_t start[NEST_DIGITS]; /* of each: where a sum begins */
    bool counts[NEST_DIGITS]; /* of each: whether it begins there alone */
    bool run_counts; /* the same of the running number, which begins at 0 */
    int64_t *sum; /* of each loop */
    int64_t stamp_number;
    int64_t skewed; /* of the space digits */
    enum nest_starts who_starts; /* as far as the digits that the stamp fixes tell */
    const struct timing_sums *starts; /* that the transfer outside starts; NULL: not asked */
    int64_t ratio; /* instances of one of the holder's */
    int n_late; /* digits that are not 0, of those that tell who takes up old sums */
    struct timing_window *window;
    int64_t room;
};

static bool has_sum(const struct timing_sums *sums, int64_t key)
{
    int low = 0, high = sums->n;

    while (low < high) {
        int middle = (low + high) / 2;
        if (sums->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sums->n && sums->key[low] == key;
}

static void add_pairs(struct visitor *v, int64_t instance, bool is_first)
{
    struct timing_window *window = v->window;

    for (int p = 0; p < v->access->n_pieces; p++) {
        int64_t element = v->access->constant[p];
        for (int l = 0; l < v->nest->n_loops; l++)
            element += v->access->factor[p * v->nest->n_loops + l] * v->sum[l];
        is_first = is_first &&
                (v->starts == NULL ||
                        has_sum(v->starts, instance / v->ratio * window->n_elements + element));
        uint64_t place = (uint64_t)(v->stamp_number * window->n_instances + instance);
        uint64_t key = 2 * (place * (uint64_t)window->n_elements + (uint64_t)element) + is_first;
        if (window->n == v->room) {
            v->room = 2 * v->room + 64;
            window->key = sator_realloc(window->key, sizeof *window->key * (size_t)v->room);
        }
        window->key[window->n++] = key;
    }
}

/* All digits have their values: what the skewed row leaves is that of its own digit. */
static void finish_point(struct visitor *v, int64_t instance, bool is_first)
{
    const struct nest *nest = v->nest;
    const struct nest_digit *run = nest->n_runs == 0 ? NULL : &nest->digits[nest->runs[0]];
    int64_t rest = v->stamp->skewed - v->skewed;

    if (!v->full) {
        add_pairs(v, instance, is_first);
        return;
    }
    if (rest < 0 || rest >= (run == NULL ? 1 : run->extent) ||
            (run != NULL && v->sum[run->loop] + rest * run->stride >= nest->size[run->loop]))
        return;
    if (run != NULL) {
        is_first &= rest == 0 || !v->run_counts;
        v->sum[run->loop] += rest * run->stride;
    }
    add_pairs(v, instance, is_first);
    if (run != NULL)
        v->sum[run->loop] -= rest * run->stride;
}

static void walk(struct visitor *v, int k, int64_t instance, bool is_first)
{
    if (v->window->n > MOST_PAIRS)
        return;
    if (k == v->n_digits) {
        finish_point(
                v, instance, is_first && (v->who_starts != NEST_OTHERS_START || v->n_late > 0));
        return;
    }
    const struct nest_digit *digit = &v->nest->digits[v->digits[k]];
    bool is_late = nest_is_late(v->nest, v->transfer, v->digits[k]);
    int64_t *sum = &v->sum[digit->loop], before = *sum;
    for (int64_t d = 0; d < digit->extent && *sum < v->nest->size[digit->loop]; d++) {
        v->n_late += is_late && d > 0;
        walk(v, k + 1, instance + d * v->weight[k],
                is_first && (d == v->start[k] || !v->counts[k]));
        v->n_late -= is_late && d > 0;
        *sum += digit->stride;
        v->skewed += digit->skew;
    }
    v->skewed -= (*sum - before) / digit->stride * digit->skew;
    *sum = before;
}

/* Where the digit numbered "k" begins sums. False: where it does under all prefixes is not known.
 */
static bool find_start(struct visitor *v, int k)
{
    const struct nest *nest = v->nest;
    const struct timing_transfer *transfer = v->transfer;
    const struct nest_digit *digit = &nest->digits[v->digits[k]];
    bool is_holder =
            nest_is_full(nest, transfer->tile_time); /* the sum is of one value of the row */

    v->counts[k] = !v->access->uses[digit->loop] && digit->skew != 0;
    v->start[k] = nest_start(nest, transfer, v->digits[k], digit->extent);
    if (!transfer->by_chain)
        return true;
    is_holder |= nest_is_along(nest, v->digits[k], 0, transfer->holder_space);
    v->counts[k] &= v->full && !is_holder;
    v->start[k] = digit->skew < 0 ? digit->extent - 1 : 0;
    return !v->counts[k] || digit->skew > 0 || nest->loops[digit->loop].is_whole;
}

/* Which digits tell pairs apart, and where they begin sums. */
static bool choose_digits(struct visitor *v, int n_fixed)
{
    const struct nest *nest = v->nest;
    const struct timing_transfer *transfer = v->transfer;
    const struct analysis *analysis = nest->timing->analysis;
    bool fits = true;

    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        int64_t weight = 0, radix = 1;
        if ((digit->order >= 0 && digit->order < n_fixed) || (v->full && digit->run != 0))
            continue;
        for (int d = transfer->n_space - 1; d >= 0; d--) {
            weight += radix * nest->space_factor[d * NEST_DIGITS + i];
            radix *= analysis->shape[d];
        }
        bool is_within = transfer->is_own && !digit->is_space;
        if (!v->access->uses[digit->loop] && weight == 0 && !(v->full && digit->skew != 0) &&
                !is_within)
            continue;
        v->digits[v->n_digits] = i;
        v->weight[v->n_digits] = weight;
        fits &= find_start(v, v->n_digits++);
    }
    if (nest->n_runs > 0)
        v->run_counts = !v->access->uses[nest->digits[nest->runs[0]].loop] &&
                !(transfer->by_chain && nest_is_full(nest, transfer->tile_time));
    return fits;
}

static struct timing_window size_window(const struct nest *nest,
        const struct timing_transfer *transfer, int n, int64_t *first_instance)
{
    const struct analysis *analysis = nest->timing->analysis;
    struct timing_window window = {.n_stamps = n,
            .n_instances = 1,
            .n_elements = nest->accesses[transfer->access].range,
            .holder_instances = 1,
            .fresh_instances = 1};

    *first_instance = 0;
    for (int d = 0; d < transfer->n_space; d++) {
        window.n_instances *= analysis->shape[d];
        window.holder_instances *= d < transfer->holder_space ? analysis->shape[d] : 1;
        window.fresh_instances *= d < transfer->fresh_space ? analysis->shape[d] : 1;
        *first_instance = *first_instance * analysis->shape[d] + nest->space_constant[d];
    }
    if (transfer->by_chain)
        window.fresh_instances = window.holder_instances;
    return window;
}

/* Find which sums may start in the stamp; false: that is not known. */
static bool find_who_starts(struct visitor *v, int n_fixed)
{
    const bool is_output =
            v->nest->timing->analysis->workload->accesses[v->transfer->access].role == SATOR_WRITE;

    v->who_starts = nest_who_starts(v->nest, v->transfer, n_fixed, v->stamp);
    v->starts = NULL;
    if (v->who_starts != NEST_UNKNOWN || !is_output)
        return true;
    if (v->transfer->by_chain)
        v->starts = nest_find_starts(v->nest, v->transfer - 1, v->stamp);
    return v->starts != NULL;
}

bool nest_pairs(const struct nest *nest, const struct timing_transfer *transfer, int n,
        const struct nest_stamp *stamps, struct timing_window *window)
{
    struct visitor v = {.nest = nest,
            .transfer = transfer,
            .access = &nest->accesses[transfer->access],
            .full = nest_is_full(nest, transfer->n_time),
            .sum = SATOR_NEW_ARRAY(nest->timing->arena, int64_t, nest->n_loops + 1),
            .window = window};
    int n_fixed = nest_fixed(nest, transfer->n_time);
    int64_t first, room;

    *window = size_window(nest, transfer, n, &first);
    v.ratio = window->n_instances / window->holder_instances;
    if (__builtin_mul_overflow(2 * n * window->n_instances, window->n_elements, &room) ||
            !choose_digits(&v, n_fixed))
        return false;
    for (int x = 0; x < n; x++) {
        v.stamp = &stamps[x];
        v.stamp_number = x;
        for (int l = 0; l < nest->n_loops; l++)
            v.sum[l] = nest_fixed_part(nest, n_fixed, v.stamp, l);
        if (!find_who_starts(&v, n_fixed))
            return false;
        walk(&v, 0, first, v.who_starts != NEST_GOES_ON);
    }
    return window->n <= MOST_PAIRS;
}
