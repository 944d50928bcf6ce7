/* An ONNX model as a network in Sator's notation: its loop nests are the layers, equal ones merged,
 * and what is no loop nest is listed with the bytes that it moves. */
#include "frontend/onnx/onnx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A layer while equal ones are collected. */
struct layer {
    const char *name;
    const char *text; /* sizes, op and word_bits: equal texts are one layer */
    struct sator_text runs; /* a node each: its name and tensors */
    int n_runs;
};

/* Nodes of one operator that are no layers. */
struct other {
    const char *op, *why;
    int n_nodes;
    double bytes;
};

struct network {
    struct onnx_model *model;
    bool all_operators;
    int n_layers;
    struct layer *layers;
    int n_slots; /* of the hash table of layers by text, a power of two */
    int *slots; /* layer + 1; 0: empty */
    int n_others;
    struct other *others;
    double bytes; /* of all nodes */
    int n_moving; /* nodes that are no layers and move something */
};

/* ---- layers ---- */

static uint64_t hash(const char *text)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return h ^ h >> 32;
}

static int *slot_of(struct network *n, const char *text)
{
    uint64_t mask = (uint64_t)(n->n_slots - 1), at = hash(text);

    while (n->slots[at & mask] != 0 && strcmp(n->layers[n->slots[at & mask] - 1].text, text) != 0)
        at++;
    return &n->slots[at & mask];
}

static struct layer *layer_of(struct network *n, const char *text)
{
    struct sator_arena *arena = n->model->arena;

    if (2 * n->n_layers >= n->n_slots) {
        n->n_slots = n->n_slots == 0 ? 64 : 2 * n->n_slots;
        n->slots = SATOR_NEW_ARRAY(arena, int, n->n_slots);
        for (int i = 0; i < n->n_layers; i++)
            *slot_of(n, n->layers[i].text) = i + 1;
    }
    int *slot = slot_of(n, text);
    if (*slot == 0) {
        SATOR_PUSH(arena, n->layers, n->n_layers,
                (struct layer){.text = sator_arena_strdup(arena, text)});
        *slot = n->n_layers;
    }
    return &n->layers[*slot - 1];
}

/* A node's own name, or its operator and number. */
static const char *name_of(
        const struct network *n, const struct onnx_node *node, const char *suffix)
{
    if (*node->name == '\0')
        return sator_arena_printf(n->model->arena, "%s_%d%s", node->op, node->index + 1, suffix);
    return sator_arena_printf(n->model->arena, "%s%s", node->name, suffix);
}

static void add_layer(void *data, const struct onnx_node *node, struct onnx_nest *nest)
{
    struct network *n = data;
    struct sator_text text = {0};
    int n_bits = 0;

    sator_text_add(&text, "sizes: {%s}\n    op: \"%s\"", nest->sizes.data, nest->op.data);
    for (int i = 0; i < nest->n_tensors; i++) {
        int bits = onnx_type_bits(nest->roles[i].type);
        if (bits == 0)
            continue;
        sator_text_add(&text, "%s%s: %d", n_bits++ == 0 ? "\n    word_bits: {" : ", ",
                nest->roles[i].role, bits);
    }
    sator_text_put(&text, n_bits > 0 ? "}" : "");
    struct layer *layer = layer_of(n, text.data);
    if (layer->n_runs++ == 0)
        layer->name = name_of(n, node, nest->suffix);
    sator_text_put(&layer->runs, "      - {node: ");
    sator_text_add_yaml(&layer->runs, name_of(n, node, nest->suffix));
    for (int i = 0; i < nest->n_tensors; i++) {
        sator_text_add(&layer->runs, ", %s: ", nest->roles[i].role);
        sator_text_add_yaml(&layer->runs, nest->roles[i].tensor);
    }
    sator_text_put(&layer->runs, "}\n");
    sator_text_clear(&text);
}

static int compare_names(const void *a, const void *b)
{
    const struct layer *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);

    return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Names that several layers have get numbers: a network's layers differ in name. */
