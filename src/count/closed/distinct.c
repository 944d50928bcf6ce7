/* Counting distinct vectors, whatever the rows: stamps, PEs, footprints.
 *
 * Where the image of the rows is no bijection, loops with few iterations are unrolled: each of
 * their values makes a copy of the rest of the image, moved by a constant, and the union of the
 * copies is counted.
 */
#include "base/room.h"
#include "count/closed/sheets.h"
#include "count/closed/skews.h"

#include "base/checked.h"

#include <string.h>

const struct sator_decline *closed_copies_count(struct closed_state *state,
        const struct closed_image *image, const struct closed_copies *copies,
        const struct closed_region *region, sator_int *count)
{
    struct closed_sources *sources = state->sources;
    sator_int one;
    const struct sator_decline *why = closed_region_count(image, region, &one);
    *count = 0;
    closed_sources_init(sources, &state->pool, image);
    for (int copy = 0; copy < copies->n && why == NULL; copy++) {
        sator_int n = 0;
        sources->n = 0;
        for (int from = 0; from < copy && why == NULL; from++) {
            int64_t rhs[CLOSED_ROWS];
            closed_copies_difference(copies, image->n_rows, copy, from, rhs);
            why = closed_sources_add(sources, rhs, 0);
        }
        if (why == NULL)
            why = closed_count_fresh(sources, region, one, sources->n, &n);
        *count += n;
    }
    return why;
}

enum {
    LONGEST_LOOP = SATOR_ROOM(1024, 4) /* that is unrolled, though few of its values may differ */
};

/* Replace the loop in the rows, "n_more" after "n_rows" included, by copies, one for each of its
 * values that differ in "n_rows". False when they are too many. */
static bool unroll(const struct closed_digits *digits, int loop, int n_rows, int n_more,
        struct closed_form *row, struct closed_copies *copies)
{
    const struct closed_loop *l = &digits->loop[loop];
    int end = l->first_digit + l->n_digits;
    int n_all = n_rows + n_more;
    struct closed_copies result;
    result.n = 0;
    if (l->end - l->begin > LONGEST_LOOP)
        return false;
    for (int64_t x = l->begin; x < l->end; x++) {
        int64_t move[CLOSED_ROWS] = {0};
        bool asked = true;
        for (int d = l->first_digit; d < end; d++) {
            int64_t digit = x / digits->digit[d].place;
            if (d + 1 < end)
                digit %= digits->digit[d + 1].place / digits->digit[d].place;
            asked = asked && (!digits->digit[d].is_fixed || digits->digit[d].value == digit);
            for (int r = 0; r < n_all; r++)
                move[r] += row[r].coef[d] * digit;
        }
        if (!asked)
            continue;
        for (int c = 0; c < copies->n; c++) {
            int64_t *constant = result.constant[result.n];
            if (result.n == CLOSED_COPIES)
                return false;
            for (int r = 0; r < n_all; r++)
                constant[r] = copies->constant[c][r] + move[r];
            bool known = false;
            for (int i = 0; i < result.n && !known; i++)
                known = memcmp(result.constant[i], constant, sizeof *constant * (size_t)n_rows) ==
                        0;
            result.n += !known;
        }
    }
    for (int r = 0; r < n_all; r++)
        memset(&row[r].coef[l->first_digit], 0, sizeof row[r].coef[0] * (size_t)l->n_digits);
    *copies = result;
    return true;
}

/* Whether a carry that the rows use, or that is fixed, depends on the loop: it cannot be unrolled
 * alone. */
static bool is_carrying(
        const struct closed_digits *digits, int loop, int n_rows, const struct closed_form *row)
{
    for (int c = 0; c < digits->n_carries; c++) {
        int digit = digits->carry[c].digit;
        for (int r = 0; r < n_rows && (digits->carry[c].loops >> loop & 1); r++) {
            if (row[r].coef[digit] != 0 || digits->digit[digit].is_fixed)
                return true;
        }
    }
    return false;
}

/* The loop of fewest iterations that the rows use, the first "n_keys" rows not; -1 when there is
 * none. */
static int shortest_loop(
        const struct closed_digits *digits, int n_keys, int n_rows, const struct closed_form *row)
{
    int best = -1;
    int64_t least = 0;
    for (int l = 0; l < digits->n_loops; l++) {
        const struct closed_loop *loop = &digits->loop[l];
        int64_t extent = loop->end - loop->begin;
        bool used = false;
        bool in_key = false;
        for (int d = loop->first_digit; d < loop->first_digit + loop->n_digits; d++) {
            for (int r = 0; r < n_rows; r++) {
                used |= row[r].coef[d] != 0;
                in_key |= r < n_keys && row[r].coef[d] != 0;
            }
        }
        if (used && !in_key && !is_carrying(digits, l, n_rows, row) &&
                (best < 0 || extent < least)) {
            best = l;
            least = extent;
        }
    }
    return best;
}

