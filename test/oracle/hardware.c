/* What a machine as a whole does: the schedule, cuts, words of every memory, ports and time. */
#include "oracle/hardware.h"

#include "oracle/hardware_move.h"
#include "oracle/tuples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

void hardware_level_name(const struct hardware *hardware, int level, char name[HARDWARE_NAME])
{
    int before = 0;
    for (int l = 0; l < level; l++)
        before += hardware->levels[l].is_array == hardware->levels[level].is_array;
    snprintf(name, HARDWARE_NAME, "%c%d", hardware->levels[level].is_array ? 'P' : 'M', before);
}

void hardware_link_name(
        const struct hardware *hardware, int level, int link, char name[HARDWARE_NAME])
{
    char array[HARDWARE_NAME];
    hardware_level_name(hardware, level, array);
    snprintf(name, HARDWARE_NAME, "%.8s_link%d", array, link);
}

void hardware_bus_name(
        const struct hardware *hardware, int level, int bus, char name[HARDWARE_NAME])
{
    char array[HARDWARE_NAME];
    hardware_level_name(hardware, level, array);
    snprintf(name, HARDWARE_NAME, "%.8s_bus%d", array, bus);
}

int hardware_width(const struct hardware *hardware, int level, int tensor)
{
    const struct hardware_level *here = &hardware->levels[level];

    return here->width_of[tensor] > 0 ? here->width_of[tensor]
            : here->width > 0         ? here->width
                                      : hardware->word_bits[tensor];
}

unsigned hardware_holds(const struct hardware *hardware, int level)
{
    const struct hardware_level *memory = &hardware->levels[level];
    return ~(memory->never | memory->bypassed) & ((1u << hardware->program.n_tensors) - 1);
}

/* ---- nests ---- */

/* The digit of its loop that entry "entry" of the nest stands for. */
static int digit(struct hardware *hardware, int entry)
{
    struct oracle_program *program = &hardware->program;
    const struct hardware_loop *loop = &hardware->nest[entry];
    int64_t stride = 1;
    int at = oracle_var(program, loop->loop);

    for (int inner = entry + 1; inner < hardware->n_nest; inner++)
        if (hardware->nest[inner].loop == loop->loop)
            stride *= hardware->nest[inner].factor;
    if (program->lower[loop->loop] != 0)
        at = oracle_add(program, at, oracle_const(program, -program->lower[loop->loop]));
    return oracle_mod(program, oracle_div(program, at, stride), loop->factor);
}

/* Where the loops of the nest that run in parallel put an instance. */
static void unfold_space(struct hardware *hardware)
{
    struct oracle_program *program = &hardware->program;
    int dim = 0;

    for (int level = 0; level < hardware->n_levels; level++) {
        struct hardware_level *here = &hardware->levels[level];
        for (int d = 0; here->is_array && d < here->n_dims; d++, dim++) {
            program->space[dim] = oracle_const(program, 0);
            program->space_offset[dim] = 0;
            program->shape[dim] = here->shape[d];
            for (int e = 0; e < hardware->n_nest; e++) {
                const struct hardware_loop *loop = &hardware->nest[e];
                if (loop->level == level && loop->dim == d)
                    program->space[dim] = oracle_add(program,
                            oracle_mul(program, loop->factor, program->space[dim]),
                            digit(hardware, e));
            }
        }
    }
    program->n_space = dim;
}

/* How much later an instance runs in the arrays directly inside the memory at "level"; -1: none of
 * them is skewed. */
static int lateness(struct hardware *hardware, int level)
{
    struct oracle_program *program = &hardware->program;
    int dim = 0, late = -1;

    for (int l = 0; l < level; l++)
        dim += hardware->levels[l].is_array ? hardware->levels[l].n_dims : 0;
    for (int l = level + 1; l < hardware->n_levels && hardware->levels[l].is_array; l++)
        for (int d = 0; d < hardware->levels[l].n_dims; d++, dim++) {
            if (hardware->levels[l].skew[d] == 0)
                continue;
            int step = oracle_mul(program, hardware->levels[l].skew[d], program->space[dim]);
            late = late < 0 ? step : oracle_add(program, late, step);
        }
    return late;
}

/* A skewed row: the loops of memory after memory, down to the one directly outside the arrays. */
struct skewed_row {
    int n, levels[HARDWARE_LEVELS]; /* innermost first */
    int joined[HARDWARE_LEVELS]; /* loops of each that are in the row */
    int late; /* an expression: how much later an instance runs */
    int64_t lead; /* the least of it, not positive */
};

