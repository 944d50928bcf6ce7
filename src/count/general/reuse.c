/* Reuse from registers and over links.
 *
 * What a link serves is the conjunction of  ((p,t),f) in A,  t' = prev^k(t),  (q -> p) in the link,
 * ((q,t'),f) in A. Given (p,t,f) the other variables are determined, so that the conjunction is
 * counted as it is, without projection. A register is a link of a PE to itself. The union over
 * registers and links is counted in order (served.h).
 */
#include "count/general/reuse.h"

#include "base/arena.h"
#include "base/checked.h"
#include "count/general/distances.h"
#include "count/general/meetings.h"

#include <isl/space.h>
#include <stdlib.h>

void sator_ways_clear(struct sator_ways *ways)
{
    for (int i = 0; i < ways->n; i++)
        sator_served_clear(&ways->list[i].served);
    free(ways->list);
    *ways = (struct sator_ways){0};
}

/* A question; what is held some stamps before is found once for all links of that interval. */
struct search {
    struct sator_stamps *stamps;
    const struct sator_transport *transport;
    isl_set *assignment;
    const struct sator_pieces *pieces;
    int n_leading, n_past;
    struct past *past; /* of each interval that was asked for */
    struct sator_system *self; /* q = p */
    struct sator_ways *ways;
};

/* What links of one interval may bring, and where it meets what is needed. */
struct past {
    int interval;
    isl_set *held; /* NULL: all of the assignment */
    struct sator_meetings meetings;
};

/* { [p, t, f] : [p_1 .. p_a, t_1 .. t_b, f] is the same of a point of "assignment" }, for the
 * prefix of "transport". */
static isl_set *held_outside(const struct sator_stamps *stamps, isl_set *assignment,
        const struct sator_transport *transport)
{
    unsigned n_space = (unsigned)stamps->n_space, n_time = (unsigned)stamps->n_time;
    unsigned space = (unsigned)transport->held_space, time = (unsigned)transport->held_time;
    isl_set *held = isl_set_copy(assignment);

    held = isl_set_project_out(held, isl_dim_set, n_space + time, n_time - time);
    held = isl_set_project_out(held, isl_dim_set, space, n_space - space);
    held = isl_set_insert_dims(held, isl_dim_set, space + time, n_time - time);
    return isl_set_insert_dims(held, isl_dim_set, space, n_space - space);
}

enum sator_status sator_reuse_kept(struct sator_stamps *stamps, isl_set *assignment,
        const struct sator_transport *transport, int interval, isl_set **kept)
{
    isl_ctx *isl = sator_bridge_ctx(stamps->ctx);
    unsigned n_space = (unsigned)stamps->n_space, n_time = (unsigned)stamps->n_time;
    unsigned n_rest = (unsigned)isl_set_dim(assignment, isl_dim_set) - n_space - n_time;
    isl_set *left = isl_set_copy(assignment), *held = NULL;
    isl_map *back = NULL;
    enum sator_status st = SATOR_OK;

    if (interval > 1 && transport->held_time > 0) {
        held = held_outside(stamps, assignment, transport);
        back = isl_map_identity(isl_space_alloc(isl, 0, n_time, n_time));
    }
    for (int k = 1; k < interval && back != NULL; k++) { /* held k stamps after t' */
        isl_map *prev, *lifted;

        SATOR_TRY(sator_stamps_prev(stamps, &prev));
        back = isl_map_apply_range(back, isl_map_copy(prev));
        lifted = isl_map_flat_product(
                isl_map_identity(isl_space_alloc(isl, 0, n_space, n_space)), isl_map_copy(back));
        lifted = isl_map_flat_product(
                lifted, isl_map_identity(isl_space_alloc(isl, 0, n_rest, n_rest)));
        left = isl_set_intersect(left, isl_set_apply(isl_set_copy(held), lifted));
    }
    *kept = sator_bridge_coalesce(left);
    left = NULL;
done:
    isl_set_free(left);
    isl_set_free(held);
    isl_map_free(back);
    return st;
}

/* ---- all ways of a transport, in order ---- */

/* The assignment as links of "interval" find it. */
static enum sator_status find_past(struct search *search, int interval, struct past **result)
{
    struct past *past = search->past;
    struct sator_pieces pieces = {0};
    enum sator_status st = SATOR_OK;

    while (past < search->past + search->n_past && past->interval != interval)
        past++;
    *result = past;
    if (past < search->past + search->n_past)
        return SATOR_OK;
    *past = (struct past){.interval = interval};
    search->n_past++;
    if (interval < 2 || search->transport->held_time == 0) {
        SATOR_TRY(sator_meetings_find(search->stamps, search->n_leading, search->pieces, interval,
                search->pieces, &past->meetings));
    } else {
        SATOR_TRY(sator_reuse_kept(
                search->stamps, search->assignment, search->transport, interval, &past->held));
        SATOR_TRY(sator_stamps_pieces(search->stamps, isl_set_copy(past->held), &pieces));
        SATOR_TRY(sator_meetings_find(search->stamps, search->n_leading, search->pieces, interval,
                &pieces, &past->meetings));
    }
done:
    sator_pieces_clear(&pieces);
    return st;
}

