/* What the phases of a machine expose at least, where some tiles of a mapping are known and orders
 * are not (doc/search.md, "The scheduled time").
 */
#include "mapper/phases/phases_known.h"
#include "mapper/problem/skew.h"

#include <math.h>
#include <string.h>

/* Cycles by port. */
struct times {
    double of[MAPPER_PORTS];
};

static double slowest(const struct mapper_problem *p, const struct times *times)
{
    double most = 0;

    for (int q = 0; q < p->n_ports; q++)
        most = mapper_greater(most, times->of[q]);
    return most;
}

static double tile(const struct phases_known *k, int c, int i)
{
    return (double)k->shape->inside[mapper_row_of(k->phases->problem, c)][i];
}

static void find_known(struct phases_known *k, struct mapper_words *words)
{
    const struct mapper_problem *p = k->phases->problem;
    double run = p->read_cycles; /* the longer one */
    struct mapper_walk walk;

    int d = 0;
    for (int c = 0; c <= p->n_memories; c++) { /* digits stand in the order of their rows */
        k->used[c] = c == 0 ? 1 : k->used[c - 1];
        for (int i = 0; i < p->n_loops; i++)
            k->along[c][i] = c == 0 ? 1 : k->along[c - 1][i];
        for (; d < k->shape->n_digits && k->shape->digit[d].row < mapper_row_of(p, c); d++) {
            k->used[c] *= (double)k->shape->digit[d].count;
            k->along[c][k->shape->digit[d].loop] *= (double)k->shape->digit[d].count;
        }
    }
    memset(k->run, 0, sizeof k->run);
    k->run[p->n_memories] = run;
    for (int c = p->n_memories - 1; c >= k->m; c--) {
        double values = 1;
        for (int i = 0; i < p->n_loops; i++)
            values *= (double)k->mapping->factor[p->memory[c].row][i];
        run *= values + (double)sator_mapper_span(p, k->mapping, c);
        k->run[c] = run;
    }
    for (int c = 0; c <= p->n_memories; c++) {
        k->all_stamps[c] = 1;
        for (int i = 0; i < p->n_loops; i++) {
            k->stamps[c][i] =
                    mapper_greater(1, (double)p->extent[i] / (tile(k, c, i) * k->along[c][i]));
            k->all_stamps[c] *= k->stamps[c][i];
        }
    }
    for (int number = 0; number < p->n_transfers; number++) {
        const struct mapper_transfer *t = &p->transfer[number];
        sator_mapper_walk_open(p, words, k->shape, number, MAPPER_AS_IT_IS, &walk);
        k->moved[number] = (struct phases_moved){
                .unique = (double)walk.groups * (double)walk.group_words,
                .arriving = (double)walk.tiles * (double)walk.tile_words,
                .tile_words = (double)walk.tile_words,
                .passes = walk.passes,
                .is_plain = !walk.passes && !walk.is_relaxed && !t->is_counted && !t->is_quotient &&
                        !t->is_outside && !t->reaches_back && !t->has_late && t->grouped_rows == 0};
        memcpy(k->moved[number].group_values, walk.group_values, sizeof walk.group_values);
        memcpy(k->moved[number].tile_values, walk.tile_values, sizeof walk.tile_values);
    }
}

/* ---- how often ---- */

/* A transfer along one loop whose last tile may be short. The tiles of the parent, each by its
 * share of what a whole one brings in the first stamp of the child (sums: in the last): of all
 * ("each"), of those that are whole ("whole"), of a single one ("one"). The stamps of the child in
 * which all tiles are whole. */
struct rounds {
    double each, whole, one, moved;
};

/* The last tile of the parent begins as others do, and as all of it where it is shorter than that;
 * it ends with what is left of the child's tiles. */
