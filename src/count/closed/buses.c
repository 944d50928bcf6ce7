/* Grouping pairs by bus. */
#include "count/closed/buses.h"

#include <string.h>

static const char coupled[] = "a link and a bus share PEs in a way that is not handled";

/* ---- making ---- */

/* The digits that make up the same axis as digit "d". */
static uint32_t group_of(const struct closed_image *image, int n_digits, int d)
{
    uint32_t group = 0;
    for (int e = 0; e < n_digits; e++)
        group |= (uint32_t)(image->axis_of_digit[e] == image->axis_of_digit[d]) << e;
    return group;
}

static void compare_images(
        const struct closed_digits *digits, const struct closed_image *from, struct closed_bus *bus)
{
    bus->dropped = 0;
    bus->merged = 0;
    for (int d = 0; d < digits->n_digits; d++) {
        if (from->axis_of_digit[d] < 0)
            continue;
        if (bus->copy_loops >> digits->digit[d].loop & 1)
            bus->merged |= (uint32_t)1 << d;
        else if (bus->image.axis_of_digit[d] < 0)
            bus->dropped |= (uint32_t)1 << d;
        else if (group_of(from, digits->n_digits, d) != group_of(&bus->image, digits->n_digits, d))
            bus->merged |= (uint32_t)1 << d;
    }
}

static const char *count_all(struct closed_state *state, const struct closed_image *image,
        const struct closed_copies *copies, sator_int *count)
{
    struct closed_region all;
    closed_region_all(image, &all);
    return closed_copies_count(state, image, copies, &all, count);
}

/* The forms ("first"; t; f) into "rows", "n" forms first. */
static int image_rows(const struct closed_system *system, const struct closed_request *request,
        int n, const struct closed_form *first, const struct closed_form **rows)
{
    int n_rows = 0;
    for (int i = 0; i < n; i++)
        rows[n_rows++] = &first[i];
    for (int i = 0; i < system->times.n_rows; i++)
        rows[n_rows++] = &system->times.row[i];
    for (int i = 0; i < request->access->n_out; i++)
        rows[n_rows++] = &request->index[i];
    return n_rows;
}

const char *closed_buses_image(struct closed_state *state, const struct closed_system *system,
        const struct closed_request *request, int n, const struct closed_form *first,
        struct closed_image *image)
{
    const struct closed_form *rows[CLOSED_ROWS];
    int n_rows = image_rows(system, request, n, first, rows);
    return closed_image_make(&state->pool, &system->digits, n_rows, rows, image);
}

/* The loops in which one copy of the bus's image differs from another by a move. */
static const char *find_copy_loops(struct closed_state *state, struct closed_bus *bus)
{
    struct closed_sources *sources = &state->sources;
    const struct closed_image *image = &bus->image;
    closed_sources_init(sources, &state->pool, image);
    for (int copy = 1; copy < bus->copies.n; copy++) {
        for (int from = 0; from < copy; from++) {
            int64_t rhs[CLOSED_ROWS];
            closed_copies_difference(&bus->copies, image->n_rows, copy, from, rhs);
            sources->n = 0;
            const char *why = closed_sources_add(sources, rhs, 0);
            if (why != NULL)
                return why;
            for (int i = 0; i < sources->n; i++)
                bus->copy_loops |= closed_image_moving(image, sources->list[i].shift);
        }
    }
    return NULL;
}

/* The image of one bus; loops are unrolled where it is no bijection. */
static const char *make_bus(struct closed_state *state, const struct closed_system *system,
        const struct closed_request *request, const struct closed_form *form,
        struct closed_bus *bus)
{
    const struct closed_form *rows[CLOSED_ROWS];
    int n_rows = image_rows(system, request, bus->n_rows, form, rows);
    bus->copies.n = 1;
    memset(bus->copies.constant[0], 0, sizeof bus->copies.constant[0]);
    bus->copy_loops = 0;
    const char *why = closed_copies_make(
            &state->pool, &system->digits, 0, n_rows, rows, &bus->image, &bus->copies);
    if (why != NULL || bus->copies.n == 1)
        return why;
    /* The unrolled loops are those that the rows use and the image does not. */
    for (int d = 0; d < system->digits.n_digits; d++) {
        for (int r = 0; r < n_rows; r++) {
            if (rows[r]->coef[d] != 0 && bus->image.axis_of_digit[d] < 0)
                bus->copy_loops |= (uint32_t)1 << system->digits.digit[d].loop;
        }
    }
    return find_copy_loops(state, bus);
}

