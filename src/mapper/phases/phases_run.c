/* The stamps of a skewed row, by stretches that are alike (doc/search.md, "The scheduled time").
 *
 * PE p runs value t of the row at its own time n = t - s.p, at which the digits that the row joins
 * step as they do without a skew. So what a transfer brings into the array in t is a sum over the
 * PEs that words enter at, of what a PE takes when the digits have just stepped into n: a
 * convolution with as many box filters as digits spread these PEs.
 *
 * A stretch is told by the digit that steps at its time 0: before and after it the digits further
 * in go round. They are as many as have a period longer than all PEs together are apart, so that
 * one step of the others at a time is among the PEs' times. What follows, until the next such step,
 * repeats itself with the period of all but the outermost of the inner digits.
 */
#include "mapper/phases/phases_nest.h"
#include "mapper/problem/skew.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- a stretch of the row ---- */

/* Times around 0, where digit "into" steps (OUTSIDE: the run begins, or ends). Times from "end" on
 * do not run. */
struct stretch {
    int into;
    bool runs_before, runs_after;
    bool fresh_before, fresh_after; /* the digits that sums run over, but the inner ones, are 0 */
    int64_t end;
};

/* The row: its digits from "inner" on go round in every stretch. */
struct row {
    const struct nest *nest;
    const struct stamp *y;
    struct run *sum;
    int first, inner, last; /* digits; "last" is one past the innermost */
    int64_t block; /* times of one round of the inner digits */
    int64_t period; /* of all inner ones but their outermost */
    bool whole; /* all of the run is one stretch */
    int n_room;
    int64_t *room;
    struct moment *moments;
};

/* What the digits step by into a time, whether any PE may run it, and whether sums are touched for
 * the first time there. */
struct moment {
    int16_t into;
    bool runs, fresh;
};

/* A transfer in a stretch: words by time, from the first of the times that are asked for less one.
 */
struct flow {
    const struct movement *movement;
    int64_t *in, *out;
};

/* Find the moments of "n" times from "first" on, as an odometer whose inner digits are at 0 at time
 * 0. */
static void find_moments(const struct row *row, const struct stretch *stretch, int64_t first, int n,
        struct moment *moments)
{
    const struct nest *nest = row->nest;
    int64_t digit[MOST_DIGITS], left = first % row->block;
    int sums = 0; /* inner digits of them that are not 0 */

    left += left < 0 ? row->block : 0;
    for (int g = row->last - 1; g >= row->inner; g--) {
        digit[g] = left % nest->digit[g].factor;
        left /= nest->digit[g].factor;
        sums += nest->digit[g].sums && digit[g] != 0;
    }
    int into = row->last - 1;
    while (into >= row->inner && digit[into] == 0)
        into--;
    for (int i = 0; i < n; i++) {
        int64_t time = first + i;
        bool runs = (time < 0 ? stretch->runs_before : stretch->runs_after) && time < stretch->end;
        bool fresh = time < 0 ? stretch->fresh_before : stretch->fresh_after;
        moments[i] = (struct moment){
                .into = (int16_t)(into < row->inner || time == stretch->end ? stretch->into : into),
                .runs = runs,
                .fresh = fresh && sums == 0};
        for (into = row->last - 1; into >= row->inner; into--) {
            bool was = digit[into] != 0, back = ++digit[into] == nest->digit[into].factor;
            digit[into] = back ? 0 : digit[into];
            sums += nest->digit[into].sums ? (digit[into] != 0) - was : 0;
            if (!back)
                break;
        }
    }
}

/* The words of an entry at each moment, as if its first place were the only one. */
static void list_words(
        const struct entry *entry, const struct moment *moments, int n, int64_t *words)
{
    for (int i = 0; i < n; i++) {
        bool enters = moments[i].runs && (moments[i].fresh || !entry->if_fresh);
        words[i] = enters ? entry->words[moments[i].into + 1] : 0;
    }
}

