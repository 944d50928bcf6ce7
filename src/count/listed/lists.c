/* Listing a part: codes of all instances, ranked, sorted. */
#include "count/listed/lists.h"

#include "count/listed/buckets.h"

#include <assert.h>
#include <string.h>

enum {
    TICKS_A_STAMP = 8, /* of an instance */
    TICKS_AN_ELEMENT = 8,
    TICKS_A_CONDITION = 2
};

static const struct sator_decline too_many = {
        "some loops that a row joins have too many instances to list"};
static const struct sator_decline untold = {"an access is restricted by a condition"};
/* ---- instances ---- */

/* Leave out the part's instances of which "holds" is false. */
static void keep_instances(struct listed_parts *parts, int part, const bool *holds)
{
    const int64_t n = parts->n_instances[part];
    const int64_t *before = parts->instance[part];
    int64_t kept = 0;

    for (int64_t i = 0; i < n; i++)
        kept += holds[i];
    int64_t *number = SATOR_NEW_ARRAY(parts->arena, int64_t, kept + 1);
    parts->instance[part] = number;
    parts->n_instances[part] = kept;
    for (int64_t i = 0; i < n; i++) {
        if (holds[i])
            *number++ = before == NULL ? i : before[i];
    }
}

/* Find the instances of a part, those of its box that the domain has. */
static enum sator_status find_instances(struct sator_ctx *ctx, struct listed_parts *parts, int part,
        const struct sator_decline **reason)
{
    const int64_t n_points = listed_count_points(parts, part, LISTED_POINTS);

    parts->instance[part] = NULL;
    parts->n_instances[part] = n_points;
    *reason = &too_many;
    for (int c = 0; c < parts->n_limits && n_points <= LISTED_POINTS; c++) {
        if (parts->part_of[parts->limit[c].loop] != part)
            continue;
        enum sator_status st =
                sator_work(ctx, (uint64_t)parts->n_instances[part] * TICKS_A_CONDITION);
        if (st != SATOR_OK)
            return st;
        const bool *holds = listed_which_hold(parts, part, parts->limit[c].cond);
        if (holds == NULL) {
            *reason = DECLINE("the domain has conditions that are not handled");
            return SATOR_DECLINED;
        }
        keep_instances(parts, part, holds);
    }
    if (parts->n_instances[part] > LISTED_INSTANCES)
        return SATOR_DECLINED;
    *reason = DECLINE("the domain is empty");
    return parts->n_instances[part] > 0 ? SATOR_OK : SATOR_DECLINED;
}

/* ---- numbers ---- */

void listed_sort(int64_t n, uint64_t *number, uint64_t *scratch)
{
    enum {
        BITS = 8
    };
    uint64_t differing = 0;
    for (int64_t i = 1; i < n; i++)
        differing |= number[i] ^ number[0];
    if (n < 32) {
        for (int64_t i = 1; i < n; i++) {
            uint64_t value = number[i];
            int64_t at = i;
            for (; at > 0 && number[at - 1] > value; at--)
                number[at] = number[at - 1];
            number[at] = value;
        }
        return;
    }
    uint64_t *from = number;
    uint64_t *to = scratch;
    for (int shift = 0; shift < 64; shift += BITS) {
        int64_t count[(1 << BITS) + 1] = {0};
        if ((differing >> shift & ((1 << BITS) - 1)) == 0)
            continue;
        for (int64_t i = 0; i < n; i++)
            count[(from[i] >> shift & ((1 << BITS) - 1)) + 1]++;
        for (int b = 0; b < 1 << BITS; b++)
            count[b + 1] += count[b];
        for (int64_t i = 0; i < n; i++)
            to[count[from[i] >> shift & ((1 << BITS) - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != number)
        memcpy(number, from, sizeof *number * (size_t)n);
}

static int64_t unique(int64_t n, uint64_t *sorted)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        if (kept == 0 || sorted[kept - 1] != sorted[i])
            sorted[kept++] = sorted[i];
    }
    return kept;
}

/* By a table of all numbers there could be. */
static void rank_by_table(struct sator_arena *arena, uint64_t range, int64_t n, uint64_t *code,
        const uint64_t **distinct, int64_t *n_distinct)
{
    uint32_t *rank = SATOR_NEW_ARRAY(arena, uint32_t, range);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        if (code[i] != UINT64_MAX) {
            kept += rank[code[i]] == 0;
            rank[code[i]] = 1;
        }
    }
    uint64_t *list = SATOR_NEW_ARRAY(arena, uint64_t, kept + 1);
    kept = 0;
    for (uint64_t c = 0; c < range; c++) {
        if (rank[c] == 0)
            continue;
        rank[c] = (uint32_t)kept;
        list[kept++] = c;
    }
    for (int64_t i = 0; i < n; i++)
        code[i] = code[i] == UINT64_MAX ? code[i] : rank[code[i]];
    *distinct = list;
    *n_distinct = kept;
}

