/* Shapes of data that moves: transposed, joined, split, cut, gathered, padded, resized. */
#include "frontend/onnx/onnx_shapes.h"

#include <string.h>

/* ---- data that moves ---- */

const char *onnx_infer_transpose(struct infer *i)
{
    const struct onnx_attribute *perm = onnx_attribute(i->node, "perm");
    int rank = i->in->rank;

    if (perm != NULL && perm->n_ints != rank)
        return "!its perm does not fit its input";
    *i->out = *i->in;
    for (int d = 0; d < rank; d++) {
        int from = perm == NULL ? rank - 1 - d : onnx_axis_of(perm->ints[d], rank);
        if (from < 0)
            return "!its perm does not fit its input";
        i->out->dims[d] = i->in->dims[from];
    }
    return NULL;
}

const char *onnx_infer_concat(struct infer *i)
{
    int axis = onnx_axis_of(onnx_int(i->node, "axis", 1), i->in->rank);

    if (axis < 0)
        return "!it has no axis of such a number";
    *i->out = *i->in;
    for (int k = 1; k < i->node->n_inputs; k++) {
        const struct onnx_shape *other = onnx_shape_in(i, k);
        if (other == NULL || other->rank != i->in->rank)
            return other == NULL ? "an input's shape is not known"
                                 : "!its inputs do not have the same number of dimensions";
        for (int d = 0; d < other->rank; d++) {
            int64_t *mine = &i->out->dims[d];
            if (d == axis)
                *mine = onnx_plus(*mine, other->dims[d]);
            else if (*mine < 0)
                *mine = other->dims[d];
            else if (other->dims[d] >= 0 && other->dims[d] != *mine)
                return "!its inputs' shapes do not fit each other";
        }
    }
    return NULL;
}

const char *onnx_infer_split(struct infer *i)
{
    int n_sizes, n_outputs = i->node->n_outputs;
    int axis = onnx_axis_of(onnx_int(i->node, "axis", 0), i->in->rank);
    const int64_t *sizes = onnx_numbers(i, 1, "split", &n_sizes);

    if (axis < 0)
        return "!it has no axis of such a number";
    int64_t size = i->in->dims[axis], piece = (size + n_outputs - 1) / n_outputs;
    for (int k = 0; k < n_outputs; k++) {
        struct onnx_tensor *out = onnx_out(i->node, k);
        if (out == NULL)
            continue;
        out->shape = *i->in;
        out->type = onnx_in(i->node, 0)->type;
        if (sizes != NULL && k < n_sizes)
            out->shape.dims[axis] = sizes[k];
        else if (onnx_in(i->node, 1) != NULL || size < 0)
            out->shape.dims[axis] = -1;
        else
            out->shape.dims[axis] = k < n_outputs - 1 ? piece : size - (n_outputs - 1) * piece;
    }
    return NULL;
}

/* How many elements from "start" to "end" by "step" of an axis of "size" (numpy's rules). */
static int64_t sliced(int64_t size, int64_t start, int64_t end, int64_t step)
{
    if (size < 0 || step == 0 || step == INT64_MIN)
        return -1;
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    start = start < 0 ? (start < -size ? low : start + size) : start;
    end = end < 0 ? (end < -size ? low : end + size) : end;
    start = start < low ? low : start > high ? high : start;
    end = end < low ? low : end > high ? high : end;
    int64_t span = step > 0 ? end - start : start - end, stride = step > 0 ? step : -step;
    return span <= 0 ? 0 : (span - 1) / stride + 1;
}

const char *onnx_infer_slice(struct infer *i)
{
    int n_starts, n_ends, n_axes, n_steps;
    const int64_t *starts = onnx_numbers(i, 1, "starts", &n_starts);
    const int64_t *ends = onnx_numbers(i, 2, "ends", &n_ends);
    const int64_t *axes = onnx_numbers(i, 3, "axes", &n_axes);
    const int64_t *steps = onnx_numbers(i, 4, "steps", &n_steps);

    *i->out = *i->in;
    if (axes == NULL && onnx_in(i->node, 3) != NULL)
        return "the contents of its axes are not known";
    int n = axes != NULL ? n_axes : starts != NULL ? n_starts : i->in->rank;
    for (int k = 0; k < n; k++) {
        int axis = axes == NULL ? onnx_axis_of(k, i->in->rank) : onnx_axis_of(axes[k], i->in->rank);
        if (axis < 0)
            return "!it has no axis of such a number";
        bool known = starts != NULL && k < n_starts && ends != NULL && k < n_ends &&
                (onnx_in(i->node, 4) == NULL || (steps != NULL && k < n_steps));
        int64_t step = steps != NULL && k < n_steps ? steps[k] : 1;
        i->out->dims[axis] = known ? sliced(i->in->dims[axis], starts[k], ends[k], step) : -1;
    }
    return NULL;
}

const char *onnx_infer_gather(struct infer *i)
{
    const struct onnx_shape *indices = onnx_shape_in(i, 1);
    int axis = onnx_axis_of(onnx_int(i->node, "axis", 0), i->in->rank);
    struct onnx_shape out = {.rank = 0};

    if (indices == NULL || axis < 0)
        return axis < 0 ? "!it has no axis of such a number"
                        : "the shape of its indices is not known";
    if (i->in->rank - 1 + indices->rank > ONNX_MOST_DIMS)
        return "!it makes more than 16 dimensions";
    for (int d = 0; d < i->in->rank; d++) {
        for (int k = 0; d == axis && k < indices->rank; k++)
            out.dims[out.rank++] = indices->dims[k];
        if (d != axis)
            out.dims[out.rank++] = i->in->dims[d];
    }
    *i->out = out;
    return NULL;
}

