/* What sliding indices bring at least.
 *
 * Let the loop l be the first that moves the tile. Its innermost factor f moves it by one step in
 * f - 1 of f stamps: exactly known. In the others l has fallen back by some steps, and unless all
 * of it runs at once, another loop has moved, too. The second loop l', innermost of those, again
 * moves by one step in f' - 1 of f' of these stamps, and in the others by some steps. Where a loop
 * that stands alone in an index moves, everything is new.
 */
#include "mapper/bounds/bounds_slides.h"
#include "mapper/bounds/bounds_short.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    MOST_MOVES = 1 << 16
};

/* "words" of a tile for each of its "values" along an index. What is left of an access that has no
 * formula may have none in a tile that is cut; the tile then brings nothing that is known. */
static double words_each(double words, double values)
{
    return values > 0 ? words / values : 0;
}

void sator_mapper_slides_init(struct mapper_slides *slides, struct mapper_words *words,
        const struct mapper_walk *walk, const struct mapper_shape *shape, int nearest,
        const int64_t *near, const int64_t *far, const struct mapper_blocks *blocks)
{
    slides->memory = words;
    slides->blocks = blocks;
    slides->known_forms = 0;
    slides->seldom_known[0] = slides->seldom_known[1] = 0;
    slides->entering_known[0] = slides->entering_known[1] = 0;
    slides->nearest = nearest;
    for (int k = 0; k < 2; k++) {
        struct mapper_slide_side *side = k == 0 ? &slides->group : &slides->tile;
        side->grouped = k == 0;
        side->step_known[0] = side->step_known[1] = 0;
        for (int kind = 0; kind < MAPPER_LEAPS; kind++) {
            for (int i = 0; i < walk->problem->n_loops; i++)
                side->leap[kind][i].is_known = false;
        }
    }
    sator_mapper_slides_again(slides, walk, shape, near, far);
}

void sator_mapper_slides_again(struct mapper_slides *slides, const struct mapper_walk *walk,
        const struct mapper_shape *shape, const int64_t *near, const int64_t *far)
{
    slides->walk = walk;
    slides->shape = shape;
    slides->near = near;
    slides->far = far;
    slides->entering = walk->entering;
    for (int k = 0; k < 2; k++) {
        struct mapper_slide_side *side = k == 0 ? &slides->group : &slides->tile;
        side->rate = k == 0 ? walk->group_rate : walk->tile_rate;
        side->words = side->plain = 1;
        for (int e = 0; e < walk->access->n_indices; e++) {
            side->whole[e] = (double)(k == 0 ? walk->group_values[e] : walk->tile_values[e]);
            side->mean[e] = walk->cut == NULL ? side->whole[e]
                    : k == 0                  ? walk->group_mean[e]
                                              : walk->tile_mean[e];
            side->words *= side->mean[e];
            side->plain *= walk->access->index[e].n_parts == 1 ? side->mean[e] : 1;
        }
        for (int e = 0; e < walk->access->n_indices; e++)
            side->other[e] = words_each(side->words, side->mean[e]);
    }
}

/* The tile and the positions of index "e"; "alone" is room for them. */
static const struct mapper_steps *steps_of(const struct mapper_slides *s,
        const struct mapper_slide_side *side, int e, struct mapper_steps *alone)
{
    if (side->grouped || s->walk->steps[e].n_spread == 0)
        return &s->walk->steps[e];
    *alone = (struct mapper_steps){.n_spread = 0};
    memcpy(alone->tile, s->walk->steps[e].tile, sizeof alone->tile);
    return alone;
}

static bool is_cut(const struct mapper_walk *walk, const struct mapper_index *index)
{
    bool cut = false;

    for (int i = 0; i < index->n_parts && walk->cut != NULL; i++)
        cut |= walk->cut[index->loop[i]] > 0;
    return cut;
}

/* Whether index "e" is to a tile what it is to a group. */
static bool is_same(const struct mapper_slides *s, const struct mapper_slide_side *side, int e)
{
    return !side->grouped && s->walk->steps[e].n_spread == 0 &&
            !is_cut(s->walk, &s->walk->access->index[e]);
}

