/* The scheduled time of a mapping with short last tiles, at least.
 *
 * Which stamps there are is exact: digit by digit, from the outermost, stamps are told apart by
 * what is left of each loop in them, in the stamp before and in the next one, and by the digits
 * that step in between. Those that agree in all this are counted together. What moves is no more
 * than the first instance of each memory surely moves: where one keeps part of a window, or PEs
 * come back to work, some words are left out.
 */
#include "mapper/phases/phases.h"
#include "mapper/phases/phases_left.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_STAMPS = 384, /* of a level in one of the level outside, told apart */
    MOST_INSIDES = 512
};

/* A stamp: the states of all loops in it, in the one before and in the next one; which loops have
 * other places than there, and by how much; the levels whose digits step in between; and whether
 * sums begin. */
struct short_stamp {
    uint8_t now[MAPPER_LOOPS], before[MAPPER_LOOPS], next[MAPPER_LOOPS];
    uint16_t moved_in, moved_out;
    int8_t into, from;
    bool fresh, next_fresh;
    int32_t shift_in[MAPPER_LOOPS], shift_out[MAPPER_LOOPS]; /* no loop is longer than 2^24 */
};

struct stamps {
    int n;
    struct {
        struct short_stamp stamp;
        int64_t times;
    } item[MOST_STAMPS];
};

struct short_nest {
    struct left left;
    struct mapper_words *words;
    unsigned sliding; /* loops of windows: how far these move matters */
    int n_insides;
    struct inside {
        int level;
        struct short_stamp stamp;
        struct run run;
    } inside[MOST_INSIDES];
    struct stamps stamps[MOST_LEVELS][2];
};

/* ---- words ---- */

/* What one transfer brings in a stamp: to one instance of the child, and to all inside one of the
 * parent, the words of sums being so many parts of each; whether another instance with whole tiles
 * has a part, too. */
struct brought {
    int64_t out, in, parts;
    bool others;
};

/* The iterations of each loop that the first instance of the child has in states "ids", and those
 * of all inside one of the parent; the parts that sums are in. */
static struct brought find_extents(
        const struct short_nest *s, int number, const uint8_t *ids, int64_t *tile, int64_t *group)
{
    const struct mapper_problem *p = s->left.nest.phases->problem;
    const struct mapper_transfer *t = &p->transfer[number];
    struct brought all = {.parts = 1};

    for (int i = 0; i < p->n_loops; i++) {
        struct blocks b = sator_mapper_left_at(&s->left, number, i, ids[i], t->parent);
        struct spreading spread = s->left.spread[number][i];
        int64_t block = s->left.block[t->child_row][i];
        tile[i] = b.whole > 0 ? block : b.rest;
        group[i] = b.whole * block + b.rest;
        if (!(p->access[t->access].relevant >> i & 1) && spread.alone && !spread.shared) {
            all.parts *= b.whole + (b.rest > 0);
            all.others |= b.whole > 1;
        }
    }
    return all;
}

/* ---- links ---- */

/* The rows in which it matters where PEs are. */
static unsigned placed_rows(const struct mapper_transfer *t)
{
    return t->linked_rows | t->wired | t->grouped_rows;
}

/* Leave of the digits of "loop" those PEs that have one of "whole" tiles, the first ones; false
 * where they are no box. */
static bool keep_first(int loop, int64_t whole, struct mapper_shape *shape)
{
    for (int k = shape->n_digits - 1; k >= 0; k--) {
        struct mapper_digit *digit = &shape->digit[k];
        int64_t count = whole < digit->count ? whole : digit->count;
        if (digit->loop != loop)
            continue;
        if (whole % count != 0)
            return false;
        whole /= count;
        digit->count = count;
    }
    return whole == 1;
}

/* Open the walk of a transfer between one instance of the parent and those inside it in states
 * "ids", where all that have work there have the same, and are where a box of PEs is: then words
 * pass as in a nest of whole tiles. False where it is not so. */
