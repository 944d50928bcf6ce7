/* Small spaces, explored whole, with and without what leaves points out:
 *
 *   - a point's number leads back to it, its maps keep every instance inside the array and, when
 * nothing is folded, no two instances share a stamp;
 *   - for every point that symmetry leaves out there is one that it visits with the same figures;
 *   - the best latency, energy and EDP, and the front of the first two, are the same with the safe
 * rules as without any;
 *   - skews for which a dominating point was promised do have one.
 */
#include "explore/problem.h"
#include "oracle/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_POINTS = 800,
    MOST_INSTANCES = 4096
};

static const char *const workloads[] = {"gemm:i=%d,j=%d,k=%d", "gemv:i=%d,k=%d",
        "mttkrp:i=%d,j=%d,k=%d,l=%d", "conv2d:k=%d,c=%d,ox=%d,rx=%d,oy=1,ry=1",
        "conv2d:k=%d,ox=%d,rx=%d,c=1,oy=1,ry=1", "conv2d:ox=%d,oy=%d,rx=%d,ry=%d,k=1,c=1",
        "conv2d-strided:k=%d,ox=%d,rx=%d,c=1,oy=1,ry=1",
        "conv2d-depthwise:c=%d,ox=%d,rx=%d,oy=1,ry=1", "ttmc:i=%d,j=%d,k=1,l=%d,m=%d",
        "attention-qk:i=%d,j=%d,h=1,k=%d"};
static const char *const archs[] = {"systolic-2d-8x8", "mesh-8x8", "multicast-8x8", "systolic-1d",
        "reduction-tree-64", "shidiannao-8x8", "maeri-64", "eyeriss", "tpu-256x256"};

/* Wires of a two-dimensional array that are not alike, whatever the library's arrays have. */
static const char *const uneven[] = {
        "levels.PE.links=[{name: east, map: \"PE[i,j] -> PE[i,j+1]\", tensors: [A], energy_pj: "
        "0.2},"
        " {name: south, map: \"PE[i,j] -> PE[i+1,j]\", energy_pj: 0.2}]",
        "levels.PE.links=[{name: east, map: \"PE[i,j] -> PE[i,j+1]\", energy_pj: 0.5},"
        " {name: south, map: \"PE[i,j] -> PE[i+1,j]\", energy_pj: 0.2}]",
        "levels.PE.multicast=[{name: row, map: \"PE[i,j] -> BUS[i]\", energy_pj: 0.2},"
        " {name: column, map: \"PE[i,j] -> BUS[j]\", energy_pj: 1}]",
        "levels.PE.multicast=[{name: pair, map: \"PE[i,j] -> BUS[i, j/2]\", energy_pj: 0.2},"
        " {name: column, map: \"PE[i,j] -> BUS[j]\", energy_pj: 0.2}]",
        "levels.PE.reduction=[{name: tree, map: \"PE[i,j] -> TREE[i]\", energy_pj: 0.2}]"};

/* Memories that hold little, have ports of their own, or cost what they do not in the library; the
 * number is drawn. */
static const char *const memories[] = {"levels.scratchpad.capacity_words=%d",
        "levels.scratchpad.capacity_words={Y: %d}", "levels.scratchpad.capacity_bytes=%d",
        "levels.scratchpad.double_buffered=true", "levels.scratchpad.overlaps=false",
        "levels.scratchpad.ports=[{name: all, direction: shared, bandwidth_bits: %d}]",
        "levels.scratchpad.ports=[{name: a, tensors: [A], bandwidth_bits: {read: %d, write: 9}}]",
        "levels.registers.capacity_words=%d", "levels.registers.capacity_words={A: 1, B: %d}",
        "levels.registers.bandwidth_bits=%d",
        "levels.registers.ports=[{name: sums, tensors: [Y], bandwidth_bits: %d}]",
        "levels.registers.energy_pj=%d"};
enum {
    MOST_SETS = 5
};

struct test_case {
    char workload[128], shape[64], width[64]; /* width: a setting of the workload, or "" */
    const char *arch;
    const char *wires; /* a setting of the architecture, or NULL */
    char memory[MOST_SETS - 2][128]; /* the same, or "" */
    struct sator_explore_options options;
};

static int below(struct random *random, int n)
{
    return (int)random_below(random, n);
}

/* Partial sums that a skew sends out and back, so that the others of a tree need not read theirs:
 * where that is dear, the skewed point takes less energy than the same without a skew. */
