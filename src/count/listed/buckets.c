/* Sorting a part's instances by the value of an expression, once. */
#include "count/listed/buckets.h"

#include "base/arena.h"
#include "count/listed/codes.h"

/* "expr" without its constant, in "arena"; NULL where a number overflows. */
static const struct sator_expr *copy(
        struct sator_arena *arena, const struct listed_parts *parts, const struct sator_expr *expr)
{
    const struct sator_expr *var[LISTED_LOOPS];
    struct sator_expr sum = *expr;

    sum.constant = 0;
    for (int l = 0; l < parts->n_loops; l++)
        var[l] = sator_expr_var(arena, l);
    return sator_expr_substitute(arena, &sum, var);
}

static bool is_same(const struct sator_expr *known, const struct sator_expr *expr)
{
    struct sator_expr sum = *expr;

    sum.constant = 0;
    return known != NULL && sator_expr_equal(known, &sum);
}

/* Sort the part's instances by expression "k"; false where its values are too many. */
static bool sort(struct listed_buckets *buckets, const struct listed_parts *parts, int part, int k)
{
    struct listed_code code = {.n = 1, .expr = {buckets->by[k].expr}, .stride = {1}};
    const int64_t n = parts->n_instances[part];
    int64_t least, greatest, span;

    if (!sator_expr_range(code.expr[0], parts->lower, parts->last, &least, &greatest) ||
            __builtin_sub_overflow(greatest, least, &span) || span >= n || n > INT32_MAX)
        return false;
    const uint64_t *value = listed_code_values(parts, part, &code);
    int64_t *first = SATOR_NEW_ARRAY(buckets->arena, int64_t, span + 2);
    int32_t *place = SATOR_NEW_ARRAY(buckets->arena, int32_t, n);
    for (int64_t i = 0; i < n; i++)
        first[(int64_t)value[i] - least + 1]++;
    for (int64_t v = 0; v <= span; v++)
        first[v + 1] += first[v];
    for (int64_t i = 0; i < n; i++) /* moves each first to the one after */
        place[first[(int64_t)value[i] - least]++] = (int32_t)i;
    for (int64_t v = span; v >= 0; v--)
        first[v + 1] = first[v];
    first[0] = 0;
    buckets->by[k].least = least;
    buckets->by[k].n_values = span + 1;
    buckets->by[k].first = first;
    buckets->by[k].place = place;
    buckets->by[k].is_sorted = true;
    return true;
}

const int32_t *listed_buckets_find(struct listed_buckets *buckets, const struct listed_parts *parts,
        int part, const struct sator_expr *expr, int64_t *n, int64_t *sorted)
{
    int64_t value;
    int k = 0;

    *n = *sorted = 0;
    while (k < buckets->n && !is_same(buckets->by[k].expr, expr))
        k++;
    if (k == LISTED_BUCKETS)
        return NULL;
    if (k == buckets->n) {
        buckets->by[k].expr = copy(buckets->arena, parts, expr);
        buckets->by[k].is_sorted = false;
        buckets->n++;
        return NULL;
    }
    if (!buckets->by[k].is_sorted) {
        if (!sort(buckets, parts, part, k))
            return NULL;
        *sorted = parts->n_instances[part];
    }
    if (__builtin_sub_overflow(-buckets->by[k].least, expr->constant, &value) || value < 0 ||
            value >= buckets->by[k].n_values)
        return buckets->by[k].place; /* none */
    *n = buckets->by[k].first[value + 1] - buckets->by[k].first[value];
    return buckets->by[k].place + buckets->by[k].first[value];
}
