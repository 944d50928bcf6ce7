/* The scheduled time (doc/certificate.md, "Phases").
 *
 * A stamp is told by the digit that steps into it and the one that steps out of it, and by which
 * sums nobody has begun before: so much is known of what moves in it, before it and after it. The
 * stamps that a digit makes are a first one, a last one, and those between, which are all alike.
 * So a run is summed up digit by digit from the outermost inward, each kind of its parts once.
 */
#include "base/memory.h"
#include "certificate/cert_leaf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NONE = -1 /* digit: nothing stepped into the first stamp, nothing steps out of the last */
};

/* When words move, of a stamp. */
enum set {
    BEFORE, /* serial loads */
    EXPOSED, /* overlapped loads of the first stamp in a tile of the memory outside */
    BESIDE, /* while the stamp runs */
    AFTER, /* serial stores */
    LEFT, /* overlapped stores of the last stamp */
    N_SETS
};

/* What a run takes: in all, and each port of those that there are. */
struct run {
    double cycles, busy[CERT_LANES];
};

struct transfer {
    int move;
    enum sator_transfer_kind kind;
    int tile; /* the digits outside of a tile of the memory outside */
    double parents, children; /* instances in use */
    double apart; /* PEs with parts of one sum that nothing adds up on the way */
};

/* Stamps of equal length. */
struct level {
    int cut; /* their digits */
    int n;
    struct transfer transfer[CERT_MOVES];
};

/* A part of a run: where it begins, and what is known of the stamps at its ends. */
struct part_of_run {
    int level, depth; /* stamps of the level, from this digit inward */
    int in, out;
    unsigned own, next; /* tensors of whose sums the first stamp, the one behind the last, are the
                           first ones */
};

struct cert_phases {
    const struct cert_leaf *leaf;
    int n_digits, n_levels;
    struct level level[CERT_MEMORIES + 1];
    unsigned outputs; /* tensors ... */
    unsigned parted[CERT_MEMORIES + 1]; /* ... of whose sums some instance of a memory, or of the
                                           compute units, never starts any */
    int run_row; /* a skewed array's: its memory's loops and all inside of it are one run, of ... */
    struct run inside; /* ... which it is known what it takes as a whole; at least */
    const struct cert_digit *const *digit; /* the innermost first */
    int n_known, room;
    struct known_run {
        struct part_of_run part;
        struct run run;
        int next; /* that begins at the same digit and level, or NONE */
    } * known;
    int first[CERT_MEMORIES * (CERT_LOOPS + 1) + 1]; /* by digit and level: of a level each digit
                                                        but one is of no other */
};

/* As the model rounds up; sums of decimal figures in binary are a little more or less. */
static double whole(double cycles)
{
    return ceil(cycles * (1 - 1e-12));
}

static const struct cert_digit *digit_of(const struct cert_phases *ph, int depth)
{
    return ph->digit[ph->n_digits - 1 - depth];
}

/* Tensors of "sums" that are still to be begun in the steps of digit "depth" but the first. */
static unsigned still_first(const struct cert_phases *ph, unsigned sums, int depth)
{
    const struct cert_problem *p = ph->leaf->p;

    for (unsigned rest = sums; rest != 0; rest &= rest - 1) {
        int a = __builtin_ctz(rest);
        if (!(p->tensor[a].relevant >> digit_of(ph, depth)->loop & 1))
            sums &= ~(1U << a);
    }
    return sums;
}

/* ---- a stamp ---- */

static void use(const struct cert_problem *p, int lane, double words, int tensor, double *busy)
{
    if (lane < 0 || words < 1e-9)
        return;
    const struct cert_lane *port = &p->lane[lane];
    double bits = words * p->memory[port->memory].bits[tensor];
    if (port->granule > 1)
        bits = whole(bits / port->granule) * port->granule;
    busy[lane] += port->setup + bits / port->bandwidth;
}

/* The words that come when "digit" steps: sums only where they were begun before. Of the parts of a
 * sum that nothing adds up on the way one starts from zero; the others are read back, here and
 * further in, and who has these has the most to do. Of an output with windows it is not known which
 * sums were begun. */
