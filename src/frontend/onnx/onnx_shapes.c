/* Shape inference: what each operator's outputs look like, from its inputs and attributes (the ONNX
 * specification, Operators.md). Dimensions that are not known stay so, and do no harm where nothing
 * depends on them. */
#include "frontend/onnx/onnx.h"

#include <string.h>

/* What an inference may use: nodes come in order, so the inputs are done. */
struct infer {
    struct onnx_model *model;
    const struct onnx_node *node;
    const struct onnx_shape *in; /* of input 0; NULL: not known */
    struct onnx_shape *out; /* of output 0 */
};

/* NULL, or why the outputs' shapes do not follow: something is not known, or, after a '!', wrong.
 */
typedef const char *infer_function(struct infer *i);

static const struct onnx_shape none = {.rank = -1};

/* No dimension is larger, so that sums and products of a few do not wrap. */
static const int64_t largest_dim = ONNX_LARGEST_DIM;

static const struct onnx_shape *shape_in(const struct infer *i, int input)
{
    const struct onnx_tensor *tensor = onnx_in(i->node, input);

    return tensor == NULL || tensor->shape.rank < 0 ? NULL : &tensor->shape;
}

/* The whole numbers in an input, or failing that in an attribute (older opsets had those). */
static const int64_t *numbers(const struct infer *i, int input, const char *name, int *n)
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

/* Axis "axis", counted from the end when negative; -1 when there is none. */
static int axis_of(int64_t axis, int rank)
{
    if (axis < 0)
        axis += rank;
    return axis < 0 || axis >= rank ? -1 : (int)axis;
}

/* a * b, or -1 when one is not known or it is beyond any extent. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t product;

    if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) || product > INT64_C(1) << 62)
        return -1;
    return product;
}

static int64_t plus(int64_t a, int64_t b)
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
        product = times(product, shape->dims[d]);
    *n = product;
    return shape->rank >= 0 && product >= 0;
}

/* ---- operators that keep the shape, and those that broadcast ---- */

static const char *infer_same(struct infer *i)
{
    *i->out = *i->in;
    return NULL;
}

static const char *broadcast(
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

static const char *infer_broadcast(struct infer *i)
{
    const char *why = NULL;

    *i->out = *i->in;
    if (onnx_int(i->node, "broadcast", 0) != 0)
        return NULL; /* opsets before 7: the second operand takes the shape of the first */
    for (int k = 1; k < i->node->n_inputs && why == NULL; k++) {
        const struct onnx_shape *other = shape_in(i, k);
        why = other == NULL ? "an input's shape is not known" : broadcast(i->out, other, i->out);
    }
    return why;
}

static const char *infer_where(struct infer *i)
{
    onnx_out(i->node, 0)->type = onnx_in(i->node, 1) == NULL ? 0 : onnx_in(i->node, 1)->type;
    return infer_broadcast(i);
}

static const char *infer_compare(struct infer *i)
{
    onnx_out(i->node, 0)->type = 9;
    return infer_broadcast(i);
}

static const char *infer_truth(struct infer *i)
{
    onnx_out(i->node, 0)->type = 9;
    return infer_same(i);
}

static const char *infer_cast(struct infer *i)
{
    onnx_out(i->node, 0)->type = (int)onnx_int(i->node, "to", 0);
    return infer_same(i);
}

static const char *infer_quantize(struct infer *i)
{
    const struct onnx_tensor *zero = onnx_in(i->node, 2);

    onnx_out(i->node, 0)->type = zero == NULL ? 2 : zero->type;
    return infer_same(i);
}

static const char *infer_dequantize(struct infer *i)
{
    const struct onnx_tensor *scale = onnx_in(i->node, 1);

    onnx_out(i->node, 0)->type = scale == NULL ? 1 : scale->type;
    return infer_same(i);
}

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
                w->pad_begin > most || w->pad_end > most || times(w->kernel, w->dilation) > most)
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
            times(weights->dims[1], group) != i->in->dims[1])
        return "!its weights are not for as many channels as its input has";
    for (int d = 2; d < weights->rank; d++) {
        if (weights->dims[d] < 0)
            return "the shape of its weights is not known";
    }
    return slide(i, &weights->dims[2], weights->dims[0], false);
}

