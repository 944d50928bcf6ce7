/* Nests of digits: stamps, and their neighbours. */
#include "model/timing/timing_nest.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

bool nest_same_prefix(
        const struct nest *nest, int length, const struct nest_stamp *a, const struct nest_stamp *b)
{
    int n_fixed = nest_fixed(nest, length);

    return memcmp(a->v, b->v, sizeof *a->v * (size_t)n_fixed) == 0 &&
            (!nest_is_full(nest, length) || a->skewed == b->skewed);
}

int64_t nest_fixed_part(
        const struct nest *nest, int n_fixed, const struct nest_stamp *stamp, int loop)
{
    const struct nest_loop *own = &nest->loops[loop];
    int64_t sum = 0;

    for (int i = 0; i < own->n; i++) {
        const struct nest_digit *digit = &nest->digits[own->digits[i]];
        if (digit->order >= 0 && digit->order < n_fixed)
            sum += digit->stride * stamp->v[digit->order];
    }
    return sum;
}

int64_t nest_count(const struct nest *nest, const struct nest_stamp *stamp, int k)
{
    const struct nest_digit *digit = &nest->digits[nest->order[k]];
    if (nest->loops[digit->loop].is_whole)
        return digit->extent;
    int64_t rest = nest->size[digit->loop] - nest_fixed_part(nest, k, stamp, digit->loop);
    int64_t count = (rest + digit->stride - 1) / digit->stride;

    return count < digit->extent ? count : digit->extent;
}

int64_t nest_room(const struct nest *nest, int n_fixed, const struct nest_stamp *stamp, int loop)
{
    const struct nest_loop *own = &nest->loops[loop];
    int64_t rest = nest->size[loop] - 1 - nest_fixed_part(nest, n_fixed, stamp, loop), room = 0;

    for (int i = 0; i < own->n; i++) { /* from the coarsest on, each as large as it may be */
        const struct nest_digit *digit = &nest->digits[own->digits[i]];
        if (digit->order >= 0 && digit->order < n_fixed)
            continue;
        int64_t most = digit->stride == 1 ? rest : rest / digit->stride;
        most = most < digit->extent - 1 ? most : digit->extent - 1;
        room += most * digit->stride;
        rest -= most * digit->stride;
    }
    return room;
}

/* What the fixed digits of time leave of a loop. */
static int64_t rest_of(const struct nest *nest, const struct nest_stamp *stamp, int loop)
{
    return nest->size[loop] - nest_fixed_part(nest, nest->n_order, stamp, loop);
}

/* A set of numbers: first + i for every "there[i]". */
struct numbers {
    int64_t first, extent;
    bool *there;
};

/* Add the values of one loop's digits in the skewed row. */
static void add_loop_values(const struct nest *nest, int loop, int from, int64_t sum, int64_t value,
        struct numbers *numbers)
{
    while (from < nest->n_digits &&
            (nest->digits[from].loop != loop || nest_row_factor(&nest->digits[from]) == 0))
        from++;
    if (from == nest->n_digits) {
        numbers->there[value - numbers->first] = true;
        return;
    }
    const struct nest_digit *digit = &nest->digits[from];
    int64_t factor = nest_row_factor(digit);
    for (int64_t d = 0; d < digit->extent && sum + d * digit->stride < nest->size[loop]; d++)
        add_loop_values(nest, loop, from + 1, sum + d * digit->stride, value + d * factor, numbers);
}

/* Leave out what is not there at either end; whether all between is. */
static bool trim(struct numbers *numbers)
{
    bool is_whole = true;

    while (!numbers->there[0]) {
        numbers->there++;
        numbers->first++;
        numbers->extent--;
    }
    while (!numbers->there[numbers->extent - 1])
        numbers->extent--;
    for (int64_t i = 0; i < numbers->extent; i++)
        is_whole &= numbers->there[i];
    return is_whole;
}

static struct numbers loop_values(const struct nest *nest, int loop, const struct nest_stamp *stamp)
{
    const struct nest_loop *own = &nest->loops[loop];
    struct numbers numbers = {.extent = 1};

    for (int k = 0; k < own->n; k++) {
        const struct nest_digit *digit = &nest->digits[own->digits[k]];
        int64_t reach = nest_row_factor(digit) * (digit->extent - 1);
        numbers.extent += reach < 0 ? -reach : reach;
        numbers.first += reach < 0 ? reach : 0;
    }
    numbers.there = sator_alloc((size_t)numbers.extent);
    memset(numbers.there, 0, (size_t)numbers.extent);
    add_loop_values(nest, loop, 0, nest_fixed_part(nest, nest->n_order, stamp, loop), 0, &numbers);
    return numbers;
}