/* ---- one step ---- */

/* The values of its index that are new in the stamps in which "loop" moves it by one step of
 * "shift", the tiles of the other loops staying: the share "often" of all. In one of them, for each
 * time that all loops are run through, the loop comes to its last tile. */
static double step_by(const struct mapper_slides *s, const struct mapper_slide_side *side, int loop,
        int64_t shift, double often)
{
    const struct mapper_walk *walk = s->walk;
    int access = walk->transfer->access, e = walk->access->index_of[loop];
    const struct mapper_index *index = &walk->access->index[e];
    struct mapper_steps alone;
    const struct mapper_steps *steps = steps_of(s, side, e, &alone);

    if (!is_cut(walk, index))
        return often *
                (side->whole[e] -
                        (double)sator_mapper_words_kept(s->memory, access, e, steps, shift));
    return bounds_mean_new(walk, s->memory, e, steps, side->rate,
            &(struct mapper_single_step){loop, shift, often});
}

/* The same for blocks, of which a tile has any number: when it is not known, half of them, rounded
 * up, may each begin a tile. */
static double seldom_block(const struct mapper_blocks *blocks, int loop, bool is_near)
{
    int64_t number = blocks->number[loop], half = (number + 1) / 2;

    if (is_near)
        return 1 / blocks->near[loop];
    if (blocks->tiles[loop] != 0)
        return 1 / (double)sator_mapper_smallest_prime(blocks->tiles[loop]);
    return (double)half / (double)number;
}

/* The share of the stamps, at most, in which the loop of "bit" does not take a single step. */
static double seldom(struct mapper_slides *s, int bit)
{
    int n = s->walk->problem->n_loops;
    bool is_near = bit < n;
    int loop = is_near ? bit : bit - n;

    if (s->blocks != NULL)
        return seldom_block(s->blocks, loop, is_near);
    if (!(s->seldom_known[is_near] >> loop & 1))
        s->seldom[bit] = 1 /
                (is_near ? (double)s->near[loop]
                         : (double)sator_mapper_smallest_prime(s->far[loop]));
    s->seldom_known[is_near] |= 1U << loop;
    return s->seldom[bit];
}

static const struct mapper_leap *leap_of(
        struct mapper_slides *s, struct mapper_slide_side *side, int loop, unsigned run, bool both);

/* The new values in single steps of the loop of "bit", on average over all stamps. */
static double step_values(struct mapper_slides *s, struct mapper_slide_side *side, int bit)
{
    const struct mapper_problem *p = s->walk->problem;
    bool is_near = bit < p->n_loops;
    int loop = is_near ? bit : bit - p->n_loops, row = s->nearest;
    int64_t step = s->shape->inside[row + 1][loop], coef = s->walk->access->coef_of[loop];

    if (is_same(s, side, s->walk->access->index_of[loop]))
        side = &s->group;
    if (side->step_known[is_near] >> loop & 1)
        return side->step[bit];
    double often = 1 - seldom(s, bit);
    double least = s->strides && !is_near ? often * leap_of(s, side, loop, 0, false)->fresh
                                          : step_by(s, side, loop, coef * step, often);
    while (!is_near && --row >= 0) { /* it may step further out, over parallel digits */
        if (p->row[row].is_space || s->shape->inside[row + 1][loop] == step)
            continue;
        step = s->shape->inside[row + 1][loop];
        least = mapper_lesser(least, step_by(s, side, loop, coef * step, often));
    }
    side->step_known[is_near] |= 1U << loop;
    side->step[bit] = least;
    return least;
}

static double entering_by(const struct mapper_slides *s, int loop, int64_t step)
{
    const struct mapper_access *access = s->walk->access;
    int64_t shift[MAPPER_INDICES] = {0};

    shift[access->index_of[loop]] = access->coef_of[loop] * step;
    return (double)sator_mapper_entering_each(s->memory, s->walk, shift);
}

