/* The closed-form counting engine: exact volumes without enumeration (doc/counting.md).
 *
 * reopen() writes the stamping as integer forms over mixed-radix digits (digits.c) and finds its
 * time-stamps (times.c). A question builds the image of the rows it needs (image.c) and counts
 * boxes; nothing depends on the loop extents.
 */
#include "count/closed/fixed.h"
#include "count/closed/sheets.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- the stamping in digits ---- */

/* Convert the leading "n" outputs of every piece of "relation", whose variables are "vars". */
static const struct sator_decline *convert(struct closed_digits *digits,
        const struct sator_relation *relation, int n, const struct closed_form *vars,
        struct closed_form *form, bool *changed)
{
    for (int p = 0; p < relation->n_pieces; p++) {
        for (int i = 0; i < n && !*changed; i++) {
            const struct sator_decline *why =
                    closed_digits_form(digits, relation->pieces[p].out[i], vars, form++, changed);
            if (why != NULL)
                return why;
        }
    }
    return NULL;
}

static const struct sator_decline *convert_request(struct closed_digits *digits,
        const struct closed_form *loops, const struct closed_form *space,
        struct closed_request *request, bool may_carry, bool *changed)
{
    digits->may_carry = may_carry;
    const struct sator_decline *why = convert(
            digits, request->access, request->access->n_out, loops, request->index, changed);
    for (int i = 0; i < request->n_zeros && why == NULL && !*changed; i++)
        why = closed_digits_form(digits, request->zero[i], loops, &request->zero_form[i], changed);
    digits->may_carry = false; /* buses have none */
    for (int b = 0; b < request->n_buses && why == NULL && !*changed; b++)
        why = convert(digits, request->buses[b], request->buses[b]->n_out, space, request->bus[b],
                changed);
    return why;
}

static void get_loops(const struct closed_digits *digits, struct closed_form *loops)
{
    for (int l = 0; l < digits->n_loops; l++)
        loops[l] = digits->loop[l].value;
}

/* Convert all rows, again whenever one of them has split a loop further; stamps and the access with
 * carries if they "may_carry". "request" may be NULL. */
static const struct sator_decline *convert_all(const struct sator_stamping *stamping,
        struct closed_request *request, bool may_carry, struct closed_system *system)
{
    struct closed_form loops[CLOSED_LOOPS];
    bool changed = true;
    while (changed) {
        changed = false;
        get_loops(&system->digits, loops);
        system->digits.may_carry = may_carry;
        const struct sator_decline *why = convert(
                &system->digits, stamping->space, system->n_space, loops, system->space, &changed);
        if (why == NULL && !changed)
            why = convert(
                    &system->digits, stamping->time, system->n_time, loops, system->time, &changed);
        system->digits.may_carry = false;
        if (why == NULL && !changed && request != NULL)
            why = convert_request(
                    &system->digits, loops, system->space, request, may_carry, &changed);
        if (why != NULL)
            return why;
    }
    return NULL;
}

static void make_times(struct closed_state *state, struct closed_system *system)
{
    state->pool.used = 0;
    system->times_declined = closed_times_make(&state->pool, &system->digits, system->n_time,
            system->time, &state->image, &system->times);
}

static const struct sator_decline *check_request(
        struct closed_request *request, int n_loops, int n_space)
{
    const struct sator_relation *access = request->access;
    if (access->n_out > CLOSED_INDICES)
        return DECLINE("a tensor has too many dimensions");
    if (access->n_pieces > CLOSED_COPIES)
        return DECLINE("a tensor is accessed too often");
    if (access->n_in != n_loops)
        return DECLINE("an access has another domain");
    bool is_empty = true;
    for (int i = 0; i < access->n_pieces; i++) {
        if (access->pieces[i].n_free > 0)
            return DECLINE("an access is given by conditions");
        is_empty = is_empty && sator_cond_is_false(access->pieces[i].cond);
    }
    if (is_empty)
        return &closed_image_empty;
    if (!closed_fixed_find(access, request))
        return DECLINE("an access is restricted by a condition");
    if (request->n_buses > CLOSED_BUSES)
        return DECLINE("the array has too many buses");
    for (int b = 0; b < request->n_buses; b++) {
        const struct sator_relation *bus = request->buses[b];
        if (sator_relation_function(bus) == NULL || bus->n_in != n_space ||
                bus->n_out > CLOSED_SPACES)
            return DECLINE("a bus is no function of the PE");
    }
    return NULL;
}

static bool same_map(const struct closed_form *a, const struct closed_form *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (memcmp(a[i].coef, b[i].coef, sizeof a[i].coef) != 0)
            return false;
    }
    return true;
}

