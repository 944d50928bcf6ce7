/* The mapper's formulas against the model: random workloads, machines and mappings, every number of
 * every level. The model counts the same mapping, given as relations and cuts, with the counting
 * engines, which know nothing of the mapper.
 */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "mapper/cost/cost.h"
#include "mapper/problem/invariants.h"
#include "oracle/run.h"
#include "property/mapper_case.h"

#include "model/model.h"

static void show(const struct problem_case *c, const struct mapper_mapping *mapping,
        const struct sator_result *result)
{
    print_message("%s", c->workload_text);
    for (const char *at = c->arch_text; *at != '\0'; at += strcspn(at, "\n") + 1)
        print_message("%.*s\n", (int)strcspn(at, "\n"), at); /* long messages are cut */
    for (int r = 0; r < c->problem.n_rows; r++) {
        print_message("row %d:", r);
        for (int i = 0; i < c->problem.n_loops; i++)
            print_message(" %s %d", c->problem.loop_names[i], (int)mapping->factor[r][i]);
        print_message("\n");
    }
    if (result != NULL)
        print_message("%s | %s\n", result->space, result->time);
}

/* The cycles of each port. "unknown" becomes at least those of the ports of which the model does
 * not know the busiest instance: its latency leaves them out. */
static int compare_ports(const struct problem_case *c, const struct mapper_traffic *traffic,
        const struct sator_result *result, double *unknown)
{
    const struct mapper_problem *p = &c->problem;
    double cycles[MAPPER_PORTS];
    int wrong = 0;

    sator_mapper_port_cycles(p, traffic, cycles);
    for (int i = 0; i < p->n_ports; i++) {
        for (int k = 0; k < result->n_ports; k++) {
            const struct sator_port_result *port = &result->ports[k];
            if (strcmp(port->name, p->port[i].lane->name) != 0)
                continue;
            if (port->unknown != NULL)
                *unknown = fmax(*unknown, cycles[i]);
            if (port->unknown != NULL || fabs(port->cycles - cycles[i]) <= 1e-9 * fabs(cycles[i]))
                continue;
            print_message("%s: %.17g cycles, mapper %.17g%s\n", port->name, port->cycles, cycles[i],
                    traffic->is_uneven ? ", uneven" : "");
            wrong++;
        }
    }
    return wrong;
}

/* Levels, energy and latency of one mapping. */
static int compare(const struct problem_case *c, const struct mapper_mapping *mapping,
        const struct mapper_traffic *traffic, const struct sator_result *result)
{
    const struct mapper_problem *p = &c->problem;
    struct mapper_cost cost = sator_mapper_cost(p, traffic);
    sator_int fresh[MAPPER_ACCESSES]; /* times that a word starts from zero so far inward */
    double unknown = 0;
    int wrong = compare_ports(c, traffic, result, &unknown);
    double latency = fmax(result->total_cycles, unknown);

    for (int a = 0; a < p->n_accesses; a++)
        fresh[a] = p->access[a].footprint;
    for (int i = p->n_transfers - 1; i >= 0; i--) { /* outermost first */
        const struct mapper_transfer *t = &p->transfer[i];
        sator_int outside = fresh[t->access];
        if (t->merges)
            fresh[t->access] += t->is_counted || t->has_late
                    ? traffic->merged[i]
                    : traffic->arriving[i] - traffic->unique[i];
        if (t->child == p->n_memories)
            continue;
        const struct sator_level_result *level = &result->levels[t->child];
        for (int k = 0; k < level->n_tensors; k++) {
            const struct sator_level_tensor *tensor = &level->tensors[k];
            const struct mapper_access *access = &p->access[t->access];
            if (strcmp(tensor->name, access->name) != 0 || tensor->role != access->role)
                continue;
            bool is_read = access->role == SATOR_READ;
            sator_int fills = traffic->unique[i] - (is_read ? 0 : outside);
            sator_int writes = is_read ? traffic->arriving[i] : fills;
            if (tensor->fills != fills || tensor->writes != writes) {
                print_message("%s of %s: fills %lld writes %lld, mapper %lld %lld\n", level->name,
                        tensor->name, (long long)tensor->fills, (long long)tensor->writes,
                        (long long)fills, (long long)writes);
                wrong++;
            }
        }
    }
    if (!(fabs(cost.pj - result->energy_pj) <= 1e-9 * fabs(result->energy_pj)) ||
            !(fabs(cost.cycles - latency) <= 1e-9 * latency)) {
        print_message("energy %.17g cycles %.17g, mapper %.17g %.17g\n", result->energy_pj,
                result->total_cycles, cost.pj, cost.cycles);
        wrong++;
    }
    if (wrong > 0)
        show(c, mapping, result);
    return wrong;
}

static int check_mapping(const struct problem_case *c, struct mapper_words *words,
        const struct mapper_mapping *mapping)
{
    struct sator_arena *arena = sator_arena_new();
    struct sator_result *result = NULL;
    struct mapper_traffic traffic;
    int wrong = 1;

    sator_mapper_count(&c->problem, words, mapping, &traffic);
    if (c->problem.has_late && !sator_mapper_count_late(&c->problem, words, mapping, &traffic))
        return -1;
    enum sator_status st = sator_model_analyze(c->ctx, &c->network->layers[0], c->arch,
            sator_mapper_dataflow(&c->problem, arena, mapping, "m"), NULL, &result);
    if (st == SATOR_OK) {
        wrong = compare(c, mapping, &traffic, result);
        sator_result_free(result);
    } else if (st == SATOR_LIMIT || st == SATOR_OVERFLOW) {
        free(sator_ctx_take_messages(c->ctx, false)); /* too much for the counting engines */
        wrong = -1;
    } else {
        char *messages = sator_ctx_take_messages(c->ctx, false);
        print_message("status %d: %s\n", (int)st, messages);
        free(messages);
        show(c, mapping, NULL);
    }
    sator_arena_free(arena);
    return wrong;
}

