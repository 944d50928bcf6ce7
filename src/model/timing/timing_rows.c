/* What the stamps of a skewed row take (doc/model.md, section 7), from the words that move at each
 * of its values (timing_runs.c). */
#include "model/timing/timing_boxes.h"

#include <string.h>

/* One way that a transfer's words take, loads or stores, at each value of the row. */
struct way {
    const struct timing_use *use;
    enum timing_phase phase;
    const int64_t *words; /* that pass in the phase */
    int64_t alone; /* the value at which some are exposed; -1: none */
    enum timing_phase alone_phase;
    int64_t exposed;
};

struct ways {
    int n;
    struct way *list;
};

/* What an own port of the PEs does at a value. */
static void add_busiest(const struct timing_delays *busiest, struct timing_delays *delays)
{
    for (int p = 0; p < TIMING_PHASES; p++)
        delays->phase[p] += busiest->phase[p];
    delays->all += busiest->all;
}

/* The row, and those before and after it where overlapped transfers need them. */
struct around {
    const struct nest *nest;
    const struct nest_stamp *prefixes;
    int n, centre;
    struct nest_row row, before, after;
};

bool nest_is_output(const struct nest *nest, int transfer)
{
    int access = nest->timing->transfers[transfer].access;

    return nest->timing->analysis->workload->accesses[access].role == SATOR_WRITE;
}

bool nest_is_of_stamps(const struct nest *nest, const struct timing_transfer *transfer)
{
    return transfer->n_time == nest->full_length && transfer->asks;
}

/* ---- ways ---- */

/* Whether the row and its neighbour in the window, if there is one, are of one tile. */
static bool shares_tile(const struct around *a, const struct timing_transfer *transfer, int step)
{
    int other = a->centre + step;

    return other >= 0 && other < a->n &&
            nest_same_prefix(
                    a->nest, transfer->tile_time, &a->prefixes[a->centre], &a->prefixes[other]);
}

/* Overlapped loads move in the stamp before, stores in the one after, where that is of one tile. */
static void shift_way(const struct around *a, int transfer, bool is_store, struct way *way)
{
    const struct timing *timing = a->nest->timing;
    const struct timing_transfer *what = &timing->transfers[transfer];
    const struct nest_row *other = is_store ? &a->before : &a->after;
    int64_t n = a->row.n;
    int64_t *shifted = SATOR_NEW_ARRAY(timing->arena, int64_t, n + 1);

    memcpy(shifted + is_store, way->words + !is_store, sizeof *shifted * (size_t)(n - 1));
    if (shares_tile(a, what, is_store ? -1 : 1))
        shifted[is_store ? 0 : n - 1] =
                is_store ? other->words[transfer][2 * other->n - 1] : other->words[transfer][0];
    if (!shares_tile(a, what, is_store ? 1 : -1)) {
        way->alone = is_store ? n - 1 : 0;
        way->alone_phase = is_store ? TIMING_EXPOSED_STORES : TIMING_EXPOSED_LOADS;
        way->exposed = way->words[way->alone];
    }
    way->words = shifted;
}

/* What arrives at a memory outside of the arrays passes a port of its one instance. */
static void add_arrivals(const struct around *a, int transfer, struct ways *ways)
{
    const struct timing *timing = a->nest->timing;
    const struct timing_transfer *what = &timing->transfers[transfer];

    if (what->n_space > 0 || what->arrives.port < 0)
        return;
    struct way way = {.use = &what->arrives,
            .phase = what->kind == SATOR_TRANSFER_SERIAL ? TIMING_SERIAL_LOADS : TIMING_WITH_RUN,
            .words = a->row.words[transfer] + 2 * a->row.n,
            .alone = -1};
    SATOR_PUSH(timing->arena, ways->list, ways->n, way);
}

static void add_way(const struct around *a, int transfer, bool is_store, struct ways *ways)
{
    const struct timing *timing = a->nest->timing;
    const struct timing_transfer *what = &timing->transfers[transfer];
    struct way way = {.use = is_store ? &what->takes : &what->sends,
            .phase = TIMING_WITH_RUN,
            .words = a->row.words[transfer] + (is_store ? a->row.n : 0),
            .alone = -1};

    if (way.use->port < 0)
        return;
    if (what->kind == SATOR_TRANSFER_SERIAL)
        way.phase = is_store ? TIMING_SERIAL_STORES : TIMING_SERIAL_LOADS;
    else if (what->kind == SATOR_TRANSFER_OVERLAPPED)
        shift_way(a, transfer, is_store, &way);
    SATOR_PUSH(timing->arena, ways->list, ways->n, way);
}

