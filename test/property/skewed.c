/* Skewed nests against the general engine: random tiled nests with one skewed row, joined loops,
 * runs before it and rows inside, cut short or not, links of any interval, buses. What the engine
 * for them answers must be the general engine's numbers, question by question.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/text.h"
#include "count/count.h"
#include "count/engine.h"
#include "oracle/machines.h"
#include "oracle/run.h"

enum {
    LOOPS = 3,
    DIMS = 2,
    MOST_LINKS = 3
};

struct skewed_case {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    struct machines_rng *rng;
    struct sator_text domain, space, time, text;
    struct sator_stamping stamping;
    struct sator_network_link links[MOST_LINKS];
    const struct sator_relation *bus;
    struct sator_transport transport;
    int64_t shape[DIMS];
};

static int64_t draw(struct skewed_case *c, int64_t n)
{
    return (int64_t)machines_draw(c->rng, (uint64_t)n);
}

static const struct sator_relation *read_text(struct skewed_case *c, const char *text)
{
    const struct sator_source *source = sator_source_from_text(c->ctx, "case", text);
    const struct sator_relation *relation = NULL;

    if (sator_relation_read(c->ctx, c->arena, (struct sator_loc){source, 0, strlen(source->text)},
                &relation) != SATOR_OK) {
        print_message("%s\n%s", text, sator_ctx_take_messages(c->ctx, false));
        abort();
    }
    sator_text_add(&c->text, "%s\n", text);
    return relation;
}

struct digit {
    char text[64];
    int64_t size;
};

/* A mixed-radix number of digits, the first the most significant; its values. */
static int64_t join(struct sator_text *text, const struct digit *digits, int n)
{
    int64_t weight = 1;

    for (int i = n - 1; i >= 0; i--) {
        sator_text_add(text, "%lld*(%s) + ", (long long)weight, digits[i].text);
        weight *= digits[i].size;
    }
    sator_text_add(text, "0");
    return weight;
}

/* Tile the loops: digits of time in "time", those of each dimension in "space". */
static int tile(
        struct skewed_case *c, struct digit *time, struct digit (*space)[LOOPS], int *n_space)
{
    static const char names[] = "ijk";
    int n_time = 0;

    sator_text_add(&c->domain, "{ S[i,j,k] : ");
    for (int l = 0; l < LOOPS; l++) {
        int64_t extent = 1 + draw(c, 6), t = 1 + draw(c, 3), u = 1 + draw(c, 3);
        int where[3]; /* of the outer, the middle and the inner digit: -1 time, else a dimension */
        int64_t size[3] = {(extent + t * u - 1) / (t * u), u, t}, place[3] = {t * u, t, 1};
        sator_text_add(&c->domain, "%s0 <= %c < %d", l == 0 ? "" : " and ", names[l], (int)extent);
        for (int d = 0; d < 3; d++)
            where[d] = draw(c, 2) == 0 ? -1 : (int)draw(c, DIMS);
        for (int d = 0; d < 3; d++) {
            struct digit made = {.size = size[d]};
            if (d == 0)
                snprintf(made.text, sizeof made.text, "floor(%c/%d)", names[l], (int)place[d]);
            else
                snprintf(made.text, sizeof made.text, "floor(%c/%d)%%%d", names[l], (int)place[d],
                        (int)size[d]);
            if (where[d] < 0)
                time[n_time++] = made;
            else if (n_space[where[d]] < LOOPS)
                space[where[d]][n_space[where[d]]++] = made;
            else
                time[n_time++] = made;
        }
    }
    sator_text_add(&c->domain, " }");
    return n_time;
}

static void make_rows(struct skewed_case *c)
{
    struct digit time[3 * LOOPS], space[DIMS][LOOPS];
    struct sator_text coordinate[DIMS] = {{0}}, row = {0};
    int n_space[DIMS] = {0}, n_time = tile(c, time, space, n_space);

    for (int i = n_time - 1; i > 0; i--) { /* any order, often that of the tiles */
        int other = draw(c, 3) == 0 ? (int)draw(c, i + 1) : i;
        struct digit swap = time[i];
        time[i] = time[other];
        time[other] = swap;
    }
    sator_text_add(&c->space, "{ S[i,j,k] -> PE[");
    for (int d = 0; d < DIMS; d++) {
        c->shape[d] = join(&coordinate[d], space[d], n_space[d]);
        sator_text_add(&c->space, "%s%s", d == 0 ? "" : ", ", coordinate[d].data);
    }
    sator_text_add(&c->space, "] }");
    int first = draw(c, 2) == 0 ? 0 : (int)draw(c, n_time + 1);
    int last = draw(c, 2) == 0 ? n_time : first + (int)draw(c, n_time - first + 1);
    sator_text_add(&c->time, "{ S[i,j,k] -> T[");
    for (int i = 0; i < first; i++)
        sator_text_add(&c->time, "%s, ", time[i].text);
    join(&row, time + first, last - first);
    for (int d = 0; d < DIMS; d++) {
        int step = draw(c, 4) == 0 ? (int)draw(c, 5) - 2 : (int)draw(c, 3) - 1;
        if (step != 0)
            sator_text_add(&row, " + %d*(%s)", step, coordinate[d].data);
        sator_text_clear(&coordinate[d]);
    }
    if (draw(c, 5) == 0) /* windows, which say nothing of the stamps that the row does not */
        sator_text_add(&c->time, "floor((%s)/%d), ", row.data, 2 + (int)draw(c, 8));
    sator_text_add(&c->time, "%s", row.data);
    sator_text_clear(&row);
    for (int i = last; i < n_time; i++)
        sator_text_add(&c->time, ", %s", time[i].text);
    sator_text_add(&c->time, "] }");
}

