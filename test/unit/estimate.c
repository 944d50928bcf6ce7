/* Estimates of energy and area against published figures: at the points that they rest on, at each
 * of these points when the law is drawn through the others alone, and at points that they do not
 * know. The errors are printed. */
#include "unit/inputs.h"

#include "sator/input.h"

#include <math.h>
#include <stdio.h>

/* "conventional" with estimates, its L2 of some capacity; the others as they are. */
static struct sator_arch *machine(double nm, double l2_bytes)
{
    char sets[3][64];
    const char *given[3] = {sets[0], sets[1], sets[2]};
    struct sator_input_options options = {.sets = given, .n_sets = 3};
    struct sator_arch *arch = NULL;

    snprintf(sets[0], sizeof sets[0], "%s", "energy=estimate");
    snprintf(sets[1], sizeof sets[1], "technology_nm=%g", nm);
    snprintf(sets[2], sizeof sets[2], "levels.L2.capacity_bytes=%.0f", l2_bytes);
    if (sator_arch_load(ctx, "conventional", &options, &arch) != SATOR_OK)
        say_messages();
    assert_non_null(arch);
    return arch;
}

/* pJ of a read of 64 bits of an SRAM. */
static double sram_64(double nm, double bytes)
{
    struct sator_arch *arch = machine(nm, bytes);
    double pj = arch->levels[1].memory.read.pj * 64 / arch->levels[1].memory.read.bits;

    sator_arch_free(arch);
    return pj;
}

static const struct {
    const char *source;
    double nm;
    double bytes[3], pj[3];
} published[] = {
        {"Horowitz (ISSCC 2014)", 45, {8192, 32768, 1048576}, {10, 20, 100}},
        {"Jouppi et al. (ISCA 2021)", 7, {8192, 32768, 1048576}, {7.5, 8.5, 14}},
};

static double through(double x1, double y1, double x2, double y2, double x)
{
    return y1 * pow(x / x1, log(y2 / y1) / log(x2 / x1));
}

static void test_points(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const double *x = published[i].bytes, *y = published[i].pj;
        const double others[3] = {y[1] * sqrt(x[0] / x[1]), through(x[0], y[0], x[2], y[2], x[1]),
                y[1] * sqrt(x[2] / x[1])};
        for (int k = 0; k < 3; k++) {
            double error = others[k] / y[k] - 1;
            assert_true(fabs(sram_64(published[i].nm, x[k]) - y[k]) <= 1e-9 * y[k]);
            print_message(
                    "%s, SRAM of %.0f KB, 64 bits: %g pJ; without this point %.2f (%+.0f %%)\n",
                    published[i].source, x[k] / 1024, y[k], others[k], 100 * error);
        }
    }
}

/* The law: between points the power law through both, beyond them the square root. */
static void test_law(void **state)
{
    (void)state;
    double between = through(32768, 20, 1048576, 100, 262144);

    assert_true(fabs(sram_64(45, 262144) - between) < 1e-9 * between);
    assert_true(fabs(sram_64(45, 4194304) - 200) < 1e-9 * 200);
    assert_true(fabs(sram_64(45, 2048) - 5) < 1e-9 * 5);
    /* halfway between 45 and 7 nm in logarithms: the geometric mean */
    double middle = sqrt(45 * 7.0);
    assert_true(fabs(sram_64(middle, 8192) - sqrt(10 * 7.5)) < 1e-4);
    assert_true(fabs(sram_64(90, 8192) - 20) < 1e-9 * 20);
}

static void compare(const char *what, double estimate, double given, double factor)
{
    print_message("%s: published %.4g, estimated %.4g (%+.0f %%)\n", what, given, estimate,
            100 * (estimate / given - 1));
    assert_true(estimate < given * factor && given < estimate * factor);
}

