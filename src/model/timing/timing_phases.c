/* The recursion of doc/model.md, section 7: from what moves in each stamp to what the run takes. */
#include "model/timing/timing.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

static int n_numbers(const struct timing *timing)
{
    return 2 + 3 * timing->n_ports + timing->n_moved;
}

void timing_make_room(struct timing *timing)
{
    const int n_accesses = timing->analysis->workload->n_accesses;

    timing->delays = SATOR_NEW_ARRAY(timing->arena, struct timing_delays, timing->n_ports + 1);
    timing->served = SATOR_NEW_ARRAY(timing->arena, bool, timing->n_ports *n_accesses + 1);
}

struct timing_sum timing_sum_new(const struct timing *timing)
{
    sator_int *all = SATOR_NEW_ARRAY(timing->arena, sator_int, n_numbers(timing));
    sator_int *ports = all + 2;

    return (struct timing_sum){.cycles = all,
            .compute = all + 1,
            .busy = ports,
            .exposed = ports + timing->n_ports,
            .stalled = ports + 2 * timing->n_ports,
            .moved = ports + 3 * timing->n_ports};
}

void timing_sum_add(const struct timing *timing, struct timing_sum *sum, sator_int times,
        const struct timing_sum *more)
{
    int n = n_numbers(timing);

    for (int i = 0; i < n; i++) {
        if (more->cycles[i] != 0)
            sum->cycles[i] += times * more->cycles[i];
    }
}

int timing_n_ways(const struct timing_transfer *transfer)
{
    return 3 +
            (transfer->limits_wires ? transfer->transport.n_links + transfer->transport.n_buses
                                    : 0);
}

struct timing_way timing_way(const struct timing *timing, const struct timing_transfer *transfer,
        const struct timing_movement *movement, int way)
{
    bool is_output = timing->analysis->workload->accesses[transfer->access].role == SATOR_WRITE;

    switch (way) {
    case 0:
        return (struct timing_way){&transfer->sends, &movement->sent, false};
    case 1:
        return (struct timing_way){&transfer->arrives, &movement->arrived, false};
    case 2:
        return (struct timing_way){&transfer->takes, &movement->stored, true};
    default:
        return (struct timing_way){&transfer->wires[way - 3], &movement->wires[way - 3],
                is_output && way - 3 >= transfer->transport.n_links};
    }
}

int timing_space_of_way(
        const struct timing *timing, const struct timing_transfer *transfer, int way)
{
    if (transfer->is_own)
        return timing->analysis->n_space;
    return way == 1 ? transfer->n_space : transfer->holder_space;
}

struct timing timing_of(struct analysis *analysis, struct sator_arena *arena)
{
    int *reach = SATOR_NEW_ARRAY(arena, int, analysis->n_time + 1);

    for (int n_time = 0; n_time <= analysis->n_time; n_time++)
        reach[n_time] =
                sator_time_reach(arena, analysis->workload, analysis->dataflow->time, n_time);
    return (struct timing){.analysis = analysis, .arena = arena, .reach = reach};
}

int timing_level_of(const struct timing *timing, int length)
{
    for (int l = 0; l < timing->n_levels; l++) {
        if (timing->lengths[l] == length)
            return l;
    }
    return -1; /* nothing is cut there */
}

/* ---- phases ---- */

/* The tile at the holder that stamp "x" of "level" is part of. */
static int64_t tile_of(const struct timing *timing, const struct timing_stamps *stamps, int level,
        int tile_time, int64_t x)
{
    for (int l = level; l >= 0 && timing->lengths[l] > tile_time; l--)
        x = l == 0 ? 0 : stamps[l].outer[x];
    return x;
}

static bool same_tile(const struct timing *timing, const struct timing_stamps *stamps, int level,
        int tile_time, int64_t x, int64_t y)
{
    return y >= 0 && y < stamps[level].n &&
            tile_of(timing, stamps, level, tile_time, x) ==
            tile_of(timing, stamps, level, tile_time, y);
}