static void make_network(struct skewed_case *c)
{
    int n_links = (int)draw(c, MOST_LINKS + 1);

    for (int k = 0; k < n_links; k++) {
        char map[96];
        int o = (int)draw(c, 3) - 1, q = (int)draw(c, 3) - 1;
        if (o == 0 && q == 0)
            o = 1;
        snprintf(map, sizeof map, "{ PE[a,b] -> PE[a + %d, b + %d] }", o, q);
        c->links[k] = (struct sator_network_link){
                .map = read_text(c, map), .interval = 1 + (int)draw(c, 3)};
        sator_text_add(&c->text, "  interval %d\n", c->links[k].interval);
    }
    c->transport = (struct sator_transport){.registers = draw(c, 5) != 0,
            .n_links = n_links,
            .links = c->links,
            .holds_idle = draw(c, 4) == 0};
    if (draw(c, 4) == 0) {
        c->bus = read_text(c, draw(c, 2) == 0 ? "{ PE[a,b] -> BUS[a] }" : "{ PE[a,b] -> BUS[b] }");
        c->transport.n_buses = 1;
        c->transport.buses = &c->bus;
    }
}

static void open_case(struct skewed_case *c, struct machines_rng *rng)
{
    memset(c, 0, sizeof *c);
    c->ctx = sator_ctx_new();
    c->arena = sator_arena_new();
    c->rng = rng;
    make_rows(c);
    c->stamping = (struct sator_stamping){.domain = read_text(c, c->domain.data),
            .space = read_text(c, c->space.data),
            .time = read_text(c, c->time.data),
            .n_space = DIMS,
            .shape = c->shape};
    c->stamping.n_time = c->stamping.time->n_out;
    make_network(c);
}

static void close_case(struct skewed_case *c)
{
    sator_text_clear(&c->domain);
    sator_text_clear(&c->space);
    sator_text_clear(&c->time);
    sator_text_clear(&c->text);
    sator_arena_free(c->arena);
    sator_ctx_free(c->ctx);
}

static int wrong;

static void same(struct skewed_case *c, const char *what, sator_int got, sator_int expected)
{
    if (got == expected)
        return;
    print_message(
            "%s: %lld, must be %lld\n%s", what, (long long)got, (long long)expected, c->text.data);
    wrong++;
}

static int compare_volumes(
        struct skewed_case *c, void *state, struct sator_counter *general, const char *access)
{
    const struct sator_relation *relation = read_text(c, access);
    sator_int links[2][MOST_LINKS] = {{0}}, buses[2][1] = {{0}}, words[2];
    struct sator_volumes got = {.by_link = links[0], .by_bus = buses[0]};
    struct sator_volumes expected = {.by_link = links[1], .by_bus = buses[1]};
    const struct sator_decline *reason = NULL;

    sator_work_begin(c->ctx);
    if (sator_engine_skewed.volumes(state, relation, &c->transport, &got, &reason) != SATOR_OK)
        return 0;
    assert_int_equal(sator_count_volumes(general, relation, &c->transport, &expected), SATOR_OK);
    same(c, "total", got.total, expected.total);
    same(c, "temporal", got.temporal, expected.temporal);
    same(c, "spatial", got.spatial, expected.spatial);
    same(c, "unique", got.unique, expected.unique);
    same(c, "access", got.access, expected.access);
    for (int k = 0; k < c->transport.n_links; k++)
        same(c, "link", links[0][k], links[1][k]);
    same(c, "bus", buses[0][0], buses[1][0]);
    if (sator_engine_skewed.tile(state, relation, &words[0], &reason) == SATOR_OK) {
        assert_int_equal(sator_count_tile(general, relation, &words[1]), SATOR_OK);
        same(c, "tile", words[0], words[1]);
    }
    return 1;
}

static int compare_stamps(struct skewed_case *c, void *state, struct sator_counter *general)
{
    struct sator_stamp_counts got, expected;
    const struct sator_decline *reason = NULL;

    sator_work_begin(c->ctx);
    if (sator_engine_skewed.stamps(state, &got, &reason) != SATOR_OK)
        return 0;
    assert_int_equal(sator_count_stamps(general, &expected), SATOR_OK);
    same(c, "instances", got.instances, expected.instances);
    same(c, "stamps", got.stamps, expected.stamps);
    same(c, "time-stamps", got.time_stamps, expected.time_stamps);
    same(c, "PEs", got.active_pes, expected.active_pes);
    same(c, "most PEs", got.max_active_pes, expected.max_active_pes);
    return 1;
}

