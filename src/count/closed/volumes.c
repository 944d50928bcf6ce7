/* Volumes of one tensor: total, and what registers, links and buses save.
 *
 * The pairs ((p, t), f) are the points of the image of the rows (p; t; f), once for each access of
 * the tensor ("copies", which differ by constants). In a case of prev, a pair has its value
 * elsewhere if it stays in the image when moved by one of a few constant vectors, the sources.
 * Sources are credited in order: to be counted already (an earlier copy reaches the same pair), the
 * PE's own register, the links as declared.
 */
#include "count/closed/buses.h"
#include "count/closed/sheets.h"
#include "count/closed/skews.h"

#include "base/checked.h"

#include <string.h>

const struct sator_decline closed_link_passes = {
        "a link brings a sum past whole stamps of the memory outside"};

enum {
    CREDIT_COPY,
    CREDIT_REGISTER,
    CREDIT_LINK
};

/* One call of closed_volumes. */
struct question {
    struct closed_state *state;
    struct closed_system *system;
    const struct sator_transport *transport;
    struct closed_image *image;
    const struct closed_request *request;
    const struct closed_hops *hops[CLOSED_CREDITS];
    sator_int credit[CLOSED_CREDITS];
    struct closed_buses *buses; /* NULL when there are none to credit */
};

/* ---- sources ---- */

/* Append what "rhs" = (offset; step back in time; difference of constants) leads to, for the
 * consumers of "hop". */
static const struct sator_decline *add_sources(
        struct question *question, const int64_t *rhs, int credit, const struct closed_hop *hop)
{
    struct closed_sources *sources = question->state->sources;
    int first = sources->n;
    const struct sator_decline *why = closed_sources_add(sources, rhs, credit);
    int end = sources->n;
    if (why != NULL || hop == NULL || hop->n_boxes == 0)
        return why;
    if (end + (end - first) * (hop->n_boxes - 1) > CLOSED_SOURCES)
        return DECLINE("a value can come from too many places");
    for (int i = first; i < end; i++) {
        sources->list[i].consumers = hop->box;
        for (int b = 1; b < hop->n_boxes; b++) {
            sources->list[sources->n] = sources->list[i];
            sources->list[sources->n++].consumers = hop->box + b * question->system->n_space;
        }
    }
    return NULL;
}

/* The right-hand side for a pair of copy "copy" that copy "from" has: "step" and what the copies
 * differ by. */
static void set_rhs(
        const struct question *question, int copy, int from, const int64_t *step, int64_t *rhs)
{
    const struct closed_copies *copies = &question->state->copies;
    for (int r = 0; r < question->image->n_rows; r++)
        rhs[r] = step[r] + copies->constant[from][r] - copies->constant[copy][r];
}

/* Append the sources of one step, the same for all copies that may have the value. */
static const struct sator_decline *add_step(struct question *question, int copy, int end,
        const int64_t *step, int credit, const struct closed_hop *hop)
{
    const struct sator_decline *why = NULL;
    if (question->state->copies.n == 1)
        return end == 0 ? NULL : add_sources(question, step, credit, hop);
    for (int from = 0; from < end && why == NULL; from++) {
        int64_t rhs[CLOSED_ROWS];
        set_rhs(question, copy, from, step, rhs);
        why = add_sources(question, rhs, credit, hop);
    }
    return why;
}

/* The earlier copies that may have a pair of copy "copy" too: the pair is counted there. */
static const struct sator_decline *find_copy_sources(struct question *question, int copy)
{
    question->state->sources->n = 0;
    if (copy == 0)
        return NULL;
    const int64_t step[CLOSED_ROWS] = {0};
    return add_step(question, copy, copy, step, CREDIT_COPY, NULL);
}

/* All sources for the pairs of copy "copy" in a case of prev (NULL: only those of the same stamp).
 */
