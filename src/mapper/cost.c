/* What a mapping costs, exactly (doc/mapper.md, "Counting").
 *
 * From one prefix stamp to the next, one temporal loop steps forward and all loops inside it fall
 * back to their start. So the tile moves by the same amount at every step of the same loop, and the
 * words kept from the stamp before are (times that loop steps) x (words of a tile and of the same
 * tile so shifted). The sum over the loops is exact; nothing is estimated.
 */
#include "mapper/mapper.h"

#include <math.h>
#include <string.h>

int64_t sator_mapper_tile_words(struct mapper_words *words, int access, const int64_t *tile)
{
    const struct mapper_access *what = &sator_mapper_words_problem(words)->access[access];
    int64_t size = 1;

    for (int e = 0; e < what->n_indices; e++) {
        struct mapper_steps steps = {.n_spread = 0};
        for (int i = 0; i < what->index[e].n_parts; i++)
            steps.tile[i] = tile[what->index[e].loop[i]];
        size *= sator_mapper_words_union(words, access, e, &steps);
    }
    return size;
}

bool sator_mapper_fits(
        const struct mapper_problem *problem, int m, const int64_t *size, int *violated)
{
    const struct mapper_memory *memory = &problem->memory[m];

    for (int c = 0; c < memory->n_capacities; c++) {
        const struct mapper_capacity *capacity = &memory->capacity[c];
        sator_int needed = 0;
        for (int a = 0; a < problem->n_accesses; a++) {
            if (!(capacity->accesses >> a & 1) || problem->access[a].stored_as != a)
                continue;
            int64_t most = size[a];
            for (int other = a + 1; other < problem->n_accesses; other++) {
                if (problem->access[other].stored_as == a && size[other] > most)
                    most = size[other];
            }
            needed += (sator_int)most * (capacity->in_bits ? problem->access[a].word_bits : 1);
        }
        if (needed > capacity->available) {
            if (violated != NULL)
                *violated = c;
            return false;
        }
    }
    return true;
}

void sator_mapper_shape_init(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, struct mapper_shape *shape)
{
    for (int i = 0; i < problem->n_loops; i++) {
        int64_t product = 1;
        shape->inside[problem->n_rows][i] = 1;
        for (int r = problem->n_rows - 1; r >= 0; r--) {
            product *= mapping->factor[r][i];
            shape->inside[r][i] = product;
        }
    }
}

/* ---- one transfer ---- */

static int64_t coefficient(const struct mapper_index *index, int loop)
{
    for (int i = 0; i < index->n_parts; i++) {
        if (index->loop[i] == loop)
            return index->coef[i];
    }
    return 0;
}

/* The steps of each index between the PEs that share; the counts of groups and tiles. */
static void init_space(struct mapper_walk *walk, const struct mapper_shape *shape,
        const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = walk->problem;
    const struct mapper_transfer *t = walk->transfer;
    unsigned rows = t->outer | t->between;

    walk->groups = walk->tiles = 1;
    for (int r = 0; rows != 0; r++, rows >>= 1) {
        if (!(rows & 1))
            continue;
        bool shared = t->collapsed >> r & 1;
        for (int i = 0; i < p->n_loops; i++) {
            int64_t count = mapping->factor[r][i];
            if (count == 1)
                continue;
            walk->tiles *= count;
            if (!shared)
                walk->groups *= count;
            if (!shared || !(walk->access->relevant >> i & 1))
                continue;
            for (int e = 0; e < walk->access->n_indices; e++) {
                int64_t coef = coefficient(&walk->access->index[e], i);
                struct mapper_steps *steps = &walk->steps[e];
                if (coef == 0)
                    continue;
                steps->spread_step[steps->n_spread] = coef * shape->inside[r + 1][i];
                steps->spread_count[steps->n_spread++] = count;
                walk->spread = true;
            }
        }
    }
}

void sator_mapper_walk_init(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_shape *shape, const struct mapper_mapping *mapping, int transfer,
        struct mapper_walk *walk)
{
    const struct mapper_transfer *t = &problem->transfer[transfer];

