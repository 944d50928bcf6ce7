/* Domains that are no box: their fibers, found by trying all points of the tied loops. */
#include "mapper/problem/domain.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_POINTS = 1 << 22, /* of the tied loops' hull: a quarter of a second */
    MOST_KEPT = 1 << 16, /* to be tried again */
    MOST_EXTENT = 1 << 16, /* of one of them */
    MOST_LOOPS = 64 /* of a workload */
};

/* ---- which loops are tied ---- */

/* False where its conditions cannot be tried point by point. */
static bool find_tied(const struct mapper_problem *p, struct mapper_domain *domain)
{
    const struct sator_relation *set = p->workload->domain;
    double points = 1;

    domain->tied = 0;
    for (int k = 0; k < set->n_pieces; k++) {
        const struct sator_piece *piece = &set->pieces[k];
        if (piece->n_free != 0 || sator_cond_has_exists(piece->cond))
            return false;
    }
    for (int i = 0; i < p->n_loops; i++) {
        if (!sator_set_ties(set, p->loop_of[i]))
            continue;
        domain->tied |= 1U << i;
        points *= (double)p->extent[i];
        if (p->extent[i] > MOST_EXTENT || points > MOST_POINTS)
            return false;
    }
    return domain->tied != 0;
}

/* ---- their points ---- */

static bool has_point(const struct sator_relation *set, const int64_t *point, bool *known)
{
    bool holds = false;

    for (int k = 0; k < set->n_pieces && !holds && *known; k++)
        *known &= sator_cond_holds(set->pieces[k].cond, point, &holds);
    return holds;
}

/* Which points there are, the last tied loop fastest; NULL where one cannot be tried. */
static bool *find_points(const struct mapper_problem *p, struct mapper_domain *domain)
{
    const struct sator_workload *w = p->workload;
    int64_t *point = sator_alloc(sizeof *point * (size_t)(w->n_loops + 1));
    size_t count = 1;
    bool known = true;

    for (int i = 0; i < p->n_loops; i++)
        count *= domain->tied >> i & 1 ? (size_t)p->extent[i] : 1;
    memcpy(point, w->lower, sizeof *point * (size_t)w->n_loops);
    bool *points = sator_alloc(sizeof *points * count);
    domain->points = 0;
    for (size_t n = 0; n < count && known; n++) {
        points[n] = has_point(w->domain, point, &known);
        domain->points += points[n];
        for (int i = p->n_loops - 1; i >= 0; i--) {
            int var = p->loop_of[i];
            if (!(domain->tied >> i & 1))
                continue;
            if (++point[var] < w->lower[var] + p->extent[i])
                break;
            point[var] = w->lower[var];
        }
    }
    free(point);
    domain->share = domain->points / (double)count;
    if (known)
        return points;
    free(points);
    return NULL;
}

/* ---- fibers ---- */

/* The fiber of points "step" apart from the first on. */
static void add_fiber(struct mapper_fibers *fibers, const bool *first, size_t step, int64_t extent)
{
    int64_t length = 0, jumps = 0;

    for (int64_t x = 0; x < extent; x++) {
        bool is_in = first[(size_t)x * step], was_in = x > 0 && first[(size_t)(x - 1) * step];
        length += is_in;
        jumps += is_in && !was_in;
    }
    fibers->count[length]++;
    fibers->ends &= length == 0 || (jumps == 1 && first[(size_t)(extent - 1) * step]);
    fibers->begins &= length == 0 || (jumps == 1 && first[0]);
}

static void find_fibers(
        const struct mapper_problem *p, struct mapper_domain *domain, int loop, const bool *points)
{
    struct mapper_fibers *fibers = &domain->fibers[loop];
    size_t extent = (size_t)p->extent[loop], inside = 1, outside = 1;

    for (int i = 0; i < p->n_loops; i++) {
        if (domain->tied >> i & 1)
            *(i < loop ? &outside : i > loop ? &inside : &(size_t){0}) *= (size_t)p->extent[i];
    }
    fibers->begins = fibers->ends = true;
    fibers->count = SATOR_NEW_ARRAY(p->arena, int64_t, extent + 1);
    memset(fibers->count, 0, sizeof *fibers->count * (extent + 1));
    for (size_t o = 0; o < outside; o++) {
        for (size_t i = 0; i < inside; i++)
            add_fiber(fibers, points + o * extent * inside + i, inside, (int64_t)extent);
    }
}

/* The points that are the only ones of their fiber in a block and lie in one step of "size" at its
 * end; "apart": those of which that holds for the part that some PE has of each step. */
static double lone_points(
        const struct mapper_fibers *fibers, int64_t extent, int64_t size, int64_t block, bool apart)
{
    double points = 0;

    for (int64_t length = 1; length <= extent; length++) {
        int64_t left = length % block;
        if (left != 0 && left <= (apart ? 2 * size - 1 : size))
            points += (double)fibers->count[length] * (double)(left < size ? left : size);
    }
    return points;
}