static const struct sator_decline *find_sources(
        struct question *question, int copy, const struct closed_case *when)
{
    const struct sator_transport *transport = question->transport;
    int n_copies = question->state->copies.n;
    int n_space = question->system->n_space;
    size_t time_size = sizeof(int64_t) * (size_t)question->system->times.n_rows;
    int64_t step[CLOSED_ROWS] = {0};
    const struct sator_decline *why = find_copy_sources(question, copy);
    if (why == NULL && when != NULL && when->n_back > 0 && transport->registers) {
        memcpy(step + n_space, when->shift[0], time_size);
        why = add_step(question, copy, n_copies, step, CREDIT_REGISTER, NULL);
    }
    for (int link = 0; link < transport->n_links && why == NULL; link++) {
        int back = transport->links[link].interval;
        const struct closed_hops *hops = question->hops[link];
        if (back > 0 && (when == NULL || when->n_back < back))
            continue;
        if (back > 0)
            memcpy(step + n_space, when->shift[back - 1], time_size);
        else
            memset(step + n_space, 0, time_size);
        int n_before = question->state->sources->n;
        for (int h = 0; h < hops->n && why == NULL; h++) {
            memcpy(step, hops->hop[h].offset, sizeof *step * (size_t)n_space);
            why = add_step(question, copy, n_copies, step, CREDIT_LINK + link, &hops->hop[h]);
        }
        if (why == NULL && question->state->sources->n > n_before && back > 1 &&
                closed_case_passes(&question->system->times, when, back, transport->held_time))
            why = &closed_link_passes;
    }
    return why;
}

/* ---- cases ---- */

/* Cut "region", of one copy, to the stamps of a case. */
static const struct sator_decline *clip_stamps(struct question *question,
        const struct closed_case *when, int copy, struct closed_region *region)
{
    const struct sator_decline *why = NULL;
    for (int r = 0; r < question->system->times.n_rows && why == NULL; r++) {
        int row = question->system->n_space + r;
        int64_t moved = question->state->copies.constant[copy][row];
        struct closed_interval slab = {when->slab[r].lo - moved, when->slab[r].hi - moved};
        why = closed_region_clip(&question->state->pool, question->image, row, slab, region);
    }
    return why;
}

/* Credit registers and links for the pairs of "region", "*left" of them; take those from "*left",
 * and those that an earlier copy has. */
static const struct sator_decline *credit_sources(
        struct question *question, const struct closed_region *region, sator_int *left)
{
    struct closed_sources *sources = question->state->sources;
    int n_copies = 0;
    while (n_copies < sources->n && sources->list[n_copies].credit == CREDIT_COPY)
        n_copies++;
    if (n_copies > 0 && question->buses != NULL) {
        const struct sator_decline *why =
                closed_count_fresh(sources, region, *left, n_copies, left);
        if (why != NULL)
            return why;
    }
    for (int i = n_copies; i < sources->n; i++) {
        sator_int n;
        const struct sator_decline *why = closed_count_served(sources, region, i, &n);
        if (why != NULL)
            return why;
        question->credit[sources->list[i].credit] += n;
        *left -= n;
    }
    return NULL;
}

/* Credit the sources of one copy in a case of prev; "*left" is the pairs left to fetch, if there
 * are buses. */
static const struct sator_decline *credit_copy(
        struct question *question, const struct closed_case *when, int copy, sator_int *left)
{
    struct closed_state *state = question->state;
    struct closed_region region;
    *left = 0;
    memcpy(state->sources->moved, state->copies.constant[copy], sizeof state->sources->moved);
    const struct sator_decline *why = find_sources(question, copy, when);
    if (why != NULL || (state->sources->n == 0 && question->buses == NULL))
        return why;
    closed_region_all(question->image, &region);
    if (when != NULL)
        why = clip_stamps(question, when, copy, &region);
    if (why == NULL && question->buses != NULL)
        why = closed_region_count(question->image, &region, left);
    return why != NULL ? why : credit_sources(question, &region, left);
}