/* Whether some array directly inside the memory at "level" is skewed. */
static bool is_skewed_inside(const struct hardware *hardware, int level)
{
    bool skewed = false;

    for (int l = level + 1; l < hardware->n_levels && hardware->levels[l].is_array; l++)
        for (int d = 0; d < hardware->levels[l].n_dims; d++)
            skewed |= hardware->levels[l].skew[d] != 0;
    return skewed && !hardware->levels[level].is_array;
}

static int count_loops(const struct hardware *hardware, int level)
{
    int n = 0;

    for (int e = 0; e < hardware->n_nest; e++)
        n += hardware->nest[e].level == level && hardware->nest[e].dim < 0;
    return n;
}

/* The least lateness of the PEs that the nest uses in the arrays directly inside "level". */
static int64_t find_lead(const struct hardware *hardware, int level)
{
    int64_t lead = 0;

    for (int l = level + 1; l < hardware->n_levels && hardware->levels[l].is_array; l++)
        for (int d = 0; d < hardware->levels[l].n_dims; d++) {
            int64_t used = 1;
            for (int e = 0; e < hardware->n_nest; e++)
                if (hardware->nest[e].level == l && hardware->nest[e].dim == d)
                    used *= hardware->nest[e].factor;
            if (hardware->levels[l].skew[d] < 0)
                lead += hardware->levels[l].skew[d] * (used - 1);
        }
    return lead;
}

/* The row that the loops of memory "level" can be in; false: none. */
static bool find_row(struct hardware *hardware, int level, struct skewed_row *row)
{
    int inner = level, joined;

    while (inner < hardware->n_levels && !is_skewed_inside(hardware, inner))
        inner++;
    if (inner == hardware->n_levels)
        return false;
    row->n = 0;
    row->lead = find_lead(hardware, inner);
    for (int at = inner; at >= 0; at--) {
        int loops = count_loops(hardware, at);
        if (hardware->levels[at].is_array)
            continue;
        if (at < inner && is_skewed_inside(hardware, at))
            break; /* it has a row of its own */
        joined = hardware->levels[at].joined;
        joined = joined < 0 ? 0 : joined > 0 ? joined : at == inner ? loops : 0;
        joined = joined < loops ? joined : loops;
        row->levels[row->n] = at;
        row->joined[row->n++] = joined;
        if (joined < loops)
            break;
    }
    if (row->levels[row->n - 1] > level)
        return false;
    row->late = lateness(hardware, inner);
    return true;
}

/* R, or what tells apart the windows of it that the memory inside "level" holds; -1: no loop of
 * "level" is in the row. */
static int unfold_row(struct hardware *hardware, int level, const struct skewed_row *row)
{
    struct oracle_program *program = &hardware->program;
    int sum = oracle_const(program, 0);
    int64_t window = 1;

    for (int i = row->n - 1; i >= 0; i--) {
        int left = count_loops(hardware, row->levels[i]);
        for (int e = 0; e < hardware->n_nest; e++) {
            const struct hardware_loop *loop = &hardware->nest[e];
            if (loop->level != row->levels[i] || loop->dim >= 0)
                continue;
            if (row->levels[i] > level)
                window *= loop->factor;
            if (left-- <= row->joined[i])
                sum = oracle_add(
                        program, oracle_mul(program, loop->factor, sum), digit(hardware, e));
        }
        if (row->levels[i] == level && level != row->levels[0] && row->joined[i] == 0)
            return -1;
    }
    sum = oracle_add(program, sum, row->late);
    if (level == row->levels[0])
        return sum;
    sum = oracle_add(program, sum, oracle_const(program, -row->lead));
    return oracle_div(program, sum, window);
}

bool hardware_unfold(struct hardware *hardware)
{
    struct oracle_program *program = &hardware->program;
    struct skewed_row row;
    int rows[HARDWARE_LOOPS + HARDWARE_LEVELS], n = 0;

    unfold_space(hardware);
    for (int level = 0; level < hardware->n_levels; level++) {
        struct hardware_level *here = &hardware->levels[level];
        bool is_skewed = !here->is_array && find_row(hardware, level, &row);
        int left = count_loops(hardware, level);
        here->cut = here->is_array ? 0 : n;
        for (int i = 0; is_skewed && i < row.n; i++)
            left -= row.levels[i] == level ? row.joined[i] : 0;
        for (int e = 0; e < hardware->n_nest; e++)
            if (hardware->nest[e].level == level && hardware->nest[e].dim < 0 && left-- > 0)
                rows[n++] = digit(hardware, e);
        int own = is_skewed ? unfold_row(hardware, level, &row) : -1;
        if (own >= 0)
            rows[n++] = own;
    }
    if (n > ORACLE_TIME)
        return false;
    program->n_time = n;
    memcpy(program->time, rows, sizeof *rows * (size_t)n);
    return true;
}

