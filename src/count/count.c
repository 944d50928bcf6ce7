/* The chooser: asks the closed form first, then, of what that declines or takes long for, skewed
 * and tiled nests and short lists, and the general engine the rest. Engines are opened when they
 * are first asked. */
#include "count/count.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/context.h"
#include "count/engine.h"
#include "relation/bridge.h"

#include <assert.h>
#include <stdlib.h>

enum {
    N_ENGINES = 5,
    CLOSED = 0,
    SKEWED = 1,
    TILED = 2,
    LISTED = 3,
    GENERAL = 4
};

/* Work of lists that is done before the general engine is tried: 2^17 instances, some 2 ms. */
static const uint64_t SHORT_LISTS = 16 << 17;

/* What a question to the general engine is taken to be beside what it counts: isl does not say what
 * it does, some milliseconds. */
static const uint64_t GENERAL_WORK = 1 << 21;

static const struct sator_engine *const engines[N_ENGINES] = {&sator_engine_closed,
        &sator_engine_skewed, &sator_engine_tiled, &sator_engine_listed, &sator_engine_general};

struct sator_counter {
    struct sator_ctx *ctx;
    struct sator_stamping stamping; /* its parts are the caller's */
    enum sator_engine_choice choice;
    bool opened[N_ENGINES], answered[N_ENGINES];
    enum sator_status open_status[N_ENGINES];
    void *state[N_ENGINES]; /* NULL, or memory to be used and closed */
    const struct sator_decline *declined; /* the closed form's first reason */
    bool hurried; /* engine.h */
    bool asked_idle, nobody_idles; /* whether PEs in use idle in some stamp */
};

enum sator_status sator_counter_new(struct sator_ctx *ctx, enum sator_engine_choice choice,
        const struct sator_stamping *stamping, struct sator_counter **counter)
{
    struct sator_counter *made = sator_alloc(sizeof *made);

    *made = (struct sator_counter){.ctx = ctx, .stamping = *stamping, .choice = choice};
    *counter = made;
    return SATOR_OK;
}

void sator_counter_free(struct sator_counter *counter)
{
    if (!counter)
        return;
    for (int e = 0; e < N_ENGINES; e++)
        if (counter->state[e] != NULL)
            engines[e]->close(counter->state[e]);
    free(counter);
}

void sator_counter_stop(struct sator_counter *counter)
{
    for (int e = 0; e < N_ENGINES; e++) {
        if (engines[e]->reopen != NULL || counter->state[e] == NULL)
            continue;
        engines[e]->close(counter->state[e]);
        counter->state[e] = NULL;
    }
}

void sator_counter_restart(struct sator_counter *counter, struct sator_ctx *ctx,
        enum sator_engine_choice choice, const struct sator_stamping *stamping)
{
    struct sator_counter made = {.ctx = ctx, .stamping = *stamping, .choice = choice};

    for (int e = 0; e < N_ENGINES; e++) {
        assert(engines[e]->reopen != NULL || counter->state[e] == NULL);
        made.state[e] = counter->state[e];
    }
    *counter = made;
}

const char *sator_counter_engine(const struct sator_counter *counter)
{
    int answered = -1;

    for (int e = 0; e < N_ENGINES; e++) {
        if (counter->answered[e] && answered >= 0)
            return "mixed";
        answered = counter->answered[e] ? e : answered;
    }
    /* Before the first answer: what would be asked. */
    return engines[answered >= 0 ? answered : GENERAL]->name;
}

const char *sator_counter_declined(const struct sator_counter *counter)
{
    return counter->declined != NULL ? counter->declined->text : NULL;
}

/* A question to any engine, with its answer's place; results are written only when it is answered.
 */
enum question {
    OUTSIDE,
    STAMPS,
    MAX_PER_STAMP,
    VOLUMES,
    FOOTPRINT,
    TILE
};

struct query {
    enum question question;
    const struct sator_relation *access;
    const struct sator_transport *transport;
    bool *found;
    int64_t *instance;
    struct sator_stamp_counts *counts;
    struct sator_volumes *volumes;
    sator_int *number;
};