static bool open_state(const struct short_nest *s, int number, const uint8_t *ids,
        struct mapper_shape *shape, struct mapper_walk *walk)
{
    const struct left *left = &s->left;
    const struct mapper_problem *p = left->nest.phases->problem;
    const struct mapper_transfer *t = &p->transfer[number];
    unsigned wide = 0, cut = 0;
    int n = 0;

    if (t->reaches_back || (t->is_complex && t->links_alone == NULL))
        return false;
    shape->in_any_order = false;
    shape->n_digits = 0;
    for (int k = 0; k < left->shape.n_digits; k++) {
        if (t->between >> left->shape.digit[k].row & 1)
            shape->digit[shape->n_digits++] = left->shape.digit[k];
    }
    memcpy(shape->inside, left->block, sizeof shape->inside);
    for (int i = 0; i < p->n_loops; i++) {
        struct blocks b = sator_mapper_left_at(left, number, i, ids[i], t->parent);
        if (b.whole == 0)
            shape->inside[t->child_row][i] = b.rest;
        if ((b.whole > 0 && b.rest > 0) || !keep_first(i, b.whole > 0 ? b.whole : 1, shape))
            return false;
    }
    for (int k = 0, at = 0; k < left->shape.n_digits; k++) {
        const struct mapper_digit *all = &left->shape.digit[k];
        if (!(t->between >> all->row & 1))
            continue;
        struct mapper_digit digit = shape->digit[at++];
        cut |= digit.count < all->count && (wide >> digit.row & 1) ? 1U << digit.row : 0;
        wide |= digit.count > 1 ? 1U << digit.row : 0;
        if (digit.count > 1)
            shape->digit[n++] = digit;
    }
    shape->n_digits = n;
    if ((cut & placed_rows(t)) != 0)
        return false; /* other PEs would be neighbours */
    sator_mapper_walk_open(p, s->words, shape, number, mapper_passing_of(t), walk);
    return t->links_alone == NULL || !sator_mapper_goes_round(s->words, walk);
}

/* Whether two shapes have the same PEs, and tiles along "loops". */
static bool are_alike(const struct mapper_problem *p, const struct mapper_transfer *t,
        const struct mapper_shape *a, const struct mapper_shape *b, unsigned loops)
{
    bool alike = a->n_digits == b->n_digits;

    for (int k = 0; k < a->n_digits && alike; k++)
        alike = a->digit[k].row == b->digit[k].row && a->digit[k].loop == b->digit[k].loop &&
                a->digit[k].count == b->digit[k].count;
    for (int i = 0; i < p->n_loops && alike; i++)
        alike = !(loops >> i & 1) || a->inside[t->child_row][i] == b->inside[t->child_row][i];
    return alike;
}

/* What links, and buses of some PEs, leave to be brought in states "ids", all of it, or where loops
 * "moved" by "shift" since those "before"; false where that is not sure. */
static bool over_links(const struct short_nest *s, int number, const uint8_t *ids,
        const uint8_t *before, unsigned moved, const int32_t *shift, struct brought *words)
{
    const struct mapper_phases *phases = s->left.nest.phases;
    const struct mapper_problem *p = phases->problem;
    const struct mapper_transfer *t = &p->transfer[number];
    const struct mapper_access *access = &p->access[t->access];
    struct mapper_shape shape, old;
    struct mapper_walk walk, old_walk;
    int64_t out, in, move[MAPPER_INDICES] = {0};
    bool slides = before != NULL && (moved & access->plain) == 0;

    if ((t->n_passes == 0 && t->grouped_rows == 0) || !open_state(s, number, ids, &shape, &walk))
        return false;
    if (slides &&
            (!open_state(s, number, before, &old, &old_walk) ||
                    !are_alike(p, t, &shape, &old, access->relevant)))
        return false;
    *words = (struct brought){.out = walk.groups * walk.group_words, .in = walk.tile_words};
    words->parts = sator_mapper_phase_split(phases, &shape, t, &walk, words->out);
    if (!slides)
        return true;
    for (int i = 0; i < p->n_loops; i++) {
        if (access->relevant >> i & 1)
            move[access->index_of[i]] += access->coef_of[i] * shift[i];
    }
    sator_mapper_kept_words(&walk, s->words, move, 0, 0, &out, &in);
    words->out -= walk.groups * out;
    words->in -= in;
    return true;
}

