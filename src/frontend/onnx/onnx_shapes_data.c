/* Shapes of reductions, and of what names the same data in another shape. */
#include "frontend/onnx/onnx_shapes.h"

#include <string.h>

/* ---- reductions ---- */

const char *onnx_reduced(const struct onnx_node *node, const struct onnx_shape *in, bool *reduced)
{
    struct infer i = {.node = node};
    int n_axes;
    const int64_t *axes = onnx_numbers(&i, 1, "axes", &n_axes);
    bool is_arg = strncmp(node->op, "Arg", 3) == 0, is_global = strncmp(node->op, "Global", 6) == 0;
    int64_t axis = onnx_int(node, "axis", 0);
    bool all = axes == NULL || n_axes == 0;

    if (is_arg) {
        axes = &axis;
        n_axes = 1;
        all = false;
    } else if (!is_global && axes == NULL && onnx_in(node, 1) != NULL && n_axes < 0) {
        return "the contents of its axes are not known";
    }
    if (all && onnx_int(node, "noop_with_empty_axes", 0) != 0)
        all = false;
    for (int d = 0; d < in->rank; d++)
        reduced[d] = is_global ? d >= 2 : all;
    for (int k = 0; axes != NULL && k < n_axes && !is_global; k++) {
        int at = onnx_axis_of(axes[k], in->rank);
        if (at < 0)
            return "!it has no axis of such a number";
        reduced[at] = true;
    }
    return NULL;
}

const char *onnx_infer_reduce(struct infer *i)
{
    int64_t keep = onnx_int(i->node, "keepdims", 1);
    bool reduced[ONNX_MOST_DIMS] = {false};
    struct onnx_shape out = {.rank = 0};
    const char *why = onnx_reduced(i->node, i->in, reduced);

    for (int d = 0; d < i->in->rank && why == NULL; d++) {
        if (!reduced[d] || keep != 0)
            out.dims[out.rank++] = reduced[d] ? 1 : i->in->dims[d];
    }
    *i->out = out;
    return why;
}

const char *onnx_infer_arg(struct infer *i)
{
    onnx_out(i->node, 0)->type = 7;
    return onnx_infer_reduce(i);
}

const char *onnx_infer_top_k(struct infer *i)
{
    int n, axis = onnx_axis_of(onnx_int(i->node, "axis", -1), i->in->rank);
    const int64_t *k = onnx_numbers(i, 1, "k", &n);

    if (axis < 0)
        return "!it has no axis of such a number";
    *i->out = *i->in;
    i->out->dims[axis] = k != NULL && n == 1 ? k[0] : onnx_int(i->node, "k", -1);
    if (onnx_out(i->node, 1) != NULL) {
        onnx_out(i->node, 1)->shape = *i->out;
        onnx_out(i->node, 1)->type = 7;
    }
    return NULL;
}

/* ---- names for the same data ---- */

const char *onnx_infer_constant(struct infer *i)
{
    static const char *const forms[] = {"value_int", "value_float", "value_ints", "value_floats"};
    const struct onnx_attribute *value = onnx_attribute(i->node, "value");
    struct onnx_tensor *out = onnx_out(i->node, 0);

    if (value != NULL && value->tensor != NULL) {
        const char *name = out->name;
        const struct onnx_node *producer = out->producer;
        struct onnx_shape declared = out->declared;
        *out = *value->tensor;
        out->name = name;
        out->producer = producer;
        out->declared = declared;
        return NULL;
    }
    for (int k = 0; k < 4; k++) {
        const struct onnx_attribute *a = onnx_attribute(i->node, forms[k]);
        if (a == NULL)
            continue;
        int n = k < 2 ? 1 : k == 2 ? a->n_ints : a->n_reals;
        *i->out = (struct onnx_shape){.rank = k < 2 ? 0 : 1, .dims = {n}};
        out->type = k % 2 == 0 ? 7 : 1;
        out->n_values = n;
        out->values = k == 0 ? &a->number : k == 2 ? a->ints : NULL;
        out->reals = k == 1 ? &a->real : k == 3 ? a->reals : NULL;
        return NULL;
    }
    return "!it has no value";
}

/* The shape that an input's contents say. */
const char *onnx_shape_from(struct infer *i, int input, struct onnx_shape *shape)
{
    int n;
    const int64_t *values = onnx_numbers(i, input, "shape", &n);

    if (values == NULL && n != 0)
        return "the contents of its shape are not known";
    if (n > ONNX_MOST_DIMS)
        return "!its shape has more than 16 dimensions";
    *shape = (struct onnx_shape){.rank = n};
    for (int d = 0; d < n; d++)
        shape->dims[d] = values[d];
    return NULL;
}

const char *onnx_infer_constant_of_shape(struct infer *i)
{
    const struct onnx_attribute *value = onnx_attribute(i->node, "value");

    onnx_out(i->node, 0)->type = value != NULL && value->tensor != NULL ? value->tensor->type : 1;
    return onnx_shape_from(i, 0, i->out);
}