static void clear_digits(struct closed_form *form, int n, uint32_t gone)
{
    for (int i = 0; i < n; i++) {
        for (int d = 0; d < CLOSED_DIGITS; d++) {
            if (gone >> d & 1)
                form[i].coef[d] = 0;
        }
    }
}

/* The representative of a fibre must have 0 for its dropped digits: the digit starts there, and a
 * greater one is a greater PE. */
static bool zero_is_smallest(const struct closed_digits *digits, int n_space,
        const struct closed_form *space, uint32_t dropped)
{
    for (int d = 0; d < digits->n_digits; d++) {
        int64_t sign = 0;
        if (!(dropped >> d & 1))
            continue;
        for (int i = 0; i < n_space && sign == 0; i++)
            sign = space[i].coef[d];
        if (sign <= 0 || digits->loop[digits->digit[d].loop].begin > 0)
            return false;
    }
    return true;
}

/* Whether stamp and element alone determine the axes of the digits in "merged", as "image" has
 * them. */
static const char *check_merged(struct closed_state *state, const struct closed_system *system,
        const struct closed_request *request, const struct closed_image *image, uint32_t merged)
{
    struct closed_image *known = &state->other;
    int used = state->pool.used;
    int n_digits = system->digits.n_digits;
    const char *why = closed_buses_image(state, system, request, 0, NULL, known);
    for (int d = 0; d < n_digits && why == NULL; d++) {
        if ((merged >> d & 1) &&
                (known->axis_of_digit[d] < 0 ||
                        group_of(known, n_digits, d) != group_of(image, n_digits, d)))
            why = coupled;
    }
    state->pool.used = used;
    return why;
}

/* The digits of the bus's image whose values may decide which PE of a merged fibre is the smallest:
 * all of the factors with merged digits. */
static uint32_t find_around(const struct closed_digits *digits, const struct closed_bus *bus)
{
    uint32_t loops = 0;
    uint32_t around = 0;
    for (int f = 0; f < bus->image.n_factors; f++) {
        for (int d = 0; d < digits->n_digits; d++) {
            if ((bus->merged >> d & 1) && (bus->image.factor[f].loops >> digits->digit[d].loop & 1))
                loops |= bus->image.factor[f].loops;
        }
    }
    for (int d = 0; d < digits->n_digits; d++) {
        if ((loops >> digits->digit[d].loop & 1) && bus->image.axis_of_digit[d] >= 0)
            around |= (uint32_t)1 << d;
    }
    return around;
}

/* The image of the representatives must have the axes of the bus's image. */
static bool same_axes(const struct closed_digits *digits, const struct closed_image *a,
        const struct closed_image *b)
{
    if (a->n_axes != b->n_axes || a->n_factors != b->n_factors)
        return false;
    for (int d = 0; d < digits->n_digits; d++) {
        if (a->axis_of_digit[d] != b->axis_of_digit[d])
            return false;
    }
    for (int f = 0; f < a->n_factors; f++) {
        if (a->factor[f].loops != b->factor[f].loops ||
                a->factor[f].first_axis != b->factor[f].first_axis)
            return false;
    }
    return true;
}

const char *closed_buses_make(struct closed_state *state, const struct closed_system *system,
        const struct closed_request *request, const struct closed_image *image,
        struct closed_buses *buses)
{
    struct closed_form space[CLOSED_SPACES];
    struct closed_form form[CLOSED_SPACES];
    uint32_t gone = 0;
    uint32_t merged = 0;
    uint32_t around = 0;
    sator_int n_from;
    const char *why = count_all(state, image, &state->copies, &n_from);
    memcpy(space, system->space, sizeof *space * (size_t)system->n_space);
    memset(buses->credit, 0, sizeof buses->credit);
    buses->n = request->n_buses;
    for (int b = 0; b < buses->n && why == NULL; b++) {
        struct closed_bus *bus = &buses->bus[b];
        sator_int n_to;
        uint32_t mentioned = 0;
        bus->from = image;
        bus->n_rows = request->buses[b]->n_out;
        memcpy(form, request->bus[b], sizeof *form * (size_t)bus->n_rows);
        for (int i = 0; i < bus->n_rows; i++) {
            for (int d = 0; d < system->digits.n_digits; d++)
                mentioned |= (uint32_t)(form[i].coef[d] != 0) << d;
        }
        if (merged & mentioned)
            why = check_merged(state, system, request, image, around);
        clear_digits(form, bus->n_rows, gone);
        if (why == NULL)
            why = make_bus(state, system, request, form, bus);
        if (why == NULL)
            why = count_all(state, &bus->image, &bus->copies, &n_to);
        if (why != NULL)
            return why;
        bus->shares = n_to != n_from;
        if (!bus->shares)
            continue;
        compare_images(&system->digits, image, bus);
        if (b + 1 == buses->n)
            break;
        if (bus->copies.n > 1)
            return coupled;
        if (!zero_is_smallest(&system->digits, system->n_space, space, bus->dropped))
            return "the smallest PE on a bus is not that of digit 0";
        gone |= bus->dropped | bus->merged;
        merged |= bus->merged;
        around |= find_around(&system->digits, bus);
        clear_digits(space, system->n_space, bus->dropped | bus->merged);
        why = closed_buses_image(state, system, request, system->n_space, space, &bus->reduced);
        if (why == NULL && !same_axes(&system->digits, &bus->image, &bus->reduced))
            why = coupled;
        image = &bus->reduced;
        n_from = n_to;
    }
    return why;
}

