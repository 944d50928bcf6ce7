/* Certificates in which something is changed: each number, by a little and by much, and lines left
 * out or exchanged. What is changed is refused, or not verified, or still true: then the search,
 * asked the question that the text has now, finds nothing below the value.
 */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sator/build.h"
#include "sator/certificate.h"
#include "sator/map.h"

/* SATOR_SEED or SATOR_TEST_SEED, else 1. */
static uint64_t seed(void)
{
    const char *text = getenv("SATOR_SEED");

    text = text == NULL ? getenv("SATOR_TEST_SEED") : text;
    return text == NULL ? 1 : strtoull(text, NULL, 10);
}

static const char arch_text[] =
        "name: small\n"
        "levels:\n"
        "  - {memory: DRAM, bandwidth_bits: {read: 32, write: 48}, energy_pj: {read: 200, write: "
        "210}}\n"
        "  - {memory: L2, capacity_bytes: 96, may_bypass: [B], bandwidth_bits: 64, "
        "energy_pj: {read: 6, write: 7}}\n"
        "  - array: PE\n"
        "    shape: [2, 3]\n"
        "    multicast: [{name: row, map: \"PE[i,j] -> BUS[i]\", tensors: [A], energy_pj: 0.5}]\n"
        "    reduction: [{name: sums, map: \"PE[i,j] -> TREE[j]\", tensors: [Y], energy_pj: 0.3}]\n"
        "  - {memory: L1, capacity_words: {A: 6, B: 4, Y: 3}, energy_pj: {read: 1, write: 1.5}}\n"
        "  - {compute: mac, energy_pj: 0.8, cycles: 2}\n";

static const char skewed_text[] =
        "name: skewed\n"
        "levels:\n"
        "  - {memory: DRAM, bandwidth_bits: {read: 32, write: 48}, energy_pj: {read: 200, write: "
        "210}}\n"
        "  - {memory: L2, capacity_bytes: 48, bandwidth_bits: 64, energy_pj: {read: 6, write: 7}}\n"
        "  - array: PE\n"
        "    shape: [2, 2]\n"
        "    links:\n"
        "      - {name: east, map: \"PE[i,j] -> PE[i,j+1]\", interval: 1, tensors: [A], energy_pj: "
        "0.5}\n"
        "      - {name: south, map: \"PE[i,j] -> PE[i+1,j]\", interval: 1, tensors: [B, Y], "
        "energy_pj: 0.3}\n"
        "  - {memory: L1, capacity_words: {A: 1, B: 1, Y: 1}, energy_pj: {read: 1, write: 1.5}}\n"
        "  - {compute: mac, energy_pj: 0.8, cycles: 2}\n";

static const char *const workload_texts[] = {
        "name: product\nsizes: {i: 4, j: 6, k: 4}\nop: \"Y[i,j] += A[i,k] * B[k,j]\"\n",
        "name: window\nsizes: {k: 4, x: 6, r: 3}\nop: \"Y[k,x] += A[2*x+r] * B[k,r]\"\n",
};

static const char *const constraints[] = {"L1: k <= 2", "utilization 0.3"};

static char *write_certificate(const char *machine, const char *workload, int n_constraints)
{
    struct sator_map_options options = {.size = sizeof options,
            .constraints = constraints,
            .n_constraints = n_constraints,
            .threads = 1,
            .timing = SATOR_TIMING_ROOFLINE};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;
    struct sator_map_result *result = NULL;
    char *text = NULL;

    assert_int_equal(sator_network_parse(ctx, "workload", workload, NULL, &network), SATOR_OK);
    assert_int_equal(sator_arch_parse(ctx, "arch", machine, NULL, &arch), SATOR_OK);
    assert_int_equal(sator_map(ctx, network, 0, arch, &options, &result), SATOR_OK);
    assert_int_equal(sator_certificate_write(ctx, network, 0, arch, &options, result, NULL, &text),
            SATOR_OK);
    sator_map_result_free(result);
    sator_network_free(network);
    sator_arch_free(arch);
    sator_ctx_free(ctx);
    return text;
}

/* The lines below "title:", two spaces to the left (GIVE: free). */
static char *section(const char *text, const char *title)
{
    char *lines = calloc(strlen(text) + 1, 1), *to = lines;
    const char *at = strstr(text, title);

    for (at = at == NULL ? "" : at + strlen(title); strncmp(at, "  ", 2) == 0;) {
        size_t length = strcspn(at, "\n") + 1;
        memcpy(to, at + 2, length - 2);
        to += length - 2;
        at += length;
    }
    return lines;
}