/* Whether some loop has compute units that are idle in its last block. */
/* Move a prime factor of a loop from one row to another, and a loop of a memory in its order. */
static void change(
        const struct mapper_problem *p, struct mapper_mapping *mapping, struct machines_rng *rng)
{
    int loop = (int)machines_draw(rng, (uint64_t)p->n_loops);
    int64_t *from = &mapping->factor[machines_draw(rng, (uint64_t)p->n_rows)][loop];
    int64_t prime = sator_mapper_smallest_prime(*from);
    int8_t *order = mapping->order[machines_draw(rng, (uint64_t)p->n_memories)];
    int a = (int)machines_draw(rng, (uint64_t)p->n_loops);
    int8_t kept = order[a];

    if (machines_draw(rng, 2) == 0) {
        *from /= prime;
        mapping->factor[machines_draw(rng, (uint64_t)p->n_rows)][loop] *= prime;
    }
    order[a] = order[loop];
    order[loop] = kept;
}

/* Whether a mapping spends what its words do, and what is the same for all; nothing is spared. */
static bool spends_by_words(const struct mapper_problem *p)
{
    return p->has_energy && p->leakage_pj == 0 && !p->has_counted && !p->lends;
}

/* Whether what is counted of changes to a mapping by what it moves itself is what they move. */
static bool check_near(const struct problem_case *c, struct mapper_words *words,
        const struct mapper_mapping *mapping, uint64_t draws)
{
    const struct mapper_problem *p = &c->problem;
    struct machines_rng rng = {draws};
    struct mapper_counted near = {.mapping = *mapping};
    bool same = true;

    if (p->n_loops == 0)
        return true;
    sator_mapper_shape_init(p, mapping, &near.shape);
    sator_mapper_count_near(p, words, NULL, 0, INFINITY, INFINITY, &near);
    for (int k = 0; k < (p->has_counted ? 2 : 8); k++) { /* the engines take longer */
        struct mapper_counted next = {.mapping = *mapping};
        struct mapper_traffic traffic;
        change(p, &next.mapping, &rng);
        if (!mapper_fits_arrays(p, &next.mapping) || !sator_mapper_is_allowed(p, &next.mapping) ||
                (p->imperfect && !sator_mapper_is_in_space(p, &next.mapping)))
            continue;
        sator_mapper_shape_init(p, &next.mapping, &next.shape);
        unsigned rows = sator_mapper_differing_rows(p, mapping, &next.mapping);
        sator_mapper_count(p, words, &next.mapping, &traffic);
        double pj = sator_mapper_cost(p, &traffic).pj, value = sator_mapper_cost(p, &traffic).value;
        same &= !sator_mapper_count_near(p, words, &near, rows, 0.99 * pj, INFINITY, &next) ||
                pj == 0 || !spends_by_words(p) || traffic.is_unknown;
        same &= sator_mapper_count_near(p, words, &near, rows, 1.01 * pj, INFINITY, &next) ||
                isnan(pj);
        same &= sator_mapper_count_near(p, words, &near, rows, INFINITY, 1.01 * value, &next) ||
                isnan(value) || value < 0;
        for (int t = 0; t < p->n_transfers && !traffic.is_unknown; t++)
            same &= next.traffic.unique[t] == traffic.unique[t] &&
                    next.traffic.arriving[t] == traffic.arriving[t];
        if (!same) {
            print_message("a change of it is counted otherwise by what it moves:\n");
            show(c, mapping, NULL);
            return false;
        }
    }
    return true;
}

static bool has_idle_lanes(const struct mapper_problem *p, const struct mapper_mapping *mapping)
{
    bool idle = false;

    for (int i = 0; i < p->n_loops; i++) {
        int64_t lanes = 1;
        for (int r = p->memory[p->n_memories - 1].row + 1; r < p->n_rows; r++)
            lanes *= mapping->factor[r][i];
        idle |= p->extent[i] % lanes != 0;
    }
    return idle;
}

/* Mappings in which words of a window pass from PE to PE, and those of them over several families
 * of buses, or over links and a bus. */
static void count_passed(const struct mapper_problem *problem, const struct mapper_mapping *mapping,
        int *passed, int *tangled)
{
    unsigned transfers = sator_mapper_passed(problem, mapping);
    bool buses = false;

    for (int t = 0; t < problem->n_transfers; t++)
        buses |= (transfers >> t & 1) && problem->transfer[t].n_buses > 0;
    *passed += transfers != 0;
    *tangled += buses;
}

enum kind {
    PERFECT,
    IMPERFECT,
    SKEWED,
    SHORT /* the same with factors that do not divide */
};

