/* Buses between sheets: what is left to fetch, cut into disjoint systems.
 *
 * A pair is saved by a bus if a smaller PE of its bus has the same element left to fetch. PEs of
 * one bus are few distances apart; a distance takes the pairs with such a neighbour away. What is
 * taken away is a conjunction of rows; the rest is cut along them: outside of the first, inside it
 * and outside of the second, and so on.
 */
#include "base/room.h"
#include "count/closed/sheets.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_PES = SATOR_ROOM(1024, 8) /* of an array whose distances are looked at */
};

void closed_pieces_clear(struct closed_pieces *pieces)
{
    for (int i = 0; i < pieces->n; i++)
        sator_system_free(pieces->list[i]);
    pieces->n = 0;
    pieces->count = 0;
}

const struct sator_decline *closed_pieces_add(
        struct closed_sheets *sheets, struct closed_pieces *pieces, struct sator_system *system)
{
    sator_int points = 0;
    bool empty = false;
    enum sator_status st = sator_points_count(sheets->points, sator_system_copy(system), &points);
    if (st == SATOR_OK && points > 0)
        st = sator_system_simplify(system, system->n_vars, &empty);
    if (st != SATOR_OK || points == 0 || pieces->n == CLOSED_PIECES) {
        sator_system_free(system);
        return st == SATOR_OK && points > 0 ? DECLINE("what buses leave has too many pieces")
                                            : closed_sheets_status(sheets, st);
    }
    if (pieces->n == 0)
        pieces->count = 0;
    pieces->list[pieces->n] = system;
    pieces->points[pieces->n++] = points;
    pieces->count += points;
    return NULL;
}

static bool has_row(const struct sator_system *system, const int64_t *row)
{
    size_t size = sizeof *row * (size_t)sator_system_stride(system);
    for (int r = 0; r < system->n_rows; r++) {
        if (memcmp(sator_system_row(system, r), row, size) == 0)
            return true;
    }
    return false;
}

/* Add the points of "piece" (TAKE) outside of "hole", which is over the same variables. */
static const struct sator_decline *add_outside(struct closed_sheets *sheets,
        struct sator_system *piece, const struct sator_system *hole, struct closed_pieces *pieces)
{
    const struct sator_decline *why = NULL;
    for (int r = 0; r < hole->n_rows && why == NULL; r++) {
        const int64_t *row = sator_system_row(hole, r);
        int kind = (int)row[ROW_KIND];
        if (has_row(piece, row))
            continue;
        why = closed_pieces_add(sheets, pieces, sator_system_cut(piece, row, KIND_INEQUALITY, -1));
        if (why == NULL && kind == KIND_EQUALITY)
            why = closed_pieces_add(
                    sheets, pieces, sator_system_cut(piece, row, KIND_INEQUALITY, 0));
        struct sator_system *inside = sator_system_cut(piece, row, kind, 1);
        sator_system_free(piece);
        piece = inside;
    }
    sator_system_free(piece);
    return why;
}

const struct sator_decline *closed_pieces_subtract(struct closed_sheets *sheets,
        struct closed_pieces *pieces, const struct sator_system *system, int n)
{
    int n_before = pieces->n;
    int kept = 0;
    const struct sator_decline *why = NULL;
    for (int i = 0; i < n_before; i++) {
        struct sator_system *piece = pieces->list[i];
        struct sator_system *hole = NULL;
        sator_int points = 0;
        bool empty = why != NULL;
        if (why == NULL) {
            hole = sator_system_conjoin(piece, system, n);
            why = closed_sheets_status(sheets, sator_system_simplify(hole, n, &empty));
        }
        if (why == NULL && !empty)
            why = closed_sheets_status(
                    sheets, sator_points_count(sheets->points, sator_system_copy(hole), &points));
        if (why == NULL && points > 0 && points < pieces->points[i] && hole->n_vars > n)
            why = DECLINE("what buses leave has holes");
        if (why != NULL || points == 0) {
            pieces->points[kept] = pieces->points[i];
            pieces->list[kept++] = piece;
        } else {
            pieces->count -= pieces->points[i];
            if (points < pieces->points[i])
                why = add_outside(sheets, piece, hole, pieces);
            else
                sator_system_free(piece);
        }
        sator_system_free(hole);
    }
    int n_new = pieces->n - n_before;
    memmove(&pieces->list[kept], &pieces->list[n_before], sizeof *pieces->list * (size_t)n_new);
    memmove(&pieces->points[kept], &pieces->points[n_before],
            sizeof *pieces->points * (size_t)n_new);
    pieces->n = kept + n_new;
    return why;
}

/* ---- distances on a bus ---- */

/* The PEs that sheets reach, as a box of the array. */
struct used_pes {
    int n_space;
    int64_t lo[CLOSED_SPACES], size[CLOSED_SPACES];
    int64_t n;
};