static struct rounds find_rounds(
        const struct phases_known *k, const struct mapper_transfer *t, bool is_once, int i)
{
    const struct mapper_problem *p = k->phases->problem;
    double here = is_once ? 1 : k->stamps[t->parent][i], moved = k->stamps[t->child][i];
    double pes = k->along[t->child][i] / k->along[t->parent][i], extent = (double)p->extent[i];
    double group = tile(k, t->child, i) * pes, rest = (fmod(extent - 1, group) + 1) / group;
    double begin = mapper_lesser(1, extent / group);
    if (pes == 1 && !(p->access[t->access].relevant >> i & 1)) /* any tile brings as much */
        return (struct rounds){ceil(here), floor(here), 1, ceil(moved)};
    const bool is_sum = t->access == k->phases->output;
    /* of a sum PEs that have no part in the last tile are done before the others */
    const bool ends_early = is_sum && rest < 1 && !(p->access[t->access].relevant >> i & 1);
    moved = begin < 1 || ends_early ? 0 : floor(moved);
    if (!is_sum)
        return (struct rounds){here * begin, floor(here) * begin, begin, moved};
    if (k->along[t->parent][i] == 1)
        return (struct rounds){ceil(here) - 1 + rest, here == 1 ? rest : floor(here), rest, moved};
    /* which instance of the parent has the last tile is not told */
    double whole = is_once ? 0 : floor(extent / (tile(k, t->parent, i) * k->along[t->parent][i]));
    return (struct rounds){whole, whole, 0, moved};
}

/* How often cycles are exposed, in how many stamps in all they pass, and what each of these
 * computes for. */
struct rhythm {
    double exposed, moved, run;
};

/* ---- tiles that slide ---- */

/* Of an index of several loops: the most that two tiles of the parent have in common which differ
 * along it; the most that the child's last tile in one of the parent's has in common with the
 * first. */
struct overlap {
    double next, back;
};

static struct overlap find_overlap(const struct phases_known *k, const struct mapper_transfer *t,
        const struct mapper_index *index, bool grouped)
{
    double parent = 1, child = 1, step = 0, back = 0;
    int n_outer = 0;

    for (int j = 0; j < index->n_parts; j++) {
        const int i = index->loop[j];
        const double coef = (double)index->coef[j], all = tile(k, t->parent, i);
        const double pes = grouped ? k->along[t->child][i] / k->along[t->parent][i] : 1;
        const double own = tile(k, t->child, i);
        const double turns = k->stamps[t->child][i] / k->stamps[t->parent][i];
        if (coef <= 0)
            return (struct overlap){INFINITY, INFINITY};
        parent += coef * (all - 1);
        child += coef * (own * pes - 1);
        back += coef * own * (turns - 1);
        if (k->stamps[t->parent][i] > 1) {
            step = coef * all;
            n_outer++;
        }
    }
    const bool is_simple =
            index->n_parts > 1 && !index->is_core && index->divisor == 0 && index->joint == NULL;
    if (!is_simple)
        return (struct overlap){INFINITY, INFINITY};
    return (struct overlap){n_outer > 1 ? INFINITY : mapper_greater(0, parent - step),
            mapper_greater(0, child - back)};
}

/* The stamps of a transfer that are exposed, each by the share of a tile (of a group's words) that
 * is new in it, at least. Each tile of the parent is entered from another one, which has no more
 * than two that are next to each other in common with it; and where the parent's tile stays, the
 * child's falls back from the last to the first. */
