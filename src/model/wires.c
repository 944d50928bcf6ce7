/* Wires: links of interval 0. Within one stamp a value has to come from somewhere, so no two PEs
 * may feed each other: where wires join two PEs both ways, the lexicographically smaller one
 * provides (doc/model.md, section 2). Longer cycles are for cycles.c to find and to cut.
 */
#include "model/network.h"

struct wires {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    int n_dims;
    const int64_t *shape;
    struct sator_model_network *network;
    bool *too_large; /* set when a number leaves 64 bits: nothing that was made of it counts */
};

/* Where the first wire is declared: the place of what is wrong with all of them. */
static struct sator_loc wires_loc(const struct wires *wires)
{
    int first = 0;

    while (wires->network->links[first].interval != 0)
        first++;
    return wires->network->link_sources[first]->loc;
}

static const struct sator_expr *difference(
        const struct wires *wires, const struct sator_expr *a, const struct sator_expr *b)
{
    const struct sator_expr *result = sator_expr_add(wires->arena, a, -1, b);

    *wires->too_large |= result == NULL;
    return result == NULL ? sator_expr_constant(wires->arena, 0) : result;
}

static const struct sator_cond *both(
        const struct wires *wires, const struct sator_cond *a, const struct sator_cond *b)
{
    const struct sator_cond *kids[] = {a, b};

    return sator_cond_and(wires->arena, 2, kids);
}

static const struct sator_cond *either(
        const struct wires *wires, const struct sator_cond *a, const struct sator_cond *b)
{
    const struct sator_cond *kids[] = {a, b};

    return sator_cond_or(wires->arena, 2, kids);
}

static const struct sator_cond *equal(
        const struct wires *wires, const struct sator_expr *a, const struct sator_expr *b)
{
    return sator_cond_compare(wires->arena, SATOR_COND_EQUAL, difference(wires, a, b));
}

static const struct sator_cond *provider_greater(
        const struct wires *wires, const struct sator_piece *piece)
{
    const struct sator_cond *greater = sator_cond_or(wires->arena, 0, NULL);
    const struct sator_expr *one = sator_expr_constant(wires->arena, 1);

    for (int i = wires->n_dims - 1; i >= 0; i--) {
        const struct sator_expr *provider = sator_expr_var(wires->arena, i);
        const struct sator_expr *gap = difference(wires, provider, piece->out[i]);
        const struct sator_cond *here =
                sator_cond_compare(wires->arena, SATOR_COND_AT_LEAST, difference(wires, gap, one));
        const struct sator_cond *same = sator_cond_compare(wires->arena, SATOR_COND_EQUAL, gap);
        greater = either(wires, here, both(wires, same, greater));
    }
    return greater;
}

const struct sator_cond *sator_wire_descends(
        struct sator_arena *arena, int n_dims, const struct sator_piece *piece)
{
    bool too_large = false;
    const struct wires wires = {.arena = arena, .n_dims = n_dims, .too_large = &too_large};

    return provider_greater(&wires, piece); /* as made before, when it fitted */
}

static const struct sator_cond *self(const struct wires *wires, const struct sator_piece *piece)
{
    const struct sator_cond *same = sator_cond_and(wires->arena, 0, NULL);

    for (int i = 0; i < wires->n_dims; i++)
        same = both(wires, same, equal(wires, piece->out[i], sator_expr_var(wires->arena, i)));
    return same;
}

/* The output dimension that free variable "var" of "piece" stands for, or -1. */
static int dimension_of(const struct wires *wires, const struct sator_piece *piece, int var)
{
    const struct sator_expr *wanted = sator_expr_var(wires->arena, var);

    for (int i = 0; i < wires->n_dims; i++) {
        if (sator_expr_equal(piece->out[i], wanted))
            return i;
    }
    return -1;
}

/* The condition, over the variables of "piece", that "other" leads from the consumer of "piece"
 * back to its provider. */
static const struct sator_cond *leads_back(
        const struct wires *wires, const struct sator_piece *piece, const struct sator_piece *other)
{
    const struct sator_expr **variables = SATOR_NEW_ARRAY(
            wires->arena, const struct sator_expr *, wires->n_dims + other->n_free + 1);

    for (int i = 0; i < wires->n_dims; i++)
        variables[i] = piece->out[i];
    for (int i = 0; i < other->n_free; i++) {
        int dim = dimension_of(wires, other, wires->n_dims + i);
        variables[wires->n_dims + i] = sator_expr_var(wires->arena, dim);
    }
    const struct sator_cond *cond = sator_cond_substitute(wires->arena, other->cond, variables, 0);
    for (int i = 0; i < wires->n_dims && cond != NULL; i++) {
        const struct sator_expr *back =
                sator_expr_substitute(wires->arena, other->out[i], variables);
        cond = back == NULL
                ? NULL
                : both(wires, cond, equal(wires, back, sator_expr_var(wires->arena, i)));
    }
    *wires->too_large |= cond == NULL;
    return cond == NULL ? sator_cond_or(wires->arena, 0, NULL) : cond;
}

