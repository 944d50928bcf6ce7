/* Reuse from registers and over links.
 *
 * What a link serves is the conjunction of  ((p,t),f) in A,  t' = prev^k(t),  (q -> p) in the link,
 * ((q,t'),f) in A. Given (p,t,f) the other variables are determined, so that the conjunction is
 * counted as it is, without projection. The union over registers and links is counted in order
 * (served.h).
 */
#include "count/general/reuse.h"

#include "base/arena.h"
#include "base/checked.h"

#include <isl/point.h>
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a link serves ---- */

/* One way that providers are found: systems over (q, p) that determine q by p, and the pieces of A
 * that they hold; or, with "link" NULL, pieces { [p, t', f] } from which the provider has been
 * projected out. */
struct way {
    const struct sator_system *link;
    const struct sator_pieces *held;
};

struct layout {
    int n_space, n_time, n_leading;
};

/* ((p,t),f) in "here", (t,t') in "chain" (NULL: t' = t), and (q,p) in "link" (NULL: q = p).
 * provider[v]: the variable that is coordinate v of the provider's ((q,t'),f). */
static struct sator_system *bind_provider(const struct layout *layout,
        const struct sator_system *here, const struct sator_system *chain,
        const struct sator_system *link, int *provider)
{
    int n_space = layout->n_space, n_time = layout->n_time;
    int time = n_space, space = 0, n_vars = here->n_vars;
    int most = here->n_vars + (chain ? chain->n_vars : 0) + (link ? link->n_vars : 0);
    int *vars = sator_alloc(sizeof *vars * (size_t)(most + 1));
    struct sator_system *all;

    if (chain) {
        time = n_vars;
        n_vars += chain->n_vars - n_time;
    }
    if (link) {
        space = n_vars;
        n_vars += link->n_vars - n_space;
    }
    all = sator_system_new(
            n_vars, here->n_rows + (chain ? chain->n_rows : 0) + (link ? link->n_rows : 0));
    for (int v = 0; v < here->n_vars; v++)
        vars[v] = v;
    sator_system_add_rows(all, here, vars);
    /* (t, t', more): t' and more are new. */
    for (int v = 0; chain && v < chain->n_vars; v++)
        vars[v] = v < n_time ? n_space + v : time + v - n_time;
    if (chain)
        sator_system_add_rows(all, chain, vars);
    /* (q, p, more): q and more are new. */
    for (int v = 0; link && v < link->n_vars; v++)
        vars[v] = v < n_space ? space + v : v < 2 * n_space ? v - n_space : space + v - n_space;
    if (link)
        sator_system_add_rows(all, link, vars);
    for (int v = 0; v < layout->n_leading; v++)
        provider[v] = v < n_space ? space + v : v < n_space + n_time ? time + v - n_space : v;
    free(vars);
    return all;
}

/* "bound" and the provider's ((q,t'),f) in "there". */
static struct sator_system *serve(const struct layout *layout, const struct sator_system *bound,
        const int *provider, const struct sator_system *there)
{
    int *vars = sator_alloc(sizeof *vars * (size_t)(bound->n_vars + there->n_vars + 1));
    struct sator_system *all = sator_system_new(
            bound->n_vars + there->n_vars - layout->n_leading, bound->n_rows + there->n_rows);

    for (int v = 0; v < bound->n_vars; v++)
        vars[v] = v;
    sator_system_add_rows(all, bound, vars);
    for (int v = 0; v < there->n_vars; v++)
        vars[v] = v < layout->n_leading ? provider[v] : bound->n_vars + v - layout->n_leading;
    sator_system_add_rows(all, there, vars);
    free(vars);
    return all;
}

/* Add the pairs of the piece "home", bound to their provider, that it has in one of "held". Most
 * pieces meet nowhere, so what is the same for all of "held" is solved once. */
static enum sator_status add_served(struct sator_stamps *stamps, const struct layout *layout,
        const struct sator_system *bound, const int *provider, const struct sator_pieces *held,
        int home, struct sator_served *served)
{
    struct sator_system *solved = sator_system_copy(bound), *forms = NULL;
    enum sator_status st;
    bool empty;

    SATOR_TRY(sator_system_solve(solved, layout->n_leading, provider, &forms, &empty));
    for (int k = 0; k < held->n && !empty; k++) {
        struct sator_system *both;
        sator_int count;

        SATOR_TRY(sator_system_apply(solved, forms, held->systems[k], &both));
        SATOR_TRY(sator_points_count(stamps->points, both, &count));
        if (count > 0)
            SATOR_TRY(sator_served_add(served, serve(layout, bound, provider, held->systems[k]),
                    count, home, layout->n_leading));
    }
done:
    sator_system_free(forms);
    sator_system_free(solved);
    return st;
}

