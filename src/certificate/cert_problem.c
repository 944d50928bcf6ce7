/* From a workload and a machine to the space that a certificate covers, and the prices of its
 * words (doc/model.md, section 4). Written for this alone: the search has its own. */
#include "base/context.h"
#include "certificate/cert_bound.h"
#include "certificate/cert_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_FILLED = 1 << 16 /* iterations of a loop whose tiles need not divide */
};

enum sator_status cert_refuse(struct cert_maker *k, const char *why)
{
    if (*k->why == NULL)
        *k->why = why;
    return SATOR_INPUT;
}

/* ---- loops and tensors ---- */

static void find_divisors(struct cert_problem *p, int loop)
{
    int64_t *list = NULL;
    int n = 0;

    for (int64_t d = 1; d <= p->extent[loop] / d; d++) {
        if (p->extent[loop] % d == 0)
            SATOR_PUSH(p->arena, list, n, d);
    }
    for (int i = n - 1; i >= 0; i--) {
        if (list[i] * list[i] != p->extent[loop])
            SATOR_PUSH(p->arena, list, n, p->extent[loop] / list[i]);
    }
    p->divisors[loop] = list;
    p->n_divisors[loop] = n;
}

/* The least tiles for each number of them, and all that divides one of these numbers. */
static void find_tiles(struct cert_problem *p, int loop)
{
    const int64_t extent = p->extent[loop];
    int64_t *tiles = NULL, *divisors = NULL, count = extent + 1;
    int n = 0, n_divisors = 0;

    do {
        const int64_t tile = (extent + count - 2) / (count - 1);
        SATOR_PUSH(p->arena, tiles, n, tile);
        count = (extent + tile - 1) / tile;
    } while (count > 1);
    p->tile[loop] = tiles;
    p->n_tiles[loop] = n;
    for (int64_t d = 1; d <= extent; d++) {
        if (cert_divides(p, loop, d))
            SATOR_PUSH(p->arena, divisors, n_divisors, d);
    }
    p->divisors[loop] = divisors;
    p->n_divisors[loop] = n_divisors;
}

static enum sator_status add_loops(struct cert_maker *k)
{
    const struct sator_workload *w = k->workload;
    struct cert_problem *p = k->p;

    if (!w->is_box || w->lower == NULL || w->n_loops > 64)
        return cert_refuse(k, "a domain that is no box");
    p->instances = 1;
    for (int i = 0; i < w->n_loops; i++) {
        int64_t extent = w->upper[i] - w->lower[i];
        k->loop_at[i] = -1;
        if (extent <= 1)
            continue;
        if (p->n_loops == CERT_LOOPS || extent > INT64_C(1) << 40)
            return cert_refuse(k, "more than 16 loops, or longer ones than 2^40");
        k->loop_at[i] = p->n_loops;
        p->loop_name[p->n_loops] = w->loop_names[i];
        p->extent[p->n_loops] = extent;
        p->instances *= (double)extent;
        p->n_loops++;
        if (p->fills && extent > MOST_FILLED)
            return cert_refuse(k, "factors that do not divide of loops longer than 65,536");
    }
    return p->instances < 0x1p53 ? SATOR_OK : cert_refuse(k, "more than 2^53 loop instances");
}

static enum sator_status add_dim(
        struct cert_maker *k, const struct sator_expr *expr, struct cert_tensor *t)
{
    struct cert_index *index = &t->dim[t->n_dims];
    unsigned loops = 0;

