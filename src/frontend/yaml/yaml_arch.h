/* Parts of the lowering of architectures. */
#ifndef SATOR_FRONTEND_YAML_YAML_ARCH_H
#define SATOR_FRONTEND_YAML_YAML_ARCH_H

#include "frontend/yaml/yaml.h"

/* yaml_figures.c: figures, NAN where they are not given, and widths. Without a source of its own a
 * figure has "source", its level's (or NULL). */
/* The "source" in "map", else "outer". */
const char *sator_yaml_source(
        struct sator_yaml_reader *reader, const struct sator_yaml_node *map, const char *outer);
/* A number, or a map of "value" and its source; untouched when "node" is NULL, as are the next. */
void sator_yaml_figure(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, const char *source, struct sator_figure *figure);
void sator_yaml_wire_energy(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *source, struct sator_energy *energy);
/* "energy_pj" of a memory: all of its energies, also where "node" is NULL. */
void sator_yaml_memory_energy(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *source, struct sator_memory *memory);
void sator_yaml_compute_energy(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *source, struct sator_compute *compute);
/* "word_bits" of a memory or an array; none when "node" is NULL. */
void sator_yaml_widths(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_widths *widths);

/* "bandwidth_bits", a number for both directions or a map with either; untouched when "node" is
 * NULL. */
void sator_yaml_bandwidth(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        double *read_bits, double *write_bits);
/* "ports" of a memory whose tensors are known. */
void sator_yaml_ports(struct sator_yaml_reader *reader, const struct sator_yaml_node *list,
        struct sator_memory *memory);

/* "transfers", "setup_cycles", "granule_bits" and "holds" of a memory whose tensors and ports are
 * known. */
void sator_yaml_memory_timing(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        struct sator_memory *memory);
/* "setup_cycles" and "granule_bits" of a port, or of a memory's own two; "has_bandwidth" tells
 * whether anything passes there in finite time. */
void sator_yaml_burst(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        bool has_bandwidth, struct sator_burst *burst);
/* "bandwidth_bits" of a link, bus or tree: one number; NAN when it is not given. */
void sator_yaml_wire_bandwidth(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        double *bandwidth_bits);

/* "control" of an architecture whose levels are known. */
void sator_yaml_control(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_arch *arch);

/* All that a memory holds, in bytes; words count "word_bits" each. NAN when it is not known: no
 * capacity, or words and "word_bits" 0. */
double sator_yaml_capacity_bytes(const struct sator_memory *memory, int64_t word_bits);

/* Where the architecture names energy tables, give the figures that it does not state itself from
 * there; where it asks for estimates, give all. "levels" are the architecture's, "list" is what
 * they were read from, entry by entry. */
void sator_yaml_apply_energies(struct sator_yaml_reader *reader, const struct sator_yaml_node *root,
        const struct sator_yaml_node *list, struct sator_arch *arch, struct sator_level *levels);

#endif
