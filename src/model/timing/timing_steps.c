/* Parts of products: what one set of digits says of a stamp and the one before, found once. Where
 * none of its digits tells PEs apart, its elements are progressions, and nothing is listed. */
#include "model/timing/timing_parts.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- progressions ---- */

/* Elements low, low + step, .. high. */
struct progression {
    int64_t low, high, step;
};

static int64_t progression_size(const struct progression *p)
{
    return p->high < p->low ? 0 : (p->high - p->low) / p->step + 1;
}

/* Whether the digits of "loop" that are not fixed make all values from 0 on: how many. */
static bool make_range(const struct parts *p, const struct nest_stamp *stamp, int loop)
{
    const struct nest *nest = p->nest;
    const struct nest_loop *own = &nest->loops[loop];
    int64_t stride = 1;

    for (int k = own->n - 1; k >= 0; k--) { /* from the finest on */
        const struct nest_digit *digit = &nest->digits[own->digits[k]];
        if (digit->stride == stride && !parts_fix(p, own->digits[k]))
            stride *= digit->extent;
    }
    return nest_room(nest, p->n_fixed, stamp, loop) < stride;
}

/* Add the values of a loop, "factor" times each; false: the sums are no progression. */
static bool add_values(struct progression *all, int64_t base, int64_t room, int64_t factor)
{
    int64_t size = progression_size(all), step = llabs(factor);

    all->low += factor * (factor < 0 ? base + room : base);
    all->high += factor * (factor < 0 ? base : base + room);
    if (room == 0 || factor == 0)
        return true;
    if (size == 1)
        all->step = step;
    return step % all->step == 0 && step / all->step <= size;
}

/* The part's elements in "stamp" as a progression, where none of its digits tells PEs apart: loops
 * with small factors come first, as those of a window do. */
static bool find_progression(const struct parts *p, const struct part *part,
        const struct nest_stamp *stamp, struct progression *all)
{
    const struct nest *nest = p->nest;
    uint64_t left = part->loops;

    *all = (struct progression){0, 0, 1};
    while (left != 0) {
        int least = -1;
        for (int l = 0; l < nest->n_loops; l++) {
            if ((left >> l & 1) != 0 &&
                    (least < 0 || llabs(p->access->factor[l]) < llabs(p->access->factor[least])))
                least = l;
        }
        left &= ~(UINT64_C(1) << least);
        if (!make_range(p, stamp, least) ||
                !add_values(all, nest_fixed_part(nest, p->n_fixed, stamp, least),
                        nest_room(nest, p->n_fixed, stamp, least), p->access->factor[least]))
            return false;
    }
    return true;
}

static struct shares share_of(struct sator_arena *arena, int64_t all, int64_t out)
{
    struct shares shares = {.are_alike = true};

    SATOR_PUSH(arena, shares.list, shares.n, ((struct share){0, all, out}));
    return shares;
}

/* What a part without space digits says of two stamps, without a list. */
static bool find_simple_step(struct parts *p, const struct part *part,
        const struct nest_stamp *before, const struct nest_stamp *stamp, struct step *step)
{
    struct sator_arena *arena = p->nest->timing->arena;
    struct progression first, second, both;
    int64_t common = 0;

    for (int i = 0; i < part->n_digits; i++) {
        if (parts_has_weight(p, part->digits[i]))
            return false;
    }
    if ((before != NULL && !find_progression(p, part, before, &first)) ||
            (stamp != NULL && !find_progression(p, part, stamp, &second)))
        return false;
    if (before != NULL && stamp != NULL) {
        bool is_wide = progression_size(&first) > 1 && progression_size(&second) > 1;
        if (is_wide && first.step != second.step)
            return false;
        both = progression_size(&first) > 1 ? first : second;
        both.low = first.low > second.low ? first.low : second.low;
        both.high = first.high < second.high ? first.high : second.high;
        common = (first.low - second.low) % both.step == 0 ? progression_size(&both) : 0;
    }
    if (before != NULL)
        step->stored = share_of(arena, progression_size(&first), common);
    if (stamp != NULL) {
        step->sent = step->arrived = step->got = step->taken = step->taken_got =
                share_of(arena, progression_size(&second), common);
        step->started = share_of(arena, progression_size(&second), progression_size(&second));
    }
    step->is_even = true;
    return true;
}

/* ---- steps ---- */

static void write_key(const struct parts *p, const struct part *part,
        const struct nest_stamp *before, const struct nest_stamp *stamp, int64_t *key)
{
    const struct nest *nest = p->nest;
    int n = 0;

    for (int l = 0; l < nest->n_loops; l++) {
        if ((part->loops >> l & 1) == 0)
            continue;
        key[n++] = before == NULL ? -1 : nest_room(nest, p->n_fixed, before, l);
        key[n++] = stamp == NULL ? -1 : nest_room(nest, p->n_fixed, stamp, l);
        key[n++] = before == NULL || stamp == NULL ? 0
                                                   : nest_fixed_part(nest, p->n_fixed, stamp, l) -
                        nest_fixed_part(nest, p->n_fixed, before, l);
    }
}

const struct step *parts_find_step(struct parts *p, struct part *part,
        const struct nest_stamp *before, const struct nest_stamp *stamp)
{
    struct sator_arena *arena = p->nest->timing->arena;
    size_t bytes = 3 * sizeof(int64_t) * (size_t)__builtin_popcountll(part->loops);
    int64_t key[3 * NEST_DIGITS];

    write_key(p, part, before, stamp, key);
    for (int i = 0; i < part->n_steps; i++) {
        if (memcmp(part->steps[i].key, key, bytes) == 0)
            return &part->steps[i];
    }
    struct step made = {.key = sator_arena_copy(arena, key, bytes)};
    if (!find_simple_step(p, part, before, stamp, &made) &&
            !parts_list_step(p, part, before, stamp, &made))
        return NULL;
    SATOR_PUSH(arena, part->steps, part->n_steps, made);
    return &part->steps[part->n_steps - 1];
}
