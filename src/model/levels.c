/* Memory levels: what each holds, and what moves between them (doc/model.md, section 4). */
#include "base/checked.h"
#include "base/text.h"
#include "model/analysis.h"

#include <math.h>
#include <string.h>

/* One memory with its cut. */
struct memory {
    const struct sator_level *level;
    const struct model_level *named;
    struct sator_level_result *result;
    struct sator_level_tensor *tensors; /* one an access; "held" tells which count */
    bool *held;
    sator_int *merged; /* outputs: words that reduction trees merge on the way up from here */
    int time_cut, space_cut;
    int n_bypass; /* tensors that the dataflow has bypass it */
    const char *const *bypass;
    struct sator_loc cut_loc;
};

struct hierarchy {
    struct analysis *analysis;
    int n_memories;
    struct memory *memories; /* outermost first */
};

/* ---- cuts ---- */

static enum sator_status unknown_level(struct analysis *analysis, const struct sator_cut *cut)
{
    const char **names = NULL;
    int n_names = 0;

    for (int i = 0; i < analysis->arch->n_levels; i++) {
        if (analysis->arch->levels[i].kind == SATOR_LEVEL_MEMORY)
            SATOR_PUSH(analysis->arena, names, n_names, analysis->arch->levels[i].name);
    }
    sator_error(analysis->ctx, cut->loc, "'%s' is no memory level of '%s'", cut->level,
            analysis->arch->name);
    sator_help_names(analysis->ctx, cut->level, names, n_names);
    return SATOR_INPUT;
}

/* A dataflow may have tensors bypass a memory that leaves this open. */
static enum sator_status check_bypass(struct analysis *analysis, const struct memory *memory)
{
    const struct sator_memory *spec = &memory->level->memory;
    const struct sator_workload *w = analysis->workload;
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < memory->n_bypass; i++) {
        const char *tensor = memory->bypass[i];
        bool known = false;
        for (int a = 0; a < w->n_accesses; a++)
            known |= strcmp(w->accesses[a].tensor, tensor) == 0;
        if (!known) {
            st = sator_error(analysis->ctx, memory->cut_loc,
                    "'%s' bypasses '%s', but workload '%s' has no such tensor", tensor,
                    memory->level->name, w->name);
        } else if (model_holds(spec, tensor) &&
                !model_lists(tensor, spec->n_may_bypass, spec->may_bypass)) {
            st = sator_error(analysis->ctx, memory->cut_loc,
                    "'%s' of '%s' holds '%s': a dataflow cannot have it bypassed",
                    memory->level->name, analysis->arch->name, tensor);
            sator_help(
                    analysis->ctx, "'may_bypass: [%s]' in the architecture leaves it open", tensor);
        }
    }
    return st;
}

static enum sator_status apply_cut(
        struct analysis *analysis, struct memory *memory, const struct sator_cut *cut)
{
    int below = memory->space_cut; /* dimensions of the arrays above the memory */

    if (cut->time > analysis->n_time) {
        sator_error(analysis->ctx, cut->loc, "the cut of '%s' takes %d time dimension%s",
                cut->level, cut->time, cut->time == 1 ? "" : "s");
        sator_help(analysis->ctx, "the time-stamp has %d", analysis->n_time);
        return SATOR_INPUT;
    }
    if (cut->space >= 0 && cut->space != below) {
        sator_error(analysis->ctx, cut->loc, "the cut of '%s' takes %d space dimension%s",
                cut->level, cut->space, cut->space == 1 ? "" : "s");
        sator_help(analysis->ctx, "the arrays above '%s' have %d", cut->level, below);
        return SATOR_INPUT;
    }
    memory->time_cut = cut->time < 0 ? analysis->n_time : cut->time;
    memory->result->cut_declared = true;
    memory->cut_loc = cut->loc;
    memory->n_bypass = cut->n_bypass;
    memory->bypass = cut->bypass;
    return check_bypass(analysis, memory);
}

