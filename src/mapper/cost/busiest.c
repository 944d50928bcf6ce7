/* The instance of a memory that moves most, where instances differ (ports.c).
 *
 * Where last tiles are short there are two kinds of instances for each loop that is spread over
 * them: the last has the short tile, all others whole ones. Every combination is counted by itself.
 * A short tile moves fewer words, but what has nothing to do for a while has to fetch again what it
 * held. Accesses without a formula, and mappings that leave whole instances idle for a while, are
 * asked for in the model, instance by instance.
 */
#include "count/tiled/tiling.h"
#include "mapper/cost/cost.h"
#include "mapper/problem/invariants.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    MOST_KINDS = 12 /* loops with short tiles that are spread: 2^12 kinds of instances */
};

/* The iterations of loop "i" at one of its parallel positions. */
static int64_t iterations(const struct mapper_problem *p, const struct mapper_mapping *mapping,
        const struct mapper_alone *alone, int i)
{
    int64_t pes = mapper_positions(p, mapping, alone->row, i), all = mapper_covered(p, mapping, i);

    assert(all >= p->extent[i] && all % pes == 0);
    if (pes == 1)
        return p->extent[i];
    return all / pes - (alone->last >> i & 1 ? all - p->extent[i] : 0);
}

struct kinds {
    const struct mapper_problem *problem;
    struct mapper_words *words;
    const struct mapper_mapping *mapping;
    const struct mapper_shape *shape;
    struct mapper_traffic *traffic;
    int memory;
    struct mapper_alone alone;
    unsigned loops; /* that tell kinds apart */
    unsigned *brings; /* of each transfer, rows along which a wire or a tree brings some sum */
    bool takes_up; /* an instance of the kind does all its sums */
    int64_t moved[2 * MAPPER_TRANSFERS + MAPPER_ACCESSES]; /* by it: of each transfer what leaves
                                                              and arrives, of each access */
};

static void add_words(const struct kinds *k, int access, bool writes, double count, double *bits)
{
    int port = sator_mapper_port_of(k->problem, k->memory, access, writes);

    if (port >= 0)
        bits[port] += count * (double)k->problem->memory[k->memory].word_bits[access];
}

/* "words", or 0 where they are not known: the mapping is not costed then. */
static int64_t known(const struct kinds *k, int64_t words)
{
    k->traffic->is_unknown |= words == TILING_UNKNOWN;
    return words == TILING_UNKNOWN ? 0 : words;
}

static int64_t count_words(const struct kinds *k, int t, const struct mapper_sharing *sharing)
{
    return known(k, sator_mapper_tiling_words(k->words, k->mapping, k->shape, t, sharing));
}

/* The words of "access" that an instance of the kind ever touches. */
static int64_t touched_words(const struct kinds *k, int access)
{
    return known(k, sator_mapper_tiling_touched(k->words, k->mapping, k->shape, access, &k->alone));
}

static int64_t transfer_words(const struct kinds *k, int t, bool grouped)
{
    struct mapper_sharing sharing = {0};

    if (grouped)
        sharing = sator_mapper_sharing_of(&k->problem->transfer[t]);
    sharing.alone = &k->alone;
    return count_words(k, t, &sharing);
}

/* The words of "access" that arrive in an instance of the kind. */
static int64_t arriving_words(const struct kinds *k, int access)
{
    for (int t = 0; t < k->problem->n_transfers; t++) {
        const struct mapper_transfer *transfer = &k->problem->transfer[t];
        if (transfer->access == access && transfer->child == k->memory)
            return transfer_words(k, t, false);
    }
    return 0;
}

/* How far the wire leads that sums pass over along row "row"; 0: there is none. */
static int64_t wire_shift(const struct mapper_transfer *t, int row)
{
    for (int k = 0; k < t->n_passes && t->link != NULL; k++) {
        const struct mapper_pass *pass = &t->passes[k];
        if (pass->interval < 1 && !pass->is_idle && pass->shift[row] != 0)
            return pass->shift[row];
    }
    return 0;
}