static double entering_times(const struct mapper_walk *walk)
{
    return (double)sator_mapper_entering_times(walk) / (double)walk->copies;
}

/* The new words in single steps of the loop of "bit", on average over all stamps. */
static double step_words(struct mapper_slides *s, struct mapper_slide_side *side, int bit)
{
    const struct mapper_problem *p = s->walk->problem;
    bool is_near = bit < p->n_loops;
    int loop = is_near ? bit : bit - p->n_loops, row = s->nearest;
    int64_t step = s->shape->inside[row + 1][loop];

    if (!side->grouped || !s->walk->knows_net)
        return side->other[s->walk->access->index_of[loop]] * step_values(s, side, bit);
    if (s->entering_known[is_near] >> loop & 1)
        return s->entering_by[bit] * entering_times(s->walk);
    double least = entering_by(s, loop, step);
    while (!is_near && --row >= 0) { /* it may step further out, over parallel digits */
        if (p->row[row].is_space || s->shape->inside[row + 1][loop] == step)
            continue;
        step = s->shape->inside[row + 1][loop];
        least = mapper_lesser(least, entering_by(s, loop, step));
    }
    s->entering_known[is_near] |= 1U << loop;
    s->entering_by[bit] = (1 - seldom(s, bit)) * least;
    return s->entering_by[bit] * entering_times(s->walk);
}

/* ---- several steps ---- */

/* How an index may move when "loop" does and no other loop than those of "run", of which at most
 * one is part of it, too: by multiples of the steps at the nearest row. False when that is too
 * many. */
static bool find_moves(const struct mapper_slides *s, const struct mapper_index *index, int loop,
        unsigned run, struct mapper_moves *moves)
{
    int at = 1, row = s->nearest;

    *moves = (struct mapper_moves){.most = {0}};
    for (int i = 0; i < index->n_parts; i++) {
        int part = index->loop[i], k = part == loop ? 0 : at;
        int64_t step = s->shape->inside[row + 1][part];
        if (part != loop && !(run >> part & 1))
            continue;
        if (k == 2)
            return false;
        at += part != loop;
        moves->shift[k] = index->coef[i] * step;
        moves->most[k] = (s->walk->problem->extent[part] - 1) / step;
    }
    return moves->most[0] * (moves->most[1] + 1) <= MOST_MOVES;
}

/* The values of the index of "loop" that are new at least after one of "moves". Where another
 * loop's last tile is short, a value stays new at every position that still has it; "loop" does not
 * stand at its last tile after it fell back. "*kept" are the values kept at most by whole tiles. */
static double moved_values(const struct mapper_slides *s, const struct mapper_slide_side *side,
        int loop, const struct mapper_moves *moves, double *kept)
{
    const struct mapper_walk *walk = s->walk;
    int access = walk->transfer->access, e = walk->access->index_of[loop];
    const struct mapper_index *index = &walk->access->index[e];
    struct mapper_steps alone;
    const struct mapper_steps *steps = steps_of(s, side, e, &alone);
    int64_t most = sator_mapper_words_most_kept(s->memory, access, e, steps, moves);
    double sum = side->whole[e] - (double)most;

    *kept = (double)most;
    if (!is_cut(walk, index))
        return sum;
    for (int i = 0; i < index->n_parts; i++) {
        if (index->loop[i] == loop || walk->cut[index->loop[i]] == 0)
            continue;
        /* a loop that moves, too, may come to its last tile every time */
        double rate = moves->both ? 1 : side->rate[index->loop[i]];
        sum -= rate * (double)bounds_lost_values(walk, s->memory, e, steps, i, index->n_parts == 2);
    }
    return sum > 0 ? sum : 0;
}

/* The values that are new at least when "loop" moves by some steps, on average, and what whole
 * tiles keep then. Others of its index may move when they are in "run"; "both": another one does.
 */
