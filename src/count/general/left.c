/* What is taken is a conjunction of rows; the rest of a piece is cut along them: outside of the
 * first, inside it and outside of the second, and so on.
 *
 * A row of what is taken may have variables of its own, which the leading ones determine: a
 * division, e with 0 <= x - m e < m. Every point has one such e, whether it is taken or not, so the
 * piece is given the variable e, too, and the rows are then over the same variables.
 */
#include "count/general/left.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static bool has_row(const struct sator_system *system, const int64_t *row)
{
    size_t size = sizeof *row * (size_t)sator_system_stride(system);

    for (int r = 0; r < system->n_rows; r++)
        if (memcmp(sator_system_row(system, r), row, size) == 0)
            return true;
    return false;
}

/* Add "system" (TAKE) unless it is empty. */
static enum sator_status add_piece(struct sator_points *points, struct sator_pieces *pieces,
        struct sator_system *system, int n_leading)
{
    enum sator_status st;
    sator_int count = 0;
    bool empty = false;

    SATOR_TRY(sator_points_count(points, sator_system_copy(system), &count));
    if (count > 0) {
        SATOR_TRY(sator_system_tidy(&system, n_leading, &empty));
        pieces->systems =
                sator_realloc(pieces->systems, sizeof *pieces->systems * (size_t)(pieces->n + 1));
        pieces->systems[pieces->n++] = system;
        return SATOR_OK;
    }
done:
    sator_system_free(system);
    return st;
}

/* ---- divisions ---- */

/* Whether variable "var" has one value at most for each of the variables whose "known" is set,
 * by the rows "low" and "high" (an equality: both) of fewer values than its coefficient. */
static bool find_division(const struct sator_system *system, int var, const bool *known,
        const int64_t **low, const int64_t **high)
{
    for (int r = 0; r < system->n_rows; r++) {
        const int64_t *row = sator_system_row(system, r), *next = NULL;
        int64_t a = row[ROW_COEFFICIENTS + var];
        bool is_known = a != 0, opposite = true;

        for (int v = 0; v < system->n_vars && is_known; v++)
            is_known = v == var || known[v] || row[ROW_COEFFICIENTS + v] == 0;
        if (!is_known)
            continue;
        *low = *high = row;
        if (row[ROW_KIND] == KIND_EQUALITY)
            return true;
        if (r + 1 == system->n_rows)
            return false;
        next = sator_system_row(system, r + 1); /* simplified: a form's bounds are neighbours */
        for (int v = 0; v < system->n_vars && opposite; v++)
            opposite = row[ROW_COEFFICIENTS + v] == -next[ROW_COEFFICIENTS + v];
        *high = next;
        if (opposite && next[ROW_KIND] == KIND_INEQUALITY &&
                (sator_int)row[ROW_CONSTANT] + next[ROW_CONSTANT] < (a < 0 ? -(sator_int)a : a))
            return true;
    }
    return false;
}

/* Give "piece" the variable as the division that the rows bound: 0 <= low < |coefficient|. */
static void define(struct sator_system *piece, int var, const int64_t *low)
{
    size_t size = sizeof *low * (size_t)sator_system_stride(piece);
    int64_t a = low[ROW_COEFFICIENTS + var];
    int64_t *row = sator_system_add(piece, KIND_INEQUALITY);

    memcpy(row, low, size);
    row[ROW_KIND] = KIND_INEQUALITY;
    row = sator_system_add(piece, KIND_INEQUALITY);
    for (int c = ROW_CONSTANT; c < sator_system_stride(piece); c++)
        row[c] = -low[c];
    row[ROW_CONSTANT] += (a < 0 ? -a : a) - 1;
}

/* "piece" with the variables that "hole" has besides (GIVE); NULL when one is no division. */
static struct sator_system *widen(const struct sator_system *piece, const struct sator_system *hole)
{
    int n_vars = hole->n_vars, n_known = piece->n_vars;
    int *vars = sator_alloc(sizeof *vars * (size_t)(n_vars + 1));
    bool *known = sator_alloc(sizeof *known * (size_t)(n_vars + 1)), progress = true;
    struct sator_system *wide = sator_system_new(n_vars, piece->n_rows + 2 * n_vars);