static void make_dear_sums(struct random *random, struct test_case *c)
{
    *c = (struct test_case){.workload = "mttkrp:i=2,j=2,k=8,l=4",
            .shape = "levels.PE.shape=[2,4]",
            .arch = "multicast-8x8",
            .wires = uneven[sizeof uneven / sizeof *uneven - 1],
            .memory = {"levels.PE.multicast=[]"},
            .options = {.pack = 1, .skew = 1}};
    snprintf(c->memory[1], sizeof c->memory[1], "levels.registers.energy_pj=%d",
            1 + below(random, 50));
}

static void make_case(struct random *random, struct test_case *c)
{
    const char *pattern = workloads[below(random, sizeof workloads / sizeof *workloads)];
    int s[4];

    if (random_chance(random, 3)) {
        make_dear_sums(random, c);
        return;
    }
    for (int i = 0; i < 4; i++)
        s[i] = random_chance(random, 20) ? 2 : 2 + below(random, 5);
    if (random_chance(random, 40))
        s[1] = s[0]; /* equal loops may be renamed */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(c->workload, sizeof c->workload, pattern, s[0], s[1], s[2], s[3]);
#pragma GCC diagnostic pop
    c->arch = archs[below(random, sizeof archs / sizeof *archs)];
    int rows = 2 + below(random, 3),
        columns = random_chance(random, 60) ? rows : 2 + below(random, 3);
    bool is_1d = strcmp(c->arch, "systolic-1d") == 0 || strcmp(c->arch, "reduction-tree-64") == 0 ||
            strcmp(c->arch, "maeri-64") == 0;
    if (is_1d)
        snprintf(c->shape, sizeof c->shape, "levels.PE.shape=[%d]", rows);
    else
        snprintf(c->shape, sizeof c->shape, "levels.PE.shape=[%d,%d]", rows, columns);
    c->wires = NULL;
    if (!is_1d && random_chance(random, 30))
        c->wires = uneven[below(random, sizeof uneven / sizeof *uneven)];
    for (int i = 0; i < MOST_SETS - 2; i++) {
        static const int numbers[] = {1, 2, 3, 4, 6, 8, 12, 20, 30, 50, 80, 160};
        const char *setting = memories[below(random, sizeof memories / sizeof *memories)];
        int number = numbers[below(random, sizeof numbers / sizeof *numbers)];
        c->memory[i][0] = '\0';
        bool in_bytes = strcmp(c->arch, "eyeriss") == 0 || strcmp(c->arch, "tpu-256x256") == 0;
        const char *unit = in_bytes ? "scratchpad.capacity_words" : "scratchpad.capacity_bytes";
        if (random_chance(random, 40) && strstr(setting, unit) == NULL)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(c->memory[i], sizeof c->memory[i], setting, number);
#pragma GCC diagnostic pop
    }
    /* tensors of other widths are not to be exchanged */
    c->width[0] = '\0';
    if (random_chance(random, 30))
        snprintf(c->width, sizeof c->width, "word_bits={%c: 8}", "AB"[below(random, 2)]);
    c->options = (struct sator_explore_options){.pack = 1 + random_chance(random, 40),
            .skew = random_chance(random, 75) ? 1 : below(random, 3) - 1,
            .whole_skews = random_chance(random, 25),
            .idle = random_chance(random, 20),
            .fold = random_chance(random, 15)};
}

/* Spaces that are seldom drawn, each of which shows what one rule must not leave out:
 *
 *   - by a whole loop that runs in time, too: PE[i%4] | T[k, floor(i/4) + i] has 8 stamps, and its
 *     mirror image, T[k, floor(i/4) - i], has 7;
 *   - an array of three dimensions, whose orders are six;
 *   - a skew that lets PEs of a bus use one word: in T[rx + ox] at a stamp t PE[ox] has A[t];
 *   - the same on buses that are not whole rows or columns;
 *   - a bus along i + 2 j, which joins PEs with one A[2 ox + rx] where rx runs along i and ox along
 *     j, and none the other way round. */
#define CUBE(name, i, j, k)                                                                        \
    "{name: " #name ", map: \"PE[i,j,k] -> PE[i+" #i ",j+" #j ",k+" #k                             \
    "]\", interval: 1, energy_pj: "                                                                \
    "0.2}"
