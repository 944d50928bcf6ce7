/* What networks keep of the graph that they were read from: the nodes that a layer stands for, and
 * those that are no layers. */
#ifndef SATOR_FRONTEND_YAML_YAML_RUNS_H
#define SATOR_FRONTEND_YAML_YAML_RUNS_H

#include "base/text.h"
#include "frontend/yaml/yaml.h"

/* The key "runs" of a workload whose accesses are known. */
void sator_yaml_lower_runs(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        struct sator_workload *workload);
/* The key "others" of a network. */
void sator_yaml_lower_others(struct sator_yaml_reader *reader, const struct sator_yaml_node *root,
        struct sator_network *network);
void sator_yaml_write_runs(
        struct sator_text *text, const struct sator_workload *workload, const char *indent);
void sator_yaml_write_others(struct sator_text *text, const struct sator_network *network);

#endif
