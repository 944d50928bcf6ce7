/* What the phases of a machine add to the time that its compute units take, at least, where some
 * tiles of a mapping are known and orders are not (doc/search.md, "The scheduled time").
 */
#include "mapper/phases/phases.h"
#include "mapper/problem/skew.h"

#include <math.h>
#include <string.h>

/* What is known of a mapping. */
struct known {
    const struct mapper_phases *phases;
    const struct mapper_mapping *mapping;
    const struct mapper_shape *shape;
    int m; /* memories from here inward have their tiles */
    int64_t outside[MAPPER_MEMORIES + 1][MAPPER_LOOPS]; /* temporal factors outside these */
    double run[MAPPER_MEMORIES + 1]; /* what a stamp of a memory computes for */
    double used[MAPPER_MEMORIES]; /* instances */
};

/* Cycles by port. */
struct times {
    double of[MAPPER_PORTS];
};

static double slowest(const struct mapper_problem *p, const struct times *times)
{
    double most = 0;

    for (int q = 0; q < p->n_ports; q++)
        most = fmax(most, times->of[q]);
    return most;
}

static void find_known(struct known *k, const int64_t *left)
{
    const struct mapper_problem *p = k->phases->problem;
    double run = (double)k->phases->stamp_cycles, used = 1;
    int at = 0;

    for (int c = 0; c < p->n_memories; c++) {
        for (; at < k->shape->n_digits && k->shape->digit[at].row < p->memory[c].row; at++)
            used *= (double)k->shape->digit[at].count;
        k->used[c] = used;
    }
    k->run[p->n_memories] = run;
    for (int c = p->n_memories - 1; c >= k->m; c--) {
        double values = 1;
        for (int i = 0; i < p->n_loops; i++)
            values *= (double)k->mapping->factor[p->memory[c].row][i];
        run *= values + (double)sator_mapper_span(p, k->mapping, c);
        k->run[c] = run;
    }
    memcpy(k->outside[k->m], left, sizeof *left * (size_t)p->n_loops);
    for (int c = k->m; c < p->n_memories; c++) {
        for (int i = 0; i < p->n_loops; i++)
            k->outside[c + 1][i] = k->outside[c][i] * k->mapping->factor[p->memory[c].row][i];
    }
}

/* The product of the temporal factors outside memory "c" of the loops in "loops". */
static double stamps(const struct known *k, int c, unsigned loops)
{
    double n = 1;

    for (int i = 0; i < k->phases->problem->n_loops; i++)
        n *= loops >> i & 1 ? (double)k->outside[c][i] : 1;
    return n;
}

/* In how many stamps of the child, the first (last) in a tile of the parent, all of a tile comes
 * (leaves), at least. */
static double exposed_times(const struct known *k, const struct mapper_transfer *t)
{
    const struct mapper_problem *p = k->phases->problem;
    unsigned plain = p->access[t->access].plain;

    if (t->parent < k->m)
        return 1;
    for (int i = 0; i < p->n_loops; i++) { /* the first tile of the parent's is not its last */
        if ((plain >> i & 1) && k->outside[t->child][i] > k->outside[t->parent][i])
            return stamps(k, t->parent, ~0U);
    }
    return stamps(k, t->parent, plain);
}

/* What the transfers into the memories of one level add, by port: what is exposed when tiles come
 * and when sums leave, and both together with what exceeds the computing of other stamps. */
struct added {
    struct times loads, stores, all;
};

/* How often so many cycles are exposed, and in how many stamps in all they pass, beside a run of so
 * many. */
struct rhythm {
    double exposed, moved, run;
};

static void add_words(const struct known *k, int port, double words, int bits,
        const struct rhythm *rhythm, struct times *exposes, struct times *all)
{
    if (port < 0)
        return;
    const struct mapper_unit *unit = &k->phases->unit[port];
    double cycles = words * bits * (double)unit->scale / (double)unit->bits;
    double others = fmax(0, rhythm->moved - rhythm->exposed);
    exposes->of[port] += rhythm->exposed * cycles;
    all->of[port] += rhythm->exposed * cycles + others * fmax(0, cycles - rhythm->run);
}

