/* The contents of small tensors, so far as shapes are built from them: exporters write
 * Shape -> Gather -> Concat -> Reshape where a shape could stand. */
#include "frontend/onnx/onnx.h"

#include <math.h>
#include <string.h>

struct fold {
    struct onnx_model *model;
    const struct onnx_node *node;
    int64_t values[ONNX_MOST_VALUES];
    double reals[ONNX_MOST_VALUES];
    bool is_real;
    int n;
};

/* Whether the contents of input "k" are known. */
static const struct onnx_tensor *known(const struct onnx_node *node, int k)
{
    const struct onnx_tensor *in = onnx_in(node, k);

    return in != NULL && in->n_values >= 0 && (in->values != NULL || in->reals != NULL) ? in : NULL;
}

static void push(struct fold *f, const struct onnx_tensor *from, int at)
{
    f->is_real = from->values == NULL;
    if (f->is_real)
        f->reals[f->n++] = from->reals[at];
    else
        f->values[f->n++] = from->values[at];
}

/* ---- one function an operator; false when its contents are not known ---- */

static bool fold_same(struct fold *f)
{
    const struct onnx_tensor *in = known(f->node, 0);

    for (int i = 0; in != NULL && i < in->n_values; i++)
        push(f, in, i);
    return in != NULL;
}

static bool fold_cast(struct fold *f)
{
    int64_t to = onnx_int(f->node, "to", 0);
    bool to_real = to == 1 || to == 10 || to == 11 || to == 16;

    if (!fold_same(f))
        return false;
    for (int i = 0; i < f->n; i++) {
        if (f->is_real && !to_real) {
            if (!(fabs(f->reals[i]) < 1e18))
                return false;
            f->values[i] = (int64_t)f->reals[i];
        } else if (!f->is_real && to_real) {
            f->reals[i] = (double)f->values[i];
        }
    }
    f->is_real = to_real;
    return true;
}

static bool fold_shape(struct fold *f)
{
    const struct onnx_tensor *in = onnx_in(f->node, 0);

    if (in == NULL || in->shape.rank < 0)
        return false;
    int64_t rank = in->shape.rank, start = onnx_int(f->node, "start", 0);
    int64_t end = onnx_int(f->node, "end", rank);
    start = start < 0 ? start + rank : start;
    end = end < 0 ? end + rank : end > rank ? rank : end;
    for (int64_t d = start < 0 ? 0 : start; d < end; d++) {
        if (in->shape.dims[d] < 0)
            return false;
        f->values[f->n++] = in->shape.dims[d];
    }
    return true;
}

static bool fold_size(struct fold *f)
{
    const struct onnx_tensor *in = onnx_in(f->node, 0);

    f->n = 1;
    return in != NULL && onnx_elements(&in->shape, &f->values[0]);
}

/* Of vectors: what shapes are. */
static bool fold_gather(struct fold *f)
{
    const struct onnx_tensor *in = known(f->node, 0), *at = known(f->node, 1);

    if (in == NULL || at == NULL || at->values == NULL || in->shape.rank != 1)
        return false;
    for (int i = 0; i < at->n_values; i++) {
        int64_t index = at->values[i] < 0 ? at->values[i] + in->n_values : at->values[i];
        if (index < 0 || index >= in->n_values)
            return false;
        push(f, in, (int)index);
    }
    return true;
}

static bool fold_concat(struct fold *f)
{
    for (int k = 0; k < f->node->n_inputs; k++) {
        const struct onnx_tensor *in = known(f->node, k);
        if (in == NULL || in->shape.rank != 1 || in->n_values > ONNX_MOST_VALUES - f->n)
            return false;
        for (int i = 0; i < in->n_values; i++)
            push(f, in, i);
    }
    return true;
}

static bool one_number(const struct onnx_node *node, int input, const char *name, int64_t *value)
{
    const struct onnx_tensor *in = known(node, input);
    const struct onnx_attribute *attribute = onnx_attribute(node, name);

    if (in != NULL && in->values != NULL && in->n_values == 1)
        *value = in->values[0];
    else if (attribute != NULL && attribute->n_ints == 1)
        *value = attribute->ints[0];
    else
        return onnx_in(node, input) == NULL && attribute == NULL;
    return true;
}

