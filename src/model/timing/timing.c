/* The scheduled latency (doc/model.md, section 7): from an analysis to its results. */
#include "model/timing/timing.h"

#include "base/checked.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- levels ---- */

static int compare_lengths(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The different prefixes of time at which memories are cut: those with the same stamps are one. */
static void list_levels(struct timing *timing)
{
    const struct analysis *analysis = timing->analysis;
    int *lengths = SATOR_NEW_ARRAY(timing->arena, int, analysis->n_memories + 1), n = 0;

    for (int m = 0; m < analysis->n_memories; m++)
        lengths[m] = timing->reach[analysis->memories[m].time_cut];
    lengths[analysis->n_memories] = analysis->n_time;
    qsort(lengths, (size_t)analysis->n_memories + 1, sizeof *lengths, compare_lengths);
    for (int i = 0; i <= analysis->n_memories; i++) {
        if (n == 0 || lengths[n - 1] != lengths[i])
            lengths[n++] = lengths[i];
    }
    timing->lengths = lengths;
    timing->n_levels = n;
}

/* ---- stamps one by one ---- */

/* How many stamps each of "n" of a level stands for. */
static int64_t *count_times(const struct timing *timing, const struct timing_list *list, int level,
        int64_t n, const int64_t *code)
{
    int64_t *times = SATOR_NEW_ARRAY(timing->arena, int64_t, n + 1);

    for (int64_t x = 0; x < n; x++)
        times[x] = timing_stamp_times(list, timing->lengths[level], code[x]);
    return times;
}

/* The stamps of every level that are in use. */
static struct timing_stamps *list_stamps(struct timing *timing, const struct timing_list *list)
{
    struct timing_stamps *stamps =
            SATOR_NEW_ARRAY(timing->arena, struct timing_stamps, timing->n_levels);
    int64_t *code = sator_arena_copy(timing->arena, list->time, sizeof *code * (size_t)list->n);
    int64_t n = list->n;

    qsort(code, (size_t)n, sizeof *code, sator_compare_int64);
    for (int l = timing->n_levels - 1; l >= 0; l--) {
        int64_t below = list->time_below[timing->lengths[l]], kept = 0;
        int64_t inner_below =
                l == timing->n_levels - 1 ? 1 : list->time_below[timing->lengths[l + 1]];
        int64_t *own = SATOR_NEW_ARRAY(timing->arena, int64_t, n + 1);
        int64_t *outer = SATOR_NEW_ARRAY(timing->arena, int64_t, n + 1);
        for (int64_t i = 0; i < n; i++) {
            int64_t prefix = code[i] * inner_below / below;
            if (kept == 0 || own[kept - 1] != prefix)
                own[kept++] = prefix;
            outer[i] = kept - 1;
        }
        if (l < timing->n_levels - 1)
            stamps[l + 1].outer = outer;
        stamps[l] = (struct timing_stamps){.n = kept,
                .code = own,
                .times = count_times(timing, list, l, kept, own),
                .list = list};
        code = own;
        n = kept;
    }
    return stamps;
}

/* A PE's instances in a time-stamp are neighbours when sorted. */
struct placed {
    int64_t time, pe;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->pe > y->pe) - (x->pe < y->pe);
}

/* The most instances of one PE in each time-stamp. */
static int64_t *count_most(
        struct timing *timing, const struct timing_list *list, const struct timing_stamps *last)
{
    struct placed *placed = SATOR_NEW_ARRAY(timing->arena, struct placed, list->n + 1);
    int64_t *most = SATOR_NEW_ARRAY(timing->arena, int64_t, last->n + 1);
    int64_t t = 0;

    for (int64_t i = 0; i < list->n; i++)
        placed[i] = (struct placed){list->time[i], list->pe[i]};
    qsort(placed, (size_t)list->n, sizeof *placed, compare_placed);
    for (int64_t i = 0, next; i < list->n; i = next) {
        for (next = i + 1; next < list->n && compare_placed(&placed[i], &placed[next]) == 0;)
            next++;
        while (last->code[t] < placed[i].time)
            t++;
        most[t] = next - i > most[t] ? next - i : most[t];
    }
    return most;
}

static enum sator_status run_one_by_one(struct timing *timing, struct timing_sum *sum)
{
    const struct analysis *analysis = timing->analysis;
    struct timing_movement *movements =
            SATOR_NEW_ARRAY(timing->arena, struct timing_movement, timing->n_transfers + 1);
    struct timing_list list;
    enum sator_status st;

