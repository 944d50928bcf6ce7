/* The reader of C files. Loops and subscripts are checked against the machine: the same text is
 * compiled into this test and run. */
#include "unit/inputs.h"

#if SATOR_HAVE_CLANG
#include "frontend/c/libclang.h"
#endif

#include <stdio.h>

static struct sator_network *read_text(const char *text, const struct sator_input_options *options)
{
    struct sator_network *network = NULL;

    if (sator_c_network(ctx, sator_source_from_text(ctx, "test.c", text), options, &network) !=
            SATOR_OK) {
        char *messages = sator_ctx_take_messages(ctx, false);
        fail_msg("%s\nin: %s", messages ? messages : "no message", text);
    }
    return network;
}

/* ---- loops, against the machine ---- */

enum {
    LEAST = -60,
    MOST = 90,
    SPAN = MOST - LEAST + 1
};

/* How often each (i, j) ran, and the subscript that it gave; found by running the loops. */
static int runs[SPAN][SPAN];
static int subscripts[SPAN][SPAN];

static void record(long i, long j, long subscript)
{
    assert_true(i >= LEAST && i <= MOST && j >= LEAST && j <= MOST);
    runs[i - LEAST][j - LEAST]++;
    subscripts[i - LEAST][j - LEAST] = (int)subscript;
}

struct executed {
    const char *text;
    void (*run)(void);
};

