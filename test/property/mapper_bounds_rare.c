/* The bounds that the optimal strategy cuts by, as mapper_bounds.c checks them, where random
 * machines seldom lead: what matters on these is what was wrong once, or is easily. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mapper/problem/domain.h"
#include "oracle/run.h"
#include "property/mapper_case.h"
#include "support/completions.h"

static int any(struct machines_rng *rng, int n)
{
    return (int)machines_draw(rng, (uint64_t)n);
}

/* ---- products over buses, into two memories ---- */

/* "bus": lines of the networks. */
static void write_buses(struct problem_case *one, const char *bus)
{
    snprintf(one->arch_text, TEXT,
            "name: rows\nlevels:\n  - {memory: DRAM, energy_pj: {read: 96, write: 96}}\n"
            "  - array: PE\n    shape: [4, 4]\n    multicast: [%s]\n"
            "  - {memory: L1, energy_pj: {read: 1, write: 1}}\n"
            "  - {memory: registers, energy_pj: {read: 1, write: 1}}\n"
            "  - {compute: mac, energy_pj: 1, cycles: 1}\n",
            bus);
}

/* Windows on PEs that share rows: each loop moves the tile by its own step. */
static void draw_window(struct machines_rng *rng, struct problem_case *one)
{
    int size[4];

    for (int i = 0; i < 4; i++)
        size[i] = 2 + any(rng, 9);
    snprintf(one->workload_text, TEXT,
            "name: window\nsizes: {x: %d, y: %d, r: %d, s: %d}\n"
            "op: \"Y[x,y] += A[%dx+r,%dy+s] * B[r,s]\"\n",
            size[0], size[1], size[2], size[3], 1 + any(rng, 2), 1 + any(rng, 2));
    write_buses(one, "{name: all, map: \"PE[i,j] -> BUS[0]\", energy_pj: 0.5}");
}

/* Windows that pass a memory by, whose factors say how far apart the PEs' tiles are: over networks
 * of one family of buses, of several, and of links, some of which have no formula. */
static void draw_gap(struct machines_rng *rng, struct problem_case *one)
{
    static const char *const network[] = {
            "multicast: [{name: column, map: \"PE[i,j] -> BUS[j]\", energy_pj: 0.5}]",
            "multicast: [{name: row, map: \"PE[i,j] -> BUS[i]\", energy_pj: 0.5}, "
            "{name: column, map: \"PE[i,j] -> BUS[j]\", energy_pj: 0.5}]",
            "multicast: [{name: row, map: \"PE[i,j] -> BUS[i]\", energy_pj: 0.5}, "
            "{name: column, map: \"PE[i,j] -> BUS[j]\", energy_pj: 2}]",
            "multicast: [{name: column, map: \"PE[i,j] -> BUS[j]\", energy_pj: 0.5}]\n"
            "    links: [{name: late, map: \"PE[i,j] -> PE[i,j+1]\", interval: 2, energy_pj: 0.5}]",
            "multicast: [{name: column, map: \"PE[i,j] -> BUS[j]\", energy_pj: 0.5}]\n"
            "    links: [{name: wire, map: \"PE[i,j] -> PE[i+1,j]\", interval: 0, energy_pj: 1}]",
            "links: [{name: two, map: \"PE[i,j] -> PE[i+2,j]\", interval: 0, energy_pj: 0.5}]",
            "links: [{name: up, map: \"PE[i,j] -> PE[i+1,j]\", interval: 1, energy_pj: 0.5}, "
            "{name: down, map: \"PE[i,j] -> PE[i-1,j]\", interval: 1, energy_pj: 0.5}]"};
    int x = 2 + 2 * any(rng, 4), y = 1 + any(rng, 2), r = (int[]){2, 3, 4, 6, 8}[any(rng, 5)];

    snprintf(one->workload_text, TEXT,
            "name: gap\nsizes: {x: %d, y: %d, r: %d}\nop: \"Y[x,y] += A[%dx+%dr,y] * B[r]\"\n", x,
            y, r, 1 + any(rng, 3), 1 + any(rng, 4));
    snprintf(one->arch_text, TEXT,
            "name: gap\nlevels:\n  - {memory: DRAM, energy_pj: {read: 96, write: 96}}\n"
            "  - array: PE\n    shape: [%d, 2]\n    %s\n"
            "  - {memory: L2, energy_pj: {read: 3, write: 3}%s}\n"
            "  - {memory: L1, energy_pj: {read: 1, write: 1}%s}\n"
            "  - {compute: mac, energy_pj: 1, cycles: 1}\n",
            2 + any(rng, 3), network[any(rng, sizeof network / sizeof *network)],
            any(rng, 4) > 0 ? ", bypass: [A]" : "", any(rng, 4) == 0 ? ", bypass: [A]" : "");
}

