/* What share of inputs the closed form answers, and why it declines the others.
 *
 * usage: bench_coverage [library [LIST] | skews [SAMPLES [LIST]]]
 * library: every workload x architecture x dataflow of the built-in library that fits together, at
 * the library's sizes. With a third argument, each declined combination with its reason instead of
 * the histogram.
 * skews: stamps that are matrices over whole loops, as in TENET's section IV-A: all 512 of GEMM
 * with coefficients 0 and 1, samples (2000 unless told) of those with -1, 0 and 1 and of the 2^36
 * of a convolution, at a small and a large size; and of the space that `sator explore` visits for
 * VGG16's CONV3_2. Samples are the same on every run.
 * Without arguments: every mode.
 *
 * Tables go to standard error, keys of build/bench.json to standard output. Combinations that are
 * no valid input (a loop that the workload lacks, a dataflow that leaves the array, a tile that
 * does not fit) do not count.
 */
#include "sator/analyze.h"
#include "sator/explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_REASONS = 100
};

struct reason {
    char text[160];
    char example[200]; /* the first input declined so */
    int count;
};

struct tally {
    int accepted, declined, n_reasons;
    bool list; /* print each declined input */
    struct reason reason[MOST_REASONS];
};

static void fail(struct sator_ctx *ctx, const char *what)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    fprintf(stderr, "bench_coverage: %s\n%s", what, messages == NULL ? "" : messages);
    exit(1);
}

/* The reason in the context's messages, to the end of its line, into "text". */
static void take_reason(struct sator_ctx *ctx, size_t size, char *text)
{
    static const char lead[] = "does not count this: ";
    char *messages = sator_ctx_take_messages(ctx, false);
    const char *start = messages == NULL ? NULL : strstr(messages, lead);

    start = start == NULL ? "no reason is given" : start + strlen(lead);
    snprintf(text, size, "%.*s", (int)strcspn(start, "\n"), start);
    free(messages);
}

static void note_declined(struct sator_ctx *ctx, const char *example, struct tally *tally)
{
    char text[sizeof tally->reason->text];
    int i = 0;

    take_reason(ctx, sizeof text, text);
    tally->declined++;
    if (tally->list)
        fprintf(stderr, "%s: %s\n", example, text);
    while (i < tally->n_reasons && strcmp(tally->reason[i].text, text) != 0)
        i++;
    if (i == MOST_REASONS)
        return;
    struct reason *reason = &tally->reason[i];
    if (i == tally->n_reasons) {
        tally->n_reasons++;
        reason->count = 0;
        snprintf(reason->text, sizeof reason->text, "%s", text);
        snprintf(reason->example, sizeof reason->example, "%s", example);
    }
    reason->count++;
}

static int compare_reasons(const void *a, const void *b)
{
    return ((const struct reason *)b)->count - ((const struct reason *)a)->count;
}

/* The share accepted, its key "key", and the reasons for the rest. */
static void report(struct tally *tally, const char *what, const char *key, const char *end)
{
    int all = tally->accepted + tally->declined;
    double share = all == 0 ? 0 : (double)tally->accepted / all;

    fprintf(stderr, "%s: %d of %d in closed form (%.2f %%)\n", what, tally->accepted, all,
            100 * share);
    qsort(tally->reason, (size_t)tally->n_reasons, sizeof *tally->reason, compare_reasons);
    for (int i = 0; i < tally->n_reasons && !tally->list; i++)
        fprintf(stderr, "  %6d  %s\n          %s\n", tally->reason[i].count, tally->reason[i].text,
                tally->reason[i].example);
    printf(" \"%s\": %.4f%s\n", key, share, end);
}

/* ---- the library ---- */

struct library {
    struct sator_ctx *ctx;
    int n_workloads, n_archs, n_dataflows;
    struct sator_network **workload;
    struct sator_arch **arch;
    struct sator_dataflow **dataflow;
};

static void *room(struct sator_ctx *ctx, int n)
{
    void *list = calloc((size_t)n, sizeof(void *));

    if (list == NULL)
        fail(ctx, "out of memory");
    return list;
}

