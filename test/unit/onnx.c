/* ONNX models made here, byte by byte: what they become, and what is said of broken ones. */
#include "base/context.h"
#include "base/text.h"
#include "frontend/frontend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* ---- a writer of the wire format ---- */

static void varint(struct sator_text *text, uint64_t value)
{
    for (; value > 127; value >>= 7)
        sator_text_add_bytes(text, &(char){(char)(value | 128)}, 1);
    sator_text_add_bytes(text, &(char){(char)value}, 1);
}

static void number(struct sator_text *text, int field, int64_t value)
{
    varint(text, (uint64_t)field << 3);
    varint(text, (uint64_t)value);
}

static void bytes(struct sator_text *text, int field, const char *data, size_t length)
{
    varint(text, (uint64_t)field << 3 | 2);
    varint(text, length);
    sator_text_add_bytes(text, data, length);
}

static void string(struct sator_text *text, int field, const char *value)
{
    bytes(text, field, value, strlen(value));
}

/* "inner" as a message of "outer"; freed. */
static void message(struct sator_text *outer, int field, struct sator_text *inner)
{
    bytes(outer, field, inner->data == NULL ? "" : inner->data, inner->length);
    sator_text_clear(inner);
}

/* The words of "list", each a field. */
static void strings(struct sator_text *text, int field, const char *list)
{
    while (*list != '\0') {
        size_t length = strcspn(list, " ");
        bytes(text, field, list, *list == '-' ? 0 : length); /* "-": left out */
        list += length + (list[length] == ' ');
    }
}

/* An attribute "name=1,2" of whole numbers, "name:1" of one number, or "name~text". */
static void attribute(struct sator_text *node, const char *form)
{
    struct sator_text text = {0};
    size_t length = strcspn(form, "=:~");
    const char *value = form + length + 1;

    bytes(&text, 1, form, length);
    if (form[length] == '~') {
        string(&text, 4, value);
    } else if (form[length] == ':') {
        number(&text, 3, strtoll(value, NULL, 10));
    } else {
        for (char *end; *value != '\0'; value = *end == ',' ? end + 1 : end)
            number(&text, 8, strtoll(value, &end, 10));
    }
    message(node, 5, &text);
}

/* A ValueInfoProto "NAME 1 3 batch", a tensor of float with these dimensions. */
static void value(struct sator_text *graph, int field, const char *form)
{
    struct sator_text info = {0}, type = {0}, tensor = {0}, shape = {0};
    size_t length = strcspn(form, " ");

    bytes(&info, 1, form, length);
    for (form += length; *form != '\0';) {
        struct sator_text dim = {0};
        char *end;
        form += strspn(form, " ");
        length = strcspn(form, " ");
        long long n = strtoll(form, &end, 10);
        if (end == form + length)
            number(&dim, 1, n);
        else
            bytes(&dim, 2, form, length);
        message(&shape, 1, &dim);
        form += length;
    }
    number(&tensor, 1, 1);
    message(&tensor, 2, &shape);
    message(&type, 1, &tensor);
    message(&info, 2, &type);
    message(graph, field, &info);
}

/* A graph in lines: "input NAME DIMS", "shape NAME DIMS", "weights NAME DIMS", "ints NAME VALUES",
 * and nodes "OP NAME: INPUTS -> OUTPUTS ; ATTRIBUTES". */
static void node(struct sator_text *graph, char *line)
{
    struct sator_text text = {0};
    char *colon = strchr(line, ':'), *arrow = strstr(line, "->"), *end = strchr(line, ';');
    size_t op = strcspn(line, " ");

    if (end != NULL)
        *end++ = '\0';
    *colon = '\0';
    *arrow = '\0';
    char *inputs = colon + 1 + strspn(colon + 1, " "),
         *outputs = arrow + 2 + strspn(arrow + 2, " ");
    for (char *last = inputs + strlen(inputs); last > inputs && last[-1] == ' ';)
        *--last = '\0';
    for (char *last = outputs + strlen(outputs); last > outputs && last[-1] == ' ';)
        *--last = '\0';
    strings(&text, 1, inputs);
    strings(&text, 2, outputs);
    if (line[op] == ' ')
        string(&text, 3, line + op + 1);
    bytes(&text, 4, line, op);
    for (char *word = end == NULL ? NULL : strtok(end, " "); word != NULL; word = strtok(NULL, " "))
        attribute(&text, word);
    message(graph, 1, &text);
}

