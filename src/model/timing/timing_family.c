/* The scheduled time of points of a family (doc/counting.md, "Many extents"): what it is made of
 * follows the law of counts where the words of a loop's periods fill whole cycles. */
#include "model/timing/timing.h"

#include "model/families.h"

#include <string.h>

enum {
    STUDY_NAME = -1, /* what no question's name begins with */
    LONGEST_STEP = 1 << 16
};

/* ---- numbers ---- */

/* Whose words pass a port is a matter of its wires. */
static int count_served(const struct timing *timing, int port)
{
    return timing->ports[port].memory < 0 ? timing->analysis->workload->n_accesses : 0;
}

/* What a time is made of as one row: cycles, those that compute, then of each port three numbers
 * and whose words pass. */
static int count_numbers(const struct timing *timing)
{
    int n = 2 + 3 * timing->n_ports;

    for (int q = 0; q < timing->n_ports; q++)
        n += count_served(timing, q);
    return n;
}

static void take_sum(struct timing *timing, const sator_int *numbers, struct timing_sum *sum)
{
    const int n_accesses = timing->analysis->workload->n_accesses;

    *sum = timing_sum_new(timing);
    *sum->cycles = *numbers++;
    *sum->compute = *numbers++;
    for (int q = 0; q < timing->n_ports; q++) {
        sum->busy[q] = *numbers++;
        sum->exposed[q] = *numbers++;
        sum->stalled[q] = *numbers++;
        for (int i = 0; i < count_served(timing, q); i++)
            timing->served[q * n_accesses + i] = *numbers++ != 0;
    }
}

static void put_sum(const struct timing *timing, const struct timing_sum *sum, sator_int *numbers)
{
    const int n_accesses = timing->analysis->workload->n_accesses;

    *numbers++ = *sum->cycles;
    *numbers++ = *sum->compute;
    for (int q = 0; q < timing->n_ports; q++) {
        *numbers++ = sum->busy[q];
        *numbers++ = sum->exposed[q];
        *numbers++ = sum->stalled[q];
        for (int i = 0; i < count_served(timing, q); i++)
            *numbers++ = timing->served[q * n_accesses + i];
    }
}

/* ---- a corner ---- */

/* The point's memories, with the same cuts, for another workload. */
static struct memory *copy_memories(const struct analysis *point, struct sator_arena *arena)
{
    const size_t n = (size_t)point->workload->n_accesses + 1;
    struct memory *copies = sator_arena_copy(
            arena, point->memories, sizeof *copies * (size_t)(point->n_memories + 1));

    for (int m = 0; m < point->n_memories; m++) {
        copies[m].tensors =
                sator_arena_copy(arena, copies[m].tensors, sizeof *copies[m].tensors * n);
        copies[m].entries = SATOR_NEW_ARRAY(arena, sator_int, n);
        copies[m].apart = NULL;
    }
    return copies;
}

/* The time of "corner", by classes: what is followed one by one is as long as a point by itself. */
static enum sator_status measure_corner(
        struct timing *timing, struct analysis *corner, sator_int *numbers, bool *known)
{
    struct timing own = {.analysis = corner,
            .arena = corner->arena,
            .n_ports = timing->n_ports,
            .ports = timing->ports,
            .reach = timing->reach,
            .n_levels = timing->n_levels,
            .lengths = timing->lengths,
            .cycles = timing->cycles,
            .per_cycles = timing->per_cycles};
    struct timing_sum sum;
    enum sator_status st;

    timing_make_room(&own);
    SATOR_TRY(analysis_count_flows(corner));
    SATOR_TRY(timing_list_transfers(&own));
    SATOR_TRY(timing_count_by_classes(&own, &sum, known));
    *known &= !own.has_windows; /* how many there are is no polynomial of the extents */
    if (*known)
        put_sum(&own, &sum, numbers);
done:
    return st;
}

static enum sator_status find_corner(void *of, const struct sator_workload *workload,
        struct sator_family *family, struct sator_workspace *workspace, sator_int *numbers,
        bool *known)
{
    struct timing *timing = of;
    struct analysis corner = *timing->analysis;
    struct sator_arena *arena = sator_arena_new();

    corner.arena = arena;
    corner.workspace = workspace;
    corner.family = family;
    corner.workload = workload;
    corner.footprints = SATOR_NEW_ARRAY(arena, sator_int, workload->n_accesses + 1);
    corner.result = SATOR_NEW(arena, struct sator_result);
    corner.counters = NULL;
    corner.transfers = NULL;
    corner.n_counters = corner.n_transfers = 0;
    corner.memories = copy_memories(timing->analysis, arena);
    enum sator_status st = measure_corner(timing, &corner, numbers, known);
    for (int i = 0; i < corner.n_counters; i++)
        sator_counter_stop(corner.counters[i].counter);
    sator_arena_free(arena);
    return st;
}

/* ---- the law ---- */

/* Whether something moves between memories in prefixes that do not tell apart the values of a loop
 * whose first row of time is "first_row": how many words these are depends on its extent. */
static bool moves_outside(struct analysis *analysis, int first_row)
{
    for (int m = 0; m < analysis->n_memories; m++) {
        const struct memory *memory = &analysis->memories[m];
        if (memory->time_cut <= first_row && (m > 0 || !analysis_is_whole(analysis, memory)))
            return true;
    }
    return first_row == analysis->n_time;
}

/* Which wires count, and when idle PEs let go, is another question at every point. */
static bool has_law(const struct analysis *analysis)
{
    bool has = analysis->n_memories > 0;

    for (int i = 0; i < analysis->model->n_networks; i++)
        has &= !analysis->model->networks[i].network.is_cyclic;
    for (int m = 0; m < analysis->n_memories; m++)
        has &= !analysis->memories[m].level->memory.holds_idle;
    return has;
}

/* The time under these cuts, at points that are steps of whole cycles apart; without a name, and so
 * for none, where they are too long. */
static void describe_study(struct timing *timing, struct family_study *study)
{
    struct analysis *analysis = timing->analysis;
    const struct sator_family *family = analysis->family;
    int64_t whole = 0; /* words, once they are needed */

    *study = (struct family_study){.n_name = QUESTION_NAME + 1,
            .looks_around = timing_overlaps(timing),
            .n_numbers = count_numbers(timing),
            .find = find_corner,
            .of = timing};
    for (int i = 0; i < family->n_loops; i++) {
        study->step[i] = 1;
        if (!moves_outside(analysis, family->loops[i].first_row))
            continue;
        whole = whole == 0 ? timing_whole_words(timing) : whole;
        study->step[i] = whole;
        if (whole * family->loops[i].period > LONGEST_STEP)
            return;
    }
    if (analysis->n_memories >= QUESTION_NAME)
        return;
    study->n_name = 0;
    study->name[study->n_name++] = STUDY_NAME;
    for (int m = 0; m < analysis->n_memories; m++)
        study->name[study->n_name++] = analysis->memories[m].time_cut;
}

enum sator_status timing_by_family(struct timing *timing, struct timing_sum *sum, bool *done)
{
    struct analysis *analysis = timing->analysis;
    struct family_study study;
    enum sator_status st = SATOR_OK;

    *done = false;
    if (analysis->family == NULL || !has_law(analysis))
        return SATOR_OK;
    describe_study(timing, &study);
    sator_int *numbers = SATOR_NEW_ARRAY(timing->arena, sator_int, study.n_numbers);
    SATOR_TRY(sator_family_study(analysis->family, &study, numbers, done));
    if (*done)
        take_sum(timing, numbers, sum);
done:
    return st;
}
