/* Cycles of wires (doc/model.md, section 2): PEs that feed each other within a stamp, round and
 * round. They are found on the array itself, wire by wire: the wires of a cycle lie inside a
 * strongly connected component of the graph whose nodes are the PEs, and a wire inside a component
 * lies on a cycle.
 *
 * A cycle matters where a value may go round it. Wires of an offset (consumer - provider) that
 * never joins two PEs which need the same element in the same stamp are on none; so the engines are
 * asked, offset by offset, and what is cut differs from dataflow to dataflow. Arrays whose wires
 * form no cycle at all, nearly all there are, are known once and for all.
 */
#include "base/context.h"
#include "model/network.h"

#include <string.h>

enum {
    MOST_WIRES = 1 << 22, /* of an array, followed one by one */
    MOST_OFFSETS = 256, /* of wires on cycles */
    MOST_BOXES = 256 /* of wires that are cut from one piece of a link */
};

struct graph {
    struct sator_arena *arena; /* of what is gone when the answer is known */
    const struct sator_model_network *network;
    int64_t n_pes;
    int n_wires;
    struct wire *wires;
    const int32_t *component; /* of each PE: two on one cycle have the same */
    /* the offsets of wires on cycles, and whether each carries anything; then the components of
     * what the wires that do join */
    int n_offsets;
    int64_t *offsets;
    bool *carries;
    const int32_t *carrying_component;
};

struct wire {
    int32_t provider, consumer;
};

/* ---- wires one by one ---- */

/* The wires of one piece: "point" takes the values of its variables, provider first. */
struct walk {
    const struct graph *graph;
    const struct sator_piece *piece;
    int n_vars;
    int64_t *extents, *point;
    int64_t n_points, at; /* "at" is the number of the point, the last variable counted first */
};

/* The output dimension that variable "var" of "piece" stands for: sator_model_wires made sure that
 * there is one. */
static int dimension_of(const struct graph *graph, const struct sator_piece *piece, int var)
{
    int dim = 0;

    while (dim < graph->network->n_dims - 1 &&
            (piece->out[dim]->n_terms != 1 || piece->out[dim]->constant != 0 ||
                    piece->out[dim]->terms[0].atom != SATOR_ATOM_VAR ||
                    piece->out[dim]->terms[0].factor != 1 || piece->out[dim]->terms[0].var != var))
        dim++;
    return dim;
}

/* False when the piece has more points than are followed. */
static bool walk_start(
        struct walk *walk, const struct graph *graph, const struct sator_piece *piece)
{
    int n_dims = graph->network->n_dims;

    *walk = (struct walk){.graph = graph,
            .piece = piece,
            .n_vars = n_dims + piece->n_free,
            .extents = SATOR_NEW_ARRAY(graph->arena, int64_t, n_dims + piece->n_free + 1),
            .point = SATOR_NEW_ARRAY(graph->arena, int64_t, n_dims + piece->n_free + 1),
            .n_points = 1};
    for (int v = 0; v < walk->n_vars; v++) {
        int dim = v < n_dims ? v : dimension_of(graph, piece, v);
        walk->extents[v] = graph->network->shape[dim];
        if (__builtin_mul_overflow(walk->n_points, walk->extents[v], &walk->n_points) ||
                walk->n_points > MOST_WIRES)
            return false;
    }
    return true;
}

/* The wire at the walk's point; false when there is none. */
static bool walk_wire(const struct walk *walk, struct wire *wire)
{
    const struct sator_model_network *network = walk->graph->network;
    bool holds;

    if (!sator_cond_holds(walk->piece->cond, walk->point, &holds) || !holds)
        return false;
    *wire = (struct wire){0};
    for (int i = 0; i < network->n_dims; i++) {
        int64_t value;
        if (!sator_expr_value(walk->piece->out[i], walk->point, &value) || value < 0 ||
                value >= network->shape[i])
            return false;
        wire->provider = (int32_t)(wire->provider * network->shape[i] + walk->point[i]);
        wire->consumer = (int32_t)(wire->consumer * network->shape[i] + value);
    }
    return true;
}

