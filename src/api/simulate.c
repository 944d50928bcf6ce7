/* An execution beside the analysis of the same mapping. */
#include "sator/simulate.h"

#include "api/plan.h"
#include "base/arguments.h"
#include "base/text.h"
#include "count/count.h"
#include "simulate/simulate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DIFFERENCES = 32
};

struct comparison {
    struct sator_arena *arena;
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct simulate_outcome *outcome;
    struct sator_simulation *made;
    struct sator_simulation_difference *kept;
};

__attribute__((format(printf, 4, 5))) static void differ(
        struct comparison *c, const char *instance, const char *port, const char *format, ...)
{
    struct sator_text text = {0};
    va_list arguments;

    if (++c->made->n_differences > MOST_DIFFERENCES || c->made->n_kept == MOST_DIFFERENCES)
        return;
    va_start(arguments, format);
    sator_text_add_v(&text, format, arguments);
    va_end(arguments);
    c->kept[c->made->n_kept++] =
            (struct sator_simulation_difference){.text = sator_arena_strdup(c->arena, text.data),
                    .instance = instance,
                    .port = port,
                    .cycle = -1};
    sator_text_clear(&text);
}

static void compare(struct comparison *c, const char *where, const char *tensor, const char *what,
        int64_t executed, sator_int analysed)
{
    char number[48];

    if (executed == analysed)
        return;
    c->made->counts_are_equal = false;
    differ(c, where, NULL, "%s%s%s: %lld %s executed, %s analysed", where,
            tensor[0] == '\0' ? "" : ", ", tensor, (long long)executed, what,
            sator_int_format(analysed, 0, number));
}

static const struct sator_level_tensor *find_words(
        const struct sator_result *result, const char *level, const struct sator_access *access)
{
    for (int l = 0; l < result->n_levels; l++) {
        const struct sator_level_result *here = &result->levels[l];
        for (int t = 0; t < here->n_tensors && strcmp(here->name, level) == 0; t++) {
            if (here->tensors[t].role == access->role &&
                    strcmp(here->tensors[t].name, access->tensor) == 0)
                return &here->tensors[t];
        }
    }
    return NULL;
}

/* All that has moved, until an interruption too. */
static int64_t count_words(const struct simulate_outcome *outcome)
{
    int64_t sum = 0;

    for (int i = 0; i < outcome->n_words; i++) {
        const struct simulate_words *words = &outcome->words[i];
        sum += words->reads + words->writes + words->updates;
    }
    for (int i = 0; i < outcome->n_wires; i++)
        sum += outcome->wires[i].words;
    return sum;
}

static void compare_levels(struct comparison *c)
{
    int n_held = 0;

    for (int i = 0; i < c->outcome->n_words; i++) {
        const struct simulate_words *words = &c->outcome->words[i];
        const struct sator_access *access = &c->workload->accesses[words->access];
        const char *level = c->arch->levels[words->level].name;
        const struct sator_level_tensor *analysed = find_words(c->made->result, level, access);
        char tensor[128];
        snprintf(tensor, sizeof tensor, "%.100s %s", access->tensor,
                access->role == SATOR_READ ? "read" : "written");
        if (analysed == NULL) {
            differ(c, level, NULL, "%s holds %s in the execution, not in the analysis", level,
                    tensor);
            c->made->counts_are_equal = false;
            continue;
        }
        n_held++;
        compare(c, level, tensor, "words in the largest tile", words->tile, analysed->tile_words);
        compare(c, level, tensor, "fills", words->fills, analysed->fills);
        compare(c, level, tensor, "writes", words->writes, analysed->writes);
        compare(c, level, tensor, "reads", words->reads, analysed->reads);
        compare(c, level, tensor, "updates", words->updates, analysed->updates);
    }
    for (int l = 0; l < c->made->result->n_levels; l++)
        n_held -= c->made->result->levels[l].n_tensors;
    if (n_held != 0) {
        differ(c, NULL, NULL, "the analysis has %d tensors in memories that the execution has not",
                -n_held);
        c->made->counts_are_equal = false;
    }
}

