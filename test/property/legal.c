/* Which dataflows are legal (doc/model.md, section 1), against walks over all instances: maps of
 * several pieces, with conditions and free variables, that place every instance once, or do not;
 * and operations in place, in orders that keep what the nest needs, or do not; and what the mapper
 * makes of these.
 *
 *     property_legal [--seed N] [--cases N] [--case N]
 */
#include "base/context.h"
#include "base/text.h"
#include "frontend/frontend.h"
#include "oracle/run.h"
#include "sator/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LOOPS = 3,
    MOST_PIECES = 3,
    MOST_DIMS = 4,
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
    struct piece where; /* whose test holds in the domain */
    int n; /* instances, in the nest's order */
    int64_t at[MOST_INSTANCES][MOST_LOOPS];
};

static void list_instances(struct kernel *kernel)
{
    kernel->n = 0;
    for (int64_t i = 0; i < kernel->extent[0]; i++) {
        for (int64_t j = 0; j < kernel->extent[1]; j++) {
            for (int64_t k = 0; k < kernel->extent[2]; k++) {
                int64_t *at = kernel->at[kernel->n];
                at[0] = i;
                at[1] = j;
                at[2] = k;
                kernel->n += holds(&kernel->where, at);
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
    if (random_chance(random, 30)) {
        kernel.where.test = random_chance(random, 70) ? TEST_AT_LEAST : TEST_MULTIPLE;
        kernel.where.tested = random_form(random, kernel.n_loops, false);
    }
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
    write_test(text, &kernel->where, " and ");
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

    if (kernel.n == 0)
        return true;
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

/* ---- orders ---- */

struct in_place {
    struct kernel kernel;
    struct map reads, writes, time;
};

/* Whether "piece" touches "element" at instance "at". */
static bool touches(
        const struct piece *piece, int n_index, const int64_t *at, const int64_t *element)
{
    bool same = holds(piece, at);

    for (int d = 0; d < n_index && same; d++) {
        int64_t value = value_of(&piece->out[d], at);
        int64_t last = d == 0 && piece->spread > 0 ? value + piece->spread : value;
        same = element[d] >= value && element[d] <= last;
    }
    return same;
}

/* Whether two pieces touch one element, at instances "a" and "b"; which, if any. */
static bool do_meet(const struct piece *x, const int64_t *a, const struct piece *y,
        const int64_t *b, int n_index, int64_t *element)
{
    if (!holds(x, a))
        return false;
    for (int64_t at = 0; at <= (x->spread < 0 ? 0 : x->spread); at++) {
        for (int d = 0; d < n_index; d++)
            element[d] = value_of(&x->out[d], a) + (d == 0 ? at : 0);
        if (touches(y, n_index, b, element))
            return true;
    }
    return false;
}

/* Whether all that the read touches is written by the instance that reads it: an update's old
 * value. */
static bool is_update(const struct in_place *p, const struct piece *read)
{
    for (int i = 0; i < p->kernel.n; i++) {
        const int64_t *at = p->kernel.at[i];
        for (int64_t x = 0; holds(read, at) && x <= (read->spread < 0 ? 0 : read->spread); x++) {
            int64_t element[MOST_DIMS];
            bool written = false;
            for (int d = 0; d < p->reads.n_dims; d++)
                element[d] = value_of(&read->out[d], at) + (d == 0 ? x : 0);
            for (int w = 0; w < p->writes.n_pieces; w++)
                written = written || touches(&p->writes.pieces[w], p->reads.n_dims, at, element);
            if (!written)
                return false;
        }
    }
    return true;
}

static int compare_times(const struct in_place *p, const int64_t *a, const int64_t *b)
{
    for (int d = 0; d < p->time.n_dims; d++) {
        int64_t x = value_of(&p->time.pieces[0].out[d], a),
                y = value_of(&p->time.pieces[0].out[d], b);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

/* Whether the instances, "first" before "second" in the nest, are out of order: as a write and a
 * read
 * ("flow"), or as a read and a write. */
static bool is_disorder(
        const struct in_place *p, const int64_t *first, const int64_t *second, bool flow)
{
    int64_t element[MOST_DIMS];
    int order = compare_times(p, first, second);

    if (order < 0 || (order == 0 && !flow))
        return false;
    for (int r = 0; r < p->reads.n_pieces; r++) {
        const struct piece *read = &p->reads.pieces[r];
        if (is_update(p, read))
            continue;
        for (int w = 0; w < p->writes.n_pieces; w++) {
            const struct piece *write = &p->writes.pieces[w];
            if (flow ? do_meet(write, first, read, second, p->reads.n_dims, element)
                     : do_meet(read, first, write, second, p->reads.n_dims, element))
                return true;
        }
    }
    return false;
}

static bool is_in_order(const struct in_place *p)
{
    for (int i = 0; i < p->kernel.n; i++) {
        for (int j = i + 1; j < p->kernel.n; j++) {
            if (is_disorder(p, p->kernel.at[i], p->kernel.at[j], true) ||
                    is_disorder(p, p->kernel.at[i], p->kernel.at[j], false))
                return false;
        }
    }
    return true;
}

static struct form loop_form(int loop)
{
    struct form form = {0};

    form.coefficient[loop] = 1;
    return form;
}

/* What is written, and reads that are near it, it itself, or anything. */
static void draw_accesses(struct random *random, struct in_place *p)
{
    int n_loops = p->kernel.n_loops, n_index = 1 + (int)random_below(random, 2);

    p->writes = random_map(random, n_loops, n_index, false);
    p->reads = random_map(random, n_loops, n_index, false);
    for (int w = 0; w < p->writes.n_pieces; w++) {
        struct piece *write = &p->writes.pieces[w];
        for (int d = 0; d < n_index && random_chance(random, 70); d++) {
            write->out[d] = loop_form((int)random_below(random, n_loops));
            write->spread = -1;
        }
        if (random_chance(random, 60))
            write->test = TEST_NONE;
    }
    if (random_chance(random, 70))
        p->writes.n_pieces = 1;
    for (int r = 0; r < p->reads.n_pieces; r++) {
        struct piece *read = &p->reads.pieces[r];
        if (random_chance(random, 70)) {
            *read = p->writes.pieces[0];
            for (int d = 0; d < n_index; d++)
                read->out[d].constant += random_below(random, 3) - 1;
        }
        if (random_chance(random, 10))
            read->test = TEST_NONE;
    }
}

/* Tiles and digits of the loops, outermost first as often as not, with skews. */
static void draw_time(struct random *random, struct in_place *p)
{
    int n_loops = p->kernel.n_loops;

    p->time = (struct map){.n_dims = 1 + (int)random_below(random, MOST_DIMS), .n_pieces = 1};
    p->time.pieces[0].spread = -1;
    for (int d = 0; d < p->time.n_dims; d++) {
        struct form *form = &p->time.pieces[0].out[d];
        *form = loop_form(
                random_chance(random, 70) ? d % n_loops : (int)random_below(random, n_loops));
        if (random_chance(random, 25))
            form->divisor = 2 + random_below(random, 2);
        if (random_chance(random, 15))
            form->modulus = 2 + random_below(random, 3);
        if (random_chance(random, 25))
            *form = random_form(random, n_loops, false);
        if (random_chance(random, 30))
            form->coefficient[random_below(random, n_loops)] += 1 + random_below(random, 2);
    }
}

/* Whether the message names two instances that are out of order in the way that it says. */
static bool names_disorder(const struct in_place *p, const char *messages)
{
    const char *earlier = messages == NULL ? NULL : strstr(messages, " before S[");
    int64_t first[MOST_LOOPS], second[MOST_LOOPS];

    if (earlier == NULL || !read_instance(messages, second) || !read_instance(earlier, first))
        return false;
    bool flow = strstr(messages, " reads A[") != NULL;
    if (!flow && strstr(messages, " overwrites A[") == NULL)
        return false;
    bool in_nest = false,
         are_instances = holds(&p->kernel.where, first) && holds(&p->kernel.where, second);
    for (int l = MOST_LOOPS - 1; l >= 0; l--) {
        in_nest = first[l] != second[l] ? first[l] < second[l] : in_nest;
        are_instances = are_instances && first[l] >= 0 && first[l] < p->kernel.extent[l] &&
                second[l] >= 0 && second[l] < p->kernel.extent[l];
    }
    return in_nest && are_instances && is_disorder(p, first, second, flow);
}

static bool order_is_right(struct random *random, int *n_kept)
{
    struct in_place p = {.kernel = random_kernel(random)};
    struct sator_text workload = {0}, dataflow = {0};
    char *messages = NULL;

    draw_accesses(random, &p);
    draw_time(random, &p);
    if (p.kernel.n == 0)
        return true;
    write_sizes(&workload, &p.kernel);
    sator_text_put(&workload, "reads: \"");
    write_map(&workload, &p.reads, p.kernel.n_loops, "A");
    sator_text_put(&workload, "\"\nwrites: \"");
    write_map(&workload, &p.writes, p.kernel.n_loops, "A");
    sator_text_put(&workload, "\"\n");
    sator_text_put(&dataflow, "name: flow\nspace: \"PE[0]\"\ntime: \"");
    write_map(&dataflow, &p.time, p.kernel.n_loops, "T");
    sator_text_put(&dataflow, "\"\n");
    char *shown[2] = {strdup(workload.data), strdup(dataflow.data)};
    bool kept = is_in_order(&p);
    enum sator_status st = analyze(&workload, &dataflow, &messages);
    bool right = kept ? st == SATOR_OK : st == SATOR_INPUT && names_disorder(&p, messages);
    *n_kept += kept;
    if (!right)
        printf("%s%skept: %d; status %d\n%s", shown[0], shown[1], kept, (int)st,
                messages == NULL ? "" : messages);
    free(shown[0]);
    free(shown[1]);
    free(messages);
    return right;
}

/* ---- mappings ---- */

/* An index near "A[i,j,k]" of some of the loops, "shown" as einsums have it. */
static void write_index(
        struct sator_text *text, struct random *random, int n_loops, unsigned shown, bool moved)
{
    const char *joint = "[";

    sator_text_put(text, "A");
    for (int l = 0; l < n_loops; l++) {
        if ((shown >> l & 1) == 0)
            continue;
        sator_text_add(
                text, "%s%c%+d", joint, 'i' + l, moved ? (int)random_below(random, 3) - 1 : 0);
        joint = ",";
    }
    sator_text_put(text, "]");
}

/* Whether what the mapper finds for an operation in place is legal to the model. */
static bool mapping_is_legal(struct random *random, int *n_parallel)
{
    static const char arch_text[] = "name: machine\nlevels:\n  - {memory: M}\n"
                                    "  - {memory: L, capacity_words: 12, bandwidth_bits: 32}\n"
                                    "  - {array: PE, shape: [3, 2]}\n  - {memory: R}\n"
                                    "  - {compute: mac}\n";
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_text workload = {0}, text = {0};
    int n_loops = 2 + (int)random_below(random, 2), n_reads = 1 + (int)random_below(random, 3);
    unsigned shown = 1 + (unsigned)random_below(random, (1 << n_loops) - 1);
    struct sator_map_options options = {.objective = SATOR_MAP_LATENCY,
            .strategy = random_chance(random, 50) ? SATOR_MAP_OPTIMAL : SATOR_MAP_RANDOM,
            .samples = 20};
    struct sator_network *network = NULL;
    struct sator_arch *machine = NULL;
    struct sator_map_result *mapping = NULL;
    struct sator_dataflow *flow = NULL;
    struct sator_result *result = NULL;
    enum sator_status st;
    bool right;

    sator_text_put(&workload, "name: random\nsizes: {");
    for (int l = 0; l < n_loops; l++)
        sator_text_add(&workload, "%s%c: %d", l == 0 ? "" : ", ", 'i' + l,
                1 + (int)random_below(random, 6));
    sator_text_put(&workload, "}\nop: \"");
    write_index(&workload, random, n_loops, shown, false);
    for (int r = 0; r < n_reads; r++) {
        sator_text_put(&workload, r == 0 ? " += " : " + ");
        write_index(&workload, random, n_loops, shown, true);
    }
    sator_text_put(&workload, "\"\n");
    char *given = strdup(workload.data);
    sator_text_put(&text, arch_text);
    SATOR_TRY(sator_yaml_network(ctx, source(ctx, &workload), NULL, &network));
    SATOR_TRY(sator_yaml_arch(ctx, source(ctx, &text), NULL, &machine));
    st = sator_map(ctx, network, 0, machine, &options, &mapping);
    SATOR_TRY(st);
    *n_parallel += mapping->order != NULL && mapping->active_pes > 1;
    sator_text_put(&text, mapping->yaml);
    SATOR_TRY(sator_yaml_dataflow(ctx, source(ctx, &text), NULL, &flow));
    SATOR_TRY(sator_analyze(ctx, network, 0, machine, flow, NULL, &result));
done:
    right = st == SATOR_OK || st == SATOR_INFEASIBLE;
    if (!right) {
        char *messages = sator_ctx_take_messages(ctx, false);
        printf("%s%s%s", given, mapping == NULL ? "" : mapping->yaml,
                messages == NULL ? "" : messages);
        free(messages);
    }
    sator_result_free(result);
    sator_dataflow_free(flow);
    sator_map_result_free(mapping);
    sator_arch_free(machine);
    sator_network_free(network);
    free(given);
    sator_ctx_free(ctx);
    return right;
}

int main(int argc, char **argv)
{
    struct run_options options;
    int n_placed = 0, n_kept = 0, n_parallel = 0;

    if (!run_options(argc, argv, 600, &options))
        return 2;
    for (int64_t c = options.first_case; c < options.first_case + options.n_cases; c++) {
        struct random random = {run_case_seed(&options, c)};
        if (!placement_is_right(&random, &n_placed) || !order_is_right(&random, &n_kept) ||
                !mapping_is_legal(&random, &n_parallel)) {
            printf("case %" PRId64 " of seed %" PRIu64 "\n", c, options.seed);
            return 1;
        }
    }
    printf("%" PRId64
           " dataflows, %d of them place every instance once; %d operations in place kept "
           "their order, %d were mapped to several PEs\n",
            options.n_cases, n_placed, n_kept, n_parallel);
    return 0;
}
