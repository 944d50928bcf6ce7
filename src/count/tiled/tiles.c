/* Tiles: what is left of loops' digits inside, and the numbers that these touch.
 *
 * Digits inside stand, as a rule, below all others of their loop. Where a digit outside stands
 * further in (what one of 8 PEs holds of a whole loop: n % 8 is outside, n / 8 inside), a tile is
 * several boxes: one for each digit inside that leaves the path of the tops, and the end of the
 * path.
 */
#include "base/arena.h"
#include "base/checked.h"
#include "base/room.h"
#include "count/tiled/tiled.h"
#include "count/tiled/value_set.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_BOXES = SATOR_ROOM(64, 4),
    MOST_RUNS = SATOR_ROOM(1 << 16, 16)
};

static const struct tiled_digit *digit_of(const struct tiled_nest *nest, int loop, int k)
{
    return &nest->digit[nest->loop[loop].first + k];
}

/* ---- shapes ---- */

/* Whether a digit inside stands outside of digit "k": one of several values, one not at its top. */
static bool has_inside(const struct tiled_nest *nest, int loop, int k, bool branches)
{
    for (int i = 0; i < k; i++) {
        const struct tiled_digit *digit = digit_of(nest, loop, i);
        if (digit->kind == TILED_INSIDE && (branches ? digit->top > 0 : digit->size > 1))
            return true;
    }
    return false;
}

/* Off the path of the tops at digit "k", below it; what is inside and outside of it may have been
 * there before. */
static uint8_t freed(const struct tiled_nest *nest, int loop, int k)
{
    return has_inside(nest, loop, k, false) ? (uint8_t)(TILED_FREED + 2 * k) : TILED_FREE;
}

/* Beyond the top at digit "k": only what was off the path before is left. */
static uint8_t died(const struct tiled_nest *nest, int loop, int k)
{
    return has_inside(nest, loop, k, true) ? (uint8_t)(TILED_FREED + 2 * k + 1) : TILED_GONE;
}

uint8_t tiled_shape_pass(const struct tiled_nest *nest, int loop, int k, uint8_t shape)
{
    return shape == TILED_TIGHT && k + 1 >= nest->loop[loop].whole_from ? freed(nest, loop, k + 1)
                                                                        : shape;
}

uint8_t tiled_shape_begin(const struct tiled_nest *nest, int loop)
{
    return tiled_shape_pass(nest, loop, -1, TILED_TIGHT);
}

uint8_t tiled_shape_next(
        const struct tiled_nest *nest, int loop, int k, uint8_t shape, int64_t value)
{
    int64_t top = digit_of(nest, loop, k)->top;

    if (shape != TILED_TIGHT)
        return shape;
    if (value == top)
        return tiled_shape_pass(nest, loop, k, shape);
    return value < top ? freed(nest, loop, k) : died(nest, loop, k);
}

/* ---- boxes ---- */

/* Digits inside that run through count values from 0 on, others at "fixed". */
struct box {
    int64_t fixed[TILED_DIGITS], count[TILED_DIGITS]; /* by the loop's digit */
};

/* The box in which digits inside stand at their tops up to digit "k", which has "count" values. */
static void make_box(const struct tiled_nest *nest, int loop, int k, int64_t count, struct box *box)
{
    for (int i = 0; i < nest->loop[loop].n_digits; i++) {
        const struct tiled_digit *digit = digit_of(nest, loop, i);
        bool inside = digit->kind == TILED_INSIDE;
        box->fixed[i] = inside && i < k ? digit->top : 0;
        box->count[i] = !inside || i < k ? 1 : i == k ? count : digit->size;
    }
}

static int make_boxes(const struct tiled_nest *nest, int loop, uint8_t shape, struct box *box)
{
    int n_digits = nest->loop[loop].n_digits, n = 0;
    int path = shape == TILED_TIGHT ? n_digits
            : shape == TILED_FREE   ? 0
                                    : (shape - TILED_FREED) / 2;
    const struct tiled_digit *last = digit_of(nest, loop, n_digits - 1);
    bool has_end = shape == TILED_TIGHT || shape == TILED_FREE || (shape - TILED_FREED) % 2 == 0;

    if (shape == TILED_TIGHT && last->kind == TILED_INSIDE) { /* the last branch and the end */
        make_box(nest, loop, n_digits - 1, last->top + 1, &box[n++]);
        path--;
        has_end = false;
    }
    for (int k = 0; k < path && n < MOST_BOXES - 1; k++) {
        const struct tiled_digit *digit = digit_of(nest, loop, k);
        if (digit->kind == TILED_INSIDE && digit->top > 0)
            make_box(nest, loop, k, digit->top, &box[n++]);
    }
    if (has_end) {
        make_box(nest, loop, path, 0, &box[n]);
        if (path < n_digits && digit_of(nest, loop, path)->kind == TILED_INSIDE)
            box[n].count[path] = digit_of(nest, loop, path)->size;
        n++;
    }
    return n;
}

int64_t tiled_shape_size(const struct tiled_nest *nest, int loop, uint8_t shape)
{
    struct box box[MOST_BOXES];
    int n = shape == TILED_GONE ? 0 : make_boxes(nest, loop, shape, box);
    int64_t sum = 0;

    for (int b = 0; b < n; b++) {
        int64_t size = 1;
        for (int k = 0; k < nest->loop[loop].n_digits; k++)
            size *= box[b].count[k];
        sum += size;
    }
    return sum;
}