sator_int timing_cost(const struct timing *timing, const struct timing_use *use, int64_t words)
{
    const struct timing_port *port = &timing->ports[use->port];
    sator_int bits = (sator_int)words * use->bits;

    if (port->granule > 1)
        bits = (bits + port->granule - 1) / port->granule * port->granule;
    return port->setup * port->bits + bits * port->cycles;
}

void timing_entries_add(const struct timing *timing, struct timing_entries *entries,
        const struct timing_use *use, enum timing_phase phase, const struct timing_words *row)
{
    if (entries->n == entries->room) {
        struct timing_entry *list = entries->list;
        entries->room = entries->room == 0 ? 16 : 2 * entries->room;
        entries->list = SATOR_NEW_ARRAY(timing->arena, struct timing_entry, entries->room);
        if (entries->n > 0)
            memcpy(entries->list, list, sizeof *list * (size_t)entries->n);
    }
    entries->list[entries->n++] = (struct timing_entry){.instance = row->instance,
            .port = use->port,
            .phase = phase,
            .cost = timing_cost(timing, use, row->words)};
}

/* The words that go one way, from row "at" on, whose stamps ascend. */
struct reader {
    const struct timing_transfer *transfer;
    struct timing_way way;
    int at;
};

/* The stamp in which the words of a row pass, and the phase of it. It is the row's or the one
 * beside it, and ascends with it. */
static int64_t find_phase(const struct timing *timing, const struct timing_stamps *stamps,
        int level, const struct reader *reader, int64_t stamp, enum timing_phase *phase)
{
    const struct timing_transfer *transfer = reader->transfer;
    const bool is_store = reader->way.is_store;
    const int64_t beside = is_store ? stamp + 1 : stamp - 1;

    *phase = TIMING_WITH_RUN;
    if (transfer->kind == SATOR_TRANSFER_SERIAL)
        *phase = is_store ? TIMING_SERIAL_STORES : TIMING_SERIAL_LOADS;
    else if (transfer->kind == SATOR_TRANSFER_OVERLAPPED &&
            same_tile(timing, stamps, level, transfer->tile_time, stamp, beside))
        return beside;
    else if (transfer->kind == SATOR_TRANSFER_OVERLAPPED)
        *phase = is_store ? TIMING_EXPOSED_STORES : TIMING_EXPOSED_LOADS;
    return stamp;
}

/* Add what the reader has of stamp "x", which is the next one. */
static void read_stamp(const struct timing *timing, const struct timing_stamps *stamps, int level,
        struct reader *reader, int64_t x, struct timing_entries *entries)
{
    const struct timing_moves *moves = reader->way.moves;
    enum timing_phase phase;

    for (; reader->at < moves->n; reader->at++) {
        const struct timing_words *row = &moves->rows[reader->at];
        if (row->stamp > x + 1 || find_phase(timing, stamps, level, reader, row->stamp, &phase) > x)
            return;
        timing_entries_add(timing, entries, reader->way.use, phase, row);
    }
}

/* Readers of all that moves at a level; "*n" of them. */
static struct reader *open_readers(
        const struct timing *timing, int level, const struct timing_movement *movements, int *n)
{
    struct reader *readers = NULL;

    *n = 0;
    for (int i = 0; i < timing->n_transfers; i++) {
        const struct timing_transfer *transfer = &timing->transfers[i];
        for (int w = 0; w < timing_n_ways(transfer); w++) {
            struct timing_way way = timing_way(timing, transfer, &movements[i], w);
            if (transfer->n_time == timing->lengths[level] && way.use->port >= 0)
                SATOR_PUSH(timing->arena, readers, *n, (struct reader){transfer, way, 0});
        }
    }
    return readers;
}

/* ---- one stamp ---- */

