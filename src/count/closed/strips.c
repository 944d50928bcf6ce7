/* Laying strips: proportional forms merged, implied ones left out, then the first way that is
 * proved to be best for the forms at hand.
 *
 * - Forms that are coordinates, or differences of two coordinates, of some basis: the set of points
 *   is closed under rounded midpoints, and the discrete Brunn-Minkowski inequality
 *   |A| |B| <= |floor((A+B)/2)| |ceil((A+B)/2)| (Klartag and Lehec, 2019, theorem 1.4), with B the
 *   set A reflected, puts the best places in the middle.
 * - Two forms of any determinant D: whole periods of D values, and one search over the rest.
 * - Few points: all places that matter are tried.
 */
#include "count/closed/strips.h"

#include "base/checked.h"

#include <string.h>

enum {
    DIMS = CLOSED_STRIP_DIMS,
    FORMS = CLOSED_STRIP_FORMS,
    MOST_COEFFICIENT = 1000,
    MOST_POINTS = 512, /* that are searched */
    POINT_WORDS = MOST_POINTS / 64,
    MOST_PLACES = 64, /* of one strip over the points */
    MOST_LAYOUTS = 50000,
    MOST_PERIOD = 64 /* greatest determinant */
};

static const char too_many[] = "a skewed stamp holds instances in too many directions";

/* A primitive form of some strips; its width is that of the narrowest. */
struct direction {
    int64_t form[DIMS];
    int64_t width;
    int64_t first; /* place: the strip's least value */
    bool implied;
    int by[DIMS]; /* form = sum of part[k] / whole * form of by[k] */
    int64_t part[DIMS], whole;
};

struct layout {
    int n_dims, n_equal, n;
    struct direction direction[FORMS];
    int direction_of[FORMS]; /* -1: a form that is 0 */
    int64_t multiple[FORMS]; /* the form is multiple * that of its direction */
    int64_t value[FORMS]; /* of each direction, at some point that all strips hold */
};

/* ---- directions ---- */

static const char *find_directions(const struct closed_strips *strips, struct layout *layout)
{
    *layout = (struct layout){.n_dims = strips->n_dims, .n_equal = strips->n_equal};
    for (int i = 0; i < strips->n; i++) {
        struct direction d = {.form = {0}};
        int64_t unit = 0;
        for (int k = 0; k < strips->n_dims; k++)
            unit = closed_gcd(unit, strips->form[i][k]);
        layout->direction_of[i] = -1;
        if (unit == 0)
            continue;
        int lead = 0;
        while (strips->form[i][lead] == 0)
            lead++;
        if (strips->form[i][lead] < 0)
            unit = -unit;
        for (int k = 0; k < strips->n_dims; k++) {
            d.form[k] = strips->form[i][k] / unit;
            if (d.form[k] > MOST_COEFFICIENT || d.form[k] < -MOST_COEFFICIENT)
                return too_many;
        }
        d.width = (strips->width[i] - 1) / (unit < 0 ? -unit : unit) + 1;
        int at = 0;
        while (at < layout->n && memcmp(layout->direction[at].form, d.form, sizeof d.form) != 0)
            at++;
        layout->direction_of[i] = at;
        layout->multiple[i] = unit;
        if (at == layout->n)
            layout->direction[layout->n++] = d;
        else if (d.width < layout->direction[at].width)
            layout->direction[at].width = d.width;
    }
    return NULL;
}

static int64_t determinant(int n, int64_t (*row)[DIMS], int from, uint32_t columns)
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

static int64_t determinant_of(int n, int64_t (*row)[DIMS])
{
    return determinant(n, row, 0, ((uint32_t)1 << n) - 1);
}

/* Set "part" such that form = sum of part[k] / whole * basis[k], whole the basis's determinant > 0;
 * false when the basis is none. */
