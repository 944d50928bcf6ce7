/* One pair of each group on a bus: that of the lexicographically smallest PE.
 *
 * The fibre of a group in an atom is a product: a digit that the bus drops takes any value of its
 * interval, and axes that add up to one axis of the bus's image take any values with that sum. The
 * PE is linear in all of them, so each is made smallest on its own. Atoms that have groups in
 * common are compared: where their PEs differ by a constant, the loser gives up these groups.
 */
#include "count/closed/buses.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

static const struct sator_decline unordered = {
        "the smallest PE on a bus depends on stamp and element"};

struct representer {
    const struct closed_bus *bus;
    int n_space;
    struct closed_buses *buses;
    const struct closed_image *from;
};

/* What is known of one atom: the values of the axes of folded factors, which have a single box. */
struct view {
    const struct closed_product *atom;
    const int64_t *constant; /* of its copy, in the rows (p; t; f) */
    struct closed_interval x[CLOSED_DIGITS];
};

static void look_at(const struct representer *r, int i, struct view *view)
{
    const struct closed_atoms *atoms = &r->buses->atoms;
    view->atom = &atoms->set.list[i];
    view->constant = r->buses->copies->constant[atoms->copy[i]];
    for (int f = 0; f < r->from->n_factors; f++) {
        if (r->bus->folded >> f & 1)
            memcpy(&view->x[r->from->factor[f].first_axis], view->atom->factor[f].box,
                    sizeof view->x[0] * (size_t)r->from->factor[f].boxes.n_axes);
    }
}

/* The order of the PEs of "a" and "b" that axis i of the pairs' image leads to when it grows by
 * sign_a, axis j when it grows by sign_b: negative when the first is smaller. "j" < 0: no move. */
static int compare_moves(const struct representer *r, int i, int64_t sign_i, int j, int64_t sign_j)
{
    for (int k = 0; k < r->n_space; k++) {
        int64_t a = sign_i * closed_image_coef(r->from, k, i);
        int64_t b = j < 0 ? 0 : sign_j * closed_image_coef(r->from, k, j);
        if (a != b)
            return a < b ? -1 : 1;
    }
    return 0;
}

static bool is_folded(const struct representer *r, int axis)
{
    for (int f = 0; f < r->from->n_factors; f++) {
        int at = axis - r->from->factor[f].first_axis;
        if (at >= 0 && at < r->from->factor[f].boxes.n_axes)
            return r->bus->folded >> f & 1;
    }
    return false;
}

/* The axes of more than one value that add up to axis "place" of the bus's image. */
static int find_wide(const struct representer *r, const struct view *view, int place, int *axis)
{
    int n = 0;
    for (int a = 0; a < r->from->n_axes; a++) {
        if (r->bus->axis[a] == place && is_folded(r, a) && view->x[a].lo < view->x[a].hi)
            axis[n++] = a;
    }
    return n;
}

/* ---- the representatives of one atom ---- */

static const struct sator_decline *emit(const struct representer *r, const struct view *view,
        const struct closed_interval *x, int tag)
{
    struct closed_product piece = *view->atom;
    piece.tag = tag;
    for (int f = 0; f < r->from->n_factors; f++) {
        int n_axes = r->from->factor[f].boxes.n_axes;
        if (!(r->bus->folded >> f & 1))
            continue;
        struct closed_interval *box = closed_pool_take(&r->buses->pool, n_axes);
        if (box == NULL)
            return DECLINE("the digit boxes are too many");
        memcpy(box, x + r->from->factor[f].first_axis, sizeof *box * (size_t)n_axes);
        piece.factor[f].box = box;
    }
    return closed_union_append(&r->buses->fetched, &piece);
}

/* Axes with one sum, the one first that the smallest PE keeps low. What one gives up in units of
 * "low" the next ones take over in units of "high". */
struct sum {
    int n;
    int axis[CLOSED_DIGITS];
    int64_t low, high;
};

/* Sort the axes so that first comes the one that moves the PE up most, each taken in the direction
 * in which it adds to the sum. More than two must all add the same amount. */
static const struct sator_decline *sort_axes(const struct representer *r, struct sum *sum)
{
    const int64_t *step = r->bus->step;
    int *axis = sum->axis;
    int64_t common = sator_gcd(step[axis[0]], step[axis[1]]);
    for (int i = 1; i < sum->n; i++) {
        if (sum->n > 2 && llabs(step[axis[i]]) != llabs(step[axis[0]]))
            return &unordered;
        for (int j = i; j > 0; j--) {
            int a = axis[j - 1];
            int b = axis[j];
            /* a grows by as much of the sum as b shrinks */
            int64_t by_a = (step[a] > 0 ? 1 : -1) * llabs(step[b]) / common;
            int64_t by_b = (step[b] > 0 ? 1 : -1) * llabs(step[a]) / common;
            int order = compare_moves(r, a, by_a, b, by_b);
            if (order == 0)
                return &unordered;
            if (order > 0)
                break;
            axis[j] = a;
            axis[j - 1] = b;
        }
    }
    sum->low = llabs(step[axis[1]]) / common;
    sum->high = llabs(step[axis[0]]) / common;
    return NULL;
}