static void run_cases(enum kind kind)
{
    bool imperfect = kind == IMPERFECT || kind == SHORT;
    const char *given = getenv("SATOR_TEST_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    int n_cases = (int)run_count(400), wrong = 0, compared = 0, ragged = 0, direct = 0, idle = 0,
        passed = 0, tangled = 0, skewed = 0;
    struct machines_rng rng = {seed};
    struct machines_options options = {.most_extent = 12,
            .bandwidths = true,
            .most_memories = 4,
            .prime_extents = imperfect,
            .idle = kind == SKEWED,
            .counted = kind < SKEWED};

    print_message("seed %llu\n", (unsigned long long)seed);
    for (int n = 0; n < n_cases && wrong < 3; n++) {
        struct problem_case c;
        uint64_t draws = machines_draw(&rng, UINT64_MAX);
        if (!open_case(&c, &rng, &options)) { /* wires and buses for one tensor */
            close_case(&c);
            continue;
        }
        if ((kind == SKEWED && !skew_case(&c, &rng, true)) ||
                (kind == SHORT && !short_case(&c, &rng))) {
            close_case(&c);
            continue;
        }
        if (imperfect && sator_mapper_allow_imperfect(c.ctx, &c.problem) != SATOR_OK) {
            close_case(&c);
            continue;
        }
        if (draws % 2 == 0)
            sator_mapper_allow_orders(&c.problem);
        struct mapper_words *words = sator_mapper_words_new(&c.problem);
        for (int k = 0; k < (imperfect ? 12 : 5) && wrong < 3; k++) {
            struct mapper_mapping mapping;
            sator_mapper_draw(&c.problem, &draws, &mapping);
            if (imperfect && !sator_mapper_is_in_space(&c.problem, &mapping))
                continue;
            if (kind >= SKEWED && !sator_mapper_is_allowed(&c.problem, &mapping))
                continue;
            count_passed(&c.problem, &mapping, &passed, &tangled);
            bool is_ragged = sator_mapper_is_ragged(&c.problem, &mapping, UINT_MAX);
            skewed += (is_ragged || kind != SHORT) &&
                    sator_mapper_skew_text(&c.problem, c.arena, &mapping) != NULL;
            ragged += is_ragged;
            direct += is_ragged && c.problem.is_direct;
            idle += has_idle_lanes(&c.problem, &mapping);
            int one = check_mapping(&c, words, &mapping);
            wrong += one > 0 ? one : 0;
            wrong += !check_near(&c, words, &mapping, draws);
            compared += one >= 0;
        }
        sator_mapper_words_free(words);
        close_case(&c);
    }
    print_message(
            "%d mappings compared, %d with factors that do not divide, %d of these with words "
            "straight to the compute units, %d with idle ones\n",
            compared, ragged, direct, idle);
    print_message("%d pass words of windows from PE to PE, %d of them over several buses\n", passed,
            tangled);
    print_message("%d are skewed%s\n", skewed, kind == SHORT ? ", with remainders" : "");
    assert_int_equal(wrong, 0);
    if (n_cases < 100) /* which do not say how often each kind is met */
        return;
    /* A machine has all its mappings of a kind at once: so numbers scatter widely. */
    if (kind >= SKEWED) {
        assert_true(skewed > n_cases / 20);
        return;
    }
    assert_true(passed > n_cases / 20 && (n_cases < 400 || tangled > 0));
    assert_true(compared > (imperfect ? n_cases : n_cases * 3)); /* not all machines are for both */
    assert_true(imperfect ? ragged > n_cases : ragged == 0);
    assert_true(!imperfect || (direct > n_cases / 4 && idle > n_cases / 20));
}

static void test_cost_is_the_models(void **state)
{
    (void)state;
    run_cases(PERFECT);
}

static void test_cost_of_imperfect_mappings(void **state)
{
    (void)state;
    run_cases(IMPERFECT);
}

static void test_cost_of_skewed_mappings(void **state)
{
    (void)state;
    run_cases(SKEWED);
}

static void test_cost_of_short_skewed_mappings(void **state)
{
    (void)state;
    run_cases(SHORT);
}

static void open_skewed(struct problem_case *c, const struct mapper_skew *skew)
{
    struct machines_rng rng = {1};

    assert_true(open_texts(c, &rng));
    assert_int_equal(sator_mapper_problem_init_skewed(c->ctx, c->arena, &c->network->layers[0],
                             c->arch, SATOR_MAP_EDP, NULL, skew, &c->problem),
            SATOR_OK);
    assert_true(sator_mapper_close_skew(&c->problem));
}

/* No bound counts on a wire to PEs that a skew has run ahead, but what it brings costs its hops: of
 * the 72 words of B that PEs take, 48 stay from the stamp before, 8 enter, and 16 pass on. */
static void test_late_words_cost_their_hops(void **state)
{
    (void)state;
    struct mapper_skew skew = {.step = {0, 1, 1}};
    struct mapper_mapping mapping;
    struct mapper_traffic traffic;
    struct problem_case c = {
            .workload_text = "name: matvec\nsizes: {i: 9, j: 8}\nop: \"Y[i] += A[i,j] * B[j]\"\n",
            .arch_text = "name: opposed\nlevels:\n"
                         "  - {memory: DRAM, energy_pj: {read: 128, write: 128}}\n"
                         "  - array: PE\n    shape: [3, 4]\n    links:\n"
                         "      - {name: back, map: \"PE[i,j] -> PE[i,j-1]\", interval: 0, "
                         "energy_pj: 0.5}\n"
                         "      - {name: on, map: \"PE[i,j] -> PE[i,j+1]\", interval: 0, "
                         "energy_pj: 0.5}\n"
                         "  - {compute: mac, energy_pj: 1.25, cycles: 1}\n"};

    open_skewed(&c, &skew);
    assert_true(c.problem.has_late);
    sator_mapper_mapping_init(&c.problem, &mapping); /* PE[j%2, i%3] */
    mapping.factor[0][0] = 3;
    mapping.factor[0][1] = 4;
    mapping.factor[1][1] = 2;
    mapping.factor[2][0] = 3;
    mapping.order[0][0] = 1;
    mapping.order[0][1] = 0;
    struct mapper_words *words = sator_mapper_words_new(&c.problem);
    sator_mapper_count(&c.problem, words, &mapping, &traffic);
    assert_true(sator_mapper_count_late(&c.problem, words, &mapping, &traffic));
    /* A 72 and B 8 words in, Y's 72 out and 63 of them in again; 72 operations */
    assert_true(fabs(sator_mapper_cost(&c.problem, &traffic).pj -
                        (128.0 * (72 + 8 + 72 + 63) + 1.25 * 72 + 0.5 * 16)) < 1e-6);
    assert_int_equal(check_mapping(&c, words, &mapping), 0);
    sator_mapper_words_free(words);
    close_case(&c);
}

/* PE 2 takes what PE 0 has a stamp ahead of it, and what PE 0 had last after its end, since it
 * holds while it is idle. Of the 8 words of A that each of 3 PEs takes, 6 in the first stamp and 1
 * in each of two more, PE 2 reads the first alone. */
static void test_idle_pes_ahead_hold(void **state)
{
    (void)state;
    struct mapper_skew skew = {.step = {0, 1}, .counted = true};
    struct mapper_mapping mapping;
    struct mapper_traffic traffic;
    struct problem_case c = {
            .workload_text =
                    "name: fir\nsizes: {k: 3, x: 6, r: 3}\nop: \"Y[k,x] += A[x+r] * B[k,r]\"\n",
            .arch_text = "name: ahead\nlevels:\n"
                         "  - {memory: DRAM, energy_pj: {read: 100, write: 100}}\n"
                         "  - array: PE\n    shape: [3]\n    links:\n"
                         "      - {name: on, map: \"PE[i] -> PE[i+2]\", interval: 1, "
                         "tensors: [A], energy_pj: 1}\n"
                         "  - {memory: L1, energy_pj: {read: 0, write: 0}, holds: idle}\n"
                         "  - {compute: mac, energy_pj: 0, cycles: 1}\n"};

    open_skewed(&c, &skew);
    assert_true(!c.problem.has_late);
    sator_mapper_mapping_init(&c.problem, &mapping);
    mapping.factor[0][2] = 3;
    mapping.factor[1][0] = 3;
    mapping.factor[2][1] = 6;
    struct mapper_words *words = sator_mapper_words_new(&c.problem);
    sator_mapper_count(&c.problem, words, &mapping, &traffic);
    /* A 17 and B 9 words in, Y's 18 out; 7 of A over the link */
    assert_true(
            fabs(sator_mapper_cost(&c.problem, &traffic).pj - (100 * (17 + 9 + 18) + 7)) < 1e-6);
    assert_int_equal(check_mapping(&c, words, &mapping), 0);
    sator_mapper_words_free(words);
    close_case(&c);
}

/* Three PEs have parts of the sums of Y, in runs of 3 stamps that are skewed by one. Between runs
 * they idle, and L1 lets go of a sum that the registers in it would keep. The model looks at each
 * PE by itself, as if L1 kept it (doc/model.md, "Idle PEs"), and so has to be asked for the ports
 * of the registers. */
static void test_idle_registers_keep_what_is_let_go(void **state)
{
    (void)state;
    struct mapper_skew skew = {.step = {0, 0, -1}};
    struct mapper_mapping mapping;
    struct mapper_traffic traffic;
    struct problem_case c = {
            .workload_text = "name: sums\nsizes: {x: 2, s: 6, u: 3}\nop: \"Y[x] += A[x,s,u] * "
                             "B[s,u]\"\n",
            .arch_text = "name: idle\nlevels:\n"
                         "  - {memory: DRAM, energy_pj: 64}\n"
                         "  - {memory: L2, energy_pj: 16}\n"
                         "  - array: PE\n    shape: [3]\n    links: [{name: on, map: \"PE[i] -> "
                         "PE[i-1]\", interval: 0, tensors: [A], energy_pj: 1}]\n"
                         "  - {memory: L1, energy_pj: 3}\n"
                         "  - {array: lane, shape: [1]}\n"
                         "  - {memory: registers, energy_pj: 1, holds: idle, bandwidth_bits: "
                         "{read: 128, write: 8}}\n"
                         "  - {compute: mac, energy_pj: 1, cycles: 1}\n"};

    open_skewed(&c, &skew);
    sator_mapper_mapping_init(&c.problem, &mapping);
    mapping.factor[0][0] = mapping.factor[0][1] = 2;
    mapping.factor[1][2] = mapping.factor[2][1] = 3;
    struct mapper_words *words = sator_mapper_words_new(&c.problem);
    sator_mapper_count(&c.problem, words, &mapping, &traffic);
    /* a PE's 12 words of A and of B, 12 updates: of sums that arrive none are sure */
    assert_true(sator_mapper_cost(&c.problem, &traffic).cycles == (12 + 12 + 12) * 16 / 8);
    assert_int_equal(check_mapping(&c, words, &mapping), 0);
    sator_mapper_words_free(words);
    close_case(&c);
}

/* One step of 3 tiles on 2 x 2 PEs at steps of -1: the PE that would begin first has no tile, so
 * that a run of N stamps takes N + 1, not N + 2. */
static void test_pes_without_any_tile_begin_nothing(void **state)
{
    (void)state;
    struct mapper_skew skew = {.step = {0, -1, -1}, .ends_short = true};
    struct mapper_mapping mapping;
    struct mapper_traffic traffic;
    struct problem_case c = {.workload_text = "name: small\nsizes: {i: 2, j: 3, k: 4}\n"
                                              "op: \"Y[i,j] += A[i,k] * B[k,j]\"\n",
            .arch_text = "name: rows\nlevels:\n"
                         "  - {memory: DRAM, energy_pj: {read: 64, write: 64}}\n"
                         "  - array: PE\n    shape: [2, 2]\n    links:\n"
                         "      - {name: west, map: \"PE[i,j] -> PE[i,j-1]\", interval: 1, "
                         "energy_pj: 0.5}\n"
                         "      - {name: north, map: \"PE[i,j] -> PE[i-1,j]\", interval: 1, "
                         "energy_pj: 0.5}\n"
                         "  - {compute: mac, energy_pj: 1, cycles: 1}\n"};

    open_skewed(&c, &skew);
    assert_int_equal(sator_mapper_allow_imperfect(c.ctx, &c.problem), SATOR_OK);
    sator_mapper_mapping_init(&c.problem, &mapping);
    mapping.factor[0][0] = 2;
    mapping.factor[0][2] = 4;
    mapping.factor[1][1] = mapping.factor[2][1] = 2; /* j on both dimensions */
    assert_true(sator_mapper_is_in_space(&c.problem, &mapping));
    struct mapper_words *words = sator_mapper_words_new(&c.problem);
    sator_mapper_count(&c.problem, words, &mapping, &traffic);
    assert_int_equal(traffic.time_stamps, 2 * 4 + 1);
    assert_int_equal(check_mapping(&c, words, &mapping), 0);
    sator_mapper_words_free(words);
    close_case(&c);
}

/* Five iterations of r on three lanes leave the last one idle in every second stamp: it lets go of
 * the sum, and has it from the lane before in the next. Of the words that lanes take up in 7 rounds
 * 3 come from L1 and 6 over the link, also where the sum's index is a quotient. Beside a tree,
 * which merges such words, no formula tells them apart, and the mapping is not in the space. */
static void test_idle_lanes_take_sums_over_links(void **state)
{
    static const char workload[] = "name: quotient\ndomain: \"{ S[c, x, r] : 0 <= c < 7 and "
                                   "0 <= x < 1 and 0 <= r < 5 }\"\n"
                                   "reads:\n  - \"{ S[c, x, r] -> B[c, r] }\"\n"
                                   "writes:\n  - \"{ S[c, x, r] -> Y[%s] }\"\n";
    static const char arch[] = "name: lanes\nlevels:\n"
                               "  - {memory: DRAM, energy_pj: {read: 64, write: 64}}\n"
                               "  - {memory: L1, energy_pj: {read: 4, write: 4}}\n"
                               "  - array: lane\n    shape: [3]\n    links:\n"
                               "      - {name: next, map: \"lane[i] -> lane[i+1]\", interval: 1, "
                               "tensors: [Y], energy_pj: 0.25}\n%s"
                               "  - {compute: mac, energy_pj: 1, cycles: 1}\n";
    static const char tree[] = "    reduction:\n      - {name: sum, map: \"lane[i] -> TREE[0]\", "
                               "energy_pj: 0.25}\n";

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct machines_rng rng = {1};
        struct mapper_mapping mapping;
        struct mapper_traffic traffic;
        struct problem_case c;

        snprintf(c.workload_text, sizeof c.workload_text, workload,
                k == 1 ? "floor((x + 2)/2)" : "0");
        snprintf(c.arch_text, sizeof c.arch_text, arch, k == 2 ? tree : "");
        assert_true(open_texts(&c, &rng));
        assert_int_equal(sator_mapper_allow_imperfect(c.ctx, &c.problem), SATOR_OK);
        sator_mapper_mapping_init(&c.problem, &mapping);
        mapping.factor[1][0] = 7; /* L1: c, and r inside of it */
        mapping.factor[1][1] = 2;
        mapping.factor[2][1] = 3;
        assert_true(sator_mapper_is_in_space(&c.problem, &mapping) == (k < 2));
        struct mapper_words *words = sator_mapper_words_new(&c.problem);
        sator_mapper_count(&c.problem, words, &mapping, &traffic);
        for (int t = 0; t < c.problem.n_transfers && k < 2; t++) {
            const struct mapper_transfer *what = &c.problem.transfer[t];
            if (what->child == c.problem.n_memories && what->access == 1) {
                assert_int_equal(traffic.unique[t], 3);
                assert_int_equal(traffic.arriving[t], 3 + 6);
            }
        }
        if (k < 2)
            assert_int_equal(check_mapping(&c, words, &mapping), 0);
        sator_mapper_words_free(words);
        close_case(&c);
    }
}