static bool express(
        int n, int64_t (*basis)[DIMS], const int64_t *form, int64_t *part, int64_t *whole)
{
    *whole = determinant_of(n, basis);
    if (*whole == 0)
        return false;
    for (int k = 0; k < n; k++) {
        int64_t saved[DIMS];
        memcpy(saved, basis[k], sizeof saved);
        memcpy(basis[k], form, sizeof saved);
        part[k] = determinant_of(n, basis);
        memcpy(basis[k], saved, sizeof saved);
        if (*whole < 0)
            part[k] = -part[k];
    }
    if (*whole < 0)
        *whole = -*whole;
    return true;
}

/* The first, then the next choice of "n" of "all"; false after the last. */
static void first_choice(int n, int *choice)
{
    for (int k = 0; k < n; k++)
        choice[k] = k;
}

static bool next_choice(int n, int all, int *choice)
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

/* The forms of chosen directions; false when one is "except" or implied. */
static bool choose_basis(
        const struct layout *layout, const int *choice, int except, int64_t (*basis)[DIMS])
{
    for (int k = 0; k < layout->n_dims; k++) {
        const struct direction *d = &layout->direction[choice[k]];
        if (choice[k] == except || d->implied)
            return false;
        memcpy(basis[k], d->form, sizeof d->form);
    }
    return true;
}

/* Whether others, wherever they are, leave direction "i" no more values than its width: it can be
 * laid around them. */
static bool is_implied(struct layout *layout, int i)
{
    struct direction *d = &layout->direction[i];
    int choice[DIMS];
    if (layout->n <= layout->n_dims)
        return false;
    first_choice(layout->n_dims, choice);
    do {
        int64_t basis[DIMS][DIMS];
        sator_int span = 0;
        if (!choose_basis(layout, choice, i, basis) ||
                !express(layout->n_dims, basis, d->form, d->part, &d->whole))
            continue;
        for (int k = 0; k < layout->n_dims; k++) {
            int64_t size = d->part[k] < 0 ? -d->part[k] : d->part[k];
            span += (sator_int)size * (layout->direction[choice[k]].width - 1);
        }
        if (span > (sator_int)d->whole * (d->width - 1))
            continue;
        memcpy(d->by, choice, sizeof d->by);
        return true;
    } while (next_choice(layout->n_dims, layout->n, choice));
    return false;
}

/* Leave out implied directions, which lie around those before them in "order". */
static int leave_out_implied(struct layout *layout, int *order)
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
static void lay_around(struct layout *layout, int i)
{
    struct direction *d = &layout->direction[i];
    int64_t least = 0;
    int64_t value = 0;
    for (int k = 0; k < layout->n_dims; k++) {
        const struct direction *by = &layout->direction[d->by[k]];
        least += d->part[k] * (d->part[k] > 0 ? by->first : by->first + by->width - 1);
        value += d->part[k] * layout->value[d->by[k]];
    }
    d->first = -sator_floor_div(-least, d->whole);
    layout->value[i] = value / d->whole;
}

/* ---- the middle ---- */

enum {
    MOST_COORDINATES = 48 /* forms tried as coordinates */
};

/* Directions as differences of nodes, node 0 fixed at 0. */
struct tension {
    int edge[FORMS][2]; /* value of the direction = sign * (node edge[0] - node edge[1]) */
    int sign[FORMS];
    int turn[DIMS]; /* signs of the coordinates */
    int parity[DIMS + 1];
};

/* Write every direction as one coordinate, or a difference of two, with the signs "tension->turn".
 */
