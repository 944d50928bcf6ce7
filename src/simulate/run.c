/* A run from the first stamp to the last. Open this first. */
#include "simulate/run.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct sator_loc nowhere;

/* ---- differences ---- */

const char *run_element(struct run *run, int access, uint64_t element)
{
    const struct access_way *way = &run->machine.ways[access];
    const struct numbering *numbering = way->numbering;
    struct sator_text text = {0};

    if (run->outcome->n_differences >= MOST_KEPT)
        return "";
    sator_text_add(&text, "%s[", way->access->tensor);
    for (int d = 0; d < numbering->n_dims; d++) {
        uint64_t field =
                element >> numbering->shift[d] & ((UINT64_C(1) << numbering->width[d]) - 1);
        sator_text_add(&text, "%s%lld", d == 0 ? "" : ",",
                (long long)(numbering->least[d] + (int64_t)field));
    }
    sator_text_add(&text, "]");
    return sator_text_keep(&text, run->arena);
}

/* "PE[1,2]" of the first "n_space" dimensions. */
static const char *name_instance(struct run *run, const char *name, int n_space, int64_t instance)
{
    struct sator_text text = {0};
    int64_t at[64];

    for (int d = n_space - 1; d >= 0; d--) {
        at[d] = instance % run->machine.shape[d];
        instance /= run->machine.shape[d];
    }
    sator_text_add(&text, "%s", name);
    for (int d = 0; d < n_space; d++)
        sator_text_add(&text, "%s%lld", d == 0 ? "[" : ",", (long long)at[d]);
    if (n_space > 0)
        sator_text_add(&text, "]");
    return sator_text_keep(&text, run->arena);
}

static void add_stamp(const struct run *run, struct sator_text *text)
{
    const int64_t *stamp = run->walk == NULL ? NULL : walk_stamp(run->walk);

    sator_text_add(text, "T[");
    for (int k = 0; stamp != NULL && k < run->machine.n_time; k++)
        sator_text_add(text, "%s%lld", k == 0 ? "" : ",", (long long)stamp[k]);
    sator_text_add(text, "]");
}

void run_differ(struct run *run, const struct holder *holder, int64_t instance, const char *port,
        const char *format, ...)
{
    struct sator_simulation_difference *made = &run->kept[run->outcome->n_kept];
    struct sator_text text = {0};
    va_list arguments;

    if (++run->outcome->n_differences > MOST_KEPT)
        return;
    *made = (struct sator_simulation_difference){.port = port, .cycle = run->phases.clock};
    if (holder != NULL && holder->level >= 0 && instance >= 0)
        made->instance = name_instance(
                run, run->question->arch->levels[holder->level].name, holder->n_space, instance);
    if (holder != NULL && instance >= 0 && holder->n_space == run->machine.n_space)
        made->pe = name_instance(run, "PE", holder->n_space, instance);
    va_start(arguments, format);
    sator_text_add_v(&text, format, arguments);
    va_end(arguments);
    if (instance >= 0) {
        sator_text_add(&text, ": %s%s at ", made->instance == NULL ? "" : made->instance,
                made->instance == NULL && made->pe != NULL ? made->pe : "");
        add_stamp(run, &text);
        sator_text_add(&text, ", cycle %lld", (long long)run->phases.clock);
    } else {
        made->cycle = -1;
    }
    made->text = sator_text_keep(&text, run->arena);
    run->outcome->n_kept++;
}

/* ---- stamps ---- */

/* The first of the way's holders whose prefix stamp is new. */
static int first_new(const struct access_way *way, int changed, bool is_first)
{
    int h = 1;

    while (h < way->n_holders && !is_first && way->holders[h].n_time <= changed)
        h++;
    return h;
}

/* From one stamp to the next, or (at_end) out. */
static enum sator_status change(struct run *run, struct access_way *way, int first, bool at_end)
{
    enum sator_status st = SATOR_OK;

