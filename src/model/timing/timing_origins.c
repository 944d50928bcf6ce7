/* Where each pair comes from (doc/model.md, section 2): the stamp before, a link, another pair over
 * a bus or tree, or the holder outside. */
#include "model/timing/timing_follow.h"

#include "relation/explicit.h"

#include <stdlib.h>

/* ---- links and buses ---- */

static void place_of(const struct follower *f, int n_space, int64_t instance, int64_t *place)
{
    const int64_t *shape = f->timing->analysis->shape;

    for (int d = n_space - 1; d >= 0; d--) {
        place[d] = instance % shape[d];
        instance /= shape[d];
    }
}

/* The number of the instance that "piece" leads to from "place"; -1: to none. */
static int64_t follow_piece(const struct follower *f, int n_space, const struct sator_piece *piece,
        const int64_t *place)
{
    const int64_t *shape = f->timing->analysis->shape;
    int64_t number = 0, value;
    bool holds;

    if (!sator_cond_holds(piece->cond, place, &holds) || !holds)
        return -1;
    for (int d = 0; d < n_space; d++) {
        if (!sator_expr_value(piece->out[d], place, &value) || value < 0 || value >= shape[d])
            return -1;
        number = number * shape[d] + value;
    }
    return number;
}

/* The providers of every instance. */
static void wire_link(const struct follower *f, int n_space, int64_t n_instances,
        const struct sator_relation *map, struct wiring *wiring)
{
    int64_t *place = SATOR_NEW_ARRAY(f->arena, int64_t, n_space + 1);

    wiring->first = SATOR_NEW_ARRAY(f->arena, int64_t, n_instances + 2);
    wiring->to = SATOR_NEW_ARRAY(f->arena, int64_t, n_instances * map->n_pieces + 1);
    for (int pass = 0; pass < 2; pass++) { /* count, then fill */
        for (int64_t q = 0; q < n_instances; q++) {
            place_of(f, n_space, q, place);
            for (int p = 0; p < map->n_pieces; p++) {
                int64_t to = follow_piece(f, n_space, &map->pieces[p], place);
                if (to >= 0 && pass == 0)
                    wiring->first[to + 2]++;
                else if (to >= 0)
                    wiring->to[wiring->first[to + 1]++] = q;
            }
        }
        for (int64_t q = 0; pass == 0 && q < n_instances; q++)
            wiring->first[q + 2] += wiring->first[q + 1];
    }
}

/* The bus of every instance. */
static void name_bus(const struct follower *f, int n_space, int64_t n_instances,
        const struct sator_relation *map, const struct timing_use *use, struct wiring *wiring)
{
    int n_inner = n_space - use->first_dims - use->dims;
    int64_t *place = SATOR_NEW_ARRAY(f->arena, int64_t, n_space + 1);
    int n_out = map->n_out;
    int64_t *value = SATOR_NEW_ARRAY(f->arena, int64_t, n_instances * n_out + 1);
    int64_t *least = SATOR_NEW_ARRAY(f->arena, int64_t, n_out + 1);
    int64_t *most = SATOR_NEW_ARRAY(f->arena, int64_t, n_out + 1);

    wiring->to = SATOR_NEW_ARRAY(f->arena, int64_t, n_instances + 1);
    for (int64_t q = 0; q < n_instances; q++) {
        place_of(f, n_space, q, place);
        for (int d = 0; d < n_out; d++) {
            int64_t *at = &value[q * n_out + d];
            sator_expr_value(map->pieces[0].out[d], place, at);
            least[d] = q == 0 || *at < least[d] ? *at : least[d];
            most[d] = q == 0 || *at > most[d] ? *at : most[d];
        }
    }
    for (int64_t q = 0; q < n_instances; q++) {
        for (int d = 0; d < n_out; d++)
            wiring->to[q] =
                    wiring->to[q] * (most[d] - least[d] + 1) + value[q * n_out + d] - least[d];
    }
    wiring->per_bus = 1;
    for (int d = n_out - n_inner; d < n_out && use->port >= 0; d++)
        wiring->per_bus *= most[d] - least[d] + 1;
}

/* ---- where pairs come from ---- */

/* The number of the wire from one instance to another, in all copies of its array. */
static int64_t wire_between(
        const struct crossing *crossing, const struct timing_use *use, int64_t from, int64_t to)
{
    int64_t pes = 1;

    for (int d = use->first_dims + use->dims; d < crossing->transfer->n_space; d++) {
        from /= crossing->shape[d];
        to /= crossing->shape[d];
    }
    for (int d = use->first_dims; d < use->first_dims + use->dims; d++)
        pes *= crossing->shape[d];
    return from * pes + to % pes;
}

static void cross_link(const struct crossing *crossing, const struct stays *stays,
        const struct origins *origins, int64_t stamp, int64_t e)
{
    if (crossing->wires == NULL)
        return;
    int k = origins->link[e];
    const struct timing_use *use = &crossing->transfer->wires[k];
    timing_moves_add(&crossing->wires[k], crossing->f->timing->arena, stamp,
            wire_between(crossing, use, stays_instance(stays, origins->from[e]),
                    stays_instance(stays, e)),
            stays_words(crossing->f, crossing->transfer, crossing->transfer->n_space, stays, e));
}

void crossing_add_bus(const struct crossing *crossing, const struct origins *origins, int b,
        int64_t stamp, int64_t bus, int64_t words)
{
    if (crossing->wires != NULL)
        timing_moves_add(&crossing->wires[crossing->transfer->transport.n_links + b],
                crossing->f->timing->arena, stamp, bus / origins->buses[b].per_bus, words);
}

