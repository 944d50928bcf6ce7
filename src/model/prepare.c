/* What analyses of one workload on one architecture share. Which networks there are follows from
 * the memories that hold each tensor, whatever the dataflow: from the full stamps' scratchpad to
 * the PEs, from each holder to the next one, and from the innermost to the compute units. */
#include "base/text.h"
#include "model/analysis.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static struct sator_figure copy_figure(struct sator_arena *arena, const struct sator_figure *figure)
{
    return (struct sator_figure){figure->value,
            figure->source == NULL ? NULL : sator_arena_strdup(arena, figure->source)};
}

static struct sator_action copy_action(struct sator_arena *arena, struct sator_action action)
{
    if (action.source != NULL)
        action.source = sator_arena_strdup(arena, action.source);
    return action;
}

/* What a word of each access takes at a memory. */
static void find_actions(struct sator_arena *arena, const struct sator_workload *workload,
        const struct sator_memory *memory, struct model_level *named)
{
    named->word_bits = SATOR_NEW_ARRAY(arena, int, workload->n_accesses + 1);
    for (int writes = 0; writes < 2; writes++)
        named->actions[writes] =
                SATOR_NEW_ARRAY(arena, struct sator_action, workload->n_accesses + 1);
    for (int i = 0; i < workload->n_accesses; i++) {
        const struct sator_access *access = &workload->accesses[i];
        named->word_bits[i] = sator_memory_word_bits(memory, access->tensor, access->word_bits);
        for (int writes = 0; writes < 2; writes++)
            named->actions[writes][i] = copy_action(arena,
                    sator_memory_action(
                            arena, memory, access->tensor, access->word_bits, writes == 1));
    }
}

static const char *term_name(struct sator_arena *arena, const char *level, const char *what)
{
    size_t end = strlen(level);
    char *name = sator_arena_alloc(arena, end + strlen(what) + 1);

    memcpy(name, level, end + 1);
    memcpy(name + end, what, strlen(what) + 1);
    return name;
}

const struct model_level *sator_model_levels(struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_arch *arch)
{
    struct model_level *named = SATOR_NEW_ARRAY(arena, struct model_level, arch->n_levels + 1);

    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        bool memory = level->kind == SATOR_LEVEL_MEMORY;
        const struct sator_figure *leakage =
                memory ? &level->memory.leakage_pj : &level->compute.leakage_pj;
        named[i].name = sator_arena_strdup(arena, level->name);
        if (memory) {
            named[i].read_name = term_name(arena, level->name, ".read");
            named[i].write_name = term_name(arena, level->name, ".write");
            find_actions(arena, workload, &level->memory, &named[i]);
            named[i].lanes = sator_memory_lanes(arena, level, &named[i].n_lanes);
        } else if (level->kind == SATOR_LEVEL_COMPUTE) {
            const struct sator_figure figure =
                    sator_compute_figure(arena, &level->compute, sator_operand_bits(workload));
            named[i].compute_pj = copy_figure(arena, &figure);
        }
        if (level->kind != SATOR_LEVEL_ARRAY && !isnan(leakage->value))
            named[i].leakage_name = term_name(arena, level->name, ".leakage");
        if (level->kind != SATOR_LEVEL_ARRAY)
            named[i].leakage_pj = copy_figure(arena, leakage);
    }
    return named;
}

static void name_tensors(struct sator_arena *arena, struct sator_model *model)
{
    int n = model->workload->n_accesses;
    const char **names = SATOR_NEW_ARRAY(arena, const char *, n + 1);

    for (int i = 0; i < n; i++)
        names[i] = sator_arena_strdup(arena, model->workload->accesses[i].tensor);
    model->tensors = names;
}

/* What wire "i" of the network does for "access". */
static struct sator_model_wire find_wire(struct sator_arena *arena,
        const struct sator_model_network *network, int i, const struct sator_access *access)
{
    const struct sator_link *link = i < network->n_links ? network->link_sources[i] : NULL;
    const struct sator_bus *bus = link != NULL ? NULL : network->bus_sources[i - network->n_links];

    return (struct sator_model_wire){
            .action = copy_action(arena,
                    link != NULL ? sator_link_action(arena, link, access->tensor, access->word_bits)
                                 : sator_bus_action(arena, bus, access->tensor, access->word_bits)),
            .bits = sator_width_of(link != NULL ? &link->widths : &bus->widths, access->tensor,
                    access->word_bits)};
}

static void name_network(struct sator_arena *arena, const struct sator_workload *workload,
        struct sator_model_network *network)
{
    int n = network->n_links + network->n_buses;

