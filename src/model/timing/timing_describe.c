/* Classes of stamps: how a stamp is described, and the classes that are known. */
#include "model/timing/timing_describe.h"

#include <string.h>

enum {
    MOST_CLASSES = 1 << 16
};

void timing_middle(
        const struct classes *c, const struct nest_stamp *stamp, int64_t *low, int64_t *high)
{
    const struct nest *nest = &c->nest;
    int64_t before = 0, after = 0, space = 0;
    const struct nest_digit *run = nest->n_runs == 0 ? NULL : &nest->digits[nest->runs[0]];

    *low = *high = 0;
    if (run == NULL)
        return;
    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        int64_t reach = digit->skew * (digit->extent - 1);
        *(reach < 0 ? &before : &after) += reach;
        if (digit->loop == run->loop && digit->run == 0 && digit->order < 0)
            space += (digit->extent - 1) * digit->stride;
    }
    int64_t rest =
            nest->size[run->loop] - nest_fixed_part(nest, nest->n_order, stamp, run->loop) - space;
    int64_t count = rest <= 0 ? 0 : (rest + run->stride - 1) / run->stride;
    count = count < run->extent ? count : run->extent;
    *low = c->reach + 1 + after;
    *high = count - c->reach - 1 + before;
}

static struct nest_stamp *copy_stamp(
        const struct nest *nest, struct nest_stamp *to, const struct nest_stamp *from)
{
    memcpy(to->v, from->v, sizeof *to->v * (size_t)nest->n_order);
    to->skewed = from->skewed;
    return to;
}

void timing_window_around(const struct classes *c, int n_fixed, bool full, int reach,
        const struct nest_stamp *stamp, struct class_window *window)
{
    const struct nest *nest = &c->nest;
    struct nest_stamp *at = copy_stamp(nest, &window->room[reach], stamp);
    int stepped[2 * NEST_INTERVAL + 1], first = reach, end = reach + 1;

    for (; first > 0; first--, at--) {
        copy_stamp(nest, at - 1, at);
        stepped[first - 1] = nest_step(nest, n_fixed, full, -1, at - 1);
        if (stepped[first - 1] < 0)
            break;
    }
    stepped[reach] = -1;
    at = &window->room[reach];
    for (; end <= 2 * reach; end++, at++) {
        copy_stamp(nest, at + 1, at);
        stepped[end] = nest_step(nest, n_fixed, full, 1, at + 1);
        if (stepped[end] < 0)
            break;
    }
    window->stamps = window->room + first;
    window->n = end - first;
    window->centre = reach - first;
    memcpy(window->stepped, stepped + first, sizeof *stepped * (size_t)window->n);
}

/* Where the stamp numbered "at" lies, seen from the centre: which digits went on says it all for
 * loops whose values are all there. */
static void describe_stamp(
        struct classes *c, int n_fixed, bool full, const struct class_window *window, int at)
{
    const struct nest *nest = &c->nest;
    const struct nest_stamp *stamp = &window->stamps[at], *of = &window->stamps[window->centre];
    int64_t *out = c->description + c->length;
    uint64_t moved = 0; /* loops that are not at their first value */

    *out++ = window->stepped[at];
    for (int k = 0; k < n_fixed; k++) {
        int loop = nest->digits[nest->order[k]].loop;
        if (!nest->loops[loop].is_whole)
            *out++ = stamp->v[k] - of->v[k];
        moved |= (uint64_t)(stamp->v[k] != 0) << loop;
    }
    for (int l = 0; l < nest->n_loops; l++) {
        if (c->first_fixed[l] < n_fixed && !nest->loops[l].is_whole)
            *out++ = nest_room(nest, n_fixed, stamp, l);
    }
    if (full) {
        struct nest_values values = nest_skewed_values(nest, stamp);
        int64_t low, high, v = stamp->skewed;
        timing_middle(c, stamp, &low, &high);
        bool is_middle = v >= low && v < high;
        *out++ = is_middle ? -1 : v - values.first;
        *out++ = is_middle ? -1 : values.last - v;
        *out++ = v - of->skewed;
    }
    for (int i = 0; i < c->n_starts; i++)
        *out++ = (moved & c->starts[i]) == 0;
    for (int i = 0; i < c->timing->n_transfers; i++) {
        const struct timing_transfer *transfer = &c->timing->transfers[i];
        if (transfer->late_time > 0 || transfer->by_chain)
            *out++ = nest_who_starts(nest, transfer, n_fixed, stamp);
    }
    c->length = (int)(out - c->description);
}

/* Where what moves depends on the sums that stamps further outside start: what is around these. */
static void describe_chains(
        struct classes *c, int n_fixed, bool full, const struct nest_stamp *stamp)
{
    const struct timing *timing = c->timing;
    struct class_window window;