static int compare_entries(const void *a, const void *b)
{
    const struct timing_entry *x = a, *y = b;

    if (x->port != y->port)
        return x->port < y->port ? -1 : 1;
    return (x->instance > y->instance) - (x->instance < y->instance);
}

static void sort_entries(struct timing_entries *entries)
{
    bool is_sorted = true;

    for (int i = 1; i < entries->n && is_sorted; i++)
        is_sorted = compare_entries(&entries->list[i - 1], &entries->list[i]) <= 0;
    if (!is_sorted)
        qsort(entries->list, (size_t)entries->n, sizeof *entries->list, compare_entries);
}

/* The entries from "at" on that are of one port: the busiest instance in each phase. */
static int measure_port(const struct timing_entries *entries, int at, struct timing_delays *ports)
{
    int port = entries->list[at].port;
    struct timing_delays *delays = &ports[port];

    while (at < entries->n && entries->list[at].port == port) {
        int64_t instance = entries->list[at].instance;
        sator_int own[TIMING_PHASES] = {0}, sum = 0;
        for (; at < entries->n && entries->list[at].port == port &&
                entries->list[at].instance == instance;
                at++) {
            own[entries->list[at].phase] += entries->list[at].cost;
            sum += entries->list[at].cost;
        }
        for (int p = 0; p < TIMING_PHASES; p++)
            delays->phase[p] = own[p] > delays->phase[p] ? own[p] : delays->phase[p];
        delays->all = sum > delays->all ? sum : delays->all;
    }
    return at;
}

static sator_int whole_cycles(const struct timing_port *port, sator_int cost)
{
    bool is_short = cost < INT32_MAX && port->bits < INT32_MAX; /* 128 bits take long */

    if (is_short)
        return ((int64_t)cost + (int64_t)port->bits - 1) / (int64_t)port->bits;
    return (cost + port->bits - 1) / port->bits;
}

/* The slowest port, at which "*cycles" pass; -1 when none takes any. */
static int slowest(const struct timing *timing, const struct timing_delays *delays,
        enum timing_phase phase, const sator_int *busy, sator_int *cycles)
{
    int port = -1;

    *cycles = 0;
    for (int q = 0; q < timing->n_ports; q++) {
        sator_int cost = delays[q].phase[phase] + (busy == NULL ? 0 : busy[q]);
        if (cost == 0)
            continue;
        sator_int own = whole_cycles(&timing->ports[q], cost);
        if (own > *cycles) {
            *cycles = own;
            port = q;
        }
    }
    return port;
}

void timing_add_delays(const struct timing *timing, const struct timing_delays *delays,
        sator_int run, const sator_int *busy, sator_int times, struct timing_sum *sum)
{
    sator_int total, cycles;
    int port = slowest(timing, delays, TIMING_WITH_RUN, busy, &total);
    if (port >= 0 && total > run)
        sum->stalled[port] += times * (total - run);
    *sum->cycles += times * (total > run ? total : run);
    for (int p = 0; p < TIMING_PHASES; p++) {
        if (p == TIMING_WITH_RUN)
            continue;
        port = slowest(timing, delays, (enum timing_phase)p, NULL, &cycles);
        if (port >= 0)
            sum->exposed[port] += times * cycles;
        *sum->cycles += times * cycles;
    }
    for (int q = 0; q < timing->n_ports; q++)
        sum->busy[q] += times * (busy[q] + delays[q].all);
}

/* The sum of floor((start + i step) / by) over i = 0 .. n - 1; nothing is negative, by > 0. */
static sator_int sum_floors(sator_int n, sator_int start, sator_int step, sator_int by)
{
    sator_int sum = 0, sign = 1;

    for (;;) {
        sum += sign * (n * (start / by) + n * (n - 1) / 2 * (step / by));
        start %= by;
        step %= by;
        sator_int last = start + step * (n - 1); /* of what is left: count the other way */
        if (n == 0 || last < by)
            return sum;
        sator_int top = last / by;
        sum += sign * top * n;
        sign = -sign;
        n = top;
        sator_int turned = by;
        start = by - start + step - 1;
        by = step;
        step = turned;
    }
}