static enum sator_status find_cuts(struct hierarchy *hierarchy)
{
    struct analysis *analysis = hierarchy->analysis;
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < analysis->dataflow->n_cuts; i++) {
        const struct sator_cut *cut = &analysis->dataflow->cuts[i];
        struct memory *memory = NULL;
        for (int j = 0; j < hierarchy->n_memories && memory == NULL; j++) {
            if (strcmp(hierarchy->memories[j].level->name, cut->level) == 0)
                memory = &hierarchy->memories[j];
        }
        enum sator_status one =
                memory == NULL ? unknown_level(analysis, cut) : apply_cut(analysis, memory, cut);
        if (one != SATOR_OK)
            st = one;
    }
    for (int i = 1; i < hierarchy->n_memories && st == SATOR_OK; i++) {
        const struct memory *outer = &hierarchy->memories[i - 1];
        const struct memory *inner = &hierarchy->memories[i];
        if (inner->time_cut >= outer->time_cut)
            continue;
        const struct memory *declared = inner->result->cut_declared ? inner : outer;
        st = sator_error(analysis->ctx, declared->cut_loc,
                "the cut of '%s' takes %d time dimension%s, fewer than the %d of '%s' outside it",
                inner->level->name, inner->time_cut, inner->time_cut == 1 ? "" : "s",
                outer->time_cut, outer->level->name);
        sator_help(analysis->ctx, "an inner level's contents change at least as often");
    }
    return st;
}

/* A memory above every array holds everything by default, one below an array a single stamp's data.
 */
static void find_memories(struct hierarchy *hierarchy)
{
    struct analysis *analysis = hierarchy->analysis;
    struct sator_result *result = analysis->result;
    int n = analysis->arch->n_levels, space = 0, n_accesses = analysis->workload->n_accesses;
    sator_int instances = 1;

    hierarchy->memories = SATOR_NEW_ARRAY(analysis->arena, struct memory, n + 1);
    analysis->levels = SATOR_NEW_ARRAY(analysis->arena, struct sator_level_result, n + 1);
    for (int i = 0; i < n; i++) {
        const struct sator_level *level = &analysis->arch->levels[i];
        if (level->kind == SATOR_LEVEL_ARRAY) {
            for (int d = 0; d < level->array.n_dims; d++)
                instances *= level->array.shape[d];
            space += level->array.n_dims;
        }
        if (level->kind != SATOR_LEVEL_MEMORY)
            continue;
        struct memory *memory = &hierarchy->memories[hierarchy->n_memories];
        *memory = (struct memory){.level = level,
                .named = &analysis->model->levels[i],
                .result = &analysis->levels[hierarchy->n_memories],
                .tensors =
                        SATOR_NEW_ARRAY(analysis->arena, struct sator_level_tensor, n_accesses + 1),
                .held = SATOR_NEW_ARRAY(analysis->arena, bool, n_accesses + 1),
                .merged = SATOR_NEW_ARRAY(analysis->arena, sator_int, n_accesses + 1),
                .time_cut = space == 0 ? 0 : analysis->n_time,
                .space_cut = space};
        memory->result->instances = instances;
        hierarchy->n_memories++;
    }
    result->n_levels = hierarchy->n_memories;
    result->levels = analysis->levels;
}

/* ---- transfers ---- */

static void add_network_energy(struct analysis *analysis, const struct transfer *transfer)
{
    const struct sator_model_network *network = transfer->network;

    for (int i = 0; i < network->n_links; i++)
        analysis_add_energy(
                analysis, network->names[i], transfer->volumes.by_link[i], &network->energy_pj[i]);
    for (int i = 0; i < network->n_buses; i++)
        analysis_add_energy(analysis, network->names[network->n_links + i],
                transfer->volumes.by_bus[i], &network->energy_pj[network->n_links + i]);
}

/* Words that "volumes" moves out of (reads) and into (updates) the level above. */
static void charge_parent(struct memory *parent, int access, const struct sator_volumes *volumes)
{
    struct sator_level_tensor *above = &parent->tensors[access];

    if (above->role == SATOR_READ) {
        above->reads += volumes->unique;
    } else {
        above->reads += volumes->unique - volumes->footprint;
        above->updates += volumes->unique;
    }
}

