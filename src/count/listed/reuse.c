/* Tallies of parts, and their products, one row of time after another. */
#include "count/listed/reuse.h"
#include "base/room.h"

#include "count/listed/crossing.h"

#include <string.h>

enum {
    TICKS_A_PAIR = 8,
    MOST_CLASSES = SATOR_ROOM(64, 4)
};

/* Groups of pairs on one bus, by the sets of sources that their pairs have. A set that contains
 * another one of the same group is left out: who has fewer sources is to be fetched first. */
struct class
{
    uint64_t sets; /* bit s: some pair has exactly the sources s */
    sator_int count;
};

struct classes {
    int n;
    struct class *list;
};

/* What a part contributes to one kind of step in time. */
struct tally {
    sator_int *with; /* by sets of sources: pairs that have all of these, and maybe more */
    struct classes *classes; /* one a bus */
    struct listed_crossing crossing; /* if the two buses cross */
};

/* The kinds of steps: the part's row that goes down to the value before; rows up to one stay, the
 * rest goes from the first values back to the last; no stamp before. */
struct steps {
    struct tally **down; /* by row */
    struct tally **stay; /* by the number of rows that stay */
    struct tally *none;
};

struct counting {
    const struct listed_reuse *reuse;
    struct sator_arena *arena;
    struct steps *steps; /* one a part */
    uint64_t *scratch[2]; /* for the pairs of one stamp */
    uint8_t *sources;
    bool crosses; /* there are two buses, and the second does not join whole groups of the first */
    struct listed_candidate *candidate;
    int8_t place[LISTED_LOOPS]
                [LISTED_ROWS]; /* of the parts' rows of space: which of all they are */
};

static const struct sator_decline too_different = {
        "the PEs of a bus find their values in too many ways"};

/* ---- sets of sources ---- */

/* Leave out sets that contain others. */
static uint64_t keep_least(uint64_t sets)
{
    uint64_t kept = sets;
    for (uint64_t a = sets; a != 0; a &= a - 1) {
        int small = __builtin_ctzll(a);
        for (uint64_t b = kept; b != 0; b &= b - 1) {
            int large = __builtin_ctzll(b);
            if (large != small && (large & small) == small)
                kept &= ~((uint64_t)1 << large);
        }
    }
    return kept;
}

static const struct sator_decline *add_class(
        struct sator_arena *arena, uint64_t sets, sator_int count, struct classes *classes)
{
    for (int i = 0; i < classes->n; i++) {
        if (classes->list[i].sets == sets) {
            classes->list[i].count += count;
            return NULL;
        }
    }
    if (classes->n == MOST_CLASSES)
        return &too_different;
    SATOR_PUSH(arena, classes->list, classes->n, (struct class){.sets = sets, .count = count});
    return NULL;
}

/* The sources that both of two pairs have, for any pair of a group and any of another. */
static uint64_t in_both(uint64_t a, uint64_t b)
{
    uint64_t sets = 0;
    for (uint64_t i = a; i != 0; i &= i - 1) {
        for (uint64_t j = b; j != 0; j &= j - 1)
            sets |= (uint64_t)1 << (__builtin_ctzll(i) & __builtin_ctzll(j));
    }
    return keep_least(sets);
}

static const struct sator_decline *multiply(struct sator_arena *arena, const struct classes *a,
        const struct classes *b, struct classes *all)
{
    const struct sator_decline *why = NULL;
    *all = (struct classes){.n = 0};
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < b->n && why == NULL; j++)
            why = add_class(arena, in_both(a->list[i].sets, b->list[j].sets),
                    a->list[i].count * b->list[j].count, all);
    }
    return why;
}

/* ---- one stamp of a part ---- */

static bool has_pair(const struct listed_list *list, int64_t time, uint64_t pair)
{
    int64_t end = list->first[time + 1];
    int64_t at = listed_find(list->pair, list->first[time], end, pair);
    return at < end && list->pair[at] == pair;
}

/* The sources of a pair of stamp "time", after stamp "before" (-1: there is none). */
static unsigned sources_of(
        const struct listed_reuse *reuse, int part, int64_t time, int64_t before, uint64_t pair)
{
    const struct listed_list *list = &reuse->list[part];
    uint64_t pe = pair >> list->element_bits;
    uint64_t element = pair ^ pe << list->element_bits;
    unsigned sources = 0;
    for (int s = 0; s < reuse->n_sources; s++) {
        const struct listed_source *source = &reuse->source[s];
        int32_t provider = source->provider[part][pe];
        int64_t when = source->before ? before : time;
        bool has = provider >= 0 && when >= 0 &&
                has_pair(list, when, (uint64_t)provider << list->element_bits | element);
        sources |= (unsigned)has << s;
    }
    return sources;
}