    SATOR_TRY(timing_list_all(timing, &list));
    if (timing->why != NULL)
        return SATOR_OK;
    const struct timing_stamps *stamps = list_stamps(timing, &list);
    for (int i = 0; i < analysis->workload->n_accesses && timing->why == NULL; i++)
        SATOR_TRY(timing_follow(timing, &list, stamps, i, movements));
    if (timing->why != NULL)
        return SATOR_OK;
    const int64_t *most = count_most(timing, &list, &stamps[timing->n_levels - 1]);
    SATOR_TRY(timing_recur(timing, stamps, most, movements, sum));
done:
    return st;
}

/* ---- results ---- */

/* Whether the words that were followed are those that are counted of the whole run. */
static bool adds_up(const struct timing *timing, const struct timing_sum *sum)
{
    static struct timing_movement nothing;

    for (int i = 0; i < timing->n_transfers; i++) {
        const struct timing_transfer *transfer = &timing->transfers[i];
        for (int w = 0; w < timing_n_ways(transfer); w++) {
            const struct timing_use *use = timing_way(timing, transfer, &nothing, w).use;
            if (use->port >= 0 && sum->moved[transfer->first_moved + w] != use->words)
                return false;
        }
    }
    return true;
}

/* Whose words pass the wires. */
static void find_served(const struct timing *timing)
{
    const int n_accesses = timing->analysis->workload->n_accesses;

    for (int i = 0; i < timing->n_transfers; i++) {
        const struct timing_transfer *transfer = &timing->transfers[i];
        for (int w = 3; w < timing_n_ways(transfer); w++) {
            int port = transfer->wires[w - 3].port;
            if (port >= 0)
                timing->served[port * n_accesses + transfer->access] = true;
        }
    }
}

/* The tensors whose words pass port "q", which is of wires. */
static const char *const *list_tensors(const struct timing *timing, int q, int *n)
{
    struct analysis *analysis = timing->analysis;
    const int n_accesses = analysis->workload->n_accesses;
    const char **names = SATOR_NEW_ARRAY(analysis->arena, const char *, n_accesses + 1);

    *n = 0;
    for (int i = 0; i < n_accesses; i++) {
        const char *tensor = analysis->model->tensors[i];
        if (timing->served[q * n_accesses + i] && !sator_lists(tensor, *n, names))
            names[(*n)++] = tensor;
    }
    return names;
}

/* Links, buses and trees with a bandwidth are ports, too, where words pass. */
static void add_wire_results(struct timing *timing)
{
    struct analysis *analysis = timing->analysis;
    struct sator_result *result = analysis->result;
    int n = result->n_ports;
    struct sator_port_result *ports =
            SATOR_NEW_ARRAY(analysis->arena, struct sator_port_result, n + timing->n_ports + 1);

    if (n > 0)
        memcpy(ports, analysis->ports, sizeof *ports * (size_t)n);
    for (int q = 0; q < timing->n_ports; q++) {
        const struct timing_port *port = &timing->ports[q];
        if (port->memory >= 0)
            continue;
        ports[n] = (struct sator_port_result){.name = port->name,
                .level = -1,
                .array = sator_arena_strdup(analysis->arena, port->array->name),
                .reads = true,
                .writes = true,
                .bits = -1,
                .bandwidth_bits = (double)port->bits / (double)port->cycles,
                .cycles = NAN};
        ports[n].tensors = list_tensors(timing, q, &ports[n].n_tensors);
        n += ports[n].n_tensors > 0;
    }
    result->n_ports = n;
    result->ports = analysis->ports = ports;
}

/* Whether the parts of the latency, none of them negative, make all of it. */
static inline bool is_made_of_parts(const struct timing *timing, const struct timing_sum *sum)
{
    sator_int parts = *sum->compute;
    bool sound = *sum->compute >= 0;

    for (int q = 0; q < timing->n_ports; q++) {
        sound &= sum->exposed[q] >= 0 && sum->stalled[q] >= 0 && sum->busy[q] >= 0;
        parts += sum->exposed[q] + sum->stalled[q];
    }
    return sound && parts == *sum->cycles;
}