static enum sator_status find_tile(
        struct analysis *analysis, const struct memory *memory, int access, sator_int *words)
{
    if (memory->time_cut == 0 && memory->space_cut == 0) { /* one stamp, which holds everything */
        *words = analysis->full[access]->volumes.footprint;
        return SATOR_OK;
    }
    bool full = memory->time_cut == analysis->n_time && memory->space_cut == analysis->n_space;
    if (full && analysis->result->max_instances_per_stamp == 1 &&
            sator_relation_function(analysis->workload->accesses[access].relation) != NULL) {
        *words = 1; /* a stamp is one instance, which touches one element */
        return SATOR_OK;
    }
    return sator_count_tile(analysis_counter(analysis, memory->time_cut, memory->space_cut),
            analysis->workload->accesses[access].relation, words);
}

/* From "parent" (NULL: nobody holds it outside) into "memory". */
static enum sator_status fill_level(
        struct analysis *analysis, struct memory *parent, struct memory *memory, int access)
{
    struct sator_level_tensor *tensor = &memory->tensors[access];
    const struct transfer *transfer;
    enum sator_status st;

    SATOR_TRY(find_tile(analysis, memory, access, &tensor->tile_words));
    if (parent == NULL)
        return SATOR_OK;
    SATOR_TRY(analysis_transfer(
            analysis, memory->time_cut, memory->space_cut, parent->space_cut, access, &transfer));
    const struct sator_volumes *volumes = &transfer->volumes;
    if (tensor->role == SATOR_READ) {
        tensor->fills = volumes->unique;
        tensor->writes = volumes->total - volumes->temporal;
    } else {
        tensor->fills = volumes->unique - volumes->footprint;
        tensor->writes = tensor->fills;
    }
    for (int i = 0; i < transfer->network->n_buses; i++)
        memory->merged[access] += volumes->by_bus[i];
    charge_parent(parent, access, volumes);
    add_network_energy(analysis, transfer);
done:
    return st;
}

/* From the innermost holder to the compute units. */
static enum sator_status serve_compute(struct analysis *analysis, struct memory *memory, int access)
{
    struct sator_level_tensor *tensor = &memory->tensors[access];
    const struct sator_volumes *full = &analysis->full[access]->volumes;
    const struct transfer *transfer;
    enum sator_status st;

    if (memory->space_cut == analysis->n_space) { /* the PE's own memory */
        bool reads = tensor->role == SATOR_READ;
        tensor->reads +=
                reads ? full->access : full->access - full->footprint - memory->merged[access];
        tensor->updates += reads ? 0 : full->access;
        return SATOR_OK;
    }
    SATOR_TRY(analysis_transfer(
            analysis, analysis->n_time, analysis->n_space, memory->space_cut, access, &transfer));
    charge_parent(memory, access, &transfer->volumes);
    add_network_energy(analysis, transfer);
done:
    return st;
}

static enum sator_status move_tensor(struct hierarchy *hierarchy, int access)
{
    struct analysis *analysis = hierarchy->analysis;
    const struct sator_access *what = &analysis->workload->accesses[access];
    struct memory *parent = NULL;
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < hierarchy->n_memories; i++) {
        struct memory *memory = &hierarchy->memories[i];
        memory->held[access] = model_holds(&memory->level->memory, what->tensor) &&
                !model_lists(what->tensor, memory->n_bypass, memory->bypass);
        memory->tensors[access] = (struct sator_level_tensor){
                .name = analysis->tensors[access].name, .role = what->role};
        if (!memory->held[access])
            continue;
        SATOR_TRY(fill_level(analysis, parent, memory, access));
        parent = memory;
    }
    if (parent != NULL)
        SATOR_TRY(serve_compute(analysis, parent, access));
    else if (hierarchy->n_memories > 0)
        st = sator_error(analysis->ctx, analysis->arch->loc,
                "no memory level of '%s' holds tensor '%s'", analysis->arch->name, what->tensor);
