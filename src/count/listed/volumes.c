/* Volumes of one tensor: the sources that registers and links are, and the buses, part by part. */
#include "base/checked.h"
#include "count/listed/listed.h"

#include <string.h>

/* ---- moves ---- */

/* What a link's translation is in each part: how far it moves each summand of the space rows. */
struct hop {
    int credit;
    bool before;
    const struct closed_interval *consumers; /* one interval a space row, or NULL */
    int64_t by[LISTED_ROWS]; /* by summand */
};

/* The code of the PE that provides to PE number "pe" of "part"; false when it is outside what the
 * codes reach, or the consumer is not served. */
static bool find_provider(const struct listed_state *state, int part, const struct hop *hop,
        int64_t pe, uint64_t *code)
{
    const struct listed_plan *plan = &state->plan;
    const struct listed_parts *parts = &plan->parts;
    const struct listed_code *codes = &state->list[part].pe;
    int i = 0; /* of the part's summands */
    *code = 0;
    for (int r = plan->first_space; r < plan->first_space + plan->n_spaces; r++) {
        const struct listed_row *row = &parts->row[r];
        int64_t value = row->constant;
        for (int s = row->first; s < row->first + row->n; s++) {
            if (parts->summand[s].part != part)
                continue;
            int64_t summand = listed_code_value(codes, i, state->list[part].pe_code[pe]);
            int64_t digit = summand - hop->by[s] - codes->least[i];
            if (digit < 0 || (uint64_t)digit >= codes->size[i])
                return false;
            *code += (uint64_t)digit * codes->stride[i++];
            value += summand;
        }
        if (hop->consumers == NULL || row->part != part)
            continue; /* check_consumers has looked at the others */
        struct closed_interval served = hop->consumers[r - plan->first_space];
        if (value < served.lo || value > served.hi)
            return false;
    }
    return true;
}

/* The PEs of "part" that provide over "hop". */
static const int32_t *find_providers(
        const struct listed_state *state, int part, const struct hop *hop)
{
    const struct listed_list *list = &state->list[part];
    int32_t *provider = SATOR_NEW_ARRAY(state->arena, int32_t, list->n_pes);
    for (int64_t p = 0; p < list->n_pes; p++) {
        uint64_t code;
        provider[p] = -1;
        if (!find_provider(state, part, hop, p, &code))
            continue;
        int64_t at = listed_find(list->pe_code, 0, list->n_pes, code);
        if (at < list->n_pes && list->pe_code[at] == code)
            provider[p] = (int32_t)at;
    }
    return provider;
}

static const struct sator_decline *add_source(
        const struct listed_state *state, const struct hop *hop, struct listed_reuse *reuse)
{
    if (reuse->n_sources == (reuse->n_buses > 0 ? LISTED_BUS_SOURCES : LISTED_SOURCES))
        return DECLINE("a value can come from too many places");
    struct listed_source *source = &reuse->source[reuse->n_sources++];
    source->credit = hop->credit;
    source->before = hop->before;
    for (int part = 0; part < state->plan.parts.n_parts; part++)
        source->provider[part] = find_providers(state, part, hop);
    return NULL;
}

/* Add the ways to move the space rows from "row" on by "offset", from summand "s" of "row" on by
 * "rest": the differences of a mixed-radix number's digits, with their carries. */
static const struct sator_decline *add_moves(const struct listed_state *state, int row, int s,
        int64_t rest, const int64_t *offset, struct hop *hop, struct listed_reuse *reuse)
{
    const struct listed_plan *plan = &state->plan;
    const struct listed_parts *parts = &plan->parts;
    const struct listed_row *r = &parts->row[plan->first_space + row];
    const struct sator_decline *why = NULL;
    if (row == plan->n_spaces)
        return add_source(state, hop, reuse);
    if (s == r->n) {
        if (rest != 0)
            return NULL;
        bool is_last = row + 1 == plan->n_spaces;
        return add_moves(state, row + 1, 0, is_last ? 0 : offset[row + 1], offset, hop, reuse);
    }
    int64_t reach = 0;
    for (int i = r->first + s + 1; i < r->first + r->n; i++)
        reach += parts->summand[i].greatest - parts->summand[i].least;
    const struct listed_summand *summand = &parts->summand[r->first + s];
    int64_t unit = summand->unit;
    int64_t span = summand->greatest - summand->least;
    /* Multiples of the unit from which the rest is within reach: one or two. */
    int64_t first = -sator_floor_div(-(rest - reach), unit);
    int64_t last = sator_floor_div(rest + reach, unit);
    for (int64_t k = first; k <= last && why == NULL; k++) {
        if (k > span / unit || k < -(span / unit))
            continue;
        hop->by[r->first + s] = k * unit;
        why = add_moves(state, row, s + 1, rest - k * unit, offset, hop, reuse);
    }
    return why;
}

/* Whether the consumers' bounds can be told part by part: a row of several parts must have none; a
 * row of no summand must be inside. */
