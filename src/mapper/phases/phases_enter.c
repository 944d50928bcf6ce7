/* Where, and when, the words of a transfer enter skewed arrays (doc/search.md, "The scheduled
 * time").
 *
 * Along a row over which wires pass them on, what every PE needs enters at the first. Where PEs
 * hold windows that overlap, a PE fetches what its neighbour does not have: which neighbour there
 * is depends on the lowest digit of its coordinate that is not 0, for the PE before differs in the
 * digits up to that one alone. So PEs are alike by this digit, and what those of one kind fetch
 * follows from the words that enter smaller arrays, of the inner digits alone.
 */
#include "mapper/cost/cost.h"
#include "mapper/phases/phases_nest.h"
#include "mapper/problem/skew.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SPAN = 1 << 14
};

/* The PEs beyond those in use, by how much later each runs than the one before. */
static int64_t pass_cycles(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int skewed)
{
    int64_t cycles = 0;

    for (int r = p->memory[skewed].row + 1; r < p->n_rows && p->row[r].is_space; r++) {
        if (p->arch->levels[p->row[r].level].array.pass_through)
            cycles += llabs(p->skew->step[r]) * (p->row[r].shape - mapper_steps_at(p, mapping, r));
    }
    return cycles;
}

bool sator_mapper_phase_skew(
        struct nest *nest, const struct mapper_mapping *mapping, int skewed, const int *cut)
{
    const struct mapper_problem *p = nest->phases->problem;

    nest->is_skewed = skewed >= 0;
    nest->n_entries = 0;
    if (skewed < 0)
        return true;
    nest->first_joined = cut[skewed];
    nest->span = sator_mapper_span(p, mapping, skewed);
    nest->pass_cycles = 0;
    nest->inside_cycles = nest->phases->stamp_cycles;
    for (int g = cut[skewed + 1]; g < nest->n_digits; g++)
        nest->inside_cycles *= nest->digit[g].factor;
    if (sator_arch_passes_through(p->arch)) {
        if (cut[skewed + 1] < nest->n_digits)
            return false;
        nest->pass_cycles = pass_cycles(p, mapping, skewed);
    }
    return nest->span <= MOST_SPAN;
}

/* ---- places ---- */

/* How much later each position of digit "k" runs than the one before. */
static int64_t later(const struct mapper_problem *p, const struct mapper_shape *shape, int k)
{
    int row = shape->digit[k].row;
    int64_t step = llabs(p->skew->step[row]);

    for (k++; k < shape->n_digits && shape->digit[k].row == row; k++)
        step *= shape->digit[k].count;
    return step;
}

static bool add_digit(struct places *places, int64_t count, int64_t step)
{
    if (step == 0 || count == 1)
        return true;
    if (places->n == MOST_PLACES)
        return false;
    places->count[places->n] = count;
    places->later[places->n++] = step;
    return true;
}

static struct entry *add_entry(struct nest *nest, const struct places *places, bool if_fresh)
{
    if (nest->n_entries == MOST_ENTRIES)
        return NULL;
    struct entry *entry = &nest->entry[nest->n_entries++];
    entry->movement = nest->n_movements - 1;
    entry->if_fresh = if_fresh;
    entry->places = *places;
    return entry;
}

/* ---- windows that overlap ---- */

/* The passing digits of the rows of skewed arrays: the innermost of a row first. */
static bool find_joints(
        struct nest *nest, const struct mapper_shape *shape, const struct mapper_walk *walk)
{
    const struct mapper_problem *p = nest->phases->problem;
    struct crossing *c = &nest->crossing;