static bool walk_next(struct walk *walk)
{
    int v = walk->n_vars - 1;

    while (v >= 0 && ++walk->point[v] == walk->extents[v])
        walk->point[v--] = 0;
    walk->at++;
    return v >= 0;
}

/* List the wires; false when there are too many to follow. */
static bool list_wires(struct graph *graph)
{
    int64_t budget = MOST_WIRES;

    graph->n_pes = 1;
    for (int i = 0; i < graph->network->n_dims; i++) {
        if (__builtin_mul_overflow(graph->n_pes, graph->network->shape[i], &graph->n_pes) ||
                graph->n_pes > MOST_WIRES)
            return false;
    }
    for (int i = 0; i < graph->network->n_links; i++) {
        const struct sator_network_link *link = &graph->network->links[i];
        for (int j = 0; j < link->map->n_pieces && link->interval == 0; j++) {
            struct walk walk;
            struct wire wire;
            if (!walk_start(&walk, graph, &link->map->pieces[j]) || walk.n_points > budget)
                return false;
            budget -= walk.n_points;
            do {
                if (walk_wire(&walk, &wire))
                    SATOR_PUSH(graph->arena, graph->wires, graph->n_wires, wire);
            } while (walk_next(&walk));
        }
    }
    return true;
}

/* ---- components ---- */

/* Tarjan's search for strongly connected components, with an explicit stack. */
struct search {
    int32_t *first; /* the wires of PE p are order[first[p]] to order[first[p + 1] - 1] */
    int32_t *order;
    int32_t *number; /* in the order of discovery, from 1; 0: not met */
    int32_t *lowest; /* the least number that is reached from here and whose component is open */
    int32_t *next; /* the wire to follow next */
    int32_t *open; /* PEs whose component is not known */
    int32_t *path;
    int32_t n_open, n_path, n_numbers, n_components;
    int32_t *component;
};

static int32_t *numbers(const struct graph *graph, int64_t n)
{
    return SATOR_NEW_ARRAY(graph->arena, int32_t, n + 1);
}

static struct search search_start(const struct graph *graph)
{
    int64_t n = graph->n_pes;
    struct search search = {.first = numbers(graph, n + 1),
            .order = numbers(graph, graph->n_wires),
            .number = numbers(graph, n),
            .lowest = numbers(graph, n),
            .next = numbers(graph, n),
            .open = numbers(graph, n),
            .path = numbers(graph, n),
            .component = numbers(graph, n)};

    for (int i = 0; i < graph->n_wires; i++)
        search.first[graph->wires[i].provider + 1]++;
    for (int64_t p = 0; p < n; p++) {
        search.first[p + 1] += search.first[p];
        search.next[p] = search.first[p];
    }
    for (int i = 0; i < graph->n_wires; i++)
        search.order[search.next[graph->wires[i].provider]++] = i;
    memcpy(search.next, search.first, sizeof *search.first * (size_t)n);
    return search;
}

static void enter(struct search *search, int32_t pe)
{
    search->number[pe] = search->lowest[pe] = ++search->n_numbers;
    search->open[search->n_open++] = pe;
    search->path[search->n_path++] = pe;
}

static void lower(struct search *search, int32_t pe, int32_t number)
{
    if (number < search->lowest[pe])
        search->lowest[pe] = number;
}

/* All wires of the last PE on the path are followed. */
static void leave(struct search *search)
{
    int32_t pe = search->path[--search->n_path], member;

    if (search->n_path > 0)
        lower(search, search->path[search->n_path - 1], search->lowest[pe]);
    if (search->lowest[pe] != search->number[pe])
        return;
    search->n_components++;
    do {
        member = search->open[--search->n_open];
        search->component[member] = search->n_components;
    } while (member != pe);
}

static void search_from(const struct graph *graph, struct search *search, int32_t root)
{
    enter(search, root);
    while (search->n_path > 0) {
        int32_t pe = search->path[search->n_path - 1];
        if (search->next[pe] == search->first[pe + 1]) {
            leave(search);
            continue;
        }
        int32_t to = graph->wires[search->order[search->next[pe]++]].consumer;
        if (search->number[to] == 0)
            enter(search, to);
        else if (search->component[to] == 0)
            lower(search, pe, search->number[to]);
    }
}