static void load(const struct cert_phases *ph, const struct transfer *t, int digit, unsigned first,
        double *busy)
{
    const struct cert_leaf *leaf = ph->leaf;
    const struct cert_problem *p = leaf->p;
    const struct cert_move *v = &p->move[t->move];
    const struct cert_tensor *tensor = &p->tensor[v->tensor];
    const struct cert_held *held = &leaf->held[t->move][0];
    double unique = digit == NONE ? leaf->all[t->move] : digit_of(ph, digit)->brought[t->move][1];
    double arriving =
            digit == NONE ? held->copies * held->words : digit_of(ph, digit)->brought[t->move][0];

    if (tensor->is_output && tensor->plain != tensor->relevant)
        return;
    first &= ~ph->parted[v->parent];
    if (first >> v->tensor & 1) {
        unique *= 1 - 1 / t->apart;
        arriving = t->apart > 1 ? arriving : 0;
    }
    use(p, v->read_lane, unique / t->parents, v->tensor, busy);
    use(p, v->fill_lane, arriving / t->children, v->tensor, busy);
}

/* The sums that leave when "digit" steps: as many as come. Of windows this is not so in each stamp
 * where links pass sums on, to several PEs or to none. */
static void store(const struct cert_phases *ph, const struct transfer *t, int digit, double *busy)
{
    const struct cert_problem *p = ph->leaf->p;
    const struct cert_move *v = &p->move[t->move];
    const struct cert_tensor *tensor = &p->tensor[v->tensor];
    double unique =
            digit == NONE ? ph->leaf->all[t->move] : digit_of(ph, digit)->brought[t->move][1];

    if (tensor->is_output && (tensor->plain == tensor->relevant || v->n_links == 0))
        use(p, v->update_lane, unique / t->parents, v->tensor, busy);
}

static void move_words(const struct cert_phases *ph, const struct transfer *t,
        const struct part_of_run *at, double busy[N_SETS][CERT_LANES])
{
    switch (t->kind) {
    case SATOR_TRANSFER_SERIAL:
        load(ph, t, at->in, at->own, busy[BEFORE]);
        store(ph, t, at->out, busy[AFTER]);
        break;
    case SATOR_TRANSFER_OVERLAPPED: /* with the stamp before, or after, in one tile */
        if (at->in < t->tile)
            load(ph, t, at->in, at->own, busy[EXPOSED]);
        else
            store(ph, t, at->in, busy[BESIDE]);
        if (at->out < t->tile)
            store(ph, t, at->out, busy[LEFT]);
        else
            load(ph, t, at->out, at->next, busy[BESIDE]);
        break;
    default:
        load(ph, t, at->in, at->own, busy[BESIDE]);
        store(ph, t, at->out, busy[BESIDE]);
    }
}

/* What compute units take from a memory of their own; the sums of tensors "first" begin. */
static void serve_compute(
        const struct cert_problem *p, unsigned first, double busy[N_SETS][CERT_LANES])
{
    for (int a = 0; a < p->n_tensors; a++) {
        const struct cert_tensor *t = &p->tensor[a];
        if (p->own[a] < 0)
            continue;
        bool is_known = !t->is_output || (t->plain == t->relevant && !(first >> a & 1));
        use(p, p->own_lane[a][0], is_known ? 1 : 0, a, busy[p->own_waits[a] ? BEFORE : BESIDE]);
        use(p, p->own_lane[a][1], t->is_output ? 1 : 0, a, busy[p->own_waits[a] ? AFTER : BESIDE]);
    }
}

static double longest(const struct cert_problem *p, const double *busy)
{
    double cycles = 0;

    for (int l = 0; l < p->n_lanes; l++)
        cycles = fmax(cycles, busy[l]);
    return whole(cycles);
}

double cert_served(const struct cert_problem *p, bool sums_begin)
{
    double busy[N_SETS][CERT_LANES] = {{0}};

    serve_compute(p, sums_begin ? ~0U : 0, busy);
    return fmax(whole(p->cycles), longest(p, busy[BESIDE]));
}

/* Tensors of "sums" that the PE's own memories start from zero. */
static unsigned started(const struct cert_phases *ph, unsigned sums)
{
    const struct cert_problem *p = ph->leaf->p;

    for (int a = 0; a < p->n_tensors; a++)
        sums &= p->own[a] < 0 ? ~0U : ~(ph->parted[p->own[a]] & 1U << a);
    return sums;
}