static bool same_constants(const struct closed_form *a, const struct closed_form *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i].constant != b[i].constant)
            return false;
    }
    return true;
}

/* Find the pieces of the access that differ, map by map. */
static void find_copies(struct closed_request *request)
{
    int n_out = request->access->n_out;
    bool done[CLOSED_COPIES] = {false};
    request->n_copies = 0;
    request->n_maps = 0;
    for (int p = 0; p < request->access->n_pieces; p++) {
        int first = request->n_copies;
        if (done[p])
            continue;
        request->first_copy[request->n_maps++] = first;
        for (int q = p; q < request->access->n_pieces; q++) {
            const struct closed_form *piece = request->index + q * n_out;
            bool known = false;
            if (done[q] || !same_map(piece, request->index + p * n_out, n_out))
                continue;
            done[q] = true;
            for (int c = first; c < request->n_copies && !known; c++)
                known = same_constants(piece, request->copy[c], n_out);
            if (!known)
                request->copy[request->n_copies++] = piece;
        }
    }
    request->first_copy[request->n_maps] = request->n_copies;
}

/* A system with the digits of the stamping, to be extended. */
static struct closed_system *prepare_extended(struct closed_state *state)
{
    if (state->extended == NULL) {
        state->extended = sator_alloc(sizeof *state->extended);
        closed_times_init(&state->extended->times);
    }
    struct closed_system *extended = state->extended;
    closed_digits_copy(&extended->digits, &state->main.digits);
    extended->n_space = state->main.n_space;
    extended->n_time = state->main.n_time;
    return extended;
}

/* Begin again with one digit a loop. */
static bool restart_digits(struct closed_digits *digits)
{
    int64_t lower[CLOSED_LOOPS];
    int64_t upper[CLOSED_LOOPS];
    for (int l = 0; l < digits->n_loops; l++) {
        lower[l] = digits->loop[l].lower;
        upper[l] = digits->loop[l].upper;
    }
    return closed_digits_init(digits, digits->n_loops, lower, upper) == NULL;
}

/* Take windows out of divisions, with digits anew; false when that changes nothing. */
static bool rewrite_windows(
        struct closed_state *state, struct closed_request *request, struct closed_system *extended)
{
    const struct closed_digits *digits = &state->main.digits;
    int64_t lower[CLOSED_LOOPS];
    int64_t upper[CLOSED_LOOPS];
    for (int l = 0; l < digits->n_loops; l++) {
        lower[l] = digits->loop[l].lower;
        upper[l] = digits->loop[l].upper;
    }
    return closed_windows_rewrite(state, request, lower, upper) &&
            closed_digits_init(&extended->digits, digits->n_loops, lower, upper) == NULL;
}

/* The instances that "request" accesses anything in: "part" of the digit vectors of "digits", whose
 * rewritten loops have other values than the domain's. */
static sator_int count_part(
        const struct closed_state *state, const struct closed_digits *digits, sator_int part)
{
    for (int l = 0; l < digits->n_loops; l++) {
        const struct closed_loop *loop = &digits->loop[l];
        const struct closed_loop *given = &state->main.digits.loop[l];
        if (loop->upper - loop->lower != given->upper - given->lower)
            part = part / (loop->upper - loop->lower) * (given->upper - given->lower);
    }
    return part;
}

/* Fix the digits of "request" in "*system", of which "*system" becomes a copy if it is the
 * stamping's own. */
static const struct sator_decline *fix_digits(
        struct closed_state *state, struct closed_request *request, struct closed_system **system)
{
    struct closed_system *main = &state->main;
    sator_int part = 0;
    if (*system == main) {
        struct closed_system *copy = prepare_extended(state);
        memcpy(copy->space, main->space, sizeof *main->space * (size_t)main->n_space);
        memcpy(copy->time, main->time, sizeof *main->time * (size_t)main->n_time);
        copy->times.n_rows = 0;
        if (main->times_declined == NULL)
            closed_times_copy(&copy->times, &main->times);
        copy->times_declined = main->times_declined;
        *system = copy;
    }
    const struct sator_decline *why = closed_fixed_apply(state, *system, request, &part);
    request->instances = count_part(state, &(*system)->digits, part);
    return why;
}

