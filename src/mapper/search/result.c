/* A mapping as plain data for reports, with the same figures in the same order as the model's. */
#include "base/text.h"
#include "count/count.h"
#include "mapper/cost/cost.h"
#include "mapper/problem/skew.h"
#include "model/network.h"
#include "model/terms.h"

#include <math.h>
#include <stdlib.h>

struct describer {
    const struct mapper_problem *problem;
    struct mapper_words *words;
    const struct mapper_mapping *mapping;
    struct sator_map_result *result;
    struct sator_arena *arena;
    struct mapper_shape shape;
    struct mapper_traffic traffic;
    const struct sator_bound_dataflow *flow;
    struct sator_level_result contents[MAPPER_MEMORIES];
    struct sator_level_tensor tensor[MAPPER_MEMORIES][MAPPER_ACCESSES]; /* by access */
    sator_int fresh[MAPPER_ACCESSES]; /* of outputs: times that a word starts from zero in the
                                         innermost memory */
    double port_cycles[MAPPER_PORTS];
    struct sator_terms terms;
};

/* ---- traffic ---- */

static void count_tiles(struct describer *d)
{
    const struct mapper_problem *p = d->problem;

    for (int m = 0; m < p->n_memories; m++) {
        for (int a = 0; a < p->n_accesses; a++)
            d->tensor[m][a] = (struct sator_level_tensor){
                    .name = sator_arena_strdup(d->arena, p->access[a].name),
                    .role = p->access[a].role,
                    .tile_words = p->memory[m].holds >> a & 1
                            ? sator_mapper_held_words(p, d->words, d->mapping, m, a)
                            : 0};
    }
}

static void count_transfers(struct describer *d)
{
    const struct mapper_problem *p = d->problem;

    for (int a = 0; a < p->n_accesses; a++)
        d->fresh[a] = p->access[a].footprint;
    for (int i = p->n_transfers - 1; i >= 0; i--) { /* outermost first */
        const struct mapper_transfer *t = &p->transfer[i];
        const struct mapper_access *access = &p->access[t->access];
        sator_int unique = d->traffic.unique[i], arriving = d->traffic.arriving[i];
        struct sator_level_tensor *parent = &d->tensor[t->parent][t->access];
        bool is_output = access->role == SATOR_WRITE;
        sator_int down = unique - (is_output ? d->fresh[t->access] : 0);
        if (!t->is_outside) {
            parent->reads += down;
            parent->updates += is_output ? unique : 0;
        }
        if (t->merges)
            d->fresh[t->access] +=
                    t->is_counted || t->has_late ? d->traffic.merged[i] : arriving - unique;
        if (t->child == p->n_memories)
            continue;
        struct sator_level_tensor *child = &d->tensor[t->child][t->access];
        child->fills = down;
        child->writes = is_output ? down : arriving;
    }
}

/* The PE's own memories serve every instance. */
static void count_own(struct describer *d)
{
    const struct mapper_problem *p = d->problem;

    for (int a = 0; a < p->n_accesses; a++) {
        int m = sator_mapper_own_memory(p, a);
        bool is_output = p->access[a].role == SATOR_WRITE;
        if (m < 0)
            continue;
        d->tensor[m][a].reads += p->access[a].volume - (is_output ? d->fresh[a] : 0);
        d->tensor[m][a].updates += is_output ? p->access[a].volume : 0;
    }
}

/* ---- energy ---- */

static void add_link_words(
        struct describer *d, int access, const struct sator_link *link, sator_int words)
{
    const struct mapper_access *what = &d->problem->access[access];
    struct sator_action action = sator_link_action(d->arena, link, what->name, what->word_bits);

    sator_terms_add_words(&d->terms, link->name, words, &action);
}

static void add_bus_words(
        struct describer *d, int access, const struct sator_bus *bus, sator_int words)
{
    const struct mapper_access *what = &d->problem->access[access];
    struct sator_action action = sator_bus_action(d->arena, bus, what->name, what->word_bits);

    sator_terms_add_words(&d->terms, bus->name, words, &action);
}

/* Words that each link and each family of buses spares, where words pass from PE to PE. */
static void add_way_terms(struct describer *d, int transfer)
{
    const struct mapper_transfer *t = &d->problem->transfer[transfer];
    int64_t words = d->traffic.arriving[transfer];

    for (int k = 0; k < t->n_passes + t->n_buses; k++) {
        const struct sator_link *link = k < t->n_passes ? t->passes[k].link : NULL;
        const struct sator_bus *bus = link == NULL ? t->buses[k - t->n_passes] : NULL;
        int64_t left = sator_mapper_count_ways(d->problem, d->words, d->mapping, transfer, k + 1);
        if (link != NULL)
            add_link_words(d, t->access, link, words - left);
        else
            add_bus_words(d, t->access, bus, words - left);
        words = left;
    }
}

