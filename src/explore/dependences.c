/* A write at x and a read at y meet when L x + c = L y + d. With L injective, y - x is one
 * constant: the dependence's distance. Under a point's digits a constant distance changes a loop's
 * two digits in one of two ways, with or without a carry; every combination changes the time-stamp
 * by a constant, whose first non-zero entry has to be positive.
 */
#include "explore/dependences.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

struct finder {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_workload *workload;
    int n_loops;
    int n;
    struct dependence *found;
};

enum {
    MOST_INDEX = 16
};

/* Solve rows * x = right for the loops' only solution, in rational steps that stay integer. 1:
 * found; 0: no integer solution, or one beyond all loops; -1: not one (or a number that does not
 * fit). */
static int solve(int n_rows, int n_loops, const int64_t *rows, const sator_int *right, int64_t *x)
{
    sator_int m[MOST_INDEX][SPACE_MOST_LOOPS + 1];
    int rank = 0;

    for (int r = 0; r < n_rows; r++) {
        for (int l = 0; l < n_loops; l++)
            m[r][l] = rows[r * n_loops + l];
        m[r][n_loops] = right[r];
    }
    for (int l = 0; l < n_loops; l++) {
        int pivot = rank;
        while (pivot < n_rows && m[pivot][l] == 0)
            pivot++;
        if (pivot == n_rows)
            return -1;
        for (int c = 0; c <= n_loops; c++) {
            sator_int swap = m[pivot][c];
            m[pivot][c] = m[rank][c];
            m[rank][c] = swap;
        }
        for (int r = 0; r < n_rows; r++) {
            sator_int factor = m[r][l], base = m[rank][l];
            for (int c = 0; c <= n_loops && r != rank && factor != 0; c++) {
                sator_int a, b;
                if (!sator_mul(m[r][c], base, &a) || !sator_mul(m[rank][c], factor, &b) ||
                        !sator_sub(a, b, &m[r][c]))
                    return -1;
            }
        }
        rank++;
    }
    for (int r = rank; r < n_rows; r++) {
        if (m[r][n_loops] != 0)
            return 0;
    }
    for (int l = 0; l < n_loops; l++) {
        sator_int quotient = m[l][n_loops] / m[l][l];
        if (m[l][n_loops] % m[l][l] != 0 || quotient > INT64_MAX || quotient < -INT64_MAX)
            return 0;
        x[l] = (int64_t)quotient;
    }
    return 1;
}

/* Whether two instances this far apart are both in the domain's hull. */
static bool in_reach(const struct sator_workload *workload, const int64_t *distance)
{
    for (int l = 0; l < workload->n_loops; l++) {
        int64_t extent = workload->upper[l] - workload->lower[l];
        if (distance[l] >= extent || distance[l] <= -extent)
            return false;
    }
    return true;
}

static void add(struct finder *f, const int64_t *distance)
{
    struct dependence made = {0};
    int sign = 0;

    for (int l = 0; l < f->n_loops && sign == 0; l++)
        sign = distance[l] > 0 ? 1 : distance[l] < 0 ? -1 : 0;
    if (sign == 0 || !in_reach(f->workload, distance))
        return; /* an instance may use what it writes */
    for (int l = 0; l < f->n_loops; l++)
        made.distance[l] = sign * distance[l];
    made.anti = sign < 0;
    SATOR_PUSH(f->arena, f->found, f->n, made);
}

static enum sator_status not_constant(struct finder *f, const char *tensor)
{
    sator_error(f->ctx, f->workload->loc,
            "'%s' reads and writes tensor '%s' at distances that are not constant",
            f->workload->name, tensor);
    sator_help(f->ctx, "such dependences order instances in a way that exploration cannot check");
    return SATOR_INPUT;
}

/* The dependences from a piece of "write" to one of "read". */
static enum sator_status meet(struct finder *f, const struct linear_access *write, int w,
        const struct linear_access *read, int r)
{
    size_t rows = (size_t)write->n_index * (size_t)f->n_loops;
    const int64_t *a = &write->coefficients[(size_t)w * rows];
    const int64_t *b = &read->coefficients[(size_t)r * rows];
    sator_int right[MOST_INDEX];
    int64_t distance[SPACE_MOST_LOOPS];
    bool same_place = true;

    if (write->n_index > MOST_INDEX || memcmp(a, b, rows * sizeof *a) != 0)
        return not_constant(f, write->tensor);
    for (int i = 0; i < write->n_index; i++) {
        right[i] = (sator_int)write->constants[w * write->n_index + i] -
                read->constants[r * read->n_index + i];
        same_place = same_place && right[i] == 0;
    }
    if (same_place)
        return SATOR_OK; /* a sum that reads what it updates */
    int solved = solve(write->n_index, f->n_loops, a, right, distance);
    if (solved < 0)
        return not_constant(f, write->tensor);
    if (solved > 0)
        add(f, distance);
    return SATOR_OK;
}

