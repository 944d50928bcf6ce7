/* ONNX's messages into an onnx_model. Weights are skipped: of a tensor's contents only those that a
 * shape may depend on are read, a few numbers. */
#include "frontend/onnx/onnx.h"
#include "frontend/onnx/wire.h"

#include <string.h>

enum {
    LONGEST_NAME = 1 << 16
};

/* TensorProto.DataType. */
enum {
    TYPE_FLOAT = 1,
    TYPE_INT32 = 6,
    TYPE_INT64 = 7,
    TYPE_BOOL = 9,
    TYPE_DOUBLE = 11
};

struct reader {
    struct onnx_model *model;
    struct sator_wire wire;
    bool has_graph;
};

static const char *string(struct reader *r, const struct sator_wire_field *field)
{
    const char *text = sator_wire_string(&r->wire, field, r->model->arena, LONGEST_NAME);

    return text == NULL ? "" : text;
}

/* ---- tensors ---- */

static void read_raw(struct reader *r, const struct sator_wire_field *field, int type, int64_t n,
        struct onnx_tensor *tensor)
{
    bool is_wide = type == TYPE_INT64 || type == TYPE_DOUBLE;
    size_t size = is_wide ? 8 : type == TYPE_BOOL ? 1 : 4;
    unsigned char bytes[8];

    if (n > ONNX_MOST_VALUES ||
            (type != TYPE_INT64 && type != TYPE_INT32 && type != TYPE_FLOAT &&
                    type != TYPE_DOUBLE && type != TYPE_BOOL))
        return;
    int64_t *values = SATOR_NEW_ARRAY(r->model->arena, int64_t, n + 1);
    double *reals = SATOR_NEW_ARRAY(r->model->arena, double, n + 1);
    for (int64_t i = 0; i < n; i++) {
        uint64_t word = 0;
        float real;
        if (!sator_wire_raw(&r->wire, field, bytes, size))
            return;
        for (size_t b = size; b-- > 0;)
            word = word << 8 | bytes[b];
        uint32_t half = (uint32_t)word;
        if (type == TYPE_FLOAT) {
            memcpy(&real, &half, sizeof real);
            reals[i] = (double)real;
        } else if (type == TYPE_DOUBLE) {
            memcpy(&reals[i], &word, sizeof word);
        } else {
            values[i] = type == TYPE_INT32 ? (int64_t)(int32_t)half : (int64_t)word;
        }
    }
    tensor->n_values = (int)n;
    *(type == TYPE_FLOAT || type == TYPE_DOUBLE ? (const void **)&tensor->reals
                                                : (const void **)&tensor->values) =
            type == TYPE_FLOAT || type == TYPE_DOUBLE ? (const void *)reals : (const void *)values;
}

/* A TensorProto; NULL after a fault. What comes in the file before dims and data_type, its name
 * say, does not matter; raw_data follows them in every writer's order of fields. */
static struct onnx_tensor *read_tensor(struct reader *r, const struct sator_wire_field *field)
{
    struct onnx_tensor *tensor = SATOR_NEW(r->model->arena, struct onnx_tensor);
    uint64_t outer = sator_wire_enter(&r->wire, field);
    struct sator_wire_field inner;
    int n_dims = 0, n_ints = 0;
    int64_t *dims = NULL, *ints = NULL, n = 1;