static bool over_link(const struct stays *stays, const struct wiring *link, int interval,
        int64_t stamp, int64_t e, int64_t *from)
{
    int64_t instance = stays_instance(stays, e), element = stays_element(stays, e);

    for (int64_t k = link->first[instance]; k < link->first[instance + 1]; k++) {
        *from = stays_find(stays, stamp - interval, link->to[k], element);
        if (*from >= 0)
            return true;
    }
    return false;
}

int left_compare(const void *a, const void *b)
{
    const struct left *x = a, *y = b;

    if (x->bus != y->bus)
        return x->bus < y->bus ? -1 : 1;
    if (x->element != y->element)
        return x->element < y->element ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

/* Of the pairs "left" that share a bus and an element, all but the smallest are merged with it; the
 * number that is left. */
static int64_t share_bus(const struct stays *stays, const struct wiring *bus,
        struct origins *origins, struct left *left, int64_t n)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < n; i++)
        left[i].bus = bus->to[stays_instance(stays, left[i].pair)];
    if (n > 0)
        qsort(left, (size_t)n, sizeof *left, left_compare);
    for (int64_t i = 0; i < n; i++) {
        struct left *first = kept > 0 ? &left[kept - 1] : NULL;
        if (first != NULL && first->bus == left[i].bus && first->element == left[i].element) {
            origins->way[left[i].pair] = WAY_MERGED;
            origins->from[left[i].pair] = first->pair;
        } else {
            left[kept++] = left[i];
        }
    }
    return kept;
}

/* Whether the instance outside holds the element of "e" as long as a word is on its way over a link
 * of "interval": a sum goes up as soon as it lets go of it. Without "outside", it does. */
static bool is_kept(const struct follower *f, const struct stays *stays,
        const struct stays *outside, int interval, int64_t x, int64_t e)
{
    if (interval < 2 || outside == NULL)
        return true;
    int64_t instance = stays_instance(stays, e) / (stays->n_instances / outside->n_instances);
    for (int k = 1; k <= interval; k++) {
        if (x < k ||
                stays_find(outside, stays_outer(f, stays, outside, x - k), instance,
                        stays_element(stays, e)) < 0)
            return false;
    }
    return true;
}

/* Set the ways of the pairs of stamp "x"; "outside" is what the holder has of sums, or NULL. */
static void find_origins(const struct follower *f, const struct stays *stays,
        const struct stays *outside, const struct crossing *crossing, struct origins *origins,
        struct left *left, int64_t x)
{
    const struct sator_transport *transport = &crossing->transfer->transport;
    bool is_output = f->timing->analysis->workload->accesses[f->access].role == SATOR_WRITE;
    int64_t n = 0;

    for (int64_t e = stays->first[x]; e < stays->first[x + 1]; e++) {
        origins->way[e] = WAY_SENT;
        origins->from[e] =
                stays_find(stays, x - 1, stays_instance(stays, e), stays_element(stays, e));
        if (transport->registers && origins->from[e] >= 0)
            origins->way[e] = WAY_HELD;
        for (int k = 0; k < transport->n_links && origins->way[e] == WAY_SENT; k++) {
            int interval = transport->links[k].interval;
            if (over_link(stays, &origins->links[k], interval, x, e, &origins->from[e]) &&
                    is_kept(f, stays, outside, interval, x, e)) {
                origins->way[e] = WAY_LINK;
                origins->link[e] = k;
                cross_link(crossing, stays, origins, x, e);
            }
        }
        if (origins->way[e] == WAY_SENT)
            left[n++] = (struct left){.element = stays_element(stays, e), .pair = e};
    }
    for (int b = 0; b < transport->n_buses; b++) {
        n = share_bus(stays, &origins->buses[b], origins, left, n);
        for (int64_t i = 0; i < n && !is_output; i++)
            crossing_add_bus(crossing, origins, b, x, left[i].bus,
                    stays_words(f, crossing->transfer, crossing->transfer->n_space, stays,
                            left[i].pair));
    }
}

bool origins_make(const struct follower *f, const struct crossing *crossing,
        const struct stays *outside, const struct stays *stays, struct origins *origins)
{
    const struct timing_transfer *transfer = crossing->transfer;
    const struct sator_transport *transport = &transfer->transport;
    struct left *left = SATOR_NEW_ARRAY(f->arena, struct left, stays->n + 1);

    origins->way = SATOR_NEW_ARRAY(f->arena, enum way, stays->n + 1);
    origins->from = SATOR_NEW_ARRAY(f->arena, int64_t, stays->n + 1);
    origins->link = SATOR_NEW_ARRAY(f->arena, int, stays->n + 1);
    origins->links = SATOR_NEW_ARRAY(f->arena, struct wiring, transport->n_links + 1);
    origins->buses = SATOR_NEW_ARRAY(f->arena, struct wiring, transport->n_buses + 1);
    for (int k = 0; k < transport->n_links; k++) {
        if (!sator_relation_is_explicit(transport->links[k].map))
            return false;
        wire_link(f, transfer->n_space, stays->n_instances, transport->links[k].map,
                &origins->links[k]);
    }
    for (int b = 0; b < transport->n_buses; b++)
        name_bus(f, transfer->n_space, stays->n_instances, transport->buses[b],
                &transfer->wires[transport->n_links + b], &origins->buses[b]);
    for (int64_t x = 0; x < stays->n_stamps; x++)
        find_origins(f, stays, outside, crossing, origins, left, x);
    return true;
}
