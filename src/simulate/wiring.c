#include "simulate/wiring.h"
#include "simulate/machine.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_DIMS = 16,
    MOST_TRIED = 4096 /* PEs of an array whose links are given by conditions */
};

static void coordinates(const struct sator_array *array, int64_t local, int64_t *at)
{
    for (int d = array->n_dims - 1; d >= 0; d--) {
        at[d] = local % array->shape[d];
        local /= array->shape[d];
    }
}

/* The number of a PE, or -1 outside the array. */
static int64_t local_at(const struct sator_array *array, const int64_t *at)
{
    int64_t local = 0;

    for (int d = 0; d < array->n_dims; d++) {
        if (at[d] < 0 || at[d] >= array->shape[d])
            return -1;
        local = local * array->shape[d] + at[d];
    }
    return local;
}

/* ---- links ---- */

struct edge {
    int consumer, provider;
};

struct edges {
    struct edge *all;
    int64_t n, room;
};

static void add_edge(struct edges *edges, int64_t provider, int64_t consumer)
{
    edges->all = machine_room(edges->all, edges->n + 1, &edges->room, sizeof *edges->all);
    edges->all[edges->n++] = (struct edge){(int)consumer, (int)provider};
}

static void follow_function(const struct sator_array *array, const struct sator_piece *piece,
        int64_t provider, struct edges *edges)
{
    int64_t at[MOST_DIMS], to[MOST_DIMS];
    bool holds = false;

    coordinates(array, provider, at);
    if (!sator_cond_holds(piece->cond, at, &holds) || !holds)
        return;
    for (int d = 0; d < array->n_dims; d++) {
        if (!sator_expr_value(piece->out[d], at, &to[d]))
            return;
    }
    int64_t consumer = local_at(array, to);
    if (consumer >= 0)
        add_edge(edges, provider, consumer);
}

/* The output dimension that a free variable stands for, or -1. */
static int dimension_of(const struct sator_piece *piece, int n_dims, int var)
{
    for (int d = 0; d < n_dims; d++) {
        const struct sator_expr *out = piece->out[d];
        if (out->constant == 0 && out->n_terms == 1 && out->terms[0].factor == 1 &&
                out->terms[0].atom == SATOR_ATOM_VAR && out->terms[0].var == var)
            return d;
    }
    return -1;
}

/* Consumers that conditions give: every PE is tried. */
static void follow_conditions(const struct sator_array *array, int64_t n,
        const struct sator_piece *piece, int64_t provider, struct edges *edges)
{
    int64_t at[3 * MOST_DIMS], to[MOST_DIMS];

    coordinates(array, provider, at);
    for (int64_t consumer = 0; consumer < n; consumer++) {
        bool holds = false;
        coordinates(array, consumer, to);
        for (int f = 0; f < piece->n_free; f++)
            at[array->n_dims + f] = to[dimension_of(piece, array->n_dims, array->n_dims + f)];
        if (!sator_cond_holds(piece->cond, at, &holds) || !holds)
            continue;
        for (int d = 0; d < array->n_dims && holds; d++) {
            int64_t value;
            holds = sator_expr_value(piece->out[d], at, &value) && value == to[d];
        }
        if (holds)
            add_edge(edges, provider, consumer);
    }
}

static enum sator_status check_piece(struct machine *machine, const struct sator_link *link,
        const struct sator_array *array, int64_t n, const struct sator_piece *piece)
{
    bool plain = !sator_cond_has_exists(piece->cond) && piece->n_free <= MOST_DIMS &&
            (piece->n_free == 0 || n <= MOST_TRIED);

    for (int f = 0; f < piece->n_free && plain; f++)
        plain = dimension_of(piece, array->n_dims, array->n_dims + f) >= 0;
    if (plain)
        return SATOR_OK;
    sator_error(machine->ctx, link->loc, "link '%s' is given by conditions that have to be solved",
            link->name);
    sator_help(machine->ctx, "give its consumers as expressions of the provider's coordinates");
    return SATOR_DECLINED;
}

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    return x->consumer != y->consumer ? (x->consumer < y->consumer ? -1 : 1)
                                      : (x->provider > y->provider) - (x->provider < y->provider);
}

