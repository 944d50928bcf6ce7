/* Fewer cases of prev: those of one step that lie side by side are one.
 *
 * The trie gives a case for every part of the time-domain that looks different below; of a 2-D
 * tiling with a last tile cut short in both dimensions that are ten, of which the four inner ones
 * all go back by (0, 0, 1). What a case says matters for occupied stamps alone, so cases may be
 * joined whenever the hull of their slabs holds no occupied stamp of another.
 */
#include "base/room.h"
#include "count/closed/times.h"

#include <string.h>

enum {
    MOST_WORK = SATOR_ROOM(8192, 64) /* cases x boxes: joining compares them in pairs */
};

/* The occupied stamps with every row in its slab. */
static sator_int stamps_in(const struct closed_times *times, const struct closed_interval *slab)
{
    sator_int sum = 0;
    for (int i = 0; i < times->n_boxes; i++) {
        sator_int volume = 1;
        for (int r = 0; r < times->n_rows && volume > 0; r++) {
            struct closed_interval meet = closed_meet(times->box[i][r], slab[r]);
            volume = closed_is_empty(meet) ? 0 : volume * closed_width(meet);
        }
        sum += volume;
    }
    return sum;
}

static bool same_steps(const struct closed_case *a, const struct closed_case *b, int n_rows)
{
    if (a->n_back != b->n_back)
        return false;
    for (int k = 0; k < a->n_back; k++) {
        if (memcmp(a->shift[k], b->shift[k], sizeof a->shift[k][0] * (size_t)n_rows) != 0)
            return false;
    }
    return true;
}

static sator_int stamps_of(const struct closed_times *times, struct closed_case *c)
{
    if (c->stamps == 0)
        c->stamps = stamps_in(times, c->slab);
    return c->stamps;
}

/* Make "a" the hull of both, if that has their stamps and no others. */
static bool join(const struct closed_times *times, struct closed_case *a, struct closed_case *b)
{
    struct closed_interval hull[CLOSED_TIMES];
    for (int r = 0; r < times->n_rows; r++) {
        hull[r].lo = a->slab[r].lo < b->slab[r].lo ? a->slab[r].lo : b->slab[r].lo;
        hull[r].hi = a->slab[r].hi > b->slab[r].hi ? a->slab[r].hi : b->slab[r].hi;
    }
    if (stamps_in(times, hull) != stamps_of(times, a) + stamps_of(times, b))
        return false;
    memcpy(a->slab, hull, sizeof *hull * (size_t)times->n_rows);
    a->stamps += b->stamps;
    return true;
}

void closed_cases_join(const struct closed_times *times, struct closed_cases *cases)
{
    if (cases->n * times->n_boxes > MOST_WORK)
        return;
    for (int i = 0; i < cases->n; i++)
        cases->list[i].stamps = 0;
    for (bool progress = true; progress;) {
        progress = false;
        for (int i = 0; i < cases->n; i++) {
            struct closed_case *into = &cases->list[i];
            for (int j = i + 1; j < cases->n; j++) {
                if (!same_steps(into, &cases->list[j], times->n_rows) ||
                        !join(times, into, &cases->list[j]))
                    continue;
                cases->list[j--] = cases->list[--cases->n];
                progress = true;
            }
        }
    }
}