/* What the engines count: quotients, of which a short tile may have fewer than its share, over two
 * families of buses. */
static void draw_quotient(struct machines_rng *rng, struct problem_case *one)
{
    int divisor = 2 + any(rng, 3), x = 3 + any(rng, 9), r = 1 + any(rng, 3), c = 1 + any(rng, 3);

    snprintf(one->workload_text, TEXT,
            "name: quotient\nsizes: {x: %d, r: %d, c: %d}\n"
            "op: \"Y[x] += A[c,fl((%dx+r)/%d)] * B[c,r]\"\n",
            x, r, c, 1 + any(rng, divisor), divisor);
    write_buses(one,
            "{name: rows, map: \"PE[i,j] -> BUS[i]\", energy_pj: 0.5}, "
            "{name: columns, map: \"PE[i,j] -> BUS[j]\", energy_pj: 0.5}");
}

/* Buses that join some PEs of a row, and may cost more than what they spare. */
static void draw_group(struct machines_rng *rng, struct problem_case *one)
{
    static const char *const map[] = {"i+j", "floor(i/2)", "i%2,j", "floor(i/2)+2j"};
    int i = 1 + any(rng, 6), j = 1 + any(rng, 6), k = 1 + any(rng, 6);
    char bus[128];

    snprintf(one->workload_text, TEXT,
            "name: groups\nsizes: {i: %d, j: %d, k: %d}\nop: \"Y[i,j] += A[i,k] * B[k,j]\"\n", i, j,
            k);
    snprintf(bus, sizeof bus, "{name: some, map: \"PE[i,j] -> BUS[%s]\", energy_pj: %d}",
            map[any(rng, 4)], any(rng, 2) == 0 ? 1 : 200);
    write_buses(one, bus);
}

/* ---- lanes ---- */

/* Write a family of buses or trees over all of "array", or nothing, into "text" of 128. */
static void write_sharing(struct machines_rng *rng, const char *name, const char *array, char *text)
{
    static const char *const more[] = {"", ", tensors: [A]", ""};
    int kind = any(rng, 4);

    text[0] = '\0';
    if (kind > 0)
        snprintf(text, 128, "%s: [{name: %s, map: \"%s[i] -> BUS[0]\"%s, energy_pj: %s}]",
                kind == 3 ? "reduction" : "multicast", name, array, more[kind - 1],
                kind == 1 ? "3" : "0.5");
}

/* Compute units in a row inside the innermost memory, which need not divide a loop: in its last
 * block some of them are idle. PEs around that memory, and the lanes, share or do not. */
static void draw_lanes(struct machines_rng *rng, struct problem_case *one)
{
    static const char *const operations[] = {"Y[i,j] += A[i,k] * B[k,j]", "Y[i] += A[i,k] * B[j,k]",
            "Y[i,k] += A[i,j] * B[j]", "Y[i] += A[i+j] * B[j,k]", "Y[j] += A[j] * B[i,j]"};
    char pes[128], lanes[128];
    int length;

    snprintf(one->workload_text, TEXT, "name: lanes\nsizes: {i: %d, j: %d, k: %d}\nop: \"%s\"\n",
            1 + any(rng, 12), 1 + any(rng, 12), 1 + any(rng, 12),
            operations[any(rng, sizeof operations / sizeof *operations)]);
    write_sharing(rng, "outside", "PE", pes);
    write_sharing(rng, "inside", "lane", lanes);
    length = snprintf(one->arch_text, TEXT,
            "name: lanes\nlevels:\n  - {memory: DRAM, energy_pj: 96, bandwidth_bits: %d}\n",
            8 << any(rng, 3));
    if (any(rng, 4) > 0)
        length += snprintf(one->arch_text + length, (size_t)(TEXT - length),
                "  - array: PE\n    shape: [%d]\n    %s\n", 2 + any(rng, 2), pes);
    snprintf(one->arch_text + length, (size_t)(TEXT - length),
            "  - {memory: L1, energy_pj: %d, bandwidth_bits: %d}\n"
            "  - array: lane\n    shape: [%d]\n    %s\n"
            "  - {compute: mac, energy_pj: 1, cycles: 1}\n",
            1 + any(rng, 4), 8 << any(rng, 3), 2 + any(rng, 3), lanes);
}

