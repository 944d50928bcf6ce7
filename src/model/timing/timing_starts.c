/* Nests of digits: which sums start from zero where trees outside add up some of their parts.
 *
 * An instance that takes a sum up starts it if the holder outside started the sum in the stamp that
 * is part of, and nothing inside the holder had it since (doc/model.md, section 4). What the holder
 * started are the parts that a tree merged with others; of those that came alone, what the holder's
 * own holder started: and so on, from transfer to transfer, a few stamps of each.
 */
#include "model/timing/timing_nest.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* What is known of a transfer's stamp. */
struct known_starts {
    struct nest_stamp stamp;
    struct timing_sums sums;
    bool fits;
};

/* The stamp and as many before it as links reach back: how many. */
static int list_history(const struct nest *nest, const struct timing_transfer *transfer,
        const struct nest_stamp *stamp, struct nest_stamp *stamps)
{
    const int n_fixed = nest_fixed(nest, transfer->n_time);
    const bool full = nest_is_full(nest, transfer->n_time);
    struct nest_stamp at = *stamp;
    int n = 1;

    stamps[nest->reach] = at;
    while (n <= nest->reach && nest_step(nest, n_fixed, full, -1, &at) >= 0)
        stamps[nest->reach - n++] = at;
    memmove(stamps, stamps + nest->reach + 1 - n, sizeof *stamps * (size_t)n);
    return n;
}

static bool follow(const struct nest *nest, const struct timing_transfer *transfer,
        const struct nest_stamp *stamp, struct timing_sums *sums)
{
    struct nest_stamp stamps[NEST_INTERVAL + 1];
    struct timing_window window;
    int n = list_history(nest, transfer, stamp, stamps);
    bool fits = nest_pairs(nest, transfer, n, stamps, &window) &&
            sator_work(nest->timing->analysis->ctx, (uint64_t)window.n) == SATOR_OK &&
            timing_follow_starts(nest->timing, transfer, &window, sums);

    free(window.key);
    return fits;
}

const struct timing_sums *nest_find_starts(const struct nest *nest,
        const struct timing_transfer *transfer, const struct nest_stamp *stamp)
{
    struct known_starts **known = &nest->starts[transfer - nest->timing->transfers];

    if (nest_is_full(nest, transfer->n_time) && nest->n_runs > 1)
        return NULL;
    if (*known == NULL || !nest_same_prefix(nest, transfer->n_time, &(*known)->stamp, stamp)) {
        if (*known == NULL)
            *known = SATOR_NEW(nest->timing->arena, struct known_starts);
        (*known)->stamp = *stamp;
        (*known)->fits = follow(nest, transfer, stamp, &(*known)->sums);
    }
    return (*known)->fits ? &(*known)->sums : NULL;
}
