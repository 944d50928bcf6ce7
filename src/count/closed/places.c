/* Strips with few points between some of them: all places of the others are tried. */
#include "base/room.h"
#include "count/closed/layout.h"

#include <string.h>

enum {
    MOST_POINTS = SATOR_ROOM(512, 64),
    POINT_WORDS = MOST_POINTS / 64,
    MOST_PLACES = SATOR_ROOM(64, 4), /* of one strip over the points */
    MOST_LAYOUTS = SATOR_ROOM(50000, 20)
};

struct points {
    uint64_t word[POINT_WORDS];
};

struct search {
    struct closed_layout *layout;
    int n_points, n_free; /* points; directions to be laid */
    int64_t point[MOST_POINTS][CLOSED_STRIP_DIMS];
    int class[MOST_POINTS]; /* points with equal values share one */
    int free[CLOSED_STRIP_FORMS];
    int64_t first[CLOSED_STRIP_FORMS]; /* least place of a free direction */
    int64_t laid[CLOSED_STRIP_FORMS]; /* place of each direction at hand */
    int n_places[CLOSED_STRIP_FORMS];
    struct points place[CLOSED_STRIP_FORMS][MOST_PLACES];
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

static int64_t value_at(const struct closed_direction *d, const int64_t *point)
{
    int64_t sum = 0;
    for (int k = 0; k < CLOSED_STRIP_DIMS; k++)
        sum += d->form[k] * point[k];
    return sum;
}

/* Keep the layout at hand, in which all strips hold "points". */
static void keep_layout(struct search *search, const struct points *points)
{
    struct closed_layout *layout = search->layout;
    int i = 0;
    while (!has_point(points, i))
        i++;
    for (int k = 0; k < layout->n; k++)
        layout->value[k] = value_at(&layout->direction[k], search->point[i]);
    for (int k = 0; k < layout->n; k++) {
        if (!layout->direction[k].implied)
            layout->direction[k].first = search->laid[k];
    }
}

static const struct sator_decline *lay_rest(
        struct search *search, int from, const struct points *points)
{
    const struct sator_decline *why = NULL;
    if (++search->layouts > MOST_LAYOUTS)
        return &closed_strips_too_many;
    int n = from == search->n_free ? count_values(search, points) : count_points(points);
    if (n <= search->most)
        return NULL;
    if (from == search->n_free) {
        search->most = n;
        keep_layout(search, points);
        return NULL;
    }
    for (int i = 0; i < search->n_places[from] && why == NULL; i++) {
        struct points rest;
        for (int w = 0; w < POINT_WORDS; w++)
            rest.word[w] = points->word[w] & search->place[from][i].word[w];
        search->laid[search->free[from]] = search->first[from] + i;
        why = lay_rest(search, from + 1, &rest);
    }
    return why;
}

/* List the places of the directions outside "choice" over the points: those that hold no fewer than
 * their neighbours outwards. */
static const struct sator_decline *list_places(struct search *search, const int *choice)
{
    struct closed_layout *layout = search->layout;
    search->n_free = 0;
    for (int i = 0; i < layout->n; i++) {
        const struct closed_direction *d = &layout->direction[i];
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
            return &closed_strips_too_many;
        search->n_places[f] = places < 1 ? 1 : (int)places;
        memset(search->place[f], 0, sizeof search->place[f]);
        for (int s = 0; s < search->n_places[f]; s++) {
            for (int p = 0; p < search->n_points; p++) {
                int64_t value = value_at(d, search->point[p]) - search->first[f] - s;
                if (value >= 0 && value < d->width)
                    search->place[f][s].word[p / 64] |= UINT64_C(1) << (p % 64);
            }
        }
    }
    return NULL;
}

/* Append the point with values "t" of the chosen forms, if there is one. */
static void add_point(struct search *search, int64_t (*basis)[CLOSED_STRIP_DIMS], const int64_t *t)
{
    int n = search->layout->n_dims;
    int64_t whole = closed_layout_determinant(n, basis);
    int64_t *point = search->point[search->n_points];
    memset(point, 0, sizeof search->point[0]);
    for (int c = 0; c < n; c++) {
        int64_t replaced[CLOSED_STRIP_DIMS][CLOSED_STRIP_DIMS];
        memcpy(replaced, basis, sizeof replaced);
        for (int k = 0; k < n; k++)
            replaced[k][c] = t[k];
        int64_t value = closed_layout_determinant(n, replaced);
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
static void list_points(struct search *search, const int *choice,
        int64_t (*basis)[CLOSED_STRIP_DIMS], const int64_t *first)
{
    struct closed_layout *layout = search->layout;
    int64_t t[CLOSED_STRIP_DIMS];
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
static bool choose_few(const struct closed_layout *layout, int *best, int64_t *whole)
{
    int choice[CLOSED_STRIP_DIMS];
    sator_int least = MOST_POINTS + 1;
    bool found = false;
    if (layout->n < layout->n_dims)
        return false;
    closed_choice_first(layout->n_dims, choice);
    do {
        int64_t basis[CLOSED_STRIP_DIMS][CLOSED_STRIP_DIMS];
        sator_int points = 1;
        if (!closed_layout_basis(layout, choice, -1, basis))
            continue;
        int64_t d = closed_layout_determinant(layout->n_dims, basis);
        d = d < 0 ? -d : d;
        for (int k = 0; k < layout->n_dims && points < least; k++)
            points *= layout->direction[choice[k]].width;
        if (d == 0 || d > 4 || points >= least)
            continue;
        least = points;
        *whole = d;
        memcpy(best, choice, sizeof choice);
        found = true;
    } while (closed_choice_next(layout->n_dims, layout->n, choice));
    return found;
}

static const struct sator_decline *search_all(struct search *search, bool *done, sator_int *most)
{
    struct closed_layout *layout = search->layout;
    int choice[CLOSED_STRIP_DIMS];
    int64_t basis[CLOSED_STRIP_DIMS][CLOSED_STRIP_DIMS];
    int64_t first[CLOSED_STRIP_DIMS] = {0};
    int64_t whole = 1;
    const struct sator_decline *why = NULL;
    if (!choose_few(layout, choice, &whole))
        return &closed_strips_too_many;
    closed_layout_basis(layout, choice, -1, basis);
    search->layouts = 0;
    search->most = 0;
    /* Places of the chosen strips that no translation takes to each other differ modulo "whole". */
    for (int k = 0; k >= 0 && why == NULL;) {
        struct points all = {{0}};
        list_points(search, choice, basis, first);
        for (int c = 0; c < layout->n_dims; c++)
            search->laid[choice[c]] = first[c];
        for (int p = 0; p < search->n_points; p++)
            all.word[p / 64] |= UINT64_C(1) << (p % 64);
        if (search->n_points > search->most)
            why = list_places(search, choice);
        if (why == NULL && search->n_points > search->most)
            why = lay_rest(search, 0, &all);
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

const struct sator_decline *closed_layout_search(
        struct closed_layout *layout, bool *done, sator_int *most)
{
    struct search search = {.layout = layout};
    return search_all(&search, done, most);
}
