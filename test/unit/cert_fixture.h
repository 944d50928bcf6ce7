/* The certificates' problem of a workload and a machine, unskewed, nothing bypassed, by latency. */
#ifndef TEST_CERT_FIXTURE_H
#define TEST_CERT_FIXTURE_H

#include "certificate/cert_bound.h"
#include "sator/build.h"

struct cert_fixture {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    struct sator_network *network;
    struct sator_arch *arch;
    struct cert_problem *problem;
};

static inline void cert_fixture_open(
        struct cert_fixture *f, const char *workload, const char *machine)
{
    static const struct cert_space space;
    const char *why;

    *f = (struct cert_fixture){.ctx = sator_ctx_new(), .arena = sator_arena_new()};
    f->problem = SATOR_NEW(f->arena, struct cert_problem);
    assert_int_equal(
            sator_network_parse(f->ctx, "workload", workload, NULL, &f->network), SATOR_OK);
    assert_int_equal(sator_arch_parse(f->ctx, "arch", machine, NULL, &f->arch), SATOR_OK);
    const struct cert_question question = {.workload = &f->network->layers[0],
            .arch = f->arch,
            .objective = SATOR_MAP_LATENCY,
            .joins_across = true};
    assert_int_equal(
            cert_problem_init(f->ctx, f->arena, &question, &space, f->problem, &why), SATOR_OK);
}

static inline void cert_fixture_close(struct cert_fixture *f)
{
    sator_arena_free(f->arena);
    sator_network_free(f->network);
    sator_arch_free(f->arch);
    sator_ctx_free(f->ctx);
}

#endif
