/* The mapper's scheduled time of a mapping, in closed form, against the model's, which follows the
 * same mapping as relations and cuts: random workloads, machines and mappings, transfers of all
 * kinds, ports of all bandwidths, fixed costs and granules.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mapper/phases/phases.h"
#include "oracle/run.h"
#include "property/mapper_case.h"

#include "model/model.h"

static int n_bounds, n_raised, n_waits;
static int n_read; /* mappings whose stamps take longer for what is read beside them */
static int n_streamed; /* ports through which what is streamed takes longer than to compute */
static int n_at_least; /* of the times, wires have a bandwidth */
static int n_short, n_met; /* times of short tiles that are known at least; that are these */

static void show(const struct problem_case *c, const struct sator_result *result)
{
    print_message("%s%s%s | %s\n", c->workload_text, c->arch_text, result->space, result->time);
    for (int l = 0; l < c->arch->n_levels; l++) {
        const struct sator_memory *memory = &c->arch->levels[l].memory;
        if (c->arch->levels[l].kind != SATOR_LEVEL_MEMORY)
            continue;
        print_message("# %s: transfers %s, overlaps %d, %g and %g bits a cycle, setup %lld, "
                      "granule %lld\n",
                c->arch->levels[l].name, sator_transfer_name(memory->transfers.others),
                memory->overlaps, memory->read_bits, memory->write_bits,
                (long long)memory->burst.setup_cycles, (long long)memory->burst.granule_bits);
    }
    for (int l = 0; l < result->n_levels; l++)
        print_message("# %s: time %d, space %d\n", result->levels[l].name,
                result->levels[l].time_cut, result->levels[l].space_cut);
}

/* The stamps in which the first PE runs an instance: along each loop, the places of its temporal
 * digits that are not past the loop's end. */
static double first_stamps(const struct mapper_problem *p, const struct mapper_mapping *mapping)
{
    double stamps = 1;

    for (int i = 0; i < p->n_loops; i++) {
        int64_t places = 1, factor[MAPPER_ROWS], step[MAPPER_ROWS], all = 1, inside = 0;
        for (int r = p->n_rows - 1; r >= 0; r--) {
            factor[r] = p->row[r].is_space ? 1 : mapping->factor[r][i];
            step[r] = all;
            all *= mapping->factor[r][i];
            places *= factor[r];
        }
        for (int64_t n = 0; n < places; n++) {
            int64_t at = 0, rest = n;
            for (int r = 0; r < p->n_rows; r++) {
                at += rest % factor[r] * step[r];
                rest /= factor[r];
            }
            inside += at < p->extent[i];
        }
        stamps *= (double)inside;
    }
    return stamps;
}

/* Whether stamps that take whole cycles for what they are streamed take no more in all. */
static bool streams_hold(const struct mapper_problem *p, struct mapper_words *words,
        const struct mapper_mapping *mapping, double cycles)
{
    double stamps = 1, begun = 1;
    struct mapper_traffic traffic;
    struct mapper_shape shape;
    struct mapper_crew crew;
    struct mapper_exposed exposed;
    bool hold = true;

    if (!sator_mapper_has_whole_stamps(p))
        return true;
    sator_mapper_count(p, words, mapping, &traffic);
    sator_mapper_shape_init(p, mapping, &shape);
    sator_mapper_crew_init(p, &shape, 0, &crew);
    sator_mapper_exposed(p->phases, words, mapping, &shape, 0, NULL, &exposed);
    for (int i = 0; i < p->n_loops; i++) {
        double steps = (double)(p->extent[i] / mapper_positions(p, mapping, p->n_rows, i));
        stamps *= steps;
        begun *= sator_mapper_sums_over(p, i) ? 1 : steps;
    }
    for (int q = 0; q < p->n_ports && !traffic.is_unknown; q++) {
        struct mapper_streams streams = {.port = q, .all = stamps, .begun = begun};
        for (int t = 0; t < p->n_transfers; t++) {
            struct mapper_walk walk;
            sator_mapper_walk_open(p, words, &shape, t, MAPPER_AS_IT_IS, &walk);
            double each = sator_mapper_streamed_words(&walk);
            if (each > 0)
                sator_mapper_stream_add(
                        &streams, p, &crew, t, (double)traffic.unique[t] / each, each);
        }
        double least = sator_mapper_whole_cycles(p, &streams) + exposed.alone * (1 - 1e-12);
        if (least > cycles)
            print_message("streams take %.17g of %.17g\n", least, cycles);
        hold &= least <= cycles;
        n_streamed += streams.n > 0 && least > stamps * p->begun_cycles;
    }
    return hold;
}

