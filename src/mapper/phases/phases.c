/* The scheduled time of a mapping, by classes of stamps that are alike.
 *
 * In a nest of whole tiles all that moves when a stamp begins depends on the digit that has just
 * stepped: the digits inside it have fallen back to 0, those outside stand. So a stamp is told by
 * the digits that step into it and out of it, and by whether sums are touched for the first time
 * there and in the next stamp, which is where all digits of loops that do not index the output are
 * 0. A prefix's stamps fall into a few such classes, whose sizes are products of factors; and what
 * a stamp has inside depends on its own class alone.
 */
#include "mapper/phases/phases.h"

#include "mapper/phases/phases_nest.h"

#include <limits.h>
#include <string.h>

void sator_mapper_phase_words(const struct mapper_phases *phases, struct delays *delays,
        enum phase phase, const struct mapper_way *way, int64_t words)
{
    int port = way->port;

    if (port < 0 || words == 0)
        return;
    const struct mapper_unit *unit = &phases->unit[port];
    sator_int all = (sator_int)words * way->bits;
    if (unit->granule > 1)
        all = (all + unit->granule - 1) / unit->granule * unit->granule;
    if (!(delays->ports[phase] >> port & 1))
        delays->of[phase][port] = 0;
    delays->ports[phase] |= 1U << port;
    delays->of[phase][port] += all * unit->scale + (sator_int)unit->setup * unit->bits;
}

bool sator_mapper_phase_starts(const struct nest *nest, const struct mapper_transfer *t)
{
    return t->access == nest->phases->output &&
            nest->phases->problem->memory[t->parent].row <= nest->carried_row;
}

static void add_load(const struct nest *nest, const struct movement *movement, bool fresh,
        struct delays *delays, enum phase phase, int digit)
{
    const struct mapper_phases *phases = nest->phases;
    const struct mapper_transfer *t = &phases->problem->transfer[movement->transfer];
    const struct mapper_manner *manner = &phases->manner[movement->transfer];

    bool starts = fresh && sator_mapper_phase_starts(nest, t);
    int64_t out = movement->out[digit + 1];
    if (starts)
        out -= out / movement->parts;
    sator_mapper_phase_words(phases, delays, phase, &manner->send, out);
    if (!starts || movement->parts > 1)
        sator_mapper_phase_words(phases, delays, phase, &manner->arrive, movement->in[digit + 1]);
}

static void add_store(const struct nest *nest, const struct movement *movement,
        struct delays *delays, enum phase phase, int digit)
{
    const struct mapper_manner *manner = &nest->phases->manner[movement->transfer];

    sator_mapper_phase_words(nest->phases, delays, phase, &manner->take, movement->out[digit + 1]);
}

/* What one transfer does in a stamp of its level. */
static void add_movement(const struct nest *nest, const struct movement *movement,
        const struct stamp *x, struct delays *delays)
{
    if (movement->kind != SATOR_TRANSFER_OVERLAPPED) {
        bool serial = movement->kind == SATOR_TRANSFER_SERIAL;
        add_load(nest, movement, x->fresh, delays, serial ? SERIAL_LOADS : WITH_RUN, x->into);
        add_store(nest, movement, delays, serial ? SERIAL_STORES : WITH_RUN, x->from);
        return;
    }
    bool first = x->into < movement->tile_time, last = x->from < movement->tile_time;
    if (first)
        add_load(nest, movement, x->fresh, delays, EXPOSED_LOADS, x->into);
    if (!last)
        add_load(nest, movement, x->next_fresh, delays, WITH_RUN, x->from);
    if (!first)
        add_store(nest, movement, delays, WITH_RUN, x->into);
    if (last)
        add_store(nest, movement, delays, EXPOSED_STORES, x->from);
}

