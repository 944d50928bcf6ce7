/* The loop nests of the operators, in Sator's notation: outputs Y, inputs A, B, ... Loops are
 * called as in the library's workloads, so that its dataflows apply. The input of a window is the
 * padded one, counted from its corner, as there. */
#include "frontend/onnx/onnx.h"

#include <string.h>

/* A nest being written, with what it is of. */
struct writer {
    struct onnx_model *model;
    const struct onnx_node *node;
    struct onnx_nest nest;
    onnx_add_nest *add;
    void *data;
    enum sator_status st;
};

static const int64_t largest_extent = INT64_C(1) << 40;

static void loop(struct writer *w, const char *name, int64_t extent)
{
    if (w->st == SATOR_OK && (extent < 1 || extent > largest_extent)) {
        w->st = sator_error(w->model->ctx, w->node->loc,
                "loop '%s' of %s would have %lld iterations: between 1 and 2^40 are possible", name,
                w->node->op, (long long)extent);
    }
    sator_text_add(&w->nest.sizes, "%s%s: %lld", w->nest.sizes.length == 0 ? "" : ", ", name,
            (long long)extent);
}

static void role(struct writer *w, const char *name, const char *tensor, int type)
{
    w->nest.roles[w->nest.n_tensors++] = (struct onnx_role){name, tensor, type};
}

static void role_of(struct writer *w, const char *name, const struct onnx_tensor *tensor)
{
    role(w, name, tensor == NULL ? "" : tensor->name, tensor == NULL ? 0 : tensor->type);
}

/* What is only inside the node, by a name made up: "y.max" of the output y. */
static void role_inside(struct writer *w, const char *name, const char *what)
{
    const struct onnx_tensor *out = onnx_out(w->node, 0);

    role(w, name, sator_arena_printf(w->model->arena, "%s.%s", out == NULL ? "" : out->name, what),
            out == NULL ? 0 : out->type);
}

/* Hand over what was written, and begin anew. */
static void done(struct writer *w, const char *suffix)
{
    w->nest.suffix = suffix;
    if (w->st == SATOR_OK)
        w->add(w->data, w->node, &w->nest);
    sator_text_clear(&w->nest.sizes);
    sator_text_clear(&w->nest.op);
    w->nest = (struct onnx_nest){.n_tensors = 0};
}

#define OP_TEXT(w, ...) sator_text_add(&(w)->nest.op, __VA_ARGS__)

/* Report that the shape of "tensor" is not known, and why. */
static enum sator_status not_known(
        struct onnx_model *model, const struct onnx_node *node, const struct onnx_tensor *tensor)
{
    const struct onnx_node *from = tensor->producer;
    enum sator_status st = sator_error(model->ctx, node->loc,
            "%s needs the shape of '%s', which is not known", node->op, tensor->name);

    if (from != NULL && from->unknown != NULL)
        sator_help(model->ctx, "node %d, %s: %s", from->index + 1, from->op, from->unknown);
    else if (from != NULL)
        sator_help(model->ctx, "node %d, %s, gives it with dimensions that are not known",
                from->index + 1, from->op);
    return st;
}

/* The shape of a tensor that a nest needs; NULL after an error. */
static const struct onnx_shape *need(struct writer *w, const struct onnx_tensor *tensor)
{
    if (w->st != SATOR_OK)
        return NULL;
    if (tensor == NULL) {
        w->st = sator_error(
                w->model->ctx, w->node->loc, "%s lacks an input or an output", w->node->op);
        return NULL;
    }
    int64_t n;
    if (!onnx_is_known(&tensor->shape))
        w->st = not_known(w->model, w->node, tensor);
    else if (!onnx_elements(&tensor->shape, &n) || n == 0)
        w->st = sator_error(w->model->ctx, w->node->loc, "'%s' has %s elements", tensor->name,
                n == 0 ? "no" : "2^62 or more");
    else
        return &tensor->shape;
    return NULL;
}

/* ---- convolutions ---- */