/* The component of each PE. */
static const int32_t *find_components(const struct graph *graph)
{
    struct search search = search_start(graph);

    for (int64_t pe = 0; pe < graph->n_pes; pe++) {
        if (search.number[pe] == 0)
            search_from(graph, &search, (int32_t)pe);
    }
    return search.component;
}

/* No wire joins a PE to itself. */
static bool is_on_cycle(const int32_t *component, const struct wire *wire)
{
    return component[wire->provider] == component[wire->consumer];
}

static bool has_cycle(const struct graph *graph, const int32_t *component)
{
    for (int i = 0; i < graph->n_wires; i++) {
        if (is_on_cycle(component, &graph->wires[i]))
            return true;
    }
    return false;
}

/* ---- finding ---- */

/* The lexicographic sign of consumer - provider when it is the same for the whole piece, else 0. */
static int direction(struct sator_arena *arena, int n_dims, const struct sator_piece *piece)
{
    for (int i = 0; i < n_dims; i++) {
        const struct sator_expr *step =
                sator_expr_add(arena, piece->out[i], -1, sator_expr_var(arena, i));
        if (step == NULL || !sator_expr_is_constant(step))
            return 0;
        if (step->constant != 0)
            return step->constant > 0 ? 1 : -1;
    }
    return 0;
}

/* Whether all wires lead to greater PEs, or all to smaller ones: then there is no cycle. */
static bool one_direction(struct sator_arena *arena, const struct sator_model_network *network)
{
    int common = 0;

    for (int i = 0; i < network->n_links; i++) {
        const struct sator_network_link *link = &network->links[i];
        for (int j = 0; j < link->map->n_pieces && link->interval == 0; j++) {
            int here = direction(arena, network->n_dims, &link->map->pieces[j]);
            if (here == 0 || (common != 0 && here != common))
                return false;
            common = here;
        }
    }
    return true;
}

enum sator_status sator_wires_find_cycles(
        struct sator_ctx *ctx, struct sator_model_network *network, struct sator_loc loc)
{
    struct sator_arena *arena = sator_arena_new();
    struct graph graph = {.arena = arena, .network = network};
    enum sator_status st = SATOR_OK;

    if (one_direction(arena, network))
        goto done;
    if (!list_wires(&graph)) {
        st = sator_error(
                ctx, loc, "the array has too many wires of this form to look for cycles of them");
        sator_help(ctx, "links by constant offsets that all point one way form none");
        goto done;
    }
    network->is_cyclic = has_cycle(&graph, find_components(&graph));
done:
    sator_arena_free(arena);
    return st;
}

/* ---- what wires carry ---- */

static void offset_of(const struct graph *graph, const struct wire *wire, int64_t *offset)
{
    int64_t provider = wire->provider, consumer = wire->consumer;

    for (int i = graph->network->n_dims - 1; i >= 0; i--) {
        int64_t extent = graph->network->shape[i];
        offset[i] = consumer % extent - provider % extent;
        provider /= extent;
        consumer /= extent;
    }
}

/* The number of the wire's offset, n_offsets when it is new; it is left behind the known ones. */
static int find_offset(const struct graph *graph, const struct wire *wire)
{
    int n_dims = graph->network->n_dims, i = 0;
    int64_t *wanted = graph->offsets + (size_t)graph->n_offsets * (size_t)n_dims;

    offset_of(graph, wire, wanted);
    while (memcmp(graph->offsets + (size_t)i * (size_t)n_dims, wanted,
                   sizeof *wanted * (size_t)n_dims) != 0)
        i++;
    return i;
}

