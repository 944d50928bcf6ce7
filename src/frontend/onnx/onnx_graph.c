/* Looking into a graph that was read; its listing; the numbers of its symbolic dimensions. */
#include "frontend/onnx/onnx.h"

#include <stdlib.h>
#include <string.h>

/* TensorProto.DataType, by its numbers. */
static const struct {
    const char *name;
    int bits;
} types[] = {[1] = {"float", 32},
        [2] = {"uint8", 8},
        [3] = {"int8", 8},
        [4] = {"uint16", 16},
        [5] = {"int16", 16},
        [6] = {"int32", 32},
        [7] = {"int64", 64},
        [8] = {"string", 0},
        [9] = {"bool", 8},
        [10] = {"float16", 16},
        [11] = {"double", 64},
        [12] = {"uint32", 32},
        [13] = {"uint64", 64},
        [14] = {"complex64", 64},
        [15] = {"complex128", 128},
        [16] = {"bfloat16", 16},
        [17] = {"float8e4m3fn", 8},
        [18] = {"float8e4m3fnuz", 8},
        [19] = {"float8e5m2", 8},
        [20] = {"float8e5m2fnuz", 8},
        [21] = {"uint4", 4},
        [22] = {"int4", 4},
        [23] = {"float4e2m1", 4},
        [24] = {"float8e8m0", 8}};

enum {
    N_TYPES = sizeof types / sizeof *types
};

int onnx_type_bits(int type)
{
    return type > 0 && type < N_TYPES ? types[type].bits : 0;
}

const char *onnx_type_name(int type)
{
    return type > 0 && type < N_TYPES && types[type].name != NULL ? types[type].name : "?";
}

struct sator_loc onnx_file(const struct onnx_model *model)
{
    struct sator_source *source = SATOR_NEW(model->ctx->arena, struct sator_source);

    source->path = sator_arena_strdup(model->ctx->arena, model->path);
    return (struct sator_loc){.source = source};
}

/* ---- tensors by name ---- */

static uint64_t hash(const char *name)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return h ^ h >> 32;
}

/* The slot of "name": its tensor's, or the empty one where it belongs. */
static struct onnx_tensor **find(struct onnx_tensor **slots, int n_slots, const char *name)
{
    uint64_t at = hash(name);

    while (slots[at & (uint64_t)(n_slots - 1)] != NULL &&
            strcmp(slots[at & (uint64_t)(n_slots - 1)]->name, name) != 0)
        at++;
    return &slots[at & (uint64_t)(n_slots - 1)];
}

static void grow(struct onnx_model *model)
{
    int n_slots = model->n_slots == 0 ? 64 : 2 * model->n_slots;
    struct onnx_tensor **slots = SATOR_NEW_ARRAY(model->arena, struct onnx_tensor *, n_slots);

    for (int i = 0; i < model->n_tensors; i++)
        *find(slots, n_slots, model->tensors[i]->name) = model->tensors[i];
    model->slots = slots;
    model->n_slots = n_slots;
}

struct onnx_tensor *onnx_tensor(struct onnx_model *model, const char *name)
{
    if (model->n_slots == 0 || 2 * model->n_tensors >= model->n_slots)
        grow(model);
    struct onnx_tensor **slot = find(model->slots, model->n_slots, name);
    if (*slot != NULL)
        return *slot;
    struct onnx_tensor *tensor = SATOR_NEW(model->arena, struct onnx_tensor);
    *tensor = (struct onnx_tensor){
            .name = name, .n_values = -1, .shape = {.rank = -1}, .declared = {.rank = -1}};
    *slot = tensor;
    SATOR_PUSH(model->arena, model->tensors, model->n_tensors, tensor);
    return tensor;
}

/* ---- nodes ---- */

const struct onnx_attribute *onnx_attribute(const struct onnx_node *node, const char *name)
{
    for (int i = 0; i < node->n_attributes; i++) {
        if (strcmp(node->attributes[i].name, name) == 0)
            return &node->attributes[i];
    }
    return NULL;
}

int64_t onnx_int(const struct onnx_node *node, const char *name, int64_t otherwise)
{
    const struct onnx_attribute *attribute = onnx_attribute(node, name);

    return attribute == NULL || !attribute->is_number ? otherwise : attribute->number;
}

const char *onnx_text(const struct onnx_node *node, const char *name, const char *otherwise)
{
    const struct onnx_attribute *attribute = onnx_attribute(node, name);

    return attribute == NULL || attribute->text == NULL ? otherwise : attribute->text;
}

