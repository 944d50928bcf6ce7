/* Parts of the lowering of architectures. */
#ifndef SATOR_FRONTEND_YAML_YAML_ARCH_H
#define SATOR_FRONTEND_YAML_YAML_ARCH_H

#include "frontend/yaml/yaml.h"

/* "bandwidth_bits", a number for both directions or a map with either; untouched when "node" is
 * NULL. */
void sator_yaml_bandwidth(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        double *read_bits, double *write_bits);
/* "ports" of a memory whose tensors are known. */
void sator_yaml_ports(struct sator_yaml_reader *reader, const struct sator_yaml_node *list,
        struct sator_memory *memory);

/* All that a memory holds, in bytes; words count "word_bits" each. NAN when it is not known: no
 * capacity, or words and "word_bits" 0. */
double sator_yaml_capacity_bytes(const struct sator_memory *memory, int64_t word_bits);

/* Where the architecture names an energy table, give the figures that it does not state itself from
 * there. "list" is the list that "levels" were read from, entry by entry. */
void sator_yaml_apply_energy_table(struct sator_yaml_reader *reader,
        const struct sator_yaml_node *root, const struct sator_yaml_node *list,
        struct sator_level *levels, int n_levels);

#endif
