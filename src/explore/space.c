/* Numbers of points. A point of a tiled space is (assignment, order, skew), the last one running
 * fastest:
 *
 *   index = assignment.first + order * skews + skew
 *
 * "order" is the rank of the permutation of the time loops among all, "skew" a mixed-radix number
 * with a digit for each skewed time dimension and each space digit. An assignment's key holds for
 * every dimension, first dimension in the lowest bits, the number of its loops (2 bits) and the
 * loops (4 bits each), at most three. A point of a matrix space is its matrix, row by row, a bit a
 * loop.
 */
#include "explore/space.h"

#include "base/checked.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_PACKED = 3,
    COUNT_BITS = 2,
    LOOP_BITS = 4,
    MOST_ASSIGNMENTS = 1 << 22,
    MOST_POINT_BITS = 62
};

struct builder {
    struct sator_ctx *ctx;
    struct space *space;
    int loops[SPACE_MOST_DIMS][MOST_PACKED];
    int n_loops[SPACE_MOST_DIMS];
    uint32_t used;
    bool idle;
    int capacity;
    bool too_many;
};

/* ---- assignments ---- */

static uint64_t pack_key(int n_dims, const int *counts, const int (*loops)[MOST_PACKED])
{
    uint64_t key = 0;
    int shift = 0;

    for (int d = 0; d < n_dims; d++) {
        key |= (uint64_t)counts[d] << shift;
        shift += COUNT_BITS;
        for (int i = 0; i < counts[d]; i++, shift += LOOP_BITS)
            key |= (uint64_t)loops[d][i] << shift;
    }
    assert(shift <= 64);
    return key;
}

/* The digits of an assignment: all loops of a dimension but the last fit whole. */
static void unpack(
        const struct space *space, const struct assignment *assignment, struct space_point *point)
{
    uint64_t key = assignment->key;

    point->n_digits = 0;
    point->folded = assignment->folded;
    for (int d = 0; d < space->n_dims; d++) {
        int count = (int)(key & ((1u << COUNT_BITS) - 1));
        int64_t weight = 1;
        key >>= COUNT_BITS;
        for (int i = 0; i < count; i++, key >>= LOOP_BITS) {
            struct space_digit *digit = &point->digits[point->n_digits++];
            int loop = (int)(key & ((1u << LOOP_BITS) - 1));
            *digit = (struct space_digit){.loop = loop, .dim = d, .weight = weight};
            digit->width = i + 1 < count ? space->extents[loop] : space->shape[d] / weight;
            digit->has_upper = space->extents[loop] > digit->width;
            if (!digit->has_upper)
                digit->width = space->extents[loop];
            weight *= digit->width;
        }
    }
}

/* The loops that have a time dimension, ascending. */
static int time_loops(const struct space *space, const struct space_point *point, int *loops)
{
    uint32_t absent = point->folded;
    int n = 0;

    for (int i = 0; i < point->n_digits; i++) {
        if (!point->digits[i].has_upper)
            absent |= 1u << point->digits[i].loop;
    }
    for (int l = 0; l < space->n_loops; l++) {
        if (space->extents[l] > 1 && (absent >> l & 1) == 0)
            loops[n++] = l;
    }
    return n;
}

static int skewed_dims(const struct space *space, int n_time)
{
    int most = n_time == 0 ? 1 : n_time;

    return space->options.skew_dims < most ? space->options.skew_dims : most;
}

/* How many skews a digit has in one time dimension: none, +, -, and the same by the whole loop. */
static int skew_choices(const struct space *space, const struct space_digit *digit)
{
    return space->options.whole && digit->has_upper ? 5 : 3;
}

static bool count_skews(
        const struct space *space, const struct space_point *point, int n_skewed, uint64_t *skews)
{
    *skews = 1;
    for (int s = 0; s < n_skewed; s++) {
        for (int i = 0; i < point->n_digits; i++) {
            uint64_t choices = (uint64_t)skew_choices(space, &point->digits[i]);
            if (__builtin_mul_overflow(*skews, choices, skews))
                return false;
        }
    }
    return true;
}

static bool count_orders(int n, uint64_t *orders)
{
    *orders = 1;
    for (int i = 2; i <= n; i++) {
        if (__builtin_mul_overflow(*orders, (uint64_t)i, orders))
            return false;
    }
    return true;
}