/* ---- the schedule ---- */

static bool next_point(const struct oracle_program *program, int64_t *point)
{
    for (int loop = program->n_loops - 1; loop >= 0; loop--) {
        if (++point[loop] < program->upper[loop])
            return true;
        point[loop] = program->lower[loop];
    }
    return false;
}

struct placed {
    int64_t point[ORACLE_LOOPS], place[ORACLE_SPACE], time[ORACLE_TIME];
    int64_t number; /* in the order of the loop nest */
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    for (int d = 0; d < ORACLE_TIME; d++)
        if (x->time[d] != y->time[d])
            return x->time[d] < y->time[d] ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* All instances of the domain (GIVE: free); "*outside" when one leaves the array. */
static struct placed *place_all(const struct oracle_program *program, int64_t *n, bool *outside)
{
    struct placed *all = tuples_must(
            calloc((size_t)oracle_instances(program, INT64_MAX - 1) + 1, sizeof(struct placed)));
    int64_t point[ORACLE_LOOPS] = {0};

    *n = 0;
    *outside = false;
    for (int loop = 0; loop < program->n_loops; loop++)
        point[loop] = program->lower[loop];
    do {
        struct placed *placed = &all[*n];
        if (!oracle_holds(program, &program->domain, point))
            continue;
        memcpy(placed->point, point, sizeof point);
        for (int d = 0; d < program->n_space; d++) {
            placed->place[d] =
                    oracle_value(program, program->space[d], point) + program->space_offset[d];
            *outside |= placed->place[d] < 0 || placed->place[d] >= program->shape[d];
        }
        for (int d = 0; d < program->n_time; d++)
            placed->time[d] = oracle_value(program, program->time[d], point);
        placed->number = (*n)++;
    } while (next_point(program, point));
    return all;
}

static void schedule_init(const struct oracle_program *program, struct schedule *schedule)
{
    *schedule = (struct schedule){.n = 0};
    struct placed *all = place_all(program, &schedule->n, &schedule->outside);
    size_t room = (size_t)schedule->n + 1;

    qsort(all, (size_t)schedule->n, sizeof *all, compare_placed);
    schedule->points = tuples_must(calloc(room, ORACLE_LOOPS * sizeof(int64_t)));
    schedule->places = tuples_must(calloc(room, ORACLE_SPACE * sizeof(int64_t)));
    schedule->ranks = tuples_must(calloc(room, sizeof(int64_t)));
    for (int a = 0; a <= program->n_time; a++)
        schedule->prefix[a] = tuples_must(calloc(room, sizeof(int64_t)));
    for (int64_t i = 0; i < schedule->n; i++) {
        int same = 0; /* leading dimensions in which the time is that of the instance before */
        while (i > 0 && same < program->n_time && all[i].time[same] == all[i - 1].time[same])
            same++;
        if (i == 0 || same < program->n_time) {
            int64_t rank = schedule->n_ranks++;
            for (int a = 0; a <= program->n_time && rank > 0; a++)
                schedule->prefix[a][rank] = schedule->prefix[a][rank - 1] + (a > same);
        }
        schedule->ranks[i] = schedule->n_ranks - 1;
        memcpy(schedule->points + i * ORACLE_LOOPS, all[i].point, sizeof all[i].point);
        memcpy(schedule->places + i * ORACLE_SPACE, all[i].place, sizeof all[i].place);
    }
    free(all);
}

static void schedule_clear(struct schedule *schedule)
{
    free(schedule->points);
    free(schedule->places);
    free(schedule->ranks);
    for (int a = 0; a <= ORACLE_TIME; a++)
        free(schedule->prefix[a]);
}

static void touch(const struct oracle_program *program, const struct schedule *schedule,
        const struct oracle_access *access, struct touched *touched)
{
    struct tuples elements, pairs;

    tuples_init(&elements, access->n_index);
    tuples_init(&pairs, 2);
    touched->first = tuples_must(calloc((size_t)schedule->n + 2, sizeof(int64_t)));
    for (int64_t i = 0; i < schedule->n; i++) {
        const int64_t *point = schedule->points + i * ORACLE_LOOPS;
        for (int piece = 0; piece < access->n_pieces; piece++) {
            int64_t index[ORACLE_INDEX] = {0};
            if (!oracle_holds(program, &access->pieces[piece].conds, point))
                continue;
            for (int d = 0; d < access->n_index; d++)
                index[d] = oracle_value(program, access->pieces[piece].index[d], point);
            tuples_add(&pairs, (int64_t[]){i, tuples_add(&elements, index)});
        }
        touched->first[i + 1] = pairs.n;
    }
    touched->element = tuples_must(calloc((size_t)pairs.n + 1, sizeof(int64_t)));
    for (int64_t k = 0; k < pairs.n; k++)
        touched->element[k] = tuples_at(&pairs, k)[1];
    touched->n_elements = elements.n;
    tuples_clear(&elements);
    tuples_clear(&pairs);
}

static void touched_clear(struct touched *touched)
{
    free(touched->first);
    free(touched->element);
}

/* ---- cuts ---- */

struct judge {
    const struct hardware *hardware;
    struct hardware_result *result;
    struct schedule schedule;
    struct touched touched[ORACLE_ACCESSES];
    struct moves *moves[HARDWARE_LEVELS][ORACLE_ACCESSES]; /* of each instance */
    struct moves *alone[HARDWARE_LEVELS][ORACLE_ACCESSES]; /* when only what it runs is run */
};

static int dims_outside(const struct hardware *hardware, int level)
{
    int dims = 0;
    for (int l = 0; l < level; l++)
        dims += hardware->levels[l].is_array ? hardware->levels[l].n_dims : 0;
    return dims;
}

static bool holds(const struct hardware *hardware, int level, int access)
{
    return (hardware_holds(hardware, level) >> hardware->program.accesses[access].tensor & 1) != 0;
}

/* Whether the tiles of prefixes of "cut" time dimensions fit into the memory. */
static bool fits(const struct judge *judge, int level, int cut)
{
    const struct hardware *hardware = judge->hardware;
    const struct hardware_level *memory = &hardware->levels[level];
    int64_t tiles[ORACLE_TENSORS] = {0}, used = 0, copies = memory->is_double_buffered ? 2 : 1;

    for (int a = 0; a < hardware->program.n_accesses; a++) {
        int tensor = hardware->program.accesses[a].tensor;
        if (!holds(hardware, level, a))
            continue;
        int64_t tile = hardware_tile(
                hardware, &judge->schedule, &judge->touched[a], dims_outside(hardware, level), cut);
        tiles[tensor] = tile > tiles[tensor] ? tile : tiles[tensor];
    }
    for (int t = 0; t < hardware->program.n_tensors; t++) {
        if (memory->capacity == HARDWARE_EACH && copies * tiles[t] > memory->room_of[t] &&
                memory->room_of[t] > 0)
            return false;
        used += copies * tiles[t] *
                (memory->capacity == HARDWARE_BYTES ? hardware_width(hardware, level, t) : 1);
    }
    return memory->capacity == HARDWARE_UNLIMITED || memory->capacity == HARDWARE_EACH ||
            used <= memory->room * (memory->capacity == HARDWARE_BYTES ? 8 : 1);
}

/* The cut of the memory at "level", at least "lower"; -1 when nothing fits. */
static int choose_cut(const struct judge *judge, int level, int lower)
{
    const struct hardware *hardware = judge->hardware;
    const struct hardware_level *memory = &hardware->levels[level];
    int upper = hardware->program.n_time;

    if (memory->cut >= 0)
        return fits(judge, level, memory->cut) ? memory->cut : -1;
    for (int l = level + 1; l < hardware->n_levels; l++)
        if (!hardware->levels[l].is_array && hardware->levels[l].cut >= 0 &&
                hardware->levels[l].cut < upper)
            upper = hardware->levels[l].cut;
    if (memory->capacity == HARDWARE_UNLIMITED)
        return dims_outside(hardware, level) == 0 ? lower : upper;
    for (int cut = lower; cut <= upper; cut++)
        if (fits(judge, level, cut))
            return cut;
    return -1;
}

static void choose_cuts(struct judge *judge)
{
    int lower = 0;

    for (int level = 0; level < judge->hardware->n_levels; level++) {
        if (judge->hardware->levels[level].is_array)
            continue;
        int cut = choose_cut(judge, level, lower);
        if (cut < 0) {
            judge->result->fault = HARDWARE_FULL;
            judge->result->fault_level = level;
            return;
        }
        judge->result->cuts[level] = lower = cut;
    }
}

/* ---- words ---- */

static int list_stays(const struct judge *judge, int access, struct stay *stays)
{
    const struct hardware *hardware = judge->hardware;
    int n = 1;
    bool array_inside = false;

    stays[0] = (struct stay){.level = -1};
    for (int level = 0; level < hardware->n_levels; level++) {
        array_inside = array_inside || hardware->levels[level].is_array;
        if (hardware->levels[level].is_array || !holds(hardware, level, access))
            continue;
        stays[n] = (struct stay){.level = level,
                .n_space = dims_outside(hardware, level),
                .n_time = judge->result->cuts[level],
                .holds_idle =
                        hardware->levels[level].holds_idle && dims_outside(hardware, level) > 0,
                .first_level = stays[n - 1].level + 1,
                .end_level = level};
        n++;
        array_inside = false;
    }
    if (array_inside) {
        stays[n] = (struct stay){.level = -1,
                .n_space = hardware->program.n_space,
                .n_time = hardware->program.n_time,
                .first_level = stays[n - 1].level + 1,
                .end_level = hardware->n_levels};
        n++;
    }
    return n;
}

/* What the outside does nobody counts, nor words straight from there to compute units. What the
 * outermost holder keeps for the whole run is there from the beginning; what it takes up piece by
 * piece arrives. */
static void take_words(struct judge *judge, int access, const struct stay *stays, int n_stays,
        const struct stay_counts *counts)
{
    const struct schedule *schedule = &judge->schedule;

    for (int s = 1; s < n_stays; s++) {
        int level = stays[s].level;
        for (int l = 0; l < HARDWARE_LEVELS && (s > 1 || level >= 0); l++) {
            for (int k = 0; k < HARDWARE_LINKS; k++)
                judge->result->link_words[l][k] += counts[s].link_words[l][k];
            for (int k = 0; k < HARDWARE_BUSES; k++)
                judge->result->bus_words[l][k] += counts[s].bus_words[l][k];
        }
        if (level < 0) {
            free(counts[s].of_instance);
            continue;
        }
        struct hardware_words *words = &judge->result->words[level][access];
        *words = (struct hardware_words){.held = true, .tile = counts[s].tile};
        judge->moves[level][access] = counts[s].of_instance;
        for (int64_t i = 0; i < counts[s].n_instances; i++) {
            struct moves *moves = &counts[s].of_instance[i];
            if (s == 1 && stays[s].n_space == 0 &&
                    schedule->prefix[stays[s].n_time][schedule->n_ranks - 1] == 0)
                moves->fills = moves->writes = 0;
            words->fills += moves->fills;
            words->writes += moves->writes;
            words->reads += moves->reads;
            words->updates += moves->updates;
        }
    }
    free(counts[0].of_instance);
}

static void count_words(struct judge *judge, int access)
{
    const struct oracle_access *of = &judge->hardware->program.accesses[access];
    struct stay stays[HARDWARE_LEVELS + 2];
    struct stay_counts counts[HARDWARE_LEVELS + 2];
    struct sum_counts sums;
    int n_stays = list_stays(judge, access, stays);

    hardware_move(judge->hardware, &judge->schedule, &judge->touched[access], of, stays, n_stays, 0,
            counts, &sums);
    take_words(judge, access, stays, n_stays, counts);
    judge->result->sums_are_right = judge->result->sums_are_right && sums.are_right;
    for (int s = 1; s < n_stays; s++)
        judge->result->sums_pass |=
                of->is_write && counts[s].unique != counts[s].total - counts[s].temporal;
    judge->result->gone_up += sums.gone_up;
    judge->result->left += sums.left;
}

/* ---- instances by themselves ---- */

static int64_t number_of(const struct hardware *hardware, int n_space, const int64_t *place)
{
    int64_t number = 0;
    for (int d = 0; d < n_space; d++)
        number = number * hardware->program.shape[d] + place[d];
    return number;
}

/* What "judge" runs of "access" in one instance of n_space dimensions; stamps stay those of the
 * whole. */
static void restrict_to(const struct judge *judge, int access, int n_space, int64_t instance,
        struct schedule *schedule, struct touched *touched)
{
    const struct schedule *all = &judge->schedule;
    const struct touched *all_touched = &judge->touched[access];
    size_t room = (size_t)all->n + 1;