/* Where tiles are short not all PEs of a bus have work: 7 iterations of r, one for each of 3 x 3
 * PEs, and both of x on lanes inside of them. A bus joins the lanes of one x in a row of PEs, whose
 * r differ, so no two of them want the same word x + r of A; another the lanes of a PE that have
 * one x, and only one of these has work. So of 14 words each is read, and no bus spares one; of B's
 * 7, which stand in L2 once for both lanes, neither. */
static void test_short_rows_of_pes(void **state)
{
    (void)state;
    struct machines_rng rng = {1};
    struct mapper_mapping mapping;
    struct mapper_traffic traffic;
    struct problem_case c = {
            .workload_text = "name: small\nsizes: {x: 2, r: 7}\nop: \"Y[x] += A[x+r] * B[r]\"\n",
            .arch_text = "name: two-arrays\nlevels:\n"
                         "  - {memory: DRAM, energy_pj: {read: 109, write: 158}}\n"
                         "  - array: PE\n    shape: [3, 3]\n    multicast:\n"
                         "      - {name: m_PE, map: \"PE[i,j] -> BUS[i]\", energy_pj: 0.5}\n"
                         "  - {memory: L2, energy_pj: {read: 20, write: 20}, bypass: [A]}\n"
                         "  - array: lane\n    shape: [2, 2]\n    multicast:\n"
                         "      - {name: m_lane, map: \"lane[i,j] -> BUS[i]\", energy_pj: 0.5}\n"
                         "    reduction:\n"
                         "      - {name: t_lane, map: \"lane[i,j] -> TREE[i]\", energy_pj: 0.5}\n"
                         "  - {memory: L1, energy_pj: {read: 7, write: 7}}\n"
                         "  - {compute: mac, energy_pj: 1, cycles: 1}\n"};

    assert_true(open_texts(&c, &rng));
    assert_int_equal(sator_mapper_allow_imperfect(c.ctx, &c.problem), SATOR_OK);
    sator_mapper_mapping_init(&c.problem, &mapping);
    mapping.factor[1][1] = mapping.factor[2][1] = 3; /* r on both dimensions of PE */
    mapping.factor[4][0] = 2; /* x on lane's first */
    struct mapper_words *words = sator_mapper_words_new(&c.problem);
    sator_mapper_count(&c.problem, words, &mapping, &traffic);
    int64_t read[2] = {0}; /* from DRAM: A, B */
    for (int t = 0; t < c.problem.n_transfers; t++) {
        const struct mapper_transfer *what = &c.problem.transfer[t];
        if (what->parent != 0 || what->access > 1)
            continue;
        read[what->access] += traffic.unique[t];
        assert_int_equal(traffic.arriving[t], what->access == 0 ? 14 : 7);
        for (int n = 0; n <= what->n_buses; n++) /* no bus spares a word */
            assert_int_equal(sator_mapper_count_ways(&c.problem, words, &mapping, t, n),
                    what->access == 0 ? 14 : 7);
    }
    assert_int_equal(read[0], 14);
    assert_int_equal(read[1], 7);
    assert_int_equal(check_mapping(&c, words, &mapping), 0);
    sator_mapper_words_free(words);
    close_case(&c);
}