static enum sator_status put(const struct sator_engine *engine, void *state,
        const struct query *query, const struct sator_decline **reason)
{
    switch (query->question) {
    case OUTSIDE:
        return engine->outside(state, query->found, query->instance, reason);
    case STAMPS:
        return engine->stamps(state, query->counts, reason);
    case MAX_PER_STAMP:
        return engine->max_per_stamp(state, query->number, query->instance, reason);
    case VOLUMES:
        return engine->volumes(state, query->access, query->transport, query->volumes, reason);
    case FOOTPRINT:
        return engine->footprint(state, query->access, query->number, reason);
    default: /* TILE */
        return engine->tile(state, query->access, query->number, reason);
    }
}

/* What holds of every answer, whichever engine gave it. */
static inline bool is_sound(const struct query *query)
{
    const struct sator_volumes *v = query->volumes;
    const struct sator_stamp_counts *c = query->counts;

    switch (query->question) {
    case VOLUMES: /* what is not reused is unique */
        return v->temporal >= 0 && v->spatial >= 0 && v->unique >= 0 &&
                v->temporal + v->spatial + v->unique == v->total && v->total <= v->access;
    case STAMPS:
        return c->max_active_pes <= c->active_pes && c->active_pes <= c->stamps &&
                c->time_stamps <= c->stamps && c->stamps <= c->instances &&
                c->stamps <= c->time_stamps * c->max_active_pes;
    case MAX_PER_STAMP:
    case FOOTPRINT:
    case TILE:
        return *query->number >= 0;
    case OUTSIDE:
        break;
    }
    return true;
}

/* Ask one engine, opening it if need be. "*reason" is why it declines, if it does. */
static enum sator_status ask(struct sator_counter *counter, int e, const struct query *query,
        const struct sator_decline **reason)
{
    enum sator_status st;

    *reason = DECLINE("outside the engine's class"); /* unless it says more */
    if (!counter->opened[e]) {
        if (counter->state[e] == NULL && engines[e]->create != NULL)
            counter->state[e] = engines[e]->create();
        if (counter->state[e] == NULL)
            st = engines[e]->open(counter->ctx, &counter->stamping, &counter->state[e], reason);
        else
            st = engines[e]->reopen(counter->ctx, &counter->stamping, counter->state[e], reason);
        /* A refusal and a wrong input (its message is made once) stay so; a limit or an
         * interruption may pass. */
        counter->opened[e] = st == SATOR_OK || st == SATOR_DECLINED || st == SATOR_INPUT;
        counter->open_status[e] = st;
        if (st == SATOR_DECLINED && e == CLOSED && !counter->declined)
            counter->declined = *reason;
        if (st != SATOR_OK)
            return st;
    }
    if (counter->open_status[e] != SATOR_OK)
        return counter->open_status[e];
    if (engines[e]->hurry != NULL)
        engines[e]->hurry(counter->state[e], counter->hurried);
    st = put(engines[e], counter->state[e], query, reason);
    counter->ctx->all_work += e == GENERAL ? GENERAL_WORK : 0;
    sator_bridge_check(counter->ctx);
    assert(st != SATOR_OK || is_sound(query));
    if (st == SATOR_OK)
        counter->answered[e] = true;
    if (st == SATOR_DECLINED && e == CLOSED && !counter->declined)
        counter->declined = *reason;
    return st;
}

/* The limit is the user's to change; say how. */
static enum sator_status report_limit(struct sator_counter *counter)
{
    static const struct sator_loc nowhere;

    sator_error(counter->ctx, nowhere, "counting takes more than %llu units of work",
            (unsigned long long)counter->ctx->work_limit);
    sator_help(counter->ctx,
            "raise the work limit (%s), or make extents multiples of the array's, fewer "
            "loops skewed together, or the sizes smaller",
            sator_word(counter->ctx, "work_limit"));
    return SATOR_LIMIT;
}

