/* Binding dataflows to loops. Tiled nests are held against a walk through the nest itself. */
#include "unit/inputs.h"

#include "sator/input.h"

enum {
    MOST_KEPT = 1000
};
static struct sator_dataflow *kept[MOST_KEPT];
static int n_kept;

static const struct sator_bound_dataflow *bind(struct sator_arena *arena,
        const struct sator_network *network, const char *text, int n_levels,
        const struct sator_bind_level *levels)
{
    const struct sator_bound_dataflow *bound = NULL;
    struct sator_dataflow *dataflow = dataflow_of(text);

    assert_true(n_kept < MOST_KEPT);
    kept[n_kept++] = dataflow; /* what is bound borrows from it */
    enum sator_status st = sator_dataflow_bind(
            ctx, arena, dataflow, &network->layers[0], n_levels, levels, &bound);

    if (st != SATOR_OK)
        assert_null(bound);
    return bound;
}

static int free_kept(void **state)
{
    while (n_kept > 0)
        sator_dataflow_free(kept[--n_kept]);
    return tear_down(state);
}

static const int64_t pe_shape[] = {4, 6}, lane_shape[] = {3};
static const struct sator_bind_level levels[] = {{"DRAM", true, 0, NULL}, {"L2", true, 0, NULL},
        {"PE", false, 2, pe_shape}, {"L1", true, 0, NULL}, {"lane", false, 1, lane_shape},
        {"mac", false, 0, NULL}};

enum {
    N_LEVELS = sizeof levels / sizeof *levels
};

static const char gemm[] = "name: gemm\nsizes: {i: 20, j: 12, k: 9}\n"
                           "op: \"Y[i,j] += A[i,k] * B[k,j]\"\n";

static void test_notation(void **state)
{
    (void)state;
    struct sator_arena *arena = sator_arena_new();
    struct sator_network *network = network_of(gemm);
    const struct sator_bound_dataflow *bound = bind(arena, network,
            "space: \"i%8, j%8\"\ntime: \"T[i/8, j/8, i%8 + j%8 + k]\"\n", N_LEVELS, levels);

    assert_non_null(bound);
    expect_relation(bound->space, "{ S[i, j, k] -> PE[i%8, j%8] }");
    expect_relation(bound->time, "{ S[i, j, k] -> T[floor(i/8), floor(j/8), k + i%8 + j%8] }");
    assert_int_equal(bound->n_cuts, 0);
    /* isl's notation takes loops by position */
    bound = bind(arena, network,
            "space: \"{ R[a,b,c] -> PE[b] }\"\ntime: \"{ S[a,b,c] -> T[a,c] }\"\n", N_LEVELS,
            levels);
    assert_non_null(bound);
    assert_string_equal(bound->space->in_name, "S");
    expect_relation(bound->space, "{ S[i, j, k] -> PE[j] }"); /* by its names */
    sator_network_free(network);
    sator_arena_free(arena);
}

/* What is bound has the workload's names, whatever a tuple in isl's notation calls its loops; one
 * that has the workload's names at other places is warned of. */
static void test_names_of_tuples(void **state)
{
    (void)state;
    struct sator_arena *arena = sator_arena_new();
    struct sator_network *network = network_of(gemm);
    const struct sator_bound_dataflow *bound = bind(arena, network,
            "space: \"{ S[k,j,i] -> PE[i%4, j%4] }\"\n"
            "time: \"{ S[a,b,c] -> T[k, b] : exists i, k_1 : a = 3*i + k_1 and k_1 = k }\"\n",
            N_LEVELS, levels);

    expect_messages("text.yaml:1:9: warning: the space map's 'k' is loop 'i' of 'gemm', not its "
                    "loop 'k'\n    space: \"{ S[k,j,i] -> PE[i%4, j%4] }\"\n"
                    "            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
                    "help: maps in isl notation take the loops by position; without \"{ S[...] -> "
                    "}\" they are taken by name\n");
    assert_non_null(bound);
    expect_relation(bound->space, "{ S[i, j, k] -> PE[k%4, j%4] }");
    expect_relation(bound->time,
            "{ S[i, j, k] -> T[k_1, j] : exists (i_1, k_1_1: (i - 3*i_1 - k_1_1 = 0 and -k_1 + "
            "k_1_1 = 0)) }");
    sator_network_free(network);
    sator_arena_free(arena);
}

