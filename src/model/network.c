/* Which links and buses serve a tensor, as maps over the space-stamps of a level.
 *
 * An architecture's map speaks of its own array's dimensions; here it is lifted to the leading
 * dimensions of all arrays: PE[i,j] -> PE[i,j+1] on the outer of two arrays becomes [i,j,l] ->
 * [i,j+1,l].
 */
#include "model/network.h"

/* The variables of a lifted piece: the "to" space dimensions, then the piece's free variables. */
static const char *const *lifted_names(
        struct sator_arena *arena, const struct sator_piece *piece, int n_in, int to)
{
    const char **names = SATOR_NEW_ARRAY(arena, const char *, to + piece->n_free + 1);

    for (int i = 0; i < to; i++)
        names[i] = sator_arena_printf(arena, "p%d", i);
    for (int i = 0; i < piece->n_free; i++)
        names[to + i] = sator_arena_printf(arena, "%s_", piece->names[n_in + i]);
    return names;
}

/* "expr" of an array's map over the lifted variables. */
struct lift {
    struct sator_arena *arena;
    int base, n_own, to; /* the array's dimensions are [base, base + n_own) of "to" */
    const struct sator_expr *const *variables;
};

static struct lift lift_init(
        struct sator_arena *arena, int base, int n_own, int to, const struct sator_piece *piece)
{
    const struct sator_expr **variables =
            SATOR_NEW_ARRAY(arena, const struct sator_expr *, n_own + piece->n_free + 1);

    for (int i = 0; i < n_own; i++)
        variables[i] = sator_expr_var(arena, base + i);
    for (int i = 0; i < piece->n_free; i++)
        variables[n_own + i] = sator_expr_var(arena, to + i);
    return (struct lift){arena, base, n_own, to, variables};
}

/* The output tuple: own outputs in place of the array's dimensions, other dimensions unchanged. */
static const struct sator_expr *const *lift_out(
        const struct lift *lift, int n_own_out, const struct sator_expr *const *own_out)
{
    int n_out = lift->to - lift->n_own + n_own_out, at = 0;
    const struct sator_expr **out =
            SATOR_NEW_ARRAY(lift->arena, const struct sator_expr *, n_out + 1);

    for (int i = 0; i < lift->base; i++)
        out[at++] = sator_expr_var(lift->arena, i);
    for (int i = 0; i < n_own_out; i++)
        out[at++] = sator_expr_substitute(lift->arena, own_out[i], lift->variables);
    for (int i = lift->base + lift->n_own; i < lift->to; i++)
        out[at++] = sator_expr_var(lift->arena, i);
    return out;
}

static const struct sator_relation *lift_relation(
        struct sator_arena *arena, const struct sator_relation *map, int base, int to)
{
    if (map->n_in == to) /* the only array: its dimensions are all there are */
        return map;
    struct sator_relation *lifted = sator_arena_copy(arena, map, sizeof *map);
    struct sator_piece *pieces = SATOR_NEW_ARRAY(arena, struct sator_piece, map->n_pieces);

    for (int i = 0; i < map->n_pieces; i++) {
        const struct sator_piece *piece = &map->pieces[i];
        struct lift lift = lift_init(arena, base, map->n_in, to, piece);
        pieces[i] = *piece;
        pieces[i].names = lifted_names(arena, piece, map->n_in, to);
        pieces[i].out = lift_out(&lift, map->n_out, piece->out);
        pieces[i].cond = sator_cond_substitute(arena, piece->cond, lift.variables, to - map->n_in);
    }
    lifted->n_in = to;
    lifted->n_out = to - map->n_in + map->n_out;
    lifted->pieces = pieces;
    return lifted;
}

static void add_links(struct sator_model_network *network, struct sator_arena *arena,
        const struct sator_array *array, int base, int to, const char *tensor)
{
    for (int i = 0; i < array->n_links; i++) {
        const struct sator_link *link = &array->links[i];
        if (!sator_serves(link->n_tensors, link->tensors, tensor))
            continue;
        struct sator_network_link lifted = {
                .map = lift_relation(arena, link->map, base, to), .interval = link->interval};
        int n_links = network->n_links;
        SATOR_PUSH(arena, network->links, n_links, lifted);
        SATOR_PUSH(arena, network->link_sources, network->n_links, link);
    }
}

static void add_buses(struct sator_model_network *network, struct sator_arena *arena,
        const struct sator_array *array, int base, int to, const char *tensor, enum sator_role role)
{
    for (int i = 0; i < array->n_buses; i++) {
        const struct sator_bus *bus = &array->buses[i];
        if (bus->is_reduction != (role == SATOR_WRITE) ||
                !sator_serves(bus->n_tensors, bus->tensors, tensor))
            continue;
        int n_buses = network->n_buses;
        SATOR_PUSH(arena, network->buses, n_buses, lift_relation(arena, bus->map, base, to));
        SATOR_PUSH(arena, network->bus_sources, network->n_buses, bus);
    }
}

void sator_model_declared(struct sator_arena *arena, const struct sator_arch *arch, int from,
        int to, const char *tensor, enum sator_role role, struct sator_model_network *network)
{
    int base = 0;

    *network = (struct sator_model_network){0};
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        if (level->kind != SATOR_LEVEL_ARRAY)
            continue;
        if (base >= from && base + level->array.n_dims <= to) {
            add_links(network, arena, &level->array, base, to, tensor);
            add_buses(network, arena, &level->array, base, to, tensor, role);
        }
        base += level->array.n_dims;
    }
    network->transport = (struct sator_transport){.registers = true,
            .n_links = network->n_links,
            .links = network->links,
            .n_buses = network->n_buses,
            .buses = network->buses};
}

enum sator_status sator_model_network(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_arch *arch, int from, int to, const char *tensor, enum sator_role role,
        struct sator_model_network *network)
{
    sator_model_declared(arena, arch, from, to, tensor, role, network);
    return sator_model_wires(ctx, arena, arch, to, network);
}

int sator_model_held_time(const struct sator_model_network *network, enum sator_role role, int time)
{
    bool is_long = false;

    for (int i = 0; i < network->n_links; i++)
        is_long = is_long || network->links[i].interval > 1;
    return is_long && role == SATOR_WRITE ? time : 0;
}