/* The words of sums that leave after each moment. */
static void list_leaving(
        const struct nest *nest, const struct moment *moments, int n, int movement, int64_t *words)
{
    int64_t places = nest->leaving[movement];

    for (int i = 0; i < n; i++)
        words[i] = moments[i].runs ? nest->movement[movement].out[moments[i + 1].into + 1] / places
                                   : 0;
}

/* Add up what passes at all places: each value those before it at multiples of the steps. Add it to
 * "sum", of the last times. */
static void spread(const struct row *row, const struct places *places, int n, int64_t *words,
        int64_t *room, int64_t *sum)
{
    int64_t span = row->nest->span;

    for (int k = 0; k < places->n; k++) {
        int64_t step = places->later[k], all = step * places->count[k];
        if (all < n)
            memcpy(room, words, sizeof *room * (size_t)(n - all));
        for (int64_t i = step; i < n && i < all; i++)
            words[i] += words[i - step];
        for (int64_t i = all; i < n; i++)
            words[i] += words[i - step] - room[i - all];
    }
    for (int64_t i = span; i < n; i++)
        sum[i - span] += words[i - places->first];
}

/* Set the flow of movement "i" at "n" times; the moments begin earlier, by the span. "room" has
 * place for two flows and two spans. */
static void find_flow(const struct row *row, const struct moment *moments, int n, int i,
        struct flow *flow, int64_t *room)
{
    const struct nest *nest = row->nest;
    const struct mapper_problem *p = nest->phases->problem;
    int all = (int)nest->span + n;

    flow->movement = &nest->movement[i];
    memset(flow->in, 0, sizeof *flow->in * (size_t)n);
    memset(flow->out, 0, sizeof *flow->out * (size_t)n);
    for (int k = 0; k < nest->n_entries; k++) {
        if (nest->entry[k].movement != i)
            continue;
        list_words(&nest->entry[k], moments, all, room);
        spread(row, &nest->entry[k].places, all, room, room + all, flow->in);
    }
    if (p->transfer[flow->movement->transfer].access != nest->phases->output)
        return;
    list_leaving(nest, moments, all, i, room);
    spread(row, &nest->leaves[i], all, room, room + all, flow->out);
}

/* What a flow does in the stamp "i", the run's first or last one or not. */
static void add_flow(const struct row *row, const struct flow *flow, int i, bool is_first,
        bool is_last, struct delays *delays)
{
    const struct mapper_phases *phases = row->nest->phases;
    const struct movement *m = flow->movement;
    const struct mapper_way *send = &phases->manner[m->transfer].send;
    const struct mapper_way *take = &phases->manner[m->transfer].take;

    if (m->kind != SATOR_TRANSFER_OVERLAPPED) {
        bool serial = m->kind == SATOR_TRANSFER_SERIAL;
        enum phase load = serial ? SERIAL_LOADS : WITH_RUN;
        enum phase store = serial ? SERIAL_STORES : WITH_RUN;
        sator_mapper_phase_words(phases, delays, load, send, flow->in[i]);
        sator_mapper_phase_words(phases, delays, store, take, flow->out[i]);
        return;
    }
    if (is_first && row->y->into < m->tile_time)
        sator_mapper_phase_words(phases, delays, EXPOSED_LOADS, send, flow->in[i]);
    sator_mapper_phase_words(phases, delays, WITH_RUN, send, flow->in[i + 1]);
    sator_mapper_phase_words(phases, delays, WITH_RUN, take, flow->out[i - 1]);
    if (is_last && row->y->from < m->tile_time)
        sator_mapper_phase_words(phases, delays, EXPOSED_STORES, take, flow->out[i]);
}

/* What enters in the first stamp of a run. */
static int64_t first_words(const struct nest *nest, int movement, bool fresh)
{
    int64_t words = 0;

    for (int k = 0; k < nest->n_entries; k++) {
        const struct entry *entry = &nest->entry[k];
        if (entry->movement == movement && entry->places.first == 0 && (fresh || !entry->if_fresh))
            words += entry->words[0];
    }
    return words;
}