static const struct test_case fixed[] = {
        {.workload = "gemv:i=8,k=2",
                .arch = "mesh-8x8",
                .shape = "levels.PE.shape=[4,2]",
                .options = {.pack = 1, .skew = 1, .whole_skews = true}},
        {.workload = "gemm:i=2,j=2,k=2",
                .arch = "mesh-8x8",
                .shape = "levels.PE.shape=[2,2,2]",
                .wires = "levels.PE.links=[" CUBE(x, 1, 0, 0) ", " CUBE(y, 0, 1, 0) ", " CUBE(
                        z, 0, 0, 1) "]",
                .options = {.pack = 1, .skew = 1}},
        {.workload = "conv2d:k=2,ox=4,rx=3,c=1,oy=1,ry=1",
                .arch = "multicast-8x8",
                .shape = "levels.PE.shape=[2,4]",
                .options = {.pack = 1, .skew = 1}},
        {.workload = "conv2d:k=2,ox=4,rx=3,c=1,oy=1,ry=1",
                .arch = "multicast-8x8",
                .shape = "levels.PE.shape=[2,4]",
                .wires = "levels.PE.multicast=[{name: pair, map: \"PE[i,j] -> BUS[i, j/2]\", "
                         "energy_pj: 0.2}]",
                .options = {.pack = 1, .skew = 1}},
        {.workload = "conv2d-strided:k=2,ox=3,rx=3,c=1,oy=1,ry=1",
                .arch = "multicast-8x8",
                .shape = "levels.PE.shape=[3,3]",
                .wires = "levels.PE.multicast=[{name: slant, map: \"PE[i,j] -> BUS[i + 2*j]\", "
                         "energy_pj: 0.2}]",
                .options = {.pack = 1, .skew = 1}},
};

/* ---- one point, instance by instance ---- */

static bool step(const struct sator_workload *layer, int64_t *point)
{
    for (int l = layer->n_loops - 1; l >= 0; l--) {
        if (++point[l] < layer->upper[l])
            return true;
        point[l] = layer->lower[l];
    }
    return false;
}

static int compare_stamps(const void *a, const void *b)
{
    return memcmp(a, b, 24 * sizeof(int64_t));
}

/* Say what is wrong with the point's maps, or return NULL. */
static const char *check_maps(const struct space *space, const struct space_point *point,
        const struct sator_workload *layer)
{
    static int64_t stamps[MOST_INSTANCES][24];
    struct sator_arena *arena = sator_arena_new();
    const struct sator_relation *where, *when;
    const char *wrong = NULL;
    int64_t at[SPACE_MOST_LOOPS];
    int n = 0;

    sator_space_maps(space, point, 0, arena, &where, &when);
    memset(stamps, 0, sizeof stamps);
    memcpy(at, layer->lower, sizeof *at * (size_t)layer->n_loops);
    do {
        for (int d = 0; d < where->n_out; d++) {
            if (!sator_expr_value(where->pieces[0].out[d], at, &stamps[n][d]) || stamps[n][d] < 0 ||
                    stamps[n][d] >= space->shape[d])
                wrong = "an instance is outside the array";
        }
        for (int d = 0; d < when->n_out; d++)
            sator_expr_value(when->pieces[0].out[d], at, &stamps[n][where->n_out + d]);
        n++;
    } while (step(layer, at) && n < MOST_INSTANCES);
    qsort(stamps, (size_t)n, sizeof *stamps, compare_stamps);
    for (int i = 1; i < n && point->folded == 0; i++) {
        if (compare_stamps(stamps[i - 1], stamps[i]) == 0)
            wrong = "two instances share a stamp";
    }
    sator_arena_free(arena);
    return wrong;
}

/* ---- a whole space ---- */

struct result {
    bool valid;
    const char *symmetric, *safe; /* the rules of the two variants */
    double cost[3]; /* latency, energy, EDP */
    double delays[3]; /* compute, the slowest ports of each direction */
    sator_int unique, time_stamps, active;
    sator_int moved; /* words at all memories: any sum in which no tensor is told from another */
    int cuts;
    char bound_by[48];
};

static bool close_to(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b); /* an energy that the architecture does not say */
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)); /* sums in another order round otherwise */
}

static bool same_figures(const struct result *a, const struct result *b)
{
    return a->valid == b->valid && a->unique == b->unique && a->time_stamps == b->time_stamps &&
            a->active == b->active && close_to(a->cost[0], b->cost[0]) &&
            close_to(a->cost[1], b->cost[1]) && close_to(a->delays[0], b->delays[0]) &&
            close_to(a->delays[1], b->delays[1]) && close_to(a->delays[2], b->delays[2]) &&
            a->moved == b->moved && a->cuts == b->cuts && strcmp(a->bound_by, b->bound_by) == 0;
}