/* Points that the tables do not have. */
static void test_unknown_points(void **state)
{
    (void)state;
    struct sator_arch *eyeriss = machine(45, 102400), *tpu = machine(28, 24 * 1048576.0);
    const struct sator_memory *l1 = &eyeriss->levels[3].memory;
    double mac = sator_compute_figure(eyeriss->arena, &eyeriss->levels[4].compute, 16).value;

    assert_true(l1->capacities[0].bytes == 512);
    compare("Eyeriss (ISCA 2016), register file of 0.5 KB in MACs", l1->read.pj / mac, 1, 3);
    compare("Eyeriss (ISCA 2016), buffer of 100 KB in MACs",
            eyeriss->levels[1].memory.read.pj / mac, 6, 3);
    compare("Eyeriss (ISCA 2016), DRAM in MACs", eyeriss->levels[0].memory.read.pj / mac, 200, 3);
    compare("Interstellar (ASPLOS 2020), 28 nm, SRAM of 32 KB, pJ a word of 16 bits",
            sram_64(28, 32768) / 4, 6, 3);
    compare("Interstellar (ASPLOS 2020), 28 nm, SRAM of 512 KB, pJ a word of 16 bits",
            sram_64(28, 524288) / 4, 30.375, 3);
    compare("TPU (ISCA 2017), 28 nm, unified buffer of 24 MB, 29 % of 331 mm2, in mm2",
            tpu->levels[1].memory.area_um2.value * 1e-6, 0.29 * 331, 3);
    sator_arch_free(eyeriss);
    sator_arch_free(tpu);
}

/* Eyeriss (JSSC 2017, section VI): the scratchpads of all PEs take 2.5 times the area of the global
 * buffer. */
static void test_areas_of_eyeriss(void **state)
{
    (void)state;
    static const char *const sets[] = {"energy=estimate"};
    struct sator_input_options options = {.sets = sets, .n_sets = 1};
    struct sator_arch *arch = NULL;

    assert_int_equal(sator_arch_load(ctx, "eyeriss", &options, &arch), SATOR_OK);
    compare("Eyeriss (JSSC 2017), area of the PEs' memories in that of the buffer",
            168 * arch->levels[3].memory.area_um2.value / arch->levels[1].memory.area_um2.value,
            2.5, 3);
    sator_arch_free(arch);
}

/* What a larger memory costs: all of it grows. */
static void test_growth(void **state)
{
    (void)state;
    double pj = 0, area = 0;

    for (double bytes = 65536; bytes <= 4194304; bytes *= 2) {
        struct sator_arch *arch = machine(45, bytes);
        const struct sator_memory *l2 = &arch->levels[1].memory;
        assert_true(l2->read.pj > pj && l2->area_um2.value > area);
        pj = l2->read.pj;
        area = l2->area_um2.value;
        assert_true(!isnan(sator_arch_area(arch)));
        sator_arch_free(arch);
    }
}

/* Banks are small memories joined by wires; a second port makes cells half as wide again. */
static void test_build(void **state)
{
    (void)state;
    static const char *const sets[] = {"energy=estimate", "levels.L2.capacity_bytes=1048576",
            "levels.L2.banks=4", "levels.L2.cell_ports=2", "clock_mhz=1000"};
    struct sator_input_options options = {.sets = sets, .n_sets = 5};
    struct sator_arch *arch = NULL;

    assert_int_equal(sator_arch_load(ctx, "conventional", &options, &arch), SATOR_OK);
    const struct sator_memory *l2 = &arch->levels[1].memory;
    double per_byte = through(8192, 5.54, 1048576, 3.95, 262144);
    double area = per_byte * 1048576 * 1.5 * 1.5;
    double bank = through(32768, 5, 1048576, 25, 262144) * 1.5;
    double wires = 0.12 * 16 * sqrt(area) / 2000;
    assert_true(fabs(l2->area_um2.value - area) < 1e-6 * area);
    assert_true(fabs(l2->read.pj - (bank + wires)) < 1e-9 * bank);
    assert_true(fabs(l2->leakage_pj.value - 2.3 * 1048576 / 1000 * 1e-3) < 1e-9);
    sator_arch_free(arch);
}

/* Every machine of the library has energies and an area. */
static void test_library(void **state)
{
    (void)state;
    static const char *const sets[] = {"energy=estimate", "technology_nm=28"};
    struct sator_input_options options = {.sets = sets, .n_sets = 2};

    for (int i = 0; i < sator_library_count("archs"); i++) {
        const char *name = sator_library_name("archs", i);
        struct sator_arch *arch = NULL;
        assert_int_equal(sator_arch_load(ctx, name, &options, &arch), SATOR_OK);
        for (int k = 0; k < arch->n_levels; k++) {
            const struct sator_level *level = &arch->levels[k];
            bool known = level->kind != SATOR_LEVEL_MEMORY || !isnan(level->memory.read.pj);
            if (!known)
                print_error("%s: no energy of %s\n", name, level->name);
            assert_true(known);
        }
        sator_arch_free(arch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_points, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_law, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_unknown_points, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_areas_of_eyeriss, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_growth, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_build, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_library, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
