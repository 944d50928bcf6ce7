/* Most pieces of a set meet no other in any stamp, and those that do are a few PEs apart: so this
 * is found once, for all links together, and a link looks only at meetings that are as far apart as
 * its PEs are.
 */
#include "count/general/meetings.h"

#include "base/arena.h"

#include <stdlib.h>

void sator_meetings_clear(struct sator_meetings *meetings)
{
    for (int i = 0; i < meetings->n; i++) {
        sator_system_free(meetings->list[i].system);
        free(meetings->list[i].apart);
    }
    free(meetings->list);
    *meetings = (struct sator_meetings){0};
}

/* "n" variables of a system from "from" on are those of another from "to" on. */
struct run {
    int from, n, to;
};

/* Append the rows of "other" to "system"; "runs" are all variables of "other". */
static void add_placed(struct sator_system *system, const struct sator_system *other,
        const struct run *runs, int n_runs)
{
    int *vars = sator_alloc(sizeof *vars * (size_t)(other->n_vars + 1));

    for (int i = 0; i < n_runs; i++)
        for (int v = 0; v < runs[i].n; v++)
            vars[runs[i].from + v] = runs[i].to + v;
    sator_system_add_rows(system, other, vars);
    free(vars);
}

/* Bounds of p - q in a system that has these from variables "p" and "q" on (GIVE: free); NULL when
 * it is empty. */
static enum sator_status find_apart(
        const struct sator_system *system, int n_space, int p, int q, struct sator_range **apart)
{
    struct sator_system *with =
            sator_system_new(n_space + system->n_vars, system->n_rows + n_space);
    struct sator_range *ranges = sator_alloc(sizeof *ranges * (size_t)(with->n_vars + 1));
    enum sator_status st;
    bool empty = false;

    add_placed(with, system, &(struct run){0, system->n_vars, n_space}, 1);
    for (int d = 0; d < n_space; d++) {
        int64_t *cells = sator_system_add(with, KIND_EQUALITY) + ROW_COEFFICIENTS;

        cells[d] = -1;
        cells[n_space + p + d] = 1;
        cells[n_space + q + d] = -1;
    }
    st = sator_system_simplify(with, n_space, &empty);
    if (st == SATOR_OK && !empty)
        sator_system_ranges(with, ranges, &empty);
    if (st != SATOR_OK || empty) {
        free(ranges);
        ranges = NULL;
    }
    *apart = ranges;
    sator_system_free(with);
    return st;
}

static bool may_agree(const struct sator_range *a, const struct sator_range *b, int n)
{
    for (int d = 0; d < n; d++)
        if (a[d].lower > b[d].upper || b[d].lower > a[d].upper)
            return false;
    return true;
}

/* ---- finding them ---- */

/* A question; "n_back" are the dimensions of t', none where t' is t. */
struct search {
    struct sator_stamps *stamps;
    int n_space, n_time, n_leading, n_back;
    const struct sator_pieces *held;
    struct sator_meetings *meetings;
};

/* ((p,t),f) in "here" and (t,t') in "chain" (NULL: t' is t): over p, t, f, t' and more. */
static struct sator_system *look_back(const struct search *search, const struct sator_system *here,
        const struct sator_system *chain)
{
    int n = search->n_leading, n_time = search->n_time, n_own = here->n_vars - n;
    int n_more = chain ? chain->n_vars - 2 * n_time : 0;
    struct sator_system *back = sator_system_new(
            n + search->n_back + n_own + n_more, here->n_rows + (chain ? chain->n_rows : 0));

    add_placed(back, here, (struct run[]){{0, n, 0}, {n, n_own, n + search->n_back}}, 2);
    if (chain)
        add_placed(back, chain,
                (struct run[]){{0, n_time, search->n_space}, {n_time, n_time, n},
                        {2 * n_time, n_more, n + n_time + n_own}},
                3);
    return back;
}

/* "back" and ((q,t'),f) in "there": over p, t, f, q and more. */
static struct sator_system *meet(const struct search *search, const struct sator_system *back,
        const struct sator_system *there)
{
    int n = search->n_leading, n_space = search->n_space, n_time = search->n_time;
    int n_own = back->n_vars - n, n_more = there->n_vars - n;
    struct sator_system *both =
            sator_system_new(n + n_space + n_own + n_more, back->n_rows + there->n_rows);

    add_placed(both, back, (struct run[]){{0, n, 0}, {n, n_own, n + n_space}}, 2);
    add_placed(both, there,
            (struct run[]){{0, n_space, n},
                    {n_space, n_time, search->n_back > 0 ? n + n_space : n_space},
                    {n_space + n_time, n - n_space - n_time, n_space + n_time},
                    {n, n_more, n + n_space + n_own}},
            4);
    return both;
}