    *index = (struct cert_index){0};
    for (int i = 0; i < expr->n_terms; i++) {
        if (expr->terms[i].atom != SATOR_ATOM_VAR)
            return cert_refuse(k, "an index that is no sum of loops");
        int loop = k->loop_at[expr->terms[i].var];
        if (loop < 0)
            continue;
        index->loop[index->n] = loop;
        index->coef[index->n++] = expr->terms[i].factor;
        if (llabs(expr->terms[i].factor) > 1 << 20)
            return cert_refuse(k, "a coefficient beyond 2^20");
        loops |= 1U << loop;
    }
    if ((t->relevant & loops) != 0)
        return cert_refuse(k, "a loop in several indices of a tensor");
    t->relevant |= loops;
    t->plain |= index->n == 1 ? loops : 0;
    t->n_dims += index->n > 0;
    return SATOR_OK;
}

static double footprint(const struct cert_problem *p, const struct cert_tensor *t)
{
    double words = 1;

    for (int e = 0; e < t->n_dims; e++) {
        struct cert_run run[CERT_LOOPS];
        for (int i = 0; i < t->dim[e].n; i++)
            run[i] = (struct cert_run){t->dim[e].coef[i], p->extent[t->dim[e].loop[i]]};
        words *= cert_sums(t->dim[e].n, run);
    }
    return words;
}

static enum sator_status add_tensor(struct cert_maker *k, const struct sator_access *access)
{
    struct cert_problem *p = k->p;
    const struct sator_piece *piece = sator_relation_function(access->relation);
    struct cert_tensor *t = &p->tensor[p->n_tensors];
    enum sator_status st = SATOR_OK;

    if (p->n_tensors == CERT_TENSORS || access->relation->n_out >= CERT_DIMS)
        return cert_refuse(k, "more than 8 tensors or dimensions");
    if (piece == NULL)
        return cert_refuse(k, "a tensor touched at several places, or under conditions");
    *t = (struct cert_tensor){.name = access->tensor, .is_output = access->role == SATOR_WRITE};
    for (int a = 0; a < p->n_tensors; a++) {
        if (strcmp(p->tensor[a].name, t->name) == 0)
            return cert_refuse(k, "an operation in place");
    }
    for (int d = 0; d < access->relation->n_out; d++)
        SATOR_TRY(add_dim(k, piece->out[d], t));
    t->footprint = footprint(p, t);
    t->volume = p->instances;
    p->n_tensors++;
done:
    return st;
}

/* ---- memories ---- */

bool cert_listed(const char *name, int n, const char *const *names)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static bool has_own_capacity(const struct sator_memory *spec, const char *tensor)
{
    for (int c = 0; c < spec->n_capacities; c++) {
        if (spec->capacities[c].tensor != NULL && strcmp(spec->capacities[c].tensor, tensor) == 0)
            return true;
    }
    return false;
}

static void add_capacities(const struct cert_problem *p, struct cert_memory *m)
{
    for (int c = 0; c < m->spec->n_capacities && c <= CERT_TENSORS; c++) {
        const struct sator_capacity *spec = &m->spec->capacities[c];
        struct cert_capacity *made = &m->capacity[m->n_capacities];
        made->in_bits = isnan(spec->words);
        made->available = floor((made->in_bits ? spec->bytes * 8 : spec->words) /
                (m->spec->double_buffered ? 2 : 1));
        made->tensors = 0;
        for (int a = 0; a < p->n_tensors; a++) {
            const char *name = p->tensor[a].name;
            bool counts = spec->tensor != NULL ? strcmp(spec->tensor, name) == 0
                                               : !has_own_capacity(m->spec, name);
            made->tensors |= counts && (m->holds >> a & 1) ? 1U << a : 0;
        }
        m->n_capacities += made->tensors != 0;
    }
}

enum sator_status cert_figure(struct cert_maker *k, double pj, double *known)
{
    *known = isnan(pj) ? 0 : pj;
    return isnan(pj) && k->p->objective != SATOR_MAP_LATENCY
            ? cert_refuse(k, "energies that are not given")
            : SATOR_OK;
}

static enum sator_status add_memory(struct cert_maker *k, int level, double instances)
{
    struct cert_problem *p = k->p;
    struct cert_memory *m = &p->memory[p->n_memories];
    const struct sator_memory *spec = &k->arch->levels[level].memory;
    enum sator_status st = SATOR_OK;