static const struct sator_decline *find_used(
        const struct closed_sheets *sheets, int n_space, struct used_pes *used)
{
    used->n_space = n_space;
    used->n = 1;
    for (int k = 0; k < n_space; k++) {
        struct closed_interval reach = sheets->sheet[0].reach[k];
        for (int i = 1; i < sheets->n; i++) {
            struct closed_interval other = sheets->sheet[i].reach[k];
            reach.lo = other.lo < reach.lo ? other.lo : reach.lo;
            reach.hi = other.hi > reach.hi ? other.hi : reach.hi;
        }
        used->lo[k] = reach.lo;
        used->size[k] = closed_width(reach);
        if (__builtin_mul_overflow(used->n, used->size[k], &used->n) || used->n > MOST_PES)
            return DECLINE("an array with buses has too many PEs for different maps of a tensor");
    }
    return NULL;
}

/* All of them in their order, with their buses. */
static const struct sator_decline *list_buses(const struct sator_relation *bus,
        const struct used_pes *used, int64_t (*pe)[CLOSED_SPACES], int64_t (*on)[CLOSED_SPACES])
{
    const struct sator_piece *piece = sator_relation_function(bus);
    memcpy(pe[0], used->lo, sizeof pe[0]);
    for (int64_t i = 0; i < used->n; i++) {
        for (int k = 0; k < bus->n_out; k++) {
            if (!sator_expr_value(piece->out[k], pe[i], &on[i][k]))
                return DECLINE("a bus's number is too large");
        }
        if (i + 1 == used->n)
            break;
        memcpy(pe[i + 1], pe[i], sizeof pe[i]);
        int k = used->n_space - 1;
        while (++pe[i + 1][k] == used->lo[k] + used->size[k]) {
            pe[i + 1][k] = used->lo[k];
            k--;
        }
    }
    return NULL;
}

/* Append to - from unless "known" has it. */
static const struct sator_decline *add_distance(const struct used_pes *used, const int64_t *from,
        const int64_t *to, bool *known, struct closed_distances *distances)
{
    int64_t by[CLOSED_ROWS] = {0};
    int64_t number = 0;
    for (int k = 0; k < used->n_space; k++) {
        by[k] = to[k] - from[k];
        number = number * (2 * used->size[k] - 1) + by[k] + used->size[k] - 1;
    }
    if (known[number])
        return NULL;
    if (distances->n == CLOSED_DISTANCES)
        return DECLINE("the PEs of a bus have too many distances");
    known[number] = true;
    memcpy(distances->by[distances->n++], by, sizeof by);
    return NULL;
}

const struct sator_decline *closed_distances_find(const struct closed_sheets *sheets,
        const struct sator_relation *bus, int n_space, struct closed_distances *distances)
{
    int64_t pe[MOST_PES][CLOSED_SPACES];
    int64_t on[MOST_PES][CLOSED_SPACES];
    struct used_pes used = {0};
    size_t n_known = 1;
    distances->n = 0;
    const struct sator_decline *why = find_used(sheets, n_space, &used);
    if (why != NULL)
        return why;
    for (int k = 0; k < n_space; k++)
        n_known *= 2 * (size_t)used.size[k] - 1; /* at most 2^n_space * MOST_PES */
    bool *known = sator_alloc(n_known);
    memset(known, 0, n_known);
    why = list_buses(bus, &used, pe, on);
    for (int64_t i = 0; i < used.n && why == NULL; i++) {
        for (int64_t j = i + 1; j < used.n && why == NULL; j++) {
            if (memcmp(on[i], on[j], sizeof on[i][0] * (size_t)bus->n_out) == 0)
                why = add_distance(&used, pe[i], pe[j], known, distances);
        }
    }
    free(known);
    return why;
}

/* ---- sharing ---- */

/* Take from "left", pieces of sheet "a", those with a neighbour at "move" on the bus among
 * "others", pieces of sheet "b". */
static const struct sator_decline *take_neighbours(struct closed_sheets *sheets, int a,
        struct closed_view *view, const struct closed_pieces *others, struct closed_pieces *left)
{
    struct sator_system *any = sator_system_new(sheets->sheet[a].image->n_axes, 1);
    struct sator_system *base = closed_sheet_system(sheets, a);
    view->part = NULL;
    struct sator_system *whole = closed_sheet_meet(sheets, a, view, base);
    sator_int points = 0;
    const struct sator_decline *why = NULL;
    if (whole != NULL)
        why = closed_sheets_status(sheets, sator_points_count(sheets->points, whole, &points));
    for (int i = 0; i < others->n && points > 0 && why == NULL; i++) {
        view->part = others->list[i];
        struct sator_system *meet = closed_sheet_meet(sheets, a, view, any);
        bool empty = false;
        if (meet == NULL)
            continue;
        why = closed_sheets_status(sheets, sator_system_simplify(meet, any->n_vars, &empty));
        if (why == NULL && !empty)
            why = closed_pieces_subtract(sheets, left, meet, any->n_vars);
        sator_system_free(meet);
    }
    sator_system_free(base);
    sator_system_free(any);
    return why;
}