    for (int k = shape->n_digits - 1, at = walk->n_net_digits - 1; k >= 0; k--) {
        const struct mapper_digit *digit = &shape->digit[k];
        if (digit->row >= walk->transfer->child_row || !(walk->shared >> digit->row & 1))
            continue;
        assert(at >= 0 && walk->net_digit[at].loop == digit->loop);
        int number = at--;
        if (p->skew->step[digit->row] == 0)
            continue;
        if (c->n_rows == 0 || c->rows[c->n_rows - 1].row != digit->row) {
            if (c->n_rows == MOST_CROSSED)
                return false;
            c->rows[c->n_rows].row = digit->row;
            c->rows[c->n_rows++].n = 0;
        }
        struct crossed_row *row = &c->rows[c->n_rows - 1];
        if (row->n == MOST_PLACES)
            return false;
        row->digit[row->n] = number;
        row->count[row->n] = digit->count;
        row->later[row->n++] = later(p, shape, k);
    }
    return true;
}

/* Whether the link leads along no skewed row, or to the next PE of one, which runs later. */
static bool is_step(const struct mapper_problem *p, const struct mapper_pass *pass)
{
    int moved = 0, skewed = -1;

    for (int r = 0; r < p->n_rows; r++) {
        moved += pass->shift[r] != 0;
        skewed = pass->shift[r] != 0 && p->skew->step[r] != 0 ? r : skewed;
    }
    return skewed < 0 || pass->is_idle ||
            (moved == 1 && llabs(pass->shift[skewed]) == 1 &&
                    pass->shift[skewed] * p->skew->step[skewed] > 0);
}

const struct mapper_transfer *sator_mapper_phase_steps(
        const struct mapper_problem *p, const struct mapper_transfer *t)
{
    if (p->skew == NULL || t->n_buses > 0)
        return NULL;
    struct mapper_transfer *steps = SATOR_NEW(p->arena, struct mapper_transfer);
    *steps = *t;
    steps->n_passes = 0;
    steps->passes = SATOR_NEW_ARRAY(p->arena, struct mapper_pass, t->n_passes + 1);
    for (int i = 0; i < t->n_passes; i++) {
        if (is_step(p, &t->passes[i]))
            steps->passes[steps->n_passes++] = t->passes[i];
    }
    return steps;
}

/* The kinds of PEs: by row, 0 for the first coordinate, else 1 + the lowest digit that is not 0. */
static int count_kinds(const struct crossing *c)
{
    int kinds = 1;

    for (int r = 0; r < c->n_rows; r++)
        kinds *= c->rows[r].n + 1;
    return kinds;
}

/* The places of PEs of a kind, at the "outside" ones. */
static bool find_kind(
        const struct crossing *c, int kind, const struct places *outside, struct places *places)
{
    *places = *outside;
    for (int r = 0; r < c->n_rows; r++) {
        const struct crossed_row *row = &c->rows[r];
        int lowest = kind % (row->n + 1) - 1;
        kind /= row->n + 1;
        for (int k = lowest; k >= 0 && k < row->n; k++) {
            places->first += k == lowest ? row->later[k] : 0;
            if (!add_digit(places, row->count[k] - (k == lowest), row->later[k]))
                return false;
        }
    }
    return true;
}

/* The words that enter PEs whose digits of each row are 0 but for the innermost so many: all kinds
 * of them by their numbers. */
static void count_smaller(const struct crossing *c, struct mapper_words *words,
        struct mapper_walk *walk, const int64_t *move, int64_t *count)
{
    int n = count_kinds(c);

    for (int kind = 0; kind < n; kind++) {
        int64_t left_out = 1;
        for (int r = 0, rest = kind; r < c->n_rows; r++) {
            const struct crossed_row *row = &c->rows[r];
            int whole = rest % (row->n + 1);
            rest /= row->n + 1;
            for (int k = 0; k < row->n; k++) {
                struct mapper_net_digit *digit = &walk->net_digit[row->digit[k]];
                digit->count = k < whole ? row->count[k] : 1;
                bool plain = digit->index >= 0 && walk->access->index[digit->index].closed == 1;
                left_out *= k >= whole && plain ? row->count[k] : 1;
            }
        }
        count[kind] = sator_mapper_entering(words, walk, move) / left_out;
    }
    for (int r = 0; r < c->n_rows; r++) {
        for (int k = 0; k < c->rows[r].n; k++)
            walk->net_digit[c->rows[r].digit[k]].count = c->rows[r].count[k];
    }
}