/* "x" cut to its first (or last) "n" values in the direction in which the axis adds to the sum, or
 * to all but these. */
static struct closed_interval cut_end(const struct representer *r, int axis,
        struct closed_interval x, bool last, int64_t n, bool rest)
{
    bool at_lo = (r->bus->step[axis] > 0) != last;
    if (n > x.hi - x.lo)
        n = x.hi - x.lo + 1;
    if (at_lo)
        return rest ? (struct closed_interval){x.lo + n, x.hi}
                    : (struct closed_interval){x.lo, x.lo + n - 1};
    return rest ? (struct closed_interval){x.lo, x.hi - n}
                : (struct closed_interval){x.hi - n + 1, x.hi};
}

/* Choose among the values with one sum, for the axes of the bus's image from "place" on. The PE is
 * smallest where no axis can give anything to a later one: it is low, or all later ones are high.
 *
 *     axis 0 above its low values, all others high
 *     axis 0 low, axis 1 above, the others high
 *     ...
 *     all but the last axis low, the last anywhere
 */
static const struct sator_decline *choose(const struct representer *r, const struct view *view,
        int place, struct closed_interval *x, int tag)
{
    struct sum sum = {.n = 0};
    while (place < r->bus->image.n_axes && (sum.n = find_wide(r, view, place, sum.axis)) < 2)
        place++;
    if (place == r->bus->image.n_axes)
        return emit(r, view, x, tag);
    const struct sator_decline *why = sort_axes(r, &sum);
    for (int at = 0; at < sum.n && why == NULL; at++) {
        bool empty = false;
        for (int i = 0; i < sum.n; i++) {
            int a = sum.axis[i];
            struct closed_interval whole = view->x[a];
            x[a] = i > at                        ? cut_end(r, a, whole, true, sum.high, false)
                    : at == sum.n - 1 && i == at ? whole
                                                 : cut_end(r, a, whole, false, sum.low, i == at);
            empty = empty || closed_is_empty(x[a]);
        }
        if (!empty)
            why = choose(r, view, place + 1, x, tag);
    }
    for (int i = 0; i < sum.n; i++)
        x[sum.axis[i]] = view->x[sum.axis[i]];
    return why;
}

/* The value of a dropped axis at the smallest PE. */
static const struct sator_decline *fix_dropped(
        const struct representer *r, int a, struct closed_interval *x)
{
    int order = x->lo == x->hi ? -1 : compare_moves(r, a, 1, -1, 0);
    if (order == 0)
        return &unordered;
    *x = order > 0 || x->lo == x->hi ? (struct closed_interval){x->lo, x->lo}
                                     : (struct closed_interval){x->hi, x->hi};
    return NULL;
}

static const struct sator_decline *represent_atom(const struct representer *r, int i)
{
    struct view view;
    struct closed_interval x[CLOSED_DIGITS];
    look_at(r, i, &view);
    memcpy(x, view.x, sizeof x);
    for (int a = 0; a < r->from->n_axes; a++) {
        const struct sator_decline *why = NULL;
        if (r->bus->axis[a] == CLOSED_DROPPED)
            why = fix_dropped(r, a, &x[a]);
        else if (r->bus->axis[a] == CLOSED_MIXED)
            why = &unordered;
        if (why != NULL)
            return why;
    }
    return choose(r, &view, 0, x, i);
}

/* ---- atoms with common groups ---- */

/* The values of axis "place" of the bus's image in an atom: those of folded axes. */
static struct closed_interval place_range(
        const struct representer *r, const struct view *view, int place)
{
    struct closed_interval sum = {0, 0};
    for (int a = 0; a < r->from->n_axes; a++) {
        int64_t step = r->bus->step[a];
        if (r->bus->axis[a] != place)
            continue;
        sum.lo += step * (step < 0 ? view->x[a].hi : view->x[a].lo);
        sum.hi += step * (step < 0 ? view->x[a].lo : view->x[a].hi);
    }
    return sum;
}

