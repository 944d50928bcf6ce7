/* Buses under skewed stamps: counting fetches. */
#include "count/closed/fetches.h"

#include <assert.h>
#include <string.h>

/* 1 if a move goes to a greater PE, or to a point that is greater at the same PE. */
static int sign_at_pe(const struct closed_skews *skews, const int64_t *move, bool *other_pe)
{
    for (int k = 0; k < skews->n_space; k++) {
        int64_t by = closed_skews_product(skews, skews->space[k], move);
        *other_pe = by != 0;
        if (by != 0)
            return by > 0 ? 1 : -1;
    }
    *other_pe = false;
    return closed_skews_sign(skews->grid.n_axes, move);
}

/* Add box "hole" of the cells to the probe, moved by -move. */
static const struct sator_decline *copy_hole(
        struct closed_skews *skews, int hole, const int64_t *move, int *copy)
{
    struct closed_interval box[CLOSED_AXES];
    assert(0 <= hole && hole < skews->cells.n_holes);
    for (int a = 0; a < skews->grid.n_axes; a++) {
        struct closed_interval range = skews->cells.hole[hole][a];
        box[a] = (struct closed_interval){range.lo - move[a], range.hi - move[a]};
    }
    return closed_cells_add(&skews->probe, box, copy);
}

/* Copy a set of boxes, moved by -move, into "*copies". */
static const struct sator_decline *copy_holes(struct closed_skews *skews,
        const struct closed_holes *holes, const int64_t *move, struct closed_holes *copies)
{
    const struct sator_decline *why = NULL;
    for (int i = 0; i < skews->cells.n_holes && why == NULL; i++) {
        int copy;
        if (!closed_holes_has(holes, i))
            continue;
        why = copy_hole(skews, i, move, &copy);
        if (why == NULL && copy >= 0)
            closed_holes_set(copies, copy);
    }
    return why;
}

/* Copy the rules, moved by -move, as rules of the probe with credit "credit". */
static const struct sator_decline *copy_rules(
        struct closed_skews *skews, const int64_t *move, int credit)
{
    const struct sator_decline *why = NULL;
    for (int r = 0; r < skews->cells.n_rules && why == NULL; r++) {
        const struct closed_rule *from = &skews->cells.rule[r];
        struct closed_rule rule = {.credit = credit};
        why = copy_hole(skews, from->inside, move, &rule.inside);
        if (why != NULL || rule.inside < 0)
            continue;
        why = copy_holes(skews, &from->outside, move, &rule.outside);
        if (skews->probe.n_rules == CLOSED_RULES)
            return DECLINE("a value can come from too many skewed stamps");
        skews->probe.rule[skews->probe.n_rules++] = rule;
    }
    return why;
}

/* Whether some point that is fetched (in no box of "gone", served by no rule) has a point at
 * x + move that is not. */
static const struct sator_decline *find_split(struct closed_skews *skews,
        const struct closed_holes *gone, const int64_t *move, bool *split)
{
    static const int64_t stay[CLOSED_AXES] = {0};
    struct closed_cells *probe = &skews->probe;
    struct closed_holes moved = {{0}};
    sator_int credit[2] = {0};
    sator_int points;
    closed_cells_init(probe, &skews->grid);
    probe->exists = true;
    const struct sator_decline *why = copy_holes(skews, gone, stay, &probe->excluded);
    if (why == NULL)
        why = copy_rules(skews, stay, 0);
    if (why == NULL)
        why = copy_rules(skews, move, 1);
    if (why == NULL)
        why = copy_holes(skews, gone, move, &moved);
    for (int i = 0; i < probe->n_holes && why == NULL; i++) {
        if (!closed_holes_has(&moved, i))
            continue;
        if (probe->n_rules == CLOSED_RULES)
            return DECLINE("a value can come from too many skewed stamps");
        probe->rule[probe->n_rules++] = (struct closed_rule){.inside = i, .credit = 1};
    }
    if (why == NULL)
        why = closed_cells_count(probe, credit, &points);
    *split = credit[1] != 0;
    return why;
}

/* The generators of the moves that keep a fetch: bus, stamp and element. */
static const struct sator_decline *find_shares(
        struct closed_skews *skews, const struct closed_form *bus, int n_bus)
{
    const struct sator_decline *why = NULL;
    closed_skews_moves(skews, 0, &skews->lattice);
    for (int i = 0; i < n_bus && why == NULL; i++) {
        int64_t row[CLOSED_DIMS];
        closed_skews_row(skews, &bus[i], row);
        why = closed_lattice_kernel(row, &skews->lattice);
    }
    for (int i = 0; i < skews->n_index && why == NULL; i++)
        why = closed_lattice_kernel(skews->index[i], &skews->lattice);
    for (int r = 0; r < skews->n_time && why == NULL; r++)
        why = closed_lattice_kernel(skews->time[r], &skews->lattice);
    return why != NULL ? why : closed_graver_make(&skews->lattice, &skews->graver);
}

/* Count the fetches over one bus: the pairs left (in no box of "*gone", served by no rule) that no
 * generator takes to one before. Where each generator takes fetched pairs to fetched pairs alone,
 * those of one fetch are connected by them. Boxes of pairs at greater PEs join "*gone". */
static const struct sator_decline *count_fetches(struct closed_skews *skews,
        struct closed_holes *gone, const struct sator_transport *transport, sator_int *fetches)
{
    struct closed_holes excluded = *gone;
    struct closed_holes greater = *gone;
    sator_int credit[CLOSED_CREDITS] = {0};
    sator_int points;
    const struct sator_decline *why = NULL;
    for (int i = 0; i < skews->graver.n && why == NULL; i++) {
        int64_t *move = skews->graver.element[i].at;
        bool other_pe;
        int hole;
        if (!closed_skews_fits(skews, move))
            continue;
        for (int side = 0; side < 2 && why == NULL; side++) {
            bool split = false;
            why = find_split(skews, gone, move, &split);
            if (why == NULL && split)
                why = DECLINE("a bus serves only some of a fetch under skewed stamps");
            closed_skews_negate(skews->grid.n_axes, move);
        }
        if (sign_at_pe(skews, move, &other_pe) < 0)
            closed_skews_negate(skews->grid.n_axes, move);
        if (why == NULL)
            why = closed_cells_add_move(&skews->cells, move, &hole);
        if (why != NULL)
            return why;
        closed_holes_set(&excluded, hole);
        if (other_pe)
            closed_holes_set(&greater, hole);
    }
    if (why != NULL)
        return why;
    skews->cells.excluded = excluded;
    why = closed_cells_count(&skews->cells, credit, &points);
    *fetches = points;
    for (int i = 0; i <= transport->n_links; i++)
        *fetches -= credit[i];
    *gone = greater;
    return why;
}

const struct sator_decline *closed_fetches_credit(struct closed_skews *skews,
        const struct closed_request *request, const struct sator_transport *transport,
        sator_int left, sator_int *by_bus)
{
    struct closed_holes gone = {{0}};
    const struct sator_decline *why = NULL;
    for (int b = 0; b < transport->n_buses && why == NULL; b++) {
        sator_int fetches = 0;
        why = find_shares(skews, request->bus[b], request->buses[b]->n_out);
        if (why == NULL)
            why = count_fetches(skews, &gone, transport, &fetches);
        by_bus[b] = left - fetches;
        left = fetches;
    }
    return why;
}