/* ---- sources over fibres ---- */

/* Whether the values of the dropped digits are the same in all boxes of the factor. */
static bool constant_fibre(const struct closed_factor *factor, const bool *is_dropped)
{
    const struct closed_boxes *boxes = &factor->boxes;
    for (int i = 1; i < boxes->n; i++) {
        for (int a = 0; a < boxes->n_axes; a++) {
            struct closed_interval first = boxes->box[a];
            struct closed_interval other = closed_box(boxes, i)[a];
            if (is_dropped[a] && (first.lo != other.lo || first.hi != other.hi))
                return false;
        }
    }
    return true;
}

/* What is known of a source over the fibres of a bus. */
enum cover {
    COVER_WHOLE, /* it serves whole fibres or none of each */
    COVER_PART, /* as COVER_WHOLE where "mapped" holds, elsewhere perhaps some of a fibre */
    COVER_UNKNOWN
};

/* One loop's move when its fibres differ: where the fibre moves into one that holds it. The boxes
 * of the factor must have disjoint kept digits, so that each is the fibre of its own. */
static enum cover map_ragged(struct closed_pool *pool, const struct closed_bus *bus, int to_factor,
        const struct closed_factor *from, const int *kept_axis, const int64_t *shift,
        struct closed_source *mapped)
{
    const struct closed_boxes *boxes = &from->boxes;
    const struct closed_factor *to = &bus->image.factor[to_factor];
    int n_kept = to->boxes.n_axes;
    struct closed_boxes list = {.n_axes = n_kept, .box = pool->data + pool->used};
    if (mapped->n_parts == CLOSED_PARTS)
        return COVER_UNKNOWN;
    for (int i = 0; i < boxes->n; i++) {
        for (int j = 0; j < boxes->n; j++) {
            const struct closed_interval *x = closed_box(boxes, i);
            const struct closed_interval *y = closed_box(boxes, j);
            struct closed_interval *meet = closed_pool_take(pool, n_kept);
            bool inside = true;
            bool moved_meets = true;
            bool meets = true;
            if (meet == NULL)
                return COVER_UNKNOWN;
            for (int a = 0; a < boxes->n_axes; a++) {
                int64_t by = shift[from->first_axis + a];
                struct closed_interval moved = {y[a].lo + by, y[a].hi + by};
                if (kept_axis[a] < 0) {
                    inside = inside && y[a].lo <= x[a].lo && x[a].hi <= y[a].hi;
                    continue;
                }
                meet[kept_axis[a]] = closed_meet(x[a], moved);
                moved_meets = moved_meets && !closed_is_empty(meet[kept_axis[a]]);
                meets = meets && !closed_is_empty(closed_meet(x[a], y[a]));
            }
            if (i != j && meets)
                return COVER_UNKNOWN;
            if (inside && moved_meets)
                list.n++;
            else
                pool->used -= n_kept;
        }
    }
    mapped->part[mapped->n_parts].factor = to_factor;
    mapped->part[mapped->n_parts++].boxes = list;
    for (int a = 0; a < n_kept; a++)
        mapped->shift[to->first_axis + a] = 0;
    return COVER_PART;
}

