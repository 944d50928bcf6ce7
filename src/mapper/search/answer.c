/* The best mapping over the problems of a question. */
#include "mapper/search/question.h"

#include "base/context.h"
#include "mapper/phases/phases.h"

#include <math.h>
#include <string.h>

enum {
    DRAWS = 1000,
    COUNTED_DRAWS = 16, /* of mappings that take the counting engines longer */
    MOST_VAIN = 4, /* climbs in a row, among words that are counted */
    START_LOOKS = 1 << 18 /* by the roofline, where bounds of the scheduled time prove: 0.2 s */
};

/* Seconds that a search which found nothing in time may still count the few that it takes then. */
static const double seconds_for_any = 0.5;

static void run(struct mapper_search *search)
{
    switch (search->options->strategy) {
    case SATOR_MAP_EXHAUSTIVE:
        sator_mapper_exhaustive(search);
        break;
    case SATOR_MAP_RANDOM:
        sator_mapper_random_search(search);
        break;
    case SATOR_MAP_SUNSTONE:
        sator_mapper_sunstone(search);
        break;
    default:
        sator_mapper_optimal(search);
    }
}

/* A bound of one choice says nothing of the others. */
static void report_without_bound(void *data, const struct sator_map_progress *progress)
{
    const struct sator_map_options *options = data;
    struct sator_map_progress report = *progress;

    report.bound = 0;
    options->progress(options->progress_data, &report);
}

/* A search that was stopped before it had any mapping: some are found at once. */
static void take_any(const struct mapper_question *q, struct mapper_search *search, int *best)
{
    double deadline = sator_mapper_now() + seconds_for_any;

    sator_mapper_watch_until(q->watch, deadline);
    for (int i = 0; i < q->n_problems && !(search->found && sator_mapper_now() > deadline); i++) {
        uint64_t improvements = search->counters.improvements, state = 1;
        struct mapper_mapping mapping;
        search->problem = &q->problems[i];
        search->words = sator_mapper_words_new(search->problem);
        if (sator_mapper_find_any(search->problem, &mapping))
            sator_mapper_try(search, &mapping);
        for (int k = 0; k < (search->problem->has_counted ? COUNTED_DRAWS : DRAWS) &&
                sator_mapper_now() <= deadline;
                k++) {
            sator_mapper_draw(search->problem, &state, &mapping);
            if (sator_mapper_is_legal(search->problem, search->words, &mapping))
                sator_mapper_try(search, &mapping);
        }
        sator_mapper_words_free(search->words);
        if (search->counters.improvements != improvements)
            *best = i;
    }
}

/* Search a problem with the best mapping so far to beat; whether a better one was found. */
static bool search_problem(const struct mapper_question *q, struct mapper_search *search,
        const struct mapper_problem *problem)
{
    uint64_t improvements = search->counters.improvements;

    search->most_looks = q->only_starts ? sator_mapper_looks(search) + START_LOOKS : 0;
    search->gave_up = false;

    search->problem = problem;
    search->words = sator_mapper_words_new(search->problem);
    search->proved = false;
    search->bound = 0;
    run(search); /* after a stop: only finds its bound */
    sator_mapper_words_free(search->words);
    return search->counters.improvements != improvements;
}

/* Search problem "i"; "*best" is the problem of the best. */
static void search_one(struct mapper_question *q, struct mapper_search *search, int i, int *best)
{
    if (search_problem(q, search, &q->problems[i]))
        *best = i;
}

/* Search problem "first" and those that can be searched with it. By the scheduled time each is by
 * itself, for the model may be asked so much about each. */
static void search_group(struct mapper_question *q, struct mapper_search *search,
        const bool *possible, bool *taken, int first, int *best)
{
    if (search->timer == NULL)
        search->group = sator_mapper_group_skews(q, possible, taken, first);
    if (search->group == NULL)
        search_one(q, search, first, best);
    else if (search_problem(q, search, search->group->joint))
        *best = (int)(search->best_problem - q->problems);
    search->group = NULL;
}

/* The problems from "first" to "end" - 1, those last of which the engines count some words: with a
 * mapping that is nearly the best they are asked about few. Else those first over whose arrays
 * words pass along most dimensions: what they find leaves little of the others. */
