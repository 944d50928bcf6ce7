/* Words that links of all kinds bring (doc/search.md, "Counting").
 *
 * What enters in a stamp depends on how far the tile has moved since each of the d stamps before, d
 * the longest interval of the links, and where a skew has PEs run ahead until each of the a stamps
 * after. Let a block be the innermost loops that make at least d + a stamps, the last of which has
 * I stamps in a step. Inside a block those are alike that have the same place in a step of its last
 * loop. Of the d stamps that a block begins with, and the a that it ends with, those are alike that
 * have the same place in it and the same loop stepping between this block and the next, or the end
 * of the run there.
 */
#include "mapper/cost/cost.h"
#include "mapper/problem/skew.h"

/* The temporal loops outside of the transfer's child, innermost first. A skewed row is a run of
 * each step of the loops further out, in which PEs that are late, or have ended, have nothing. */
struct nest {
    const struct mapper_walk *walk;
    struct mapper_words *words;
    int n, n_run; /* loops; those of a run */
    int64_t run, gap; /* stamps of a run; those between two runs */
    int64_t stamps; /* of all, with what is between runs; or of one, where no link leads further */
    unsigned used; /* by bit k - 1: the stamps k before, or MAPPER_LATEST - k after, that links, or
                      a PE itself, lead from */
    struct {
        int index; /* of the access; -1: none */
        int64_t factor, move; /* of the index, in a step */
    } loop[MAPPER_MEMORIES * MAPPER_LOOPS];
};

static void list_loops(const struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, struct nest *nest)
{
    const struct mapper_problem *p = walk->problem;
    const struct mapper_access *access = walk->access;
    const struct mapper_transfer *t = walk->transfer;

    *nest = (struct nest){.walk = walk, .words = words, .run = 1, .stamps = 1, .used = 1};
    for (int i = 0; i < t->n_passes; i++) {
        int interval = t->passes[i].interval;
        nest->used |= interval > 0 ? 1U << (interval - 1) : 0;
        nest->used |= interval < 0 ? 1U << (MAPPER_LATEST - interval - 1) : 0;
    }
    for (int r = t->child_row - 1; r >= 0; r--) {
        for (int k = p->n_loops - 1; k >= 0 && !p->row[r].is_space; k--) {
            int loop = mapping->order[p->row[r].memory][k], at = nest->n;
            if (mapping->factor[r][loop] == 1)
                continue;
            bool moves = access->relevant >> loop & 1;
            nest->loop[at].index = moves ? access->index_of[loop] : -1;
            nest->loop[at].factor = mapping->factor[r][loop];
            nest->loop[at].move = access->coef_of[loop] * shape->inside[r + 1][loop];
            nest->n++;
            nest->n_run += r >= walk->cold_row;
            nest->run *= r >= walk->cold_row ? nest->loop[at].factor : 1;
            nest->stamps *= nest->loop[at].factor;
        }
    }
}

/* Let the runs of a skewed nest be apart; false where by how much is not known: several rows are
 * skewed, or loops are inside of one; or where what idle PEs hold would count. */
static bool part_runs(const struct mapper_mapping *mapping, struct nest *nest)
{
    const struct mapper_problem *p = nest->walk->problem;
    const struct mapper_transfer *t = nest->walk->transfer;
    int rows = 0, cold = 0, reach = sator_mapper_reach(t);

    for (int m = 0; m < p->n_memories && p->memory[m].row < t->child_row; m++) {
        bool is_skewed = sator_mapper_span(p, mapping, m) > 0;
        rows += is_skewed;
        cold = is_skewed ? m : cold;
    }
    if (rows == 0)
        return true;
    bool hold_idle = t->child < p->n_memories && p->memory[t->child].holds_idle;
    if (t->ahead > 0 && hold_idle) /* what a PE ahead had last it has after its end */
        return false;
    if (nest->walk->cold_row !=
            p->memory[cold].row) /* a run begins with what the one before left */
        return reach <= 1 && t->ahead == 0;
    int64_t n_runs = nest->stamps / nest->run;
    nest->gap = sator_mapper_span(p, mapping, cold);
    if (n_runs == 1 || nest->gap >= reach) {
        nest->stamps = nest->run;
        return true;
    }
    nest->stamps += n_runs * nest->gap;
    return rows == 1 && cold + 1 == t->child;
}

/* Set where the tile lies in stamp "c" along each index; false where PEs have nothing. */
static bool find_place(const struct nest *nest, int64_t c, int64_t *place)
{
    int64_t period = nest->run + nest->gap, run = c / period;

    if (c < 0 || c >= nest->stamps || c % period >= nest->run)
        return false;
    for (int e = 0; e < MAPPER_INDICES; e++)
        place[e] = 0;
    c %= period;
    for (int i = 0; i < nest->n; i++) {
        c = i == nest->n_run ? run : c;
        int64_t digit = c % nest->loop[i].factor;
        c /= nest->loop[i].factor;
        if (nest->loop[i].index >= 0)
            place[nest->loop[i].index] += digit * nest->loop[i].move;
    }
    return true;
}

