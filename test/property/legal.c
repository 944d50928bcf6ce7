/* Which dataflows are legal (doc/model.md, section 2), against walks over all instances: maps of
 * several pieces, with conditions and free variables, that place every instance once, or do not.
 *
 *     property_legal [--seed N] [--cases N] [--case N]
 */
#include "base/context.h"
#include "base/text.h"
#include "frontend/frontend.h"
#include "oracle/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LOOPS = 3,
    MOST_PIECES = 3,
    MOST_DIMS = 3,
    MOST_INSTANCES = 6 * 6 * 6
};

/* ---- expressions, conditions, maps: this test's own ---- */

/* A sum of loops, its floor by "divisor" if that is not 0, the remainder by "modulus" if not 0. */
struct form {
    int64_t constant, coefficient[MOST_LOOPS], divisor, modulus;
};

enum test {
    TEST_NONE,
    TEST_AT_LEAST, /* form >= 0 */
    TEST_EQUAL, /* form = 0 */
    TEST_MULTIPLE /* exists e: form = 3 e */
};

struct piece {
    struct form out[MOST_DIMS];
    int64_t spread; /* the first output is any of out[0] .. out[0] + spread, as a free variable */
    enum test test;
    struct form tested;
};

struct map {
    int n_dims, n_pieces;
    struct piece pieces[MOST_PIECES];
};

static int64_t floor_of(int64_t value, int64_t divisor)
{
    int64_t quotient = value / divisor;

    return quotient * divisor > value ? quotient - 1 : quotient;
}

static int64_t value_of(const struct form *form, const int64_t *at)
{
    int64_t value = form->constant;

    for (int l = 0; l < MOST_LOOPS; l++)
        value += form->coefficient[l] * at[l];
    if (form->divisor != 0)
        value = floor_of(value, form->divisor);
    return form->modulus == 0 ? value : value - form->modulus * floor_of(value, form->modulus);
}

static bool holds(const struct piece *piece, const int64_t *at)
{
    int64_t value = value_of(&piece->tested, at);

    return piece->test == TEST_NONE || (piece->test == TEST_AT_LEAST && value >= 0) ||
            (piece->test == TEST_EQUAL && value == 0) ||
            (piece->test == TEST_MULTIPLE && value % 3 == 0);
}

static void write_form(struct sator_text *text, const struct form *form)
{
    if (form->modulus != 0)
        sator_text_put(text, "(");
    if (form->divisor != 0)
        sator_text_put(text, "floor((");
    sator_text_add(text, "%" PRId64, form->constant);
    for (int l = 0; l < MOST_LOOPS; l++) {
        if (form->coefficient[l] != 0)
            sator_text_add(text, " + (%" PRId64 ")*%c", form->coefficient[l], 'i' + l);
    }
    if (form->divisor != 0)
        sator_text_add(text, ")/%" PRId64 ")", form->divisor);
    if (form->modulus != 0)
        sator_text_add(text, ") mod %" PRId64, form->modulus);
}

static void write_loops(struct sator_text *text, int n_loops)
{
    sator_text_put(text, "S[");
    for (int l = 0; l < n_loops; l++)
        sator_text_add(text, "%s%c", l == 0 ? "" : ",", 'i' + l);
    sator_text_put(text, "]");
}

static void write_test(struct sator_text *text, const struct piece *piece, const char *joint)
{
    if (piece->test == TEST_NONE)
        return;
    sator_text_add(text, "%s%s", joint, piece->test == TEST_MULTIPLE ? "exists e: " : "");
    write_form(text, &piece->tested);
    sator_text_put(text,
            piece->test == TEST_AT_LEAST        ? " >= 0"
                    : piece->test == TEST_EQUAL ? " = 0"
                                                : " = 3e");
}

static void write_map(struct sator_text *text, const struct map *map, int n_loops, const char *name)
{
    sator_text_put(text, "{ ");
    for (int p = 0; p < map->n_pieces; p++) {
        const struct piece *piece = &map->pieces[p];
        sator_text_put(text, p == 0 ? "" : "; ");
        write_loops(text, n_loops);
        sator_text_add(text, " -> %s[", name);
        for (int d = 0; d < map->n_dims; d++) {
            sator_text_put(text, d == 0 ? "" : ", ");
            if (d == 0 && piece->spread >= 0)
                sator_text_put(text, "x");
            else
                write_form(text, &piece->out[d]);
        }
        sator_text_put(text, "]");
        if (piece->spread >= 0) {
            sator_text_put(text, " : ");
            write_form(text, &piece->out[0]);
            sator_text_put(text, " <= x <= ");
            write_form(text, &piece->out[0]);
            sator_text_add(text, " + %" PRId64, piece->spread);
        }
        write_test(text, piece, piece->spread >= 0 ? " and " : " : ");
    }
    sator_text_put(text, " }");
}

/* ---- random ones ---- */

static struct form random_form(struct random *random, int n_loops, bool bounded)
{
    struct form form = {.constant = random_below(random, 5) - 2};

