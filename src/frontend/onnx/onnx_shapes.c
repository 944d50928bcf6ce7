/* Shape inference: what each operator's outputs look like, from its inputs and attributes (the ONNX
 * specification, Operators.md). Dimensions that are not known stay so, and do no harm where nothing
 * depends on them. */
#include "frontend/onnx/onnx_shapes.h"

#include <string.h>

const struct onnx_shape onnx_no_shape = {.rank = -1};

const struct onnx_shape *onnx_shape_in(const struct infer *i, int input)
{
    const struct onnx_tensor *tensor = onnx_in(i->node, input);

    return tensor == NULL || tensor->shape.rank < 0 ? NULL : &tensor->shape;
}

/* The whole numbers in an input, or failing that in an attribute (older opsets had those). */
const int64_t *onnx_numbers(const struct infer *i, int input, const char *name, int *n)
{
    const struct onnx_tensor *tensor = onnx_in(i->node, input);
    const struct onnx_attribute *attribute = onnx_attribute(i->node, name);

    *n = -1;
    if (tensor != NULL && tensor->n_values >= 0 && tensor->values != NULL) {
        *n = tensor->n_values;
        return tensor->values;
    }
    if (attribute != NULL && attribute->n_ints > 0) {
        *n = attribute->n_ints;
        return attribute->ints;
    }
    return NULL;
}

/* Axis "axis", counted from the end when negative; -1 when there is onnx_no_shape. */
int onnx_axis_of(int64_t axis, int rank)
{
    if (axis < 0)
        axis += rank;
    return axis < 0 || axis >= rank ? -1 : (int)axis;
}

/* a * b, or -1 when one is not known or it is beyond any extent. */
int64_t onnx_times(int64_t a, int64_t b)
{
    int64_t product;

    if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) || product > INT64_C(1) << 62)
        return -1;
    return product;
}

int64_t onnx_plus(int64_t a, int64_t b)
{
    int64_t sum;

    return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? -1 : sum;
}

bool onnx_is_known(const struct onnx_shape *shape)
{
    for (int d = 0; d < shape->rank; d++) {
        if (shape->dims[d] < 0)
            return false;
    }
    return shape->rank >= 0;
}

bool onnx_elements(const struct onnx_shape *shape, int64_t *n)
{
    int64_t product = 1;

    for (int d = 0; d < shape->rank; d++)
        product = onnx_times(product, shape->dims[d]);
    *n = product;
    return shape->rank >= 0 && product >= 0;
}

/* ---- operators that keep the shape, and those that broadcast ---- */

const char *onnx_infer_same(struct infer *i)
{
    *i->out = *i->in;
    return NULL;
}

const char *onnx_broadcast(
        const struct onnx_shape *a, const struct onnx_shape *b, struct onnx_shape *out)
{
    int rank = a->rank > b->rank ? a->rank : b->rank;
    struct onnx_shape both = {.rank = rank};

    for (int d = 0; d < rank; d++) {
        int at_a = d - rank + a->rank, at_b = d - rank + b->rank;
        int64_t da = at_a < 0 ? 1 : a->dims[at_a], db = at_b < 0 ? 1 : b->dims[at_b];
        if (da > 1 && db > 1 && da != db)
            return "!its inputs' shapes do not fit each other";
        both.dims[d] = da == 1 ? db : db == 1 ? da : da > db ? da : db;
        if (da == 0 || db == 0)
            both.dims[d] = 0;
    }
    *out = both;
    return NULL;
}

const char *onnx_infer_broadcast(struct infer *i)
{
    const char *why = NULL;

    *i->out = *i->in;
    if (onnx_int(i->node, "broadcast", 0) != 0)
        return NULL; /* opsets before 7: the second operand takes the shape of the first */
    for (int k = 1; k < i->node->n_inputs && why == NULL; k++) {
        const struct onnx_shape *other = onnx_shape_in(i, k);
        why = other == NULL ? "an input's shape is not known"
                            : onnx_broadcast(i->out, other, i->out);
    }
    return why;
}

const char *onnx_infer_where(struct infer *i)
{
    onnx_out(i->node, 0)->type = onnx_in(i->node, 1) == NULL ? 0 : onnx_in(i->node, 1)->type;
    return onnx_infer_broadcast(i);
}

const char *onnx_infer_compare(struct infer *i)
{
    onnx_out(i->node, 0)->type = 9;
    return onnx_infer_broadcast(i);
}

const char *onnx_infer_truth(struct infer *i)
{
    onnx_out(i->node, 0)->type = 9;
    return onnx_infer_same(i);
}

const char *onnx_infer_cast(struct infer *i)
{
    onnx_out(i->node, 0)->type = (int)onnx_int(i->node, "to", 0);
    return onnx_infer_same(i);
}

