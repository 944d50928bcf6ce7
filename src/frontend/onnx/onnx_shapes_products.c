/* Shapes of convolutions, pooling, products of matrices, einsums, attention and recurrent layers.
 */
#include "frontend/onnx/onnx_shapes.h"

#include "base/text.h"

#include <string.h>

/* ---- windows ---- */

int onnx_windows(const struct onnx_node *node, const struct onnx_shape *input,
        const int64_t *kernel, int n_axes, struct onnx_window *windows)
{
    const struct onnx_attribute *strides = onnx_attribute(node, "strides");
    const struct onnx_attribute *dilations = onnx_attribute(node, "dilations");
    const struct onnx_attribute *pads = onnx_attribute(node, "pads");
    const char *automatic = onnx_text(node, "auto_pad", "NOTSET");

    for (int a = 0; a < n_axes; a++) {
        struct onnx_window *w = &windows[a];
        *w = (struct onnx_window){.kernel = kernel[a], .stride = 1, .dilation = 1};
        if (strides != NULL && a < strides->n_ints)
            w->stride = strides->ints[a];
        if (dilations != NULL && a < dilations->n_ints)
            w->dilation = dilations->ints[a];
        if (pads != NULL && pads->n_ints == 2 * n_axes) {
            w->pad_begin = pads->ints[a];
            w->pad_end = pads->ints[n_axes + a];
        }
        const int64_t most = INT64_C(1) << 40;
        if (w->kernel < 1 || w->stride < 1 || w->dilation < 1 || w->pad_begin < -most ||
                w->pad_end < -most || w->kernel > most || w->stride > most || w->dilation > most ||
                w->pad_begin > most || w->pad_end > most ||
                onnx_times(w->kernel, w->dilation) > most)
            return a;
        int64_t size = input->dims[2 + a];
        if (strncmp(automatic, "SAME", 4) != 0 || size < 0)
            continue;
        int64_t out = (size + w->stride - 1) / w->stride;
        int64_t span = (out - 1) * w->stride + (w->kernel - 1) * w->dilation + 1;
        int64_t pad = span > size ? span - size : 0;
        bool upper = strcmp(automatic, "SAME_UPPER") == 0;
        w->pad_begin = upper ? pad / 2 : pad - pad / 2;
        w->pad_end = pad - w->pad_begin;
    }
    return n_axes;
}

/* How often the window fits along the axis. */
static int64_t positions(const struct onnx_window *w, int64_t size, bool ceil)
{
    int64_t room = size + w->pad_begin + w->pad_end - (w->kernel - 1) * w->dilation - 1;

    if (size < 0)
        return -1;
    if (room < 0)
        return 0;
    int64_t n = (room + (ceil ? w->stride - 1 : 0)) / w->stride + 1;
    /* a last window that begins in the padding behind the data is none */
    return ceil && (n - 1) * w->stride >= size + w->pad_begin ? n - 1 : n;
}

static const char *slide(struct infer *i, const int64_t *kernel, int64_t channels, bool ceil)
{
    struct onnx_window windows[ONNX_MOST_DIMS];
    int n_axes = i->in->rank - 2;

    if (onnx_windows(i->node, i->in, kernel, n_axes, windows) < n_axes)
        return "!its kernel, strides, dilations or pads are out of range";
    *i->out = *i->in;
    i->out->dims[1] = channels;
    for (int a = 0; a < n_axes; a++) {
        int64_t n = positions(&windows[a], i->in->dims[2 + a], ceil);
        if (n == 0)
            return "!its kernel is larger than its padded input";
        i->out->dims[2 + a] = n;
    }
    return NULL;
}

static const char *conv(struct infer *i, const struct onnx_shape *weights)
{
    int64_t group = onnx_int(i->node, "group", 1);

    if (weights == NULL)
        return "the shape of its weights is not known";
    if (i->in->rank < 3 || weights->rank != i->in->rank)
        return "!its input and weights do not have the same number of dimensions, 3 at least";
    if (group < 1 || (weights->dims[0] >= 0 && weights->dims[0] % group != 0))
        return "!its groups do not divide its output channels";
    if (i->in->dims[1] >= 0 && weights->dims[1] >= 0 &&
            onnx_times(weights->dims[1], group) != i->in->dims[1])
        return "!its weights are not for as many channels as its input has";
    for (int d = 2; d < weights->rank; d++) {
        if (weights->dims[d] < 0)
            return "the shape of its weights is not known";
    }
    return slide(i, &weights->dims[2], weights->dims[0], false);
}