static struct numbers add_sets(const struct nest *nest, const struct numbers *a, bool whole_a,
        const struct numbers *b, bool whole_b)
{
    struct numbers sum = {.first = a->first + b->first, .extent = a->extent + b->extent - 1};

    sum.there = sator_arena_alloc(nest->timing->arena, (size_t)sum.extent);
    if (whole_a && whole_b) {
        memset(sum.there, true, (size_t)sum.extent);
        return sum;
    }
    for (int64_t i = 0; i < a->extent; i++) {
        for (int64_t k = 0; a->there[i] && k < b->extent; k++)
            sum.there[i + k] |= b->there[k];
    }
    return sum;
}

/* The greatest sum of "sign" times what the loop's digits add to the row, which the loop's size
 * allows: at most the digits of "rest" - 1, so either these up to some digit that is one less, and
 * the finer ones as great as can be, or all of them. */
static int64_t reach_of_loop(const struct nest *nest, int loop, int64_t rest, int sign)
{
    const struct nest_loop *own = &nest->loops[loop];
    int64_t said = 0, best = INT64_MIN, free = 0;

    for (int i = 0; i < own->n; i++) {
        const struct nest_digit *digit = &nest->digits[own->digits[i]];
        int64_t reach = sign * nest_row_factor(digit) * (digit->extent - 1);
        free += digit->order < 0 && reach > 0 ? reach : 0;
    }
    rest--;
    for (int i = 0; i < own->n; i++) { /* from the coarsest on: those before are said */
        const struct nest_digit *digit = &nest->digits[own->digits[i]];
        if (digit->order >= 0)
            continue;
        int64_t factor = sign * nest_row_factor(digit), most = rest / digit->stride;
        most = most < digit->extent ? most : digit->extent; /* then all are whole from here on */
        free -= factor > 0 ? factor * (digit->extent - 1) : 0;
        int64_t below = said + free + (factor > 0 ? factor * (most - 1) : 0);
        if (most > 0 && below > best)
            best = below;
        if (most == digit->extent)
            return best;
        said += factor * most;
        rest -= most * digit->stride;
    }
    return said > best ? said : best;
}

/* Whether the loop ends before its digits that no prefix fixes do: all of them, or of
 * those of the running number. */
static bool is_cut(const struct nest *nest, const struct nest_stamp *stamp, int loop, bool runs)
{
    const struct nest_loop *own = &nest->loops[loop];
    int64_t rest = rest_of(nest, stamp, loop);

    for (int k = 0; k < own->n; k++) {
        const struct nest_digit *digit = &nest->digits[own->digits[k]];
        if (digit->order < 0 && (digit->run != 0 || !runs))
            rest -= digit->stride * (digit->extent - 1);
    }
    return rest <= 0;
}

/* How many values the running number takes at every PE without a gap, at least; 0: some are missing
 * at all PEs. */
static int64_t run_length(const struct nest *nest, const struct nest_stamp *stamp)
{
    int64_t length = 1, even = INT64_MAX;

    if (nest->is_row_whole && nest->n_runs > 0) {
        const struct nest_digit *run = &nest->digits[nest->runs[0]];
        return run->run * run->extent;
    }
    for (int r = nest->n_runs - 1; r >= 0; r--) {
        const struct nest_digit *run = &nest->digits[nest->runs[r]];
        int64_t count = run->extent;
        if (is_cut(nest, stamp, run->loop, true)) {
            count = (rest_of(nest, stamp, run->loop) + run->stride - 1) / run->stride;
            if (r > 0 || count >= run->extent)
                return 0;
        }
        length = run->run * count;
        if (!is_cut(nest, stamp, run->loop, false))
            continue;
        for (int i = 0; i < nest->n_digits; i++) { /* at some PEs, one value less */
            if (nest->digits[i].loop == run->loop && nest->digits[i].is_space && even > length)
                even = count > 1 ? length - run->run : length;
        }
    }
    return even < length ? even : length;
}

/* All digits' values of the row are there. */
static void add_up_range(const struct nest *nest, struct nest_values *values)
{
    for (int i = 0; i < nest->n_digits; i++) {
        int64_t reach = nest_row_factor(&nest->digits[i]) * (nest->digits[i].extent - 1);
        *(reach < 0 ? &values->first : &values->last) += reach;
    }
    values->n = values->last - values->first + 1;
}

/* The same where the values of each PE's running number are all there, and those of neighbours
 * meet: then all values between the first and the last are there. */