const char *onnx_infer_quantize(struct infer *i)
{
    const struct onnx_tensor *zero = onnx_in(i->node, 2);

    onnx_out(i->node, 0)->type = zero == NULL ? 2 : zero->type;
    return onnx_infer_same(i);
}

const char *onnx_infer_dequantize(struct infer *i)
{
    const struct onnx_tensor *scale = onnx_in(i->node, 1);

    onnx_out(i->node, 0)->type = scale == NULL ? 1 : scale->type;
    return onnx_infer_same(i);
}

/* ---- all of them ---- */

static const struct {
    const char *op;
    infer_function *infer;
} rules[] = {
#define OP(name, shape, kind, nests) {name, onnx_infer_##shape},
#include "frontend/onnx/onnx_ops.def"
#undef OP
};

static infer_function *rule_of(const struct onnx_node *node)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (onnx_is_op(node, rules[i].op))
            return rules[i].infer;
    }
    return NULL;
}

/* Where the file knows a dimension and inference does not, the file's; where both do and differ,
 * one of them is wrong. */
static enum sator_status merge_declared(struct onnx_model *model, struct onnx_node *node)
{
    for (int k = 0; k < node->n_outputs; k++) {
        struct onnx_tensor *out = node->outputs[k];
        if (out == NULL || out->declared.rank < 0)
            continue;
        bool fits = out->shape.rank < 0 || out->shape.rank == out->declared.rank;
        for (int d = 0; d < out->declared.rank && fits && out->shape.rank >= 0; d++) {
            int64_t *dim = &out->shape.dims[d], said = out->declared.dims[d];
            fits = *dim < 0 || said < 0 || *dim == said;
            *dim = *dim < 0 ? said : *dim;
        }
        if (out->shape.rank < 0)
            out->shape = out->declared;
        if (fits)
            continue;
        struct sator_text text = {0};
        sator_text_put(&text, "the node gives '");
        sator_text_put(&text, out->name);
        sator_text_put(&text, "' the shape ");
        onnx_shape_write(&text, &out->shape);
        sator_text_put(&text, "; the file says ");
        onnx_shape_write(&text, &out->declared);
        enum sator_status st = sator_error(model->ctx, node->loc, "%s", text.data);
        sator_text_clear(&text);
        return st;
    }
    return SATOR_OK;
}

static enum sator_status check_inputs(struct onnx_model *model, const struct onnx_node *node)
{
    for (int k = 0; k < node->n_inputs; k++) {
        const struct onnx_tensor *in = node->inputs[k];
        if (in == NULL || in->is_input || in->is_initializer ||
                (in->producer != NULL && in->producer->index < node->index))
            continue;
        return sator_error(model->ctx, node->loc,
                "'%s' is given by no input of the graph and no node before", in->name);
    }
    return SATOR_OK;
}

static enum sator_status infer_node(struct onnx_model *model, struct onnx_node *node)
{
    infer_function *rule = rule_of(node);
    struct onnx_tensor *first = onnx_in(node, 0), *out = onnx_out(node, 0);
    struct onnx_shape made = onnx_no_shape;
    struct infer i = {model, node, onnx_shape_in(&(struct infer){.node = node}, 0), &made};
    enum sator_status st;

    SATOR_TRY(check_inputs(model, node));
    if (out == NULL)
        return SATOR_OK;
    if (out->type == 0 && first != NULL)
        out->type = first->type;
    if (rule == NULL)
        node->unknown = "the operator is not known here";
    else if (i.in == NULL && rule != onnx_infer_constant)
        node->unknown = first == NULL ? "!it has no first input" : "its input's shape is not known";
    else
        node->unknown = rule(&i);
    if (node->unknown != NULL && node->unknown[0] == '!')
        return sator_error(model->ctx, node->loc, "%s: %s", node->op, node->unknown + 1);
    if (node->unknown == NULL && made.rank >= 0)
        out->shape = made;
    for (int k = 0; k < node->n_outputs; k++) {
        struct onnx_shape *shape = node->outputs[k] == NULL ? &made : &node->outputs[k]->shape;
        for (int d = 0; d < shape->rank; d++) {
            if (shape->dims[d] < 0 || shape->dims[d] > ONNX_LARGEST_DIM)
                shape->dims[d] = -1;
        }
    }
    onnx_fold(model, node);
    SATOR_TRY(merge_declared(model, node));
done:
    return st;
}

enum sator_status onnx_infer(struct onnx_model *model)
{
    enum sator_status worst = SATOR_OK;

    for (int i = 0; i < model->n_inputs; i++) {
        if (!model->inputs[i]->is_initializer)
            model->inputs[i]->shape = model->inputs[i]->declared;
    }
    for (int i = 0; i < model->n_nodes && model->ctx->n_errors < 20; i++) {
        enum sator_status st = infer_node(model, model->nodes[i]);
        worst = worst == SATOR_OK ? st : worst;
    }
    return worst;
}