/* Whether something is brought along row "r", where transfer "t" has a wire or a tree: where the
 * instances along it hold different words, nothing is. */
static bool brings(const struct kinds *k, int t, int r)
{
    const struct mapper_problem *p = k->problem;
    const struct mapper_access *access = &p->access[p->transfer[t].access];
    bool may = false;

    for (int i = 0; i < p->n_loops; i++)
        may |= k->mapping->factor[r][i] > 1 && !(access->plain >> i & 1);
    if (!may)
        return false;
    struct mapper_sharing sharing = sator_mapper_sharing_of(&p->transfer[t]);
    int64_t with = count_words(k, t, &sharing);
    sharing.rows &= ~(1U << r);
    return count_words(k, t, &sharing) > with;
}

static void find_brought(const struct kinds *k)
{
    const struct mapper_problem *p = k->problem;

    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_transfer *transfer = &p->transfer[t];
        bool is_known = !transfer->is_counted && (!transfer->may_pass || transfer->n_passes == 0);
        k->brings[t] = 0; /* elsewhere the model is asked */
        if (p->access[transfer->access].role == SATOR_READ || !is_known)
            continue;
        for (int r = 0; r < transfer->child_row; r++) {
            if ((transfer->collapsed >> r & 1) && brings(k, t, r))
                k->brings[t] |= 1U << r;
        }
    }
}

/* Whether the instances of the kind bring their sums up by themselves: wires and trees of sums have
 * what the others need (doc/model.md, section 3). A kind has the first instance along a row unless
 * it is at the last tile there, and then it has the last one. */
static bool takes_up(const struct kinds *k, int access)
{
    const struct mapper_problem *p = k->problem;

    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_transfer *transfer = &p->transfer[t];
        if (transfer->access != access || transfer->child > k->memory)
            continue;
        for (int r = 0; r < transfer->child_row; r++) {
            bool from_last = wire_shift(transfer, r) < 0;
            for (int i = 0; i < p->n_loops && (k->brings[t] >> r & 1); i++) {
                bool is_last = k->alone.last >> i & 1;
                if (k->mapping->factor[r][i] > 1 && (k->loops >> i & 1) && is_last != from_last)
                    return false;
            }
        }
    }
    return true;
}

/* Add what an instance of one kind moves. */
static void count_kind(struct kinds *k, double *bits)
{
    const struct mapper_problem *p = k->problem;
    double fresh[MAPPER_ACCESSES];

    memset(k->moved, 0, sizeof k->moved);
    k->takes_up = true;

    for (int a = 0; a < p->n_accesses; a++) {
        bool is_output = p->access[a].role == SATOR_WRITE;
        if (!(p->memory[k->memory].holds >> a & 1))
            continue;
        bool takes = !is_output || takes_up(k, a);
        k->takes_up &= takes;
        fresh[a] = !is_output ? 0
                : takes       ? (double)touched_words(k, a)
                              : (double)arriving_words(k, a);
        if (sator_mapper_own_memory(p, a) != k->memory)
            continue;
        double volume = (double)(p->access[a].volume / p->instances);
        for (int i = 0; i < p->n_loops; i++)
            volume *= (double)iterations(p, k->mapping, &k->alone, i);
        k->moved[2 * p->n_transfers + a] = (int64_t)volume;
        add_words(k, a, false, fmax(0, volume - fresh[a]), bits);
        add_words(k, a, true, is_output ? volume : 0, bits);
    }
    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_transfer *transfer = &p->transfer[t];
        int a = transfer->access;
        bool is_output = p->access[a].role == SATOR_WRITE;
        if (transfer->parent == k->memory && !transfer->is_outside) {
            int64_t unique = k->moved[2 * t] = transfer_words(k, t, true);
            add_words(k, a, false, fmax(0, (double)unique - fresh[a]), bits);
            add_words(k, a, true, is_output ? (double)unique : 0, bits);
        }
        if (transfer->child == k->memory) {
            k->moved[2 * t + 1] = transfer_words(k, t, false);
            add_words(k, a, true, (double)k->moved[2 * t + 1] - fresh[a], bits);
        }
    }
}

