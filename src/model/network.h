/* The links and buses between two memory levels, as the counting engines take them. */
#ifndef SATOR_MODEL_NETWORK_H
#define SATOR_MODEL_NETWORK_H

#include "arch/arch.h"
#include "count/count.h"

struct sator_model_network {
    struct sator_transport transport; /* what the engines take; points into the arrays below */
    int n_links, n_buses;
    struct sator_network_link *links;
    const struct sator_relation **buses;
    const struct sator_link **link_sources; /* the declarations, parallel to links and buses */
    const struct sator_bus **bus_sources;
    /* the declarations' names, links before buses, and what these wires do for each access: as far
     * as somebody copied them */
    const char **names;
    struct sator_model_wire {
        struct sator_action action;
        int bits; /* a word */
    } * *wires; /* [access][wire] */
    /* the array that the wires lie in, when there are any; whether they form cycles, which
     * sator_model_cut cuts as far as the tensor's values go round them */
    int n_dims;
    const int64_t *shape;
    bool is_cyclic;
};

/* What serves "tensor" in "role" between the space prefixes "from" and "to": the links and buses of
 * the arrays in between, lifted to "to" dimensions, in order of declaration; wires cut to one
 * direction as doc/model.md, section 2, says. */
enum sator_status sator_model_network(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_arch *arch, int from, int to, const char *tensor, enum sator_role role,
        struct sator_model_network *network);

/* The same with links as they are declared, wires too. */
void sator_model_declared(struct sator_arena *arena, const struct sator_arch *arch, int from,
        int to, const char *tensor, enum sator_role role, struct sator_model_network *network);

/* Cut the interval-0 links of "network", over "to" space dimensions, to one direction between any
 * two PEs (the smaller one provides), and find whether longer cycles remain. */
enum sator_status sator_model_wires(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_arch *arch, int to, struct sator_model_network *network);

/* Set "transport" to what of "network" counts for the pairs of "access" under the stamping of
 * "counter": all of it but the wires that close a cycle which values of the tensor may go round,
 * from the greater PE to the smaller one (doc/model.md, section 2). What is made for it is in
 * "arena". */
enum sator_status sator_model_cut(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_counter *counter, const struct sator_relation *access,
        const struct sator_model_network *network, struct sator_transport *transport);

/* How many dimensions of the holder's time prefix, "time" long, decide what links of "network"
 * bring of a tensor in "role" (sator_transport.held_time): all where a link of interval 2 or more
 * may bring a sum past a change of what the holder holds, else 0. */
int sator_model_held_time(
        const struct sator_model_network *network, enum sator_role role, int time);

/* ---- wires.c and cycles.c ---- */

/* Leave out of every link, whatever its interval, what joins a PE to itself. */
enum sator_status sator_wires_drop_self(struct sator_ctx *ctx, struct sator_arena *arena,
        int n_dims, struct sator_model_network *network);

/* Set the network's "is_cyclic": whether its wires, cut to one direction between any two PEs, form
 * a cycle. SATOR_INPUT with a message at "loc" for an array with too many wires to follow them. */
enum sator_status sator_wires_find_cycles(
        struct sator_ctx *ctx, struct sator_model_network *network, struct sator_loc loc);

/* The condition, over the variables of "piece", that a wire of it leads from a lexicographically
 * greater PE to a smaller one. The network's wires passed sator_model_wires. */
const struct sator_cond *sator_wire_descends(
        struct sator_arena *arena, int n_dims, const struct sator_piece *piece);

#endif
