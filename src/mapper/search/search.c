#include "mapper/search/search.h"

#include "base/context.h"
#include "mapper/problem/invariants.h"
#include "mapper/problem/skew.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum {
    CALLS_A_LOOK = 128, /* of the clock */
    MOST_REFUSED = 32 /* mappings whose windows do not fit, where each takes some ms */
};

double sator_mapper_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool sator_mapper_is_short(const struct mapper_search *search)
{
    const double seconds = 0.03;

    return search->deadline < INFINITY && search->deadline - sator_mapper_now() < seconds;
}

/* The objective's value, then what decides between equal values. */
static void keys(
        const struct mapper_search *search, double pj, double cycles, double *first, double *second)
{
    switch (search->problem->objective) {
    case SATOR_MAP_ENERGY:
        *first = pj;
        *second = cycles;
        break;
    case SATOR_MAP_LATENCY:
        *first = cycles;
        *second = isnan(pj) ? 0 : pj;
        break;
    default:
        *first = pj * cycles;
        *second = cycles;
    }
}

/* Sums of the same figures in another order differ in the last digits: that much is no difference.
 */
static const double rounding = 1e-12;

bool sator_mapper_is_hopeless(const struct mapper_search *search, double pj, double cycles)
{
    double first, second, best_first, best_second;

    assert(cycles >= 0);
    if (search->cycle_limit > 0 && cycles >= search->cycle_limit * (1 - rounding))
        return true;
    if (!search->found)
        return false;
    keys(search, pj, cycles, &first, &second);
    keys(search, search->best_cost.pj, search->best_cost.cycles, &best_first, &best_second);
    if (first < best_first * (1 - rounding))
        return false;
    return first > best_first * (1 + rounding) || second >= best_second * (1 - rounding);
}

double sator_mapper_most_pj(const struct mapper_search *search, double cycles)
{
    double first, second;

    assert(cycles > 0);
    if (!search->found || search->problem->objective == SATOR_MAP_LATENCY)
        return INFINITY;
    keys(search, search->best_cost.pj, search->best_cost.cycles, &first, &second);
    return (search->problem->objective == SATOR_MAP_ENERGY ? first : first / cycles) *
            (1 + 2 * rounding);
}

bool sator_mapper_is_better(const struct mapper_search *search, struct mapper_cost cost)
{
    return !sator_mapper_is_hopeless(search, cost.pj, cost.cycles);
}

/* Set the cost of a mapping, "*cost" without it, with what late links bring, which no bound counts
 * on; false where that cannot be better, or cannot be counted. A cost without it turns nothing away
 * that is counted: the links may bring this mapping more than the one that it would lose to. One
 * that is not leaves a proof by bounds open only if it would win without, of which these speak. */
static bool cost_with_late(struct mapper_search *search, const struct mapper_mapping *mapping,
        struct mapper_cost *cost)
{
    const struct mapper_problem *p = search->problem;
    bool compares_all = search->options->strategy == SATOR_MAP_EXHAUSTIVE;
    struct mapper_traffic traffic;

    sator_mapper_count(p, search->words, mapping, &traffic);
    struct mapper_cost least = sator_mapper_least_late(p, &traffic);
    if (!sator_mapper_is_better(search, least))
        return false;
    if (!sator_mapper_count_late(p, search->words, mapping, &traffic)) {
        sator_mapper_note_unknown(search, compares_all ? least.value : cost->value);
        return false;
    }
    *cost = sator_mapper_cost(p, &traffic);
    return true;
}

void sator_mapper_offer(
        struct mapper_search *search, const struct mapper_mapping *mapping, struct mapper_cost cost)
{
    if (search->problem->has_late && !cost_with_late(search, mapping, &cost))
        return;
    if (!sator_mapper_is_better(search, cost))
        return;
    if (!sator_mapper_windows_fit(search->problem, search->words, mapping)) {
        search->windows_open = true;
        search->n_refused += sator_mapper_lists_windows(search->problem);
        search->gave_up |= search->n_refused >= MOST_REFUSED;
        return;
    }
    struct mapper_mapping arranged = *mapping;
    sator_mapper_arrange(search->problem, &arranged); /* loops whose place costs nothing */
    if (search->timer != NULL && !sator_mapper_time(search, &arranged, &cost))
        return;
    assert(mapper_is_complete(search->problem, &arranged));
    assert(mapper_is_ordered(search->problem, &arranged));
    assert(sator_mapper_is_legal(search->problem, search->words, &arranged));
    search->found = true;
    search->best = arranged;
    search->best_problem = search->problem;
    search->best_cost = cost;
    search->counters.improvements++;
    if (search->trail != NULL)
        search->trail->mapping[search->trail->n++ % MAPPER_TRAIL] = arranged;
}

