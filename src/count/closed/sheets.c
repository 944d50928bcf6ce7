/* Sheets: images cut until each is a few bounds, and systems that say where two of them meet. */
#include "count/closed/sheets.h"

#include <stdlib.h>
#include <string.h>

const struct sator_decline closed_sheets_stopped = {"counting was stopped"};

enum {
    HURRIED_WORK = 30000000, /* ticks for one question, while another engine may be faster */
    PATIENT_WORK = 300000000
};

/* ---- making sheets ---- */

static struct closed_interval hull_of(const struct closed_boxes *boxes, int axis)
{
    struct closed_interval hull = closed_box(boxes, 0)[axis];
    for (int i = 1; i < boxes->n; i++) {
        struct closed_interval range = closed_box(boxes, i)[axis];
        hull.lo = range.lo < hull.lo ? range.lo : hull.lo;
        hull.hi = range.hi > hull.hi ? range.hi : hull.hi;
    }
    return hull;
}

/* Whether the boxes are all points of their hull whose number, mixed-radix with the first axis the
 * lowest, is in "range". */
static bool is_number(const struct closed_boxes *boxes, const struct closed_interval *hull,
        struct closed_interval *range)
{
    sator_int points = 0;
    *range = (struct closed_interval){INT64_MAX, INT64_MIN};
    for (int i = 0; i < boxes->n; i++) {
        const struct closed_interval *box = closed_box(boxes, i);
        sator_int volume = 1;
        sator_int place = 1;
        sator_int lo = 0;
        sator_int hi = 0;
        for (int a = 0; a < boxes->n_axes; a++) {
            volume *= closed_width(box[a]);
            lo += place * (box[a].lo - hull[a].lo);
            hi += place * (box[a].hi - hull[a].lo);
            place *= closed_width(hull[a]);
            if (place >= CLOSED_BOUND)
                return false;
        }
        points += volume;
        range->lo = lo < range->lo ? (int64_t)lo : range->lo;
        range->hi = hi > range->hi ? (int64_t)hi : range->hi;
    }
    return points == (sator_int)range->hi - range->lo + 1;
}

/* The rows' values over the ranges of the axes. */
static void find_reach(const struct closed_sheets *sheets, struct closed_sheet *sheet)
{
    for (int r = 0; r < sheets->n_rows; r++) {
        struct closed_interval reach = {sheet->constant[r], sheet->constant[r]};
        for (int a = 0; a < sheet->image->n_axes; a++) {
            int64_t coef = closed_image_coef(sheet->image, r, a);
            reach.lo += coef * (coef < 0 ? sheet->axis[a].hi : sheet->axis[a].lo);
            reach.hi += coef * (coef < 0 ? sheet->axis[a].lo : sheet->axis[a].hi);
        }
        sheet->reach[r] = reach;
    }
}

/* A factor whose boxes are taken one by one. */
struct choice {
    const struct closed_factor *factor;
    int box;
};

/* Append a sheet for each combination of the boxes of "choice", else as "sheet". */
static const struct sator_decline *push_sheets(struct closed_sheets *sheets,
        struct closed_sheet *sheet, int n_choices, struct choice *choice)
{
    for (;;) {
        if (sheets->n == CLOSED_SHEETS)
            return DECLINE("the accesses of a tensor by different maps have too many boxes");
        for (int i = 0; i < n_choices; i++) {
            const struct closed_factor *factor = choice[i].factor;
            memcpy(&sheet->axis[factor->first_axis], closed_box(&factor->boxes, choice[i].box),
                    sizeof *sheet->axis * (size_t)factor->boxes.n_axes);
        }
        find_reach(sheets, sheet);
        sheets->sheet[sheets->n++] = *sheet;
        int i = 0;
        while (i < n_choices && ++choice[i].box == choice[i].factor->boxes.n)
            choice[i++].box = 0;
        if (i == n_choices)
            return NULL;
    }
}

/* Append the sheets of one image, for all its copies. */
static const struct sator_decline *add_image(struct closed_sheets *sheets, int map)
{
    const struct closed_image *image = &sheets->image[map];
    const struct closed_copies *copies = &sheets->state->copies;
    struct closed_sheet sheet = {.map = map, .image = image};
    struct choice choice[CLOSED_LOOPS];
    int n_choices = 0;
    for (int f = 0; f < image->n_factors; f++) {
        const struct closed_boxes *boxes = &image->factor[f].boxes;
        struct closed_interval *hull = &sheet.axis[image->factor[f].first_axis];
        struct closed_interval range;
        for (int a = 0; a < boxes->n_axes; a++)
            hull[a] = hull_of(boxes, a);
        if (boxes->n == 1)
            continue;
        if (sheet.n_numbers < CLOSED_NUMBERS && is_number(boxes, hull, &range))
            sheet.number[sheet.n_numbers++] =
                    (struct closed_number){image->factor[f].first_axis, boxes->n_axes, range};
        else
            choice[n_choices++] = (struct choice){&image->factor[f], 0};
    }
    for (int c = 0; c < copies->n; c++) {
        for (int r = 0; r < image->n_rows; r++)
            sheet.constant[r] = image->constant[r] + copies->constant[c][r];
        const struct sator_decline *why = push_sheets(sheets, &sheet, n_choices, choice);
        if (why != NULL)
            return why;
    }
    return NULL;
}