    for (int l = 0; l < n_loops; l++)
        form.coefficient[l] = random_below(random, 4) - 1;
    if (random_chance(random, 40))
        form.divisor = 2 + random_below(random, 3);
    if (bounded || random_chance(random, 30))
        form.modulus = 2 + random_below(random, 4);
    return form;
}

/* A map whose pieces share the instances between them as often as not. */
static struct map random_map(struct random *random, int n_loops, int n_dims, bool bounded)
{
    struct map map = {.n_dims = n_dims, .n_pieces = 1 + (int)random_below(random, MOST_PIECES)};
    struct form tested = random_form(random, n_loops, false);

    for (int p = 0; p < map.n_pieces; p++) {
        struct piece *piece = &map.pieces[p];
        *piece = (struct piece){
                .spread = random_chance(random, 30) ? random_below(random, 5) / 4 : -1};
        for (int d = 0; d < n_dims; d++)
            piece->out[d] = random_form(random, n_loops, bounded);
        piece->test = random_chance(random, 70) ? (enum test)random_below(random, 4) : TEST_NONE;
        piece->tested = tested;
        if (p == 1 && map.pieces[0].test == TEST_AT_LEAST && random_chance(random, 80)) {
            piece->test = TEST_AT_LEAST; /* the rest: -form - 1 >= 0 */
            for (int l = 0; l < n_loops; l++)
                piece->tested.coefficient[l] *= -1;
            piece->tested.constant = -tested.constant - 1;
            piece->tested.divisor = 0;
            piece->tested.modulus = 0;
            map.pieces[0].tested.divisor = 0;
            map.pieces[0].tested.modulus = 0;
            map.n_pieces = 2;
        }
    }
    return map;
}

/* ---- a case ---- */

struct kernel {
    int n_loops;
    int64_t extent[MOST_LOOPS]; /* 1 beyond n_loops */
    int n; /* instances, in the nest's order */
    int64_t at[MOST_INSTANCES][MOST_LOOPS];
};

static void list_instances(struct kernel *kernel)
{
    kernel->n = 0;
    for (int64_t i = 0; i < kernel->extent[0]; i++) {
        for (int64_t j = 0; j < kernel->extent[1]; j++) {
            for (int64_t k = 0; k < kernel->extent[2]; k++) {
                int64_t *at = kernel->at[kernel->n++];
                at[0] = i;
                at[1] = j;
                at[2] = k;
            }
        }
    }
}

/* The number of different stamps of an instance: 0, 1, or 2 for more. */
static int count_stamps(const struct map *map, const int64_t *at)
{
    int64_t first[MOST_DIMS] = {0};
    int n = 0;

    for (int p = 0; p < map->n_pieces; p++) {
        const struct piece *piece = &map->pieces[p];
        if (!holds(piece, at))
            continue;
        for (int64_t x = 0; x <= (piece->spread < 0 ? 0 : piece->spread); x++) {
            int64_t stamp[MOST_DIMS] = {0};
            for (int d = 0; d < map->n_dims; d++)
                stamp[d] = value_of(&piece->out[d], at) + (d == 0 ? x : 0);
            if (n > 0 && memcmp(stamp, first, sizeof stamp) != 0)
                return 2;
            memcpy(first, stamp, sizeof stamp);
            n = 1;
        }
    }
    return n;
}

static bool is_placed_once(const struct kernel *kernel, const struct map *map)
{
    for (int i = 0; i < kernel->n; i++) {
        if (count_stamps(map, kernel->at[i]) != 1)
            return false;
    }
    return true;
}

static const struct sator_source *source(struct sator_ctx *ctx, struct sator_text *text)
{
    const struct sator_source *made = sator_source_from_text(ctx, "text.yaml", text->data);

    sator_text_clear(text);
    return made;
}

/* The answer of the whole model; its messages into "messages" (GIVE: free). */
static enum sator_status analyze(
        struct sator_text *workload, struct sator_text *dataflow, char **messages)
{
    static const char arch_text[] = "name: array\nlevels:\n  - {memory: M}\n"
                                    "  - {array: PE, shape: [8]}\n  - {compute: mac}\n";
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_text arch = {0};
    struct sator_network *network = NULL;
    struct sator_arch *machine = NULL;
    struct sator_dataflow *flow = NULL;
    struct sator_result *result = NULL;
    enum sator_status st;

    sator_text_put(&arch, arch_text);
    SATOR_TRY(sator_yaml_network(ctx, source(ctx, workload), NULL, &network));
    SATOR_TRY(sator_yaml_arch(ctx, source(ctx, &arch), NULL, &machine));
    SATOR_TRY(sator_yaml_dataflow(ctx, source(ctx, dataflow), NULL, &flow));
    SATOR_TRY(sator_analyze(ctx, network, 0, machine, flow, NULL, &result));
done:
    *messages = sator_ctx_take_messages(ctx, false);
    sator_result_free(result);
    sator_dataflow_free(flow);
    sator_arch_free(machine);
    sator_network_free(network);
    sator_text_clear(workload);
    sator_text_clear(dataflow);
    sator_ctx_free(ctx);
    return st;
}