void listed_rank(struct sator_arena *arena, uint64_t range, int64_t n, uint64_t *code,
        const uint64_t **distinct, int64_t *n_distinct)
{
    if (range <= (uint64_t)n * 2 + 64) {
        rank_by_table(arena, range, n, code, distinct, n_distinct);
        return;
    }
    uint64_t *list = SATOR_NEW_ARRAY(arena, uint64_t, n + 1);
    uint64_t *scratch = SATOR_NEW_ARRAY(arena, uint64_t, n + 1);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        if (code[i] != UINT64_MAX)
            list[kept++] = code[i];
    }
    listed_sort(kept, list, scratch);
    kept = unique(kept, list);
    for (int64_t i = 0; i < n; i++) {
        if (code[i] != UINT64_MAX)
            code[i] = (uint64_t)listed_find(list, 0, kept, code[i]);
    }
    *distinct = list;
    *n_distinct = kept;
}

static int bits_of(int64_t n)
{
    int bits = 0;
    while (n > (int64_t)1 << bits)
        bits++;
    return bits;
}

/* ---- elements ---- */

/* The codes of the elements of piece after piece, which all count in the same way. */
static const struct sator_decline *make_elements(const struct listed_plan *plan, int part, bool own,
        int64_t n_instances, uint64_t *code, uint64_t *range)
{
    const struct listed_parts *parts = &plan->parts;
    struct listed_code codes[LISTED_PIECES];
    int n_pieces = own ? plan->n_pieces : 1; /* at least 1 */
    codes[0].n = 0;
    for (int p = 0; p < n_pieces; p++) {
        codes[p].n = 0;
        listed_code_rows(parts, part, plan->first_index, plan->n_indices, &codes[p]);
        for (int i = 0; own && i < plan->n_own; i++) {
            if (codes[p].n == LISTED_ROWS)
                return DECLINE("the stamps and the tensor have too many dimensions");
            codes[p].expr[codes[p].n++] = plan->own[p][i];
        }
        const struct sator_decline *why = listed_code_finish(parts, &codes[p]);
        if (why != NULL)
            return why;
    }
    uint64_t total = 1;
    for (int i = codes[0].n - 1; i >= 0; i--) { /* one range for all pieces */
        int64_t least = codes[0].least[i];
        int64_t greatest = least;
        for (int p = 0; p < n_pieces; p++) {
            int64_t last = codes[p].least[i] + (int64_t)(codes[p].size[i] - 1);
            least = codes[p].least[i] < least ? codes[p].least[i] : least;
            greatest = last > greatest ? last : greatest;
        }
        int64_t width;
        if (__builtin_sub_overflow(greatest, least, &width))
            return DECLINE("a row reaches beyond 64 bits");
        for (int p = 0; p < n_pieces; p++) {
            codes[p].least[i] = least;
            codes[p].stride[i] = total;
        }
        if (__builtin_mul_overflow(total, (uint64_t)width + 1, &total) || total > UINT64_MAX / 2)
            return &listed_too_many_bits;
    }
    for (int p = 0; p < n_pieces; p++) {
        const uint64_t *values = listed_code_values(parts, part, &codes[p]);
        memcpy(code + p * n_instances, values, sizeof *code * (size_t)n_instances);
    }
    *range = total;
    return NULL;
}

