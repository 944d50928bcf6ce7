#include "frontend/yaml/yaml_runs.h"

#include <string.h>

static bool has_tensor(const struct sator_workload *workload, const char *name)
{
    for (int i = 0; i < workload->n_accesses; i++) {
        if (strcmp(workload->accesses[i].tensor, name) == 0)
            return true;
    }
    return false;
}

/* A map {node: NAME, TENSOR: NAME, ...}. */
static bool lower_run(struct sator_yaml_reader *reader, const struct sator_yaml_node *item,
        const struct sator_workload *workload, struct sator_run *run)
{
    const struct sator_yaml_node *node;

    *run = (struct sator_run){.node = ""};
    if (!sator_yaml_is(reader, item, SATOR_YAML_MAP, "a run"))
        return false;
    if ((node = sator_yaml_need(reader, item, "a run", "node")) == NULL ||
            !sator_yaml_string(reader, node, "node", &run->node))
        return false;
    for (int i = 0; i < item->n_pairs; i++) {
        const struct sator_yaml_node *key = item->pairs[i].key;
        struct sator_run_tensor tensor = {.tensor = ""};
        if (strcmp(key->text, "node") == 0)
            continue;
        if (workload->n_accesses > 0 && !has_tensor(workload, key->text)) {
            sator_error(reader->ctx, key->loc, "a run: the operation has no tensor '%s'",
                    sator_yaml_clip(reader->scratch, key->text));
            return false;
        }
        tensor.tensor = sator_arena_strdup(reader->arena, key->text);
        if (!sator_yaml_is(reader, item->pairs[i].value, SATOR_YAML_SCALAR, "a tensor's name"))
            return false;
        tensor.name = sator_arena_strdup(reader->arena, item->pairs[i].value->text);
        SATOR_PUSH(reader->arena, run->tensors, run->n_tensors, tensor);
    }
    return true;
}

void sator_yaml_lower_runs(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        struct sator_workload *workload)
{
    const struct sator_yaml_node *list = sator_yaml_get(reader, map, "runs");
    struct sator_run *runs = NULL, run;

    if (list == NULL || !sator_yaml_is(reader, list, SATOR_YAML_LIST, "runs"))
        return;
    for (int i = 0; i < list->n_items && !sator_yaml_full(reader); i++) {
        if (lower_run(reader, list->items[i], workload, &run))
            SATOR_PUSH(reader->arena, runs, workload->n_runs, run);
    }
    workload->runs = runs;
    if (list->n_items > workload->repeat)
        sator_error(reader->ctx, (struct sator_loc){list->loc.source, list->loc.offset, 1},
                "%d runs of a layer that is repeated %d times", list->n_items, workload->repeat);
}

static void lower_other(struct sator_yaml_reader *reader, const struct sator_yaml_node *item,
        struct sator_other_nodes *other)
{
    static const char *const keys[] = {"op", "nodes", "bytes", "share", "why"};
    const struct sator_yaml_node *node;

    *other = (struct sator_other_nodes){.op = "", .why = ""};
    if (!sator_yaml_is(reader, item, SATOR_YAML_MAP, "an entry of 'others'"))
        return;
    sator_yaml_check_keys(reader, item, "an entry of 'others'", keys, SATOR_YAML_COUNT(keys));
    if ((node = sator_yaml_need(reader, item, "an entry of 'others'", "op")) != NULL)
        sator_yaml_string(reader, node, "op", &other->op);
    if ((node = sator_yaml_need(reader, item, "an entry of 'others'", "nodes")) != NULL)
        sator_yaml_int(reader, node, "nodes", 1, INT32_MAX, &other->n_nodes);
    if ((node = sator_yaml_get(reader, item, "bytes")) != NULL)
        sator_yaml_number(reader, node, "bytes", false, &other->bytes);
    if ((node = sator_yaml_get(reader, item, "share")) != NULL)
        sator_yaml_number(reader, node, "share", false, &other->share);
    if ((node = sator_yaml_get(reader, item, "why")) != NULL)
        sator_yaml_string(reader, node, "why", &other->why);
}

void sator_yaml_lower_others(struct sator_yaml_reader *reader, const struct sator_yaml_node *root,
        struct sator_network *network)
{
    const struct sator_yaml_node *list = sator_yaml_get(reader, root, "others");
    struct sator_other_nodes *others = NULL, other;

    if (list == NULL || !sator_yaml_is(reader, list, SATOR_YAML_LIST, "others"))
        return;
    for (int i = 0; i < list->n_items && !sator_yaml_full(reader); i++) {
        lower_other(reader, list->items[i], &other);
        SATOR_PUSH(reader->arena, others, network->n_others, other);
    }
    network->others = others;
}

void sator_yaml_write_runs(
        struct sator_text *text, const struct sator_workload *workload, const char *indent)
{
    if (workload->n_runs > 0)
        sator_text_add(text, "\n%sruns:", indent);
    for (int i = 0; i < workload->n_runs; i++) {
        const struct sator_run *run = &workload->runs[i];
        sator_text_add(text, "\n%s  - {node: ", indent);
        sator_text_add_yaml(text, run->node);
        for (int t = 0; t < run->n_tensors; t++) {
            sator_text_add(text, ", %s: ", run->tensors[t].tensor);
            sator_text_add_yaml(text, run->tensors[t].name);
        }
        sator_text_put(text, "}");
    }
}

void sator_yaml_write_others(struct sator_text *text, const struct sator_network *network)
{
    if (network->n_others > 0)
        sator_text_put(text, "others:\n");
    for (int i = 0; i < network->n_others; i++) {
        const struct sator_other_nodes *other = &network->others[i];
        sator_text_put(text, "  - {op: ");
        sator_text_add_yaml(text, other->op);
        sator_text_add(text, ", nodes: %lld, bytes: %.0f, share: %.4f", (long long)other->n_nodes,
                other->bytes, other->share);
        if (*other->why != '\0') {
            sator_text_put(text, ", why: ");
            sator_text_add_yaml(text, other->why);
        }
        sator_text_put(text, "}\n");
    }
}