    *schedule = *all;
    *touched = *all_touched;
    schedule->n = 0;
    schedule->places = tuples_must(calloc(room, ORACLE_SPACE * sizeof(int64_t)));
    schedule->ranks = tuples_must(calloc(room, sizeof(int64_t)));
    touched->first = tuples_must(calloc(room + 1, sizeof(int64_t)));
    touched->element = tuples_must(calloc((size_t)all_touched->first[all->n] + 1, sizeof(int64_t)));
    for (int64_t i = 0; i < all->n; i++) {
        const int64_t *place = all->places + i * ORACLE_SPACE;
        if (number_of(judge->hardware, n_space, place) != instance)
            continue;
        int64_t k = schedule->n++, end = touched->first[k];
        memcpy(schedule->places + k * ORACLE_SPACE, place, ORACLE_SPACE * sizeof *place);
        schedule->ranks[k] = all->ranks[i];
        for (int64_t e = all_touched->first[i]; e < all_touched->first[i + 1]; e++)
            touched->element[end++] = all_touched->element[e];
        touched->first[k + 1] = end;
    }
}

static void count_alone(struct judge *judge, int access, const struct stay *stays, int n_stays,
        int stay, int64_t instance)
{
    struct schedule schedule;
    struct touched touched;
    struct stay_counts counts[HARDWARE_LEVELS + 2];
    struct sum_counts sums;

    restrict_to(judge, access, stays[stay].n_space, instance, &schedule, &touched);
    if (schedule.n > 0) {
        hardware_move(judge->hardware, &schedule, &touched,
                &judge->hardware->program.accesses[access], stays, n_stays, stays[stay].n_space,
                counts, &sums);
        judge->alone[stays[stay].level][access][instance] = counts[stay].of_instance[instance];
        for (int s = 0; s < n_stays; s++)
            free(counts[s].of_instance);
    }
    free(schedule.places);
    free(schedule.ranks);
    touched_clear(&touched);
}

/* doc/model.md, section 3: the words of one instance are those of a run of its own instances. */
static void count_each_alone(struct judge *judge, int access)
{
    struct stay stays[HARDWARE_LEVELS + 2];
    int n_stays = list_stays(judge, access, stays);

    for (int s = 1; s < n_stays; s++) {
        int64_t n_instances = 1;
        int level = stays[s].level;
        for (int d = 0; d < stays[s].n_space; d++)
            n_instances *= judge->hardware->program.shape[d];
        if (level < 0)
            continue;
        judge->alone[level][access] =
                tuples_must(calloc((size_t)n_instances, sizeof(struct moves)));
        if (stays[s].n_space == 0)
            judge->alone[level][access][0] = judge->moves[level][access][0];
        for (int64_t i = 0; i < n_instances && stays[s].n_space > 0; i++)
            count_alone(judge, access, stays, n_stays, s, i);
    }
}

/* Whether what PEs have stays while they idle: as their own innermost memory says that holds the
 * tensor. */
static bool pes_hold_idle(const struct hardware *hardware, int access)
{
    bool idle = false;

    for (int level = 0; level < hardware->n_levels; level++) {
        if (hardware->levels[level].is_array)
            idle = false;
        else if (holds(hardware, level, access))
            idle = hardware->levels[level].holds_idle && dims_outside(hardware, level) > 0;
    }
    return idle;
}

/* doc/model.md, section 2: straight from the outside to the PEs, over all arrays. */
static void count_volumes(struct judge *judge, int access)
{
    const struct hardware *hardware = judge->hardware;
    const struct touched *touched = &judge->touched[access];
    const struct stay stays[] = {{.level = -1},
            {.level = -1,
                    .n_space = hardware->program.n_space,
                    .n_time = hardware->program.n_time,
                    .end_level = hardware->n_levels,
                    .holds_idle = pes_hold_idle(hardware, access)}};
    struct stay_counts counts[2];
    struct sum_counts sums;

    hardware_move(hardware, &judge->schedule, touched, &hardware->program.accesses[access], stays,
            2, 0, counts, &sums);
    judge->result->volumes[access] =
            (struct hardware_volumes){.access = touched->first[judge->schedule.n],
                    .total = counts[1].total,
                    .temporal = counts[1].temporal,
                    .spatial = counts[1].total - counts[1].temporal - counts[1].unique,
                    .unique = counts[1].unique,
                    .footprint = touched->n_elements};
    free(counts[0].of_instance);
    free(counts[1].of_instance);
}

/* ---- ports and time ---- */

static bool is_of(const struct hardware_port *port, bool is_write)
{
    return port->direction != (is_write ? HARDWARE_READ : HARDWARE_WRITE);
}

/* The port of "memory" that "tensor" uses in one direction; -1: the memory's own. */
static int port_of(const struct hardware_level *memory, int tensor, bool is_write)
{
    int general = -1;

    for (int p = 0; p < memory->n_ports; p++) {
        if (!is_of(&memory->ports[p], is_write))
            continue;
        if ((memory->ports[p].tensors >> tensor & 1) != 0)
            return p;
        if (memory->ports[p].tensors == 0)
            general = p;
    }
    return general;
}

/* Bits that the accesses that use "port" in the given directions move through "instance",
 * in the whole or by itself. */
static int64_t bits_through(const struct judge *judge, bool alone, int level, int port, bool reads,
        bool writes, int64_t instance)
{
    const struct hardware *hardware = judge->hardware;
    const struct hardware_level *memory = &hardware->levels[level];
    int64_t bits = 0;

    for (int a = 0; a < hardware->program.n_accesses; a++) {
        int tensor = hardware->program.accesses[a].tensor;
        if (!judge->moves[level][a])
            continue;
        const struct moves *of =
                alone ? &judge->alone[level][a][instance] : &judge->moves[level][a][instance];
        if (reads && port_of(memory, tensor, false) == port)
            bits += of->reads * hardware_width(hardware, level, tensor);
        if (writes && port_of(memory, tensor, true) == port)
            bits += (of->writes + of->updates) * hardware_width(hardware, level, tensor);
    }
    return bits;
}

static void load_port(struct judge *judge, int level, int port, bool reads, bool writes,
        struct hardware_port_result *result)
{
    int64_t n_instances = 1;