/* Add the meetings of "back", of the piece "home", with all that is held. */
static enum sator_status add_meetings(
        struct search *search, const struct sator_system *back, int home)
{
    struct sator_meetings *all = search->meetings;
    enum sator_status st = SATOR_OK;

    for (int k = 0; k < search->held->n; k++) {
        struct sator_meeting made = {
                .home = home, .system = meet(search, back, search->held->systems[k])};
        bool empty = false;

        st = sator_points_work(search->stamps->points,
                (uint64_t)made.system->n_rows * (uint64_t)made.system->n_vars);
        if (st == SATOR_OK)
            st = sator_system_tidy(&made.system, search->n_leading + search->n_space, &empty);
        if (st == SATOR_OK && !empty)
            st = find_apart(made.system, search->n_space, 0, search->n_leading, &made.apart);
        if (made.apart == NULL) {
            sator_system_free(made.system);
            SATOR_TRY(st);
            continue;
        }
        all->list = sator_realloc(all->list, sizeof *all->list * (size_t)(all->n + 1));
        all->list[all->n++] = made;
    }
done:
    return st;
}

enum sator_status sator_meetings_find(struct sator_stamps *stamps, int n_leading,
        const struct sator_pieces *here, int interval, const struct sator_pieces *held,
        struct sator_meetings *meetings)
{
    struct search search = {stamps, stamps->n_space, stamps->n_time, n_leading,
            interval > 0 ? stamps->n_time : 0, held, meetings};
    const struct sator_pieces *chain = NULL;
    enum sator_status st = SATOR_OK;

    *meetings = (struct sator_meetings){.n_space = stamps->n_space, .n_leading = n_leading};
    if (interval > 0 && stamps->n_time == 0)
        return SATOR_OK; /* no stamp is before the only one */
    if (interval > 0)
        SATOR_TRY(sator_stamps_chain(stamps, interval, &chain));
    for (int i = 0; i < here->n; i++)
        for (int j = 0; j < (chain ? chain->n : 1); j++) {
            struct sator_system *back =
                    look_back(&search, here->systems[i], chain ? chain->systems[j] : NULL);
            bool empty = false;

            st = sator_system_tidy(&back, n_leading + search.n_back, &empty);
            if (st == SATOR_OK && !empty)
                st = add_meetings(&search, back, i);
            sator_system_free(back);
            SATOR_TRY(st);
        }
done:
    if (st != SATOR_OK)
        sator_meetings_clear(meetings);
    return st;
}

/* ---- links ---- */

/* "meeting" where "link" joins its PEs. */
static struct sator_system *join(const struct sator_meetings *meetings,
        const struct sator_system *meeting, const struct sator_system *link)
{
    int n_space = meetings->n_space, n_more = link->n_vars - 2 * n_space;
    struct sator_system *both =
            sator_system_new(meeting->n_vars + n_more, meeting->n_rows + link->n_rows);

    add_placed(both, meeting, &(struct run){0, meeting->n_vars, 0}, 1);
    add_placed(both, link,
            (struct run[]){{0, n_space, meetings->n_leading}, {n_space, n_space, 0},
                    {2 * n_space, n_more, meeting->n_vars}},
            3);
    return both;
}

enum sator_status sator_meetings_served(struct sator_stamps *stamps,
        const struct sator_meetings *meetings, const struct sator_system *link,
        struct sator_served *served)
{
    int n_space = meetings->n_space;
    struct sator_range *apart;
    enum sator_status st = find_apart(link, n_space, n_space, 0, &apart);

    *served = (struct sator_served){0};
    for (int i = 0; i < meetings->n && apart && st == SATOR_OK; i++) {
        const struct sator_meeting *meeting = &meetings->list[i];

        if (may_agree(meeting->apart, apart, n_space))
            st = sator_served_push(stamps->points, served, join(meetings, meeting->system, link),
                    meeting->home, meetings->n_leading);
    }
    free(apart);
    if (st != SATOR_OK)
        sator_served_clear(served);
    return st;
}