#define M 11
/* Two loops and a subscript as a function of this test and as a text for the reader. */
#define LOOPS(name, first, second, subscript)                                                      \
    static void run_##name(void)                                                                   \
    {                                                                                              \
        first second record(i, j, subscript);                                                      \
    }                                                                                              \
    static const struct executed name = {                                                          \
            "enum { M = 11 };\nvoid f(int n, float (*Y)[n], float *A)\n{\n" #first "\n" #second    \
            "\nY[i][j] += A[" #subscript "];\n}\n",                                                \
            run_##name};

LOOPS(plain, for (int i = 0; i < 8; i++), for (int j = 0; j < 5; j++), i + j)
LOOPS(offsets, for (int i = 3; i <= 8; ++i), for (int j = -4; j < 5; j++), 2 * i - j)
LOOPS(downward, for (int i = 9; i >= 1; i--), for (int j = 7; j > -3; --j), 3 - i)
LOOPS(strides, for (int i = 1; i < 20; i += 3), for (int j = 19; j >= 0; j -= 4), i * 2 + j)
LOOPS(last_missed, for (int i = 2; i <= 20; i += 5), for (int j = 17; j > 3; j -= 6), i)
LOOPS(unequal, for (int i = 0; i != 8; i++), for (int j = 12; j != 0; j -= 3), j)
LOOPS(unequal_up, for (int i = 0; 8 != i; i += 2), for (int j = i; j != 9; j++), j)
LOOPS(mirrored, for (int i = 0; 8 > i; i += 1), for (int j = 5; 0 <= j; j = j - 1), i + j * 3)
LOOPS(sums, for (int i = 0; i < 8; i = i + 2), for (int j = 3; j < 12; j = 4 + j), i)
LOOPS(triangle, for (int i = 0; i < 12; i++), for (int j = 0; j <= i; j++), i - j)
LOOPS(upper_triangle, for (int i = 0; i < 12; i++), for (int j = i + 1; j < 12; j++), j)
LOOPS(band, for (int i = 5; i < 12; i++), for (int j = i - 2; j < i + 3; j++), j + 7)
LOOPS(down_triangle, for (int i = 11; i > 0; i -= 2), for (int j = i; j >= 0; j--), i)
LOOPS(tiles, for (int i = 0; i < 32; i += 8), for (int j = i; j < i + 8; j++), j)
LOOPS(skewed_stride, for (int i = 0; i < 9; i++), for (int j = i; j < 20; j += 3), j)
LOOPS(skewed_down, for (int i = 0; i < 9; i++), for (int j = 20 - i; j > i; j -= 3), j)
LOOPS(sides_moved, for (int i = 0; i + 3 < 12; i++), for (int j = 0; 2 * j <= 9; j++), i)
LOOPS(divided_bound, for (int i = 0; i < 15; i++), for (int j = 0; j < i / 2; j++), i)
LOOPS(divided, for (int i = 0; i < 15; i++), for (int j = 0; j < 4; j++), (i + j) / 4 + i % 3)
LOOPS(shifted, for (int i = 0; i < 15; i++), for (int j = 0; j < 4; j++), (i << 2) + (i >> 1))
LOOPS(signs, for (int i = 0; i < 15; i++), for (int j = 0; j < 4; j++), -(i - 20) + +j)
LOOPS(constant_names, for (int i = 0; i < M; i++), for (int j = M - 1; j >= M - 5; j--), i + M * j)
LOOPS(long_names, for (long i = 0L; i < 15L; i++), for (unsigned j = 8u; j > 0; j--), i + j)
LOOPS(char_names, for (signed char i = -9; i < 9; i++), for (short j = 0; j < 4; j++), i + 10)
LOOPS(unsigned_triangle, for (unsigned i = 0; i < 12u; i++), for (unsigned j = 0; j <= i; j++),
        i - j)
LOOPS(unsigned_bytes, for (unsigned char i = 2; i <= 20; i++), for (short j = -3; j < 4; j++),
        i + j + 1)
LOOPS(unsigned_shorts, for (unsigned short i = 1; i < 9; i++), for (int j = 8; j >= 1; j--),
        i - 1 + j)
LOOPS(cast, for (int i = 0; i < 9; i++), for (int j = 0; j < 20; j++),
        (unsigned char)(i * 9 + j) + (short)(i - j))
LOOPS(single, for (int i = 7; i < 8; i++), for (int j = 0; j < 1; j += 5), i)

static const struct executed *const executed[] = {&plain, &offsets, &downward, &strides,
        &last_missed, &unequal, &unequal_up, &mirrored, &sums, &triangle, &upper_triangle, &band,
        &down_triangle, &tiles, &skewed_stride, &skewed_down, &sides_moved, &divided_bound,
        &divided, &shifted, &signs, &constant_names, &long_names, &char_names, &unsigned_triangle,
        &unsigned_bytes, &unsigned_shorts, &cast, &single};

/* The domain and the read of A, point by point, against what ran. */
static void compare(const struct executed *one, const struct sator_workload *layer)
{
    const struct sator_cond *cond = layer->domain->pieces[0].cond;
    const struct sator_expr *index = layer->accesses[0].relation->pieces[0].out[0];
    int64_t least[2] = {MOST, MOST};
    int64_t greatest[2] = {LEAST, LEAST};
    int n_box = 0;
    int n_runs = 0;

    for (int64_t i = LEAST; i <= MOST; i++)
        for (int64_t j = LEAST; j <= MOST; j++) {
            int64_t point[2] = {i, j};
            int64_t value = 0;
            bool holds = false;
            int ran = runs[i - LEAST][j - LEAST];

            assert_true(sator_cond_holds(cond, point, &holds));
            if (holds != (ran == 1))
                fail_msg("(%d, %d) ran %d times, the domain says %d: %s", (int)i, (int)j, ran,
                        holds, one->text);
            if (!ran)
                continue;
            n_runs++;
            assert_true(sator_expr_value(index, point, &value));
            if (value != subscripts[i - LEAST][j - LEAST])
                fail_msg("(%d, %d): subscript %d read as %d: %s", (int)i, (int)j,
                        subscripts[i - LEAST][j - LEAST], (int)value, one->text);
            for (int d = 0; d < 2; d++) {
                least[d] = point[d] < least[d] ? point[d] : least[d];
                greatest[d] = point[d] > greatest[d] ? point[d] : greatest[d];
            }
        }
    /* The hull holds all that ran; a box holds nothing else. */
    n_box = (int)((greatest[0] - least[0] + 1) * (greatest[1] - least[1] + 1));
    assert_int_equal(layer->is_box, n_box == n_runs);
    for (int d = 0; d < 2; d++) {
        assert_true(layer->lower[d] <= least[d] && layer->upper[d] > greatest[d]);
        if (layer->is_box)
            assert_true(layer->lower[d] == least[d] && layer->upper[d] == greatest[d] + 1);
    }
}

static void loops_run_as_in_c(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof executed / sizeof *executed; c++) {
        struct sator_network *network = read_text(executed[c]->text, NULL);

        memset(runs, 0, sizeof runs);
        executed[c]->run();
        assert_int_equal(network->layers[0].n_loops, 2);
        assert_string_equal(network->layers[0].loop_names[0], "i");
        assert_string_equal(network->layers[0].loop_names[1], "j");
        compare(executed[c], &network->layers[0]);
        sator_arena_free(network->arena);
    }
}