static struct ways list_ways(const struct around *a)
{
    struct ways ways = {0};

    for (int i = 0; i < a->nest->timing->n_transfers; i++) {
        if (a->row.words[i] == NULL || a->nest->timing->transfers[i].is_own)
            continue;
        add_arrivals(a, i, &ways);
        add_way(a, i, false, &ways);
        if (nest_is_output(a->nest, i))
            add_way(a, i, true, &ways);
    }
    return ways;
}

/* ---- stamps ---- */

static void add_words(const struct timing *timing, const struct timing_use *use,
        enum timing_phase phase, int64_t words, struct timing_delays *delays)
{
    if (words == 0)
        return;
    sator_int cost = timing_cost(timing, use, words);
    delays[use->port].phase[phase] += cost;
    delays[use->port].all += cost;
}

/* What the ports do at value "v" of the row. */
static struct timing_delays *find_delays(const struct timing *timing, const struct nest_row *row,
        const struct ways *ways, int64_t v, struct timing_delays *delays)
{
    memset(delays, 0, sizeof *delays * (size_t)timing->n_ports);
    for (int i = 0; i < ways->n; i++) {
        const struct way *way = &ways->list[i];
        add_words(timing, way->use, way->phase, way->words[v], delays);
        if (way->alone == v)
            add_words(timing, way->use, way->alone_phase, way->exposed, delays);
    }
    for (int q = 0; q < timing->n_ports; q++) {
        if (row->busiest[q] != NULL)
            add_busiest(&row->busiest[q][v], &delays[q]);
    }
    return delays;
}

static bool same_delays(const struct timing_delays *a, const struct timing_delays *b)
{
    bool same = a->all == b->all;

    for (int p = 0; p < TIMING_PHASES && same; p++)
        same = a->phase[p] == b->phase[p];
    return same;
}

/* The end of the values from "v" on that are there equally often and in which the words, and what
 * they take, go in even steps. */
static int64_t find_ramp(
        const struct timing *timing, const struct nest_row *row, const struct ways *ways, int64_t v)
{
    int64_t end = v + 1;

    while (end < row->n && row->times[end] == row->times[v])
        end++;
    for (int q = 0; q < timing->n_ports; q++) {
        const struct timing_delays *busiest = row->busiest[q];
        int64_t next = v + 1;
        while (busiest != NULL && next < end && same_delays(&busiest[next], &busiest[v]))
            next++;
        end = busiest == NULL ? end : next;
    }
    for (int i = 0; i < ways->n; i++) {
        const struct way *way = &ways->list[i];
        const struct timing_port *port = &timing->ports[way->use->port];
        const int64_t *words = way->words;
        if (way->alone == v)
            return v + 1;
        end = way->alone > v && way->alone < end ? way->alone : end;
        if (end < v + 2)
            return end;
        int64_t step = words[v + 1] - words[v], next = v + 1;
        if (step != 0 && (port->granule > 1 || (port->setup > 0 && words[v] == 0)))
            return v + 1;
        while (next < end && words[next] - words[next - 1] == step)
            next++;
        end = next - (step != 0 && port->setup > 0 && words[next - 1] == 0);
    }
    return end;
}

struct adder {
    const struct timing *timing;
    const struct nest_pace *pace;
    const struct nest_row *row;
    const struct ways *ways;
    sator_int run; /* inside of the stamps that are being added */
    sator_int *idle; /* of each port, in it */
    struct timing_delays *first, *last;
    struct timing_sum *sum;
};

/* Add the values [v, end) of a ramp, by halves where no port decides in all of them. */
static void add_ramp(const struct adder *a, int64_t v, int64_t end)
{
    sator_int times = a->row->times[v];

    find_delays(a->timing, a->row, a->ways, v, a->first);
    if (end == v + 1) {
        timing_add_delays(a->timing, a->first, a->run, a->idle, times, a->sum);
        return;
    }
    find_delays(a->timing, a->row, a->ways, end - 1, a->last);
    if (timing_add_ramp(a->timing, a->first, a->last, end - v, a->run, times, a->sum))
        return;
    add_ramp(a, v, v + (end - v) / 2);
    add_ramp(a, v + (end - v) / 2, end);
}