done:
    return st;
}

/* ---- capacities ---- */

/* The larger tile of the roles in which the tensor appears; 0 for the second and later roles. */
static sator_int stored_words(const struct memory *memory, int n_accesses, int access)
{
    sator_int words = 0;

    for (int i = 0; i < n_accesses; i++) {
        bool same = memory->held[i] &&
                strcmp(memory->tensors[i].name, memory->tensors[access].name) == 0;
        if (same && i < access)
            return 0;
        if (same && memory->tensors[i].tile_words > words)
            words = memory->tensors[i].tile_words;
    }
    return words;
}

static const struct sator_capacity *own_capacity(
        const struct sator_memory *memory, const char *tensor)
{
    for (int i = 0; i < memory->n_capacities; i++) {
        const char *owner = memory->capacities[i].tensor;
        if (owner != NULL && tensor != NULL && strcmp(owner, tensor) == 0)
            return &memory->capacities[i];
    }
    return NULL;
}

/* A sum over tensors, of which each fits. */
static enum sator_status too_many(struct analysis *analysis, const struct memory *memory)
{
    static const struct sator_loc nowhere;

    sator_error(analysis->ctx, nowhere,
            "the words of all tensors together at level '%s' do not fit into 128 bits",
            memory->level->name);
    return SATOR_OVERFLOW;
}

/* What a capacity has to hold. */
struct need {
    sator_int words, bits;
    struct sator_text parts; /* "A 16, B 32" */
};

/* The tiles of the tensors that "capacity" is for. */
static enum sator_status find_need(struct hierarchy *hierarchy, const struct memory *memory,
        const struct sator_capacity *capacity, struct need *need)
{
    struct analysis *analysis = hierarchy->analysis;
    int n_accesses = analysis->workload->n_accesses;
    char number[48];

    for (int i = 0; i < n_accesses; i++) {
        const char *tensor = memory->tensors[i].name;
        bool counts = memory->held[i] &&
                (capacity->tensor == NULL ? own_capacity(&memory->level->memory, tensor) == NULL
                                          : strcmp(capacity->tensor, tensor) == 0);
        sator_int bits, words = counts ? stored_words(memory, n_accesses, i) : 0;
        if (words == 0)
            continue;
        if (!sator_mul(words, analysis->workload->accesses[i].word_bits, &bits) ||
                !sator_add(need->bits, bits, &need->bits) ||
                !sator_add(need->words, words, &need->words))
            return too_many(analysis, memory);
        sator_text_add(&need->parts, "%s%s %s", need->parts.length == 0 ? "" : ", ", tensor,
                sator_int_format(words, ',', number));
    }
    return SATOR_OK;
}

/* Report tensors that together (or alone) do not fit "capacity". */
static enum sator_status check_capacity(struct hierarchy *hierarchy, const struct memory *memory,
        const struct sator_capacity *capacity)
{
    struct analysis *analysis = hierarchy->analysis;
    bool in_bytes = isnan(capacity->words);
    bool two_buffers = memory->level->memory.double_buffered;
    double available = (in_bytes ? capacity->bytes : capacity->words) / (two_buffers ? 2 : 1);
    struct need need = {0};
    char needed[48], limit[48];
    enum sator_status st;

    SATOR_TRY(find_need(hierarchy, memory, capacity, &need));
    if ((in_bytes ? (double)need.bits / 8 : (double)need.words) <= available)
        goto done;
    st = sator_error(analysis->ctx, memory->cut_loc, "%s needs %s %s, has %s%s (words: %s)",
            memory->level->name,
            sator_int_format(
                    in_bytes ? need.bits / 8 + (need.bits % 8 != 0) : need.words, ',', needed),
            in_bytes ? "bytes" : "words", sator_int_format((sator_int)available, ',', limit),
            two_buffers ? " of each of two buffers" : "", need.parts.data);
    sator_help(analysis->ctx,
            "the cut selects %d time and %d space dimensions: smaller tiles or more dimensions in "
            "the cut hold less at a time",
            memory->time_cut, memory->space_cut);
done:
    sator_text_clear(&need.parts);
    return st;
}