/* ---- accesses ---- */

static char *accesses_of(const struct sator_workload *layer)
{
    struct sator_text text = {NULL, 0, 0};

    for (int i = 0; i < layer->n_accesses; i++) {
        const struct sator_access *access = &layer->accesses[i];
        sator_text_add(&text, "%s %s %d:", access->role == SATOR_READ ? "read" : "write",
                access->tensor, access->word_bits);
        for (int p = 0; p < access->relation->n_pieces; p++) {
            sator_text_add(&text, " ");
            sator_tuple_write(&text, access->tensor, access->relation->n_out,
                    access->relation->pieces[p].out, access->relation->pieces[p].names);
        }
        sator_text_add(&text, "\n");
    }
    return sator_text_take(&text);
}

struct statement {
    const char *text;
    const char *expected;
};

#define HEAD                                                                                       \
    "#include <math.h>\n"                                                                          \
    "float A[19][19], B[19][19], Y[19][19], x[19]; double alpha, beta; int n = 3;\n"               \
    "#define AT(a, r, c) a[(r) + 1][c]\n"                                                          \
    "#define ADD(target, value) target += value\n"                                                 \
    "#define SUM(p, q) p + q\n"                                                                    \
    "#define LOOP(v, to) for (int v = 0; v < to; v++)\n"                                           \
    "__attribute__((const)) float activate(float v);\n"                                            \
    "void f(void) { for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) "
#define TAIL " }"

