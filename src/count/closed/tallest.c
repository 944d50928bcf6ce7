/* The most elements of one stamp, accessed through different maps.
 *
 * The union of some sets has at most as many points as all of them together, less what the pairs of
 * a tree on them have in common (Hunter and Worsley). A pair of maps that has equally many points
 * in common in every stamp takes that number away. If some stamp attains the bound it is the
 * answer.
 */
#include "base/checked.h"
#include "count/closed/fibres.h"
#include "count/closed/sheets.h"

#include <string.h>

/* What each map has at most for itself, and all together. */
static const struct sator_decline *most_alone(struct closed_state *state,
        const struct closed_system *system, int n_keys, const struct closed_form *const *keys,
        const struct closed_request *request, sator_int *sum)
{
    struct closed_request alone; /* large: the forms are not used */
    struct closed_classes classes = {.copies = &alone};
    const struct sator_decline *why = NULL;
    int n_out = request->access->n_out;
    classes.n_keys = n_keys;
    for (int r = 0; r < n_keys; r++)
        classes.key[r] = keys[r];
    classes.n_values = n_out;
    alone.access = request->access;
    alone.n_maps = 1;
    *sum = 0;
    for (int map = 0; map < request->n_maps && why == NULL; map++) {
        int first = request->first_copy[map];
        sator_int most = 0;
        alone.n_copies = request->first_copy[map + 1] - first;
        memcpy(alone.copy, &request->copy[first], sizeof *alone.copy * (size_t)alone.n_copies);
        for (int i = 0; i < n_out; i++)
            classes.value[i] = &alone.copy[0][i];
        why = closed_most(state, system, &classes, &most, NULL);
        *sum += most;
    }
    return why;
}

/* ---- stamps to try ---- */

enum {
    PLACES = 3 /* of a loop: its first value, the first of its second tile, the last */
};

/* The keys at the instance whose loop l is at its place code / 3^l % 3. */
static void set_keys(const struct closed_digits *digits, int n_keys,
        const struct closed_form *const *keys, int code, int64_t *value)
{
    int64_t digit[CLOSED_DIGITS] = {0};
    for (int l = 0; l < digits->n_loops; l++, code /= PLACES) {
        const struct closed_loop *loop = &digits->loop[l];
        int end = loop->first_digit + loop->n_digits;
        int64_t place = digits->digit[end - 1].place;
        int64_t x = loop->begin;
        if (code % PLACES == 1 && loop->begin + place < loop->end)
            x = loop->begin + place;
        if (code % PLACES == 2)
            x = loop->end - 1;
        for (int d = loop->first_digit; d < end; d++) {
            digit[d] = x / digits->digit[d].place;
            if (d + 1 < end)
                digit[d] %= digits->digit[d + 1].place / digits->digit[d].place;
        }
    }
    for (int c = 0; c < digits->n_carries; c++) {
        const struct closed_carry *carry = &digits->carry[c];
        int64_t rest = carry->rest.constant;
        for (int d = 0; d < carry->digit; d++)
            rest += carry->rest.coef[d] * digit[d];
        digit[carry->digit] = sator_floor_div(rest, carry->divisor);
    }
    for (int r = 0; r < n_keys; r++) {
        value[r] = keys[r]->constant;
        for (int d = 0; d < digits->n_digits; d++)
            value[r] += keys[r]->coef[d] * digit[d];
    }
}

/* The greatest union of the stamps tried, until it is "enough". */
static const struct sator_decline *try_stamps(struct closed_sheets *sheets,
        const struct closed_digits *digits, int n_keys, const struct closed_form *const *keys,
        sator_int enough, sator_int *best)
{
    int n_codes = 1;
    const struct sator_decline *why = NULL;
    for (int l = 0; l < digits->n_loops && n_codes < 81; l++)
        n_codes *= PLACES;
    *best = 0;
    for (int i = 0; i < n_codes && *best < enough && why == NULL; i++) {
        int64_t value[CLOSED_ROWS];
        sator_int count = 0;
        set_keys(digits, n_keys, keys, (i * 5 + 1) % n_codes, value); /* 5: a new order of all */
        why = closed_sheets_most_at(sheets, n_keys, value, &count);
        *best = count > *best ? count : *best;
    }
    return why;
}