static void tensor(struct sator_text *graph, const char *form, bool has_values)
{
    struct sator_text text = {0}, data = {0};
    size_t length = strcspn(form, " ");
    const char *name = form;
    int n = 0;

    for (const char *at = form + length; *at != '\0'; at += strcspn(at + 1, " ") + 1, n++) {
        int64_t v = strtoll(at, NULL, 10);
        if (has_values)
            sator_text_add_bytes(&data, (const char *)&v, sizeof v); /* little-endian machines */
        else
            number(&text, 1, v);
    }
    if (has_values)
        number(&text, 1, n);
    number(&text, 2, has_values ? 7 : 1);
    bytes(&text, 8, name, length);
    if (has_values)
        bytes(&text, 9, data.data, data.length);
    sator_text_clear(&data);
    message(graph, 5, &text);
}

static void model(struct sator_text *text, const char *lines)
{
    struct sator_text graph = {0}, opset = {0};
    char *copy = strdup(lines), *next;

    for (char *line = copy; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (strncmp(line, "input ", 6) == 0)
            value(&graph, 11, line + 6);
        else if (strncmp(line, "shape ", 6) == 0)
            value(&graph, 13, line + 6);
        else if (strncmp(line, "weights ", 8) == 0)
            tensor(&graph, line + 8, false);
        else if (strncmp(line, "ints ", 5) == 0)
            tensor(&graph, line + 5, true);
        else if (*line != '\0')
            node(&graph, line);
    }
    free(copy);
    number(text, 1, 8);
    number(&opset, 2, 17);
    message(text, 8, &opset);
    message(text, 7, &graph);
}

/* ---- reading ---- */

/* What becomes of "length" bytes: the network's text, or the messages. */
static char *read_bytes(const char *data, size_t length, const char *define, bool all)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_text text = {0};
    struct sator_input_options options = {
            .defines = &define, .n_defines = define != NULL, .all_operators = all};
    char *copy = malloc(length + 1);

    memcpy(copy, data, length);
    FILE *file = fmemopen(copy, length, "rb");
    assert_non_null(file);
    enum sator_status st = sator_onnx_read(ctx, "m.onnx", file, &options, &text);
    fclose(file);
    free(copy);
    char *messages = sator_ctx_take_messages(ctx, false);
    char *result =
            st == SATOR_OK ? sator_text_take(&text) : strdup(messages == NULL ? "" : messages);
    free(messages);
    sator_text_clear(&text);
    sator_ctx_free(ctx);
    return result;
}

static char *read_model(const char *lines, const char *define, bool all)
{
    struct sator_text text = {0};

    model(&text, lines);
    char *result = read_bytes(text.data, text.length, define, all);
    sator_text_clear(&text);
    return result;
}

