/* What would make an analysed dataflow faster: bandwidth of the ports that bind, or a larger memory
 * that fetches less often. Every figure is the one that an analysis of the changed machine has,
 * none is a guess.
 */
#include "sator/analyze.h"

#include "api/plan.h"
#include "arch/arch.h"
#include "base/arguments.h"
#include "base/context.h"
#include "relation/workload.h"

#include <math.h>
#include <string.h>

enum {
    MOST_TIMES = 64, /* as much bandwidth as there is, or on average, is tried */
    FOLLOWED_WORK = 1 << 20 /* of an analysis that is done again and again */
};

/* What is asked about, and what was answered so far. */
struct adviser {
    struct sator_ctx *ctx;
    const struct sator_network *network;
    int layer;
    const struct sator_arch *arch;
    const struct sator_dataflow *dataflow;
    const struct sator_analyze_options *options;
    struct sator_result *result; /* its arena owns the advice */
    struct sator_advice *items;
};

static void add(struct adviser *adviser, struct sator_advice item)
{
    SATOR_PUSH(adviser->result->arena, adviser->items, adviser->result->n_advice, item);
}

/* The analysis on a changed machine; what it has to say is not for the user. The order of
 * instances was checked where the result was made: it does not depend on the machine. */
static enum sator_status analyze(const struct adviser *adviser, const struct sator_arch *arch,
        const struct sator_dataflow *dataflow, struct sator_result **result)
{
    struct sator_hush before;

    sator_ctx_hush(adviser->ctx, &before);
    enum sator_status st = sator_plan_analyze(adviser->ctx, adviser->network, adviser->layer, arch,
            dataflow, adviser->options, true, result);
    sator_ctx_unhush(adviser->ctx, &before);
    if (st == SATOR_OK && strcmp((*result)->timing, adviser->result->timing) != 0) {
        sator_result_free(*result); /* its phases are not known: not to be compared */
        st = SATOR_DECLINED;
    }
    return st;
}

static int index_of(const struct sator_arch *arch, const char *level)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (strcmp(arch->levels[i].name, level) == 0)
            return i;
    }
    return -1;
}

/* ---- bandwidths ---- */

/* Give the lane of "level" that is called "name" so many bits a cycle. */
static void widen(
        struct sator_arena *arena, struct sator_level *level, const char *name, double bits)
{
    struct sator_memory *memory = &level->memory;
    struct sator_port *ports =
            sator_arena_copy(arena, memory->ports, sizeof *ports * (size_t)memory->n_ports);
    int n_lanes;
    const struct sator_lane *lanes = sator_memory_lanes(arena, level, &n_lanes);

    for (int i = 0; i < n_lanes; i++) {
        if (strcmp(lanes[i].name, name) != 0)
            continue;
        double *read = &memory->read_bits, *write = &memory->write_bits;
        if (lanes[i].port != NULL) {
            struct sator_port *port = &ports[lanes[i].port - memory->ports];
            read = &port->read_bits;
            write = &port->write_bits;
        }
        *(lanes[i].reads ? read : write) = bits;
    }
    memory->ports = ports;
}

/* Of the ports that are slower than computing the next one after "before" (NULL: the slowest). */
static const struct sator_port_result *slowest_below(
        const struct sator_result *result, const struct sator_port_result *before)
{
    const struct sator_port_result *slowest = NULL;

    for (int i = 0; i < result->n_ports; i++) {
        const struct sator_port_result *port = &result->ports[i];
        bool is_after = before == NULL || port->cycles < before->cycles ||
                (port->cycles == before->cycles && port > before);
        if (is_after && port->cycles > result->compute_cycles &&
                (slowest == NULL || port->cycles > slowest->cycles))
            slowest = port;
    }
    return slowest;
}

/* As much bandwidth at every port as makes it as fast as compute, the slowest first: each with
 * those before it. No bandwidth changes a count, so that the roofline is known from these. */