static const char *infer_conv(struct infer *i)
{
    const char *why = conv(i, shape_in(i, 1));

    if (strcmp(i->node->op, "ConvInteger") == 0)
        onnx_out(i->node, 0)->type = 6;
    return why;
}

static const char *infer_qlinear_conv(struct infer *i)
{
    return conv(i, shape_in(i, 3));
}

static const char *infer_conv_transpose(struct infer *i)
{
    const struct onnx_shape *weights = shape_in(i, 1);
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
    i->out->dims[1] = times(weights->dims[1], group);
    bool same = strncmp(onnx_text(i->node, "auto_pad", ""), "SAME", 4) == 0;
    for (int a = 0; a < n_axes; a++) {
        const struct onnx_window *w = &windows[a];
        int64_t size = i->in->dims[2 + a],
                add = extra != NULL && a < extra->n_ints ? extra->ints[a] : 0;
        int64_t scaled = times(size - 1, w->stride);
        if (add < 0 || add >= w->stride + w->dilation)
            return "!its output_padding is out of range";
        if (fixed != NULL && fixed->n_ints == n_axes)
            i->out->dims[2 + a] = fixed->ints[a];
        else if (same)
            i->out->dims[2 + a] = times(size, w->stride);
        else
            i->out->dims[2 + a] = size < 0 || scaled < 0
                    ? -1
                    : scaled + add + (w->kernel - 1) * w->dilation + 1 - w->pad_begin - w->pad_end;
        if (size > 0 && i->out->dims[2 + a] < 1)
            return "!its output would be empty";
    }
    return NULL;
}

static const char *infer_pool(struct infer *i)
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

static const char *infer_gemm(struct infer *i)
{
    const struct onnx_shape *b = shape_in(i, 1);
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
    const char *why = broadcast(&left, &right, &batch);
    if (rows != -2)
        batch.dims[batch.rank++] = rows;
    if (columns != -2)
        batch.dims[batch.rank++] = columns;
    *i->out = batch;
    return why;
}

static const char *infer_matmul(struct infer *i)
{
    if (strcmp(i->node->op, "MatMulInteger") == 0)
        onnx_out(i->node, 0)->type = 6;
    return matmul(i, shape_in(i, 1));
}

static const char *infer_qlinear_matmul(struct infer *i)
{
    return matmul(i, shape_in(i, 3));
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
    const char *expanded = sator_arena_strdup(model->arena, text.data == NULL ? "" : text.data);
    sator_text_clear(&text);
    return expanded;
}