static const struct mapper_leap *leap_of(
        struct mapper_slides *s, struct mapper_slide_side *side, int loop, unsigned run, bool both)
{
    const struct mapper_access *access = s->walk->access;
    int e = access->index_of[loop];
    const struct mapper_index *index = &access->index[e];
    struct mapper_moves moves;
    bool alone = !both;

    for (int i = 0; i < index->n_parts; i++)
        alone &= index->loop[i] == loop || !(run >> index->loop[i] & 1);
    if (is_same(s, side, e))
        side = &s->group;
    struct mapper_leap *leap = &side->leap[both ? MAPPER_BOTH
                    : alone                     ? MAPPER_ALONE
                                                : MAPPER_PERHAPS_BOTH][loop];
    if (leap->is_known)
        return leap;
    *leap = (struct mapper_leap){true, 0, side->whole[e]};
    if ((index->n_parts == 2 || alone) && find_moves(s, index, loop, run, &moves)) {
        moves.both = both;
        leap->fresh =
                mapper_lesser(side->mean[e], moved_values(s, side, loop, &moves, &leap->kept));
    }
    return leap;
}

/* ---- an order ---- */

/* The least words of the stamps in which more than the loop "first" moves, when the loop of "bit"
 * is the next to do so: so many in each, and so many more in each in which a loop that stands alone
 * moves, too: what would be kept is new then. Loops with several tiles are not at their last ones
 * in these, so along each index that is at least the lesser of what whole tiles keep and of what is
 * not new on average.
 */
static void second_words(struct mapper_slides *s, struct mapper_slide_side *side, int first,
        unsigned run, int bit, double *in_stamp, double *in_run)
{
    const struct mapper_walk *walk = s->walk;
    int n = walk->problem->n_loops, loop = bit < n ? bit : bit - n;
    int e = walk->access->index_of[first], e2 = walk->access->index_of[loop];

    if (e == e2) {
        const struct mapper_leap *both = leap_of(s, side, first, ~0U, true);
        double moved = side->other[e] * both->fresh;
        double all_kept = side->words - moved, kept = side->other[e] * both->kept;
        *in_stamp = moved;
        *in_run = mapper_lesser(all_kept, kept);
        return;
    }
    double other = words_each(side->other[e], side->mean[e2]);
    const struct mapper_leap *leaps = leap_of(s, side, first, run, false),
                             *leaps2 = leap_of(s, side, loop, run, false);
    double leap = leaps->fresh, leap2 = leaps2->fresh;
    double step2 = step_values(s, side, bit), rest = seldom(s, bit);
    /* new along the second index, or kept along it and new along the first */
    double kept2 = side->mean[e2] - rest * side->whole[e2] - step2;
    double one = other * (step2 * side->mean[e] + (kept2 > 0 ? kept2 : 0) * leap);
    double any = other * (leap2 * side->mean[e] + mapper_greater(side->mean[e2] - leap2, 0) * leap);
    double kept = mapper_lesser(side->mean[e] - leap, leaps->kept) *
            mapper_lesser(side->mean[e2] - leap2, leaps2->kept);
    *in_stamp = one + rest * any;
    *in_run = other * mapper_greater(kept, 0);
}

/* The bits of "run" whose loops are part of a sliding index, but not "first"; near ones come first.
 */
static unsigned second_bits(const struct mapper_slides *s, unsigned run, int first)
{
    const struct mapper_access *access = s->walk->access;
    int n = s->walk->problem->n_loops;
    unsigned loops = access->relevant & ~access->plain & ~(1U << first);
    unsigned near = run & loops;

    return near != 0 ? near : run & loops << n;
}

