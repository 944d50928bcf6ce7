/* Which kind of document a file is, and how one is opened. */
#include "frontend/yaml/yaml.h"

#include <string.h>

enum sator_status sator_yaml_kind(
        struct sator_ctx *ctx, const struct sator_source *source, enum sator_document *kind)
{
    struct sator_arena *scratch = sator_arena_new();
    struct sator_ctx *unheard = sator_ctx_own();
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
    if (!sator_yaml_is(reader, root, SATOR_YAML_MAP, sator_yaml_kind_name(kind)))
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
