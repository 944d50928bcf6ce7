/* A random problem for the mapper, from texts. */
#ifndef TEST_MAPPER_CASE_H
#define TEST_MAPPER_CASE_H

#include "base/context.h"
#include "frontend/frontend.h"
#include "mapper/problem/skew.h"
#include "oracle/machines.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    TEXT = 8192
};

struct problem_case {
    struct sator_ctx *ctx;
    char workload_text[TEXT], arch_text[TEXT];
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_arena *arena;
    struct mapper_problem problem;
};

/* The problem of a random choice of what bypasses what. */
static enum sator_status compile_case(struct problem_case *c, struct machines_rng *rng)
{
    const struct sator_workload *workload = &c->network->layers[0];
    struct mapper_choices choices;
    unsigned bypassed[MAPPER_MEMORIES];

    enum sator_status st = sator_mapper_problem_init(
            c->ctx, c->arena, workload, c->arch, SATOR_MAP_EDP, NULL, &c->problem);
    if (st == SATOR_OK)
        st = sator_mapper_choices_init(c->ctx, &c->problem, &choices);
    if (st != SATOR_OK || choices.n_bits == 0)
        return st;
    sator_mapper_choice(
            &choices, (unsigned)machines_draw(rng, UINT64_C(1) << choices.n_bits), bypassed);
    return sator_mapper_problem_init(
            c->ctx, c->arena, workload, c->arch, SATOR_MAP_EDP, bypassed, &c->problem);
}

static inline bool open_texts(struct problem_case *c, struct machines_rng *rng)
{
    struct sator_settings settings = {0};

    c->ctx = sator_ctx_new();
    c->arena = sator_arena_new();
    c->network = NULL;
    c->arch = NULL;
    enum sator_status st = sator_yaml_network(c->ctx,
            sator_source_from_text(c->ctx, "workload.yaml", c->workload_text), &settings,
            &c->network);
    if (st == SATOR_OK)
        st = sator_yaml_arch(c->ctx, sator_source_from_text(c->ctx, "arch.yaml", c->arch_text),
                &settings, &c->arch);
    if (st == SATOR_OK)
        st = compile_case(c, rng);
    if (c->arch == NULL ||
            c->network == NULL) { /* not a machine that the mapper declines: no machine */
        char *messages = sator_ctx_take_messages(c->ctx, false);
        print_message("%s%s%s", c->workload_text, c->arch_text, messages);
        abort();
    }
    return st == SATOR_OK;
}

/* A random workload and machine; false when the mapper declines them. */
static inline bool open_case(
        struct problem_case *c, struct machines_rng *rng, const struct machines_options *options)
{
    machines_workload(rng, options, c->workload_text, TEXT);
    machines_arch(rng, options, c->arch_text, TEXT);
    return open_texts(c, rng);
}

/* Turn the problem into that of the same choice under a random skew, of those too under which words
 * are "counted" or not; false where it has none. */
static inline bool skew_case_as(
        struct problem_case *c, struct machines_rng *rng, bool counted, bool ends_short)
{
    struct mapper_skews skews;
    struct mapper_problem before = c->problem;
    unsigned bypassed[MAPPER_MEMORIES];

    if (sator_mapper_find_skews(c->ctx, &before, NULL, &skews) != SATOR_OK || skews.n == 1)
        return false;
    struct mapper_skew *skew = &skews.skew[1 + (int)machines_draw(rng, (uint64_t)skews.n - 1)];
    for (int m = 0; m < before.n_memories; m++)
        bypassed[m] = before.memory[m].bypassed;
    if (counted && machines_draw(rng, 2) == 0)
        skew->counted = true; /* what links bring late, too */
    skew->ends_short = ends_short;
    return (counted || !skew->counted) &&
            sator_mapper_problem_init_skewed(c->ctx, c->arena, &c->network->layers[0], c->arch,
                    before.objective, bypassed, skew, &c->problem) == SATOR_OK &&
            sator_mapper_close_skew(&c->problem);
}

static inline bool skew_case(struct problem_case *c, struct machines_rng *rng, bool counted)
{
    return skew_case_as(c, rng, counted, false);
}

/* With factors that need not divide, once that is allowed. */
static inline bool short_case(struct problem_case *c, struct machines_rng *rng)
{
    return skew_case_as(c, rng, false, true);
}

/* ---- what a machine says about time ---- */

static inline double any_bandwidth(struct machines_rng *rng, double bits)
{
    static const double some[] = {8, 12, 22.5, 0.7, 64, 3};

    return machines_draw(rng, 3) == 0 ? some[machines_draw(rng, 6)] : bits;
}

static inline struct sator_burst any_burst(struct machines_rng *rng)
{
    struct sator_burst burst = {0, 0};

    if (machines_draw(rng, 4) == 0)
        burst.setup_cycles = (int64_t)machines_draw(rng, 9);
    if (machines_draw(rng, 4) == 0)
        burst.granule_bits = 1 + (int64_t)machines_draw(rng, 80);
    return burst;
}