/* The words that leave or reach the outer level when there are the first "n_buses" families of
 * buses alone, and ways lead over "rows". */
static int64_t unique_over(const struct describer *d, int transfer, unsigned rows, int n_buses)
{
    struct mapper_problem *other = sator_alloc(sizeof *other);
    struct mapper_traffic traffic;

    *other = *d->problem;
    other->transfer[transfer].collapsed = rows;
    other->transfer[transfer].n_buses = n_buses;
    sator_mapper_count(other, d->words, d->mapping, &traffic);
    free(other);
    return traffic.unique[transfer];
}

/* What is left of a transfer's words when the ways over "rows" have taken theirs. */
struct left {
    unsigned rows;
    int64_t words;
};

/* The words that a way over "rows" spares of those that the ones before it leave; it is the last of
 * "n_buses" families of buses. */
static int64_t spare(
        struct describer *d, int transfer, unsigned rows, int n_buses, struct left *left)
{
    unsigned all = left->rows | rows;
    int64_t before = left->words;

    if (all != left->rows)
        left->words = all == d->problem->transfer[transfer].collapsed
                ? d->traffic.unique[transfer]
                : unique_over(d, transfer, all, n_buses);
    left->rows = all;
    return before - left->words;
}

/* Words that each wire, or each family of buses, spares, in order of declaration. */
static void add_bus_terms(struct describer *d, int transfer)
{
    const struct mapper_problem *p = d->problem;
    const struct mapper_transfer *t = &p->transfer[transfer];
    struct left left = {.words = d->traffic.arriving[transfer]};

    bool is_cut = t->n_passes > 0 && sator_mapper_is_cut(p, d->mapping, &d->shape, transfer);
    bool passes = t->may_pass && (t->n_buses >= 2 || sator_mapper_is_passed(p, t, &d->shape));
    if (is_cut || passes) {
        add_way_terms(d, transfer);
        return;
    }
    for (int k = 0; k < t->n_passes && t->link != NULL; k++) {
        const struct mapper_pass *pass = &t->passes[k];
        unsigned rows = 0;
        for (int r = 0; r < t->child_row; r++)
            rows |= pass->shift[r] != 0 ? 1U << r : 0;
        if (pass->interval < 1 && !pass->is_idle)
            add_link_words(d, t->access, pass->link, spare(d, transfer, rows, 0, &left));
    }
    for (int k = 0; k < t->n_buses; k++)
        add_bus_words(d, t->access, t->buses[k], spare(d, transfer, t->bus_rows[k], k + 1, &left));
}

/* The same for a counted transfer. */
static void add_counted_terms(struct describer *d, int transfer)
{
    const struct mapper_transfer *t = &d->problem->transfer[transfer];
    const struct sator_model_network *network = t->network;
    struct sator_volumes volumes;

    if (!sator_mapper_counted_volumes(d->words, d->mapping, transfer, &volumes))
        return; /* it could be counted when the mapping was found */
    for (int i = 0; i < network->n_links; i++)
        add_link_words(d, t->access, network->link_sources[i], volumes.by_link[i]);
    for (int i = 0; i < network->n_buses; i++)
        add_bus_words(d, t->access, network->bus_sources[i], volumes.by_bus[i]);
}

static void add_memory_terms(struct describer *d, int m, const struct model_level *level)
{
    bool held[MAPPER_ACCESSES];

    for (int a = 0; a < d->problem->n_accesses; a++)
        held[a] = d->problem->memory[m].holds >> a & 1;
    for (int writes = 0; writes < 2; writes++)
        sator_terms_add_memory(
                &d->terms, level, d->problem->n_accesses, held, d->tensor[m], writes == 1);
}

/* Links and buses by access, outermost transfer first; then memories; then what is charged at the
 * end. */