/* ---- words that move ---- */

/* All words of the tiles in states "ids". Of an index along which PEs have no stretch of iterations
 * one loop counts alone. */
static struct brought all_words(const struct short_nest *s, int number, const uint8_t *ids)
{
    const struct mapper_problem *p = s->left.nest.phases->problem;
    const struct mapper_access *access = &p->access[p->transfer[number].access];
    int64_t tile[MAPPER_LOOPS], group[MAPPER_LOOPS];
    struct brought all;

    if (over_links(s, number, ids, NULL, 0, NULL, &all))
        return all;
    all = find_extents(s, number, ids, tile, group);
    for (int e = 0; e < access->n_indices; e++) {
        const struct mapper_index *index = &access->index[e];
        int longest = index->loop[0];
        bool gaps = false;
        for (int k = 0; k < index->n_parts; k++) {
            gaps |= s->left.spread[number][index->loop[k]].gaps;
            longest = group[index->loop[k]] > group[longest] ? index->loop[k] : longest;
        }
        for (int k = 0; k < index->n_parts && gaps; k++)
            group[index->loop[k]] = index->loop[k] == longest ? group[longest] : 1;
    }
    all.in = sator_mapper_tile_words(s->words, p->transfer[number].access, tile);
    all.out = sator_mapper_tile_words(s->words, p->transfer[number].access, group);
    all.out = all.parts * (all.out > all.in ? all.out : all.in);
    return all;
}

/* The values of an index, whose loops have "tile" iterations each, that it has not, too, when all
 * are shifted by "shift" and had "old" iterations; all that is sure. */
static int64_t new_values(const struct mapper_access *access, int e, const int64_t *tile,
        const int64_t *old, const int32_t *shifts, int64_t *values)
{
    const struct mapper_index *index = &access->index[e];
    int64_t reach = 1, before = 1, begin = 0, begun = 0; /* the first values */
    unsigned left = 0;

    for (int k = 0; k < index->n_parts; k++)
        left |= 1U << k;
    for (bool found = true; found && left != 0;) {
        found = false;
        for (int k = 0; k < index->n_parts; k++) {
            int64_t coef = index->coef[k] < 0 ? -index->coef[k] : index->coef[k];
            int i = index->loop[k];
            if (!(left >> k & 1) || coef > (reach < before ? reach : before))
                continue;
            reach += coef * (tile[i] - 1);
            before += coef * (old[i] - 1);
            begin += index->coef[k] * shifts[i];
            begin += index->coef[k] < 0 ? index->coef[k] * (tile[i] - 1) : 0;
            begun += index->coef[k] < 0 ? index->coef[k] * (old[i] - 1) : 0;
            left &= ~(1U << k);
            found = true;
        }
    }
    *values = reach;
    if (left != 0 || index->joint != NULL || index->is_core || index->divisor != 0)
        return -1; /* it has gaps */
    int64_t low = begin > begun ? begin : begun;
    int64_t high = begin + reach < begun + before ? begin + reach : begun + before;
    return reach - (high > low ? high - low : 0);
}

/* The words of tiles "now" that are not in those "before": windows move by "shift", and of loops
 * that stand alone tiles have "plain" iterations all the time. 0 where that is not sure. */
static int64_t new_words(const struct mapper_access *access, const int64_t *now,
        const int64_t *before, const int32_t *shift, const int64_t *plain)
{
    int64_t all = 1, kept = 1, each = 1;
    bool gaps = false;

    for (int e = 0; e < access->n_indices; e++) {
        int i = access->index[e].loop[0];
        int64_t values = 1, n = 0;
        if (access->plain >> i & 1)
            each *= plain[i];
        else
            n = new_values(access, e, now, before, shift, &values);
        gaps |= n < 0;
        all *= values;
        kept *= values - n;
    }
    return gaps ? 0 : each * (all - kept);
}