/* Add the groups that the pairs of stamp "time" make on a bus; their sources are known. */
static const struct sator_decline *tally_bus(
        const struct counting *counting, int part, int bus, int64_t time, struct classes *classes)
{
    const struct listed_reuse *reuse = counting->reuse;
    const struct listed_list *list = &reuse->list[part];
    int64_t n = list->first[time + 1] - list->first[time];
    uint64_t *group = counting->scratch[0];
    const struct sator_decline *why = NULL;
    for (int64_t i = 0; i < n; i++) {
        uint64_t pair = list->pair[list->first[time] + i];
        uint64_t pe = pair >> list->element_bits;
        uint64_t element = pair ^ pe << list->element_bits;
        group[i] = ((uint64_t)reuse->bus[bus][part][pe] << list->element_bits | element)
                        << LISTED_BUS_SOURCES |
                counting->sources[i];
    }
    listed_sort(n, group, counting->scratch[1]);
    for (int64_t i = 0; i < n && why == NULL;) {
        uint64_t key = group[i] >> LISTED_BUS_SOURCES;
        uint64_t sets = 0;
        for (; i < n && group[i] >> LISTED_BUS_SOURCES == key; i++)
            sets |= (uint64_t)1 << (group[i] & ((1 << LISTED_BUS_SOURCES) - 1));
        sets = (sets & (sets - 1)) == 0 ? sets : keep_least(sets);
        why = add_class(counting->arena, sets, 1, classes);
    }
    return why;
}

/* The same for two buses that cross. */
static const struct sator_decline *tally_crossing(
        const struct counting *counting, int part, int64_t time, struct listed_crossing *crossing)
{
    const struct listed_reuse *reuse = counting->reuse;
    const struct listed_list *list = &reuse->list[part];
    int64_t n = list->first[time + 1] - list->first[time];
    for (int64_t i = 0; i < n; i++) {
        uint64_t pair = list->pair[list->first[time] + i];
        uint64_t pe = pair >> list->element_bits;
        counting->candidate[i] =
                (struct listed_candidate){.element = pair ^ pe << list->element_bits,
                        .first = reuse->bus[0][part][pe],
                        .second = reuse->bus[1][part][pe],
                        .pe = (uint32_t)pe,
                        .has_source = counting->sources[i] != 0};
    }
    return listed_crossing_add(
            counting->arena, list, counting->place[part], n, counting->candidate, crossing);
}

static const struct sator_decline *tally_stamp(const struct counting *counting, int part,
        int64_t time, int64_t before, struct tally *tally)
{
    const struct listed_reuse *reuse = counting->reuse;
    const struct listed_list *list = &reuse->list[part];
    const struct sator_decline *why = NULL;
    for (int64_t i = list->first[time]; i < list->first[time + 1]; i++) {
        unsigned set = sources_of(reuse, part, time, before, list->pair[i]);
        tally->with[set]++;
        counting->sources[i - list->first[time]] = (uint8_t)set; /* it fits if there are buses */
    }
    for (int b = 0; b < reuse->n_buses && why == NULL; b++)
        why = tally_bus(counting, part, b, time, &tally->classes[b]);
    if (why == NULL && counting->crosses)
        why = tally_crossing(counting, part, time, &tally->crossing);
    return why;
}

/* From the pairs that have exactly some sources to those that have at least these. */
static void add_supersets(int n_sources, sator_int *with)
{
    for (int s = 0; s < n_sources; s++) {
        for (unsigned set = 0; set < 1u << n_sources; set++) {
            if ((set >> s & 1) == 0)
                with[set] += with[set | 1u << s];
        }
    }
}

static void take_supersets(int n_sources, sator_int *with)
{
    for (int s = 0; s < n_sources; s++) {
        for (unsigned set = 0; set < 1u << n_sources; set++) {
            if ((set >> s & 1) == 0)
                with[set] -= with[set | 1u << s];
        }
    }
}

/* ---- steps ---- */

enum step {
    STEP_NONE,
    STEP_DOWN,
    STEP_STAY
};

/* The stamp before "time" in a step of row "row", or one that keeps "row" rows; false when "time"
 * takes no such step: *before = -1 if nothing is before. */
static bool find_before(
        const struct listed_list *list, enum step step, int row, int64_t time, int64_t *before)
{
    int64_t next = time + 1;
    *before = -1;
    if (step == STEP_NONE)
        return time == 0;
    if (step == STEP_DOWN) {
        *before = time - 1;
        return time > 0 && list->differs[time] == row;
    }
    if (time > 0 && list->differs[time] >= row)
        return false;
    /* The last stamp of those with the same first rows. */
    while (next < list->n_times && list->differs[next] >= row)
        next++;
    *before = next - 1;
    return true;
}