/* Check some mappings of the case; where "imperfect" tiles need not divide. */
static int check_some(struct problem_case *c, bool imperfect, uint64_t *draws)
{
    struct mapper_mapping mapping;
    int wrong = 0;

    if (imperfect)
        assert_int_equal(sator_mapper_allow_imperfect(c->ctx, &c->problem), SATOR_OK);
    struct mapper_words *words = sator_mapper_words_new(&c->problem);
    for (int k = 0; k < 12 && wrong < 3; k++) {
        sator_mapper_draw(&c->problem, draws, &mapping);
        if (!imperfect || sator_mapper_is_in_space(&c->problem, &mapping))
            wrong += check_mapping(c, words, &mapping) != 0;
    }
    sator_mapper_words_free(words);
    return wrong;
}

/* Buses of some PEs of a row, or of a square, whose PEs may have no tile, or a short one. */
static void test_cost_of_buses_of_some_PEs(void **state)
{
    (void)state;
    static const char *const ops[] = {"Y[k,x] += A[c,x+r] * B[k,c,r]",
            "Y[k,x] += A[c,3*x+2*r] * B[k,c,r]", "Y[k,x] += A[c,x] * B[k,c,r]"};
    static const char *const arrays[] = {
            "[8]\n    multicast: [{name: four, map: \"PE[i] -> BUS[i/4]\", energy_pj: 0.5}]\n",
            "[6]\n    multicast: [{name: odd, map: \"PE[i] -> BUS[i%2]\", energy_pj: 0.5}]\n"
            "    reduction: [{name: three, map: \"PE[i] -> TREE[i/3]\", energy_pj: 0.5}]\n",
            "[4, 4]\n    multicast: [{name: across, map: \"PE[i,j] -> BUS[i+j]\", energy_pj: 0.5}, "
            "{name: row, map: \"PE[i,j] -> BUS[i]\", energy_pj: 0.5}]\n",
            "[6, 2]\n    multicast: [{name: pair, map: \"PE[i,j] -> BUS[i/2,j]\", energy_pj: "
            "0.5}]\n"};
    uint64_t draws = seed();
    struct machines_rng rng = {draws};
    int n_cases = (int)run_count(60), wrong = 0, with_formula = 0;

    n_cases = n_cases < 12 ? 12 : n_cases;
    for (int n = 0; n < n_cases && wrong < 3; n++) {
        struct problem_case c;
        snprintf(c.workload_text, sizeof c.workload_text,
                "name: conv\nsizes: {k: %d, c: %d, x: %d, r: 3}\nop: \"%s\"\n",
                2 + (int)machines_draw(&rng, 6), 2 + (int)machines_draw(&rng, 8),
                5 + (int)machines_draw(&rng, 9), ops[n % 3]);
        snprintf(c.arch_text, sizeof c.arch_text,
                "name: grouped\nlevels:\n"
                "  - {memory: DRAM, energy_pj: {read: 128, write: 128}}\n"
                "  - {memory: L1, energy_pj: {read: 4, write: 4}}\n"
                "  - array: PE\n    shape: %s"
                "  - {memory: registers, energy_pj: {read: 1, write: 1}%s}\n"
                "  - {compute: mac, energy_pj: 1.25, cycles: 1}\n",
                arrays[n % 4], machines_draw(&rng, 3) == 0 ? ", tensors: [Y]" : "");
        assert_true(open_texts(&c, &rng));
        for (int t = 0; t < c.problem.n_transfers; t++)
            with_formula += c.problem.transfer[t].grouped_rows != 0;
        wrong += check_some(&c, machines_draw(&rng, 4) != 0, &draws);
        close_case(&c);
    }
    assert_int_equal(wrong, 0);
    assert_true(with_formula >= n_cases);
}