static struct library load_library(void)
{
    struct library all = {.ctx = sator_ctx_new()};

    all.n_workloads = sator_library_count("workloads");
    all.n_archs = sator_library_count("archs");
    all.n_dataflows = sator_library_count("dataflows");
    all.workload = room(all.ctx, all.n_workloads);
    all.arch = room(all.ctx, all.n_archs);
    all.dataflow = room(all.ctx, all.n_dataflows);
    for (int i = 0; i < all.n_workloads; i++) {
        const char *name = sator_library_name("workloads", i);
        if (sator_network_load(all.ctx, name, NULL, &all.workload[i]) != SATOR_OK)
            fail(all.ctx, name);
    }
    for (int i = 0; i < all.n_archs; i++) {
        const char *name = sator_library_name("archs", i);
        if (sator_arch_load(all.ctx, name, NULL, &all.arch[i]) != SATOR_OK)
            fail(all.ctx, name);
    }
    for (int i = 0; i < all.n_dataflows; i++) {
        const char *name = sator_library_name("dataflows", i);
        if (sator_dataflow_load(all.ctx, name, NULL, &all.dataflow[i]) != SATOR_OK)
            fail(all.ctx, name);
    }
    return all;
}

static void unload_library(struct library *all)
{
    for (int i = 0; i < all->n_workloads; i++)
        sator_network_free(all->workload[i]);
    for (int i = 0; i < all->n_archs; i++)
        sator_arch_free(all->arch[i]);
    for (int i = 0; i < all->n_dataflows; i++)
        sator_dataflow_free(all->dataflow[i]);
    free(all->workload);
    free(all->arch);
    free(all->dataflow);
    sator_ctx_free(all->ctx);
}

/* Analyse one combination in closed form, in a context of its own: messages of thousands of inputs
 * that do not fit would pile up. */
static void try_combination(
        const struct library *all, int workload, int arch, int dataflow, struct tally *tally)
{
    struct sator_analyze_options options = {
            .engine = SATOR_ENGINE_CLOSED, .timing = SATOR_TIMING_ROOFLINE};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_result *result = NULL;
    char example[200];
    enum sator_status st = sator_analyze(ctx, all->workload[workload], 0, all->arch[arch],
            all->dataflow[dataflow], &options, &result);

    snprintf(example, sizeof example, "%s --arch %s --dataflow %s",
            sator_library_name("workloads", workload), sator_library_name("archs", arch),
            sator_library_name("dataflows", dataflow));
    if (st == SATOR_DECLINED) {
        note_declined(ctx, example, tally);
    } else if (st == SATOR_OK) {
        tally->accepted++;
        sator_result_free(result);
    } else if (st != SATOR_INPUT) {
        fail(ctx, example);
    }
    sator_ctx_free(ctx);
}

static void cover_library(bool list, const char *end)
{
    static struct tally tally;
    struct library all = load_library();

    tally = (struct tally){.list = list};
    for (int w = 0; w < all.n_workloads; w++) {
        for (int a = 0; a < all.n_archs; a++) {
            for (int d = 0; d < all.n_dataflows; d++)
                try_combination(&all, w, a, d, &tally);
        }
    }
    report(&tally, "library combinations", "closed_library_share", end);
    unload_library(&all);
}

/* ---- skews ---- */

enum {
    MOST_LOOPS = 6
};

/* Matrices over the loops of one workload: the first rows say where, the others when. */
struct space {
    const char *title, *workload, *arch, *shape;
    int n_loops, n_space;
    const char *loops[MOST_LOOPS];
    int extent[MOST_LOOPS];
    bool negative; /* coefficients -1, 0, 1 instead of 0, 1 */
    bool all; /* every matrix */
};

#define GEMM_LOOPS                                                                                 \
    {                                                                                              \
        "i", "j", "k"                                                                              \
    }
#define CONV_LOOPS                                                                                 \
    {                                                                                              \
        "k", "c", "ox", "oy", "rx", "ry"                                                           \
    }
