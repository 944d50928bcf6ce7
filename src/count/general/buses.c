/* Multicast buses and reduction trees: of the pairs that neither registers nor links serve, those
 * of one bus, time-stamp and element cross once: the smallest PE's. So a bus is a wire, within a
 * stamp, from every PE to all greater ones on it that are left with the element; what it leaves is
 * the input of the next family.
 *
 * Where the PEs of a bus are too many distances apart, or what is left is not cut into systems
 * (left.h), the same is done with sets, in isl.
 */
#include "count/general/reuse.h"

#include "base/arena.h"
#include "base/checked.h"
#include "count/general/distances.h"
#include "count/general/left.h"
#include "count/general/meetings.h"

#include <isl/space.h>
#include <stdlib.h>

/* ---- by sets ---- */

/* { [q, t', f] -> [p, t, f] } for a link (TAKE; q -> p) and t' = prev^interval(t). */
static enum sator_status lift(
        struct sator_stamps *stamps, isl_map *link, int interval, int n_elements, isl_map **lifted)
{
    isl_ctx *isl = sator_bridge_ctx(stamps->ctx);
    unsigned n_time = (unsigned)stamps->n_time;
    isl_map *back = isl_map_identity(isl_space_alloc(isl, 0, n_time, n_time));
    isl_map *same =
            isl_map_identity(isl_space_alloc(isl, 0, (unsigned)n_elements, (unsigned)n_elements));
    enum sator_status st = SATOR_OK;

    for (int k = 0; k < interval; k++) {
        isl_map *prev;

        SATOR_TRY(sator_stamps_prev(stamps, &prev));
        back = isl_map_apply_range(back, isl_map_copy(prev));
        if (isl_map_plain_is_empty(back) == isl_bool_true)
            break;
    }
    *lifted = isl_map_flat_product(isl_map_flat_product(link, isl_map_reverse(back)), same);
    return SATOR_OK;
done:
    isl_map_free(link);
    isl_map_free(back);
    isl_map_free(same);
    return st;
}

/* Subtract from "*left" what a link (TAKE) serves of "assignment". */
static enum sator_status subtract_served(struct sator_stamps *stamps, isl_set *assignment,
        isl_map *link, int interval, isl_set **left)
{
    int n_elements = isl_set_dim(assignment, isl_dim_set) - stamps->n_space - stamps->n_time;
    enum sator_status st;
    isl_map *lifted;

    if (interval > 0 && stamps->n_time == 0) {
        isl_map_free(link);
        return SATOR_OK;
    }
    SATOR_TRY(lift(stamps, link, interval, n_elements, &lifted));
    *left = isl_set_subtract(*left, isl_set_apply(isl_set_copy(assignment), lifted));
    *left = sator_bridge_coalesce(*left);
done:
    return st;
}

static enum sator_status not_served(struct sator_stamps *stamps, isl_set *assignment,
        const struct sator_transport *transport, isl_set **left)
{
    unsigned n_space = (unsigned)stamps->n_space;
    enum sator_status st = SATOR_OK;

    *left = sator_bridge_coalesce(sator_bridge_compute_divs(isl_set_copy(assignment)));
    if (transport->registers)
        SATOR_TRY(subtract_served(stamps, assignment,
                isl_map_identity(
                        isl_space_alloc(sator_bridge_ctx(stamps->ctx), 0, n_space, n_space)),
                1, left));
    for (int i = 0; i < transport->n_links; i++) {
        int interval = transport->links[i].interval;
        isl_set *held;

        SATOR_TRY(sator_reuse_kept(stamps, assignment, transport, interval, &held));
        st = subtract_served(
                stamps, held, sator_stamps_link(stamps, transport->links[i].map), interval, left);
        isl_set_free(held);
        SATOR_TRY(st);
    }
done:
    return st;
}

/* Count what the bus family "bus" saves of "*left" and reduce that to its representatives: of each
 * group the pair of the lexicographically smallest PE. The last family needs none. */
static enum sator_status apply_bus(struct sator_stamps *stamps, const struct sator_relation *bus,
        bool last, isl_set **left, sator_int *saved)
{
    unsigned n_rest = (unsigned)(isl_set_dim(*left, isl_dim_set) - stamps->n_space);
    isl_map *map = sator_bridge_map(stamps->ctx, bus);
    isl_set *off_bus, *on_bus;
    isl_map *groups;
    sator_int members, fetched;
    enum sator_status st;

    groups = isl_map_flat_product(map,
            isl_map_identity(isl_space_alloc(sator_bridge_ctx(stamps->ctx), 0, n_rest, n_rest)));
    groups = isl_map_intersect_domain(groups, isl_set_copy(*left));
    on_bus = isl_map_domain(isl_map_copy(groups));
    SATOR_TRY(sator_stamps_count(stamps, isl_set_copy(on_bus), &members));
    SATOR_TRY(sator_stamps_count(stamps, isl_map_range(isl_map_copy(groups)), &fetched));
    *saved = members - fetched;
    if (last)
        goto done;
    off_bus = isl_set_subtract(*left, isl_set_copy(on_bus));
    /* The members of a group differ in p alone, which comes first. */
    groups = isl_map_lexmin(isl_map_reverse(groups));
    *left = sator_bridge_coalesce(isl_set_union(off_bus, isl_map_range(groups)));
    groups = NULL;
done:
    isl_map_free(groups);
    isl_set_free(on_bus);
    return st;
}