static const char *const axis_names[] = {"z", "y", "x"};

/* "2*oy+ry" for each spatial axis, or only "oy" or "ry". */
static void window_indices(
        struct writer *w, int n_axes, const struct onnx_window *windows, bool out, bool kernel)
{
    for (int a = 0; a < n_axes; a++) {
        const char *axis = axis_names[3 - n_axes + a];
        const char *separator = w->nest.op.data[w->nest.op.length - 1] == '[' ? "" : ",";
        if (out && kernel && windows[a].stride != 1)
            OP_TEXT(w, "%s%lld*o%s", separator, (long long)windows[a].stride, axis);
        else if (out)
            OP_TEXT(w, "%so%s", separator, axis);
        if (kernel && windows[a].dilation != 1 && out)
            OP_TEXT(w, "+%lld*r%s", (long long)windows[a].dilation, axis);
        else if (kernel)
            OP_TEXT(w, "%sr%s", out ? "+" : separator, axis);
    }
}

static void window_loops(
        struct writer *w, int n_axes, const struct onnx_window *windows, const int64_t *positions)
{
    for (int a = 0; a < n_axes; a++)
        loop(w,
                n_axes == 3 ? (const char *[]){"oz", "oy", "ox"}[a]
                            : (const char *[]){"oy", "ox"}[2 - n_axes + a],
                positions[a]);
    for (int a = 0; windows != NULL && a < n_axes; a++)
        loop(w,
                n_axes == 3 ? (const char *[]){"rz", "ry", "rx"}[a]
                            : (const char *[]){"ry", "rx"}[2 - n_axes + a],
                windows[a].kernel);
}

/* The tuple of channels: "n,k", with "g" where there are groups. */
static const char *channels(bool depthwise, bool grouped, const char *plain)
{
    static const char *const forms[][3] = {{"n,k", "n,k,c", "n,g,k"}, /* outputs */
            {"n,c", "n,c", "n,g,c"}, /* inputs */
            {"k,c", "k,c", "g,k,c"}, /* weights */
            {"c,k", "c,k", "g,c,k"}}; /* weights of a transposed convolution */
    int form = depthwise ? 1 : grouped ? 2 : 0;

    for (int i = 0; i < 4; i++) {
        if (strcmp(forms[i][0], plain) == 0)
            return forms[i][form];
    }
    return plain;
}

/* "is_transposed": every input pixel is spread over a window of the output; the loops ox and oy are
 * then those of the input (library/workloads/conv2d-transposed). */
static void convolve(struct writer *w, const struct onnx_tensor *a, const struct onnx_tensor *b,
        bool is_transposed)
{
    const struct onnx_shape *x = need(w, a), *f = need(w, b), *y = need(w, onnx_out(w->node, 0));
    struct onnx_window windows[ONNX_MOST_DIMS];
    int64_t group = onnx_int(w->node, "group", 1);

    if (x == NULL || f == NULL || y == NULL)
        return;
    int n_axes = x->rank - 2;
    if (n_axes < 1 || n_axes > 3 || f->rank != x->rank || y->rank != x->rank || group < 1 ||
            onnx_windows(w->node, x, &f->dims[2], n_axes, windows) < n_axes) {
        w->st = sator_error(w->model->ctx, w->node->loc,
                "%s over %d spatial dimensions: 1, 2 or 3 are possible", w->node->op, n_axes);
        return;
    }
    int64_t inputs = is_transposed ? f->dims[0] / group : f->dims[1];
    int64_t outputs = is_transposed ? f->dims[1] : f->dims[0] / group;
    bool depthwise = group > 1 && inputs == 1, grouped = group > 1 && !depthwise;
    loop(w, "n", x->dims[0]);
    if (grouped)
        loop(w, "g", group);
    loop(w, "k", outputs);
    loop(w, "c", depthwise ? group : inputs);
    window_loops(w, n_axes, windows, is_transposed ? &x->dims[2] : &y->dims[2]);
    OP_TEXT(w, "Y[%s", channels(depthwise, grouped, "n,k"));
    window_indices(w, n_axes, windows, true, is_transposed);
    OP_TEXT(w, "] += A[%s", channels(depthwise, grouped, "n,c"));
    window_indices(w, n_axes, windows, true, !is_transposed);
    OP_TEXT(w, "] * B[%s", channels(depthwise, grouped, is_transposed ? "c,k" : "k,c"));
    window_indices(w, n_axes, windows, false, true);
    OP_TEXT(w, "]");
    role_of(w, "A", a);
    role_of(w, "B", b);
    role_of(w, "Y", onnx_out(w->node, 0));
    done(w, "");
}