/* Add to "p" the PE coordinates of the smallest PE that come from place "place" with value "u". */
static void add_place(const struct representer *r, const struct view *view, int place, int64_t u,
        int64_t sign, int64_t *p)
{
    int wide[CLOSED_DIGITS];
    int n = find_wide(r, view, place, wide);
    int64_t rest = u;
    for (int a = 0; a < r->from->n_axes; a++) {
        if (r->bus->axis[a] == place && (n == 0 || a != wide[0]))
            rest -= r->bus->step[a] * view->x[a].lo;
    }
    for (int a = 0; a < r->from->n_axes; a++) {
        if (r->bus->axis[a] != place)
            continue;
        int64_t x = n == 1 && a == wide[0] ? rest * r->bus->step[a] : view->x[a].lo;
        for (int k = 0; k < r->n_space; k++)
            p[k] += sign * closed_image_coef(r->from, k, a) * x;
    }
}

/* Whether two atoms have the same values of all axes that add up to "place". */
static bool same_parts(
        const struct representer *r, const struct view *a, const struct view *b, int place)
{
    for (int i = 0; i < r->from->n_axes; i++) {
        if (r->bus->axis[i] == place && (a->x[i].lo != b->x[i].lo || a->x[i].hi != b->x[i].hi))
            return false;
    }
    return true;
}

/* Add to "p" the difference of the smallest PEs of "a" and "b" that comes from place "place", where
 * b's values are "by" less. */
static const struct sator_decline *compare_place(const struct representer *r, const struct view *a,
        const struct view *b, int place, int64_t by, int64_t *p)
{
    int wide_a[CLOSED_DIGITS];
    int wide_b[CLOSED_DIGITS];
    int n_a = find_wide(r, a, place, wide_a);
    int n_b = find_wide(r, b, place, wide_b);
    struct closed_interval of_a = place_range(r, a, place);
    struct closed_interval of_b = place_range(r, b, place);
    struct closed_interval both =
            closed_meet(of_a, (struct closed_interval){of_b.lo + by, of_b.hi + by});
    bool constant = n_a == 0 || n_b == 0 || (n_a == 1 && n_b == 1 && wide_a[0] == wide_b[0]);
    if (by == 0 && same_parts(r, a, b, place))
        return NULL;
    if (n_a > 1 || n_b > 1 || (!constant && both.lo < both.hi))
        return &unordered;
    if ((n_a == 1 && llabs(r->bus->step[wide_a[0]]) != 1) ||
            (n_b == 1 && llabs(r->bus->step[wide_b[0]]) != 1))
        return &unordered;
    add_place(r, a, place, both.lo, 1, p);
    add_place(r, b, place, both.lo - by, -1, p);
    return NULL;
}

/* The order of the smallest PEs of "a" and "b" in the groups that they have in common, those of b
 * moved by "shift": "*order" is negative when that of "a" is smaller. */
static const struct sator_decline *compare_atoms(const struct representer *r, const struct view *a,
        const struct view *b, const int64_t *shift, int *order)
{
    int64_t p[CLOSED_SPACES];
    for (int k = 0; k < r->n_space; k++)
        p[k] = a->constant[k] - b->constant[k];
    for (int i = 0; i < r->from->n_axes; i++) {
        int place = r->bus->axis[i];
        if (place < 0) {
            struct closed_interval x = a->x[i];
            struct closed_interval y = b->x[i];
            const struct sator_decline *why = fix_dropped(r, i, &x);
            if (why == NULL)
                why = fix_dropped(r, i, &y);
            if (why != NULL)
                return why;
            for (int k = 0; k < r->n_space; k++)
                p[k] += closed_image_coef(r->from, k, i) * (x.lo - y.lo);
        } else if (!is_folded(r, i)) {
            if (llabs(r->bus->step[i]) != 1)
                return &unordered;
            for (int k = 0; k < r->n_space; k++)
                p[k] += closed_image_coef(r->from, k, i) * r->bus->step[i] * shift[place];
        }
    }
    for (int place = 0; place < r->bus->image.n_axes; place++) {
        bool folded = false;
        for (int i = 0; i < r->from->n_axes; i++)
            folded = folded || (r->bus->axis[i] == place && is_folded(r, i));
        const struct sator_decline *why =
                folded ? compare_place(r, a, b, place, shift[place], p) : NULL;
        if (why != NULL)
            return why;
    }
    *order = 0;
    for (int k = 0; k < r->n_space && *order == 0; k++)
        *order = p[k] < 0 ? -1 : p[k] > 0;
    return *order == 0 ? &unordered : NULL;
}

/* Take the groups of "winner", moved by "sign" * "shift", from the representatives of atom "tag".
 */