    *tensor = (struct onnx_tensor){.name = "", .n_values = -1, .declared = {.rank = -1}};
    while (sator_wire_next(&r->wire, &inner)) {
        n = 1;
        for (int i = 0; i < n_dims && i < ONNX_MOST_DIMS; i++) {
            if (dims[i] < 0 || dims[i] > ONNX_LARGEST_DIM || __builtin_mul_overflow(n, dims[i], &n))
                sator_wire_fail(&r->wire, "a tensor has impossible dimensions");
        }
        switch (inner.number) {
        case 1:
            sator_wire_ints(&r->wire, &inner, r->model->arena, ONNX_MOST_DIMS, &n_dims, &dims);
            break;
        case 2:
            tensor->type = (int)inner.value;
            break;
        case 5:
        case 7:
            sator_wire_ints(&r->wire, &inner, r->model->arena, ONNX_MOST_VALUES, &n_ints, &ints);
            break;
        case 8:
            tensor->name = string(r, &inner);
            break;
        case 9:
            read_raw(r, &inner, tensor->type, n, tensor);
            break;
        default:
            break;
        }
    }
    sator_wire_leave(&r->wire, outer);
    if (n_dims > ONNX_MOST_DIMS) {
        sator_wire_fail(&r->wire, "a tensor has more than 16 dimensions");
        return NULL;
    }
    tensor->shape.rank = n_dims;
    for (int i = 0; i < n_dims; i++)
        tensor->shape.dims[i] = dims[i];
    if (n_ints > 0 && n_ints == n && n_ints <= ONNX_MOST_VALUES) {
        tensor->n_values = n_ints;
        tensor->values = ints;
    }
    return r->wire.fault == NULL ? tensor : NULL;
}

static void read_initializer(struct reader *r, const struct sator_wire_field *field)
{
    const struct onnx_tensor *read = read_tensor(r, field);

    if (read == NULL)
        return;
    struct onnx_tensor *tensor = onnx_tensor(r->model, read->name);
    tensor->type = read->type;
    tensor->shape = read->shape;
    tensor->n_values = read->n_values;
    tensor->values = read->values;
    tensor->reals = read->reals;
    tensor->is_initializer = true;
}

/* ---- shapes ---- */

static void read_dimension(
        struct reader *r, const struct sator_wire_field *field, struct onnx_shape *shape)
{
    uint64_t outer = sator_wire_enter(&r->wire, field);
    struct sator_wire_field inner;
    int64_t dim = -1;
    const char *symbol = NULL;

    while (sator_wire_next(&r->wire, &inner)) {
        if (inner.number == 1)
            dim = (int64_t)inner.value;
        else if (inner.number == 2)
            symbol = string(r, &inner);
    }
    sator_wire_leave(&r->wire, outer);
    if (shape->rank == ONNX_MOST_DIMS) {
        sator_wire_fail(&r->wire, "a tensor has more than 16 dimensions");
        return;
    }
    /* some exporters write 0 or -1 for what they do not know */
    if (dim > ONNX_LARGEST_DIM)
        sator_wire_fail(&r->wire, "a tensor has impossible dimensions");
    shape->dims[shape->rank] = dim <= 0 ? -1 : dim;
    shape->symbols[shape->rank++] = symbol != NULL && *symbol != '\0' ? symbol : NULL;
}

/* Messages in messages, each of one field: ValueInfoProto.type.tensor_type.shape. */
static void read_type(
        struct reader *r, const struct sator_wire_field *field, struct onnx_tensor *tensor)
{
    struct sator_wire_field tensor_type, inner, dim;
    uint64_t around = sator_wire_enter(&r->wire, field);

    while (sator_wire_next(&r->wire, &tensor_type)) {
        if (tensor_type.number != 1)
            continue;
        uint64_t outer = sator_wire_enter(&r->wire, &tensor_type);
        while (sator_wire_next(&r->wire, &inner)) {
            if (inner.number == 1)
                tensor->type = (int)inner.value;
            if (inner.number != 2)
                continue;
            uint64_t type = sator_wire_enter(&r->wire, &inner);
            tensor->declared = (struct onnx_shape){.rank = 0};
            while (sator_wire_next(&r->wire, &dim)) {
                if (dim.number == 1)
                    read_dimension(r, &dim, &tensor->declared);
            }
            sator_wire_leave(&r->wire, type);
        }
        sator_wire_leave(&r->wire, outer);
    }
    sator_wire_leave(&r->wire, around);
}

static struct onnx_tensor *read_value_info(struct reader *r, const struct sator_wire_field *field)
{
    struct onnx_tensor read = {.declared = {.rank = -1}};
    uint64_t outer = sator_wire_enter(&r->wire, field);
    struct sator_wire_field inner;
    const char *name = "";

