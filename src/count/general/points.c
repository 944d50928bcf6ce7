/* Counting the integer points of a system, exactly.
 *
 * Equalities are solved over the integers; independent parts multiply; a variable whose number of
 * values does not depend on the others is a factor; a part of two variables is a polygon, summed in
 * closed form. Otherwise one variable is enumerated, the one with the fewest values that matter:
 * over the interior of its range, where its rows restrict nothing else, all values leave the same
 * system, which is counted once. Sub-counts are remembered by their system, which is kept in a
 * normal form. So a tiled loop costs its digits, not its extent.
 */
#include "count/general/points.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/memo.h"
#include "count/general/series.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory of sub-counts ---- */

struct sator_points {
    struct sator_ctx *ctx;
    struct sator_memo *memory; /* struct sator_memo_value, by the cells of systems */
    struct sator_arena *arena; /* outer values */
    size_t n_outer;
};

enum {
    MOST_CELLS = 8 << 20
};

struct sator_points *sator_points_new(struct sator_ctx *ctx)
{
    struct sator_points *points = sator_alloc(sizeof *points);

    *points = (struct sator_points){.ctx = ctx};
    points->arena = sator_arena_new();
    points->memory = sator_memo_new(sizeof(struct sator_memo_value));
    return points;
}

void sator_points_free(struct sator_points *points)
{
    if (!points)
        return;
    sator_arena_free(points->arena);
    sator_memo_free(points->memory);
    free(points);
}

const struct sator_memo_value *sator_points_recall(
        const struct sator_points *points, const int64_t *cells, size_t n_cells)
{
    return sator_memo_find(points->memory, cells, n_cells);
}

static void forget_all(struct sator_points *points)
{
    sator_arena_clear(points->arena);
    sator_memo_clear(points->memory);
    points->n_outer = 0;
}

void sator_points_remember(struct sator_points *points, const int64_t *cells, size_t n_cells,
        const struct sator_memo_value *value)
{
    bool is_new;

    if (sator_memo_key_words(points->memory) + points->n_outer + n_cells > MOST_CELLS)
        forget_all(points);
    struct sator_memo_value *memory = sator_memo_place(points->memory, cells, n_cells, &is_new);
    if (!is_new)
        return; /* a recursion that met the same system has been here */
    *memory = *value;
    memory->outer = NULL;
    if (value->n_outer > 0)
        memory->outer = sator_arena_copy(
                points->arena, value->outer, sizeof *value->outer * (size_t)value->n_outer);
    points->n_outer += (size_t)value->n_outer;
}

/* ---- what the recursion looks at ---- */

enum sator_status sator_points_work(struct sator_points *points, uint64_t ticks)
{
    return sator_work(points->ctx, ticks);
}

static enum sator_status report_infinite(struct sator_points *points)
{
    static const struct sator_loc nowhere;

    return sator_error(points->ctx, nowhere, "the relations describe infinitely many points");
}

static bool is_finite(struct sator_range range)
{
    return range.lower != INT64_MIN && range.upper != INT64_MAX;
}

enum sator_status sator_points_range(struct sator_points *points, const struct sator_system *system,
        int var, struct sator_range *range)
{
    enum sator_status st = sator_system_project(points->ctx, system, var, range);

    if (st == SATOR_OK && !is_finite(*range))
        st = report_infinite(points);
    return st;
}

/* What a row asks of one variable, whatever the others are: a * var + least >= 0. */
struct demand {
    bool alone; /* no other variable is in the row */
    bool known; /* the others are bounded on the side that matters, and "least" fits */
    sator_int a, least; /* the coefficient; the constant and the least of the others' terms */
};

static struct demand demand_of(const struct sator_system *system, const int64_t *row, int var,
        const struct sator_range *stated)
{
    struct demand demand = {.alone = true,
            .known = true,
            .a = row[ROW_COEFFICIENTS + var],
            .least = row[ROW_CONSTANT]};

    for (int v = 0; v < system->n_vars; v++) {
        sator_int b = v == var ? 0 : row[ROW_COEFFICIENTS + v];
        int64_t bound = b > 0 ? stated[v].lower : stated[v].upper;

        if (b == 0)
            continue;
        demand.alone = false;
        demand.known = demand.known && bound != INT64_MIN && bound != INT64_MAX &&
                sator_add(demand.least, b * bound, &demand.least);
    }
    return demand;
}

/* The part of "range" where a * var + least >= 0, a != 0. */
static struct sator_range narrow(struct sator_range range, sator_int a, sator_int least)
{
    static const struct sator_range none = {0, -1};