/* Of the runs beside this one: what the first stamp of the next brings, and the last one of that
 * before leaves, where these are overlapped and in one tile of the holder's. */
static void add_neighbours(
        const struct row *row, bool is_first, bool is_last, int n, int i, const struct flow *flow)
{
    const struct nest *nest = row->nest;
    const struct movement *m = flow->movement;
    const struct mapper_transfer *t = &nest->phases->problem->transfer[m->transfer];
    bool leaves = t->access == nest->phases->output && row->y->into >= m->tile_time;

    if (is_first)
        flow->out[0] = leaves ? m->out[0] / nest->leaving[i] : 0;
    if (is_last)
        flow->in[n - 1] =
                row->y->from >= m->tile_time ? first_words(nest, i, row->y->next_fresh) : 0;
}

static bool same_stamp(const struct flow *flows, int n_flows, int i, int like)
{
    for (int k = 0; k < n_flows; k++) {
        const struct flow *f = &flows[k];
        for (int d = -1; d <= 1; d++) {
            if (f->in[i + d] != f->in[like + d] || f->out[i + d] != f->out[like + d])
                return false;
        }
    }
    return true;
}

/* Add the "n" stamps of the stretch from "first" on, each "times". */
static void add_stretch(const struct row *row, const struct stretch *stretch, int64_t first,
        int64_t n, int64_t times)
{
    const struct nest *nest = row->nest;
    const struct run inside = {.cycles = nest->inside_cycles};
    struct flow flows[MAPPER_TRANSFERS];
    int n_flows = 0, all = (int)(n + 2);
    int64_t *room = row->room, each = nest->span + all;
    bool from_start = !stretch->runs_before && first == 0;
    bool to_end = first + n == (stretch->end < INT64_MAX ? stretch->end : 0) + nest->span &&
            (!stretch->runs_after || stretch->end < INT64_MAX);

    if (n <= 0)
        return;
    assert(2 * (each + all * nest->n_movements) <= row->n_room);
    find_moments(row, stretch, first - 1 - nest->span, (int)each + 1, row->moments);
    for (int i = 0; i < nest->n_movements; i++) {
        if (nest->movement[i].level != nest->n_levels - 1)
            continue;
        struct flow *flow = &flows[n_flows++];
        flow->in = room + 2 * (each + all * i);
        flow->out = flow->in + all;
        find_flow(row, row->moments, all, i, flow, room);
        add_neighbours(row, from_start, to_end, all, i, flow);
    }
    for (int i = 0, like; i < n; i = like) {
        bool is_first = from_start && i == 0, is_last = to_end && i == n - 1;
        struct delays delays;
        memset(delays.ports, 0, sizeof delays.ports);
        int64_t count = times;
        for (like = i + 1; like < n - 1 && !is_first && same_stamp(flows, n_flows, like + 1, i + 1);
                like++)
            count += times;
        for (int k = 0; k < n_flows; k++)
            add_flow(row, &flows[k], i + 1, is_first, is_last, &delays);
        sator_mapper_phase_stamp(nest->phases, &delays, &inside, count, row->sum);
    }
}

/* ---- the row ---- */

static int64_t factors(const struct nest *nest, int first, int last)
{
    int64_t product = 1;

    for (int g = first; g < last; g++)
        product *= nest->digit[g].factor;
    return product;
}

/* The values of digits "first" to "last" - 1 in which those of sums are 0. */
static int64_t fresh_factors(const struct nest *nest, int first, int last)
{
    int64_t product = 1;

    for (int g = first; g < last; g++)
        product *= nest->digit[g].sums ? 1 : nest->digit[g].factor;
    return product;
}

/* The stamps of a stretch around a step: from the one before until the last PE is a period past it,
 * so that no outermost inner digit is 0 any more. */
