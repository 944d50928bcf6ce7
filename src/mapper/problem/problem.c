/* From a workload and an architecture to the problem that the strategies solve. */
#include "mapper/problem/problem.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/text.h"
#include "model/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORKLOAD_LOOPS = 64
};

struct builder {
    struct sator_ctx *ctx;
    struct mapper_problem *problem;
    const unsigned *bypassed; /* by memory, or NULL */
    int loop_at[MOST_WORKLOAD_LOOPS]; /* workload loop -> problem loop, -1 for loops of extent 1 */
};

enum {
    MOST_IMPERFECT = 1 << 24 /* extent; at most 2^13 tiles are the least for their number */
};

/* ---- the workload ---- */

static enum sator_status add_loops(struct builder *b)
{
    struct mapper_problem *p = b->problem;
    const struct sator_workload *w = p->workload;
    sator_int instances = 1;

    if (w->lower == NULL || w->n_loops > MOST_WORKLOAD_LOOPS) {
        sator_error(b->ctx, w->loc, "the loops of '%s' have no constant bounds", w->name);
        sator_help(b->ctx,
                "the mapper tiles the least box that holds all instances; 'sator analyze' takes "
                "other domains under a given dataflow");
        return SATOR_INPUT;
    }
    for (int i = 0; i < w->n_loops; i++) {
        int64_t extent = w->upper[i] - w->lower[i];
        b->loop_at[i] = -1;
        if (extent <= 0)
            return sator_error(b->ctx, w->loc, "the iteration domain of '%s' is empty", w->name);
        if (extent == 1)
            continue;
        if (extent > INT64_C(1) << 40)
            return sator_error(b->ctx, w->loc,
                    "loop '%s' of '%s' is longer than 2^40, too long to map", w->loop_names[i],
                    w->name);
        if (p->n_loops == MAPPER_LOOPS)
            return sator_error(b->ctx, w->loc,
                    "'%s' has more than %d loops of more than one iteration, too many to map",
                    w->name, MAPPER_LOOPS);
        if (!sator_mul(instances, extent, &instances) || instances > INT64_MAX / 64)
            return sator_error(b->ctx, w->loc,
                    "'%s' has 2^57 loop instances or more, too many to map", w->name);
        b->loop_at[i] = p->n_loops;
        p->loop_of[p->n_loops] = i;
        p->loop_names[p->n_loops] = w->loop_names[i];
        p->extent[p->n_loops++] = extent;
    }
    p->instances = (int64_t)instances;
    p->in_hull = p->has_counted = !w->is_box; /* its stamps are counted, too */
    return w->is_box ? SATOR_OK : sator_mapper_count_instances(b->ctx, p);
}

/* Formulas are for PEs in use that are active in every stamp of their runs. */
static enum sator_status check_idle(
        struct sator_ctx *ctx, const struct sator_arch *arch, const char *what)
{
    const struct sator_level *idle = sator_arch_holds_idle(arch);

    if (idle == NULL)
        return SATOR_OK;
    sator_error(ctx, idle->loc,
            "%s are not searched where idle PEs hold what they have ('holds: idle' of '%s')", what,
            idle->name);
    sator_help(ctx,
            "'analyze' counts single mappings; or leave 'holds' out: the words then are "
            "never fewer");
    return SATOR_INPUT;
}

/* ---- the architecture ---- */

