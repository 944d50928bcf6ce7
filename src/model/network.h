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
    /* the declarations' names and figures, links before buses, as far as somebody copied them */
    const char **names;
    struct sator_figure *energy_pj;
};

/* What serves "tensor" in "role" between the space prefixes "from" and "to": the links and buses of
 * the arrays in between, lifted to "to" dimensions, in order of declaration; wires cut to one
 * direction as doc/model.md, section 2, says. */
enum sator_status sator_model_network(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_arch *arch, int from, int to, const char *tensor, enum sator_role role,
        struct sator_model_network *network);

/* Cut the interval-0 links of "network", over "to" space dimensions, to one direction between any
 * two PEs (the smaller one provides), and report a cycle that remains. */
enum sator_status sator_model_wires(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_arch *arch, int to, struct sator_model_network *network);

#endif