#define GEMM_SMALL "gemm:i=16,j=16,k=16"
#define GEMM_LARGE "gemm:i=1024,j=1024,k=1024"
#define CONV_SMALL "vgg16-conv3_2:k=4,c=5,ox=6,oy=4,rx=3,ry=3"
#define CONV_LARGE "vgg16-conv3_2"
#define SYSTOLIC_1D "systolic-1d"
#define SYSTOLIC_2D "systolic-2d-8x8"

static const struct space spaces[] = {
        {"GEMM 16^3, 0/1, 2 PE rows", GEMM_SMALL, SYSTOLIC_2D, "[64,64]", 3, 2, GEMM_LOOPS,
                {16, 16, 16}, false, true},
        {"GEMM 1024^3, 0/1, 2 PE rows", GEMM_LARGE, SYSTOLIC_2D, "[4096,4096]", 3, 2, GEMM_LOOPS,
                {1024, 1024, 1024}, false, true},
        {"GEMM 16^3, 0/1, 1 PE row", GEMM_SMALL, SYSTOLIC_1D, "[64]", 3, 1, GEMM_LOOPS,
                {16, 16, 16}, false, true},
        {"GEMM 1024^3, 0/1, 1 PE row", GEMM_LARGE, SYSTOLIC_1D, "[4096]", 3, 1, GEMM_LOOPS,
                {1024, 1024, 1024}, false, true},
        {"GEMM 16^3, -1/0/1, 2 PE rows", GEMM_SMALL, SYSTOLIC_2D, "[64,64]", 3, 2, GEMM_LOOPS,
                {16, 16, 16}, true, false},
        {"GEMM 1024^3, -1/0/1, 2 PE rows", GEMM_LARGE, SYSTOLIC_2D, "[4096,4096]", 3, 2, GEMM_LOOPS,
                {1024, 1024, 1024}, true, false},
        {"GEMM 16^3, -1/0/1, 1 PE row", GEMM_SMALL, SYSTOLIC_1D, "[64]", 3, 1, GEMM_LOOPS,
                {16, 16, 16}, true, false},
        {"GEMM 1024^3, -1/0/1, 1 PE row", GEMM_LARGE, SYSTOLIC_1D, "[4096]", 3, 1, GEMM_LOOPS,
                {1024, 1024, 1024}, true, false},
        {"2D-CONV 4x5x6x4x3x3, 0/1", CONV_SMALL, SYSTOLIC_2D, "[32,32]", 6, 2, CONV_LOOPS,
                {4, 5, 6, 4, 3, 3}, false, false},
        {"2D-CONV VGG16 CONV3_2, 0/1", CONV_LARGE, SYSTOLIC_2D, "[1024,1024]", 6, 2, CONV_LOOPS,
                {256, 256, 56, 56, 3, 3}, false, false},
};

/* A number below "n", the same sequence on every run (xorshift64*). */
static int draw(int n)
{
    static uint64_t state = 20210614;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)((state * UINT64_C(2685821657736338717) >> 33) % (uint64_t)n);
}

typedef int matrix[MOST_LOOPS][MOST_LOOPS];

static void choose_matrix(const struct space *space, int number, matrix m)
{
    for (int i = 0; i < space->n_loops * space->n_loops; i++) {
        int *entry = &m[i / space->n_loops][i % space->n_loops];
        if (space->all)
            *entry = number >> i & 1;
        else
            *entry = space->negative ? draw(3) - 1 : draw(2);
    }
}

/* Whether the determinant is 0, by fraction-free elimination. */
static bool is_singular(int n, matrix m)
{
    long a[MOST_LOOPS][MOST_LOOPS], before = 1;

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i][j] = m[i][j];
    }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        while (pivot < n && a[pivot][k] == 0)
            pivot++;
        if (pivot == n)
            return true;
        for (int j = 0; j < n && pivot != k; j++) {
            long swap = a[pivot][j];
            a[pivot][j] = a[k][j];
            a[k][j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            for (int j = k + 1; j < n; j++)
                a[i][j] = (a[i][j] * a[k][k] - a[i][k] * a[k][j]) / before;
        }
        before = a[k][k];
    }
    return false;
}

