/* The most points that one value of the leading variables has.
 *
 * The systems share their leading (outer) variables and are enumerated together over these; what is
 * left when all have a value is counted. Runs of values over which no system's remainder changes
 * are looked at once; a single system is split into independent parts, whose maxima multiply;
 * remainders are remembered as in points.c.
 */
#include "base/arena.h"
#include "base/checked.h"
#include "count/general/moves.h"
#include "count/general/points.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Systems over the same n_outer leading variables, none known to be empty. */
struct family {
    int n_outer, n_systems;
    struct sator_system **systems; /* GIVE */
    sator_int most_ub; /* no value has more than this; -1: not known */
};

static void clear_family(struct family *family)
{
    for (int i = 0; i < family->n_systems; i++)
        sator_system_free(family->systems[i]);
    free(family->systems);
    *family = (struct family){0};
}

static enum sator_status most_of(
        struct sator_points *points, struct family *family, sator_int *most, int64_t *outer);

/* Bring every system to its normal form and drop the empty ones. */
static enum sator_status tidy_family(struct family *family)
{
    enum sator_status st = SATOR_OK;
    int kept = 0;

    for (int i = 0; i < family->n_systems; i++) {
        struct sator_system *system = family->systems[i];
        bool empty = false;

        st = sator_system_tidy(&system, family->n_outer, &empty);
        if (empty)
            sator_system_free(system);
        else
            family->systems[kept++] = system;
        if (st != SATOR_OK) {
            /* Close the gap, so that the family can be freed. */
            while (++i < family->n_systems)
                family->systems[kept++] = family->systems[i];
            break;
        }
    }
    family->n_systems = kept;
    return st;
}

static enum sator_status count_all(
        struct sator_points *points, const struct family *family, sator_int *most)
{
    enum sator_status st = SATOR_OK;

    *most = 0;
    for (int i = 0; i < family->n_systems; i++) {
        sator_int count;

        SATOR_TRY(sator_points_count(points, sator_system_copy(family->systems[i]), &count));
        if (!sator_add(*most, count, most))
            SATOR_TRY(SATOR_OVERFLOW);
    }
done:
    return st;
}

/* ---- independent parts of a single system ---- */

/* The maximum over one part, times "*most"; its outer values into "outer". */
static enum sator_status multiply_part(struct sator_points *points,
        const struct sator_system *system, const int *component, int which, int n_outer,
        sator_int *most, int64_t *outer)
{
    struct family part = {
            .n_systems = 1, .systems = sator_alloc(sizeof *part.systems), .most_ub = -1};
    int64_t *values = sator_alloc(sizeof *values * (size_t)(n_outer + 1));
    enum sator_status st;
    sator_int factor = 0;
    int next = 0;

    part.systems[0] = sator_system_part(system, component, which);
    for (int v = 0; v < n_outer; v++)
        part.n_outer += component[v] == which;
    SATOR_TRY(most_of(points, &part, &factor, values));
    if (!sator_mul(*most, factor, most))
        SATOR_TRY(SATOR_OVERFLOW);
    for (int v = 0; v < n_outer && factor > 0; v++)
        if (component[v] == which)
            outer[v] = values[next++];
done:
    clear_family(&part);
    free(values);
    return st;
}

static enum sator_status most_by_parts(struct sator_points *points, const struct family *family,
        const int *component, int n_parts, sator_int *most, int64_t *outer)
{
    enum sator_status st = SATOR_OK;

    *most = 1;
    for (int i = 0; i<n_parts && * most> 0; i++)
        SATOR_TRY(multiply_part(
                points, family->systems[0], component, i, family->n_outer, most, outer));
done:
    return st;
}

/* ---- enumeration ---- */

/* What the values of one outer variable do to each system. */
struct zones {
    struct sator_range *range, *interior;
    int64_t period; /* values of the interior this far apart are alike; 1 for several systems */
};

enum {
    COSTLY = 16, /* values: what looking for a period may take */
    LONGEST = 1 << 10 /* period */
};

/* The interior of a single system's values in "*zones" if they repeat with a period: "*cost" is the
 * number of values to be looked at. */
static void find_period(
        const struct sator_system *system, int var, struct zones *zones, sator_int *cost)
{
    sator_int longest = *cost / 4 < LONGEST ? *cost / 4 : LONGEST;
    struct sator_moves moves = sator_moves_find(system, var, zones->range[0], longest);
    sator_int n_alike = (sator_int)moves.range.upper - moves.range.lower + 1;
    sator_int shorter =
            (sator_int)zones->range[0].upper - zones->range[0].lower + 1 - n_alike + moves.period;

    if (n_alike <= moves.period || shorter >= *cost)
        return;
    zones->interior[0] = moves.range;
    zones->period = moves.period;
    *cost = shorter;
}