    for (int h = first; h < way->n_holders && !at_end; h++)
        SATOR_TRY(moves_gather(run, &way->holders[h]));
    for (int h = way->n_holders - 1; h >= first && run->has_room; h--) {
        if (h + 1 < way->n_holders)
            moves_recall(run, &way->holders[h + 1]);
        moves_pass_on(run, &way->holders[h], at_end);
    }
    for (int h = first; h < way->n_holders && run->has_room && !at_end; h++)
        moves_arrive(run, &way->holders[h]);
    for (int h = first; h < way->n_holders; h++)
        phases_take(&run->phases, &run->machine, &way->holders[h],
                h == first && run->stamps > 0 && !at_end);
done:
    return st;
}

static enum sator_status run_stamps(struct run *run)
{
    const struct sator_simulate_options *q = run->question->options;
    bool at_end = false;
    enum sator_status st = SATOR_OK;

    while (!at_end && run->has_room) {
        int changed;
        SATOR_TRY(walk_next(run->walk, &changed));
        at_end = changed < 0;
        run->changed = changed;
        run->at_end = at_end;
        for (int a = 0; a < run->machine.n_accesses; a++) {
            struct access_way *way = &run->machine.ways[a];
            int first = first_new(way, changed, run->stamps == 0 || at_end);
            SATOR_TRY(change(run, way, first, at_end));
        }
        phases_change(&run->phases, changed, run->stamps == 0, at_end);
        if (at_end || !run->has_room)
            break;
        int64_t began = run->phases.clock;
        run->stamps++;
        compute_stamp(run);
        phases_compute(&run->phases, &run->machine, run->most_per_pe, run->n_active, run->active);
        if (run->record.traces || run->record.lists)
            record_stamp(&run->record, walk_stamp(run->walk), began, run->n_active, run->active);
        if (q->progress != NULL && (run->stamps & 0xff) == 0)
            q->progress(run->instances, run->question->instances, q->user);
        if (sator_work(run->ctx, 1) == SATOR_INTERRUPTED) {
            st = SATOR_INTERRUPTED;
            goto done;
        }
    }
done:
    return st;
}

/* ---- the outcome ---- */

static void add_words(struct run *run, const struct holder *holder)
{
    struct simulate_outcome *outcome = run->outcome;
    struct simulate_words *words = (struct simulate_words *)(uintptr_t)outcome->words;
    struct simulate_words made = {.level = holder->level,
            .access = holder->access,
            .tile = holder->tile,
            .fills = holder->is_loaded ? 0 : holder->fills,
            .writes = holder->is_loaded ? 0 : holder->writes,
            .reads = holder->reads,
            .updates = holder->updates};

    SATOR_PUSH(run->arena, words, outcome->n_words, made);
    outcome->words = words;
}

static void add_wire(struct run *run, const struct simulate_wire *made)
{
    struct simulate_outcome *outcome = run->outcome;
    struct simulate_wire *wires = (struct simulate_wire *)(uintptr_t)outcome->wires;

    SATOR_PUSH(run->arena, wires, outcome->n_wires, *made);
    outcome->wires = wires;
}

static void take_stalls(struct run *run)
{
    struct simulate_outcome *outcome = run->outcome;
    struct sator_simulation_stall *stalls =
            SATOR_NEW_ARRAY(run->arena, struct sator_simulation_stall, run->phases.n_ports + 1);

    for (int p = 0; p < run->phases.n_ports; p++) {
        const struct phase_port *port = &run->phases.ports[p];
        if (port->stalls > 0)
            stalls[outcome->n_stalls++] = (struct sator_simulation_stall){port->name, port->stalls};
    }
    outcome->stalls = stalls;
}