static enum sator_status count_by_sets(struct sator_stamps *stamps, isl_set *assignment,
        const struct sator_transport *transport, sator_int *by_bus)
{
    isl_set *left = NULL;
    enum sator_status st;

    SATOR_TRY(not_served(stamps, assignment, transport, &left));
    for (int i = 0; i < transport->n_buses; i++)
        SATOR_TRY(apply_bus(
                stamps, transport->buses[i], i == transport->n_buses - 1, &left, &by_bus[i]));
done:
    isl_set_free(left);
    return st;
}

/* ---- by systems ---- */

/* { [q] -> [p] : q < p, both on one bus }. */
static isl_map *same_bus(struct sator_stamps *stamps, const struct sator_relation *bus)
{
    isl_map *on =
            isl_map_intersect_domain(sator_bridge_map(stamps->ctx, bus), isl_set_copy(stamps->box));
    isl_map *before = isl_map_lex_lt(isl_set_get_space(stamps->box));

    on = isl_map_apply_range(on, isl_map_reverse(isl_map_copy(on)));
    return isl_map_intersect(on, before);
}

/* Reduce "*left" to what the family leaves. SATOR_DECLINED when its PEs are too many distances
 * apart. */
static enum sator_status take_bus(struct sator_stamps *stamps, const struct sator_relation *bus,
        int n_leading, struct sator_pieces *left)
{
    struct sator_pieces functions = {0}, rest;
    struct sator_meetings meetings = {0};
    struct sator_served *taken = NULL;
    isl_map *others = NULL;
    enum sator_status st;
    int n_taken = 0;

    SATOR_TRY(sator_distances_find(stamps, same_bus(stamps, bus), &functions, &others));
    if (isl_map_plain_is_empty(others) != isl_bool_true)
        SATOR_TRY(SATOR_DECLINED);
    SATOR_TRY(sator_meetings_find(stamps, n_leading, left, 0, left, &meetings));
    taken = sator_alloc(sizeof *taken * (size_t)(functions.n + 1));
    for (; n_taken < functions.n; n_taken++)
        SATOR_TRY(sator_meetings_served(
                stamps, &meetings, functions.systems[n_taken], &taken[n_taken]));
    SATOR_TRY(sator_left_find(stamps->points, left, n_taken, taken, n_leading, &rest));
    sator_pieces_clear(left);
    *left = rest;
done:
    for (int i = 0; i < n_taken; i++)
        sator_served_clear(&taken[i]);
    free(taken);
    sator_meetings_clear(&meetings);
    sator_pieces_clear(&functions);
    isl_map_free(others);
    return st;
}

static enum sator_status count_by_systems(struct sator_stamps *stamps,
        const struct sator_pieces *pieces, const struct sator_ways *ways,
        const struct sator_transport *transport, int n_leading, sator_int *by_bus)
{
    struct sator_served *taken =
            sator_alloc(sizeof *taken * (size_t)(ways->n + 1)); /* KEEP of all ways */
    struct sator_pieces left = {0};
    sator_int before, after;
    enum sator_status st;

    for (int i = 0; i < ways->n; i++)
        taken[i] = ways->list[i].served;
    SATOR_TRY(sator_left_find(stamps->points, pieces, ways->n, taken, n_leading, &left));
    SATOR_TRY(sator_pieces_count(stamps, &left, &before));
    for (int i = 0; i < transport->n_buses; i++) {
        SATOR_TRY(take_bus(stamps, transport->buses[i], n_leading, &left));
        SATOR_TRY(sator_pieces_count(stamps, &left, &after));
        by_bus[i] = before - after;
        before = after;
    }
done:
    sator_pieces_clear(&left);
    free(taken);
    return st;
}

enum sator_status sator_bus_count(struct sator_stamps *stamps, isl_set *assignment,
        const struct sator_pieces *pieces, const struct sator_ways *ways,
        const struct sator_transport *transport, sator_int *by_bus)
{
    enum sator_status st = count_by_systems(
            stamps, pieces, ways, transport, isl_set_dim(assignment, isl_dim_set), by_bus);

    if (st == SATOR_DECLINED)
        st = count_by_sets(stamps, assignment, transport, by_bus);
    return st;
}
