/* A problem with formulas near one whose words the engines count. */
#include "base/context.h"
#include "mapper/problem/problem.h"

#include <string.h>

/* Whether the access is to be taken apart: what its pieces touch together has no formula (A[i,k]
 * and A[j,k] of a product with itself), what each touches may have one. */
static bool is_joined(const struct sator_access *access)
{
    return access->role == SATOR_READ && access->relation->n_pieces > 1 &&
            !sator_mapper_is_translated(access->relation);
}

static const struct sator_relation *piece_of(
        struct sator_arena *arena, const struct sator_relation *relation, int piece)
{
    struct sator_relation *one = SATOR_NEW(arena, struct sator_relation);

    *one = *relation;
    one->n_pieces = 1;
    one->pieces = &relation->pieces[piece];
    return one;
}

/* Set "near" to the box around the workload, joined reads apart; "first" to where the accesses that
 * make each are, and the last's end. False: that is the same, or too many accesses. */
static bool take_apart(struct sator_arena *arena, const struct sator_workload *workload,
        struct sator_workload *near, int *first)
{
    struct sator_access *accesses = SATOR_NEW_ARRAY(arena, struct sator_access, MAPPER_ACCESSES);
    int count = 0;

    *near = *workload;
    near->is_box = true;
    near->accesses = accesses;
    for (int i = 0; i < workload->n_accesses; i++) {
        const struct sator_access *access = &workload->accesses[i];
        const int n = is_joined(access) ? access->relation->n_pieces : 1;
        first[i] = count;
        if (count + n + (workload->n_accesses - 1 - i) > MAPPER_ACCESSES)
            return false;
        for (int k = 0; k < n; k++) {
            accesses[count] = *access;
            if (n > 1)
                accesses[count].relation = piece_of(arena, access->relation, k);
            count++;
        }
    }
    first[workload->n_accesses] = near->n_accesses = count;
    return !workload->is_box || count > workload->n_accesses;
}

/* The accesses of a set, where each is made of several. */
static unsigned made_of(unsigned accesses, int n_accesses, const int *first)
{
    unsigned made = 0;

    for (int i = 0; i < n_accesses; i++) {
        for (int k = first[i]; k < first[i + 1]; k++)
            made |= (accesses >> i & 1) << k;
    }
    return made;
}

struct mapper_problem *sator_mapper_near(
        struct sator_ctx *ctx, const struct mapper_problem *problem)
{
    struct sator_workload *workload = SATOR_NEW(problem->arena, struct sator_workload);
    int first[MAPPER_ACCESSES + 1];
    unsigned bypassed[MAPPER_MEMORIES];
    struct sator_hush before;

    if (!take_apart(problem->arena, problem->workload, workload, first))
        return NULL;
    struct mapper_problem *near = SATOR_NEW(problem->arena, struct mapper_problem);
    for (int m = 0; m < problem->n_memories; m++)
        bypassed[m] = made_of(problem->memory[m].bypassed, problem->n_accesses, first);
    sator_ctx_hush(ctx, &before);
    enum sator_status st = sator_mapper_problem_init(
            ctx, problem->arena, workload, problem->arch, problem->objective, bypassed, near);
    if (st == SATOR_OK && problem->imperfect)
        st = sator_mapper_allow_imperfect(ctx, near);
    sator_ctx_unhush(ctx, &before);
    if (st != SATOR_OK)
        return NULL;
    if (near->imperfect) /* ports have the mean of their instances: the busiest takes counting */
        near->has_inner_ports = false;
    for (int i = 0; i < problem->n_accesses; i++) {
        for (int a = first[i]; a < first[i + 1] && first[i + 1] > first[i] + 1; a++)
            near->access[a].stored_as = a; /* all of them are to fit */
    }
    memcpy(near->row, problem->row, sizeof near->row);
    memcpy(near->spread_limits, problem->spread_limits, sizeof near->spread_limits);
    near->n_spread_limits = problem->n_spread_limits;
    near->has_fixed = problem->has_fixed;
    near->has_limits = problem->has_limits;
    near->has_orders = problem->has_orders;
    near->ordered = problem->ordered;
    near->least_pes = problem->least_pes;
    near->watch = problem->watch;
    return near;
}