static enum sator_status make_tally(const struct counting *counting, int part, enum step step,
        int row, struct tally **made, const struct sator_decline **reason)
{
    const struct listed_reuse *reuse = counting->reuse;
    const struct listed_list *list = &reuse->list[part];
    if (*made != NULL)
        return SATOR_OK;
    struct tally *tally = *made = SATOR_NEW(counting->arena, struct tally);
    tally->with = SATOR_NEW_ARRAY(counting->arena, sator_int, 1 << reuse->n_sources);
    tally->classes = SATOR_NEW_ARRAY(counting->arena, struct classes, reuse->n_buses + 1);
    for (int64_t k = 0; k < list->n_touched; k++) {
        const int64_t t = list->touched[k];
        int64_t before;
        if (!find_before(list, step, row, t, &before))
            continue;
        enum sator_status st = sator_work(
                reuse->ctx, (uint64_t)(list->first[t + 1] - list->first[t]) * TICKS_A_PAIR + 1);
        if (st != SATOR_OK)
            return st;
        *reason = tally_stamp(counting, part, t, before, tally);
        if (*reason != NULL)
            return SATOR_DECLINED;
    }
    add_supersets(reuse->n_sources, tally->with);
    return SATOR_OK;
}

/* The tally of "part" for the step in which summand "down" of the time rows goes down (-1: nothing
 * is before). */
static enum sator_status get_tally(const struct counting *counting, int part, int down,
        const struct tally **tally, const struct sator_decline **reason)
{
    const struct listed_parts *parts = &counting->reuse->plan->parts;
    struct steps *steps = &counting->steps[part];
    enum step step = STEP_NONE;
    struct tally **at = &steps->none;
    int row = 0;
    for (int s = 0; s < down; s++)
        row += parts->summand[s].part == part;
    if (down >= 0) {
        step = parts->summand[down].part == part ? STEP_DOWN : STEP_STAY;
        at = step == STEP_DOWN ? &steps->down[row] : &steps->stay[row];
    }
    enum sator_status st = make_tally(counting, part, step, row, at, reason);
    *tally = *at;
    return st;
}

/* ---- all parts ---- */

/* Whether all PEs of one bus of "from" are on one bus of "to". */
static bool is_coarser(const struct listed_reuse *reuse, int from, int to)
{
    const struct listed_parts *parts = &reuse->plan->parts;
    for (int part = 0; part < parts->n_parts; part++) {
        int64_t n = reuse->list[part].n_pes;
        const uint32_t *inner = reuse->bus[from][part];
        const uint32_t *outer = reuse->bus[to][part];
        uint32_t *outer_of = SATOR_NEW_ARRAY(parts->arena, uint32_t, n); /* one more; 0: unknown */
        for (int64_t p = 0; p < n; p++) {
            if (outer_of[inner[p]] != 0 && outer_of[inner[p]] != outer[p] + 1)
                return false;
            outer_of[inner[p]] = outer[p] + 1;
        }
    }
    return true;
}

/* The sums over all steps in time. */
struct sums {
    sator_int served[LISTED_SOURCES];
    sator_int groups[LISTED_BUSES]; /* with a pair that no source has */
    sator_int crossed; /* groups of the second bus with a pair that the first one left */
};

static const struct sator_decline *add_crossing(
        const struct counting *counting, const struct tally *const *tally, sator_int *crossed)
{
    struct listed_crossing product = tally[0]->crossing;
    const struct sator_decline *why = NULL;
    for (int part = 1; part < counting->reuse->plan->parts.n_parts && why == NULL; part++) {
        struct listed_crossing more;
        why = listed_crossing_multiply(counting->arena, &product, &tally[part]->crossing, &more);
        product = more;
    }
    *crossed += why == NULL ? listed_crossing_count(&product) : 0;
    return why;
}

/* Add the products of the parts' tallies. */
static const struct sator_decline *add_step(
        const struct counting *counting, const struct tally *const *tally, struct sums *sums)
{
    const struct listed_reuse *reuse = counting->reuse;
    int n_parts = reuse->plan->parts.n_parts;
    unsigned n_sets = 1u << reuse->n_sources;
    sator_int with[1 << LISTED_SOURCES];
    for (unsigned set = 0; set < n_sets; set++) {
        with[set] = 1;
        for (int part = 0; part < n_parts; part++)
            with[set] *= tally[part]->with[set];
    }
    take_supersets(reuse->n_sources, with);
    for (unsigned set = 1; set < n_sets; set++)
        sums->served[__builtin_ctz(set)] += with[set];
    for (int b = 0; b < reuse->n_buses; b++) {
        struct classes product = tally[0]->classes[b];
        for (int part = 1; part < n_parts; part++) {
            struct classes more;
            const struct sator_decline *why =
                    multiply(counting->arena, &product, &tally[part]->classes[b], &more);
            if (why != NULL)
                return why;
            product = more;
        }
        for (int i = 0; i < product.n; i++)
            sums->groups[b] += product.list[i].sets & 1 ? product.list[i].count : 0;
    }
    return counting->crosses ? add_crossing(counting, tally, &sums->crossed) : NULL;
}

