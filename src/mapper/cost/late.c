/* Words that links of all kinds bring (doc/search.md, "Counting").
 *
 * What enters in a stamp depends on how far the tile has moved since each of the d stamps before, d
 * the longest interval of the links. Number the stamps; let l be the outermost loop whose digit is
 * not the same in stamp c and in stamp c - d, I the stamps of one step of l, and j = c mod I. Then
 * j is less than d, and all stamps with this l and j have moved alike: the digits inside l are
 * those of j and of the last d stamps of a step, and l has taken (d - j) / I steps, rounded up. So
 * some stamps of each loop stand for all, and the first d stamps, before which there is less, are
 * looked at by themselves.
 */
#include "mapper/cost/cost.h"

/* The temporal loops outside of the transfer's child, innermost first. */
struct nest {
    int n;
    struct {
        int index; /* of the access; -1: none */
        int64_t factor, move; /* of the index, in a step */
    } loop[MAPPER_MEMORIES * MAPPER_LOOPS];
};

static void list_loops(const struct mapper_walk *walk, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, struct nest *nest)
{
    const struct mapper_problem *p = walk->problem;
    const struct mapper_access *access = walk->access;

    nest->n = 0;
    for (int r = walk->transfer->child_row - 1; r >= 0; r--) {
        for (int k = p->n_loops - 1; k >= 0 && !p->row[r].is_space; k--) {
            int loop = mapping->order[p->row[r].memory][k], at = nest->n;
            if (mapping->factor[r][loop] == 1)
                continue;
            bool moves = access->relevant >> loop & 1;
            nest->loop[at].index = moves ? access->index_of[loop] : -1;
            nest->loop[at].factor = mapping->factor[r][loop];
            nest->loop[at].move = access->coef_of[loop] * shape->inside[r + 1][loop];
            nest->n++;
        }
    }
}

/* Set where the tile lies in stamp "c" along each index. */
static void find_place(const struct nest *nest, int64_t c, int64_t *place)
{
    for (int e = 0; e < MAPPER_INDICES; e++)
        place[e] = 0;
    for (int i = 0; i < nest->n && c > 0; i++) {
        int64_t digit = c % nest->loop[i].factor;
        c /= nest->loop[i].factor;
        if (nest->loop[i].index >= 0)
            place[nest->loop[i].index] += digit * nest->loop[i].move;
    }
}

/* The words that enter in stamp "c", which "latest" stamps and no more may be before. */
static int64_t entering_in(struct mapper_words *words, const struct mapper_walk *walk,
        const struct nest *nest, int64_t c, int64_t latest)
{
    const struct mapper_access *access = walk->access;
    struct mapper_past past = {.held = 0};
    int64_t now[MAPPER_INDICES], then[MAPPER_INDICES];

    find_place(nest, c, now);
    for (int64_t k = 1; k <= latest && k <= c; k++) {
        bool any = true;
        find_place(nest, c - k, then);
        for (int e = 0; e < access->n_indices; e++) {
            past.shift[k - 1][e] = now[e] - then[e];
            /* tiles of one loop share all or nothing */
            any &= access->index[e].closed != 1 || now[e] == then[e];
        }
        past.held |= any ? 1U << (k - 1) : 0;
    }
    return sator_mapper_entering_after(words, walk, &past);
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
static void note_least(struct mapper_words *words, const struct mapper_walk *walk,
        const struct nest *nest, int64_t c, int64_t *least)
{
    int64_t entering = entering_in(words, walk, nest, c, walk->transfer->latest);
    int at = stepping(nest, c);

    least[at] = entering < least[at] ? entering : least[at];
}

void sator_mapper_least_steps(const struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int64_t *least)
{
    int64_t latest = walk->transfer->latest, inside = 1;
    struct nest nest;

    list_loops(walk, mapping, shape, &nest);
    for (int i = 0; i < nest.n; i++) {
        int64_t factor = nest.loop[i].factor;
        least[i] = INT64_MAX;
        for (int64_t j = 0; j < latest && j < inside; j++) {
            int64_t steps = (latest - j + inside - 1) / inside;
            if (steps < factor)
                note_least(words, walk, &nest, steps * inside + j, least);
        }
        inside *= factor;
    }
    for (int64_t c = 1; c < latest && c < inside; c++)
        note_least(words, walk, &nest, c, least);
}

bool sator_mapper_count_links(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, int transfer, int64_t *unique, int64_t *arriving)
{
    struct mapper_shape shape;
    struct mapper_walk walk;
    struct mapper_pace pace;
    struct nest nest;

    sator_mapper_shape_init(problem, mapping, &shape);
    sator_mapper_walk_links(problem, words, &shape, transfer, &walk);
    if (sator_mapper_goes_round(words, &walk))
        return false;
    sator_mapper_walk_stamps(&walk, mapping);
    list_loops(&walk, mapping, &shape, &nest);
    int64_t latest = walk.transfer->latest, inside = 1, sum = 0;
    for (int64_t c = 0; c < latest && c < walk.stamps; c++)
        sum += entering_in(words, &walk, &nest, c, latest);
    for (int i = 0; i < nest.n; i++) {
        int64_t factor = nest.loop[i].factor, outside = walk.stamps / (inside * factor);
        for (int64_t j = 0; j < latest && j < inside; j++) {
            int64_t steps = (latest - j + inside - 1) / inside;
            if (steps < factor)
                sum += outside * (factor - steps) *
                        entering_in(words, &walk, &nest, steps * inside + j, latest);
        }
        inside *= factor;
    }
    *unique = walk.groups * sum;
    sator_mapper_walk_pace(&walk, words, mapping, &shape, &pace);
    *arriving = sator_mapper_arriving(&walk, &pace);
    return true;
}