void sator_mapper_try(struct mapper_search *search, const struct mapper_mapping *mapping)
{
    struct mapper_traffic traffic;

    sator_mapper_count(search->problem, search->words, mapping, &traffic);
    sator_mapper_offer_counted(search, mapping, &traffic, 0);
}

void sator_mapper_offer_counted(struct mapper_search *search, const struct mapper_mapping *mapping,
        const struct mapper_traffic *traffic, double bound)
{
    search->counters.evaluated++;
    if (search->problem->has_counted) /* which may take longer than a thousand others */
        search->counters.looks |= CALLS_A_LOOK - 1;
    if (!traffic->is_unknown) {
        sator_mapper_offer(search, mapping, sator_mapper_cost(search->problem, traffic));
        return;
    }
    sator_mapper_note_unknown(search, bound);
}

void sator_mapper_note_unknown(struct mapper_search *search, double bound)
{
    assert(!isnan(bound));
    if (!search->has_unknown || bound < search->unknown_bound)
        search->unknown_bound = bound;
    search->has_unknown = true;
}

void sator_mapper_finish(struct mapper_search *search)
{
    bool loses = search->found && search->unknown_bound >= search->best_cost.value;

    search->proved = !search->has_unknown || loses;
    if (search->found)
        search->bound = search->best_cost.value;
    if (!search->proved)
        search->bound = search->unknown_bound;
    assert(!search->found || search->bound <= search->best_cost.value);
}

static void report(struct mapper_search *search)
{
    const struct sator_map_options *options = search->options;

    if (options->progress == NULL)
        return;
    options->progress(options->progress_data,
            &(struct sator_map_progress){.best = search->found ? search->best_cost.value : NAN,
                    .bound = search->bound,
                    .evaluated = search->evaluated_before + search->counters.evaluated});
}

uint64_t sator_mapper_looks(const struct mapper_search *search)
{
    const struct sator_map_counters *c = &search->counters;

    return search->listed / 256 + (c->unrollings + c->pruned_unrolling) / 4 + c->tilings +
            c->orders + 16 * c->evaluated;
}

bool sator_mapper_should_stop(struct mapper_search *search)
{
    if (search->stopped != SATOR_OK)
        return true;
    search->gave_up |= search->most_looks != 0 && sator_mapper_looks(search) >= search->most_looks;
    if (search->most_work != 0)
        search->gave_up |= sator_mapper_counting_work(search->words) >= search->most_work;
    if (search->gave_up)
        return true;
    if (++search->counters.looks % CALLS_A_LOOK != 0)
        return false;
    if (atomic_load(&search->ctx->cancelled))
        search->stopped = SATOR_INTERRUPTED;
    double now = sator_mapper_now();
    if (now > search->deadline)
        search->stopped = SATOR_LIMIT;
    if (now > search->next_report) {
        report(search);
        search->next_report = now + 0.2;
    }
    return search->stopped != SATOR_OK;
}

struct errand {
    void (*work)(void *member);
    void *member;
    bool is_done; /* else memory ran out */
};

static void *run_errand(void *data)
{
    struct errand *errand = data;

    errand->is_done = sator_guarded(NULL, errand->work, errand->member);
    return NULL;
}

void sator_mapper_run_threads(void (*work)(void *member), void *members, size_t size, int n)
{
    struct errand errand[MAPPER_THREADS];
    pthread_t thread[MAPPER_THREADS];
    sigset_t all, old;
    int started = 1;

    assert(1 <= n && n <= MAPPER_THREADS);
    for (int i = 0; i < n; i++)
        errand[i] = (struct errand){work, (char *)members + (size_t)i * size, false};
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    while (started < n && pthread_create(&thread[started], NULL, run_errand, &errand[started]) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    run_errand(&errand[0]);
    for (int i = started; i < n; i++)
        run_errand(&errand[i]);
    for (int i = 1; i < started; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < n; i++) {
        if (!errand[i].is_done)
            sator_out_of_memory();
    }
}

void sator_mapper_add_counters(
        struct sator_map_counters *sum, const struct sator_map_counters *part)
{
    sum->evaluated += part->evaluated;
    sum->unrollings += part->unrollings;
    sum->tilings += part->tilings;
    sum->orders += part->orders;
    sum->pruned_capacity += part->pruned_capacity;
    sum->pruned_dominated += part->pruned_dominated;
    sum->pruned_unrolling += part->pruned_unrolling;
    sum->pruned_tiling += part->pruned_tiling;
    sum->pruned_order += part->pruned_order;
    if (__builtin_add_overflow(sum->equal, part->equal, &sum->equal))
        sum->equal = UINT64_MAX; /* more than anyone counts to */
}