static int *visiting_order(const struct mapper_question *q, int first, int end)
{
    int *order = SATOR_NEW_ARRAY(q->arena, int, end - first);
    int *rank = SATOR_NEW_ARRAY(q->arena, int, end - first);

    for (int k = 0; k < end - first; k++) {
        const struct mapper_problem *p = &q->problems[first + k];
        int at = k;
        rank[k] = p->has_late ? -MAPPER_ROWS * p->n_transfers : 0;
        for (int t = 0; t < p->n_transfers && q->n_problems > q->n_unskewed; t++)
            rank[k] += __builtin_popcount(p->transfer[t].collapsed);
        for (; at > 0 && rank[order[at - 1] - first] < rank[k]; at--)
            order[at] = order[at - 1];
        order[at] = first + k;
    }
    return order;
}

/* Joins across memories last, with what is best without them to beat. Where they take too long,
 * what is proved is over the others. */
static void search_windows(
        struct mapper_question *q, struct mapper_search *search, const bool *possible, int *best)
{
    int n = q->n_problems - q->n_short;
    int *order = visiting_order(q, q->n_short, q->n_problems);

    /* they take no less room than tiles: where there are none, only faster ones were asked for */
    const bool may_find = search->found || q->cycle_limit > 0;

    search->windows_end = sator_mapper_looks(search) * 5 / 4;
    for (int k = 0; k < n; k++) {
        if (possible[order[k]] && may_find && search->stopped == SATOR_OK)
            search_one(q, search, order[k], best);
        search->windows_open |= search->stopped != SATOR_OK;
    }
}

/* Remainders on skewed arrays, with what is best without them to beat. Where they take too long,
 * what is proved is over the others. */
static void search_short(
        struct mapper_question *q, struct mapper_search *search, const bool *possible, int *best)
{
    struct mapper_timer *timer = search->timer;

    for (int i = q->n_counted; i < q->n_short; i++) {
        struct mapper_timer own = {0};
        if (!possible[i])
            continue;
        search->timer = timer == NULL ? NULL : &own;
        if (search->stopped == SATOR_OK)
            search_one(q, search, i, best);
        search->short_open |= search->stopped != SATOR_OK;
    }
    search->timer = timer;
}

/* Climb among skews under which words are counted, one of which has the best mapping, for as long
 * as that leads to better ones. */
static void climb_counted(
        struct mapper_question *q, struct mapper_search *search, const bool *possible, int *best)
{
    const int n = q->n_counted - q->n_apart, first = *best - q->n_apart;
    int vain = 0; /* climbs in a row */

    if (!search->found || first < 0 || first >= n)
        return;
    for (int turn = 0; vain < MOST_VAIN && search->stopped == SATOR_OK; turn++) {
        const int i = q->n_apart + (first + turn) % n;
        uint64_t improvements = search->counters.improvements;
        vain++;
        if (!possible[i])
            continue;
        search->problem = &q->problems[i];
        search->words = sator_mapper_words_new(search->problem);
        sator_mapper_climb_counted(search, turn);
        sator_mapper_words_free(search->words);
        if (search->counters.improvements == improvements)
            continue;
        *best = i;
        vain = 0;
    }
}

/* Skews under which words are counted, with what is best without such words to beat. One search
 * that is given up leaves them out of what is proved, and saves the others. */
static void search_counted(
        struct mapper_question *q, struct mapper_search *search, const bool *possible, int *best)
{
    struct mapper_timer *timer = search->timer;
    bool is_timed = q->options->timing == SATOR_TIMING_SCHEDULED;
    bool *taken = SATOR_NEW_ARRAY(q->arena, bool, q->n_problems);

    memset(taken, false, sizeof *taken * (size_t)q->n_problems);
    search->counted_open = q->leaves_counted;
    for (int i = q->n_apart; i < q->n_counted; i++) {
        struct mapper_timer own = {0};
        if (!possible[i] || taken[i] || search->counted_open ||
                (is_timed && timer == NULL && search->found))
            continue;
        search->timer = timer == NULL ? NULL : &own;
        search_group(q, search, possible, taken, i, best);
        search->counted_open |= search->stopped != SATOR_OK;
    }
    search->timer = timer;
    if (search->counted_open && (timer != NULL) == is_timed &&
            q->options->strategy == SATOR_MAP_OPTIMAL)
        climb_counted(q, search, possible, best);
}