static void tell_apart(struct network *n)
{
    struct sator_arena *arena = n->model->arena;
    struct layer **sorted = SATOR_NEW_ARRAY(arena, struct layer *, n->n_layers + 1);
    const char *last = "";

    for (int i = 0; i < n->n_layers; i++)
        sorted[i] = &n->layers[i];
    qsort(sorted, (size_t)n->n_layers, sizeof *sorted, compare_names);
    for (int i = 0, again = 1; i < n->n_layers; i++) {
        again = strcmp(sorted[i]->name, last) == 0 ? again + 1 : 1;
        last = sorted[i]->name;
        if (again > 1)
            sorted[i]->name = sator_arena_printf(arena, "%s#%d", sorted[i]->name, again);
    }
}

/* ---- the others ---- */

static double bytes_of(const struct onnx_tensor *tensor)
{
    int64_t n;

    if (tensor == NULL || !onnx_elements(&tensor->shape, &n))
        return 0;
    return (double)n * onnx_type_bits(tensor->type) / 8;
}

/* The bytes that a node reads and writes, each tensor once. */
static double bytes_moved(const struct onnx_node *node)
{
    double bytes = 0;

    for (int i = 0; i < node->n_inputs; i++)
        bytes += bytes_of(node->inputs[i]);
    for (int i = 0; i < node->n_outputs; i++)
        bytes += bytes_of(node->outputs[i]);
    return bytes;
}

static bool has_graph(const struct onnx_node *node)
{
    for (int i = 0; i < node->n_attributes; i++) {
        if (node->attributes[i].is_graph)
            return true;
    }
    return false;
}

static void add_other(struct network *n, const struct onnx_node *node, enum onnx_kind kind)
{
    bool unknown = onnx_out(node, 0) != NULL && !onnx_is_known(&onnx_out(node, 0)->shape);
    const char *why = has_graph(node) ? "runs graphs of its own, which are not read"
            : kind == ONNX_UNKNOWN    ? "an operator that is not known here"
            : unknown                 ? "the shapes of its tensors are not known"
            : kind == ONNX_LIGHT      ? "no multiply-accumulates"
            : kind == ONNX_VIEW       ? "moves nothing"
                                      : "moves data";
    double bytes = kind == ONNX_VIEW ? 0 : bytes_moved(node);
    struct other *other = NULL;

    for (int i = 0; i < n->n_others && other == NULL; i++) {
        if (strcmp(n->others[i].op, node->op) == 0 && strcmp(n->others[i].why, why) == 0)
            other = &n->others[i];
    }
    if (other == NULL) {
        SATOR_PUSH(n->model->arena, n->others, n->n_others, (struct other){node->op, why, 0, 0});
        other = &n->others[n->n_others - 1];
    }
    other->n_nodes++;
    other->bytes += bytes;
    n->bytes += bytes;
    n->n_moving += kind != ONNX_VIEW;
}

/* Whether the shapes of all of the node's tensors are known. */
static bool is_known(const struct onnx_node *node)
{
    bool known = onnx_out(node, 0) != NULL && onnx_is_known(&onnx_out(node, 0)->shape);

    for (int i = 0; i < node->n_inputs && known; i++)
        known = node->inputs[i] == NULL || onnx_is_known(&node->inputs[i]->shape);
    return known;
}

static int compare_bytes(const void *a, const void *b)
{
    const struct other *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->op, y->op);
}

/* ---- the network ---- */

static enum sator_status collect(struct network *n)
{
    struct onnx_model *model = n->model;
    enum sator_status worst = SATOR_OK;

    for (int i = 0; i < model->n_nodes && model->ctx->n_errors < 20; i++) {
        const struct onnx_node *node = model->nodes[i];
        enum onnx_kind kind = onnx_kind_of(node);
        if (kind != ONNX_NEST && !(kind == ONNX_LIGHT && n->all_operators && is_known(node))) {
            add_other(n, node, kind);
            continue;
        }
        enum sator_status st = onnx_nests(model, node, add_layer, n);
        worst = worst == SATOR_OK ? st : worst;
        n->bytes += bytes_moved(node);
    }
    if (worst == SATOR_OK && n->n_layers == 0) {
        worst = sator_error(model->ctx, onnx_file(model),
                "no node of this model is a loop nest that multiplies and adds");
        sator_help(model->ctx, "%s takes elementwise ones, pooling, reductions and the like too",
                sator_word(model->ctx, "all_operators"));
    }
    return worst;
}