static const struct sator_decline *give_up(const struct representer *r, const struct view *loser,
        int tag, const struct view *winner, const int64_t *shift, int64_t sign)
{
    struct closed_product hole = *winner->atom;
    const struct sator_decline *why = NULL;
    for (int f = 0; f < r->from->n_factors && why == NULL; f++) {
        const struct closed_factor *factor = &r->from->factor[f];
        int n_axes = factor->boxes.n_axes;
        int64_t by[CLOSED_DIGITS] = {0};
        if (!(r->bus->folded >> f & 1)) {
            for (int i = 0; i < n_axes; i++) {
                int a = factor->first_axis + i;
                by[i] = sign * r->bus->step[a] * shift[r->bus->axis[a]];
            }
            why = closed_boxes_intersect(
                    &r->buses->pool, &factor->boxes, &winner->atom->factor[f], by, &hole.factor[f]);
            continue;
        }
        struct closed_interval *box = closed_pool_take(&r->buses->pool, n_axes);
        if (box == NULL)
            return DECLINE("the digit boxes are too many");
        hole.factor[f] = (struct closed_boxes){.n = 1, .n_axes = n_axes, .box = box};
        for (int i = 0; i < n_axes; i++) {
            int a = factor->first_axis + i;
            int place = r->bus->axis[a];
            int wide[CLOSED_DIGITS];
            box[i] = CLOSED_ANY;
            if (place < 0 || find_wide(r, loser, place, wide) != 1 || wide[0] != a)
                continue;
            /* step * x + rest is in the winner's range; a lone axis has step 1 or -1. */
            struct closed_interval range = place_range(r, winner, place);
            struct closed_interval own = place_range(r, loser, place);
            int64_t step = r->bus->step[a];
            int64_t rest = own.lo - step * (step < 0 ? loser->x[a].hi : loser->x[a].lo);
            range.lo += sign * shift[place] - rest;
            range.hi += sign * shift[place] - rest;
            box[i] = step > 0 ? range : (struct closed_interval){-range.hi, -range.lo};
        }
    }
    return why != NULL ? why
                       : closed_union_subtract(&r->buses->pool, 0, tag, &hole, &r->buses->fetched);
}

/* Settle the groups that atoms "i" and "j" have in common when those of j are moved by "shift". */
static const struct sator_decline *settle(
        const struct representer *r, int i, int j, const int64_t *shift)
{
    const struct closed_image *image = &r->bus->image;
    struct closed_product moved;
    struct view a;
    struct view b;
    int order;
    const struct sator_decline *why =
            closed_product_move(&r->buses->pool, image, shift, &r->buses->groups.list[j], &moved);
    if (why != NULL || !closed_products_meet(image->n_factors, &r->buses->groups.list[i], &moved))
        return why;
    look_at(r, i, &a);
    look_at(r, j, &b);
    why = compare_atoms(r, &a, &b, shift, &order);
    if (why != NULL)
        return why;
    return order < 0 ? give_up(r, &b, j, &a, shift, -1) : give_up(r, &a, i, &b, shift, 1);
}

static const struct sator_decline *settle_pair(const struct representer *r, int i, int j)
{
    const struct closed_atoms *atoms = &r->buses->atoms;
    const int64_t *of_i = atoms->frame[atoms->set.list[i].tag];
    const int64_t *of_j = atoms->frame[atoms->set.list[j].tag];
    int64_t shift[8][CLOSED_DIGITS] = {{0}};
    int64_t rhs[CLOSED_ROWS];
    int n_shifts = 1;
    const struct sator_decline *why = NULL;
    for (int k = 0; k < r->bus->image.n_rows; k++)
        rhs[k] = of_j[k] - of_i[k];
    if (of_i != of_j)
        why = closed_image_solve(&r->bus->image, rhs, 8, shift, &n_shifts);
    for (int s = 0; s < n_shifts && why == NULL; s++)
        why = settle(r, i, j, shift[s]);
    return why;
}

const struct sator_decline *closed_buses_represent(
        const struct closed_bus *bus, int n_space, struct closed_buses *buses)
{
    struct representer r = {.bus = bus, .n_space = n_space, .buses = buses, .from = buses->from};
    struct closed_union *atoms = &buses->atoms.set;
    const struct sator_decline *why = closed_buses_cut(buses, bus, bus->folded);
    buses->fetched.n = 0;
    buses->groups.n = 0;
    for (int i = 0; i < atoms->n && why == NULL; i++) {
        why = closed_buses_map(buses, bus, &atoms->list[i], &buses->groups.list[i]);
        if (why == NULL)
            why = represent_atom(&r, i);
    }
    for (int i = 0; i < atoms->n && why == NULL; i++) {
        for (int j = i + 1; j < atoms->n && why == NULL; j++)
            why = settle_pair(&r, i, j);
    }
    for (int i = 0; i < buses->fetched.n; i++)
        buses->fetched.list[i].tag = buses->atoms.copy[buses->fetched.list[i].tag];
    return why;
}