/* Whether PEs may have words from others that had them in the stamp before: over wires, too, which
 * lead from PEs that kept them. */
static bool brings_earlier(const struct mapper_transfer *t)
{
    return t->n_passes > 0 || t->wired != 0 || t->links_alone != NULL || t->is_complex;
}

/* The words that enter when loops "moved" have come to other places, by "shift": of tiles that move
 * along windows alone, those that the first instance, or all together, have not had; only the
 * latter where one may have them from another. */
static struct brought moved_words(const struct short_nest *s, int number, const uint8_t *now,
        const uint8_t *before, unsigned moved, const int32_t *shift)
{
    const struct mapper_problem *p = s->left.nest.phases->problem;
    const struct mapper_access *access = &p->access[p->transfer[number].access];
    int64_t tile[MAPPER_LOOPS], group[MAPPER_LOOPS], old[MAPPER_LOOPS], all_old[MAPPER_LOOPS];
    bool gaps = false;

    if ((moved & access->relevant) == 0)
        return (struct brought){.parts = 1};
    if ((moved & access->plain) != 0)
        return all_words(s, number, now);
    struct brought words;
    if (over_links(s, number, now, before, moved, shift, &words))
        return words;
    words = find_extents(s, number, now, tile, group);
    find_extents(s, number, before, old, all_old);
    for (int i = 0; i < p->n_loops; i++)
        gaps |= (access->relevant & ~access->plain) >> i & 1 && s->left.spread[number][i].gaps;
    words.in = new_words(access, tile, old, shift, tile);
    words.out =
            brings_earlier(&p->transfer[number]) ? 0 : new_words(access, tile, old, shift, group);
    int64_t together = gaps ? 0 : new_words(access, group, all_old, shift, group);
    words.out = words.parts * (together > words.out ? together : words.out);
    return words;
}

/* ---- stamps ---- */

static void add_load(const struct short_nest *s, int number, const struct brought *words,
        bool fresh, struct delays *delays, enum phase phase)
{
    const struct mapper_phases *phases = s->left.nest.phases;
    const struct mapper_transfer *t = &phases->problem->transfer[number];
    const struct mapper_manner *manner = &phases->manner[number];
    bool begins = t->access == phases->output && fresh;
    bool starts = begins && sator_mapper_phase_starts(&s->left.nest, t);

    if (begins && !starts)
        return; /* of sums that begin elsewhere nothing is sure */
    sator_mapper_phase_words(phases, delays, phase, &manner->send,
            words->out - (starts ? words->out / words->parts : 0));
    bool hands_on = t->access == phases->output && t->n_passes > 0; /* to whom is not followed */
    if ((!starts || words->others) && !hands_on)
        sator_mapper_phase_words(phases, delays, phase, &manner->arrive, words->in);
}