void sator_mapper_phase_own(const struct mapper_phases *phases, bool fresh, struct delays *delays)
{
    for (int i = 0; i < phases->n_own; i++) {
        const struct mapper_own *own = &phases->own[i];
        if (own->access != phases->output || !fresh)
            sator_mapper_phase_words(
                    phases, delays, own->waits ? SERIAL_LOADS : WITH_RUN, &own->read, 1);
        sator_mapper_phase_words(
                phases, delays, own->waits ? SERIAL_STORES : WITH_RUN, &own->write, 1);
    }
}

static sator_int whole_cycles(const struct mapper_unit *unit, sator_int cost)
{
    sator_int last = cost + unit->bits - 1;

    return last <= INT64_MAX ? (int64_t)last / unit->bits : last / unit->bits;
}

void sator_mapper_phase_stamp(const struct mapper_phases *phases, const struct delays *delays,
        const struct run *inside, int64_t times, struct run *sum)
{
    sator_int cycles = 0;

    for (unsigned left = inside->ports; left != 0; left &= left - 1)
        sum->busy[__builtin_ctz(left)] += times * inside->busy[__builtin_ctz(left)];
    sum->ports |= inside->ports;
    for (int k = 0; k < PHASES; k++) {
        sator_int longest = k == WITH_RUN ? inside->cycles : 0;
        unsigned both = delays->ports[k] | (k == WITH_RUN ? inside->ports : 0);
        for (unsigned left = both; left != 0; left &= left - 1) {
            int q = __builtin_ctz(left);
            sator_int own = delays->ports[k] >> q & 1 ? delays->of[k][q] : 0;
            sum->busy[q] += times * own;
            own = whole_cycles(&phases->unit[q], own + (k == WITH_RUN ? inside->busy[q] : 0));
            longest = own > longest ? own : longest;
        }
        sum->ports |= delays->ports[k];
        cycles += longest;
    }
    sum->cycles += times * cycles;
}

double sator_mapper_phase_computes(const struct mapper_phases *phases, bool fresh)
{
    struct delays delays = {0};
    struct run inside = {.cycles = phases->stamp_cycles}, sum = {0};

    sator_mapper_phase_own(phases, fresh, &delays);
    delays.ports[SERIAL_LOADS] = delays.ports[SERIAL_STORES] = 0;
    sator_mapper_phase_stamp(phases, &delays, &inside, 1, &sum);
    return (double)sum.cycles;
}

/* Add "times" the stamp "x" of level "level", whose inside takes "inside". */
static void add_stamp(const struct nest *nest, int level, const struct stamp *x,
        const struct run *inside, int64_t times, struct run *sum)
{
    struct delays delays;

    memset(delays.ports, 0, sizeof delays.ports);
    for (int i = 0; i < nest->n_movements; i++) {
        if (nest->movement[i].level == level)
            add_movement(nest, &nest->movement[i], x, &delays);
    }
    if (level == nest->n_levels - 1)
        sator_mapper_phase_own(nest->phases,
                x->fresh && nest->carried_row == nest->phases->problem->n_rows, &delays);
    sator_mapper_phase_stamp(nest->phases, &delays, inside, times, sum);
}

static const struct run *run_inside(struct nest *nest, int level, const struct stamp *x);

/* The stamps of a level within one of the level outside. */
struct within {
    struct nest *nest;
    int level;
    struct run *sum;
};

static void add_class(const struct within *within, int64_t times, struct stamp x)
{
    if (times > 0)
        add_stamp(within->nest, within->level, &x, run_inside(within->nest, within->level, &x),
                times, within->sum);
}

/* Of "times" stamps that "x" tells, those in which sums go on: none begin there or next. */
static void add_rest(const struct within *within, int64_t times, struct stamp x)
{
    x.fresh = x.next_fresh = false;
    add_class(within, times, x);
}

/* The stamps in "y" of digits "first" to "last". Each is stepped into or out of by the last digit:
 * its value is 0, its greatest, or between. */
