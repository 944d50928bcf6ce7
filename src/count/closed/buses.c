/* Grouping pairs by bus. */
#include "count/closed/buses.h"

#include <stdlib.h>
#include <string.h>

static const struct sator_decline coupled = {
        "a link and a bus share PEs in a way that is not handled"};

/* ---- making ---- */

/* The forms (bus; t; f) into "rows", without the digits that the pairs' image does not have. */
static int bus_rows(const struct closed_system *system, const struct closed_request *request,
        int bus, const struct closed_image *from, struct closed_form *rows)
{
    int n = 0;
    for (int i = 0; i < request->buses[bus]->n_out; i++)
        rows[n++] = request->bus[bus][i];
    for (int i = 0; i < system->times.n_rows; i++)
        rows[n++] = system->times.row[i];
    for (int i = 0; i < request->access->n_out; i++)
        rows[n++] = request->copy[0][i];
    for (int d = 0; d < system->digits.n_digits; d++) {
        for (int r = 0; r < n && from->axis_of_digit[d] < 0; r++)
            rows[r].coef[d] = 0;
    }
    return n;
}

/* "digit" as a multiple of its axis's weight, from a row that it has a coefficient in. */
static int64_t multiple_of(const struct closed_system *system, const struct closed_form *index,
        const struct closed_image *from, int digit)
{
    const struct closed_axis *axis = &from->axis[from->axis_of_digit[digit]];
    int r = 0;
    while (from->column[r][axis->class] == 0)
        r++;
    const struct closed_form *row = r < system->n_space ? &system->space[r]
            : r < system->n_space + system->times.n_rows
            ? &system->times.row[r - system->n_space]
            : &index[r - system->n_space - system->times.n_rows];
    return row->coef[digit] / from->column[r][axis->class] / axis->weight;
}

/* What 1 more of axis "a" of the pairs adds to each of "rows"; false when its digits do not act on
 * them as that axis. */
static bool find_column(const struct closed_system *system, const struct closed_form *index,
        const struct closed_image *from, int a, int n_rows, const struct closed_form *rows,
        int64_t *column)
{
    int n_digits = system->digits.n_digits;
    int64_t multiple[CLOSED_DIGITS];
    for (int d = 0; d < n_digits; d++) {
        if (from->axis_of_digit[d] != a)
            continue;
        multiple[d] = multiple_of(system, index, from, d);
        for (int r = 0; r < n_rows && (multiple[d] == 1 || multiple[d] == -1); r++)
            column[r] = rows[r].coef[d] * multiple[d];
    }
    for (int d = 0; d < n_digits; d++) {
        for (int r = 0; r < n_rows && from->axis_of_digit[d] == a; r++) {
            if ((sator_int)column[r] * multiple[d] != rows[r].coef[d])
                return false;
        }
    }
    return true;
}

/* The columns of all axes; the set of those that have one. */
static uint32_t find_columns(const struct closed_system *system, const struct closed_form *index,
        const struct closed_image *from, int n_rows, const struct closed_form *rows,
        struct closed_bus *bus)
{
    uint32_t linear = 0;
    for (int a = 0; a < from->n_axes; a++) {
        memset(bus->column[a], 0, sizeof bus->column[a]);
        if (find_column(system, index, from, a, n_rows, rows, bus->column[a]))
            linear |= (uint32_t)1 << a;
    }
    return linear;
}

/* The place of axis "a", whose column is known, in the bus's image. */
static int find_place(const struct closed_digits *digits, const struct closed_image *from, int a,
        struct closed_bus *bus)
{
    const struct closed_image *image = &bus->image;
    int place = CLOSED_DROPPED;
    int row = -1;
    for (int r = 0; r < image->n_rows && row < 0; r++)
        row = bus->column[a][r] != 0 ? r : -1;
    if (row < 0)
        return CLOSED_DROPPED;
    for (int d = 0, seen = 0; d < digits->n_digits; d++) {
        if (from->axis_of_digit[d] != a)
            continue;
        if (seen++ > 0 && image->axis_of_digit[d] != place)
            return CLOSED_MIXED;
        place = image->axis_of_digit[d];
    }
    if (place < 0)
        return CLOSED_SPREAD;
    int64_t unit = closed_image_coef(image, row, place);
    if (unit == 0 || bus->column[a][row] % unit != 0)
        return CLOSED_MIXED;
    bus->step[a] = bus->column[a][row] / unit;
    return place;
}

