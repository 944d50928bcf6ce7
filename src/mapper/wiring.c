/* What joins the PEs between two memories, as far as formulas go.
 *
 * Buses along dimensions of the array, and wires to the next PE of one dimension, make a word cross
 * once for all PEs along these dimensions. Everything else is complex: it is counted mapping by
 * mapping (counted.c), and bounded by a network over which all PEs share everything.
 */
#include "base/context.h"
#include "count/count.h"
#include "mapper/mapper.h"
#include "model/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool serves(int n_tensors, const char *const *tensors, const char *tensor)
{
    for (int i = 0; i < n_tensors; i++) {
        if (strcmp(tensors[i], tensor) == 0)
            return true;
    }
    return n_tensors == 0;
}

static bool same_pj(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The rows of the array at "level". */
static unsigned array_rows(const struct mapper_problem *p, int level)
{
    unsigned rows = 0;

    for (int r = 0; r < p->n_rows; r++)
        rows |= p->row[r].is_space && p->row[r].level == level ? 1U << r : 0;
    return rows;
}

/* The rows of the array at "level" over which "bus" spreads one word: the dimensions that its map
 * drops. False when the map is more than a choice of dimensions. */
static bool bus_rows(
        const struct mapper_problem *p, int level, const struct sator_bus *bus, unsigned *rows)
{
    const struct sator_piece *piece = sator_relation_function(bus->map);
    unsigned kept = 0;

    if (piece == NULL)
        return false;
    for (int i = 0; i < bus->map->n_out; i++) {
        const struct sator_expr *out = piece->out[i];
        if (out->n_terms == 0)
            continue;
        if (out->n_terms != 1 || out->terms[0].atom != SATOR_ATOM_VAR)
            return false;
        kept |= 1U << out->terms[0].var;
    }
    *rows = array_rows(p, level);
    for (int r = 0; r < p->n_rows; r++) {
        if ((*rows >> r & 1) && (kept >> p->row[r].dim & 1))
            *rows &= ~(1U << r);
    }
    return true;
}

/* The row along which "link" leads from each PE to a neighbour; -1 when it is anything else. */
static int link_row(const struct mapper_problem *p, int level, const struct sator_link *link)
{
    const struct sator_piece *piece = sator_relation_function(link->map);
    int dim = -1;

    if (piece == NULL || link->map->n_in != link->map->n_out)
        return -1;
    for (int d = 0; d < link->map->n_out; d++) {
        const struct sator_expr *out = piece->out[d];
        if (out->n_terms != 1 || out->terms[0].atom != SATOR_ATOM_VAR || out->terms[0].var != d ||
                out->terms[0].factor != 1 || llabs(out->constant) > 1 ||
                (out->constant != 0 && dim >= 0))
            return -1;
        if (out->constant != 0)
            dim = d;
    }
    for (int r = 0; r < p->n_rows && dim >= 0; r++) {
        if (p->row[r].is_space && p->row[r].level == level && p->row[r].dim == dim)
            return r;
    }
    return -1;
}

/* Wires within a stamp pass a word along PEs that need the same one, which are made neighbours: it
 * crosses once, as on a bus. Links from the stamp before bring nothing in a tiling, wherever they
 * lead: a tile of loops that stand alone in an index names the digits of these loops, so a provider
 * that held this PE's tile in the stamp before had them all, and this PE, which has them now, had
 * them then. Not so when a sliding index is unrolled along what the link moves. Nor two stamps
 * before, when this PE's tile may come back. */
static void add_link(struct mapper_problem *p, int level, const struct sator_link *link,
        struct mapper_transfer *transfer)
{
    int row = link_row(p, level, link);

    transfer->linked_rows |= row >= 0 ? 1U << row : array_rows(p, level);
    transfer->reaches_back |= link->interval > 1;
    transfer->is_complex |= link->interval > 1;
    if (link->interval == 1)
        return;
    if (row < 0 || transfer->n_buses > 0 || /* of an array further out, through a bypass */
            (transfer->link != NULL &&
                    !same_pj(transfer->link->energy_pj.value, link->energy_pj.value)) ||
            (p->row[row].linked >= 0 &&
                    p->access[p->row[row].linked].relevant !=
                            p->access[transfer->access].relevant)) {
        transfer->is_complex = true;
        return;
    }
    p->row[row].linked = transfer->access;
    if (transfer->link == NULL)
        transfer->link = link;
    transfer->bus_pj = link->energy_pj.value;
    transfer->collapsed |= 1U << row;
}

static void add_bus(struct mapper_problem *p, int level, const struct sator_bus *bus,
        struct mapper_transfer *transfer)
{
    unsigned rows;

    if (!bus_rows(p, level, bus, &rows) || transfer->link != NULL ||
            (transfer->n_buses > 0 && !same_pj(bus->energy_pj.value, transfer->bus_pj)) ||
            transfer->n_buses == MAPPER_ROWS) {
        transfer->is_complex = true;
        return;
    }
    transfer->bus_pj = bus->energy_pj.value;
    transfer->bus_rows[transfer->n_buses] = rows;
    transfer->buses[transfer->n_buses++] = bus;
    transfer->collapsed |= rows;
}

/* The links and buses of the array at "level"; whether there are any for the transfer. */
static bool add_array(struct mapper_problem *p, int level, struct mapper_transfer *transfer)
{
    const struct mapper_access *access = &p->access[transfer->access];
    const struct sator_array *array = &p->arch->levels[level].array;
    bool any = false;

    for (int i = 0; i < array->n_links; i++) {
        const struct sator_link *link = &array->links[i];
        if (!serves(link->n_tensors, link->tensors, access->name))
            continue;
        any = true;
        add_link(p, level, link, transfer);
    }
    for (int i = 0; i < array->n_buses; i++) {
        const struct sator_bus *bus = &array->buses[i];
        if (bus->is_reduction != (access->role == SATOR_WRITE) ||
                !serves(bus->n_tensors, bus->tensors, access->name))
            continue;
        any = true;
        add_bus(p, level, bus, transfer);
    }
    return any;
}

/* Whether tiles of the access may overlap in a way that only vectors, or the engines, tell. */
static bool has_joint(const struct mapper_access *access)
{
    for (int e = 0; e < access->n_indices; e++) {
        if (access->index[e].joint != NULL || access->index[e].is_core)
            return true;
    }
    return false;
}

/* The network as the counting engines take it. */
static enum sator_status find_network(
        struct sator_ctx *ctx, struct mapper_problem *p, struct mapper_transfer *transfer)
{
    const struct mapper_access *access = &p->access[transfer->access];
    struct sator_model_network *network = SATOR_NEW(p->arena, struct sator_model_network);
    int64_t *shape = SATOR_NEW_ARRAY(p->arena, int64_t, MAPPER_ROWS);
    int from = __builtin_popcount(transfer->outer);
    int to = from + __builtin_popcount(transfer->between), at = 0;
    enum sator_status st;

    SATOR_TRY(sator_model_network(
            ctx, p->arena, p->arch, from, to, access->name, access->role, network));
    for (int r = 0; r < p->n_rows; r++) {
        if (p->row[r].is_space)
            shape[at++] = p->row[r].shape;
    }
    sator_count_prepare(p->arena, to, shape, network->n_links, network->links);
    transfer->network = network;
done:
    return st;
}

enum sator_status sator_mapper_wire(
        struct sator_ctx *ctx, struct mapper_problem *p, struct mapper_transfer *transfer)
{
    const struct mapper_access *access = &p->access[transfer->access];
    unsigned reached = 0;
    int last_level = -1;

    for (int r = 0; r < transfer->child_row; r++) {
        int level = p->row[r].level;
        if (!(transfer->between >> r & 1) || level == last_level)
            continue;
        last_level = level;
        if (add_array(p, level, transfer))
            reached |= array_rows(p, level);
    }
    if (transfer->linked_rows != 0 || transfer->n_buses >= 2)
        transfer->is_complex |= has_joint(access);
    transfer->is_counted = transfer->is_complex || access->is_counted;
    if (transfer->is_complex) {
        transfer->collapsed = transfer->apart = reached;
        transfer->n_buses = 0;
        transfer->link = NULL;
    }
    return transfer->is_counted ? find_network(ctx, p, transfer) : SATOR_OK;
}