    for (int i = 0; i + 1 < timing->n_transfers; i++) {
        const int length = timing->transfers[i].n_time, n_outer = nest_fixed(&c->nest, length);
        const bool is_full = nest_is_full(&c->nest, length);
        if (!timing->transfers[i + 1].by_chain || n_outer > n_fixed ||
                (n_outer == n_fixed && is_full >= full))
            continue;
        timing_window_around(c, n_outer, is_full, c->reach, stamp, &window);
        c->description[c->length++] = window.n;
        c->description[c->length++] = window.centre;
        for (int k = 0; k < window.n; k++)
            describe_stamp(c, n_outer, is_full, &window, k);
    }
}

void timing_describe(
        struct classes *c, int kind, int n_fixed, bool full, const struct nest_stamp *stamp)
{
    struct class_window window;

    timing_window_around(c, n_fixed, full, c->reach, stamp, &window);
    c->description[0] = kind;
    c->description[1] = n_fixed;
    c->description[2] = window.n;
    c->description[3] = window.centre;
    c->length = 4;
    for (int i = 0; i < window.n; i++)
        describe_stamp(c, n_fixed, full, &window, i);
    for (int i = 0; i < window.n; i++)
        describe_chains(c, n_fixed, full, &window.stamps[i]);
}

static uint64_t hash_of(const struct classes *c)
{
    uint64_t hash = UINT64_C(1469598103934665603);

    for (int i = 0; i < c->length; i++)
        hash = (hash ^ (uint64_t)c->description[i]) * UINT64_C(1099511628211);
    return hash ^ (hash >> 29);
}

/* Where a class of this description is, or may be put. */
static int *find_bucket(const struct classes *c, const struct class *wanted)
{
    int at = (int)(wanted->hash % (uint64_t)c->n_buckets);

    for (; c->bucket[at] != 0; at = (at + 1) % c->n_buckets) {
        const struct class *known = &c->list[c->bucket[at] - 1];
        if (known->hash == wanted->hash && known->length == wanted->length &&
                memcmp(known->description, wanted->description,
                        sizeof *known->description * (size_t)known->length) == 0)
            break;
    }
    return &c->bucket[at];
}

static void grow(struct classes *c)
{
    c->n_buckets = c->n_buckets == 0 ? 256 : 4 * c->n_buckets;
    c->bucket = SATOR_NEW_ARRAY(c->timing->arena, int, c->n_buckets);
    for (int i = 0; i < c->n; i++)
        *find_bucket(c, &c->list[i]) = i + 1;
}

int timing_find_class(struct classes *c, bool *known)
{
    struct class made = {.length = c->length, .description = c->description, .hash = hash_of(c)};

    if (2 * (c->n + 1) > c->n_buckets)
        grow(c);
    int *at = find_bucket(c, &made);
    *known = *at != 0;
    if (*known)
        return *at - 1;
    if (c->n >= MOST_CLASSES) {
        c->failed = true;
        c->timing->cut_short = "the classes of stamps are too many to be counted, and the stamps "
                               "too many to be followed one by one";
    }
    made.description = sator_arena_copy(
            c->timing->arena, made.description, sizeof *made.description * (size_t)made.length);
    SATOR_PUSH(c->timing->arena, c->list, c->n, made);
    *at = c->n;
    return c->n - 1;
}

void timing_prepare_classes(struct classes *c)
{
    const struct sator_workload *w = c->timing->analysis->workload;
    const struct nest *nest = &c->nest;
    int n_each = nest->n_order + nest->n_loops + 4 + w->n_accesses + c->timing->n_transfers,
        n_chains = 0;

    for (int i = 0; i < c->timing->n_transfers; i++)
        n_chains += c->timing->transfers[i].by_chain;
    c->description = SATOR_NEW_ARRAY(c->timing->arena, int64_t,
            4 + CLASS_WINDOW * (n_each + n_chains * (2 + CLASS_WINDOW * n_each)) +
                    timing_windows_room(nest, w->n_accesses));
    c->starts = SATOR_NEW_ARRAY(c->timing->arena, uint64_t, w->n_accesses + 1);
    for (int l = 0; l < nest->n_loops; l++)
        c->first_fixed[l] = nest->n_order;
    for (int k = nest->n_order - 1; k >= 0; k--)
        c->first_fixed[nest->digits[nest->order[k]].loop] = k;
    for (int i = 0; i < w->n_accesses; i++) {
        if (w->accesses[i].role != SATOR_WRITE)
            continue;
        for (int l = 0; l < nest->n_loops; l++)
            c->starts[c->n_starts] |= (uint64_t)!nest->accesses[i].uses[l] << l;
        c->n_starts++;
    }
}