static void add_assignment(struct builder *b, uint32_t folded)
{
    struct space *space = b->space;
    struct assignment made = {.folded = folded, .first = space->size};
    struct space_point point = {0};
    int loops[SPACE_MOST_LOOPS];
    uint64_t orders, skews, points;

    made.key = pack_key(space->n_dims, b->n_loops, (const int(*)[MOST_PACKED])b->loops);
    unpack(space, &made, &point);
    int n_time = time_loops(space, &point, loops);
    if (b->too_many || space->n_assignments == MOST_ASSIGNMENTS || !count_orders(n_time, &orders) ||
            !count_skews(space, &point, skewed_dims(space, n_time), &skews) ||
            __builtin_mul_overflow(orders, skews, &points) ||
            __builtin_add_overflow(space->size, points, &space->size) ||
            space->size >> MOST_POINT_BITS != 0) {
        b->too_many = true;
        return;
    }
    if (space->n_assignments == b->capacity) {
        b->capacity = 2 * b->capacity + 64;
        space->assignments =
                sator_realloc(space->assignments, sizeof *space->assignments * (size_t)b->capacity);
    }
    space->assignments[space->n_assignments++] = made;
}

/* Every choice of at most "left" loops, from "loop" on, that run inside a stamp. */
static void choose_folded(struct builder *b, int loop, int left, uint32_t folded)
{
    const struct space *space = b->space;

    if (b->too_many)
        return;
    add_assignment(b, folded);
    for (int l = loop; l < space->n_loops && left > 0; l++) {
        if (space->extents[l] > 1 && (b->used >> l & 1) == 0)
            choose_folded(b, l + 1, left - 1, folded | 1u << l);
    }
}

/* Every choice of loops for dimension "dim" past those that it has, which take "weight" PEs, and
 * for the dimensions after it. */
static void choose_loops(struct builder *b, int dim, int64_t weight)
{
    const struct space *space = b->space;

    if (b->too_many)
        return;
    if (dim == space->n_dims) {
        choose_folded(b, 0, space->options.fold, 0);
        return;
    }
    int64_t width = space->shape[dim] / weight;
    if (b->n_loops[dim] > 0 || b->idle || space->shape[dim] == 1)
        choose_loops(b, dim + 1, 1);
    if (width < 2 || b->n_loops[dim] == space->options.pack ||
            __builtin_popcount(b->used) == SPACE_MOST_DIGITS)
        return;
    for (int l = 0; l < space->n_loops; l++) {
        if (space->extents[l] < 2 || (b->used >> l & 1) != 0)
            continue;
        b->used |= 1u << l;
        b->loops[dim][b->n_loops[dim]++] = l;
        /* a loop that does not fit whole takes all that is left */
        choose_loops(b, dim,
                space->extents[l] <= width ? weight * space->extents[l] : space->shape[dim] + 1);
        b->n_loops[dim]--;
        b->used &= ~(1u << l);
    }
}

struct keyed {
    uint64_t key;
    uint32_t folded;
    int number;
};

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->folded < y->folded ? -1 : x->folded > y->folded;
}

static void sort_keys(struct space *space)
{
    size_t n = (size_t)space->n_assignments;
    struct keyed *keys = sator_alloc(sizeof *keys * (n + 1));

    for (int i = 0; i < space->n_assignments; i++)
        keys[i] = (struct keyed){space->assignments[i].key, space->assignments[i].folded, i};
    qsort(keys, n, sizeof *keys, compare_keyed);
    space->by_key = sator_alloc(sizeof *space->by_key * (n + 1));
    for (int i = 0; i < space->n_assignments; i++)
        space->by_key[i] = keys[i].number;
    free(keys);
}

static enum sator_status too_large(struct sator_ctx *ctx, const struct space *space)
{
    sator_error(ctx, space->family[0]->loc, "the dataflow space of '%s' is too large to number",
            space->family[0]->name);
    sator_help(ctx,
            "fewer loops a dimension (%s), skewed dimensions (%s) or folded loops "
            "(%s) make it smaller",
            sator_word(ctx, "pack"), sator_word(ctx, "skew"), sator_word(ctx, "fold"));
    return SATOR_INPUT;
}

static enum sator_status build_tiled(struct sator_ctx *ctx, struct space *space)
{
    struct builder b = {.ctx = ctx, .space = space};
    int wide_dims = 0, loops = 0;

    for (int d = 0; d < space->n_dims; d++)
        wide_dims += space->shape[d] > 1;
    for (int l = 0; l < space->n_loops; l++)
        loops += space->extents[l] > 1;
    b.idle = space->options.idle || loops < wide_dims;
    choose_loops(&b, 0, 1);
    if (b.too_many)
        return too_large(ctx, space);
    sort_keys(space);
    return SATOR_OK;
}