/* The steps in which nothing is before (-1) or summand "down" of the time rows goes down. */
static enum sator_status count_step(const struct counting *counting, int down, struct sums *sums,
        const struct sator_decline **reason)
{
    const struct listed_parts *parts = &counting->reuse->plan->parts;
    const struct tally *tally[LISTED_LOOPS];
    for (int part = 0; part < parts->n_parts; part++) {
        enum sator_status st = get_tally(counting, part, down, &tally[part], reason);
        if (st != SATOR_OK)
            return st;
    }
    *reason = add_step(counting, tally, sums);
    return *reason == NULL ? SATOR_OK : SATOR_DECLINED;
}

static void make_steps(struct counting *counting)
{
    const struct listed_parts *parts = &counting->reuse->plan->parts;
    int64_t most = 1;
    counting->steps = SATOR_NEW_ARRAY(parts->arena, struct steps, parts->n_parts);
    for (int part = 0; part < parts->n_parts; part++) {
        const struct listed_list *list = &counting->reuse->list[part];
        struct steps *steps = &counting->steps[part];
        steps->down = SATOR_NEW_ARRAY(parts->arena, struct tally *, list->time.n + 1);
        steps->stay = SATOR_NEW_ARRAY(parts->arena, struct tally *, list->time.n + 1);
        for (int64_t k = 0; k < list->n_touched; k++) {
            const int64_t t = list->touched[k], n = list->first[t + 1] - list->first[t];
            most = n > most ? n : most;
        }
    }
    for (int i = 0; i < 2; i++)
        counting->scratch[i] = SATOR_NEW_ARRAY(parts->arena, uint64_t, most);
    counting->sources = SATOR_NEW_ARRAY(parts->arena, uint8_t, most);
    counting->crosses = counting->reuse->n_buses == 2 && counting->reuse->n_sources <= 1 &&
            !is_coarser(counting->reuse, 0, 1);
    if (!counting->crosses)
        return;
    int n[LISTED_LOOPS] = {0};
    int first = parts->row[counting->reuse->plan->first_space].first;
    counting->candidate = SATOR_NEW_ARRAY(parts->arena, struct listed_candidate, most);
    for (int r = 0; r < counting->reuse->plan->n_spaces; r++) {
        const struct listed_row *row = &parts->row[counting->reuse->plan->first_space + r];
        for (int s = row->first; s < row->first + row->n; s++) {
            int part = parts->summand[s].part;
            counting->place[part][n[part]++] = (int8_t)(s - first);
        }
    }
}

/* Take the sums apart: what each bus saves of what is left before it. On a bus that joins whole
 * groups of the one before, the pairs that stay of these make the groups that all pairs make. */
static const struct sator_decline *credit_buses(
        const struct counting *counting, sator_int left, const struct sums *sums, sator_int *by_bus)
{
    const struct listed_reuse *reuse = counting->reuse;
    int latest = -1; /* the bus that left one pair of each of its groups */
    for (int b = 0; b < reuse->n_buses; b++) {
        sator_int groups = sums->groups[b];
        if (latest >= 0 && counting->crosses)
            groups = sums->crossed;
        else if (latest >= 0 && !is_coarser(reuse, latest, b))
            return DECLINE("a tensor has many buses, or links and buses, that cross");
        by_bus[b] += left - groups;
        latest = left == groups ? latest : b;
        left = groups;
    }
    return NULL;
}

enum sator_status listed_reuse_count(const struct listed_reuse *reuse, sator_int total,
        sator_int *credit, sator_int *by_bus, const struct sator_decline **reason)
{
    const struct listed_parts *parts = &reuse->plan->parts;
    struct counting counting = {.reuse = reuse, .arena = parts->arena};
    struct sums sums = {.served = {0}};
    int n_times = 0;
    for (int r = 0; r < reuse->plan->n_times; r++)
        n_times += parts->row[r].n;
    make_steps(&counting);
    for (int s = -1; s < n_times; s++) {
        enum sator_status st = count_step(&counting, s, &sums, reason);
        if (st != SATOR_OK)
            return st;
    }
    for (int s = 0; s < reuse->n_sources; s++) {
        credit[reuse->source[s].credit] += sums.served[s];
        total -= sums.served[s];
    }
    *reason = credit_buses(&counting, total, &sums, by_bus);
    return *reason == NULL ? SATOR_OK : SATOR_DECLINED;
}