static const struct statement statements[] = {
        {HEAD "Y[i][j] += A[i][j] * B[j][i];" TAIL,
                "read A 32: A[i, j]\nread B 32: B[j, i]\nwrite Y 32: Y[i, j]\n"},
        {HEAD "{ Y[i][j] = A[i][j]; }" TAIL, "read A 32: A[i, j]\nwrite Y 32: Y[i, j]\n"},
        /* Accumulations: the old value is no read. */
        {HEAD "Y[i][j] = Y[i][j] + A[i][j];" TAIL, "read A 32: A[i, j]\nwrite Y 32: Y[i, j]\n"},
        {HEAD "Y[i][j] = A[i][j] + Y[i][j];" TAIL, "read A 32: A[i, j]\nwrite Y 32: Y[i, j]\n"},
        {HEAD "Y[i][j] = Y[i][j] - A[i][j] + x[i];" TAIL,
                "read A 32: A[i, j]\nread x 32: x[i]\nwrite Y 32: Y[i, j]\n"},
        {HEAD "Y[i][j] -= A[i][j];" TAIL, "read A 32: A[i, j]\nwrite Y 32: Y[i, j]\n"},
        {HEAD "Y[i][j]++;" TAIL, "write Y 32: Y[i, j]\n"},
        /* No accumulations: another operator, another element, or a second use of the old value. */
        {HEAD "Y[i][j] *= beta;" TAIL, "read Y 32: Y[i, j]\nwrite Y 32: Y[i, j]\n"},
        {HEAD "Y[i][j] = A[i][j] - Y[i][j];" TAIL,
                "read A 32: A[i, j]\nread Y 32: Y[i, j]\nwrite Y 32: Y[i, j]\n"},
        {HEAD "Y[i][j] = Y[i][j + 1] + A[i][j];" TAIL,
                "read Y 32: Y[i, j + 1]\nread A 32: A[i, j]\nwrite Y 32: Y[i, j]\n"},
        {HEAD "Y[i][j] = Y[i][j] + Y[i][j] * A[i][j];" TAIL,
                "read Y 32: Y[i, j]\nread A 32: A[i, j]\nwrite Y 32: Y[i, j]\n"},
        {HEAD "Y[i][j] = 0.5 * (Y[i][j] + A[i][j]);" TAIL,
                "read Y 32: Y[i, j]\nread A 32: A[i, j]\nwrite Y 32: Y[i, j]\n"},
        /* A tensor read several times is one; the same element twice is one element. */
        {HEAD "Y[i][j] = A[i][j] + A[i][j + 1] + A[i][1 + j] + A[i + 1][j];" TAIL,
                "read A 32: A[i, j] A[i, j + 1] A[i + 1, j]\nwrite Y 32: Y[i, j]\n"},
        /* Scalars, casts, parentheses and functions of the values. */
        {HEAD "Y[i][j] += alpha * (double)(A[i][j]) * (beta + n) / 2;" TAIL,
                "read A 32: A[i, j]\nwrite Y 32: Y[i, j]\n"},
        {HEAD "Y[i][j] = sqrtf(A[i][j]) + fmax(B[i][j], 0.0) + exp(x[i]) + activate(x[j]);" TAIL,
                "read A 32: A[i, j]\nread B 32: B[i, j]\nread x 32: x[i] x[j]\nwrite Y 32: Y[i, "
                "j]\n"},
        {"#include <tgmath.h>\n" HEAD "Y[i][j] = exp(A[i][j]);" TAIL,
                "read A 32: A[i, j]\nwrite Y 32: Y[i, j]\n"},
        {HEAD "Y[i][j] = A[i][j] > 0 ? A[i][j] : 0;" TAIL,
                "read A 32: A[i, j]\nwrite Y 32: Y[i, j]\n"},
        {HEAD "Y[i][j] = INFINITY - -A[i][j];" TAIL, "read A 32: A[i, j]\nwrite Y 32: Y[i, j]\n"},
        /* Macros around anything. */
        {HEAD "AT(Y, i, j) += AT(A, i, SUM(i, 2 * j)) * AT(B, SUM(j, 1), i);" TAIL,
                "read A 32: A[i + 1, i + 2*j]\nread B 32: B[j + 2, i]\nwrite Y 32: Y[i + 1, j]\n"},
        {HEAD "LOOP(k, 3) ADD(Y[i][j], A[i][k] * SUM(B[k][j], x[k]));" TAIL,
                "read A 32: A[i, k]\nread B 32: B[k, j]\nread x 32: x[k]\nwrite Y 32: Y[i, j]\n"},
        /* An integer with a constant value in a subscript; a constant subscript. */
        {HEAD "Y[i + n][0] += A[n * j][n - 1];" TAIL,
                "read A 32: A[3*j, 2]\nwrite Y 32: Y[i + 3, 0]\n"},
};

static void statements_give_accesses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        struct sator_network *network = read_text(statements[i].text, NULL);
        char *found = accesses_of(&network->layers[0]);

        if (strcmp(found, statements[i].expected) != 0)
            fail_msg("%s\ngives\n%sexpected\n%s", strrchr(statements[i].text, '{'), found,
                    statements[i].expected);
        free(found);
        sator_arena_free(network->arena);
    }
}

static void arrays_of_any_kind(void **state)
{
    /* What A is declared as; its element has the bits that the machine gives it. */
    static const struct {
        const char *declaration;
        int bits;
    } cases[] = {{"float A[8][8]", 32}, {"double A[8][8]", 64}, {"_Float16 A[8][8]", 16},
            {"char A[8][8]", 8}, {"unsigned char A[8][8]", 8}, {"short A[8][8]", 16},
            {"int A[8][8]", 32}, {"long long A[8][8]", 64}, {"_Bool A[8][8]", 8},
            {"real A[8][8]", 64}, {"float A[][8]", 32}, {"float (*A)[8]", 32},
            {"float (*restrict A)[8]", 32}, {"const float A[restrict 8][8]", 32},
            {"float A[static 8][8]", 32}, {"int n, float A[n][n]", 32}, {"float **A", 32},
            {"matrix A", 64}, {"uint16_t A[8][8]", 16}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sator_text text = {NULL, 0, 0};
        char *source;
        struct sator_network *network;

        sator_text_add(&text,
                "#include <stdint.h>\ntypedef double real; typedef real matrix[8][8];\n"
                "void f(float Y[8][8], %s)\n{ for (int i = 0; i < 8; i++) Y[i][0] += A[i][1]; }",
                cases[i].declaration);
        source = sator_text_take(&text);
        network = read_text(source, NULL);
        assert_int_equal(network->layers[0].accesses[0].word_bits, cases[i].bits);
        assert_int_equal(network->layers[0].accesses[1].word_bits, 32);
        sator_arena_free(network->arena);
        free(source);
    }
    struct sator_network *network = read_text(
            "void f(float (*A)[8][8]) { for (int i = 0; i < 8; i++) (*A)[i][0] = 1; }", NULL);
    char *found = accesses_of(&network->layers[0]);
    assert_string_equal(found, "write A 32: A[i, 0]\n");
    free(found);
    sator_arena_free(network->arena);
}