static void add_transfer(
        const struct short_nest *s, int number, const struct short_stamp *x, struct delays *delays)
{
    static const struct brought none = {.parts = 1};
    const struct nest *nest = &s->left.nest;
    const struct mapper_phases *phases = nest->phases;
    const struct mapper_transfer *t = &phases->problem->transfer[number];
    const struct mapper_manner *manner = &phases->manner[number];
    bool all_time = nest->length[nest->level_of[t->child]] == nest->n_digits;
    enum sator_transfer_kind kind = all_time ? manner->kind_of_stamps : manner->kind;
    bool first = x->into <= nest->level_of[t->parent], last = x->from <= nest->level_of[t->parent];
    bool is_sum = t->access == phases->output, overlaps = kind == SATOR_TRANSFER_OVERLAPPED;
    unsigned relevant = phases->problem->access[t->access].relevant;

    if (t->reaches_back ||
            (manner->send.port < 0 && manner->take.port < 0 && manner->arrive.port < 0))
        return;
    struct brought in = x->into == OUTSIDE
            ? all_words(s, number, x->now)
            : moved_words(s, number, x->now, x->before, x->moved_in, x->shift_in);
    struct brought back = is_sum && x->into != OUTSIDE && (x->moved_in & relevant)
            ? all_words(s, number, x->before)
            : none;
    struct brought out = is_sum && (x->from == OUTSIDE || (x->moved_out & relevant))
            ? all_words(s, number, x->now)
            : none;
    if (!overlaps) {
        bool serial = kind == SATOR_TRANSFER_SERIAL;
        add_load(s, number, &in, x->fresh, delays, serial ? SERIAL_LOADS : WITH_RUN);
        sator_mapper_phase_words(
                phases, delays, serial ? SERIAL_STORES : WITH_RUN, &manner->take, out.out);
        return;
    }
    if (first)
        add_load(s, number, &in, x->fresh, delays, EXPOSED_LOADS);
    if (!last) {
        struct brought next = moved_words(s, number, x->next, x->now, x->moved_out, x->shift_out);
        add_load(s, number, &next, x->next_fresh, delays, WITH_RUN);
    }
    if (!first)
        sator_mapper_phase_words(phases, delays, WITH_RUN, &manner->take, back.out);
    if (last)
        sator_mapper_phase_words(phases, delays, EXPOSED_STORES, &manner->take, out.out);
}

static void count_stamp(
        struct short_nest *s, struct stamps *stamps, const struct short_stamp *stamp, int64_t times)
{
    for (int k = 0; k < stamps->n; k++) {
        if (memcmp(&stamps->item[k].stamp, stamp, sizeof *stamp) == 0) {
            stamps->item[k].times += times;
            return;
        }
    }
    if (stamps->n == MOST_STAMPS) {
        s->left.is_full = true;
        return;
    }
    stamps->item[stamps->n].stamp = *stamp;
    stamps->item[stamps->n++].times = times;
}

/* The stamp whose "digit" of "level" has the "k"-th of the values of "split". */
static bool take_value(struct short_nest *s, int level, int digit, const struct short_stamp *x,
        const struct split *split, int k, struct short_stamp *stamp)
{
    int i = s->left.nest.digit[digit].loop;
    int32_t block = (int32_t)s->left.block[s->left.row[digit] + 1][i];
    bool sums = s->left.nest.digit[digit].sums, slides = (s->sliding >> i & 1) != 0;

    *stamp = *x;
    stamp->now[i] = split->now[k];
    stamp->fresh &= !sums || k == 0;
    if (k > 0) {
        memcpy(stamp->before, x->now, sizeof stamp->before);
        memset(stamp->shift_in, 0, sizeof stamp->shift_in);
        stamp->before[i] = split->before[k];
        stamp->shift_in[i] = slides ? block : 0;
        stamp->moved_in = (uint16_t)(1U << i);
        stamp->into = (int8_t)level;
    } else if (x->into != OUTSIDE) {
        const struct split *old = sator_mapper_left_split(&s->left, digit, x->before[i]);
        if (old == NULL)
            return false;
        int32_t last = (int32_t)old->from[old->n - 1];
        stamp->before[i] = old->now[old->n - 1];
        stamp->shift_in[i] -= slides ? last * block : 0;
        stamp->moved_in |= (uint16_t)(last > 0 ? 1U << i : 0);
    }
    if (k < split->n - 1) {
        memcpy(stamp->next, x->now, sizeof stamp->next);
        memset(stamp->shift_out, 0, sizeof stamp->shift_out);
        stamp->next[i] = split->next[k];
        stamp->shift_out[i] = slides ? block : 0;
        stamp->moved_out = (uint16_t)(1U << i);
        stamp->from = (int8_t)level;
        stamp->next_fresh = x->fresh && !sums;
    } else if (x->from != OUTSIDE) {
        const struct split *old = sator_mapper_left_split(&s->left, digit, x->next[i]);
        if (old == NULL)
            return false;
        stamp->next[i] = old->now[0];
        stamp->shift_out[i] -= slides ? (int32_t)split->from[k] * block : 0;
        stamp->moved_out |= (uint16_t)(k > 0 ? 1U << i : 0);
    }
    return true;
}

