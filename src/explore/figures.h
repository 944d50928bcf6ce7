/* Figures that are kept when somebody names them, and the names that expressions may use. */
#ifndef SATOR_EXPLORE_FIGURES_H
#define SATOR_EXPLORE_FIGURES_H

#include "arch/arch.h"
#include "explore/record.h"

/* A figure that results have, whether it is kept or not. */
struct explore_known {
    const char *name;
    bool is_symmetric; /* names neither a wire nor a tensor: the same for points that are the same
                          but for names */
};

/* What expressions may name besides the fields: tensors, and figures, which are noted as they are
 * named. */
struct explore_names {
    int n_tensors;
    const char *const *tensors;
    int n_known;
    struct explore_known *known;
    int n_figures; /* those named so far, at most EXPLORE_MOST_FIGURES: record.figures has them */
    const char **figures;
};

/* How a figure of a network comes from those of its layers. */
enum explore_sum {
    EXPLORE_SUM,
    EXPLORE_MOST,
    EXPLORE_NO_SUM
};

/* Add the figures of results on "arch" to the known ones:
 *
 *   energy_pj.COMPONENT            COMPONENT as in the report, or a memory: all of it
 *   levels.MEMORY.FIGURE           tile_words, fills, writes, reads, updates of all tensors;
 *                                  read_cycles, write_cycles
 *   levels.MEMORY.TENSOR.FIGURE    of one
 *   ports.PORT.cycles, .bits       PORT as results name it, dots for blanks:
 * ports.L2.psum.reads.cycles area_um2.LEVEL                 of all its instances
 *   tensors.TENSOR.links.WIRE, .reuse_volume, .partial_sum_reads
 *   bandwidth_bits_per_cycle.by_tensor.TENSOR.interconnect, .scratchpad */
void explore_figures_list(
        struct sator_arena *arena, const struct sator_arch *arch, struct explore_names *names);
/* The number of the figure "name", noted if it is known; -1 when it is not, or "*too_many". */
int explore_figure_choose(
        struct sator_arena *arena, struct explore_names *names, const char *name, bool *too_many);
bool explore_figure_is_symmetric(const struct explore_names *names, int figure);

enum explore_kind explore_figure_kind(const char *name);
enum explore_sum explore_figure_sum(const char *name);
/* Its value; a missing one is the number NAN, whatever its kind. */
struct explore_value explore_figure_value(
        const char *name, const struct sator_result *result, const struct sator_arch *arch);

#endif