/* Search all problems; "*best" is the number of the one that the best mapping maps. The bound is
 * the least of those left open. */
static void search_all(struct mapper_question *q, struct mapper_search *search, int *best)
{
    double bound = INFINITY;
    bool proved = true;
    int *order = visiting_order(q, 0, q->n_apart);
    bool *possible = SATOR_NEW_ARRAY(q->arena, bool, q->n_problems);

    if (q->options->strategy == SATOR_MAP_OPTIMAL)
        sator_mapper_climb_choices(q, search, order, best);
    for (int i = 0; i < q->n_problems; i++)
        possible[i] = sator_mapper_has_skew(&q->problems[i]) &&
                (q->n_problems == 1 || search->stopped != SATOR_OK ||
                        sator_mapper_is_feasible(&q->problems[i]));
    search->only_dives = true; /* a good mapping first, for all choices to be measured against */
    for (int k = 0;
            k < q->n_apart && q->n_problems > 1 && q->options->strategy == SATOR_MAP_OPTIMAL; k++) {
        if (possible[order[k]] && search->stopped == SATOR_OK)
            search_one(q, search, order[k], best);
    }
    search->has_dived = q->n_problems > 1;
    search->only_dives = false;
    if (q->options->strategy == SATOR_MAP_OPTIMAL)
        sator_mapper_start_skews(q, search, best);
    for (int k = 0; k < q->n_apart; k++) {
        int i = order[k];
        if (!possible[i])
            continue;
        search_one(q, search, i, best);
        if (!search->proved && !(search->bound > bound))
            bound = search->bound;
        proved &= search->proved;
    }
    search_short(q, search, possible, best);
    proved &= search->found || !search->short_open;
    search_counted(q, search, possible, best);
    search->has_dived = false;
    proved &= search->found || !search->counted_open;
    search_windows(q, search, possible, best);
    proved &= search->found || !search->windows_open;
    if (search->has_unknown) /* where a search was given up, it is open beside the rest */
        bound = fmin(bound, search->unknown_bound);
    /* what was open when its problem ended may have lost to a mapping found since */
    proved |= search->found && bound >= search->best_cost.value;
    if (sator_mapper_watch_take_unknown(q->watch)) {
        proved = false;
        bound = 0; /* of no account: a mapping that is called illegal may be better */
    }
    if (!search->found && search->stopped != SATOR_OK)
        take_any(q, search, best);
    sator_mapper_watch_until(q->watch, INFINITY); /* the best is counted once more */
    search->proved = proved;
    search->bound = proved ? 0 : bound;
    search->problem = &q->problems[*best];
    search->words = sator_mapper_words_new(search->problem);
}

/* Why there is no mapping; without a message where only faster ones were looked for. */
static enum sator_status say_none(
        const struct mapper_question *q, const struct mapper_search *search)
{
    bool sees_all = q->options->strategy == SATOR_MAP_OPTIMAL ||
            q->options->strategy == SATOR_MAP_EXHAUSTIVE;
    bool is_free = !sator_mapper_wants_skew(&q->problems[0]);
    const char *workload = q->workload->name, *arch = q->arch->name;
    enum sator_status st = search->stopped != SATOR_OK ? search->stopped
            : !search->proved && sees_all              ? SATOR_LIMIT
                                                       : SATOR_INFEASIBLE;

    if (q->cycle_limit > 0)
        return st;
    if (search->stopped != SATOR_OK) {
        sator_error(q->ctx, q->workload->loc,
                "the search for a mapping of '%s' on '%s' was stopped before it found one",
                workload, arch);
        return st;
    }
    sator_error(q->ctx, q->workload->loc, "no mapping of '%s' on '%s' %s", workload, arch,
            !search->proved                         ? "was found"
                    : !is_free                      ? "that is searched satisfies the constraints"
                    : q->options->n_constraints > 0 ? "satisfies the constraints"
                                                    : "is legal");
    if (!search->proved)
        sator_help(q->ctx, "%s",
                sees_all ? sator_arena_printf(q->arena,
                                   "some could not be counted within the work limit (%s)",
                                   sator_word(q->ctx, "work_limit"))
                         : "this strategy looks at some mappings only; 'optimal' finds one where "
                           "there is any");
    for (int i = 0; i < q->skews.n_left_out && search->proved && !is_free; i++)
        sator_help(q->ctx, "not searched: %s", q->skews.left_out[i]);
    return st;
}