/* The cycles beyond "least" that "port" takes in a phase, over all stamps of a ramp. */
static sator_int sum_beyond(
        sator_int first, sator_int last, int64_t n, sator_int least, sator_int per_cycle)
{
    sator_int low = first < last ? first : last, high = first < last ? last : first;
    sator_int step = n == 1 ? 0 : (high - low) / (n - 1), before = 0;

    if (low <= least * per_cycle)
        before = step == 0 ? n : (least * per_cycle - low) / step + 1;
    if (before >= n)
        return 0;
    return sum_floors(
            n - before, low + before * step + (per_cycle - 1) - least * per_cycle, step, per_cycle);
}

/* Whether port "a" decides a phase before port "b" where they take so long: of equals the first. */
static bool decides(const struct timing *timing, int a, sator_int cost_a, int b, sator_int cost_b)
{
    sator_int bits_a = timing->ports[a].bits, bits_b = timing->ports[b].bits;

    return cost_a * bits_b >= cost_b * bits_a + (a < b ? 0 : bits_a * bits_b);
}

/* The port that decides a phase on all of a ramp, where that takes more than "least" cycles; -1:
 * none does. False: it is not always the same. What decides at both ends does so between them. */
static bool find_slow(const struct timing *timing, const struct timing_delays *first,
        const struct timing_delays *last, int phase, sator_int least, int *port)
{
    int n = 0;

    *port = -1;
    for (int q = 0; q < timing->n_ports; q++) {
        sator_int most = least * timing->ports[q].bits;
        if (first[q].phase[phase] <= most && last[q].phase[phase] <= most)
            continue;
        *port = q;
        n++;
    }
    for (int c = 0; n > 1 && c < timing->n_ports; c++) {
        bool always = true;
        for (int q = 0; q < timing->n_ports && always; q++)
            always = q == c ||
                    (decides(timing, c, first[c].phase[phase], q, first[q].phase[phase]) &&
                            decides(timing, c, last[c].phase[phase], q, last[q].phase[phase]));
        *port = c;
        if (always)
            return true;
    }
    return n <= 1;
}

bool timing_add_ramp(const struct timing *timing, const struct timing_delays *first,
        const struct timing_delays *last, int64_t n, sator_int run, sator_int times,
        struct timing_sum *sum)
{
    int port[TIMING_PHASES];

    for (int p = 0; p < TIMING_PHASES; p++) {
        if (!find_slow(timing, first, last, p, p == TIMING_WITH_RUN ? run : 0, &port[p]))
            return false;
    }
    *sum->cycles += times * n * run;
    for (int p = 0; p < TIMING_PHASES; p++) {
        int q = port[p];
        if (q < 0)
            continue;
        bool with_run = p == TIMING_WITH_RUN;
        sator_int cycles = times *
                sum_beyond(first[q].phase[p], last[q].phase[p], n, with_run ? run : 0,
                        timing->ports[q].bits);
        *sum->cycles += cycles;
        *(with_run ? &sum->stalled[q] : &sum->exposed[q]) += cycles;
    }
    for (int q = 0; q < timing->n_ports; q++)
        sum->busy[q] += times * ((first[q].all + last[q].all) * n / 2);
    return true;
}

void timing_add_stamp(const struct timing *timing, struct timing_entries *entries, sator_int run,
        const sator_int *busy, int64_t times, struct timing_sum *sum)
{
    struct timing_delays *delays = timing->delays;

    memset(delays, 0, sizeof *delays * (size_t)timing->n_ports);
    sort_entries(entries);
    for (int at = 0; at < entries->n;)
        at = measure_port(entries, at, delays);
    timing_add_delays(timing, delays, run, busy, times, sum);
}