/* ---- kernels in the style of PolyBench ---- */

static struct sator_network *read_kernel(
        const char *path, const char *function, int nest, const char *const *sets, int n_sets)
{
    static const char *const include[] = {"test/c/include"};
    struct sator_input_options options = {.include_dirs = include,
            .n_include_dirs = 1,
            .function = function,
            .nest = nest,
            .sets = sets,
            .n_sets = n_sets};
    const struct sator_source *source = NULL;
    struct sator_network *network = NULL;

    assert_int_equal(sator_source_read(ctx, path, &source), SATOR_OK);
    if (sator_c_network(ctx, source, &options, &network) != SATOR_OK) {
        char *messages = sator_ctx_take_messages(ctx, false);
        fail_msg("%s", messages ? messages : "no message");
    }
    return network;
}

struct kernel {
    const char *file, *function;
    int nest;
    const char *loops; /* "i[0,40) k[0,30)"; the hull of a domain that is no box ends in "*" */
    const char *accesses;
};

static const struct kernel kernels[] = {
        {"gemm.c", NULL, 1, "i[0,1000) j[0,1100)", "read C 64: C[i, j]\nwrite C 64: C[i, j]\n"},
        {"gemm.c", "kernel_gemm", 2, "i[0,1000) k[0,1200) j[0,1100)",
                "read A 64: A[i, k]\nread B 64: B[k, j]\nwrite C 64: C[i, j]\n"},
        {"blas.c", "kernel_2mm", 2, "i[0,40) j[0,40) k[0,30)",
                "read A 64: A[i, k]\nread B 64: B[k, j]\nwrite tmp 64: tmp[i, j]\n"},
        {"blas.c", "kernel_mvt", 2, "i[0,40) j[0,40)",
                "read C 64: C[j, i]\nread w 64: w[j]\nwrite z 64: z[i]\n"},
        {"blas.c", "kernel_atax", 4, "i[0,40) j[0,40)",
                "read C 64: C[i, j]\nread w 64: w[i]\nwrite y 64: y[j]\n"},
        {"blas.c", "kernel_syrk", 2, "i[0,40) k[0,30) j[0,40) *",
                "read A 64: A[i, k] A[j, k]\nwrite C 64: C[i, j]\n"},
        {"blas.c", "kernel_trmm", 1, "i[0,30) j[0,40) k[1,30) *",
                "read A 64: A[k, i]\nread B 64: B[k, j]\nwrite B 64: B[i, j]\n"},
        {"blas.c", "kernel_gemver", 0, "i[0,40) j[0,40)",
                "read u1 64: u1[i]\nread v1 64: v1[j]\nread u2 64: u2[i]\nread v2 64: v2[j]\n"
                "write C 64: C[i, j]\n"},
        {"blas.c", "kernel_doitgen", 2, "r[0,8) q[0,10) p[0,12) s[0,12)",
                "read T 64: T[r, q, s]\nread S 64: S[s, p]\nwrite sum 64: sum[p]\n"},
        {"blas.c", "kernel_correlation", 2, "j[0,30) i[0,40)",
                "read data 64: data[i, j]\nread mean 64: mean[j]\nwrite stddev 64: stddev[j]\n"},
        {"stencils.c", "kernel_jacobi_2d", 2, "t[0,5) i[1,19) j[1,19)",
                "read B 64: B[i, j] B[i, j - 1] B[i, j + 1] B[i + 1, j] B[i - 1, j]\n"
                "write A 64: A[i, j]\n"},
        {"stencils.c", "kernel_seidel_2d", 0, "t[0,5) i[1,19) j[1,19)",
                "read A 32: A[i - 1, j] A[i, j - 1] A[i, j] A[i, j + 1] A[i + 1, j]\n"
                "write A 32: A[i, j]\n"},
        /* The only nest between the pragmas; the loop around them is no part of it. */
        {"stencils.c", NULL, 0, "i[1,19) j[1,19)",
                "read A 32: A[i, j] A[i + 1, j]\nwrite B 32: B[i, j]\n"},
};

