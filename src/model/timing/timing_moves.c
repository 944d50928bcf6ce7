/* What the transfers of one access move, element by element (doc/model.md, sections 2 and 4): where
 * each pair of an instance and an element comes from, which sums start from zero, and when a sum
 * that was taken up leaves. */
#include "model/timing/timing.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_KEPT = 1 << 25 /* pairs, with those of idle instances */
};

/* How a pair comes to be held. */
enum way {
    WAY_HELD, /* in the stamp before */
    WAY_LINK, /* by a provider, earlier or in the same stamp */
    WAY_MERGED, /* another pair's word, over a bus or tree */
    WAY_SENT /* a word of the holder outside */
};

/* The pairs that the instances of one prefix hold, in the order of stamps, instances, elements: a
 * key is (stamp x instances + instance) x elements + element. */
struct stays {
    int level; /* of the stamps; -1: one stamp, the whole run */
    int64_t n_instances, n_elements;
    int64_t n, n_stamps;
    uint64_t *key;
    int64_t *first; /* of each stamp, and the end */
    bool *fresh; /* the pair starts from zero, and nobody inside has taken it up since */
};

struct follower {
    struct timing *timing;
    struct sator_arena *arena;
    const struct timing_list *list;
    const struct timing_stamps *stamps;
    int access;
};

/* ---- sorting ---- */

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int compare_words(const void *a, const void *b)
{
    const struct timing_words *x = a, *y = b;

    if (x->stamp != y->stamp)
        return x->stamp < y->stamp ? -1 : 1;
    return (x->instance > y->instance) - (x->instance < y->instance);
}

void timing_moves_add(struct timing_moves *moves, struct sator_arena *arena, int64_t stamp,
        int64_t instance, int64_t words)
{
    struct timing_words *last = moves->n > 0 ? &moves->rows[moves->n - 1] : NULL;

    if (last != NULL && last->stamp == stamp && last->instance == instance)
        last->words += words;
    else if (words > 0)
        SATOR_PUSH(arena, moves->rows, moves->n,
                (struct timing_words){.stamp = stamp, .instance = instance, .words = words});
}

void timing_moves_sort(struct timing_moves *moves)
{
    int n = 0;

    if (moves->n > 0)
        qsort(moves->rows, (size_t)moves->n, sizeof *moves->rows, compare_words);
    for (int i = 0; i < moves->n; i++) {
        if (n > 0 && compare_words(&moves->rows[n - 1], &moves->rows[i]) == 0)
            moves->rows[n - 1].words += moves->rows[i].words;
        else
            moves->rows[n++] = moves->rows[i];
    }
    moves->n = n;
}

/* ---- pairs ---- */

