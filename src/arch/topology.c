/* Named interconnects: the links and buses that a word such as "systolic-2d" stands for.
 *
 * An array's own dimensions are i0, i1, ...; "row" and "column" are its last two, so that for
 * PE[i,j] east is j+1 and south is i+1, as in the drawings of the papers.
 */
#include "arch/arch.h"

#include <math.h>
#include <string.h>

struct builder {
    struct sator_arena *arena;
    struct sator_loc loc;
    const char *array_name;
    struct sator_array *array;
    const char *const *dims; /* variable names */
    struct sator_link *links;
    struct sator_bus *buses;
};

/* { PE[i] -> PE[i + offset] } at "interval". */
static void add_link(struct builder *b, const char *name, const int *offset, int interval)
{
    int n = b->array->n_dims;
    const struct sator_expr **out = SATOR_NEW_ARRAY(b->arena, const struct sator_expr *, n);

    for (int d = 0; d < n; d++)
        out[d] = sator_expr_add(
                b->arena, sator_expr_constant(b->arena, offset[d]), 1, sator_expr_var(b->arena, d));
    struct sator_link link = {.name = name,
            .map = sator_relation_make(
                    b->arena, b->array_name, n, b->dims, b->array_name, n, out, NULL),
            .interval = interval,
            .bandwidth_bits = NAN,
            .energy = sator_no_energy,
            .loc = b->loc};
    b->links[b->array->n_links++] = link;
}

/* Buses of the PEs that differ in dimension "along" alone: { PE[i] -> BUS[i without along] };
 * BUS[0] in one dimension. */
static void add_bus(struct builder *b, const char *name, int along, bool is_reduction)
{
    int n = b->array->n_dims;
    int n_out = n == 1 ? 1 : n - 1;
    const struct sator_expr **out = SATOR_NEW_ARRAY(b->arena, const struct sator_expr *, n_out);

    for (int d = 0, at = 0; d < n; d++) {
        if (n == 1)
            out[0] = sator_expr_constant(b->arena, 0);
        else if (d != along)
            out[at++] = sator_expr_var(b->arena, d);
    }
    struct sator_bus bus = {.name = name,
            .map = sator_relation_make(b->arena, b->array_name, n, b->dims,
                    is_reduction ? "TREE" : "BUS", n_out, out, NULL),
            .is_reduction = is_reduction,
            .bandwidth_bits = NAN,
            .energy = sator_no_energy,
            .loc = b->loc};
    b->buses[b->array->n_buses++] = bus;
}

/* The name of the dimension "d" of "n": the last two are column and row. */
static const char *line_name(struct builder *b, int d)
{
    int n = b->array->n_dims;

    if (d == n - 1)
        return "row"; /* the PEs of a row differ in the last dimension */
    if (d == n - 2)
        return "column";
    return sator_arena_printf(b->arena, "line%d", d);
}

static void systolic(struct builder *b, int n_ways)
{
    static const char *const names[] = {"east", "south"};
    int n = b->array->n_dims;

    for (int way = 0; way < n_ways; way++) {
        int *offset = SATOR_NEW_ARRAY(b->arena, int, n);
        offset[n - 1 - way] = 1;
        add_link(b, names[way], offset, 1);
    }
}

static void systolic_1d(struct builder *b)
{
    systolic(b, 1);
}

static void systolic_2d(struct builder *b)
{
    systolic(b, 2);
}

static void mesh(struct builder *b)
{
    static const char *const names[3][3] = {{"north-west", "north", "north-east"},
            {"west", NULL, "east"}, {"south-west", "south", "south-east"}};
    int n = b->array->n_dims;

    for (int down = n == 1 ? 0 : -1; down <= (n == 1 ? 0 : 1); down++) {
        for (int right = -1; right <= 1; right++) {
            if (down == 0 && right == 0)
                continue;
            int *offset = SATOR_NEW_ARRAY(b->arena, int, n);
            offset[n - 1] = right;
            if (n > 1)
                offset[n - 2] = down;
            add_link(b, names[down + 1][right + 1], offset, 1);
        }
    }
}

static void multicast(struct builder *b)
{
    for (int d = b->array->n_dims - 1; d >= 0; d--)
        add_bus(b, line_name(b, d), d, false);
}

static void tree(struct builder *b)
{
    add_bus(b, "tree", b->array->n_dims - 1, true);
}

static const struct {
    const char *name;
    int least_dims;
    void (*add)(struct builder *b);
} topologies[] = {
        {"systolic-1d", 1, systolic_1d},
        {"systolic-2d", 2, systolic_2d},
        {"mesh", 1, mesh},
        {"multicast", 1, multicast},
        {"tree", 1, tree},
};

enum {
    N_TOPOLOGIES = sizeof topologies / sizeof *topologies,
    MOST_ADDED = 8 /* links of one topology; at most one bus a dimension */
};

static enum sator_status unknown_topology(
        struct sator_ctx *ctx, struct sator_loc loc, const char *name)
{
    const char *names[N_TOPOLOGIES];

    for (int i = 0; i < N_TOPOLOGIES; i++)
        names[i] = topologies[i].name;
    enum sator_status st = sator_error(ctx, loc, "there is no topology '%s'", name);
    sator_help_names(ctx, name, names, N_TOPOLOGIES);
    return st;
}

enum sator_status sator_topology(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc, const char *name, const char *array_name, struct sator_array *array)
{
    struct builder b = {.arena = arena, .loc = loc, .array_name = array_name, .array = array};
    const char **dims = SATOR_NEW_ARRAY(arena, const char *, array->n_dims);
    int found = 0;

    while (found < N_TOPOLOGIES && strcmp(topologies[found].name, name) != 0)
        found++;
    if (found == N_TOPOLOGIES)
        return unknown_topology(ctx, loc, name);
    if (array->n_dims < topologies[found].least_dims)
        return sator_error(ctx, loc, "topology '%s' needs %d dimensions; the array has %d", name,
                topologies[found].least_dims, array->n_dims);
    for (int d = 0; d < array->n_dims; d++)
        dims[d] = sator_arena_printf(arena, "i%d", d);
    b.dims = dims;
    b.links = SATOR_NEW_ARRAY(arena, struct sator_link, array->n_links + MOST_ADDED);
    b.buses = SATOR_NEW_ARRAY(arena, struct sator_bus, array->n_buses + array->n_dims + 1);
    for (int i = 0; i < array->n_links; i++)
        b.links[i] = array->links[i];
    for (int i = 0; i < array->n_buses; i++)
        b.buses[i] = array->buses[i];
    array->links = b.links;
    array->buses = b.buses;
    topologies[found].add(&b);
    return SATOR_OK;
}