const struct sator_decline *closed_copies_make(struct closed_pool *pool,
        const struct closed_digits *digits, int n_keys, int n_rows, int n_more,
        const struct closed_form *const *rows, struct closed_image *image,
        struct closed_copies *copies)
{
    struct closed_form row[CLOSED_ROWS];
    const struct closed_form *used[CLOSED_ROWS];
    int pool_used = pool->used;
    const struct sator_decline *why = closed_image_make(pool, digits, n_rows, rows, image);
    const struct sator_decline *first = why;
    for (int r = 0; r < n_rows + n_more && why != NULL; r++) {
        row[r] = *rows[r];
        used[r] = &row[r];
    }
    while (why != NULL) {
        int loop = shortest_loop(digits, n_keys, n_rows, row);
        if (loop < 0 || !unroll(digits, loop, n_rows, n_more, row, copies))
            return first;
        pool->used = pool_used;
        why = closed_image_make(pool, digits, n_rows, used, image);
    }
    return NULL;
}

void closed_copies_of_request(
        const struct closed_request *request, int n_before, struct closed_copies *copies)
{
    copies->n = request->n_copies;
    for (int c = 0; c < copies->n; c++) {
        memset(copies->constant[c], 0, sizeof copies->constant[c]);
        for (int i = 0; i < request->access->n_out; i++)
            copies->constant[c][n_before + i] =
                    request->copy[c][i].constant - request->copy[0][i].constant;
    }
}

/* Whether "row" is m * floor(x / place) of one loop's x, as an index that is a loop is: the loop,
 * else -1; "*n_values" are its values. */
static int only_loop(
        const struct closed_digits *digits, const struct closed_form *row, int64_t *n_values)
{
    int d = 0;
    while (d < digits->n_digits && row->coef[d] == 0)
        d++;
    if (d == digits->n_digits || digits->digit[d].place == 0)
        return -1;
    int l = digits->digit[d].loop;
    const struct closed_loop *loop = &digits->loop[l];
    int64_t place = digits->digit[d].place;
    int64_t unit = row->coef[d];
    for (; d < digits->n_digits; d++) {
        const struct closed_digit *digit = &digits->digit[d];
        bool mine = digit->loop == l && digit->place > 0;
        if ((sator_int)row->coef[d] * place != (mine ? (sator_int)unit * digit->place : 0))
            return -1;
    }
    *n_values = (loop->end - 1) / place - loop->begin / place + 1;
    return l;
}

/* Rows that are loops, each another one, have the product of their values. */
static bool count_loops(const struct closed_digits *digits, int n_rows,
        const struct closed_form *const *rows, sator_int *count)
{
    uint32_t seen = 0;
    sator_int product = 1;
    for (int l = 0; l < digits->n_loops; l++) {
        if (digits->loop[l].has_fixed || digits->n_carries > 0)
            return false; /* some values do not occur */
    }
    for (int r = 0; r < n_rows; r++) {
        int64_t n_values;
        int l = only_loop(digits, rows[r], &n_values);
        if (l < 0 || (seen >> l & 1) || !sator_mul(product, n_values, &product))
            return false;
        seen |= (uint32_t)1 << l;
    }
    *count = product;
    return true;
}

const struct sator_decline *closed_count_distinct(struct closed_state *state,
        const struct closed_digits *digits, int n_rows, const struct closed_form *const *rows,
        const struct closed_request *request, sator_int *count)
{
    struct closed_copies *copies = &state->copies;
    struct closed_region all;
    if (request != NULL && request->n_maps > 1)
        return closed_sheets_distinct(state, digits, 0, NULL, request, count);
    if ((request == NULL || request->n_copies == 1) && count_loops(digits, n_rows, rows, count))
        return NULL;
    copies->n = 1;
    memset(copies->constant[0], 0, sizeof copies->constant[0]);
    if (request != NULL)
        closed_copies_of_request(request, 0, copies);
    state->pool.used = 0;
    const struct sator_decline *why =
            closed_copies_make(&state->pool, digits, 0, n_rows, 0, rows, &state->image, copies);
    if (why == NULL) {
        closed_region_all(&state->image, &all);
        why = closed_copies_count(state, &state->image, copies, &all, count);
    }
    if (why != NULL && (request == NULL || request->n_copies == 1))
        why = closed_skews_distinct(state, digits, n_rows, rows, count);
    return why;
}