/* ---- the recursion ---- */

/* R and v of all stamps of a level, from those of the level inside; the rest of "sum" is of all.
 * Each is as many times what it is as there are stamps that this one stands for. */
struct runs {
    sator_int *cycles;
    sator_int *busy; /* n_ports for each; NULL: nothing moves */
};

static struct runs climb(const struct timing *timing, const struct timing_stamps *stamps, int level,
        const struct runs *inside, const struct timing_movement *movements, struct timing_sum *sum)
{
    int n_ports = timing->n_ports, n_readers;
    int64_t n_outside = level == 0 ? 1 : stamps[level - 1].n;
    struct runs outside = {.cycles = SATOR_NEW_ARRAY(timing->arena, sator_int, n_outside),
            .busy = SATOR_NEW_ARRAY(timing->arena, sator_int, n_outside * n_ports + 1)};
    struct reader *readers = open_readers(timing, level, movements, &n_readers);
    sator_int *busy = SATOR_NEW_ARRAY(timing->arena, sator_int, n_ports + 1);
    struct timing_entries entries = {0};
    struct timing_sum own = *sum; /* R and v go to the stamp that this one is in */

    for (int64_t x = 0; x < stamps[level].n; x++) {
        int64_t outer = level == 0 ? 0 : stamps[level].outer[x], times = stamps[level].times[x];
        for (int q = 0; q < n_ports && inside->busy != NULL; q++)
            busy[q] = inside->busy[x * n_ports + q] / times;
        entries.n = 0;
        for (int r = 0; r < n_readers; r++)
            read_stamp(timing, stamps, level, &readers[r], x, &entries);
        own.cycles = &outside.cycles[outer];
        own.busy = &outside.busy[outer * n_ports];
        timing_add_stamp(timing, &entries, inside->cycles[x] / times, busy, times, &own);
    }
    return outside;
}

/* The words of the whole run that go one way, by the stamps and instances that move them. */
static sator_int count_words(
        const struct timing_stamps *stamps, int n_space, const struct timing_moves *moves)
{
    sator_int n = 0;

    for (int i = 0; i < moves->n; i++)
        n += (sator_int)moves->rows[i].words * stamps->times[moves->rows[i].stamp];
    return n * timing_instance_times(stamps->list, n_space);
}

enum sator_status timing_recur(struct timing *timing, const struct timing_stamps *stamps,
        const int64_t *most, const struct timing_movement *movements, struct timing_sum *sum)
{
    int last = timing->n_levels - 1;
    struct runs runs = {.cycles = SATOR_NEW_ARRAY(timing->arena, sator_int, stamps[last].n + 1)};

    *sum = timing_sum_new(timing);
    for (int64_t t = 0; t < stamps[last].n; t++) {
        runs.cycles[t] = timing_compute(timing, most[t]) * stamps[last].times[t];
        *sum->compute += runs.cycles[t];
    }
    for (int level = last; level >= 0; level--)
        runs = climb(timing, stamps, level, &runs, movements, sum);
    *sum->cycles = runs.cycles[0];
    memcpy(sum->busy, runs.busy, sizeof *sum->busy * (size_t)timing->n_ports);
    for (int i = 0; i < timing->n_transfers; i++) {
        const struct timing_transfer *transfer = &timing->transfers[i];
        const int level = timing_level_of(timing, transfer->n_time);
        for (int w = 0; w < timing_n_ways(transfer); w++) {
            const struct timing_way way = timing_way(timing, transfer, &movements[i], w);
            sum->moved[transfer->first_moved + w] = count_words(
                    &stamps[level], timing_space_of_way(timing, transfer, w), way.moves);
        }
    }
    return SATOR_OK;
}

sator_int timing_compute(const struct timing *timing, int64_t instances)
{
    return (instances * timing->cycles + timing->per_cycles - 1) / timing->per_cycles;
}