/* Of the PEs whose digits up to "k" may be other than 0, and that one is: those with lower digits
 * that are not 0, which are of the kinds before, for each value of digit "k". */
static int64_t lower_kinds(const struct crossed_row *row, int k, const int64_t *count, int step)
{
    int64_t words = 0;

    for (int i = 0; i < k; i++) {
        int64_t times = row->count[i] - 1;
        for (int between = i + 1; between < k; between++)
            times *= row->count[between];
        words += times * count[(i + 1) * step];
    }
    return words;
}

/* Turn the words of all PEs of a row's inner digits, "step" apart, into those of one of each kind.
 */
static void solve_row(const struct crossed_row *row, int step, int64_t *count)
{
    int64_t known = count[0]; /* of all PEs of the digits before */

    for (int k = 0; k < row->n; k++) {
        int64_t all = count[(k + 1) * step], more = row->count[k] - 1;
        int64_t own = all - known - more * lower_kinds(row, k, count, step);
        assert(own % more == 0);
        count[(k + 1) * step] = own / more;
        known = all;
    }
}

static void solve_kinds(const struct crossing *c, int64_t *count)
{
    int n = count_kinds(c), step = 1;

    for (int r = 0; r < c->n_rows; r++) {
        for (int base = 0; base < n; base++) {
            if (base / step % (c->rows[r].n + 1) == 0)
                solve_row(&c->rows[r], step, &count[base]);
        }
        step *= c->rows[r].n + 1;
    }
}

/* ---- entries ---- */

/* The places of what nobody shares, and of sums their parts. */
struct found {
    struct places places, whole, leaves; /* whole: without those of other parts */
    int64_t parts;
    bool passes;
};

/* Add digit "k" to the places; false where there are too many. */
static bool add_place(const struct nest *nest, const struct mapper_shape *shape,
        const struct mapper_walk *walk, int k, struct found *found)
{
    const struct mapper_digit *digit = &shape->digit[k];
    int64_t step = later(nest->phases->problem, shape, k);
    bool is_output = walk->transfer->access == nest->phases->output;
    bool moves = walk->access->relevant >> digit->loop & 1;

    if (walk->shared >> digit->row & 1) {
        if (walk->passes)
            return true; /* by kinds */
        if (moves && walk->access->index[walk->access->index_of[digit->loop]].closed != 1)
            return step == 0;
        if (!moves &&
                !((walk->transfer->wired >> digit->row & 1) &&
                        sator_mapper_has_inside(walk->access, shape, k))) {
            found->leaves.first += step * (digit->count - 1);
            return true;
        }
    }
    bool part = is_output && !moves;
    found->parts *= part ? digit->count : 1;
    return add_digit(&found->places, digit->count, step) &&
            add_digit(&found->leaves, digit->count, step) &&
            (part || add_digit(&found->whole, digit->count, step));
}

bool sator_mapper_phase_places(
        struct nest *nest, const struct mapper_shape *shape, const struct mapper_walk *walk)
{
    const struct mapper_problem *p = nest->phases->problem;
    const struct mapper_transfer *t = walk->transfer;
    int number = nest->n_movements - 1;
    struct crossing *c = &nest->crossing;
    struct found found = {.parts = 1};