/* Whether the search finds no mapping below the value that "text" claims. */
static bool is_true(const char *text)
{
    struct sator_map_options options = {
            .size = sizeof options, .threads = 1, .timing = SATOR_TIMING_ROOFLINE};
    char *workload = section(text, "\nworkload:\n"), *machine = section(text, "\narchitecture:\n");
    char *limits = section(text, "\nconstraints:\n");
    const char *list[8], *objective = strstr(text, "\nobjective: ") + strlen("\nobjective: ");
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;
    struct sator_map_result *result = NULL;
    bool holds = false;

    for (char *line = strtok(limits, "\n"); line != NULL; line = strtok(NULL, "\n"))
        list[options.n_constraints++] = line;
    options.constraints = list;
    options.objective = strncmp(objective, "edp", 3) == 0 ? SATOR_MAP_EDP
            : strncmp(objective, "energy", 6) == 0        ? SATOR_MAP_ENERGY
                                                          : SATOR_MAP_LATENCY;
    if (sator_network_parse(ctx, "workload", workload, NULL, &network) == SATOR_OK &&
            sator_arch_parse(ctx, "arch", machine, NULL, &arch) == SATOR_OK &&
            sator_map(ctx, network, 0, arch, &options, &result) == SATOR_OK)
        holds = strtod(strstr(text, "\nvalue: ") + 8, NULL) <= result->value * (1 + 1e-8);
    sator_map_result_free(result);
    sator_network_free(network);
    sator_arch_free(arch);
    sator_ctx_free(ctx);
    free(workload);
    free(machine);
    free(limits);
    return holds;
}

static int n_refused, n_unverified, n_true;

/* Check what "text" is after a change, and free it. A slow build checks one in three. */
static void check(char *text)
{
    static uint64_t n_checked;
    struct sator_certificate_count count;

    if (getenv("SATOR_TEST_SHARE") != NULL && n_checked++ % 3 != seed() % 3) {
        free(text);
        return;
    }
    struct sator_ctx *ctx = sator_ctx_new();

    if (sator_certificate_check(ctx, "changed", text, &count, NULL) != SATOR_OK) {
        n_refused++;
    } else if (count.verified < count.total) {
        n_unverified++;
    } else {
        n_true++;
        bool holds = is_true(text);
        if (!holds)
            print_message("verified, and not true:\n%s", text);
        assert_true(holds);
    }
    sator_ctx_free(ctx);
    free(text);
}

/* "text" with "with" in the place of "length" bytes at "at" (GIVE: free). */
static char *replaced(const char *text, const char *at, size_t length, const char *with)
{
    size_t before = (size_t)(at - text), size = strlen(text) - length + strlen(with) + 1;
    char *copy = malloc(size);

    snprintf(copy, size, "%.*s%s%s", (int)before, text, with, at + length);
    return copy;
}

static void change_number(const char *text, const char *at, size_t length)
{
    static const char *const others[] = {
            "", "0", "-1", "nan", "inf", "1e300", "0x7", "99999999999999999999"};
    double value = strtod(at, NULL);
    char with[64];

    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        check(replaced(text, at, length, others[k]));
    for (int k = 0; k < 4; k++) {
        const double made[] = {value + 1, value - 1, value * 1.001, value / 1.001};
        snprintf(with, sizeof with, "%.17g", made[k]);
        check(replaced(text, at, length, with));
    }
}

/* Change the numbers of the question, and some of the parts'. */
static void change_numbers(const char *text)
{
    const char *parts = strstr(text, "parts:\n");
    uint64_t number = 0;

    for (const char *at = text; *at != '\0';) {
        size_t length = strspn(at, "0123456789.");
        if (length == 0) {
            at++;
            continue;
        }
        length += at[length] == 'e' ? 2 + strspn(at + length + 2, "0123456789") : 0;
        if (at < parts || number++ % 23 == seed() % 23)
            change_number(text, at, length);
        at += length;
    }
}

/* Leave out each line, and write it twice. */
static void change_lines(const char *text)
{
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, "\n") + 1;
        char twice[4096];
        check(replaced(text, at, length, ""));
        snprintf(twice, sizeof twice, "%.*s%.*s", (int)length, at, (int)length, at);
        check(replaced(text, at, length, twice));
        at += length;
    }
}

static void test_changes(void **state)
{
    (void)state;
    for (size_t w = 0; w < 2 * sizeof workload_texts / sizeof *workload_texts; w++) {
        char *text = write_certificate(
                w < 2 ? arch_text : skewed_text, workload_texts[w % 2], w < 2 ? (int)(w * 2) : 0);
        change_numbers(text);
        change_lines(text);
        check(text);
    }
    print_message(
            "%d refused, %d not verified, %d verified and true\n", n_refused, n_unverified, n_true);
    assert_true(n_refused > 0 && n_unverified > 0 && n_true > 0);
}

/* Bytes at random places: no crash, and nothing verified that is not true. */
static void test_bytes(void **state)
{
    (void)state;
    uint64_t random = seed() * 2 + 1;
    char *text = write_certificate(arch_text, workload_texts[0], 1);
    size_t length = strlen(text);

    for (int k = 0; k < 500; k++) {
        char with[2] = {0};
        random = random * 6364136223846793005U + 1442695040888963407U;
        size_t at = (size_t)(random >> 33) % length;
        with[0] = (char)(' ' + (random >> 20) % 95);
        check(replaced(text, text + at, 1, k % 3 == 0 ? "" : with));
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_changes),
            cmocka_unit_test(test_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