static void nests_conv(struct writer *w)
{
    convolve(w, onnx_in(w->node, 0), onnx_in(w->node, 1), false);
}

static void nests_qlinear_conv(struct writer *w)
{
    convolve(w, onnx_in(w->node, 0), onnx_in(w->node, 3), false);
}

static void nests_conv_transpose(struct writer *w)
{
    convolve(w, onnx_in(w->node, 0), onnx_in(w->node, 1), true);
}

/* ---- matrices ---- */

/* "b,h," for the leading dimensions of "shape" that are not 1, as far as the result has them. */
static void batch_indices(struct writer *w, const struct onnx_shape *shape, int n_own, int n_batch,
        const char *const *names)
{
    int n_mine = shape->rank - n_own;

    for (int d = 0; d < n_batch; d++) {
        int at = d - n_batch + n_mine;
        if (names[d] != NULL && at >= 0 && shape->dims[at] != 1)
            OP_TEXT(w, "%s,", names[d]);
    }
}

static void multiply(struct writer *w, const struct onnx_tensor *ta, const struct onnx_tensor *tb)
{
    const struct onnx_shape *a = need(w, ta), *b = need(w, tb), *y = need(w, onnx_out(w->node, 0));
    bool trans_a = onnx_int(w->node, "transA", 0) != 0,
         trans_b = onnx_int(w->node, "transB", 0) != 0;
    const char *names[ONNX_MOST_DIMS] = {NULL};
    int n_loops = 0, at = 0;

    if (a == NULL || b == NULL || y == NULL)
        return;
    bool rows = a->rank > 1, columns = b->rank > 1;
    int n_batch = y->rank - rows - columns;
    for (int d = 0; d < n_batch; d++)
        n_loops += y->dims[d] != 1;
    for (int d = 0; d < n_batch; d++) {
        if (y->dims[d] == 1)
            continue;
        names[d] = n_loops > 2      ? sator_arena_printf(w->model->arena, "b%d", at)
                : n_loops - at == 1 ? "h"
                                    : "b";
        at++;
        loop(w, names[d], y->dims[d]);
    }
    if (rows)
        loop(w, "i", y->dims[n_batch]);
    if (columns)
        loop(w, "j", y->dims[y->rank - 1]);
    loop(w, "k", a->dims[rows && trans_a ? a->rank - 2 : a->rank - 1]);
    OP_TEXT(w, "Y[");
    batch_indices(w, y, rows + columns, n_batch, names);
    OP_TEXT(w, "%s] += A[", rows && columns ? "i,j" : rows ? "i" : columns ? "j" : "0");
    batch_indices(w, a, 1 + rows, n_batch, names);
    OP_TEXT(w, "%s] * B[", !rows ? "k" : trans_a ? "k,i" : "i,k");
    batch_indices(w, b, 1 + columns, n_batch, names);
    OP_TEXT(w, "%s]", !columns ? "k" : trans_b ? "j,k" : "k,j");
    role_of(w, "A", ta);
    role_of(w, "B", tb);
    role_of(w, "Y", onnx_out(w->node, 0));
    done(w, "");
}

static void nests_gemm(struct writer *w)
{
    multiply(w, onnx_in(w->node, 0), onnx_in(w->node, 1));
}

static void nests_matmul(struct writer *w)
{
    multiply(w, onnx_in(w->node, 0), onnx_in(w->node, 1));
}