static const char *wire_name(const struct simulate_wire *wire)
{
    return wire->link != NULL ? wire->link->name : wire->bus->name;
}

/* What the words over a wire count as: actions of a word each, unless the file says otherwise. */
static sator_int actions_of(const struct comparison *c, const struct simulate_wire *wire)
{
    const struct sator_access *access = &c->workload->accesses[wire->access];
    const struct sator_action action = wire->link != NULL
            ? sator_link_action(c->arena, wire->link, access->tensor, access->word_bits)
            : sator_bus_action(c->arena, wire->bus, access->tensor, access->word_bits);

    return sator_actions(&action, wire->words);
}

/* Over all wires of a name: what the analysis tells apart. */
static void compare_wires(struct comparison *c)
{
    const struct sator_result *result = c->made->result;

    for (int i = 0; i < c->outcome->n_wires; i++) {
        const char *name = wire_name(&c->outcome->wires[i]);
        sator_int analysed = 0, executed = 0;
        bool known = false;
        for (int j = 0; j < c->outcome->n_wires; j++) {
            bool same = strcmp(wire_name(&c->outcome->wires[j]), name) == 0;
            known |= same && j < i;
            executed += same ? actions_of(c, &c->outcome->wires[j]) : 0;
        }
        for (int t = 0; t < result->n_energy_terms && !known; t++) {
            if (strcmp(result->energy_terms[t].component, name) == 0)
                analysed += result->energy_terms[t].actions;
        }
        if (!known)
            compare(c, name, "", "words", (int64_t)executed, analysed);
    }
}

/* The cycles that the machine waited for a port. */
static int64_t waits_for(const struct sator_simulation *made, const char *port)
{
    for (int i = 0; i < made->n_stalls; i++) {
        if (strcmp(made->stalls[i].port, port) == 0)
            return made->stalls[i].cycles;
    }
    return 0;
}

static void compare_time(struct comparison *c)
{
    const struct sator_simulation *made = c->made;
    const struct sator_result *result = made->result;

    for (int i = 0; i < result->n_ports && !isnan(made->model_cycles); i++) {
        const struct sator_port_result *port = &result->ports[i];
        double waits = port->exposed_cycles + port->stalled_cycles;
        if (waits != (double)waits_for(made, port->name) && !isnan(waits))
            differ(c, NULL, port->name, "%s: %lld cycles of waiting executed, %.17g analysed",
                    port->name, (long long)waits_for(made, port->name), waits);
    }

    if (!isnan(made->model_cycles) && made->model_cycles != (double)made->cycles)
        differ(c, NULL, NULL, "the run: %lld cycles executed, %.17g analysed",
                (long long)made->cycles, made->model_cycles);
}

/* Refuse at once what would not fit into memory: tables would grow for minutes before it shows. */
static enum sator_status check_room(struct sator_ctx *ctx, const struct sator_level *level,
        const struct sator_level_result *has)
{
    char digits[64];

    for (int t = 0; t < has->n_tensors; t++) {
        sator_int words = has->tensors[t].tile_words;
        if (words <= SIMULATE_MOST_WORDS / (has->instances > 0 ? has->instances : 1))
            continue;
        sator_error(ctx, level->loc,
                "what '%s' holds of '%s' does not fit into memory: %s words in each of its "
                "instances (%lld) > %d",
                level->name, has->tensors[t].name, sator_int_format(words, ',', digits),
                (long long)has->instances, SIMULATE_MOST_WORDS);
        return SATOR_LIMIT;
    }
    return SATOR_OK;
}

