/* The unrollings of a search that takes long, visited by several threads.
 *
 * What a visit finds and counts depends on the best mapping that it has to beat. So that nothing
 * depends on the number of threads or on their luck, each visit knows exactly what those up to a
 * certain one before it have found, whatever has been found since, and what they find is merged in
 * the order of the visits. One thread does the same. How far back that one is, the window, is
 * narrow after each better mapping, since what follows would be the poorer for not knowing it, and
 * grows while there is none.
 */
#include "mapper/strategies/optimal.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_WINDOW = 4, /* visits at once: so many threads at most */
    MOST_WINDOW = MAPPER_THREADS,
    PER_PLACE = 4, /* visits without a better mapping that widen the window by one */
    WORTH_A_TEAM = 20000 /* tiles and orders looked at before there is one: some 10 ms */
};

/* What a visit has to go by. */
struct known {
    int reach; /* visits before this one may go by it */
    bool found;
    struct mapper_cost best_cost;
    bool tabulated; /* the team's table of outer tiles */
};

/* What a visit leaves. */
struct outcome {
    bool done;
    struct mapper_search search; /* as it ended */
    int n_listings;
};

struct team {
    pthread_mutex_t lock; /* guards all that follows */
    pthread_cond_t changed;
    struct mapper_search *search; /* what is merged */
    const struct visit *visits;
    const struct alike *alike; /* those that are visited together: a "visit" here ... */
    int first, count; /* ... of which those from "first" to "count" - 1 are the team's */
    double rest; /* bound of what is not listed yet */
    int next, merged; /* the visit to be taken next; those before "merged" are */
    int improved; /* the last one to find something better */
    int oldest; /* what is known after so many is the least that "next" may go by */
    struct known known[MOST_WINDOW]; /* by the number merged */
    struct outcome outcome[MOST_WINDOW]; /* by visit */
    int n_listings;
    bool tabulated;
    struct outer_tiles outer[MAPPER_MEMORIES];
};

struct member {
    struct team *team;
    bool has_lock;
    struct optimizer *optimizer;
    struct mapper_search search;
};

bool optimal_is_worth_a_team(const struct optimizer *o)
{
    const struct sator_map_counters *c = &o->search->counters;

    return c->tilings + c->orders >= (o->search->alone > 0 ? o->search->alone : WORTH_A_TEAM);
}

/* ---- merging: the lock is held ---- */

static void set_known(struct team *team)
{
    int window = LEAST_WINDOW + (team->merged - team->improved) / PER_PLACE;

    window = window < MOST_WINDOW ? window : MOST_WINDOW;
    team->known[team->merged % MOST_WINDOW] = (struct known){.reach = team->merged + window,
            .found = team->search->found,
            .best_cost = team->search->best_cost,
            .tabulated = team->tabulated};
    if (team->merged < team->count) {
        const struct visit *open = &team->visits[team->alike[team->merged].first];
        team->search->bound = fmin(open->bound.value, team->rest); /* not settled */
    }
}

static void merge(struct team *team, const struct outcome *outcome)
{
    const struct mapper_search *search = &outcome->search;

    sator_mapper_add_counters(&team->search->counters, &search->counters);
    team->n_listings += outcome->n_listings;
    if (search->has_unknown)
        sator_mapper_note_unknown(team->search, search->unknown_bound);
    if (search->counters.improvements == 0 ||
            !sator_mapper_is_better(team->search, search->best_cost))
        return;
    team->search->found = true;
    team->search->best = search->best;
    team->search->best_cost = search->best_cost;
    team->search->counters.improvements++;
    team->improved = team->merged;
}

/* List the outer tiles once that is worth it, with what is merged to beat; "member" is idle. */
static void tabulate(struct team *team, struct member *member)
{
    struct optimizer *o = member->optimizer;

    if (team->tabulated || !optimal_is_worth_tables(o, team->n_listings))
        return;
    team->tabulated = true;
    member->search.found = team->search->found;
    member->search.best_cost = team->search->best_cost;
    uint64_t looks = member->search.counters.looks;
    member->search.counters = (struct sator_map_counters){.looks = looks};
    o->table.tabulated = false;
    memset(o->table.outer, 0, sizeof o->table.outer);
    optimal_tabulate(o);
    memcpy(team->outer, o->table.outer, sizeof team->outer);
    memset(o->table.outer, 0, sizeof o->table.outer);
    optimal_find_least(o);
    sator_mapper_add_counters(&team->search->counters, &member->search.counters);
    if (member->search.stopped != SATOR_OK)
        team->search->stopped = member->search.stopped;
}

static void merge_all(struct team *team, struct member *member)
{
    struct outcome *outcome = &team->outcome[team->merged % MOST_WINDOW];

    while (team->merged < team->next && outcome->done && outcome->search.stopped == SATOR_OK &&
            team->search->stopped == SATOR_OK) {
        merge(team, outcome);
        tabulate(team, member);
        outcome->done = false;
        team->merged++;
        set_known(team);
        outcome = &team->outcome[team->merged % MOST_WINDOW];
    }
}

/* ---- visiting ---- */

/* Whether enough is merged for the visit "next" to know what it is to know. */
static bool may_go(struct team *team)
{
    int least = team->next - MOST_WINDOW + 1;

    if (team->oldest < least) /* no window is that wide */
        team->oldest = least;
    while (team->oldest <= team->merged &&
            team->known[team->oldest % MOST_WINDOW].reach <= team->next)
        team->oldest++;
    return team->oldest <= team->merged;
}