/* The stamp of a level, "run" being what runs in it: add what moves. */
static void add_stamp(const struct cert_phases *ph, const struct part_of_run *at, struct run *run)
{
    const struct cert_problem *p = ph->leaf->p;
    const struct level *level = &ph->level[at->level];
    double busy[N_SETS][CERT_LANES], stalled[CERT_LANES];

    for (int set = 0; set < N_SETS; set++)
        memset(busy[set], 0, sizeof *busy[set] * (size_t)p->n_lanes);
    for (int k = 0; k < level->n; k++)
        move_words(ph, &level->transfer[k], at, busy);
    if (at->level == ph->n_levels - 1 && ph->run_row == NONE)
        serve_compute(p, started(ph, at->own), busy);
    for (int l = 0; l < p->n_lanes; l++)
        stalled[l] = run->busy[l] + busy[BESIDE][l];
    run->cycles = fmax(run->cycles, longest(p, stalled));
    for (int set = 0; set < N_SETS; set++) {
        run->cycles += set == BESIDE ? 0 : longest(p, busy[set]);
        for (int l = 0; l < p->n_lanes; l++)
            run->busy[l] += busy[set][l];
    }
}

/* ---- runs ---- */

static void add_run(
        const struct cert_phases *ph, const struct run *run, double times, struct run *sum)
{
    sum->cycles += times * run->cycles;
    for (int l = 0; l < ph->leaf->p->n_lanes; l++)
        sum->busy[l] += times * run->busy[l];
}

static const struct run *sum_up(struct cert_phases *ph, const struct part_of_run *at);

/* The steps of the digit at which the part begins. */
static void sum_digit(struct cert_phases *ph, const struct part_of_run *at, struct run *sum)
{
    const struct cert_digit *digit = digit_of(ph, at->depth);
    double steps = (double)ph->leaf->part->factor[digit->row][digit->loop];
    struct part_of_run inner = *at;
    const unsigned later = still_first(ph, at->own, at->depth);

    inner.depth++;
    inner.out = at->depth;
    inner.next = later;
    add_run(ph, sum_up(ph, &inner), 1, sum);
    inner.in = at->depth;
    inner.own = later;
    if (steps > 2)
        add_run(ph, sum_up(ph, &inner), steps - 2, sum);
    inner.out = at->out;
    inner.next = at->next;
    add_run(ph, sum_up(ph, &inner), 1, sum);
}

static int place_of(const struct part_of_run *at)
{
    return at->depth + at->level;
}

static const struct run *find_known(const struct cert_phases *ph, const struct part_of_run *at)
{
    for (int k = ph->first[place_of(at)]; k != NONE; k = ph->known[k].next) {
        const struct part_of_run *part = &ph->known[k].part;
        if (part->in == at->in && part->out == at->out && part->own == at->own &&
                part->next == at->next)
            return &ph->known[k].run;
    }
    return NULL;
}

static const struct run *keep_run(
        struct cert_phases *ph, const struct part_of_run *at, const struct run *run)
{
    if (ph->n_known == ph->room) {
        ph->room = 2 * ph->room + 64;
        ph->known = sator_realloc(ph->known, sizeof *ph->known * (size_t)ph->room);
    }
    struct known_run *known = &ph->known[ph->n_known];
    known->part = *at;
    known->run.cycles = 0;
    memset(known->run.busy, 0, sizeof *run->busy * (size_t)ph->leaf->p->n_lanes);
    add_run(ph, run, 1, &known->run);
    known->next = ph->first[place_of(at)];
    ph->first[place_of(at)] = ph->n_known++;
    return &known->run;
}

/* What the part takes: until the next one is summed up. */
static const struct run *sum_up(struct cert_phases *ph, const struct part_of_run *at)
{
    const struct run *known = find_known(ph, at);
    struct run run;

    if (known != NULL)
        return known;
    run.cycles = 0;
    memset(run.busy, 0, sizeof *run.busy * (size_t)ph->leaf->p->n_lanes);
    if (at->depth < ph->level[at->level].cut) {
        sum_digit(ph, at, &run);
    } else if (at->level < ph->n_levels - 1) {
        struct part_of_run inner = *at;
        inner.level++;
        add_run(ph, sum_up(ph, &inner), 1, &run);
        add_stamp(ph, at, &run);
    } else {
        add_run(ph, &ph->inside, 1, &run);
        add_stamp(ph, at, &run);
    }
    return keep_run(ph, at, &run);
}

/* ---- of a leaf ---- */

/* The digits of memories' rows outside of "row". */
static int digits_outside(const struct cert_leaf *leaf, int row)
{
    int n = 0;

    for (int r = 0; r < row; r++) {
        for (int i = 0; i < leaf->p->n_loops && !leaf->p->row[r].is_space; i++)
            n += leaf->part->factor[r][i] > 1;
    }
    return n;
}

static struct level *level_of(struct cert_phases *ph, int cut)
{
    int k = 0;

    while (ph->level[k].cut < cut)
        k++;
    return &ph->level[k];
}

