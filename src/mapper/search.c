#include "mapper/search.h"

#include "base/context.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

enum {
    CALLS_A_LOOK = 1024 /* of the clock */
};

double sator_mapper_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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

bool sator_mapper_is_better(const struct mapper_search *search, struct mapper_cost cost)
{
    return !sator_mapper_is_hopeless(search, cost.pj, cost.cycles);
}

void sator_mapper_offer(
        struct mapper_search *search, const struct mapper_mapping *mapping, struct mapper_cost cost)
{
    if (!sator_mapper_is_better(search, cost))
        return;
    search->found = true;
    search->best = *mapping;
    sator_mapper_arrange(search->problem, &search->best); /* loops whose place costs nothing */
    search->best_cost = cost;
    search->counters.improvements++;
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
    if (!search->has_unknown || bound < search->unknown_bound)
        search->unknown_bound = bound;
    search->has_unknown = true;
}

void sator_mapper_finish(struct mapper_search *search)
{
    search->proved = !search->has_unknown;
    if (search->found)
        search->bound = search->best_cost.value;
    if (search->has_unknown && !(search->found && search->unknown_bound > search->bound))
        search->bound = search->unknown_bound;
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

bool sator_mapper_should_stop(struct mapper_search *search)
{
    if (search->stopped != SATOR_OK)
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

int sator_mapper_divisors(struct sator_arena *arena, int64_t n, const int64_t **divisors)
{
    int64_t *list = NULL;
    int count = 0;

    for (int64_t d = 1; d <= n / d; d++) {
        if (n % d == 0)
            SATOR_PUSH(arena, list, count, d);
    }
    for (int i = count - 1; i >= 0; i--) {
        int64_t d = n / list[i];
        if (d != list[i])
            SATOR_PUSH(arena, list, count, d);
    }
    *divisors = list;
    return count;
}

struct errand {
    void (*work)(void *member);
    void *member;
};

static void *run_errand(void *data)
{
    struct errand *errand = data;

    errand->work(errand->member);
    return NULL;
}

void sator_mapper_run_threads(void (*work)(void *member), void *members, size_t size, int n)
{
    struct errand errand[MAPPER_THREADS];
    pthread_t thread[MAPPER_THREADS];
    sigset_t all, old;
    int started = 1;

    for (int i = 0; i < n; i++)
        errand[i] = (struct errand){work, (char *)members + (size_t)i * size};
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    while (started < n && pthread_create(&thread[started], NULL, run_errand, &errand[started]) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    work(members);
    for (int i = started; i < n; i++)
        work(errand[i].member);
    for (int i = 1; i < started; i++)
        pthread_join(thread[i], NULL);
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