static const struct sator_decline *check_consumers(
        const struct listed_state *state, const struct closed_interval *consumers, bool *serves)
{
    const struct listed_plan *plan = &state->plan;
    *serves = true;
    for (int i = 0; i < plan->n_spaces && consumers != NULL; i++) {
        const struct listed_row *row = &plan->parts.row[plan->first_space + i];
        bool all = consumers[i].lo <= 0 && consumers[i].hi >= state->stamping->shape[i] - 1;
        if (row->n > 0 && row->part < 0 && !all)
            return DECLINE("a link joins only some PEs of a row that several loops share");
        if (row->n == 0 && (row->constant < consumers[i].lo || row->constant > consumers[i].hi))
            *serves = false;
    }
    return NULL;
}

static const struct sator_decline *add_hop(struct listed_state *state,
        const struct closed_hop *closed_hop, int credit, int interval, struct listed_reuse *reuse)
{
    struct hop hop = {.credit = credit, .before = interval == 1};
    int n_spaces = state->plan.n_spaces;
    int n_boxes = closed_hop->n_boxes > 0 ? closed_hop->n_boxes : 1;
    const struct sator_decline *why = NULL;
    bool moves = false;
    for (int k = 0; k < n_spaces; k++)
        moves |= closed_hop->offset[k] != 0;
    if (!moves && interval == 0)
        return DECLINE("a link feeds a PE from itself in the same stamp");
    for (int b = 0; b < n_boxes && why == NULL; b++) {
        bool serves = true;
        hop.consumers = closed_hop->n_boxes > 0 ? closed_hop->box + b * n_spaces : NULL;
        why = check_consumers(state, hop.consumers, &serves);
        if (why == NULL && serves)
            why = add_moves(state, 0, 0, n_spaces == 0 ? 0 : closed_hop->offset[0],
                    closed_hop->offset, &hop, reuse);
    }
    return why;
}

static const struct sator_decline *add_links(struct listed_state *state,
        const struct sator_transport *transport, struct listed_reuse *reuse)
{
    const struct sator_stamping *stamping = state->stamping;
    const struct sator_decline *why = NULL;
    for (int i = 0; i < transport->n_links && why == NULL; i++) {
        const struct sator_network_link *link = &transport->links[i];
        struct closed_hops made;
        const struct closed_hops *hops = &made;
        if (link->interval < 0 || link->interval > 1)
            return DECLINE("a link's interval is neither 0 nor 1");
        if (stamping->n_space > CLOSED_SPACES)
            return DECLINE("a stamp has too many dimensions");
        state->pool.used = 0;
        if (link->prepared != NULL)
            hops = &link->prepared->hops;
        else
            why = closed_hops_of_map(state->arena, &state->pool, link->map, stamping->n_space,
                    stamping->shape, &made);
        for (int h = 0; why == NULL && h < hops->n; h++)
            why = add_hop(state, &hops->hop[h], 1 + i, link->interval, reuse);
    }
    return why;
}

/* ---- buses ---- */

/* Add each bus's rows, functions of the loops, to the plan. */
static const struct sator_decline *add_bus_rows(
        struct listed_state *state, const struct sator_transport *transport, int *first)
{
    const struct sator_piece *space = sator_relation_function(state->stamping->space);
    const struct sator_decline *why = NULL;
    if (transport->n_buses > LISTED_BUSES)
        return DECLINE("the array has too many buses");
    for (int b = 0; b < transport->n_buses && why == NULL; b++) {
        const struct sator_piece *bus = sator_relation_function(transport->buses[b]);
        if (bus == NULL || transport->buses[b]->n_in != state->stamping->n_space)
            return DECLINE("a bus is no function of the PE");
        first[b] = state->plan.parts.n_rows;
        for (int i = 0; i < transport->buses[b]->n_out && why == NULL; i++)
            why = listed_parts_add(&state->plan.parts,
                    sator_expr_substitute(state->arena, bus->out[i], space->out));
    }
    return why;
}

/* The part's bus of each of its PEs. */
static const struct sator_decline *find_buses(
        struct listed_state *state, int first, int n_rows, int part, const uint32_t **bus)
{
    const struct listed_parts *parts = &state->plan.parts;
    const struct listed_list *list = &state->list[part];
    uint32_t *of_pe = SATOR_NEW_ARRAY(state->arena, uint32_t, list->n_pes);
    struct listed_code code = {.n = 0};
    int64_t point[LISTED_LOOPS];
    const uint64_t *distinct;
    int64_t n_distinct;
    listed_code_rows(parts, part, first, n_rows, &code);
    const struct sator_decline *why = listed_code_finish(parts, &code);
    if (why != NULL)
        return why;
    uint64_t *number = SATOR_NEW_ARRAY(state->arena, uint64_t, list->n_pes);
    for (int64_t p = 0; p < list->n_pes; p++) {
        listed_instance(parts, part, list->instance_of_pe[p], point);
        for (int i = 0; i < code.n; i++) {
            int64_t value = 0;
            sator_expr_value(code.expr[i], point, &value); /* its range is known */
            number[p] += (uint64_t)(value - code.least[i]) * code.stride[i];
        }
    }
    listed_rank(state->arena, code.range, list->n_pes, number, &distinct, &n_distinct);
    for (int64_t p = 0; p < list->n_pes; p++)
        of_pe[p] = (uint32_t)number[p];
    *bus = of_pe;
    return NULL;
}