/* List the offsets of wires on cycles; false when there are too many. */
static bool list_offsets(struct graph *graph)
{
    graph->offsets = SATOR_NEW_ARRAY(
            graph->arena, int64_t, (MOST_OFFSETS + 1) * (int64_t)graph->network->n_dims);
    graph->carries = SATOR_NEW_ARRAY(graph->arena, bool, MOST_OFFSETS);
    for (int i = 0; i < graph->n_wires; i++) {
        if (!is_on_cycle(graph->component, &graph->wires[i]) ||
                find_offset(graph, &graph->wires[i]) < graph->n_offsets)
            continue;
        if (++graph->n_offsets > MOST_OFFSETS)
            return false;
    }
    return true;
}

/* The condition that a wire of "piece" leads "offset" far; NULL when a number leaves 64 bits. */
static const struct sator_cond *leads_far(
        const struct graph *graph, const struct sator_piece *piece, const int64_t *offset)
{
    int n = graph->network->n_dims;
    const struct sator_cond **parts =
            SATOR_NEW_ARRAY(graph->arena, const struct sator_cond *, n + 1);

    parts[n] = piece->cond;
    for (int d = 0; d < n; d++) {
        const struct sator_expr *wanted = sator_expr_add(graph->arena,
                sator_expr_constant(graph->arena, offset[d]), 1, sator_expr_var(graph->arena, d));
        const struct sator_expr *gap = sator_expr_add(graph->arena, piece->out[d], -1, wanted);
        if (gap == NULL)
            return NULL;
        parts[d] = sator_cond_compare(graph->arena, SATOR_COND_EQUAL, gap);
    }
    return sator_cond_and(graph->arena, n + 1, parts);
}

/* "map" where it leads "offset" far, or NULL. */
static const struct sator_relation *map_of_offset(
        const struct graph *graph, const struct sator_relation *map, const int64_t *offset)
{
    struct sator_relation *result = sator_arena_copy(graph->arena, map, sizeof *map);
    struct sator_piece *pieces =
            SATOR_NEW_ARRAY(graph->arena, struct sator_piece, map->n_pieces + 1);

    result->n_pieces = 0;
    result->pieces = pieces;
    for (int i = 0; i < map->n_pieces; i++) {
        struct sator_piece piece = map->pieces[i];
        piece.cond = leads_far(graph, &piece, offset);
        if (piece.cond == NULL)
            return NULL;
        if (!sator_cond_is_false(piece.cond))
            pieces[result->n_pieces++] = piece;
    }
    return result;
}

/* Whether some pair of "access" may come over wires that lead "offset" far. */
static enum sator_status find_carrying(struct sator_ctx *ctx, const struct graph *graph,
        struct sator_counter *counter, const struct sator_relation *access, const int64_t *offset,
        bool *carries)
{
    const struct sator_model_network *network = graph->network;
    struct sator_network_link *links =
            SATOR_NEW_ARRAY(graph->arena, struct sator_network_link, network->n_links + 1);
    struct sator_transport alone = {.links = links};
    struct sator_volumes volumes = {0};

    for (int i = 0; i < network->n_links; i++) {
        struct sator_network_link *link = &links[alone.n_links];
        if (network->links[i].interval != 0)
            continue;
        link->map = map_of_offset(graph, network->links[i].map, offset);
        if (link->map == NULL)
            return sator_error(ctx, network->link_sources[i]->loc,
                    "a difference of coordinates along the wires does not fit into 64 bits");
        alone.n_links += link->map->n_pieces > 0;
    }
    enum sator_status st = sator_count_volumes(counter, access, &alone, &volumes);
    *carries = st == SATOR_OK && volumes.spatial > 0;
    return st;
}

/* Leave the wires on cycles that carry something. */
static void leave_carrying(struct graph *graph)
{
    int n = 0;

    for (int i = 0; i < graph->n_wires; i++) {
        struct wire wire = graph->wires[i];
        if (is_on_cycle(graph->component, &wire) && graph->carries[find_offset(graph, &wire)])
            graph->wires[n++] = wire;
    }
    graph->n_wires = n;
}

/* ---- cutting ---- */

enum label {
    NOTHING, /* no wire that carries something to a smaller PE */
    STAYS,
    LOST
};

/* Points of a walk, from "lo" to "hi" in each variable. */
struct box {
    int64_t *lo, *hi;
};