/* What the best mapping would be worth if no array were skewed; NAN where none is. */
static double unskewed_value(
        const struct mapper_question *q, const struct mapper_search *search, int best)
{
    const struct mapper_problem *problem = &q->problems[q->choice[best]];
    struct mapper_traffic traffic;

    if (best < q->n_unskewed)
        return NAN;
    struct mapper_words *words = sator_mapper_words_new(problem);
    sator_mapper_count(problem, words, &search->best, &traffic);
    sator_mapper_words_free(words);
    return sator_mapper_cost(problem, &traffic).value;
}

/* Whether bounds of the scheduled time prove what is best by it, and the model is never asked. */
static bool counts_all_times(const struct mapper_question *q)
{
    bool all = q->options->strategy == SATOR_MAP_OPTIMAL;

    for (int i = 0; i < q->n_problems && all; i++) {
        struct mapper_problem timed = q->problems[i];
        sator_mapper_know_phases(&timed);
        all = timed.phases != NULL && timed.phases->counts_all;
    }
    return all;
}

/* The best by the scheduled time, with the best by the roofline to beat. What was proved of the
 * roofline bounds it, too; but where that was only to find a start, it may have left things open
 * that are searched now. */
static void search_times(struct mapper_question *q, struct mapper_search *search,
        struct mapper_timer *timer, int *best)
{
    struct mapper_mapping first = search->best;
    struct mapper_cost cost = search->best_cost;
    double bound = search->proved ? cost.value : q->only_starts ? 0 : search->bound;
    enum sator_status stopped = search->stopped;

    if (q->only_starts)
        search->orders_open = search->windows_open = search->chains_open = search->idle_open =
                search->short_open = false;
    q->only_starts = false;
    for (int i = 0; i < q->n_problems; i++) /* bounds are of it, too, where they may be */
        sator_mapper_know_phases(&q->problems[i]);
    search->timer = timer;
    search->found = false;
    sator_mapper_offer(search, &first, cost);
    sator_mapper_words_free(search->words);
    search_all(q, search, best);
    if (!search->found) { /* its time is not counted */
        search->timer = NULL;
        search->found = true;
        search->best = first;
        search->best_cost = cost;
    }
    if (timer->is_worn_out) {
        search->stopped = stopped;
        search->proved = false;
    }
    search->bound = fmax(bound, search->bound);
}

static void set_up(const struct mapper_question *q, struct mapper_answer *answer)
{
    struct sator_map_options *options = &answer->options;

    *answer = (struct mapper_answer){.options = *q->options, .unskewed = NAN};
    answer->search = (struct mapper_search){.ctx = q->ctx,
            .options = options,
            .cycle_limit = q->cycle_limit,
            .deadline = q->deadline,
            .next_report = q->start + 0.2};
    if (q->n_problems > 1 && options->progress != NULL) {
        options->progress = report_without_bound;
        options->progress_data = (void *)(uintptr_t)q->options;
    }
    if (options->samples == 0)
        options->samples = 100000;
    options->samples = (options->samples + (uint64_t)q->n_problems - 1) / (uint64_t)q->n_problems;
}

enum sator_status sator_mapper_answer(struct mapper_question *q, struct mapper_answer *answer)
{
    struct mapper_search *search = &answer->search;

    set_up(q, answer);
    if (answer->options.timing == SATOR_TIMING_SCHEDULED) {
        q->only_starts = counts_all_times(q);
        if (!q->only_starts) /* threads would share the model's answers */
            answer->options.threads = 1;
    }
    search_all(q, search, &answer->best);
    if (q->only_starts && !search->found && !search->proved && search->stopped == SATOR_OK) {
        q->only_starts = false; /* mappings are rare */
        sator_mapper_words_free(search->words);
        search_all(q, search, &answer->best);
    }
    if (!search->found)
        return say_none(q, search);
    if (answer->options.timing == SATOR_TIMING_SCHEDULED)
        search_times(q, search, &answer->timer, &answer->best);
    answer->is_timed = search->timer != NULL;
    if (!answer->is_timed)
        answer->unskewed = unskewed_value(q, search, answer->best);
    return SATOR_OK;
}