static void find_lone(const struct mapper_problem *p, struct mapper_fibers *fibers, int loop)
{
    int64_t extent = p->extent[loop];
    int n = sator_mapper_divisors(p->arena, extent, &fibers->divisor);

    fibers->n_divisors = n;
    for (int apart = 0; apart < 2; apart++)
        fibers->lone[apart] = SATOR_NEW_ARRAY(p->arena, double, n *n);
    fibers->lone_any = SATOR_NEW_ARRAY(p->arena, double, n);
    for (int s = n - 1; s >= 0; s--) {
        fibers->lone_any[s] = 0;
        for (int b = s + 1; b < n; b++) {
            int64_t size = fibers->divisor[s], block = fibers->divisor[b];
            if (block % size != 0)
                continue;
            for (int apart = 0; apart < 2; apart++)
                fibers->lone[apart][s * n + b] =
                        lone_points(fibers, extent, size, block, apart == 1);
            if (fibers->lone[1][s * n + b] > fibers->lone_any[s])
                fibers->lone_any[s] = fibers->lone[1][s * n + b];
        }
        for (int k = s + 1; k < n; k++) {
            if (fibers->divisor[k] % fibers->divisor[s] == 0 &&
                    fibers->lone_any[k] > fibers->lone_any[s])
                fibers->lone_any[s] = fibers->lone_any[k];
        }
    }
}

/* ---- the hull ---- */

static bool is_scaled(const struct mapper_access *access)
{
    return !access->is_counted && access->plain == access->relevant && access->instance_words == 1;
}

/* What bounds of the hull are, where all PEs that any link, wire or bus joins share everything. */
static void find_hull(struct sator_ctx *ctx, struct mapper_problem *p, struct mapper_domain *domain,
        const int *loop_at)
{
    struct mapper_problem *hull = SATOR_NEW(p->arena, struct mapper_problem);
    struct sator_hush before;

    *hull = *p;
    hull->in_hull = false;
    hull->domain = NULL;
    hull->n_accesses = 0;
    for (int i = 0; i < p->n_loops; i++)
        hull->instances = i == 0 ? p->extent[i] : hull->instances * p->extent[i];
    sator_ctx_hush(ctx, &before);
    for (int a = 0; a < p->n_accesses; a++) {
        enum sator_status st =
                sator_mapper_access_init(ctx, hull, loop_at, &p->workload->accesses[a]);
        if (st == SATOR_OK && is_scaled(&hull->access[a]))
            domain->scaled |= 1U << a;
        else
            hull->access[a] = p->access[a];
        hull->n_accesses = a + 1;
    }
    sator_ctx_unhush(ctx, &before);
    sator_mapper_count_footprints(hull);
    for (int t = 0; t < hull->n_transfers; t++) {
        hull->transfer[t].is_complex = true;
        hull->transfer[t].may_pass = false;
        hull->transfer[t].links_alone = NULL; /* which PEs have an element is not sure */
    }
    domain->hull = hull;
}

void sator_mapper_know_domain(struct sator_ctx *ctx, struct mapper_problem *p, const int *loop_at)
{
    struct mapper_domain *domain = SATOR_NEW(p->arena, struct mapper_domain);

    size_t count = 1;

    *domain = (struct mapper_domain){.scaled = 0};
    if (!find_tied(p, domain))
        return;
    bool *points = find_points(p, domain);
    if (points == NULL)
        return;
    for (int i = 0; i < p->n_loops; i++) {
        if (!(domain->tied >> i & 1))
            continue;
        find_fibers(p, domain, i, points);
        if (domain->fibers[i].ends || domain->fibers[i].begins)
            find_lone(p, &domain->fibers[i], i);
        count *= (size_t)p->extent[i];
    }
    if (count <= MOST_KEPT) {
        bool *has = sator_arena_take(p->arena, sizeof *has * count);
        domain->has = memcpy(has, points, sizeof *has * count);
    }
    free(points);
    find_hull(ctx, p, domain, loop_at);
    p->domain = domain;
}

/* ---- tiles ---- */

/* Where all fibers end, or begin, with the hull, the tile in that corner of it has all points if
 * it has the one furthest from the corner. */
int64_t sator_mapper_domain_tile(const struct mapper_problem *p, int access, const int64_t *tile)
{
    const struct mapper_domain *domain = p->domain;
    const struct mapper_access *hull = &domain->hull->access[access];
    const struct sator_workload *w = p->workload;
    int64_t point[MOST_LOOPS], words = 1;
    bool known = w->n_loops <= MOST_LOOPS && (domain->scaled >> access & 1);

    for (int l = 0; l < w->n_loops && known; l++)
        point[l] = w->lower[l];
    for (int i = 0; i < p->n_loops && known; i++) {
        const struct mapper_fibers *fibers = &domain->fibers[i];
        words *= hull->relevant >> i & 1 ? tile[i] : 1;
        if (!(domain->tied >> i & 1))
            continue;
        known = fibers->begins || fibers->ends;
        point[p->loop_of[i]] += fibers->begins ? tile[i] - 1 : p->extent[i] - tile[i];
    }
    return known && has_point(w->domain, point, &known) && known ? words : 0;
}