static enum sator_status meet_pieces(
        struct finder *f, const struct linear_access *write, const struct linear_access *read)
{
    enum sator_status st = SATOR_OK;

    for (int w = 0; w < write->n_pieces; w++) {
        for (int r = 0; r < read->n_pieces; r++)
            SATOR_TRY(meet(f, write, w, read, r));
    }
done:
    return st;
}

enum sator_status explore_dependences(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, int *n_dependences,
        const struct dependence **dependences)
{
    const struct linear_access *accesses = space_linear_accesses(arena, workload);
    struct finder f = {
            .ctx = ctx, .arena = arena, .workload = workload, .n_loops = workload->n_loops};
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < workload->n_accesses; i++) {
        for (int j = 0; j < workload->n_accesses; j++) {
            const struct linear_access *write = &accesses[i], *read = &accesses[j];
            if (write->role != SATOR_WRITE || read->role != SATOR_READ ||
                    strcmp(write->tensor, read->tensor) != 0)
                continue;
            if (!write->is_linear || !read->is_linear || write->n_index != read->n_index)
                return not_constant(&f, write->tensor);
            SATOR_TRY(meet_pieces(&f, write, read));
        }
    }
    *n_dependences = f.n;
    *dependences = f.found;
done:
    return st;
}

/* ---- points ---- */

/* How the digits of one loop change: in time, and across the array. */
struct change {
    int64_t upper[SPACE_MOST_LOOPS]; /* of the loop, or of what the array leaves of it */
    int64_t digit[SPACE_MOST_LOOPS];
};

/* The sign of the first non-zero entry of the time-stamp's change. */
static int time_sign(
        const struct space_point *point, const struct change *change, const int64_t *distance)
{
    int n_time = point->n_time == 0 ? 1 : point->n_time;

    for (int t = 0; t < n_time; t++) {
        int64_t entry = t < point->n_time ? change->upper[point->time[t]] : 0;
        int inner = n_time - 1 - t;
        for (int i = 0; i < point->n_digits && inner < point->n_skewed; i++) {
            int skew = point->skew[inner][i], loop = point->digits[i].loop;
            entry += skew == 2 || skew == -2 ? skew / 2 * distance[loop]
                                             : skew * change->digit[loop];
        }
        if (entry != 0)
            return entry > 0 ? 1 : -1;
    }
    return 0;
}

static bool kept_from(const struct space_point *point, const struct dependence *dependence,
        struct change *change, int i)
{
    while (i < point->n_digits && !point->digits[i].has_upper)
        i++;
    if (i == point->n_digits) {
        int sign = time_sign(point, change, dependence->distance);
        return sign > 0 || (sign == 0 && dependence->anti);
    }
    int loop = point->digits[i].loop;
    int64_t width = point->digits[i].width, distance = dependence->distance[loop];
    change->upper[loop] = sator_floor_div(distance, width);
    change->digit[loop] = sator_floor_mod(distance, width);
    if (!kept_from(point, dependence, change, i + 1))
        return false;
    if (change->digit[loop] == 0)
        return true;
    change->upper[loop] = sator_floor_div(distance, width) + 1;
    change->digit[loop] = sator_floor_mod(distance, width) - width;
    return kept_from(point, dependence, change, i + 1);
}

static bool matrix_keeps(const struct space *space, const struct space_point *point,
        const struct dependence *dependence)
{
    for (int row = space->n_dims; row < space->n_loops; row++) {
        int64_t entry = 0;
        for (int l = 0; l < space->n_loops; l++)
            entry += (point->rows[row] >> l & 1) != 0 ? dependence->distance[l] : 0;
        if (entry != 0)
            return entry > 0;
    }
    return dependence->anti;
}

bool explore_dependence_kept(const struct space *space, const struct space_point *point,
        const struct dependence *dependence)
{
    struct change change;

    if (point->kind == SPACE_MATRIX)
        return matrix_keeps(space, point, dependence);
    for (int l = 0; l < space->n_loops; l++) {
        change.upper[l] = dependence->distance[l];
        change.digit[l] = dependence->distance[l];
    }
    return kept_from(point, dependence, &change, 0);
}