/* Links from up to eight stamps before, beside wires, under windows with strides, dilated ones and
 * plain tiles: loops of two and three steps come back to their place within that time. */
static void test_cost_of_links_from_long_before(void **state)
{
    (void)state;
    static const char *const ops[] = {"Y[k,x] += A[c,x+r] * B[k,c,r]",
            "Y[k,x] += A[c,3*x+2*r] * B[k,c,r]", "Y[k,2*x+r] += A[c,x] * B[k,c,r]"};
    uint64_t draws = seed();
    struct machines_rng rng = {draws};
    int n_cases = (int)run_count(60), wrong = 0, with_formula = 0;

    n_cases = n_cases < 6 ? 6 : n_cases; /* each operation twice */
    for (int n = 0; n < n_cases && wrong < 3; n++) {
        const char *up = (const char *[]){"i-1,j", "i-1,j+1", "i,j"}[machines_draw(&rng, 3)];
        struct problem_case c;
        snprintf(c.workload_text, sizeof c.workload_text,
                "name: conv\nsizes: {k: 4, c: 6, x: %d, r: 3}\nop: \"%s\"\n", n % 2 == 1 ? 11 : 12,
                ops[n % 3]);
        snprintf(c.arch_text, sizeof c.arch_text,
                "name: late\nlevels:\n"
                "  - {memory: DRAM, energy_pj: {read: 128, write: 128}}\n"
                "  - {memory: L1, energy_pj: {read: 4, write: 4}}\n"
                "  - array: PE\n    shape: [4, 6]\n    links:\n"
                "      - {name: left, map: \"PE[i,j] -> PE[i,j-1]\", interval: %d, tensors: [A], "
                "energy_pj: 0.5}\n"
                "      - {name: up, map: \"PE[i,j] -> PE[%s]\", interval: %d, tensors: [A], "
                "energy_pj: 0.5}\n"
                "      - {name: wire, map: \"PE[i,j] -> PE[i,j-1]\", interval: 0, tensors: [A], "
                "energy_pj: 0.5}\n"
                "  - {memory: registers, energy_pj: {read: 1, write: 1}}\n"
                "  - {compute: mac, energy_pj: 1.25, cycles: 1}\n",
                2 + (int)machines_draw(&rng, 7), up,
                (up[1] == ',') + 1 + (int)machines_draw(&rng, 7));
        assert_true(open_texts(&c, &rng));
        for (int t = 0; t < c.problem.n_transfers; t++)
            with_formula += c.problem.transfer[t].links_alone != NULL;
        wrong += check_some(&c, n % 2 == 1, &draws);
        close_case(&c);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(with_formula, n_cases);
}

/* Wires that cross, with links from the stamp before beside them; wires that close a triangle, in
 * which what goes round is cut somewhere. */
static void test_cost_of_links_that_cross(void **state)
{
    (void)state;
    static const char *const ops[] = {"Y[k,x] += A[c,x+r] * B[k,c,r]",
            "Y[k,x] += A[c,3*x+2*r] * B[k,c,r]", "Y[k,2*x+r] += A[c,x] * B[k,c,r]",
            "Y[k,x] += A[c,x] * B[k,c,r]"};
    static const char *const shift[][4] = {{"i-1,j,k", "i,j-1,k", "i-1,j-1,k", "i-1,j+1,k"},
            {"i,j,k+1", "i-1,j,k", "i,j-1,k", "i,j+1,k-1"},
            {"i+1,j,k", "i-1,j,k", "i,j+1,k+1", "i,j+2,k"}};
    uint64_t draws = seed();
    struct machines_rng rng = {draws};
    int n_cases = (int)run_count(60), wrong = 0, with_formula = 0;

    n_cases = n_cases < 24 ? 24 : n_cases;
    for (int n = 0; n < n_cases && wrong < 3; n++) {
        bool imperfect = n / 12 % 2 == 1;
        struct problem_case c;
        snprintf(c.workload_text, sizeof c.workload_text,
                "name: conv\nsizes: {k: %d, c: %d, x: %d, r: 3}\nop: \"%s\"\n", imperfect ? 5 : 4,
                imperfect ? 7 : 6, imperfect ? 11 : 12, ops[n % 4]);
        int length = snprintf(c.arch_text, sizeof c.arch_text,
                "name: crossing\nlevels:\n"
                "  - {memory: DRAM, energy_pj: {read: 128, write: 128}}\n"
                "  - {memory: L1, energy_pj: {read: 4, write: 4}}\n"
                "  - array: PE\n    shape: [3, 4, 2]\n    links:\n");
        for (int l = 0; l < 8; l++)
            length += snprintf(c.arch_text + length, sizeof c.arch_text - (size_t)length,
                    "      - {name: l%d, map: \"PE[i,j,k] -> PE[%s]\", interval: %d, energy_pj: "
                    "0.5}\n",
                    l, shift[n % 3][l % 4], l < 4 ? 0 : (int)machines_draw(&rng, 2));
        snprintf(c.arch_text + length, sizeof c.arch_text - (size_t)length,
                "  - {memory: registers, energy_pj: {read: 1, write: 1}}\n"
                "  - {compute: mac, energy_pj: 1.25, cycles: 1}\n");
        assert_true(open_texts(&c, &rng));
        for (int t = 0; t < c.problem.n_transfers; t++)
            with_formula += c.problem.transfer[t].links_alone != NULL;
        wrong += check_some(&c, imperfect, &draws);
        close_case(&c);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(with_formula, 3 * n_cases);
}

static void shuffle(struct machines_rng *rng, int8_t *order, int n)
{
    for (int k = n - 1; k > 0; k--) {
        int i = (int)machines_draw(rng, (uint64_t)k + 1);
        int8_t kept = order[k];
        order[k] = order[i];
        order[i] = kept;
    }
}

/* The least that any of the orders costs in which a search has loops stand on arrays. */
struct least_order {
    const struct mapper_problem *problem;
    struct mapper_words *words;
    struct mapper_mapping mapping;
    double pj, cycles;
};

static bool take_order(void *data, bool is_usual)
{
    struct least_order *least = data;
    struct mapper_traffic traffic;

    (void)is_usual;
    sator_mapper_count(least->problem, least->words, &least->mapping, &traffic);
    struct mapper_cost cost = sator_mapper_cost(least->problem, &traffic);
    least->pj = fmin(least->pj, cost.pj);
    least->cycles = fmin(least->cycles, cost.cycles);
    return true;
}

/* Orders of the loops on an array that a search leaves out cost no less than one that it looks at:
 * where buses of two families, with or without links, spread windows over one or both dimensions.
 */
static void test_orders_on_arrays_left_out(void **state)
{
    (void)state;
    static const char *const ops[] = {"Y[k,x,y] += A[c,x+r,y+s] * B[k,c,r,s]",
            "Y[k,2*x+r,y+s] += A[c,x,y] * B[k,c,r,s]", "Y[k,x,y] += A[c,x+2*r,y+x] * B[k,c,r,s]"};
    static const char *const links[] = {"",
            "    links:\n      - {name: link, map: \"PE[i,j] -> PE[i,j+1]\", interval: 1, "
            "tensors: [A], energy_pj: 1}\n"};
    uint64_t draws = seed();
    struct machines_rng rng = {draws};
    int n_cases = (int)run_count(60), wrong = 0, told_apart = 0, passed = 0, tangled = 0;

    n_cases = n_cases < 12 ? 12 : n_cases;
    for (int n = 0; n < n_cases && wrong < 3; n++) {
        struct problem_case c;
        snprintf(c.workload_text, sizeof c.workload_text,
                "name: conv\nsizes: {k: 2, c: 2, x: 4, y: 4, r: 4, s: 2}\nop: \"%s\"\n",
                ops[n % 3]);
        snprintf(c.arch_text, sizeof c.arch_text,
                "name: families\nlevels:\n"
                "  - {memory: DRAM, bandwidth_bits: 64, energy_pj: {read: 128, write: 128}}\n"
                "  - array: PE\n    shape: [8, 6]\n%s"
                "    multicast:\n"
                "      - {name: row, map: \"PE[i,j] -> BUS[i]\", energy_pj: %d}\n"
                "      - {name: column, map: \"PE[i,j] -> BUS[j]\", energy_pj: %d}\n"
                "    reduction:\n"
                "      - {name: trees, map: \"PE[i,j] -> TREE[i]\", energy_pj: 0.25}\n"
                "      - {name: across, map: \"PE[i,j] -> TREE[j]\", energy_pj: 0.25}\n"
                "  - {memory: registers, bandwidth_bits: 16, energy_pj: {read: 1, write: 1}}\n"
                "  - {compute: mac, energy_pj: 1.25, cycles: 1}\n",
                links[n % 4 == 3], n % 5 == 4 ? 200 : 1, n % 5 == 4 ? 200 : 1);
        assert_true(open_texts(&c, &rng));
        sator_mapper_allow_orders(&c.problem);
        struct least_order least = {.problem = &c.problem};
        least.words = sator_mapper_words_new(&c.problem);
        for (int k = 0; k < 40 && wrong < 3; k++) {
            struct mapper_mapping *mapping = &least.mapping;
            least.pj = least.cycles = INFINITY;
            sator_mapper_draw(&c.problem, &draws, mapping);
            count_passed(&c.problem, mapping, &passed, &tangled);
            told_apart += sator_mapper_has_orders(&c.problem, mapping);
            sator_mapper_each_order(&c.problem, mapping, take_order, &least);
            for (int i = 0; i < 8; i++) {
                struct mapper_mapping other = *mapping;
                struct least_order drawn = {.problem = &c.problem,
                        .words = least.words,
                        .pj = INFINITY,
                        .cycles = INFINITY};
                for (int r = 0; r < c.problem.n_rows; r++)
                    shuffle(&rng, other.along[r], c.problem.row[r].is_space * c.problem.n_loops);
                drawn.mapping = other;
                take_order(&drawn, false);
                wrong += drawn.pj < least.pj * (1 - 1e-9) ||
                        drawn.cycles < least.cycles * (1 - 1e-9);
                if (wrong > 0)
                    show(&c, &other, NULL);
            }
        }
        sator_mapper_words_free(least.words);
        close_case(&c);
    }
    print_message("%d pass words, %d of them over buses; of %d not all orders are alike\n", passed,
            tangled, told_apart);
    assert_int_equal(wrong, 0);
    assert_true(tangled > n_cases && told_apart > n_cases / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cost_is_the_models),
            cmocka_unit_test(test_cost_of_imperfect_mappings),
            cmocka_unit_test(test_cost_of_skewed_mappings),
            cmocka_unit_test(test_cost_of_short_skewed_mappings),
            cmocka_unit_test(test_late_words_cost_their_hops),
            cmocka_unit_test(test_idle_pes_ahead_hold),
            cmocka_unit_test(test_idle_registers_keep_what_is_let_go),
            cmocka_unit_test(test_pes_without_any_tile_begin_nothing),
            cmocka_unit_test(test_idle_lanes_take_sums_over_links),
            cmocka_unit_test(test_short_rows_of_pes),
            cmocka_unit_test(test_cost_of_buses_of_some_PEs),
            cmocka_unit_test(test_cost_of_links_from_long_before),
            cmocka_unit_test(test_cost_of_links_that_cross),
            cmocka_unit_test(test_orders_on_arrays_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