static const struct sator_decline *find_system(
        struct closed_state *state, struct closed_request *request, struct closed_system **system)
{
    struct closed_system *main = &state->main;
    bool changed = false;
    struct closed_form loops[CLOSED_LOOPS];
    *system = main;
    const struct sator_decline *why = check_request(request, main->digits.n_loops, main->n_space);
    if (why != NULL)
        return why;
    get_loops(&main->digits, loops);
    main->digits.may_split = false;
    why = convert_request(&main->digits, loops, main->space, request, false, &changed);
    request->rewritten = false;
    if (why == NULL && !changed)
        return NULL;
    struct closed_system *extended = prepare_extended(state);
    *system = extended;
    if (why == NULL)
        why = convert_all(state->stamping, request, false, extended);
    if (why != NULL && rewrite_windows(state, request, extended)) {
        request->rewritten = true;
        why = convert_all(state->stamping, request, false, extended);
    }
    if (why != NULL && restart_digits(&extended->digits))
        why = convert_all(state->stamping, request, true, extended);
    if (why != NULL)
        return why;
    make_times(state, extended);
    return NULL;
}

const struct sator_decline *closed_system_for(
        struct closed_state *state, struct closed_request *request, struct closed_system **system)
{
    const struct sator_decline *why = find_system(state, request, system);
    request->instances = state->instances;
    if (why == NULL && request->n_zeros > 0)
        why = fix_digits(state, request, system);
    if (why == NULL)
        find_copies(request);
    return why;
}

static const struct sator_decline overflow = {"the number of instances does not fit into 128 bits"};

static const struct sator_decline *count_instances(
        int n_loops, const int64_t *lower, const int64_t *upper, sator_int *count)
{
    *count = 1;
    for (int l = 0; l < n_loops; l++) {
        if (!sator_mul(*count, (sator_int)upper[l] - lower[l], count))
            return &overflow;
    }
    /* Every volume is at most instances * copies * PEs' links: keep room for sums of them. */
    return *count < (sator_int)1 << 110 ? NULL : DECLINE("there are 2^110 instances or more");
}

static const struct sator_decline *prepare(struct closed_state *state)
{
    const struct sator_stamping *stamping = state->stamping;
    int64_t lower[CLOSED_LOOPS];
    int64_t upper[CLOSED_LOOPS];
    int n_loops = stamping->domain->n_in;
    if (n_loops > CLOSED_LOOPS)
        return DECLINE("the domain has too many loops");
    if (!sator_set_is_box(stamping->domain, lower, upper))
        return DECLINE("the domain is no box");
    for (int l = 0; l < n_loops; l++) {
        if (lower[l] >= upper[l])
            return DECLINE("the domain is empty");
    }
    if (stamping->n_space > CLOSED_SPACES || stamping->n_time > CLOSED_TIMES)
        return DECLINE("a stamp has too many dimensions");
    if (sator_relation_function(stamping->space) == NULL ||
            sator_relation_function(stamping->time) == NULL)
        return DECLINE("a stamp is restricted by a condition");
    state->main.n_space = stamping->n_space;
    state->main.n_time = stamping->n_time;
    const struct sator_decline *why =
            closed_digits_init(&state->main.digits, n_loops, lower, upper);
    if (why == NULL)
        why = count_instances(n_loops, lower, upper, &state->instances);
    if (why != NULL)
        return why;
    why = convert_all(stamping, NULL, false, &state->main);
    if (why != NULL && restart_digits(&state->main.digits) &&
            convert_all(stamping, NULL, true, &state->main) == NULL)
        why = NULL;
    if (why == NULL)
        make_times(state, &state->main);
    return why;
}

static void closed_close(void *opaque)
{
    struct closed_state *state = opaque;
    closed_times_clear(&state->main.times);
    if (state->extended != NULL)
        closed_times_clear(&state->extended->times);
    free(state->extended);
    free(state->buses);
    free(state->skews);
    closed_sheets_free(state->sheets);
    if (state->arena != NULL)
        sator_arena_free(state->arena);
    free(state->sources);
    free(state->pool.data);
    free(state);
}

static bool closed_hurry(void *opaque, bool hurried)
{
    struct closed_state *state = opaque;
    bool gave_up = state->gave_up;
    state->hurried = hurried;
    state->gave_up = false;
    return gave_up;
}

static enum sator_status finish(
        const struct sator_decline *why, const struct sator_decline **reason)
{
    if (why == NULL)
        return SATOR_OK;
    if (why == &overflow) /* no engine could answer */
        return SATOR_OVERFLOW;
    *reason = why;
    return SATOR_DECLINED;
}

enum sator_status closed_answer(struct closed_state *state, const struct sator_decline *why,
        const struct sator_decline **reason)
{
    enum sator_status stopped = state->stopped;
    state->stopped = SATOR_OK;
    return why == &closed_sheets_stopped ? stopped : finish(why, reason);
}