/* The instance that a message names from "S[" on. */
static bool read_instance(const char *text, int64_t at[MOST_LOOPS])
{
    const char *start = text == NULL ? NULL : strstr(text, "S[i=");

    for (int l = 0; l < MOST_LOOPS; l++)
        at[l] = 0;
    return start != NULL &&
            sscanf(start, "S[i=%" SCNd64 ", j=%" SCNd64 ", k=%" SCNd64, &at[0], &at[1], &at[2]) > 0;
}

static struct kernel random_kernel(struct random *random)
{
    struct kernel kernel = {.n_loops = 1 + (int)random_below(random, MOST_LOOPS)};

    for (int l = 0; l < MOST_LOOPS; l++)
        kernel.extent[l] = l < kernel.n_loops ? 1 + random_below(random, 6) : 1;
    list_instances(&kernel);
    return kernel;
}

static void write_sizes(struct sator_text *text, const struct kernel *kernel)
{
    sator_text_put(text, "name: random\ndomain: \"{ ");
    write_loops(text, kernel->n_loops);
    sator_text_put(text, " : ");
    for (int l = 0; l < kernel->n_loops; l++)
        sator_text_add(
                text, "%s0 <= %c < %" PRId64, l == 0 ? "" : " and ", 'i' + l, kernel->extent[l]);
    sator_text_put(text, " }\"\n");
}

/* ---- placement ---- */

/* Whether the message names a map's fault as it is. */
static bool names_fault(const char *messages, const char *what, const struct map *map)
{
    char start[64];
    int64_t at[MOST_LOOPS];

    snprintf(start, sizeof start, "the %s map gives ", what);
    const char *fault = messages == NULL ? NULL : strstr(messages, start);
    if (fault == NULL || !read_instance(fault, at))
        return false;
    const char *end = strchr(fault, '\n');
    const char *none = strstr(fault, "no stamp"), *two = strstr(fault, "two stamps");
    int n = count_stamps(map, at);
    return n == 0 ? none != NULL && none < end : n == 2 && two != NULL && two < end;
}

static bool placement_is_right(struct random *random, int *n_placed)
{
    struct kernel kernel = random_kernel(random);
    struct map space = random_map(random, kernel.n_loops, 1, true);
    struct map time = random_map(random, kernel.n_loops, 1 + (int)random_below(random, 3), false);
    struct sator_text workload = {0}, dataflow = {0};
    char *messages = NULL;

    if (random_chance(random, 50)) /* one fault at a time, too */
        time = (struct map){.n_dims = 1, .n_pieces = 1, .pieces[0].spread = -1};
    write_sizes(&workload, &kernel);
    sator_text_add(&workload, "reads: \"{ ");
    write_loops(&workload, kernel.n_loops);
    sator_text_add(&workload, " -> A[i] }\"\nwrites: \"{ ");
    write_loops(&workload, kernel.n_loops);
    sator_text_put(&workload, " -> Y[i] }\"\n");
    sator_text_put(&dataflow, "name: flow\nspace: \"");
    write_map(&dataflow, &space, kernel.n_loops, "PE");
    sator_text_put(&dataflow, "\"\ntime: \"");
    write_map(&dataflow, &time, kernel.n_loops, "T");
    sator_text_put(&dataflow, "\"\n");
    char *shown = strdup(dataflow.data);
    bool in_space = is_placed_once(&kernel, &space), in_time = is_placed_once(&kernel, &time);
    enum sator_status st = analyze(&workload, &dataflow, &messages);
    bool right = in_space && in_time
            ? st == SATOR_OK
            : st == SATOR_INPUT && (in_space || names_fault(messages, "space", &space)) &&
                    (in_time || names_fault(messages, "time", &time));
    *n_placed += in_space && in_time;
    if (!right)
        printf("%s%" PRId64 " x %" PRId64 " x %" PRId64
               "\nplaced once in space: %d, in time: %d; status %d\n%s",
                shown, kernel.extent[0], kernel.extent[1], kernel.extent[2], in_space, in_time,
                (int)st, messages == NULL ? "" : messages);
    free(shown);
    free(messages);
    return right;
}

int main(int argc, char **argv)
{
    struct run_options options;
    int n_placed = 0;

    if (!run_options(argc, argv, 2000, &options))
        return 2;
    for (int64_t c = options.first_case; c < options.first_case + options.n_cases; c++) {
        struct random random = {run_case_seed(&options, c)};
        if (!placement_is_right(&random, &n_placed)) {
            printf("case %" PRId64 " of seed %" PRIu64 "\n", c, options.seed);
            return 1;
        }
    }
    printf("%" PRId64 " dataflows, %d of them place every instance once\n", options.n_cases,
            n_placed);
    return 0;
}