static void add_capacities(
        struct mapper_problem *p, const struct sator_memory *spec, struct mapper_memory *memory)
{
    for (int c = 0; c < spec->n_capacities && memory->n_capacities <= MAPPER_ACCESSES; c++) {
        const struct sator_capacity *capacity = &spec->capacities[c];
        bool in_bits = isnan(capacity->words);
        double available =
                (in_bits ? capacity->bytes * 8 : capacity->words) / (spec->double_buffered ? 2 : 1);
        unsigned accesses = 0;
        for (int a = 0; a < p->n_accesses; a++) {
            bool own = false;
            for (int i = 0; i < spec->n_capacities; i++)
                own |= spec->capacities[i].tensor != NULL &&
                        strcmp(spec->capacities[i].tensor, p->access[a].name) == 0;
            bool counts = capacity->tensor == NULL
                    ? !own
                    : strcmp(capacity->tensor, p->access[a].name) == 0;
            if (counts && (memory->holds >> a & 1))
                accesses |= 1U << a;
        }
        if (accesses == 0)
            continue;
        memory->capacity[memory->n_capacities++] = (struct mapper_capacity){.in_bits = in_bits,
                .available = available > 9e18 ? INT64_MAX : (int64_t)floor(available),
                .accesses = accesses};
    }
}

/* Whether there is room for one more row, of the level "level". */
static enum sator_status check_row(struct builder *b, int level)
{
    const struct mapper_problem *p = b->problem;

    if (p->n_rows < MAPPER_ROWS)
        return SATOR_OK;
    return sator_error(b->ctx, p->arch->levels[level].loc,
            "'%s' has more than %d memories and array dimensions together, too many to map",
            p->arch->name, MAPPER_ROWS);
}

static enum sator_status add_memory(struct builder *b, int level, int64_t instances)
{
    struct mapper_problem *p = b->problem;
    const struct sator_memory *spec = &p->arch->levels[level].memory;
    struct mapper_memory *memory = &p->memory[p->n_memories];
    enum sator_status st = SATOR_OK;

    if (p->n_memories == MAPPER_MEMORIES)
        return sator_error(b->ctx, p->arch->levels[level].loc,
                "'%s' has more than %d memories, too many to map", p->arch->name, MAPPER_MEMORIES);
    SATOR_TRY(check_row(b, level));
    *memory = (struct mapper_memory){.level = level,
            .row = p->n_rows,
            .holds_idle = spec->holds_idle && p->n_space_dims > 0,
            .leakage_pj =
                    isnan(spec->leakage_pj.value) ? 0 : spec->leakage_pj.value * (double)instances,
            .instances = instances};
    for (int a = 0; a < p->n_accesses; a++) {
        const char *name = p->access[a].name;
        const int bits = p->access[a].word_bits;
        memory->word_bits[a] = sator_memory_word_bits(spec, name, bits);
        for (int w = 0; w < 2; w++)
            memory->pj[w][a] = sator_memory_action(NULL, spec, name, bits, w == 1).word_pj;
        memory->holds |= sator_memory_holds(spec, name) ? 1U << a : 0;
        memory->may_bypass |= sator_lists(name, spec->n_may_bypass, spec->may_bypass) ? 1U << a : 0;
    }
    memory->may_bypass &= memory->holds;
    memory->bypassed = b->bypassed == NULL ? 0 : b->bypassed[p->n_memories] & memory->may_bypass;
    memory->holds &= ~memory->bypassed;
    add_capacities(p, spec, memory);
    p->leakage_pj += memory->leakage_pj;
    p->row[p->n_rows++] =
            (struct mapper_row){.level = level, .memory = p->n_memories++, .linked = -1};
done:
    return st;
}

/* A row a dimension. */
static enum sator_status add_array(struct builder *b, int level)
{
    struct mapper_problem *p = b->problem;
    const struct sator_level *array = &p->arch->levels[level];
    enum sator_status st = SATOR_OK;

    for (int d = 0; d < array->array.n_dims; d++) {
        SATOR_TRY(check_row(b, level));
        p->row[p->n_rows++] = (struct mapper_row){.is_space = true,
                .level = level,
                .dim = d,
                .linked = -1,
                .shape = array->array.shape[d]};
        p->array_shape[p->n_space_dims++] = array->array.shape[d];
        if (__builtin_mul_overflow(p->pes, array->array.shape[d], &p->pes))
            return sator_error(b->ctx, array->loc, "'%s' has too many PEs", array->name);
    }
done:
    return st;
}