/* ---- links and trees ---- */

/* Tensors that do not slide, over links from some stamps before, each with costs of its own. */
static void draw_late(struct machines_rng *rng, struct problem_case *one)
{
    static const char *const link[] = {"i", "i", "i+1", "i-1"};
    static const char *const tensors[] = {"A", "B", "A, B"};
    int pj[8];

    for (int i = 0; i < 8; i++)
        pj[i] = (int[]){0, 10, 100}[any(rng, 3)];
    snprintf(one->workload_text, TEXT,
            "name: late\nsizes: {i: 2, j: 2, k: %d}\nop: \"Y[%s] += A[%s] * B[i]\"\n",
            5 + 2 * any(rng, 2), any(rng, 4) == 0 ? "j,k" : "k", any(rng, 4) == 0 ? "i,j" : "j");
    snprintf(one->arch_text, TEXT,
            "name: late\nlevels:\n"
            "  - {memory: DRAM, energy_pj: {tensors: {A: %d, B: %d, Y: {read: %d, write: %d}}}}\n"
            "  - array: PE\n    shape: [3]\n    links:\n"
            "      - {name: late, map: \"PE[i] -> PE[%s]\", interval: %d, tensors: [%s], "
            "energy_pj: 0}\n"
            "  - {memory: L1, energy_pj: {tensors: {A: {read: 1, write: %d}, "
            "B: {read: 1, write: %d}, Y: {read: %d, write: %d}}}}\n"
            "  - {compute: mac, energy_pj: 1, cycles: 1}\n",
            pj[0], pj[1], pj[2], pj[3], link[any(rng, 4)], 2 + any(rng, 3), tensors[any(rng, 3)],
            pj[4], pj[5], pj[6], pj[7]);
}

/* Where an access stands under a condition, PEs do not read as many words; the one that has to take
 * up the sums of a tree may be one with few. */
static void draw_uneven(struct machines_rng *rng, struct problem_case *one)
{
    snprintf(one->workload_text, TEXT,
            "name: uneven\ndomain: \"{ S[i, j] : 0 <= i < %d and 0 <= j < 4 }\"\nreads:\n"
            "  - \"{ S[i, j] -> A[i, j] : i <= j + %d }\"\n  - \"{ S[i, j] -> B[j] }\"\n"
            "writes:\n  - \"{ S[i, j] -> Y[i] }\"\n",
            4 + 2 * any(rng, 3), any(rng, 4));
    snprintf(one->arch_text, TEXT,
            "name: uneven\nlevels:\n  - {memory: DRAM, energy_pj: 100}\n"
            "  - array: PE\n    shape: [4]\n"
            "    reduction: [{name: sum, map: \"PE[i] -> TREE[0]\", energy_pj: 1}]\n"
            "  - {memory: L1, energy_pj: 1, bandwidth_bits: 8}\n"
            "  - {compute: mac, energy_pj: 1, cycles: 1}\n");
}

/* Where last tiles are short the PE that takes up the sums of wires may be the one with the short
 * one. */
static void draw_sums(struct machines_rng *rng, struct problem_case *one)
{
    snprintf(one->workload_text, TEXT,
            "name: sums\nsizes: {i: %d, k: %d}\nop: \"Y[i] += A[k] * B[i,k]\"\n", 1 + any(rng, 5),
            3 + any(rng, 9));
    snprintf(one->arch_text, TEXT,
            "name: sums\nlevels:\n  - {memory: DRAM, energy_pj: 100}\n"
            "  - array: PE\n    shape: [%d]\n"
            "    links: [{name: sum, map: \"PE[i] -> PE[i%s]\", interval: 0, tensors: [Y], "
            "energy_pj: 1}]\n"
            "  - {memory: L1, energy_pj: 1, ports: [{name: own, tensors: [Y], bandwidth_bits: "
            "8}]}\n"
            "  - {compute: mac, energy_pj: 1, cycles: 1}\n",
            2 + any(rng, 3), any(rng, 2) == 0 ? "-1" : "+1");
}