/* Map the source's move in one factor of the bus's image. */
static enum cover map_factor(struct closed_pool *pool, const struct closed_digits *digits,
        const struct closed_bus *bus, int to_factor, const int64_t *shift,
        struct closed_source *mapped)
{
    const struct closed_image *from = bus->from;
    const struct closed_factor *to = &bus->image.factor[to_factor];
    const struct closed_factor *factor = NULL;
    int kept_axis[CLOSED_DIGITS]; /* of each axis of the factor, in the bus's image; -1: dropped */
    bool is_dropped[CLOSED_DIGITS] = {false};
    bool drops = false;
    bool forward = true; /* the loop starts at 0 and no kept digit moves down */
    for (int f = 0; f < from->n_factors; f++) {
        if (from->factor[f].loops == to->loops)
            factor = &from->factor[f];
    }
    if (factor == NULL)
        return COVER_UNKNOWN;
    for (int d = 0; d < digits->n_digits; d++) {
        int axis = from->axis_of_digit[d];
        if (axis < 0 || !(to->loops >> digits->digit[d].loop & 1))
            continue;
        if (bus->merged >> d & 1)
            return COVER_UNKNOWN;
        if (bus->dropped >> d & 1) {
            if (shift[axis] != 0)
                return COVER_UNKNOWN;
            kept_axis[axis - factor->first_axis] = -1;
            is_dropped[axis - factor->first_axis] = true;
            drops = true;
            continue;
        }
        mapped->shift[bus->image.axis_of_digit[d]] = shift[axis];
        kept_axis[axis - factor->first_axis] = bus->image.axis_of_digit[d] - to->first_axis;
        forward = forward && shift[axis] >= 0 && digits->loop[digits->digit[d].loop].begin == 0;
    }
    if (!drops)
        return COVER_WHOLE;
    if ((to->loops & (to->loops - 1)) != 0)
        return COVER_UNKNOWN;
    if (forward || constant_fibre(factor, is_dropped))
        return COVER_WHOLE;
    return map_ragged(pool, bus, to_factor, factor, kept_axis, shift, mapped);
}

/* Take over the source's boxes in some factors, if the bus leaves those factors as they are. */
static bool map_parts(const struct closed_digits *digits, const struct closed_bus *bus,
        const struct closed_source *source, struct closed_source *mapped)
{
    for (int i = 0; i < source->n_parts; i++) {
        uint32_t loops = bus->from->factor[source->part[i].factor].loops;
        int to = -1;
        for (int f = 0; f < bus->image.n_factors; f++)
            to = bus->image.factor[f].loops == loops ? f : to;
        for (int d = 0; d < digits->n_digits; d++) {
            if ((loops >> digits->digit[d].loop & 1) && ((bus->dropped | bus->merged) >> d & 1))
                return false;
        }
        if (to < 0)
            return false;
        mapped->part[i] = source->part[i];
        mapped->part[i].factor = to;
    }
    mapped->n_parts = source->n_parts;
    return true;
}

/* The dropped digits whose value 0 the source never serves: it moves up in them. */
static uint32_t find_misses(const struct closed_digits *digits, const struct closed_bus *bus,
        const struct closed_source *source)
{
    const struct closed_image *from = bus->from;
    uint32_t misses = 0;
    for (int d = 0; d < digits->n_digits; d++) {
        const struct closed_loop *loop = &digits->loop[digits->digit[d].loop];
        uint32_t of_loop = (((uint32_t)1 << loop->n_digits) - 1) << loop->first_digit;
        if (!(bus->dropped >> d & 1) || source->shift[from->axis_of_digit[d]] <= 0)
            continue;
        uint32_t group = group_of(from, digits->n_digits, d);
        if ((group & ~(bus->dropped & of_loop)) == 0 && loop->begin == 0)
            misses |= group & -group;
    }
    return misses;
}

/* Map a source's move to the image of the bus. */
static enum cover map_source(struct closed_pool *pool, const struct closed_digits *digits,
        const struct closed_bus *bus, const struct closed_source *source,
        struct closed_source *mapped)
{
    uint32_t moving = closed_image_moving(bus->from, source->shift);
    uint32_t mapped_loops = 0;
    enum cover cover = COVER_WHOLE;
    if (moving & bus->copy_loops)
        return COVER_UNKNOWN;
    if (source->consumers != NULL || !map_parts(digits, bus, source, mapped))
        return COVER_UNKNOWN;
    memset(mapped->shift, 0, sizeof mapped->shift);
    mapped->credit = source->credit;
    mapped->consumers = NULL;
    for (int f = 0; f < bus->image.n_factors; f++) {
        uint32_t loops = bus->image.factor[f].loops;
        mapped_loops |= loops;
        if (!(loops & moving))
            continue;
        enum cover here = map_factor(pool, digits, bus, f, source->shift, mapped);
        if (here == COVER_UNKNOWN)
            return here;
        cover = here == COVER_PART ? here : cover;
    }
    return (moving & ~mapped_loops) == 0 ? cover : COVER_UNKNOWN;
}

