/* Where an architecture names tensors: kept with their places, since only a workload can tell
 * whether there is a tensor of that name. */
#include "arch/arch.h"
#include "frontend/yaml/yaml.h"

struct collector {
    struct sator_yaml_reader *reader;
    struct sator_tensor_mention *mentions;
    int n_mentions;
};

static void mention(struct collector *c, const struct sator_yaml_node *node)
{
    if (node->kind == SATOR_YAML_SCALAR)
        SATOR_PUSH(c->reader->arena, c->mentions, c->n_mentions,
                (struct sator_tensor_mention){
                        sator_arena_strdup(c->reader->arena, node->text), node->loc});
}

/* Names in a list, or keys of a map. */
static void collect_names(struct collector *c, const struct sator_yaml_node *node)
{
    for (int i = 0; node->kind == SATOR_YAML_LIST && i < node->n_items; i++)
        mention(c, node->items[i]);
    for (int i = 0; node->kind == SATOR_YAML_MAP && i < node->n_pairs; i++)
        mention(c, node->pairs[i].key);
}

/* Of what "key" has in "map". */
static void collect(struct collector *c, const struct sator_yaml_node *map, const char *key)
{
    const struct sator_yaml_node *node = sator_yaml_get(c->reader, map, key);

    if (node != NULL)
        collect_names(c, node);
}

void sator_yaml_mentions(struct sator_yaml_reader *reader, const struct sator_yaml_node *levels,
        struct sator_arch *arch)
{
    static const char *const of_memory[] = {"tensors", "bypass", "may_bypass", "capacity_bytes",
            "capacity_words", "transfers", "word_bits"};
    static const char *const lists[] = {"links", "multicast", "reduction", "ports"};
    struct collector c = {.reader = reader};

    for (int i = 0; i < levels->n_items; i++) {
        const struct sator_yaml_node *level = levels->items[i];
        for (int k = 0; k < SATOR_YAML_COUNT(of_memory); k++)
            collect(&c, level, of_memory[k]);
        const struct sator_yaml_node *gating = sator_yaml_get(reader, level, "gating");
        collect(&c, level, "gating");
        collect(&c, level, "skipping");
        for (int n = 0; gating != NULL && gating->kind == SATOR_YAML_MAP && n < gating->n_pairs;
                n++)
            collect_names(&c, gating->pairs[n].value);
        const struct sator_yaml_node *energy = sator_yaml_get(reader, level, "energy_pj");
        if (energy != NULL && energy->kind == SATOR_YAML_MAP)
            collect(&c, energy, "tensors");
        for (int k = 0; k < SATOR_YAML_COUNT(lists); k++) {
            const struct sator_yaml_node *list = sator_yaml_get(reader, level, lists[k]);
            for (int n = 0; list != NULL && list->kind == SATOR_YAML_LIST && n < list->n_items; n++)
                collect(&c, list->items[n], "tensors");
        }
    }
    arch->n_mentions = c.n_mentions;
    arch->mentions = c.mentions;
}