    network->names = SATOR_NEW_ARRAY(arena, const char *, n + 1);
    for (int i = 0; i < n; i++)
        network->names[i] = sator_arena_strdup(arena,
                i < network->n_links ? network->link_sources[i]->name
                                     : network->bus_sources[i - network->n_links]->name);
    network->wires = SATOR_NEW_ARRAY(arena, struct sator_model_wire *, workload->n_accesses + 1);
    for (int a = 0; a < workload->n_accesses; a++) {
        network->wires[a] = SATOR_NEW_ARRAY(arena, struct sator_model_wire, n + 1);
        for (int i = 0; i < n; i++)
            network->wires[a][i] = find_wire(arena, network, i, &workload->accesses[a]);
    }
}

/* ---- networks ---- */

static bool has_buses(const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].array.n_buses > 0)
            return true;
    }
    return false;
}

/* Whether some link or bus serves certain tensors alone. */
static bool tensors_differ(const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_array *array = &arch->levels[i].array;
        for (int j = 0; j < array->n_links; j++) {
            if (array->links[j].n_tensors > 0)
                return true;
        }
        for (int j = 0; j < array->n_buses; j++) {
            if (array->buses[j].n_tensors > 0)
                return true;
        }
    }
    return false;
}

static const struct shared_network *find_network(
        const struct sator_model *model, int from, int to, int access)
{
    const struct sator_access *what = &model->workload->accesses[access];

    for (int i = 0; i < model->n_networks; i++) {
        const struct shared_network *known = &model->networks[i];
        if (known->from == from && known->to == to &&
                (known->any_role || known->role == what->role) &&
                (known->tensor == NULL || strcmp(known->tensor, what->tensor) == 0))
            return known;
    }
    return NULL;
}

const struct sator_model_network *model_network(
        const struct sator_model *model, int from, int to, int access)
{
    const struct shared_network *known = find_network(model, from, to, access);

    assert(known != NULL);
    return &known->network;
}

static enum sator_status add_network(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_model *model, int from, int to, int access)
{
    const struct sator_access *what = &model->workload->accesses[access];
    struct shared_network made = {.from = from, .to = to, .role = what->role};

    if (find_network(model, from, to, access) != NULL)
        return SATOR_OK;
    made.any_role = !has_buses(model->arch);
    sator_model_declared(arena, model->arch, from, to, what->tensor, what->role, &made.network);
    enum sator_status st = SATOR_OK;
    if (from < to) /* else there is no array between the two */
        st = model->choice == SATOR_MODEL_TENET
                ? sator_wires_drop_self(ctx, arena, to, &made.network)
                : sator_model_wires(ctx, arena, model->arch, to, &made.network);
    if (st != SATOR_OK)
        return st;
    if (tensors_differ(model->arch))
        made.tensor = what->tensor;
    name_network(arena, model->workload, &made.network);
    sator_count_prepare(arena, to, model->shape, made.network.n_links, made.network.links);
    SATOR_PUSH(arena, model->networks, model->n_networks, made);
    return SATOR_OK;
}

/* All networks that access "access" is moved over: from the outside to the outermost memory that
 * holds its tensor, from each that does to the next one, also past those that a dataflow may have
 * it bypass. */
static enum sator_status add_networks(
        struct sator_ctx *ctx, struct sator_arena *arena, struct sator_model *model, int access)
{
    const char *tensor = model->workload->accesses[access].tensor;
    int space = 0, n_holders = 1;
    int *holder = SATOR_NEW_ARRAY(arena, int, model->arch->n_levels + 2); /* space dimensions above
        what may be the nearest outside: the memories so far, at first what is outside of them */
    enum sator_status st;

    holder[0] = 0;
    SATOR_TRY(add_network(ctx, arena, model, 0, model->n_space, access));
    if (model->choice == SATOR_MODEL_TENET) /* which knows the scratchpad alone */
        return SATOR_OK;
    for (int i = 0; i < model->arch->n_levels; i++) {
        const struct sator_level *level = &model->arch->levels[i];
        if (level->kind == SATOR_LEVEL_ARRAY)
            space += level->array.n_dims;
        if (level->kind != SATOR_LEVEL_MEMORY || !sator_memory_holds(&level->memory, tensor))
            continue;
        for (int k = 0; k < n_holders; k++)
            SATOR_TRY(add_network(ctx, arena, model, holder[k], space, access));
        if (!sator_lists(tensor, level->memory.n_may_bypass, level->memory.may_bypass))
            n_holders = 0;
        holder[n_holders++] = space;
    }
    for (int k = 0; k < n_holders; k++) {
        if (holder[k] < model->n_space)
            SATOR_TRY(add_network(ctx, arena, model, holder[k], model->n_space, access));
    }
done:
    return st;
}