    if (a > 0) {
        sator_int lower = least >= 0 ? -(least / a) : (-least + a - 1) / a;

        if (lower > range.upper)
            return none;
        if (lower > range.lower)
            range.lower = (int64_t)lower;
    } else {
        sator_int upper = least >= 0 ? least / -a : -((-least - a - 1) / -a);

        if (upper < range.lower)
            return none;
        if (upper < range.upper)
            range.upper = (int64_t)upper;
    }
    return range;
}

struct sator_range sator_points_interior(
        const struct sator_system *system, int var, struct sator_range range)
{
    static const struct sator_range none = {0, -1};
    struct sator_range *stated = sator_alloc(sizeof *stated * (size_t)system->n_vars);

    sator_system_stated(system, stated);
    for (int r = 0; r < system->n_rows && range.lower <= range.upper; r++) {
        const int64_t *row = sator_system_row(system, r);
        struct demand demand;

        if (row[ROW_COEFFICIENTS + var] == 0)
            continue;
        demand = demand_of(system, row, var, stated);
        if (!demand.alone)
            range = row[ROW_KIND] == KIND_EQUALITY || !demand.known
                    ? none
                    : narrow(range, demand.a, demand.least);
    }
    free(stated);
    return range;
}

/* ---- counting ---- */

static enum sator_status count_part(
        struct sator_points *points, struct sator_system *part, sator_int *count);

/* If all rows with "var" bound one linear form from both sides, and the number of values of "var"
 * does not depend on the rest of the form, that number; else 0. */
static sator_int constant_factor(const struct sator_system *system, int var)
{
    const int64_t *low = NULL, *high = NULL;
    sator_int width, a;

    for (int r = 0; r < system->n_rows; r++) {
        const int64_t *row = sator_system_row(system, r);

        if (row[ROW_COEFFICIENTS + var] == 0)
            continue;
        if (row[ROW_KIND] == KIND_EQUALITY || high)
            return 0;
        *(low ? &high : &low) = row;
    }
    if (!high)
        return 0;
    for (int v = 0; v < system->n_vars; v++)
        if (low[ROW_COEFFICIENTS + v] != -high[ROW_COEFFICIENTS + v])
            return 0;
    /* The form takes "width" consecutive values; "var" moves it in steps of a. */
    width = (sator_int)low[ROW_CONSTANT] + high[ROW_CONSTANT] + 1;
    a = low[ROW_COEFFICIENTS + var];
    a = a < 0 ? -a : a;
    return width % a == 0 ? width / a : 0;
}

/* The system without "var" and its rows. */
static struct sator_system *drop_var(const struct sator_system *system, int var)
{
    struct sator_system *rest = sator_system_new(system->n_vars - 1, system->n_rows);

    for (int r = 0; r < system->n_rows; r++) {
        const int64_t *from = sator_system_row(system, r);
        int64_t *to;

        if (from[ROW_COEFFICIENTS + var] != 0)
            continue;
        to = sator_system_add(rest, (int)from[ROW_KIND]);
        for (int c = ROW_CONSTANT; c < sator_system_stride(system); c++)
            if (c != ROW_COEFFICIENTS + var)
                *++to = from[c];
    }
    return rest;
}

/* A variable whose values are looked at, each or some. */
struct choice {
    int var;
    struct sator_range range, interior;
    bool summed; /* by "series" */
    struct sator_series series;
    sator_int cost; /* systems to be counted, those inside of these estimated */
};

enum {
    COSTLY = 16, /* systems: what looking for a series may take */
    INSIDE = 16 /* systems for each variable of a part beyond two, which are counted at once */
};

/* The independent parts once "var" is fixed, which is one by itself. */
static int parts_without(const struct sator_system *system, int var, int *component)
{
    struct sator_system *rest = sator_system_copy(system);
    int n_parts;

    for (int r = 0; r < rest->n_rows; r++)
        sator_system_row(rest, r)[ROW_COEFFICIENTS + var] = 0;
    n_parts = sator_system_components(rest, component);
    sator_system_free(rest);
    return n_parts;
}

/* An estimate of the systems that a part of "n_vars" variables is counted by. */
static sator_int inside_part(int n_vars)
{
    sator_int inside = 1;

    for (int v = 2; v < n_vars && v < 10; v++)
        inside *= INSIDE;
    return inside;
}

/* The same for what one value of "var" leaves. */
static sator_int inside_of(const struct sator_system *system, int var, int *component)
{
    int n_parts = parts_without(system, var, component), most = 0;

    for (int part = 0; part < n_parts; part++) {
        int n_vars = 0;

        for (int v = 0; v < system->n_vars; v++)
            n_vars += component[v] == part;
        most = n_vars > most ? n_vars : most;
    }
    return inside_part(most);
}