const char *onnx_infer_shape(struct infer *i)
{
    int64_t start = onnx_int(i->node, "start", 0), end = onnx_int(i->node, "end", i->in->rank);

    start = start < 0 ? start + i->in->rank : start;
    end = end < 0 ? end + i->in->rank : end;
    start = start < 0 ? 0 : start;
    end = end > i->in->rank ? i->in->rank : end;
    *i->out = (struct onnx_shape){.rank = 1, .dims = {end > start ? end - start : 0}};
    onnx_out(i->node, 0)->type = 7;
    return NULL;
}

const char *onnx_infer_size(struct infer *i)
{
    *i->out = (struct onnx_shape){.rank = 0};
    onnx_out(i->node, 0)->type = 7;
    return NULL;
}

const char *onnx_infer_reshape(struct infer *i)
{
    struct onnx_shape shape;
    const char *why = onnx_shape_from(i, 1, &shape);
    int64_t all, rest = 1;
    int open = -1;

    if (why != NULL)
        return why;
    for (int d = 0; d < shape.rank; d++) {
        if (shape.dims[d] == 0 && onnx_int(i->node, "allowzero", 0) == 0) {
            if (d >= i->in->rank)
                return "!its shape takes over a dimension that its input does not have";
            shape.dims[d] = i->in->dims[d];
        } else if (shape.dims[d] == -1) {
            if (open >= 0)
                return "!its shape leaves two dimensions open";
            open = d;
            continue;
        }
        rest = onnx_times(rest, shape.dims[d]);
    }
    bool known = onnx_elements(i->in, &all);
    if (open >= 0) {
        if (known && (rest == 0 || (rest > 0 && all % rest != 0)))
            return "!its input's elements do not fill its shape";
        shape.dims[open] = known && rest > 0 ? all / rest : -1;
    } else if (known && rest >= 0 && rest != all) {
        return "!its input's elements do not fill its shape";
    }
    *i->out = shape;
    return NULL;
}

const char *onnx_infer_flatten(struct infer *i)
{
    int64_t axis = onnx_int(i->node, "axis", 1);
    int64_t sides[2] = {1, 1};

    axis = axis < 0 ? axis + i->in->rank : axis;
    if (axis < 0 || axis > i->in->rank)
        return "!it has no axis of such a number";
    for (int d = 0; d < i->in->rank; d++)
        sides[d >= axis] = onnx_times(sides[d >= axis], i->in->dims[d]);
    *i->out = (struct onnx_shape){.rank = 2, .dims = {sides[0], sides[1]}};
    return NULL;
}

const char *onnx_infer_squeeze(struct infer *i)
{
    int n;
    const int64_t *axes = onnx_numbers(i, 1, "axes", &n);
    struct onnx_shape out = {.rank = 0};

    if (axes == NULL && onnx_in(i->node, 1) != NULL)
        return "the contents of its axes are not known";
    for (int d = 0; d < i->in->rank; d++) {
        bool drop = axes == NULL && i->in->dims[d] == 1;
        for (int k = 0; axes != NULL && k < n; k++)
            drop |= onnx_axis_of(axes[k], i->in->rank) == d;
        if (!drop)
            out.dims[out.rank++] = i->in->dims[d];
    }
    *i->out = out;
    return NULL;
}

const char *onnx_infer_unsqueeze(struct infer *i)
{
    int n;
    const int64_t *axes = onnx_numbers(i, 1, "axes", &n);

    if (axes == NULL)
        return "the contents of its axes are not known";
    struct onnx_shape out = {.rank = i->in->rank + n};
    if (out.rank > ONNX_MOST_DIMS)
        return "!it makes more than 16 dimensions";
    for (int d = 0, from = 0; d < out.rank; d++) {
        bool fresh = false;
        for (int k = 0; k < n; k++)
            fresh |= onnx_axis_of(axes[k], out.rank) == d;
        if (!fresh && from >= i->in->rank)
            return "!it has an axis twice";
        out.dims[d] = fresh ? 1 : i->in->dims[from++];
    }
    *i->out = out;
    return NULL;
}

const char *onnx_infer_range(struct infer *i)
{
    int64_t v[3] = {0};

    *i->out = (struct onnx_shape){.rank = 1, .dims = {-1}};
    for (int k = 0; k < 3; k++) {
        int n;
        const int64_t *value = onnx_numbers(i, k, "", &n);
        if (value == NULL || n != 1)
            return NULL;
        v[k] = value[0];
    }
    if (v[2] == 0)
        return "!its step is 0";
    sator_int span = (sator_int)v[1] - v[0], step = v[2];
    sator_int length = (span + (step > 0 ? step - 1 : step + 1)) / step;
    i->out->dims[0] = length <= 0 ? 0 : length > ONNX_LARGEST_DIM ? -1 : (int64_t)length;
    return NULL;
}
