#include "relation/nest_time.h"

#include <string.h>

/* The entry at "level"; NULL when it has none. */
static const struct sator_loop_entry *entry_at(
        const struct sator_loop_nest *nest, const struct sator_bind_level *level)
{
    for (int i = 0; i < nest->n_entries; i++) {
        if (strcmp(nest->entries[i].level, level->name) == 0)
            return &nest->entries[i];
    }
    return NULL;
}

static bool is_skewed(const struct sator_loop_entry *entry)
{
    for (int d = 0; entry != NULL && d < entry->n_skew; d++) {
        if (entry->skew[d] != 0)
            return true;
    }
    return false;
}

/* Whether some array directly inside the memory at "level", no memory between, is skewed. */
static bool is_skewed_inside(const struct sator_loop_nest *nest, int n_levels,
        const struct sator_bind_level *levels, int level)
{
    for (int i = level + 1; i < n_levels && !levels[i].is_memory; i++) {
        if (is_skewed(entry_at(nest, &levels[i])))
            return true;
    }
    return false;
}

static int temporal_loops(const struct sator_loop_entry *entry)
{
    int n = 0;

    for (int k = 0; entry != NULL && k < entry->n_loops; k++)
        n += entry->loops[k].dim < 0;
    return n;
}

/* The next memory inside "level" (step 1) or outside of it (-1); -1: none. */
static int next_memory(int n_levels, const struct sator_bind_level *levels, int level, int step)
{
    for (int i = level + step; i >= 0 && i < n_levels; i += step) {
        if (levels[i].is_memory)
            return i;
    }
    return -1;
}

/* How many loops at the memory at "level" are part of a skewed row: that of the arrays directly
 * inside it, or, where all loops of the memory inside it are part of it, the one that these are in.
 * -1: there is none that they could be in. */
static int joined_loops(const struct sator_loop_nest *nest, int n_levels,
        const struct sator_bind_level *levels, int level)
{
    const struct sator_loop_entry *entry = entry_at(nest, &levels[level]);
    int inner = next_memory(n_levels, levels, level, 1);

    if (is_skewed_inside(nest, n_levels, levels, level))
        return entry != NULL && entry->says_joined ? entry->joined : temporal_loops(entry);
    if (inner < 0)
        return -1;
    int inside = joined_loops(nest, n_levels, levels, inner);
    if (inside < 0 || inside < temporal_loops(entry_at(nest, &levels[inner])))
        return -1;
    return entry != NULL && entry->says_joined ? entry->joined : 0;
}

/* ---- what is wrong ---- */

static enum sator_status check_array(struct sator_ctx *ctx, const struct sator_loop_entry *entry,
        const struct sator_bind_level *level)
{
    if (level->n_dims == 0) {
        enum sator_status st = sator_error(
                ctx, entry->skew_loc, "'%s' is no array: it cannot be skewed", entry->level);
        sator_help(ctx, "a skew stands at an array, a coefficient for each of its dimensions");
        return st;
    }
    if (entry->n_skew != level->n_dims)
        return sator_error(ctx, entry->skew_loc, "array '%s' has %d %s, the skew %d %s",
                entry->level, level->n_dims, level->n_dims == 1 ? "dimension" : "dimensions",
                entry->n_skew, entry->n_skew == 1 ? "coefficient" : "coefficients");
    if (is_skewed(entry) && temporal_loops(entry) > 0) {
        enum sator_status st = sator_error(ctx, entry->skew_loc,
                "array '%s' is skewed, so none of its loops can run one step after the other",
                entry->level);
        sator_help(ctx, "such loops stand at the memory outside it");
        return st;
    }
    return SATOR_OK;
}

/* "joined" at what has no row to join its loops to, or fewer loops. */
static enum sator_status check_joined(struct sator_ctx *ctx, const struct sator_loop_nest *nest,
        int n_levels, const struct sator_bind_level *levels, int level)
{
    const struct sator_loop_entry *entry = entry_at(nest, &levels[level]);
    int loops = temporal_loops(entry), inner = next_memory(n_levels, levels, level, 1);
    bool is_memory = levels[level].is_memory;
    bool skewed = is_memory && is_skewed_inside(nest, n_levels, levels, level);
    bool across =
            is_memory && !skewed && inner >= 0 && joined_loops(nest, n_levels, levels, inner) >= 0;
    enum sator_status st = SATOR_OK;

    if (across && entry->joined > 0 && joined_loops(nest, n_levels, levels, level) < 0) {
        st = sator_error(ctx, entry->joined_loc,
                "not all loops at '%s' are joined, so that none at '%s' can be", levels[inner].name,
                entry->level);
    } else if (!skewed && !across) {
        st = sator_error(ctx, entry->joined_loc,
                "no array directly inside '%s' is skewed: there is nothing to join its loops for",
                entry->level);
    } else if (entry->joined > loops)
        st = sator_error(ctx, entry->joined_loc, "'%s' has %d %s, %d cannot be joined",
                entry->level, loops, loops == 1 ? "loop" : "loops", entry->joined);
    return st;
}