static enum sator_status find_served(struct sator_stamps *stamps, const struct layout *layout,
        const struct sator_pieces *assignment, int interval, const struct way *way,
        struct sator_served *served)
{
    int *provider = sator_alloc(sizeof *provider * (size_t)(layout->n_leading + 1));
    enum sator_status st = SATOR_OK;
    const struct sator_pieces *chain = NULL;

    *served = (struct sator_served){0};
    if (interval > 0) {
        if (stamps->n_time == 0)
            goto done;
        SATOR_TRY(sator_stamps_chain(stamps, interval, &chain));
    }
    for (int i = 0; i < assignment->n; i++)
        for (int j = 0; j < (chain ? chain->n : 1); j++) {
            struct sator_system *bound = bind_provider(layout, assignment->systems[i],
                    chain ? chain->systems[j] : NULL, way->link, provider);

            st = add_served(stamps, layout, bound, provider, way->held, i, served);
            sator_system_free(bound);
            SATOR_TRY(st);
        }
done:
    free(provider);
    if (st != SATOR_OK)
        sator_served_clear(served);
    return st;
}

/* ---- all ways of a transport, in order ---- */

struct ways {
    int n;
    struct sator_served *served;
    int *link; /* of each: the link's number, or -1 for registers */
};

static enum sator_status add_way(struct sator_stamps *stamps, const struct layout *layout,
        const struct sator_pieces *assignment, int interval, const struct way *way, int link,
        struct ways *ways)
{
    struct sator_served served;
    enum sator_status st = find_served(stamps, layout, assignment, interval, way, &served);

    if (st != SATOR_OK || served.n == 0)
        return st;
    ways->served = sator_realloc(ways->served, sizeof *ways->served * (size_t)(ways->n + 1));
    ways->link = sator_realloc(ways->link, sizeof *ways->link * (size_t)(ways->n + 1));
    ways->served[ways->n] = served;
    ways->link[ways->n++] = link;
    return SATOR_OK;
}

/* The parts of a link: those with at most one provider a consumer, one by one, and the rest. */
struct split {
    int n_functions;
    isl_map **functions;
    isl_map *others;
};

static void add_part(struct split *split, isl_map *part)
{
    split->functions = sator_realloc(
            split->functions, sizeof *split->functions * (size_t)(split->n_functions + 1));
    split->functions[split->n_functions++] = part;
}

static isl_stat split_basic(isl_basic_map *part, void *user)
{
    struct split *split = user;
    isl_map *map = isl_map_from_basic_map(part);
    isl_bool single = isl_map_is_injective(map);

    if (single == isl_bool_true)
        add_part(split, map);
    else
        split->others = isl_map_union(split->others, map);
    return single < 0 ? isl_stat_error : isl_stat_ok;
}

/* The part of the rest whose consumers are at "delta" from their provider. */
static isl_stat split_delta(isl_point *delta, void *user)
{
    struct split *split = user;
    isl_map *shift = isl_set_translation(isl_set_from_point(delta));

    add_part(split, isl_map_intersect(isl_map_copy(split->others), shift));
    return split->functions[split->n_functions - 1] ? isl_stat_ok : isl_stat_error;
}

/* Beyond this many distances, the provider is projected out instead, which is exact too but slow
 * where the union of what the providers hold has no simple shape. */
enum {
    MOST_DELTAS = 256
};

/* Split "map" so that little or nothing is left in "others". */
static enum sator_status split_link(struct sator_stamps *stamps, isl_map *map, struct split *split)
{
    enum sator_status st = SATOR_OK;
    isl_set *deltas = NULL;
    isl_map *rest;
    sator_int n_deltas;

    if (isl_map_foreach_basic_map(map, split_basic, split) < 0)
        SATOR_TRY(sator_bridge_status(stamps->ctx));
    if (isl_map_plain_is_empty(split->others) == isl_bool_true)
        return SATOR_OK;
    deltas = isl_map_deltas(isl_map_copy(split->others));
    SATOR_TRY(sator_stamps_count(stamps, isl_set_copy(deltas), &n_deltas));
    if (n_deltas > MOST_DELTAS)
        goto done;
    if (isl_set_foreach_point(deltas, split_delta, split) < 0)
        SATOR_TRY(sator_bridge_status(stamps->ctx));
    rest = split->others;
    split->others = isl_map_empty(isl_map_get_space(rest));
    isl_map_free(rest);
done:
    isl_set_free(deltas);
    return st;
}

/* { [p, t', f] : exists q : (q -> p) in "link" (TAKE), [q, t', f] in "assignment" }. */
static isl_set *project_provider(const struct layout *layout, isl_map *link, isl_set *assignment)
{
    unsigned n_rest = (unsigned)(layout->n_leading - layout->n_space);
    isl_space *space = isl_space_alloc(isl_map_get_ctx(link), 0, n_rest, n_rest);

    return isl_set_apply(
            isl_set_copy(assignment), isl_map_flat_product(link, isl_map_identity(space)));
}