static double exposed_slides(
        const struct phases_known *k, int number, const struct mapper_transfer *t, bool grouped)
{
    const struct mapper_access *access = &k->phases->problem->access[t->access];
    double all = 1, different = 1, plain = 1; /* tiles of the parent */
    double next = 1, back = 0; /* shares */

    for (int i = 0; i < k->phases->problem->n_loops; i++) {
        const double stamps = k->stamps[t->parent][i];
        all *= stamps;
        different *= access->relevant >> i & 1 ? stamps : 1;
        plain *= access->plain >> i & 1 ? stamps : 1;
    }
    for (int e = 0; e < access->n_indices; e++) {
        const struct phases_moved *moved = &k->moved[number];
        const double values = (double)(grouped ? moved->group_values : moved->tile_values)[e];
        if (access->index[e].n_parts == 0 || (access->plain >> access->index[e].loop[0] & 1))
            continue;
        struct overlap overlap = find_overlap(k, t, &access->index[e], grouped);
        bool steps = false;
        for (int j = 0; j < access->index[e].n_parts; j++)
            steps |= k->stamps[t->parent][access->index[e].loop[j]] > 1;
        if (steps)
            next = mapper_lesser(next, 1 - mapper_lesser(1, overlap.next / values));
        back = mapper_greater(back, 1 - mapper_lesser(1, overlap.back / values));
    }
    return mapper_greater(
            plain + (different - plain) * next, 1 + (all - 1) * mapper_lesser(next, back));
}

/* In how many stamps of the child, the first (last) in a tile of the parent, all of a tile comes
 * (leaves), at least, and in how many it does in all; "is_once": of the first (last) stamp alone.
 */
static void find_times(const struct phases_known *k, const struct mapper_transfer *t, bool is_once,
        struct rhythm *rhythm)
{
    const struct mapper_problem *p = k->phases->problem;
    unsigned plain = p->access[t->access].plain;
    double all = 1, different = 1;
    bool turns = false;

    rhythm->moved = 1;
    for (int i = 0; i < p->n_loops && !p->imperfect; i++) {
        different *= plain >> i & 1 && !is_once ? k->stamps[t->parent][i] : 1;
        rhythm->moved *= plain >> i & 1 ? k->stamps[t->child][i] : 1;
    }
    if (!p->imperfect) {
        turns = !is_once && rhythm->moved > different; /* else the one tile is the other */
        rhythm->exposed = turns ? k->all_stamps[t->parent] : different;
        return;
    }
    for (int i = 0; i < p->n_loops; i++) {
        struct rounds rounds = find_rounds(k, t, is_once, i);
        /* the first tile of the parent's is not its last, where that is whole */
        bool here = !turns && !is_once && (plain >> i & 1) &&
                k->stamps[t->child][i] > k->stamps[t->parent][i];
        all *= here ? rounds.whole : rounds.each;
        different *= plain >> i & 1 ? rounds.each : rounds.one;
        rhythm->moved *= plain >> i & 1 ? rounds.moved : mapper_lesser(1, rounds.moved);
        turns |= here;
    }
    rhythm->exposed = turns ? mapper_greater(all, different) : different;
}

/* What the transfers into the memories of one level add, by port: what is exposed when tiles come
 * and when sums leave, and both together with what exceeds the computing of other stamps. */
struct added {
    struct times loads, stores, all;
};

static void add_words(const struct phases_known *k, const struct mapper_way *way, double words,
        double slides, const struct rhythm *rhythm, struct times *exposes, struct times *all)
{
    if (way->port < 0)
        return;
    const struct mapper_unit *unit = &k->phases->unit[way->port];
    double cycles = words * (double)way->bits * (double)unit->scale / (double)unit->bits;
    double others = mapper_greater(0, rhythm->moved - rhythm->exposed);
    double exposed = mapper_greater(rhythm->exposed, slides);
    exposes->of[way->port] += exposed * cycles;
    all->of[way->port] += exposed * cycles + others * mapper_greater(0, cycles - rhythm->run);
}

/* Whether PEs between the two memories take their words in different stamps: nothing is known of
 * when. */
static bool crosses_skew(const struct phases_known *k, const struct mapper_transfer *t)
{
    for (int m = t->parent; m < t->child; m++) {
        if (sator_mapper_span(k->phases->problem, k->mapping, m) > 0)
            return true;
    }
    return false;
}

/* Whether stamps of a memory between the two that does not hold the tensor lie between those of
 * arrays: where tiles may be short, other PEs are active in each of them. */