/* The loops whose last tile is short and at one instance of memory "m" only. */
static unsigned short_loops(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int m)
{
    unsigned loops = 0;

    for (int i = 0; i < p->n_loops; i++) {
        if (mapper_positions(p, mapping, p->memory[m].row, i) > 1 &&
                mapper_covered(p, mapping, i) != p->extent[i])
            loops |= 1U << i;
    }
    return __builtin_popcount(loops) <= MOST_KINDS ? loops : 0;
}

/* Set the cycles of the ports of memory "k->memory". False: the model has to be asked, since some
 * kinds do not take up all their sums, and the first that does moves less than others would. */
static bool count_kinds(struct kinds *k, double *cycles)
{
    const struct mapper_problem *p = k->problem;
    enum {
        N_MOVED = sizeof k->moved / sizeof *k->moved
    };
    int64_t first[N_MOVED] = {0}, most[N_MOVED] = {0};
    unsigned loops = short_loops(p, k->mapping, k->memory), last = 0;
    bool each = true, one = false;

    k->alone.row = p->memory[k->memory].row;
    k->loops = loops;
    do {
        double bits[MAPPER_PORTS] = {0};
        k->alone.last = last;
        count_kind(k, bits);
        for (int i = 0; i < p->n_ports; i++) {
            if (p->port[i].memory == k->memory)
                cycles[i] = fmax(cycles[i], bits[i] / p->port[i].lane->bits);
        }
        if (k->takes_up && !one)
            memcpy(first, k->moved, sizeof first);
        for (int i = 0; i < N_MOVED; i++)
            most[i] = k->moved[i] > most[i] ? k->moved[i] : most[i];
        one |= k->takes_up;
        each &= k->takes_up;
        last = (last - loops) & loops; /* the next set of these loops */
    } while (last != 0);
    return each || (one && memcmp(first, most, sizeof most) == 0);
}

/* ---- a mapping ---- */

unsigned sator_mapper_inner_ports(const struct mapper_problem *problem)
{
    unsigned memories = 0;

    for (int i = 0; i < problem->n_ports; i++) {
        if (problem->memory[problem->port[i].memory].instances > 1)
            memories |= 1U << problem->port[i].memory;
    }
    return memories;
}

bool sator_mapper_find_busiest(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, double most,
        struct mapper_traffic *traffic)
{
    unsigned brought[MAPPER_TRANSFERS];
    struct kinds k = {.problem = problem,
            .words = words,
            .mapping = mapping,
            .shape = shape,
            .traffic = traffic,
            .brings = brought};

    traffic->is_unknown |= !sator_mapper_crew_of(problem, words, mapping, shape, &traffic->crew);
    traffic->is_uneven = false;
    if (!problem->has_inner_ports || traffic->is_unknown)
        return true;
    bool is_ragged = sator_mapper_is_ragged(problem, mapping, ~0U);
    bool has_cases = !problem->only_chains && sator_mapper_is_filled(problem, mapping);
    unsigned asked = !is_ragged ? problem->asked_ports
            : has_cases         ? problem->asked_ragged_ports
                                : sator_mapper_inner_ports(problem);
    if (!is_ragged && asked == 0)
        return true;
    sator_mapper_port_cycles(problem, traffic, traffic->busiest_cycles);
    traffic->is_uneven = true;
    for (int i = 0; i < problem->n_ports; i++) {
        int m = problem->port[i].memory;
        if (problem->memory[m].instances > 1 && (is_ragged || (asked >> m & 1)))
            traffic->busiest_cycles[i] = 0;
    }
    if (!isinf(most) && sator_mapper_cost(problem, traffic).value > most)
        return false;
    if (is_ragged)
        find_brought(&k);
    for (k.memory = 0; k.memory < problem->n_memories && is_ragged; k.memory++) {
        if (problem->memory[k.memory].instances > 1 && !(asked >> k.memory & 1) &&
                !count_kinds(&k, traffic->busiest_cycles))
            asked |= 1U << k.memory;
    }
    if (asked != 0)
        sator_mapper_count_ports(words, mapping, asked, traffic);
    return true;
}