/* Rows "from" to "end" as a list of sums; those of places begin at 0. */
static void write_rows(
        const struct space *space, matrix m, int from, int end, size_t size, char *text)
{
    size_t at = 0;

    text[0] = '\0';
    for (int r = from; r < end; r++) {
        int least = 0;
        for (int l = 0; l < space->n_loops && r < space->n_space; l++)
            least += m[r][l] < 0 ? space->extent[l] - 1 : 0;
        at += (size_t)snprintf(text + at, size - at, "%s%d", r > from ? ", " : "", least);
        for (int l = 0; l < space->n_loops; l++) {
            if (m[r][l] != 0)
                at += (size_t)snprintf(
                        text + at, size - at, " %c %s", m[r][l] < 0 ? '-' : '+', space->loops[l]);
        }
    }
}

/* Analyse one matrix in closed form. */
static void try_matrix(const struct space *space, const struct sator_network *network,
        const struct sator_arch *arch, matrix m, struct tally *tally)
{
    struct sator_analyze_options options = {
            .engine = SATOR_ENGINE_CLOSED, .timing = SATOR_TIMING_ROOFLINE};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_dataflow *dataflow = NULL;
    struct sator_result *result = NULL;
    char where[200], when[400], example[640];

    write_rows(space, m, 0, space->n_space, sizeof where, where);
    write_rows(space, m, space->n_space, space->n_loops, sizeof when, when);
    snprintf(example, sizeof example, "--space '%s' --time '%s'", where, when);
    enum sator_status st = sator_dataflow_from_text(ctx, "matrix", where, when, &dataflow);
    if (st == SATOR_OK)
        st = sator_analyze(ctx, network, 0, arch, dataflow, &options, &result);
    if (st == SATOR_DECLINED)
        note_declined(ctx, example, tally);
    else if (st == SATOR_OK)
        tally->accepted++;
    else
        fail(ctx, example);
    sator_result_free(result);
    sator_dataflow_free(dataflow);
    sator_ctx_free(ctx);
}

/* Add "part", and its reasons, to "sum". */
static void add_tally(const struct tally *part, struct tally *sum)
{
    sum->accepted += part->accepted;
    sum->declined += part->declined;
}

static void print_share(const char *what, const struct tally *tally)
{
    int all = tally->accepted + tally->declined;

    if (all > 0)
        fprintf(stderr, "  %-14s %6d of %6d (%.2f %%)\n", what, tally->accepted, all,
                100.0 * tally->accepted / all);
}

static void print_reasons(struct tally *tally)
{
    qsort(tally->reason, (size_t)tally->n_reasons, sizeof *tally->reason, compare_reasons);
    for (int i = 0; i < tally->n_reasons && !tally->list; i++)
        fprintf(stderr, "  %6d  %s\n          %s\n", tally->reason[i].count, tally->reason[i].text,
                tally->reason[i].example);
}

static void cover_matrices(const struct space *space, int samples, bool list, struct tally *sum)
{
    static struct tally tally[2]; /* regular, singular */
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;
    char set[80];
    const char *sets[] = {set};
    struct sator_input_options options = {.sets = sets, .n_sets = 1};
    int n = space->all ? 1 << (space->n_loops * space->n_loops) : samples;

    snprintf(set, sizeof set, "levels.PE.shape=%s", space->shape);
    if (sator_network_load(ctx, space->workload, NULL, &network) != SATOR_OK ||
            sator_arch_load(ctx, space->arch, &options, &arch) != SATOR_OK)
        fail(ctx, space->title);
    for (int k = 0; k < 2; k++)
        tally[k] = (struct tally){.list = list};
    for (int i = 0; i < n; i++) {
        matrix m;
        choose_matrix(space, i, m);
        try_matrix(space, network, arch, m, &tally[is_singular(space->n_loops, m)]);
    }
    fprintf(stderr, "%s\n", space->title);
    print_share("regular", &tally[0]);
    print_reasons(&tally[0]);
    print_share("singular", &tally[1]);
    print_reasons(&tally[1]);
    add_tally(&tally[0], sum);
    add_tally(&tally[1], sum);
    sator_arch_free(arch);
    sator_network_free(network);
    sator_ctx_free(ctx);
}