/* Whether every port has time for its words and what it waits for, with the tiles of the memories
 * from each on inward known. */
static bool waits_hold(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double cycles)
{
    const struct mapper_problem *p = phases->problem;
    const unsigned asked = p->asked_ports | p->asked_ragged_ports | p->late_ports;
    struct mapper_mapping known = *mapping;
    struct mapper_exposed exposed;
    struct mapper_traffic traffic;
    struct mapper_shape shape;
    struct mapper_crew crew;
    bool hold = true;

    sator_mapper_count(p, words, mapping, &traffic);
    sator_mapper_shape_init(p, mapping, &shape);
    if (traffic.is_unknown || !sator_mapper_crew_of(p, words, mapping, &shape, &crew))
        return true;
    for (int m = 0; m < p->n_memories; m++) {
        sator_mapper_shape_init(p, &known, &shape);
        sator_mapper_exposed(phases, words, &known, &shape, m, &crew, &exposed);
        for (int q = 0; q < p->n_ports && exposed.waits; q++) {
            double bits = crew.fixed_bits[q] + exposed.waiting[q];
            for (int f = 0; f < p->port[q].n_flows; f++) {
                const struct mapper_flow *flow = &p->port[q].flow[f];
                bits += flow->bits *
                        (double)(flow->arriving ? traffic.arriving
                                                : traffic.unique)[flow->transfer];
            }
            if (asked >> q & 1) /* all bits are no measure of the busiest instance's */
                continue;
            n_waits += exposed.waiting[q] > 0;
            hold &= bits * crew.per_bit[q] <= cycles * (1 + 1e-12);
            if (bits * crew.per_bit[q] > cycles * (1 + 1e-12))
                print_message("from memory %d on port %d waits %.17g of %.17g and has %.17g\n", m,
                        q, exposed.waiting[q] * crew.per_bit[q], cycles, bits * crew.per_bit[q]);
        }
        for (int i = 0; i < p->n_loops; i++)
            known.factor[p->memory[m].row][i] = 1;
    }
    return hold;
}

/* Whether what phases add at least, with the tiles of the memories from each on inward known, is no
 * more than they add. */
static bool bounds_hold(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double cycles)
{
    const struct mapper_problem *p = phases->problem;
    struct mapper_mapping known = *mapping;
    double stamps = p->imperfect ? first_stamps(p, mapping)
                                 : (double)sator_mapper_time_stamps(p, words, mapping);
    double own = stamps, used = 1;
    struct mapper_shape shape;
    struct mapper_crew crew;
    struct mapper_exposed exposed;
    bool hold = true;

    sator_mapper_shape_init(p, mapping, &shape);
    sator_mapper_crew_init(p, &shape, 0, &crew);
    for (int i = 0; i < p->n_loops; i++)
        used *= (double)mapper_positions(p, mapping, p->n_rows, i);
    if (p->skew != NULL)
        own = (double)p->instances / used;
    double compute = sator_mapper_computing(p, mapping, stamps, own);
    double least = sator_mapper_least_computing(p, used);
    hold &= least <= compute * (1 + 1e-12);
    hold &= streams_hold(p, words, mapping, cycles);
    n_read += compute > stamps * (double)phases->stamp_cycles;
    for (int m = 0; m < p->n_memories; m++) {
        sator_mapper_shape_init(p, &known, &shape);
        sator_mapper_exposed(phases, words, &known, &shape, m, &crew, &exposed);
        least = exposed.cycles;
        hold &= compute + least <= cycles * (1 + 1e-12);
        if (compute + least > cycles * (1 + 1e-12))
            print_message("from memory %d on %.17g of %.17g\n", m, compute + least, cycles);
        n_bounds++;
        n_raised += least > 0;
        for (int i = 0; i < p->n_loops; i++)
            known.factor[p->memory[m].row][i] = 1;
    }
    return hold;
}

/* Whether the times are equal, and no bound is above; -1 where the model does not count it, or
 * there is no closed form. */
static int compare(struct problem_case *c, const struct mapper_phases *phases,
        struct mapper_words *words, const struct mapper_mapping *mapping)
{
    static const struct sator_analyze_options options = {.timing = SATOR_TIMING_SCHEDULED};
    struct sator_arena *arena = sator_arena_new();
    struct sator_result *result = NULL;
    double cycles = NAN, least;
    int equal = -1;