static void nests_qlinear_matmul(struct writer *w)
{
    multiply(w, onnx_in(w->node, 0), onnx_in(w->node, 3));
}

/* ---- einsums ---- */

static const char *const input_roles[] = {"A", "B", "C", "D", "E", "F"};

enum {
    MOST_INPUTS = sizeof input_roles / sizeof *input_roles
};

/* A term's letters as indices; a dimension of 1 that stands for all has index 0. */
static const char *einsum_term(
        struct writer *w, const char *term, const struct onnx_shape *shape, const int64_t *extents)
{
    int d = 0;

    for (; *term != '\0' && *term != ',' && *term != '-'; term++) {
        unsigned char c = (unsigned char)*term;
        if (c == ' ')
            continue;
        bool all = shape != NULL && shape->dims[d] == 1 && extents[c] != 1;
        OP_TEXT(w, all ? "%s0" : "%s%c", d == 0 ? "" : ",", c);
        d++;
    }
    if (d == 0)
        OP_TEXT(w, "0");
    return term;
}

static void nests_einsum(struct writer *w)
{
    const char *equation = onnx_equation(w->model, w->node), *at = equation;
    const char *arrow = strstr(equation, "->");
    int64_t extents[128] = {0};
    int n_inputs = w->node->n_inputs, term = 0, d = 0;

    if (arrow == NULL || n_inputs > MOST_INPUTS) {
        w->st = sator_error(w->model->ctx, w->node->loc,
                "an Einsum of %d inputs: at most %d are possible", n_inputs, (int)MOST_INPUTS);
        return;
    }
    for (int k = 0; k < n_inputs; k++)
        need(w, onnx_in(w->node, k));
    if (w->node->unknown != NULL || need(w, onnx_out(w->node, 0)) == NULL)
        return;
    for (; at < arrow; at++) {
        const struct onnx_shape *shape = &onnx_in(w->node, term)->shape;
        unsigned char c = (unsigned char)*at;
        if (c == ',') {
            term++;
            d = 0;
        } else if (c != ' ') {
            extents[c] = shape->dims[d] > extents[c] ? shape->dims[d] : extents[c];
            d++;
        }
    }
    for (int c = 0; c < 128; c++) {
        if (extents[c] > 0)
            loop(w, (char[]){(char)c, '\0'}, extents[c]);
    }
    OP_TEXT(w, "Y[");
    einsum_term(w, arrow + 2, NULL, extents);
    at = equation;
    for (int k = 0; k < n_inputs; k++) {
        OP_TEXT(w, "] %s %s[", k == 0 ? "+=" : "*", input_roles[k]);
        at = einsum_term(w, at, &onnx_in(w->node, k)->shape, extents);
        at += *at == ',';
        role_of(w, input_roles[k], onnx_in(w->node, k));
    }
    OP_TEXT(w, "]");
    role_of(w, "Y", onnx_out(w->node, 0));
    done(w, "");
}

/* ---- attention ---- */

/* Heads and their width of queries, keys or values: [batch, heads, length, width], or 3 dimensions
 * with "heads" within the last. */
static void heads_of(
        const struct onnx_shape *shape, int64_t heads, int64_t *n, int64_t *length, int64_t *width)
{
    bool split = shape->rank == 4;

    *n = split ? shape->dims[1] : heads;
    *length = shape->dims[split ? 2 : 1];
    *width = split ? shape->dims[3] : shape->dims[2] / (heads < 1 ? 1 : heads);
}

static void attention_loops(struct writer *w, int64_t batch, int64_t heads, int64_t group)
{
    if (batch != 1)
        loop(w, "b", batch);
    loop(w, "h", heads);
    if (group != 1)
        loop(w, "g", group);
}

