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
        if (!entry->says_joined)
            continue;
        if (!levels[l].is_memory || !is_skewed_inside(nest, n_levels, levels, l))
            st = sator_error(ctx, entry->joined_loc,
                    "no array directly inside '%s' is skewed: there is nothing to join its loops "
                    "for",
                    entry->level);
        else if (entry->joined > temporal_loops(entry))
            st = sator_error(ctx, entry->joined_loc, "'%s' has %d %s, %d cannot be joined",
                    entry->level, temporal_loops(entry),
                    temporal_loops(entry) == 1 ? "loop" : "loops", entry->joined);
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

/* The rows of the loops at "level"; the last of them joined and skewed where an array inside says
 * so. */
static enum sator_status add_rows(struct sator_nest_time *t, int level)
{
    const struct sator_loop_entry *entry = entry_at(t->nest, &t->levels[level]);
    int e = entry == NULL ? 0 : (int)(entry - t->nest->entries), left = temporal_loops(entry);
    bool skewed = t->levels[level].is_memory || level == 0
            ? is_skewed_inside(
                      t->nest, t->n_levels, t->levels, t->levels[level].is_memory ? level : -1)
            : false;
    int joined = !skewed ? 0 : entry != NULL && entry->says_joined ? entry->joined : left;
    const struct sator_expr *zero = sator_expr_constant(t->arena, 0), *row = zero;

    for (int k = 0; entry != NULL && k < entry->n_loops; k++) {
        if (entry->loops[k].dim >= 0)
            continue;
        if (left-- > joined) {
            SATOR_PUSH(t->arena, t->rows, t->n_rows, t->digits[e][k]);
            continue;
        }
        row = sator_expr_add(t->arena, zero, entry->loops[k].extent, row);
        row = row == NULL ? NULL : sator_expr_add(t->arena, row, 1, t->digits[e][k]);
        if (row == NULL)
            return too_long(t, entry->loops[k].loc);
    }
    if (!skewed)
        return SATOR_OK;
    enum sator_status st = add_skew(t, level, &row);
    if (st == SATOR_OK)
        SATOR_PUSH(t->arena, t->rows, t->n_rows, row);
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