    bool is_idle = sator_mapper_late_is_idle(&c->problem, words, mapping);
    bool is_known = is_idle && sator_mapper_scheduled(phases, words, mapping, &cycles);
    bool has_least = is_idle && sator_mapper_scheduled_least(phases, words, mapping, &least);
    bool holds = !is_known || bounds_hold(phases, words, mapping, cycles);
    if (is_known)
        holds &= has_least && least <= cycles;
    if ((is_known || has_least || c->problem.imperfect) &&
            sator_model_analyze(c->ctx, &c->network->layers[0], c->arch,
                    sator_mapper_dataflow(&c->problem, arena, mapping, "m"), &options,
                    &result) == SATOR_OK) {
        bool is_counted = !isnan(result->scheduled_cycles);
        if (!is_known && is_counted) {
            holds = bounds_hold(phases, words, mapping, result->scheduled_cycles);
            if (has_least) {
                holds &= least <= result->scheduled_cycles;
                n_short++;
                n_met += least == result->scheduled_cycles;
                cycles = least;
            }
        }
        holds &= !is_counted || waits_hold(phases, words, mapping, result->scheduled_cycles);
        bool agrees = !is_known ||
                (phases->at_least ? cycles <= result->scheduled_cycles
                                  : cycles == result->scheduled_cycles);
        equal = is_counted && is_known ? holds && agrees : -1;
        n_at_least += equal == 1 && phases->at_least;
        if (is_counted && !(holds && agrees)) {
            equal = 0;
            print_message("scheduled %.17g, mapper %.17g\n", result->scheduled_cycles, cycles);
            show(c, result);
        }
        sator_result_free(result);
    }
    free(sator_ctx_take_messages(c->ctx, false));
    sator_arena_free(arena);
    return equal;
}

/* Compare some mappings of the case; the number of those that differ. */
static int compare_some(struct problem_case *c, uint64_t *draws, int *drawn, int *compared)
{
    const struct mapper_phases *phases = c->problem.phases;
    struct mapper_words *words = sator_mapper_words_new(&c->problem);
    int wrong = 0;

    for (int k = 0; k < 4 && phases != NULL && wrong == 0; k++) {
        struct mapper_mapping mapping;
        sator_mapper_draw(&c->problem, draws, &mapping);
        if (sator_mapper_has_gaps(&c->problem, &mapping) ||
                (c->problem.imperfect && !sator_mapper_is_in_space(&c->problem, &mapping)))
            continue;
        int equal = compare(c, phases, words, &mapping);
        ++*drawn;
        *compared += equal >= 0;
        wrong += equal == 0;
    }
    sator_mapper_words_free(words);
    return wrong;
}

static void test_scheduled_time_is_the_models(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct machines_options options = {.most_extent = 12, .bandwidths = true, .most_memories = 4};
    int n_cases = (int)run_count(500), wrong = 0, compared = 0, drawn = 0, n_skewed = 0;

    for (int n = 0; n < n_cases && wrong < 3; n++) {
        struct problem_case c;
        uint64_t draws = machines_draw(&rng, UINT64_MAX);
        if (open_case(&c, &rng, &options) && draw_timing(&c, &rng)) {
            bool skewed = machines_draw(&rng, 2) == 0 && skew_case(&c, &rng, false);
            sator_mapper_know_phases(&c.problem);
            int before = compared;
            wrong += compare_some(&c, &draws, &drawn, &compared);
            n_skewed += skewed ? compared - before : 0;
        }
        close_case(&c);
    }
    print_message(
            "%d of %d mappings compared, %d under a skew; %d of %d bounds are above nothing, and "
            "%d ports wait\n",
            compared, drawn, n_skewed, n_raised, n_bounds, n_waits);
    assert_int_equal(wrong, 0);
    assert_true(n_cases < 100 || (compared > n_cases / 2 && n_raised > n_bounds / 4));
    assert_true(n_cases < 100 || n_waits > n_cases);
}

/* PEs that pass words on a stamp later, so that they run the nest at shifted times: rows, squares,
 * links both ways, of which a skew makes some late, or along diagonals. */