/* What it is made of; what is busy for longest decides it. */
static void report(struct timing *timing, const struct timing_sum *sum)
{
    struct analysis *analysis = timing->analysis;
    struct sator_result *result = analysis->result;
    double most = (double)*sum->compute;

    assert(is_made_of_parts(timing, sum));
    assert(!(most < result->compute_cycles * (1 - 1e-9))); /* NAN: not known */
    assert(!((double)*sum->cycles < result->total_cycles * (1 - 1e-9)));
    add_wire_results(timing);
    result->timing = "scheduled";
    result->scheduled_cycles = result->total_cycles = (double)*sum->cycles;
    result->scheduled_compute_cycles = most;
    result->bound_by = "compute";
    result->macs_per_cycle = (double)result->instances / result->total_cycles;
    for (int i = 0; i < result->n_ports; i++) {
        struct sator_port_result *port = &analysis->ports[i];
        for (int q = 0; q < timing->n_ports; q++) {
            if (strcmp(timing->ports[q].name, port->name) != 0)
                continue;
            port->busy_cycles = (double)sum->busy[q] / (double)timing->ports[q].bits;
            port->exposed_cycles = (double)sum->exposed[q];
            port->stalled_cycles = (double)sum->stalled[q];
            if (port->busy_cycles > most) {
                most = port->busy_cycles;
                result->bound_by = port->name;
            }
        }
    }
}

enum sator_status timing_count_by_classes(struct timing *timing, struct timing_sum *sum, bool *done)
{
    enum sator_status st;

    *done = false;
    SATOR_TRY(timing_by_classes(timing, sum, done));
    *done = *done && adds_up(timing, sum);
    if (*done)
        find_served(timing);
done:
    return st;
}

/* Whether links that bring a sum from further back than the stamp before serve idle instances: what
 * they bring is not followed. */
static bool has_late_sums(const struct timing *timing)
{
    for (int i = 0; i < timing->n_transfers; i++) {
        const struct timing_transfer *transfer = &timing->transfers[i];
        for (int k = 0; transfer->holds_idle && k < transfer->transport.n_links; k++) {
            if (transfer->transport.links[k].interval > 1 &&
                    timing->analysis->workload->accesses[transfer->access].role == SATOR_WRITE)
                return true;
        }
    }
    return false;
}

/* By classes, or where they do not apply ("with_idle": idle instances hold something) one by one.
 */
static enum sator_status measure(struct timing *timing, bool with_idle, struct timing_sum *sum)
{
    bool done = false;
    enum sator_status st = SATOR_OK;

    if (!with_idle)
        SATOR_TRY(timing_count_by_classes(timing, sum, &done));
    if (done)
        return SATOR_OK;
    if (sator_arch_passes_through(timing->analysis->arch))
        timing->why = "'pass_through' is counted for nests with one skewed row only";
    else if (with_idle && has_late_sums(timing))
        timing->why = "sums that idle PEs hold ('holds: idle') are not followed beside links of "
                      "interval 2 or more";
    if (timing->why != NULL)
        return SATOR_OK;
    SATOR_TRY(run_one_by_one(timing, sum));
    if (timing->why == NULL && !adds_up(timing, sum))
        timing->why = "what moves in the stamps does not add up to what moves in all";
    find_served(timing);
done:
    if (st == SATOR_LIMIT) {
        timing->why = "the work limit does not let the stamps be followed";
        st = SATOR_OK;
    }
    return st;
}

/* Whether idle instances hold what a transfer moves. */
static bool holds_idle(const struct timing *timing)
{
    struct analysis *analysis = timing->analysis;

    for (int m = 0; m < analysis->n_memories; m++) {
        const struct transfer_end end = analysis_memory_end(&analysis->memories[m]);
        if (end.holds_idle &&
                !sator_count_nobody_idles(analysis_counter(analysis, end.n_time, end.n_space)))
            return true;
    }
    return false;
}

enum sator_status analysis_timing(struct analysis *analysis)
{
    struct timing timing = timing_of(analysis, sator_arena_new());
    struct timing_sum sum;
    bool known = false;
    enum sator_status st = SATOR_OK;

    if (!timing_list_ports(&timing) ||
            !timing_read_ratio(
                    sator_arch_compute_cycles(analysis->arch), &timing.cycles, &timing.per_cycles))
        timing.why = "a bandwidth, or the cycles of an instance, are no ratio of 64-bit numbers";
    const bool with_idle = timing.why == NULL && holds_idle(&timing);
    if (timing.why == NULL) {
        list_levels(&timing);
        timing_make_room(&timing);
    }
    if (timing.why == NULL && !with_idle)
        SATOR_TRY(timing_by_family(&timing, &sum, &known));
    if (timing.why == NULL && !known) {
        timing_warn_of_room(&timing);
        SATOR_TRY(timing_list_transfers(&timing));
        SATOR_TRY(measure(&timing, with_idle, &sum));
        if (timing.why != NULL && analysis->family != NULL)
            st = SATOR_LIMIT; /* which had its part of the work: the point is to be asked alone */
    }
    if (st == SATOR_OK && timing.why == NULL)
        report(&timing, &sum);
    else
        analysis->result->unscheduled = timing.why;
done:
    sator_arena_free(timing.arena);
    return st;
}