/* Set the codes of instances that pieces of an access leave out to UINT64_MAX. */
static const struct sator_decline *leave_out(
        const struct listed_plan *plan, int part, int n_pieces, int64_t n_instances, uint64_t *code)
{
    for (int c = 0; c < plan->n_conditions; c++) {
        const struct listed_condition *condition = &plan->condition[c];
        if (condition->part != part || condition->piece < 0 || condition->piece >= n_pieces)
            continue;
        const bool *holds = listed_which_hold(&plan->parts, part, condition->cond);
        if (holds == NULL)
            return &untold;
        uint64_t *own = code + condition->piece * n_instances;
        for (int64_t i = 0; i < n_instances; i++)
            own[i] = holds[i] ? own[i] : UINT64_MAX;
    }
    return NULL;
}

/* Whether all pieces of an access have the condition in the part. */
static bool is_common(const struct listed_condition *condition, int part)
{
    return condition->part == part && condition->piece < 0;
}

/* Leave the part only "n" of its instances, at these places, and "*stamp" theirs. */
static void keep_places(struct listed_parts *parts, int part, const int32_t *place, int64_t n,
        const uint64_t **stamp)
{
    const int64_t *before = parts->instance[part];
    int64_t *number = SATOR_NEW_ARRAY(parts->arena, int64_t, n + 1);
    uint64_t *kept = SATOR_NEW_ARRAY(parts->arena, uint64_t, n + 1);

    for (int64_t i = 0; i < n; i++) {
        number[i] = before == NULL ? place[i] : before[place[i]];
        kept[i] = (*stamp)[place[i]];
    }
    parts->instance[part] = number;
    parts->n_instances[part] = n;
    *stamp = kept;
}

/* Of the equalities that instances are sorted by, take the one that leaves the fewest; its number,
 * -1: there is none. */
static int keep_sorted(struct sator_ctx *ctx, const struct listed_plan *plan,
        struct listed_parts *parts, int part, struct listed_buckets *buckets,
        const uint64_t **stamp)
{
    const int32_t *fewest = NULL;
    int64_t n_fewest = 0, n, sorted;
    int taken = -1;

    for (int c = 0; c < plan->n_conditions && buckets != NULL; c++) {
        const struct listed_condition *condition = &plan->condition[c];
        if (!is_common(condition, part) || condition->cond->op != SATOR_COND_EQUAL)
            continue;
        const int32_t *place =
                listed_buckets_find(buckets, parts, part, condition->cond->expr, &n, &sorted);
        sator_work(ctx, (uint64_t)sorted * TICKS_A_CONDITION); /* a limit is met below */
        if (place == NULL || (taken >= 0 && n >= n_fewest))
            continue;
        taken = c;
        fewest = place;
        n_fewest = n;
    }
    if (taken >= 0)
        keep_places(parts, part, fewest, n_fewest, stamp);
    return taken;
}

/* Leave the part only the instances that all pieces of an access may touch: the part's stamp of
 * each. */
static enum sator_status keep_touched(struct sator_ctx *ctx, struct listed_plan *plan, int part,
        struct listed_buckets *buckets, const uint64_t **stamp, const struct sator_decline **reason)
{
    struct listed_parts *parts = &plan->parts;
    const int taken = keep_sorted(ctx, plan, parts, part, buckets, stamp);

    for (int c = 0; c < plan->n_conditions; c++) {
        const int64_t n = parts->n_instances[part];
        if (c == taken || !is_common(&plan->condition[c], part))
            continue;
        enum sator_status st = sator_work(ctx, (uint64_t)n * TICKS_A_CONDITION);
        if (st != SATOR_OK)
            return st;
        const bool *holds = listed_which_hold(parts, part, plan->condition[c].cond);
        *reason = &untold;
        if (holds == NULL)
            return SATOR_DECLINED;
        keep_instances(parts, part, holds);
        uint64_t *kept = SATOR_NEW_ARRAY(parts->arena, uint64_t, parts->n_instances[part] + 1);
        const uint64_t *before = *stamp;
        *stamp = kept;
        for (int64_t i = 0; i < n; i++) {
            if (holds[i])
                *kept++ = before[i];
        }
    }
    return SATOR_OK;
}

