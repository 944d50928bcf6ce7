/* What a proof is not about: mappings that sator_analyze takes and that are in no space searched
 * (doc/mapper.md, "The map space"), in words of a user.
 */
#include "mapper/mapper.h"

/* Whether a loop may have digits on several dimensions where it matters which is on which. */
static bool digits_matter(const struct mapper_problem *p)
{
    return __builtin_popcount(p->any_order) > 1;
}

static bool has_pes(const struct mapper_problem *p)
{
    for (int r = 0; r < p->n_rows; r++) {
        if (p->row[r].is_space && p->row[r].shape > 1)
            return true;
    }
    return false;
}

/* Whether some loop can be cut into tiles that leave a remainder. */
static bool has_remainders(const struct mapper_problem *p)
{
    for (int i = 0; i < p->n_loops; i++) {
        if (p->extent[i] > 2)
            return true;
    }
    return false;
}

/* Whether links or wires pass words on, so that PEs must not be without a tile. */
static bool passes_on(const struct mapper_problem *p)
{
    bool passes = p->linked_rows != 0;

    for (int t = 0; t < p->n_transfers; t++)
        passes |= p->transfer[t].may_pass;
    return passes;
}

const char *const *sator_mapper_left_out(const struct mapper_problem *problem, bool skews,
        const char *imperfect, const struct mapper_left_open *open, struct sator_arena *arena,
        int *n_left_out)
{
    const char **list = NULL;
    int count = 0;

    if (open->hull)
        SATOR_PUSH(arena, list, count,
                "most mappings: each takes counting in a domain that is no box; the bound is of "
                "all");
    if (has_remainders(problem) && !problem->imperfect && problem->in_hull)
        SATOR_PUSH(arena, list, count, "factors that do not divide a loop's extent");
    else if (has_remainders(problem) && !problem->imperfect)
        SATOR_PUSH(arena, list, count,
                sator_arena_printf(
                        arena, "factors that do not divide a loop's extent (%s)", imperfect));
    else if (has_remainders(problem) && open->chains)
        SATOR_PUSH(arena, list, count,
                "most mappings with remainders at several levels: too many to look at all of them");
    else if (has_remainders(problem) && passes_on(problem))
        SATOR_PUSH(arena, list, count,
                "remainders at several levels of loops whose words pass from PE to PE");
    if (problem->imperfect && problem->merged_sliding != 0)
        SATOR_PUSH(arena, list, count,
                "remainders of loops that share an index of a sum that trees merge");
    if (has_pes(problem) && !skews)
        SATOR_PUSH(arena, list, count, "PEs that run the nest at shifted times (skewed)");
    else if (skews) {
        SATOR_PUSH(
                arena, list, count, "skews that make no link a wire or one from the stamp before");
        SATOR_PUSH(arena, list, count, "skewed loops joined across a memory's tiles");
    }
    if (open->orders)
        SATOR_PUSH(arena, list, count,
                "most other orders of the loops that share an array dimension: too many to look at "
                "all of them");
    if (digits_matter(problem))
        SATOR_PUSH(arena, list, count,
                "loops on several array dimensions with an outer digit on a later one");
    SATOR_PUSH(arena, list, count,
            "nests with a loop twice at one memory or array dimension; dataflows that are no nest "
            "of tiles");
    *n_left_out = count;
    return list;
}