/* ---- the whole ---- */

enum sator_status sator_model_new(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_arch *arch,
        enum sator_model_choice choice, const struct sator_model **model)
{
    struct sator_model *made = SATOR_NEW(arena, struct sator_model);
    int n_space = sator_arch_space_dims(arch);
    int64_t *shape = SATOR_NEW_ARRAY(arena, int64_t, n_space + 1);
    enum sator_status st = SATOR_OK;

    sator_arch_shape(arch, shape);
    *made = (struct sator_model){.choice = choice,
            .workload = workload,
            .arch = arch,
            .area_um2 = sator_arch_area(arch),
            .workload_name = sator_arena_strdup(arena, workload->name),
            .arch_name = sator_arena_strdup(arena, arch->name),
            .n_space = n_space,
            .shape = shape,
            .scratchpad = sator_arch_scratchpad(arch)};
    made->levels = sator_model_levels(arena, workload, arch);
    name_tensors(arena, made);
    for (int i = 0; i < workload->n_accesses; i++) {
        st = add_networks(ctx, arena, made, i);
        if (st != SATOR_OK)
            return st;
    }
    *model = made;
    return SATOR_OK;
}

const struct sator_arch *sator_model_arch(const struct sator_model *model)
{
    return model->arch;
}

static const char *tuple_text(struct sator_arena *arena, const struct sator_relation *map)
{
    struct sator_text text = {0};

    if (sator_relation_function(map) != NULL)
        sator_tuple_write(
                &text, map->out_name, map->n_out, map->pieces[0].out, map->pieces[0].names);
    else
        sator_relation_write(&text, map);
    return sator_text_keep(&text, arena);
}

void sator_model_describe(struct sator_arena *arena, struct sator_model_question *question)
{
    question->name = sator_arena_strdup(arena, question->dataflow->name);
    question->space = tuple_text(arena, question->dataflow->space);
    question->time = tuple_text(arena, question->dataflow->time);
}

const sator_int *sator_model_footprints(struct sator_ctx *ctx, struct sator_workspace *workspace,
        const struct sator_workload *workload, enum sator_engine_choice engine,
        struct sator_arena *arena)
{
    /* The whole domain is one stamp. */
    const struct sator_relation *nothing = sator_relation_make(arena, workload->domain->in_name,
            workload->n_loops, workload->loop_names, "T", 0, NULL, NULL);
    const struct sator_stamping stamping = {
            .domain = workload->domain, .space = nothing, .time = nothing};
    struct sator_counter *counter = sator_workspace_counter(workspace, 0, ctx, engine, &stamping);
    sator_int *footprints = SATOR_NEW_ARRAY(arena, sator_int, workload->n_accesses + 1);

    for (int i = 0; i < workload->n_accesses; i++)
        footprints[i] = sator_count_footprint(counter, workload->accesses[i].relation);
    sator_counter_stop(counter);
    return footprints;
}

/* ---- workspaces ---- */

struct sator_workspace *sator_workspace_new(void)
{
    SATOR_CALL(NULL, return NULL)
    return sator_workspace_own();
}

struct sator_workspace *sator_workspace_own(void)
{
    struct sator_arena *arena = sator_arena_new();
    struct sator_workspace *workspace = sator_alloc(sizeof *workspace);

    *workspace = (struct sator_workspace){.arena = arena};
    return workspace;
}

enum sator_status sator_workspace_abandon(struct sator_workspace *workspace)
{
    workspace->counters = NULL;
    workspace->n_counters = 0;
    return SATOR_NOMEM;
}

void sator_workspace_free(struct sator_workspace *workspace)
{
    if (workspace == NULL)
        return;
    for (int i = 0; i < workspace->n_counters; i++)
        sator_counter_free(workspace->counters[i]);
    free(workspace->counters);
    sator_arena_free(workspace->arena);
    free(workspace);
}

struct sator_counter *sator_workspace_counter(struct sator_workspace *workspace, int index,
        struct sator_ctx *ctx, enum sator_engine_choice engine,
        const struct sator_stamping *stamping)
{
    assert(index <= workspace->n_counters);
    if (index < workspace->n_counters) {
        sator_counter_restart(workspace->counters[index], ctx, engine, stamping);
        return workspace->counters[index];
    }
    workspace->counters =
            sator_realloc(workspace->counters, sizeof *workspace->counters * (size_t)(index + 1));
    /* engines are opened when they are first asked: this cannot fail */
    (void)sator_counter_new(ctx, engine, stamping, &workspace->counters[index]);
    workspace->n_counters++;
    return workspace->counters[index];
}