static void add_classes(const struct within *within, const struct stamp *y, int first, int last)
{
    const struct nest *nest = within->nest;
    bool sums = nest->digit[last].sums, any_sums = mapper_any_sums(nest, first, last + 1);
    int64_t all = 1, fresh = y->fresh; /* values of the digits before; those in which sums begin */

    add_class(within, 1,
            (struct stamp){.into = y->into,
                    .from = last,
                    .fresh = y->fresh,
                    .next_fresh = y->fresh && !sums});
    add_class(within, 1,
            (struct stamp){.into = last,
                    .from = y->from,
                    .fresh = y->fresh && !any_sums,
                    .next_fresh = y->next_fresh});
    for (int g = first; g < last; g++) {
        int64_t steps = nest->digit[g].factor - 1, begin;
        bool inner_sums = mapper_any_sums(nest, g + 1, last + 1);
        /* the last digit is 0, those after g are, too */
        begin = nest->digit[g].sums ? 0 : fresh * steps;
        add_class(within, begin, (struct stamp){g, last, true, !sums});
        add_rest(within, all * steps - begin, (struct stamp){.into = g, .from = last});
        /* those after g are at their greatest */
        begin = nest->digit[g].sums ? fresh : fresh * steps;
        add_class(within, begin, (struct stamp){last, g, !inner_sums, !nest->digit[g].sums});
        add_rest(within, all * steps - begin, (struct stamp){.into = last, .from = g});
        all *= nest->digit[g].factor;
        fresh *= nest->digit[g].sums ? 1 : nest->digit[g].factor;
    }
    int64_t between = nest->digit[last].factor - 2, begin = sums ? 0 : fresh * between;
    add_class(within, begin, (struct stamp){last, last, true, true});
    add_rest(within, all * between - begin, (struct stamp){.into = last, .from = last});
}

/* What the stamps of "level" in stamp "y" of the level outside take. */
static void add_level(struct nest *nest, int level, const struct stamp *y, struct run *sum)
{
    struct within within = {nest, level, sum};

    if (nest->is_skewed && level == nest->n_levels - 1) {
        sator_mapper_phase_run(nest, y, sum);
        return;
    }
    int first = level == 0 ? 0 : nest->length[level - 1], end = nest->length[level];

    if (first == end)
        add_class(&within, 1, *y);
    else
        add_classes(&within, y, first, end - 1);
}

/* The inside of stamp "x" of a level: of stamps that are alike once. */
static const struct run *run_inside(struct nest *nest, int level, const struct stamp *x)
{
    int into = nest->alike[level][x->into + 1], from = nest->alike[level][x->from + 1];

    for (int i = 0; i < nest->n_runs; i++) {
        const struct run *r = &nest->run[i];
        if (r->level == level && r->into == into && r->from == from && r->fresh == x->fresh &&
                r->next_fresh == x->next_fresh)
            return r;
    }
    struct run run = {.level = level,
            .into = into,
            .from = from,
            .fresh = x->fresh,
            .next_fresh = x->next_fresh};
    if (level == nest->n_levels - 1)
        run.cycles = nest->phases->stamp_cycles;
    else
        add_level(nest, level + 1, x, &run);
    nest->run[nest->n_runs < MOST_RUNS ? nest->n_runs++ : MOST_RUNS - 1] = run;
    return &nest->run[nest->n_runs - 1];
}

static bool follow(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, bool at_least, double *cycles)
{
    static const struct stamp whole = {OUTSIDE, OUTSIDE, true, false};
    struct nest nest;
    struct run run = {0};

    if (!sator_mapper_phase_nest(phases, words, mapping, at_least, &nest))
        return false;
    add_level(&nest, 0, &whole, &run);
    *cycles = (double)run.cycles;
    return true;
}

bool sator_mapper_scheduled(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double *cycles)
{
    return follow(phases, words, mapping, false, cycles);
}

bool sator_mapper_scheduled_least(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double *cycles)
{
    return sator_mapper_is_ragged(phases->problem, mapping, UINT_MAX)
            ? sator_mapper_short_least(phases, words, mapping, cycles)
            : follow(phases, words, mapping, true, cycles);
}