enum sator_status sator_nest_time_check(struct sator_ctx *ctx, const struct sator_loop_nest *nest,
        int n_levels, const struct sator_bind_level *levels)
{
    enum sator_status st = SATOR_OK, one;

    for (int l = 0; l < n_levels; l++) {
        const struct sator_loop_entry *entry = entry_at(nest, &levels[l]);
        if (entry == NULL)
            continue;
        if (entry->n_skew > 0 && (one = check_array(ctx, entry, &levels[l])) != SATOR_OK)
            st = one;
        if (entry->says_joined && (one = check_joined(ctx, nest, n_levels, levels, l)) != SATOR_OK)
            st = one;
    }
    return st;
}

/* ---- rows ---- */

static enum sator_status too_long(const struct sator_nest_time *t, const struct sator_loc loc)
{
    return sator_error(t->ctx, loc, "the joined loops do not fit into 64 bits");
}

/* Add the skew of the arrays directly inside "level" to "*row". */
static enum sator_status add_skew(
        const struct sator_nest_time *t, int level, const struct sator_expr **row)
{
    int dim = 0;

    for (int i = 0; i < level; i++)
        dim += t->levels[i].n_dims;
    for (int i = level + (t->levels[level].is_memory ? 1 : 0);
            i < t->n_levels && !t->levels[i].is_memory; i++) {
        const struct sator_loop_entry *entry = entry_at(t->nest, &t->levels[i]);
        for (int d = 0; d < t->levels[i].n_dims; d++) {
            if (entry == NULL || entry->n_skew == 0 || entry->skew[d] == 0)
                continue;
            *row = sator_expr_add(t->arena, *row, entry->skew[d], t->space[dim + d]);
            if (*row == NULL)
                return too_long(t, entry->skew_loc);
        }
        dim += t->levels[i].n_dims;
    }
    return SATOR_OK;
}

/* Add the "n" innermost loops at "level" to the mixed radix number "*row". */
static enum sator_status join(
        const struct sator_nest_time *t, int level, int n, const struct sator_expr **row)
{
    const struct sator_loop_entry *entry = entry_at(t->nest, &t->levels[level]);
    const struct sator_expr *zero = sator_expr_constant(t->arena, 0);
    int left = temporal_loops(entry);

    for (int k = 0; entry != NULL && k < entry->n_loops; k++) {
        if (entry->loops[k].dim >= 0 || left-- > n)
            continue;
        *row = sator_expr_add(t->arena, zero, entry->loops[k].extent, *row);
        *row = *row == NULL
                ? NULL
                : sator_expr_add(t->arena, *row, 1, t->digits[entry - t->nest->entries][k]);
        if (*row == NULL)
            return too_long(t, entry->loops[k].loc);
    }
    return SATOR_OK;
}

/* Multiply "*window" by the stamps that the loops at "level" make. */
static enum sator_status widen(const struct sator_nest_time *t, int level, int64_t *window)
{
    const struct sator_loop_entry *entry = entry_at(t->nest, &t->levels[level]);

    for (int k = 0; entry != NULL && k < entry->n_loops; k++) {
        if (entry->loops[k].dim < 0 &&
                __builtin_mul_overflow(*window, entry->loops[k].extent, window))
            return too_long(t, entry->loops[k].loc);
    }
    return SATOR_OK;
}

/* The outermost memory whose loops are joined with those at "level". */
static int find_outermost(const struct sator_nest_time *t, int level)
{
    int outermost = level;

    for (int outer = next_memory(t->n_levels, t->levels, level, -1);
            outer >= 0 && !is_skewed_inside(t->nest, t->n_levels, t->levels, outer) &&
            joined_loops(t->nest, t->n_levels, t->levels, outer) >= 0;
            outer = next_memory(t->n_levels, t->levels, outer, -1)) {
        if (joined_loops(t->nest, t->n_levels, t->levels, outer) > 0)
            outermost = outer;
    }
    return outermost;
}