/* ---- domains ---- */

/* Three loops of a domain that is no box, whose hull is bounded: triangles either way, bands, parts
 * of a grid, what leaves fibers with gaps; products and sums over any of them. */
static void draw_domain(struct machines_rng *rng, struct problem_case *one)
{
    static const char *const conditions[] = {"j <= i", "j >= i", "j < i + 2",
            "j <= i and j >= i - 1", "j != i", "k <= i", "k >= i", "k <= i and j <= i",
            "j + i <= 4", "(i + j) % 2 = 0", "k + j >= i", "j <= i or k <= i", "2*j <= i",
            "i % 2 = 0 or j <= 1", "k <= i + 1 and j <= i + 1"};
    static const char *const operations[] = {"Y[i,j] += A[i,k] * B[k,j]", "Y[i] += A[i,j] * B[j,k]",
            "Y[k] += A[i] * B[j,k]", "Y[i,j,k] += A[i] * B[j]", "Y[i,k] += A[i,j] * B[j+k]",
            "Y[j] += A[i,k]"};
    struct machines_options options = {.bandwidths = any(rng, 2) != 0,
            .most_memories = 4,
            .counted = any(rng, 8) == 0,
            .small = any(rng, 3) == 0};

    snprintf(one->workload_text, TEXT,
            "name: domain\nsizes: {i: %d, j: %d, k: %d}\nop: \"%s\"\nwhere: \"%s\"\n",
            2 + 2 * any(rng, 4), 2 + any(rng, 7), 2 + any(rng, 5),
            operations[any(rng, sizeof operations / sizeof *operations)],
            conditions[any(rng, sizeof conditions / sizeof *conditions)]);
    machines_arch(rng, &options, one->arch_text, TEXT);
}

/* ---- cases ---- */

static const struct family {
    const char *name;
    void (*draw)(struct machines_rng *rng, struct problem_case *one);
    int n_cases, n_mappings;
    int imperfect; /* of two cases: of factors that need not divide */
} families[] = {
        {"short_windows", draw_window, 600, 6, 2},
        {"short_quotients", draw_quotient, 150, 6, 2},
        {"short_groups", draw_group, 100, 6, 2},
        {"gaps", draw_gap, 1000, 6, 1},
        {"short_lanes", draw_lanes, 1500, 6, 2},
        {"late_links", draw_late, 2000, 6, 0},
        {"uneven_sums", draw_uneven, 200, 2, 1},
        {"short_sums", draw_sums, 400, 6, 2},
        {"domains", draw_domain, 300, 4, 0},
};

static void test_family(void **state)
{
    const struct family *f = &families[*(const size_t *)*state];
    int n_cases = (int)run_count(f->n_cases), asked = 0, domains = 0;
    struct machines_rng rng = {seed()};
    struct checked c = {.wrong = 0};

    for (int k = 0; k < n_cases && c.wrong < 3; k++) {
        struct problem_case one;
        f->draw(&rng, &one);
        if (open_texts(&one, &rng)) {
            if (any(&rng, 2) < f->imperfect) {
                assert_int_equal(sator_mapper_allow_imperfect(one.ctx, &one.problem), SATOR_OK);
                if (!one.problem.only_chains)
                    one.problem.chains = any(&rng, 2) != 0; /* else only last tiles are short */
            }
            asked++;
            domains += one.problem.domain != NULL && one.problem.domain->scaled != 0;
            if (!completions_check(&c, &one.problem, &rng, f->n_mappings))
                print_message("%s%s", one.workload_text, one.arch_text);
        }
        close_case(&one);
    }
    print_message(
            "%d problems, %d of a known domain; %d comparisons\n", asked, domains, c.comparisons);
    assert_int_equal(c.wrong, 0);
    assert_true(n_cases < 100 || asked > n_cases / 2);
    assert_true(n_cases < 100 || f->draw != draw_domain || domains > n_cases / 4);
}

int main(void)
{
    enum {
        FAMILIES = sizeof families / sizeof *families
    };
    size_t number[FAMILIES];
    struct CMUnitTest tests[FAMILIES];

    for (size_t i = 0; i < FAMILIES; i++) {
        number[i] = i;
        tests[i] = (struct CMUnitTest){families[i].name, test_family, NULL, NULL, &number[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
