/* What a proof is not about: mappings that sator_analyze takes and that are in no space searched
 * (doc/mapper.md, "The map space"), in words of a user.
 */
#include "mapper/problem/skew.h"
#include "mapper/search/search.h"

#include <stdlib.h>

/* Whether the transfer has a window, and two dimensions of an array differ in how its words are
 * shared there: which elements meet depends on how far apart in the window the PEs of a bus, a tree
 * or a link are. */
static bool shares_windows(const struct mapper_problem *p, const struct mapper_transfer *t)
{
    bool differ = false;

    if ((p->access[t->access].relevant & ~p->access[t->access].plain) == 0)
        return false;
    for (int r = 1; r < t->child_row; r++) {
        unsigned pair = 3U << (r - 1);
        bool is_array = p->row[r].is_space && p->row[r].level == p->row[r - 1].level &&
                p->row[r].shape > 1 && p->row[r - 1].shape > 1;
        unsigned shared = t->collapsed & pair, linked = t->linked_rows & pair;
        differ |= is_array && ((shared != 0 && shared != pair) || (linked != 0 && linked != pair));
    }
    return differ;
}

/* Whether some loop has more iterations than that: of 3 some tiles leave a remainder, of 4 one that
 * equally many smaller tiles would not leave. */
static bool exceeds(const struct mapper_problem *p, int64_t iterations)
{
    for (int i = 0; i < p->n_loops; i++) {
        if (p->extent[i] > iterations)
            return true;
    }
    return false;
}

/* Whether it matters with short tiles on which of two dimensions a digit is. Other factors may be
 * the least of their chain: of 7 iterations 2 tiles of 3 side by side are 6 and 1, and of tiles of
 * 2 no more than 2 are needed, where only the digit of more PEs is of use on the inside. Or others
 * are idle beside a PE with which it shares words along one dimension: of 6 iterations, 4 side by
 * side, the last 2 are on the dimension of the inner digit; of 5 in tiles of 2 the last tile is
 * short, and beside the first one on that of the outer digit. */
static bool chains_differ(const struct mapper_problem *p)
{
    bool differ = false;

    for (int r = 1; r < p->n_rows && p->imperfect; r++) {
        for (int q = 0; q < r; q++) {
            if (!p->row[r].is_space || !p->row[q].is_space || p->row[r].level != p->row[q].level ||
                    p->row[r].shape < 2 || p->row[q].shape < 2)
                continue;
            differ |= exceeds(p, 6) && p->row[q].shape > 2;
            differ |= exceeds(p, 4) && !sator_mapper_same_rows(p, q, r, false, NULL);
        }
    }
    return differ;
}

/* Whether a loop may have digits on several dimensions where it matters which is on which. */
static bool digits_matter(const struct mapper_problem *p)
{
    bool matter = __builtin_popcount(p->any_order) > 1 || chains_differ(p);

    for (int t = 0; t < p->n_transfers; t++)
        matter |= shares_windows(p, &p->transfer[t]);
    return matter;
}

/* Of 2 iterations none leave one, but where a constraint asks for a factor: there may be a step of
 * 2 to take at one memory, and the other at another. */
static bool has_remainders(const struct mapper_problem *p)
{
    bool asks = p->has_fixed || p->n_spread_limits > 0 || p->least_pes > 0;

    return exceeds(p, asks && !p->imperfect ? 1 : 2);
}

/* Whether links at several costs lead straight to compute units, where chains must be filled. */
static bool has_mixed_direct(const struct mapper_problem *p)
{
    return p->mixed_direct != 0;
}

/* The same of links to anywhere. */
static bool has_mixed_links(const struct mapper_problem *p)
{
    return p->mixed_rows != 0;
}

/* Whether a domain that is no box might leave out the PEs that an array dimension has not. */
static bool may_reach_beyond(const struct mapper_problem *p)
{
    int64_t all = 1, least = INT64_MAX;

    for (int i = 0; i < p->n_loops; i++)
        all = all > INT64_MAX / p->extent[i] ? INT64_MAX : all * p->extent[i];
    for (int r = 0; r < p->n_rows; r++) {
        if (p->row[r].is_space)
            least = p->row[r].shape < least ? p->row[r].shape : least;
    }
    return p->in_hull && all > least;
}

/* Whether it is so for some choice of what bypasses what. */
static bool is_any(const struct mapper_problem *problems, int n_problems,
        bool (*is_so)(const struct mapper_problem *problem))
{
    bool any = false;

    for (int i = 0; i < n_problems; i++)
        any |= is_so(&problems[i]);
    return any;
}

/* Whether a factor beyond what its loop needs may be of use, which leaves PEs idle between tiles.
 */
static bool has_gaps(
        const struct mapper_problem *problems, int n_problems, const struct mapper_skews *skews)
{
    bool any = false, is_skewed = false;

    for (int k = 0; k < skews->n; k++) {
        for (int r = 0; r < problems->n_rows; r++)
            is_skewed |= skews->skew[k].step[r] != 0;
    }
    for (int i = 0; i < n_problems; i++)
        any |= sator_mapper_gaps_matter(&problems[i], is_skewed);
    return any;
}

/* Whether some skew is of an array inside a memory that is not the outermost: skewed loops could be
 * joined across what it holds. */
static bool has_windows(const struct mapper_problem *p, const struct mapper_skews *skews)
{
    bool any = false;
    int memory = 0;

    for (int r = 0; r < p->n_rows; r++) {
        memory = p->row[r].is_space ? memory : p->row[r].memory;
        for (int k = 0; k < skews->n; k++)
            any |= memory > 0 && skews->skew[k].step[r] != 0;
    }
    return any;
}