/* The sizes and operations of the layers, as they are written. */
static void test_nests(void **state)
{
    static const struct {
        const char *lines, *expected;
        bool all;
    } cases[] = {
            /* Dumoulin and Visin (arXiv 1603.07285): floor((i + 2p - k) / s) + 1 outputs */
            {"input x 2 3 224 224\nweights w 64 3 7 7\nConv c: x w -> y ; strides=2,2 pads=3,3,3,3",
                    "sizes: {n: 2, k: 64, c: 3, oy: 112, ox: 112, ry: 7, rx: 7}\n"
                    "    op: \"Y[n,k,oy,ox] += A[n,c,2*oy+ry,2*ox+rx] * B[k,c,ry,rx]\"",
                    false},
            {"input x 1 8 10\nweights w 4 8 3\nConv c: x w -> y ; dilations=2 auto_pad~SAME_UPPER",
                    "sizes: {n: 1, k: 4, c: 8, ox: 10, rx: 3}\n"
                    "    op: \"Y[n,k,ox] += A[n,c,ox+2*rx] * B[k,c,rx]\"",
                    false},
            {"input x 1 8 10 10\nweights w 16 1 3 3\nConv c: x w -> y ; group:8",
                    "sizes: {n: 1, k: 2, c: 8, oy: 8, ox: 8, ry: 3, rx: 3}\n"
                    "    op: \"Y[n,k,c,oy,ox] += A[n,c,oy+ry,ox+rx] * B[k,c,ry,rx]\"",
                    false},
            {"input x 1 8 10 10\nweights w 16 4 1 1\nConv c: x w -> y ; group:2",
                    "sizes: {n: 1, g: 2, k: 8, c: 4, oy: 10, ox: 10, ry: 1, rx: 1}\n"
                    "    op: \"Y[n,g,k,oy,ox] += A[n,g,c,oy+ry,ox+rx] * B[g,k,c,ry,rx]\"",
                    false},
            {"input x 1 2 4 4 4\nweights w 3 2 2 2 2\nConv c: x w -> y",
                    "sizes: {n: 1, k: 3, c: 2, oz: 3, oy: 3, ox: 3, rz: 2, ry: 2, rx: 2}", false},
            {"input x 1 8 5 5\nweights w 8 4 3 3\nConvTranspose c: x w -> y ; strides=2,2",
                    "sizes: {n: 1, k: 4, c: 8, oy: 5, ox: 5, ry: 3, rx: 3}\n"
                    "    op: \"Y[n,k,2*oy+ry,2*ox+rx] += A[n,c,oy,ox] * B[c,k,ry,rx]\"",
                    false},
            {"input x 5 7\nweights w 9 7\nGemm g: x w -> y ; transB:1",
                    "sizes: {i: 5, j: 9, k: 7}\n    op: \"Y[i,j] += A[i,k] * B[j,k]\"", false},
            {"input x 2 1 5 7\ninput w 3 7 4\nMatMul g: x w -> y",
                    "sizes: {b: 2, h: 3, i: 5, j: 4, k: 7}\n"
                    "    op: \"Y[b,h,i,j] += A[b,i,k] * B[h,k,j]\"",
                    false},
            {"input x 7\ninput w 7 4\nMatMul g: x w -> y",
                    "sizes: {j: 4, k: 7}\n    op: \"Y[j] += A[k] * B[k,j]\"", false},
            {"input x 2 3 5\ninput w 2 5 4\nEinsum e: x w -> y ; equation~bij,bjk->bik",
                    "sizes: {b: 2, i: 3, j: 5, k: 4}\n"
                    "    op: \"Y[b,i,k] += A[b,i,j] * B[b,j,k]\"",
                    false},
            {"input x 2 3 5\ninput w 5 4\nEinsum e: x w -> y ; equation~...ij,jk",
                    "op: \"Y[Z,i,k] += A[Z,i,j] * B[j,k]\"", false},
            /* grouped queries: 8 heads on 2 of keys, 4 tokens after 12 that are kept */
            {"input q 1 8 4 16\ninput k 1 2 4 16\ninput v 1 2 4 16\ninput pk 1 2 12 16\n"
             "Attention a: q k v - pk -> y",
                    "sizes: {h: 2, g: 4, i: 4, j: 16, k: 16}\n"
                    "    op: \"Y[h,g,i,j] += A[h,g,i,k] * B[h,j,k]\"",
                    false},
            {"input x 6 2 10\nweights w 1 80 10\nweights r 1 80 20\nLSTM l: x w r -> y",
                    "sizes: {d: 1, t: 6, b: 2, g: 80, k: 20}\n"
                    "    op: \"Y[d,t,b,g] += A[d,t,b,k] * B[d,g,k]\"",
                    false},
            {"input x 1 8 9 9\nMaxPool p: x -> y ; kernel_shape=3,3 strides=2,2",
                    "sizes: {n: 1, c: 8, oy: 4, ox: 4, ry: 3, rx: 3}\n"
                    "    op: \"Y[n,c,oy,ox] += A[n,c,2*oy+ry,2*ox+rx]\"",
                    true},
            {"input x 4 8\nReduceSum r: x -> y ; axes=1",
                    "sizes: {d0: 4, d1: 8}\n    op: \"Y[d0] += A[d0,d1]\"", true},
            {"input x 4 8\ninput z 8\nAdd r: x z -> y",
                    "sizes: {d0: 4, d1: 8}\n    op: \"Y[d0,d1] += A[d0,d1] * B[d1]\"", true},
            {"input x 4 8\nSoftmax r: x -> y", "op: \"Y[i,j] += A[i,j] * B[i] * C[i]\"", true},
            /* a shape that is computed: [4, 8] -> [8, 4] by Reshape to [8, -1] */
            {"input x 4 8\nints s 8 -1\nweights w 4 3\nReshape r: x s -> z\nMatMul m: z w -> y",
                    "sizes: {i: 8, j: 3, k: 4}", false},
            {"input x 4 8 2\nweights w 8 3\nTranspose t: x -> z ; perm=2,0,1\nMatMul m: z w -> y",
                    "sizes: {h: 2, i: 4, j: 3, k: 8}", false},
            {"input x 4 batch\nweights w 8 3\nMatMul m: x w -> y", "sizes: {i: 4, j: 3, k: 8}",
                    false},
            /* of bytes, sums of 32 bits (the standard's T3) */
            {"input x 1 8 10\ninput w 4 8 3\nCast a: x -> u ; to:2\nCast b: w -> v ; to:3\n"
             "ConvInteger c: u v -> y",
                    "word_bits: {A: 8, B: 8, Y: 32}", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool symbolic = strstr(cases[i].lines, "batch") != NULL;
        char *text = read_model(cases[i].lines, symbolic ? "batch=8" : NULL, cases[i].all);
        if (strstr(text, cases[i].expected) == NULL)
            fail_msg("%s\nis\n%s\nwithout\n%s", cases[i].lines, text, cases[i].expected);
        free(text);
    }
}

/* Equal layers are one, and each of their nodes keeps its names. */
static void test_repeats(void **state)
{
    char *text = read_model("input x 4 8\nweights u 8 8\nweights v 8 8\nMatMul first: x u -> z\n"
                            "Relu r: z -> a\nMatMul second: a v -> y",
            NULL, false);

    (void)state;
    assert_non_null(strstr(text,
            "    repeat: 2\n    runs:\n"
            "      - {node: \"first\", A: \"x\", B: \"u\", Y: \"z\"}\n"
            "      - {node: \"second\", A: \"a\", B: \"v\", Y: \"y\"}\n"));
    /* 2 products of 32 + 64 + 32 words and a Relu of 64: 64 of 320 words */
    assert_non_null(strstr(text,
            "  - {op: \"Relu\", nodes: 1, bytes: 256, share: 0.2000, why: \"no "
            "multiply-accumulates\"}"));
    free(text);
}

static void test_broken_graphs(void **state)
{
    static const struct {
        const char *lines, *define, *expected;
    } cases[] = {
            {"input x 4 batch\nMatMul m: x x -> y", NULL,
                    "m.onnx as text:1:1: error: dimension 1 of input 'x' has no number\n"
                    "    input x: float[4,batch]\n    ^^^^^^^^^^^^^^^^^^^^^^^\n"
                    "help: give it one: defines 'batch=1'\n"},
            {"input x 4 batch\nMatMul m: x x -> y", "bach=4",
                    "defines:1:1: error: no dimension of 'm.onnx' is called 'bach'\n    bach=4\n   "
                    " "
                    "^^^^\n"
                    "help: did you mean 'batch'?\n"},
            {"input x 4 batch\nMatMul m: x x -> y", "batch=0",
                    "defines:1:1: error: of an ONNX model, defines gives a symbolic dimension a "
                    "number from "
                    "1 to "
                    "2^40: 'batch=1'\n    batch=0\n    ^^^^^^^\n"},
            {"input x 4 4\nMatMul m: x x -> y", "batch=4",
                    "defines:1:1: error: no dimension of 'm.onnx' is called 'batch'\n    batch=4\n "
                    "   "
                    "^^^^^\n"
                    "help: all of its inputs have numbers for dimensions\n"},
            {"input x 4 8\ninput w 7 3\nMatMul m: x w -> y", NULL,
                    "m.onnx as text:3:1: error: MatMul: its matrices do not fit each other\n"
                    "    m: MatMul(x, w) -> y\n    ^^^^^^^^^^^^^^^^^^^^\n"},
            {"input x 4 8\ninput w 7 3\nGemm m: x w -> y", NULL,
                    "m.onnx as text:3:1: error: Gemm: its matrices do not fit each other\n"
                    "    m: Gemm(x, w) -> y\n    ^^^^^^^^^^^^^^^^^^\n"},
            {"input x 4 8 2\ninput w 8 3\nGemm m: x w -> y", NULL,
                    "m.onnx as text:3:1: error: Gemm: its inputs are no matrices\n"
                    "    m: Gemm(x, w) -> y\n    ^^^^^^^^^^^^^^^^^^\n"},
            {"input x 1 3 8 8\nweights w 4 5 3 3\nConv c: x w -> y", NULL,
                    "m.onnx as text:2:1: error: Conv: its weights are not for as many channels as "
                    "its "
                    "input has\n    c: Conv(x, w) -> y\n    ^^^^^^^^^^^^^^^^^^\n"},
            {"input x 1 3 8 8\nweights w 4 3 3\nConv c: x w -> y", NULL,
                    "m.onnx as text:2:1: error: Conv: its input and weights do not have the same "
                    "number "
                    "of dimensions, 3 at least\n    c: Conv(x, w) -> y\n    ^^^^^^^^^^^^^^^^^^\n"},
            {"input x 1 3 8 8\nweights w 4 3 9 9\nConv c: x w -> y", NULL,
                    "m.onnx as text:2:1: error: Conv: its kernel is larger than its padded input\n"
                    "    c: Conv(x, w) -> y\n    ^^^^^^^^^^^^^^^^^^\n"},
            {"input x 1 3 8 8\nweights w 4 3 3 3\nConv c: x w -> y ; strides=0,1", NULL,
                    "m.onnx as text:2:1: error: Conv: its kernel, strides, dilations or pads are "
                    "out of "
                    "range\n    c: Conv(x, w) -> y\n    ^^^^^^^^^^^^^^^^^^\n"},
            {"input x 1 4 8 8\nweights w 5 2 3 3\nConv c: x w -> y ; group:2", NULL,
                    "m.onnx as text:2:1: error: Conv: its groups do not divide its output "
                    "channels\n"
                    "    c: Conv(x, w) -> y\n    ^^^^^^^^^^^^^^^^^^\n"},
            {"input x 1 4 8 8\ninput s 2\nweights w 5 4 3 3\nFoo f: x -> z\nConv c: z w -> y", NULL,
                    "m.onnx as text:4:1: error: Conv needs the shape of 'z', which is not known\n"
                    "    c: Conv(z, w) -> y\n    ^^^^^^^^^^^^^^^^^^\n"
                    "help: node 1, Foo: the operator is not known here\n"},
            {"input x 4 4\ninput s 2\nReshape r: x s -> z\nMatMul m: z x -> y", NULL,
                    "m.onnx as text:4:1: error: MatMul needs the shape of 'z', which is not known\n"
                    "    m: MatMul(z, x) -> y\n    ^^^^^^^^^^^^^^^^^^^^\n"
                    "help: node 1, Reshape: the contents of its shape are not known\n"},
            {"input x 4 4\nints s 3 -1\nReshape r: x s -> z\nMatMul m: z x -> y", NULL,
                    "m.onnx as text:2:1: error: Reshape: its input's elements do not fill its "
                    "shape\n"
                    "    r: Reshape(x, s) -> z\n    ^^^^^^^^^^^^^^^^^^^^^\n"},
            {"input x 4 4\nMatMul m: x w -> y", NULL,
                    "m.onnx as text:2:1: error: 'w' is given by no input of the graph and no node "
                    "before\n    m: MatMul(x, w) -> y\n    ^^^^^^^^^^^^^^^^^^^^\n"},
            {"input x 4 4\nMatMul m: z x -> y\nRelu r: x -> z", NULL,
                    "m.onnx as text:2:1: error: 'z' is given by no input of the graph and no node "
                    "before\n    m: MatMul(z, x) -> y\n    ^^^^^^^^^^^^^^^^^^^^\n"},
            {"input x 4 4\nRelu r: x -> y\nRelu s: x -> y", NULL,
                    "m.onnx as text:3:1: error: two nodes give 'y': this one and number 1\n"
                    "    s: Relu(x) -> y\n    ^^^^^^^^^^^^^^^\n"},
            {"input x 4 4\nshape y 4 5\nMatMul m: x x -> y", NULL,
                    "m.onnx as text:2:1: error: the node gives 'y' the shape [4,4]; the file says "
                    "[4,5]\n    m: MatMul(x, x) -> y\n    ^^^^^^^^^^^^^^^^^^^^\n"},
            {"input x 4 4\nRelu r: x -> y", NULL,
                    "m.onnx: error: no node of this model is a loop nest that multiplies and adds\n"
                    "help: all_operators takes elementwise ones, pooling, reductions and the "
                    "like "
                    "too\n"},
            {"input x 4 4", NULL, "m.onnx: error: the graph has no nodes\n"},
            {"input x 4 3\nEinsum e: x x -> y ; equation~ij,ik->jz", NULL,
                    "m.onnx as text:2:1: error: Einsum: its equation's result has a letter that no "
                    "input has\n    e: Einsum(x, x) -> y\n    ^^^^^^^^^^^^^^^^^^^^\n"},
            {"input x 4 3\nEinsum e: x x -> y ; equation~ijk,ik->j", NULL,
                    "m.onnx as text:2:1: error: Einsum: its equation does not fit its inputs\n"
                    "    e: Einsum(x, x) -> y\n    ^^^^^^^^^^^^^^^^^^^^\n"},
            {"input x 4 3\nTranspose t: x -> z ; perm=0,2\nMatMul m: z z -> y", NULL,
                    "m.onnx as text:2:1: error: Transpose: its perm does not fit its input\n"
                    "    t: Transpose(x) -> z\n    ^^^^^^^^^^^^^^^^^^^^\n"},
            {"input x 4 3\ninput y 5 3\nConcat t: x y -> z ; axis:1\nMatMul m: z z -> a", NULL,
                    "m.onnx as text:3:1: error: Concat: its inputs' shapes do not fit each other\n"
                    "    t: Concat(x, y) -> z\n    ^^^^^^^^^^^^^^^^^^^^\n"},
            {"input x 1 1099511627777\nMatMul m: x w -> y\nweights w 1099511627777 1", NULL,
                    "m.onnx as text:2:1: error: loop 'k' of MatMul would have 1099511627777 "
                    "iterations: "
                    "between 1 and 2^40 are possible\n    m: MatMul(x, w) -> y\n"
                    "    ^^^^^^^^^^^^^^^^^^^^\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = read_model(cases[i].lines, cases[i].define, false);
        assert_string_equal(text, cases[i].expected);
        free(text);
    }
}

static void test_broken_bytes(void **state)
{
#define BYTES(text) text, sizeof(text) - 1
    static const struct {
        const char *data;
        size_t length;
        const char *why;
    } cases[] = {
            {BYTES("\x08\x08\x3a\x05\x0a"),
                    "a field is longer than what is left of the message around it at byte 4"},
            {BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
                    "a number has more than ten bytes at byte 11"},
            {BYTES("\x08"), "the file ends too early at byte 1"},
            {BYTES("\x08\x08\x00\x01"), "a field has a number that no field may have at byte 3"},
            {BYTES("\x08\x08\x3b\x01"), "a field is of a wire type that there is not at byte 3"},
            {BYTES("\x08\x08\x38\x01"), "a number stands where a message is expected at byte 4"},
            {BYTES("\x3a\x06\x0a\x04\x0a\x02z\x00"), "a name has a zero byte at byte 8"},
            {BYTES("\x3a\x02\x0a\x00\x3a\x00"), "a second graph begins at byte 6"},
            {BYTES("\x3a\x04\x0a\x02\x08\x01"), "a number stands where text is expected at byte 6"},
            {BYTES("hello: there"), "a field is of a wire type that there is not at byte 3"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[200];
        char *text = read_bytes(cases[i].data, cases[i].length, NULL, false);
        snprintf(expected, sizeof expected,
                "m.onnx: error: this is no ONNX model, or a damaged one: %s\n", cases[i].why);
        if (strcmp(text, expected) != 0)
            fail_msg("case %zu: %s instead of %s", i, text, expected);
        free(text);
    }
    char *text = read_bytes("\x08\x08", 2, NULL, false);
    assert_string_equal(text, "m.onnx: error: this ONNX model has no graph\n");
    free(text);
}

/* "count" times "text", after "start" and before "end". */
static char *repeated(const char *start, int count, const char *text, const char *end)
{
    struct sator_text all = {0};

    sator_text_put(&all, start);
    for (int i = 0; i < count; i++)
        sator_text_put(&all, text);
    sator_text_put(&all, end);
    return sator_text_take(&all);
}

/* Tables of a fixed size take what fits, and the message for one more names the limit. */
static void test_limits(void **state)
{
    static const struct {
        const char *start, *text, *end;
        int most; /* repetitions */
        const char *why;
    } cases[] = {
            {"input x", " 2", "\nweights w 2 2\nMatMul m: x w -> y", 16,
                    "a tensor has more than 16 dimensions"},
            {"input x 2 2\nweights v", " 1", "\nweights w 2 2\nMatMul m: x w -> y", 16,
                    "a tensor has more than 16 dimensions"},
            {"input x 2 2\nweights w 2 2\nMatMul m: x w -> y ; odd=1", ",1", "", 4095,
                    "an attribute has more than 4,096 numbers"},
            {"input x 2 2\nweights w 2 2\nMatMul ", "m", ": x w -> y", 1 << 16,
                    "a name has more than 65,536 bytes"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int past = 0; past < 2; past++) {
            char *lines =
                    repeated(cases[i].start, cases[i].most + past, cases[i].text, cases[i].end);
            char *text = read_model(lines, NULL, false);
            bool said = strstr(text, cases[i].why) != NULL;
            if (said != (past == 1) || (past == 0 && strstr(text, "error") != NULL))
                fail_msg("case %zu, %d past: %s", i, past, text);
            free(lines);
            free(text);
        }
    }
}

/* Numbers of the other kind, too: an attribute's reals are no shorter than its whole numbers. */
static void test_most_reals(void **state)
{
    (void)state;
    for (int n = 4096; n <= 4097; n++) {
        struct sator_text text = {0}, graph = {0}, made = {0}, reals = {0}, list = {0};
        for (int i = 0; i < n; i++)
            sator_text_add_bytes(&list, "\0\0\0\0", 4);
        string(&reals, 1, "odd");
        bytes(&reals, 7, list.data, list.length);
        string(&made, 2, "y");
        string(&made, 4, "Odd");
        message(&made, 5, &reals);
        message(&graph, 1, &made);
        message(&text, 7, &graph);
        char *said = read_bytes(text.data, text.length, NULL, false);
        assert_int_equal(
                strstr(said, "an attribute has more than 4,096 numbers") != NULL, n == 4097);
        free(said);
        sator_text_clear(&list);
        sator_text_clear(&text);
    }
}

/* Cut off anywhere, a model is refused: no crash, no layer of what is left. */
static void test_cut_off(void **state)
{
    struct sator_text text = {0};

    (void)state;
    model(&text,
            "input x 1 3 8 8\nweights w 4 3 3 3\nints s 4 -1\nConv c: x w -> y ; pads=1,1,1,1\n"
            "Reshape r: y s -> z");
    for (size_t length = 1; length < text.length; length++) {
        char *result = read_bytes(text.data, length, NULL, false);
        assert_non_null(strstr(result, "error: "));
        free(result);
    }
    sator_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nests), cmocka_unit_test(test_repeats),
            cmocka_unit_test(test_broken_graphs), cmocka_unit_test(test_broken_bytes),
            cmocka_unit_test(test_limits), cmocka_unit_test(test_most_reals),
            cmocka_unit_test(test_cut_off)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