static enum sator_status add_levels(struct builder *b)
{
    struct mapper_problem *p = b->problem;
    enum sator_status st = SATOR_OK;

    p->pes = 1;
    p->cycles_per_instance = p->begun_cycles = p->read_cycles = 1;
    p->mac_pj = 0;
    for (int i = 0; i < p->arch->n_levels; i++) {
        const struct sator_level *level = &p->arch->levels[i];
        if (level->kind == SATOR_LEVEL_MEMORY) {
            SATOR_TRY(add_memory(b, i, p->pes));
        } else if (level->kind == SATOR_LEVEL_ARRAY) {
            SATOR_TRY(add_array(b, i));
        } else {
            p->mac_pj =
                    sator_compute_figure(p->arena, &level->compute, sator_operand_bits(p->workload))
                            .value;
            p->cycles_per_instance = p->begun_cycles = p->read_cycles = level->compute.cycles;
            if (!isnan(level->compute.leakage_pj.value))
                p->leakage_pj += level->compute.leakage_pj.value * (double)p->pes;
        }
    }
    if (p->n_memories == 0 || p->row[0].is_space) {
        int array = p->n_rows == 0 ? 0 : p->row[0].level;
        sator_error(b->ctx, p->arch->levels[array].loc, "'%s' has no memory outside its array",
                p->arch->name);
        return SATOR_INPUT;
    }
done:
    return st;
}

/* ---- transfers ---- */

/* From memory "parent" (-1: from outside of all that hold the tensor) into "child". */
static enum sator_status add_transfer(struct builder *b, int access, int parent, int child)
{
    struct mapper_problem *p = b->problem;
    struct mapper_transfer *transfer = &p->transfer[p->n_transfers];
    int parent_row = parent < 0 ? 0 : p->memory[parent].row;
    enum sator_status st;

    if (p->n_transfers == MAPPER_TRANSFERS)
        return sator_error(b->ctx, p->arch->loc,
                "'%s' on '%s' has more than %d pairs of an access and a memory that fetches it "
                "from "
                "another, too many to map",
                p->workload->name, p->arch->name, MAPPER_TRANSFERS);
    *transfer = (struct mapper_transfer){.access = access,
            .parent = parent < 0 ? 0 : parent,
            .is_outside = parent < 0,
            .child = child,
            .child_row = child == p->n_memories ? p->n_rows : p->memory[child].row};
    for (int r = 0; r < transfer->child_row; r++) {
        if (p->row[r].is_space)
            *(r < parent_row ? &transfer->outer : &transfer->between) |= 1U << r;
    }
    SATOR_TRY(sator_mapper_wire(b->ctx, p, transfer));
    unsigned shared = transfer->collapsed | (transfer->may_pass ? transfer->linked_rows : 0);
    for (int e = 0; e < p->access[access].n_indices; e++) {
        if (!p->access[access].index[e].is_core &&
                p->access[access].index[e].n_parts * __builtin_popcount(shared) > MAPPER_SPREADS)
            return sator_error(b->ctx, p->arch->loc,
                    "an index of '%s' has %d loops and %d array dimensions of '%s' share it: their "
                    "product may be %d to map it",
                    p->access[access].name, p->access[access].index[e].n_parts,
                    __builtin_popcount(shared), p->arch->name, MAPPER_SPREADS);
    }
    p->has_counted |= transfer->is_counted || transfer->is_quotient;
    p->n_transfers++;
done:
    return st;
}

static enum sator_status add_transfers_of(struct builder *b, int access)
{
    struct mapper_problem *p = b->problem;
    int child = p->n_memories;
    enum sator_status st = SATOR_OK;

