/* Skewed loops joined across the tiles of memories (doc/mapper.md, "Windows").
 *
 * A memory whose tiles the row of a skewed array runs across holds windows of the row: its tile,
 * and what PEs that are late still want of the one before. Those mappings are in the space whose
 * windows fit where tiles do, and bring the same words. So all that is known of tiles, formulas and
 * bounds, holds of them; that they are in the space the engines say, of those that may be the best.
 */
#include "count/count.h"
#include "mapper/cost/cost.h"
#include "mapper/problem/skew.h"

#include <assert.h>

bool sator_mapper_may_join_across(const struct mapper_problem *p)
{
    int outside = -1, memory = 0;
    bool is_one = p->skew != NULL && !p->has_late && !p->imperfect && !p->in_hull;

    for (int m = 0; m < p->n_memories; m++) /* sums that idle in windows are not counted */
        is_one &= !p->memory[m].holds_idle;
    for (int r = 0; r < p->n_rows && is_one; r++) {
        if (!p->row[r].is_space) {
            memory = p->row[r].memory;
        } else if (p->skew->step[r] != 0) {
            is_one = outside < 0 || outside == memory;
            outside = memory;
        }
    }
    return is_one && outside > 0 && p->memory[outside].row == outside;
}

bool sator_mapper_lists_windows(const struct mapper_problem *p)
{
    bool any = false;

    for (int a = 0; a < p->n_accesses; a++)
        any |= p->access[a].is_sliding;
    return any;
}

bool sator_mapper_holds_windows(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int m)
{
    bool any = false;
    int at = sator_mapper_row_memory(p, mapping, m);

    for (int k = 0; k < m && at >= m && sator_mapper_joined_from(p, at) < m; k++) {
        for (int i = 0; i < p->n_loops; i++)
            any |= mapping->factor[p->memory[k].row][i] > 1;
    }
    return any;
}

int64_t sator_mapper_held_words(const struct mapper_problem *p, struct mapper_words *words,
        const struct mapper_mapping *mapping, int m, int access)
{
    struct mapper_shape shape;

    if (sator_mapper_holds_windows(p, mapping, m))
        return sator_mapper_counted_window(words, mapping, m, access);
    sator_mapper_shape_init(p, mapping, &shape);
    return sator_mapper_tile_words(words, access, shape.inside[p->memory[m].row]);
}

/* Whether what memory "m" holds fits it. */
static bool fits(const struct mapper_problem *p, struct mapper_words *words,
        const struct mapper_mapping *mapping, int m)
{
    int64_t size[MAPPER_ACCESSES] = {0};

    for (int a = 0; a < p->n_accesses; a++) {
        if (!(p->memory[m].holds >> a & 1))
            continue;
        size[a] = sator_mapper_held_words(p, words, mapping, m, a);
        if (size[a] == INT64_MAX)
            return false;
    }
    return sator_mapper_fits(p, m, size);
}

/* Whether the engines count as many words of each transfer as the formulas of tiles. */
static bool brings_the_same(const struct mapper_problem *p, struct mapper_words *words,
        const struct mapper_mapping *mapping)
{
    struct mapper_traffic traffic;
    struct sator_volumes volumes;
    bool same = true;

    sator_mapper_count(p, words, mapping, &traffic);
    for (int t = 0; t < p->n_transfers && same; t++) {
        if (p->transfer[t].child == p->n_memories || p->transfer[t].is_outside)
            continue;
        same = sator_mapper_counted_volumes(words, mapping, t, &volumes) &&
                volumes.unique == traffic.unique[t];
    }
    return same;
}

bool sator_mapper_windows_fit(const struct mapper_problem *p, struct mapper_words *words,
        const struct mapper_mapping *mapping)
{
    bool any = false;

    if (p->skew == NULL || !p->skew->across)
        return true;
    for (int m = 1; m < p->n_memories; m++) {
        if (!sator_mapper_holds_windows(p, mapping, m))
            continue;
        any = true;
        if (!fits(p, words, mapping, m))
            return false;
    }
    return !any || brings_the_same(p, words, mapping);
}