static int64_t around(const struct row *row)
{
    return row->nest->span + row->period + 2;
}

/* "times" steps of digit "into". */
static void add_step(
        const struct row *row, int into, bool fresh_before, bool fresh_after, int64_t times)
{
    struct stretch stretch = {into, true, true, fresh_before, fresh_after, INT64_MAX};

    if (times > 0)
        add_stretch(row, &stretch, -1, around(row), times);
}

/* What follows in "times" blocks. */
static void add_middle(const struct row *row, bool fresh, int64_t times)
{
    struct stretch stretch = {row->inner - 1, true, true, fresh, fresh, INT64_MAX};
    int64_t n = row->block - around(row), rounds = n / row->period;

    if (times == 0 || n == 0)
        return;
    if (rounds > 0)
        add_stretch(row, &stretch, around(row) - 1, row->period, times * rounds);
    add_stretch(row, &stretch, around(row) - 1, n % row->period, times); /* one more is short */
}

/* Whether both steps move the same words. */
static bool same_words(const struct nest *nest, int a, int b)
{
    for (int i = 0; i < nest->n_movements; i++) {
        const struct movement *m = &nest->movement[i];
        if (m->level == nest->n_levels - 1 && m->out[a + 1] != m->out[b + 1])
            return false;
    }
    for (int k = 0; k < nest->n_entries; k++) {
        if (nest->entry[k].words[a + 1] != nest->entry[k].words[b + 1])
            return false;
    }
    return true;
}

/* The steps of the digits that are not inner ones; those that move the same words together. */
static void add_steps(const struct row *row)
{
    const struct nest *nest = row->nest;
    int64_t times[2][2];
    uint64_t done = 0;

    for (int like = row->first; like < row->inner; like++) {
        if (done >> like & 1)
            continue;
        memset(times, 0, sizeof times);
        for (int g = like; g < row->inner; g++) {
            if ((done >> g & 1) || !same_words(nest, g, like))
                continue;
            done |= UINT64_C(1) << g;
            int64_t steps = nest->digit[g].factor - 1, all = factors(nest, row->first, g) * steps;
            int64_t fresh = row->y->fresh ? fresh_factors(nest, row->first, g) : 0;
            bool last_begins = !mapper_any_sums(nest, g + 1, row->inner);
            bool sums = nest->digit[g].sums;
            if (sums) { /* from its first value, where sums began */
                times[1][0] += last_begins ? fresh : 0;
                times[0][0] += all - (last_begins ? fresh : 0);
            } else {
                times[last_begins][1] += fresh * steps;
                times[0][0] += all - fresh * steps;
            }
        }
        for (int k = 0; k < 4; k++)
            add_step(row, like, k & 1, k >> 1, times[k & 1][k >> 1]);
    }
}

/* Find the inner digits: as few as have a round that is long enough. */
static void find_inner(struct row *row)
{
    const struct nest *nest = row->nest;

    row->period = row->block = 1;
    for (row->inner = row->last; row->inner > row->first;) {
        row->inner--;
        row->period = row->block;
        row->block *= nest->digit[row->inner].factor;
        if (row->block >= around(row))
            return;
    }
    row->whole = true;
}

/* Add a run by its stretches: its beginning, steps, what follows these, its end. */
static void add_parts(const struct row *row)
{
    const struct nest *nest = row->nest;
    bool begins = row->y->fresh, ends = begins && !mapper_any_sums(nest, row->first, row->inner);
    int64_t blocks = factors(nest, row->first, row->inner);
    int64_t fresh = begins ? fresh_factors(nest, row->first, row->inner) : 0;
    struct stretch start = {OUTSIDE, false, true, begins, begins, INT64_MAX};
    struct stretch end = {OUTSIDE, true, false, ends, ends, INT64_MAX};

    add_stretch(row, &start, 0, around(row) - 1, 1);
    add_steps(row);
    add_middle(row, true, fresh);
    add_middle(row, false, blocks - fresh);
    add_stretch(row, &end, -1, nest->span + 1, 1);
}

