/* Volumes of a tensor that is accessed through different maps.
 *
 * As volumes.c does, the pairs of one sheet in one case of prev are credited to their sources in
 * order: the sheets before it, which have counted the pair; the PE's own register; the links. Each
 * may find the value in any sheet.
 */
#include "count/closed/sheets.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_WAYS = 1024,
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
static const char *add_way(struct ways *ways, int from, const int64_t *move,
        const struct closed_interval *consumers, int n_space, int credit)
{
    struct closed_sheets *sheets = ways->sheets;
    struct sator_system *meet = closed_sheet_meet(sheets, ways->sheet, from, move, ways->base);
    if (meet == NULL)
        return NULL;
    if (ways->n == MOST_WAYS) {
        sator_system_free(meet);
        return "a value can come from too many places";
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

static const char *add_step(struct ways *ways, const int64_t *move,
        const struct closed_interval *consumers, int n_space, int credit)
{
    const char *why = NULL;
    for (int from = 0; from < ways->sheets->n && why == NULL; from++)
        why = add_way(ways, from, move, consumers, n_space, credit);
    return why;
}

static const char *add_earlier(struct ways *ways)
{
    const char *why = NULL;
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
};

static const char *add_hop(
        struct joint *joint, const int64_t *move, const struct closed_hop *hop, int credit)
{
    int n_space = joint->system->n_space;
    const char *why = NULL;
    if (hop->n_boxes == 0)
        return add_step(joint->ways, move, NULL, n_space, credit);
    for (int b = 0; b < hop->n_boxes && why == NULL; b++)
        why = add_step(joint->ways, move, hop->box + b * n_space, n_space, credit);
    return why;
}

/* All sources in a case of prev (NULL: those of the same stamp), in their order. */
static const char *add_sources(struct joint *joint, const struct closed_case *when)
{
    const struct sator_transport *transport = joint->transport;
    int n_space = joint->system->n_space;
    size_t time_size = sizeof(int64_t) * (size_t)joint->system->times.n_rows;
    int64_t move[CLOSED_ROWS] = {0};
    const char *why = add_earlier(joint->ways);
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
        for (int h = 0; h < hops->n && why == NULL; h++) {
            memcpy(move, hops->hop[h].offset, sizeof *move * (size_t)n_space);
            why = add_hop(joint, move, &hops->hop[h], 1 + link);
        }
    }
    return why;
}

/* Credit the sources of one sheet's pairs in one case. */
static const char *credit_sheet(struct joint *joint, int sheet, const struct closed_case *when)
{
    struct closed_sheets *sheets = joint->sheets;
    struct ways *ways = joint->ways;
    struct sator_system *base = closed_sheet_system(sheets, sheet);
    bool empty = false;
    for (int r = 0; when != NULL && r < joint->system->times.n_rows; r++)
        closed_sheet_bound(sheets, sheet, joint->system->n_space + r, when->slab[r], base);
    ways->sheet = sheet;
    ways->base = base;
    const char *why =
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
    clear_ways(ways);
    sator_system_free(base);
    return why;
}

/* The points of one sheet that no earlier one has. */
static const char *count_fresh(struct ways *ways, const struct sator_system *base, sator_int *count)
{
    struct closed_sheets *sheets = ways->sheets;
    struct sator_served all = {0};
    ways->base = base;
    const char *why = add_earlier(ways);
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

const char *closed_sheets_most_at(
        struct closed_sheets *sheets, int n_keys, const int64_t *key, sator_int *count)
{
    struct ways *ways = sator_alloc(sizeof *ways);
    const char *why = NULL;
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

const char *closed_sheets_count(struct closed_sheets *sheets, sator_int *count)
{
    return closed_sheets_most_at(sheets, 0, NULL, count);
}

const char *closed_sheets_distinct(struct closed_state *state, const struct closed_digits *digits,
        int n_before, const struct closed_form *const *before, const struct closed_request *request,
        sator_int *count)
{
    struct closed_sheets *sheets;
    const char *why = closed_sheets_begin(state, digits, n_before, before, request, &sheets);
    if (why == NULL)
        why = closed_sheets_count(sheets, count);
    closed_sheets_end(sheets);
    return why;
}

const char *closed_sheets_volumes(struct closed_state *state, const struct closed_system *system,
        const struct closed_request *request, const struct sator_transport *transport,
        const struct closed_hops *const *hops, int back, sator_int *total, sator_int *credit)
{
    const struct closed_form *rows[CLOSED_ROWS];
    struct joint joint = {.system = system, .transport = transport, .hops = hops, .credit = credit};
    int n = 0;
    for (int i = 0; i < system->n_space; i++)
        rows[n++] = &system->space[i];
    for (int i = 0; i < system->times.n_rows; i++)
        rows[n++] = &system->times.row[i];
    const char *why = closed_sheets_begin(state, &system->digits, n, rows, request, &joint.sheets);
    if (why == NULL)
        why = closed_sheets_count(joint.sheets, total);
    joint.ways = sator_alloc(sizeof *joint.ways);
    joint.ways->sheets = joint.sheets;
    joint.ways->n = 0;
    int n_cases = back > 0 ? system->times.cases.n : 1;
    for (int i = 0; i < n_cases && why == NULL; i++) {
        for (int sheet = 0; sheet < joint.sheets->n && why == NULL; sheet++)
            why = credit_sheet(&joint, sheet, back > 0 ? &system->times.cases.list[i] : NULL);
    }
    free(joint.ways);
    closed_sheets_end(joint.sheets);
    return why;
}