bool onnx_is_op(const struct onnx_node *node, const char *op)
{
    bool own = *node->domain == '\0' || strcmp(node->domain, "ai.onnx") == 0;
    bool alike = strcmp(node->domain, "com.microsoft") == 0 && strcmp(op, "Attention") != 0;

    return (own || alike) && strcmp(node->op, op) == 0;
}

struct onnx_tensor *onnx_in(const struct onnx_node *node, int i)
{
    return i < node->n_inputs ? node->inputs[i] : NULL;
}

struct onnx_tensor *onnx_out(const struct onnx_node *node, int i)
{
    return i < node->n_outputs ? node->outputs[i] : NULL;
}

/* ---- the listing ---- */

/* A name without what would break its line. */
static void write_name(struct sator_text *text, const char *name)
{
    for (; *name != '\0'; name++) {
        if ((unsigned char)*name < ' ')
            sator_text_put(text, "?");
        else
            sator_text_add_bytes(text, name, 1);
    }
}

static void write_names(struct sator_text *text, int n, struct onnx_tensor *const *tensors)
{
    for (int i = 0; i < n; i++) {
        sator_text_put(text, i == 0 ? "" : ", ");
        write_name(text, tensors[i] == NULL ? "-" : tensors[i]->name);
    }
}

void onnx_shape_write(struct sator_text *text, const struct onnx_shape *shape)
{
    sator_text_put(text, "[");
    for (int i = 0; i < shape->rank; i++) {
        sator_text_put(text, i == 0 ? "" : ",");
        if (shape->dims[i] >= 0)
            sator_text_add(text, "%lld", (long long)shape->dims[i]);
        else
            write_name(text, shape->symbols[i] == NULL ? "?" : shape->symbols[i]);
    }
    sator_text_put(text, shape->rank < 0 ? "?]" : "]");
}

void onnx_list(struct onnx_model *model)
{
    struct sator_text text = {0};
    char *path = sator_arena_printf(model->ctx->arena, "%s as text", model->path);

    for (int i = 0; i < model->n_inputs; i++) {
        const struct onnx_tensor *input = model->inputs[i];
        if (input->is_initializer)
            continue;
        sator_text_put(&text, "input ");
        write_name(&text, input->name);
        sator_text_add(&text, ": %s", onnx_type_name(input->type));
        onnx_shape_write(&text, &input->declared);
        sator_text_put(&text, "\n");
    }
    for (int i = 0; i < model->n_nodes; i++) {
        struct onnx_node *node = model->nodes[i];
        size_t begin = text.length;
        if (*node->name != '\0') {
            write_name(&text, node->name);
            sator_text_put(&text, ": ");
        }
        write_name(&text, node->op);
        sator_text_put(&text, "(");
        write_names(&text, node->n_inputs, node->inputs);
        sator_text_put(&text, ") -> ");
        write_names(&text, node->n_outputs, node->outputs);
        node->loc = (struct sator_loc){NULL, begin, text.length - begin};
        sator_text_put(&text, "\n");
    }
    model->listing = sator_source_from_text(model->ctx, path, text.data == NULL ? "" : text.data);
    for (int i = 0; i < model->n_nodes; i++)
        model->nodes[i]->loc.source = model->listing;
    sator_text_clear(&text);
}

/* ---- symbolic dimensions ---- */

struct define {
    const char *text, *name;
    int64_t value;
    bool used;
};

static enum sator_status read_defines(
        struct onnx_model *model, int n, const char *const *texts, struct define *defines)
{
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < n; i++) {
        const char *equals = strrchr(texts[i], '=');
        struct sator_loc loc = {
                sator_source_from_field(model->ctx, "defines", texts[i]), 0, strlen(texts[i])};
        char *end = NULL;
        long long value = equals == NULL ? 0 : strtoll(equals + 1, &end, 10);
        if (equals == NULL || equals == texts[i] || end == equals + 1 || *end != '\0' ||
                value < 1 || value > INT64_C(1) << 40) {
            st = sator_error(model->ctx, loc,
                    "of an ONNX model, %s gives a symbolic dimension a number from 1 to 2^40: "
                    "'batch=1'",
                    sator_word(model->ctx, "defines"));
            continue;
        }
        defines[i] = (struct define){.text = texts[i],
                .name = sator_arena_strndup(model->arena, texts[i], (size_t)(equals - texts[i])),
                .value = value};
        for (int k = 0; k < i && st == SATOR_OK; k++) {
            if (strcmp(defines[k].name, defines[i].name) == 0)
                st = sator_error(model->ctx, loc, "'%s' is given a number twice", defines[i].name);
        }
    }
    return st;
}