static void take_outcome(struct run *run)
{
    struct simulate_outcome *outcome = run->outcome;

    outcome->instances = run->instances;
    outcome->stamps = run->stamps;
    outcome->has_cycles = true;
    outcome->cycles = run->phases.clock;
    outcome->compute_cycles = run->phases.compute;
    take_stalls(run);
    for (int a = 0; a < run->machine.n_accesses; a++) {
        const struct access_way *way = &run->machine.ways[a];
        for (int h = 1; h < way->n_holders; h++) {
            const struct holder *holder = &way->holders[h];
            outcome->bytes += ((uint64_t)holder->table.n_instances << holder->table.bits) *
                    (uint64_t)holder->table.n_planes * sizeof(struct word);
            if (holder->level >= 0)
                add_words(run, holder);
            for (int l = 0; l < holder->n_links; l++)
                add_wire(run,
                        &(struct simulate_wire){.access = a,
                                .link = holder->links[l].link,
                                .words = holder->links[l].words});
            for (int b = 0; b < holder->n_buses; b++)
                add_wire(run,
                        &(struct simulate_wire){.access = a,
                                .bus = holder->buses[b].bus,
                                .words = holder->buses[b].words});
        }
    }
}

/* Of a run that is over before the first cycle that is to be written. */
static void warn_of_cycles(const struct run *run)
{
    const struct sator_simulate_options *options = run->question->options;
    const long long cycles = run->outcome->cycles;

    if ((options->write_trace != NULL || options->write_events != NULL) &&
            options->first_cycle > cycles)
        sator_warn(run->ctx, nowhere,
                "the run takes %lld cycles: none is left to be written from cycle %lld on", cycles,
                (long long)options->first_cycle);
}

static void clear(struct run *run)
{
    phases_clear(&run->phases, &run->machine);
    machine_clear(&run->machine);
    walk_free(run->walk);
    free(run->products);
    free(run->per_pe);
    free(run->active);
    free(run->per_pe_stamp);
    free(run->later);
}

static enum sator_status begin(struct run *run)
{
    const struct simulate_question *q = run->question;
    enum sator_status st;

    run->machine = (struct machine){.ctx = run->ctx, .arena = run->arena, .question = q};
    SATOR_TRY(machine_make(&run->machine));
    SATOR_TRY(phases_make(&run->phases, &run->machine));
    struct walk_question all = {.workload = q->workload,
            .space = q->dataflow->space,
            .time = q->dataflow->time,
            .shape = run->machine.shape,
            .n_time = run->machine.n_time,
            .n_space = run->machine.n_space,
            .n_touches = run->machine.n_touches,
            .touches = run->machine.touches,
            .is_whole = true};
    SATOR_TRY(walk_new(run->ctx, &all, &run->walk));
    size_t n = (size_t)run->machine.n_pes;
    run->per_pe = sator_alloc(n * sizeof *run->per_pe);
    run->active = sator_alloc(n * sizeof *run->active);
    run->per_pe_stamp = sator_alloc(n * sizeof *run->per_pe_stamp);
    memset(run->per_pe_stamp, 0, n * sizeof *run->per_pe_stamp);
    record_begin(&run->record, q, &run->machine, &run->phases);
done:
    return st;
}

enum sator_status simulate_run(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct simulate_question *question, struct simulate_outcome *outcome)
{
    struct run run = {
            .ctx = ctx, .arena = arena, .question = question, .outcome = outcome, .has_room = true};
    enum sator_status st;

    *outcome = (struct simulate_outcome){.is_whole = true};
    run.kept = SATOR_NEW_ARRAY(arena, struct sator_simulation_difference, MOST_KEPT);
    outcome->differences = run.kept;
    SATOR_TRY(begin(&run));
    st = run_stamps(&run);
    record_end(&run.record);
    if (st == SATOR_OK && run.has_room)
        st = nest_compare(&run);
    if (st == SATOR_INTERRUPTED) {
        outcome->is_whole = false;
        st = SATOR_OK;
    }
    if (st == SATOR_OK && !run.has_room) {
        sator_error(ctx, nowhere, "what the machine holds does not fit into memory");
        st = SATOR_LIMIT;
    }
    take_outcome(&run);
    if (st == SATOR_OK && outcome->is_whole)
        warn_of_cycles(&run);
done:
    clear(&run);
    return st;
}