static char *loops_of(const struct sator_workload *layer)
{
    struct sator_text text = {NULL, 0, 0};

    for (int i = 0; i < layer->n_loops; i++)
        sator_text_add(&text, "%s%s[%lld,%lld)", i ? " " : "", layer->loop_names[i],
                (long long)layer->lower[i], (long long)layer->upper[i]);
    sator_text_add(&text, "%s", layer->is_box ? "" : " *");
    return sator_text_take(&text);
}

static void kernels_are_read_nest_by_nest(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char path[64];
        struct sator_network *network;
        char *loops;
        char *accesses;

        snprintf(path, sizeof path, "test/c/%s", kernels[i].file);
        network = read_kernel(path, kernels[i].function, kernels[i].nest, NULL, 0);
        loops = loops_of(&network->layers[0]);
        accesses = accesses_of(&network->layers[0]);
        assert_string_equal(loops, kernels[i].loops);
        assert_string_equal(accesses, kernels[i].accesses);
        free(loops);
        free(accesses);
        sator_arena_free(network->arena);
    }
}

static void sizes_come_from_settings_too(void **state)
{
    static const char *const sets[] = {"sizes.nk=7", "levels.PE.shape=[4,4]", "sizes.ni=9"};
    static const char *const tmax[] = {"sizes.tmax=1"};
    struct sator_network *network = read_kernel("test/c/gemm.c", "kernel_gemm", 2, sets, 3);
    char *loops = loops_of(&network->layers[0]);

    (void)state;
    assert_string_equal(loops, "i[0,9) k[0,7) j[0,1100)");
    assert_string_equal(network->name, "kernel_gemm");
    free(loops);
    sator_arena_free(network->arena);
    network = read_kernel("test/c/stencils.c", "kernel_fdtd_2d", 1, tmax, 1);
    loops = loops_of(&network->layers[0]);
    assert_string_equal(loops, "t[0,1) j[0,20)");
    free(loops);
    sator_arena_free(network->arena);
}

/* A size handed on through functions; a function that calls itself; and calls that do not agree. */
static void sizes_are_handed_on(void **state)
{
    static const char text[] =
            "float A[99];\n"
            "static void inner(int n) { for (int i = 0; i < n; i++) A[i] = 1; }\n"
            "static void outer(int n) { inner(n - 2); inner(n - 2); }\n"
            "int main(void) { int size = 3 * 5; outer(size); outer(15); }\n";
    static const char *const unknown[] = {
            "float A[99]; void f(int n) { for (int i = 0; i < n; i++) A[i] = 1; f(n); }",
            "float A[99]; void f(int n) { for (int i = 0; i < n; i++) A[i] = 1; }\n"
            "void g(void) { f(3); f(4); }",
            "float A[99]; void f(int n) { n = 3; for (int i = 0; i < n; i++) A[i] = 1; }\n"
            "void g(void) { f(3); }"};
    struct sator_network *network = read_text(text, NULL);
    char *loops = loops_of(&network->layers[0]);

    (void)state;
    assert_string_equal(loops, "i[0,13)");
    free(loops);
    sator_arena_free(network->arena);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        const struct sator_source *source = sator_source_from_text(ctx, "test.c", unknown[i]);
        assert_int_equal(sator_c_network(ctx, source, NULL, &network), SATOR_INPUT);
        char *messages = sator_ctx_take_messages(ctx, false);
        assert_non_null(strstr(messages, "'n' has no constant value"));
        free(messages);
    }
}