static bool no_worse(const struct result *a, const struct result *b)
{
    return (a->cost[0] <= b->cost[0] || close_to(a->cost[0], b->cost[0])) &&
            (a->cost[1] <= b->cost[1] || close_to(a->cost[1], b->cost[1]));
}

static const char *check_symmetry(const struct result *results, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        bool found = results[i].symmetric == NULL;
        for (uint64_t j = 0; j < n && !found; j++)
            found = results[j].symmetric == NULL && same_figures(&results[i], &results[j]);
        if (!found) {
            printf("point %" PRIu64 "\n", i);
            return "no visited point has the figures of one that symmetry leaves out";
        }
    }
    return NULL;
}

/* Whether the point is no better than one of those that it becomes without some of its skews. */
static bool has_better_twin(const struct space *space, const struct result *results, uint64_t index)
{
    struct space_point point;

    sator_space_point(space, index, &point);
    for (unsigned kept = 0; kept < 1u << point.n_digits; kept++) {
        struct space_point twin = point;
        for (int i = 0; i < point.n_digits && i < SPACE_MOST_DIGITS; i++) {
            if ((kept >> i & 1) == 0)
                twin.skew[0][i] = 0;
        }
        uint64_t other = sator_space_index(space, &twin);
        if (other != index && results[other].valid && no_worse(&results[other], &results[index]))
            return true;
    }
    return false;
}

static const char *check_safety(const struct space *space, const struct result *results, uint64_t n)
{
    double best[3] = {INFINITY, INFINITY, INFINITY}, kept[3] = {INFINITY, INFINITY, INFINITY};

    for (uint64_t i = 0; i < n; i++) {
        bool found = results[i].safe == NULL || !results[i].valid;
        for (int c = 0; c < 3 && results[i].valid; c++) {
            best[c] = fmin(best[c], results[i].cost[c]);
            if (results[i].safe == NULL)
                kept[c] = fmin(kept[c], results[i].cost[c]);
        }
        for (uint64_t j = 0; j < n && !found; j++)
            found = results[j].safe == NULL && results[j].valid &&
                    no_worse(&results[j], &results[i]);
        if (!found) {
            printf("point %" PRIu64 " (%s)\n", i, results[i].safe);
            return "a point that is left out is better than all that are visited";
        }
        if (results[i].valid && results[i].safe != NULL &&
                strcmp(results[i].safe, "idle_skew") == 0 && !has_better_twin(space, results, i)) {
            printf("point %" PRIu64 "\n", i);
            return "a skew that is left out as idle is of use";
        }
    }
    for (int c = 0; c < 3; c++) {
        if (isfinite(best[c]) && !close_to(best[c], kept[c]))
            return "the optimum is lost";
    }
    return NULL;
}

static void fill(struct result *result, const struct sator_result *r)
{
    result->valid = true;
    result->cost[0] = r->total_cycles;
    result->cost[1] = r->energy_pj;
    result->cost[2] = r->edp;
    result->time_stamps = r->time_stamps;
    result->active = r->active_pes;
    for (int t = 0; t < r->n_tensors; t++)
        result->unique += r->tensors[t].unique_volume;
    for (int l = 0; l < r->n_levels; l++) {
        result->cuts = 20 * result->cuts + r->levels[l].time_cut;
        result->moved *= 1000;
        for (int t = 0; t < r->levels[l].n_tensors; t++) {
            const struct sator_level_tensor *tensor = &r->levels[l].tensors[t];
            result->moved += tensor->tile_words + 3 * tensor->fills + 7 * tensor->writes +
                    13 * tensor->reads + 31 * tensor->updates;
        }
    }
    result->delays[0] = r->compute_cycles;
    result->delays[1] = r->read_cycles;
    result->delays[2] = r->write_cycles;
    snprintf(result->bound_by, sizeof result->bound_by, "%s", r->bound_by);
}