static enum sator_status find_zones(struct sator_points *points, const struct family *family,
        int var, bool project, struct zones *zones, struct sator_range *all, sator_int *cost)
{
    enum sator_status st = SATOR_OK;

    *all = (struct sator_range){INT64_MAX, INT64_MIN};
    *cost = 0;
    zones->period = 1;
    for (int i = 0; i < family->n_systems; i++) {
        const struct sator_system *system = family->systems[i];
        struct sator_range *ranges = sator_alloc(sizeof *ranges * (size_t)system->n_vars);
        struct sator_range range;
        bool empty;

        sator_system_ranges(system, ranges, &empty);
        range = ranges[var];
        free(ranges);
        if (range.lower == INT64_MIN || range.upper == INT64_MAX) {
            if (!project) {
                *cost = -1;
                return SATOR_OK;
            }
            SATOR_TRY(sator_points_range(points, system, var, &range));
        }
        zones->range[i] = range;
        zones->interior[i] = sator_points_interior(system, var, range);
        all->lower = range.lower < all->lower ? range.lower : all->lower;
        all->upper = range.upper > all->upper ? range.upper : all->upper;
        *cost += (sator_int)range.upper - range.lower + 1;
        if (zones->interior[i].lower <= zones->interior[i].upper)
            *cost -= (sator_int)zones->interior[i].upper - zones->interior[i].lower;
    }
    if (family->n_systems == 1 && *cost > COSTLY)
        find_period(family->systems[0], var, zones, cost);
done:
    return st;
}

/* The last value from "value" on up to which there is no remainder of a system that a value up to
 * "value" does not leave, too. */
static sator_int run_end(const struct zones *zones, int n_systems, sator_int value, sator_int last)
{
    for (int i = 0; i < n_systems; i++) {
        struct sator_range range = zones->range[i], interior = zones->interior[i];
        sator_int end;

        if (value > range.upper)
            continue;
        if (value < range.lower)
            end = (sator_int)range.lower - 1;
        else if (value >= interior.lower + zones->period - 1 && value <= interior.upper)
            end = interior.upper;
        else
            end = value;
        last = end < last ? end : last;
    }
    return last;
}

static enum sator_status fix_family(const struct family *family, int var, const struct zones *zones,
        int64_t value, struct family *fixed)
{
    enum sator_status st = SATOR_OK;

    *fixed = (struct family){.n_outer = family->n_outer - 1, .most_ub = family->most_ub};
    fixed->systems = sator_alloc(sizeof *fixed->systems * (size_t)family->n_systems);
    for (int i = 0; i < family->n_systems; i++) {
        if (value < zones->range[i].lower || value > zones->range[i].upper)
            continue;
        SATOR_TRY(sator_system_fix(
                family->systems[i], var, value, &fixed->systems[fixed->n_systems]));
        fixed->n_systems++;
    }
done:
    return st;
}

/* The cheapest outer variable to enumerate. */
static enum sator_status choose_outer(struct sator_points *points, const struct family *family,
        struct zones *zones, int *var, struct sator_range *range)
{
    enum sator_status st = SATOR_OK;
    sator_int least = -1, cost;

    *var = 0;
    for (int v = 0; v < family->n_outer; v++) {
        SATOR_TRY(find_zones(points, family, v, false, zones, range, &cost));
        if (cost >= 0 && (least < 0 || cost < least)) {
            least = cost;
            *var = v;
        }
    }
    SATOR_TRY(find_zones(points, family, *var, true, zones, range, &cost));
done:
    return st;
}

/* The boxes around the inner variables: no value has more points; -1 when that is too large to
 * matter. */
static sator_int boxes_ub(const struct family *family)
{
    sator_int sum = 0;

    for (int i = 0; i < family->n_systems; i++) {
        const struct sator_system *system = family->systems[i];
        struct sator_range *ranges = sator_alloc(sizeof *ranges * (size_t)system->n_vars);
        sator_int product = 1;
        bool empty;

        sator_system_ranges(system, ranges, &empty);
        for (int v = family->n_outer; v < system->n_vars && product >= 0; v++)
            if (!sator_mul(product, (sator_int)ranges[v].upper - ranges[v].lower + 1, &product))
                product = -1;
        free(ranges);
        if (product < 0 || !sator_add(sum, product, &sum))
            return -1;
    }
    return sum;
}

/* "outer" with "value" at "var" and the others from "values". */
static void place_outer(const int64_t *values, int var, int64_t value, int n_outer, int64_t *outer)
{
    memcpy(outer, values, sizeof *outer * (size_t)var);
    outer[var] = value;
    memcpy(outer + var + 1, values + var, sizeof *outer * (size_t)(n_outer - 1 - var));
}