/* Arrays of 4 x 6 PEs of 3 lanes each. */
static void test_extents(void **state)
{
    (void)state;
    struct sator_arena *arena = sator_arena_new();
    struct sator_network *network = network_of(gemm);
    const struct sator_bound_dataflow *bound = bind(arena, network,
            "space: \"i%PE.0, j%PE.1, k%lane.0\"\n"
            "time: \"i/shape.0, j/shape.1, 2shape.2 + (k - shape.1)/(shape.1 - PE.0)\"\n",
            N_LEVELS, levels);

    assert_non_null(bound);
    expect_relation(bound->space, "{ S[i, j, k] -> PE[i%4, j%6, k%3] }");
    expect_relation(bound->time, "{ S[i, j, k] -> T[floor(i/4), floor(j/6), floor(k/2) + 3] }");
    /* an array's own name goes first */
    static const struct sator_bind_level own[] = {
            {"PE", false, 2, pe_shape}, {"shape", false, 1, lane_shape}};
    bound = bind(arena, network, "space: \"i%PE.1, j, k%shape.0\"\ntime: \"0\"\n", 2, own);
    assert_non_null(bound);
    expect_relation(bound->space, "{ S[i, j, k] -> PE[i%6, j, k%3] }");
    sator_network_free(network);
    sator_arena_free(arena);
}

static void test_extents_refused(void **state)
{
    (void)state;
    static const struct {
        const char *space, *message;
    } cases[] = {
            {"i%pe.0", "1:11: error: the architecture has no array 'pe'\nhelp: did you mean 'PE'?"},
            {"i%L2.0",
                    "1:11: error: the architecture has no array 'L2'\nhelp: known names: PE, "
                    "lane, shape"},
            {"i%PE.2", "1:11: error: 'PE' has 2 dimensions here, counted from 0"},
            {"i%lane.1", "1:11: error: 'lane' has 1 dimension here, counted from 0"},
            {"i%shape.3", "1:11: error: 'shape' has 3 dimensions here, counted from 0"},
            {"i%shape.99999999999",
                    "1:11: error: expected the number of a dimension after "
                    "'shape.'"},
            {"i%(PE.0 - 4)", "1:9: error: the divisor 0 is not positive"},
            {"i/(PE.0/2 - lane.0)", "1:9: error: the divisor -1 is not positive"},
            {"PE[i%PE.x]", "1:14: error: expected the number of a dimension after 'PE.'"},
            {"i % PE .0", "1:9: error: a remainder by a variable is not affine"},
            {"{ S[i,j,k] -> PE[i%PE.0] }",
                    "1:28: error: 'PE.0': no extents of arrays can stand "
                    "here"},
    };
    struct sator_network *network = network_of(gemm);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sator_arena *arena = sator_arena_new();
        struct sator_dataflow *dataflow = NULL;
        const struct sator_bound_dataflow *bound;
        char *text = sator_arena_printf(arena, "space: \"%s\"\ntime: \"0\"\n", cases[i].space);
        const struct sator_source *source = sator_source_from_text(ctx, "text.yaml", text);
        enum sator_status st = sator_yaml_dataflow(ctx, source, NULL, &dataflow);
        if (st == SATOR_OK)
            st = sator_dataflow_bind(
                    ctx, arena, dataflow, &network->layers[0], N_LEVELS, levels, &bound);
        char *messages = sator_ctx_take_messages(ctx, false);
        char *help = strstr(messages, "help: did") != NULL ? strstr(messages, "help: did")
                                                           : strstr(messages, "help: known");
        *strchr(messages, '\n') = '\0';
        char *said = help == NULL
                ? messages
                : sator_arena_printf(arena, "%s\n%.*s", messages, (int)strcspn(help, "\n"), help);
        assert_int_equal(st, SATOR_INPUT);
        assert_string_equal(said + strlen("text.yaml:"), cases[i].message);
        free(messages);
        sator_dataflow_free(dataflow);
        sator_arena_free(arena);
    }
    sator_network_free(network);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *messages;
    } table[] = {
            {"space: \"PE[i%8, m%8]\"\ntime: \"T[kk]\"\n",
                    "text.yaml:1:17: error: unknown name 'm' in an expression\n"
                    "    space: \"PE[i%8, m%8]\"\n                    ^\n"
                    "help: known names: i, j, k\n"
                    "text.yaml:2:10: error: unknown name 'kk' in an expression\n"
                    "    time: \"T[kk]\"\n             ^^\nhelp: did you mean 'k'?\n"},
            {"space: \"{ S[i,j] -> PE[i] }\"\ntime: \"{ S[i,j,k] -> T[k] }\"\n",
                    "text.yaml:1:9: error: the space map is over 2 loops; workload 'gemm' has 3\n"
                    "    space: \"{ S[i,j] -> PE[i] }\"\n            ^^^^^^^^^^^^^^^^^^^\n"
                    "help: maps in isl notation take the workload's loops by position\n"},
            {"space: PE[]\ntime: T[i]\n",
                    "text.yaml:1:8: error: the space-stamp has no dimensions: write 0 for a single "
                    "PE\n    space: PE[]\n           ^^^^\n"},
            {"loops:\n  - {at: L2, for: [i 4, j 12, k 9]}\n  - {at: PE, parallel: [i 4 -> 0]}\n",
                    "text.yaml:2:20: error: loop 'i' has extent 20, its factors 4 x 4 cover 16\n"
                    "      - {at: L2, for: [i 4, j 12, k 9]}\n                       ^^^\n"},
            {"loops:\n  - {at: L2, for: [i 20, j 12]}\n",
                    "text.yaml:2:10: error: loop 'k' of extent 9 has no factor\n"
                    "      - {at: L2, for: [i 20, j 12]}\n             ^^\n"},
            {"loops:\n  - {at: L2, for: [i 20, j 12, k 9, l 2]}\n",
                    "text.yaml:2:37: error: workload 'gemm' has no loop 'l'\n"
                    "      - {at: L2, for: [i 20, j 12, k 9, l 2]}\n"
                    "                                        ^^^\n"
                    "help: known names: i, j, k\n"},
    };
    struct sator_arena *arena = sator_arena_new();
    struct sator_network *network = network_of(gemm);

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_null(bind(arena, network, table[i].text, N_LEVELS, levels));
        expect_messages(table[i].messages);
    }
    sator_network_free(network);
    sator_arena_free(arena);
}