/* ---- at least ---- */

/* Of words by 1 + digit those in all of a run; "if_fresh": where sums begin alone. */
static sator_int all_words(const struct nest *nest, const int64_t *words, bool if_fresh)
{
    const int first = nest->first_joined;
    sator_int sum = words[0];

    for (int g = first; g < nest->length[nest->n_levels - 1]; g++) {
        int64_t steps = nest->digit[g].factor - 1;
        if (!if_fresh)
            steps *= factors(nest, first, g);
        else
            steps *= nest->digit[g].sums ? 0 : fresh_factors(nest, first, g);
        sum += (sator_int)steps * words[g + 1];
    }
    return sum;
}

static void add_all(const struct nest *nest, const struct movement *m, bool is_store,
        sator_int words, struct delays *delays)
{
    const struct mapper_manner *manner = &nest->phases->manner[m->transfer];
    const struct mapper_way *way = is_store ? &manner->take : &manner->send;
    int port = way->port;
    enum phase phase = m->kind != SATOR_TRANSFER_SERIAL ? WITH_RUN
            : is_store                                  ? SERIAL_STORES
                                                        : SERIAL_LOADS;

    if (port < 0 || words == 0)
        return;
    if (!(delays->ports[phase] >> port & 1))
        delays->of[phase][port] = 0;
    delays->ports[phase] |= 1U << port;
    delays->of[phase][port] += words * way->bits * nest->phases->unit[port].scale;
}

/* Add what a run takes at least: all that moves beside all that is computed. */
static void add_least(const struct nest *nest, const struct stamp *y, struct run *sum)
{
    int last = nest->length[nest->n_levels - 1];
    struct run inside = {.cycles = (sator_int)nest->inside_cycles *
                    (factors(nest, nest->first_joined, last) + nest->span)};
    struct delays delays;

    memset(delays.ports, 0, sizeof delays.ports);
    for (int i = 0; i < nest->n_movements; i++) {
        const struct movement *m = &nest->movement[i];
        sator_int words = 0;
        if (m->level != nest->n_levels - 1)
            continue;
        for (int k = 0; k < nest->n_entries; k++) {
            const struct entry *entry = &nest->entry[k];
            if (entry->movement == i && (y->fresh || !entry->if_fresh))
                words += mapper_count_places(&entry->places) *
                        all_words(nest, entry->words, entry->if_fresh);
        }
        add_all(nest, m, false, words, &delays);
        if (nest->phases->problem->transfer[m->transfer].access == nest->phases->output)
            add_all(nest, m, true, all_words(nest, m->out, false), &delays);
    }
    sator_mapper_phase_stamp(nest->phases, &delays, &inside, 1, sum);
}

void sator_mapper_phase_run(const struct nest *nest, const struct stamp *y, struct run *sum)
{
    struct row row = {.nest = nest,
            .y = y,
            .sum = sum,
            .first = nest->first_joined,
            .last = nest->length[nest->n_levels - 1]};

    sum->cycles += nest->pass_cycles;
    if (nest->at_least) {
        add_least(nest, y, sum);
        return;
    }
    find_inner(&row);
    int64_t most = row.whole ? row.block + nest->span : around(&row);
    row.n_room = (int)(2 * (nest->span + (most + 2) * (nest->n_movements + 1)));
    row.room = sator_alloc(sizeof *row.room * (size_t)row.n_room);
    row.moments = sator_alloc(sizeof *row.moments * (size_t)(nest->span + most + 3));
    if (row.whole) {
        struct stretch all = {OUTSIDE, false, true, y->fresh, y->fresh, row.block};
        add_stretch(&row, &all, 0, row.block + nest->span, 1);
    } else
        add_parts(&row);
    free(row.moments);
    free(row.room);
}
