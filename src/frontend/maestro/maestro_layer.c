/* A layer as a workload: its type says which dimensions its tensors have. */
#include "frontend/maestro/maestro.h"

#include <string.h>

/* What MAESTRO's cost model couples (its ConfigConvTensors): the dimensions, and the indices of a
 * convolution's tensors, the batch and the window of the input aside. */
static const struct kind {
    const char *type;
    unsigned needs, may; /* dimensions, a bit each */
    const char *output, *input, *weight;
} kinds[] = {
#define BIT(dim) (1U << MAESTRO_##dim)
#define WINDOW (BIT(R) | BIT(S) | BIT(Y) | BIT(X))
        {"CONV", BIT(K) | BIT(C) | WINDOW, BIT(N), "k", "c", "k,c"},
        {"TRCONV", BIT(K) | BIT(C) | WINDOW, BIT(N), "k", "c", "k,c"},
        {"DSCONV", BIT(C) | WINDOW, BIT(N) | BIT(K), "c", "c", "c"},
        {"NGCONV", BIT(G) | BIT(K) | BIT(C) | WINDOW, BIT(N), "g,k", "g,c", "g,k,c"},
        {"GEMM", BIT(M) | BIT(N) | BIT(K), 0, NULL, NULL, NULL},
#undef WINDOW
#undef BIT
};

enum {
    N_KINDS = sizeof kinds / sizeof *kinds
};

bool maestro_is_product(const struct maestro_layer *layer)
{
    return layer->type != NULL && strcmp(layer->type, "GEMM") == 0;
}

int64_t maestro_outputs(const struct maestro_layer *layer, enum maestro_dim input)
{
    bool rows = input == MAESTRO_Y;
    int64_t window = layer->sizes[rows ? MAESTRO_R : MAESTRO_S];
    int64_t stride = rows ? layer->stride_y : layer->stride_x;

    return (layer->sizes[input] - window) / stride + 1;
}

static const struct kind *kind_of(struct maestro *m, const struct maestro_layer *layer)
{
    const char *names[N_KINDS];

    for (int i = 0; i < N_KINDS; i++) {
        names[i] = kinds[i].type;
        if (layer->type != NULL && strcmp(kinds[i].type, layer->type) == 0)
            return &kinds[i];
    }
    if (layer->type == NULL)
        sator_error(m->ctx, layer->loc, "the layer has no Type");
    else
        sator_error(m->ctx, layer->type_loc, "layers of type '%.40s' are not read", layer->type);
    sator_help_names(m->ctx, layer->type == NULL ? "" : layer->type, names, N_KINDS);
    return NULL;
}

/* Whether the layer has the dimensions that its kind needs, and none that it does not have. */
static bool check_dims(
        struct maestro *m, const struct maestro_layer *layer, const struct kind *kind)
{
    int errors = m->ctx->n_errors;

    for (int d = 0; d < MAESTRO_DIMS; d++) {
        bool needed = kind->needs >> d & 1, possible = needed || (kind->may >> d & 1);
        if (needed && layer->sizes[d] == 0)
            sator_error(m->ctx, layer->loc, "the layer gives no size for '%s', which %s has",
                    maestro_dim_name((enum maestro_dim)d), kind->type);
        if (!possible && layer->sizes[d] > 1)
            sator_error(m->ctx, layer->size_locs[d], "%s has no dimension '%s'", kind->type,
                    maestro_dim_name((enum maestro_dim)d));
    }
    if (strcmp(kind->type, "DSCONV") == 0 && layer->sizes[MAESTRO_K] > 1)
        sator_error(m->ctx, layer->size_locs[MAESTRO_K],
                "DSCONV has one filter a channel: K is 1, not %lld",
                (long long)layer->sizes[MAESTRO_K]);
    for (int i = 0; i < 2 && !maestro_is_product(layer); i++) {
        enum maestro_dim input = i == 0 ? MAESTRO_Y : MAESTRO_X;
        enum maestro_dim window = i == 0 ? MAESTRO_R : MAESTRO_S;
        if (layer->sizes[input] > 0 && layer->sizes[window] > layer->sizes[input])
            sator_error(m->ctx, layer->size_locs[input],
                    "the window of %lld does not fit the input's %lld: %s < %s",
                    (long long)layer->sizes[window], (long long)layer->sizes[input],
                    maestro_dim_name(input), maestro_dim_name(window));
    }
    return m->ctx->n_errors == errors;
}

static void write_size(struct sator_text *text, const char *loop, int64_t size)
{
    if (size > 0)
        sator_text_add(text, "%s%s: %lld", text->data[text->length - 1] == '{' ? "" : ", ", loop,
                (long long)size);
}

static void write_index(struct sator_text *text, int64_t stride, char along)
{
    if (stride != 1)
        sator_text_add(text, "%lld*", (long long)stride);
    sator_text_add(text, "o%c+r%c", along, along);
}

static void write_convolution(
        const struct maestro_layer *layer, const struct kind *kind, struct sator_text *text)
{
    const char *batch = layer->sizes[MAESTRO_N] > 0 ? "n," : "";
    const int64_t *sizes = layer->sizes;
    bool depthwise = strcmp(kind->type, "DSCONV") == 0;

    write_size(text, "n", sizes[MAESTRO_N]);
    write_size(text, "g", strcmp(kind->type, "NGCONV") == 0 ? sizes[MAESTRO_G] : 0);
    write_size(text, "k", depthwise ? 0 : sizes[MAESTRO_K]);
    write_size(text, "c", sizes[MAESTRO_C]);
    write_size(text, "oy", maestro_outputs(layer, MAESTRO_Y));
    write_size(text, "ox", maestro_outputs(layer, MAESTRO_X));
    write_size(text, "ry", sizes[MAESTRO_R]);
    write_size(text, "rx", sizes[MAESTRO_S]);
    sator_text_add(
            text, "}\n    op: \"Y[%s%s,oy,ox] += A[%s%s,", batch, kind->output, batch, kind->input);
    write_index(text, layer->stride_y, 'y');
    sator_text_put(text, ",");
    write_index(text, layer->stride_x, 'x');
    sator_text_add(text, "] * B[%s,ry,rx]\"\n", kind->weight);
}

bool maestro_check_layer(struct maestro *m, const struct maestro_layer *layer)
{
    const struct kind *kind = kind_of(m, layer);

    return kind != NULL && check_dims(m, layer, kind);
}

void maestro_write_layer(
        struct maestro *m, const struct maestro_layer *layer, struct sator_text *text)
{
    const struct kind *kind = kind_of(m, layer);

    if (kind == NULL || !check_dims(m, layer, kind))
        return;
    if (strcmp(kind->type, "TRCONV") == 0 && m->n_transposed++ == 0)
        m->transposed_loc = layer->type_loc;
    sator_text_put(text, "  - name: ");
    sator_text_add_yaml(text, layer->name);
    sator_text_put(text, "\n    sizes: {");
    if (!maestro_is_product(layer)) {
        write_convolution(layer, kind, text);
    } else {
        write_size(text, "i", layer->sizes[MAESTRO_M]);
        write_size(text, "j", layer->sizes[MAESTRO_N]);
        write_size(text, "k", layer->sizes[MAESTRO_K]);
        sator_text_put(text, "}\n    op: \"Y[i,j] += A[i,k] * B[k,j]\"\n");
    }
    sator_text_put(text, "    word_bits: 8\n");
}