    for (int m = p->n_memories - 1; m >= 0; m--) {
        if (!(p->memory[m].holds >> access & 1))
            continue;
        /* the PE's own memory serves the compute units instance by instance: a fixed cost */
        if (child < p->n_memories || sator_mapper_own_memory(p, access) < 0)
            SATOR_TRY(add_transfer(b, access, m, child));
        child = m;
    }
    if (child == p->n_memories)
        return sator_error(b->ctx, p->arch->loc, "no memory level of '%s' holds tensor '%s'",
                p->arch->name, p->access[access].name);
    if (child > 0)
        SATOR_TRY(add_transfer(b, access, -1, child));
done:
    return st;
}

/* What arrives in a memory is taken further in, too, unless links bring it from stamps long before:
 * then nothing is known of the two. */
static void join_transfers(struct mapper_problem *p)
{
    for (int i = 0; i < p->n_transfers; i++)
        p->transfer[i].inward = p->transfer[i].outward = -1;
    for (int i = 0; i < p->n_transfers; i++) {
        for (int j = i + 1; j < p->n_transfers; j++) {
            if (p->transfer[j].access != p->transfer[i].access)
                continue;
            if (!p->transfer[i].reaches_back) {
                p->transfer[i].outward = j;
                p->transfer[j].inward = i;
            }
            break;
        }
    }
}

static enum sator_status add_transfers(struct builder *b)
{
    struct mapper_problem *p = b->problem;
    enum sator_status st = SATOR_OK;

    for (int a = 0; a < p->n_accesses; a++)
        SATOR_TRY(add_transfers_of(b, a));
    /* innermost child first */
    for (int i = 1; i < p->n_transfers; i++) {
        for (int j = i; j > 0 && p->transfer[j].child > p->transfer[j - 1].child; j--) {
            struct mapper_transfer swap = p->transfer[j];
            p->transfer[j] = p->transfer[j - 1];
            p->transfer[j - 1] = swap;
        }
    }
    join_transfers(p);
done:
    return st;
}

/* ---- energies ---- */

static double figure(struct mapper_problem *p, double value, const char *name)
{
    if (!isnan(value))
        return value;
    p->has_energy = false;
    if (!sator_lists(name, p->n_missing, p->missing))
        SATOR_PUSH(p->arena, p->missing, p->n_missing, name);
    return 0;
}

/* The least that a word costs which a complex network spares. */
static double least_bus_pj(struct mapper_problem *p, const struct mapper_transfer *t)
{
    const struct sator_model_network *network = t->network;
    double least = INFINITY;

    for (int i = 0; i < network->n_links; i++)
        least = fmin(least,
                figure(p, sator_mapper_link_pj(p, network->link_sources[i], t->access),
                        network->link_sources[i]->name));
    for (int i = 0; i < network->n_buses; i++) {
        figure(p, sator_mapper_bus_pj(p, network->bus_sources[i], t->access),
                network->bus_sources[i]->name);
        least = fmin(least, sator_mapper_tree_pj(p, t, i));
    }
    return isinf(least) ? 0 : least; /* nothing joins the PEs */
}

/* What is not given is noted where it is spent. */
static double known_or_0(double pj)
{
    return isnan(pj) ? 0 : pj;
}

/* A word that trees merge starts from zero, there and further in: no partial sum is read and
 * written for it at any memory inside. */
static void find_merged(struct mapper_problem *p)
{
    double spared[MAPPER_ACCESSES] = {0}; /* by the transfers so far, outward */

    for (int a = 0; a < p->n_accesses; a++) {
        int own = sator_mapper_own_memory(p, a);
        if (own >= 0)
            spared[a] = known_or_0(p->memory[own].pj[0][a]);
    }
    for (int i = 0; i < p->n_transfers; i++) { /* innermost first */
        struct mapper_transfer *t = &p->transfer[i];
        const struct mapper_access *access = &p->access[t->access];
        const struct mapper_memory *child = t->child < p->n_memories ? &p->memory[t->child] : NULL;
        bool has_links = t->link != NULL || (!t->is_complex && t->may_pass && t->n_passes > 0);
        if (access->role != SATOR_WRITE)
            continue;
        t->merges = !has_links && (t->is_complex || t->n_buses > 0);
        t->merged_pj = t->merges ? spared[t->access] : 0;
        p->lends |= t->merged_pj > 0;
        if (!t->is_outside)
            spared[t->access] += known_or_0(p->memory[t->parent].pj[0][t->access]);
        if (child != NULL)
            spared[t->access] += known_or_0(child->pj[1][t->access]);
    }
}