    for (int k = 0; k < shape->n_digits; k++) {
        int row = shape->digit[k].row;
        if (row > p->memory[t->parent].row && row < t->child_row &&
                !add_place(nest, shape, walk, k, &found) && !nest->at_least)
            return false;
    }
    if (nest->at_least) /* where words enter, and so when, does not matter */
        found.places.n = found.whole.n = found.leaves.n = 0;
    *c = (struct crossing){.first = nest->n_entries, .parts = found.parts};
    nest->leaves[number] = found.leaves;
    nest->leaving[number] = mapper_count_places(&found.leaves);
    if (walk->passes && !nest->at_least && !find_joints(nest, shape, walk))
        return false;
    if (c->n_rows == 0) {
        if (add_entry(nest, &found.places, false) == NULL)
            return false;
        return t->access != nest->phases->output || !sator_mapper_phase_starts(nest, t) ||
                add_entry(nest, &found.whole, true) != NULL;
    }
    if (nest->phases->steps[t - p->transfer] == NULL || count_kinds(c) > MOST_KINDS)
        return false;
    for (int kind = 0; kind < count_kinds(c); kind++) {
        struct places places;
        if (!find_kind(c, kind, &found.places, &places) || add_entry(nest, &places, false) == NULL)
            return false;
    }
    return true;
}

/* How far each index has moved since the stamp before; "*moves": at all; false where nothing is
 * kept. */
static bool find_move(const struct nest *nest, const struct mapper_walk *walk,
        const struct mapper_pace *pace, int g, int64_t *move, bool *moves)
{
    const struct mapper_access *access = walk->access;

    *moves = true;
    if (g == OUTSIDE || pace->dead)
        return false;
    int loop = nest->digit[g].loop, moved = -1;
    if (access->relevant >> loop & 1)
        moved = access->index_of[loop];
    *moves = false;
    for (int e = 0; e < access->n_indices; e++) {
        move[e] = pace->shift[e] + (e == moved ? access->coef_of[loop] * nest->digit[g].step : 0);
        *moves |= move[e] != 0;
        if (move[e] != 0 && access->index[e].closed == 1)
            return false;
    }
    return true;
}

/* The walk over those links alone that lead from one PE to the next. */
static struct mapper_walk step_by_step(const struct nest *nest, const struct mapper_walk *walk)
{
    struct mapper_walk steps = *walk;

    steps.transfer = nest->phases->steps[walk->number];
    steps.n_ways = steps.transfer->n_passes;
    steps.number += MAPPER_TRANSFERS; /* what is remembered of the two is not the same */
    return steps;
}

bool sator_mapper_phase_enter(struct nest *nest, struct mapper_words *words,
        struct mapper_walk *walk, const struct mapper_pace *pace, int g)
{
    const struct crossing *c = &nest->crossing;
    const struct movement *movement = &nest->movement[nest->n_movements - 1];
    struct entry *entries = &nest->entry[c->first];
    int64_t out = movement->out[g + 1], each[MOST_KINDS], move[MAPPER_INDICES], all = 0;
    int n = nest->n_entries - c->first;
    bool moves;

    if (c->n_rows == 0) {
        for (int k = 0; k < n; k++) {
            int64_t parts = entries[k].if_fresh ? -c->parts : 1;
            int64_t places = parts * mapper_count_places(&entries[k].places);
            if (out % places != 0)
                return false;
            entries[k].words[g + 1] = out / places;
        }
        return out % nest->leaving[nest->n_movements - 1] == 0;
    }
    bool keeps = find_move(nest, walk, pace, g, move, &moves);
    struct mapper_walk steps = step_by_step(nest, walk);
    memset(each, 0, sizeof each);
    if (moves) {
        const int64_t *by = keeps ? move : NULL;
        if (sator_mapper_entering(words, walk, by) != sator_mapper_entering(words, &steps, by))
            return false;
        count_smaller(c, words, &steps, by, each);
        solve_kinds(c, each);
    }
    int64_t group = 0; /* words of all kinds together, as often as they are there */
    for (int k = 0; k < n; k++)
        group += each[k] * mapper_count_places(&entries[k].places);
    for (int k = 0; k < n; k++) {
        entries[k].words[g + 1] = group == 0 ? 0 : out / group * each[k];
        all += entries[k].words[g + 1] * mapper_count_places(&entries[k].places);
    }
    return all == out;
}
