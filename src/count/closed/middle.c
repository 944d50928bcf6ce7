/* Strips whose forms are coordinates, or differences of two coordinates, of some basis.
 *
 * Their common points are closed under rounded midpoints, and the discrete Brunn-Minkowski
 * inequality |A| |B| <= |floor((A+B)/2)| |ceil((A+B)/2)| (Klartag and Lehec, 2019, theorem 1.4),
 * with B the set A reflected, puts the best places in the middle, rounded either way: the two are
 * reflections of each other.
 */
#include "base/room.h"
#include "count/closed/layout.h"

#include "base/checked.h"

#include <string.h>

enum {
    MOST_COORDINATES = SATOR_ROOM(48, 4) /* forms tried as coordinates */
};

/* Directions as differences of nodes, node 0 fixed at 0. */
struct tension {
    int edge[CLOSED_STRIP_FORMS]
            [2]; /* value of the direction = sign * (node edge[0] - node edge[1]) */
    int sign[CLOSED_STRIP_FORMS];
    int turn[CLOSED_STRIP_DIMS]; /* signs of the coordinates */
    int parity[CLOSED_STRIP_DIMS + 1];
};

/* Write every direction as one coordinate, or a difference of two, with the signs "tension->turn".
 */
static bool find_edges(const struct closed_layout *layout, int64_t (*basis)[CLOSED_STRIP_DIMS],
        struct tension *tension)
{
    for (int i = 0; i < layout->n; i++) {
        int64_t part[CLOSED_STRIP_DIMS];
        int64_t whole;
        int n = 0;
        if (layout->direction[i].implied)
            continue;
        if (!closed_layout_express(
                    layout->n_dims, basis, layout->direction[i].form, part, &whole) ||
                whole != 1)
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
static bool find_parity(const struct closed_layout *layout, struct tension *tension)
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

/* Greatest differences of two nodes: "most[a][b]" of node a - node b. */
struct differences {
    int64_t most[CLOSED_STRIP_DIMS + 1][CLOSED_STRIP_DIMS + 1];
};

/* Lay each strip in the middle, rounded down. */
static void bound_nodes(
        struct closed_layout *layout, const struct tension *tension, struct differences *nodes)
{
    for (int a = 0; a <= layout->n_dims; a++) {
        for (int b = 0; b <= layout->n_dims; b++)
            nodes->most[a][b] = a == b ? 0 : CLOSED_BOUND;
    }
    for (int i = 0; i < layout->n; i++) {
        struct closed_direction *d = &layout->direction[i];
        int a = tension->edge[i][0];
        int b = tension->edge[i][1];
        if (d->implied)
            continue;
        int64_t twice = tension->parity[a] - tension->parity[b] - d->width + 1;
        int64_t first = sator_floor_div(twice, 2);
        nodes->most[a][b] = first + d->width - 1;
        nodes->most[b][a] = -first;
        d->first = tension->sign[i] > 0 ? first : -nodes->most[a][b];
    }
}

/* Make the bounds on differences tight; false when no values meet them. */
static bool tighten(int n_nodes, struct differences *nodes)
{
    for (int k = 0; k < n_nodes; k++) {
        for (int a = 0; a < n_nodes; a++) {
            for (int b = 0; b < n_nodes; b++) {
                int64_t by_way_of_k = nodes->most[a][k] + nodes->most[k][b];
                if (by_way_of_k < nodes->most[a][b])
                    nodes->most[a][b] = by_way_of_k;
            }
        }
    }
    for (int a = 0; a < n_nodes; a++) {
        if (nodes->most[a][a] < 0)
            return false;
    }
    return true;
}

/* The values of the nodes "counted", one or two. */
static const struct sator_decline *count_values(
        const struct differences *nodes, int n, const int *counted, sator_int *points)
{
    static const int64_t difference[2] = {1, -1};
    struct closed_interval x[2];
    if (n == 0)
        return NULL;
    if (n > 2)
        return &closed_strips_too_many;
    for (int k = 0; k < n; k++)
        x[k] = (struct closed_interval){-nodes->most[0][counted[k]], nodes->most[counted[k]][0]};
    *points = closed_width(x[0]);
    if (n == 1)
        return NULL;
    struct closed_interval slab = {
            -nodes->most[counted[1]][counted[0]], nodes->most[counted[0]][counted[1]]};
    return closed_slab_count(2, difference, x, slab, points);
}

/* Lay the strips in the middle and count the points; values of coordinates that do not "count" are
 * forgotten. */
static const struct sator_decline *lay_middle(struct closed_layout *layout,
        const struct tension *tension, const bool *counts, sator_int *points)
{
    struct differences nodes;
    int counted[CLOSED_STRIP_DIMS];
    int n = 0;
    *points = 0;
    bound_nodes(layout, tension, &nodes);
    if (!tighten(layout->n_dims + 1, &nodes))
        return NULL;
    for (int k = 0; k < layout->n_dims; k++) {
        if (counts[k])
            counted[n++] = k + 1;
    }
    /* The least values of all nodes together keep every difference. */
    for (int i = 0; i < layout->n; i++) {
        int64_t value = -nodes.most[0][tension->edge[i][0]] + nodes.most[0][tension->edge[i][1]];
        if (!layout->direction[i].implied)
            layout->value[i] = tension->sign[i] * value;
    }
    return count_values(&nodes, n, counted, points);
}

/* The forms that may serve as coordinates: the directions, sums and differences of two. */
static int list_coordinates(const struct closed_layout *layout, int64_t (*form)[CLOSED_STRIP_DIMS])
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
                for (int k = 0; k < CLOSED_STRIP_DIMS; k++)
                    form[n][k] = form[i][k] + sign * form[j][k];
                n++;
            }
        }
    }
    return n;
}

/* Find coordinates, of which as many as values can differ in do not change among equal points. */
static bool find_tension(const struct closed_layout *layout, struct tension *tension, bool *counts)
{
    int64_t form[MOST_COORDINATES][CLOSED_STRIP_DIMS];
    int choice[CLOSED_STRIP_DIMS];
    int n = list_coordinates(layout, form);
    int n_dims = layout->n_dims;
    if (n < n_dims || n_dims > 3)
        return false;
    closed_choice_first(n_dims, choice);
    do {
        int64_t basis[CLOSED_STRIP_DIMS][CLOSED_STRIP_DIMS];
        int n_counted = 0;
        for (int k = 0; k < n_dims; k++) {
            memcpy(basis[k], form[choice[k]], sizeof basis[k]);
            counts[k] = true;
            for (int e = 0; e < layout->n_equal; e++)
                counts[k] = counts[k] && basis[k][e] == 0;
            n_counted += counts[k];
        }
        int64_t whole = closed_layout_determinant(n_dims, basis);
        if (n_counted != n_dims - layout->n_equal || (whole != 1 && whole != -1))
            continue;
        for (int turns = 0; turns < 1 << (n_dims - 1); turns++) {
            for (int k = 0; k < n_dims; k++)
                tension->turn[k] = turns >> k & 1 ? -1 : 1;
            if (find_edges(layout, basis, tension) && find_parity(layout, tension))
                return true;
        }
    } while (closed_choice_next(n_dims, n, choice));
    return false;
}

const struct sator_decline *closed_layout_middle(
        struct closed_layout *layout, bool *done, sator_int *most)
{
    struct tension tension = {.parity = {0}};
    bool counts[CLOSED_STRIP_DIMS];
    if (!find_tension(layout, &tension, counts))
        return NULL;
    const struct sator_decline *why = lay_middle(layout, &tension, counts, most);
    *done = why == NULL;
    return why;
}