static bool is_interleaved(const struct phases_known *k, const struct mapper_transfer *t)
{
    const struct mapper_problem *p = k->phases->problem;
    bool spreads = false;

    for (int r = p->memory[t->parent].row; r < mapper_row_of(p, t->child - 1) && p->imperfect; r++)
        spreads |= p->row[r].is_space && p->row[r].shape > 1;
    return spreads;
}

static void add_transfer(const struct phases_known *k, int number, struct added *added)
{
    const struct mapper_problem *p = k->phases->problem;
    const struct mapper_transfer *t = &p->transfer[number];
    const struct mapper_manner *manner = &k->phases->manner[number];
    bool is_known = t->child >= k->m && !t->reaches_back; /* links bring some of what enters */
    bool all_time = is_known && k->run[t->child] == k->run[p->n_memories];
    enum sator_transfer_kind kind = all_time ? manner->kind_of_stamps : manner->kind;
    const struct phases_moved *moved = &k->moved[number];
    struct rhythm rhythm = {0, 0, 0};

    if (kind == SATOR_TRANSFER_SERIAL || crosses_skew(k, t) || is_interleaved(k, t))
        return;
    if (!is_known && (kind != SATOR_TRANSFER_OVERLAPPED || manner->kind_of_stamps != kind))
        return;
    find_times(k, t, !is_known || t->parent < k->m, &rhythm);
    rhythm.exposed = kind == SATOR_TRANSFER_OVERLAPPED ? rhythm.exposed : 0;
    rhythm.moved = is_known ? rhythm.moved : 0;
    rhythm.run = !is_known || sator_mapper_waits_inside(k->phases, t->child) ? INFINITY
                                                                             : k->run[t->child];
    if (moved->passes || (rhythm.exposed == 0 && rhythm.moved == 0))
        return;
    double out = moved->unique / k->used[t->parent];
    if (t->access == k->phases->output) {
        add_words(k, &manner->take, out, 0, &rhythm, &added->stores, &added->all);
        return;
    }
    const bool slides = rhythm.exposed > 0 && is_known && t->parent >= k->m && !p->imperfect &&
            p->access[t->access].is_sliding;
    add_words(k, &manner->send, out, slides ? exposed_slides(k, number, t, true) : 0, &rhythm,
            &added->loads, &added->all);
    add_words(k, &manner->arrive, moved->tile_words,
            slides ? exposed_slides(k, number, t, false) : 0, &rhythm, &added->loads, &added->all);
}

/* The cycles that a word of a transfer takes, of those that all instances of a memory hold
 * together: of its loops "plain" each instance has a part. */
static double cycles_each(const struct phases_known *k, const struct mapper_transfer *t, int number)
{
    const struct mapper_problem *p = k->phases->problem;
    const struct mapper_manner *manner = &k->phases->manner[number];
    bool is_sum = t->access == k->phases->output;
    const struct mapper_way *ways[2] = {is_sum ? &manner->take : &manner->send, &manner->arrive};
    int memory[2] = {t->parent, t->child};
    double most = 0;

    for (int side = 0; side < (is_sum ? 1 : 2); side++) {
        double parts = 1;
        if (ways[side]->port < 0)
            continue;
        for (int i = 0; i < p->n_loops; i++)
            parts *= p->access[t->access].plain >> i & 1 ? k->along[memory[side]][i] : 1;
        const struct mapper_unit *unit = &k->phases->unit[ways[side]->port];
        most = mapper_greater(most,
                (double)ways[side]->bits * (double)unit->scale / ((double)unit->bits * parts));
    }
    return most;
}