/* ---- bounds ---- */

double sator_mapper_free_stamps(const struct mapper_problem *p, const struct mapper_domain *domain,
        const struct mapper_mapping *mapping)
{
    double stamps = 1;

    for (int i = 0; i < p->n_loops; i++) {
        if (!(domain->tied >> i & 1))
            stamps *= (double)sator_mapper_places(p, mapping, i, false);
    }
    return stamps;
}

double sator_mapper_domain_stamps(const struct mapper_problem *p,
        const struct mapper_domain *domain, const struct mapper_mapping *mapping)
{
    double most = 0, all = 1; /* PEs of tied loops */

    for (int i = 0; i < p->n_loops; i++)
        all *= domain->tied >> i & 1 ? (double)mapper_positions(p, mapping, p->n_rows, i) : 1;
    for (int i = 0; i < p->n_loops; i++) {
        const int64_t *count = domain->fibers[i].count,
                      pes = mapper_positions(p, mapping, p->n_rows, i);
        double stamps = 0;
        if (!(domain->tied >> i & 1))
            continue;
        for (int64_t length = 1; length <= p->extent[i]; length++)
            stamps += (double)count[length] * (double)((length + pes - 1) / pes);
        stamps *= (double)pes / all;
        most = stamps > most ? stamps : most;
    }
    return sator_mapper_free_stamps(p, domain, mapping) * most;
}

/* The stamp of an iteration along its loop: what is left of it without the PEs' digits. */
static int64_t stamp_along(const struct mapper_problem *p, const struct mapper_mapping *mapping,
        int loop, int64_t iteration)
{
    int64_t stamp = 0, times = 1;

    for (int r = p->n_rows - 1; r >= 0; r--) {
        int64_t factor = mapping->factor[r][loop];
        stamp += p->row[r].is_space ? 0 : iteration % factor * times;
        times *= p->row[r].is_space ? 1 : factor;
        iteration /= factor;
    }
    return stamp;
}

int64_t sator_mapper_tied_stamps(const struct mapper_problem *p, const struct mapper_domain *domain,
        const struct mapper_mapping *mapping)
{
    int64_t *stamp_of[MAPPER_LOOPS] = {0}, own[MAPPER_LOOPS], point[MAPPER_LOOPS] = {0};
    int64_t count = 0, size = 1;
    size_t n = 1;

    for (int i = 0; i < p->n_loops; i++) {
        if (!(domain->tied >> i & 1))
            continue;
        stamp_of[i] = sator_alloc(sizeof **stamp_of * (size_t)p->extent[i]);
        for (int64_t x = 0; x < p->extent[i]; x++)
            stamp_of[i][x] = stamp_along(p, mapping, i, x);
        n *= (size_t)p->extent[i];
        own[i] = 1;
        for (int r = 0; r < p->n_rows; r++)
            own[i] *= p->row[r].is_space ? 1 : mapping->factor[r][i];
        size *= own[i];
    }
    bool *seen = sator_alloc(sizeof *seen * (size_t)size);
    memset(seen, 0, sizeof *seen * (size_t)size);
    for (size_t k = 0; k < n; k++) {
        int64_t stamp = 0;
        for (int i = 0; i < p->n_loops && domain->has[k]; i++) {
            if (domain->tied >> i & 1)
                stamp = stamp * own[i] + stamp_of[i][point[i]];
        }
        count += domain->has[k] && !seen[stamp];
        seen[stamp] = seen[stamp] || domain->has[k];
        for (int i = p->n_loops - 1; i >= 0; i--) {
            if (!(domain->tied >> i & 1))
                continue;
            if (++point[i] < p->extent[i])
                break;
            point[i] = 0;
        }
    }
    free(seen);
    for (int i = 0; i < p->n_loops; i++)
        free(stamp_of[i]);
    return count;
}

static int number_of(const struct mapper_fibers *fibers, int64_t divisor)
{
    return sator_mapper_divisor_number(fibers->divisor, fibers->n_divisors, divisor);
}

double sator_mapper_domain_brought(
        const struct mapper_domain *domain, int loop, int64_t size, int64_t steps, bool apart)
{
    const struct mapper_fibers *fibers = &domain->fibers[loop];
    double lone;

    if (!(domain->tied >> loop & 1))
        return domain->share;
    if (!fibers->begins && !fibers->ends)
        return 0;
    int s = number_of(fibers, size), n = fibers->n_divisors;
    if (steps == 0)
        lone = fibers->lone_any[s];
    else
        lone = fibers->lone[apart][s * n + number_of(fibers, size * steps)];
    return domain->share * (1 - lone / domain->points);
}
