/* Laying strips: proportional forms merged, implied ones left out, then the first way that is
 * proved to be best for the forms at hand: in the middle (middle.c); two forms of any determinant
 * D, by whole periods of D values and one search over the rest; few points, all places (places.c).
 */
#include "count/closed/strips.h"

#include "base/checked.h"

#include <string.h>

enum {
    MOST_COEFFICIENT = 1000,
    MOST_PERIOD = 64 /* greatest determinant */
};

const struct sator_decline closed_strips_too_many = {
        "a skewed stamp holds instances in too many directions"};

/* ---- directions ---- */

/* Merge strip "i" into the direction of its form, a new one if it is the first. */
static const struct sator_decline *add_strip(
        const struct closed_strips *strips, int i, struct closed_layout *layout)
{
    struct closed_direction d = {.form = {0}};
    int64_t unit = 0;
    int lead = 0;
    int at = 0;
    for (int k = 0; k < strips->n_dims; k++)
        unit = sator_gcd(unit, strips->form[i][k]);
    layout->direction_of[i] = -1;
    if (unit == 0)
        return NULL;
    while (strips->form[i][lead] == 0)
        lead++;
    if (strips->form[i][lead] < 0)
        unit = -unit;
    for (int k = 0; k < strips->n_dims; k++) {
        d.form[k] = strips->form[i][k] / unit;
        if (d.form[k] > MOST_COEFFICIENT || d.form[k] < -MOST_COEFFICIENT)
            return &closed_strips_too_many;
    }
    d.width = (strips->width[i] - 1) / (unit < 0 ? -unit : unit) + 1;
    while (at < layout->n && memcmp(layout->direction[at].form, d.form, sizeof d.form) != 0)
        at++;
    layout->direction_of[i] = at;
    layout->multiple[i] = unit;
    if (at == layout->n)
        layout->direction[layout->n++] = d;
    else if (d.width < layout->direction[at].width)
        layout->direction[at].width = d.width;
    return NULL;
}

static const struct sator_decline *find_directions(
        const struct closed_strips *strips, struct closed_layout *layout)
{
    const struct sator_decline *why = NULL;
    *layout = (struct closed_layout){.n_dims = strips->n_dims, .n_equal = strips->n_equal};
    for (int i = 0; i < strips->n && why == NULL; i++)
        why = add_strip(strips, i, layout);
    return why;
}

static int64_t determinant(int n, int64_t (*row)[CLOSED_STRIP_DIMS], int from, uint32_t columns)
{
    int64_t sum = 0;
    int sign = 1;
    if (from == n)
        return 1;
    for (int c = 0; c < n; c++) {
        if ((columns >> c & 1) == 0)
            continue;
        if (row[from][c] != 0)
            sum += sign * row[from][c] *
                    determinant(n, row, from + 1, columns & ~((uint32_t)1 << c));
        sign = -sign;
    }
    return sum;
}

int64_t closed_layout_determinant(int n, int64_t (*row)[CLOSED_STRIP_DIMS])
{
    return determinant(n, row, 0, ((uint32_t)1 << n) - 1);
}

bool closed_layout_express(int n, int64_t (*basis)[CLOSED_STRIP_DIMS], const int64_t *form,
        int64_t *part, int64_t *whole)
{
    *whole = closed_layout_determinant(n, basis);
    if (*whole == 0)
        return false;
    for (int k = 0; k < n; k++) {
        int64_t saved[CLOSED_STRIP_DIMS];
        memcpy(saved, basis[k], sizeof saved);
        memcpy(basis[k], form, sizeof saved);
        part[k] = closed_layout_determinant(n, basis);
        memcpy(basis[k], saved, sizeof saved);
        if (*whole < 0)
            part[k] = -part[k];
    }
    if (*whole < 0)
        *whole = -*whole;
    return true;
}

void closed_choice_first(int n, int *choice)
{
    for (int k = 0; k < n; k++)
        choice[k] = k;
}

bool closed_choice_next(int n, int all, int *choice)
{
    int k = n - 1;
    while (k >= 0 && choice[k] == all - n + k)
        k--;
    if (k < 0)
        return false;
    choice[k]++;
    for (k++; k < n; k++)
        choice[k] = choice[k - 1] + 1;
    return true;
}

bool closed_layout_basis(const struct closed_layout *layout, const int *choice, int except,
        int64_t (*basis)[CLOSED_STRIP_DIMS])
{
    for (int k = 0; k < layout->n_dims; k++) {
        const struct closed_direction *d = &layout->direction[choice[k]];
        if (choice[k] == except || d->implied)
            return false;
        memcpy(basis[k], d->form, sizeof d->form);
    }
    return true;
}

/* Whether others, wherever they are, leave direction "i" no more values than its width: it can be
 * laid around them. */