    if (p->n_memories == CERT_MEMORIES || p->n_rows == CERT_ROWS)
        return cert_refuse(k, "more than 10 memories");
    *m = (struct cert_memory){.spec = spec, .row = p->n_rows};
    p->holds_idle |= spec->holds_idle;
    p->leakage_pj += isnan(spec->leakage_pj.value) ? 0 : spec->leakage_pj.value * instances;
    for (int a = 0; a < p->n_tensors; a++) {
        const struct sator_access *access = &k->workload->accesses[a];
        const char *name = access->tensor;
        bool holds = (spec->n_tensors == 0 || cert_listed(name, spec->n_tensors, spec->tensors)) &&
                !cert_listed(name, spec->n_bypass, spec->bypass);
        if (holds && cert_listed(name, spec->n_may_bypass, spec->may_bypass)) {
            holds = !(k->space->choice >> k->n_pairs & 1);
            k->n_pairs++;
        }
        m->holds |= holds ? 1U << a : 0;
        m->bits[a] = sator_memory_word_bits(spec, name, access->word_bits);
        double read = sator_memory_action(NULL, spec, name, access->word_bits, false).word_pj;
        double write = sator_memory_action(NULL, spec, name, access->word_bits, true).word_pj;
        if (holds) {
            SATOR_TRY(cert_figure(k, read, &m->read_pj[a]));
            SATOR_TRY(cert_figure(k, write, &m->write_pj[a]));
        }
    }
    add_capacities(p, m);
    p->row[p->n_rows++] =
            (struct cert_row){.memory = p->n_memories++, .level = level, .n_shapes = 1, .pes = 1};
done:
    return st;
}

/* ---- the levels ---- */

static enum sator_status add_levels(struct cert_maker *k)
{
    struct cert_problem *p = k->p;
    double instances = 1;
    enum sator_status st = SATOR_OK;

    p->cycles = 1;
    for (int i = 0; i < k->arch->n_levels; i++) {
        const struct sator_level *level = &k->arch->levels[i];
        if (level->kind == SATOR_LEVEL_MEMORY) {
            SATOR_TRY(add_memory(k, i, instances));
        } else if (level->kind == SATOR_LEVEL_COMPUTE) {
            double pj =
                    sator_compute_figure(p->arena, &level->compute, sator_operand_bits(k->workload))
                            .value;
            SATOR_TRY(cert_figure(k, pj, &p->mac_pj));
            p->cycles = p->is_scheduled ? ceil(level->compute.cycles) : level->compute.cycles;
            double leakage = level->compute.leakage_pj.value;
            p->leakage_pj += isnan(leakage) ? 0 : leakage * instances;
        }
        for (int d = 0; level->kind == SATOR_LEVEL_ARRAY && d < level->array.n_dims; d++) {
            if (p->n_rows == CERT_ROWS)
                return cert_refuse(k, "more than 24 memories and array dimensions");
            int64_t shape = level->array.shape[d];
            p->row[p->n_rows] = (struct cert_row){.is_space = true,
                    .memory = d, /* until rows are joined: the dimension */
                    .level = i,
                    .n_shapes = 1,
                    .shape = {shape},
                    .pes = shape,
                    .step = k->space->step[p->n_rows]};
            p->n_rows++;
            instances *= (double)shape;
        }
    }
    if (p->n_memories == 0 || p->row[0].is_space)
        return cert_refuse(k, "no memory outside the arrays");
    for (int a = 0; a < p->n_tensors; a++) {
        if (!(p->memory[0].holds >> a & 1))
            return cert_refuse(k, "a tensor that the outermost memory does not hold");
    }
done:
    return st;
}

/* What tiles that need not divide may stand beside. */
static enum sator_status check_filled(struct cert_maker *k, const struct cert_question *question)
{
    const struct cert_problem *p = k->p;