static void advise_bandwidths(struct adviser *adviser)
{
    const struct sator_result *result = adviser->result;
    struct sator_arena *arena = sator_arena_new();
    double *cycles = SATOR_NEW_ARRAY(arena, double, result->n_ports);
    const struct sator_port_result *port = NULL;

    for (int i = 0; i < result->n_ports; i++)
        cycles[i] = result->ports[i].cycles;
    while ((port = slowest_below(result, port)) != NULL) {
        double needed = ceil((double)port->bits / result->compute_cycles);
        struct sator_advice item = {.port = port->name,
                .factor = needed / port->bandwidth_bits,
                .needed = needed,
                .bound_by = "compute",
                .total_cycles = result->compute_cycles};
        cycles[port - result->ports] = (double)port->bits / needed;
        for (int i = 0; i < result->n_ports; i++) {
            if (cycles[i] > item.total_cycles) { /* not where it is NAN */
                item.bound_by = result->ports[i].name;
                item.total_cycles = cycles[i];
            }
        }
        add(adviser, item);
    }
    sator_arena_free(arena);
}

/* ---- bandwidths, by the scheduled time ---- */

/* A machine on the way to a faster one, and what an analysis of it has. */
struct wider {
    struct sator_arena *arena;
    struct sator_arch arch;
    struct sator_level *levels;
    const struct sator_result *now;
    bool *taken; /* by port: was advised, or gains nothing */
};

static struct sator_level *level_of(
        const struct adviser *adviser, const struct wider *w, const struct sator_port_result *port)
{
    return &w->levels[index_of(adviser->arch, adviser->result->levels[port->level].name)];
}

/* The latency with "bits" a cycle at the port, and (not NULL) the cycles by which runs are longer
 * for its sake; NAN where phases are not known, or take many instances to be followed. */
static double try_bits(const struct adviser *adviser, const struct wider *w,
        const struct sator_port_result *port, double bits, double *stalled)
{
    struct sator_level *level = level_of(adviser, w, port), before = *level;
    struct sator_result *changed = NULL;
    double total = NAN, own = NAN;

    widen(w->arena, level, port->name, bits);
    if (analyze(adviser, &w->arch, adviser->dataflow, &changed) == SATOR_OK) {
        for (int i = 0; i < changed->n_ports; i++) {
            if (strcmp(changed->ports[i].name, port->name) == 0)
                own = changed->ports[i].stalled_cycles;
        }
        total = changed->total_cycles;
        sator_result_free(changed);
    }
    *level = before;
    if (stalled != NULL)
        *stalled = adviser->ctx->work_done > FOLLOWED_WORK ? NAN : own;
    return total;
}

static double stalls(const struct adviser *adviser, const struct wider *w,
        const struct sator_port_result *port, double bits)
{
    double cycles;

    (void)try_bits(adviser, w, port, bits, &cycles);
    return cycles;
}

/* The least whole bits a cycle with which "port" makes no run wait, or (where a transfer begins
 * with a wait) no longer than with any: the stamps that need most decide, not the mean. NAN where
 * that is not known. */