/* ---- sets ---- */

struct known_set {
    uint8_t shape[TILED_PART_LOOPS];
    int64_t residue;
    bool is_beyond;
    struct sator_value_set set;
    struct known_set *next;
};

struct tiled_sets {
    const struct tiled_nest *nest;
    const struct tiled_part *part;
    int64_t modulus;
    struct known_set *known;
};

struct tiled_sets *tiled_sets_new(const struct tiled_nest *nest, const struct tiled_part *part)
{
    struct tiled_sets *sets = sator_alloc(sizeof *sets);
    int64_t longest = 0;

    *sets = (struct tiled_sets){.nest = nest, .part = part, .modulus = 1};
    for (int d = 0; d < nest->n_digits && part->divisor == 1; d++) {
        const struct tiled_digit *digit = &nest->digit[d];
        if (!tiled_part_has(part, digit->loop) || digit->kind != TILED_INSIDE ||
                digit->size <= longest || nest->step[d] == 0)
            continue;
        longest = digit->size;
        sets->modulus = llabs(nest->step[d]);
    }
    return sets;
}

void tiled_sets_free(struct tiled_sets *sets)
{
    if (sets == NULL)
        return;
    for (struct known_set *known = sets->known, *next; known != NULL; known = next) {
        next = known->next;
        if (!known->is_beyond)
            sator_value_set_free(&known->set);
        free(known);
    }
    free(sets);
}

/* A progression of the digits inside. */
struct progression {
    int64_t step, count;
};

static int by_count(const void *a, const void *b)
{
    const struct progression *x = a, *y = b;

    return (x->count < y->count) - (x->count > y->count);
}

/* Add to "list" the progressions of a loop's box; the sum of what is fixed. */
static int64_t add_box(const struct tiled_nest *nest, int loop, const struct box *box,
        struct progression *list, int *n)
{
    int64_t sum = 0;

    for (int k = 0; k < nest->loop[loop].n_digits; k++) {
        int64_t step = nest->step[nest->loop[loop].first + k];
        sum += step * box->fixed[k];
        if (box->count[k] > 1 && step != 0)
            list[(*n)++] = (struct progression){step, box->count[k]};
    }
    return sum;
}

/* Unite "set" with the sums of one box of each loop; false: with too many gaps. */
static bool add_boxes(const struct tiled_sets *sets, const struct box *const *box, int64_t residue,
        struct sator_value_set *set)
{
    const struct tiled_part *part = sets->part;
    struct progression list[TILED_DIGITS];
    int64_t *place = sator_alloc(sizeof *place * (size_t)part->n_places), begin = residue;
    struct sator_value_set sums;
    int n = 0;

    for (int i = 0; i < part->n_loops; i++)
        begin += add_box(sets->nest, part->loop[i], box[i], list, &n);
    for (int p = 0; p < part->n_places; p++)
        place[p] = part->place[p] + begin;
    qsort(list, (size_t)n, sizeof *list, by_count); /* the longest makes the runs */
    sator_value_set_init(&sums, sets->modulus, part->n_places, place);
    free(place);
    bool fits = true;
    for (int i = 0; i < n && fits; i++)
        fits = sator_value_set_try_add(
                &sums, list[i].step, list[i].count, sets->nest->is_whole ? INT64_MAX : MOST_RUNS);
    if (fits && part->divisor > 1)
        sator_value_set_divide(&sums, part->divisor);
    sator_value_set_unite(set, &sums, 0);
    sator_value_set_free(&sums);
    return fits;
}

/* Choose boxes of the loops from "i" on. */
static bool unite_boxes(const struct tiled_sets *sets, const uint8_t *shape, int i,
        const struct box **chosen, int64_t residue, struct sator_value_set *set)
{
    if (i == sets->part->n_loops)
        return add_boxes(sets, chosen, residue, set);
    struct box *box = sator_alloc(sizeof *box * MOST_BOXES);
    int n = make_boxes(sets->nest, sets->part->loop[i], shape[i], box);
    bool fits = true;
    for (int b = 0; b < n && fits; b++) {
        chosen[i] = &box[b];
        fits = unite_boxes(sets, shape, i + 1, chosen, residue, set);
    }
    free(box);
    return fits;
}

const struct sator_value_set *tiled_sets_find(
        struct tiled_sets *sets, const uint8_t *shape, int64_t base, int64_t *lead)
{
    const struct tiled_part *part = sets->part;
    int64_t residue = part->divisor == 1 ? 0 : sator_floor_mod(base, part->divisor);
    const struct box *chosen[TILED_PART_LOOPS];

    *lead = part->divisor == 1 ? base : (base - residue) / part->divisor;
    for (const struct known_set *known = sets->known; known != NULL; known = known->next) {
        if (known->residue == residue && memcmp(known->shape, shape, (size_t)part->n_loops) == 0)
            return known->is_beyond ? NULL : &known->set;
    }
    struct known_set *made = sator_alloc(sizeof *made);
    *made = (struct known_set){
            .residue = residue, .set = {.modulus = sets->modulus}, .next = sets->known};
    memcpy(made->shape, shape, (size_t)part->n_loops);
    made->is_beyond = !unite_boxes(sets, shape, 0, chosen, residue, &made->set);
    if (made->is_beyond)
        sator_value_set_free(&made->set);
    sets->known = made;
    return made->is_beyond ? NULL : &made->set;
}
