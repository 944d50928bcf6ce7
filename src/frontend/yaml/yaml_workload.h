/* Lowering of one workload's map, for workload files and for the layers of networks. */
#ifndef SATOR_FRONTEND_YAML_YAML_WORKLOAD_H
#define SATOR_FRONTEND_YAML_YAML_WORKLOAD_H

#include "frontend/yaml/yaml.h"

/* Fill "workload" from "map", whose keys were checked; false after errors. */
bool sator_yaml_lower_workload(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const char *default_name, struct sator_workload *workload);

#endif