const char *onnx_infer_conv(struct infer *i)
{
    const char *why = conv(i, onnx_shape_in(i, 1));

    if (strcmp(i->node->op, "ConvInteger") == 0)
        onnx_out(i->node, 0)->type = 6;
    return why;
}

const char *onnx_infer_qlinear_conv(struct infer *i)
{
    return conv(i, onnx_shape_in(i, 3));
}

const char *onnx_infer_conv_transpose(struct infer *i)
{
    const struct onnx_shape *weights = onnx_shape_in(i, 1);
    const struct onnx_attribute *extra = onnx_attribute(i->node, "output_padding");
    const struct onnx_attribute *fixed = onnx_attribute(i->node, "output_shape");
    struct onnx_window windows[ONNX_MOST_DIMS];
    int64_t group = onnx_int(i->node, "group", 1);
    int n_axes = i->in->rank - 2;

    if (weights == NULL)
        return "the shape of its weights is not known";
    if (n_axes < 1 || weights->rank != i->in->rank || group < 1)
        return "!its input and weights do not have the same number of dimensions, 3 at least";
    if (i->in->dims[1] >= 0 && weights->dims[0] >= 0 && i->in->dims[1] != weights->dims[0])
        return "!its weights are not for as many channels as its input has";
    if (onnx_windows(i->node, i->in, &weights->dims[2], n_axes, windows) < n_axes)
        return "!its kernel, strides, dilations or pads are out of range";
    *i->out = *i->in;
    i->out->dims[1] = onnx_times(weights->dims[1], group);
    bool same = strncmp(onnx_text(i->node, "auto_pad", ""), "SAME", 4) == 0;
    for (int a = 0; a < n_axes; a++) {
        const struct onnx_window *w = &windows[a];
        int64_t size = i->in->dims[2 + a],
                add = extra != NULL && a < extra->n_ints ? extra->ints[a] : 0;
        int64_t scaled = onnx_times(size - 1, w->stride);
        if (add < 0 || add >= w->stride + w->dilation)
            return "!its output_padding is out of range";
        if (fixed != NULL && fixed->n_ints == n_axes)
            i->out->dims[2 + a] = fixed->ints[a];
        else if (same)
            i->out->dims[2 + a] = onnx_times(size, w->stride);
        else
            i->out->dims[2 + a] = size < 0 || scaled < 0
                    ? -1
                    : scaled + add + (w->kernel - 1) * w->dilation + 1 - w->pad_begin - w->pad_end;
        if (size > 0 && i->out->dims[2 + a] < 1)
            return "!its output would be empty";
    }
    return NULL;
}

const char *onnx_infer_pool(struct infer *i)
{
    const struct onnx_attribute *kernel = onnx_attribute(i->node, "kernel_shape");

    if (kernel == NULL || i->in->rank < 3 || kernel->n_ints != i->in->rank - 2)
        return "!its kernel_shape does not fit its input";
    const char *why =
            slide(i, kernel->ints, i->in->dims[1], onnx_int(i->node, "ceil_mode", 0) != 0);
    if (onnx_out(i->node, 1) != NULL) {
        onnx_out(i->node, 1)->shape = *i->out;
        onnx_out(i->node, 1)->type = 7;
    }
    return why;
}

/* ---- products ---- */

const char *onnx_infer_gemm(struct infer *i)
{
    const struct onnx_shape *b = onnx_shape_in(i, 1);
    bool trans_a = onnx_int(i->node, "transA", 0) != 0,
         trans_b = onnx_int(i->node, "transB", 0) != 0;

    if (b == NULL)
        return "the shape of its second input is not known";
    if (i->in->rank != 2 || b->rank != 2)
        return "!its inputs are no matrices";
    int64_t ka = i->in->dims[!trans_a], kb = b->dims[trans_b];
    if (ka >= 0 && kb >= 0 && ka != kb)
        return "!its matrices do not fit each other";
    *i->out = (struct onnx_shape){.rank = 2, .dims = {i->in->dims[trans_a], b->dims[!trans_b]}};
    return NULL;
}