/* What the last engine could not do: a status with the message that it has to carry. */
static enum sator_status report(
        struct sator_counter *counter, enum sator_status st, const struct sator_decline *reason)
{
    static const struct sator_loc nowhere;

    if (st == SATOR_LIMIT)
        return report_limit(counter);
    if (st == SATOR_OVERFLOW)
        sator_error(counter->ctx, nowhere, "a count does not fit into 128 bits");
    if (st == SATOR_DECLINED)
        sator_error(
                counter->ctx, nowhere, "the general engine does not count this: %s", reason->text);
    return st;
}

/* The same within "*ticks" units of work, which become those that were asked for. What would take
 * more is declined, and counts as no work. */
static enum sator_status ask_within(struct sator_counter *counter, int e, const struct query *query,
        uint64_t *ticks, const struct sator_decline **reason)
{
    struct sator_ctx *ctx = counter->ctx;
    uint64_t limit = ctx->work_limit, done = ctx->work_done;
    enum sator_status st;

    if (done + *ticks >= limit) /* the user's limit, which this one may not hide */
        return ask(counter, e, query, reason);
    ctx->work_limit = done + *ticks;
    st = ask(counter, e, query, reason);
    *ticks = ctx->work_done - done;
    ctx->work_limit = limit;
    if (st == SATOR_LIMIT || st == SATOR_OVERFLOW) {
        ctx->work_done = done;
        *reason = DECLINE("it would take long");
        st = SATOR_DECLINED;
    }
    return st;
}

/* Lists; before long ones, the general engine for as much work as they would take. */
static enum sator_status ask_lists(struct sator_counter *counter, const struct query *query,
        const struct sator_decline **reason)
{
    uint64_t ticks = SHORT_LISTS;
    enum sator_status st = ask_within(counter, LISTED, query, &ticks, reason);

    if (st != SATOR_DECLINED || ticks <= SHORT_LISTS)
        return st;
    st = ask_within(counter, GENERAL, query, &ticks, reason);
    return st == SATOR_DECLINED ? ask(counter, LISTED, query, reason) : st;
}

/* Whether the closed form might have answered had it not been hurried. */
static bool gave_up(struct sator_counter *counter)
{
    return counter->hurried && counter->opened[CLOSED] &&
            counter->open_status[CLOSED] == SATOR_OK &&
            engines[CLOSED]->hurry(counter->state[CLOSED], false);
}

static enum sator_status answer(struct sator_counter *counter, const struct query *query);

bool sator_count_nobody_idles(struct sator_counter *counter)
{
    struct sator_stamp_counts counts;
    struct sator_hush before;
    sator_int all = 0;

    if (!counter->asked_idle) {
        sator_ctx_hush(counter->ctx, &before);
        enum sator_status st =
                answer(counter, &(struct query){.question = STAMPS, .counts = &counts});
        sator_ctx_unhush(counter->ctx, &before);
        counter->asked_idle = true;
        counter->nobody_idles = st == SATOR_OK &&
                sator_mul(counts.time_stamps, counts.active_pes, &all) && all == counts.stamps;
    }
    return counter->nobody_idles;
}

/* Volumes where PEs, or the memories that they are in, keep what they have while they idle. */
static enum sator_status answer_idle(struct sator_counter *counter, const struct query *query)
{
    static const struct sator_loc nowhere;
    struct sator_transport busy = *query->transport;
    struct query other = *query;
    enum sator_status st = SATOR_DECLINED;
    const struct sator_decline *reason = NULL;

    sator_work_begin(counter->ctx);
    if (counter->choice == SATOR_ENGINE_AUTO)
        st = ask(counter, SKEWED, query, &reason);
    if (st != SATOR_DECLINED)
        return report(counter, st, reason);
    if (sator_count_nobody_idles(counter)) { /* then it does not matter */
        busy.holds_idle = false;
        busy.n_outside = 0;
        other.transport = &busy;
        return answer(counter, &other);
    }
    if (counter->choice != SATOR_ENGINE_AUTO && counter->choice != SATOR_ENGINE_GENERAL) {
        sator_error(counter->ctx, nowhere, "the %s engine does not count what idle PEs hold",
                counter->choice == SATOR_ENGINE_CLOSED ? "closed-form" : "chosen");
        return SATOR_DECLINED;
    }
    st = ask(counter, GENERAL, query, &reason);
    return report(counter, st, reason);
}

