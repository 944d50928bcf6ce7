/* Which kind of document a file is, its keys, and how one is opened. */
#include "frontend/yaml/yaml.h"

#include "base/text.h"

#include <string.h>

static const char *const workload_keys[] = {"name", "summary", "source", "sizes", "op", "where",
        "word_bits", "domain", "reads", "writes", "repeat"};
static const char *const network_keys[] = {"name", "summary", "source", "layers"};
static const char *const arch_keys[] = {
        "name", "summary", "source", "clock_mhz", "technology_nm", "energy_table", "levels"};
static const char *const dataflow_keys[] = {
        "name", "summary", "source", "space", "time", "cuts", "loops"};

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

enum sator_status sator_yaml_kind(
        struct sator_ctx *ctx, const struct sator_source *source, enum sator_document *kind)
{
    struct sator_arena *scratch = sator_arena_new();
    struct sator_ctx *unheard = sator_ctx_new();
    struct sator_yaml_node *root;
    enum sator_status st = SATOR_OK;

    /* what is wrong with a document that is whole is for its reader to say, once */
    sator_yaml_parse(unheard, scratch, source, 0, source->length, &root);
    sator_ctx_free(unheard);
    if (root == NULL)
        st = sator_yaml_parse(ctx, scratch, source, 0, source->length, &root);
    else
        *kind = sator_yaml_guess(root);
    sator_arena_free(scratch);
    return st;
}

/* The misspelt key of a kind of document that a key of "root" may be meant as. */
static const char *meant_key(const struct sator_yaml_node *root, const char **instead)
{
    enum {
        MOST_LOOKED_AT = 64
    };
    const char *names[MOST_LOOKED_AT];
    int n_names = sator_yaml_all_keys(names, MOST_LOOKED_AT);

    for (int i = 0; root->kind == SATOR_YAML_MAP && i < root->n_pairs && i < MOST_LOOKED_AT; i++) {
        *instead = root->pairs[i].key->text;
        const char *nearest = sator_nearest(*instead, names, n_names);
        if (nearest != NULL && strcmp(nearest, *instead) != 0)
            return nearest;
    }
    return NULL;
}

enum sator_status sator_yaml_unknown(struct sator_ctx *ctx, const struct sator_source *source)
{
    struct sator_arena *scratch = sator_arena_new();
    struct sator_yaml_node *root;
    const char *instead = NULL, *meant = NULL;

    if (sator_yaml_parse(ctx, scratch, source, 0, source->length, &root) == SATOR_OK) {
        sator_error(ctx, (struct sator_loc){source, 0, 0},
                "this is no workload, network, architecture or dataflow: none of their keys is "
                "here");
        meant = meant_key(root, &instead);
        if (meant != NULL)
            sator_help(ctx, "did you mean '%s' by '%s'?", meant, sator_yaml_clip(scratch, instead));
        else
            sator_help(ctx,
                    "a workload has 'op' or 'domain', a network 'layers', an architecture "
                    "'levels', a dataflow 'space' and 'time' or 'loops'");
    }
    sator_arena_free(scratch);
    return SATOR_INPUT;
}

struct sator_yaml_node *sator_yaml_open(struct sator_yaml_reader *reader,
        const struct sator_source *source, enum sator_document kind)
{
    struct sator_yaml_node *root;

    sator_yaml_parse(reader->ctx, reader->scratch, source, 0, source->length, &root);
    if (root == NULL)
        return NULL;
    if (!sator_yaml_is(reader, root, SATOR_YAML_MAP, kinds[kind].name))
        return NULL;
    sator_yaml_apply(reader, root, kind);
    return root;
}

const char *sator_yaml_base_name(struct sator_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(base, '.');
    size_t length = dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base);

    if (strcmp(path, "<stdin>") == 0)
        return "stdin";
    return sator_arena_strndup(arena, base, length);
}