/* The number that "-D" gives the dimension: by its symbol, or by "TENSOR.AXIS". */
static void bind_dim(struct onnx_model *model, struct onnx_tensor *tensor, int axis, int n,
        struct define *defines)
{
    struct onnx_shape *shape = &tensor->declared;
    const char *place = n == 0 || !tensor->is_input
            ? ""
            : sator_arena_printf(model->arena, "%s.%d", tensor->name, axis);

    for (int i = 0; i < n && shape->dims[axis] < 0; i++) {
        const char *symbol = shape->symbols[axis];
        if ((symbol == NULL || strcmp(symbol, defines[i].name) != 0) &&
                strcmp(place, defines[i].name) != 0)
            continue;
        shape->dims[axis] = defines[i].value;
        defines[i].used = true;
    }
}

/* Dimensions of inputs that have no number, each symbol once. */
static enum sator_status check_inputs(struct onnx_model *model)
{
    enum sator_status st = SATOR_OK;
    const char **told = NULL;
    int n_told = 0;

    for (int i = 0; i < model->n_inputs; i++) {
        const struct onnx_tensor *input = model->inputs[i];
        const struct onnx_shape *shape = &input->declared;
        struct sator_loc loc = {model->listing, 0, 0};
        for (int d = 0; d < shape->rank && !input->is_initializer; d++) {
            const char *symbol = shape->symbols[d];
            bool again = shape->dims[d] >= 0;
            for (int k = 0; k < n_told && symbol != NULL; k++)
                again |= strcmp(told[k], symbol) == 0;
            if (again)
                continue;
            if (symbol == NULL)
                symbol = sator_arena_printf(model->arena, "%s.%d", input->name, d);
            SATOR_PUSH(model->arena, told, n_told, symbol);
            const char *line = strstr(model->listing->text,
                    sator_arena_printf(model->arena, "input %s:", input->name));
            if (line != NULL)
                loc = (struct sator_loc){
                        model->listing, (size_t)(line - model->listing->text), strcspn(line, "\n")};
            st = sator_error(
                    model->ctx, loc, "dimension %d of input '%s' has no number", d, input->name);
            sator_help(model->ctx, "give it one: %s '%s=1'", sator_word(model->ctx, "defines"),
                    symbol);
        }
    }
    return st;
}

static enum sator_status check_defines(
        struct onnx_model *model, int n, const struct define *defines)
{
    enum sator_status st = SATOR_OK;
    const char **symbols = NULL;
    int n_symbols = 0;

    for (int i = 0; i < model->n_inputs; i++) {
        const struct onnx_shape *shape = &model->inputs[i]->declared;
        for (int d = 0; d < shape->rank; d++) {
            if (shape->symbols[d] != NULL)
                SATOR_PUSH(model->arena, symbols, n_symbols, shape->symbols[d]);
        }
    }
    for (int i = 0; i < n; i++) {
        if (defines[i].used)
            continue;
        struct sator_loc loc = {sator_source_from_field(model->ctx, "defines", defines[i].text), 0,
                strlen(defines[i].name)};
        st = sator_error(model->ctx, loc, "no dimension of '%s' is called '%s'", model->path,
                defines[i].name);
        if (n_symbols > 0)
            sator_help_names(model->ctx, defines[i].name, symbols, n_symbols);
        else
            sator_help(model->ctx, "all of its inputs have numbers for dimensions");
    }
    return st;
}

enum sator_status onnx_bind(struct onnx_model *model, int n_defines, const char *const *defines)
{
    struct define *read = SATOR_NEW_ARRAY(model->arena, struct define, n_defines + 1);
    enum sator_status st = read_defines(model, n_defines, defines, read);

    for (int i = 0; i < model->n_tensors && st == SATOR_OK; i++) {
        for (int d = 0; d < model->tensors[i]->declared.rank; d++)
            bind_dim(model, model->tensors[i], d, n_defines, read);
    }
    if (st == SATOR_OK)
        st = check_defines(model, n_defines, read);
    if (st == SATOR_OK)
        st = check_inputs(model);
    return st;
}