static enum sator_status closed_reopen(struct sator_ctx *ctx, const struct sator_stamping *stamping,
        void *opaque, const struct sator_decline **reason)
{
    struct closed_state *state = opaque;
    state->ctx = ctx;
    state->stamping = stamping;
    state->n_links = 0;
    state->link = NULL;
    state->pool.used = 0;
    if (state->arena != NULL)
        sator_arena_clear(state->arena);
    return finish(prepare(state), reason);
}

static void *closed_create(void)
{
    /* Large: neither cleared as a whole nor in one piece, which a page each would be fetched for.
     */
    struct closed_state *state = sator_alloc(sizeof *state);
    state->sources = sator_alloc(sizeof *state->sources);
    state->extended = NULL;
    state->arena = NULL;
    state->buses = NULL;
    state->skews = NULL;
    state->sheets = NULL;
    state->stopped = SATOR_OK;
    state->hurried = state->gave_up = false;
    state->pool = (struct closed_pool){
            .data = sator_alloc(sizeof *state->pool.data * CLOSED_POOL), .capacity = CLOSED_POOL};
    closed_times_init(&state->main.times);
    return state;
}

/* ---- the array's bounds ---- */

/* The least (or greatest) value of "form"; the iterators where it is taken into "at". */
static const struct sator_decline *find_extreme(struct closed_state *state,
        const struct closed_form *form, bool greatest, int64_t *value, int64_t *at)
{
    const struct closed_digits *digits = &state->main.digits;
    const struct closed_image *image = &state->image;
    int64_t chosen[CLOSED_DIGITS];
    state->pool.used = 0;
    const struct sator_decline *why =
            closed_image_make_all(&state->pool, digits, 1, &form, &state->image);
    if (why != NULL)
        return why;
    *value = form->constant;
    for (int f = 0; f < image->n_factors; f++) {
        const struct closed_factor *factor = &image->factor[f];
        int64_t best = 0;
        for (int i = 0; i < factor->boxes.n; i++) {
            int64_t corner[CLOSED_DIGITS];
            int64_t sum = 0;
            for (int a = 0; a < factor->boxes.n_axes; a++) {
                int64_t coef = closed_image_coef(image, 0, factor->first_axis + a);
                struct closed_interval range = closed_box(&factor->boxes, i)[a];
                corner[a] = (coef < 0) == greatest ? range.lo : range.hi;
                sum += coef * corner[a];
            }
            if (i > 0 && (greatest ? sum <= best : sum >= best))
                continue;
            best = sum;
            memcpy(&chosen[factor->first_axis], corner,
                    sizeof *corner * (size_t)factor->boxes.n_axes);
        }
        *value += best;
    }
    for (int l = 0; l < digits->n_loops; l++) {
        const struct closed_loop *loop = &digits->loop[l];
        at[l] = loop->value.constant;
        for (int d = loop->first_digit; d < loop->first_digit + loop->n_digits; d++)
            at[l] += digits->digit[d].place * chosen[image->axis_of_digit[d]];
    }
    return NULL;
}

static enum sator_status closed_outside(
        void *opaque, bool *found, int64_t *instance, const struct sator_decline **reason)
{
    struct closed_state *state = opaque;
    int64_t at[CLOSED_LOOPS];
    for (int i = 0; i < state->main.n_space; i++) {
        struct closed_interval range =
                closed_form_range(&state->main.digits, &state->main.space[i]);
        if (range.lo >= 0 && range.hi < state->stamping->shape[i])
            continue;
        for (int greatest = 0; greatest < 2; greatest++) {
            int64_t value;
            const struct sator_decline *why =
                    find_extreme(state, &state->main.space[i], greatest, &value, at);
            if (why != NULL)
                return finish(why, reason);
            if (greatest ? value < state->stamping->shape[i] : value >= 0)
                continue;
            *found = true;
            if (instance != NULL)
                memcpy(instance, at, sizeof *at * (size_t)state->main.digits.n_loops);
            return SATOR_OK;
        }
    }
    *found = false;
    return SATOR_OK;
}

/* ---- stamps ---- */

static const struct sator_decline *count_image(struct closed_state *state,
        const struct closed_system *system, int n_rows, const struct closed_form *const *rows,
        sator_int *count)
{
    return closed_count_distinct(state, &system->digits, n_rows, rows, NULL, count);
}

static int add_forms(
        const struct closed_form **rows, int n, const struct closed_form *forms, int n_forms)
{
    for (int i = 0; i < n_forms; i++)
        rows[n++] = &forms[i];
    return n;
}