static void nests_attention(struct writer *w)
{
    const struct onnx_shape *q = need(w, onnx_in(w->node, 0)), *k = need(w, onnx_in(w->node, 1));
    const struct onnx_shape *v = need(w, onnx_in(w->node, 2));
    const struct onnx_tensor *past = onnx_in(w->node, 4);
    int64_t q_heads, heads, length, keys, width, value_width, ignored;

    if (q == NULL || k == NULL || v == NULL || (past != NULL && need(w, past) == NULL))
        return;
    heads_of(q, onnx_int(w->node, "q_num_heads", 1), &q_heads, &length, &width);
    heads_of(k, onnx_int(w->node, "kv_num_heads", 1), &heads, &keys, &ignored);
    heads_of(v, onnx_int(w->node, "kv_num_heads", 1), &heads, &keys, &value_width);
    if (past != NULL && past->shape.rank == 4)
        keys += past->shape.dims[2];
    if (heads < 1 || q_heads % heads != 0 || q->rank != k->rank || q->rank != v->rank) {
        w->st = sator_error(w->model->ctx, w->node->loc,
                "Attention: %lld query heads cannot share %lld heads of keys", (long long)q_heads,
                (long long)heads);
        return;
    }
    int64_t batch = q->dims[0], group = q_heads / heads;
    const char *b = batch == 1 ? "" : "b,", *g = group == 1 ? "" : "g,";
    attention_loops(w, batch, heads, group);
    loop(w, "i", length);
    loop(w, "j", keys);
    loop(w, "k", width);
    OP_TEXT(w, "Y[%sh,%si,j] += A[%sh,%si,k] * B[%sh,j,k]", b, g, b, g, b);
    role_of(w, "A", onnx_in(w->node, 0));
    role_of(w, "B", onnx_in(w->node, 1));
    role_inside(w, "Y", "scores");
    done(w, ".qk");
    attention_loops(w, batch, heads, group);
    loop(w, "i", length);
    loop(w, "j", value_width);
    loop(w, "k", keys);
    OP_TEXT(w, "Y[%sh,%si,j] += A[%sh,%si,k] * B[%sh,k,j]", b, g, b, g, b);
    role_inside(w, "A", "weights");
    role_of(w, "B", onnx_in(w->node, 2));
    role_of(w, "Y", onnx_out(w->node, 0));
    done(w, ".pv");
}

/* ---- recurrent networks: the products with the input and with the state ---- */

static void nests_recurrent(struct writer *w)
{
    const struct onnx_shape *x = need(w, onnx_in(w->node, 0)), *f = need(w, onnx_in(w->node, 1));
    const struct onnx_shape *r = need(w, onnx_in(w->node, 2));
    bool batch_first = onnx_int(w->node, "layout", 0) != 0;

    if (x == NULL || f == NULL || r == NULL)
        return;
    for (int part = 0; part < 2; part++) {
        const struct onnx_shape *weights = part == 0 ? f : r;
        loop(w, "d", weights->dims[0]);
        loop(w, "t", x->dims[batch_first]);
        loop(w, "b", x->dims[!batch_first]);
        loop(w, "g", weights->dims[1]);
        loop(w, "k", weights->dims[2]);
        OP_TEXT(w, "Y[d,t,b,g] += A[%st,b,k] * B[d,g,k]", part == 0 ? "" : "d,");
        if (part == 0)
            role_of(w, "A", onnx_in(w->node, 0));
        else
            role_inside(w, "A", "state");
        role_of(w, "B", onnx_in(w->node, 1 + part));
        role_inside(w, "Y", part == 0 ? "from_input" : "from_state");
        done(w, part == 0 ? ".input" : ".state");
    }
}

/* ---- what multiplies nothing ---- */

