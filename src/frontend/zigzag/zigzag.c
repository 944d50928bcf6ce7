/* What a file of ZigZag is; names and keys as it has them. */
#include "frontend/zigzag/zigzag.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

/* Whether a line of "source" is "key:", behind a dash or blanks if it need not stand at its
 * beginning. */
static bool has_line(const struct sator_source *source, const char *key, bool at_start)
{
    size_t length = strlen(key);

    for (const char *line = source->text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *at = line + (at_start ? 0 : strspn(line, " -"));
        if (strncmp(at, key, length) == 0 && at[length] == ':')
            return true;
        if (*line == '\0')
            break;
    }
    return false;
}

bool sator_zigzag_has(const struct sator_source *source, enum sator_document kind)
{
    switch (kind) {
    case SATOR_DOCUMENT_WORKLOAD:
        return has_line(source, "loop_dims", false) && has_line(source, "equation", false);
    case SATOR_DOCUMENT_ARCH:
        return has_line(source, "operational_array", true) || has_line(source, "memories", true);
    case SATOR_DOCUMENT_DATAFLOW:
        return has_line(source, "memory_operand_links", false) ||
                has_line(source, "spatial_mapping", false) ||
                has_line(source, "spatial_mapping_hint", false);
    default:
        return false;
    }
}

bool sator_zigzag_is(const struct sator_source *source)
{
    return sator_zigzag_has(source, SATOR_DOCUMENT_WORKLOAD) ||
            sator_zigzag_has(source, SATOR_DOCUMENT_ARCH) ||
            sator_zigzag_has(source, SATOR_DOCUMENT_DATAFLOW);
}

void zigzag_unused(struct zigzag *z, const char *key)
{
    if (!sator_lists(key, z->n_unused, z->unused))
        SATOR_PUSH(z->reader.scratch, z->unused, z->n_unused, key);
}

void zigzag_check(
        struct zigzag *z, const struct sator_yaml_node *map, const char *const *known, int n_known)
{
    for (int i = 0; i < map->n_pairs; i++) {
        bool is_known = false;
        for (int k = 0; k < n_known && !is_known; k++)
            is_known = strcmp(map->pairs[i].key->text, known[k]) == 0;
        if (!is_known)
            zigzag_unused(z, map->pairs[i].key->text);
    }
}

const struct sator_yaml_node *zigzag_need(struct zigzag *z, const struct sator_yaml_node *map,
        const char *what, const char *key, enum sator_yaml_kind kind)
{
    const struct sator_yaml_node *node = sator_yaml_find(map, key);

    if (node == NULL) {
        sator_error(z->reader.ctx, (struct sator_loc){map->loc.source, map->loc.offset, 1},
                "%s needs '%s'", what, key);
        return NULL;
    }
    return sator_yaml_is(&z->reader, node, kind, key) ? node : NULL;
}

const char *zigzag_tensor(const char *operand)
{
    static const char *const names[][2] = {
            {"O", "Y"}, {"I", "A"}, {"I1", "A"}, {"W", "B"}, {"I2", "B"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(operand, names[i][0]) == 0)
            return names[i][1];
    }
    return operand;
}

const char *zigzag_loop(struct zigzag *z, const char *name)
{
    char *loop = sator_arena_strdup(z->reader.scratch, name);

    for (char *c = loop; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return loop;
}

/* Say what of the file is not honoured, in one warning. */
static void warn_of_unused(struct zigzag *z)
{
    struct sator_text text = {0};

    for (int i = 0; i < z->n_unused; i++)
        sator_text_add(&text, "%s%s", i == 0 ? "" : ", ",
                sator_yaml_clip(z->reader.scratch, z->unused[i]));
    if (z->n_unused > 0)
        sator_warn(z->reader.ctx, (struct sator_loc){z->source, 0, 0},
                "of this ZigZag file these are not honoured: %s", text.data);
    sator_text_clear(&text);
}

enum sator_status sator_zigzag_read(struct sator_ctx *ctx, const struct sator_source *source,
        enum sator_document kind, struct sator_text *text)
{
    struct zigzag z = {.source = source};

    sator_yaml_reader_init(&z.reader, ctx, NULL);
    if (!sator_zigzag_has(source, kind))
        sator_error(ctx, (struct sator_loc){source, 0, 0}, "this ZigZag file has no %s",
                kind == SATOR_DOCUMENT_WORKLOAD       ? "layers"
                        : kind == SATOR_DOCUMENT_ARCH ? "hardware"
                                                      : "mapping");
    else
        sator_yaml_parse_foreign(ctx, z.reader.scratch, source, &z.root);
    if (z.root != NULL) {
        sator_text_put(text, "name: ");
        sator_text_add_yaml(text, sator_yaml_base_name(z.reader.scratch, source->path));
        sator_text_put(text, "\n");
        if (kind == SATOR_DOCUMENT_WORKLOAD)
            zigzag_write_workload(&z, text);
        else if (kind == SATOR_DOCUMENT_ARCH)
            zigzag_write_machine(&z, text);
        else
            zigzag_write_mapping(&z, text);
        if (!sator_yaml_failed(&z.reader))
            warn_of_unused(&z);
    }
    enum sator_status st = sator_yaml_reader_end(&z.reader);
    if (st == SATOR_OK)
        sator_arena_free(z.reader.arena);
    return st;
}