static int factor_of(const struct closed_image *image, int axis)
{
    int f = image->n_factors - 1;
    while (image->factor[f].first_axis > axis)
        f--;
    return f;
}

/* Where the axes of the pairs go in the bus's image; only the "linear" ones have columns. */
static void make_map(const struct closed_system *system, const struct closed_image *from,
        uint32_t linear, struct closed_bus *bus)
{
    uint32_t seen = 0; /* axes of the bus's image */
    bus->mixed = bus->spread = bus->spanning = bus->folded = 0;
    memset(bus->touching, 0, sizeof bus->touching);
    for (int a = 0; a < from->n_axes; a++) {
        int f = factor_of(from, a);
        uint32_t bit = (uint32_t)1 << f;
        bus->axis[a] = CLOSED_MIXED;
        if (linear >> a & 1)
            bus->axis[a] = find_place(&system->digits, from, a, bus);
        if (bus->axis[a] == CLOSED_MIXED)
            bus->mixed |= bit;
        if (bus->axis[a] == CLOSED_SPREAD)
            bus->spread |= bit;
        if (bus->axis[a] >= 0)
            bus->touching[factor_of(&bus->image, bus->axis[a])] |= bit;
        if (bus->axis[a] < 0 || (seen >> bus->axis[a] & 1))
            bus->folded |= bit;
        seen |= bus->axis[a] >= 0 ? (uint32_t)1 << bus->axis[a] : 0;
    }
    for (int a = 0; a < from->n_axes; a++) { /* of two axes in one place the first is folded too */
        for (int b = 0; b < a && bus->axis[a] >= 0; b++) {
            if (bus->axis[b] == bus->axis[a])
                bus->folded |= (uint32_t)1 << factor_of(from, b);
        }
    }
    for (int d = 0; d < system->digits.n_digits; d++) { /* digits of a mixed axis touch too */
        int a = from->axis_of_digit[d];
        int b = bus->image.axis_of_digit[d];
        if (a >= 0 && b >= 0 && bus->axis[a] == CLOSED_MIXED)
            bus->touching[factor_of(&bus->image, b)] |= (uint32_t)1 << factor_of(from, a);
    }
    for (int f = 0; f < bus->image.n_factors; f++) {
        for (int g = 0; g < f; g++)
            bus->spanning |= bus->touching[f] & bus->touching[g];
    }
}

static void clear_axes(const struct closed_system *system, const struct closed_image *from,
        uint32_t axes, int n_rows, struct closed_form *rows)
{
    for (int d = 0; d < system->digits.n_digits; d++) {
        int a = from->axis_of_digit[d];
        for (int r = 0; r < n_rows && a >= 0 && (axes >> a & 1); r++)
            rows[r].coef[d] = 0;
    }
}

static const struct sator_decline *try_image(struct closed_pool *pool,
        const struct closed_system *system, const struct closed_image *from, uint32_t spread,
        int n_rows, const struct closed_form *rows, struct closed_image *image)
{
    struct closed_form left[CLOSED_ROWS];
    const struct closed_form *used[CLOSED_ROWS];
    int pool_used = pool->used;
    memcpy(left, rows, sizeof *rows * (size_t)n_rows);
    clear_axes(system, from, spread, n_rows, left);
    for (int r = 0; r < n_rows; r++)
        used[r] = &left[r];
    const struct sator_decline *why = closed_image_make(pool, &system->digits, n_rows, used, image);
    if (why != NULL)
        pool->used = pool_used;
    return why;
}

/* The axis of "axes" that has the fewest values; -1 when there is none. */
static int narrowest(const struct closed_image *from, uint32_t axes)
{
    int best = -1;
    for (int a = 0; a < from->n_axes; a++) {
        if ((axes >> a & 1) && (best < 0 || from->axis[a].span < from->axis[best].span))
            best = a;
    }
    return best;
}