/* How much earlier than the first PE of the arrays directly inside "level" another one begins. */
static enum sator_status find_lead(const struct sator_nest_time *t, int level, int64_t *lead)
{
    *lead = 0;
    for (int i = level + 1; i < t->n_levels && !t->levels[i].is_memory; i++) {
        const struct sator_loop_entry *entry = entry_at(t->nest, &t->levels[i]);
        for (int d = 0; entry != NULL && d < entry->n_skew; d++) {
            int64_t used = 1, steps;
            for (int k = 0; k < entry->n_loops; k++) {
                if (entry->loops[k].dim == d &&
                        __builtin_mul_overflow(used, entry->loops[k].extent, &used))
                    return too_long(t, entry->loops[k].loc);
            }
            if (entry->skew[d] < 0 &&
                    (__builtin_mul_overflow(-entry->skew[d], used - 1, &steps) ||
                            __builtin_add_overflow(*lead, steps, lead)))
                return too_long(t, entry->skew_loc);
        }
    }
    return SATOR_OK;
}

/* The skewed row that the loops at memory "level" are part of, R, or where memories inside it have
 * loops in R, too, floor((R - R0) / M): M is the product of theirs, R0 the least value of R. */
static enum sator_status make_row(
        const struct sator_nest_time *t, int level, const struct sator_expr **row)
{
    int64_t window = 1, lead;
    int at, innermost = level;
    enum sator_status st = SATOR_OK;

    *row = sator_expr_constant(t->arena, 0);
    for (at = find_outermost(t, level); at >= 0; at = next_memory(t->n_levels, t->levels, at, 1)) {
        SATOR_TRY(join(t, at, joined_loops(t->nest, t->n_levels, t->levels, at), row));
        if (at > level)
            SATOR_TRY(widen(t, at, &window));
        innermost = at;
        if (is_skewed_inside(t->nest, t->n_levels, t->levels, at))
            break;
    }
    SATOR_TRY(add_skew(t, innermost, row));
    if (innermost != level) {
        SATOR_TRY(find_lead(t, innermost, &lead));
        *row = sator_expr_add(t->arena, sator_expr_constant(t->arena, lead), 1, *row);
        *row = *row == NULL ? NULL : sator_expr_floor(t->arena, *row, window);
        st = *row == NULL ? too_long(t, t->nest->entries[0].loc) : SATOR_OK;
    }
done:
    return st;
}

/* The rows of the loops at "level": those that are joined are one, skewed where an array inside
 * says so. */
static enum sator_status add_rows(struct sator_nest_time *t, int level)
{
    const struct sator_loop_entry *entry = entry_at(t->nest, &t->levels[level]);
    int left = temporal_loops(entry), joined = 0;
    bool is_memory = t->levels[level].is_memory, skewed = false;
    const struct sator_expr *row = sator_expr_constant(t->arena, 0);
    enum sator_status st = SATOR_OK;

    if (is_memory) {
        joined = joined_loops(t->nest, t->n_levels, t->levels, level);
        skewed = joined > 0 || is_skewed_inside(t->nest, t->n_levels, t->levels, level);
    } else if (level == 0) { /* arrays outside of all memories */
        skewed = is_skewed_inside(t->nest, t->n_levels, t->levels, -1);
        joined = skewed ? left : 0;
    }
    for (int k = 0; entry != NULL && k < entry->n_loops; k++) {
        if (entry->loops[k].dim < 0 && left-- > (joined > 0 ? joined : 0))
            SATOR_PUSH(t->arena, t->rows, t->n_rows, t->digits[entry - t->nest->entries][k]);
    }
    if (!skewed)
        return SATOR_OK;
    if (is_memory)
        SATOR_TRY(make_row(t, level, &row));
    else {
        SATOR_TRY(join(t, level, joined, &row));
        SATOR_TRY(add_skew(t, level, &row));
    }
    SATOR_PUSH(t->arena, t->rows, t->n_rows, row);
done:
    return st;
}

enum sator_status sator_nest_time_make(struct sator_nest_time *t)
{
    enum sator_status st = SATOR_OK;

    t->n_rows = 0;
    t->rows = NULL;
    for (int level = 0; level < t->n_levels && st == SATOR_OK; level++) {
        t->rows_outside[level] = t->n_rows;
        st = add_rows(t, level);
    }
    if (t->n_rows == 0)
        SATOR_PUSH(t->arena, t->rows, t->n_rows, sator_expr_constant(t->arena, 0));
    return st;
}