/* Providers by consumer. */
static void index_edges(struct machine_link *link, struct edges *edges)
{
    int64_t n = link->place.n, kept = 0;

    if (edges->n > 0)
        qsort(edges->all, (size_t)edges->n, sizeof *edges->all, compare_edges);
    link->first = sator_alloc(sizeof *link->first * (size_t)(n + 1));
    link->providers = sator_alloc(sizeof *link->providers * (size_t)(edges->n + 1));
    link->wires = sator_alloc(sizeof *link->wires * (size_t)(edges->n + 1));
    for (int64_t i = 0, p = 0; p <= n; p++) {
        link->first[p] = (int)kept;
        for (; i < edges->n && edges->all[i].consumer == p; i++) {
            if (i > 0 && compare_edges(&edges->all[i], &edges->all[i - 1]) == 0)
                continue;
            link->wires[kept] = (int)kept;
            link->providers[kept++] = edges->all[i].provider;
        }
    }
    link->n_wires = (int)kept;
    free(edges->all);
}

static enum sator_status add_link(struct machine *machine, struct holder *holder, int level,
        struct place place, const struct sator_link *link)
{
    const struct sator_array *array = &machine->question->arch->levels[level].array;
    struct machine_link *made = &holder->links[holder->n_links];
    struct edges edges = {0};
    enum sator_status st = SATOR_OK;

    if (link->interval > UINT8_MAX) {
        sator_error(
                machine->ctx, link->loc, "an execution follows intervals up to %d", (int)UINT8_MAX);
        return SATOR_LIMIT;
    }
    *made = (struct machine_link){.link = link, .level = level, .place = place};
    for (int p = 0; p < link->map->n_pieces; p++) {
        const struct sator_piece *piece = &link->map->pieces[p];
        SATOR_TRY(check_piece(machine, link, array, place.n, piece));
        for (int64_t provider = 0; provider < place.n; provider++) {
            if (piece->n_free == 0)
                follow_function(array, piece, provider, &edges);
            else
                follow_conditions(array, place.n, piece, provider, &edges);
        }
    }
    index_edges(made, &edges);
    holder->n_links++;
    holder->has_wires |= link->interval == 0;
    if (link->interval > holder->longest)
        holder->longest = link->interval;
    return SATOR_OK;
done:
    free(edges.all);
    return st;
}

/* ---- wires: links of interval 0 ---- */

static bool leads(const struct holder *holder, int level, int provider, int consumer)
{
    for (int l = 0; l < holder->n_links; l++) {
        const struct machine_link *link = &holder->links[l];
        if (link->level != level || link->link->interval != 0)
            continue;
        for (int i = link->first[consumer]; i < link->first[consumer + 1]; i++) {
            if (link->providers[i] == provider)
                return true;
        }
    }
    return false;
}

/* List the providers where no PE has several. */
static void find_singles(struct machine_link *link)
{
    for (int64_t p = 0; p < link->place.n; p++) {
        if (link->first[p + 1] - link->first[p] > 1)
            return;
    }
    link->singles = sator_alloc(sizeof *link->singles * (size_t)(link->place.n + 1));
    for (int64_t p = 0; p < link->place.n; p++)
        link->singles[p] =
                link->first[p] == link->first[p + 1] ? -1 : link->providers[link->first[p]];
}

void wiring_drop(struct machine_link *link, const bool *marks)
{
    int kept = 0, i = 0;

    for (int64_t p = 0; p < link->place.n; p++) {
        int end = link->first[p + 1];
        link->first[p] = kept;
        for (; i < end; i++) {
            if (marks[i])
                continue;
            link->wires[kept] = link->wires[i];
            link->providers[kept++] = link->providers[i];
        }
    }
    link->first[link->place.n] = kept;
}

/* Of two PEs that are joined both ways the smaller provides; a PE does not provide for itself. */
static void direct_wires(struct holder *holder)
{
    bool **marks = sator_alloc(sizeof *marks * (size_t)(holder->n_links + 1));

    for (int l = 0; l < holder->n_links; l++) {
        const struct machine_link *link = &holder->links[l];
        marks[l] = sator_alloc((size_t)link->first[link->place.n] + 1);
        for (int p = 0; p < link->place.n; p++)
            for (int i = link->first[p]; i < link->first[p + 1]; i++)
                marks[l][i] = link->link->interval == 0 &&
                        (link->providers[i] == p ||
                                (link->providers[i] > p &&
                                        leads(holder, link->level, p, link->providers[i])));
    }
    for (int l = 0; l < holder->n_links; l++) {
        if (holder->links[l].link->interval == 0)
            wiring_drop(&holder->links[l], marks[l]);
        free(marks[l]);
    }
    free(marks);
}

/* ---- buses ---- */