static void nests_pool(struct writer *w)
{
    const struct onnx_shape *x = need(w, onnx_in(w->node, 0)), *y = need(w, onnx_out(w->node, 0));
    const struct onnx_attribute *kernel = onnx_attribute(w->node, "kernel_shape");
    struct onnx_window windows[ONNX_MOST_DIMS];

    if (x == NULL || y == NULL)
        return;
    int n_axes = x->rank - 2;
    if (kernel == NULL || n_axes < 1 || n_axes > 3 || kernel->n_ints != n_axes ||
            onnx_windows(w->node, x, kernel->ints, n_axes, windows) < n_axes) {
        w->st = sator_error(w->model->ctx, w->node->loc,
                "%s over %d spatial dimensions: 1, 2 or 3 are possible", w->node->op, n_axes);
        return;
    }
    loop(w, "n", x->dims[0]);
    loop(w, "c", x->dims[1]);
    window_loops(w, n_axes, windows, &y->dims[2]);
    OP_TEXT(w, "Y[n,c");
    window_indices(w, n_axes, windows, true, false);
    OP_TEXT(w, "] += A[n,c");
    window_indices(w, n_axes, windows, true, true);
    OP_TEXT(w, "]");
    role_of(w, "A", onnx_in(w->node, 0));
    role_of(w, "Y", onnx_out(w->node, 0));
    done(w, "");
}

/* The dimensions of "shape" that are not 1, as indices d0, d1, ... of a result of rank "rank". */
static void plain_indices(struct writer *w, const struct onnx_shape *shape, int rank)
{
    int n = 0;

    for (int d = 0; d < shape->rank; d++) {
        if (shape->dims[d] != 1)
            OP_TEXT(w, "%sd%d", n++ == 0 ? "" : ",", d + rank - shape->rank);
    }
    OP_TEXT(w, n == 0 ? "0" : "");
}

static void plain_loops(struct writer *w, const struct onnx_shape *shape)
{
    for (int d = 0; d < shape->rank; d++) {
        if (shape->dims[d] != 1)
            loop(w, sator_arena_printf(w->model->arena, "d%d", d), shape->dims[d]);
    }
    if (w->nest.sizes.length == 0)
        loop(w, "d0", 1);
}

/* Whether every dimension of "shape" is 1 or that of the result. */
static bool is_spread(const struct onnx_shape *shape, const struct onnx_shape *result)
{
    for (int d = 0; d < shape->rank; d++) {
        if (shape->dims[d] != 1 && shape->dims[d] != result->dims[result->rank - shape->rank + d])
            return false;
    }
    return true;
}

static void nests_elementwise(struct writer *w)
{
    const struct onnx_shape *y = need(w, onnx_out(w->node, 0));
    int n_reads = 0;
    int64_t n;

    if (y == NULL)
        return;
    plain_loops(w, y);
    OP_TEXT(w, "Y[");
    plain_indices(w, y, y->rank);
    for (int k = 0; k < w->node->n_inputs && n_reads < MOST_INPUTS; k++) {
        const struct onnx_tensor *in = onnx_in(w->node, k);
        const struct onnx_shape *shape = in == NULL ? NULL : need(w, in);
        if (shape == NULL || shape->rank > y->rank || !is_spread(shape, y) ||
                (k > 0 && onnx_elements(shape, &n) && n == 1))
            continue; /* a single number, such as a limit of Clip, is a constant of the operation */
        OP_TEXT(w, "] %s %s[", n_reads == 0 ? "+=" : "*", input_roles[n_reads]);
        plain_indices(w, shape, y->rank);
        role_of(w, input_roles[n_reads++], in);
    }
    OP_TEXT(w, "]");
    role_of(w, "Y", onnx_out(w->node, 0));
    done(w, "");
}

static void nests_reduce(struct writer *w)
{
    const struct onnx_shape *x = need(w, onnx_in(w->node, 0));
    bool reduced[ONNX_MOST_DIMS] = {false};
    struct onnx_shape left;

    if (x == NULL)
        return;
    onnx_reduced(w->node, x, reduced);
    plain_loops(w, x);
    left = *x;
    for (int d = 0; d < x->rank; d++)
        left.dims[d] = reduced[d] ? 1 : x->dims[d];
    OP_TEXT(w, "Y[");
    plain_indices(w, &left, x->rank);
    OP_TEXT(w, "] += A[");
    plain_indices(w, x, x->rank);
    OP_TEXT(w, "]");
    role_of(w, "A", onnx_in(w->node, 0));
    role_of(w, "Y", onnx_out(w->node, 0));
    done(w, "");
}