/* Of the memories whose cut is declared; a default cut claims nothing about what fits. */
static enum sator_status check_capacities(struct hierarchy *hierarchy)
{
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < hierarchy->n_memories; i++) {
        const struct memory *memory = &hierarchy->memories[i];
        int n_capacities = memory->result->cut_declared ? memory->level->memory.n_capacities : 0;
        for (int j = 0; j < n_capacities; j++) {
            enum sator_status one =
                    check_capacity(hierarchy, memory, &memory->level->memory.capacities[j]);
            if (one != SATOR_OK)
                st = one;
        }
    }
    return st;
}

/* ---- results ---- */

/* All capacities together in words, in bytes: NAN when some are given in the other, or none is. */
static void set_capacity(const struct sator_memory *memory, struct sator_level_result *result)
{
    result->capacity_words = result->capacity_bytes = memory->n_capacities == 0 ? NAN : 0;
    for (int i = 0; i < memory->n_capacities; i++) {
        result->capacity_words += memory->capacities[i].words;
        result->capacity_bytes += memory->capacities[i].bytes;
    }
}

static enum sator_status finish_level(struct hierarchy *hierarchy, struct memory *memory)
{
    struct analysis *analysis = hierarchy->analysis;
    const struct sator_memory *spec = &memory->level->memory;
    struct sator_level_result *result = memory->result;
    struct sator_level_tensor *tensors = SATOR_NEW_ARRAY(
            analysis->arena, struct sator_level_tensor, analysis->workload->n_accesses + 1);
    sator_int reads = 0, writes = 0;
    double read_bits = 0, write_bits = 0;

    result->name = memory->named->name;
    result->time_cut = memory->time_cut;
    result->space_cut = memory->space_cut;
    set_capacity(spec, result);
    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        const struct sator_level_tensor *tensor = &memory->tensors[i];
        double bits = analysis->workload->accesses[i].word_bits;
        if (!memory->held[i])
            continue;
        tensors[result->n_tensors++] = *tensor;
        if (!sator_add(reads, tensor->reads, &reads) ||
                !sator_add(writes, tensor->writes, &writes) ||
                !sator_add(writes, tensor->updates, &writes))
            return too_many(analysis, memory);
        read_bits += bits * (double)tensor->reads;
        write_bits += bits * ((double)tensor->writes + (double)tensor->updates);
    }
    result->tensors = tensors;
    result->read_cycles = read_bits / (spec->read_bits * (double)result->instances);
    result->write_cycles = write_bits / (spec->write_bits * (double)result->instances);
    if (memory->level == analysis->scratchpad) {
        analysis->scratchpad_read_bits = read_bits;
        analysis->scratchpad_write_bits = write_bits;
    } else if (analysis->has_cuts) {
        analysis->slowest_read_cycles = fmax(analysis->slowest_read_cycles, result->read_cycles);
        analysis->slowest_write_cycles = fmax(analysis->slowest_write_cycles, result->write_cycles);
    }
    analysis_add_energy(analysis, memory->named->read_name, reads, &memory->named->read_pj);
    analysis_add_energy(analysis, memory->named->write_name, writes, &memory->named->write_pj);
    return SATOR_OK;
}

enum sator_status analysis_levels(struct analysis *analysis)
{
    struct hierarchy hierarchy = {.analysis = analysis};
    enum sator_status st;

    find_memories(&hierarchy);
    SATOR_TRY(find_cuts(&hierarchy));
    for (int i = 0; i < analysis->workload->n_accesses; i++)
        SATOR_TRY(move_tensor(&hierarchy, i));
    SATOR_TRY(check_capacities(&hierarchy));
    for (int i = 0; i < hierarchy.n_memories; i++)
        SATOR_TRY(finish_level(&hierarchy, &hierarchy.memories[i]));
done:
    return st;
}
