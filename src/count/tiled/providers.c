/* The sources of a word: the PE's own register, and the providers of its links.
 *
 * A coordinate is a mixed-radix number of digits, so PE p - o has digits a constant away from those
 * of PE p, one constant for each pattern of carries. Each pattern is a source of its own; of all of
 * one offset at most one is there for any p.
 */
#include "base/arena.h"
#include "base/checked.h"
#include "base/room.h"
#include "count/closed/links.h"
#include "count/tiled/tiled.h"

#include <stdlib.h>
#include <string.h>

enum {
    POOL = SATOR_ROOM(4096, 64)
};

struct finder {
    struct tiled_question *q;
    struct tiled_source *source; /* the array of the question */
    struct tiled_coordinates digits;
    int credit, back;
    const struct closed_interval *consumers; /* by row, or NULL */
    int64_t shift[TILED_DIGITS];
};

/* Bounds on the consumers' coordinates as bounds on digits: of rows of one digit. */
static const struct sator_decline *bound_consumers(
        const struct finder *f, struct tiled_source *source, bool *serves)
{
    const struct tiled_nest *nest = f->q->nest;
    int64_t *least = SATOR_NEW_ARRAY(f->q->arena, int64_t, nest->n_digits);
    int64_t *greatest = SATOR_NEW_ARRAY(f->q->arena, int64_t, nest->n_digits);

    for (int d = 0; d < nest->n_digits; d++)
        greatest[d] = nest->digit[d].size - 1;
    for (int row = 0; row < nest->stamping->n_space; row++) {
        int first = f->digits.first[row], n = f->digits.first[row + 1] - first;
        int64_t low = f->consumers[row].lo - nest->origin[row];
        int64_t high = f->consumers[row].hi - nest->origin[row];
        if (n == 0) {
            *serves &= low <= 0 && high >= 0;
            continue;
        }
        int64_t reach = 0;
        for (int i = first; i < first + n; i++)
            reach += nest->digit[f->digits.digit[i]].weight *
                    (nest->digit[f->digits.digit[i]].size - 1);
        if (low <= 0 && high >= reach)
            continue;
        if (n > 1)
            return DECLINE("a link joins only some PEs of a row that several digits share");
        int d = f->digits.digit[first];
        least[d] = -sator_floor_div(-low, nest->digit[d].weight);
        greatest[d] = sator_floor_div(high, nest->digit[d].weight);
    }
    source->least = least;
    source->greatest = greatest;
    return NULL;
}

static const struct sator_decline *add_source(struct finder *f)
{
    struct tiled_question *q = f->q;
    bool serves = true;

    if (q->n_sources == TILED_MOST_SOURCES)
        return DECLINE("a value can come from too many places");
    struct tiled_source *source = &f->source[q->n_sources];
    *source = (struct tiled_source){.credit = f->credit, .back = f->back};
    source->shift = sator_arena_copy(
            q->arena, f->shift, sizeof *f->shift * (size_t)(q->nest->n_digits + 1));
    const struct sator_decline *why =
            f->consumers == NULL ? NULL : bound_consumers(f, source, &serves);
    q->n_sources += why == NULL && serves;
    return why;
}

/* The ways to move by "left" in the row of digit "i", from that digit on, and by "offset" in the
 * rows after it. */
static const struct sator_decline *add_moves(
        struct finder *f, int row, int i, int64_t left, const int64_t *offset)
{
    const struct tiled_nest *nest = f->q->nest;
    const struct sator_decline *why = NULL;
    int64_t reach = 0;

    if (row == nest->stamping->n_space)
        return add_source(f);
    if (i == f->digits.first[row + 1]) {
        bool is_last = row + 1 == nest->stamping->n_space;
        return left != 0 ? NULL : add_moves(f, row + 1, i, is_last ? 0 : offset[row + 1], offset);
    }
    for (int k = i + 1; k < f->digits.first[row + 1]; k++)
        reach +=
                nest->digit[f->digits.digit[k]].weight * (nest->digit[f->digits.digit[k]].size - 1);
    const struct tiled_digit *digit = &nest->digit[f->digits.digit[i]];
    int64_t first = -sator_floor_div(-(left - reach), digit->weight);
    int64_t last = sator_floor_div(left + reach, digit->weight);
    for (int64_t k = first; k <= last && why == NULL; k++) {
        if (k >= digit->size || k <= -digit->size)
            continue;
        f->shift[f->digits.digit[i]] = k;
        why = add_moves(f, row, i + 1, left - k * digit->weight, offset);
    }
    f->shift[f->digits.digit[i]] = 0;
    return why;
}

static const struct sator_decline *add_hop(struct finder *f, const struct closed_hop *hop)
{
    int n_space = f->q->nest->stamping->n_space;
    const struct sator_decline *why = NULL;
    bool moves = false;

    for (int i = 0; i < n_space; i++)
        moves |= hop->offset[i] != 0;
    if (!moves && f->back == 0)
        return DECLINE("a link feeds a PE from itself in the same stamp");
    for (int b = 0; b < (hop->n_boxes > 0 ? hop->n_boxes : 1) && why == NULL; b++) {
        f->consumers = hop->n_boxes > 0 ? hop->box + b * n_space : NULL;
        why = add_moves(f, 0, 0, n_space == 0 ? 0 : hop->offset[0], hop->offset);
    }
    return why;
}

static const struct sator_decline *add_link(struct finder *f, const struct sator_network_link *link)
{
    const struct sator_stamping *stamping = f->q->nest->stamping;
    struct closed_hops made;
    const struct closed_hops *hops = &made;
    const struct sator_decline *why = NULL;

    if (link->interval < 0 || link->interval > TILED_BACK)
        return DECLINE("a link's interval is too long");
    f->back = link->interval;
    if (link->prepared != NULL) {
        hops = &link->prepared->hops;
    } else {
        struct closed_pool pool = {.capacity = POOL};
        pool.data = sator_alloc(sizeof *pool.data * POOL);
        why = closed_hops_of_map(
                f->q->arena, &pool, link->map, stamping->n_space, stamping->shape, &made);
        free(pool.data);
    }
    for (int h = 0; why == NULL && h < hops->n; h++)
        why = add_hop(f, &hops->hop[h]);
    return why;
}

/* The digits of time in the first "n_rows" rows: they are the outermost. */
static int count_outer(const struct tiled_nest *nest, int n_rows)
{
    int n = 0;

    for (int d = 0; d < nest->n_digits; d++)
        n += nest->digit[d].kind == TILED_TIME && nest->digit[d].row < n_rows;
    return n;
}

enum sator_status tiled_find_sources(struct tiled_question *q,
        const struct sator_transport *transport, const struct sator_decline **reason)
{
    struct finder f = {.q = q};
    const struct sator_decline *why = NULL;

    f.source = SATOR_NEW_ARRAY(q->arena, struct tiled_source, TILED_MOST_SOURCES);
    q->source = f.source;
    q->n_sources = 0;
    q->n_held = count_outer(q->nest, transport->held_time);
    tiled_nest_coordinates(q->nest, &f.digits);
    if (transport->registers)
        f.source[q->n_sources++] = (struct tiled_source){.credit = 0, .back = 1};
    for (int i = 0; i < transport->n_links && why == NULL; i++) {
        f.credit = 1 + i;
        why = add_link(&f, &transport->links[i]);
    }
    *reason = why;
    return why == NULL ? SATOR_OK : SATOR_DECLINED;
}