static double least_bits(const struct adviser *adviser, const struct wider *w,
        const struct sator_port_result *port, double mean)
{
    double most = MOST_TIMES * fmax(mean, ceil(port->bandwidth_bits)), high = most;
    double low = fmax(floor(port->bandwidth_bits), 0);
    const double least = stalls(adviser, w, port, most);

    if (isnan(least))
        return NAN;
    for (double bits = 2 * low + 1; bits < high; bits *= 2) {
        if (!(stalls(adviser, w, port, bits) > least))
            high = bits;
        else
            low = bits;
    }
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (stalls(adviser, w, port, middle) > least)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The port of a memory to be widened next: the one that runs wait for most; where none is waited
 * for, the one that is busy longest beyond what computing takes. */
static int most_waited_for(const struct wider *w)
{
    const struct sator_port_result *ports = w->now->ports;
    int most = -1;

    for (int i = 0; i < w->now->n_ports; i++) {
        if (!w->taken[i] && ports[i].level >= 0 && ports[i].bits >= 0 &&
                ports[i].stalled_cycles > 0 &&
                (most < 0 || ports[i].stalled_cycles > ports[most].stalled_cycles))
            most = i;
    }
    for (int i = 0, waits = most; i < w->now->n_ports && waits < 0; i++) {
        if (!w->taken[i] && ports[i].cycles > w->now->compute_cycles &&
                (most < 0 || ports[i].cycles > ports[most].cycles))
            most = i;
    }
    return most;
}

/* The same by the scheduled time, for as long as that makes it less. */
static void advise_waits(struct adviser *adviser)
{
    struct sator_result *result = adviser->result, *changed = NULL, *last = NULL;
    struct wider w = {.arena = sator_arena_new(), .arch = *adviser->arch, .now = result};
    int i;

    w.levels = sator_arena_copy(w.arena, w.arch.levels, sizeof *w.levels * (size_t)w.arch.n_levels);
    w.arch.levels = w.levels;
    w.taken = SATOR_NEW_ARRAY(w.arena, bool, result->n_ports + 1);
    while ((i = most_waited_for(&w)) >= 0) {
        const struct sator_port_result *port = &result->ports[i];
        struct sator_level *level = level_of(adviser, &w, port), before = *level;
        double mean = ceil((double)port->bits / result->compute_cycles), needed = NAN;
        w.taken[i] = true;
        if (w.now->ports[i].stalled_cycles > 0)
            needed = least_bits(adviser, &w, port, mean);
        if (isnan(needed) ||
                (needed < mean &&
                        try_bits(adviser, &w, port, needed, NULL) >
                                try_bits(adviser, &w, port, mean, NULL)))
            needed = mean; /* less is waited for between runs, too */
        widen(w.arena, level, port->name, needed);
        if (analyze(adviser, &w.arch, adviser->dataflow, &changed) != SATOR_OK)
            break;
        if (changed->total_cycles >= w.now->total_cycles) {
            sator_result_free(changed);
            *level = before;
            continue;
        }
        sator_result_free(last);
        w.now = last = changed;
        add(adviser,
                (struct sator_advice){.port = port->name,
                        .factor = needed / port->bandwidth_bits,
                        .needed = needed,
                        .bound_by = sator_arena_strdup(result->arena, changed->bound_by),
                        .total_cycles = changed->total_cycles});
    }
    sator_result_free(last);
    sator_arena_free(w.arena);
}

/* ---- capacities ---- */

static int bits_of(const struct sator_result *result, const char *tensor)
{
    for (int i = 0; i < result->n_tensors; i++) {
        if (strcmp(result->tensors[i].name, tensor) == 0)
            return result->tensors[i].word_bits;
    }
    return 0;
}

/* The bytes, or words, that one instance has to have for its tiles. */
static double room_needed(const struct sator_result *result, const struct sator_level_result *level,
        const struct sator_memory *memory, bool in_words)
{
    double room = 0;

    for (int i = 0; i < level->n_tensors; i++) {
        const struct sator_level_tensor *tensor = &level->tensors[i];
        sator_int words = tensor->tile_words;
        bool counted = false; /* in its other role */
        for (int k = 0; k < level->n_tensors; k++) {
            const struct sator_level_tensor *other = &level->tensors[k];
            if (k == i || strcmp(other->name, tensor->name) != 0)
                continue;
            counted |= other->tile_words > words || (other->tile_words == words && k < i);
        }
        room += counted ? 0 : (double)words * (in_words ? 8 : bits_of(result, tensor->name));
    }
    return ceil(room / 8) * (memory->double_buffered ? 2 : 1);
}

/* The analysis with the memory holding what "cut" leading rows of time select, whatever its size.
 */
static enum sator_status try_cut(const struct adviser *adviser, int index,
        const struct sator_level_result *level, int cut, struct sator_result **result)
{
    struct sator_arena *arena = sator_arena_new();
    const struct sator_arch *arch = adviser->arch;
    struct sator_level *levels =
            sator_arena_copy(arena, arch->levels, sizeof *levels * (size_t)arch->n_levels);
    struct sator_arch larger = *arch;
    struct sator_dataflow dataflow = *adviser->dataflow;
    struct sator_cut *cuts = SATOR_NEW_ARRAY(arena, struct sator_cut, dataflow.n_cuts + 1);
    int n = 0;

    levels[index].memory.n_capacities = 0;
    larger.levels = levels;
    for (int i = 0; i < dataflow.n_cuts; i++) {
        if (strcmp(dataflow.cuts[i].level, level->name) != 0)
            cuts[n++] = dataflow.cuts[i];
    }
    cuts[n++] = (struct sator_cut){.level = level->name, .time = cut, .space = level->space_cut};
    dataflow.cuts = cuts;
    dataflow.n_cuts = n;
    enum sator_status st = analyze(adviser, &larger, &dataflow, result);
    sator_arena_free(arena);
    return st;
}

/* The least capacity of one memory with which something else decides; failing that, the one with
 * the least latency. A memory without a capacity, or one whose contents the dataflow declares,
 * holds what it holds. */
static void advise_capacity(struct adviser *adviser, int inner)
{
    struct sator_result *result = adviser->result;
    const struct sator_level_result *level = &result->levels[inner];
    int index = index_of(adviser->arch, level->name);
    int outer = inner == 0 ? 0 : result->levels[inner - 1].time_cut;
    const struct sator_memory *memory = &adviser->arch->levels[index].memory;
    struct sator_advice best = {.total_cycles = result->total_cycles};
    bool moved = false; /* the bound */
    bool in_words = !isnan(level->capacity_words);

    if (level->cut_declared || memory->n_capacities == 0 ||
            (isnan(level->capacity_bytes) && !in_words)) /* in both */
        return;
    for (int cut = level->time_cut - 1; cut >= outer && !moved; cut--) {
        struct sator_result *larger = NULL;
        if (try_cut(adviser, index, level, cut, &larger) != SATOR_OK)
            break;
        if (larger->total_cycles < best.total_cycles) {
            moved = strcmp(larger->bound_by, result->bound_by) != 0;
            best = (struct sator_advice){.memory = level->name,
                    .needed = room_needed(larger, &larger->levels[inner], memory, in_words),
                    .in_words = in_words,
                    .bound_by = sator_arena_strdup(result->arena, larger->bound_by),
                    .total_cycles = larger->total_cycles};
        }
        sator_result_free(larger);
    }
    best.factor = best.needed / (in_words ? level->capacity_words : level->capacity_bytes);
    if (best.memory != NULL)
        add(adviser, best);
}

enum sator_status sator_advise(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options, struct sator_result *result)
{
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && dataflow != NULL && result != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_NUMBER(ctx, layer, 0, network->n_layers - 1);
    struct sator_analyze_options own;
    enum sator_status taken = sator_analyze_take_options(ctx, options, &own);
    if (taken != SATOR_OK)
        return taken;
    struct adviser adviser = {.ctx = ctx,
            .network = network,
            .layer = layer,
            .arch = arch,
            .dataflow = dataflow,
            .options = &own,
            .result = result};

    if (strcmp(result->model, "sator") != 0 || result->total_cycles <= result->compute_cycles)
        return SATOR_OK;
    if (strcmp(result->timing, "scheduled") == 0)
        advise_waits(&adviser);
    else
        advise_bandwidths(&adviser);
    for (int i = 0; i < result->n_levels; i++)
        advise_capacity(&adviser, i);
    result->advice = adviser.items;
    return SATOR_OK;
}

enum sator_status sator_advise_network(struct sator_ctx *ctx, const struct sator_network *network,
        const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options, struct sator_network_result *result)
{
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && dataflow != NULL && result != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_NUMBER(ctx, result->n_layers, network->n_layers, network->n_layers);
    enum sator_status st = SATOR_OK;
    for (int i = 0; i < result->n_layers && st == SATOR_OK; i++) {
        struct sator_result *own; /* made with the network's result: const for others alone */
        memcpy(&own, &result->layers[i].result, sizeof own);
        if (result->layers[i].same_as == i)
            st = sator_advise(ctx, network, i, arch, dataflow, options, own);
    }
    return st;
}