/* Whether a wire stays at some point of "box", with variable "var" at "value". */
static bool slab_has(const struct walk *walk, const enum label *labels, const struct box *box,
        int var, int64_t value)
{
    int64_t *point = walk->point;

    memcpy(point, box->lo, sizeof *point * (size_t)walk->n_vars);
    point[var] = value;
    for (;;) {
        int64_t at = 0;
        for (int v = 0; v < walk->n_vars; v++)
            at = at * walk->extents[v] + point[v];
        if (labels[at] == STAYS)
            return true;
        int v = walk->n_vars - 1;
        while (v >= 0 && (v == var || ++point[v] > box->hi[v])) {
            if (v != var)
                point[v] = box->lo[v];
            v--;
        }
        if (v < 0)
            return false;
    }
}

/* Let "box" grow as far as no wire is in it that stays. */
static void grow(const struct walk *walk, const enum label *labels, struct box *box)
{
    for (int v = walk->n_vars - 1; v >= 0; v--) {
        while (box->lo[v] > 0 && !slab_has(walk, labels, box, v, box->lo[v] - 1))
            box->lo[v]--;
        while (box->hi[v] + 1 < walk->extents[v] && !slab_has(walk, labels, box, v, box->hi[v] + 1))
            box->hi[v]++;
    }
}

static void forget(const struct walk *walk, enum label *labels, const struct box *box)
{
    for (int64_t at = 0; at < walk->n_points; at++) {
        int64_t rest = at;
        bool inside = true;
        for (int v = walk->n_vars - 1; v >= 0 && inside; v--) {
            inside = rest % walk->extents[v] >= box->lo[v] && rest % walk->extents[v] <= box->hi[v];
            rest /= walk->extents[v];
        }
        if (inside)
            labels[at] = NOTHING;
    }
}

static const struct sator_cond *at_least(
        struct sator_arena *arena, int var, int64_t factor, int64_t constant)
{
    return sator_cond_compare(arena, SATOR_COND_AT_LEAST,
            sator_expr_add(arena, sator_expr_constant(arena, constant), factor,
                    sator_expr_var(arena, var)));
}

/* The condition of lying in "box", in "arena". */
static const struct sator_cond *inside(
        struct sator_arena *arena, const struct walk *walk, const struct box *box)
{
    const struct sator_cond **bounds =
            SATOR_NEW_ARRAY(arena, const struct sator_cond *, 2 * walk->n_vars + 1);
    int n = 0;

    for (int v = 0; v < walk->n_vars; v++) {
        if (box->lo[v] > 0)
            bounds[n++] = at_least(arena, v, 1, -box->lo[v]);
        if (box->hi[v] + 1 < walk->extents[v])
            bounds[n++] = at_least(arena, v, -1, box->hi[v]);
    }
    return sator_cond_and(arena, n, bounds);
}

static enum label label_of(const struct graph *graph, const struct walk *walk)
{
    struct wire wire;

    if (!walk_wire(walk, &wire) || wire.provider < wire.consumer)
        return NOTHING;
    if (!is_on_cycle(graph->component, &wire))
        return STAYS;
    if (!graph->carries[find_offset(graph, &wire)])
        return NOTHING;
    return is_on_cycle(graph->carrying_component, &wire) ? LOST : STAYS;
}

/* The condition, in "arena", that holds of the walk's wires that are lost and of none that leads to
 * a smaller PE and stays; NULL when it is too long. */
static const struct sator_cond *lost_wires(struct sator_arena *arena, struct walk *walk)
{
    const struct graph *graph = walk->graph;
    enum label *labels = SATOR_NEW_ARRAY(graph->arena, enum label, walk->n_points);
    struct box box = {SATOR_NEW_ARRAY(graph->arena, int64_t, walk->n_vars + 1),
            SATOR_NEW_ARRAY(graph->arena, int64_t, walk->n_vars + 1)};
    const struct sator_cond *boxes[MOST_BOXES];
    int n_boxes = 0;

    do {
        labels[walk->at] = label_of(graph, walk);
    } while (walk_next(walk));
    for (int64_t at = 0; at < walk->n_points; at++) {
        int64_t rest = at;
        if (labels[at] != LOST)
            continue;
        if (n_boxes == MOST_BOXES)
            return NULL;
        for (int v = walk->n_vars - 1; v >= 0; v--) {
            box.lo[v] = box.hi[v] = rest % walk->extents[v];
            rest /= walk->extents[v];
        }
        grow(walk, labels, &box);
        forget(walk, labels, &box);
        boxes[n_boxes++] = inside(arena, walk, &box);
    }
    return sator_cond_or(arena, n_boxes, boxes);
}