/* ---- the question ---- */

/* Links count for PEs of the array alone. */
static enum sator_status check_inside(struct listed_state *state,
        const struct sator_transport *transport, const struct sator_decline **reason)
{
    bool outside = false;
    bool may = false;
    for (int i = 0; i < state->plan.n_spaces; i++)
        may |= listed_may_leave(state, i);
    if (transport->n_links == 0 || !may)
        return SATOR_OK;
    enum sator_status st = listed_outside(state, &outside, NULL, reason);
    return st == SATOR_OK && outside
            ? listed_decline(DECLINE("the dataflow leaves the array"), reason)
            : st;
}

static enum sator_status make_plan(struct listed_state *state, const struct sator_relation *access,
        const struct sator_transport *transport, int *first_bus,
        const struct sator_decline **reason)
{
    enum sator_status st = check_inside(state, transport, reason);
    if (st == SATOR_OK)
        st = listed_decline(listed_begin(state), reason);
    if (st == SATOR_OK)
        st = listed_decline(listed_add_access(&state->plan, access), reason);
    if (st == SATOR_OK)
        st = listed_decline(add_bus_rows(state, transport, first_bus), reason);
    if (st == SATOR_OK)
        st = listed_make(state, reason);
    return st;
}

static const struct sator_decline *make_reuse(struct listed_state *state,
        const struct sator_transport *transport, const int *first_bus, struct listed_reuse *reuse)
{
    const struct hop stays = {.credit = 0, .before = true};
    const struct sator_decline *why = NULL;
    reuse->ctx = state->ctx;
    reuse->plan = &state->plan;
    reuse->list = state->list;
    reuse->n_sources = 0;
    reuse->n_buses = transport->n_buses;
    if (transport->registers)
        why = add_source(state, &stays, reuse);
    if (why == NULL)
        why = add_links(state, transport, reuse);
    for (int b = 0; b < transport->n_buses; b++) {
        for (int part = 0; part < state->plan.parts.n_parts && why == NULL; part++)
            why = find_buses(
                    state, first_bus[b], transport->buses[b]->n_out, part, &reuse->bus[b][part]);
    }
    return why;
}

static void deliver(const struct sator_transport *transport, const struct sator_volumes *counted,
        const sator_int *credit, const sator_int *by_bus, struct sator_volumes *volumes)
{
    struct sator_volumes result = *counted;
    result.by_link = volumes->by_link;
    result.by_bus = volumes->by_bus;
    result.temporal = credit[0];
    result.spatial = 0;
    for (int i = 0; i < transport->n_links; i++) {
        result.spatial += credit[1 + i];
        if (result.by_link != NULL)
            result.by_link[i] = credit[1 + i];
    }
    for (int b = 0; b < transport->n_buses; b++) {
        result.spatial += by_bus[b];
        if (result.by_bus != NULL)
            result.by_bus[b] = by_bus[b];
    }
    result.unique = result.total - result.temporal - result.spatial;
    *volumes = result;
}

enum sator_status listed_volumes(void *opaque, const struct sator_relation *access,
        const struct sator_transport *transport, struct sator_volumes *volumes,
        const struct sator_decline **reason)
{
    struct listed_state *state = opaque;
    int first_bus[LISTED_BUSES];
    sator_int by_bus[LISTED_BUSES] = {0};
    struct listed_reuse reuse;
    struct sator_volumes result = {.access = 1, .total = 1, .footprint = 1};
    enum sator_status st = make_plan(state, access, transport, first_bus, reason);
    for (int part = 0; part < state->plan.parts.n_parts && st == SATOR_OK; part++) {
        const struct listed_list *list = &state->list[part];
        result.access *= (sator_int)list->n_accesses;
        result.total *= list->n_pairs;
        result.footprint *= list->n_elements;
    }
    if (st == SATOR_OK)
        st = listed_decline(make_reuse(state, transport, first_bus, &reuse), reason);
    if (st != SATOR_OK)
        return st;
    sator_int *credit = SATOR_NEW_ARRAY(state->arena, sator_int, transport->n_links + 1);
    if (reuse.n_sources > 0 || reuse.n_buses > 0)
        st = listed_reuse_count(&reuse, result.total, credit, by_bus, reason);
    if (st == SATOR_OK)
        deliver(transport, &result, credit, by_bus, volumes);
    return st;
}