static const char *matmul(struct infer *i, const struct onnx_shape *b)
{
    struct onnx_shape left, right, batch;

    if (b == NULL)
        return "the shape of its second input is not known";
    if (i->in->rank < 1 || b->rank < 1)
        return "!its inputs are numbers, not matrices";
    left = *i->in;
    right = *b;
    if (onnx_int(i->node, "transA", 0) != 0 && left.rank > 1) {
        left.dims[left.rank - 1] = i->in->dims[left.rank - 2];
        left.dims[left.rank - 2] = i->in->dims[left.rank - 1];
    }
    if (onnx_int(i->node, "transB", 0) != 0 && right.rank > 1) {
        right.dims[right.rank - 1] = b->dims[right.rank - 2];
        right.dims[right.rank - 2] = b->dims[right.rank - 1];
    }
    int64_t ka = left.dims[left.rank - 1], kb = right.dims[right.rank > 1 ? right.rank - 2 : 0];
    int64_t rows = left.rank > 1 ? left.dims[left.rank - 2] : -2;
    int64_t columns = right.rank > 1 ? right.dims[right.rank - 1] : -2;
    if (ka >= 0 && kb >= 0 && ka != kb)
        return "!its matrices do not fit each other";
    left.rank = left.rank > 2 ? left.rank - 2 : 0;
    right.rank = right.rank > 2 ? right.rank - 2 : 0;
    const char *why = onnx_broadcast(&left, &right, &batch);
    if (rows != -2)
        batch.dims[batch.rank++] = rows;
    if (columns != -2)
        batch.dims[batch.rank++] = columns;
    *i->out = batch;
    return why;
}

const char *onnx_infer_matmul(struct infer *i)
{
    if (strcmp(i->node->op, "MatMulInteger") == 0)
        onnx_out(i->node, 0)->type = 6;
    return matmul(i, onnx_shape_in(i, 1));
}

const char *onnx_infer_qlinear_matmul(struct infer *i)
{
    return matmul(i, onnx_shape_in(i, 3));
}

/* The letters that stand for "...": "n" of them, the last of those that no term has, in order. */
static const char *ellipsis(const char *equation, int n, char *letters)
{
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    int at = ONNX_MOST_DIMS;

    letters[at] = '\0';
    for (int c = 25; c >= 0 && at > ONNX_MOST_DIMS - n; c--) {
        if (strchr(equation, all[c]) == NULL)
            letters[--at] = all[c];
    }
    return at > ONNX_MOST_DIMS - n ? NULL : letters + at;
}

/* How many dimensions the "..." of the term stands for. */
static int hidden_dims(const char *term, int rank)
{
    int n_letters = 0;
    bool hides = false;

    for (; *term != '\0' && *term != ',' && *term != '-'; term++) {
        hides |= *term == '.';
        n_letters += *term != '.' && *term != ' ';
    }
    return hides && rank > n_letters ? rank - n_letters : 0;
}

static void expand_term(struct sator_text *text, const char **at, const char *hidden, int n)
{
    size_t length = strlen(hidden);

    for (; **at != '\0' && **at != ',' && strncmp(*at, "->", 2) != 0; ++*at) {
        if (strncmp(*at, "...", 3) == 0) {
            sator_text_put(text, hidden + (length - (size_t)n));
            *at += 2;
        } else if (**at != ' ') {
            sator_text_add_bytes(text, *at, 1);
        }
    }
}

/* Without an arrow, the result has what "..." stands for and then the letters that stand once. */
static void imply_result(struct sator_text *text, const char *equation, const char *hidden)
{
    char letters[128] = {0};

    sator_text_add(text, "->%s", hidden);
    for (const char *at = equation; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at & 127;
        if (c != '.' && c != ',' && c != ' ' && letters[c] < 2)
            letters[c]++;
    }
    for (int c = 0; c < 128; c++) {
        if (letters[c] == 1)
            sator_text_add(text, "%c", c);
    }
}

const char *onnx_equation(struct onnx_model *model, const struct onnx_node *node)
{
    const char *equation = onnx_text(node, "equation", ""), *at = equation, *arrow;
    char letters[ONNX_MOST_DIMS + 1];
    struct sator_text text = {0};
    int most = 0;

    arrow = strstr(equation, "->");
    for (int k = 0; k < node->n_inputs && at != NULL; k++, at = strchr(at, ',')) {
        int n = node->inputs[k] == NULL ? 0
                                        : hidden_dims(at + (k > 0), node->inputs[k]->shape.rank);
        most = n > most ? n : most;
    }
    const char *hidden = ellipsis(equation, most, letters);
    if (hidden == NULL)
        return equation;
    at = equation;
    for (int k = 0; k < node->n_inputs && *at != '\0' && at != arrow; k++) {
        at += k > 0 && *at == ',';
        sator_text_put(&text, k > 0 ? "," : "");
        expand_term(&text, &at, hidden,
                node->inputs[k] == NULL ? 0 : hidden_dims(at, node->inputs[k]->shape.rank));
    }
    if (arrow == NULL)
        imply_result(&text, equation, hidden);
    else
        sator_text_put(&text, "->"), at = arrow + 2, expand_term(&text, &at, hidden, most);
    return sator_text_keep(&text, model->arena);
}