/* How far apart two PEs of one bus can be that have an element of sheets "a" and "b" in the same
 * stamp; false when there are none. */
static const struct sator_decline *find_spread(struct closed_sheets *sheets, int bus, int n_space,
        int a, int b, struct sator_range *spread, bool *any)
{
    const struct closed_sheet *here = &sheets->sheet[a];
    const struct closed_sheet *there = &sheets->sheet[b];
    struct closed_view view = {.sheet = b, .bus = bus, .n_free = n_space};
    struct sator_system *base = closed_sheet_system(sheets, a);
    struct sator_system *meet = closed_sheet_meet(sheets, a, &view, base);
    bool empty = false;
    *any = false;
    sator_system_free(base);
    if (meet == NULL)
        return NULL;
    struct sator_system *apart = sator_system_new(meet->n_vars + n_space, meet->n_rows + n_space);
    int vars[2 * CLOSED_DIGITS];
    for (int v = 0; v < meet->n_vars; v++)
        vars[v] = n_space + v;
    sator_system_add_rows(apart, meet, vars);
    for (int k = 0; k < n_space; k++) {
        int64_t *row = sator_system_add(apart, KIND_EQUALITY);
        row[ROW_CONSTANT] = here->constant[k] - there->constant[k];
        row[ROW_COEFFICIENTS + k] = -1;
        for (int v = 0; v < here->image->n_axes; v++)
            row[ROW_COEFFICIENTS + n_space + v] = closed_image_coef(here->image, k, v);
        for (int v = 0; v < there->image->n_axes; v++)
            row[ROW_COEFFICIENTS + n_space + here->image->n_axes + v] =
                    -closed_image_coef(there->image, k, v);
    }
    sator_system_free(meet);
    const struct sator_decline *why =
            closed_sheets_status(sheets, sator_system_simplify(apart, n_space, &empty));
    if (why == NULL && !empty) {
        struct sator_range range[2 * CLOSED_DIGITS + CLOSED_SPACES];
        sator_system_ranges(apart, range, &empty);
        memcpy(spread, range, sizeof *spread * (size_t)n_space);
        *any = !empty;
    }
    sator_system_free(apart);
    return why;
}

static bool is_within(const int64_t *by, int n_space, const struct sator_range *spread)
{
    bool within = true;
    for (int k = 0; k < n_space; k++)
        within = within && by[k] >= spread[k].lower && by[k] <= spread[k].upper;
    return within;
}

/* The pieces of sheet "a" that are the first of their group on the bus. */
static const struct sator_decline *keep_first(struct closed_sheets *sheets, int bus, int n_space,
        int a, const struct closed_distances *distances, const struct closed_pieces *before,
        struct closed_pieces *left)
{
    const struct sator_decline *why = NULL;
    left->n = 0;
    left->count = 0;
    for (int i = 0; i < before[a].n && why == NULL; i++)
        why = closed_pieces_add(sheets, left, sator_system_copy(before[a].list[i]));
    for (int b = 0; b < sheets->n && why == NULL && left->n > 0; b++) {
        struct sator_range spread[CLOSED_SPACES];
        bool any = false;
        why = find_spread(sheets, bus, n_space, a, b, spread, &any);
        for (int d = 0; any && d < distances->n && why == NULL && left->n > 0; d++) {
            struct closed_view view = {.sheet = b, .move = distances->by[d], .bus = bus};
            if (is_within(view.move, n_space, spread))
                why = take_neighbours(sheets, a, &view, &before[b], left);
        }
    }
    return why;
}

const struct sator_decline *closed_pieces_share(struct closed_sheets *sheets, int n_space,
        const struct closed_distances *distances, struct closed_pieces *left, sator_int *by_bus)
{
    size_t size = sizeof *left * (size_t)(sheets->n + 1);
    struct closed_pieces *first = sator_alloc(size);
    const struct sator_decline *why = NULL;
    for (int bus = 0; bus < sheets->n_buses && why == NULL; bus++) {
        int made = 0;
        while (made < sheets->n && why == NULL) {
            why = keep_first(sheets, bus, n_space, made, &distances[bus], left, &first[made]);
            made++;
        }
        for (int a = 0; a < made; a++) {
            by_bus[bus] += left[a].count - first[a].count;
            closed_pieces_clear(&left[a]);
            left[a] = first[a];
        }
    }
    free(first);
    return why;
}