static const char *const systolic[] = {
        "shape: [4]\n    links: [{name: e, map: \"PE[i] -> PE[i+1]\", interval: 1, energy_pj: "
        "1%s}]\n",
        "shape: [6]\n    links: [{name: w, map: \"PE[i] -> PE[i-1]\", interval: 2, energy_pj: "
        "1%s}]\n",
        "shape: [4, 3]\n    links: [{name: e, map: \"PE[i,j] -> PE[i,j+1]\", interval: 1, "
        "energy_pj: 1}, {name: s, map: \"PE[i,j] -> PE[i+1,j]\", interval: 1, energy_pj: 1%s}]\n",
        "shape: [3, 5]\n    pass_through: true\n    links: [{name: e, map: \"PE[i,j] -> "
        "PE[i,j+1]\", interval: 1, energy_pj: 1%s}]\n",
        "shape: [3, 4]\n    links: [{name: s, map: \"PE[i,j] -> PE[i+1,j]\", interval: 1, "
        "energy_pj: 1%s}]\n    multicast: [{name: row, map: \"PE[i,j] -> BUS[i]\", energy_pj: 1}]\n"
        "    reduction: [{name: tree, map: \"PE[i,j] -> TREE[i]\", energy_pj: 1}]\n",
        "shape: [3, 4]\n    links: [{name: s, map: \"PE[i,j] -> PE[i+1,j]\", interval: 1, "
        "energy_pj: 1}, {name: n, map: \"PE[i,j] -> PE[i-1,j]\", interval: 1, energy_pj: 1%s}, "
        "{name: ne, map: \"PE[i,j] -> PE[i-1,j+1]\", interval: 1, energy_pj: 1}]\n"};

/* Buses of some PEs of a row, or of a square. */
static const char *const grouped[] = {
        "shape: [8]\n    multicast: [{name: four, map: \"PE[i] -> BUS[i/4]\", energy_pj: 1%s}]\n",
        "shape: [6]\n    multicast: [{name: odd, map: \"PE[i] -> BUS[i%%2]\", energy_pj: 1%s}]\n",
        "shape: [4, 4]\n    multicast: [{name: diagonal, map: \"PE[i,j] -> BUS[i+j]\", energy_pj: "
        "1%s}]\n    reduction: [{name: tree, map: \"PE[i,j] -> TREE[i]\", energy_pj: 1}]\n",
        "shape: [6, 2]\n    multicast: [{name: pair, map: \"PE[i,j] -> BUS[i/2,j]\", energy_pj: "
        "1%s}]"
        "\n    reduction: [{name: three, map: \"PE[i,j] -> TREE[i/3]\", energy_pj: 1}]\n"};

/* Links that cross: wires ahead and along diagonals, beside links from the stamp before; wires that
 * close a triangle, in which a word that goes round enters once; wires both ways; links from three
 * stamps before, of which the least is known. */
static const char *const crossing[] = {
        "shape: [4, 3]\n    links: [{name: u, map: \"PE[i,j] -> PE[i-1,j]\", interval: 0, "
        "energy_pj: 1}, {name: l, map: \"PE[i,j] -> PE[i,j-1]\", interval: 0, energy_pj: 1}, "
        "{name: ul, map: \"PE[i,j] -> PE[i-1,j-1]\", interval: 0, energy_pj: 1}, "
        "{name: ur, map: \"PE[i,j] -> PE[i-1,j+1]\", interval: 0, energy_pj: 1}, "
        "{name: un, map: \"PE[i,j] -> PE[i-1,j]\", interval: 1, energy_pj: 1%s}]\n",
        "shape: [2, 3, 4]\n    links: [{name: k, map: \"PE[i,j,k] -> PE[i,j,k+1]\", interval: 0, "
        "energy_pj: 1}, {name: i, map: \"PE[i,j,k] -> PE[i-1,j,k]\", interval: 0, energy_pj: 1}, "
        "{name: j, map: \"PE[i,j,k] -> PE[i,j-1,k]\", interval: 0, energy_pj: 1}, "
        "{name: d, map: \"PE[i,j,k] -> PE[i,j+1,k-1]\", interval: 0, energy_pj: 1%s}]\n",
        "shape: [8]\n    links: [{name: two, map: \"PE[i] -> PE[i+2]\", interval: 0, energy_pj: "
        "1}, "
        "{name: e, map: \"PE[i] -> PE[i+1]\", interval: 1, energy_pj: 1%s}]\n",
        "shape: [3, 4]\n    links: [{name: d, map: \"PE[i,j] -> PE[i+1,j+1]\", interval: 0, "
        "energy_pj: 1}, {name: b, map: \"PE[i,j] -> PE[i-1,j-1]\", interval: 0, energy_pj: "
        "1%s}]\n",
        "shape: [4, 3]\n    links: [{name: l, map: \"PE[i,j] -> PE[i,j-1]\", interval: 1, "
        "energy_pj: "
        "1, tensors: [A]}, {name: u, map: \"PE[i,j] -> PE[i-1,j]\", interval: 3, energy_pj: 1, "
        "tensors: [A]}, {name: w, map: \"PE[i,j] -> PE[i-1,j]\", interval: 0, energy_pj: 1%s}]\n",
        "shape: [3, 4]\n    links: [{name: u0, map: \"PE[i,j] -> PE[i-1,j]\", interval: 0, "
        "energy_pj: 1}, {name: l0, map: \"PE[i,j] -> PE[i,j-1]\", interval: 0, energy_pj: 1}, "
        "{name: d0, map: \"PE[i,j] -> PE[i-1,j-1]\", interval: 0, energy_pj: 1}, "
        "{name: u1, map: \"PE[i,j] -> PE[i-1,j]\", interval: 1, energy_pj: 1}, "
        "{name: l1, map: \"PE[i,j] -> PE[i,j-1]\", interval: 1, energy_pj: 1}, "
        "{name: d1, map: \"PE[i,j] -> PE[i-1,j-1]\", interval: 1, energy_pj: 1%s}]\n"};