/* An equation of letters, "bij,bjk->bik", without blanks and dots. */
const char *onnx_infer_einsum(struct infer *i)
{
    const char *at = onnx_equation(i->model, i->node);
    struct onnx_shape out = {.rank = 0};
    int64_t extents[128];
    int term = 0, letter = 0;

    for (int c = 0; c < 128; c++)
        extents[c] = -2;
    for (; *at != '\0' && strncmp(at, "->", 2) != 0; at++) {
        const struct onnx_shape *shape = onnx_shape_in(i, term);
        unsigned char c = (unsigned char)*at;
        if (shape == NULL)
            return "an input's shape is not known";
        if (c == ',') {
            if (letter != shape->rank)
                return "!its equation does not fit its inputs";
            term++;
            letter = 0;
            continue;
        }
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter || letter >= shape->rank)
            return "!its equation does not fit its inputs";
        if (extents[c] > 1 && shape->dims[letter] > 1 && extents[c] != shape->dims[letter])
            return "!a letter of its equation has two extents";
        extents[c] = shape->dims[letter] > extents[c] ? shape->dims[letter] : extents[c];
        letter++;
    }
    const struct onnx_shape *last = onnx_shape_in(i, term);
    if (term + 1 != i->node->n_inputs || last == NULL || letter != last->rank)
        return "!its equation does not fit its inputs";
    for (at += *at == '\0' ? 0 : 2; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        if (c >= 128 || extents[c] == -2 || out.rank == ONNX_MOST_DIMS)
            return "!its equation's result has a letter that no input has";
        out.dims[out.rank++] = extents[c];
    }
    *i->out = out;
    return NULL;
}

/* Queries [batch, heads, length, width], or with heads within the width. */
const char *onnx_infer_attention(struct infer *i)
{
    const struct onnx_shape *v = onnx_shape_in(i, 2);

    *i->out = *i->in;
    if (v == NULL)
        return "the shape of its values is not known";
    if (i->in->rank != v->rank || (v->rank != 3 && v->rank != 4))
        return "!its inputs do not have 3 or 4 dimensions each";
    if (v->rank == 4) {
        i->out->dims[3] = v->dims[3];
        return NULL;
    }
    int64_t q_heads = onnx_int(i->node, "q_num_heads", 0),
            heads = onnx_int(i->node, "kv_num_heads", 0);
    if (q_heads < 1 || heads < 1 || v->dims[2] % heads != 0)
        return "!its q_num_heads and kv_num_heads do not fit its inputs";
    i->out->dims[2] = onnx_times(q_heads, v->dims[2] < 0 ? -1 : v->dims[2] / heads);
    return NULL;
}

/* X [length, batch, input] -> Y [length, directions, batch, hidden]; LSTM, GRU, RNN. */
const char *onnx_infer_recurrent(struct infer *i)
{
    const struct onnx_shape *r = onnx_shape_in(i, 2);
    bool batch_first = onnx_int(i->node, "layout", 0) != 0;

    if (r == NULL || r->rank != 3 || i->in->rank != 3)
        return "!its input and weights do not have 3 dimensions each";
    int64_t length = i->in->dims[batch_first], batch = i->in->dims[!batch_first];
    struct onnx_shape y = {.rank = 4, .dims = {length, r->dims[0], batch, r->dims[2]}};
    struct onnx_shape last = {.rank = 3, .dims = {r->dims[0], batch, r->dims[2]}};
    if (batch_first) {
        y = (struct onnx_shape){.rank = 4, .dims = {batch, length, r->dims[0], r->dims[2]}};
        last = (struct onnx_shape){.rank = 3, .dims = {batch, r->dims[0], r->dims[2]}};
    }
    *i->out = y;
    for (int k = 1; k < 3; k++) {
        if (onnx_out(i->node, k) != NULL)
            onnx_out(i->node, k)->shape = last;
    }
    return NULL;
}