static void add_terms(struct describer *d)
{
    const struct mapper_problem *p = d->problem;
    const struct model_level *levels = sator_model_levels(d->arena, p->workload, p->arch);
    double cycles = d->result->total_cycles;

    for (int a = 0; a < p->n_accesses; a++) {
        for (int i = p->n_transfers - 1; i >= 0; i--) {
            if (p->transfer[i].access != a)
                continue;
            if (p->transfer[i].is_counted || p->transfer[i].has_late)
                add_counted_terms(d, i);
            else
                add_bus_terms(d, i);
        }
    }
    for (int m = 0; m < p->n_memories; m++)
        add_memory_terms(d, m, &levels[p->memory[m].level]);
    sator_terms_add_levels(&d->terms, p->arch, levels, p->instances, cycles);
    sator_terms_merge(&d->terms);
    for (int i = 0; i < d->terms.n; i++) { /* the machine's texts may go before the result */
        struct sator_energy_term *term = &d->terms.term[i];
        term->component = sator_arena_strdup(d->arena, term->component);
        term->source = term->source == NULL ? NULL : sator_arena_strdup(d->arena, term->source);
    }
    d->result->energy_terms = d->terms.term;
    d->result->n_energy_terms = d->terms.n;
    d->result->energy_pj = sator_terms_sum(&d->terms);
    d->result->edp = d->result->energy_pj * cycles;
}

/* ---- levels ---- */

static void finish_contents(struct describer *d, int m)
{
    const struct mapper_problem *p = d->problem;
    const struct sator_level *level = &p->arch->levels[p->memory[m].level];
    struct sator_level_result *contents = &d->contents[m];
    struct sator_level_tensor *tensors =
            SATOR_NEW_ARRAY(d->arena, struct sator_level_tensor, p->n_accesses + 1);

    *contents = (struct sator_level_result){.name = sator_arena_strdup(d->arena, level->name),
            .cut_declared = true,
            .time_cut = d->flow->cuts[m].time,
            .space_cut = d->flow->cuts[m].space,
            .instances = p->memory[m].instances,
            .tensors = tensors};
    sator_model_capacity(&level->memory, contents);
    for (int a = 0; a < p->n_accesses; a++) {
        const struct sator_level_tensor *tensor = &d->tensor[m][a];
        if (p->memory[m].holds >> a & 1)
            tensors[contents->n_tensors++] = *tensor;
    }
    contents->read_cycles = contents->write_cycles = NAN; /* of the slowest ports */
    for (int i = 0; i < p->n_ports; i++) {
        const struct sator_lane *lane = p->port[i].lane;
        if (p->port[i].memory != m)
            continue;
        if (lane->reads) /* fmax takes the other operand where one is NAN */
            contents->read_cycles = fmax(contents->read_cycles, d->port_cycles[i]);
        if (lane->writes)
            contents->write_cycles = fmax(contents->write_cycles, d->port_cycles[i]);
    }
}

static const struct sator_map_fill *fills_of(struct describer *d, int m)
{
    const struct mapper_problem *p = d->problem;
    const struct mapper_memory *memory = &p->memory[m];
    struct sator_map_fill *fills =
            SATOR_NEW_ARRAY(d->arena, struct sator_map_fill, memory->n_capacities + 1);

    for (int c = 0; c < memory->n_capacities; c++) {
        const struct mapper_capacity *capacity = &memory->capacity[c];
        double used = 0;
        struct sator_text names = {0};
        for (int a = 0; a < p->n_accesses; a++) {
            sator_int most = 0;
            if (!(capacity->accesses >> a & 1) || p->access[a].stored_as != a)
                continue;
            for (int b = a; b < p->n_accesses; b++) {
                if (p->access[b].stored_as == a && d->tensor[m][b].tile_words > most)
                    most = d->tensor[m][b].tile_words;
            }
            used += (double)most * (capacity->in_bits ? memory->word_bits[a] / 8.0 : 1);
            sator_text_add(&names, "%s%s", names.length == 0 ? "" : ", ", p->access[a].name);
        }
        fills[c] = (struct sator_map_fill){.unit = capacity->in_bits ? "bytes" : "words",
                .used = used,
                .available = (double)capacity->available / (capacity->in_bits ? 8 : 1),
                .tensors = sator_text_keep(&names, d->arena)};
    }
    return fills;
}

static void add_row_loops(
        struct describer *d, int row, struct sator_map_level *level, struct sator_map_loop **loops)
{
    const struct mapper_problem *p = d->problem;
    const struct mapper_row *what = &p->row[row];
    for (int k = 0; k < p->n_loops; k++) {
        int loop = what->is_space ? d->mapping->along[row][k] : d->mapping->order[what->memory][k];
        struct sator_map_loop made = {.name = sator_arena_strdup(d->arena, p->loop_names[loop]),
                .factor = d->mapping->factor[row][loop],
                .dim = what->is_space ? what->dim : -1};
        if (made.factor > 1)
            SATOR_PUSH(d->arena, *loops, level->n_loops, made);
    }
}

