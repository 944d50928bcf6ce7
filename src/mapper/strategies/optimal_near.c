/* Problems whose words the engines count, a mapping at a time: a start from a problem near them
 * that has formulas (problem/near.c), a search for as long as a user waits, and climbs from its
 * best.
 */
#include "mapper/strategies/optimal.h"

#include <stdlib.h>

/* Whether the engines count the mapping, which is tried then. */
static bool try_counted(struct mapper_search *search, const struct mapper_mapping *mapping)
{
    const bool has_unknown = search->has_unknown;
    const double unknown_bound = search->unknown_bound;

    if (!sator_mapper_is_legal(search->problem, search->words, mapping))
        return false;
    search->has_unknown = false;
    sator_mapper_try(search, mapping);
    const bool is_counted = !search->has_unknown;
    search->has_unknown = has_unknown; /* what is not counted is met again, or left out */
    search->unknown_bound = unknown_bound;
    return is_counted;
}

/* Let the outermost memory have the smallest factor of an array dimension; false: there is none. */
static bool thin_out(const struct mapper_problem *p, struct mapper_mapping *mapping)
{
    int row = -1, loop = -1;

    for (int r = 0; r < p->n_rows; r++) {
        for (int i = 0; i < p->n_loops && p->row[r].is_space; i++) {
            const int64_t factor = mapping->factor[r][i];
            if (factor == 1 || (row >= 0 && factor >= mapping->factor[row][loop]))
                continue;
            row = r;
            loop = i;
        }
    }
    if (row < 0)
        return false;
    mapping->factor[p->memory[0].row][loop] *= mapping->factor[row][loop];
    mapping->factor[row][loop] = 1;
    return true;
}

/* Try what was the best over there, from the last on, up to the first that the engines count. Where
 * that is not the last one, this is tried on fewer and fewer PEs, too: the fewer digits the more is
 * counted. */
static void try_trail(struct mapper_search *search, const struct mapper_trail *trail)
{
    const uint64_t n = trail->n < MAPPER_TRAIL ? trail->n : MAPPER_TRAIL;
    struct mapper_mapping thinner;
    uint64_t k = 0;
    bool is_counted = false;

    for (; k < n && !is_counted && !sator_mapper_should_stop(search); k++)
        is_counted = try_counted(search, &trail->mapping[(trail->n - 1 - k) % MAPPER_TRAIL]);
    if (n == 0 || (is_counted && k == 1))
        return;
    thinner = trail->mapping[(trail->n - 1) % MAPPER_TRAIL];
    is_counted = false;
    while (!is_counted && !sator_mapper_should_stop(search) && thin_out(search->problem, &thinner))
        is_counted = try_counted(search, &thinner);
}

/* Search the problem near this one, and try its best mapping: by the scheduled time, whatever is
 * known, for phases have formulas there, but for short tiles. */
static void try_best_of_near(struct mapper_search *search, struct mapper_problem *near)
{
    struct mapper_search alone = *search;
    struct sator_map_options options = *search->options;
    struct mapper_timer timer = {0};
    struct mapper_trail *trail = sator_alloc(sizeof *trail);
    uint64_t improvements = search->counters.improvements; /* those over there are none here */

    trail->n = 0;
    options.threads = 1; /* for it to be the same, however many there are */
    alone.options = &options;
    alone.trail = trail;
    alone.found = false;
    alone.timer = NULL;
    if (search->timer != NULL && !near->imperfect) {
        sator_mapper_know_phases(near);
        alone.timer = &timer;
    }
    alone.problem = near;
    alone.words = sator_mapper_words_new(near);
    if (near->imperfect) /* each of the steps that this takes */
        alone.most_looks = sator_mapper_looks(search) + MOST_HULL_LOOKS;
    sator_mapper_optimal(&alone);
    sator_mapper_words_free(alone.words);
    search->counters = alone.counters;
    search->counters.improvements = improvements;
    search->stopped = timer.is_worn_out ? search->stopped : alone.stopped;
    try_trail(search, trail);
    free(trail);
}

