/* Counting distinct vectors, whatever the rows: stamps, PEs, footprints.
 *
 * Where the image of the rows is no bijection, loops with few iterations are unrolled: each of
 * their values makes a copy of the rest of the image, moved by a constant, and the union of the
 * copies is counted.
 */
#include "count/closed/closed.h"

#include <string.h>

/* Moved copies of one image. */
struct copies {
    int n;
    int64_t constant[CLOSED_COPIES][CLOSED_ROWS];
};

/* The points of the union of the copies. */
static const char *count_union(struct closed_state *state, const struct closed_image *image,
        const struct copies *copies, sator_int *count)
{
    struct closed_sources *sources = &state->sources;
    struct closed_region all;
    sator_int one;
    closed_region_all(image, &all);
    const char *why = closed_region_count(image, &all, &one);
    *count = 0;
    sources->visits = 0;
    for (int copy = 0; copy < copies->n && why == NULL; copy++) {
        sator_int n = 0;
        sources->n = 0;
        for (int from = 0; from < copy && why == NULL; from++) {
            int64_t rhs[CLOSED_ROWS];
            for (int r = 0; r < image->n_rows; r++)
                rhs[r] = copies->constant[from][r] - copies->constant[copy][r];
            why = closed_sources_add(sources, image, rhs, 0);
        }
        if (why == NULL)
            why = closed_count_fresh(&state->pool, image, sources, &all, one, sources->n, &n);
        *count += n;
    }
    return why;
}

/* Replace the loop in the rows by copies, one for each of its values that differ. False when they
 * are too many. */
static bool unroll(const struct closed_digits *digits, int loop, int n_rows,
        struct closed_form *row, struct copies *copies)
{
    const struct closed_loop *l = &digits->loop[loop];
    int end = l->first_digit + l->n_digits;
    struct copies result = {.n = 0};
    for (int64_t x = l->begin; x < l->end; x++) {
        int64_t move[CLOSED_ROWS] = {0};
        for (int d = l->first_digit; d < end; d++) {
            int64_t digit = x / digits->digit[d].place;
            if (d + 1 < end)
                digit %= digits->digit[d + 1].place / digits->digit[d].place;
            for (int r = 0; r < n_rows; r++)
                move[r] += row[r].coef[d] * digit;
        }
        for (int c = 0; c < copies->n; c++) {
            int64_t *constant = result.constant[result.n];
            if (result.n == CLOSED_COPIES)
                return false;
            for (int r = 0; r < n_rows; r++)
                constant[r] = copies->constant[c][r] + move[r];
            bool known = false;
            for (int i = 0; i < result.n && !known; i++)
                known = memcmp(result.constant[i], constant, sizeof *constant * (size_t)n_rows) ==
                        0;
            result.n += !known;
        }
    }
    for (int r = 0; r < n_rows; r++)
        memset(&row[r].coef[l->first_digit], 0, sizeof row[r].coef[0] * (size_t)l->n_digits);
    *copies = result;
    return true;
}

/* The loop of fewest iterations that the rows use; -1 when they use none. */
static int shortest_loop(
        const struct closed_digits *digits, int n_rows, const struct closed_form *row)
{
    int best = -1;
    int64_t least = 0;
    for (int l = 0; l < digits->n_loops; l++) {
        const struct closed_loop *loop = &digits->loop[l];
        int64_t extent = loop->end - loop->begin;
        bool used = false;
        for (int d = loop->first_digit; d < loop->first_digit + loop->n_digits; d++) {
            for (int r = 0; r < n_rows; r++)
                used |= row[r].coef[d] != 0;
        }
        if (used && (best < 0 || extent < least)) {
            best = l;
            least = extent;
        }
    }
    return best;
}

const char *closed_count_distinct(struct closed_state *state, const struct closed_digits *digits,
        int n_rows, const struct closed_form *const *rows, int n_copies,
        const struct closed_form *const *copy, sator_int *count)
{
    struct copies copies = {.n = n_copies};
    struct closed_form row[CLOSED_ROWS];
    const struct closed_form *used[CLOSED_ROWS];
    state->pool.used = 0;
    const char *why = closed_image_make(&state->pool, digits, n_rows, rows, &state->image);
    for (int c = 0; c < n_copies; c++) {
        for (int r = 0; r < n_rows; r++)
            copies.constant[c][r] = copy == NULL ? 0 : copy[c][r].constant;
    }
    for (int r = 0; r < n_rows && why != NULL; r++) {
        row[r] = *rows[r];
        used[r] = &row[r];
    }
    const char *first = why;
    while (why != NULL) {
        int loop = shortest_loop(digits, n_rows, row);
        if (loop < 0 || !unroll(digits, loop, n_rows, row, &copies))
            return first;
        state->pool.used = 0;
        why = closed_image_make(&state->pool, digits, n_rows, used, &state->image);
    }
    return count_union(state, &state->image, &copies, count);
}