/* Credit everything in one case of prev, NULL for all stamps together. */
static const struct sator_decline *credit_case(
        struct question *question, const struct closed_case *when)
{
    struct closed_state *state = question->state;
    struct closed_buses *buses = question->buses;
    const struct sator_decline *why = NULL;
    int used = state->pool.used;
    sator_int left = 0;
    if (buses != NULL)
        closed_buses_begin(buses);
    for (int copy = 0; copy < state->copies.n && why == NULL; copy++) {
        sator_int n;
        int used_before = state->pool.used;
        why = credit_copy(question, when, copy, &n);
        state->pool.used = used_before;
        left += n;
        if (why == NULL && buses != NULL && n > 0)
            why = closed_buses_fetch(question->system, state->sources, copy, buses);
    }
    if (why == NULL && buses != NULL)
        why = closed_buses_credit(question->system, when, left, buses);
    state->pool.used = used;
    return why;
}

/* ---- the question ---- */

static const struct sator_decline *find_hops(struct closed_state *state,
        const struct sator_network_link *wire, const struct closed_hops **hops)
{
    const struct sator_relation *map = wire->map;
    if (wire->prepared != NULL) {
        *hops = &wire->prepared->hops;
        return NULL;
    }
    if (state->arena == NULL)
        state->arena = sator_arena_new();
    for (int i = 0; i < state->n_links; i++) {
        if (state->link[i]->map == map) {
            *hops = &state->link[i]->hops;
            return NULL;
        }
    }
    struct closed_known_link *link = SATOR_NEW(state->arena, struct closed_known_link);
    link->map = map;
    const struct sator_decline *why = closed_hops_of_map(state->arena, &state->pool, map,
            state->stamping->n_space, state->stamping->shape, &link->hops);
    if (why != NULL)
        return why;
    SATOR_PUSH(state->arena, state->link, state->n_links, link);
    *hops = &link->hops;
    return NULL;
}

/* Find the links' translations, and how far back in time the transport looks. */
static const struct sator_decline *find_links(struct question *question, int *back)
{
    const struct sator_transport *transport = question->transport;
    *back = transport->registers ? 1 : 0;
    if (transport->n_links + CREDIT_LINK > CLOSED_CREDITS)
        return DECLINE("the array has too many links");
    for (int link = 0; link < transport->n_links; link++) {
        int interval = transport->links[link].interval;
        const struct sator_decline *why =
                find_hops(question->state, &transport->links[link], &question->hops[link]);
        if (why != NULL)
            return why;
        if (interval < 0)
            return DECLINE("a link's interval is negative");
        if (interval > *back)
            *back = interval;
        for (int h = 0; interval == 0 && h < question->hops[link]->n; h++) {
            bool moves = false;
            for (int k = 0; k < question->system->n_space; k++)
                moves |= question->hops[link]->hop[h].offset[k] != 0;
            if (!moves)
                return DECLINE("a link feeds a PE from itself in the same stamp");
        }
    }
    return NULL;
}

static const struct sator_decline *count_footprint(struct question *question, sator_int *count)
{
    const struct closed_form *rows[CLOSED_INDICES];
    int n_rows = question->request->access->n_out;
    *count = question->transport->footprint;
    if (*count > 0)
        return NULL;
    for (int i = 0; i < n_rows; i++)
        rows[i] = &question->request->copy[0][i];
    return closed_count_distinct(
            question->state, &question->system->digits, n_rows, rows, question->request, count);
}

/* The image of (p; t; f), t in normal form, and its points. The rows of the buses follow its own:
 * the copies get their constants in them. */
static const struct sator_decline *make_image(struct question *question, sator_int *count)
{
    struct closed_state *state = question->state;
    const struct closed_system *system = question->system;
    const struct closed_request *request = question->request;
    const struct closed_form *rows[CLOSED_ROWS];
    struct closed_region all;
    int n = 0;
    int n_more = 0;
    for (int i = 0; i < system->n_space; i++)
        rows[n++] = &system->space[i];
    for (int i = 0; i < system->times.n_rows; i++)
        rows[n++] = &system->times.row[i];
    closed_copies_of_request(request, n, &state->copies);
    for (int i = 0; i < request->access->n_out; i++)
        rows[n++] = &request->copy[0][i];
    for (int b = 0; b < request->n_buses; b++) {
        for (int i = 0; i < request->buses[b]->n_out; i++) {
            if (n + n_more == CLOSED_ROWS)
                return DECLINE("the array's buses have too many dimensions");
            rows[n + n_more++] = &request->bus[b][i];
        }
    }
    state->pool.used = 0;
    const struct sator_decline *why = closed_copies_make(
            &state->pool, &system->digits, 0, n, n_more, rows, question->image, &state->copies);
    if (why != NULL)
        return why;
    closed_region_all(question->image, &all);
    return closed_copies_count(state, question->image, &state->copies, &all, count);
}