/* Climb as if all instances of a memory moved what they do in the mean, and try what is reached:
 * which is the busiest takes as long as a hundred such figures. */
static void climb_evened(struct mapper_search *search, int turn)
{
    struct mapper_search alone = *search;
    struct mapper_problem even = *search->problem;

    even.has_inner_ports = false;
    alone.problem = &even;
    alone.timer = NULL;
    sator_mapper_climb_counted(&alone, turn);
    const bool is_better = alone.counters.improvements != search->counters.improvements;
    search->counters.evaluated = alone.counters.evaluated;
    search->counters.looks = alone.counters.looks;
    search->stopped = alone.stopped;
    if (is_better)
        try_counted(search, &alone.best);
}

/* Climb from the best mapping as long as that leads to better ones, for so much work. */
static void climb_within(struct mapper_search *search, uint64_t most_work,
        void (*climb)(struct mapper_search *search, int turn))
{
    int vain = 0; /* climbs in a row */

    search->most_work = sator_mapper_counting_work(search->words) + most_work;
    for (int turn = 0; vain < MOST_VAIN && !sator_mapper_should_stop(search); turn++) {
        uint64_t improvements = search->counters.improvements;
        climb(search, turn);
        vain = search->counters.improvements == improvements ? vain + 1 : 0;
    }
    search->most_work = 0;
    search->gave_up = false;
}

/* Climb from the best mapping, though each change is counted. */
static void climb_near(struct mapper_search *search)
{
    if (search->stopped != SATOR_OK || !search->found)
        return;
    if (search->problem->has_inner_ports)
        climb_within(search, MOST_HULL_WORK, climb_evened);
    climb_within(search, MOST_HULL_WORK, sator_mapper_climb_counted);
}

void optimal_search_near(struct mapper_search *search, struct mapper_problem *near)
{
    const struct mapper_problem *p = search->problem;

    if (near != NULL && (!search->found || search->timer != NULL)) {
        try_best_of_near(search, near);
        near->lengthened = p->domain; /* which the engines may not be able to count */
        if (search->timer == NULL && p->domain != NULL && search->stopped == SATOR_OK)
            try_best_of_near(search, near);
    }
    const bool is_limited = p->in_hull || p->instances > SMALL_DOMAIN; /* else to its end */
    const uint64_t most_work = is_limited ? MOST_HULL_WORK : 0;
    search->most_looks = is_limited ? sator_mapper_looks(search) + MOST_HULL_LOOKS : 0;
    search->most_work = most_work;
    bool begins = search->stopped == SATOR_OK;
    optimal_search_usual(search);
    search->most_looks = search->most_work = 0;
    bool is_open = search->gave_up;
    search->hull_open |= is_open;
    search->orders_open |= is_open && p->any_order != 0;
    search->gave_up = false;
    search->most_work = begins ? 2 * most_work : 0;
    if (begins && !is_open)
        optimal_search_orders(search, p);
    search->most_work = 0;
    if (begins && is_open && !search->only_dives)
        climb_near(search);
}

void optimal_search_hull_chains(struct mapper_search *search, const struct mapper_problem *perfect)
{
    const struct mapper_problem *p = search->problem;
    const enum sator_status before = search->stopped;

    if (before == SATOR_OK && sator_mapper_is_feasible(perfect)) {
        search->problem = perfect;
        optimal_search_near(search, sator_mapper_near(search->ctx, perfect));
        search->problem = p;
    }
    if (search->only_dives)
        return;
    struct mapper_problem *near = sator_mapper_near(search->ctx, p);
    if (near != NULL && search->stopped == SATOR_OK)
        try_best_of_near(search, near);
    climb_near(search);
    if (search->stopped == SATOR_OK && p->instances <= SMALL_DOMAIN &&
            sator_mapper_space_size(p) <= SMALL_HULL) {
        search->proved = false;
        sator_mapper_exhaustive(search);
        return;
    }
    search->hull_open = true;
    const enum sator_status stopped = search->stopped;
    search->stopped = SATOR_LIMIT;
    optimal_search_problem(search, p);
    search->stopped = stopped;
}
