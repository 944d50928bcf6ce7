/* What an architecture says in vain. */
#ifndef SATOR_FRONTEND_YAML_YAML_EFFECTS_H
#define SATOR_FRONTEND_YAML_YAML_EFFECTS_H

#include "frontend/yaml/yaml.h"

/* Warn of what the levels say where it can have no effect. "list" is the list that they were read
 * from, entry by entry. */
void sator_yaml_warn_of_effects(struct sator_yaml_reader *reader,
        const struct sator_yaml_node *list, const struct sator_arch *arch);

#endif