/* Prepare the buses; question->buses stays NULL when no two of the "total" pairs meet on one. */
static const struct sator_decline *prepare_buses(
        struct question *question, sator_int total, struct closed_buses *buses)
{
    struct closed_state *state = question->state;
    const struct sator_decline *why = closed_buses_make(
            state, question->system, question->request, question->image, &state->copies, buses);
    int used = state->pool.used;
    closed_buses_begin(buses);
    for (int copy = 0; copy < state->copies.n && why == NULL; copy++) {
        why = find_copy_sources(question, copy);
        if (why == NULL)
            why = closed_buses_fetch(question->system, state->sources, copy, buses);
    }
    if (why == NULL)
        why = closed_buses_find_shared(question->system, total, buses);
    state->pool.used = used;
    for (int b = 0; b < buses->n && why == NULL; b++) {
        if (buses->bus[b].shares)
            question->buses = buses;
    }
    return why;
}

static const struct sator_decline *check_inside(const struct question *question)
{
    const struct sator_stamping *stamping = question->state->stamping;
    if (question->transport->n_links == 0)
        return NULL;
    for (int i = 0; i < question->system->n_space; i++) {
        struct closed_interval range =
                closed_form_range(&question->system->digits, &question->system->space[i]);
        if (range.lo >= 0 && range.hi < stamping->shape[i])
            continue;
        bool outside = false;
        const struct sator_decline *why;
        if (sator_engine_closed.outside(question->state, &outside, NULL, &why) != SATOR_OK)
            return why;
        return outside ? DECLINE("the dataflow leaves the array") : NULL;
    }
    return NULL;
}

/* What all ways to answer begin with; how far back links reach. */
static const struct sator_decline *begin(
        struct question *question, struct sator_volumes *volumes, int *back)
{
    const struct sator_decline *why = check_inside(question);
    if (why == NULL)
        why = count_footprint(question, &volumes->footprint);
    return why == NULL ? find_links(question, back) : why;
}

static const struct sator_decline *answer(
        struct question *question, struct closed_buses *buses, struct sator_volumes *volumes)
{
    struct closed_times *times = &question->system->times;
    int back = 0;
    const struct sator_decline *why = question->system->times_declined;
    if (why == NULL)
        why = begin(question, volumes, &back);
    if (why == NULL)
        why = make_image(question, &volumes->total);
    closed_sources_init(question->state->sources, &question->state->pool, question->image);
    question->state->sources->n_space = question->system->n_space;
    if (why == NULL && buses != NULL)
        why = prepare_buses(question, volumes->total, buses);
    if (why == NULL && back > 0)
        why = closed_times_cases(times, back);
    if (why == NULL && back == 0)
        why = credit_case(question, NULL);
    for (int i = 0; i < times->cases.n && back > 0 && why == NULL; i++)
        why = credit_case(question, &times->cases.list[i]);
    return why;
}

/* The accesses counted instance by instance. */
static const struct sator_decline *count_accesses(struct question *question, sator_int *count)
{
    const struct closed_digits *digits = &question->system->digits;
    const struct closed_form *loops[CLOSED_LOOPS];
    if (question->request->n_maps == 1) {
        *count = question->request->instances * question->request->n_copies;
        return NULL;
    }
    if (question->request->rewritten)
        return DECLINE("a tensor is accessed through a window and another map");
    for (int l = 0; l < digits->n_loops; l++)
        loops[l] = &digits->loop[l].value;
    return closed_sheets_distinct(
            question->state, digits, digits->n_loops, loops, question->request, count);
}

