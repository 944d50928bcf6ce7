/* Named topologies: which PEs they join, from evaluating their maps at every PE. */
#include "unit/inputs.h"

#include "sator/input.h"

static struct sator_array array_of(int n_dims, const int64_t *shape)
{
    return (struct sator_array){.n_dims = n_dims, .shape = shape};
}

static const struct sator_relation *map_of(const struct sator_array *array, const char *name)
{
    for (int i = 0; i < array->n_links; i++) {
        if (strcmp(array->links[i].name, name) == 0)
            return array->links[i].map;
    }
    for (int i = 0; i < array->n_buses; i++) {
        if (strcmp(array->buses[i].name, name) == 0)
            return array->buses[i].map;
    }
    fail_msg("there is no link or bus '%s'", name);
    return NULL;
}

/* That "name" leads from (5, 7), or the first dimensions of (5, 7, 9), to "expected". */
static void expect_image(
        const struct sator_array *array, const char *name, const int64_t *expected, int n_expected)
{
    static const int64_t point[] = {5, 7, 9};
    const struct sator_piece *piece = sator_relation_function(map_of(array, name));
    int64_t value;

    assert_non_null(piece);
    assert_int_equal(map_of(array, name)->n_out, n_expected);
    for (int d = 0; d < n_expected; d++) {
        assert_true(sator_expr_value(piece->out[d], point, &value));
        assert_int_equal(value, expected[d]);
    }
}

static void add(struct sator_arena *arena, struct sator_array *array, const char *name)
{
    struct sator_loc nowhere = {0};

    assert_int_equal(sator_topology(ctx, arena, nowhere, name, "PE", array), SATOR_OK);
}

static void test_systolic(void **state)
{
    (void)state;
    static const int64_t shape[] = {8, 8};
    struct sator_arena *arena = sator_arena_new();
    struct sator_array array = array_of(2, shape);

    add(arena, &array, "systolic-2d");
    assert_int_equal(array.n_links, 2);
    assert_int_equal(array.n_buses, 0);
    assert_int_equal(array.links[0].interval, 1);
    assert_string_equal(array.links[0].map->in_name, "PE");
    assert_string_equal(array.links[0].map->out_name, "PE");
    expect_image(&array, "east", (int64_t[]){5, 8}, 2);
    expect_image(&array, "south", (int64_t[]){6, 7}, 2);
    array = array_of(1, shape);
    add(arena, &array, "systolic-1d");
    assert_int_equal(array.n_links, 1);
    expect_image(&array, "east", (int64_t[]){6}, 1);
    sator_arena_free(arena);
}

static void test_mesh(void **state)
{
    (void)state;
    static const int64_t shape[] = {8, 8};
    struct sator_arena *arena = sator_arena_new();
    struct sator_array array = array_of(2, shape);

    add(arena, &array, "mesh");
    assert_int_equal(array.n_links, 8);
    expect_image(&array, "north", (int64_t[]){4, 7}, 2);
    expect_image(&array, "south", (int64_t[]){6, 7}, 2);
    expect_image(&array, "east", (int64_t[]){5, 8}, 2);
    expect_image(&array, "west", (int64_t[]){5, 6}, 2);
    expect_image(&array, "north-east", (int64_t[]){4, 8}, 2);
    expect_image(&array, "north-west", (int64_t[]){4, 6}, 2);
    expect_image(&array, "south-east", (int64_t[]){6, 8}, 2);
    expect_image(&array, "south-west", (int64_t[]){6, 6}, 2);
    array = array_of(1, shape);
    add(arena, &array, "mesh");
    assert_int_equal(array.n_links, 2);
    expect_image(&array, "east", (int64_t[]){6}, 1);
    expect_image(&array, "west", (int64_t[]){4}, 1);
    sator_arena_free(arena);
}

static void test_buses(void **state)
{
    (void)state;
    static const int64_t shape[] = {8, 8, 8};
    struct sator_arena *arena = sator_arena_new();
    struct sator_array array = array_of(2, shape);

    add(arena, &array, "multicast");
    assert_int_equal(array.n_buses, 2);
    assert_false(array.buses[0].is_reduction);
    expect_image(&array, "row", (int64_t[]){5}, 1); /* the PEs of row 5 share it */
    expect_image(&array, "column", (int64_t[]){7}, 1);
    array = array_of(2, shape);
    add(arena, &array, "tree");
    assert_int_equal(array.n_buses, 1);
    assert_true(array.buses[0].is_reduction);
    expect_image(&array, "tree", (int64_t[]){5}, 1);
    array = array_of(1, shape);
    add(arena, &array, "multicast");
    assert_int_equal(array.n_buses, 1);
    expect_image(&array, "row", (int64_t[]){0}, 1);
    array = array_of(3, shape);
    add(arena, &array, "multicast");
    assert_int_equal(array.n_buses, 3);
    expect_image(&array, "row", (int64_t[]){5, 7}, 2);
    expect_image(&array, "column", (int64_t[]){5, 9}, 2);
    expect_image(&array, "line0", (int64_t[]){7, 9}, 2);
    sator_arena_free(arena);
}

/* Topologies add to what is there. */
static void test_together(void **state)
{
    (void)state;
    static const int64_t shape[] = {8, 8};
    struct sator_arena *arena = sator_arena_new();
    struct sator_array array = array_of(2, shape);

    add(arena, &array, "systolic-2d");
    add(arena, &array, "multicast");
    add(arena, &array, "tree");
    assert_int_equal(array.n_links, 2);
    assert_int_equal(array.n_buses, 3);
    expect_image(&array, "south", (int64_t[]){6, 7}, 2);
    expect_image(&array, "column", (int64_t[]){7}, 1);
    sator_arena_free(arena);
}

static void test_refused(void **state)
{
    (void)state;
    static const int64_t shape[] = {8};
    struct sator_arena *arena = sator_arena_new();
    struct sator_array array = array_of(1, shape);
    struct sator_loc nowhere = {0};

    assert_int_equal(sator_topology(ctx, arena, nowhere, "mash", "PE", &array), SATOR_INPUT);
    expect_messages("sator: error: there is no topology 'mash'\nhelp: did you mean 'mesh'?\n");
    assert_int_equal(sator_topology(ctx, arena, nowhere, "systolic-2d", "PE", &array), SATOR_INPUT);
    expect_messages("sator: error: topology 'systolic-2d' needs 2 dimensions; the array has 1\n");
    assert_int_equal(array.n_links, 0);
    sator_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_systolic, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_mesh, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_buses, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_together, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
