/* Zeros: how many elements of a tensor are expected to be none, and what a machine does not do for
 * them (doc/model.md, section 4, "Expectations"). */
#ifndef SATOR_FRONTEND_YAML_YAML_ACTIVITY_H
#define SATOR_FRONTEND_YAML_YAML_ACTIVITY_H

#include "arch/arch.h"
#include "frontend/yaml/yaml.h"

/* "density" of a workload, {A: 0.4}, into its accesses; nothing where "node" is NULL, as below. */
void sator_yaml_densities(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        int n_accesses, struct sator_access *accesses);
/* "gating" of a memory, {B: [A]}, whose tensors are known, and of a compute level, [A]. */
void sator_yaml_memory_gates(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_memory *memory);
/* ... with "skipping" beside it. */
void sator_yaml_compute_gate(struct sator_yaml_reader *reader, const struct sator_yaml_node *gating,
        const struct sator_yaml_node *skipping, struct sator_compute *compute);
/* Report gates by other tensors at memories whose words are not single loop instances'. */
void sator_yaml_check_gates(struct sator_yaml_reader *reader, const struct sator_arch *arch);

#endif