/* The same for accesses through different maps. */
static const struct sator_decline *answer_maps(
        struct question *question, struct closed_buses *buses, struct sator_volumes *volumes)
{
    struct closed_times *times = &question->system->times;
    int back = 0;
    const struct sator_decline *why = question->system->times_declined;
    if (why == NULL)
        why = begin(question, volumes, &back);
    if (why == NULL && back > 0)
        why = closed_times_cases(times, back);
    for (int b = 0; b < question->transport->n_buses; b++)
        buses->credit[b] = 0;
    return why != NULL
            ? why
            : closed_sheets_volumes(question->state, question->system, question->request,
                      question->transport, question->hops, back, &volumes->total,
                      &question->credit[CREDIT_REGISTER], buses == NULL ? NULL : buses->credit);
}

/* The same for stamps that share digits. */
static const struct sator_decline *answer_skewed(
        struct question *question, struct closed_buses *buses, struct sator_volumes *volumes)
{
    int back;
    const struct sator_decline *why = begin(question, volumes, &back);
    if (why != NULL)
        return why;
    return closed_skews_volumes(question->state, question->system, question->request,
            question->transport, question->hops, &volumes->total,
            &question->credit[CREDIT_REGISTER], buses == NULL ? NULL : buses->credit);
}

/* Nothing is accessed, nothing moves. */
static void clear_credits(struct question *question, struct closed_buses *buses)
{
    memset(question->credit, 0, sizeof question->credit);
    for (int b = 0; b < question->transport->n_buses; b++)
        buses->credit[b] = 0;
}

/* Take the result over into "volumes". */
static void deliver(const struct question *question, const struct closed_buses *buses,
        const struct sator_volumes *counted, struct sator_volumes *volumes)
{
    const struct sator_transport *transport = question->transport;
    struct sator_volumes result = *counted;
    result.temporal = question->credit[CREDIT_REGISTER];
    result.spatial = 0;
    result.by_link = volumes->by_link;
    result.by_bus = volumes->by_bus;
    for (int i = 0; i < transport->n_links; i++) {
        result.spatial += question->credit[CREDIT_LINK + i];
        if (result.by_link != NULL)
            result.by_link[i] = question->credit[CREDIT_LINK + i];
    }
    for (int b = 0; b < transport->n_buses; b++) {
        result.spatial += buses->credit[b];
        if (result.by_bus != NULL)
            result.by_bus[b] = buses->credit[b];
    }
    result.unique = result.total - result.temporal - result.spatial;
    *volumes = result;
}

enum sator_status closed_volumes(void *opaque, const struct sator_relation *access,
        const struct sator_transport *transport, struct sator_volumes *volumes,
        const struct sator_decline **reason)
{
    struct closed_state *state = opaque;
    struct closed_request request; /* large: the forms are not cleared */
    struct closed_system *system;
    struct closed_buses *buses = NULL;
    struct sator_volumes result = {0};
    struct question question = {.state = state, .transport = transport, .image = &state->image};
    request.access = access;
    request.n_buses = transport->n_buses;
    request.buses = transport->buses;
    const struct sator_decline *why = closed_system_for(state, &request, &system);
    bool request_is_known = why == NULL;
    question.system = system;
    question.request = &request;
    if (transport->n_buses > 0 && state->buses == NULL)
        state->buses = sator_alloc(sizeof *state->buses);
    if (transport->n_buses > 0)
        buses = state->buses;
    if (why == NULL)
        why = request.n_maps == 1 ? answer(&question, buses, &result)
                                  : answer_maps(&question, buses, &result);
    if (why != NULL && request_is_known && request.n_maps == 1) {
        const struct sator_decline *skewed = answer_skewed(&question, buses, &result);
        if (skewed == NULL || system->times_declined != NULL)
            why = skewed; /* else the first reason says more */
    }
    if (why == NULL)
        why = count_accesses(&question, &result.access);
    if (why == &closed_image_empty) {
        clear_credits(&question, buses);
        why = NULL;
    }
    if (why == NULL)
        deliver(&question, buses, &result, volumes);
    return closed_answer(state, why, reason);
}