    while (sator_wire_next(&r->wire, &inner)) {
        if (inner.number == 1)
            name = string(r, &inner);
        else if (inner.number == 2)
            read_type(r, &inner, &read);
    }
    sator_wire_leave(&r->wire, outer);
    struct onnx_tensor *tensor = onnx_tensor(r->model, name);
    tensor->declared = read.declared;
    if (tensor->type == 0)
        tensor->type = read.type;
    return tensor;
}

/* ---- nodes ---- */

static double real_of(uint64_t bits)
{
    uint32_t half = (uint32_t)bits;
    float real;

    memcpy(&real, &half, sizeof real);
    return (double)real;
}

static void read_reals(
        struct reader *r, const struct sator_wire_field *field, struct onnx_attribute *attribute)
{
    double *reals = (double *)(uintptr_t)attribute->reals;
    unsigned char bytes[4];

    if (field->type == SATOR_WIRE_FIXED32 && attribute->n_reals <= ONNX_MOST_INTS)
        SATOR_PUSH(r->model->arena, reals, attribute->n_reals, real_of(field->value));
    while (field->type == SATOR_WIRE_BYTES && attribute->n_reals <= ONNX_MOST_INTS &&
            sator_wire_raw(&r->wire, field, bytes, sizeof bytes)) {
        uint32_t word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                (uint32_t)bytes[3] << 24;
        SATOR_PUSH(r->model->arena, reals, attribute->n_reals, real_of(word));
    }
    attribute->reals = reals;
}

static struct onnx_attribute read_attribute(struct reader *r, const struct sator_wire_field *field)
{
    struct onnx_attribute attribute = {.name = ""};
    uint64_t outer = sator_wire_enter(&r->wire, field);
    struct sator_wire_field inner;
    int64_t *ints = NULL;

    while (sator_wire_next(&r->wire, &inner)) {
        switch (inner.number) {
        case 1:
            attribute.name = string(r, &inner);
            break;
        case 2:
            attribute.real = real_of(inner.value);
            break;
        case 3:
            attribute.number = (int64_t)inner.value;
            attribute.is_number = true;
            break;
        case 4:
            /* text, or any bytes: what is too long or binary is no name of anything here */
            if (inner.type == SATOR_WIRE_BYTES && inner.end - r->wire.at < 4096)
                attribute.text = string(r, &inner);
            break;
        case 5:
            attribute.tensor = read_tensor(r, &inner);
            break;
        case 6:
        case 11:
            attribute.is_graph = true;
            break;
        case 7:
            read_reals(r, &inner, &attribute);
            break;
        case 8:
            sator_wire_ints(
                    &r->wire, &inner, r->model->arena, ONNX_MOST_INTS, &attribute.n_ints, &ints);
            break;
        default:
            break;
        }
    }
    sator_wire_leave(&r->wire, outer);
    attribute.ints = ints;
    if (attribute.n_ints > ONNX_MOST_INTS || attribute.n_reals > ONNX_MOST_INTS)
        sator_wire_fail(&r->wire, "an attribute has more than 4,096 numbers");
    return attribute;
}

static struct onnx_tensor *named(struct reader *r, const struct sator_wire_field *field)
{
    const char *name = string(r, field);

    return *name == '\0' ? NULL : onnx_tensor(r->model, name);
}

static void read_node(struct reader *r, const struct sator_wire_field *field)
{
    struct onnx_model *model = r->model;
    struct onnx_node *node = SATOR_NEW(model->arena, struct onnx_node);
    struct onnx_attribute *attributes = NULL;
    uint64_t outer = sator_wire_enter(&r->wire, field);
    struct sator_wire_field inner;

    *node = (struct onnx_node){.name = "", .op = "", .domain = "", .index = model->n_nodes};
    while (sator_wire_next(&r->wire, &inner)) {
        switch (inner.number) {
        case 1:
            SATOR_PUSH(model->arena, node->inputs, node->n_inputs, named(r, &inner));
            break;
        case 2:
            SATOR_PUSH(model->arena, node->outputs, node->n_outputs, named(r, &inner));
            break;
        case 3:
            node->name = string(r, &inner);
            break;
        case 4:
            node->op = string(r, &inner);
            break;
        case 5:
            SATOR_PUSH(model->arena, attributes, node->n_attributes, read_attribute(r, &inner));
            break;
        case 7:
            node->domain = string(r, &inner);
            break;
        default:
            break;
        }
    }
    sator_wire_leave(&r->wire, outer);
    node->attributes = attributes;
    SATOR_PUSH(model->arena, model->nodes, model->n_nodes, node);
}