/* Make the bus's image. Where it is no bijection, axes are spread: those of earlier groups' fibres
 * ("gone"), of which representatives have one value, one with few values, or several; only those
 * that act on the rows as one ("linear"). */
static const struct sator_decline *make_image(struct closed_pool *pool,
        const struct closed_system *system, const struct closed_image *from, uint32_t linear,
        uint32_t gone, int n_rows, const struct closed_form *rows, struct closed_image *image)
{
    const struct sator_decline *why = try_image(pool, system, from, 0, n_rows, rows, image);
    const struct sator_decline *first = why;
    int64_t values = 1;
    uint32_t spread = gone;
    if (why != NULL && gone != 0)
        why = try_image(pool, system, from, gone, n_rows, rows, image);
    for (uint32_t left = linear; left != 0 && why != NULL;) {
        int a = narrowest(from, left);
        left &= ~((uint32_t)1 << a);
        if (from->axis[a].span < CLOSED_COPIES)
            why = try_image(pool, system, from, gone | (uint32_t)1 << a, n_rows, rows, image);
    }
    while (why != NULL) {
        int a = narrowest(from, linear & ~spread);
        if (a < 0 || (values *= from->axis[a].span + 1) > CLOSED_COPIES)
            return first;
        spread |= (uint32_t)1 << a;
        why = try_image(pool, system, from, spread, n_rows, rows, image);
    }
    return NULL;
}

/* The constants of each copy of the pairs in the rows of bus "b", whose own rows begin at "at" in
 * the copies' constants. */
static void set_constants(const struct closed_copies *copies, int n_space, int at, int n_shared,
        struct closed_bus *bus)
{
    for (int c = 0; c < copies->n; c++) {
        for (int r = 0; r < bus->n_rows; r++)
            bus->constant[c][r] = copies->constant[c][at + r];
        for (int r = 0; r < n_shared; r++)
            bus->constant[c][bus->n_rows + r] = copies->constant[c][n_space + r];
    }
}

const struct sator_decline *closed_buses_make(struct closed_state *state,
        const struct closed_system *system, const struct closed_request *request,
        const struct closed_image *image, const struct closed_copies *copies,
        struct closed_buses *buses)
{
    struct closed_form rows[CLOSED_ROWS];
    const struct sator_decline *why = NULL;
    uint32_t gone = 0;
    int at = image->n_rows;
    buses->n = request->n_buses;
    buses->from = image;
    buses->copies = copies;
    for (int b = 0; b < buses->n && why == NULL; b++) {
        struct closed_bus *bus = &buses->bus[b];
        int n_rows = bus_rows(system, request, b, image, rows);
        bus->n_rows = request->buses[b]->n_out;
        bus->shares = true;
        buses->credit[b] = 0;
        uint32_t linear = find_columns(system, request->copy[0], image, n_rows, rows, bus);
        why = make_image(
                &state->pool, system, image, linear, gone & linear, n_rows, rows, &bus->image);
        if (why != NULL)
            break;
        make_map(system, image, linear, bus);
        set_constants(copies, system->n_space, at, n_rows - bus->n_rows, bus);
        at += bus->n_rows;
        for (int a = 0; a < image->n_axes; a++)
            gone |= bus->axis[a] == CLOSED_DROPPED ? (uint32_t)1 << a : 0;
    }
    return why;
}

/* ---- what is to be fetched ---- */