/* What a word that the network spares costs. */
static double spared_pj(struct mapper_problem *p, struct mapper_transfer *t)
{
    if (t->is_complex || t->has_late) /* any link may bring words */
        t->least_pj = least_bus_pj(p, t);
    if (t->is_complex)
        return t->least_pj;
    double pj = t->n_buses > 0 ? figure(p, t->bus_pj, t->buses[0]->name)
            : t->link != NULL  ? figure(p, t->bus_pj, t->link->name)
            : t->may_pass      ? figure(p, t->bus_pj, t->passes[0].link->name)
                               : 0;
    return pj - t->merged_pj;
}

/* What a word of each transfer costs, all its actions together, and what no mapping can change. */
static void price(struct mapper_problem *p)
{
    p->has_energy = true;
    p->fixed_pj = figure(p, p->mac_pj, p->arch->levels[p->arch->n_levels - 1].name) *
            (double)p->instances;
    find_merged(p);
    for (int i = 0; i < p->n_transfers; i++) {
        struct mapper_transfer *t = &p->transfer[i];
        const struct mapper_access *access = &p->access[t->access];
        const struct mapper_memory *parent = &p->memory[t->parent];
        const struct mapper_memory *child = t->child < p->n_memories ? &p->memory[t->child] : NULL;
        const char *above = p->arch->levels[parent->level].name;
        double bus = spared_pj(p, t), foot = (double)access->footprint;
        t->spared_pj = bus;
        double read = t->is_outside ? 0 : figure(p, parent->pj[0][t->access], above);
        t->unique_pj = read - bus;
        t->arriving_pj = bus;
        const char *here = child == NULL ? NULL : p->arch->levels[child->level].name;
        double fill = child == NULL ? 0 : figure(p, child->pj[1][t->access], here);
        if (access->role == SATOR_READ) {
            t->arriving_pj += fill;
            continue;
        }
        t->unique_pj += fill + (t->is_outside ? 0 : figure(p, parent->pj[1][t->access], above));
        p->fixed_pj -= foot * (read + fill);
    }
}

/* The actions of the PE's own memories. */
static void fix_own_memories(struct mapper_problem *p)
{
    for (int a = 0; a < p->n_accesses; a++) {
        int m = sator_mapper_own_memory(p, a);
        double volume = (double)p->access[a].volume;
        if (m < 0)
            continue;
        const struct mapper_memory *memory = &p->memory[m];
        const char *name = p->arch->levels[memory->level].name;
        p->fixed_pj += volume * figure(p, memory->pj[0][a], name);
        if (p->access[a].role == SATOR_READ)
            continue;
        p->fixed_pj -= (double)p->access[a].footprint * figure(p, memory->pj[0][a], name);
        p->fixed_pj += volume * figure(p, memory->pj[1][a], name);
    }
}

/* What goes straight to the compute units, which the innermost memory's loops stand outside of. */
static void find_direct(struct mapper_problem *p)
{
    p->innermost = p->memory[p->n_memories - 1].row;
    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        const struct mapper_access *access = &p->access[t->access];
        p->linked_rows |= t->is_counted ? 0 : t->linked_rows;
        if (t->child < p->n_memories)
            continue;
        p->is_direct = true;
        p->direct_sliding |= access->relevant & ~access->plain;
        p->direct_wired |= t->is_counted ? 0 : t->linked_rows; /* what is counted has no formula */
    }
}