static void write_network(struct network *n, const char *name, struct sator_text *text)
{
    struct onnx_model *model = n->model;

    sator_text_put(text, "name: ");
    sator_text_add_yaml(text, name);
    sator_text_put(text, "\nsource: ");
    sator_text_add_yaml(text,
            sator_arena_printf(model->arena, "ONNX model %s, graph %s, opset %lld", model->path,
                    model->name, (long long)model->opset));
    sator_text_put(text, "\nlayers:\n");
    for (int i = 0; i < n->n_layers; i++) {
        const struct layer *layer = &n->layers[i];
        sator_text_put(text, "  - name: ");
        sator_text_add_yaml(text, layer->name);
        sator_text_add(text, "\n    %s\n", layer->text);
        if (layer->n_runs > 1)
            sator_text_add(text, "    repeat: %d\n", layer->n_runs);
        sator_text_add(text, "    runs:\n%s", layer->runs.data);
    }
    if (n->n_others > 0)
        sator_text_put(text, "others:\n");
    for (int i = 0; i < n->n_others; i++) {
        const struct other *other = &n->others[i];
        sator_text_put(text, "  - {op: ");
        sator_text_add_yaml(text, other->op);
        sator_text_add(text, ", nodes: %d, bytes: %.0f, share: %.4f, why: \"%s\"}\n",
                other->n_nodes, other->bytes, n->bytes > 0 ? other->bytes / n->bytes : 0,
                other->why);
    }
}

/* Say what the layers leave out. */
static void warn_of_others(const struct network *n)
{
    struct sator_text text = {0};
    double bytes = 0;
    int n_named = 0;

    for (int i = 0; i < n->n_others; i++)
        bytes += n->others[i].bytes;
    if (n->n_moving == 0)
        return;
    for (int i = 0; i < n->n_others && n_named < 6 && n->others[i].bytes > 0; i++)
        sator_text_add(&text, "%s%d %s (%.1f %%)", n_named++ == 0 ? "" : ", ", n->others[i].n_nodes,
                n->others[i].op, 100 * n->others[i].bytes / n->bytes);
    sator_warn(n->model->ctx, onnx_file(n->model),
            "%d of %d nodes are no layers; they move %.1f %% of the bytes: %s%s", n->n_moving,
            n->model->n_nodes, n->bytes > 0 ? 100 * bytes / n->bytes : 0,
            text.data == NULL ? "unknown" : text.data,
            n->n_others > n_named && n_named == 6 ? ", ..." : "");
    sator_help(n->model->ctx,
            "the network lists all of them in 'others'; %s makes layers of those that are loop "
            "nests",
            sator_word(n->model->ctx, "all_operators"));
    sator_text_clear(&text);
}

static enum sator_status read_model(struct onnx_model *model, FILE *file,
        const struct sator_input_options *options, const char *name, struct sator_text *text)
{
    struct network network = {.model = model, .all_operators = options->all_operators};
    enum sator_status st;

    SATOR_TRY(onnx_read(model, file));
    SATOR_TRY(onnx_bind(model, options->n_defines, options->defines));
    SATOR_TRY(onnx_infer(model));
    SATOR_TRY(collect(&network));
    tell_apart(&network);
    if (network.n_others > 0)
        qsort(network.others, (size_t)network.n_others, sizeof *network.others, compare_bytes);
    write_network(&network, name, text);
    warn_of_others(&network);
done:
    for (int i = 0; i < network.n_layers; i++)
        sator_text_clear(&network.layers[i].runs);
    return st;
}

enum sator_status sator_onnx_read(struct sator_ctx *ctx, const char *path, FILE *file,
        const struct sator_input_options *options, struct sator_text *text)
{
    struct sator_arena *arena = sator_arena_new();
    struct onnx_model model = {.ctx = ctx, .arena = arena, .path = path, .name = ""};
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(base, '.');
    const char *name = sator_arena_strndup(
            arena, base, dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base));
    enum sator_status st = read_model(&model, file, options, name, text);

    sator_arena_free(arena);
    return st;
}

enum sator_status sator_onnx_network(struct sator_ctx *ctx, const char *path,
        const struct sator_input_options *options, struct sator_text *text)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");

    if (file == NULL)
        return sator_error(ctx, onnx_file(&(struct onnx_model){.ctx = ctx, .path = path}),
                "cannot read the file: %s", strerror(errno));
    enum sator_status st = sator_onnx_read(ctx, path, file, options, text);
    if (file != stdin)
        fclose(file);
    return st;
}