/* The image of the accesses of one map, which differ by constants. */
static const struct sator_decline *add_map(struct closed_sheets *sheets,
        const struct closed_digits *digits, int n_before, const struct closed_form *const *before,
        const struct closed_request *request, int map)
{
    struct closed_state *state = sheets->state;
    const struct closed_form *rows[CLOSED_ROWS];
    struct closed_copies *copies = &state->copies;
    const struct closed_form *const *copy = &request->copy[request->first_copy[map]];
    int n_out = request->access->n_out;
    for (int r = 0; r < n_before; r++)
        rows[r] = before[r];
    for (int i = 0; i < n_out; i++)
        rows[n_before + i] = &copy[0][i];
    copies->n = request->first_copy[map + 1] - request->first_copy[map];
    for (int c = 0; c < copies->n; c++) {
        memset(copies->constant[c], 0, sizeof copies->constant[c]);
        for (int i = 0; i < n_out; i++)
            copies->constant[c][n_before + i] = copy[c][i].constant - copy[0][i].constant;
    }
    const struct sator_decline *why = closed_copies_make(
            &state->pool, digits, 0, n_before + n_out, 0, rows, &sheets->image[map], copies);
    return why != NULL ? why : add_image(sheets, map);
}

const struct sator_decline *closed_sheets_begin(struct closed_state *state,
        const struct closed_digits *digits, int n_before, const struct closed_form *const *before,
        const struct closed_request *request, struct closed_sheets **sheets)
{
    if (state->sheets == NULL)
        state->sheets = sator_alloc(sizeof *state->sheets);
    *sheets = state->sheets;
    (*sheets)->state = state;
    (*sheets)->points = NULL;
    (*sheets)->n_rows = n_before + request->access->n_out;
    (*sheets)->n = 0;
    (*sheets)->first_bus = n_before;
    (*sheets)->n_buses = 0;
    (*sheets)->bus_rows[0] = n_before;
    if (request->n_maps > CLOSED_MAPS)
        return DECLINE("a tensor is accessed through too many different maps");
    if ((*sheets)->n_rows > CLOSED_ROWS)
        return DECLINE("a stamp has too many dimensions");
    state->pool.used = 0;
    for (int map = 0; map < request->n_maps; map++) {
        const struct sator_decline *why = add_map(*sheets, digits, n_before, before, request, map);
        if (why != NULL)
            return why;
    }
    (*sheets)->points = sator_points_new(state->ctx);
    state->work_limit = state->ctx->work_limit;
    uint64_t budget = state->ctx->work_done + (state->hurried ? HURRIED_WORK : PATIENT_WORK);
    if (budget < state->work_limit)
        state->ctx->work_limit = budget;
    return NULL;
}

void closed_sheets_end(struct closed_sheets *sheets)
{
    if (sheets->points == NULL)
        return;
    sheets->state->ctx->work_limit = sheets->state->work_limit;
    sator_points_free(sheets->points);
    sheets->points = NULL;
}

void closed_sheets_free(struct closed_sheets *sheets)
{
    free(sheets);
}

const struct sator_decline *closed_sheets_status(struct closed_sheets *sheets, enum sator_status st)
{
    struct closed_state *state = sheets->state;
    if (st == SATOR_OK)
        return NULL;
    if (st == SATOR_DECLINED)
        return DECLINE(
                "the places where different maps of a tensor meet have too large coefficients");
    if (st == SATOR_LIMIT && state->ctx->work_done < state->work_limit) {
        state->gave_up = state->hurried;
        return DECLINE("different maps of a tensor meet in too many ways");
    }
    state->stopped = st;
    return &closed_sheets_stopped;
}

/* ---- systems ---- */

/* Add lo <= the sum of coef * the variables from "first" on + constant <= hi. */
static void add_bounds(struct sator_system *system, int first, int n, const int64_t *coef,
        int64_t constant, struct closed_interval range)
{
    int64_t *row = sator_system_add(system, KIND_INEQUALITY);
    row[ROW_CONSTANT] = constant - range.lo;
    for (int v = 0; v < n; v++)
        row[ROW_COEFFICIENTS + first + v] = coef[v];
    row = sator_system_add(system, KIND_INEQUALITY);
    row[ROW_CONSTANT] = range.hi - constant;
    for (int v = 0; v < n; v++)
        row[ROW_COEFFICIENTS + first + v] = -coef[v];
}