/* "map" without the wires that close cycles, in "arena"; NULL when that has no short form. */
static const struct sator_relation *cut_map(
        struct sator_arena *arena, const struct graph *graph, const struct sator_relation *map)
{
    struct sator_relation *result = sator_arena_copy(arena, map, sizeof *map);
    struct sator_piece *pieces = SATOR_NEW_ARRAY(arena, struct sator_piece, map->n_pieces + 1);

    result->n_pieces = 0;
    result->pieces = pieces;
    for (int i = 0; i < map->n_pieces; i++) {
        struct sator_piece piece = map->pieces[i];
        struct walk walk;
        if (!walk_start(&walk, graph, &piece))
            return NULL;
        const struct sator_cond *lost[] = {
                sator_wire_descends(arena, graph->network->n_dims, &piece),
                lost_wires(arena, &walk)};
        if (lost[1] == NULL)
            return NULL;
        const struct sator_cond *kept[] = {
                piece.cond, sator_cond_not(arena, sator_cond_and(arena, 2, lost))};
        piece.cond = sator_cond_and(arena, 2, kept);
        if (!sator_cond_is_false(piece.cond))
            pieces[result->n_pieces++] = piece;
    }
    return result;
}

/* Set the links of "transport" to those of the graph's network with its cycles cut, in "arena". */
static enum sator_status cut_links(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct graph *graph, struct sator_transport *transport)
{
    const struct sator_model_network *network = graph->network;
    struct sator_network_link *links = sator_arena_copy(
            arena, network->links, sizeof *network->links * (size_t)network->n_links);

    for (int i = 0; i < network->n_links; i++) {
        if (links[i].interval != 0)
            continue;
        links[i].map = cut_map(arena, graph, network->links[i].map);
        links[i].prepared = NULL;
        if (links[i].map != NULL)
            continue;
        const struct sator_link *declared = network->link_sources[i];
        sator_error(ctx, declared->loc,
                "the wires of link '%s' that close cycles lie too scattered to be cut",
                declared->name);
        sator_help(ctx, "leave out one direction, or use interval 1");
        return SATOR_INPUT;
    }
    transport->links = links;
    return SATOR_OK;
}

enum sator_status sator_model_cut(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_counter *counter, const struct sator_relation *access,
        const struct sator_model_network *network, struct sator_transport *transport)
{
    enum sator_status st = SATOR_OK;

    *transport = network->transport;
    if (!network->is_cyclic)
        return SATOR_OK;
    struct sator_arena *scratch = sator_arena_new();
    struct graph graph = {.arena = scratch, .network = network};
    (void)list_wires(&graph); /* as many as before, when the cycles were found */
    graph.component = find_components(&graph);
    if (!list_offsets(&graph)) {
        int first = 0;
        while (network->links[first].interval != 0)
            first++;
        st = sator_error(ctx, network->link_sources[first]->loc,
                "wires of more than %d different offsets form cycles", MOST_OFFSETS);
        sator_help(ctx, "use interval 1, or leave out the wires that lead backwards");
        goto done;
    }
    for (int i = 0; i < graph.n_offsets; i++)
        SATOR_TRY(find_carrying(ctx, &graph, counter, access,
                graph.offsets + (size_t)i * (size_t)network->n_dims, &graph.carries[i]));
    leave_carrying(&graph);
    graph.carrying_component = find_components(&graph);
    if (has_cycle(&graph, graph.carrying_component))
        st = cut_links(ctx, arena, &graph, transport);
done:
    sator_arena_free(scratch);
    return st;
}