/* The rows of the system's stamp: space, then time. */
static int stamp_rows(const struct closed_system *system, const struct closed_form **rows)
{
    int n = add_forms(rows, 0, system->space, system->n_space);
    return add_forms(rows, n, system->time, system->n_time);
}

static const struct sator_decline *most_active(
        struct closed_state *state, sator_int *most, sator_int *stamps)
{
    const struct closed_system *system = &state->main;
    struct closed_classes classes = {.n_keys = 0};
    classes.distinct = stamps;
    classes.n_keys = add_forms(classes.key, 0, system->time, system->n_time);
    classes.n_values = add_forms(classes.value, 0, system->space, system->n_space);
    return closed_most(state, system, &classes, most, NULL);
}

static enum sator_status closed_stamps(
        void *opaque, struct sator_stamp_counts *counts, const struct sator_decline **reason)
{
    struct closed_state *state = opaque;
    const struct closed_system *system = &state->main;
    const struct closed_form *rows[CLOSED_ROWS];
    struct sator_stamp_counts result = {.instances = state->instances, .stamps = -1};
    int n_rows = stamp_rows(system, rows);
    int n_space = system->n_space;
    const struct sator_decline *why = NULL;
    result.time_stamps = system->times.stamps;
    if (system->times_declined != NULL)
        why = count_image(state, system, n_rows - n_space, rows + n_space, &result.time_stamps);
    if (why == NULL)
        why = most_active(state, &result.max_active_pes, &result.stamps);
    if (why == NULL && result.stamps < 0)
        why = count_image(state, system, n_rows, rows, &result.stamps);
    if (why == NULL)
        why = count_image(state, system, n_space, rows, &result.active_pes);
    if (why == NULL)
        *counts = result;
    return finish(why, reason);
}

static enum sator_status closed_max_per_stamp(
        void *opaque, sator_int *most, int64_t *instance, const struct sator_decline **reason)
{
    struct closed_state *state = opaque;
    struct closed_classes classes = {.every = true};
    classes.n_keys = stamp_rows(&state->main, classes.key);
    return finish(closed_most(state, &state->main, &classes, most, instance), reason);
}

/* What the engine answers when "why" is the reason that a count of words ended with, or NULL. */
static enum sator_status answer_words(struct closed_state *state, const struct sator_decline *why,
        sator_int *words, const struct sator_decline **reason)
{
    if (why == &closed_image_empty)
        *words = 0;
    return why == &closed_image_empty ? SATOR_OK : closed_answer(state, why, reason);
}

static enum sator_status closed_footprint(void *opaque, const struct sator_relation *access,
        sator_int *words, const struct sator_decline **reason)
{
    struct closed_state *state = opaque;
    struct closed_request request; /* large: the forms are not cleared */
    const struct closed_form *rows[CLOSED_INDICES];
    struct closed_system *system;
    request.access = access;
    request.n_buses = 0;
    request.buses = NULL;
    const struct sator_decline *why = closed_system_for(state, &request, &system);
    if (why == NULL) {
        int n_rows = add_forms(rows, 0, request.index, request.access->n_out);
        why = closed_count_distinct(state, &system->digits, n_rows, rows, &request, words);
    }
    return answer_words(state, why, words, reason);
}

static enum sator_status closed_tile(void *opaque, const struct sator_relation *access,
        sator_int *words, const struct sator_decline **reason)
{
    struct closed_state *state = opaque;
    struct closed_request request; /* large: the forms are not cleared */
    struct closed_classes classes = {.copies = &request};
    struct closed_system *system;
    request.access = access;
    request.n_buses = 0;
    request.buses = NULL;
    const struct sator_decline *why = closed_system_for(state, &request, &system);
    if (why == NULL) {
        classes.n_keys = stamp_rows(system, classes.key);
        classes.n_values = add_forms(classes.value, 0, request.index, access->n_out);
        why = request.n_maps == 1
                ? closed_most(state, system, &classes, words, NULL)
                : closed_sheets_most(state, system, classes.n_keys, classes.key, &request, words);
    }
    return answer_words(state, why, words, reason);
}

const struct sator_engine sator_engine_closed = {
        .name = "closed",
        .create = closed_create,
        .reopen = closed_reopen,
        .close = closed_close,
        .hurry = closed_hurry,
        .outside = closed_outside,
        .stamps = closed_stamps,
        .max_per_stamp = closed_max_per_stamp,
        .volumes = closed_volumes,
        .footprint = closed_footprint,
        .tile = closed_tile,
};