/* Add the bounds of a sheet, whose axes are the variables from "first" on. */
static void add_sheet(struct sator_system *system, const struct closed_sheet *sheet, int first)
{
    const int64_t one = 1;
    for (int a = 0; a < sheet->image->n_axes; a++)
        add_bounds(system, first + a, 1, &one, 0, sheet->axis[a]);
    for (int i = 0; i < sheet->n_numbers; i++) {
        const struct closed_number *number = &sheet->number[i];
        int64_t place[CLOSED_DIGITS];
        int64_t constant = 0;
        int64_t next = 1;
        for (int a = 0; a < number->n_axes; a++) {
            struct closed_interval axis = sheet->axis[number->first_axis + a];
            place[a] = next;
            constant -= next * axis.lo;
            next *= closed_width(axis);
        }
        add_bounds(
                system, first + number->first_axis, number->n_axes, place, constant, number->range);
    }
}

struct sator_system *closed_sheet_system(const struct closed_sheets *sheets, int a)
{
    const struct closed_sheet *sheet = &sheets->sheet[a];
    int n = sheet->image->n_axes;
    struct sator_system *system = sator_system_new(n, 2 * n + 16);
    add_sheet(system, sheet, 0);
    return system;
}

void closed_sheet_bound(const struct closed_sheets *sheets, int a, int row,
        struct closed_interval range, struct sator_system *system)
{
    const struct closed_sheet *sheet = &sheets->sheet[a];
    int64_t coef[CLOSED_DIGITS];
    if (range.lo <= sheet->reach[row].lo && range.hi >= sheet->reach[row].hi)
        return;
    for (int v = 0; v < sheet->image->n_axes; v++)
        coef[v] = closed_image_coef(sheet->image, row, v);
    range = closed_meet(range, /* keep numbers small */
            (struct closed_interval){sheet->reach[row].lo - 1, sheet->reach[row].hi + 1});
    add_bounds(system, 0, sheet->image->n_axes, coef, sheet->constant[row], range);
}

/* Whether the points of "view" agree in row "row". */
static bool binds(const struct closed_sheets *sheets, const struct closed_view *view, int row)
{
    if (row < view->n_free)
        return false;
    if (row < sheets->first_bus || row >= sheets->bus_rows[sheets->n_buses])
        return true;
    return view->bus >= 0 && row >= sheets->bus_rows[view->bus] &&
            row < sheets->bus_rows[view->bus + 1];
}

struct sator_system *closed_sheet_meet(const struct closed_sheets *sheets, int a,
        const struct closed_view *view, const struct sator_system *base)
{
    const struct closed_sheet *here = &sheets->sheet[a];
    const struct closed_sheet *there = &sheets->sheet[view->sheet];
    const int64_t *move = view->move;
    int n_here = here->image->n_axes;
    int n_there = there->image->n_axes;
    int vars[CLOSED_DIGITS];
    for (int r = 0; r < sheets->n_rows; r++) {
        int64_t by = move == NULL ? 0 : move[r];
        if (binds(sheets, view, r) &&
                (here->reach[r].lo - by > there->reach[r].hi ||
                        here->reach[r].hi - by < there->reach[r].lo))
            return NULL;
    }
    struct sator_system *meet =
            sator_system_new(n_here + n_there, base->n_rows + 2 * n_there + sheets->n_rows + 16);
    for (int v = 0; v < n_here; v++)
        vars[v] = v;
    sator_system_add_rows(meet, base, vars);
    for (int v = 0; v < n_there; v++)
        vars[v] = n_here + v;
    if (view->part == NULL)
        add_sheet(meet, there, n_here);
    else
        sator_system_add_rows(meet, view->part, vars);
    for (int r = 0; r < sheets->n_rows; r++) {
        if (!binds(sheets, view, r))
            continue;
        int64_t *row = sator_system_add(meet, KIND_EQUALITY);
        row[ROW_CONSTANT] = here->constant[r] - there->constant[r] - (move == NULL ? 0 : move[r]);
        for (int v = 0; v < n_here; v++)
            row[ROW_COEFFICIENTS + v] = closed_image_coef(here->image, r, v);
        for (int v = 0; v < n_there; v++)
            row[ROW_COEFFICIENTS + n_here + v] = -closed_image_coef(there->image, r, v);
    }
    return meet;
}

struct sator_system *closed_sheet_keyed(
        const struct closed_sheets *sheets, int a, int n_keys, const struct sator_system *system)
{
    const struct closed_sheet *sheet = &sheets->sheet[a];
    int n = sheet->image->n_axes;
    struct sator_system *keyed = sator_system_new(system->n_vars + n_keys, system->n_rows + n_keys);
    int *vars = sator_alloc(sizeof *vars * (size_t)(system->n_vars + 1));
    for (int v = 0; v < system->n_vars; v++)
        vars[v] = v + n_keys;
    sator_system_add_rows(keyed, system, vars);
    free(vars);
    for (int r = 0; r < n_keys; r++) {
        int64_t *row = sator_system_add(keyed, KIND_EQUALITY);
        row[ROW_CONSTANT] = sheet->constant[r];
        row[ROW_COEFFICIENTS + r] = -1;
        for (int v = 0; v < n; v++)
            row[ROW_COEFFICIENTS + n_keys + v] = closed_image_coef(sheet->image, r, v);
    }
    return keyed;
}