static bool find_edges(const struct layout *layout, int64_t (*basis)[DIMS], struct tension *tension)
{
    for (int i = 0; i < layout->n; i++) {
        int64_t part[DIMS];
        int64_t whole;
        int n = 0;
        if (layout->direction[i].implied)
            continue;
        if (!express(layout->n_dims, basis, layout->direction[i].form, part, &whole) || whole != 1)
            return false;
        tension->edge[i][0] = 0;
        tension->edge[i][1] = 0;
        for (int k = 0; k < layout->n_dims; k++) {
            int64_t turned = part[k] * tension->turn[k];
            if (turned == 0)
                continue;
            int end = turned > 0 ? 0 : 1;
            if (++n > 2 || turned > 1 || turned < -1 || tension->edge[i][end] != 0)
                return false;
            tension->edge[i][end] = k + 1;
        }
        tension->sign[i] = 1;
        if (tension->edge[i][0] == 0) {
            tension->edge[i][0] = tension->edge[i][1];
            tension->edge[i][1] = 0;
            tension->sign[i] = -1;
        }
    }
    return true;
}

/* Choose parities of the reflection's centre such that strips of differences are symmetric about
 * it. */
static bool find_parity(const struct layout *layout, struct tension *tension)
{
    for (int choice = 0; choice < 1 << layout->n_dims; choice++) {
        bool fits = true;
        tension->parity[0] = 0;
        for (int k = 0; k < layout->n_dims; k++)
            tension->parity[k + 1] = choice >> k & 1;
        for (int i = 0; i < layout->n && fits; i++) {
            int a = tension->edge[i][0];
            int b = tension->edge[i][1];
            fits = layout->direction[i].implied || b == 0 ||
                    (tension->parity[a] - tension->parity[b] - layout->direction[i].width + 1) %
                                    2 ==
                            0;
        }
        if (fits)
            return true;
    }
    return false;
}

/* Lay the strips in the middle, rounded down or up, and count the points; values of the first
 * "n_equal" coordinates do not count. */
static const char *lay_middle(struct layout *layout, const struct tension *tension, bool up,
        const bool *counts, sator_int *points)
{
    int n_nodes = layout->n_dims + 1;
    int64_t most[DIMS + 1][DIMS + 1]; /* of node a - node b */
    int counted[DIMS];
    int n = 0;
    for (int a = 0; a < n_nodes; a++) {
        for (int b = 0; b < n_nodes; b++)
            most[a][b] = a == b ? 0 : CLOSED_BOUND;
    }
    for (int i = 0; i < layout->n; i++) {
        struct direction *d = &layout->direction[i];
        int a = tension->edge[i][0];
        int b = tension->edge[i][1];
        if (d->implied)
            continue;
        int64_t twice = tension->parity[a] - tension->parity[b] - d->width + 1;
        int64_t first = sator_floor_div(b == 0 && up ? twice + 1 : twice, 2);
        most[a][b] = first + d->width - 1;
        most[b][a] = -first;
        d->first = tension->sign[i] > 0 ? first : -most[a][b];
    }
    for (int k = 0; k < n_nodes; k++) {
        for (int a = 0; a < n_nodes; a++) {
            for (int b = 0; b < n_nodes; b++) {
                if (most[a][k] + most[k][b] < most[a][b])
                    most[a][b] = most[a][k] + most[k][b];
            }
        }
    }
    *points = 0;
    for (int a = 0; a < n_nodes; a++) {
        if (most[a][a] < 0)
            return NULL;
        if (a > 0 && counts[a - 1])
            counted[n++] = a;
    }
    /* The least values of all nodes together keep every difference. */
    for (int i = 0; i < layout->n; i++) {
        int64_t value = -most[0][tension->edge[i][0]] + most[0][tension->edge[i][1]];
        if (!layout->direction[i].implied)
            layout->value[i] = tension->sign[i] * value;
    }
    struct closed_interval x[2];
    for (int k = 0; k < n && k < 2; k++)
        x[k] = (struct closed_interval){-most[0][counted[k]], most[counted[k]][0]};
    if (n == 1)
        *points = closed_width(x[0]);
    if (n < 2)
        return NULL;
    if (n > 2)
        return too_many;
    static const int64_t difference[2] = {1, -1};
    struct closed_interval slab = {-most[counted[1]][counted[0]], most[counted[0]][counted[1]]};
    return closed_slab_count(2, difference, x, slab, points);
}