static void test_levels_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *messages;
    } table[] = {
            {"loops:\n  - {at: L3, for: [i 20, j 12, k 9]}\n",
                    "text.yaml:2:10: error: the architecture has no level 'L3'\n"
                    "      - {at: L3, for: [i 20, j 12, k 9]}\n             ^^\n"
                    "help: did you mean 'L2'?\n"},
            {"loops:\n  - {at: L1, for: [i 20, j 12, k 9]}\n  - {at: DRAM}\n",
                    "text.yaml:3:10: error: 'DRAM' is outside 'L1' in the architecture\n"
                    "      - {at: DRAM}\n             ^^^^\n"
                    "help: entries go from the outermost level to the innermost\n"},
            {"loops:\n  - {at: L2, for: [i 20, j 12], parallel: [k 9 -> 0]}\n",
                    "text.yaml:2:44: error: 'L2' is not an array: loops run one after the other "
                    "there\n      - {at: L2, for: [i 20, j 12], parallel: [k 9 -> 0]}\n"
                    "                                               ^^^^^^^^\n"},
            {"loops:\n  - {at: PE, for: [i 20, j 12], parallel: [k 9 -> 2]}\n",
                    "text.yaml:2:44: error: array 'PE' has 2 dimensions, counted from 0\n"
                    "      - {at: PE, for: [i 20, j 12], parallel: [k 9 -> 2]}\n"
                    "                                               ^^^^^^^^\n"},
    };
    struct sator_arena *arena = sator_arena_new();
    struct sator_network *network = network_of(gemm);

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_null(bind(arena, network, table[i].text, N_LEVELS, levels));
        expect_messages(table[i].messages);
    }
    sator_network_free(network);
    sator_arena_free(arena);
}

/* A mapping by hand: digits, coordinates of two arrays, cuts. */
static void test_nest(void **state)
{
    (void)state;
    static const char text[] = "loops:\n"
                               "  - {at: DRAM, for: [i 5, k 3]}\n"
                               "  - {at: L2, for: [j 3]}\n"
                               "  - {at: PE, parallel: [j 4 -> 1]}\n"
                               "  - {at: L1, for: [k 3]}\n"
                               "  - {at: lane, parallel: [i 4 -> 0]}\n";
    struct sator_arena *arena = sator_arena_new();
    struct sator_network *network = network_of(gemm);
    const struct sator_bound_dataflow *bound = bind(arena, network, text, N_LEVELS, levels);

    say_messages();
    assert_non_null(bound);
    expect_relation(bound->space, "{ S[i, j, k] -> PE[0, j%4, i%4] }");
    expect_relation(bound->time, "{ S[i, j, k] -> T[floor(i/4), floor(k/3), floor(j/4), k%3] }");
    assert_int_equal(bound->n_cuts, 3);
    assert_string_equal(bound->cuts[0].level, "DRAM");
    assert_int_equal(bound->cuts[0].time, 0);
    assert_int_equal(bound->cuts[0].space, 0);
    assert_string_equal(bound->cuts[1].level, "L2");
    assert_int_equal(bound->cuts[1].time, 2); /* i and k of DRAM select what L2 holds */
    assert_int_equal(bound->cuts[1].space, 0);
    assert_string_equal(bound->cuts[2].level, "L1");
    assert_int_equal(bound->cuts[2].time, 3);
    assert_int_equal(bound->cuts[2].space, 2);
    sator_network_free(network);
    sator_arena_free(arena);
}