static bool fold_slice(struct fold *f)
{
    const struct onnx_tensor *in = known(f->node, 0);
    int64_t start = 0, end = INT64_MAX, step = 1;

    if (in == NULL || in->shape.rank != 1 || !one_number(f->node, 1, "starts", &start) ||
            !one_number(f->node, 2, "ends", &end) || !one_number(f->node, 4, "steps", &step) ||
            step != 1)
        return false;
    int64_t n = in->n_values;
    start = start < 0 ? (start < -n ? 0 : start + n) : start;
    end = end < 0 ? (end < -n ? 0 : end + n) : end > n ? n : end;
    for (int64_t i = start; i < end; i++)
        push(f, in, (int)i);
    return true;
}

static bool fold_constant_of_shape(struct fold *f)
{
    const struct onnx_tensor *out = onnx_out(f->node, 0);
    const struct onnx_attribute *value = onnx_attribute(f->node, "value");
    int64_t n;

    if (out == NULL || !onnx_elements(&out->shape, &n) || n > ONNX_MOST_VALUES)
        return false;
    const struct onnx_tensor *fill = value == NULL ? NULL : value->tensor;
    if (fill != NULL && (fill->n_values != 1 || (fill->values == NULL && fill->reals == NULL)))
        return false;
    f->is_real = fill == NULL || fill->values == NULL;
    for (f->n = 0; f->n < n; f->n++) {
        f->values[f->n] = f->is_real ? 0 : fill->values[0];
        f->reals[f->n] = fill == NULL || !f->is_real ? 0 : fill->reals[0];
    }
    return true;
}

static bool fold_range(struct fold *f)
{
    const struct onnx_tensor *out = onnx_out(f->node, 0), *start = known(f->node, 0),
                             *step = known(f->node, 2);

    if (out == NULL || out->shape.rank != 1 || out->shape.dims[0] < 0 ||
            out->shape.dims[0] > ONNX_MOST_VALUES || start == NULL || start->values == NULL ||
            step == NULL || step->values == NULL)
        return false;
    for (f->n = 0; f->n < out->shape.dims[0]; f->n++) {
        int64_t by;
        if (__builtin_mul_overflow(step->values[0], f->n, &by) ||
                __builtin_add_overflow(start->values[0], by, &f->values[f->n]))
            return false;
    }
    return true;
}

static bool compute(const char *op, int64_t a, int64_t b, int64_t *result)
{
    switch (op[0]) {
    case 'A':
        return !__builtin_add_overflow(a, b, result);
    case 'S':
        return !__builtin_sub_overflow(a, b, result);
    case 'D': /* rounds towards zero, as in C */
        if (b == 0 || b == -1)
            return b != 0 && !__builtin_sub_overflow(0, a, result);
        *result = a / b;
        return true;
    case 'E':
        *result = a == b;
        return true;
    default:
        break;
    }
    if (op[1] == 'u')
        return !__builtin_mul_overflow(a, b, result);
    *result = op[1] == 'i' ? (a < b ? a : b) : (a > b ? a : b);
    return true;
}

static double compute_real(const char *op, double a, double b)
{
    switch (op[0]) {
    case 'A':
        return a + b;
    case 'S':
        return a - b;
    case 'D':
        return a / b;
    default:
        break;
    }
    return op[1] == 'u' ? a * b : op[1] == 'i' ? fmin(a, b) : fmax(a, b);
}