/* The forms that may serve as coordinates: the directions, sums and differences of two. */
static int list_coordinates(const struct layout *layout, int64_t (*form)[DIMS])
{
    int n = 0;
    for (int i = 0; i < layout->n; i++) {
        if (!layout->direction[i].implied && n < MOST_COORDINATES)
            memcpy(form[n++], layout->direction[i].form, sizeof *form);
    }
    int n_forms = n;
    for (int i = 0; i < n_forms; i++) {
        for (int j = 0; j < i; j++) {
            for (int sign = -1; sign < 2 && n < MOST_COORDINATES; sign += 2) {
                for (int k = 0; k < DIMS; k++)
                    form[n][k] = form[i][k] + sign * form[j][k];
                n++;
            }
        }
    }
    return n;
}

/* Find coordinates, of which as many as values can differ in do not change among equal points. */
static bool find_tension(const struct layout *layout, struct tension *tension, bool *counts)
{
    int64_t form[MOST_COORDINATES][DIMS];
    int choice[DIMS];
    int n = list_coordinates(layout, form);
    int n_dims = layout->n_dims;
    if (n < n_dims || n_dims > 3)
        return false;
    first_choice(n_dims, choice);
    do {
        int64_t basis[DIMS][DIMS];
        int n_counted = 0;
        for (int k = 0; k < n_dims; k++) {
            memcpy(basis[k], form[choice[k]], sizeof basis[k]);
            counts[k] = true;
            for (int e = 0; e < layout->n_equal; e++)
                counts[k] = counts[k] && basis[k][e] == 0;
            n_counted += counts[k];
        }
        int64_t whole = determinant_of(n_dims, basis);
        if (n_counted != n_dims - layout->n_equal || (whole != 1 && whole != -1))
            continue;
        for (int turns = 0; turns < 1 << (n_dims - 1); turns++) {
            for (int k = 0; k < n_dims; k++)
                tension->turn[k] = turns >> k & 1 ? -1 : 1;
            if (find_edges(layout, basis, tension) && find_parity(layout, tension))
                return true;
        }
    } while (next_choice(n_dims, n, choice));
    return false;
}