/* The pairs of the image that source "i" serves; "*empty" when there are none. */
static const struct sator_decline *find_served(struct closed_pool *pool,
        const struct closed_system *system, const struct closed_sources *sources, int i,
        struct closed_product *served, bool *empty)
{
    const struct closed_image *image = sources->image;
    const struct closed_source *source = &sources->list[i];
    struct closed_region all;
    struct closed_region region;
    closed_region_all(image, &all);
    const struct sator_decline *why = closed_region_move(pool, image, source->shift, &all, &region);
    for (int k = 0; source->consumers != NULL && k < sources->n_space && why == NULL; k++) {
        struct closed_interval bounds = source->consumers[k];
        struct closed_interval range = closed_form_range(&system->digits, &system->space[k]);
        bounds.lo -= sources->moved[k];
        bounds.hi -= sources->moved[k];
        if (bounds.lo <= range.lo && bounds.hi >= range.hi)
            continue;
        why = closed_region_clip(pool, image, k, bounds, &region);
        if (why == NULL && region.slab[k].lo > CLOSED_ANY.lo)
            why = &coupled;
    }
    *empty = region.is_empty;
    for (int f = 0; f < image->n_factors && why == NULL; f++) {
        served->factor[f] = region.factor[f];
        *empty = *empty || region.factor[f].n == 0;
    }
    return why;
}

void closed_buses_begin(struct closed_buses *buses)
{
    buses->pool = (struct closed_pool){.data = buses->pool_data, .capacity = CLOSED_BUS_POOL};
    buses->fetched.n = 0;
    buses->fetched.n_factors = buses->from->n_factors;
}

const struct sator_decline *closed_buses_fetch(const struct closed_system *system,
        const struct closed_sources *sources, int copy, struct closed_buses *buses)
{
    const struct closed_image *image = buses->from;
    struct closed_product product = {.tag = copy};
    for (int f = 0; f < image->n_factors; f++)
        product.factor[f] = image->factor[f].boxes;
    const struct sator_decline *why = closed_union_append(&buses->fetched, &product);
    for (int i = 0; i < sources->n && why == NULL; i++) {
        bool empty = false;
        why = find_served(&buses->pool, system, sources, i, &product, &empty);
        if (why == NULL && !empty)
            why = closed_union_subtract(&buses->pool, 0, copy, &product, &buses->fetched);
    }
    return why;
}

/* ---- atoms ---- */

/* Cutting one product. */
struct cutter {
    struct closed_buses *buses;
    const struct closed_bus *bus;
    uint32_t single; /* factors that must have a single box */
    struct closed_product product;
    int64_t constant[CLOSED_ROWS];
};

static bool is_whole(
        const struct closed_image *from, const struct closed_product *product, int factor)
{
    return closed_same_list(&product->factor[factor], &from->factor[factor].boxes);
}

static const struct sator_decline *append_atom(struct cutter *cutter)
{
    struct closed_atoms *atoms = &cutter->buses->atoms;
    size_t size = sizeof *cutter->constant * (size_t)cutter->bus->image.n_rows;
    struct closed_product atom = cutter->product;
    int frame = 0;
    while (frame < atoms->n_frames && memcmp(atoms->frame[frame], cutter->constant, size) != 0)
        frame++;
    if (frame == CLOSED_COPIES)
        return DECLINE("a loop under a bus has too many values");
    if (frame == atoms->n_frames)
        memcpy(atoms->frame[atoms->n_frames++], cutter->constant, size);
    if (atoms->set.n < CLOSED_PRODUCTS)
        atoms->copy[atoms->set.n] = cutter->product.tag;
    atom.tag = frame;
    return closed_union_append(&atoms->set, &atom);
}

static const struct sator_decline *cut_factors(struct cutter *cutter, int f);

/* Fix the spread axes of factor "f", whose list is one box, from axis "at" of the factor on. */
static const struct sator_decline *cut_values(struct cutter *cutter, int f, int at)
{
    const struct closed_factor *factor = &cutter->buses->from->factor[f];
    int n_axes = factor->boxes.n_axes;
    while (at < n_axes && cutter->bus->axis[factor->first_axis + at] != CLOSED_SPREAD)
        at++;
    if (at == n_axes)
        return cut_factors(cutter, f + 1);
    const struct closed_interval *box = cutter->product.factor[f].box;
    const int64_t *column = cutter->bus->column[factor->first_axis + at];
    const struct sator_decline *why = NULL;
    if (closed_width(box[at]) > CLOSED_PRODUCTS)
        return DECLINE("a loop under a bus has too many values");
    for (int64_t v = box[at].lo; v <= box[at].hi && why == NULL; v++) {
        struct closed_interval *fixed = closed_pool_take(&cutter->buses->pool, n_axes);
        if (fixed == NULL)
            return DECLINE("the digit boxes are too many");
        memcpy(fixed, box, sizeof *box * (size_t)n_axes);
        fixed[at] = (struct closed_interval){v, v};
        cutter->product.factor[f].box = fixed;
        for (int r = 0; r < cutter->bus->image.n_rows; r++)
            cutter->constant[r] += column[r] * v;
        why = cut_values(cutter, f, at + 1);
        for (int r = 0; r < cutter->bus->image.n_rows; r++)
            cutter->constant[r] -= column[r] * v;
    }
    return why;
}