/* Distinct elements, instance by instance. */
static uint64_t count_accesses(int n_pieces, int64_t n_instances, const uint64_t *element)
{
    uint64_t count = 0;
    for (int64_t i = 0; i < n_instances; i++) {
        for (int p = 0; p < n_pieces; p++) {
            uint64_t e = element[p * n_instances + i];
            bool known = e == UINT64_MAX;
            for (int q = 0; q < p && !known; q++)
                known = element[q * n_instances + i] == e;
            count += !known;
        }
    }
    return count;
}

/* ---- the list ---- */

/* Sort the pairs of "n" instances with these stamps and find where each time-stamp's begin. */
static void make_pairs(struct sator_arena *arena, int n_pieces, int64_t n, const uint64_t *stamp,
        const uint64_t *element, struct listed_list *list)
{
    int below = list->pe_bits + list->element_bits;
    uint64_t *pair = SATOR_NEW_ARRAY(arena, uint64_t, n * n_pieces + 1);
    uint64_t *scratch = SATOR_NEW_ARRAY(arena, uint64_t, n * n_pieces + 1);
    int64_t *first = SATOR_NEW_ARRAY(arena, int64_t, list->n_times + 1);
    int64_t count = 0;
    for (int p = 0; p < n_pieces; p++) {
        for (int64_t i = 0; i < n; i++) {
            uint64_t e = element[p * n + i];
            if (e != UINT64_MAX)
                pair[count++] = stamp[i] << list->element_bits | e;
        }
    }
    listed_sort(count, pair, scratch);
    count = unique(count, pair);
    int64_t *touched =
            SATOR_NEW_ARRAY(arena, int64_t, count < list->n_times ? count : list->n_times);
    list->n_touched = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t time = (int64_t)(pair[i] >> below);
        if (first[time + 1]++ == 0)
            touched[list->n_touched++] = time;
        pair[i] &= ((uint64_t)1 << below) - 1;
    }
    for (int64_t t = 0; t < list->n_times; t++)
        first[t + 1] += first[t];
    list->n_pairs = count;
    list->pair = pair;
    list->first = first;
    list->touched = touched;
}

/* An instance of each PE. */
static const int64_t *find_instance_of_pe(
        struct sator_arena *arena, const struct listed_list *list, const uint64_t *pe)
{
    int64_t *instance = SATOR_NEW_ARRAY(arena, int64_t, list->n_pes + 1);
    for (int64_t i = list->n_instances - 1; i >= 0; i--)
        instance[pe[i]] = i;
    return instance;
}

static const uint8_t *find_differences(struct sator_arena *arena, const struct listed_list *list)
{
    uint8_t *differs = SATOR_NEW_ARRAY(arena, uint8_t, list->n_times + 1);
    for (int64_t t = 1; t < list->n_times; t++) {
        int r = 0;
        while (list->time_code[t] / list->time.stride[r] ==
                list->time_code[t - 1] / list->time.stride[r])
            r++;
        differs[t] = (uint8_t)r;
    }
    return differs;
}

/* The numbers of what rows make of a part's instances. */
static const struct sator_decline *rank_rows(const struct listed_plan *plan, int part, int first,
        int n_rows, struct listed_code *code, uint64_t **number, const uint64_t **distinct,
        int64_t *n_distinct)
{
    const struct listed_parts *parts = &plan->parts;
    code->n = 0;
    listed_code_rows(parts, part, first, n_rows, code);
    const struct sator_decline *why = listed_code_finish(parts, code);
    if (why != NULL)
        return why;
    *number = listed_code_values(parts, part, code);
    listed_rank(parts->arena, code->range, parts->n_instances[part], *number, distinct, n_distinct);
    return NULL;
}