    if (question->is_scheduled)
        return cert_refuse(k, "factors that do not divide by the scheduled time");
    if (question->n_constraints > 0) /* read from a file: nothing writes such a one */
        return cert_refuse(k, "factors that do not divide beside constraints");
    if (p->n_memories < 2 || p->memory[p->n_memories - 1].row != p->n_rows - 1)
        return cert_refuse(k, "factors that do not divide, or arrays, inside the innermost memory");
    for (int i = 0; i < p->n_moves; i++) {
        const struct cert_tensor *t = &p->tensor[p->move[i].tensor];
        if (p->move[i].may_count || (p->move[i].n_links > 0 && t->relevant != t->plain))
            return cert_refuse(k, "factors that do not divide where windows pass over links");
    }
    return SATOR_OK;
}

enum sator_status cert_problem_init(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct cert_question *question, const struct cert_space *space,
        struct cert_problem *problem, const char **why)
{
    const struct sator_workload *workload = question->workload;
    struct cert_maker k = {.ctx = ctx,
            .p = problem,
            .workload = workload,
            .arch = question->arch,
            .space = space,
            .why = why};
    static const struct cert_part nothing; /* is decided */
    enum sator_status st;

    *problem = (struct cert_problem){.arena = arena,
            .objective = question->objective,
            .is_scheduled = question->is_scheduled,
            .across = space->across,
            .counts = question->counts && !space->across,
            .fills = question->fills && !space->is_skewed,
            .allows_short = question->fills && !space->is_skewed};
    problem->counting = SATOR_NEW(arena, uint64_t);
    *problem->counting = 0;
    *why = NULL;
    SATOR_TRY(add_loops(&k));
    for (int i = 0; i < workload->n_accesses; i++)
        SATOR_TRY(add_tensor(&k, &workload->accesses[i]));
    SATOR_TRY(add_levels(&k));
    SATOR_TRY(cert_add_moves(&k));
    for (int i = 0; i < problem->n_moves; i++) /* these keep more where they have short tiles */
        problem->fills &= problem->move[i].child != problem->n_memories;
    for (int i = 0; i < problem->n_loops; i++)
        (problem->fills ? find_tiles : find_divisors)(problem, i);
    problem->begun_cycles = problem->is_scheduled ? cert_served(problem, true) : problem->cycles;
    problem->read_cycles = problem->is_scheduled ? cert_served(problem, false) : problem->cycles;
    for (int i = 0; i < question->n_constraints; i++) {
        const char *text = question->constraints[i];
        if (!cert_limits_add(problem, workload, question->arch, text))
            return cert_refuse(&k, sator_arena_printf(arena, "the constraint '%s'", text));
    }
    cert_ban_passed(problem);
    for (int i = 0; i < problem->n_moves; i++) {
        problem->move[i].may_count = cert_is_counted(problem, &nothing, &problem->move[i]);
        if (problem->move[i].may_count && problem->is_scheduled)
            return cert_refuse(&k, "words that have no formula by the scheduled time");
    }
    if (problem->fills)
        SATOR_TRY(check_filled(&k, question));
    cert_join_rows(problem, space->apart);
done:
    return st;
}

int cert_count_choices(const struct sator_workload *workload, const struct sator_arch *arch)
{
    int pairs = 0;

    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_memory *spec = &arch->levels[i].memory;
        for (int a = 0; a < workload->n_accesses && arch->levels[i].kind == SATOR_LEVEL_MEMORY;
                a++) {
            const char *name = workload->accesses[a].tensor;
            pairs += (spec->n_tensors == 0 || cert_listed(name, spec->n_tensors, spec->tensors)) &&
                    !cert_listed(name, spec->n_bypass, spec->bypass) &&
                    cert_listed(name, spec->n_may_bypass, spec->may_bypass);
        }
    }
    return pairs;
}