/* Evaluate everything; what is wrong, or NULL. "left_out" counts points that the rules left out. */
static const char *check_space(struct sator_ctx *ctx, const struct sator_exploration *all,
        const struct sator_exploration *symmetric, const struct sator_exploration *safe,
        int *left_out)
{
    const struct explore_part *part = &all->parts[0];
    uint64_t n = sator_space_size(part->space);
    struct result *results = calloc(n + 1, sizeof *results);
    const char *wrong = NULL;

    for (uint64_t i = 0; i < n && wrong == NULL; i++) {
        struct sator_result *r = NULL;
        struct space_point point;
        const char *rule = NULL;
        sator_space_point(part->space, i, &point);
        if (sator_space_index(part->space, &point) != i)
            wrong = "a point's number does not lead back to it";
        else
            wrong = check_maps(part->space, &point, all->families[0].workloads[0]);
        if (sator_space_rule(part->space, i, &point) != NULL)
            wrong = "a rule leaves a point out, though none should";
        results[i].symmetric = sator_space_rule(symmetric->parts[0].space, i, &point);
        results[i].safe = sator_space_rule(safe->parts[0].space, i, &point);
        *left_out += results[i].safe != NULL;
        if (explore_evaluate(ctx, all, part, i, 0, &rule, &r) != SATOR_OK)
            wrong = "the model refuses a point";
        else if (rule == NULL)
            fill(&results[i], r);
        sator_result_free(r);
    }
    if (wrong == NULL)
        wrong = check_symmetry(results, n);
    if (wrong == NULL)
        wrong = check_safety(part->space, results, n);
    free(results);
    return wrong;
}

/* ---- cases ---- */

static struct sator_exploration *explore(struct sator_ctx *ctx, const struct sator_network *network,
        const struct test_case *c, bool symmetry, enum sator_explore_prune prune)
{
    const char *sets[MOST_SETS] = {c->shape};
    struct sator_input_options input = {.sets = sets, .n_sets = 1};
    if (c->wires != NULL)
        sets[input.n_sets++] = c->wires;
    for (int i = 0; i < MOST_SETS - 2; i++) {
        if (c->memory[i][0] != '\0')
            sets[input.n_sets++] = c->memory[i];
    }
    struct sator_explore_options options = c->options;
    struct sator_exploration *made = NULL;

    options.no_symmetry = !symmetry;
    options.prune = prune;
    if (sator_exploration_new(ctx, network, 0, c->arch, &input, &options, &made) != SATOR_OK)
        return NULL;
    return made;
}

/* false: a failure. */
static bool run_case(const struct test_case *c, int *n_run, int *left_out)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    const char *wrong = "an input cannot be read";
    struct sator_exploration *all = NULL, *symmetric = NULL, *safe = NULL;
    const char *widths[] = {c->width};
    struct sator_input_options input = {.sets = widths, .n_sets = c->width[0] != '\0'};

    if (sator_network_load(ctx, c->workload, &input, &network) == SATOR_OK) {
        all = explore(ctx, network, c, false, SATOR_PRUNE_NONE);
        symmetric = explore(ctx, network, c, true, SATOR_PRUNE_NONE);
        safe = explore(ctx, network, c, true, SATOR_PRUNE_SAFE);
    }
    if (all != NULL && symmetric != NULL && safe != NULL) {
        wrong = NULL;
        if (sator_space_size(all->parts[0].space) <= MOST_POINTS) {
            ++*n_run;
            wrong = check_space(ctx, all, symmetric, safe, left_out);
        }
    }
    if (wrong != NULL || getenv("SATOR_VERBOSE") != NULL) {
        char *messages = sator_ctx_take_messages(ctx, false);
        printf("%s%s\n  %s %s on %s, %s %s %s %s %s, pack %d skew %d whole %d idle %d fold %d\n%s",
                wrong == NULL ? "" : "FAILED: ", wrong == NULL ? "fine" : wrong, c->workload,
                c->width, c->arch, c->shape, c->wires == NULL ? "" : c->wires, c->memory[0],
                c->memory[1], c->memory[2], c->options.pack, c->options.skew,
                c->options.whole_skews, c->options.idle, c->options.fold,
                messages == NULL ? "" : messages);
        free(messages);
    }
    sator_exploration_free(all);
    sator_exploration_free(symmetric);
    sator_exploration_free(safe);
    sator_network_free(network);
    sator_ctx_free(ctx);
    return wrong == NULL;
}

int main(int argc, char **argv)
{
    struct run_options options;
    int n_run = 0, left_out = 0;

    if (!run_options(argc, argv, 150, &options))
        return 2;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (!run_case(&fixed[i], &n_run, &left_out))
            return 1;
    }
    for (int64_t i = 0; i < options.n_cases; i++) {
        struct random random = {run_case_seed(&options, options.first_case + i)};
        struct test_case c;
        make_case(&random, &c);
        if (!run_case(&c, &n_run, &left_out)) {
            printf("  again: --seed %" PRIu64 " --case %" PRId64 "\n", options.seed,
                    options.first_case + i);
            return 1;
        }
    }
    printf("%d spaces explored whole, %d points left out by rules\n", n_run, left_out);
    return n_run > 0 && (left_out > 0 || options.n_cases < 10) ? 0 : 1;
}
