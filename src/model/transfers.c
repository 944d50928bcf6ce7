/* The questions that an analysis asks the counting engines, each once: a level whose contents are
 * one stamp's asks the same as the full stamps do. */
#include "base/text.h"
#include "model/analysis.h"
#include "model/families.h"

#include <string.h>

static struct sator_counter *find_counter(
        struct analysis *analysis, int n_time, int n_space, enum sator_engine_choice engine)
{
    for (int i = 0; i < analysis->n_counters; i++) {
        const struct prefix_counter *known = &analysis->counters[i];
        if (known->n_time == n_time && known->n_space == n_space && known->engine == engine)
            return known->counter;
    }
    const struct sator_stamping stamping = {.domain = analysis->workload->domain,
            .space = analysis->dataflow->space,
            .time = analysis->dataflow->time,
            .n_space = n_space,
            .n_time = n_time,
            .shape = analysis->shape};
    struct prefix_counter made = {.n_time = n_time,
            .n_space = n_space,
            .engine = engine,
            .counter = sator_workspace_counter(
                    analysis->workspace, analysis->n_counters, analysis->ctx, engine, &stamping)};
    SATOR_PUSH(analysis->arena, analysis->counters, analysis->n_counters, made);
    return made.counter;
}

struct sator_counter *analysis_counter(struct analysis *analysis, int n_time, int n_space)
{
    return find_counter(analysis, n_time, n_space, analysis->options->engine);
}

/* For a part of an access: what the closed form declines of it is left to the others. */
static struct sator_counter *part_counter(struct analysis *analysis, int n_time, int n_space)
{
    enum sator_engine_choice engine = analysis->options->engine;

    return find_counter(
            analysis, n_time, n_space, engine == SATOR_ENGINE_CLOSED ? SATOR_ENGINE_AUTO : engine);
}

/* ---- one question ---- */

static void name_question(struct question *question, int n, const int64_t *words)
{
    if (question->n_name + n > QUESTION_NAME)
        question->n_name = QUESTION_NAME + 1; /* too long */
    for (int i = 0; i < n && question->n_name < QUESTION_NAME; i++)
        question->name[question->n_name++] = words[i];
}

/* The answer of the analysis's family, else "counter"'s (NULL: the one for the whole prefix). */
static enum sator_status ask(struct analysis *analysis, const struct question *question,
        struct sator_counter *counter, sator_int *numbers)
{
    bool known = false;

    if (analysis->family != NULL && question->n_name <= QUESTION_NAME) {
        enum sator_status st = sator_family_answer(analysis->family, question, numbers, &known);
        if (st != SATOR_OK || known)
            return st;
    }
    if (counter == NULL)
        counter = analysis_counter(analysis, question->n_time, question->n_space);
    return question_put(question, counter, numbers);
}

enum sator_status analysis_ask(struct analysis *analysis, enum question_kind kind, int n_numbers,
        int64_t *instance, sator_int *numbers)
{
    struct question question = {.kind = kind,
            .n_time = analysis->n_time,
            .n_space = analysis->n_space,
            .instance = instance,
            .n_numbers = n_numbers};

    name_question(&question, 1, (const int64_t[]){kind});
    return ask(analysis, &question, NULL, numbers);
}

enum sator_status analysis_tile(
        struct analysis *analysis, int n_time, int n_space, int access, sator_int *words)
{
    struct question question = {.kind = QUESTION_TILE,
            .n_time = n_time,
            .n_space = n_space,
            .access = analysis->workload->accesses[access].relation,
            .n_numbers = 1};

    name_question(&question, 4, (const int64_t[]){QUESTION_TILE, n_time, n_space, access});
    return ask(analysis, &question, NULL, words);
}

/* ---- volumes ---- */

/* The memories that have to keep the sums of "made", innermost first. What those have that an
 * instance by itself lies in is others' work, too: they are taken to keep its sums. */
static void add_outside(
        struct analysis *analysis, const struct transfer *made, struct sator_transport *transport)
{
    struct sator_outside *outside =
            SATOR_NEW_ARRAY(analysis->arena, struct sator_outside, analysis->n_memories + 1);

    for (int m = made->outside; m >= 0; m--) {
        const struct memory *memory = &analysis->memories[m];
        if (made->part != NULL && memory->space_cut < made->part->n_space)
            break;
        if (memory->held[made->access] && memory->time_cut > 0)
            outside[transport->n_outside++] = (struct sator_outside){.space = memory->space_cut,
                    .time = memory->time_cut,
                    .holds_idle = analysis_memory_end(memory).holds_idle};
    }
    transport->outside = outside;
}

/* The volumes of "made", which are not known yet. */
static enum sator_status count_volumes(struct analysis *analysis, struct transfer *made)
{
    const struct access_part *part = made->part;
    const struct sator_relation *whole = analysis->workload->accesses[made->access].relation;
    const int n_links = made->network->n_links, n_buses = made->network->n_buses;
    const int n_numbers = question_volumes_length(n_links, n_buses);
    sator_int *numbers = SATOR_NEW_ARRAY(analysis->arena, sator_int, n_numbers);
    struct sator_transport transport = made->network->transport;
    struct question question = {.kind = QUESTION_VOLUMES,
            .n_time = made->n_time,
            .n_space = made->n_space,
            .access = part == NULL ? whole : part->relation,
            .transport = &transport,
            .n_numbers = n_numbers};
    struct sator_counter *counter = NULL;
    enum sator_status st;