static const struct run *short_inside(struct short_nest *s, int level, const struct short_stamp *x);

/* What the stamps of "level" in stamp "y" of the level outside take. */
static void add_short_level(
        struct short_nest *s, int level, const struct short_stamp *y, struct run *sum)
{
    const struct nest *nest = &s->left.nest;
    int first = level == 0 ? 0 : nest->length[level - 1], end = nest->length[level];
    struct stamps *stamps = &s->stamps[level][0], *others = &s->stamps[level][1];
    struct short_stamp stamp;

    stamps->n = 0;
    count_stamp(s, stamps, y, 1);
    for (int g = first; g < end && !s->left.is_full; g++) {
        others->n = 0;
        for (int j = 0; j < stamps->n && !s->left.is_full; j++) {
            const struct short_stamp *x = &stamps->item[j].stamp;
            const struct split *split =
                    sator_mapper_left_split(&s->left, g, x->now[nest->digit[g].loop]);
            for (int k = 0; split != NULL && k < split->n; k++) {
                if (take_value(s, level, g, x, split, k, &stamp))
                    count_stamp(s, others, &stamp, stamps->item[j].times * split->count[k]);
            }
        }
        struct stamps *swap = stamps;
        stamps = others;
        others = swap;
    }
    for (int j = 0; j < stamps->n && !s->left.is_full; j++) {
        const struct short_stamp *x = &stamps->item[j].stamp;
        struct delays delays;
        memset(delays.ports, 0, sizeof delays.ports);
        for (int t = 0; t < nest->phases->problem->n_transfers; t++) {
            if (nest->level_of[nest->phases->problem->transfer[t].child] == level)
                add_transfer(s, t, x, &delays);
        }
        if (level == nest->n_levels - 1)
            sator_mapper_phase_own(nest->phases, x->fresh, &delays);
        const struct run *inside = short_inside(s, level, x);
        if (inside != NULL)
            sator_mapper_phase_stamp(nest->phases, &delays, inside, stamps->item[j].times, sum);
    }
}

/* The inside of a stamp of a level, of stamps that are alike once. */
static const struct run *short_inside(struct short_nest *s, int level, const struct short_stamp *x)
{
    for (int k = 0; k < s->n_insides; k++) {
        if (s->inside[k].level == level && memcmp(&s->inside[k].stamp, x, sizeof *x) == 0)
            return &s->inside[k].run;
    }
    struct run run = {.level = level};
    if (level == s->left.nest.n_levels - 1)
        run.cycles = s->left.nest.phases->stamp_cycles;
    else
        add_short_level(s, level + 1, x, &run);
    if (s->left.is_full || s->n_insides == MOST_INSIDES) {
        s->left.is_full = true;
        return NULL;
    }
    struct inside *inside = &s->inside[s->n_insides++];
    inside->level = level;
    inside->stamp = *x;
    inside->run = run;
    return &inside->run;
}

bool sator_mapper_short_least(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double *cycles)
{
    struct short_nest *s = sator_alloc(sizeof *s);
    struct short_stamp whole;
    struct run run = {0};

    s->words = words;
    s->sliding = 0;
    for (int a = 0; a < phases->problem->n_accesses; a++)
        s->sliding |= phases->problem->access[a].relevant & ~phases->problem->access[a].plain;
    s->n_insides = 0;
    bool is_known = sator_mapper_left_open(&s->left, phases, mapping);
    if (is_known) {
        memset(&whole, 0, sizeof whole);
        whole.into = whole.from = OUTSIDE;
        whole.fresh = true;
        add_short_level(s, 0, &whole, &run);
        is_known = !s->left.is_full;
        *cycles = (double)run.cycles;
    }
    free(s);
    return is_known;
}