/* An equation of letters, "bij,bjk->bik", without blanks and dots. */
static const char *infer_einsum(struct infer *i)
{
    const char *at = onnx_equation(i->model, i->node);
    struct onnx_shape out = {.rank = 0};
    int64_t extents[128];
    int term = 0, letter = 0;

    for (int c = 0; c < 128; c++)
        extents[c] = -2;
    for (; *at != '\0' && strncmp(at, "->", 2) != 0; at++) {
        const struct onnx_shape *shape = shape_in(i, term);
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
    const struct onnx_shape *last = shape_in(i, term);
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
static const char *infer_attention(struct infer *i)
{
    const struct onnx_shape *v = shape_in(i, 2);

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
    i->out->dims[2] = times(q_heads, v->dims[2] < 0 ? -1 : v->dims[2] / heads);
    return NULL;
}

/* X [length, batch, input] -> Y [length, directions, batch, hidden]; LSTM, GRU, RNN. */
static const char *infer_recurrent(struct infer *i)
{
    const struct onnx_shape *r = shape_in(i, 2);
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

/* ---- reductions ---- */

const char *onnx_reduced(const struct onnx_node *node, const struct onnx_shape *in, bool *reduced)
{
    struct infer i = {.node = node};
    int n_axes;
    const int64_t *axes = numbers(&i, 1, "axes", &n_axes);
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
        int at = axis_of(axes[k], in->rank);
        if (at < 0)
            return "!it has no axis of such a number";
        reduced[at] = true;
    }
    return NULL;
}

static const char *infer_reduce(struct infer *i)
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

static const char *infer_arg(struct infer *i)
{
    onnx_out(i->node, 0)->type = 7;
    return infer_reduce(i);
}

static const char *infer_top_k(struct infer *i)
{
    int n, axis = axis_of(onnx_int(i->node, "axis", -1), i->in->rank);
    const int64_t *k = numbers(i, 1, "k", &n);

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

static const char *infer_constant(struct infer *i)
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
static const char *shape_from(struct infer *i, int input, struct onnx_shape *shape)
{
    int n;
    const int64_t *values = numbers(i, input, "shape", &n);

    if (values == NULL && n != 0)
        return "the contents of its shape are not known";
    if (n > ONNX_MOST_DIMS)
        return "!its shape has more than 16 dimensions";
    *shape = (struct onnx_shape){.rank = n};
    for (int d = 0; d < n; d++)
        shape->dims[d] = values[d];
    return NULL;
}

static const char *infer_constant_of_shape(struct infer *i)
{
    const struct onnx_attribute *value = onnx_attribute(i->node, "value");

    onnx_out(i->node, 0)->type = value != NULL && value->tensor != NULL ? value->tensor->type : 1;
    return shape_from(i, 0, i->out);
}

static const char *infer_shape(struct infer *i)
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

static const char *infer_size(struct infer *i)
{
    *i->out = (struct onnx_shape){.rank = 0};
    onnx_out(i->node, 0)->type = 7;
    return NULL;
}

static const char *infer_reshape(struct infer *i)
{
    struct onnx_shape shape;
    const char *why = shape_from(i, 1, &shape);
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
        rest = times(rest, shape.dims[d]);
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

static const char *infer_flatten(struct infer *i)
{
    int64_t axis = onnx_int(i->node, "axis", 1);
    int64_t sides[2] = {1, 1};

    axis = axis < 0 ? axis + i->in->rank : axis;
    if (axis < 0 || axis > i->in->rank)
        return "!it has no axis of such a number";
    for (int d = 0; d < i->in->rank; d++)
        sides[d >= axis] = times(sides[d >= axis], i->in->dims[d]);
    *i->out = (struct onnx_shape){.rank = 2, .dims = {sides[0], sides[1]}};
    return NULL;
}

static const char *infer_squeeze(struct infer *i)
{
    int n;
    const int64_t *axes = numbers(i, 1, "axes", &n);
    struct onnx_shape out = {.rank = 0};

    if (axes == NULL && onnx_in(i->node, 1) != NULL)
        return "the contents of its axes are not known";
    for (int d = 0; d < i->in->rank; d++) {
        bool drop = axes == NULL && i->in->dims[d] == 1;
        for (int k = 0; axes != NULL && k < n; k++)
            drop |= axis_of(axes[k], i->in->rank) == d;
        if (!drop)
            out.dims[out.rank++] = i->in->dims[d];
    }
    *i->out = out;
    return NULL;
}

static const char *infer_unsqueeze(struct infer *i)
{
    int n;
    const int64_t *axes = numbers(i, 1, "axes", &n);

    if (axes == NULL)
        return "the contents of its axes are not known";
    struct onnx_shape out = {.rank = i->in->rank + n};
    if (out.rank > ONNX_MOST_DIMS)
        return "!it makes more than 16 dimensions";
    for (int d = 0, from = 0; d < out.rank; d++) {
        bool fresh = false;
        for (int k = 0; k < n; k++)
            fresh |= axis_of(axes[k], out.rank) == d;
        if (!fresh && from >= i->in->rank)
            return "!it has an axis twice";
        out.dims[d] = fresh ? 1 : i->in->dims[from++];
    }
    *i->out = out;
    return NULL;
}

static const char *infer_range(struct infer *i)
{
    int64_t v[3] = {0};

    *i->out = (struct onnx_shape){.rank = 1, .dims = {-1}};
    for (int k = 0; k < 3; k++) {
        int n;
        const int64_t *value = numbers(i, k, "", &n);
        if (value == NULL || n != 1)
            return NULL;
        v[k] = value[0];
    }
    if (v[2] == 0)
        return "!its step is 0";
    sator_int span = (sator_int)v[1] - v[0], step = v[2];
    sator_int length = (span + (step > 0 ? step - 1 : step + 1)) / step;
    i->out->dims[0] = length <= 0 ? 0 : length > largest_dim ? -1 : (int64_t)length;
    return NULL;
}

/* ---- data that moves ---- */

static const char *infer_transpose(struct infer *i)
{
    const struct onnx_attribute *perm = onnx_attribute(i->node, "perm");
    int rank = i->in->rank;

    if (perm != NULL && perm->n_ints != rank)
        return "!its perm does not fit its input";
    *i->out = *i->in;
    for (int d = 0; d < rank; d++) {
        int from = perm == NULL ? rank - 1 - d : axis_of(perm->ints[d], rank);
        if (from < 0)
            return "!its perm does not fit its input";
        i->out->dims[d] = i->in->dims[from];
    }
    return NULL;
}

static const char *infer_concat(struct infer *i)
{
    int axis = axis_of(onnx_int(i->node, "axis", 1), i->in->rank);

    if (axis < 0)
        return "!it has no axis of such a number";
    *i->out = *i->in;
    for (int k = 1; k < i->node->n_inputs; k++) {
        const struct onnx_shape *other = shape_in(i, k);
        if (other == NULL || other->rank != i->in->rank)
            return other == NULL ? "an input's shape is not known"
                                 : "!its inputs do not have the same number of dimensions";
        for (int d = 0; d < other->rank; d++) {
            int64_t *mine = &i->out->dims[d];
            if (d == axis)
                *mine = plus(*mine, other->dims[d]);
            else if (*mine < 0)
                *mine = other->dims[d];
            else if (other->dims[d] >= 0 && other->dims[d] != *mine)
                return "!its inputs' shapes do not fit each other";
        }
    }
    return NULL;
}

static const char *infer_split(struct infer *i)
{
    int n_sizes, n_outputs = i->node->n_outputs;
    int axis = axis_of(onnx_int(i->node, "axis", 0), i->in->rank);
    const int64_t *sizes = numbers(i, 1, "split", &n_sizes);

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

static const char *infer_slice(struct infer *i)
{
    int n_starts, n_ends, n_axes, n_steps;
    const int64_t *starts = numbers(i, 1, "starts", &n_starts);
    const int64_t *ends = numbers(i, 2, "ends", &n_ends);
    const int64_t *axes = numbers(i, 3, "axes", &n_axes);
    const int64_t *steps = numbers(i, 4, "steps", &n_steps);

    *i->out = *i->in;
    if (axes == NULL && onnx_in(i->node, 3) != NULL)
        return "the contents of its axes are not known";
    int n = axes != NULL ? n_axes : starts != NULL ? n_starts : i->in->rank;
    for (int k = 0; k < n; k++) {
        int axis = axes == NULL ? axis_of(k, i->in->rank) : axis_of(axes[k], i->in->rank);
        if (axis < 0)
            return "!it has no axis of such a number";
        bool known = starts != NULL && k < n_starts && ends != NULL && k < n_ends &&
                (onnx_in(i->node, 4) == NULL || (steps != NULL && k < n_steps));
        int64_t step = steps != NULL && k < n_steps ? steps[k] : 1;
        i->out->dims[axis] = known ? sliced(i->in->dims[axis], starts[k], ends[k], step) : -1;
    }
    return NULL;
}

static const char *infer_gather(struct infer *i)
{
    const struct onnx_shape *indices = shape_in(i, 1);
    int axis = axis_of(onnx_int(i->node, "axis", 0), i->in->rank);
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

static const char *infer_gather_elements(struct infer *i)
{
    const struct onnx_shape *indices = shape_in(i, 1);

    if (indices == NULL)
        return "the shape of its indices is not known";
    *i->out = *indices;
    return NULL;
}

static const char *infer_gather_nd(struct infer *i)
{
    const struct onnx_shape *indices = shape_in(i, 1);
    int64_t batch = onnx_int(i->node, "batch_dims", 0);
    struct onnx_shape out = {.rank = 0};

    if (indices == NULL || indices->rank < 1 || indices->dims[indices->rank - 1] < 0)
        return "the shape of its indices is not known";
    int64_t from = plus(batch > ONNX_MOST_DIMS ? -1 : batch, indices->dims[indices->rank - 1]);
    if (from < 0 || from > i->in->rank || indices->rank - 1 + i->in->rank - from > ONNX_MOST_DIMS)
        return "!its indices do not fit its input";
    for (int d = 0; d < indices->rank - 1; d++)
        out.dims[out.rank++] = indices->dims[d];
    for (int64_t d = from; d < i->in->rank; d++)
        out.dims[out.rank++] = i->in->dims[d];
    *i->out = out;
    return NULL;
}

static const char *infer_expand(struct infer *i)
{
    struct onnx_shape shape;
    const char *why = shape_from(i, 1, &shape);

    return why != NULL ? why : broadcast(i->in, &shape, i->out);
}

static const char *infer_tile(struct infer *i)
{
    int n;
    const int64_t *repeats = numbers(i, 1, "", &n);

    if (repeats == NULL || n != i->in->rank)
        return "the contents of its repeats are not known, or do not fit its input";
    *i->out = *i->in;
    for (int d = 0; d < n; d++)
        i->out->dims[d] = times(i->in->dims[d], repeats[d]);
    return NULL;
}

static const char *infer_pad(struct infer *i)
{
    int n, n_axes, rank = i->in->rank;
    const int64_t *pads = numbers(i, 1, "pads", &n);
    const int64_t *axes = numbers(i, 3, "axes", &n_axes);
    int n_padded = axes == NULL ? rank : n_axes;

    if (pads == NULL || n != 2 * n_padded)
        return "the contents of its pads are not known, or do not fit its input";
    *i->out = *i->in;
    for (int k = 0; k < n_padded; k++) {
        int axis = axes == NULL ? k : axis_of(axes[k], rank);
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
static const char *infer_resize(struct infer *i)
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
        i->out->dims[d] = size < 0 ? -1 : grows ? times(size, factor) : size / factor;
    }
    return NULL;
}

static const char *infer_depth_to_space(struct infer *i)
{
    return blocks(i, true);
}

static const char *infer_space_to_depth(struct infer *i)
{
    return blocks(i, false);
}

static const char *infer_unknown(struct infer *i)
{
    *i->out = none;
    return "its output's shape depends on its input's contents";
}

/* ---- all of them ---- */

static const struct {
    const char *op;
    infer_function *infer;
} rules[] = {
#define OP(name, shape, kind, nests) {name, infer_##shape},
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
    struct onnx_shape made = none;
    struct infer i = {model, node, shape_in(&(struct infer){.node = node}, 0), &made};
    enum sator_status st;

    SATOR_TRY(check_inputs(model, node));
    if (out == NULL)
        return SATOR_OK;
    if (out->type == 0 && first != NULL)
        out->type = first->type;
    if (rule == NULL)
        node->unknown = "the operator is not known here";
    else if (i.in == NULL && rule != infer_constant)
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
            if (shape->dims[d] < 0 || shape->dims[d] > largest_dim)
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