static enum sator_status answer(struct sator_counter *counter, const struct query *query)
{
    static const struct sator_loc nowhere;
    enum sator_status st = SATOR_DECLINED;
    const struct sator_decline *reason = NULL;
    const struct sator_decline *declined = counter->declined;

    if (query->question == VOLUMES && sator_transport_idles(query->transport))
        return answer_idle(counter, query);
    sator_work_begin(counter->ctx);
    counter->hurried = counter->choice == SATOR_ENGINE_AUTO;
    if (counter->choice == SATOR_ENGINE_AUTO || counter->choice == SATOR_ENGINE_CLOSED)
        st = ask(counter, CLOSED, query, &reason);
    if (st == SATOR_DECLINED && counter->choice == SATOR_ENGINE_CLOSED) {
        sator_error(counter->ctx, nowhere, "the closed-form engine does not count this: %s",
                counter->declined->text);
        return st;
    }
    if (counter->choice == SATOR_ENGINE_AUTO && st == SATOR_DECLINED)
        st = ask(counter, SKEWED, query, &reason);
    for (int e = TILED; e <= LISTED; e++) {
        bool is_chosen = counter->choice == (e == TILED ? SATOR_ENGINE_TILED : SATOR_ENGINE_LISTED);
        if (is_chosen || (counter->choice == SATOR_ENGINE_AUTO && st == SATOR_DECLINED))
            st = e == LISTED && !is_chosen ? ask_lists(counter, query, &reason)
                                           : ask(counter, e, query, &reason);
        if (st == SATOR_DECLINED && is_chosen) {
            sator_error(counter->ctx, nowhere, "the engine for %s does not count this: %s",
                    e == TILED ? "tiled nests" : "short lists", reason->text);
            return st;
        }
    }
    if (st == SATOR_DECLINED && gave_up(counter)) {
        counter->hurried = false;
        counter->declined = declined;
        st = ask(counter, CLOSED, query, &reason);
    }
    if (st == SATOR_DECLINED) {
        reason = NULL;
        st = ask(counter, GENERAL, query, &reason);
    }
    return report(counter, st, reason);
}

enum sator_status sator_count_outside(struct sator_counter *counter, bool *found, int64_t *instance)
{
    return answer(
            counter, &(struct query){.question = OUTSIDE, .found = found, .instance = instance});
}

enum sator_status sator_count_stamps(
        struct sator_counter *counter, struct sator_stamp_counts *counts)
{
    return answer(counter, &(struct query){.question = STAMPS, .counts = counts});
}

enum sator_status sator_count_max_per_stamp(
        struct sator_counter *counter, sator_int *most, int64_t *instance)
{
    return answer(counter,
            &(struct query){.question = MAX_PER_STAMP, .number = most, .instance = instance});
}

enum sator_status sator_count_volumes(struct sator_counter *counter,
        const struct sator_relation *access, const struct sator_transport *transport,
        struct sator_volumes *volumes)
{
    return answer(counter,
            &(struct query){.question = VOLUMES,
                    .access = access,
                    .transport = transport,
                    .volumes = volumes});
}

enum sator_status sator_count_tile(
        struct sator_counter *counter, const struct sator_relation *access, sator_int *words)
{
    return answer(counter, &(struct query){.question = TILE, .access = access, .number = words});
}

sator_int sator_count_footprint(struct sator_counter *counter, const struct sator_relation *access)
{
    const struct sator_decline *reason = NULL;
    sator_int words = 0;
    struct query query = {.question = FOOTPRINT, .access = access, .number = &words};

    if ((counter->choice != SATOR_ENGINE_AUTO && counter->choice != SATOR_ENGINE_CLOSED) ||
            ask(counter, CLOSED, &query, &reason) != SATOR_OK)
        return 0;
    return words;
}
