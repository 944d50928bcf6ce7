/* Analyses that were slow, or slower the larger they were: at two sizes, and at one more than the
 * larger, which leaves one value for the last tiles, with the engine that answered. Times are the
 * processor's, whatever else runs.
 *
 * usage: bench_cliffs
 * A table to standard error, and to standard output the worst time as a key of build/bench.json.
 */
#include "sator/analyze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SQUARE "Y[i,j] += A[i,k] * A[k,j]"
#define SYRK "C[i,j] += A[i,k] * A[j,k]"
#define THREE "Y[i,j] += A[i,j] * A[i,k] * A[k,j]"
#define CYCLE "Y[i,j] += A[i,k] * A[k,j] * A[j,i]"
#define WARSHALL "D[i,j] = D[i,j] + D[i,k] + D[k,j]"
#define GEMM "Y[i,j] += A[i,k] * B[k,j]"
#define CUBE "i: @, j: @, k: @"
#define STRIDED "Y[k,oy,ox] += A[c, 2*oy + ry, 2*ox + rx] * B[k,c,ry,rx]"
#define IMAGE "k: 64, c: 8, oy: @, ox: @, ry: 7, rx: 7"
#define NEST "Y[a,b,c,d,q] += A[a,e,f,g+h,k,m] * B[b,i,j,e,f,l,n,o]"
#define SIXTEEN                                                                                    \
    "a: 4, b: 4, c: 8, d: 3, e: 5, f: 2, g: @, h: 4, i: 3, j: 4, k: 8, l: 6, m: 4, n: 3, "         \
    "o: 2, q: 8"

static const struct row {
    const char *op, *sizes; /* @: the size */
    const char *arch, *space, *time;
    int small, large;
    const char *where; /* NULL: all instances */
} rows[] = {
        {SQUARE, CUBE, "mesh-8x8", "i%8, j%8", "i/8, j/8, k", 64, 4096, NULL},
        {SQUARE, CUBE, "mesh-8x8", "i%8, j%8", "i/8, j/8, i%8 + j%8 + k", 64, 4096, NULL},
        {SQUARE, CUBE, "systolic-2d-8x8", "k%8, j%8", "i, j/8, k/8", 64, 4096, NULL},
        {SQUARE, CUBE, "multicast-8x8", "i%8, j%8", "i/8, j/8, k", 64, 4096, NULL},
        {SQUARE, CUBE, "multicast-8x8", "i%8, j%8", "i/8, j/8, i%8 + j%8 + k", 64, 4096, NULL},
        {SQUARE, CUBE, "multicast-1d-64", "i%64", "i/64, j, k", 128, 4096, NULL},
        {SYRK, CUBE, "mesh-8x8", "i%8, j%8", "i/8, j/8, i%8 + j%8 + k", 64, 4096, NULL},
        {SYRK, CUBE, "multicast-8x8", "i%8, j%8", "i/8, j/8, k", 100, 1000, NULL},
        {THREE, CUBE, "mesh-8x8", "i%8, j%8", "k, i/8, j/8", 100, 1000, NULL},
        {THREE, CUBE, "multicast-8x8", "i%8, j%8", "k, i/8, j/8", 100, 1000, NULL},
        {CYCLE, CUBE, "multicast-8x8", "i%8, j%8", "i/8, j/8, k", 100, 1000, NULL},
        {WARSHALL, "k: @, i: @, j: @", "mesh-8x8", "i%8, j%8", "k, i/8, j/8", 100, 1000,
                "i != k and j != k"},
        {WARSHALL, "k: @, i: @, j: @", "multicast-8x8", "i%8, j%8", "k, i/8, j/8", 100, 1000,
                "i != k and j != k"},
        {GEMM, CUBE, "mesh-8x8", "i%8, j%8", "i/8, j/8, k", 100, 4096, "k < i and j < k"},
        {SQUARE, CUBE, "mesh-8x8", "i%6, j%8", "i/4, j/8, k", 64, 1000, NULL},
        {SYRK, CUBE, "multicast-8x8", "i%6, j%8", "i/4, j/8, k", 64, 1000, NULL},
        {GEMM, CUBE, "conventional", "i%32, j%32", "i, j/32, k", 96, 1000, NULL},
        {GEMM, CUBE, "mesh-8x8", "i%6, j%8", "i/4, j/8, i%6 + j%8 + k", 96, 4096, NULL},
        {GEMM, CUBE, "multicast-8x8", "i%6, j%8", "i/4, j/8, i%6 + j%8 + k", 96, 4096, NULL},
        {GEMM, CUBE, "mesh-8x8", "i%6, j%3", "i/4, j/8, k, i%6 + j%3", 96, 4096, NULL},
        {GEMM, CUBE, "multicast-8x8", "i%3, k%8", "i/8, j, k/8", 96, 4096, NULL},
        {STRIDED, IMAGE, "mesh-8x8", "oy%8, ox%8", "k, c, oy/8, ox/8, ry, rx + oy%8 + ox%8", 16,
                112, NULL},
        {STRIDED, IMAGE, "systolic-2d-8x8", "k%8, ox/4%8", "k/8, c, oy/4, ox/32, ry/2, rx/2", 16,
                112, NULL},
        {STRIDED, IMAGE, "multicast-8x8", "oy/4%8, k%8",
                "k/8, c, oy/32, ox/4, ry/2, rx/2 + k%8 + oy/4%8", 16, 57, NULL},
        {NEST, SIXTEEN, "mesh-8x8", "c%8, q%8",
                "a, b, d, e, f, g/2, h/2, i/2, j, k/2, l/2, m/2, n, o, g%2, h%2, i%2, k%2, l%2, "
                "c%8 + q%8 + m%2",
                2, 64, NULL},
};

