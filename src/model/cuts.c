/* What each memory holds at a time: its cut, as the dataflow declares it or as it follows from the
 * capacity, and the tiles that the cut makes (doc/model.md, section 4). */
#include "base/checked.h"
#include "base/text.h"
#include "model/analysis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- declared cuts ---- */

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
        } else if (sator_memory_holds(spec, tensor) &&
                !sator_lists(tensor, spec->n_may_bypass, spec->may_bypass)) {
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
    memory->result->cut_declared = cut->time != SATOR_CUT_UNSAID;
    memory->cut_loc = cut->loc;
    memory->n_bypass = cut->n_bypass;
    memory->bypass = cut->bypass;
    return check_bypass(analysis, memory);
}

/* Declared cuts grow inwards. */
static enum sator_status check_nesting(struct analysis *analysis)
{
    const struct memory *outer = NULL;
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < analysis->n_memories && st == SATOR_OK; i++) {
        const struct memory *inner = &analysis->memories[i];
        if (!inner->result->cut_declared)
            continue;
        if (outer != NULL && inner->time_cut < outer->time_cut) {
            st = sator_error(analysis->ctx, inner->cut_loc,
                    "the cut of '%s' takes %d time dimension%s, fewer than the %d of '%s' outside "
                    "it",
                    inner->level->name, inner->time_cut, inner->time_cut == 1 ? "" : "s",
                    outer->time_cut, outer->level->name);
            sator_help(analysis->ctx, "an inner level's contents change at least as often");
        }
        outer = inner;
    }
    return st;
}

static enum sator_status apply_cuts(struct analysis *analysis)
{
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < analysis->dataflow->n_cuts; i++) {
        const struct sator_cut *cut = &analysis->dataflow->cuts[i];
        struct memory *memory = NULL;
        for (int j = 0; j < analysis->n_memories && memory == NULL; j++) {
            if (strcmp(analysis->memories[j].level->name, cut->level) == 0)
                memory = &analysis->memories[j];
        }
        enum sator_status one =
                memory == NULL ? unknown_level(analysis, cut) : apply_cut(analysis, memory, cut);
        if (one != SATOR_OK)
            st = one;
    }
    return st == SATOR_OK ? check_nesting(analysis) : st;
}

/* ---- tiles ---- */

/* The tile of one access under the cut of "memory", which is counted once for each cut. */
static enum sator_status find_tile(struct analysis *analysis, struct memory *memory, int access)
{
    const struct sator_relation *relation = analysis->workload->accesses[access].relation;
    sator_int *words = &memory->tensors[access].tile_words;
    bool whole = memory->time_cut == 0 && memory->space_cut == 0;
    bool full = memory->time_cut == analysis->n_time && memory->space_cut == analysis->n_space;
    enum sator_status st = SATOR_OK;

    if (memory->tile_cuts[access] == memory->time_cut)
        return SATOR_OK;
    if (whole) /* one stamp, which holds everything */
        *words = analysis->full[access]->volumes.footprint;
    else if (full && analysis->result->max_instances_per_stamp == 1 &&
            sator_relation_function(relation) != NULL)
        *words = 1; /* a stamp is one instance, which touches one element */
    else
        SATOR_TRY(analysis_tile(analysis, memory->time_cut, memory->space_cut, access, words));
    memory->tile_cuts[access] = memory->time_cut;
done:
    return st;
}

/* The tiles of all tensors at "memory" under its cut. */
static enum sator_status find_tiles(struct analysis *analysis, struct memory *memory)
{
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        if (memory->held[i])
            SATOR_TRY(find_tile(analysis, memory, i));
    }
done:
    return st;
}

/* ---- capacities ---- */

/* The larger tile of the roles in which the tensor appears; 0 for the second and later roles. */
static enum sator_status find_stored(
        struct analysis *analysis, struct memory *memory, int access, sator_int *words)
{
    enum sator_status st = SATOR_OK;

    *words = 0;
    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        if (!memory->held[i] || strcmp(memory->tensors[i].name, memory->tensors[access].name) != 0)
            continue;
        if (i < access)
            return SATOR_OK;
        SATOR_TRY(find_tile(analysis, memory, i));
        if (memory->tensors[i].tile_words > *words)
            *words = memory->tensors[i].tile_words;
    }
done:
    return st;
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

static bool is_for(const struct memory *memory, const struct sator_capacity *capacity, int access)
{
    const char *tensor = memory->tensors[access].name;

    return memory->held[access] &&
            (capacity->tensor == NULL ? own_capacity(&memory->level->memory, tensor) == NULL
                                      : strcmp(capacity->tensor, tensor) == 0);
}

/* What a capacity has to hold, and has. */
struct need {
    sator_int words, bits;
    bool in_bytes;
    double available;
    bool fits;
};

/* The tiles of the tensors that "capacity" is for, under the memory's cut: as many of them as show
 * that they do not fit, or all; "parts" (or NULL) gets all, "A 16, B 32". */
