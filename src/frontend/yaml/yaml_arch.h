/* Parts of the lowering of architectures. */
#ifndef SATOR_FRONTEND_YAML_YAML_ARCH_H
#define SATOR_FRONTEND_YAML_YAML_ARCH_H

#include "frontend/yaml/yaml.h"

/* Where the architecture names an energy table, give the figures that it does not state itself from
 * there. "list" is the list that "levels" were read from, entry by entry. */
/* All that a memory holds, in bytes; words count "word_bits" each. NAN when it is not known: no
 * capacity, or words and "word_bits" 0. */
double sator_yaml_capacity_bytes(const struct sator_memory *memory, int64_t word_bits);
void sator_yaml_apply_energy_table(struct sator_yaml_reader *reader,
        const struct sator_yaml_node *root, const struct sator_yaml_node *list,
        struct sator_level *levels, int n_levels);

#endif
