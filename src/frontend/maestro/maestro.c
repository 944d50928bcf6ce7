/* What a file of MAESTRO is, and its parts as documents in Sator's notation. */
#include "frontend/maestro/maestro.h"

#include <string.h>

bool maestro_failed(const struct maestro *m)
{
    return m->ctx->n_errors > m->errors_before;
}

/* The first word, comments aside, is one that only networks begin with. */
static bool is_network(const struct sator_source *source)
{
    static const char *const words[] = {"Network", "Constant"};
    const char *text = source->text;

    for (;;) {
        text += strspn(text, " \t\r\n");
        if (strncmp(text, "//", 2) != 0)
            break;
        text += strcspn(text, "\n");
    }
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(text, words[i], length) == 0 && strchr(" \t{", text[length]) != NULL &&
                text[length] != '\0')
            return true;
    }
    return false;
}

bool sator_maestro_is(const struct sator_source *source)
{
    return is_network(source) || maestro_is_machine(source);
}

bool sator_maestro_has(const struct sator_source *source, enum sator_document kind)
{
    switch (kind) {
    case SATOR_DOCUMENT_WORKLOAD:
        return is_network(source);
    case SATOR_DOCUMENT_ARCH:
        return maestro_is_machine(source);
    case SATOR_DOCUMENT_DATAFLOW:
        return is_network(source) && strstr(source->text, "Dataflow") != NULL;
    default:
        return false;
    }
}

static void write_dataflows(struct maestro *m, struct sator_text *text)
{
    int n = 0;

    sator_text_put(text, "for_layers:\n");
    for (int i = 0; i < m->n_layers; i++) {
        n += m->layers[i].has_dataflow;
        if (m->layers[i].has_dataflow && maestro_check_layer(m, &m->layers[i]))
            maestro_write_dataflow(m, &m->layers[i], text);
    }
    if (n == 0 && !maestro_failed(m))
        sator_error(m->ctx, (struct sator_loc){m->source, 0, 0}, "no layer has a Dataflow");
    if (m->n_doubled > 0)
        sator_warn(m->ctx, m->doubled_loc,
                "a dimension is mapped again in the same level of clusters, as a whole: that has "
                "no effect (%d time%s in this file)",
                m->n_doubled, m->n_doubled == 1 ? "" : "s");
}

static void write_network(struct maestro *m, struct sator_text *text)
{
    sator_text_put(text, "layers:\n");
    for (int i = 0; i < m->n_layers; i++)
        maestro_write_layer(m, &m->layers[i], text);
    if (m->n_transposed > 0)
        sator_warn(m->ctx, m->transposed_loc,
                "TRCONV is read as a convolution over the Y and X that are given, as if zeros had "
                "been put in already (%d layer%s)",
                m->n_transposed, m->n_transposed == 1 ? "" : "s");
}

enum sator_status sator_maestro_read(struct sator_ctx *ctx, const struct sator_source *source,
        enum sator_document kind, struct sator_text *text)
{
    struct maestro m = {.ctx = ctx,
            .arena = sator_arena_new(),
            .source = source,
            .errors_before = ctx->n_errors};
    const char *slash = strrchr(source->path, '/'),
               *base = slash == NULL ? source->path : slash + 1;

    if (!sator_maestro_has(source, kind)) {
        sator_error(ctx, (struct sator_loc){source, 0, 0}, "this MAESTRO file has no %s",
                kind == SATOR_DOCUMENT_WORKLOAD       ? "network"
                        : kind == SATOR_DOCUMENT_ARCH ? "hardware: that is a file with num_pes"
                                                      : "dataflow");
    } else {
        sator_text_put(text, "name: ");
        sator_text_add_yaml(text, sator_arena_strndup(m.arena, base, strcspn(base, ".")));
        sator_text_put(text, "\n");
        if (kind == SATOR_DOCUMENT_ARCH)
            maestro_write_machine(&m, text);
        else
            maestro_parse(&m);
    }
    if (!maestro_failed(&m) && kind == SATOR_DOCUMENT_WORKLOAD)
        write_network(&m, text);
    else if (!maestro_failed(&m) && kind == SATOR_DOCUMENT_DATAFLOW)
        write_dataflows(&m, text);
    sator_arena_free(m.arena);
    return ctx->n_errors == m.errors_before ? SATOR_OK : SATOR_INPUT;
}
