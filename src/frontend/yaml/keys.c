/* The kinds of documents, by their keys. */
#include "frontend/yaml/yaml.h"

#include <string.h>

static const char *const workload_keys[] = {"name", "summary", "source", "sizes", "op", "where",
        "word_bits", "density", "domain", "reads", "writes", "repeat", "runs"};
static const char *const network_keys[] = {"name", "summary", "source", "layers", "others"};
static const char *const arch_keys[] = {"name", "summary", "source", "clock_mhz", "technology_nm",
        "energy_table", "energy", "control", "levels"};
static const char *const dataflow_keys[] = {
        "name", "summary", "source", "space", "time", "cuts", "loops", "for_layers"};

static const struct {
    const char *name;
    const char *const *keys;
    int n_keys;
} kinds[] = {
        [SATOR_DOCUMENT_UNKNOWN] = {"a document", NULL, 0},
        [SATOR_DOCUMENT_WORKLOAD] = {"a workload", workload_keys, SATOR_YAML_COUNT(workload_keys)},
        [SATOR_DOCUMENT_NETWORK] = {"a network", network_keys, SATOR_YAML_COUNT(network_keys)},
        [SATOR_DOCUMENT_ARCH] = {"an architecture", arch_keys, SATOR_YAML_COUNT(arch_keys)},
        [SATOR_DOCUMENT_DATAFLOW] = {"a dataflow", dataflow_keys, SATOR_YAML_COUNT(dataflow_keys)},
};

/* Keys that say nothing about the kind: every document may have them. */
enum {
    N_COMMON = 3
};

const char *const *sator_yaml_keys(enum sator_document kind, int *n_keys)
{
    *n_keys = kinds[kind].n_keys;
    return kinds[kind].keys;
}

const char *sator_yaml_kind_name(enum sator_document kind)
{
    return kinds[kind].name;
}

enum sator_document sator_yaml_guess(const struct sator_yaml_node *root)
{
    enum sator_document best = SATOR_DOCUMENT_UNKNOWN;
    int most = 0;

    if (root->kind != SATOR_YAML_MAP)
        return best;
    if (sator_yaml_find(root, "layers") != NULL)
        return SATOR_DOCUMENT_NETWORK;
    for (int kind = SATOR_DOCUMENT_WORKLOAD; kind <= SATOR_DOCUMENT_DATAFLOW; kind++) {
        int found = 0;
        for (int i = N_COMMON; i < kinds[kind].n_keys; i++)
            found += sator_yaml_find(root, kinds[kind].keys[i]) != NULL;
        if (found > most) {
            most = found;
            best = (enum sator_document)kind;
        }
    }
    return best;
}

bool sator_yaml_takes(enum sator_document kind, const char *path)
{
    size_t length = strcspn(path, ".=");

    /* "name" and the like alone would mean every input; they mean the workload */
    bool common = kind == SATOR_DOCUMENT_WORKLOAD || kind == SATOR_DOCUMENT_NETWORK;
    for (int i = common ? 0 : N_COMMON; i < kinds[kind].n_keys; i++) {
        if (strlen(kinds[kind].keys[i]) == length &&
                strncmp(kinds[kind].keys[i], path, length) == 0)
            return true;
    }
    /* sizes given for a network are those of its layers */
    return kind == SATOR_DOCUMENT_NETWORK && length == strlen("sizes") &&
            strncmp(path, "sizes", length) == 0;
}

int sator_yaml_all_keys(const char **names, int most)
{
    int n_names = 0;

    for (int kind = SATOR_DOCUMENT_WORKLOAD; kind <= SATOR_DOCUMENT_DATAFLOW; kind++) {
        for (int i = 0; i < kinds[kind].n_keys && n_names < most; i++) {
            int same = 0;
            while (same < n_names && strcmp(names[same], kinds[kind].keys[i]) != 0)
                same++;
            if (same == n_names)
                names[n_names++] = kinds[kind].keys[i];
        }
    }
    return n_names;
}