static bool find_range(
        const struct nest *nest, const struct nest_stamp *stamp, struct nest_values *values)
{
    int64_t length = run_length(nest, stamp);
    uint64_t loops = 0;

    *values = (struct nest_values){0};
    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        if (nest_row_factor(digit) == 0)
            continue;
        if (llabs(digit->skew) > length && digit->extent > 1)
            return false;
        if (nest->is_row_whole)
            continue;
        if ((loops >> digit->loop & 1) != 0)
            continue;
        loops |= UINT64_C(1) << digit->loop;
        int64_t rest = rest_of(nest, stamp, digit->loop);
        values->first -= reach_of_loop(nest, digit->loop, rest, -1);
        values->last += reach_of_loop(nest, digit->loop, rest, 1);
    }
    if (nest->is_row_whole)
        add_up_range(nest, values);
    values->n = values->last - values->first + 1;
    return true;
}

bool nest_row_range(
        const struct nest *nest, const struct nest_stamp *stamp, int64_t *first, int64_t *last)
{
    struct nest_values values;
    bool is_range = find_range(nest, stamp, &values);

    *first = values.first;
    *last = values.last;
    return is_range;
}

struct nest_values nest_skewed_values(const struct nest *nest, const struct nest_stamp *stamp)
{
    struct nest_values values;
    if (find_range(nest, stamp, &values))
        return values;
    bool zero = true, whole = true;
    struct numbers all = {.extent = 1, .there = &zero};

    for (int loop = 0; loop < nest->n_loops; loop++) {
        struct numbers own = loop_values(nest, loop, stamp);
        bool *memory = own.there;
        bool whole_own = trim(&own);
        if (own.extent > 1 || own.first != 0) {
            all = add_sets(nest, &all, whole, &own, whole_own);
            whole = trim(&all);
        }
        free(memory);
    }
    return (struct nest_values){.n = all.extent,
            .first = all.first,
            .there = whole ? NULL : all.there,
            .last = all.first + all.extent - 1};
}

/* The first (last) stamp that shares the first "k" digits with "stamp". */
static void fill(
        const struct nest *nest, int n_fixed, bool full, int k, bool last, struct nest_stamp *stamp)
{
    for (; k < n_fixed; k++)
        stamp->v[k] = last ? nest_count(nest, stamp, k) - 1 : 0;
    if (!full)
        return;
    struct nest_values values = nest_skewed_values(nest, stamp);
    stamp->skewed = last ? values.last : values.first;
}

/* The next value of the skewed row; false: there is none. */
static bool step_skewed(const struct nest *nest, int step, struct nest_stamp *stamp)
{
    struct nest_values values = nest_skewed_values(nest, stamp);

    for (int64_t v = stamp->skewed + step; v >= values.first && v <= values.last; v += step) {
        if (values.there != NULL && !values.there[v - values.first])
            continue;
        stamp->skewed = v;
        return true;
    }
    return false;
}

int nest_step(const struct nest *nest, int n_fixed, bool full, int step, struct nest_stamp *stamp)
{
    if (full && step_skewed(nest, step, stamp))
        return n_fixed;
    for (int k = n_fixed - 1; k >= 0; k--) {
        int64_t v = stamp->v[k] + step;
        if (v < 0 || v >= nest_count(nest, stamp, k))
            continue;
        stamp->v[k] = v;
        fill(nest, n_fixed, full, k + 1, step < 0, stamp);
        return k;
    }
    return -1;
}

/* The PEs in use along a dimension, and the skew of a step there. */
static bool measure_dim(const struct nest *nest, const struct nest_stamp *prefix, int d,
        int64_t *used, int64_t *skew)
{
    uint64_t loops = 0;

    *used = 1;
    *skew = 0;
    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        int64_t factor = nest->space_factor[d * NEST_DIGITS + i];
        if (factor == 0 || digit->extent == 1)
            continue;
        if (digit->skew % factor != 0 || (loops != 0 && digit->skew / factor != *skew) ||
                (loops >> digit->loop & 1) != 0)
            return false;
        int64_t most = (rest_of(nest, prefix, digit->loop) - 1) / digit->stride;
        *used += factor * (most < digit->extent - 1 ? most : digit->extent - 1);
        *skew = digit->skew / factor;
        loops |= UINT64_C(1) << digit->loop;
    }
    return true;
}

bool nest_pass(const struct nest *nest, const struct nest_stamp *prefix, int64_t *cycles)
{
    const struct analysis *analysis = nest->timing->analysis;
    int64_t used, skew;
    int dim = 0;

    *cycles = 0;
    for (int i = 0; i < analysis->arch->n_levels; i++) {
        const struct sator_level *level = &analysis->arch->levels[i];
        for (int d = 0; level->kind == SATOR_LEVEL_ARRAY && d < level->array.n_dims; d++, dim++) {
            if (!level->array.pass_through)
                continue;
            if (nest->skewed_row < analysis->n_time - 1 ||
                    !measure_dim(nest, prefix, dim, &used, &skew))
                return false;
            *cycles += (skew < 0 ? -skew : skew) * (analysis->shape[dim] - used);
        }
    }
    return true;
}