static void fail(struct sator_ctx *ctx, const char *what)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    fprintf(stderr, "bench_cliffs: %s\n%s", what, messages == NULL ? "" : messages);
    exit(1);
}

static struct sator_network *make_network(struct sator_ctx *ctx, const struct row *row, int size)
{
    char path[] = "/tmp/bench_cliffs_XXXXXX.yaml";
    struct sator_network *network = NULL;
    int fd = mkstemps(path, 5);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (file == NULL)
        fail(ctx, "no scratch file");
    fprintf(file, "name: cliff\nop: \"%s\"\nsizes: {", row->op);
    for (const char *c = row->sizes; *c != '\0'; c++) {
        if (*c == '@')
            fprintf(file, "%d", size);
        else
            fputc(*c, file);
    }
    fprintf(file, "}\n");
    if (row->where != NULL)
        fprintf(file, "where: \"%s\"\n", row->where);
    fclose(file);
    enum sator_status st = sator_network_load(ctx, path, NULL, &network);
    unlink(path);
    if (st != SATOR_OK)
        fail(ctx, row->op);
    return network;
}

/* The milliseconds of processor time of an analysis; its engine into "engine". */
static double measure(const struct row *row, int size, char *engine, size_t room)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = make_network(ctx, row, size);
    struct sator_arch *arch = NULL;
    struct sator_dataflow *dataflow = NULL;
    struct sator_analyze_options options = {.timing = SATOR_TIMING_ROOFLINE};
    struct sator_result *result;
    struct timespec begin, end;

    if (sator_arch_load(ctx, row->arch, NULL, &arch) != SATOR_OK ||
            sator_dataflow_from_text(ctx, "cliff", row->space, row->time, &dataflow) != SATOR_OK)
        fail(ctx, row->space);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    if (sator_analyze(ctx, network, 0, arch, dataflow, &options, &result) != SATOR_OK) {
        snprintf(engine, room, "no answer");
    } else {
        snprintf(engine, room, "%s", result->engine);
        sator_result_free(result);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    sator_dataflow_free(dataflow);
    sator_arch_free(arch);
    sator_network_free(network);
    sator_ctx_free(ctx);
    return (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
}

int main(void)
{
    double worst = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const int sizes[] = {row->small, row->large, row->large + 1};

        fprintf(stderr, "%s   %s   PE[%s] | T[%s]\n", row->op, row->arch, row->space, row->time);
        for (int k = 0; k < 3; k++) {
            char engine[80];
            double ms = measure(row, sizes[k], engine, sizeof engine);

            fprintf(stderr, "    %6d: %9.2f ms %s\n", sizes[k], ms, engine);
            worst = k > 0 && ms > worst ? ms : worst;
        }
    }
    printf("{\"analyze_cliffs_worst_ms\": %.2f}\n", worst);
    return 0;
}