/* Whether every piece can be followed: free variables are outputs, no "exists". */
static enum sator_status check_form(const struct wires *wires, int link)
{
    const struct sator_relation *map = wires->network->links[link].map;
    const struct sator_link *declared = wires->network->link_sources[link];

    for (int i = 0; i < map->n_pieces; i++) {
        const struct sator_piece *piece = &map->pieces[i];
        bool plain = piece->cond != NULL && !sator_cond_has_exists(piece->cond);
        for (int v = 0; v < piece->n_free && plain; v++)
            plain = dimension_of(wires, piece, wires->n_dims + v) >= 0;
        if (!plain) {
            sator_error(wires->ctx, declared->loc,
                    "link '%s' of interval 0 is given with 'exists' or hidden variables",
                    declared->name);
            sator_help(
                    wires->ctx, "give its consumers as expressions of the provider's coordinates");
            return SATOR_INPUT;
        }
    }
    return SATOR_OK;
}

/* "piece" without self wires and without wires from the greater PE of a pair that is joined both
 * ways. */
static struct sator_piece restricted(const struct wires *wires, const struct sator_piece *piece)
{
    const struct sator_cond *back = sator_cond_or(wires->arena, 0, NULL);
    struct sator_piece result = *piece;

    for (int i = 0; i < wires->network->n_links; i++) {
        const struct sator_network_link *link = &wires->network->links[i];
        for (int j = 0; j < link->map->n_pieces && link->interval == 0; j++) {
            back = either(wires, back, leads_back(wires, piece, &link->map->pieces[j]));
        }
    }
    const struct sator_cond *lost =
            either(wires, self(wires, piece), both(wires, provider_greater(wires, piece), back));
    result.cond = both(wires, piece->cond, sator_cond_not(wires->arena, lost));
    return result;
}

static const struct sator_relation *restricted_map(
        const struct wires *wires, const struct sator_relation *map)
{
    struct sator_relation *result = sator_arena_copy(wires->arena, map, sizeof *map);
    struct sator_piece *pieces = SATOR_NEW_ARRAY(wires->arena, struct sator_piece, map->n_pieces);

    result->n_pieces = 0;
    for (int i = 0; i < map->n_pieces; i++) {
        struct sator_piece piece = restricted(wires, &map->pieces[i]);
        if (!sator_cond_is_false(piece.cond))
            pieces[result->n_pieces++] = piece;
    }
    result->pieces = pieces;
    return result;
}

static enum sator_status too_large(struct sator_ctx *ctx, struct sator_loc loc)
{
    return sator_error(
            ctx, loc, "a difference of coordinates along the link does not fit into 64 bits");
}

enum sator_status sator_model_wires(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_arch *arch, int to, struct sator_model_network *network)
{
    enum sator_status st = SATOR_OK;
    int64_t *shape = SATOR_NEW_ARRAY(arena, int64_t, sator_arch_space_dims(arch) + 1);
    bool any = false, leaves_64_bits = false;
    struct wires wires = {.ctx = ctx,
            .arena = arena,
            .n_dims = to,
            .shape = shape,
            .network = network,
            .too_large = &leaves_64_bits};

    sator_arch_shape(arch, shape);
    for (int i = 0; i < network->n_links; i++) {
        if (network->links[i].interval != 0)
            continue;
        any = true;
        SATOR_TRY(check_form(&wires, i));
    }
    if (!any)
        return SATOR_OK;
    const struct sator_relation **maps =
            SATOR_NEW_ARRAY(arena, const struct sator_relation *, network->n_links);
    for (int i = 0; i < network->n_links; i++) {
        if (network->links[i].interval == 0)
            maps[i] = restricted_map(&wires, network->links[i].map);
    }
    if (leaves_64_bits) {
        st = too_large(ctx, wires_loc(&wires));
        goto done;
    }
    for (int i = 0; i < network->n_links; i++) {
        if (network->links[i].interval == 0)
            network->links[i].map = maps[i];
    }
    network->n_dims = to;
    network->shape = shape;
    st = sator_wires_find_cycles(ctx, network, wires_loc(&wires));
done:
    return st;
}

enum sator_status sator_wires_drop_self(struct sator_ctx *ctx, struct sator_arena *arena,
        int n_dims, struct sator_model_network *network)
{
    bool leaves_64_bits = false;
    const struct wires wires = {.arena = arena, .n_dims = n_dims, .too_large = &leaves_64_bits};

    for (int i = 0; i < network->n_links; i++) {
        struct sator_relation *map =
                sator_arena_copy(arena, network->links[i].map, sizeof(struct sator_relation));
        struct sator_piece *pieces = SATOR_NEW_ARRAY(arena, struct sator_piece, map->n_pieces + 1);
        int n = 0;
        for (int j = 0; j < map->n_pieces; j++) {
            pieces[n] = map->pieces[j];
            pieces[n].cond = both(
                    &wires, pieces[n].cond, sator_cond_not(arena, self(&wires, &map->pieces[j])));
            n += !sator_cond_is_false(pieces[n].cond);
        }
        map->n_pieces = n;
        map->pieces = pieces;
        network->links[i].map = map;
        if (leaves_64_bits)
            return too_large(ctx, network->link_sources[i]->loc);
    }
    return SATOR_OK;
}