/* Change what the machine says about time, and compile the problem again. */
static inline bool draw_timing(struct problem_case *c, struct machines_rng *rng)
{
    struct sator_level *levels = (struct sator_level *)(uintptr_t)c->arch->levels;
    unsigned bypassed[MAPPER_MEMORIES];

    for (int m = 0; m < c->problem.n_memories; m++)
        bypassed[m] = c->problem.memory[m].bypassed;
    for (int l = 0; l < c->arch->n_levels; l++) {
        struct sator_memory *memory = &levels[l].memory;
        struct sator_port *ports = (struct sator_port *)(uintptr_t)memory->ports;
        if (levels[l].kind != SATOR_LEVEL_MEMORY)
            continue;
        memory->transfers.others = (enum sator_transfer_kind)machines_draw(rng, 4);
        memory->overlaps =
                &levels[l] != sator_arch_scratchpad(c->arch) || machines_draw(rng, 4) > 0;
        memory->burst = any_burst(rng);
        memory->read_bits = any_bandwidth(rng, memory->read_bits);
        memory->write_bits = any_bandwidth(rng, memory->write_bits);
        for (int p = 0; p < memory->n_ports; p++) {
            ports[p].burst = any_burst(rng);
            ports[p].read_bits = any_bandwidth(rng, ports[p].read_bits);
            ports[p].write_bits = ports[p].is_shared ? ports[p].read_bits
                                                     : any_bandwidth(rng, ports[p].write_bits);
        }
    }
    return sator_mapper_problem_init(c->ctx, c->arena, &c->network->layers[0], c->arch,
                   c->problem.objective, bypassed, &c->problem) == SATOR_OK;
}

static inline void close_case(struct problem_case *c)
{
    sator_network_free(c->network);
    sator_arch_free(c->arch);
    sator_arena_free(c->arena);
    sator_ctx_free(c->ctx);
}

/* The seed of a run: another one with SATOR_TEST_SEED. */
static inline uint64_t seed(void)
{
    const char *given = getenv("SATOR_TEST_SEED");
    uint64_t number = given != NULL ? strtoull(given, NULL, 10) : 20260521;

    print_message("seed %llu\n", (unsigned long long)number);
    return number;
}

/* Whether the loops with factors stand at each memory as constraints order them. */
static inline bool is_in_order(const struct mapper_problem *p, const struct mapper_mapping *mapping)
{
    bool fine = true;

    for (int m = 0; m < p->n_memories; m++) {
        const struct mapper_row *row = &p->row[p->memory[m].row];
        const int64_t *factor = mapping->factor[p->memory[m].row];
        const int8_t *order = mapping->order[m];
        for (int inner = 0; inner < p->n_loops; inner++) {
            for (int outer = 0; outer < inner; outer++)
                fine &= factor[order[outer]] == 1 || factor[order[inner]] == 1 ||
                        !(row->outside[order[outer]] >> order[inner] & 1);
        }
    }
    return fine;
}

/* A random constraint as text. */
static inline void write_constraint(
        const struct mapper_problem *p, struct machines_rng *rng, char *text, size_t size)
{
    const struct mapper_row *row = &p->row[machines_draw(rng, (uint64_t)p->n_rows)];
    const char *level = p->arch->levels[row->level].name;
    const char *loop = p->loop_names[machines_draw(rng, (uint64_t)p->n_loops)];
    int first = (int)machines_draw(rng, (uint64_t)p->n_loops);
    static const char *const signs[] = {"", "", "<= ", ">= "};
    const char *sign = signs[machines_draw(rng, 4)];
    int factor = 1 + (int)machines_draw(rng, 6);

    if (machines_draw(rng, 4) == 0) {
        snprintf(text, size, "utilization %g", 0.25 * (double)(1 + machines_draw(rng, 4)));
    } else if (row->is_space && machines_draw(rng, 2) == 0) {
        snprintf(text, size, "%s: only %s", level, loop);
    } else if (row->is_space && machines_draw(rng, 2) == 0) {
        snprintf(text, size, "%s: %s %s%d -> %d", level, loop, sign, factor, row->dim);
    } else if (row->is_space || machines_draw(rng, 2) == 0) {
        snprintf(text, size, "%s: %s %s%d", level, loop, sign, factor);
    } else {
        int n_named = 1 + (int)machines_draw(rng, (uint64_t)p->n_loops);
        int rest_at =
                (int)machines_draw(rng, (uint64_t)n_named + 2); /* one past the end: nowhere */
        int length = snprintf(text, size, "%s: order", level);
        for (int k = 0; k <= n_named; k++)
            length += snprintf(text + length, size - (size_t)length, "%s%s%s",
                    k == rest_at ? " ..." : "", k < n_named ? " " : "",
                    k < n_named ? p->loop_names[(first + k) % p->n_loops] : "");
    }
}

#endif