static void defines_reach_the_file(void **state)
{
    static const char *const defines[] = {"N=12", "T=short"};
    struct sator_input_options options = {.defines = defines, .n_defines = 2};
    struct sator_network *network = read_text(
            "T A[N][N]; void f(void) { for (int i = 0; i < N; i++) A[i][N - 1] += 1; }", &options);
    char *loops = loops_of(&network->layers[0]);
    char *accesses = accesses_of(&network->layers[0]);

    (void)state;
    assert_string_equal(loops, "i[0,12)");
    assert_string_equal(accesses, "write A 16: A[i, 11]\n");
    free(loops);
    free(accesses);
    sator_arena_free(network->arena);
}

/* ---- the list, and which nest is meant ---- */

static const char three_nests[] = "float A[9], B[9], C[9];\n"
                                  "void f(int n)\n"
                                  "{\n"
                                  "    for (int i = 0; i < 9; i++) {\n"
                                  "        A[i] = 0;\n"
                                  "        for (int j = 0; j < 9; j++)\n"
                                  "            A[i] += B[j];\n"
                                  "    }\n"
                                  "    for (int i = 0; i < 9; i++)\n"
                                  "        if (B[i] > 0)\n"
                                  "            C[i] = A[i];\n"
                                  "    for (int k = 0; k < 9; k++)\n"
                                  "        C[k] += A[8 - k];\n"
                                  "}\n";

static void the_list_shows_every_nest(void **state)
{
    struct sator_text text = {NULL, 0, 0};
    char *list;

    (void)state;
    assert_int_equal(
            sator_c_list(ctx, sator_source_from_text(ctx, "test.c", three_nests), NULL, &text),
            SATOR_OK);
    list = sator_text_take(&text);
    assert_non_null(strstr(list, "function f, line 2\n"));
    assert_non_null(strstr(list, "nest 1, line 5: A[i] = 0\n"));
    assert_non_null(strstr(list, "nest 2, line 7: A[i] += B[j]\n"));
    assert_non_null(strstr(list, "nest 3, line 11: C[i] = A[i]\n    not readable: line 10: "));
    assert_non_null(strstr(list, "nest 4, line 13: C[k] += A[8 - k]\n"));
    assert_null(sator_ctx_take_messages(ctx, false));
    free(list);
}

static void a_named_function_gives_its_first_perfect_nest(void **state)
{
    struct sator_input_options options = {.function = "f"};
    struct sator_network *network = read_text(three_nests, &options);
    char *messages = sator_ctx_take_messages(ctx, false);

    (void)state;
    assert_string_equal(network->layers[0].loop_names[0], "k");
    assert_non_null(strstr(messages, "test.c:13:9: warning: function 'f' has 4 nests"));
    free(messages);
    sator_arena_free(network->arena);
}

static void several_nests_need_a_number(void **state)
{
    struct sator_network *network = NULL;
    char *messages;

    (void)state;
    assert_int_equal(sator_c_network(ctx, sator_source_from_text(ctx, "test.c", three_nests), NULL,
                             &network),
            SATOR_INPUT);
    messages = sator_ctx_take_messages(ctx, false);
    assert_non_null(strstr(messages, "error: function 'f' has 4 statements in loops: choose one"));
    assert_non_null(strstr(messages, "help: nest 2: line 7, loops i, j: A[i] += B[j]\n"));
    free(messages);
}

/* Whether C files can be read at all on this machine: load libclang, if there is one. The processes
 * that read the texts (base/apart.h) have it from this one then: each would spend most of its time
 * on loading it. */
static bool has_libclang(void)
{
#if SATOR_HAVE_CLANG
    struct sator_libclang clang;

    ctx = sator_ctx_new();
    bool has = sator_libclang_load(ctx, (struct sator_loc){0}, &clang) == SATOR_OK;
    sator_ctx_free(ctx);
    return has;
#else
    return false;
#endif
}

int main(void)
{
    if (!has_libclang()) {
        printf("SKIP: libclang\n");
        return 0;
    }
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
            TEST(loops_run_as_in_c),
            TEST(statements_give_accesses),
            TEST(arrays_of_any_kind),
            TEST(kernels_are_read_nest_by_nest),
            TEST(sizes_come_from_settings_too),
            TEST(sizes_are_handed_on),
            TEST(defines_reach_the_file),
            TEST(the_list_shows_every_nest),
            TEST(a_named_function_gives_its_first_perfect_nest),
            TEST(several_nests_need_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