/* What a link of one provider a consumer (TAKE) serves; "held" is the providers' pairs. */
static enum sator_status add_function(struct sator_stamps *stamps, const struct layout *layout,
        const struct sator_pieces *assignment, const struct sator_pieces *held, isl_map *function,
        int interval, int number, struct ways *ways)
{
    struct sator_pieces links;
    enum sator_status st;

    SATOR_TRY(sator_stamps_pieces(stamps, isl_set_flatten(isl_map_wrap(function)), &links));
    for (int i = 0; i < links.n; i++)
        SATOR_TRY(add_way(stamps, layout, assignment, interval,
                &(struct way){links.systems[i], held}, number, ways));
done:
    sator_pieces_clear(&links);
    return st;
}

/* What a link (TAKE) of several providers a consumer serves. */
static enum sator_status add_others(struct sator_stamps *stamps, const struct layout *layout,
        isl_set *assignment, const struct sator_pieces *pieces, isl_map *others, int interval,
        int number, struct ways *ways)
{
    struct sator_pieces held;
    enum sator_status st;

    SATOR_TRY(sator_stamps_pieces(stamps, project_provider(layout, others, assignment), &held));
    st = add_way(stamps, layout, pieces, interval, &(struct way){NULL, &held}, number, ways);
done:
    sator_pieces_clear(&held);
    return st;
}

/* "held" and "held_pieces" are the providers' pairs. */
static enum sator_status add_link(struct sator_stamps *stamps, const struct layout *layout,
        const struct sator_pieces *pieces, isl_set *held, const struct sator_pieces *held_pieces,
        const struct sator_network_link *link, int number, struct ways *ways)
{
    isl_map *map =
            isl_map_compute_divs(isl_map_detect_equalities(sator_stamps_link(stamps, link->map)));
    struct split split = {.others = isl_map_empty(isl_map_get_space(map))};
    enum sator_status st = SATOR_OK;
    int next = 0;

    SATOR_TRY(split_link(stamps, map, &split));
    while (next < split.n_functions)
        SATOR_TRY(add_function(stamps, layout, pieces, held_pieces, split.functions[next++],
                link->interval, number, ways));
    if (isl_map_plain_is_empty(split.others) != isl_bool_true) {
        st = add_others(stamps, layout, held, pieces, isl_map_copy(split.others), link->interval,
                number, ways);
    }
done:
    while (next < split.n_functions)
        isl_map_free(split.functions[next++]);
    free(split.functions);
    isl_map_free(map);
    isl_map_free(split.others);
    return st;
}

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

/* Add what link number "i" serves. */
static enum sator_status add_link_of(struct sator_stamps *stamps, const struct layout *layout,
        isl_set *assignment, const struct sator_pieces *pieces,
        const struct sator_transport *transport, int i, struct ways *ways)
{
    const struct sator_network_link *link = &transport->links[i];
    struct sator_pieces held_pieces = {0};
    isl_set *held = NULL;
    enum sator_status st;

    if (link->interval < 2 || transport->held_time == 0)
        return add_link(stamps, layout, pieces, assignment, pieces, link, i, ways);
    SATOR_TRY(sator_reuse_kept(stamps, assignment, transport, link->interval, &held));
    SATOR_TRY(sator_stamps_pieces(stamps, isl_set_copy(held), &held_pieces));
    st = add_link(stamps, layout, pieces, held, &held_pieces, link, i, ways);
done:
    sator_pieces_clear(&held_pieces);
    isl_set_free(held);
    return st;
}

enum sator_status sator_reuse_count(struct sator_stamps *stamps, isl_set *assignment,
        const struct sator_pieces *pieces, const struct sator_transport *transport,
        sator_int *temporal, sator_int *by_link)
{
    struct layout layout = {stamps->n_space, stamps->n_time, 0};
    struct ways ways = {0};
    enum sator_status st = SATOR_OK;

    layout.n_leading = isl_set_dim(assignment, isl_dim_set);
    *temporal = 0;
    memset(by_link, 0, sizeof *by_link * (size_t)transport->n_links);
    if (transport->registers)
        SATOR_TRY(add_way(stamps, &layout, pieces, 1, &(struct way){NULL, pieces}, -1, &ways));
    for (int i = 0; i < transport->n_links; i++)
        SATOR_TRY(add_link_of(stamps, &layout, assignment, pieces, transport, i, &ways));
    for (int i = 0; i < ways.n; i++) {
        sator_int *total = ways.link[i] < 0 ? temporal : &by_link[ways.link[i]];
        sator_int more;

        SATOR_TRY(sator_served_added(
                stamps->points, &ways.served[i], ways.served, i, layout.n_leading, &more));
        if (!sator_add(*total, more, total))
            SATOR_TRY(SATOR_OVERFLOW);
    }
done:
    for (int i = 0; i < ways.n; i++)
        sator_served_clear(&ways.served[i]);
    free(ways.served);
    free(ways.link);
    return st;
}