/* A memory without an entry of its own is cut by the entries outside it all the same. */
static void test_cut_without_entry(void **state)
{
    (void)state;
    struct sator_arena *arena = sator_arena_new();
    struct sator_network *network = network_of(gemm);
    const struct sator_bound_dataflow *bound = bind(arena, network,
            "loops:\n  - {at: DRAM, for: [i 20, j 12]}\n  - {at: mac, for: [k 9]}\n", N_LEVELS,
            levels);

    say_messages();
    assert_non_null(bound);
    assert_int_equal(bound->n_cuts, 3);
    assert_int_equal(bound->cuts[1].time, 2);
    assert_int_equal(bound->cuts[2].time, 2);
    assert_int_equal(bound->cuts[2].space, 2);
    assert_int_equal(bound->space->n_out, 3);
    expect_relation(bound->space, "{ S[i, j, k] -> PE[0, 0, 0] }");
    sator_network_free(network);
    sator_arena_free(arena);
}

/* ---- random nests against a walk through them ---- */

enum {
    N_LOOPS = 3,
    MOST_FACTORS = 10
};

/* A nest of temporal and parallel loops over three loops a, b, c that start at "lower". */
struct walk {
    int n;
    int loop[MOST_FACTORS];
    int64_t extent[MOST_FACTORS];
    int dim[MOST_FACTORS]; /* -1: temporal */
    int64_t lower[N_LOOPS], size[N_LOOPS];
    int64_t n_visited;
};

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static void random_walk(uint32_t *seed, struct walk *walk)
{
    int64_t product[N_LOOPS] = {1, 1, 1};

    walk->n = 3 + (int)(next_random(seed) % (MOST_FACTORS - 2));
    for (int f = 0; f < walk->n; f++) {
        walk->loop[f] = f < N_LOOPS ? f : (int)(next_random(seed) % N_LOOPS);
        walk->extent[f] = 1 + (int64_t)(next_random(seed) % 3);
        walk->dim[f] = (int)(next_random(seed) % 4) - 2;
        walk->dim[f] = walk->dim[f] < 0 ? -1 : walk->dim[f];
        product[walk->loop[f]] *= walk->extent[f];
    }
    for (int l = 0; l < N_LOOPS; l++) { /* ragged: any size that the factors cover */
        walk->size[l] = product[l] - (int64_t)(next_random(seed) % 3);
        walk->size[l] = walk->size[l] < 1 ? 1 : walk->size[l];
        walk->lower[l] = (int64_t)(next_random(seed) % 5) - 2;
    }
}

static void write_walk(
        const struct walk *walk, struct sator_text *workload, struct sator_text *nest)
{
    static const char names[] = "abc";

    sator_text_add(workload, "domain: \"{ S[a,b,c] : ");
    for (int l = 0; l < N_LOOPS; l++)
        sator_text_add(workload, "%s%lld <= %c < %lld", l == 0 ? "" : " and ",
                (long long)walk->lower[l], names[l], (long long)(walk->lower[l] + walk->size[l]));
    sator_text_add(workload,
            " }\"\nreads: \"{ S[a,b,c] -> A[a] }\"\n"
            "writes: \"{ S[a,b,c] -> Y[b] }\"\n");
    sator_text_add(nest, "loops:\n");
    for (int f = 0; f < walk->n; f++) { /* an entry a loop: their order is the nest's */
        sator_text_add(nest, "  - {at: m%d, ", f);
        if (walk->dim[f] < 0)
            sator_text_add(
                    nest, "for: [%c %lld]}\n", names[walk->loop[f]], (long long)walk->extent[f]);
        else
            sator_text_add(nest, "parallel: [%c %lld -> %d]}\n", names[walk->loop[f]],
                    (long long)walk->extent[f], walk->dim[f]);
    }
}

/* A level for each entry: a memory, or an array of the dimensions up to that of its loop; and a
 * last array, so that there is one. */
static void levels_of_walk(
        struct sator_arena *arena, const struct walk *walk, struct sator_bind_level *own)
{
    for (int f = 0; f < walk->n; f++)
        own[f] = (struct sator_bind_level){.name = sator_arena_printf(arena, "m%d", f),
                .is_memory = walk->dim[f] < 0,
                .n_dims = walk->dim[f] + 1};
    own[walk->n] = (struct sator_bind_level){.name = "last", .n_dims = 1};
}

