/* From the public interface to the writers of other tools' formats. */
#include "sator/convert.h"

#include "base/arguments.h"
#include "convert/convert.h"
#include "frontend/frontend.h"

#include <stdlib.h>
#include <string.h>

/* Sator's own notation: the documents that are there, one after the other. */
static void to_sator(struct convert *c)
{
    if (c->network != NULL)
        sator_yaml_write_network(c->text, c->network);
    if (c->arch != NULL) {
        sator_text_put(c->text, c->text->length > 0 ? "---\n" : "");
        sator_yaml_write_arch(c->text, c->arch);
    }
    if (c->dataflow != NULL) {
        sator_text_put(c->text, c->text->length > 0 ? "---\n" : "");
        sator_yaml_write_dataflow(c->text, c->dataflow);
    }
}

static const struct {
    const char *name;
    void (*write)(struct convert *c);
} formats[] = {
        {"sator", to_sator},
        {"timeloop", convert_to_timeloop},
        {"maestro", convert_to_maestro},
        {"zigzag", convert_to_zigzag},
        {"scalesim", convert_to_scalesim},
        {"accelergy", convert_to_accelergy},
        {"stt", convert_to_stt},
        {"c", convert_to_c},
};

enum {
    N_FORMATS = sizeof formats / sizeof *formats
};

/* What no other tool's notation has of a workload. */
static void find_densities(struct convert *c)
{
    for (int i = c->first; i < c->end; i++) {
        const struct sator_workload *layer = &c->network->layers[i];
        for (int a = 0; a < layer->n_accesses; a++) {
            if (layer->accesses[a].says_density)
                convert_unsaid(c, "density");
        }
    }
}

static void warn_of_unsaid(struct convert *c)
{
    struct sator_text text = {0};

    for (int i = 0; i < c->n_unsaid; i++)
        sator_text_add(&text, "%s%s", i == 0 ? "" : "; ", c->unsaid[i]);
    if (c->n_unsaid > 0)
        sator_warn(c->ctx, (struct sator_loc){0}, "%s cannot say, and these are left out: %s",
                c->format, text.data);
    sator_text_clear(&text);
}

enum sator_status sator_convert(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const char *format, char **text)
{
    SATOR_NEEDS(ctx,
            (network != NULL || arch != NULL || dataflow != NULL) && format != NULL &&
                    text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_NEEDS(ctx, network == NULL ? layer < 0 : layer < network->n_layers);
    struct sator_text out = {0};
    struct convert c = {.ctx = ctx,
            .arena = sator_arena_new(),
            .network = network,
            .arch = arch,
            .dataflow = dataflow,
            .first = layer < 0 ? 0 : layer,
            .end = layer < 0 ? (network == NULL ? 0 : network->n_layers) : layer + 1,
            .format = format,
            .text = &out};
    const char *names[N_FORMATS];
    int errors = ctx->n_errors, found = -1;

    for (int i = 0; i < N_FORMATS; i++) {
        names[i] = formats[i].name;
        found = strcmp(format, names[i]) == 0 ? i : found;
    }
    if (found < 0) {
        sator_error(ctx, (struct sator_loc){0}, "there is no format '%.40s'", format);
        sator_help_names(ctx, format, names, N_FORMATS);
    } else {
        formats[found].write(&c);
        if (formats[found].write != to_sator)
            find_densities(&c);
    }
    if (ctx->n_errors == errors) {
        warn_of_unsaid(&c);
        *text = sator_text_take(&out);
    }
    sator_text_clear(&out);
    sator_arena_free(c.arena);
    return ctx->n_errors == errors ? SATOR_OK : SATOR_INPUT;
}

/* ---- matrices of space-time transformation ---- */

/* The numbers of "[[1,0],[0,1]]" into "rows" of "n_columns"; located errors. */
static enum sator_status read_matrix(struct sator_ctx *ctx, const struct sator_source *source,
        struct sator_arena *arena, int n_columns, int *n_rows, int64_t **rows)
{
    const char *text = source->text, *at = text + strspn(text, " ");
    int64_t *all = NULL;
    int n = 0;

    *n_rows = 0;
    if (*at++ != '[')
        goto wrong;
    for (;;) {
        at += strspn(at, " ");
        if (*at++ != '[')
            goto wrong;
        for (int column = 0; column < n_columns; column++) {
            char *end;
            at += strspn(at, " ,");
            long value = strtol(at, &end, 10);
            if (end == at || value > 1000 || value < -1000)
                goto wrong;
            SATOR_PUSH(arena, all, n, (int64_t)value);
            at = end;
        }
        at += strspn(at, " ");
        if (*at++ != ']')
            goto wrong;
        ++*n_rows;
        at += strspn(at, " ");
        if (*at == ']')
            break;
        if (*at++ != ',')
            goto wrong;
    }
    if (at[1 + strspn(at + 1, " ")] != '\0')
        goto wrong;
    *rows = all;
    return SATOR_OK;
wrong:
    sator_error(ctx, (struct sator_loc){source, (size_t)(at - text) - (at > text), 1},
            "a matrix of whole numbers is expected, a row a dimension with a number for each of "
            "the %d loops: [[1,0,0],[0,1,0],[1,1,1]]",
            n_columns);
    return SATOR_INPUT;
}

static void write_stamp(struct sator_text *text, const char *name, int first, int end,
        int n_columns, const int64_t *rows, const char *const *loops)
{
    sator_text_add(text, "%s[", name);
    for (int r = first; r < end; r++) {
        sator_text_put(text, r == first ? "" : ", ");
        int n = 0;
        for (int l = 0; l < n_columns; l++) {
            int64_t factor = rows[r * n_columns + l];
            if (factor == 0)
                continue;
            sator_text_put(text, n++ == 0 ? "" : " + ");
            if (factor != 1)
                sator_text_add(text, "%lld*", (long long)factor);
            sator_text_put(text, loops[l]);
        }
        sator_text_put(text, n == 0 ? "0" : "");
    }
    sator_text_put(text, end == first ? "0]" : "]");
}

enum sator_status sator_dataflow_from_stt(struct sator_ctx *ctx,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const char *matrix, struct sator_dataflow **dataflow)
{
    SATOR_NEEDS(ctx,
            network != NULL && layer >= 0 && layer < network->n_layers && arch != NULL &&
                    matrix != NULL && dataflow != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    const struct sator_workload *workload = &network->layers[layer];
    const struct sator_source *source = sator_source_from_field(ctx, "stt", matrix);
    struct sator_arena *arena = sator_arena_new();
    struct sator_text space = {0}, time = {0};
    int n_space = sator_arch_space_dims(arch), n_rows;
    int64_t *rows;
    enum sator_status st;

    SATOR_TRY(read_matrix(ctx, source, arena, workload->n_loops, &n_rows, &rows));
    if (n_rows <= n_space) {
        st = sator_error(ctx, (struct sator_loc){source, 0, source->length},
                "the matrix has %d rows: %d are the array's, and at least one is time's", n_rows,
                n_space);
        goto done;
    }
    write_stamp(&space, "PE", 0, n_space, workload->n_loops, rows, workload->loop_names);
    write_stamp(&time, "T", n_space, n_rows, workload->n_loops, rows, workload->loop_names);
    SATOR_TRY(sator_dataflow_from_text(ctx, "stt", space.data, time.data, dataflow));
done:
    sator_text_clear(&space);
    sator_text_clear(&time);
    sator_arena_free(arena);
    return st;
}