/* ---- the graph and the model ---- */

static void read_input(struct reader *r, const struct sator_wire_field *field)
{
    struct onnx_tensor *tensor = read_value_info(r, field);

    tensor->is_input = true;
    SATOR_PUSH(r->model->arena, r->model->inputs, r->model->n_inputs, tensor);
}

static void read_graph(struct reader *r, const struct sator_wire_field *field)
{
    uint64_t outer = sator_wire_enter(&r->wire, field);
    struct sator_wire_field inner;

    r->has_graph = true;
    while (sator_wire_next(&r->wire, &inner)) {
        switch (inner.number) {
        case 1:
            read_node(r, &inner);
            break;
        case 2:
            r->model->name = string(r, &inner);
            break;
        case 5:
            read_initializer(r, &inner);
            break;
        case 11:
            read_input(r, &inner);
            break;
        case 12:
        case 13:
            read_value_info(r, &inner);
            break;
        default:
            break;
        }
    }
    sator_wire_leave(&r->wire, outer);
}

static void read_opset(struct reader *r, const struct sator_wire_field *field)
{
    uint64_t outer = sator_wire_enter(&r->wire, field);
    struct sator_wire_field inner;
    const char *domain = "";
    int64_t version = 0;

    while (sator_wire_next(&r->wire, &inner)) {
        if (inner.number == 1)
            domain = string(r, &inner);
        else if (inner.number == 2)
            version = (int64_t)inner.value;
    }
    sator_wire_leave(&r->wire, outer);
    if (*domain == '\0' || strcmp(domain, "ai.onnx") == 0)
        r->model->opset = version;
}

static enum sator_status check_graph(struct onnx_model *model)
{
    struct sator_loc nowhere = onnx_file(model);
    enum sator_status st = SATOR_OK;

    if (model->n_nodes == 0)
        return sator_error(model->ctx, nowhere, "the graph has no nodes");
    for (int i = 0; i < model->n_nodes && st == SATOR_OK; i++) {
        const struct onnx_node *node = model->nodes[i];
        for (int k = 0; k < node->n_outputs; k++) {
            struct onnx_tensor *output = node->outputs[k];
            if (output == NULL)
                continue;
            if (output->producer != NULL)
                st = sator_error(model->ctx, node->loc,
                        "two nodes give '%s': this one and number %d", output->name,
                        output->producer->index + 1);
            output->producer = node;
        }
    }
    return st;
}

enum sator_status onnx_read(struct onnx_model *model, FILE *file)
{
    struct reader r = {.model = model};
    struct sator_wire_field field;
    struct sator_loc nowhere = onnx_file(model);

    sator_wire_begin(&r.wire, file);
    while (sator_wire_next(&r.wire, &field)) {
        if (field.number == 7 && r.has_graph)
            sator_wire_fail(&r.wire, "a second graph begins");
        else if (field.number == 7)
            read_graph(&r, &field);
        else if (field.number == 8)
            read_opset(&r, &field);
        else if (field.number == 25)
            model->n_functions++;
    }
    if (r.wire.fault != NULL)
        return sator_error(model->ctx, nowhere,
                "this is no ONNX model, or a damaged one: %s at byte %llu", r.wire.fault,
                (unsigned long long)r.wire.at);
    if (!r.has_graph)
        return sator_error(model->ctx, nowhere, "this ONNX model has no graph");
    onnx_list(model);
    return check_graph(model);
}