static enum sator_status add_way(struct search *search, const struct sator_meetings *meetings,
        const struct sator_system *function, int link)
{
    struct sator_ways *ways = search->ways;
    struct sator_way made = {.link = link};
    enum sator_status st = sator_meetings_served(search->stamps, meetings, function, &made.served);

    if (st != SATOR_OK || made.served.n == 0)
        return st;
    ways->list = sator_realloc(ways->list, sizeof *ways->list * (size_t)(ways->n + 1));
    ways->list[ways->n++] = made;
    return SATOR_OK;
}

/* { [p, t', f] : exists q : (q -> p) in "link", [q, t', f] in "held" }. */
static isl_set *project_provider(const struct search *search, isl_map *link, isl_set *held)
{
    unsigned n_rest = (unsigned)(search->n_leading - search->stamps->n_space);
    isl_space *space = isl_space_alloc(isl_map_get_ctx(link), 0, n_rest, n_rest);

    return isl_set_apply(
            isl_set_copy(held), isl_map_flat_product(isl_map_copy(link), isl_map_identity(space)));
}

/* Add what the part of a link serves whose consumers have many providers. */
static enum sator_status add_others(
        struct search *search, const struct past *past, isl_map *others, int interval, int link)
{
    isl_set *held = past->held ? past->held : search->assignment;
    struct sator_meetings meetings = {0};
    struct sator_pieces pieces;
    enum sator_status st;

    SATOR_TRY(sator_stamps_pieces(search->stamps, project_provider(search, others, held), &pieces));
    SATOR_TRY(sator_meetings_find(
            search->stamps, search->n_leading, search->pieces, interval, &pieces, &meetings));
    st = add_way(search, &meetings, search->self, link);
done:
    sator_meetings_clear(&meetings);
    sator_pieces_clear(&pieces);
    return st;
}

static enum sator_status add_link(struct search *search, int i)
{
    const struct sator_network_link *link = &search->transport->links[i];
    struct sator_pieces functions = {0};
    isl_map *others = NULL;
    struct past *past;
    enum sator_status st;

    SATOR_TRY(find_past(search, link->interval, &past));
    SATOR_TRY(sator_distances_find(
            search->stamps, sator_stamps_link(search->stamps, link->map), &functions, &others));
    for (int k = 0; k < functions.n; k++)
        SATOR_TRY(add_way(search, &past->meetings, functions.systems[k], i));
    if (isl_map_plain_is_empty(others) != isl_bool_true)
        SATOR_TRY(add_others(search, past, others, link->interval, i));
done:
    sator_pieces_clear(&functions);
    isl_map_free(others);
    return st;
}

/* The PE itself as its provider. */
static struct sator_system *link_to_self(int n_space)
{
    struct sator_system *self = sator_system_new(2 * n_space, n_space);

    for (int d = 0; d < n_space; d++) {
        int64_t *cells = sator_system_add(self, KIND_EQUALITY) + ROW_COEFFICIENTS;

        cells[d] = 1;
        cells[n_space + d] = -1;
    }
    return self;
}

static void open_search(struct search *search)
{
    search->n_leading = isl_set_dim(search->assignment, isl_dim_set);
    search->past = sator_alloc(sizeof *search->past * (size_t)(search->transport->n_links + 1));
    search->self = link_to_self(search->stamps->n_space);
}

static void close_search(struct search *search)
{
    for (int k = 0; k < search->n_past; k++) {
        isl_set_free(search->past[k].held);
        sator_meetings_clear(&search->past[k].meetings);
    }
    free(search->past);
    sator_system_free(search->self);
}

enum sator_status sator_ways_find(struct sator_stamps *stamps, isl_set *assignment,
        const struct sator_pieces *pieces, const struct sator_transport *transport,
        struct sator_ways *ways)
{
    struct search search = {.stamps = stamps,
            .transport = transport,
            .assignment = assignment,
            .pieces = pieces,
            .ways = ways};
    enum sator_status st = SATOR_OK;
    struct past *past;

    *ways = (struct sator_ways){0};
    open_search(&search);
    if (transport->registers) {
        SATOR_TRY(find_past(&search, 1, &past));
        SATOR_TRY(add_way(&search, &past->meetings, search.self, SATOR_WAY_REGISTER));
    }
    for (int i = 0; i < transport->n_links; i++)
        SATOR_TRY(add_link(&search, i));
done:
    close_search(&search);
    if (st != SATOR_OK)
        sator_ways_clear(ways);
    return st;
}

enum sator_status sator_ways_credit(struct sator_stamps *stamps, const struct sator_ways *ways,
        int n_leading, sator_int *temporal, sator_int *by_link)
{
    struct sator_served *before =
            sator_alloc(sizeof *before * (size_t)(ways->n + 1)); /* KEEP of all ways */
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < ways->n; i++) {
        int link = ways->list[i].link;
        sator_int *total = link == SATOR_WAY_REGISTER ? temporal : &by_link[link];
        sator_int more;

        before[i] = ways->list[i].served;
        SATOR_TRY(sator_served_added(stamps->points, &before[i], before, i, n_leading, &more));
        if (!sator_add(*total, more, total))
            SATOR_TRY(SATOR_OVERFLOW);
    }
done:
    free(before);
    return st;
}
