/* Instructions and reordering (doc/model.md, section 8; Sunstone, ISPASS 2023, section V-D). */
#include "model/control.h"

#include "count/count.h"

#include <math.h>

struct control {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_control_question *question;
    const struct sator_piece *time;
    struct sator_control_cost *cost;
};

/* Whether an index of the access depends on loop "loop"; a relation that is no union of functions
 * of the loops may depend on each. */
static bool depends_on(const struct sator_relation *access, int loop)
{
    for (int i = 0; i < access->n_pieces; i++) {
        const struct sator_piece *piece = &access->pieces[i];
        if (piece->n_free > 0 || access->n_pieces > 1)
            return true;
        for (int d = 0; d < access->n_out; d++) {
            if (sator_expr_has_var(piece->out[d], loop))
                return true;
        }
    }
    return false;
}

/* The time rows of the prefix that choose the access's tile, as a relation { S[n] -> TILE[..] };
 * NULL where none does. */
static const struct sator_relation *tile_names(
        const struct control *control, const struct sator_relation *access, int prefix)
{
    const struct sator_workload *workload = control->question->workload;
    const struct sator_expr **rows =
            SATOR_NEW_ARRAY(control->arena, const struct sator_expr *, prefix + 1);
    int n_rows = 0;

    for (int t = 0; t < prefix; t++) {
        bool chooses = false;
        for (int i = 0; i < workload->n_loops; i++)
            chooses = chooses ||
                    (sator_expr_has_var(control->time->out[t], i) && depends_on(access, i));
        if (chooses)
            rows[n_rows++] = control->time->out[t];
    }
    if (n_rows == 0)
        return NULL;
    return sator_relation_make(control->arena, workload->domain->in_name, workload->n_loops,
            workload->loop_names, "TILE", n_rows, rows, NULL);
}

/* A tile is moved whenever another one takes its place: the names of tiles are a tensor of one word
 * a stamp, of which a word is fetched where it is not that of the stamp before. */
static enum sator_status count_moves(struct control *control, int access)
{
    const struct sator_control_question *question = control->question;
    const struct sator_access *what = &question->workload->accesses[access];
    const struct sator_relation *names =
            tile_names(control, what->relation, question->prefix[access]);
    const struct sator_stamping stamping = {.domain = question->workload->domain,
            .space = question->space,
            .time = question->time,
            .n_time = question->prefix[access]};
    const struct sator_transport kept = {.registers = true};
    struct sator_volumes volumes = {.unique = 1, .footprint = 1};
    struct sator_counter *counter = NULL;
    enum sator_status st = SATOR_OK;

    if (names != NULL) {
        SATOR_TRY(sator_counter_new(control->ctx, question->engine, &stamping, &counter));
        SATOR_TRY(sator_count_volumes(counter, names, &kept, &volumes));
    }
    if (what->role == SATOR_WRITE) { /* what comes back was here before */
        control->cost->stores += volumes.unique;
        control->cost->loads += volumes.unique - volumes.footprint;
    } else {
        control->cost->loads += volumes.unique;
    }
done:
    sator_counter_free(counter);
    return st;
}

/* The words of an output that are rewritten for whoever reads it next. */
static enum sator_status count_reordered(struct control *control, int access, sator_int *words)
{
    const struct sator_control_question *question = control->question;
    const struct sator_stamping once = {
            .domain = question->workload->domain, .space = question->space, .time = question->time};
    const struct sator_transport kept = {.registers = true};
    struct sator_volumes volumes = {0};
    struct sator_counter *counter = NULL;
    enum sator_status st;

    SATOR_TRY(sator_counter_new(control->ctx, question->engine, &once, &counter));
    SATOR_TRY(sator_count_volumes(
            counter, question->workload->accesses[access].relation, &kept, &volumes));
    *words = volumes.footprint;
done:
    sator_counter_free(counter);
    return st;
}

static const struct sator_memory *outermost(const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_MEMORY)
            return &arch->levels[i].memory;
    }
    return NULL;
}

static enum sator_status reorder(struct control *control, struct sator_energy_term *term)
{
    const struct sator_control_question *question = control->question;
    const struct sator_memory *memory = outermost(question->arch);
    enum sator_status st = SATOR_OK;

    *term = (struct sator_energy_term){.component = "control.reorder"};
    for (int i = 0; i < question->workload->n_accesses; i++) {
        const struct sator_access *access = &question->workload->accesses[i];
        sator_int words = 0;
        if (access->role != SATOR_WRITE || question->prefix[i] < 0)
            continue;
        struct sator_action read = sator_memory_action(
                control->arena, memory, access->tensor, access->word_bits, false);
        struct sator_action write = sator_memory_action(
                control->arena, memory, access->tensor, access->word_bits, true);
        SATOR_TRY(count_reordered(control, i, &words));
        term->actions += words;
        term->pj_per_action = read.word_pj + write.word_pj;
        term->pj += (double)words * term->pj_per_action;
        term->source = read.source;
    }
    control->cost->reordered = term->actions;
done:
    return st;
}

static struct sator_energy_term fetch(const struct control *control)
{
    const struct sator_arch *arch = control->question->arch;
    const struct sator_control *said = &arch->control;
    struct sator_figure each = said->instruction_pj;
    sator_int instructions = control->cost->loads + control->cost->stores;

    if (said->from >= 0) {
        const struct sator_action read = sator_action_of(
                control->arena, &arch->levels[said->from].memory.read, said->instruction_bits);
        each = (struct sator_figure){read.word_pj, read.source};
    }
    return (struct sator_energy_term){.component = "control.fetch",
            .actions = instructions,
            .pj_per_action = each.value,
            .pj = (double)instructions * each.value,
            .source = each.source};
}

enum sator_status sator_control_count(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_control_question *question, struct sator_control_cost *cost,
        struct sator_energy_term *terms, int *n_terms)
{
    const struct sator_control *said = &question->arch->control;
    struct control control = {.ctx = ctx,
            .arena = arena,
            .question = question,
            .time = sator_relation_function(question->time),
            .cost = cost};
    enum sator_status st = SATOR_OK;

    *cost = (struct sator_control_cost){.instruction_bits = said->instruction_bits};
    *n_terms = 0;
    if (said->instruction_bits == 0)
        return SATOR_OK;
    if (control.time == NULL) {
        sator_error(ctx, question->time_loc,
                "'control' counts the instructions of time-stamps of one expression a dimension");
        sator_help(ctx, "leave out conditions, or the 'control' of '%s'", question->arch->name);
        return SATOR_INPUT;
    }
    for (int i = 0; i < question->workload->n_accesses; i++) {
        if (question->prefix[i] >= 0)
            SATOR_TRY(count_moves(&control, i));
    }
    terms[(*n_terms)++] = fetch(&control);
    if (said->reorders)
        SATOR_TRY(reorder(&control, &terms[(*n_terms)++]));
done:
    return st;
}
