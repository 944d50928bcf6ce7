/* Volumes of a tensor that is accessed through different maps.
 *
 * As volumes.c does, the pairs of one sheet in one case of prev are credited to their sources in
 * order: the sheets before it, which have counted the pair; the PE's own register; the links. Each
 * may find the value in any sheet.
 */
#include "base/room.h"
#include "count/closed/sheets.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_WAYS = SATOR_ROOM(1024, 8),
    CREDIT_NONE = -1
};

/* The sources of the pairs of one sheet in one case. */
struct ways {
    struct closed_sheets *sheets;
    int sheet;
    const struct sator_system *base;
    int n;
    struct sator_served served[MOST_WAYS];
    int credit[MOST_WAYS]; /* CREDIT_NONE: counted with an earlier sheet */
};

static void clear_ways(struct ways *ways)
{
    for (int i = 0; i < ways->n; i++)
        sator_served_clear(&ways->served[i]);
    ways->n = 0;
}

/* Append the pairs that have their value at their own place less "move" in sheet "from", for the
 * PEs in "consumers" (NULL: all). */
static const struct sator_decline *add_way(struct ways *ways, int from, const int64_t *move,
        const struct closed_interval *consumers, int n_space, int credit)
{
    struct closed_sheets *sheets = ways->sheets;
    struct sator_system *meet = closed_sheet_meet(sheets, ways->sheet,
            &(struct closed_view){.sheet = from, .move = move, .bus = -1}, ways->base);
    if (meet == NULL)
        return NULL;
    if (ways->n == MOST_WAYS) {
        sator_system_free(meet);
        return DECLINE("a value can come from too many places");
    }
    struct sator_served *served = &ways->served[ways->n];
    struct sator_system *bounded = meet;
    if (consumers != NULL) {
        struct sator_system *bounds = closed_sheet_system(sheets, ways->sheet);
        for (int k = 0; k < n_space; k++)
            closed_sheet_bound(sheets, ways->sheet, k, consumers[k], bounds);
        bounded = sator_system_conjoin(meet, bounds, bounds->n_vars);
        sator_system_free(bounds);
        sator_system_free(meet);
    }
    *served = (struct sator_served){0};
    enum sator_status st =
            sator_served_push(sheets->points, served, bounded, 0, ways->base->n_vars);
    ways->credit[ways->n] = credit;
    ways->n += served->n > 0;
    return closed_sheets_status(sheets, st);
}

static const struct sator_decline *add_step(struct ways *ways, const int64_t *move,
        const struct closed_interval *consumers, int n_space, int credit)
{
    const struct sator_decline *why = NULL;
    for (int from = 0; from < ways->sheets->n && why == NULL; from++)
        why = add_way(ways, from, move, consumers, n_space, credit);
    return why;
}

static const struct sator_decline *add_earlier(struct ways *ways)
{
    const struct sator_decline *why = NULL;
    for (int from = 0; from < ways->sheet && why == NULL; from++)
        why = add_way(ways, from, NULL, NULL, 0, CREDIT_NONE);
    return why;
}

/* A question about volumes. */
struct joint {
    struct closed_sheets *sheets;
    const struct closed_system *system;
    const struct sator_transport *transport;
    const struct closed_hops *const *hops;
    struct ways *ways;
    sator_int *credit;
    sator_int *by_bus;
    struct closed_pieces *left; /* of each sheet, what neither registers nor links serve; NULL
                                   without buses */
    struct closed_distances *distances; /* of each bus */
};

static const struct sator_decline *add_hop(
        struct joint *joint, const int64_t *move, const struct closed_hop *hop, int credit)
{
    int n_space = joint->system->n_space;
    const struct sator_decline *why = NULL;
    if (hop->n_boxes == 0)
        return add_step(joint->ways, move, NULL, n_space, credit);
    for (int b = 0; b < hop->n_boxes && why == NULL; b++)
        why = add_step(joint->ways, move, hop->box + b * n_space, n_space, credit);
    return why;
}