/* Cut the factors from "f" on. */
static const struct sator_decline *cut_factors(struct cutter *cutter, int f)
{
    const struct closed_bus *bus = cutter->bus;
    const struct closed_image *from = cutter->buses->from;
    const struct sator_decline *why = NULL;
    if (f == from->n_factors)
        return append_atom(cutter);
    bool whole = is_whole(from, &cutter->product, f);
    uint32_t cut = bus->spread | cutter->single | (whole ? 0 : bus->spanning);
    if (!(cut >> f & 1))
        return cut_factors(cutter, f + 1);
    struct closed_boxes boxes = cutter->product.factor[f];
    for (int i = 0; i < boxes.n && why == NULL; i++) {
        cutter->product.factor[f].n = 1;
        cutter->product.factor[f].box = boxes.n == 1 ? boxes.box : closed_box(&boxes, i);
        why = cut_values(cutter, f, 0);
    }
    cutter->product.factor[f] = boxes;
    return why;
}

const struct sator_decline *closed_buses_cut(
        struct closed_buses *buses, const struct closed_bus *bus, uint32_t single)
{
    struct cutter cutter = {.buses = buses, .bus = bus, .single = single};
    struct closed_atoms *atoms = &buses->atoms;
    const struct sator_decline *why = NULL;
    atoms->set.n = 0;
    atoms->set.n_factors = buses->from->n_factors;
    atoms->n_frames = 0;
    for (int i = 0; i < buses->fetched.n && why == NULL; i++) {
        cutter.product = buses->fetched.list[i];
        memcpy(cutter.constant, bus->constant[cutter.product.tag], sizeof cutter.constant);
        why = cut_factors(&cutter, 0);
    }
    return why;
}

/* ---- mapping ---- */

/* The values of the sum of step[i] * x[i], if they have no gaps. */
static const struct sator_decline *sum_intervals(
        int n, int64_t *step, struct closed_interval *x, struct closed_interval *sum)
{
    int64_t reach = 0;
    *sum = (struct closed_interval){0, 0};
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++) {
            if (llabs(step[j]) < llabs(step[least]))
                least = j;
        }
        int64_t s = step[least];
        struct closed_interval range = x[least];
        step[least] = step[i];
        x[least] = x[i];
        if (range.lo < range.hi && llabs(s) > reach + 1)
            return DECLINE("a sum of loops has gaps");
        reach += llabs(s) * (range.hi - range.lo);
        sum->lo += s * (s < 0 ? range.hi : range.lo);
        sum->hi += s * (s < 0 ? range.lo : range.hi);
    }
    return NULL;
}

/* One box of factor "to" of the bus's image, from the box "x" of all axes of the pairs. */
static const struct sator_decline *map_box(const struct closed_buses *buses,
        const struct closed_bus *bus, const struct closed_factor *to,
        const struct closed_interval *x, struct closed_interval *box)
{
    const struct sator_decline *why = NULL;
    for (int i = 0; i < to->boxes.n_axes && why == NULL; i++) {
        int64_t step[CLOSED_DIGITS];
        struct closed_interval part[CLOSED_DIGITS];
        int n = 0;
        for (int a = 0; a < buses->from->n_axes; a++) {
            if (bus->axis[a] != to->first_axis + i)
                continue;
            step[n] = bus->step[a];
            part[n++] = x[a];
        }
        why = sum_intervals(n, step, part, &box[i]);
    }
    return why;
}