/* The end of the values from "v" on that take as long as it does inside, which is "*run". */
static int64_t find_pace(const struct nest_pace *pace, int64_t n, int64_t v, sator_int *run)
{
    const bool is_slow = v >= pace->n_before && v < n - pace->n_after;

    *run = is_slow ? pace->slow : pace->fast;
    return v < pace->n_before ? pace->n_before : is_slow ? n - pace->n_after : n;
}

static struct adder make_adder(const struct timing *timing, const struct nest_row *row,
        const struct ways *ways, const struct nest_pace *pace)
{
    struct timing_delays *ends =
            SATOR_NEW_ARRAY(timing->arena, struct timing_delays, 2 * timing->n_ports + 1);

    return (struct adder){.timing = timing,
            .pace = pace,
            .row = row,
            .ways = ways,
            .idle = SATOR_NEW_ARRAY(timing->arena, sator_int, timing->n_ports + 1),
            .first = ends,
            .last = ends + timing->n_ports};
}

/* What the stamps [from, last) of the row take. */
static void add_stamps(struct adder *adder, int64_t from, int64_t last)
{
    const struct nest_row *row = adder->row;

    for (int64_t v = from, next; v < last; v = next) {
        int64_t end = find_pace(adder->pace, row->n, v, &adder->run);
        next = find_ramp(adder->timing, row, adder->ways, v);
        next = next < end ? next : end;
        next = next < last ? next : last;
        *adder->sum->compute += row->times[v] * (next - v) * adder->run;
        add_ramp(adder, v, next);
    }
}

/* The stamps of a row whose values differ in pace alone, as nothing that takes time crosses the
 * array. */
static void add_quiet(int64_t length, const struct nest_pace *pace, struct timing_sum *sum)
{
    const int64_t n_fast = pace->n_before + pace->n_after;
    const sator_int cycles = n_fast * pace->fast + (length - n_fast) * pace->slow;

    *sum->cycles += cycles;
    *sum->compute += cycles;
}

/* The words of the values [from, end). */
struct span {
    int64_t from, end;
};

static sator_int count_words(const struct nest_row *row, struct span values, const int64_t *words)
{
    sator_int n = 0;

    for (int64_t v = values.from; v < values.end; v++) {
        n += words[v];
        if (row->times[v] != 1)
            n += (sator_int)(row->times[v] - 1) * words[v];
    }
    return n;
}

static void add_moved(const struct nest *nest, const struct nest_row *row, struct span values,
        struct timing_sum *sum)
{
    for (int i = 0; i < nest->timing->n_transfers; i++) {
        const struct timing_transfer *transfer = &nest->timing->transfers[i];
        sator_int *moved = &sum->moved[transfer->first_moved];
        if (row->words[i] == NULL)
            continue;
        if (transfer->sends.port >= 0)
            moved[0] += count_words(row, values, row->words[i]);
        if (transfer->arrives.port >= 0)
            moved[1] += count_words(row, values, row->words[i] + 2 * row->n);
        if (nest_is_output(nest, i) && transfer->takes.port >= 0)
            moved[2] += count_words(row, values, row->words[i] + row->n);
    }
}

/* ---- rows ---- */

/* Rows that depend on the same. */
struct known_sum {
    const struct known_sum *next;
    struct nest_run open;
    struct nest_pace pace;
    struct timing_sum sum;
};

static bool same_pace(const struct nest_pace *a, const struct nest_pace *b)
{
    return a->slow == b->slow && a->fast == b->fast && a->n_before == b->n_before &&
            a->n_after == b->n_after;
}

static const struct known_sum *find_known(
        const struct nest *nest, const struct nest_run *open, const struct nest_pace *pace)
{
    for (const struct known_sum *k = nest->sums; k != NULL; k = k->next) {
        if (same_pace(&k->pace, pace) && k->open.length == open->length &&
                k->open.n_key == open->n_key &&
                (open->n_key == 0 ||
                        memcmp(k->open.key, open->key, sizeof *open->key * (size_t)open->n_key) ==
                                0))
            return k;
    }
    return NULL;
}

static bool overlaps(const struct nest *nest)
{
    for (int i = 0; i < nest->timing->n_transfers; i++) {
        if (nest_is_of_stamps(nest, &nest->timing->transfers[i]) &&
                nest->timing->transfers[i].kind == SATOR_TRANSFER_OVERLAPPED)
            return true;
    }
    return false;
}