/* All sources in a case of prev (NULL: those of the same stamp), in their order. */
static const struct sator_decline *add_sources(struct joint *joint, const struct closed_case *when)
{
    const struct sator_transport *transport = joint->transport;
    int n_space = joint->system->n_space;
    size_t time_size = sizeof(int64_t) * (size_t)joint->system->times.n_rows;
    int64_t move[CLOSED_ROWS] = {0};
    const struct sator_decline *why = add_earlier(joint->ways);
    if (why == NULL && when != NULL && when->n_back > 0 && transport->registers) {
        memcpy(move + n_space, when->shift[0], time_size);
        why = add_step(joint->ways, move, NULL, n_space, 0);
    }
    for (int link = 0; link < transport->n_links && why == NULL; link++) {
        int back = transport->links[link].interval;
        const struct closed_hops *hops = joint->hops[link];
        if (back > 0 && (when == NULL || when->n_back < back))
            continue;
        if (back > 0)
            memcpy(move + n_space, when->shift[back - 1], time_size);
        else
            memset(move + n_space, 0, time_size);
        int n_before = joint->ways->n;
        for (int h = 0; h < hops->n && why == NULL; h++) {
            memcpy(move, hops->hop[h].offset, sizeof *move * (size_t)n_space);
            why = add_hop(joint, move, &hops->hop[h], 1 + link);
        }
        if (why == NULL && joint->ways->n > n_before && back > 1 &&
                closed_case_passes(&joint->system->times, when, back, transport->held_time))
            why = &closed_link_passes;
    }
    return why;
}

/* The pairs of "base", of sheet "sheet", that no way serves. */
static const struct sator_decline *find_left(
        struct joint *joint, int sheet, const struct sator_system *base)
{
    struct closed_pieces *left = &joint->left[sheet];
    const struct sator_decline *why =
            closed_pieces_add(joint->sheets, left, sator_system_copy(base));
    for (int i = 0; i < joint->ways->n && why == NULL; i++) {
        const struct sator_served *served = &joint->ways->served[i];
        for (int k = 0; k < served->n && why == NULL; k++)
            why = closed_pieces_subtract(joint->sheets, left, served->systems[k], base->n_vars);
    }
    return why;
}

/* Credit the sources of one sheet's pairs in one case. */
static const struct sator_decline *credit_sheet(
        struct joint *joint, int sheet, const struct closed_case *when)
{
    struct closed_sheets *sheets = joint->sheets;
    struct ways *ways = joint->ways;
    struct sator_system *base = closed_sheet_system(sheets, sheet);
    bool empty = false;
    for (int r = 0; when != NULL && r < joint->system->times.n_rows; r++)
        closed_sheet_bound(sheets, sheet, joint->system->n_space + r, when->slab[r], base);
    ways->sheet = sheet;
    ways->base = base;
    const struct sator_decline *why =
            closed_sheets_status(sheets, sator_system_simplify(base, base->n_vars, &empty));
    if (why == NULL && !empty)
        why = add_sources(joint, when);
    for (int i = 0; i < ways->n && why == NULL; i++) {
        sator_int more = 0;
        if (ways->credit[i] == CREDIT_NONE)
            continue;
        why = closed_sheets_status(sheets,
                sator_served_added(
                        sheets->points, &ways->served[i], ways->served, i, base->n_vars, &more));
        joint->credit[ways->credit[i]] += more;
    }
    if (why == NULL && !empty && joint->left != NULL)
        why = find_left(joint, sheet, base);
    clear_ways(ways);
    sator_system_free(base);
    return why;
}

/* The points of one sheet that no earlier one has. */
static const struct sator_decline *count_fresh(
        struct ways *ways, const struct sator_system *base, sator_int *count)
{
    struct closed_sheets *sheets = ways->sheets;
    struct sator_served all = {0};
    ways->base = base;
    const struct sator_decline *why = add_earlier(ways);
    if (why == NULL)
        why = closed_sheets_status(sheets,
                sator_served_push(sheets->points, &all, sator_system_copy(base), 0, base->n_vars));
    *count = 0;
    if (why == NULL && all.n > 0)
        why = closed_sheets_status(sheets,
                sator_served_added(
                        sheets->points, &all, ways->served, ways->n, base->n_vars, count));
    sator_served_clear(&all);
    clear_ways(ways);
    return why;
}

const struct sator_decline *closed_sheets_most_at(
        struct closed_sheets *sheets, int n_keys, const int64_t *key, sator_int *count)
{
    struct ways *ways = sator_alloc(sizeof *ways);
    const struct sator_decline *why = NULL;
    ways->sheets = sheets;
    ways->n = 0;
    *count = 0;
    for (int sheet = 0; sheet < sheets->n && why == NULL; sheet++) {
        struct sator_system *base = closed_sheet_system(sheets, sheet);
        sator_int more = 0;
        for (int r = 0; r < n_keys; r++)
            closed_sheet_bound(sheets, sheet, r, (struct closed_interval){key[r], key[r]}, base);
        ways->sheet = sheet;
        why = count_fresh(ways, base, &more);
        *count += more;
        sator_system_free(base);
    }
    free(ways);
    return why;
}