/* A workload and a machine with one of these arrays. */
static void write_machine(struct problem_case *c, struct machines_rng *rng,
        const char *const *arrays, uint64_t n_arrays)
{
    static const char *const ops[] = {"Y[i,j] += A[i,k] * B[k,j]", "Y[i,j] += A[j,k+i] * B[k]",
            "Y[i] += A[i,j,k] * B[j,k]", "Y[j,i] += A[i,k] * B[k,j,i]",
            "Y[i,j] += A[i+k,j+l] * B[k,l]"};
    static const int sizes[] = {1, 2, 3, 4, 6, 8, 12, 20, 30, 5, 7, 11, 13};
    static const char *const said[] = {
            "", ", tensors: [A, B]", ", tensors: [Y]", ", tensors: [A]", ", bandwidth_bits: 4"};
    char array[768];
    int size[3];

    for (int i = 0; i < 3; i++)
        size[i] = sizes[machines_draw(rng, 13)];
    int op = (int)machines_draw(rng, 5);
    snprintf(c->workload_text, TEXT, "name: w\nsizes: {i: %d, j: %d, k: %d%s}\nop: \"%s\"\n",
            size[0], size[1], size[2], op == 4 ? ", l: 3" : "", ops[op]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(
            array, sizeof array, arrays[machines_draw(rng, n_arrays)], said[machines_draw(rng, 5)]);
#pragma GCC diagnostic pop
    bool outer = machines_draw(rng, 2) == 0, cached = machines_draw(rng, 3) == 0;
    snprintf(c->arch_text, TEXT,
            "name: m\nlevels:\n%s%s  - memory: L2\n    energy_pj: 4\n    bandwidth_bits: {read: "
            "%d, write: %d}\n"
            "  - array: PE\n    %s  - {memory: registers, energy_pj: 1%s}\n  - {compute: mac, "
            "energy_pj: 1, cycles: %s}\n",
            outer ? "  - {memory: DRAM, energy_pj: 64, bandwidth_bits: {read: 24, write: 40}}\n"
                  : "",
            cached ? "  - {memory: L3, energy_pj: 8, bandwidth_bits: 33}\n" : "",
            8 << machines_draw(rng, 5), 8 << machines_draw(rng, 5), array,
            machines_draw(rng, 2) == 0 ? ", tensors: [A, B]" : "",
            machines_draw(rng, 4) == 0 ? "1.5" : "1");
}

/* The PE's own memory has no port that takes time. */
static void free_registers(struct problem_case *c)
{
    for (int l = 0; l < c->arch->n_levels; l++) {
        struct sator_memory *memory = (struct sator_memory *)(uintptr_t)&c->arch->levels[l].memory;
        if (strcmp(c->arch->levels[l].name, "registers") == 0)
            memory->read_bits = memory->write_bits = NAN;
    }
}

static void test_skewed_rows_are_the_models(void **state)
{
    (void)state;
    struct machines_rng rng = {seed() + 1};
    int n_cases = (int)run_count(500), wrong = 0, compared = 0, drawn = 0, before = n_short;

    for (int n = 0; n < n_cases && wrong < 3; n++) {
        struct problem_case c;
        uint64_t draws = machines_draw(&rng, UINT64_MAX);
        write_machine(&c, &rng, systolic, sizeof systolic / sizeof *systolic);
        if (open_texts(&c, &rng) && draw_timing(&c, &rng)) {
            free_registers(&c);
            if (skew_case(&c, &rng, false)) {
                sator_mapper_know_phases(&c.problem);
                wrong += compare_some(&c, &draws, &drawn, &compared);
            }
        }
        close_case(&c);
    }
    print_message(
            "%d of %d skewed mappings compared, %d with limited wires; of %d the least alone\n",
            compared, drawn, n_at_least, n_short - before);
    assert_int_equal(wrong, 0);
    assert_true(n_cases < 100 || compared > n_cases / 4);
}

static bool free_and_compile(struct problem_case *c, struct machines_rng *rng)
{
    free_registers(c);
    return compile_case(c, rng) == SATOR_OK;
}

/* Compare mappings onto machines with such arrays, whose registers have no ports where "frees". */
static void compare_arrays(struct machines_rng *rng, const char *const *arrays, uint64_t n_arrays,
        bool frees, const char *what)
{
    int n_cases = (int)run_count(300), wrong = 0, compared = 0, drawn = 0;

    for (int n = 0; n < n_cases && wrong < 3; n++) {
        struct problem_case c;
        uint64_t draws = machines_draw(rng, UINT64_MAX);
        write_machine(&c, rng, arrays, n_arrays);
        if (open_texts(&c, rng) && draw_timing(&c, rng)) {
            if (frees && !free_and_compile(&c, rng))
                abort();
            sator_mapper_know_phases(&c.problem);
            wrong += compare_some(&c, &draws, &drawn, &compared);
        }
        close_case(&c);
    }
    print_message("%d of %d mappings over %s compared\n", compared, drawn, what);
    assert_int_equal(wrong, 0);
    assert_true(n_cases < 100 || compared > n_cases / 4);
}

/* Wires over which PEs hand on what neighbours share, or sums; buses, trees. */
static const char *const wired[] = {
        "shape: [5]\n    links: [{name: n, map: \"PE[i] -> PE[i+1]\", interval: 0, energy_pj: "
        "1%s}]\n",
        "shape: [4, 3]\n    links: [{name: up, map: \"PE[i,j] -> PE[i-1,j]\", interval: 0, "
        "energy_pj: 1, tensors: [Y]}]\n    multicast: [{name: all, map: \"PE[i,j] -> BUS[0]\", "
        "energy_pj: 1%s}]\n",
        "shape: [3, 4]\n    multicast: [{name: row, map: \"PE[i,j] -> BUS[i]\", energy_pj: 1%s}]\n"
        "    reduction: [{name: tree, map: \"PE[i,j] -> TREE[j]\", energy_pj: 1}]\n"};

/* Tiles need not divide: bounds are no more than the model's times. */
static void test_short_tiles_are_the_models(void **state)
{
    (void)state;
    struct machines_rng rng = {seed() + 4};
    struct machines_options options = {
            .most_extent = 13, .bandwidths = true, .most_memories = 4, .prime_extents = true};
    int n_cases = (int)run_count(500), wrong = 0, compared = 0, drawn = 0, bounds = n_bounds;
    int raised = n_raised;

    for (int n = 0; n < n_cases && wrong < 3; n++) {
        struct problem_case c;
        uint64_t draws = machines_draw(&rng, UINT64_MAX);
        uint64_t kind = machines_draw(&rng, 6);
        if (kind == 0)
            write_machine(&c, &rng, wired, sizeof wired / sizeof *wired);
        else if (kind == 1)
            write_machine(&c, &rng, crossing, sizeof crossing / sizeof *crossing);
        else if (kind == 2)
            write_machine(&c, &rng, grouped, sizeof grouped / sizeof *grouped);
        if ((kind < 3 ? open_texts(&c, &rng) : open_case(&c, &rng, &options)) &&
                draw_timing(&c, &rng) && (kind != 1 || free_and_compile(&c, &rng)) &&
                sator_mapper_allow_imperfect(c.ctx, &c.problem) == SATOR_OK) {
            sator_mapper_know_phases(&c.problem);
            wrong += compare_some(&c, &draws, &drawn, &compared);
        }
        close_case(&c);
    }
    bounds = n_bounds - bounds;
    raised = n_raised - raised;
    print_message(
            "%d of %d mappings compared; %d of %d bounds are above nothing; %d of %d times at "
            "least are met\n",
            compared, drawn, raised, bounds, n_met, n_short);
    print_message(
            "in %d mappings so far PEs wait for what their own memories serve, in %d for what "
            "they are streamed\n",
            n_read, n_streamed);
    assert_true(n_cases < 100 || (n_read > n_cases / 4 && n_streamed > n_cases / 4));
    assert_int_equal(wrong, 0);
    assert_true(n_cases < 100 || (bounds > n_cases && raised > bounds / 4));
}

/* Sums leave tiles of 1, 16, 256 and 4,096 words, a word a cycle: at each of three memories 256 are
 * exposed, after the 16,384 of computing. With the tile of the innermost memory alone it is known
 * that no other tiles expose less. */
static void test_tiles_that_expose_least_are_known(void **state)
{
    (void)state;
    static const char port[] = "ports: [{name: sums, tensors: [Y], bandwidth_bits: 16}]";
    struct machines_rng rng = {seed()};
    struct problem_case c;
    struct mapper_mapping mapping;
    struct mapper_shape shape;
    double cycles = 0;

    snprintf(c.workload_text, TEXT,
            "sizes: {i: 64, j: 64, k: 4}\nop: \"Y[i,j] += A[i,k] * B[k,j]\"\n");
    snprintf(c.arch_text, TEXT,
            "levels:\n  - {memory: DRAM, energy_pj: 100, %s}\n  - {memory: L3, energy_pj: 9, %s, "
            "transfers: overlapped}\n  - {memory: L2, energy_pj: 4, %s, transfers: overlapped}\n  "
            "- "
            "{memory: L1, energy_pj: 1, transfers: overlapped}\n  - {compute: mac, energy_pj: 1}\n",
            port, port, port);
    assert_true(open_texts(&c, &rng));
    sator_mapper_know_phases(&c.problem);
    const struct mapper_phases *phases = c.problem.phases;
    struct mapper_words *words = sator_mapper_words_new(&c.problem);
    uint64_t draws = 1;
    sator_mapper_draw(&c.problem, &draws, &mapping);
    for (int m = 0; m < 4; m++) {
        for (int i = 0; i < 3; i++) { /* i, j and, inside of all, k */
            mapping.factor[c.problem.memory[m].row][i] = i < 2 ? (m < 3 ? 4 : 1) : (m < 3 ? 1 : 4);
        }
    }
    assert_true(sator_mapper_scheduled(phases, words, &mapping, &cycles));
    assert_true(cycles == 16384 + 3 * 256);
    for (int m = 0; m < 3; m++)
        memcpy(mapping.factor[c.problem.memory[m].row], mapper_ones, sizeof mapper_ones);
    sator_mapper_shape_init(&c.problem, &mapping, &shape);
    struct mapper_crew crew;
    struct mapper_exposed exposed;
    sator_mapper_crew_init(&c.problem, &shape, 0, &crew);
    sator_mapper_exposed(phases, words, &mapping, &shape, 3, &crew, &exposed);
    assert_true(exposed.cycles <= 768 && exposed.cycles > 767.9);
    sator_mapper_words_free(words);
    close_case(&c);
}

/* Open a case of two memories around an array, whose tiles may be short, and a mapping with nothing
 * in it yet. */
static void open_short(
        struct problem_case *c, struct machines_rng *rng, struct mapper_mapping *mapping)
{
    assert_true(open_texts(c, rng));
    assert_true(sator_mapper_allow_imperfect(c->ctx, &c->problem) == SATOR_OK);
    sator_mapper_know_phases(&c->problem);
    sator_mapper_mapping_init(&c->problem, mapping);
}

/* Two PEs share three iterations of k: the second is done with its sums when the first begins with
 * the last one, and 8 words leave in each of two runs of 8 cycles, a word a cycle. If all left
 * together, as where four iterations are shared, they would hold up a run of 8 for 16. */
static void test_sums_that_end_early_hold_nothing_up(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct mapper_exposed exposed;

    for (int k = 3; k <= 4; k++) {
        struct problem_case c;
        struct mapper_mapping mapping;
        struct mapper_shape shape;
        struct mapper_crew crew;
        snprintf(c.workload_text, TEXT, "sizes: {i: 8, k: %d}\nop: \"Y[i] += A[i,k] * B[k]\"\n", k);
        snprintf(c.arch_text, TEXT,
                "levels:\n  - {memory: L2, energy_pj: 4, ports: [{name: sums, tensors: [Y], "
                "bandwidth_bits: 16}]}\n  - {array: PE, shape: [2]}\n  - {memory: L1, energy_pj: "
                "1, "
                "transfers: streamed}\n  - {compute: mac, energy_pj: 1}\n");
        open_short(&c, &rng, &mapping);
        const struct mapper_problem *p = &c.problem;
        struct mapper_words *words = sator_mapper_words_new(p);
        mapping.factor[p->memory[0].row][1] = mapping.factor[p->memory[0].row + 1][1] = 2;
        mapping.factor[p->memory[1].row][0] = 8;
        sator_mapper_shape_init(p, &mapping, &shape);
        sator_mapper_crew_init(p, &shape, 0, &crew);
        sator_mapper_exposed(p->phases, words, &mapping, &shape, 0, &crew, &exposed);
        assert_true(exposed.cycles == (k == 3 ? 0 : 8));
        sator_mapper_words_free(words);
        close_case(&c);
    }
}

/* Two PEs share seven places of a window of nine, the second one hands the first what it has. In
 * the second stamp the first has x = 4 and 5, the other 6 alone: of words 4 to 14 they had those up
 * to 11, the first itself up to 9. So 12 words are loaded, then 3, before what is computed in 18
 * cycles. Words 10 and 11 come from the second PE, which kept them. */
static void test_wires_bring_what_a_neighbour_kept(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct problem_case c;
    struct mapper_mapping mapping;
    double least;

    snprintf(c.workload_text, TEXT, "sizes: {x: 7, r: 9}\nop: \"Y[x] += A[x+r] * B[r]\"\n");
    snprintf(c.arch_text, TEXT,
            "levels:\n  - {memory: L2, energy_pj: 4, ports: [{name: images, tensors: [A], "
            "bandwidth_bits: 16}]}\n  - array: PE\n    shape: [2]\n    links: [{name: next, map: "
            "\"PE[i] -> PE[i-1]\", interval: 0, tensors: [A], energy_pj: 1}]\n  - {memory: L1, "
            "energy_pj: 1, transfers: serial}\n  - {compute: mac, energy_pj: 1}\n");
    open_short(&c, &rng, &mapping);
    const struct mapper_problem *p = &c.problem;
    struct mapper_words *words = sator_mapper_words_new(p);
    mapping.factor[p->memory[0].row][0] = mapping.factor[p->memory[0].row + 1][0] = 2;
    mapping.factor[p->memory[1].row][0] = 2;
    mapping.factor[p->memory[1].row][1] = 9;
    assert_true(sator_mapper_scheduled_least(p->phases, words, &mapping, &least));
    assert_true(least == 12 + 18 + 3 + 18);
    int met = n_met;
    assert_int_equal(compare(&c, p->phases, words, &mapping), -1); /* no bound is above */
    assert_int_equal(n_met, met + 1); /* and the model says as much */
    sator_mapper_words_free(words);
    close_case(&c);
}

static void test_buses_of_some_PEs_are_the_models(void **state)
{
    (void)state;
    struct machines_rng rng = {seed() + 2};

    compare_arrays(&rng, grouped, sizeof grouped / sizeof *grouped, false, "buses of some PEs");
}

static void test_links_that_cross_are_the_models(void **state)
{
    (void)state;
    struct machines_rng rng = {seed() + 3};

    compare_arrays(&rng, crossing, sizeof crossing / sizeof *crossing, true, "links that cross");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scheduled_time_is_the_models),
            cmocka_unit_test(test_short_tiles_are_the_models),
            cmocka_unit_test(test_skewed_rows_are_the_models),
            cmocka_unit_test(test_tiles_that_expose_least_are_known),
            cmocka_unit_test(test_sums_that_end_early_hold_nothing_up),
            cmocka_unit_test(test_wires_bring_what_a_neighbour_kept),
            cmocka_unit_test(test_buses_of_some_PEs_are_the_models),
            cmocka_unit_test(test_links_that_cross_are_the_models)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