    walk->problem = problem;
    walk->transfer = t;
    walk->access = &problem->access[t->access];
    walk->spread = walk->moved = walk->dead = false;
    walk->inside = walk->stamps = 1;
    walk->kept_unique = walk->kept_arriving = 0;
    for (int e = 0; e < walk->access->n_indices; e++) {
        const struct mapper_index *index = &walk->access->index[e];
        walk->shift[e] = 0;
        walk->steps[e].n_spread = 0;
        for (int i = 0; i < index->n_parts; i++)
            walk->steps[e].tile[i] = shape->inside[t->child_row][index->loop[i]];
    }
    init_space(walk, shape, mapping);
    walk->group_words = walk->tile_words = 1;
    for (int e = 0; e < walk->access->n_indices; e++) {
        struct mapper_steps alone = walk->steps[e];
        int64_t values = sator_mapper_words_union(words, t->access, e, &walk->steps[e]);
        walk->group_words *= values;
        if (alone.n_spread > 0) {
            alone.n_spread = 0;
            values = sator_mapper_words_union(words, t->access, e, &alone);
        }
        walk->tile_words *= values;
    }
    for (int r = 0; r < t->child_row; r++) {
        for (int i = 0; i < problem->n_loops && !problem->row[r].is_space; i++)
            walk->stamps *= mapping->factor[r][i];
    }
}

/* The words of a group and of a tile that are kept when "loop" steps. */
static void kept_words(struct mapper_walk *walk, struct mapper_words *words, int loop, int64_t step,
        int64_t *group, int64_t *tile)
{
    *group = *tile = 1;
    for (int e = 0; e < walk->access->n_indices && (*group | *tile) != 0; e++) {
        const struct mapper_index *index = &walk->access->index[e];
        struct mapper_steps *steps = &walk->steps[e];
        int64_t shift = walk->shift[e] + coefficient(index, loop) * step;
        int n_spread = steps->n_spread;
        int64_t kept = sator_mapper_words_kept(words, walk->transfer->access, e, steps, shift);
        *group *= kept;
        if (n_spread > 0) {
            steps->n_spread = 0;
            kept = sator_mapper_words_kept(words, walk->transfer->access, e, steps, shift);
            steps->n_spread = n_spread;
        }
        *tile *= kept;
    }
}

void sator_mapper_walk_place(struct mapper_walk *walk, struct mapper_words *words, int loop,
        int64_t factor, int64_t step)
{
    if (walk->dead || factor == 1)
        return;
    bool relevant = walk->access->relevant >> loop & 1;
    int64_t times = walk->stamps / (walk->inside * factor) * (factor - 1);
    walk->inside *= factor;
    if (!walk->moved && !relevant) {
        walk->kept_unique += times * walk->group_words;
        walk->kept_arriving += times * walk->tile_words;
        return;
    }
    if (walk->access->plain >> loop & 1) { /* a tile of a plain index never returns to its place */
        walk->dead = true;
        return;
    }
    int64_t group, tile;
    kept_words(walk, words, loop, step, &group, &tile);
    walk->kept_unique += times * group;
    walk->kept_arriving += times * tile;
    if (!relevant)
        return;
    walk->moved = true;
    for (int e = 0; e < walk->access->n_indices; e++)
        walk->shift[e] -= coefficient(&walk->access->index[e], loop) * step * (factor - 1);
}

/* ---- a whole mapping ---- */

void sator_mapper_count(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, struct mapper_traffic *traffic)
{
    struct mapper_shape shape;

    sator_mapper_shape_init(problem, mapping, &shape);
    traffic->time_stamps = 1;
    for (int r = 0; r < problem->n_rows; r++) {
        for (int i = 0; i < problem->n_loops && !problem->row[r].is_space; i++)
            traffic->time_stamps *= mapping->factor[r][i];
    }
    for (int t = 0; t < problem->n_transfers; t++) {
        struct mapper_walk walk;
        sator_mapper_walk_init(problem, words, &shape, mapping, t, &walk);
        for (int r = walk.transfer->child_row - 1; r >= 0; r--) {
            const int8_t *order = mapping->order[problem->row[r].memory];
            for (int k = problem->n_loops - 1; k >= 0 && !problem->row[r].is_space; k--)
                sator_mapper_walk_place(&walk, words, order[k], mapping->factor[r][order[k]],
                        shape.inside[r + 1][order[k]]);
        }
        traffic->unique[t] = sator_mapper_walk_unique(&walk);
        traffic->arriving[t] = sator_mapper_walk_arriving(&walk);
    }
}