static bool bus_at(
        const struct sator_bus *bus, const struct sator_array *array, int64_t local, int64_t *to)
{
    int64_t at[MOST_DIMS];

    coordinates(array, local, at);
    for (int p = 0; p < bus->map->n_pieces; p++) {
        const struct sator_piece *piece = &bus->map->pieces[p];
        bool holds = false;
        if (!sator_cond_holds(piece->cond, at, &holds) || !holds)
            continue;
        for (int d = 0; d < bus->map->n_out; d++) {
            if (!sator_expr_value(piece->out[d], at, &to[d]))
                return false;
        }
        return true;
    }
    return false;
}

static enum sator_status add_bus(struct machine *machine, struct holder *holder, int level,
        struct place place, const struct sator_bus *bus)
{
    const struct sator_array *array = &machine->question->arch->levels[level].array;
    struct machine_bus *made = &holder->buses[holder->n_buses];
    int n_out = bus->map->n_out;

    for (int p = 0; p < bus->map->n_pieces; p++) {
        if (bus->map->pieces[p].n_free > 0 || sator_cond_has_exists(bus->map->pieces[p].cond) ||
                n_out > MOST_DIMS) {
            sator_error(machine->ctx, bus->loc,
                    "'%s' is given by conditions that have to be solved", bus->name);
            return SATOR_DECLINED;
        }
    }
    *made = (struct machine_bus){.bus = bus, .level = level, .place = place};
    made->bus_of = sator_alloc(sizeof *made->bus_of * (size_t)(place.n + 1));
    holder->n_buses++;
    int64_t *known = sator_alloc(sizeof *known * (size_t)(place.n * (n_out + 1) + MOST_DIMS));
    for (int64_t local = 0; local < place.n; local++) {
        int64_t *to = known + (int64_t)made->n_buses * n_out;
        int b = 0;
        made->bus_of[local] = -1;
        if (!bus_at(bus, array, local, to))
            continue;
        while (b < made->n_buses &&
                memcmp(known + (int64_t)b * n_out, to, sizeof *to * (size_t)n_out) != 0)
            b++;
        made->n_buses += b == made->n_buses;
        made->bus_of[local] = b;
    }
    free(known);
    return SATOR_OK;
}

/* ---- networks ---- */

static enum sator_status add_array(
        struct machine *machine, struct holder *holder, int level, int base)
{
    const struct sator_access *access = machine->ways[holder->access].access;
    const struct sator_array *array = &machine->question->arch->levels[level].array;
    struct place place = {1, 1, false};
    enum sator_status st = SATOR_OK;

    for (int d = 0; d < array->n_dims; d++)
        place.n *= array->shape[d];
    for (int d = base + array->n_dims; d < holder->n_space; d++)
        place.inner *= machine->shape[d];
    place.is_all = place.inner == 1 && place.n == holder->n_instances;
    for (int l = 0; l < array->n_links; l++) {
        const struct sator_link *link = &array->links[l];
        if (sator_serves(link->n_tensors, link->tensors, access->tensor))
            SATOR_TRY(add_link(machine, holder, level, place, link));
    }
    for (int b = 0; b < array->n_buses; b++) {
        const struct sator_bus *bus = &array->buses[b];
        if (bus->is_reduction == holder->is_write &&
                sator_serves(bus->n_tensors, bus->tensors, access->tensor))
            SATOR_TRY(add_bus(machine, holder, level, place, bus));
    }
done:
    return st;
}

enum sator_status wiring_make(struct machine *machine, struct holder *holder)
{
    const struct sator_arch *arch = machine->question->arch;
    int base = 0, n_links = 0, n_buses = 0;
    enum sator_status st = SATOR_OK;

    for (int l = 0; l < arch->n_levels; l++) {
        n_links += arch->levels[l].kind == SATOR_LEVEL_ARRAY ? arch->levels[l].array.n_links : 0;
        n_buses += arch->levels[l].kind == SATOR_LEVEL_ARRAY ? arch->levels[l].array.n_buses : 0;
    }
    holder->links = SATOR_NEW_ARRAY(machine->arena, struct machine_link, n_links + 1);
    holder->buses = SATOR_NEW_ARRAY(machine->arena, struct machine_bus, n_buses + 1);
    for (int l = 0; l < arch->n_levels; l++) {
        const struct sator_level *level = &arch->levels[l];
        if (level->kind != SATOR_LEVEL_ARRAY)
            continue;
        if (base >= holder->parent->n_space && base + level->array.n_dims <= holder->n_space)
            SATOR_TRY(add_array(machine, holder, l, base));
        base += level->array.n_dims;
    }
    if (holder->has_wires)
        direct_wires(holder);
    if (holder->has_wires)
        SATOR_TRY(wiring_cut_rings(machine, holder));
    for (int l = 0; l < holder->n_links; l++)
        find_singles(&holder->links[l]);
done:
    return st;
}