/* Check the maps at the instance that the counters of the loops stand for: the time-stamp is the
 * temporal counters in order, a coordinate its parallel counters as digits. Entries f with parallel
 * loops are arrays of their own. */
static void check_instance(
        struct walk *walk, const int64_t *counter, const struct sator_bound_dataflow *bound)
{
    int64_t point[N_LOOPS] = {0}, value, expected;
    int n_time = 0, n_space = 0;

    for (int f = 0; f < walk->n; f++)
        point[walk->loop[f]] = point[walk->loop[f]] * walk->extent[f] + counter[f];
    for (int l = 0; l < N_LOOPS; l++) {
        if (point[l] >= walk->size[l])
            return; /* ragged */
        point[l] += walk->lower[l];
    }
    walk->n_visited++;
    for (int f = 0; f < walk->n; f++) {
        if (walk->dim[f] < 0) {
            assert_true(sator_expr_value(bound->time->pieces[0].out[n_time++], point, &value));
            assert_int_equal(value, counter[f]);
            continue;
        }
        for (int d = 0; d <= walk->dim[f]; d++) {
            expected = d == walk->dim[f] ? counter[f] : 0;
            assert_true(sator_expr_value(bound->space->pieces[0].out[n_space++], point, &value));
            assert_int_equal(value, expected);
        }
    }
    assert_int_equal(bound->time->n_out, n_time == 0 ? 1 : n_time);
    assert_int_equal(bound->space->n_out, n_space + 1); /* the last array's, which has no loop */
}

static void walk_nest(struct walk *walk, const struct sator_bound_dataflow *bound)
{
    int64_t counter[MOST_FACTORS] = {0};
    int f;

    do {
        check_instance(walk, counter, bound);
        for (f = walk->n - 1; f >= 0; f--) {
            if (++counter[f] < walk->extent[f])
                break;
            counter[f] = 0;
        }
    } while (f >= 0);
}

static void test_random_nests(void **state)
{
    (void)state;
    uint32_t seed = 12345;

    for (int i = 0; i < 500; i++) {
        struct walk walk = {0};
        struct sator_text workload = {0}, nest = {0};
        random_walk(&seed, &walk);
        write_walk(&walk, &workload, &nest);
        struct sator_arena *arena = sator_arena_new();
        struct sator_network *network = network_of(workload.data);
        struct sator_bind_level own[MOST_FACTORS + 1];
        levels_of_walk(arena, &walk, own);
        const struct sator_bound_dataflow *bound = bind(arena, network, nest.data, walk.n + 1, own);
        int64_t size = walk.size[0] * walk.size[1] * walk.size[2];
        if (bound == NULL)
            say_messages();
        assert_non_null(bound);
        walk_nest(&walk, bound);
        assert_int_equal(walk.n_visited, size);
        sator_network_free(network);
        sator_arena_free(arena);
        sator_text_clear(&workload);
        sator_text_clear(&nest);
    }
}

/* Several loops at one dimension are digits of its coordinate. */
static void test_shared_dimension(void **state)
{
    (void)state;
    struct sator_arena *arena = sator_arena_new();
    struct sator_network *network = network_of(gemm);
    const struct sator_bound_dataflow *bound = bind(arena, network,
            "loops:\n  - {at: L2, for: [i 10, j 4, k 9]}\n"
            "  - {at: lane, parallel: [j 3 -> 0, i 2 -> 0]}\n",
            N_LEVELS, levels);

    say_messages();
    assert_non_null(bound);
    expect_relation(bound->space, "{ S[i, j, k] -> PE[0, 0, i%2 + 2*(j%3)] }");
    sator_network_free(network);
    sator_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_notation, set_up, free_kept),
            cmocka_unit_test_setup_teardown(test_names_of_tuples, set_up, free_kept),
            cmocka_unit_test_setup_teardown(test_extents, set_up, free_kept),
            cmocka_unit_test_setup_teardown(test_extents_refused, set_up, free_kept),
            cmocka_unit_test_setup_teardown(test_refused, set_up, free_kept),
            cmocka_unit_test_setup_teardown(test_levels_refused, set_up, free_kept),
            cmocka_unit_test_setup_teardown(test_nest, set_up, free_kept),
            cmocka_unit_test_setup_teardown(test_cut_without_entry, set_up, free_kept),
            cmocka_unit_test_setup_teardown(test_random_nests, set_up, free_kept),
            cmocka_unit_test_setup_teardown(test_shared_dimension, set_up, free_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