    for (int v = 0; v < n_vars; v++) {
        vars[v] = v;
        known[v] = v < piece->n_vars;
    }
    sator_system_add_rows(wide, piece, vars);
    while (progress && n_known < n_vars) {
        progress = false;
        for (int v = piece->n_vars; v < n_vars; v++) {
            const int64_t *low, *high;

            if (known[v] || !find_division(hole, v, known, &low, &high))
                continue;
            define(wide, v, low);
            progress = known[v] = true;
            n_known++;
        }
    }
    free(vars);
    free(known);
    if (n_known == n_vars)
        return wide;
    sator_system_free(wide);
    return NULL;
}

/* ---- cutting ---- */

/* Add the points of "piece" outside of "hole", which is inside of it. */
static enum sator_status add_outside(struct sator_points *points, const struct sator_system *piece,
        const struct sator_system *hole, int n_leading, struct sator_pieces *left)
{
    struct sator_system *inside = widen(piece, hole);
    enum sator_status st = inside ? SATOR_OK : SATOR_DECLINED;

    for (int r = 0; r < hole->n_rows && st == SATOR_OK; r++) {
        const int64_t *row = sator_system_row(hole, r);
        int kind = (int)row[ROW_KIND];
        struct sator_system *rest;

        if (has_row(inside, row))
            continue;
        st = add_piece(points, left, sator_system_cut(inside, row, KIND_INEQUALITY, -1), n_leading);
        if (st == SATOR_OK && kind == KIND_EQUALITY)
            st = add_piece(
                    points, left, sator_system_cut(inside, row, KIND_INEQUALITY, 0), n_leading);
        rest = sator_system_cut(inside, row, kind, 1);
        sator_system_free(inside);
        inside = rest;
    }
    sator_system_free(inside);
    return st;
}

/* Add what "taken" leaves of "piece" (TAKE). */
static enum sator_status subtract(struct sator_points *points, struct sator_system *piece,
        const struct sator_system *taken, int n_leading, struct sator_pieces *left)
{
    struct sator_system *hole = sator_system_conjoin(piece, taken, n_leading);
    sator_int count = 0;
    bool empty = false;
    enum sator_status st;

    SATOR_TRY(sator_points_count(points, sator_system_copy(hole), &count));
    if (count > 0) {
        SATOR_TRY(sator_system_tidy(&hole, piece->n_vars, &empty));
        st = add_outside(points, piece, hole, n_leading, left);
    } else {
        left->systems = sator_realloc(left->systems, sizeof *left->systems * (size_t)(left->n + 1));
        left->systems[left->n++] = piece;
        piece = NULL;
    }
done:
    sator_system_free(hole);
    sator_system_free(piece);
    return st;
}

/* Replace "parts" by what "taken" leaves of them. */
static enum sator_status subtract_from_all(struct sator_points *points, struct sator_pieces *parts,
        const struct sator_system *taken, int n_leading)
{
    struct sator_pieces left = {0};
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < parts->n; i++) {
        struct sator_system *part = parts->systems[i];

        parts->systems[i] = NULL;
        SATOR_TRY(subtract(points, part, taken, n_leading, &left));
    }
done:
    sator_pieces_clear(parts);
    *parts = left;
    return st;
}

/* Add what all of "taken" leaves of piece number "home". */
static enum sator_status add_left(struct sator_points *points, const struct sator_system *piece,
        int home, int n_taken, const struct sator_served *taken, int n_leading,
        struct sator_pieces *left)
{
    struct sator_pieces parts = {0};
    enum sator_status st;

    SATOR_TRY(add_piece(points, &parts, sator_system_copy(piece), n_leading));
    for (int i = 0; i < n_taken; i++)
        for (int k = 0; k < taken[i].n && parts.n > 0; k++)
            if (taken[i].home[k] == home)
                SATOR_TRY(subtract_from_all(points, &parts, taken[i].systems[k], n_leading));
    if (parts.n > 0)
        left->systems =
                sator_realloc(left->systems, sizeof *left->systems * (size_t)(left->n + parts.n));
    for (int i = 0; i < parts.n; i++)
        left->systems[left->n++] = parts.systems[i];
    parts.n = 0;
done:
    sator_pieces_clear(&parts);
    return st;
}

enum sator_status sator_left_find(struct sator_points *points, const struct sator_pieces *pieces,
        int n_taken, const struct sator_served *taken, int n_leading, struct sator_pieces *left)
{
    enum sator_status st = SATOR_OK;

    *left = (struct sator_pieces){0};
    for (int i = 0; i < pieces->n; i++)
        SATOR_TRY(add_left(points, pieces->systems[i], i, n_taken, taken, n_leading, left));
done:
    if (st != SATOR_OK)
        sator_pieces_clear(left);
    return st;
}