static const char *try_middle(struct layout *layout, bool *done, sator_int *most)
{
    struct tension tension = {.parity = {0}};
    bool counts[DIMS];
    sator_int down;
    sator_int up;
    if (!find_tension(layout, &tension, counts))
        return NULL;
    const char *why = lay_middle(layout, &tension, false, counts, &down);
    if (why == NULL)
        why = lay_middle(layout, &tension, true, counts, &up);
    if (why == NULL && down > up)
        why = lay_middle(layout, &tension, false, counts, &up);
    *most = up;
    *done = why == NULL;
    return why;
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

static void try_two(struct layout *layout, bool *done, sator_int *most)
{
    struct direction *d[2] = {NULL, NULL};
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

/* ---- few points ---- */

struct points {
    uint64_t word[POINT_WORDS];
};

struct search {
    struct layout *layout;
    int n_points, n_free; /* points; directions to be laid */
    int64_t point[MOST_POINTS][DIMS];
    int class[MOST_POINTS]; /* points with equal values share one */
    int free[FORMS];
    int64_t first[FORMS], chosen[FORMS];
    int n_places[FORMS];
    struct points place[FORMS][MOST_PLACES];
    int layouts;
    int most;
};

static int count_points(const struct points *points)
{
    int sum = 0;
    for (int w = 0; w < POINT_WORDS; w++)
        sum += __builtin_popcountll(points->word[w]);
    return sum;
}

static bool has_point(const struct points *points, int i)
{
    return points->word[i / 64] >> (i % 64) & 1;
}

/* The points, those of equal value once. */
static int count_values(const struct search *search, const struct points *points)
{
    struct points classes = {{0}};
    if (search->layout->n_equal == 0)
        return count_points(points);
    for (int i = 0; i < search->n_points; i++) {
        if (has_point(points, i))
            classes.word[search->class[i] / 64] |= UINT64_C(1) << (search->class[i] % 64);
    }
    return count_points(&classes);
}

static int64_t value_at(const struct direction *d, const int64_t *point)
{
    int64_t sum = 0;
    for (int k = 0; k < DIMS; k++)
        sum += d->form[k] * point[k];
    return sum;
}

/* Keep the layout at hand, in which all strips hold "points". */
static void keep_layout(struct search *search, const struct points *points)
{
    struct layout *layout = search->layout;
    int i = 0;
    while (!has_point(points, i))
        i++;
    for (int k = 0; k < layout->n; k++)
        layout->value[k] = value_at(&layout->direction[k], search->point[i]);
    for (int k = 0; k < search->n_free; k++)
        layout->direction[search->free[k]].first = search->chosen[k];
}

static const char *lay_rest(
        struct search *search, int from, const struct points *points, bool *better)
{
    const char *why = NULL;
    if (++search->layouts > MOST_LAYOUTS)
        return too_many;
    int n = count_points(points);
    if (n <= search->most)
        return NULL;
    if (from == search->n_free) {
        n = count_values(search, points);
        if (n <= search->most)
            return NULL;
        search->most = n;
        *better = true;
        keep_layout(search, points);
        return NULL;
    }
    for (int i = 0; i < search->n_places[from] && why == NULL; i++) {
        struct points rest;
        for (int w = 0; w < POINT_WORDS; w++)
            rest.word[w] = points->word[w] & search->place[from][i].word[w];
        search->chosen[from] = search->first[from] + i;
        why = lay_rest(search, from + 1, &rest, better);
    }
    return why;
}

/* List the places of the directions outside "choice" over the points: those that hold no fewer than
 * their neighbours outwards. */
static const char *list_places(struct search *search, const int *choice)
{
    struct layout *layout = search->layout;
    search->n_free = 0;
    for (int i = 0; i < layout->n; i++) {
        const struct direction *d = &layout->direction[i];
        bool chosen = d->implied;
        int64_t least = INT64_MAX;
        int64_t greatest = INT64_MIN;
        for (int k = 0; k < layout->n_dims; k++)
            chosen = chosen || choice[k] == i;
        if (chosen)
            continue;
        for (int p = 0; p < search->n_points; p++) {
            int64_t value = value_at(d, search->point[p]);
            least = value < least ? value : least;
            greatest = value > greatest ? value : greatest;
        }
        int f = search->n_free++;
        int64_t places = greatest - least + 1 - d->width + 1;
        search->free[f] = i;
        search->first[f] = least;
        if (places > MOST_PLACES)
            return too_many;
        search->n_places[f] = places < 1 ? 1 : (int)places;
        memset(search->place[f], 0, sizeof search->place[f]);
        for (int s = 0; s < search->n_places[f]; s++) {
            for (int p = 0; p < search->n_points; p++) {
                int64_t value = value_at(d, search->point[p]) - least - s;
                if (value >= 0 && value < d->width)
                    search->place[f][s].word[p / 64] |= UINT64_C(1) << (p % 64);
            }
        }
    }
    return NULL;
}

/* Append the point with values "t" of the chosen forms, if there is one. */
static void add_point(struct search *search, int64_t (*basis)[DIMS], const int64_t *t)
{
    int n = search->layout->n_dims;
    int64_t whole = determinant_of(n, basis);
    int64_t *point = search->point[search->n_points];
    memset(point, 0, sizeof search->point[0]);
    for (int c = 0; c < n; c++) {
        int64_t replaced[DIMS][DIMS];
        memcpy(replaced, basis, sizeof replaced);
        for (int k = 0; k < n; k++)
            replaced[k][c] = t[k];
        int64_t value = determinant_of(n, replaced);
        if (value % whole != 0)
            return;
        point[c] = value / whole;
    }
    int i = search->n_points++;
    search->class[i] = i;
    for (int j = 0; j < i; j++) {
        bool same = true;
        for (int k = search->layout->n_equal; k < n; k++)
            same = same && search->point[j][k] == point[k];
        if (same) {
            search->class[i] = search->class[j];
            break;
        }
    }
}

/* List the points with the chosen directions laid from "first" on. */
static void list_points(
        struct search *search, const int *choice, int64_t (*basis)[DIMS], const int64_t *first)
{
    struct layout *layout = search->layout;
    int64_t t[DIMS];
    int k = 0;
    search->n_points = 0;
    memcpy(t, first, sizeof t);
    while (k >= 0) {
        add_point(search, basis, t);
        k = layout->n_dims - 1;
        while (k >= 0 && ++t[k] == first[k] + layout->direction[choice[k]].width) {
            t[k] = first[k];
            k--;
        }
    }
}

/* Choose the directions that leave the fewest points. */
static bool choose_few(const struct layout *layout, int *best, int64_t *whole)
{
    int choice[DIMS];
    sator_int least = MOST_POINTS + 1;
    bool found = false;
    if (layout->n < layout->n_dims)
        return false;
    first_choice(layout->n_dims, choice);
    do {
        int64_t basis[DIMS][DIMS];
        sator_int points = 1;
        if (!choose_basis(layout, choice, -1, basis))
            continue;
        int64_t d = determinant_of(layout->n_dims, basis);
        d = d < 0 ? -d : d;
        for (int k = 0; k < layout->n_dims && points < least; k++)
            points *= layout->direction[choice[k]].width;
        if (d == 0 || d > 4 || points >= least)
            continue;
        least = points;
        *whole = d;
        memcpy(best, choice, sizeof choice);
        found = true;
    } while (next_choice(layout->n_dims, layout->n, choice));
    return found;
}

static const char *search_all(struct search *search, bool *done, sator_int *most)
{
    struct layout *layout = search->layout;
    int choice[DIMS];
    int64_t basis[DIMS][DIMS];
    int64_t first[DIMS] = {0};
    int64_t whole = 1;
    const char *why = NULL;
    if (!choose_few(layout, choice, &whole))
        return too_many;
    choose_basis(layout, choice, -1, basis);
    search->layouts = 0;
    search->most = 0;
    /* Places of the chosen strips that no translation takes to each other differ modulo "whole". */
    for (int k = 0; k >= 0 && why == NULL;) {
        struct points all = {{0}};
        bool better = false;
        list_points(search, choice, basis, first);
        for (int p = 0; p < search->n_points; p++)
            all.word[p / 64] |= UINT64_C(1) << (p % 64);
        if (search->n_points > search->most)
            why = list_places(search, choice);
        if (why == NULL && search->n_points > search->most)
            why = lay_rest(search, 0, &all, &better);
        for (int c = 0; c < layout->n_dims && better; c++)
            layout->direction[choice[c]].first = first[c];
        k = layout->n_dims - 1;
        while (k >= 0 && ++first[k] == whole) {
            first[k] = 0;
            k--;
        }
    }
    *most = search->most;
    *done = why == NULL;
    return why;
}

/* ---- the whole ---- */

const char *closed_strips_most(struct closed_strips *strips, sator_int *most)
{
    struct layout layout;
    int order[FORMS];
    bool done = false;
    const char *why = find_directions(strips, &layout);
    if (why != NULL)
        return why;
    int n_implied = leave_out_implied(&layout, order);
    why = try_middle(&layout, &done, most);
    if (!done)
        try_two(&layout, &done, most);
    if (!done) {
        struct search search = {.layout = &layout};
        why = search_all(&search, &done, most);
    }
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