/* ---- what two maps have in common ---- */

/* The points that the only sheets of maps "a" and "b" have in common in each stamp; 0 when it is
 * not the same number in all "n_stamps". */
static const struct sator_decline *find_common(struct closed_sheets *sheets, int n_keys,
        sator_int n_stamps, int a, int b, sator_int *common)
{
    struct sator_system *base = closed_sheet_system(sheets, a);
    struct sator_system *meet =
            closed_sheet_meet(sheets, a, &(struct closed_view){.sheet = b, .bus = -1}, base);
    sator_int most = 0;
    sator_int all = 0;
    *common = 0;
    sator_system_free(base);
    if (meet == NULL)
        return NULL;
    struct sator_system *keyed = closed_sheet_keyed(sheets, a, n_keys, meet);
    int64_t outer[CLOSED_ROWS];
    enum sator_status st = sator_points_count(sheets->points, meet, &all);
    if (st == SATOR_OK && all % n_stamps == 0 && all > 0)
        st = sator_points_most(sheets->points, 1, &keyed, n_keys, -1, &most, outer);
    sator_system_free(keyed);
    if (st == SATOR_OK && most > 0 && most * n_stamps == all)
        *common = most;
    return closed_sheets_status(sheets, st);
}

/* The most that a sheet which is not joined yet has in common with one that is, and joins. */
static sator_int join_next(int n, sator_int common[][CLOSED_MAPS], bool *joined)
{
    sator_int best = -1;
    int next = 0;

    for (int i = 0; i < n * n; i++) {
        int a = i / n, b = i % n;
        if (joined[a] && !joined[b] && common[a][b] > best) {
            best = common[a][b];
            next = b;
        }
    }
    joined[next] = true;
    return best;
}

/* The greatest sum over a tree on the sheets: what pairs have in common in every stamp. */
static const struct sator_decline *sum_tree(
        struct closed_sheets *sheets, int n_maps, int n_keys, sator_int n_stamps, sator_int *sum)
{
    sator_int common[CLOSED_MAPS][CLOSED_MAPS];
    bool joined[CLOSED_MAPS] = {true};
    const struct sator_decline *why = NULL;
    *sum = 0;
    if (sheets->n != n_maps)
        return NULL; /* sheets of one map may overlap: take nothing away */
    for (int a = 0; a < sheets->n && why == NULL; a++) {
        for (int b = 0; b < a && why == NULL; b++) {
            why = find_common(sheets, n_keys, n_stamps, a, b, &common[a][b]);
            common[b][a] = common[a][b];
        }
    }
    for (int step = 1; step < sheets->n && why == NULL; step++)
        *sum += join_next(sheets->n, common, joined);
    return why;
}

const struct sator_decline *closed_sheets_most(struct closed_state *state,
        const struct closed_system *system, int n_keys, const struct closed_form *const *keys,
        const struct closed_request *request, sator_int *most)
{
    struct closed_sheets *sheets;
    sator_int most_ub = 0;
    sator_int best = 0;
    sator_int common = 0;
    sator_int n_stamps = 0;
    const struct sator_decline *why = most_alone(state, system, n_keys, keys, request, &most_ub);
    if (why == NULL)
        why = closed_count_distinct(state, &system->digits, n_keys, keys, NULL, &n_stamps);
    if (why != NULL)
        return why;
    why = closed_sheets_begin(state, &system->digits, n_keys, keys, request, &sheets);
    if (why == NULL)
        why = sum_tree(sheets, request->n_maps, n_keys, n_stamps, &common);
    if (why == NULL)
        why = try_stamps(sheets, &system->digits, n_keys, keys, most_ub - common, &best);
    closed_sheets_end(sheets);
    if (why == NULL && best < most_ub - common)
        why = DECLINE("different maps of a tensor meet in stamps of different shapes");
    if (why == NULL)
        *most = best;
    return why;
}