/* Whether PEs between the two memories take their words in different stamps: nothing is known of
 * when. */
static bool crosses_skew(const struct known *k, const struct mapper_transfer *t)
{
    for (int m = t->parent; m < t->child; m++) {
        if (sator_mapper_span(k->phases->problem, k->mapping, m) > 0)
            return true;
    }
    return false;
}

static void add_transfer(
        const struct known *k, struct mapper_words *words, int number, struct added *added)
{
    const struct mapper_problem *p = k->phases->problem;
    const struct mapper_transfer *t = &p->transfer[number];
    const struct mapper_manner *manner = &k->phases->manner[number];
    int bits = p->memory[t->parent].word_bits[t->access];
    struct mapper_walk walk;
    struct rhythm rhythm = {0, 0, 0};

    if ((manner->kind == SATOR_TRANSFER_SERIAL &&
                manner->kind_of_stamps == SATOR_TRANSFER_SERIAL) ||
            crosses_skew(k, t))
        return;
    if (t->reaches_back) { /* what enters first is all that links surely do not bring */
        rhythm.exposed = manner->kind == SATOR_TRANSFER_OVERLAPPED &&
                manner->kind_of_stamps == SATOR_TRANSFER_OVERLAPPED;
    } else if (t->child >= k->m) {
        bool all_time = k->run[t->child] == (double)k->phases->stamp_cycles;
        enum sator_transfer_kind kind = all_time ? manner->kind_of_stamps : manner->kind;
        if (kind == SATOR_TRANSFER_SERIAL)
            return;
        rhythm.run = sator_mapper_waits_inside(k->phases, t->child) ? INFINITY : k->run[t->child];
        rhythm.moved = stamps(k, t->child, p->access[t->access].plain);
        rhythm.exposed = kind == SATOR_TRANSFER_OVERLAPPED ? exposed_times(k, t) : 0;
    } else if (manner->kind == SATOR_TRANSFER_OVERLAPPED &&
            manner->kind_of_stamps == SATOR_TRANSFER_OVERLAPPED)
        rhythm.exposed = 1;
    sator_mapper_walk_init(p, words, k->shape, number, &walk);
    if (walk.passes || (rhythm.exposed == 0 && rhythm.moved == 0))
        return;
    double out = (double)walk.groups / k->used[t->parent] * (double)walk.group_words;
    if (t->access == k->phases->output) {
        add_words(k, manner->take, out, bits, &rhythm, &added->stores, &added->all);
        return;
    }
    add_words(k, manner->send, out, bits, &rhythm, &added->loads, &added->all);
    if (t->child < p->n_memories)
        add_words(k, manner->arrive, (double)walk.tile_words,
                p->memory[t->child].word_bits[t->access], &rhythm, &added->loads, &added->all);
}

/* Whether memories "c" - 1 and "c" may have the same stamps: the one has no loops, as far as is
 * known. Their phases are one then. */
static bool may_be_one(const struct known *k, int c)
{
    return c - 1 < k->m || k->run[c - 1] == k->run[c];
}

double sator_mapper_exposed(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int m,
        const int64_t *left)
{
    const struct mapper_problem *p = phases->problem;
    struct known known = {.phases = phases, .mapping = mapping, .shape = shape, .m = m};
    struct added added;
    double before = 0, least = 0;

    find_known(&known, left);
    memset(&added, 0, sizeof added);
    for (int c = 0; c < p->n_memories; c++) {
        if (c > 0 && !may_be_one(&known, c)) {
            before += slowest(p, &added.loads) + slowest(p, &added.stores);
            memset(&added, 0, sizeof added);
        }
        for (int t = 0; t < p->n_transfers; t++) {
            if (p->transfer[t].child == c)
                add_transfer(&known, words, t, &added);
        }
        double exposed = slowest(p, &added.loads) + slowest(p, &added.stores);
        least = fmax(least, before + fmax(exposed, slowest(p, &added.all)));
    }
    return least;
}