/* Set what "form" has of groups (0) or of tiles (1). */
static void fill_form(struct mapper_slides *s, struct mapper_slide_form *form, int k)
{
    struct mapper_slide_side *side = k == 0 ? &s->group : &s->tile;
    int n = s->walk->problem->n_loops, i = 0;
    int first = form->first < n ? form->first : form->first - n;
    unsigned run = (form->run | form->run >> n) & ((1U << n) - 1); /* loops */
    double plain = side->plain, other = side->other[s->walk->access->index_of[first]];

    form->any[k] = words_each(other * leap_of(s, side, first, run, false)->fresh, plain);
    form->one[k] = side->grouped && s->walk->knows_net
            ? 0
            : words_each(step_words(s, side, form->first), plain);
    for (unsigned left = form->seconds; left != 0; left &= left - 1, i++) {
        second_words(
                s, side, first, run, __builtin_ctz(left), &form->stamps[k][i], &form->runs[k][i]);
        form->stamps[k][i] = words_each(form->stamps[k][i], plain);
        form->runs[k][i] = words_each(form->runs[k][i], plain);
    }
}

static bool has_tiles(const struct mapper_slides *s)
{
    return s->walk->spread || s->walk->cut != NULL || s->walk->knows_net;
}

/* The form of the order. */
static const struct mapper_slide_form *form_of(
        struct mapper_slides *s, const struct mapper_slide_order *order)
{
    const struct mapper_access *access = s->walk->access;
    int n = s->walk->problem->n_loops;
    int first = order->first < n ? order->first : order->first - n;
    unsigned slides = access->relevant & ~access->plain, run = order->run & (slides | slides << n);
    unsigned at =
            ((run * UINT32_C(2654435761)) >> 24 ^ (unsigned)order->first * 7) % MAPPER_SLIDE_FORMS;
    struct mapper_slide_form *form = &s->form[at];

    if ((s->known_forms >> at & 1) && form->first == order->first && form->run == run)
        return form;
    s->known_forms |= UINT64_C(1) << at;
    form->first = order->first;
    form->run = run;
    form->seconds = second_bits(s, run, first);
    form->n_seconds = __builtin_popcount(form->seconds);
    form->seldom = seldom(s, order->first);
    fill_form(s, form, 0);
    if (has_tiles(s))
        fill_form(s, form, 1);
    return form;
}

static double least_words(struct mapper_slides *s, const struct mapper_slide_form *form, int k,
        double stamps, double second_stamps, double runs)
{
    struct mapper_slide_side *side = k == 0 ? &s->group : &s->tile;
    bool enters = side->grouped && s->walk->knows_net;
    double plain = side->plain, any = form->any[k] * plain, least = INFINITY;
    double one = enters ? step_words(s, side, form->first) : form->one[k] * plain;

    for (int i = 0; i < form->n_seconds; i++)
        least = mapper_lesser(least, second_stamps * form->stamps[k][i] + runs * form->runs[k][i]);
    least *= plain;
    if (form->n_seconds == 0)
        least = second_stamps * (enters ? s->entering : side->words);
    else if (enters) /* nothing is kept in these */
        least += runs * (s->entering - side->words);
    return stamps * (one + form->seldom * any) - second_stamps * any + least;
}

/* The product of the factors of "bits", inverted. */
static double share_of(const struct mapper_slides *s, unsigned bits)
{
    double share = 1;

    for (; bits != 0; bits &= bits - 1)
        share *= s->inverse[__builtin_ctz(bits)];
    return share;
}

void sator_mapper_slides_least(struct mapper_slides *slides, const struct mapper_slide_order *order,
        double *group, double *tile)
{
    const struct mapper_walk *walk = slides->walk;
    int n = walk->problem->n_loops;
    unsigned all_near = (1U << n) - 1;
    const struct mapper_slide_form *form = form_of(slides, order);
    /* the first loop and those that move nothing may run before a second one */
    unsigned before =
            ~walk->access->relevant | 1U << (order->first < n ? order->first : order->first - n);
    unsigned far = (form->seconds & all_near) == 0 ? before : before & slides->either;
    unsigned early = order->run & ((before & all_near) | (far & all_near) << n);
    double second_stamps = order->all * share_of(slides, early);
    double runs = second_stamps * share_of(slides, order->run & ~early);

    *group = least_words(slides, form, 0, order->stamps, second_stamps, runs);
    *tile = has_tiles(slides) ? least_words(slides, form, 1, order->stamps, second_stamps, runs)
                              : *group;
}