/* Factor "to_factor" of the bus's image, for the points of "atom". */
static const struct sator_decline *map_factor(struct closed_buses *buses,
        const struct closed_bus *bus, const struct closed_product *atom, int to_factor,
        struct closed_boxes *result)
{
    const struct closed_factor *to = &bus->image.factor[to_factor];
    struct closed_pool *pool = &buses->pool;
    struct closed_interval x[CLOSED_DIGITS];
    int at[CLOSED_LOOPS] = {0};
    int factor[CLOSED_LOOPS];
    int n = 0;
    int i = 0;
    for (int f = 0; f < buses->from->n_factors; f++) {
        if (bus->touching[to_factor] >> f & 1)
            factor[n++] = f;
    }
    *result = (struct closed_boxes){.n_axes = to->boxes.n_axes, .box = pool->data + pool->used};
    do {
        struct closed_interval *box = closed_pool_take(pool, to->boxes.n_axes);
        if (box == NULL)
            return DECLINE("the digit boxes are too many");
        for (i = 0; i < n; i++) {
            const struct closed_boxes *boxes = &atom->factor[factor[i]];
            memcpy(&x[buses->from->factor[factor[i]].first_axis], closed_box(boxes, at[i]),
                    sizeof *x * (size_t)boxes->n_axes);
        }
        const struct sator_decline *why = map_box(buses, bus, to, x, box);
        if (why != NULL)
            return why;
        result->n++;
        for (i = 0; i < n && ++at[i] == atom->factor[factor[i]].n; i++)
            at[i] = 0;
    } while (i < n);
    return closed_boxes_disjoin(pool, result);
}

const struct sator_decline *closed_buses_map(struct closed_buses *buses,
        const struct closed_bus *bus, const struct closed_product *atom,
        struct closed_product *product)
{
    const struct sator_decline *why = NULL;
    product->tag = atom->tag;
    for (int f = 0; f < bus->image.n_factors && why == NULL; f++) {
        bool whole = true;
        bool mixed = false;
        for (int g = 0; g < buses->from->n_factors; g++) {
            if (!(bus->touching[f] >> g & 1))
                continue;
            whole = whole && is_whole(buses->from, atom, g);
            mixed = mixed || (bus->mixed >> g & 1);
        }
        if (whole)
            product->factor[f] = bus->image.factor[f].boxes;
        else if (mixed)
            why = &coupled;
        else
            why = map_factor(buses, bus, atom, f, &product->factor[f]);
    }
    return why;
}

/* ---- counting groups ---- */

/* The groups of all pairs to be fetched, frame by frame. */
static const struct sator_decline *find_groups(
        struct closed_buses *buses, const struct closed_bus *bus)
{
    const struct sator_decline *why = closed_buses_cut(buses, bus, 0);
    buses->groups.n = 0;
    buses->groups.n_factors = bus->image.n_factors;
    for (int i = 0; i < buses->atoms.set.n && why == NULL; i++) {
        struct closed_product product;
        why = closed_buses_map(buses, bus, &buses->atoms.set.list[i], &product);
        if (why == NULL)
            why = closed_union_add(&buses->pool, &product, &buses->groups);
    }
    return why;
}

/* Take the groups of frame "from" out of "left", groups of a later frame. */
static const struct sator_decline *subtract_frame(struct closed_buses *buses,
        const struct closed_bus *bus, int frame, int from, struct closed_union *left)
{
    const struct closed_image *image = &bus->image;
    struct closed_pool *pool = &buses->pool;
    int64_t rhs[CLOSED_ROWS];
    int64_t shift[8][CLOSED_DIGITS];
    int n_shifts;
    for (int r = 0; r < image->n_rows; r++)
        rhs[r] = buses->atoms.frame[from][r] - buses->atoms.frame[frame][r];
    const struct sator_decline *why = closed_image_solve(image, rhs, 8, shift, &n_shifts);
    for (int s = 0; s < n_shifts && why == NULL; s++) {
        for (int i = 0; i < buses->groups.n && why == NULL; i++) {
            struct closed_product moved;
            if (buses->groups.list[i].tag != from)
                continue;
            why = closed_product_move(pool, image, shift[s], &buses->groups.list[i], &moved);
            if (why == NULL)
                why = closed_union_subtract(pool, 0, frame, &moved, left);
        }
    }
    return why;
}