/* Make the optimizer know what the visit "next" may know; the lock is held. */
static void brief(struct team *team, struct member *member)
{
    const struct known *known = &team->known[team->oldest % MOST_WINDOW];
    struct mapper_search *search = &member->search;
    struct optimizer *o = member->optimizer;
    uint64_t looks = search->counters.looks; /* the clock is looked at after so many */

    search->found = known->found;
    search->best_cost = known->best_cost;
    search->bound = team->search->bound;
    search->has_unknown = false;
    search->evaluated_before = team->search->counters.evaluated;
    search->counters = (struct sator_map_counters){.looks = looks};
    o->table.n_listings = 0;
    if (known->tabulated)
        memcpy(o->table.outer, team->outer, sizeof o->table.outer);
    else
        memset(o->table.outer, 0, sizeof o->table.outer);
    optimal_find_least(o);
}

static void visit(struct member *member, const struct alike *alike, struct outcome *outcome)
{
    optimal_visit_alike(member->optimizer, &member->team->visits[alike->first], alike->count);
    outcome->search = member->search;
    outcome->n_listings = member->optimizer->table.n_listings;
}

static void lock(struct member *member)
{
    pthread_mutex_lock(&member->team->lock);
    member->has_lock = true;
}

static void unlock(struct member *member)
{
    member->has_lock = false;
    pthread_mutex_unlock(&member->team->lock);
}

static void visit_all(void *data)
{
    struct member *member = data;
    struct team *team = member->team;

    lock(member);
    for (;;) {
        while (team->search->stopped == SATOR_OK && team->next < team->count && !may_go(team))
            pthread_cond_wait(&team->changed, &team->lock);
        if (team->search->stopped != SATOR_OK || team->next >= team->count)
            break;
        brief(team, member);
        int k = team->next++;
        unlock(member);
        visit(member, &team->alike[k], &team->outcome[k % MOST_WINDOW]);
        lock(member);
        team->outcome[k % MOST_WINDOW].done = true;
        merge_all(team, member);
        if (member->search.stopped != SATOR_OK)
            team->search->stopped = member->search.stopped;
        pthread_cond_broadcast(&team->changed);
    }
    unlock(member);
}

/* A member that memory runs out for stops the team, which else would wait for it. */
static void work(void *data)
{
    struct member *member = data;

    if (sator_guarded(NULL, visit_all, member))
        return;
    if (!member->has_lock)
        lock(member);
    member->team->search->stopped = SATOR_NOMEM;
    pthread_cond_broadcast(&member->team->changed);
    unlock(member);
    sator_out_of_memory();
}

/* ---- members ---- */

/* An optimizer of its own that shares the plan, and begins with what the other one remembers. */
static struct optimizer *copy_optimizer(const struct optimizer *o, struct mapper_search *search)
{
    struct optimizer *copy = optimal_new(search, o->plan);

    copy->at.width = o->at.width;
    copy->at.passing = o->at.passing;
    copy->at.later = o->at.later;
    copy->table.climbs_at = o->table.climbs_at;
    copy->table.inner = o->table.inner;
    return copy;
}

static void init_member(struct member *member, struct team *team, struct optimizer *o, bool copies)
{
    *member = (struct member){.team = team, .search = *team->search, .optimizer = o};
    member->search.counters = (struct sator_map_counters){0};
    if (copies) {
        member->search.words = sator_mapper_words_new(o->problem);
        member->search.next_report = INFINITY; /* the caller's thread reports */
        member->optimizer = copy_optimizer(o, &member->search);
    }
    member->optimizer->search = &member->search;
}

static void run(struct team *team, struct optimizer *o, int n_wanted)
{
    struct mapper_search *search = o->search;
    struct member *members = sator_alloc(sizeof *members * (size_t)n_wanted);

    for (int i = n_wanted - 1; i >= 0; i--) /* the caller's last: it is what the others copy */
        init_member(&members[i], team, o, i > 0);
    sator_mapper_run_threads(work, members, sizeof *members, n_wanted);
    for (int i = 1; i < n_wanted; i++) {
        optimal_free(members[i].optimizer);
        sator_mapper_words_free(members[i].search.words);
    }
    search->next_report = members[0].search.next_report;
    o->search = search;
    free(members);
}

void optimal_visit_as_team(struct optimizer *o, int first, int count, double rest)
{
    int threads = o->search->options->threads;
    struct team *team = sator_alloc(sizeof *team);

    *team = (struct team){.search = o->search,
            .visits = o->table.visits.item,
            .alike = o->table.visits.alike,
            .first = first,
            .count = count,
            .rest = rest,
            .next = first,
            .merged = first,
            .improved = first,
            .oldest = first,
            .n_listings = o->table.n_listings,
            .tabulated = o->table.tabulated};
    memcpy(team->outer, o->table.outer, sizeof team->outer);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->changed, NULL);
    set_known(team);
    threads = threads > MOST_WINDOW ? MOST_WINDOW : threads;
    threads = threads > count - first ? count - first : threads;
    run(team, o, threads < 1 ? 1 : threads);
    for (int k = team->merged; k < team->next; k++) { /* stopped: what was found all the same */
        if (team->outcome[k % MOST_WINDOW].done)
            merge(team, &team->outcome[k % MOST_WINDOW]);
    }
    o->table.n_listings = team->n_listings;
    o->table.tabulated = team->tabulated;
    memcpy(o->table.outer, team->outer, sizeof o->table.outer);
    optimal_find_least(o); /* of what all know, not what the caller's last visit did */
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->lock);
    free(team);
}