/* What the transfers of an access into memory "m" and those outside it expose at least, though the
 * tiles of those are not known. With W words in all, X_j of them in tiles of the j-th holder at
 * once, and c_j cycles a word, each of the W / X_(j-1) different tiles of the holder outside
 * exposes X_j c_j: of the product of these only the first X, which is W, and the last do not cancel
 * out, and the sum is no less than n times the n-th root of that. Where two holders have the same
 * stamps, X_j = X_(j-1), what they expose is not added up, but then all words are exposed. */
static double exposed_outside(const struct phases_known *k, int access)
{
    const struct mapper_problem *p = k->phases->problem;
    double words = 1, tile = 1, product = 1, all = INFINITY;
    int n = 0;

    for (int i = 0; i < p->n_loops; i++) {
        if (!(p->access[access].plain >> i & 1))
            continue;
        words *= (double)p->extent[i];
        tile *= (double)k->shape->inside[mapper_row_of(p, k->m)][i] * k->along[k->m][i];
    }
    for (int number = 0; number < p->n_transfers; number++) {
        const struct mapper_transfer *t = &p->transfer[number];
        const struct mapper_manner *manner = &k->phases->manner[number];
        bool always =
                manner->kind_of_stamps == manner->kind || k->run[k->m] != k->run[p->n_memories];
        if (t->access != access || t->child > k->m)
            continue;
        if (manner->kind != SATOR_TRANSFER_OVERLAPPED || !always || t->is_outside ||
                t->reaches_back || crosses_skew(k, t))
            return 0;
        double each = cycles_each(k, t, number);
        product *= n++ == 0 ? each : each * words;
        if (t->parent > 0)
            all = mapper_lesser(all, each * words);
    }
    return n < 2 ? 0 : mapper_lesser(n * pow(product * tile, 1.0 / n), all);
}

/* Of all accesses: sums leave when inputs do not come. */
static double all_exposed_outside(const struct phases_known *k)
{
    double loads = 0, stores = 0;

    for (int a = 0; a < k->phases->problem->n_accesses && !k->phases->problem->imperfect; a++) {
        double *most = a == k->phases->output ? &stores : &loads;
        *most = mapper_greater(*most, exposed_outside(k, a));
    }
    return (loads + stores) * (1 - 1e-9);
}

/* Whether memories "c" - 1 and "c" may have the same stamps: the one has no loops, as far as is
 * known. Their phases are one then. */
static bool may_be_one(const struct phases_known *k, int c)
{
    return c - 1 < k->m || k->run[c - 1] == k->run[c];
}

void sator_mapper_exposed(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int m,
        const struct mapper_crew *crew, struct mapper_exposed *exposed)
{
    const struct mapper_problem *p = phases->problem;
    struct phases_known known;
    struct added added;
    double before = 0;
    int first = m; /* has the stamps of "c" */

    known.phases = phases; /* the rest is large */
    known.mapping = mapping;
    known.shape = shape;
    known.m = m;
    find_known(&known, words);
    memset(known.exposed, 0, sizeof known.exposed);
    double outside = all_exposed_outside(&known), least = outside;
    memset(&added, 0, sizeof added);
    for (int c = 0; c < p->n_memories; c++) {
        if (c > 0 && !may_be_one(&known, c)) {
            known.exposed[first] = slowest(p, &added.loads) + slowest(p, &added.stores);
            before += known.exposed[first];
            before = c > m ? mapper_greater(before, outside) : before;
            first = c;
            memset(&added, 0, sizeof added);
        }
        for (int t = 0; t < p->n_transfers; t++) {
            if (p->transfer[t].child == c)
                add_transfer(&known, t, &added);
        }
        known.exposed[first] = slowest(p, &added.loads) + slowest(p, &added.stores);
        least = mapper_greater(
                least, before + mapper_greater(known.exposed[first], slowest(p, &added.all)));
    }
    exposed->cycles = least;
    exposed->alone = 0;
    for (int c = 0; c < p->n_memories; c++)
        exposed->alone += known.exposed[c];
    exposed->waits = crew != NULL && sator_mapper_phase_waits(&known, crew, exposed->waiting);
}