/* The groups of one product in a case. */
static const struct sator_decline *count_product(struct closed_pool *pool,
        const struct closed_bus *bus, int n_times, const struct closed_case *when,
        const struct closed_product *product, const int64_t *constant, sator_int *count)
{
    struct closed_region region = {.is_empty = false};
    const struct sator_decline *why = NULL;
    for (int f = 0; f < bus->image.n_factors; f++)
        region.factor[f] = product->factor[f];
    for (int r = 0; r < bus->image.n_rows; r++)
        region.slab[r] = CLOSED_ANY;
    for (int r = 0; when != NULL && r < n_times && why == NULL; r++) {
        int row = bus->n_rows + r;
        struct closed_interval slab = {
                when->slab[r].lo - constant[row], when->slab[r].hi - constant[row]};
        why = closed_region_clip(pool, &bus->image, row, slab, &region);
    }
    return why != NULL ? why : closed_region_count(&bus->image, &region, count);
}

/* The groups of one frame in a case that no earlier frame has. */
static const struct sator_decline *count_frame(const struct closed_system *system,
        const struct closed_case *when, struct closed_buses *buses, const struct closed_bus *bus,
        int frame, sator_int *count)
{
    struct closed_union *left = &buses->atoms.set; /* the atoms are mapped already */
    const int64_t *constant = buses->atoms.frame[frame];
    const struct sator_decline *why = NULL;
    left->n = 0;
    left->n_factors = bus->image.n_factors;
    for (int i = 0; i < buses->groups.n && why == NULL; i++) {
        if (buses->groups.list[i].tag == frame)
            why = closed_union_append(left, &buses->groups.list[i]);
    }
    for (int from = 0; from < frame && why == NULL; from++)
        why = subtract_frame(buses, bus, frame, from, left);
    for (int i = 0; i < left->n && why == NULL; i++) {
        sator_int n = 0;
        why = count_product(
                &buses->pool, bus, system->times.n_rows, when, &left->list[i], constant, &n);
        *count += n;
    }
    return why;
}

/* The number of groups of "bus" that the pairs to be fetched make in a case. */
static const struct sator_decline *count_groups(const struct closed_system *system,
        const struct closed_case *when, struct closed_buses *buses, const struct closed_bus *bus,
        sator_int *count)
{
    const struct sator_decline *why = find_groups(buses, bus);
    int used = buses->pool.used;
    *count = 0;
    for (int frame = 0; frame < buses->atoms.n_frames && why == NULL; frame++) {
        why = count_frame(system, when, buses, bus, frame, count);
        buses->pool.used = used;
    }
    return why;
}

const struct sator_decline *closed_buses_find_shared(
        const struct closed_system *system, sator_int total, struct closed_buses *buses)
{
    const struct sator_decline *why = NULL;
    int used = buses->pool.used;
    for (int b = 0; b < buses->n && why == NULL; b++) {
        sator_int count = 0;
        why = count_groups(system, NULL, buses, &buses->bus[b], &count);
        buses->bus[b].shares = count != total;
        buses->pool.used = used;
    }
    return why;
}

const struct sator_decline *closed_buses_credit(const struct closed_system *system,
        const struct closed_case *when, sator_int left, struct closed_buses *buses)
{
    const struct sator_decline *why = NULL;
    const struct closed_bus *last = NULL; /* whose groups have no representatives yet */
    for (int b = 0; b < buses->n && left > 0 && why == NULL; b++) {
        struct closed_bus *bus = &buses->bus[b];
        sator_int count = 0;
        if (!bus->shares)
            continue;
        if (last != NULL)
            why = closed_buses_represent(last, system->n_space, buses);
        if (why == NULL)
            why = count_groups(system, when, buses, bus, &count);
        buses->credit[b] += left - count;
        left = count;
        last = bus;
    }
    return why;
}
