#include "oracle/generate.h"

#include <string.h>

/* SplitMix64: every seed is a good one, also 0, 1, 2, ... */
static uint64_t random_bits(struct random *random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t random_below(struct random *random, int64_t n)
{
    return (int64_t)(random_bits(random) % (uint64_t)n);
}

bool random_chance(struct random *random, int percent)
{
    return random_below(random, 100) < percent;
}

static int64_t between(struct random *random, int64_t least, int64_t most)
{
    return least + random_below(random, most - least + 1);
}

/* ---- loops and domain ---- */

static void make_loops(struct random *random, const struct generate_options *options,
        struct oracle_program *program)
{
    int64_t product = 1;

    program->n_loops = (int)between(random, 1, 6);
    for (int loop = 0; loop < program->n_loops; loop++) {
        int64_t extent = between(random, 1, 9);
        if (product * extent > options->max_instances)
            extent = between(random, 1, 2);
        if (product * extent > options->max_instances)
            extent = 1;
        product *= extent;
        program->lower[loop] = random_chance(random, 30) ? between(random, -5, 5) : 0;
        program->upper[loop] = program->lower[loop] + extent;
    }
}

static int any_loop(struct random *random, const struct oracle_program *program)
{
    return (int)random_below(random, program->n_loops);
}

/* c + sum of a few loops, each with a small factor, at least 0. */
static void restrict_domain(struct random *random, const struct generate_options *options,
        struct oracle_program *program)
{
    int n = random_chance(random, 25) ? (int)between(random, 1, 2) : 0;

    for (int c = 0; c < n; c++) {
        struct oracle_conds before = program->domain;
        int sum = oracle_const(program, between(random, -2, 6));
        for (int term = 0; term < 2; term++) {
            int var = oracle_var(program, any_loop(random, program));
            int64_t factor = random_chance(random, 80) ? 1 - 2 * random_below(random, 2)
                                                       : between(random, -3, 3);
            sum = oracle_add(program, sum, factor == 1 ? var : oracle_mul(program, factor, var));
        }
        if (random_chance(random, 10))
            sum = oracle_add(program, oracle_mod(program, sum, between(random, 2, 3)),
                    oracle_const(program, -1));
        program->domain.of[program->domain.n++] = (struct oracle_cond){ORACLE_AT_LEAST_0, sum};
        if (oracle_instances(program, 0) == 0 &&
                !(options->may_be_empty && random_chance(random, 10)))
            program->domain = before;
    }
}

/* ---- space and time ---- */

/* A stamp coordinate of any shape. */
static int any_stamp(struct random *random, struct oracle_program *program)
{
    int a = oracle_var(program, any_loop(random, program));
    int b = oracle_var(program, any_loop(random, program));
    int64_t m = between(random, 2, 5);

    switch (random_below(random, 14)) {
    case 0:
    case 1:
        return a;
    case 2:
    case 3:
        return oracle_mod(program, a, m);
    case 4:
    case 5:
        return oracle_div(program, a, m);
    case 6:
        return oracle_add(program, a, oracle_mul(program, between(random, -2, 2), b));
    case 7:
        return oracle_add(program, a, oracle_mul(program, -1, b));
    case 8: /* as Eyeriss folds channels: ry + 3*(c%4) */
        return oracle_add(program, a, oracle_mul(program, m, oracle_mod(program, b, 3)));
    case 9:
        return oracle_mod(program, oracle_div(program, a, 2), m);
    case 10:
        return oracle_div(program, oracle_mod(program, a, 2 * m), 2);
    case 11:
        return oracle_div(program, oracle_add(program, a, b), 2);
    case 12:
        return oracle_mul(program, between(random, -3, 3), a);
    default:
        return oracle_const(program, between(random, -1, 2));
    }
}

/* Space: some loops modulo the array. Time: what is left of them and the other loops in any order,
 * the last dimension skewed now and then. The way real dataflows look. */
static void make_tiled(struct random *random, const struct generate_options *options,
        struct oracle_program *program)
{
    int rest[2 * ORACLE_LOOPS]; /* one loop may leave two parts */
    int n_rest = 0, skew = -1;
    int order[ORACLE_LOOPS];

    for (int loop = 0; loop < program->n_loops; loop++)
        order[loop] = loop;
    for (int loop = program->n_loops - 1; loop > 0; loop--) {
        int other = (int)random_below(random, loop + 1);
        int moved = order[loop];
        order[loop] = order[other];
        order[other] = moved;
    }
    for (int i = 0; i < program->n_loops; i++) {
        int var = oracle_var(program, order[i]);
        int64_t m = between(random, 1, 5);
        if (i < program->n_space) {
            program->space[i] = oracle_mod(program, var, m);
            if (!random_chance(random, 10))
                rest[n_rest++] = oracle_div(program, var, m);
            int late = program->space[i];
            if (options->falls && random_chance(random, 50))
                late = oracle_mul(program, -1, late);
            skew = skew < 0 ? late : oracle_add(program, skew, late);
        } else if (random_chance(random, 15)) {
            rest[n_rest++] = oracle_div(program, var, m);
            if (random_chance(random, 70))
                rest[n_rest++] = oracle_mod(program, var, m);
        } else if (!random_chance(random, 15)) {
            rest[n_rest++] = var;
        }
    }
    for (int d = program->n_loops; d < program->n_space; d++)
        program->space[d] = any_stamp(random, program);
    program->n_time = n_rest < program->n_time ? n_rest : program->n_time;
    for (int d = 0; d < program->n_time; d++) {
        int from = (int)random_below(random, n_rest);
        program->time[d] = rest[from];
        rest[from] = rest[--n_rest];
    }
    if (program->n_time > 0 && skew >= 0 && random_chance(random, 45)) {
        int *last = &program->time[program->n_time - 1];
        *last = oracle_add(program, *last, skew);
    }
}

static int64_t pes_of(const struct oracle_program *program)
{
    int64_t n = 1;
    for (int d = 0; d < program->n_space; d++)
        n *= program->shape[d];
    return n;
}

static void make_stamps(struct random *random, const struct generate_options *options,
        struct oracle_program *program)
{
    static const int space_dims[] = {1, 1, 1, 2, 2, 2, 2, 2, 3, 4};

    program->n_space = space_dims[random_below(random, 10)];
    program->n_time = (int)between(random, 0, 5);
    if (random_chance(random, 60)) {
        program->n_time = (int)between(random, program->n_time, 5);
        make_tiled(random, options, program);
    } else {
        for (int d = 0; d < program->n_space; d++)
            program->space[d] = any_stamp(random, program);
        for (int d = 0; d < program->n_time; d++)
            program->time[d] = any_stamp(random, program);
    }
    oracle_fit(program);
    for (int d = 0; pes_of(program) > options->max_pes; d = (d + 1) % program->n_space) {
        program->space[d] = oracle_mod(program, program->space[d], (program->shape[d] + 1) / 2);
        oracle_fit(program);
    }
    program->fits = true;
    if (options->may_leave && random_chance(random, 4)) {
        int d = (int)random_below(random, program->n_space);
        if (random_chance(random, 50))
            program->space_offset[d] -= 1;
        else if (program->shape[d] > 1)
            program->shape[d] -= 1;
        program->fits = false;
        return;
    }
    for (int d = 0; d < program->n_space; d++)
        if (random_chance(random, 20)) {
            program->space_offset[d] += random_chance(random, 30);
            program->shape[d] += between(random, 1, 2);
        }
}

/* ---- accesses ---- */

/* A quotient or remainder whose sum may cross blocks of the divisor: (a + 2*b + 1) / 3. */
static int quotient_of_sum(struct random *random, struct oracle_program *program, int a, int b)
{
    int sum = oracle_add(program, a, oracle_mul(program, between(random, 1, 2), b));
    int64_t divisor = between(random, 2, 4);

    if (random_chance(random, 40))
        sum = oracle_add(program, sum, oracle_const(program, between(random, -3, 3)));
    return random_chance(random, 60) ? oracle_div(program, sum, divisor)
                                     : oracle_mod(program, sum, divisor);
}

static int any_index(struct random *random, struct oracle_program *program)
{
    int a = oracle_var(program, any_loop(random, program));
    int b = oracle_var(program, any_loop(random, program));

    switch (random_below(random, 13)) {
    case 0: /* a window */
    case 1:
        return oracle_add(program, a, b);
    case 2: /* with stride and dilation */
        a = oracle_mul(program, between(random, 1, 3), a);
        b = oracle_mul(program, between(random, 1, 3), b);
        return oracle_add(program, a, b);
    case 3:
        return oracle_add(program, a, oracle_mul(program, -1, b));
    case 4: /* deformed: ox + 2*rx - ry */
        return oracle_add(program, oracle_add(program, a, oracle_mul(program, 2, b)),
                oracle_mul(program, -1, oracle_var(program, any_loop(random, program))));
    case 5:
        return oracle_add(program, a, oracle_const(program, between(random, -2, 2)));
    case 6:
        return oracle_mod(program, a, between(random, 2, 4));
    case 7:
        if (random_chance(random, 30))
            a = oracle_mod(program, a, 3);
        return oracle_mul(program, between(random, -2, 2), a);
    case 8:
        return oracle_const(program, between(random, 0, 1));
    case 9:
        return quotient_of_sum(random, program, a, b);
    default:
        return a;
    }
}

/* The same index moved by a constant, as a stencil's neighbours are. */
static int moved(struct random *random, struct oracle_program *program, int index)
{
    int64_t by = between(random, -1, 1);
    return by == 0 ? index : oracle_add(program, index, oracle_const(program, by));
}

static void make_access(struct random *random, const struct generate_options *options,
        struct oracle_program *program, int tensor, int n_index, bool is_write)
{
    struct oracle_access *access = &program->accesses[program->n_accesses++];
    bool stencil = random_chance(random, 60);

    access->tensor = tensor;
    access->is_write = is_write;
    access->n_index = n_index;
    access->n_pieces = random_chance(random, is_write ? 90 : 70) ? 1 : (int)between(random, 2, 5);
    for (int piece = 0; piece < access->n_pieces; piece++) {
        for (int d = 0; d < n_index; d++)
            access->pieces[piece].index[d] = piece > 0 && stencil
                    ? moved(random, program, access->pieces[0].index[d])
                    : any_index(random, program);
        if (options->conditional && random_chance(random, 8)) {
            struct oracle_conds *conds = &access->pieces[piece].conds;
            int var = oracle_var(program, any_loop(random, program));
            int shift = oracle_const(program, between(random, -3, 1));
            conds->of[conds->n++] = (struct oracle_cond){
                    random_chance(random, 60) ? ORACLE_AT_LEAST_0 : ORACLE_EQUAL_0,
                    oracle_add(program, var, shift)};
        }
    }
}

static void make_accesses(struct random *random, const struct generate_options *options,
        struct oracle_program *program)
{
    int n_index[ORACLE_TENSORS];
    int n_reads = (int)between(random, 1, 3);

    program->n_tensors = n_reads + 1;
    for (int tensor = 0; tensor < program->n_tensors; tensor++)
        n_index[tensor] = random_chance(random, 5) ? 0 : (int)between(random, 1, 3);
    for (int tensor = 0; tensor < n_reads; tensor++)
        make_access(random, options, program, tensor, n_index[tensor], false);
    if (random_chance(random, 15))
        make_access(random, options, program, n_reads, n_index[n_reads], false);
    make_access(random, options, program, n_reads, n_index[n_reads], true);
}

/* ---- interconnect ---- */

/* Variables of a link: q[d], the provider, and p[d], the consumer. */
static int provider(struct oracle_program *program, int d)
{
    return oracle_var(program, d);
}

static int consumer(struct oracle_program *program, int d)
{
    return oracle_var(program, program->n_space + d);
}

static int distance(struct oracle_program *program, int d)
{
    return oracle_add(program, consumer(program, d), oracle_mul(program, -1, provider(program, d)));
}

static void require(struct oracle_conds *conds, enum oracle_relop op, int expr)
{
    conds->of[conds->n++] = (struct oracle_cond){op, expr};
}

static void add_translation(
        struct oracle_program *program, struct oracle_link *link, const int64_t *offset)
{
    int piece = link->n_pieces++;

    link->pieces[piece].functional = true;
    for (int d = 0; d < program->n_space; d++)
        link->pieces[piece].out[d] = offset[d] == 0
                ? provider(program, d)
                : oracle_add(program, provider(program, d), oracle_const(program, offset[d]));
}

/* One translation, or two that undo each other. */
static void make_hop(
        struct random *random, struct oracle_program *program, struct oracle_link *link)
{
    int64_t offset[ORACLE_SPACE] = {0};
    bool moves = false;

    for (int d = 0; d < program->n_space; d++) {
        offset[d] = random_chance(random, 50) ? between(random, -1, 1) : 0;
        if (random_chance(random, 10))
            offset[d] = between(random, -3, 3);
        moves = moves || offset[d] != 0;
    }
    if (!moves && link->interval == 0) /* every PE its own: readers refuse it */
        offset[random_below(random, program->n_space)] = 1;
    add_translation(program, link, offset);
    if (random_chance(random, 25)) {
        for (int d = 0; d < program->n_space; d++)
            offset[d] = -offset[d];
        add_translation(program, link, offset);
    }
}

/* All eight neighbours in two dimensions. */
static void make_mesh(struct oracle_program *program, struct oracle_link *link)
{
    for (int64_t dx = -1; dx <= 1; dx++)
        for (int64_t dy = -1; dy <= 1; dy++) {
            int64_t offset[ORACLE_SPACE] = {dx, program->n_space > 1 ? dy : 0};
            if ((dx != 0 || offset[1] != 0) && (program->n_space > 1 || dy == 0))
                add_translation(program, link, offset);
        }
}

/* Every PE at most "reach" away in one dimension. */
static void make_reach(struct random *random, const struct generate_options *options,
        struct oracle_program *program, struct oracle_link *link)
{
    int along = (int)random_below(random, program->n_space);
    int64_t reach = random_chance(random, 60) ? 3 : between(random, 1, 2);
    struct oracle_conds *conds = &link->pieces[link->n_pieces++].conds;
    int hop = distance(program, along);

    require(conds, ORACLE_AT_LEAST_0, oracle_add(program, hop, oracle_const(program, reach)));
    require(conds, ORACLE_AT_LEAST_0,
            oracle_add(program, oracle_const(program, reach), oracle_mul(program, -1, hop)));
    for (int d = 0; d < program->n_space; d++)
        if (d != along)
            require(conds, ORACLE_EQUAL_0, distance(program, d));
    if (link->interval == 0 && !options->self_wires)
        require(conds, ORACLE_NOT_0, hop);
}

/* Groups of neighbours in one dimension: floor(q/4) = floor(p/4), in one direction or both. */
static void make_group(
        struct random *random, struct oracle_program *program, struct oracle_link *link)
{
    int along = (int)random_below(random, program->n_space);
    int64_t size = random_chance(random, 60) ? 4 : between(random, 2, 3);
    struct oracle_conds *conds = &link->pieces[link->n_pieces++].conds;
    int group = oracle_add(program, oracle_div(program, provider(program, along), size),
            oracle_mul(program, -1, oracle_div(program, consumer(program, along), size)));
    int hop = distance(program, along);

    require(conds, ORACLE_EQUAL_0, group);
    if (random_chance(random, 30))
        require(conds, ORACLE_NOT_0, hop);
    else
        require(conds, ORACLE_AT_LEAST_0,
                oracle_add(program, random_chance(random, 50) ? hop : oracle_mul(program, -1, hop),
                        oracle_const(program, -1)));
    for (int d = 0; d < program->n_space; d++)
        if (d != along)
            require(conds, ORACLE_EQUAL_0, distance(program, d));
}

/* A hop for some PEs only, a mirror, or PEs that double. */
static void make_odd(struct random *random, const struct generate_options *options,
        struct oracle_program *program, struct oracle_link *link)
{
    int along = (int)random_below(random, program->n_space);
    int piece = link->n_pieces;
    struct oracle_conds *conds = &link->pieces[piece].conds;
    int64_t offset[ORACLE_SPACE] = {0};

    offset[along] = random_chance(random, 50) ? 1 : -1;
    add_translation(program, link, offset);
    switch (random_below(random, 3)) {
    case 0:
        require(conds, ORACLE_EQUAL_0,
                oracle_mod(program, provider(program, along), between(random, 2, 3)));
        return;
    case 1:
        link->pieces[piece].out[along] =
                oracle_add(program, oracle_const(program, program->shape[along] - 1),
                        oracle_mul(program, -1, provider(program, along)));
        break;
    default:
        link->pieces[piece].out[along] = oracle_mul(program, 2, provider(program, along));
        break;
    }
    if (link->interval == 0 && !options->self_wires)
        require(conds, ORACLE_NOT_0, distance(program, along));
}

/* Wires whose steps add up to nothing, as one link or as several: around a line of PEs, around
 * triangles, and with luck around longer ways. */
static void make_cycle(struct random *random, unsigned tensors, struct oracle_program *program)
{
    int n_steps = (int)between(random, 2, 3), d = (int)random_below(random, program->n_space);
    bool is_ring = program->n_space == 1 || random_chance(random, 40);
    bool is_split = random_chance(random, 50);
    int64_t step[4][ORACLE_SPACE] = {{0}};
    int first = program->n_links;

    if (is_ring) {
        n_steps = 1;
        step[0][d] = random_chance(random, 70) ? 1 : between(random, -1, 2);
        step[1][d] = random_chance(random, 70) ? 1 - program->shape[d] : -2;
    }
    for (int s = 0; s < n_steps && !is_ring; s++)
        for (int k = 0; k < program->n_space; k++) {
            step[s][k] = between(random, -1, 1);
            step[n_steps][k] -= step[s][k];
        }
    for (int s = 0; s <= n_steps && program->n_links < ORACLE_LINKS; s++) {
        struct oracle_link *link = &program->links[is_split || s == 0 ? program->n_links++ : first];
        bool moves = false;
        for (int k = 0; k < program->n_space; k++)
            moves |= step[s][k] != 0;
        if (!moves) /* every PE its own: readers refuse it */
            step[s][d] = 1;
        link->tensors = tensors;
        add_translation(program, link, step[s]);
        if (random_chance(random, 15)) /* for some PEs only */
            require(&link->pieces[link->n_pieces - 1].conds, ORACLE_AT_LEAST_0,
                    oracle_add(program, provider(program, d), oracle_const(program, -1)));
    }
}

static unsigned any_tensors(struct random *random, const struct oracle_program *program)
{
    unsigned all = (1u << program->n_tensors) - 1;
    unsigned some = (unsigned)random_below(random, all) + 1;
    return random_chance(random, 75) ? all : some;
}

static void make_links(struct random *random, const struct generate_options *options,
        struct oracle_program *program)
{
    static const int counts[] = {0, 1, 1, 1, 2, 2, 3, 4};

    program->n_links = counts[random_below(random, 8)];
    for (int l = 0; l < program->n_links; l++) {
        struct oracle_link *link = &program->links[l];
        int64_t kind = random_below(random, 20);
        link->tensors = any_tensors(random, program);
        link->interval = (int)(random_chance(random, 10) ? 2 : random_below(random, 2));
        if (kind < 10)
            make_hop(random, program, link);
        else if (kind < 12)
            make_mesh(program, link);
        else if (kind < 15)
            make_reach(random, options, program, link);
        else if (kind < 18)
            make_group(random, program, link);
        else
            make_odd(random, options, program, link);
    }
    if (options->cycles && random_chance(random, 40))
        make_cycle(random, any_tensors(random, program), program);
}

static void make_buses(struct random *random, struct oracle_program *program)
{
    static const int counts[] = {0, 0, 0, 0, 1, 1, 2, 3};

    program->n_buses = counts[random_below(random, 8)];
    for (int b = 0; b < program->n_buses; b++) {
        struct oracle_bus *bus = &program->buses[b];
        bus->is_reduction = random_chance(random, 40);
        bus->tensors = any_tensors(random, program);
        for (int d = 0; d < program->n_space; d++) {
            int p = provider(program, d);
            if (random_chance(random, 40))
                continue;
            bus->out[bus->n_out++] = random_chance(random, 70) ? p
                    : random_chance(random, 70) ? oracle_div(program, p, between(random, 2, 3))
                                                : oracle_mod(program, p, 2);
        }
        if (bus->n_out == 0)
            bus->out[bus->n_out++] = oracle_const(program, 0);
        if (random_chance(random, 10))
            require(&bus->conds, ORACLE_AT_LEAST_0,
                    oracle_add(program, provider(program, 0), oracle_const(program, -1)));
    }
}

void generate(uint64_t seed, const struct generate_options *options, struct oracle_program *program)
{
    struct random random = {seed};
    struct generate_options limits = *options;

    /* Most programs are tiny: what fails in a large one nearly always fails in a small one. */
    if (random_chance(&random, 70))
        limits.max_instances = options->max_instances / 8 + 1;
    memset(program, 0, sizeof *program);
    make_loops(&random, &limits, program);
    restrict_domain(&random, &limits, program);
    make_stamps(&random, &limits, program);
    make_accesses(&random, &limits, program);
    make_links(&random, &limits, program);
    make_buses(&random, program);
    program->registers = options->always_registers || random_chance(&random, 85);
}
