#include "count/tiled/value_set.h"

#include "base/arena.h"
#include "base/checked.h"

#include <assert.h>
#include <stdlib.h>

static bool is_before(const struct sator_value_run *a, const struct sator_value_run *b)
{
    return a->class != b->class ? a->class < b->class : a->first < b->first;
}

static int by_place(const void *a, const void *b)
{
    return is_before(b, a) - is_before(a, b);
}

/* Append a run that begins nowhere before the last one; one that meets it is joined with it. */
static void append(struct sator_value_set *set, struct sator_value_run run)
{
    struct sator_value_run *last = set->run + set->n_runs - 1;

    assert(run.first <= run.last);
    assert(set->n_runs == 0 || last->class < run.class ||
            (last->class == run.class && last->first <= run.first));
    if (set->n_runs > 0 && run.class == last->class && run.first <= last->last + 1)
        last->last = run.last > last->last ? run.last : last->last;
    else
        set->run[set->n_runs++] = run;
}

/* The set moved by "distance" (GIVE: free): the same order, begun elsewhere. */
static struct sator_value_set moved(const struct sator_value_set *set, int64_t distance)
{
    struct sator_value_set result = {.modulus = set->modulus, .n_runs = set->n_runs};
    int64_t by = distance % set->modulus, begin = 0;

    assert(set->modulus > 0);
    by += by < 0 ? set->modulus : 0;
    int64_t steps = (distance - by) / set->modulus;
    while (begin < set->n_runs && set->run[begin].class + by < set->modulus)
        begin++;
    result.run = sator_alloc(sizeof *result.run * (size_t)set->n_runs);
    for (int64_t k = 0; k < set->n_runs; k++) {
        bool wraps = k < set->n_runs - begin;
        const struct sator_value_run *run = &set->run[wraps ? begin + k : begin + k - set->n_runs];
        result.run[k] = (struct sator_value_run){run->class + by - (wraps ? set->modulus : 0),
                run->first + steps + wraps, run->last + steps + wraps};
    }
    return result;
}

void sator_value_set_init(
        struct sator_value_set *set, int64_t modulus, int64_t n_values, const int64_t *list)
{
    struct sator_value_run *run = sator_alloc(sizeof *run * (size_t)n_values);

    for (int64_t k = 0; k < n_values; k++) {
        int64_t class = list[k] % modulus;
        class += class < 0 ? modulus : 0;
        run[k] = (struct sator_value_run){
                class, (list[k] - class) / modulus, (list[k] - class) / modulus};
    }
    qsort(run, (size_t)n_values, sizeof *run, by_place);
    *set = (struct sator_value_set){.modulus = modulus, .run = run};
    for (int64_t k = 0; k < n_values; k++)
        append(set, run[k]); /* never further than k */
}

void sator_value_set_free(struct sator_value_set *set)
{
    free(set->run);
}

void sator_value_set_unite(
        struct sator_value_set *set, const struct sator_value_set *other, int64_t distance)
{
    struct sator_value_set all = {.modulus = set->modulus}, added = moved(other, distance);
    int64_t i = 0, j = 0;

    assert(set->modulus == other->modulus);
    all.run = sator_alloc(sizeof *all.run * (size_t)(set->n_runs + added.n_runs));
    while (i < set->n_runs || j < added.n_runs) {
        bool own = j == added.n_runs || (i < set->n_runs && is_before(&set->run[i], &added.run[j]));
        append(&all, own ? set->run[i++] : added.run[j++]);
    }
    sator_value_set_free(set);
    sator_value_set_free(&added);
    *set = all;
}

bool sator_value_set_try_add(struct sator_value_set *set, int64_t step, int64_t count, int64_t most)
{
    for (int64_t made = 1, more; made < count; made += more) {
        more = made < count - made ? made : count - made;
        sator_value_set_unite(set, set, more * step);
        if (set->n_runs > most)
            return false;
    }
    return true;
}

void sator_value_set_add(struct sator_value_set *set, int64_t step, int64_t count)
{
    sator_value_set_try_add(set, step, count, INT64_MAX);
}

void sator_value_set_divide(struct sator_value_set *set, int64_t divisor)
{
    int64_t n = set->n_runs;

    assert(set->modulus == 1 && divisor >= 1);
    set->n_runs = 0; /* at most as many runs, each written where it was read or before */
    for (int64_t k = 0; k < n; k++) {
        struct sator_value_run run = {0, sator_floor_div(set->run[k].first, divisor),
                sator_floor_div(set->run[k].last, divisor)};
        append(set, run);
    }
}

int64_t sator_value_set_size(const struct sator_value_set *set)
{
    int64_t size = 0;

    for (int64_t k = 0; k < set->n_runs; k++)
        size += set->run[k].last - set->run[k].first + 1;
    return size;
}

void sator_value_set_leave(const struct sator_value_set *set, const struct sator_value_set *other,
        int64_t shift, struct sator_value_set *left)
{
    struct sator_value_set before = moved(other, -shift);
    int64_t at = 0, most = set->n_runs + other->n_runs; /* each cuts a run in two at most */

    *left = (struct sator_value_set){
            .modulus = set->modulus, .run = sator_alloc(sizeof *left->run * (size_t)most)};
    for (int64_t k = 0; k < set->n_runs; k++) {
        struct sator_value_run rest = set->run[k];
        for (; at < before.n_runs; at++) {
            const struct sator_value_run *old = &before.run[at];
            if (old->class < rest.class || (old->class == rest.class && old->last < rest.first))
                continue;
            if (old->class > rest.class || old->first > rest.last)
                break;
            if (old->first > rest.first)
                append(left, (struct sator_value_run){rest.class, rest.first, old->first - 1});
            rest.first = old->last + 1;
            if (rest.first > rest.last)
                break; /* it may reach into the next run */
        }
        if (rest.first <= rest.last)
            append(left, rest);
    }
    assert(left->n_runs <= most);
    sator_value_set_free(&before);
}