static enum sator_status find_need(struct analysis *analysis, struct memory *memory,
        const struct sator_capacity *capacity, struct sator_text *parts, struct need *need)
{
    char number[48];
    enum sator_status st = SATOR_OK;

    *need = (struct need){.in_bytes = isnan(capacity->words), .fits = true};
    need->available = (need->in_bytes ? capacity->bytes : capacity->words) /
            (memory->level->memory.double_buffered ? 2 : 1);
    for (int i = 0; i < analysis->workload->n_accesses && (need->fits || parts != NULL); i++) {
        sator_int bits, words = 0;
        if (is_for(memory, capacity, i))
            SATOR_TRY(find_stored(analysis, memory, i, &words));
        if (!sator_mul(words, memory->named->word_bits[i], &bits) ||
                !sator_add(need->bits, bits, &need->bits) ||
                !sator_add(need->words, words, &need->words))
            return analysis_too_many(analysis, memory);
        need->fits =
                (need->in_bytes ? (double)need->bits / 8 : (double)need->words) <= need->available;
        if (parts != NULL && words > 0)
            sator_text_add(parts, "%s%s %s", parts->length == 0 ? "" : ", ",
                    memory->tensors[i].name, sator_int_format(words, ',', number));
    }
done:
    return st;
}

/* Report that the tiles do not fit "capacity", if so, with "say" about the cut. */
static enum sator_status report_need(struct analysis *analysis, struct memory *memory,
        const struct sator_capacity *capacity, const char *say)
{
    char needed[48], limit[48];
    struct sator_text parts = {0};
    struct need need;
    enum sator_status st;

    SATOR_TRY(find_need(analysis, memory, capacity, &parts, &need));
    if (need.fits)
        goto done;
    sator_error(analysis->ctx,
            memory->result->cut_declared ? memory->cut_loc : analysis->dataflow->time_loc,
            "%s needs %s %s, has %s%s (words: %s)%s", memory->level->name,
            sator_int_format(
                    need.in_bytes ? need.bits / 8 + (need.bits % 8 != 0) : need.words, ',', needed),
            need.in_bytes ? "bytes" : "words",
            sator_int_format((sator_int)need.available, ',', limit),
            memory->level->memory.double_buffered ? " of each of two buffers" : "", parts.data,
            say);
done:
    sator_text_clear(&parts);
    return st;
}

bool analysis_holds_two(struct analysis *analysis, struct memory *memory)
{
    const struct sator_memory *said = &memory->level->memory;
    struct need need;

    for (int i = 0; i < said->n_capacities && !said->double_buffered; i++) {
        if (find_need(analysis, memory, &said->capacities[i], NULL, &need) != SATOR_OK)
            return false;
        double used = need.in_bytes ? (double)need.bits / 8 : (double)need.words;
        if (2 * used > need.available)
            return false;
    }
    return true;
}

/* A tile that does not fit: an error, unless the question asks to be told otherwise. */
static enum sator_status refuse(struct analysis *analysis, struct memory *memory, int most)
{
    bool declared = memory->result->cut_declared;
    char say[96] = "";
    enum sator_status st = SATOR_OK;

    if (analysis->overflows != NULL) {
        *analysis->overflows = true;
        return SATOR_INPUT;
    }
    if (!declared)
        snprintf(say, sizeof say, ", though %s%d time dimension%s select%s what it holds",
                most > 2 ? "all " : "", most, most == 1 ? "" : "s", most == 1 ? "s" : "");
    if (!declared && most == 2)
        snprintf(say, sizeof say, ", though both time dimensions select what it holds");
    for (int i = 0; i < memory->level->memory.n_capacities; i++)
        SATOR_TRY(report_need(analysis, memory, &memory->level->memory.capacities[i], say));
    if (declared)
        sator_help(analysis->ctx,
                "the cut selects %d time and %d space dimensions: smaller tiles or more dimensions "
                "in the cut hold less at a time",
                memory->time_cut, memory->space_cut);
    else if (most < analysis->n_time)
        sator_help(analysis->ctx,
                "the cut of a memory inside it takes %d of the %d time dimensions, and it may take "
                "no more",
                most, analysis->n_time);
    else
        sator_help(analysis->ctx,
                "one time-stamp's data alone are more than it holds: run fewer instances in a "
                "stamp, or have a larger memory");
    st = SATOR_INPUT;
done:
    return st;
}

/* ---- derived cuts ---- */

/* Raise the memory's cut to the shortest prefix, of at most "most" time dimensions, whose tiles fit
 * "capacity". More dimensions never make a tile larger: where one does not fit, no shorter one
 * does. A memory outside all arrays is large, and asked from few dimensions on; one of a PE holds
 * little, and is asked from many on. */