static void add_bypassed(struct describer *d, int m, struct sator_map_level *level)
{
    const struct mapper_problem *p = d->problem;
    const char **names = NULL;

    for (int a = 0; a < p->n_accesses; a++) {
        const char *name = sator_arena_strdup(d->arena, p->access[a].name);
        if ((p->memory[m].bypassed >> a & 1) && p->access[a].stored_as == a)
            SATOR_PUSH(d->arena, names, level->n_bypassed, name);
    }
    level->bypassed = names;
}

static void describe_levels(struct describer *d)
{
    const struct mapper_problem *p = d->problem;
    struct sator_map_level *levels =
            SATOR_NEW_ARRAY(d->arena, struct sator_map_level, p->n_rows + 1);
    struct sator_map_loop *loops = NULL;
    struct sator_map_level *level = levels;
    int n_levels = 0;

    for (int r = 0; r < p->n_rows; r++) {
        const struct mapper_row *row = &p->row[r];
        if (!row->is_space || row->dim == 0) { /* a new level */
            level = &levels[n_levels++];
            loops = NULL;
            level->name = sator_arena_strdup(d->arena, p->arch->levels[row->level].name);
            level->is_array = row->is_space;
        }
        add_row_loops(d, r, level, &loops);
        level->loops = loops;
        if (!row->is_space) {
            level->contents =
                    sator_arena_copy(d->arena, &d->contents[row->memory], sizeof *d->contents);
            level->n_joined = sator_mapper_row_memory(p, d->mapping, row->memory) > row->memory
                    ? level->n_loops
                    : 0;
            level->n_fills = p->memory[row->memory].n_capacities;
            level->fills = fills_of(d, row->memory);
            add_bypassed(d, row->memory, level);
            continue;
        }
        if (row->dim == 0) {
            int n_dims = p->arch->levels[row->level].array.n_dims;
            level->shape = SATOR_NEW_ARRAY(d->arena, int64_t, n_dims);
            level->used = SATOR_NEW_ARRAY(d->arena, int64_t, n_dims);
            if (sator_mapper_is_skewed_row(p, d->mapping, r))
                level->skew = sator_arena_copy(
                        d->arena, &p->skew->step[r], sizeof *level->skew * (size_t)n_dims);
        }
        ((int64_t *)(uintptr_t)level->shape)[row->dim] = row->shape;
        ((int64_t *)(uintptr_t)level->used)[row->dim] = mapper_steps_at(p, d->mapping, r);
        level->n_dims = row->dim + 1;
    }
    d->result->levels = levels;
    d->result->n_levels = n_levels;
}

/* ---- texts ---- */

static void describe_relations(struct describer *d)
{
    const struct sator_bound_dataflow *flow = d->flow;
    struct sator_text text = {0};

    sator_tuple_write(&text, "PE", flow->space->n_out, flow->space->pieces[0].out,
            flow->space->pieces[0].names);
    d->result->space = sator_text_keep(&text, d->arena);
    sator_tuple_write(
            &text, "T", flow->time->n_out, flow->time->pieces[0].out, flow->time->pieces[0].names);
    d->result->time = sator_text_keep(&text, d->arena);
    for (int i = 0; i < flow->n_cuts; i++) {
        const struct sator_cut *cut = &flow->cuts[i];
        sator_text_add(&text, "%s%s: {time: %d, space: %d", i == 0 ? "{" : ", ", cut->level,
                cut->time, cut->space);
        for (int k = 0; k < cut->n_bypass; k++)
            sator_text_add(&text, "%s%s%s", k == 0 ? ", bypass: [" : ", ", cut->bypass[k],
                    k == cut->n_bypass - 1 ? "]" : "");
        sator_text_add(&text, "}");
    }
    sator_text_add(&text, "}");
    d->result->cuts = sator_text_keep(&text, d->arena);
}

/* "    KEY: [" in front of the first of "n" and "]" behind the last, ", " between. */
static const char *before(int k, const char *first)
{
    return k == 0 ? first : ", ";
}

static const char *behind(int k, int n)
{
    return k == n - 1 ? "]\n" : "";
}