static enum sator_status most_by_values(
        struct sator_points *points, const struct family *family, sator_int *most, int64_t *outer)
{
    size_t n_systems = (size_t)family->n_systems;
    struct zones zones = {.range = sator_alloc(sizeof *zones.range * n_systems),
            .interior = sator_alloc(sizeof *zones.interior * n_systems)};
    int64_t *values = sator_alloc(sizeof *values * (size_t)family->n_outer);
    struct family fixed = {0};
    struct sator_range range;
    sator_int most_possible = boxes_ub(family);
    enum sator_status st;
    int var;

    if (family->most_ub >= 0 && (most_possible < 0 || family->most_ub < most_possible))
        most_possible = family->most_ub;
    *most = 0;
    SATOR_TRY(choose_outer(points, family, &zones, &var, &range));
    /* Long runs first: their maximum is often the bound, which ends the search. */
    for (int pass = 0; pass < 2; pass++)
        for (sator_int value = range.lower; value <= range.upper && *most != most_possible;
                value++) {
            sator_int here, last = run_end(&zones, family->n_systems, value, range.upper);

            if ((last > value) == (pass == 0)) {
                SATOR_TRY(fix_family(family, var, &zones, (int64_t)value, &fixed));
                SATOR_TRY(most_of(points, &fixed, &here, values));
                clear_family(&fixed);
                if (here > *most) {
                    *most = here;
                    place_outer(values, var, (int64_t)value, family->n_outer, outer);
                }
            }
            value = last;
        }
done:
    clear_family(&fixed);
    free(values);
    free(zones.range);
    free(zones.interior);
    return st;
}

/* ---- the recursion ---- */

/* The family's cells behind a head that no plain system's key has: a negative number. */
static int64_t *family_cells(const struct family *family, size_t *n_cells)
{
    int64_t *cells, *to;

    *n_cells = 2;
    for (int i = 0; i < family->n_systems; i++)
        *n_cells += 2 +
                (size_t)family->systems[i]->n_rows *
                        (size_t)sator_system_stride(family->systems[i]);
    to = cells = sator_alloc(sizeof *cells * *n_cells);
    *to++ = -1 - family->n_outer;
    *to++ = family->n_systems;
    for (int i = 0; i < family->n_systems; i++) {
        const struct sator_system *system = family->systems[i];
        size_t n = (size_t)system->n_rows * (size_t)sator_system_stride(system);

        *to++ = system->n_vars;
        *to++ = system->n_rows;
        memcpy(to, system->cells, sizeof *to * n);
        to += n;
    }
    return cells;
}

static enum sator_status most_new(
        struct sator_points *points, const struct family *family, sator_int *most, int64_t *outer)
{
    int *component, n_parts = 1;
    enum sator_status st;

    if (family->n_systems > 1)
        return most_by_values(points, family, most, outer);
    component = sator_alloc(sizeof *component * (size_t)(family->systems[0]->n_vars + 1));
    n_parts = sator_system_components(family->systems[0], component);
    if (n_parts > 1)
        st = most_by_parts(points, family, component, n_parts, most, outer);
    else
        st = most_by_values(points, family, most, outer);
    free(component);
    return st;
}

/* Consumes the family's normal form, not its memory. */
static enum sator_status most_of(
        struct sator_points *points, struct family *family, sator_int *most, int64_t *outer)
{
    const struct sator_memo_value *known;
    int64_t *cells = NULL;
    enum sator_status st;
    size_t n_cells;

    SATOR_TRY(tidy_family(family));
    if (family->n_systems == 0) {
        *most = 0;
        return SATOR_OK;
    }
    if (family->n_outer == 0)
        return count_all(points, family, most);
    cells = family_cells(family, &n_cells);
    SATOR_TRY(sator_points_work(points, n_cells * 4));
    known = sator_points_recall(points, cells, n_cells);
    if (known) {
        *most = known->count;
        if (known->n_outer > 0)
            memcpy(outer, known->outer, sizeof *outer * (size_t)known->n_outer);
    } else {
        SATOR_TRY(most_new(points, family, most, outer));
        sator_points_remember(points, cells, n_cells,
                &(struct sator_memo_value){*most, *most > 0 ? family->n_outer : 0, outer});
    }
done:
    free(cells);
    return st;
}

enum sator_status sator_points_most(struct sator_points *points, int n_systems,
        struct sator_system *const *systems, int n_outer, sator_int most_ub, sator_int *most,
        int64_t *outer)
{
    struct family family = {.n_outer = n_outer, .n_systems = n_systems, .most_ub = most_ub};
    int64_t *values = sator_alloc(sizeof *values * (size_t)(n_outer + 1));
    enum sator_status st;
    sator_int result = 0;

    family.systems = sator_alloc(sizeof *family.systems * (size_t)(n_systems + 1));
    for (int i = 0; i < n_systems; i++)
        family.systems[i] = sator_system_copy(systems[i]);
    SATOR_TRY(most_of(points, &family, &result, values));
    *most = result;
    if (result > 0)
        memcpy(outer, values, sizeof *outer * (size_t)n_outer);
done:
    clear_family(&family);
    free(values);
    return st;
}