static int64_t stamp_of(const struct follower *f, int level, int64_t time)
{
    if (level < 0)
        return 0;
    const struct timing_stamps *stamps = &f->stamps[level];
    int64_t code = time / f->list->time_below[f->timing->lengths[level]];
    int64_t low = 0, high = stamps->n - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (stamps->code[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The pairs at a prefix, each as often as an instance of the nest makes it; false: their keys do
 * not fit into 63 bits. */
static bool list_pairs(const struct follower *f, int level, int n_space, struct stays *stays)
{
    const struct timing_list *list = f->list;
    const struct timing_elements *elements = &list->elements[f->access];
    int64_t below = list->space_below[n_space], room;

    *stays = (struct stays){.level = level,
            .n_instances = list->pes / below,
            .n_elements = elements->n_range,
            .n_stamps = level < 0 ? 1 : f->stamps[level].n};
    if (__builtin_mul_overflow(stays->n_stamps, stays->n_instances, &room) ||
            __builtin_mul_overflow(room, stays->n_elements, &room))
        return false;
    stays->key = SATOR_NEW_ARRAY(f->arena, uint64_t, list->n * elements->n_each + 1);
    for (int64_t i = 0; i < list->n; i++) {
        int64_t place = stamp_of(f, level, list->time[i]) * stays->n_instances;
        place += level < 0 ? 0 : list->pe[i] / below;
        for (int p = 0; p < elements->n_each; p++) {
            int64_t element = elements->element[i * elements->n_each + p];
            if (element >= 0)
                stays->key[stays->n++] =
                        (uint64_t)place * (uint64_t)stays->n_elements + (uint64_t)element;
        }
    }
    if (stays->n > 0)
        qsort(stays->key, (size_t)stays->n, sizeof *stays->key, compare_keys);
    return true;
}

static void index_stamps(const struct follower *f, struct stays *stays)
{
    uint64_t per_stamp = (uint64_t)stays->n_instances * (uint64_t)stays->n_elements;
    int64_t e = 0;

    stays->first = SATOR_NEW_ARRAY(f->arena, int64_t, stays->n_stamps + 1);
    for (int64_t x = 0; x <= stays->n_stamps; x++) {
        while (e < stays->n && stays->key[e] < (uint64_t)x * per_stamp)
            e++;
        stays->first[x] = e;
    }
}

static bool make_stays(const struct follower *f, int level, int n_space, struct stays *stays)
{
    int64_t n = 0;

    if (!list_pairs(f, level, n_space, stays))
        return false;
    for (int64_t e = 0; e < stays->n; e++) {
        if (n == 0 || stays->key[n - 1] != stays->key[e])
            stays->key[n++] = stays->key[e];
    }
    stays->n = n;
    stays->fresh = SATOR_NEW_ARRAY(f->arena, bool, n + 1);
    index_stamps(f, stays);
    return true;
}

static int64_t stamp_at(const struct stays *stays, int64_t e)
{
    return (int64_t)(stays->key[e] / (uint64_t)stays->n_elements) / stays->n_instances;
}

static int64_t instance_at(const struct stays *stays, int64_t e)
{
    return (int64_t)(stays->key[e] / (uint64_t)stays->n_elements) % stays->n_instances;
}

static int64_t element_at(const struct stays *stays, int64_t e)
{
    return (int64_t)(stays->key[e] % (uint64_t)stays->n_elements);
}

/* The pair, or -1. */
static int64_t find(const struct stays *stays, int64_t stamp, int64_t instance, int64_t element)
{
    if (stamp < 0)
        return -1;
    int64_t low = stays->first[stamp], high = stays->first[stamp + 1];
    uint64_t key = (uint64_t)(stamp * stays->n_instances + instance) * (uint64_t)stays->n_elements +
            (uint64_t)element;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (stays->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < stays->first[stamp + 1] && stays->key[low] == key ? low : -1;
}

/* ---- links and buses ---- */

/* From each instance to others: of a link its providers, of a bus the bus itself. */
struct wiring {
    int64_t *first; /* of each instance, and the end */
    int64_t *to;
    int64_t per_bus; /* of a bus's number: what lies deeper inside than the array shares it */
};

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

static bool is_plain(const struct sator_relation *map)
{
    for (int p = 0; p < map->n_pieces; p++) {
        if (map->pieces[p].n_free > 0 || sator_cond_has_exists(map->pieces[p].cond))
            return false;
    }
    return true;
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

/* Where the words of a transfer go over limited wires: of links in the stamp that they bring them
 * to, of buses in the stamp that takes them up, of trees in that in which sums leave. */
struct crossing {
    struct sator_arena *arena;
    const struct timing_transfer *transfer;
    const int64_t *shape;
    struct timing_moves *wires; /* NULL: no wire is limited */
};

struct origins {
    enum way *way;
    int *link; /* that brings it */
    int64_t *from; /* the pair that it is, or is a copy of */
    struct wiring *links, *buses;
};

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
    timing_moves_add(&crossing->wires[k], crossing->arena, stamp,
            wire_between(
                    crossing, use, instance_at(stays, origins->from[e]), instance_at(stays, e)),
            1);
}

static void cross_bus(const struct crossing *crossing, const struct origins *origins, int b,
        int64_t stamp, int64_t bus)
{
    if (crossing->wires != NULL)
        timing_moves_add(&crossing->wires[crossing->transfer->transport.n_links + b],
                crossing->arena, stamp, bus / origins->buses[b].per_bus, 1);
}

static bool over_link(const struct stays *stays, const struct wiring *link, int interval,
        int64_t stamp, int64_t e, int64_t *from)
{
    int64_t instance = instance_at(stays, e), element = element_at(stays, e);

    for (int64_t k = link->first[instance]; k < link->first[instance + 1]; k++) {
        *from = find(stays, stamp - interval, link->to[k], element);
        if (*from >= 0)
            return true;
    }
    return false;
}

/* A pair that is left for the buses. */
struct left {
    int64_t bus, element, pair;
};

static int compare_left(const void *a, const void *b)
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
        left[i].bus = bus->to[instance_at(stays, left[i].pair)];
    if (n > 0)
        qsort(left, (size_t)n, sizeof *left, compare_left);
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

/* The stamp of "outside" that stamp "x" of "stays" is part of. */
static int64_t outer_stamp(
        const struct follower *f, const struct stays *stays, const struct stays *outside, int64_t x)
{
    for (int level = stays->level; level > outside->level && level >= 0; level--)
        x = level == 0 ? 0 : f->stamps[level].outer[x];
    return x;
}

/* ---- idle instances ---- */

/* The places, stamp x instances + instance, at which something runs, ascending; and the end. */
static uint64_t *list_active(const struct follower *f, const struct stays *stays, int n_space)
{
    const struct timing_list *list = f->list;
    uint64_t *place = SATOR_NEW_ARRAY(f->arena, uint64_t, list->n + 1);
    int64_t n = 0;

    for (int64_t i = 0; i < list->n; i++)
        place[i] = (uint64_t)(stamp_of(f, stays->level, list->time[i]) * stays->n_instances +
                list->pe[i] / list->space_below[n_space]);
    qsort(place, (size_t)list->n, sizeof *place, compare_keys);
    for (int64_t i = 0; i < list->n; i++) {
        if (n == 0 || place[n - 1] != place[i])
            place[n++] = place[i];
    }
    place[n] = UINT64_MAX;
    return place;
}

/* Add what idle instances keep of the stamp before, of sums while "outside" (or NULL) has them too:
 * an instance that runs something has its own pairs alone. False: these are too many. */
static bool keep_idle(
        const struct follower *f, int n_space, const struct stays *outside, struct stays *stays)
{
    const uint64_t n_elements = (uint64_t)stays->n_elements;
    const uint64_t *active = list_active(f, stays, n_space);
    uint64_t *key = NULL;
    int n = 0, before = 0;

    for (int64_t x = 0, e = 0; x < stays->n_stamps; x++) {
        const int end = n;
        for (int i = before; i <= end; i++) { /* what is kept, before it the active ones' own */
            uint64_t kept = i == end ? (uint64_t)((x + 1) * stays->n_instances) * n_elements
                                     : key[i] + (uint64_t)stays->n_instances * n_elements;
            for (; e < stays->first[x + 1] && stays->key[e] < kept / n_elements * n_elements; e++)
                SATOR_PUSH(f->arena, key, n, stays->key[e]);
            while (*active < kept / n_elements)
                active++;
            if (i == end || *active == kept / n_elements)
                continue;
            int64_t instance = (int64_t)(kept / n_elements) % stays->n_instances;
            if (outside == NULL ||
                    find(outside, outer_stamp(f, stays, outside, x),
                            instance / (stays->n_instances / outside->n_instances),
                            (int64_t)(kept % n_elements)) >= 0)
                SATOR_PUSH(f->arena, key, n, kept);
            if (n > MOST_KEPT)
                return false;
        }
        before = end;
    }
    stays->key = key;
    stays->n = n;
    stays->fresh = SATOR_NEW_ARRAY(f->arena, bool, n + 1);
    index_stamps(f, stays);
    return true;
}

/* Whether the instance outside holds the element of "e" as long as a word is on its way over a link
 * of "interval": a sum goes up as soon as it lets go of it. Without "outside", it does. */
static bool is_kept(const struct follower *f, const struct stays *stays,
        const struct stays *outside, int interval, int64_t x, int64_t e)
{
    if (interval < 2 || outside == NULL)
        return true;
    int64_t instance = instance_at(stays, e) / (stays->n_instances / outside->n_instances);
    for (int k = 1; k <= interval; k++) {
        if (x < k ||
                find(outside, outer_stamp(f, stays, outside, x - k), instance,
                        element_at(stays, e)) < 0)
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
        origins->from[e] = find(stays, x - 1, instance_at(stays, e), element_at(stays, e));
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
            left[n++] = (struct left){.element = element_at(stays, e), .pair = e};
    }
    for (int b = 0; b < transport->n_buses; b++) {
        n = share_bus(stays, &origins->buses[b], origins, left, n);
        for (int64_t i = 0; i < n && !is_output; i++)
            cross_bus(crossing, origins, b, x, left[i].bus);
    }
}

static bool make_origins(const struct follower *f, const struct crossing *crossing,
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
        if (!is_plain(transport->links[k].map))
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

/* ---- outputs ---- */

/* Of the pairs of a window that nobody touched before, one of an element starts from zero in each
 * of "n_groups" groups of instances: the first that takes it up by itself. */
static void find_fresh(const struct follower *f, int64_t n_groups, struct stays *stays,
        const struct origins *origins)
{
    int64_t ratio = stays->n_instances / n_groups;
    struct left *left = SATOR_NEW_ARRAY(f->arena, struct left, stays->n + 1);

    for (int64_t x = 0; x < stays->n_stamps; x++) {
        int64_t n = 0;
        for (int64_t e = stays->first[x]; e < stays->first[x + 1]; e++) {
            if (stays->fresh[e] && origins->way[e] == WAY_SENT)
                left[n++] = (struct left){.bus = instance_at(stays, e) / ratio,
                        .element = element_at(stays, e),
                        .pair = e};
            stays->fresh[e] = false;
        }
        if (n > 0)
            qsort(left, (size_t)n, sizeof *left, compare_left);
        for (int64_t i = 0; i < n; i++)
            stays->fresh[left[i].pair] = i == 0 || left[i].element != left[i - 1].element ||
                    left[i].bus != left[i - 1].bus;
    }
}

/* Whether the pair "e" starts from zero because the stay outside does, and nobody has touched it
 * since: then that is over. */
static bool take_fresh(const struct follower *f, struct stays *outside, int64_t ratio,
        const struct stays *stays, int64_t stamp, int64_t instance, int64_t element)
{
    stamp = outer_stamp(f, stays, outside, stamp);
    int64_t at = find(outside, stamp, instance / ratio, element);

    if (at < 0 || !outside->fresh[at])
        return false;
    outside->fresh[at] = false;
    return true;
}

/* The words of sums: read back unless they start from zero, and sent up when their chain ends.
 * Without "outside", "stays" has what starts from zero already. */
static void move_sums(const struct follower *f, const struct crossing *crossing, int64_t ratio,
        struct stays *outside, struct stays *stays, const struct origins *origins,
        struct timing_movement *movement)
{
    int n_trees = crossing->transfer->transport.n_buses;
    struct sator_arena *arena = f->timing->arena;
    int64_t *root = SATOR_NEW_ARRAY(f->arena, int64_t, stays->n + 1);
    int64_t *last = SATOR_NEW_ARRAY(f->arena, int64_t, stays->n + 1);

    for (int64_t e = 0; e < stays->n; e++) {
        int64_t stamp = stamp_at(stays, e), instance = instance_at(stays, e), from = e;
        if (origins->way[e] == WAY_MERGED)
            stays->fresh[e] = true;
        if (origins->way[e] == WAY_SENT) {
            if (outside != NULL)
                stays->fresh[e] =
                        take_fresh(f, outside, ratio, stays, stamp, instance, element_at(stays, e));
            if (!stays->fresh[e]) {
                timing_moves_add(&movement->sent, arena, stamp, instance / ratio, 1);
                timing_moves_add(&movement->arrived, arena, stamp, instance, 1);
            }
        }
        while (from >= e && origins->way[from] != WAY_SENT)
            from = origins->from[from];
        root[e] = from < e ? root[from] : from;
        if (last[root[e]] == 0 || stamp_at(stays, last[root[e]] - 1) < stamp)
            last[root[e]] = e + 1; /* the first instance of the latest stamp; 0: none yet */
    }
    for (int64_t e = 0; e < stays->n; e++) {
        if (root[e] != e)
            continue;
        int64_t stamp = stamp_at(stays, last[e] - 1), instance = instance_at(stays, last[e] - 1);
        timing_moves_add(&movement->stored, arena, stamp, instance / ratio, 1);
        for (int b = 0; b < n_trees; b++)
            cross_bus(crossing, origins, b, stamp, origins->buses[b].to[instance]);
    }
    timing_moves_sort(&movement->stored);
}

static void move_inputs(const struct follower *f, int64_t ratio, const struct stays *stays,
        const struct origins *origins, struct timing_movement *movement)
{
    struct sator_arena *arena = f->timing->arena;

    for (int64_t e = 0; e < stays->n; e++) {
        int64_t stamp = stamp_at(stays, e), instance = instance_at(stays, e);
        if (origins->way[e] == WAY_SENT)
            timing_moves_add(&movement->sent, arena, stamp, instance / ratio, 1);
        if (origins->way[e] != WAY_HELD)
            timing_moves_add(&movement->arrived, arena, stamp, instance, 1);
    }
}

/* Room for what goes over limited wires. */
static struct crossing new_crossing(const struct follower *f,
        const struct timing_transfer *transfer, struct timing_movement *movement)
{
    int n = timing_n_ways(transfer) - 3;

    if (n > 0)
        movement->wires = SATOR_NEW_ARRAY(f->timing->arena, struct timing_moves, n);
    return (struct crossing){
            f->timing->arena, transfer, f->timing->analysis->shape, movement->wires};
}

static void sort_crossing(const struct crossing *crossing)
{
    for (int i = 0; i < timing_n_ways(crossing->transfer) - 3; i++)
        timing_moves_sort(&crossing->wires[i]);
}

/* ---- operands of a PE's own memory ---- */

static bool move_operands(const struct follower *f, struct stays *outside, bool is_output,
        struct timing_movement *movement)
{
    struct sator_arena *arena = f->timing->arena;
    struct stays stays;

    if (!list_pairs(f, f->timing->n_levels - 1, f->timing->analysis->n_space, &stays))
        return false;
    for (int64_t e = 0, next; e < stays.n; e = next) {
        int64_t stamp = stamp_at(&stays, e), pe = instance_at(&stays, e);
        for (next = e + 1; next < stays.n && stays.key[next] == stays.key[e];)
            next++;
        bool fresh = is_output &&
                take_fresh(f, outside, stays.n_instances / outside->n_instances, &stays, stamp, pe,
                        element_at(&stays, e));
        timing_moves_add(&movement->sent, arena, stamp, pe, next - e - fresh);
        if (is_output)
            timing_moves_add(&movement->stored, arena, stamp, pe, next - e);
    }
    return true;
}

/* ---- all transfers of an access ---- */

static bool follow_transfer(const struct follower *f, const struct timing_transfer *transfer,
        struct stays *outside, struct timing_movement *movement)
{
    bool is_output = f->timing->analysis->workload->accesses[f->access].role == SATOR_WRITE;
    struct origins origins;
    struct stays stays;

    if (transfer->is_own)
        return move_operands(f, outside, is_output, movement);
    struct crossing crossing = new_crossing(f, transfer, movement);
    if (!make_stays(f, timing_level_of(f->timing, transfer->n_time), transfer->n_space, &stays) ||
            (transfer->holds_idle &&
                    !keep_idle(f, transfer->n_space, is_output ? outside : NULL, &stays)) ||
            !make_origins(f, &crossing, is_output ? outside : NULL, &stays, &origins))
        return false;
    int64_t ratio =
            f->list->space_below[transfer->holder_space] / f->list->space_below[transfer->n_space];
    if (is_output)
        move_sums(f, &crossing, ratio, outside, &stays, &origins, movement);
    else
        move_inputs(f, ratio, &stays, &origins, movement);
    sort_crossing(&crossing);
    *outside = stays;
    return true;
}

/* The pairs of a window as stays: a key is there once, first where any of its copies is. */
static struct stays stays_of(const struct follower *f, const struct timing_window *window)
{
    struct stays stays = {.level = -1,
            .n_instances = window->n_instances,
            .n_elements = window->n_elements,
            .n_stamps = window->n_stamps,
            .key = window->key,
            .fresh = SATOR_NEW_ARRAY(f->arena, bool, window->n + 1)};

    if (window->n > 0)
        qsort(window->key, (size_t)window->n, sizeof *window->key, compare_keys);
    for (int64_t e = 0; e < window->n; e++) {
        uint64_t key = window->key[e] / 2;
        bool first = window->key[e] % 2 == 1;
        if (stays.n > 0 && stays.key[stays.n - 1] == key) {
            stays.fresh[stays.n - 1] |= first;
            continue;
        }
        stays.fresh[stays.n] = first;
        stays.key[stays.n++] = key;
    }
    index_stamps(f, &stays);
    return stays;
}

/* A PE's own memory serves every instance: the pairs as often as they are there. */
static void count_operands(const struct follower *f, const struct timing_window *window,
        bool is_output, struct timing_movement *movement)
{
    struct sator_arena *arena = f->timing->arena;
    uint64_t *keys = sator_arena_copy(f->arena, window->key, sizeof *keys * (size_t)window->n);
    struct stays stays = stays_of(f, window);
    struct origins all_sent = {.way = SATOR_NEW_ARRAY(f->arena, enum way, stays.n + 1)};
    int64_t at = 0;

    for (int64_t e = 0; e < stays.n; e++)
        all_sent.way[e] = WAY_SENT;
    find_fresh(f, window->fresh_instances, &stays, &all_sent);
    if (window->n > 0)
        qsort(keys, (size_t)window->n, sizeof *keys, compare_keys);
    for (int64_t e = 0; e < stays.n; e++) {
        int64_t stamp = stamp_at(&stays, e), pe = instance_at(&stays, e), first = at;
        while (at < window->n && keys[at] / 2 == stays.key[e])
            at++;
        timing_moves_add(
                &movement->sent, arena, stamp, pe, at - first - (is_output && stays.fresh[e]));
        if (is_output)
            timing_moves_add(&movement->stored, arena, stamp, pe, at - first);
    }
}

bool timing_follow_window(struct timing *timing, const struct timing_transfer *transfer,
        const struct timing_window *window, struct timing_movement *movement)
{
    struct follower f = {.timing = timing, .arena = sator_arena_new(), .access = transfer->access};
    bool is_output = timing->analysis->workload->accesses[transfer->access].role == SATOR_WRITE;
    struct origins origins;
    bool fits = true;

    *movement = (struct timing_movement){0};
    if (transfer->is_own) {
        count_operands(&f, window, is_output, movement);
    } else {
        struct stays stays = stays_of(&f, window);
        int64_t ratio = window->n_instances / window->holder_instances;
        struct crossing crossing = new_crossing(&f, transfer, movement);
        fits = make_origins(&f, &crossing, NULL, &stays, &origins);
        if (fits && is_output) {
            find_fresh(&f, window->fresh_instances, &stays, &origins);
            move_sums(&f, &crossing, ratio, NULL, &stays, &origins, movement);
        } else if (fits) {
            move_inputs(&f, ratio, &stays, &origins, movement);
        }
        sort_crossing(&crossing);
    }
    sator_arena_free(f.arena);
    return fits;
}

bool timing_follow_starts(struct timing *timing, const struct timing_transfer *transfer,
        const struct timing_window *window, struct timing_sums *sums)
{
    struct follower f = {.timing = timing, .arena = sator_arena_new(), .access = transfer->access};
    struct crossing crossing = {.transfer = transfer, .shape = timing->analysis->shape};
    struct stays stays = stays_of(&f, window);
    struct origins origins;

    *sums = (struct timing_sums){0};
    bool fits = make_origins(&f, &crossing, NULL, &stays, &origins);
    if (fits)
        find_fresh(&f, window->fresh_instances, &stays, &origins);
    for (int64_t e = stays.first[stays.n_stamps - 1]; fits && e < stays.n; e++) {
        if (stays.fresh[e] || origins.way[e] == WAY_MERGED)
            SATOR_PUSH(timing->arena, sums->key, sums->n,
                    instance_at(&stays, e) * stays.n_elements + element_at(&stays, e));
    }
    sator_arena_free(f.arena);
    return fits;
}

enum sator_status timing_follow(struct timing *timing, const struct timing_list *list,
        const struct timing_stamps *stamps, int access, struct timing_movement *movements)
{
    struct follower f = {.timing = timing,
            .arena = sator_arena_new(),
            .list = list,
            .stamps = stamps,
            .access = access};
    struct stays outside;
    bool fits = make_stays(&f, -1, 0, &outside); /* the outside world */

    for (int64_t e = 0; fits && e < outside.n; e++)
        outside.fresh[e] = true;
    for (int i = 0; fits && i < timing->n_transfers; i++) {
        if (timing->transfers[i].access == access)
            fits = follow_transfer(&f, &timing->transfers[i], &outside, &movements[i]);
    }
    if (!fits)
        timing->why = "what the instances hold cannot be followed one by one";
    sator_arena_free(f.arena);
    return SATOR_OK;
}