static enum sator_status raise_cut(struct analysis *analysis, struct memory *memory,
        const struct sator_capacity *capacity, int most, bool *fits)
{
    int too_few = memory->time_cut, enough = most + 1;
    struct need need;
    enum sator_status st;

    SATOR_TRY(find_need(analysis, memory, capacity, NULL, &need));
    *fits = need.fits;
    if (need.fits)
        return SATOR_OK;
    while (too_few + 1 < enough) {
        memory->time_cut = memory->space_cut == 0 ? too_few + 1 : enough - 1;
        SATOR_TRY(find_need(analysis, memory, capacity, NULL, &need));
        if (need.fits)
            enough = memory->time_cut;
        else
            too_few = memory->time_cut;
    }
    *fits = enough <= most;
    memory->time_cut = *fits ? enough : most;
done:
    return st;
}

/* The shortest prefix of at least "least" and at most "most" time dimensions whose tiles fit: one
 * capacity after the other asks for the tiles of its own tensors alone. */
static enum sator_status derive_cut(
        struct analysis *analysis, struct memory *memory, int least, int most)
{
    const struct sator_memory *spec = &memory->level->memory;
    bool fit = true;
    enum sator_status st = SATOR_OK;

    memory->time_cut = least;
    for (int i = 0; i < spec->n_capacities && fit; i++)
        SATOR_TRY(raise_cut(analysis, memory, &spec->capacities[i], most, &fit));
    st = fit ? find_tiles(analysis, memory) : refuse(analysis, memory, most);
done:
    return st;
}

/* The least cut that is declared inside memory "outer". */
static int declared_inside(const struct analysis *analysis, int outer)
{
    for (int i = outer + 1; i < analysis->n_memories; i++) {
        if (analysis->memories[i].result->cut_declared)
            return analysis->memories[i].time_cut;
    }
    return analysis->n_time;
}

static enum sator_status find_cut(struct analysis *analysis, int index)
{
    struct memory *memory = &analysis->memories[index];
    int least = index == 0 ? 0 : analysis->memories[index - 1].time_cut;
    int most = declared_inside(analysis, index);

    if (memory->result->cut_declared)
        least = most = memory->time_cut;
    else if (memory->level->memory.n_capacities == 0)
        least = most = memory->space_cut == 0 ? least : most;
    return derive_cut(analysis, memory, least, most);
}

/* ---- memories ---- */

static void find_memories(struct analysis *analysis)
{
    int n = analysis->arch->n_levels, space = 0, n_accesses = analysis->workload->n_accesses;
    sator_int instances = 1;

    analysis->memories = SATOR_NEW_ARRAY(analysis->arena, struct memory, n + 1);
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
        struct memory *memory = &analysis->memories[analysis->n_memories];
        *memory = (struct memory){.level = level,
                .named = &analysis->model->levels[i],
                .result = &analysis->levels[analysis->n_memories],
                .tensors =
                        SATOR_NEW_ARRAY(analysis->arena, struct sator_level_tensor, n_accesses + 1),
                .held = SATOR_NEW_ARRAY(analysis->arena, bool, n_accesses + 1),
                .tile_cuts = SATOR_NEW_ARRAY(analysis->arena, int, n_accesses + 1),
                .entries = SATOR_NEW_ARRAY(analysis->arena, sator_int, n_accesses + 1),
                .space_cut = space};
        for (int k = 0; k < n_accesses; k++)
            memory->tile_cuts[k] = -1;
        memory->result->instances = instances;
        analysis->n_memories++;
    }
    analysis->result->n_levels = analysis->n_memories;
    analysis->result->levels = analysis->levels;
}

static void find_holders(struct analysis *analysis)
{
    for (int m = 0; m < analysis->n_memories; m++) {
        struct memory *memory = &analysis->memories[m];
        for (int i = 0; i < analysis->workload->n_accesses; i++) {
            const struct sator_access *access = &analysis->workload->accesses[i];
            memory->held[i] = sator_memory_holds(&memory->level->memory, access->tensor) &&
                    !sator_lists(access->tensor, memory->n_bypass, memory->bypass);
            memory->tensors[i] = (struct sator_level_tensor){
                    .name = analysis->tensors[i].name, .role = access->role};
        }
    }
}

enum sator_status analysis_cuts(struct analysis *analysis)
{
    enum sator_status st;

    find_memories(analysis);
    SATOR_TRY(apply_cuts(analysis));
    find_holders(analysis);
    for (int i = 0; i < analysis->n_memories; i++) {
        enum sator_status one = find_cut(analysis, i);
        /* Declared cuts do not follow from each other: all that do not fit are said. */
        if (one != SATOR_OK &&
                (one != SATOR_INPUT || !analysis->memories[i].result->cut_declared ||
                        analysis->overflows != NULL))
            SATOR_TRY(one);
        st = one == SATOR_OK ? st : one;
    }
done:
    return st;
}

bool analysis_is_whole(const struct analysis *analysis, const struct memory *memory)
{
    return memory->space_cut == 0 &&
            sator_time_reach(analysis->arena, analysis->workload, analysis->dataflow->time, 0) >=
            memory->time_cut;
}