static enum sator_status execute(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_dataflow *dataflow, const struct sator_simulate_options *options,
        const struct sator_result *result, struct sator_simulation *made)
{
    const struct sator_workload *workload = &network->layers[layer];
    const struct sator_bound_dataflow *bound;
    struct simulate_outcome outcome;
    int *cuts = SATOR_NEW_ARRAY(arena, int, arch->n_levels + 1);
    enum sator_status st;

    for (int l = 0, m = 0; l < arch->n_levels; l++) {
        if (arch->levels[l].kind != SATOR_LEVEL_MEMORY)
            continue;
        SATOR_TRY(check_room(ctx, &arch->levels[l], &result->levels[m]));
        cuts[l] = result->levels[m++].time_cut;
    }
    SATOR_TRY(sator_arch_bind(ctx, arena, arch, dataflow, workload, &bound));
    const struct simulate_question question = {.workload = workload,
            .arch = arch,
            .dataflow = bound,
            .time_cuts = cuts,
            .options = options,
            .instances = (int64_t)result->instances};
    SATOR_TRY(simulate_run(ctx, arena, &question, &outcome));
    struct comparison c = {.arena = arena,
            .workload = workload,
            .arch = arch,
            .outcome = &outcome,
            .made = made,
            .kept = SATOR_NEW_ARRAY(
                    arena, struct sator_simulation_difference, MOST_DIFFERENCES + 1)};
    made->is_whole = outcome.is_whole;
    made->values_are_equal = outcome.values_are_equal;
    made->counts_are_equal = true;
    made->instances = outcome.instances;
    made->time_stamps = outcome.stamps;
    made->words = count_words(&outcome);
    made->bytes = (int64_t)outcome.bytes;
    made->cycles = outcome.has_cycles ? outcome.cycles : -1;
    made->n_stalls = outcome.n_stalls;
    made->stalls = outcome.stalls;
    made->n_differences = outcome.n_differences;
    made->n_kept = outcome.n_kept;
    memcpy(c.kept, outcome.differences, sizeof *c.kept * (size_t)outcome.n_kept);
    made->differences = c.kept;
    if (outcome.is_whole) {
        compare_levels(&c);
        compare_wires(&c);
        compare(&c, "the run", "", "instances", outcome.instances, result->instances);
        compare(&c, "the run", "", "time-stamps", outcome.stamps, result->time_stamps);
        compare_time(&c);
    }
done:
    return st;
}

enum sator_status sator_simulate(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_simulate_options *options, struct sator_simulation **simulation)
{
    struct sator_simulate_options own;
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && dataflow != NULL && simulation != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_OPTIONS(ctx, options, own);
    SATOR_NUMBER(ctx, own.engine, SATOR_ENGINE_AUTO, SATOR_ENGINE_LAST);
    SATOR_NUMBER(ctx, own.first_cycle, 0, INT64_MAX);
    SATOR_NUMBER(ctx, own.last_cycle, 0, INT64_MAX);
    struct sator_arena *arena = sator_arena_new();
    struct sator_simulation *made = SATOR_NEW(arena, struct sator_simulation);
    struct sator_result *result = NULL;
    enum sator_status st;

    const struct sator_analyze_options analyze = {
            .size = sizeof analyze, .engine = own.engine, .timing = SATOR_TIMING_SCHEDULED};
    SATOR_TRY(sator_analyze(ctx, network, layer, arch, dataflow, &analyze, &result));
    *made = (struct sator_simulation){.size = sizeof *made,
            .workload = result->workload,
            .arch = result->arch,
            .dataflow = result->dataflow,
            .space = result->space,
            .time = result->time,
            .model_cycles = result->scheduled_cycles,
            .roofline_cycles = result->roofline_cycles,
            .result = result,
            .arena = arena};
    SATOR_TRY(execute(ctx, arena, network, layer, arch, dataflow, &own, result, made));
    *simulation = made;
    return SATOR_OK;
done:
    sator_result_free(result);
    sator_arena_free(arena);
    return st;
}

void sator_simulation_free(struct sator_simulation *simulation)
{
    if (simulation == NULL)
        return;
    struct sator_result *result = (struct sator_result *)(uintptr_t)simulation->result;
    sator_result_free(result);
    sator_arena_free(simulation->arena);
}