/* The representative of a fibre that is served in part is not the one of digit 0. Its digits depend
 * on the factor alone, and so on stamp and element, if nothing else moves; if not, the PEs of one
 * stamp differ in it. */
static bool moves_alone(const struct closed_bus *bus, const struct closed_source *source,
        const struct closed_source *mapped)
{
    int factor = mapped->part[mapped->n_parts - 1].factor;
    return (closed_image_moving(bus->from, source->shift) & ~bus->image.factor[factor].loops) == 0;
}

/* Map the sources that serve whole fibres. The others must leave a pair of each fibre: all miss the
 * value 0 of one digit, or there is but one, which serves part of a fibre. */
static const char *map_sources(struct closed_pool *pool, const struct closed_digits *digits,
        const struct closed_bus *bus, bool is_last, const struct closed_sources *sources,
        struct closed_sources *mapped)
{
    uint32_t all_miss = ~(uint32_t)0;
    int n_parts = 0;
    int n_unknown = 0;
    closed_sources_init(mapped, pool, &bus->image);
    for (int i = 0; i < sources->n; i++) {
        const struct closed_source *source = &sources->list[i];
        enum cover cover = map_source(pool, digits, bus, source, &mapped->list[mapped->n]);
        mapped->n += cover != COVER_UNKNOWN;
        n_parts += cover == COVER_PART;
        if (source->n_parts > 0 && cover == COVER_UNKNOWN)
            return coupled;
        if (cover == COVER_PART && !is_last &&
                !moves_alone(bus, source, &mapped->list[mapped->n - 1]))
            return coupled;
        if (cover == COVER_UNKNOWN) {
            n_unknown++;
            all_miss &= find_misses(digits, bus, source);
        }
    }
    if (all_miss == 0 || n_parts > 1 || (n_parts == 1 && n_unknown > 0))
        return coupled;
    return NULL;
}

/* ---- crediting ---- */

/* The pairs of all copies of the bus's image in a case that "mapped" leaves to fetch. */
static const char *count_left(struct closed_state *state, const struct closed_system *system,
        const struct closed_case *when, struct closed_bus *bus, struct closed_sources *mapped,
        sator_int *left)
{
    int n_mapped = mapped->n;
    const char *why = NULL;
    *left = 0;
    for (int copy = 0; copy < bus->copies.n && why == NULL; copy++) {
        struct closed_region region;
        sator_int count = 0;
        int used = state->pool.used;
        closed_region_all(&bus->image, &region);
        mapped->n = n_mapped;
        for (int from = 0; from < copy && why == NULL; from++) {
            int64_t rhs[CLOSED_ROWS];
            closed_copies_difference(&bus->copies, bus->image.n_rows, copy, from, rhs);
            why = closed_sources_add(mapped, rhs, 0);
        }
        for (int r = 0; when != NULL && r < system->times.n_rows && why == NULL; r++) {
            int64_t moved = bus->copies.constant[copy][bus->n_rows + r];
            struct closed_interval slab = {when->slab[r].lo - moved, when->slab[r].hi - moved};
            why = closed_region_clip(&state->pool, &bus->image, bus->n_rows + r, slab, &region);
        }
        if (why == NULL)
            why = closed_region_count(&bus->image, &region, &count);
        if (why == NULL)
            why = closed_count_fresh(mapped, &region, count, mapped->n, &count);
        *left += count;
        state->pool.used = used;
    }
    mapped->n = n_mapped;
    return why;
}

const char *closed_buses_credit(struct closed_state *state, const struct closed_system *system,
        const struct closed_case *when, const struct closed_sources *sources, sator_int left,
        struct closed_buses *buses)
{
    const char *why = NULL;
    int turn = 0;
    int used = state->pool.used;
    for (int b = 0; b < buses->n && left > 0 && why == NULL; b++) {
        struct closed_bus *bus = &buses->bus[b];
        struct closed_sources *mapped = &buses->sources[turn];
        sator_int count = 0;
        if (!bus->shares)
            continue;
        why = map_sources(&state->pool, &system->digits, bus, b + 1 == buses->n, sources, mapped);
        if (why == NULL)
            why = count_left(state, system, when, bus, mapped, &count);
        buses->credit[b] += left - count;
        left = count;
        sources = mapped;
        turn = 1 - turn;
    }
    state->pool.used = used;
    return why;
}
