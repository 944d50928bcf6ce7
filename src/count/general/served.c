/* Unions of what several sources serve, by inclusion and exclusion: |X1 u ... u Xn| = sum over i of
 * |Xi| - |(Xi n X1) u ... u (Xi n Xi-1)|, where a part that is empty or everything ends the
 * recursion. Intersecting two sets is putting their rows together.
 */
#include "count/general/served.h"

#include "base/checked.h"

#include <stdlib.h>

void sator_served_clear(struct sator_served *served)
{
    for (int i = 0; i < served->n; i++)
        sator_system_free(served->systems[i]);
    free(served->systems);
    free(served->home);
    free(served->counts);
    *served = (struct sator_served){0};
}

/* Add "system", which has "count" > 0 points. */
static enum sator_status add(struct sator_served *served, struct sator_system *system,
        sator_int count, int home, int n_leading)
{
    size_t n = (size_t)served->n + 1;
    enum sator_status st;
    bool empty;

    SATOR_TRY(sator_system_simplify(system, n_leading, &empty));
    if (!sator_add(served->count, count, &served->count))
        SATOR_TRY(SATOR_OVERFLOW);
    served->systems = sator_realloc(served->systems, sizeof *served->systems * n);
    served->home = sator_realloc(served->home, sizeof *served->home * n);
    served->counts = sator_realloc(served->counts, sizeof *served->counts * n);
    served->systems[served->n] = system;
    served->home[served->n] = home;
    served->counts[served->n] = count;
    served->n++;
    return SATOR_OK;
done:
    sator_system_free(system);
    return st;
}

enum sator_status sator_served_push(struct sator_points *points, struct sator_served *served,
        struct sator_system *system, int home, int n_leading)
{
    sator_int count = 0;
    enum sator_status st = sator_points_count(points, sator_system_copy(system), &count);

    if (count > 0)
        return add(served, system, count, home, n_leading);
    sator_system_free(system);
    return st;
}

static enum sator_status intersect(struct sator_points *points, const struct sator_served *a,
        const struct sator_served *b, int n_leading, struct sator_served *both)
{
    enum sator_status st = SATOR_OK;

    *both = (struct sator_served){0};
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++)
            if (a->home[i] == b->home[j])
                SATOR_TRY(sator_served_push(points, both,
                        sator_system_conjoin(a->systems[i], b->systems[j], n_leading), a->home[i],
                        n_leading));
done:
    if (st != SATOR_OK)
        sator_served_clear(both);
    return st;
}

static int more_first(const void *a, const void *b)
{
    sator_int x = ((const struct sator_served *)a)->count;
    sator_int y = ((const struct sator_served *)b)->count;

    return (x < y) - (x > y);
}

/* The number of points of the union. */
static enum sator_status count_union(struct sator_points *points, const struct sator_served *all,
        int n_all, int n_leading, sator_int *count)
{
    enum sator_status st = SATOR_OK;
    sator_int sum = 0;

    for (int i = 0; i < n_all; i++) {
        sator_int more;

        SATOR_TRY(sator_served_added(points, &all[i], all, i, n_leading, &more));
        if (!sator_add(sum, more, &sum))
            SATOR_TRY(SATOR_OVERFLOW);
    }
    *count = sum;
done:
    return st;
}

enum sator_status sator_served_added(struct sator_points *points, const struct sator_served *one,
        const struct sator_served *before, int n_before, int n_leading, sator_int *count)
{
    struct sator_served *inside = sator_alloc(sizeof *inside * (size_t)(n_before + 1));
    enum sator_status st = SATOR_OK;
    sator_int covered = 0;
    int n_inside = 0;

    for (int i = 0; i < n_before && covered < one->count; i++) {
        SATOR_TRY(intersect(points, one, &before[i], n_leading, &inside[n_inside]));
        if (inside[n_inside].count == one->count)
            covered = one->count;
        n_inside += inside[n_inside].count > 0;
    }
    if (covered < one->count && n_inside > 0) {
        qsort(inside, (size_t)n_inside, sizeof *inside, more_first);
        SATOR_TRY(count_union(points, inside, n_inside, n_leading, &covered));
    }
    *count = one->count - covered;
done:
    for (int i = 0; i < n_inside; i++)
        sator_served_clear(&inside[i]);
    free(inside);
    return st;
}