/* ---- a new space ---- */

static enum sator_status find_orders(struct sator_ctx *ctx, struct space *space)
{
    enum sator_status st = SATOR_OK;

    space->orders = SATOR_NEW_ARRAY(space->arena, const struct sator_order *, space->n_layers + 1);
    for (int i = 0; i < space->n_layers; i++) {
        SATOR_TRY(sator_order_new(ctx, space->arena, space->family[i], &space->orders[i]));
        space->is_ordered = space->is_ordered || space->orders[i] != NULL;
    }
done:
    return st;
}

static enum sator_status check_family(struct sator_ctx *ctx, const struct space *space)
{
    for (int i = 0; i < space->n_layers; i++) {
        const struct sator_workload *layer = space->family[i];
        if (layer->n_loops > SPACE_MOST_LOOPS)
            return sator_error(ctx, layer->loc,
                    "'%s' has %d loops; spaces of at most %d are explored", layer->name,
                    layer->n_loops, SPACE_MOST_LOOPS);
        if (layer->lower == NULL || layer->upper == NULL) {
            sator_error(ctx, layer->loc, "the loops of '%s' have no constant bounds", layer->name);
            sator_help(
                    ctx, "write its domain as bounds a loop, with a condition where it needs one");
            return SATOR_INPUT;
        }
    }
    if (space->n_dims == 0)
        return sator_error(ctx, space->arch->loc,
                "'%s' has no array: there are no dataflows to explore", space->arch->name);
    if (space->n_dims > SPACE_MOST_DIMS)
        return sator_error(ctx, space->arch->loc,
                "'%s' has %d array dimensions; at most %d are explored", space->arch->name,
                space->n_dims, SPACE_MOST_DIMS);
    return SATOR_OK;
}

static void find_extents(struct space *space)
{
    for (int l = 0; l < space->n_loops; l++) {
        space->extents[l] = 1;
        for (int i = 0; i < space->n_layers; i++) {
            int64_t extent = space->family[i]->upper[l] - space->family[i]->lower[l];
            if (extent > space->extents[l])
                space->extents[l] = extent;
        }
    }
}

static enum sator_status build_matrix(struct sator_ctx *ctx, struct space *space)
{
    int bits = space->n_loops * space->n_loops;

    if (space->n_dims > space->n_loops)
        return sator_error(ctx, space->arch->loc,
                "a matrix of %d loops has too few rows for %d array dimensions", space->n_loops,
                space->n_dims);
    if (bits > MOST_POINT_BITS)
        return too_large(ctx, space);
    space->size = UINT64_C(1) << bits;
    return SATOR_OK;
}

enum sator_status sator_space_new(struct sator_ctx *ctx, int n_layers,
        const struct sator_workload *const *family, const struct sator_arch *arch,
        const struct space_options *options, struct space **result)
{
    struct sator_arena *arena = sator_arena_new();
    struct space *space = SATOR_NEW(arena, struct space);
    enum sator_status st;

    *space = (struct space){.arena = arena,
            .options = *options,
            .arch = arch,
            .n_layers = n_layers,
            .family = family,
            .n_loops = family[0]->n_loops,
            .n_dims = sator_arch_space_dims(arch)};
    if (space->options.pack > MOST_PACKED)
        space->options.pack = MOST_PACKED;
    SATOR_TRY(check_family(ctx, space));
    sator_arch_shape(arch, space->shape);
    find_extents(space);
    SATOR_TRY(find_orders(ctx, space));
    SATOR_TRY(options->kind == SPACE_MATRIX ? build_matrix(ctx, space) : build_tiled(ctx, space));
    space->accesses = space_linear_accesses(arena, family[0]);
    space->n_accesses = family[0]->n_accesses;
    space_find_symmetries(space);
    *result = space;
    return SATOR_OK;
done:
    sator_space_free(space);
    return st;
}

void sator_space_free(struct space *space)
{
    if (space == NULL)
        return;
    free(space->assignments);
    free(space->by_key);
    sator_arena_free(space->arena);
}

uint64_t sator_space_size(const struct space *space)
{
    return space->size;
}

/* ---- numbers to points and back ---- */

/* The permutation of the ascending "loops" with rank "rank" in lexicographic order. */
static void unrank_order(uint64_t rank, int n, const int *loops, int *order)
{
    int left[SPACE_MOST_LOOPS];
    uint64_t block = 1;

    memcpy(left, loops, sizeof *left * (size_t)n);
    for (int i = 2; i < n; i++)
        block *= (uint64_t)i;
    for (int i = 0; i < n; i++) {
        int at = (int)(rank / block);
        rank %= block;
        order[i] = left[at];
        memmove(&left[at], &left[at + 1], sizeof *left * (size_t)(n - i - 1 - at));
        if (n - i - 1 > 0)
            block /= (uint64_t)(n - i - 1);
    }
}