static bool is_implied(struct closed_layout *layout, int i)
{
    struct closed_direction *d = &layout->direction[i];
    int choice[CLOSED_STRIP_DIMS];
    if (layout->n <= layout->n_dims)
        return false;
    closed_choice_first(layout->n_dims, choice);
    do {
        int64_t basis[CLOSED_STRIP_DIMS][CLOSED_STRIP_DIMS];
        sator_int span = 0;
        if (!closed_layout_basis(layout, choice, i, basis) ||
                !closed_layout_express(layout->n_dims, basis, d->form, d->part, &d->whole))
            continue;
        for (int k = 0; k < layout->n_dims; k++) {
            int64_t size = d->part[k] < 0 ? -d->part[k] : d->part[k];
            span += (sator_int)size * (layout->direction[choice[k]].width - 1);
        }
        if (span > (sator_int)d->whole * (d->width - 1))
            continue;
        memcpy(d->by, choice, sizeof d->by);
        return true;
    } while (closed_choice_next(layout->n_dims, layout->n, choice));
    return false;
}

/* Leave out implied directions, which lie around those before them in "order". */
static int leave_out_implied(struct closed_layout *layout, int *order)
{
    int n = 0;
    for (bool progress = true; progress;) {
        progress = false;
        for (int i = 0; i < layout->n; i++) {
            if (layout->direction[i].implied || !is_implied(layout, i))
                continue;
            layout->direction[i].implied = true;
            order[n++] = i;
            progress = true;
        }
    }
    return n;
}

/* Lay direction "i" around those that imply it. */
static void lay_around(struct closed_layout *layout, int i)
{
    struct closed_direction *d = &layout->direction[i];
    int64_t least = 0;
    int64_t value = 0;
    for (int k = 0; k < layout->n_dims; k++) {
        const struct closed_direction *by = &layout->direction[d->by[k]];
        least += d->part[k] * (d->part[k] > 0 ? by->first : by->first + by->width - 1);
        value += d->part[k] * layout->value[d->by[k]];
    }
    d->first = -sator_floor_div(-least, d->whole);
    layout->value[i] = value / d->whole;
}

/* ---- two directions ---- */

/* The residue r with second . a = r * (first . a) modulo "period", for two primitive forms. */
static int64_t find_residue(const int64_t *first, const int64_t *second, int64_t period)
{
    /* Some a with first . a = 1 modulo the period. */
    for (int64_t x = 0; x < period; x++) {
        for (int64_t y = 0; y < period; y++) {
            if (sator_floor_mod(first[0] * x + first[1] * y - 1, period) == 0)
                return sator_floor_mod(second[0] * x + second[1] * y, period);
        }
    }
    return 0;
}

static void try_two(struct closed_layout *layout, bool *done, sator_int *most)
{
    struct closed_direction *d[2] = {NULL, NULL};
    int index[2] = {0, 0};
    int n = 0;
    for (int i = 0; i < layout->n; i++) {
        if (layout->direction[i].implied)
            continue;
        if (n == 2)
            return;
        index[n] = i;
        d[n++] = &layout->direction[i];
    }
    if (n != 2 || layout->n_dims != 2 || layout->n_equal != 0)
        return;
    int64_t period = d[0]->form[0] * d[1]->form[1] - d[0]->form[1] * d[1]->form[0];
    period = period < 0 ? -period : period;
    if (period > MOST_PERIOD)
        return;
    int64_t residue = find_residue(d[0]->form, d[1]->form, period);
    int64_t more[2] = {d[0]->width % period, d[1]->width % period};
    int64_t best = -1;
    for (int64_t place = 0; place < period; place++) {
        int64_t extra = 0;
        for (int64_t s = 0; s < more[0]; s++)
            extra += sator_floor_mod(residue * s - place, period) < more[1];
        if (extra <= best)
            continue;
        best = extra;
        d[1]->first = place;
    }
    d[0]->first = 0;
    *most = (sator_int)d[0]->width * (d[1]->width / period) +
            (sator_int)(d[0]->width / period) * more[1] + best;
    for (int64_t s = 0; s < d[0]->width && s < period; s++) {
        int64_t above = sator_floor_mod(residue * s - d[1]->first, period);
        if (above >= d[1]->width)
            continue;
        layout->value[index[0]] = s;
        layout->value[index[1]] = d[1]->first + above;
    }
    *done = true;
}

/* ---- the whole ---- */

const struct sator_decline *closed_strips_most(struct closed_strips *strips, sator_int *most)
{
    struct closed_layout layout;
    int order[CLOSED_STRIP_FORMS];
    bool done = false;
    const struct sator_decline *why = find_directions(strips, &layout);
    if (why != NULL)
        return why;
    int n_implied = leave_out_implied(&layout, order);
    why = closed_layout_middle(&layout, &done, most);
    if (!done)
        try_two(&layout, &done, most);
    if (!done)
        why = closed_layout_search(&layout, &done, most);
    if (!done)
        return why;
    while (n_implied > 0)
        lay_around(&layout, order[--n_implied]);
    for (int i = 0; i < strips->n; i++) {
        int d = layout.direction_of[i];
        strips->at[i] = 0;
        if (d < 0)
            continue;
        int64_t above = layout.value[d] - layout.direction[d].first;
        int64_t m = layout.multiple[i];
        strips->at[i] = m > 0 ? m * above : strips->width[i] - 1 + m * above;
    }
    return NULL;
}