/* One pass over rows i of j elements: "op" with its tensors, of which those that are not the node's
 * own are called after it. */
static void pass(struct writer *w, int64_t rows, int64_t columns, const char *op,
        const char *suffix, int n_roles, const char *const (*roles)[2])
{
    loop(w, "i", rows);
    loop(w, "j", columns);
    OP_TEXT(w, "%s", op);
    for (int r = 0; r < n_roles; r++) {
        const char *name = roles[r][0], *what = roles[r][1];
        if (what[0] >= '0' && what[0] <= '9')
            role_of(w, name, onnx_in(w->node, what[0] - '0'));
        else if (what[0] == '>')
            role_of(w, name, onnx_out(w->node, 0));
        else
            role_inside(w, name, what);
    }
    done(w, suffix);
}

#define ROLES(...)                                                                                 \
    (sizeof((const char *const[][2]){__VA_ARGS__}) / sizeof(const char *const[2])),                \
            (const char *const[][2])                                                               \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void nests_softmax(struct writer *w)
{
    const struct onnx_shape *x = need(w, onnx_in(w->node, 0));
    bool flat = w->model->opset < 13;
    int64_t axis = onnx_int(w->node, "axis", flat ? 1 : -1), rows = 1, columns = 1;

    if (x == NULL)
        return;
    axis = axis < 0 ? axis + x->rank : axis;
    for (int d = 0; d < x->rank; d++) {
        if (d == axis || (flat && d > axis))
            columns *= x->dims[d];
        else
            rows *= x->dims[d];
    }
    pass(w, rows, columns, "Y[i] += A[i,j]", ".max", ROLES({"A", "0"}, {"Y", "max"}));
    pass(w, rows, columns, "Y[i] += A[i,j] * B[i]", ".sum",
            ROLES({"A", "0"}, {"B", "max"}, {"Y", "sum"}));
    pass(w, rows, columns, "Y[i,j] += A[i,j] * B[i] * C[i]", ".divide",
            ROLES({"A", "0"}, {"B", "max"}, {"C", "sum"}, {"Y", ">"}));
}

static void nests_layer_norm(struct writer *w)
{
    const struct onnx_shape *x = need(w, onnx_in(w->node, 0));
    bool no_mean = strncmp(w->node->op, "RMS", 3) == 0 || strstr(w->node->op, "Simplified") != NULL;
    int64_t axis = onnx_int(w->node, "axis", -1), rows = 1, columns = 1;

    if (x == NULL)
        return;
    axis = axis < 0 ? axis + x->rank : axis;
    for (int d = 0; d < x->rank; d++)
        *(d >= axis ? &columns : &rows) *= x->dims[d];
    if (no_mean) {
        pass(w, rows, columns, "Y[i] += A[i,j]", ".square", ROLES({"A", "0"}, {"Y", "square"}));
        pass(w, rows, columns, "Y[i,j] += A[i,j] * B[i] * C[j]", ".scale",
                ROLES({"A", "0"}, {"B", "square"}, {"C", "1"}, {"Y", ">"}));
        return;
    }
    pass(w, rows, columns, "Y[i] += A[i,j]", ".mean", ROLES({"A", "0"}, {"Y", "mean"}));
    pass(w, rows, columns, "Y[i] += A[i,j] * B[i]", ".variance",
            ROLES({"A", "0"}, {"B", "mean"}, {"Y", "variance"}));
    pass(w, rows, columns, "Y[i,j] += A[i,j] * B[i] * C[i] * D[j]", ".scale",
            ROLES({"A", "0"}, {"B", "mean"}, {"C", "variance"}, {"D", "1"}, {"Y", ">"}));
}