static void add_transfer(struct cert_phases *ph, int m)
{
    const struct cert_leaf *leaf = ph->leaf;
    const struct cert_problem *p = leaf->p;
    const struct cert_move *v = &p->move[m];
    const int cut = digits_outside(leaf, v->child_row), row = p->memory[v->parent].row;
    struct level *level = level_of(ph, cut);
    struct transfer *t = &level->transfer[level->n++];

    *t = (struct transfer){.move = m,
            .kind = v->kind[cut == ph->n_digits],
            .tile = digits_outside(leaf, row),
            .parents = cert_used(p, leaf->part, row),
            .children = cert_used(p, leaf->part, v->child_row),
            .apart = leaf->is_counted[m] ? 1 : cert_buses(p, leaf->part, v)};
    for (int i = 0; i < p->n_loops; i++) {
        if (!(p->tensor[v->tensor].relevant >> i & 1))
            t->apart *= (double)cert_along(p, leaf->part, v, leaf->is_counted[m], i, false);
    }
    if (t->apart > 1 || (ph->parted[v->parent] >> v->tensor & 1))
        ph->parted[v->child] |= 1U << v->tensor;
}

/* The row of the memory directly outside of the outermost array whose PEs run at shifted times, or
 * NONE. */
static int find_run(const struct cert_leaf *leaf)
{
    int memory = 0;

    for (int r = 0; r < leaf->p->n_rows; r++) {
        memory = leaf->p->row[r].is_space ? memory : r;
        for (int i = 0; i < leaf->p->n_loops && leaf->p->row[r].step != 0; i++) {
            if (leaf->part->factor[r][i] > 1)
                return memory;
        }
    }
    return NONE;
}

/* What a run takes, all runs being alike: its cycles, and of the words inside what it has of all.
 */
static void take_inside(struct cert_phases *ph)
{
    const struct cert_leaf *leaf = ph->leaf;
    const struct cert_problem *p = leaf->p;
    const int cut = digits_outside(leaf, ph->run_row);
    double runs = 1;

    for (int d = 0; d < cut; d++)
        runs *= (double)leaf->part->factor[digit_of(ph, d)->row][digit_of(ph, d)->loop];
    ph->inside.cycles = cert_stamps(p, leaf->part) / runs * p->begun_cycles;
    memset(ph->inside.busy, 0, sizeof ph->inside.busy);
    for (int m = 0; m < p->n_moves; m++) {
        const struct cert_move *v = &p->move[m];
        const struct cert_held *held = &leaf->held[m][0];
        double words[2] = {held->copies * held->words, leaf->all[m]}, bits[2];
        if (v->child_row <= ph->run_row)
            continue;
        for (int k = 0; k < 2; k++) {
            words[k] *= leaf->stamps[m];
            for (int d = 0; d < ph->n_digits; d++)
                words[k] -= ph->digit[d]->kept[m][k];
        }
        bits[0] = words[0] / (runs * cert_used(p, leaf->part, v->child_row));
        bits[1] = words[1] / (runs * cert_used(p, leaf->part, p->memory[v->parent].row));
        for (int l = 0; l < p->n_lanes; l++) {
            const double each = p->memory[p->lane[l].memory].bits[v->tensor] / p->lane[l].bandwidth;
            bool is_output = p->tensor[v->tensor].is_output; /* some of its words are not read */
            if (l == (is_output ? v->update_lane : v->read_lane))
                ph->inside.busy[l] += bits[1] * each;
            if (l == v->fill_lane && !is_output)
                ph->inside.busy[l] += bits[0] * each;
        }
    }
    for (int l = 0; l < p->n_lanes; l++)
        ph->inside.cycles = fmax(ph->inside.cycles, ph->inside.busy[l]);
    ph->inside.cycles = whole(ph->inside.cycles);
}

struct cert_phases *cert_phases_new(struct cert_leaf *leaf)
{
    const struct cert_problem *p = leaf->p;
    struct cert_phases *ph = sator_alloc(sizeof *ph);
    const int run = find_run(leaf), last = run == NONE ? p->n_rows : run;

    *ph = (struct cert_phases){.leaf = leaf,
            .n_digits = digits_outside(leaf, p->n_rows),
            .n_levels = 1,
            .run_row = run,
            .inside = {.cycles = whole(p->cycles)}};
    for (int m = 1; m <= p->n_memories; m++) {
        int row = m == p->n_memories ? p->n_rows : p->memory[m].row;
        int cut = digits_outside(leaf, row < last ? row : last);
        if (cut > ph->level[ph->n_levels - 1].cut)
            ph->level[ph->n_levels++].cut = cut;
    }
    for (int m = 0; m < p->n_moves; m++) { /* of a tensor the outermost first */
        if (p->move[m].child_row <= last)
            add_transfer(ph, m);
    }
    for (int a = 0; a < p->n_tensors; a++)
        ph->outputs |= p->tensor[a].is_output ? 1U << a : 0;
    return ph;
}