enum sator_status sator_mapper_problem_init(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_arch *arch,
        enum sator_map_objective objective, const unsigned *bypassed,
        struct mapper_problem *problem)
{
    return sator_mapper_problem_init_skewed(
            ctx, arena, workload, arch, objective, bypassed, NULL, problem);
}

enum sator_status sator_mapper_problem_init_skewed(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_arch *arch,
        enum sator_map_objective objective, const unsigned *bypassed,
        const struct mapper_skew *skew, struct mapper_problem *problem)
{
    struct builder b = {.ctx = ctx, .problem = problem, .bypassed = bypassed};
    enum sator_status st;

    *problem = (struct mapper_problem){.arena = arena,
            .work_limit = ctx->work_limit,
            .workload = workload,
            .arch = arch,
            .skew = skew,
            .objective = objective};
    SATOR_TRY(add_loops(&b));
    if (problem->in_hull)
        SATOR_TRY(check_idle(ctx, arch, "domains that are no boxes"));
    for (int i = 0; i < workload->n_accesses; i++)
        SATOR_TRY(sator_mapper_access_init(ctx, problem, b.loop_at, &workload->accesses[i]));
    sator_mapper_count_footprints(problem);
    SATOR_TRY(add_levels(&b));
    SATOR_TRY(add_transfers(&b));
    find_direct(problem);
    price(problem);
    fix_own_memories(problem);
    SATOR_TRY(sator_mapper_find_ports(ctx, problem));
    if (problem->in_hull)
        sator_mapper_know_domain(ctx, problem, b.loop_at);
    if (!problem->has_energy && objective != SATOR_MAP_LATENCY) {
        sator_mapper_say_missing_energy(ctx, problem);
        return SATOR_INPUT;
    }
done:
    return st;
}

/* Price what links from the stamp before bring of a tensor without windows: nothing while every PE
 * always has a tile, but one that was idle may have its words from one that was not. Of sums that
 * trees merge it has those without what a merged word spares: no formula tells the two apart. */
static void price_links(struct mapper_problem *p, struct mapper_transfer *t)
{
    double before = t->spared_pj;

    if (t->is_counted || t->may_pass || t->n_passes == 0)
        return;
    if (!sator_mapper_lists_links(p, t) || t->merges || (p->has_energy && isnan(t->bus_pj))) {
        p->mixed_rows |= t->linked_rows;
        p->mixed_direct |= t->child == p->n_memories ? t->linked_rows : 0;
        return;
    }
    if (t->n_buses > 0 || t->link != NULL)
        return; /* at the cost of these */
    t->spared_pj = figure(p, t->bus_pj, t->passes[0].link->name) - t->merged_pj;
    t->unique_pj -= t->spared_pj - before;
    t->arriving_pj += t->spared_pj - before;
}

enum sator_status sator_mapper_allow_imperfect(
        struct sator_ctx *ctx, struct mapper_problem *problem)
{
    problem->only_chains = problem->in_hull; /* where formulas say nothing of short tiles */
    for (int a = 0; a < problem->n_accesses; a++)
        problem->only_chains |= problem->access[a].is_quotient; /* imperfect.c */
    for (int i = 0; i < problem->n_loops; i++) {
        if (problem->extent[i] > MOST_IMPERFECT) {
            sator_error(ctx, problem->workload->loc,
                    "loop '%s' of '%s' is longer than 2^24, too long for factors that do not "
                    "divide it",
                    problem->loop_names[i], problem->workload->name);
            sator_help(
                    ctx, "without %s a loop may be as long as 2^40", sator_word(ctx, "imperfect"));
            return SATOR_INPUT;
        }
    }
    enum sator_status st =
            check_idle(ctx, problem->arch, "factors that do not divide a loop's extent");
    for (int t = 0; t < problem->n_transfers; t++)
        price_links(problem, &problem->transfer[t]);
    problem->imperfect = problem->chains = true;
    if (st == SATOR_OK) /* which sums are sure */
        st = sator_mapper_find_ports(ctx, problem);
    return st;
}