static void test_skewed_is_general(void **state)
{
    static const char *const accesses[] = {"{ S[i,j,k] -> A[i,k] }", "{ S[i,j,k] -> B[k,j] }",
            "{ S[i,j,k] -> X[i + k] }", "{ S[i,j,k] -> Z[j] }"};
    const char *given = getenv("SATOR_TEST_SEED");
    struct machines_rng rng = {given != NULL ? strtoull(given, NULL, 10) : 20261122};
    int n_cases = (int)run_count(300), taken = 0, counted = 0, stamps = 0;

    (void)state;
    for (int n = 0; n < n_cases && wrong < 3; n++) {
        struct skewed_case c;
        void *engine = NULL;
        const struct sator_decline *reason = NULL;
        struct sator_counter *general;
        open_case(&c, &rng);
        if (sator_engine_skewed.open(c.ctx, &c.stamping, &engine, &reason) == SATOR_OK) {
            assert_int_equal(sator_counter_new(c.ctx, SATOR_ENGINE_GENERAL, &c.stamping, &general),
                    SATOR_OK);
            taken++;
            for (size_t a = 0; a < sizeof accesses / sizeof *accesses; a++)
                counted += compare_volumes(&c, engine, general, accesses[a]);
            stamps += compare_stamps(&c, engine, general);
            sator_counter_free(general);
            sator_engine_skewed.close(engine);
        }
        close_case(&c);
    }
    print_message("%d of %d stampings taken, %d volumes and %d numbers of stamps compared\n", taken,
            n_cases, counted, stamps);
    assert_int_equal(wrong, 0);
    if (n_cases >= 30) /* fewer do not say how often each kind is met */
        assert_true(taken > n_cases / 20 && counted > n_cases / 20 && stamps > n_cases / 50);
}

/* The stamping of a memory that holds windows of the row: floor(R / M) alone. */
static void take_windows(struct skewed_case *c)
{
    const struct sator_piece *time = sator_relation_function(c->stamping.time);
    const struct sator_relation *was = c->stamping.time;
    const struct sator_expr **row = SATOR_NEW_ARRAY(c->arena, const struct sator_expr *, 1);
    int64_t m = 2 + draw(c, 15);

    row[0] = sator_expr_floor(c->arena, time->out[draw(c, c->stamping.n_time)], m);
    c->stamping.time =
            sator_relation_make(c->arena, was->in_name, was->n_in, time->names, "T", 1, row, NULL);
    c->stamping.n_time = 1;
    c->stamping.n_space = 0;
    c->transport.n_links = c->transport.n_buses = 0;
    sator_text_add(&c->text, "windows of %d\n", (int)m);
}

static void test_windows_are_general(void **state)
{
    static const char *const accesses[] = {"{ S[i,j,k] -> A[i,k] }", "{ S[i,j,k] -> B[k,j] }",
            "{ S[i,j,k] -> X[i, 4*j + k] }", "{ S[i,j,k] -> Z[j] }"};
    const char *given = getenv("SATOR_TEST_SEED");
    struct machines_rng rng = {given != NULL ? strtoull(given, NULL, 10) : 20261123};
    int n_cases = (int)run_count(600), taken = 0, volumes = 0, tiles = 0;

    (void)state;
    for (int n = 0; n < n_cases && wrong < 3; n++) {
        struct skewed_case c;
        void *engine = NULL;
        const struct sator_decline *reason = NULL;
        struct sator_counter *general;
        open_case(&c, &rng);
        take_windows(&c);
        if (sator_engine_skewed.open(c.ctx, &c.stamping, &engine, &reason) == SATOR_OK) {
            assert_int_equal(sator_counter_new(c.ctx, SATOR_ENGINE_GENERAL, &c.stamping, &general),
                    SATOR_OK);
            taken++;
            for (size_t a = 0; a < sizeof accesses / sizeof *accesses; a++) {
                sator_int words;
                volumes += compare_volumes(&c, engine, general, accesses[a]);
                tiles += sator_engine_skewed.tile(
                                 engine, read_text(&c, accesses[a]), &words, &reason) == SATOR_OK;
            }
            sator_counter_free(general);
            sator_engine_skewed.close(engine);
        }
        close_case(&c);
    }
    print_message("%d of %d windows taken, %d volumes and %d tiles compared\n", taken, n_cases,
            volumes, tiles);
    assert_int_equal(wrong, 0);
    if (n_cases >= 30) /* as above */
        assert_true(volumes > n_cases / 4 && tiles > n_cases / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_skewed_is_general), cmocka_unit_test(test_windows_are_general)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