/* All values of "var", but once for those in the interior of its range. */
static struct choice weigh_values(
        const struct sator_system *system, int var, struct sator_range range, sator_int inside)
{
    struct choice choice = {.var = var, .range = range};

    choice.interior = sator_points_interior(system, var, range);
    choice.cost = (sator_int)range.upper - range.lower + 1;
    if (choice.interior.lower <= choice.interior.upper)
        choice.cost -= (sator_int)choice.interior.upper - choice.interior.lower;
    choice.cost *= inside;
    return choice;
}

/* Have the series along a variable as "best" that costs less, if there is one. Those with the
 * smallest parts are looked at first: then others cannot be better. A series is a few values of
 * each run; where that can hardly be half of the best, looking for it takes longer than it saves.
 */
static void weigh_series(const struct sator_system *system, const struct sator_range *ranges,
        const sator_int *inside, int *component, struct choice *best)
{
    int n_vars = system->n_vars;

    for (sator_int size = 1; 2 * size * n_vars < best->cost; size *= INSIDE)
        for (int v = 0; v < n_vars; v++) {
            struct choice choice = {.var = v, .summed = true};

            if (inside[v] != size || !is_finite(ranges[v]))
                continue;
            if (!sator_series_find(system, v, ranges[v], component,
                        parts_without(system, v, component), &choice.series))
                continue;
            choice.cost = sator_series_cost(&choice.series) * size;
            if (choice.cost < best->cost)
                *best = choice;
        }
}

/* The variable whose enumeration asks for the fewest sub-counts. */
static enum sator_status choose_var(
        struct sator_points *points, const struct sator_system *system, struct choice *best)
{
    size_t n_vars = (size_t)system->n_vars;
    struct sator_range *ranges = sator_alloc(sizeof *ranges * n_vars);
    sator_int *inside = sator_alloc(sizeof *inside * n_vars);
    int *component = sator_alloc(sizeof *component * n_vars);
    enum sator_status st = SATOR_OK;
    bool empty;

    sator_system_ranges(system, ranges, &empty);
    best->var = -1;
    for (int v = 0; v < system->n_vars; v++) {
        struct choice choice;

        inside[v] = inside_of(system, v, component);
        if (!is_finite(ranges[v]))
            continue;
        choice = weigh_values(system, v, ranges[v], inside[v]);
        if (best->var < 0 || choice.cost < best->cost)
            *best = choice;
    }
    if (best->var < 0) {
        SATOR_TRY(sator_points_range(points, system, 0, &ranges[0]));
        *best = weigh_values(system, 0, ranges[0], inside[0]);
    }
    if (best->cost > COSTLY)
        weigh_series(system, ranges, inside, component, best);
done:
    free(component);
    free(inside);
    free(ranges);
    return st;
}

/* The narrowest linear form of several variables that is bounded from both sides: the row of its
 * lower bound and the number of its values; row -1 when there is none. Simplified rows have a
 * form's two bounds next to each other. */
static int narrowest_form(const struct sator_system *system, sator_int *width)
{
    int stride = sator_system_stride(system), best = -1;

    for (int r = 0; r + 1 < system->n_rows; r++) {
        const int64_t *low = sator_system_row(system, r), *high = low + stride;
        sator_int sum = (sator_int)low[ROW_CONSTANT] + high[ROW_CONSTANT] + 1;
        bool opposite = low[ROW_KIND] == KIND_INEQUALITY && high[ROW_KIND] == KIND_INEQUALITY;

        for (int c = ROW_COEFFICIENTS; c < stride && opposite; c++)
            opposite = low[c] == -high[c];
        if (opposite && (best < 0 || sum < *width)) {
            best = r;
            *width = sum;
        }
    }
    return best;
}

/* Sum over the values of the form that row "low" bounds from below. */
static enum sator_status enumerate_form(struct sator_points *points,
        const struct sator_system *system, int low, sator_int width, sator_int *count)
{
    enum sator_status st = SATOR_OK;
    sator_int sum = 0;

    for (sator_int value = 0; value < width; value++) {
        struct sator_system *part = sator_system_copy(system);
        int64_t *row = sator_system_row(part, low);
        sator_int here;

        /* form + constant = value */
        row[ROW_KIND] = KIND_EQUALITY;
        if (__builtin_sub_overflow(row[ROW_CONSTANT], value, &row[ROW_CONSTANT]) ||
                row[ROW_CONSTANT] == INT64_MIN) {
            sator_system_free(part);
            SATOR_TRY(SATOR_DECLINED);
        }
        SATOR_TRY(sator_points_count(points, part, &here));
        if (!sator_add(sum, here, &sum))
            SATOR_TRY(SATOR_OVERFLOW);
    }
    *count = sum;
done:
    return st;
}