/* The sizes that begin the list of points: "...; N points". */
static bool read_size(void *data, const char *text, size_t length)
{
    uint64_t *size = data;
    const char *end = "points";

    for (size_t i = 0; i + strlen(end) <= length && *size == 0; i++) {
        if (strncmp(text + i, end, strlen(end)) != 0)
            continue;
        size_t first = i;
        while (first > 0 &&
                (text[first - 1] == ' ' || (text[first - 1] >= '0' && text[first - 1] <= '9')))
            first--;
        *size = strtoull(text + first, NULL, 10);
    }
    return *size == 0;
}

/* Sample the space of `sator explore --skew 2 --whole-skews`. */
static void cover_explored(int samples, bool list, struct tally *sum)
{
    static struct tally tally;
    struct sator_explore_options options = {.skew = 2,
            .whole_skews = true,
            .no_symmetry = true,
            .prune = SATOR_PRUNE_NONE,
            .engine = SATOR_ENGINE_CLOSED,
            .timing = SATOR_TIMING_ROOFLINE};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    struct sator_exploration *exploration = NULL;
    uint64_t size = 0;
    struct sator_sink sink = {.write = read_size, .data = &size};

    if (sator_network_load(ctx, CONV_LARGE, NULL, &network) != SATOR_OK ||
            sator_exploration_new(ctx, network, 0, SYSTOLIC_2D, NULL, &options, &exploration) !=
                    SATOR_OK ||
            sator_explore_list(ctx, exploration, 1, &sink) != SATOR_OK || size == 0)
        fail(ctx, "the space of explore");
    tally = (struct tally){.list = list};
    for (int i = 0; i < samples; i++) {
        struct sator_result *result = NULL;
        uint64_t point = ((uint64_t)draw(1 << 30) << 30 | (uint64_t)draw(1 << 30)) % size;
        char example[80];
        struct sator_ctx *own = sator_ctx_new();
        enum sator_status st = sator_explore_point(own, exploration, 0, 0, point, &result);
        snprintf(example, sizeof example, "--skew 2 --whole-skews --no-symmetry --point %llu",
                (unsigned long long)point);
        if (st == SATOR_OK)
            tally.accepted++;
        else
            note_declined(own, example, &tally);
        sator_result_free(result);
        sator_ctx_free(own);
    }
    fprintf(stderr, "sator explore %s --arch %s --skew 2 --whole-skews\n", CONV_LARGE, SYSTOLIC_2D);
    print_share("points", &tally);
    print_reasons(&tally);
    add_tally(&tally, sum);
    sator_exploration_free(exploration);
    sator_network_free(network);
    sator_ctx_free(ctx);
}

static void cover_skews(int samples, bool list, const char *end)
{
    struct tally *sum = calloc(1, sizeof *sum);

    if (sum == NULL)
        exit(1);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        cover_matrices(&spaces[i], samples, list, sum);
    cover_explored(samples, list, sum);
    report(sum, "skewed stamps", "closed_skew_share", end);
    free(sum);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    bool library = argc == 1 || strcmp(mode, "library") == 0;
    bool skews = argc == 1 || strcmp(mode, "skews") == 0;
    int samples = argc > 2 && skews ? atoi(argv[2]) : 2000;

    if (!library && !skews) {
        fprintf(stderr, "usage: bench_coverage [library [LIST] | skews [SAMPLES [LIST]]]\n");
        return 2;
    }
    printf("{\n");
    if (library)
        cover_library(argc > 2, skews ? "," : "");
    if (skews)
        cover_skews(samples, argc > 3, "");
    printf("}\n");
    return 0;
}