enum sator_status listed_stamps_make(struct sator_ctx *ctx, struct listed_plan *plan, int part,
        struct listed_list *list, const struct sator_decline **reason)
{
    struct listed_parts *parts = &plan->parts;
    uint64_t *time, *pe;
    enum sator_status st = find_instances(ctx, parts, part, reason);
    if (st != SATOR_OK)
        return st;
    const int64_t n = parts->n_instances[part];
    list->n_instances = n;
    list->instance = parts->instance[part];
    st = sator_work(ctx, (uint64_t)n * TICKS_A_STAMP);
    if (st != SATOR_OK)
        return st;
    *reason = rank_rows(
            plan, part, 0, plan->n_times, &list->time, &time, &list->time_code, &list->n_times);
    if (*reason == NULL)
        *reason = rank_rows(plan, part, plan->first_space, plan->n_spaces, &list->pe, &pe,
                &list->pe_code, &list->n_pes);
    if (*reason != NULL)
        return SATOR_DECLINED;
    list->instance_of_pe = find_instance_of_pe(parts->arena, list, pe);
    list->buckets = NULL;
    list->pe_bits = bits_of(list->n_pes);
    *reason = &listed_too_many_bits;
    if (bits_of(list->n_times) + list->pe_bits > 63)
        return SATOR_DECLINED;
    for (int64_t i = 0; i < n; i++)
        time[i] = time[i] << list->pe_bits | pe[i];
    list->stamp = time;
    list->differs = find_differences(parts->arena, list);
    return SATOR_OK;
}

void listed_stamps_keep(struct sator_arena *arena, struct listed_list *list)
{
    const size_t n = (size_t)list->n_instances;

    memset(list->time.expr, 0, sizeof list->time.expr); /* the question's; what is left says all */
    memset(list->pe.expr, 0, sizeof list->pe.expr);
    if (list->instance != NULL)
        list->instance = sator_arena_copy(arena, list->instance, n * sizeof *list->instance);
    list->stamp = sator_arena_copy(arena, list->stamp, n * sizeof *list->stamp);
    list->time_code = sator_arena_copy(
            arena, list->time_code, (size_t)list->n_times * sizeof *list->time_code);
    list->pe_code =
            sator_arena_copy(arena, list->pe_code, (size_t)list->n_pes * sizeof *list->pe_code);
    list->differs =
            sator_arena_copy(arena, list->differs, (size_t)list->n_times * sizeof *list->differs);
    list->instance_of_pe = sator_arena_copy(
            arena, list->instance_of_pe, (size_t)list->n_pes * sizeof *list->instance_of_pe);
    list->buckets = SATOR_NEW(arena, struct listed_buckets);
    list->buckets->arena = arena;
}

enum sator_status listed_list_make(struct sator_ctx *ctx, struct listed_plan *plan, int part,
        struct listed_list *list, const struct sator_decline **reason)
{
    struct listed_parts *parts = &plan->parts;
    struct sator_arena *arena = parts->arena;
    bool own = plan->own_loops != 0 && parts->part_of[__builtin_ctz(plan->own_loops)] == part;
    int n_pieces = own ? plan->n_pieces : 1;
    const uint64_t *stamp = list->stamp, *distinct;
    uint64_t range;
    enum sator_status st;
    parts->instance[part] = list->instance;
    parts->n_instances[part] = list->n_instances;
    st = keep_touched(ctx, plan, part, list->buckets, &stamp, reason);
    const int64_t n = parts->n_instances[part];
    if (st == SATOR_OK && n * n_pieces > LISTED_INSTANCES) {
        *reason = &too_many;
        st = SATOR_DECLINED;
    }
    if (st == SATOR_OK)
        st = sator_work(ctx, (uint64_t)(n * n_pieces * TICKS_AN_ELEMENT));
    if (st != SATOR_OK)
        return st;
    uint64_t *element = SATOR_NEW_ARRAY(arena, uint64_t, n * n_pieces + 1);
    *reason = make_elements(plan, part, own, n, element, &range);
    if (*reason == NULL && n_pieces > 1)
        *reason = leave_out(plan, part, n_pieces, n, element);
    if (*reason != NULL)
        return SATOR_DECLINED;
    listed_rank(arena, range, n * n_pieces, element, &distinct, &list->n_elements);
    list->element_bits = bits_of(list->n_elements);
    *reason = &listed_too_many_bits;
    if (bits_of(list->n_times) + list->pe_bits + list->element_bits > 63)
        return SATOR_DECLINED;
    list->n_accesses = count_accesses(n_pieces, n, element);
    make_pairs(arena, n_pieces, n, stamp, element, list);
    parts->instance[part] = list->instance;
    parts->n_instances[part] = list->n_instances;
    *reason = NULL;
    return SATOR_OK;
}
