/* Skewed arrays whose last tiles are cut short (doc/mapper.md, "Skew").
 *
 * Such a loop takes all of its time in the row that is skewed, so that all runs are alike, and has
 * the array dimensions on which it stands to itself, so that the PEs without a tile are the last
 * ones. What crosses is then what the nest without the skew moves; and a run ends when the last PE
 * of each whole tile, or the last one with a short one, has ended:
 *
 *      13 iterations on 8 PEs, two steps     PEs 0 to 4 run both, 5 to 7 the first alone
 */
#include "mapper/problem/skew.h"

#include <stdlib.h>

/* The only memory whose row is skewed; -1: none, or several are. */
static int skewed_memory(const struct mapper_problem *p, const struct mapper_mapping *mapping)
{
    int found = -1, n = 0;

    for (int m = 0; m < p->n_memories; m++) {
        if (sator_mapper_span(p, mapping, m) == 0)
            continue;
        found = m;
        n++;
    }
    return n == 1 ? found : -1;
}

/* Whether no other loop stands on array dimension "r" beside "loop", if PEs run apart along it. */
static bool stands_alone(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int loop, int r)
{
    return mapping->factor[r][loop] == 1 || p->skew->step[r] == 0 ||
            mapping->factor[r][loop] == mapper_steps_at(p, mapping, r);
}

int sator_mapper_short_row(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int loop)
{
    int m = skewed_memory(p, mapping);

    if (m < 0 || sator_mapper_joined_from(p, m) != m)
        return -1;
    for (int r = 0; r < p->n_rows; r++) {
        bool is_far = llabs(p->skew->step[r]) > 1 && mapper_steps_at(p, mapping, r) > 1;
        bool is_outside = r < p->memory[m].row && mapping->factor[r][loop] > 1;
        if (p->row[r].is_space && (is_far || is_outside || !stands_alone(p, mapping, loop, r)))
            return -1;
    }
    return m;
}

/* Whether tiles of the loop are cut short. */
static bool is_short(const struct mapper_problem *p, const struct mapper_mapping *mapping, int loop)
{
    return p->extent[loop] % mapper_positions(p, mapping, p->n_rows, loop) != 0;
}

/* How far along the skew, times "sign", the PEs reach that have a tile in the last step of "loop":
 * of the PEs up to the last one of that step count those that have a digit below it, and then any
 * further in. "all" is how far all PEs reach. */
static int64_t reach_of_last(const struct mapper_problem *p, const struct mapper_mapping *mapping,
        int loop, int sign, int64_t *all)
{
    int64_t pes = mapper_positions(p, mapping, p->n_rows, loop), last = 0, here = 0;
    int64_t top = (p->extent[loop] - 1) % pes;

    *all = 0;
    for (int r = 0; r < p->n_rows; r++) {
        int64_t step = sign * p->skew->step[r];
        if (p->row[r].is_space && step > 0)
            *all += step * (mapping->factor[r][loop] - 1);
    }
    int64_t inside = *all; /* what the rows from here inward add at most */
    bool found = false;
    for (int r = 0; r < p->n_rows; r++) { /* from outside in */
        int64_t factor = mapping->factor[r][loop], step = sign * p->skew->step[r];
        if (!p->row[r].is_space || factor == 1)
            continue;
        pes /= factor;
        inside -= step > 0 ? step * (factor - 1) : 0;
        int64_t digit = top / pes % factor;
        int64_t below = here + inside + (step > 0 ? step * (digit - 1) : 0);
        if (digit > 0 && (!found || below > last)) {
            last = below;
            found = true;
        }
        here += step * digit;
    }
    return found && last > here ? last : here;
}

/* How much later the last PE that has a tile of "loop" runs than the last one of its last step,
 * which is cut short. */
static int64_t lateness(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int loop)
{
    int64_t all = 0, last = reach_of_last(p, mapping, loop, 1, &all);

    return all - last;
}

/* The same of the first ones: none, unless the last step is the only one. */
static int64_t earliness(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int loop)
{
    int64_t all = 0, first = reach_of_last(p, mapping, loop, -1, &all);

    return all - first;
}

/* The steps of the loops of memory "m" inside of "loop", where it is placed. */
static int64_t steps_inside(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int m, int loop)
{
    int64_t steps = 1;

    for (int k = p->n_loops - 1; k >= 0 && mapping->order[m][k] != loop; k--)
        steps *= mapping->factor[p->memory[m].row][mapping->order[m][k]];
    return steps;
}

int64_t sator_mapper_ends_early(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int m, bool by_order)
{
    int64_t early = 0;

    for (int i = 0; i < p->n_loops; i++) {
        if (!is_short(p, mapping, i))
            continue;
        bool is_only = mapper_positions(p, mapping, p->n_rows, i) >= p->extent[i]; /* one step */
        int64_t late = lateness(p, mapping, i);
        int64_t most = by_order && !is_only ? steps_inside(p, mapping, m, i) : late;
        early += late < most ? late : most;
        early += is_only ? earliness(p, mapping, i) : 0;
    }
    return early;
}

bool sator_mapper_ends_by_order(
        const struct mapper_problem *p, const struct mapper_mapping *mapping)
{
    bool any = false;

    for (int i = 0; i < p->n_loops && sator_mapper_ends_short(p); i++)
        any |= is_short(p, mapping, i) && lateness(p, mapping, i) > 1;
    return any;
}

bool sator_mapper_runs_apart(const struct mapper_problem *p, const struct mapper_mapping *mapping)
{
    int m = skewed_memory(p, mapping);
    int64_t runs = 1;
    bool any = false;

    for (int i = 0; i < p->n_loops; i++)
        any |= is_short(p, mapping, i);
    for (int r = 0; r < p->memory[m < 0 ? 0 : m].row; r++)
        runs *= p->row[r].is_space ? 1 : mapper_steps_at(p, mapping, r);
    return !any || runs == 1 ||
            sator_mapper_span(p, mapping, m) > sator_mapper_ends_early(p, mapping, m, false);
}