static enum sator_status enumerate_var(struct sator_points *points,
        const struct sator_system *system, const struct choice *choice, sator_int *count)
{
    enum sator_status st = SATOR_OK;
    sator_int sum = 0;

    for (sator_int value = choice->range.lower; value <= choice->range.upper; value++) {
        struct sator_system *rest;
        sator_int part, times = 1;

        if (value == choice->interior.lower && choice->interior.upper >= choice->interior.lower)
            times = (sator_int)choice->interior.upper - choice->interior.lower + 1;
        SATOR_TRY(sator_system_fix(system, choice->var, (int64_t)value, &rest));
        SATOR_TRY(sator_points_count(points, rest, &part));
        if (!sator_mul(part, times, &part) || !sator_add(sum, part, &sum))
            SATOR_TRY(SATOR_OVERFLOW);
        value += times - 1;
    }
    *count = sum;
done:
    return st;
}

static enum sator_status enumerate(
        struct sator_points *points, const struct sator_system *system, sator_int *count)
{
    enum sator_status st;
    struct choice choice;
    sator_int width = 0;
    int form = narrowest_form(system, &width);

    SATOR_TRY(choose_var(points, system, &choice));
    if (form >= 0 && width * inside_part(system->n_vars - 1) < choice.cost)
        st = enumerate_form(points, system, form, width, count);
    else if (choice.summed)
        st = sator_series_sum(points, sator_points_count, system, &choice.series, count);
    else
        st = enumerate_var(points, system, &choice, count);
done:
    return st;
}

/* Count a part of several variables that is not in the memory. */
static enum sator_status count_new(
        struct sator_points *points, const struct sator_system *part, sator_int *count)
{
    enum sator_status st;
    bool infinite = false;

    for (int v = 0; v < part->n_vars; v++) {
        sator_int factor = constant_factor(part, v);

        if (factor == 0)
            continue;
        SATOR_TRY(sator_points_count(points, drop_var(part, v), count));
        return sator_mul(*count, factor, count) ? SATOR_OK : SATOR_OVERFLOW;
    }
    if (part->n_vars != 2)
        return enumerate(points, part, count);
    st = sator_points_planar(part, &infinite, count);
    if (st == SATOR_DECLINED)
        return enumerate(points, part, count);
    if (infinite)
        st = report_infinite(points);
done:
    return st;
}

static enum sator_status count_line(
        struct sator_points *points, const struct sator_system *line, sator_int *count)
{
    struct sator_range range;
    bool empty;

    sator_system_ranges(line, &range, &empty);
    if (!empty && !is_finite(range))
        return report_infinite(points);
    *count = empty ? 0 : (sator_int)range.upper - range.lower + 1;
    return SATOR_OK;
}

static enum sator_status count_part(
        struct sator_points *points, struct sator_system *part, sator_int *count)
{
    size_t n_cells = (size_t)part->n_rows * (size_t)sator_system_stride(part);
    int64_t *cells;
    const struct sator_memo_value *known;
    enum sator_status st = SATOR_OK;

    if (part->n_vars == 1)
        return count_line(points, part, count);
    cells = sator_alloc(sizeof *cells * (n_cells + 1));
    cells[0] = part->n_vars;
    memcpy(cells + 1, part->cells, sizeof *cells * n_cells);
    known = sator_points_recall(points, cells, n_cells + 1);
    if (known) {
        *count = known->count;
    } else {
        SATOR_TRY(count_new(points, part, count));
        sator_points_remember(
                points, cells, n_cells + 1, &(struct sator_memo_value){.count = *count});
    }
done:
    free(cells);
    return st;
}

enum sator_status sator_points_count(
        struct sator_points *points, struct sator_system *system, sator_int *count)
{
    enum sator_status st;
    int *component = NULL, n_parts;
    sator_int product = 1;
    bool empty = false;

    SATOR_TRY(sator_points_work(
            points, (uint64_t)(system->n_rows + 1) * (uint64_t)sator_system_stride(system) * 4));
    SATOR_TRY(sator_system_tidy(&system, 0, &empty));
    component = sator_alloc(sizeof *component * (size_t)(system->n_vars + 1));
    n_parts = empty ? 0 : sator_system_components(system, component);
    if (n_parts == 1)
        SATOR_TRY(count_part(points, system, &product));
    for (int i = 0; i < n_parts && n_parts > 1 && product != 0; i++) {
        struct sator_system *part = sator_system_part(system, component, i);
        sator_int factor = 0;

        st = count_part(points, part, &factor);
        sator_system_free(part);
        SATOR_TRY(st);
        if (!sator_mul(product, factor, &product))
            SATOR_TRY(SATOR_OVERFLOW);
    }
    *count = empty ? 0 : product;
done:
    free(component);
    sator_system_free(system);
    return st;
}