void cert_phases_free(struct cert_phases *ph)
{
    if (ph != NULL)
        free(ph->known);
    free(ph);
}

double cert_phases_cycles(struct cert_phases *ph, const struct cert_digit *const *digit)
{
    const struct part_of_run all = {.in = NONE, .out = NONE, .own = ph->outputs};

    ph->digit = digit;
    if (ph->run_row != NONE)
        take_inside(ph);
    ph->n_known = 0;
    for (int k = 0; k <= ph->n_digits + ph->n_levels; k++)
        ph->first[k] = NONE;
    return sum_up(ph, &all)->cycles;
}

/* ---- what is exposed ---- */

/* Whether loops of more than one iteration are known to stand at memories' rows "first" to "last" -
 * 1. "also_inside": or further in. */
static bool has_digits(const struct cert_problem *p, const struct cert_part *part, int first,
        int last, bool also_inside)
{
    for (int r = first; r < last; r++) {
        for (int i = 0; i < p->n_loops && !p->row[r].is_space; i++) {
            if (part->factor[r][i] > 1 && (also_inside || !(part->loose >> r & 1)))
                return true;
        }
    }
    return false;
}

/* The words of the first tile of a move, at least: of an instance of the memory outside, inside. */
static void first_words(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *v, double *unique, double *arriving)
{
    const struct cert_tensor *t = &p->tensor[v->tensor];
    int64_t tile[CERT_LOOPS];

    cert_inside(p, part, v->child_row, tile);
    *unique = *arriving = 1;
    for (int e = 0; e < t->n_dims; e++) {
        double values = 1; /* of sets with gaps |A + B| >= |A| + |B| - 1 */
        for (int k = 0; k < t->dim[e].n; k++)
            values += (double)(tile[t->dim[e].loop[k]] - 1);
        *arriving *= values;
    }
    for (int i = 0; i < p->n_loops; i++) {
        *unique *= (double)cert_along(p, part, v, false, i, false);
        if (t->plain >> i & 1)
            *unique *= (double)cert_along(p, part, v, false, i, true);
    }
    *unique *= *arriving * cert_buses(p, part, v);
}

/* What nothing runs beside, of the first tile that comes to memory "m" and the last that leaves it.
 */
static double exposed_at(const struct cert_problem *p, const struct cert_part *part, int m)
{
    double in[CERT_LANES] = {0}, out[CERT_LANES] = {0};

    for (int i = 0; i < p->n_moves; i++) {
        const struct cert_move *v = &p->move[i];
        double unique, arriving;
        if (v->child != m || v->kind[false] == SATOR_TRANSFER_STREAMED)
            continue;
        first_words(p, part, v, &unique, &arriving);
        if (p->tensor[v->tensor].is_output) {
            use(p, v->update_lane, unique, v->tensor, out);
        } else {
            use(p, v->read_lane, unique, v->tensor, in);
            use(p, v->fill_lane, arriving, v->tensor, in);
        }
    }
    double load = longest(p, in), store = longest(p, out);
    if (has_digits(p, part, p->memory[m].row, p->n_rows, true))
        return load + store;
    /* else the tile may be of one stamp, and come and leave in it */
    return fmax(0, fmax(load, store) - p->read_cycles);
}

/* Whether PEs outside of the row run at shifted times: they do not begin at once. */
static bool is_inside_run(const struct cert_problem *p, int row)
{
    bool any = false;

    for (int r = 0; r < row; r++)
        any |= p->row[r].step != 0;
    return any;
}

double cert_exposed(const struct cert_problem *p, const struct cert_part *part)
{
    double most = 0, sum[CERT_MEMORIES] = {0};

    for (int m = 1; m < p->n_memories; m++) {
        if (is_inside_run(p, p->memory[m].row))
            break;
        for (int outer = 1; outer < m; outer++) { /* tiles of equal length come at once */
            if (has_digits(p, part, p->memory[outer].row, p->memory[m].row, false))
                sum[m] = fmax(sum[m], sum[outer]);
        }
        sum[m] += exposed_at(p, part, m);
        most = fmax(most, sum[m]);
    }
    return most;
}