const char *onnx_infer_gather_elements(struct infer *i)
{
    const struct onnx_shape *indices = onnx_shape_in(i, 1);

    if (indices == NULL)
        return "the shape of its indices is not known";
    *i->out = *indices;
    return NULL;
}

const char *onnx_infer_gather_nd(struct infer *i)
{
    const struct onnx_shape *indices = onnx_shape_in(i, 1);
    int64_t batch = onnx_int(i->node, "batch_dims", 0);
    struct onnx_shape out = {.rank = 0};

    if (indices == NULL || indices->rank < 1 || indices->dims[indices->rank - 1] < 0)
        return "the shape of its indices is not known";
    int64_t from = onnx_plus(batch > ONNX_MOST_DIMS ? -1 : batch, indices->dims[indices->rank - 1]);
    if (from < 0 || from > i->in->rank || indices->rank - 1 + i->in->rank - from > ONNX_MOST_DIMS)
        return "!its indices do not fit its input";
    for (int d = 0; d < indices->rank - 1; d++)
        out.dims[out.rank++] = indices->dims[d];
    for (int64_t d = from; d < i->in->rank; d++)
        out.dims[out.rank++] = i->in->dims[d];
    *i->out = out;
    return NULL;
}

const char *onnx_infer_expand(struct infer *i)
{
    struct onnx_shape shape;
    const char *why = onnx_shape_from(i, 1, &shape);

    return why != NULL ? why : onnx_broadcast(i->in, &shape, i->out);
}

const char *onnx_infer_tile(struct infer *i)
{
    int n;
    const int64_t *repeats = onnx_numbers(i, 1, "", &n);

    if (repeats == NULL || n != i->in->rank)
        return "the contents of its repeats are not known, or do not fit its input";
    *i->out = *i->in;
    for (int d = 0; d < n; d++)
        i->out->dims[d] = onnx_times(i->in->dims[d], repeats[d]);
    return NULL;
}

const char *onnx_infer_pad(struct infer *i)
{
    int n, n_axes, rank = i->in->rank;
    const int64_t *pads = onnx_numbers(i, 1, "pads", &n);
    const int64_t *axes = onnx_numbers(i, 3, "axes", &n_axes);
    int n_padded = axes == NULL ? rank : n_axes;

    if (pads == NULL || n != 2 * n_padded)
        return "the contents of its pads are not known, or do not fit its input";
    *i->out = *i->in;
    for (int k = 0; k < n_padded; k++) {
        int axis = axes == NULL ? k : onnx_axis_of(axes[k], rank);
        int64_t sum;
        if (axis < 0)
            return "!it has no axis of such a number";
        if (i->in->dims[axis] < 0)
            continue;
        if (__builtin_add_overflow(pads[k], pads[n_padded + k], &sum) ||
                __builtin_add_overflow(sum, i->in->dims[axis], &sum) || sum < 0)
            return "!its pads leave nothing";
        i->out->dims[axis] = sum;
    }
    return NULL;
}

/* Sizes, or scales: floor(size * scale). */
const char *onnx_infer_resize(struct infer *i)
{
    const struct onnx_tensor *sizes = onnx_in(i->node, 3);
    const struct onnx_tensor *scales = onnx_in(i->node, i->node->n_inputs > 2 ? 2 : 1);
    const struct onnx_attribute *attribute = onnx_attribute(i->node, "scales");
    int rank = i->in->rank;

    *i->out = *i->in;
    if (sizes != NULL && sizes->n_values == rank && sizes->values != NULL) {
        for (int d = 0; d < rank; d++)
            i->out->dims[d] = sizes->values[d];
        return NULL;
    }
    const double *factors = scales != NULL && scales->n_values == rank ? scales->reals
            : attribute != NULL && attribute->n_reals == rank          ? attribute->reals
                                                                       : NULL;
    if (factors == NULL)
        return "the contents of its sizes and scales are not known";
    for (int d = 0; d < rank; d++) {
        double size = (double)i->in->dims[d] * factors[d];
        if (!(size >= 0 && size < 1e15) && i->in->dims[d] >= 0)
            return "!its scales are out of range";
        i->out->dims[d] = i->in->dims[d] < 0 ? -1 : (int64_t)size;
    }
    return NULL;
}

static const char *blocks(struct infer *i, bool to_space)
{
    int64_t block = onnx_int(i->node, "blocksize", 0);

    if (i->in->rank != 4 || block < 1 || block > 1 << 20)
        return "!its input does not have 4 dimensions, or its blocksize is out of range";
    *i->out = *i->in;
    for (int d = 1; d < 4; d++) {
        int64_t size = i->in->dims[d], factor = d == 1 ? block * block : block;
        bool grows = (d == 1) != to_space;
        i->out->dims[d] = size < 0 ? -1 : grows ? onnx_times(size, factor) : size / factor;
    }
    return NULL;
}

const char *onnx_infer_depth_to_space(struct infer *i)
{
    return blocks(i, true);
}

const char *onnx_infer_space_to_depth(struct infer *i)
{
    return blocks(i, false);
}

const char *onnx_infer_unknown(struct infer *i)
{
    *i->out = onnx_no_shape;
    return "its output's shape depends on its input's contents";
}