double sator_mapper_value(enum sator_map_objective objective, double pj, double cycles)
{
    switch (objective) {
    case SATOR_MAP_ENERGY:
        return pj;
    case SATOR_MAP_LATENCY:
        return cycles;
    default:
        return pj * cycles;
    }
}

/* The latency from the bits that each memory reads and writes. */
static double latency(const struct mapper_problem *p, double compute, const double *read_bits,
        const double *write_bits)
{
    double slowest = compute, scratchpad = 0;

    for (int m = 0; m < p->n_memories; m++) {
        const struct mapper_memory *memory = &p->memory[m];
        double read = read_bits[m] / memory->read_bits, write = write_bits[m] / memory->write_bits;
        slowest = fmax(slowest, fmax(read, write)); /* a bandwidth that is not given is no limit */
        if (m == p->scratchpad)
            scratchpad = compute + (isnan(read) ? 0 : read) + (isnan(write) ? 0 : write);
    }
    return p->overlaps ? slowest : fmax(slowest, scratchpad);
}

struct mapper_cost sator_mapper_cost(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic)
{
    double read_bits[MAPPER_MEMORIES], write_bits[MAPPER_MEMORIES];
    double pj = problem->fixed_pj;

    memcpy(read_bits, problem->fixed_read_bits, sizeof read_bits);
    memcpy(write_bits, problem->fixed_write_bits, sizeof write_bits);
    for (int i = 0; i < problem->n_transfers; i++) {
        const struct mapper_transfer *t = &problem->transfer[i];
        const struct mapper_access *access = &problem->access[t->access];
        double unique = (double)traffic->unique[i], arriving = (double)traffic->arriving[i];
        double bits = access->word_bits;
        bool is_output = access->role == SATOR_WRITE;
        pj += unique * t->unique_pj + arriving * t->arriving_pj;
        read_bits[t->parent] += unique * bits;
        if (is_output)
            write_bits[t->parent] += unique * bits;
        if (t->child < problem->n_memories)
            write_bits[t->child] += (is_output ? unique : arriving) * bits;
        if (t->into_own)
            read_bits[t->child] -= (arriving - unique) * bits;
    }
    double compute = (double)traffic->time_stamps * problem->cycles_per_instance;
    double cycles = latency(problem, compute, read_bits, write_bits);
    pj += problem->leakage_pj * ceil(cycles);
    if (!problem->has_energy)
        pj = NAN;
    return (struct mapper_cost){pj, cycles, sator_mapper_value(problem->objective, pj, cycles)};
}

/* ---- legality ---- */

bool sator_mapper_is_modelled(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    for (int i = 0; i < problem->n_transfers; i++) {
        const struct mapper_transfer *t = &problem->transfer[i];
        const struct mapper_access *access = &problem->access[t->access];
        if (t->n_buses < 2)
            continue;
        for (int r = 0; r < problem->n_rows; r++) {
            for (int l = 0; l < problem->n_loops; l++) {
                if ((t->between >> r & 1) && mapping->factor[r][l] > 1 &&
                        ((access->relevant & ~access->plain) >> l & 1))
                    return false;
            }
        }
    }
    return true;
}

bool sator_mapper_is_legal(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping)
{
    struct mapper_shape shape;

    for (int r = 0; r < problem->n_rows; r++) {
        int64_t used = 1;
        for (int i = 0; i < problem->n_loops; i++)
            used *= mapping->factor[r][i];
        if (problem->row[r].is_space && used > problem->row[r].shape)
            return false;
    }
    sator_mapper_shape_init(problem, mapping, &shape);
    for (int m = 0; m < problem->n_memories; m++) {
        int64_t size[MAPPER_ACCESSES] = {0};
        for (int a = 0; a < problem->n_accesses; a++) {
            if (problem->memory[m].holds >> a & 1)
                size[a] = sator_mapper_tile_words(words, a, shape.inside[problem->memory[m].row]);
        }
        if (!sator_mapper_fits(problem, m, size, NULL))
            return false;
    }
    return sator_mapper_is_modelled(problem, mapping);
}