const struct sator_decline *closed_sheets_count(struct closed_sheets *sheets, sator_int *count)
{
    return closed_sheets_most_at(sheets, 0, NULL, count);
}

const struct sator_decline *closed_sheets_distinct(struct closed_state *state,
        const struct closed_digits *digits, int n_before, const struct closed_form *const *before,
        const struct closed_request *request, sator_int *count)
{
    struct closed_sheets *sheets;
    const struct sator_decline *why =
            closed_sheets_begin(state, digits, n_before, before, request, &sheets);
    if (why == NULL)
        why = closed_sheets_count(sheets, count);
    closed_sheets_end(sheets);
    return why;
}

/* Credit everything in one case. */
static const struct sator_decline *credit_case(struct joint *joint, const struct closed_case *when)
{
    struct closed_sheets *sheets = joint->sheets;
    const struct sator_decline *why = NULL;
    for (int sheet = 0; sheet < sheets->n && why == NULL; sheet++)
        why = credit_sheet(joint, sheet, when);
    if (joint->left == NULL)
        return why;
    if (why == NULL)
        why = closed_pieces_share(
                sheets, joint->system->n_space, joint->distances, joint->left, joint->by_bus);
    for (int sheet = 0; sheet < sheets->n; sheet++)
        closed_pieces_clear(&joint->left[sheet]);
    return why;
}

/* The rows of PE, time and buses; "bus_rows" as in struct closed_sheets. */
static const struct sator_decline *get_rows(const struct closed_system *system,
        const struct closed_request *request, const struct closed_form **rows, int *bus_rows,
        int *n_rows)
{
    int n = 0;
    for (int i = 0; i < system->n_space; i++)
        rows[n++] = &system->space[i];
    for (int i = 0; i < system->times.n_rows; i++)
        rows[n++] = &system->times.row[i];
    for (int b = 0; b < request->n_buses; b++) {
        bus_rows[b] = n;
        for (int i = 0; i < request->buses[b]->n_out; i++) {
            if (n == CLOSED_ROWS)
                return DECLINE("the array's buses have too many dimensions");
            rows[n++] = &request->bus[b][i];
        }
    }
    bus_rows[request->n_buses] = n;
    *n_rows = n;
    return NULL;
}

const struct sator_decline *closed_sheets_volumes(struct closed_state *state,
        const struct closed_system *system, const struct closed_request *request,
        const struct sator_transport *transport, const struct closed_hops *const *hops, int back,
        sator_int *total, sator_int *credit, sator_int *by_bus)
{
    const struct closed_form *rows[CLOSED_ROWS];
    struct joint joint = {.system = system,
            .transport = transport,
            .hops = hops,
            .credit = credit,
            .by_bus = by_bus};
    int bus_rows[CLOSED_BUSES + 1];
    int n;
    const struct sator_decline *why = get_rows(system, request, rows, bus_rows, &n);
    if (why != NULL)
        return why;
    why = closed_sheets_begin(state, &system->digits, n, rows, request, &joint.sheets);
    joint.sheets->n_buses = request->n_buses;
    joint.sheets->first_bus = bus_rows[0];
    memcpy(joint.sheets->bus_rows, bus_rows, sizeof bus_rows);
    if (why == NULL)
        why = closed_sheets_count(joint.sheets, total);
    joint.ways = sator_alloc(sizeof *joint.ways);
    joint.ways->sheets = joint.sheets;
    joint.ways->n = 0;
    if (request->n_buses > 0)
        joint.left = sator_alloc(sizeof *joint.left * (size_t)(joint.sheets->n + 1));
    for (int i = 0; joint.left != NULL && i < joint.sheets->n; i++)
        joint.left[i].n = 0, joint.left[i].count = 0;
    if (request->n_buses > 0)
        joint.distances = sator_alloc(sizeof *joint.distances * (size_t)request->n_buses);
    for (int b = 0; b < request->n_buses && why == NULL; b++)
        why = closed_distances_find(
                joint.sheets, transport->buses[b], system->n_space, &joint.distances[b]);
    if (back == 0 && why == NULL)
        why = credit_case(&joint, NULL);
    for (int i = 0; back > 0 && i < system->times.cases.n && why == NULL; i++)
        why = credit_case(&joint, &system->times.cases.list[i]);
    free(joint.distances);
    free(joint.left);
    free(joint.ways);
    closed_sheets_end(joint.sheets);
    return why;
}