static void describe_level_yaml(struct sator_text *text, const struct sator_map_level *level)
{
    sator_text_add(text, "  - at: %s\n", level->name);
    for (int k = 0; k < level->n_bypassed; k++)
        sator_text_add(text, "%s%s%s", before(k, "    bypass: ["), level->bypassed[k],
                behind(k, level->n_bypassed));
    for (int k = 0; k < level->n_loops; k++) {
        const struct sator_map_loop *loop = &level->loops[k];
        sator_text_add(text, "%s%s %lld",
                before(k, level->is_array ? "    parallel: [" : "    for: ["), loop->name,
                (long long)loop->factor);
        if (level->is_array)
            sator_text_add(text, " -> %d", loop->dim);
        sator_text_put(text, behind(k, level->n_loops));
    }
    if (level->n_joined > 0)
        sator_text_add(text, "    joined: %d\n", level->n_joined);
    for (int k = 0; k < level->n_dims && level->skew != NULL; k++)
        sator_text_add(text, "%s%lld%s", before(k, "    skew: ["), (long long)level->skew[k],
                behind(k, level->n_dims));
}

/* A single instance: a loop of one step at the innermost memory, of which nothing is inside. */
static void describe_no_loops(const struct describer *d, struct sator_text *text)
{
    int inner = d->result->n_levels - 1;

    while (d->result->levels[inner].is_array)
        inner--;
    if (d->result->levels[inner].n_bypassed == 0) /* else its entry is the last */
        sator_text_add(text, "  - at: %s\n", d->result->levels[inner].name);
    sator_text_add(text, "    for: [%s 1]\n", d->problem->workload->loop_names[0]);
}

static void describe_yaml(struct describer *d)
{
    struct sator_map_result *result = d->result;
    struct sator_text text = {0};
    bool any = false;

    for (int i = 0; i < result->n_levels; i++)
        any |= result->levels[i].n_loops > 0;
    sator_text_put(&text, "name: ");
    sator_text_add_yaml(
            &text, sator_arena_printf(d->arena, "%s on %s", result->workload, result->arch));
    sator_text_put(&text, "\nloops:\n");
    for (int i = 0; i < result->n_levels; i++) {
        const struct sator_map_level *level = &result->levels[i];
        if (level->n_loops > 0 || level->n_bypassed > 0 || level->skew != NULL)
            describe_level_yaml(&text, level);
    }
    if (!any)
        describe_no_loops(d, &text);
    d->result->yaml = sator_text_keep(&text, d->arena);
}

/* ---- latency ---- */

static void describe_latency(struct describer *d)
{
    const struct mapper_problem *p = d->problem;
    struct sator_map_result *result = d->result;
    double slowest;

    result->compute_cycles = (double)d->traffic.time_stamps * p->cycles_per_instance;
    slowest = result->compute_cycles;
    result->bound_by = "compute";
    for (int i = 0; i < p->n_ports; i++) { /* of memories outermost first */
        if (d->port_cycles[i] > slowest) {
            slowest = d->port_cycles[i];
            result->bound_by = sator_arena_strdup(d->arena, p->port[i].lane->name);
        }
    }
    /* every instance has a stamp of its own */
    result->utilization =
            (double)p->instances / ((double)d->traffic.time_stamps * (double)result->pes);
}

void sator_mapper_describe(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, double scheduled, struct sator_map_result *result)
{
    struct describer d = {.problem = problem,
            .words = words,
            .mapping = mapping,
            .result = result,
            .arena = result->arena,
            .terms = {.arena = result->arena}};

    d.flow = sator_mapper_dataflow(problem, d.arena, mapping, "mapping");
    sator_mapper_shape_init(problem, mapping, &d.shape);
    sator_mapper_count(problem, words, mapping, &d.traffic);
    if (problem->has_late)
        sator_mapper_count_late(problem, words, mapping, &d.traffic);
    result->skew = sator_mapper_skew_text(problem, d.arena, mapping);
    sator_mapper_port_cycles(problem, &d.traffic, d.port_cycles);
    struct mapper_cost cost = sator_mapper_cost(problem, &d.traffic);
    result->instances = problem->instances;
    result->time_stamps = d.traffic.time_stamps;
    result->roofline_cycles = cost.cycles;
    result->timing = isnan(scheduled) ? "roofline" : "scheduled";
    result->total_cycles = isnan(scheduled) ? cost.cycles : scheduled;
    result->clock_mhz = problem->arch->clock_mhz;
    result->area_um2 = sator_arch_area(problem->arch);
    result->pes = problem->pes;
    result->active_pes = 1;
    for (int i = 0; i < problem->n_loops; i++)
        result->active_pes *= sator_mapper_places(problem, mapping, i, true);
    if (problem->in_hull)
        result->active_pes = d.traffic.active_pes;
    count_tiles(&d);
    count_transfers(&d);
    count_own(&d);
    for (int m = 0; m < problem->n_memories; m++)
        finish_contents(&d, m);
    add_terms(&d);
    describe_levels(&d);
    describe_relations(&d);
    describe_yaml(&d);
    describe_latency(&d);
}