    name_question(&question, 6,
            (const int64_t[]){QUESTION_VOLUMES, made->n_time, made->n_space, made->from,
                    made->from_time, made->access});
    if (part != NULL)
        name_question(&question, part->n_space, part->at);
    if (made->network->is_cyclic) { /* which wires count is another question at every point */
        question.n_name = QUESTION_NAME + 1;
        /* what is cut depends on what all instances need, also for a part of them */
        SATOR_TRY(sator_model_cut(analysis->ctx, analysis->arena,
                analysis_counter(analysis, made->n_time, made->n_space), whole, made->network,
                &transport));
    }
    transport.held_space = made->from;
    transport.held_time = made->from_time;
    transport.holds_idle = made->holds_idle;
    add_outside(analysis, made, &transport);
    if (sator_transport_idles(&transport)) /* no polynomial of the extents is known */
        question.n_name = QUESTION_NAME + 1;
    transport.footprint = part == NULL ? analysis->footprints[made->access] : 0;
    if (part != NULL)
        counter = part_counter(analysis, made->n_time, made->n_space);
    SATOR_TRY(ask(analysis, &question, counter, numbers));
    made->volumes.by_link = SATOR_NEW_ARRAY(analysis->arena, sator_int, n_links);
    made->volumes.by_bus = SATOR_NEW_ARRAY(analysis->arena, sator_int, n_buses);
    question_take_volumes(&transport, numbers, &made->volumes);
    if (part == NULL)
        analysis->footprints[made->access] = made->volumes.footprint;
done:
    return st;
}

/* From where on the transfers of "part" are: they follow each other at the end, as nothing else is
 * asked between them, and there may be as many parts as there are instances. */
static int first_of_part(const struct analysis *analysis, const struct access_part *part)
{
    int first = part == NULL ? 0 : analysis->n_transfers;

    while (first > 0 && analysis->transfers[first - 1]->part == part)
        first--;
    return first;
}

struct transfer_end analysis_memory_end(const struct memory *memory)
{
    return (struct transfer_end){.n_time = memory->time_cut,
            .n_space = memory->space_cut,
            .holds_idle = memory->level->memory.holds_idle && memory->space_cut > 0};
}

static bool is_bypassed(const struct analysis *analysis, const char *level, const char *tensor)
{
    for (int c = 0; c < analysis->dataflow->n_cuts; c++) {
        const struct sator_cut *cut = &analysis->dataflow->cuts[c];
        if (strcmp(cut->level, level) == 0 && sator_lists(tensor, cut->n_bypass, cut->bypass))
            return true;
    }
    return false;
}

/* As the innermost memory of the PE says that holds the tensor. */
struct transfer_end analysis_full_end(const struct analysis *analysis, int access)
{
    const char *tensor = analysis->workload->accesses[access].tensor;
    struct transfer_end end = {.n_time = analysis->n_time, .n_space = analysis->n_space};

    for (int i = analysis->arch->n_levels - 1;
            i >= 0 && analysis->arch->levels[i].kind != SATOR_LEVEL_ARRAY; i--) {
        const struct sator_level *level = &analysis->arch->levels[i];
        if (level->kind != SATOR_LEVEL_MEMORY || !sator_memory_holds(&level->memory, tensor) ||
                is_bypassed(analysis, level->name, tensor))
            continue;
        end.holds_idle = level->memory.holds_idle && analysis->n_space > 0 &&
                analysis->model->choice == SATOR_MODEL_SATOR;
        break;
    }
    return end;
}

/* Whether what an instance idles with, in "to" or in a memory outside, may be a sum that it has to
 * give back. */
static int find_outside(const struct analysis *analysis, const struct transfer_end *to, int holder,
        int access, int from_time)
{
    bool idles = to->holds_idle;

    if (holder < 0 || analysis->workload->accesses[access].role != SATOR_WRITE)
        return -1;
    for (int m = 0; m <= holder && from_time > 0; m++)
        idles |= analysis->memories[m].held[access] &&
                analysis_memory_end(&analysis->memories[m]).holds_idle;
    while (idles && holder >= 0 &&
            (!analysis->memories[holder].held[access] || analysis->memories[holder].time_cut == 0))
        holder--;
    return idles ? holder : -1;
}

enum sator_status analysis_transfer(struct analysis *analysis, const struct transfer_end *to,
        int holder, int access, const struct access_part *part, const struct transfer **transfer)
{
    int from = holder < 0 ? 0 : analysis->memories[holder].space_cut;
    const struct sator_model_network *network =
            model_network(analysis->model, from, to->n_space, access);
    /* what a holder has that the part lies in is others' work, too: it is taken to keep its sums */
    bool is_kept = holder < 0 || (part != NULL && from < part->n_space);
    int from_time = is_kept
            ? 0
            : sator_model_held_time(network, analysis->workload->accesses[access].role,
                      analysis->memories[holder].time_cut);
    int outside = find_outside(analysis, to, holder, access, from_time);

    for (int i = first_of_part(analysis, part); i < analysis->n_transfers; i++) {
        const struct transfer *known = analysis->transfers[i];
        if (known->n_time == to->n_time && known->n_space == to->n_space && known->from == from &&
                known->from_time == from_time && known->access == access && known->part == part &&
                known->holds_idle == to->holds_idle && known->outside == outside) {
            *transfer = known;
            return SATOR_OK;
        }
    }
    struct transfer *made = SATOR_NEW(analysis->arena, struct transfer);
    *made = (struct transfer){.n_time = to->n_time,
            .n_space = to->n_space,
            .from = from,
            .from_time = from_time,
            .holds_idle = to->holds_idle,
            .outside = outside,
            .access = access,
            .part = part,
            .network = network};
    enum sator_status st = count_volumes(analysis, made);
    if (st != SATOR_OK)
        return st;
    SATOR_PUSH(analysis->arena, analysis->transfers, analysis->n_transfers, made);
    *transfer = made;
    return SATOR_OK;
}