    for (int d = 0; d < dims_outside(judge->hardware, level); d++)
        n_instances *= judge->hardware->program.shape[d];
    for (int64_t i = 0; i < n_instances; i++) {
        int64_t moved = bits_through(judge, false, level, port, reads, writes, i);
        int64_t alone = bits_through(judge, true, level, port, reads, writes, i);
        result->all_bits += moved;
        result->moved_bits = moved > result->moved_bits ? moved : result->moved_bits;
        result->bits = alone > result->bits ? alone : result->bits;
    }
}

static void add_port(struct judge *judge, int level, int port, bool reads, bool writes)
{
    const struct hardware_level *memory = &judge->hardware->levels[level];
    struct hardware_port_result *result = &judge->result->ports[judge->result->n_ports];
    const int64_t *bandwidth = port < 0 ? memory->bandwidth : memory->ports[port].bandwidth;
    const char *suffix = !writes ? " reads" : !reads ? " writes" : "";
    char name[HARDWARE_NAME];

    hardware_level_name(judge->hardware, level, name);
    *result = (struct hardware_port_result){.level = level,
            .direction = !writes ? HARDWARE_READ
                    : !reads     ? HARDWARE_WRITE
                                 : HARDWARE_SHARED,
            .bandwidth = bandwidth[reads ? 0 : 1]};
    if (port < 0)
        snprintf(result->name, sizeof result->name, "%s%s", name, suffix);
    else
        snprintf(result->name, sizeof result->name, "%s.port%d%s", name, port, suffix);
    load_port(judge, level, port, reads, writes, result);
    result->cycles =
            result->bandwidth == 0 ? NAN : (double)result->bits / (double)result->bandwidth;
    if (result->all_bits > 0)
        judge->result->n_ports++;
}

static void list_ports(struct judge *judge)
{
    for (int level = 0; level < judge->hardware->n_levels; level++) {
        const struct hardware_level *memory = &judge->hardware->levels[level];
        if (memory->is_array)
            continue;
        for (int is_write = 0; is_write < 2; is_write++)
            for (int port = -1; port < memory->n_ports; port++) {
                bool shared = port >= 0 && memory->ports[port].direction == HARDWARE_SHARED;
                if (port >= 0 && !is_of(&memory->ports[port], is_write != 0))
                    continue;
                if (!shared)
                    add_port(judge, level, port, is_write == 0, is_write != 0);
                else if (is_write == 0)
                    add_port(judge, level, port, true, true);
            }
    }
}

/* The most instances of one PE in a time-stamp, over all time-stamps. */
static int64_t count_most(const struct judge *judge)
{
    const struct schedule *schedule = &judge->schedule;
    const struct hardware *hardware = judge->hardware;
    int64_t pes = 1, sum = 0;

    for (int d = 0; d < hardware->program.n_space; d++)
        pes *= hardware->program.shape[d];
    int64_t *count = tuples_must(calloc((size_t)(pes * schedule->n_ranks), sizeof *count));
    for (int64_t i = 0; i < schedule->n; i++)
        count[schedule->ranks[i] * pes +
                number_of(hardware, hardware->program.n_space,
                        schedule->places + i * ORACLE_SPACE)]++;
    for (int64_t t = 0; t < schedule->n_ranks; t++) {
        int64_t most = 0;
        for (int64_t p = 0; p < pes; p++)
            most = count[t * pes + p] > most ? count[t * pes + p] : most;
        sum += most;
    }
    free(count);
    return sum;
}

static void find_latency(struct judge *judge)
{
    const struct hardware *hardware = judge->hardware;
    struct hardware_result *result = judge->result;

    result->compute_cycles = (double)count_most(judge) * (double)hardware->cycles;
    result->total_cycles = result->compute_cycles;
    snprintf(result->bound_by, sizeof result->bound_by, "compute");
    for (int p = 0; p < result->n_ports; p++)
        if (result->ports[p].cycles > result->total_cycles) {
            result->total_cycles = result->ports[p].cycles;
            snprintf(result->bound_by, sizeof result->bound_by, "%s", result->ports[p].name);
        }
}

static void count_stamps(struct judge *judge)
{
    struct tuples stamps;

    tuples_init(&stamps, ORACLE_SPACE + 1);
    for (int64_t i = 0; i < judge->schedule.n; i++) {
        int64_t stamp[ORACLE_SPACE + 1];
        memcpy(stamp, judge->schedule.places + i * ORACLE_SPACE, ORACLE_SPACE * sizeof *stamp);
        stamp[ORACLE_SPACE] = judge->schedule.ranks[i];
        tuples_add(&stamps, stamp);
    }
    judge->result->instances = judge->schedule.n;
    judge->result->stamps = stamps.n;
    judge->result->time_stamps = judge->schedule.n_ranks;
    tuples_clear(&stamps);
}

/* ---- the judge ---- */

static void find_faults(struct judge *judge)
{
    const struct hardware *hardware = judge->hardware;

    if (judge->schedule.outside)
        judge->result->fault = HARDWARE_OUTSIDE;
    for (int level = 0; level < hardware->n_levels; level++)
        for (int a = 0; hardware->levels[level].is_array && a < hardware->program.n_accesses; a++)
            if (hardware_is_cyclic(hardware, level, hardware->program.accesses[a].tensor))
                judge->result->fault = HARDWARE_CYCLIC;
}

void hardware_run(const struct hardware *hardware, struct hardware_result *result)
{
    const struct oracle_program *program = &hardware->program;
    struct judge judge = {.hardware = hardware, .result = result};

    memset(result, 0, sizeof *result);
    result->sums_are_right = true;
    schedule_init(program, &judge.schedule);
    for (int a = 0; a < program->n_accesses; a++)
        touch(program, &judge.schedule, &program->accesses[a], &judge.touched[a]);
    find_faults(&judge);
    if (result->fault == HARDWARE_FINE)
        choose_cuts(&judge);
    if (result->fault == HARDWARE_FINE) {
        count_stamps(&judge);
        for (int a = 0; a < program->n_accesses; a++) {
            count_words(&judge, a);
            count_each_alone(&judge, a);
            count_volumes(&judge, a);
        }
        list_ports(&judge);
        find_latency(&judge);
    }
    for (int a = 0; a < program->n_accesses; a++)
        touched_clear(&judge.touched[a]);
    for (int level = 0; level < HARDWARE_LEVELS; level++)
        for (int a = 0; a < ORACLE_ACCESSES; a++) {
            free(judge.moves[level][a]);
            free(judge.alone[level][a]);
        }
    schedule_clear(&judge.schedule);
}