/* The words that enter in stamp "c". */
static int64_t entering_in(const struct nest *nest, int64_t c)
{
    const struct mapper_access *access = nest->walk->access;
    struct mapper_past past = {.held = 0};
    int64_t now[MAPPER_INDICES], then[MAPPER_INDICES];

    (void)find_place(nest, c, now);
    for (unsigned used = nest->used; used != 0; used &= used - 1) {
        int slot = __builtin_ctz(used), k = slot + 1;
        bool any = find_place(nest, k > MAPPER_LATEST ? c + k - MAPPER_LATEST : c - k, then);
        for (int e = 0; e < access->n_indices && any; e++) {
            past.shift[slot][e] = now[e] - then[e];
            /* tiles of one loop share all or nothing */
            any &= access->index[e].closed != 1 || now[e] == then[e];
        }
        past.held |= any ? 1U << slot : 0;
    }
    return sator_mapper_entering_after(nest->words, nest->walk, &past);
}

/* The digit that steps into stamp "c" > 0: the innermost that is not 0. */
static int stepping(const struct nest *nest, int64_t c)
{
    int i = 0;

    for (; c % nest->loop[i].factor == 0; i++)
        c /= nest->loop[i].factor;
    return i;
}

/* Note what enters in stamp "c" if that is less than in others that the same digit steps into. */
static void note_least(const struct nest *nest, int64_t c, int64_t *least)
{
    int64_t entering = entering_in(nest, c);
    int at = stepping(nest, c);

    least[at] = entering < least[at] ? entering : least[at];
}

void sator_mapper_least_steps(const struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int64_t *least)
{
    int64_t latest = walk->transfer->latest, inside = 1;
    struct nest nest;

    list_loops(walk, words, mapping, shape, &nest);
    for (int i = 0; i < nest.n; i++) {
        int64_t factor = nest.loop[i].factor;
        least[i] = INT64_MAX;
        for (int64_t j = 0; j < latest && j < inside; j++) {
            int64_t steps = (latest - j + inside - 1) / inside;
            if (steps < factor)
                note_least(&nest, steps * inside + j, least);
        }
        inside *= factor;
    }
    for (int64_t c = 1; c < latest && c < inside; c++)
        note_least(&nest, c, least);
}

/* The words of the stamps at which a block begins, and of those at which the one before it ends:
 * stamps "last" and "first". */
static int64_t entering_at(const struct nest *nest, int64_t last, int64_t first)
{
    int64_t sum = 0;

    for (int64_t j = 0; j < nest->walk->transfer->latest; j++)
        sum += entering_in(nest, first + j);
    for (int64_t j = 0; j < nest->walk->transfer->ahead; j++)
        sum += entering_in(nest, last - j);
    return sum;
}

/* The words of one group over the whole run; -1 where a link leads past all of a short run. */
static int64_t entering_all(const struct nest *nest)
{
    int64_t before = nest->walk->transfer->latest, after = nest->walk->transfer->ahead;
    int64_t stamps = nest->walk->stamps; /* without what is between runs */
    int64_t block = 1, step = 1, inside = 1, sum = 0;
    int n = 0;

    for (; n < nest->n_run && block < before + after; n++) {
        step = block;
        block *= nest->loop[n].factor;
    }
    bool is_parted = nest->stamps == nest->run; /* nothing passes from run to run */
    if (block < before + after) {
        for (int64_t c = 0; c < nest->run && is_parted; c++)
            sum += entering_in(nest, c);
        return is_parted ? sum * (stamps / nest->run) : -1;
    }
    for (int64_t j = before; j < before + step && j < block - after; j++) {
        int64_t alike = (block - after - j + step - 1) / step;
        sum += stamps / block * alike * entering_in(nest, j);
    }
    for (int i = 0; i < nest->n && (i < nest->n_run || !is_parted); i++) {
        int64_t factor = nest->loop[i].factor, times = stamps / inside / factor;
        int64_t runs = inside / nest->run, first = inside + runs * nest->gap;
        if (i >= n)
            sum += times * (factor - 1) *
                    entering_at(nest, first - 1 - (i < nest->n_run ? 0 : nest->gap), first);
        inside *= factor;
    }
    int64_t ends = nest->stamps - 1 - (is_parted ? 0 : nest->gap);
    return sum + (is_parted ? stamps / nest->run : 1) * entering_at(nest, ends, 0);
}

bool sator_mapper_count_links(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, int transfer, int64_t *unique, int64_t *arriving)
{
    struct mapper_shape shape;
    struct mapper_walk walk;
    struct mapper_pace pace;
    struct nest nest;

    sator_mapper_shape_init(problem, mapping, &shape);
    sator_mapper_walk_open(problem, words, &shape, transfer, MAPPER_LINKS_ALONE, &walk);
    if (sator_mapper_goes_round(words, &walk))
        return false;
    sator_mapper_walk_stamps(&walk, mapping);
    list_loops(&walk, words, mapping, &shape, &nest);
    if (!part_runs(mapping, &nest))
        return false;
    int64_t sum = entering_all(&nest);
    if (sum < 0)
        return false;
    *unique = walk.groups * sum;
    sator_mapper_walk_pace(&walk, words, mapping, &shape, &pace);
    *arriving = sator_mapper_arriving(&walk, &pace);
    return true;
}