static uint64_t rank_order(int n, const int *order)
{
    uint64_t rank = 0;

    for (int i = 0; i < n; i++) {
        uint64_t smaller = 0;
        for (int j = i + 1; j < n; j++)
            smaller += order[j] < order[i];
        rank = rank * (uint64_t)(n - i) + smaller;
    }
    return rank;
}

/* Skews in the order in which they are numbered: none first. */
static const int8_t skew_values[] = {0, 1, -1, 2, -2};

static uint64_t skew_number(int8_t value)
{
    uint64_t number = 0;

    while (skew_values[number] != value)
        number++;
    return number;
}

static void matrix_point(const struct space *space, uint64_t index, struct space_point *point)
{
    uint32_t mask = (1u << space->n_loops) - 1;

    *point = (struct space_point){.kind = SPACE_MATRIX, .n_time = space->n_loops - space->n_dims};
    for (int row = space->n_loops - 1; row >= 0; row--, index >>= space->n_loops)
        point->rows[row] = (uint32_t)index & mask;
}

void sator_space_point(const struct space *space, uint64_t index, struct space_point *point)
{
    int low = 0, high = space->n_assignments - 1;
    int loops[SPACE_MOST_LOOPS];
    uint64_t skews = 1;

    if (space->options.kind == SPACE_MATRIX) {
        matrix_point(space, index, point);
        return;
    }
    assert(index < space->size);
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (space->assignments[middle].first <= index)
            low = middle;
        else
            high = middle - 1;
    }
    *point = (struct space_point){.kind = SPACE_TILED};
    unpack(space, &space->assignments[low], point);
    point->n_time = time_loops(space, point, loops);
    point->n_skewed = skewed_dims(space, point->n_time);
    count_skews(space, point, point->n_skewed, &skews);
    uint64_t rest = index - space->assignments[low].first;
    unrank_order(rest / skews, point->n_time, loops, point->time);
    uint64_t skew = rest % skews;
    for (int s = 0; s < point->n_skewed; s++) {
        for (int i = 0; i < point->n_digits; i++) {
            uint64_t choices = (uint64_t)skew_choices(space, &point->digits[i]);
            point->skew[s][i] = skew_values[skew % choices];
            skew /= choices;
        }
    }
}

static int find_assignment(const struct space *space, uint64_t key, uint32_t folded)
{
    const struct keyed wanted = {.key = key, .folded = folded};
    int low = 0, high = space->n_assignments - 1;

    while (low <= high) {
        int middle = (low + high) / 2;
        const struct assignment *at = &space->assignments[space->by_key[middle]];
        int order = compare_keyed(&wanted, &(struct keyed){.key = at->key, .folded = at->folded});
        if (order == 0)
            return space->by_key[middle];
        if (order < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    assert(low < 0); /* never reached: the point is of another space */
    return 0;
}

uint64_t sator_space_index(const struct space *space, const struct space_point *point)
{
    int loops[SPACE_MOST_DIMS][MOST_PACKED];
    int counts[SPACE_MOST_DIMS] = {0};
    uint64_t skews = 1, skew = 0, index = 0;

    if (point->kind == SPACE_MATRIX) {
        for (int row = 0; row < space->n_loops; row++)
            index = index << space->n_loops | point->rows[row];
        return index;
    }
    for (int i = 0; i < point->n_digits; i++)
        loops[point->digits[i].dim][counts[point->digits[i].dim]++] = point->digits[i].loop;
    int number = find_assignment(space,
            pack_key(space->n_dims, counts, (const int(*)[MOST_PACKED])loops), point->folded);
    for (int s = point->n_skewed - 1; s >= 0; s--) {
        for (int i = point->n_digits - 1; i >= 0; i--) {
            uint64_t choices = (uint64_t)skew_choices(space, &point->digits[i]);
            skew = skew * choices + skew_number(point->skew[s][i]);
            skews *= choices;
        }
    }
    return space->assignments[number].first + rank_order(point->n_time, point->time) * skews + skew;
}

const char *sator_space_rule(
        const struct space *space, uint64_t index, const struct space_point *point)
{
    const char *rule = space_movement_rule(space, point);

    if (rule != NULL)
        return rule;
    return space_is_canonical(space, index, point) ? NULL : "symmetric";
}