/* Whether some skew is by several stamps from one PE to the next. */
static bool has_long_steps(const struct mapper_problem *p, const struct mapper_skews *skews)
{
    bool any = false;

    for (int k = 0; k < skews->n; k++) {
        for (int r = 0; r < p->n_rows; r++)
            any |= llabs(skews->skew[k].step[r]) > 1;
    }
    return any;
}

/* Whether words are counted under some skew. */
static bool has_counted_skew(const struct mapper_skews *skews)
{
    bool any = skews->n_counted > 0;

    for (int k = 0; k < skews->n; k++)
        any |= skews->skew[k].counted;
    return any;
}

/* Remainders on skewed arrays. */
static void add_skewed_remainders(const struct mapper_problem *p, const struct mapper_skews *skews,
        const char ***list, int *count)
{
    if (skews->n == 1)
        return;
    SATOR_PUSH(p->arena, *list, *count,
            "skewed arrays with a remainder of a loop that several memories split, or that shares "
            "an array dimension");
    if (has_windows(p, skews) || has_long_steps(p, skews))
        SATOR_PUSH(p->arena, *list, *count,
                "skewed arrays with remainders where PEs run several stamps apart, or where no PE "
                "is late in a last tile");
    if (has_counted_skew(skews))
        SATOR_PUSH(p->arena, *list, *count,
                "skewed arrays with remainders where links bring words late, or words have no "
                "formula");
}

bool sator_mapper_leaves_remainders(const struct mapper_problem *p)
{
    return p->imperfect && (has_mixed_links(p) || has_mixed_direct(p));
}

/* Which mappings with remainders are left out, "imperfect" being how to ask for them; NULL: none.
 */
static const char *left_remainders(const struct mapper_problem *problems, int n_problems,
        const char *imperfect, const struct mapper_left_open *open, struct sator_arena *arena)
{
    const struct mapper_problem *problem = &problems[0];

    if (!has_remainders(problem))
        return NULL;
    if (!problem->imperfect)
        return sator_arena_printf(
                arena, "factors that do not divide a loop's extent (%s)", imperfect);
    if (open->chains && problem->only_chains)
        return "most mappings with remainders: too many to look at all of them";
    if (open->chains)
        return "most mappings with remainders at several levels: too many to look at all of them";
    if (open->idle)
        return "most mappings with remainders of loops whose words pass from PE to PE: too many to "
               "look at all of them";
    if (is_any(problems, n_problems, has_mixed_links))
        return "remainders outside the innermost tiles of loops over links of several costs, or "
               "beside a tree for one sum";
    return NULL;
}

const char *const *sator_mapper_left_out(const struct mapper_problem *problems, int n_problems,
        const struct mapper_skews *skews, const char *imperfect,
        const struct mapper_left_open *open, struct sator_arena *arena, int *n_left_out)
{
    const struct mapper_problem *problem = &problems[0];
    const char *remainders = left_remainders(problems, n_problems, imperfect, open, arena);
    const char **list = NULL;
    int count = 0;

    if (open->hull)
        SATOR_PUSH(arena, list, count,
                "most mappings: their words have no formula, and each takes counting; the bound is "
                "of all");
    if (remainders != NULL)
        SATOR_PUSH(arena, list, count, remainders);
    if (has_remainders(problem) && problem->imperfect &&
            is_any(problems, n_problems, has_mixed_direct))
        SATOR_PUSH(arena, list, count,
                "remainders where links of several costs, or beside a tree for one sum, lead "
                "straight to compute units");
    if (problem->imperfect && exceeds(problem, 3))
        SATOR_PUSH(arena, list, count,
                "factors larger than as many tiles need, which leave the last one shorter");
    if (has_gaps(problems, n_problems, skews))
        SATOR_PUSH(arena, list, count,
                "factors that multiply to more than a loop's extent and leave PEs idle between "
                "tiles");
    if (may_reach_beyond(problem))
        SATOR_PUSH(arena, list, count,
                "more tiles along an array dimension than it has PEs, the others being empty in a "
                "domain that is no box");
    if (open->ends_short)
        SATOR_PUSH(arena, list, count, "most mappings with remainders on skewed arrays");
    if (problem->imperfect)
        add_skewed_remainders(problem, skews, &list, &count);
    if (has_windows(problem, skews))
        SATOR_PUSH(arena, list, count,
                open->windows ? "skewed loops joined across a memory's tiles"
                              : "skewed loops joined across a memory's tiles where windows hold "
                                "or bring less than tiles");
    for (int i = 0; i < skews->n_left_out; i++)
        SATOR_PUSH(arena, list, count, skews->left_out[i]);
    for (int i = 0; i < skews->n_counted && open->counted; i++)
        SATOR_PUSH(arena, list, count, skews->counted[i]);
    if (open->orders)
        SATOR_PUSH(arena, list, count,
                "most other orders of the loops that share an array dimension: too many to look at "
                "all of them");
    if (is_any(problems, n_problems, digits_matter))
        SATOR_PUSH(arena, list, count,
                "loops on several array dimensions with an outer digit on a later one");
    if (problem->arch->control.instruction_bits > 0)
        SATOR_PUSH(
                arena, list, count, "what control takes: mappings are compared without its energy");
    SATOR_PUSH(arena, list, count,
            "nests with a loop twice at one memory or array dimension; dataflows that are no nest "
            "of tiles");
    *n_left_out = count;
    return list;
}