static void nests_instance_norm(struct writer *w)
{
    const struct onnx_shape *x = need(w, onnx_in(w->node, 0));
    int64_t columns = 1;

    if (x == NULL)
        return;
    for (int d = 2; d < x->rank; d++)
        columns *= x->dims[d];
    int64_t rows = x->rank < 2 ? 1 : x->dims[0] * x->dims[1];
    const char *scale =
            sator_arena_printf(w->model->arena, "Y[i,j] += A[i,j] * B[i] * C[i] * D[i%%%lld]",
                    (long long)(x->rank < 2 ? 1 : x->dims[1]));
    pass(w, rows, columns, "Y[i] += A[i,j]", ".mean", ROLES({"A", "0"}, {"Y", "mean"}));
    pass(w, rows, columns, "Y[i] += A[i,j] * B[i]", ".variance",
            ROLES({"A", "0"}, {"B", "mean"}, {"Y", "variance"}));
    pass(w, rows, columns, scale, ".scale",
            ROLES({"A", "0"}, {"B", "mean"}, {"C", "variance"}, {"D", "1"}, {"Y", ">"}));
}

static void nests_channelwise(struct writer *w)
{
    const struct onnx_shape *x = need(w, onnx_in(w->node, 0));
    int64_t columns = 1;

    if (x == NULL)
        return;
    for (int d = 2; d < x->rank; d++)
        columns *= x->dims[d];
    loop(w, "n", x->rank > 0 ? x->dims[0] : 1);
    loop(w, "c", x->rank > 1 ? x->dims[1] : 1);
    loop(w, "j", columns);
    OP_TEXT(w, "Y[n,c,j] += A[n,c,j]");
    role_of(w, "A", onnx_in(w->node, 0));
    for (int k = 1; k < 5 && onnx_in(w->node, k) != NULL; k++) {
        OP_TEXT(w, " * %s[c]", input_roles[k]);
        role_of(w, input_roles[k], onnx_in(w->node, k));
    }
    role_of(w, "Y", onnx_out(w->node, 0));
    done(w, "");
}

/* Squares of neighbouring channels, the padded ones counted. */
static void nests_lrn(struct writer *w)
{
    const struct onnx_shape *x = need(w, onnx_in(w->node, 0));
    int64_t columns = 1;

    if (x == NULL)
        return;
    for (int d = 2; d < x->rank; d++)
        columns *= x->dims[d];
    loop(w, "n", x->rank > 0 ? x->dims[0] : 1);
    loop(w, "c", x->rank > 1 ? x->dims[1] : 1);
    loop(w, "r", onnx_int(w->node, "size", 1));
    loop(w, "j", columns);
    OP_TEXT(w, "Y[n,c,j] += A[n,c+r,j]");
    role_of(w, "A", onnx_in(w->node, 0));
    role_of(w, "Y", onnx_out(w->node, 0));
    done(w, "");
}

static void nests_none(struct writer *w)
{
    (void)w;
}

/* ---- all of them ---- */

static const struct {
    const char *op;
    enum onnx_kind kind;
    void (*nests)(struct writer *w);
} rules[] = {
#define OP(name, shape, kind, nests) {name, ONNX_##kind, nests_##nests},
#include "frontend/onnx/onnx_ops.def"
#undef OP
};

/* The row of "rules" for the node; -1 when there is none. */
static int rule_of(const struct onnx_node *node)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (onnx_is_op(node, rules[i].op))
            return (int)i;
    }
    return -1;
}

enum onnx_kind onnx_kind_of(const struct onnx_node *node)
{
    int rule = rule_of(node);

    return rule < 0 ? ONNX_UNKNOWN : rules[rule].kind;
}

enum sator_status onnx_nests(
        struct onnx_model *model, const struct onnx_node *node, onnx_add_nest *add, void *data)
{
    struct writer w = {.model = model, .node = node, .add = add, .data = data, .st = SATOR_OK};
    int rule = rule_of(node);

    if (rule >= 0)
        rules[rule].nests(&w);
    sator_text_clear(&w.nest.sizes);
    sator_text_clear(&w.nest.op);
    return w.st;
}