/* Add, Sub, Mul, Div, Min, Max, Equal of vectors of one length, or of one and a number. */
static bool fold_arithmetic(struct fold *f)
{
    const struct onnx_tensor *a = known(f->node, 0), *b = known(f->node, 1);

    if (a == NULL || b == NULL || f->node->n_inputs != 2 || a->shape.rank > 1 ||
            b->shape.rank > 1 || (a->values == NULL) != (b->values == NULL) ||
            (a->n_values != b->n_values && a->n_values != 1 && b->n_values != 1))
        return false;
    int n = a->n_values == 1 ? b->n_values : a->n_values;
    f->is_real = a->values == NULL;
    if (f->is_real && f->node->op[0] == 'E')
        return false;
    for (f->n = 0; f->n < n; f->n++) {
        int i = a->n_values == 1 ? 0 : f->n, k = b->n_values == 1 ? 0 : f->n;
        if (f->is_real)
            f->reals[f->n] = compute_real(f->node->op, a->reals[i], b->reals[k]);
        else if (!compute(f->node->op, a->values[i], b->values[k], &f->values[f->n]))
            return false;
    }
    return true;
}

static bool fold_where(struct fold *f)
{
    const struct onnx_tensor *c = known(f->node, 0), *a = known(f->node, 1), *b = known(f->node, 2);

    if (c == NULL || a == NULL || b == NULL || c->values == NULL || a->values == NULL ||
            b->values == NULL || a->shape.rank > 1 || b->shape.rank > 1 || c->shape.rank > 1)
        return false;
    int n = c->n_values > a->n_values ? c->n_values : a->n_values;
    n = n > b->n_values ? n : b->n_values;
    for (int i = 0; i < n; i++) {
        const struct onnx_tensor *from = c->n_values == 0 || (i >= c->n_values && c->n_values != 1)
                ? NULL
                : c->values[c->n_values == 1 ? 0 : i] != 0 ? a
                                                           : b;
        if (from == NULL || (i >= from->n_values && from->n_values != 1))
            return false;
        push(f, from, from->n_values == 1 ? 0 : i);
    }
    return true;
}

static bool fold_reduce_prod(struct fold *f)
{
    const struct onnx_tensor *in = known(f->node, 0);

    if (in == NULL || in->values == NULL || in->shape.rank != 1)
        return false;
    f->values[0] = 1;
    f->n = 1;
    for (int i = 0; i < in->n_values; i++) {
        if (__builtin_mul_overflow(f->values[0], in->values[i], &f->values[0]))
            return false;
    }
    return true;
}

static bool fold_round(struct fold *f)
{
    if (!fold_same(f) || !f->is_real)
        return false;
    for (int i = 0; i < f->n; i++)
        f->reals[i] = f->node->op[0] == 'F' ? floor(f->reals[i]) : ceil(f->reals[i]);
    return true;
}

static const struct {
    const char *op;
    bool (*fold)(struct fold *f);
} rules[] = {{"Identity", fold_same}, {"Reshape", fold_same}, {"Squeeze", fold_same},
        {"Unsqueeze", fold_same}, {"Flatten", fold_same}, {"Cast", fold_cast},
        {"Shape", fold_shape}, {"Size", fold_size}, {"Gather", fold_gather},
        {"Concat", fold_concat}, {"Slice", fold_slice}, {"ConstantOfShape", fold_constant_of_shape},
        {"Range", fold_range}, {"Add", fold_arithmetic}, {"Sub", fold_arithmetic},
        {"Mul", fold_arithmetic}, {"Div", fold_arithmetic}, {"Min", fold_arithmetic},
        {"Max", fold_arithmetic}, {"Equal", fold_arithmetic}, {"Where", fold_where},
        {"ReduceProd", fold_reduce_prod}, {"Floor", fold_round}, {"Ceil", fold_round}};

void onnx_fold(struct onnx_model *model, const struct onnx_node *node)
{
    struct fold f = {.model = model, .node = node};
    struct onnx_tensor *out = onnx_out(node, 0);
    bool folded = false;

    for (size_t i = 0; i < sizeof rules / sizeof *rules && !folded; i++) {
        if (onnx_is_op(node, rules[i].op))
            folded = rules[i].fold(&f);
    }
    if (!folded || out == NULL)
        return;
    out->n_values = f.n;
    out->values = NULL;
    out->reals = NULL;
    if (f.is_real)
        out->reals = sator_arena_copy(model->arena, f.reals, sizeof *f.reals * (size_t)(f.n + 1));
    else
        out->values =
                sator_arena_copy(model->arena, f.values, sizeof *f.values * (size_t)(f.n + 1));
}