/* The row under prefix "at" of the window. */
static bool follow_row(const struct around *a, int at, struct nest_row *row)
{
    struct nest_run open;

    return nest_open_run(a->nest, a->prefixes, a->n, at, &open) &&
            nest_follow_run(a->nest, &open, true, row);
}

bool nest_measure_run(struct nest *nest, const struct nest_stamp *prefixes, int n, int centre,
        const struct nest_pace *pace, struct timing_sum *sum)
{
    const struct timing *timing = nest->timing;
    struct around a = {.nest = nest, .prefixes = prefixes, .n = n, .centre = centre};
    bool with_others = overlaps(nest);
    struct nest_run open;

    if (!nest_open_run(nest, prefixes, n, centre, &open))
        return false;
    if (open.n_boxes == 0) {
        add_quiet(open.length, pace, sum);
        return true;
    }
    const struct known_sum *known = with_others ? NULL : find_known(nest, &open, pace);
    if (known != NULL) {
        timing_sum_add(timing, sum, 1, &known->sum);
        return true;
    }
    if (!nest_follow_run(nest, &open, with_others, &a.row) ||
            (with_others && centre > 0 && !follow_row(&a, centre - 1, &a.before)) ||
            (with_others && centre < n - 1 && !follow_row(&a, centre + 1, &a.after)))
        return false;
    struct ways ways = list_ways(&a);
    struct adder adder = make_adder(timing, &a.row, &ways, pace);
    adder.sum = sum;
    add_stamps(&adder, 0, a.row.n);
    add_moved(nest, &a.row, (struct span){0, a.row.n}, sum);
    struct known_sum *made = SATOR_NEW(timing->arena, struct known_sum);
    *made = (struct known_sum){nest->sums, open, *pace, *sum};
    nest->sums = made;
    return true;
}

/* ---- parts of a row ---- */

struct nest_stretch {
    struct around around;
    bool is_quiet; /* nothing that takes time crosses the array */
    struct nest_pace pace;
    struct ways ways;
    struct adder adder;
};

struct nest_stretch *nest_open_stretch(struct nest *nest, const struct nest_stamp *prefixes, int n,
        int centre, const struct nest_pace *pace)
{
    const struct timing *timing = nest->timing;
    struct nest_stretch *s = SATOR_NEW(timing->arena, struct nest_stretch);
    struct nest_run open;

    *s = (struct nest_stretch){
            .around = {.nest = nest, .prefixes = prefixes, .n = n, .centre = centre},
            .pace = *pace};
    if (overlaps(nest) || !nest_open_run(nest, prefixes, n, centre, &open))
        return NULL;
    s->is_quiet = open.n_boxes == 0;
    if (s->is_quiet)
        return s;
    if (!nest_follow_run(nest, &open, false, &s->around.row))
        return NULL;
    struct nest_row *row = &s->around.row;
    int64_t *once = SATOR_NEW_ARRAY(timing->arena, int64_t, row->n + 1);
    for (int64_t v = 0; v < row->n; v++)
        once[v] = 1;
    row->times = once;
    s->ways = list_ways(&s->around);
    s->adder = make_adder(timing, row, &s->ways, &s->pace);
    return s;
}

/* The value of the squeezed row that stands for this one of the row. */
static int64_t find_squeezed(const struct nest *nest, const struct squeezed *s, int64_t v)
{
    int64_t at = 0;

    for (int r = 0; r < s->n; r++) {
        const struct squeezed_digit *d = &s->digits[r];
        const int64_t run = nest->digits[d->digit].run, value = v / run;
        const int64_t kept = value <= d->middle    ? value
                : value <= d->middle + d->left_out ? d->middle
                                                   : value - d->left_out;
        at += kept * d->factor;
        v -= value * run;
    }
    return at + v;
}

void nest_add_stretch(
        struct nest_stretch *stretch, int64_t from, int64_t end, struct timing_sum *sum)
{
    const struct nest *nest = stretch->around.nest;
    const struct nest_row *row = &stretch->around.row;
    const int64_t unit = nest->windows[nest->n_windows - 1].unit; /* no value in one is left out */

    if (stretch->is_quiet) {
        add_quiet(end - from, &stretch->pace, sum);
        return;
    }
    stretch->adder.sum = sum;
    for (int64_t v = from, n; v < end; v += n) {
        const int64_t at = find_squeezed(nest, row->squeezed, v);
        n = unit - v % unit < end - v ? unit - v % unit : end - v;
        add_stamps(&stretch->adder, at, at + n);
        add_moved(nest, row, (struct span){at, at + n}, sum);
    }
}
