/* The definitions of doc/model.md, section 2, taken literally: build the set of ((p, t), f), then
 * ask of every element of it who else holds f. */
#include "oracle/oracle.h"

#include "oracle/tuples.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- expressions ---- */

static int push(struct oracle_program *program, struct oracle_expr expr)
{
    assert(program->n_exprs < ORACLE_EXPRS);
    program->exprs[program->n_exprs] = expr;
    return program->n_exprs++;
}

int oracle_const(struct oracle_program *program, int64_t value)
{
    return push(program, (struct oracle_expr){.op = ORACLE_CONST, .value = value});
}

int oracle_var(struct oracle_program *program, int var)
{
    return push(program, (struct oracle_expr){.op = ORACLE_VAR, .a = var});
}

int oracle_add(struct oracle_program *program, int a, int b)
{
    return push(program, (struct oracle_expr){.op = ORACLE_ADD, .a = a, .b = b});
}

int oracle_mul(struct oracle_program *program, int64_t factor, int a)
{
    return push(program, (struct oracle_expr){.op = ORACLE_MUL, .value = factor, .a = a});
}

int oracle_div(struct oracle_program *program, int a, int64_t divisor)
{
    return push(program, (struct oracle_expr){.op = ORACLE_DIV, .value = divisor, .a = a});
}

int oracle_mod(struct oracle_program *program, int a, int64_t divisor)
{
    return push(program, (struct oracle_expr){.op = ORACLE_MOD, .value = divisor, .a = a});
}

static int64_t floor_quotient(int64_t a, int64_t b)
{
    int64_t q = a / b;
    while (q * b > a)
        q--;
    return q;
}

int64_t oracle_value(const struct oracle_program *program, int expr, const int64_t *point)
{
    const struct oracle_expr *e = &program->exprs[expr];
    int64_t a;

    switch (e->op) {
    case ORACLE_CONST:
        return e->value;
    case ORACLE_VAR:
        return point[e->a];
    case ORACLE_ADD:
        return oracle_value(program, e->a, point) + oracle_value(program, e->b, point);
    case ORACLE_MUL:
        return e->value * oracle_value(program, e->a, point);
    case ORACLE_DIV:
        return floor_quotient(oracle_value(program, e->a, point), e->value);
    case ORACLE_MOD:
        a = oracle_value(program, e->a, point);
        return a - e->value * floor_quotient(a, e->value);
    }
    abort();
}

bool oracle_holds(const struct oracle_program *program, const struct oracle_conds *conds,
        const int64_t *point)
{
    for (int c = 0; c < conds->n; c++) {
        int64_t value = oracle_value(program, conds->of[c].expr, point);
        bool holds = conds->of[c].op == ORACLE_AT_LEAST_0 ? value >= 0
                : conds->of[c].op == ORACLE_EQUAL_0       ? value == 0
                                                          : value != 0;
        if (!holds)
            return false;
    }
    return true;
}

/* ---- instances ---- */

/* Step "point" to the next point of the box, the last loop fastest; false at the end. */
static bool step(const struct oracle_program *program, int64_t *point)
{
    for (int loop = program->n_loops - 1; loop >= 0; loop--) {
        if (++point[loop] < program->upper[loop])
            return true;
        point[loop] = program->lower[loop];
    }
    return false;
}

/* Set "point" to the first point of the box; false when the box is empty. */
static bool start(const struct oracle_program *program, int64_t *point)
{
    for (int loop = 0; loop < program->n_loops; loop++) {
        point[loop] = program->lower[loop];
        if (program->lower[loop] >= program->upper[loop])
            return false;
    }
    return true;
}

int64_t oracle_instances(const struct oracle_program *program, int64_t limit)
{
    int64_t point[ORACLE_LOOPS];
    int64_t n = 0;

    for (bool more = start(program, point); more && n <= limit; more = step(program, point))
        n += oracle_holds(program, &program->domain, point);
    return n;
}

bool oracle_is_in_place(const struct oracle_program *program)
{
    for (int a = 0; a < program->n_accesses; a++) {
        for (int b = 0; b < program->n_accesses; b++) {
            if (program->accesses[a].is_write && !program->accesses[b].is_write &&
                    program->accesses[a].tensor == program->accesses[b].tensor)
                return true;
        }
    }
    return false;
}

void oracle_fit(struct oracle_program *program)
{
    int64_t point[ORACLE_LOOPS];
    int64_t least[ORACLE_SPACE] = {0}, most[ORACLE_SPACE] = {0};
    bool first = true;

    for (bool more = start(program, point); more; more = step(program, point)) {
        if (!oracle_holds(program, &program->domain, point))
            continue;
        for (int d = 0; d < program->n_space; d++) {
            int64_t value = oracle_value(program, program->space[d], point);
            if (first || value < least[d])
                least[d] = value;
            if (first || value > most[d])
                most[d] = value;
        }
        first = false;
    }
    for (int d = 0; d < program->n_space; d++) {
        program->space_offset[d] = -least[d];
        program->shape[d] = most[d] - least[d] + 1;
    }
}

/* ---- the array ---- */

/* PEs are numbered in lexicographic order. */
static int64_t pe_count(const struct oracle_program *program, int n_space)
{
    int64_t n = 1;
    for (int d = 0; d < n_space; d++)
        n *= program->shape[d];
    return n;
}

/* The number of PE[coordinates], or -1 outside the array. */
static int64_t pe_number(
        const struct oracle_program *program, int n_space, const int64_t *coordinates)
{
    int64_t n = 0;
    for (int d = 0; d < n_space; d++) {
        if (coordinates[d] < 0 || coordinates[d] >= program->shape[d])
            return -1;
        n = n * program->shape[d] + coordinates[d];
    }
    return n;
}

static void pe_coordinates(
        const struct oracle_program *program, int n_space, int64_t pe, int64_t *coordinates)
{
    for (int d = n_space - 1; d >= 0; d--) {
        coordinates[d] = pe % program->shape[d];
        pe /= program->shape[d];
    }
}

/* Pairs (consumer, provider) of a link. */
static void wire_pairs(const struct oracle_program *program, int n_space,
        const struct oracle_link *link, struct tuples *pairs)
{
    int64_t n_pes = pe_count(program, n_space);

    for (int piece = 0; piece < link->n_pieces; piece++)
        for (int64_t q = 0; q < n_pes; q++) {
            int64_t point[2 * ORACLE_SPACE];
            int64_t p = 0, p_end = n_pes;
            pe_coordinates(program, n_space, q, point);
            if (link->pieces[piece].functional) {
                for (int d = 0; d < n_space; d++)
                    point[n_space + d] = oracle_value(program, link->pieces[piece].out[d], point);
                p = pe_number(program, n_space, point + n_space);
                p_end = p < 0 ? p : p + 1;
            }
            for (; p < p_end; p++) {
                pe_coordinates(program, n_space, p, point + n_space);
                if (oracle_holds(program, &link->pieces[piece].conds, point))
                    tuples_add(pairs, (int64_t[]){p, q});
            }
        }
}

/* ---- who feeds whom, for one tensor ---- */

/* providers of consumer p over link l: list[start[l][p] .. start[l][p + 1]). */
struct feeds {
    int64_t *start[ORACLE_LINKS];
    int64_t *list[ORACLE_LINKS];
};

static bool serves(unsigned tensors, int tensor)
{
    return (tensors >> tensor & 1) != 0;
}

/* Whether "wires" drops the interval-0 pair q -> p; "united" holds the pairs of all interval-0
 * links. */
static bool is_dropped(enum oracle_wires wires, const struct tuples *united, int64_t p, int64_t q)
{
    if (wires == ORACLE_WIRES_AS_GIVEN)
        return false;
    return p == q ||
            (wires == ORACLE_WIRES_ORDERED && q > p && tuples_find(united, (int64_t[]){q, p}) >= 0);
}

static void unite_wires(
        const struct oracle_program *program, int n_space, int tensor, struct tuples *united)
{
    tuples_init(united, 2);
    for (int l = 0; l < program->n_links; l++)
        if (program->links[l].interval == 0 && serves(program->links[l].tensors, tensor))
            wire_pairs(program, n_space, &program->links[l], united);
}

static void feeds_init(struct feeds *feeds, const struct oracle_program *program, int n_space,
        int tensor, enum oracle_wires wires)
{
    int64_t n_pes = pe_count(program, n_space);
    struct tuples united;

    unite_wires(program, n_space, tensor, &united);
    *feeds = (struct feeds){0};
    for (int l = 0; l < program->n_links; l++) {
        const struct oracle_link *link = &program->links[l];
        struct tuples pairs;
        enum oracle_wires rule =
                link->interval > 0 && wires == ORACLE_WIRES_ORDERED ? ORACLE_WIRES_AS_GIVEN : wires;

        if (!serves(link->tensors, tensor))
            continue;
        tuples_init(&pairs, 2);
        wire_pairs(program, n_space, link, &pairs);
        feeds->start[l] = tuples_must(calloc((size_t)n_pes + 2, sizeof(int64_t)));
        feeds->list[l] = tuples_must(calloc((size_t)pairs.n + 1, sizeof(int64_t)));
        for (int64_t i = 0; i < pairs.n; i++) {
            const int64_t *pair = tuples_at(&pairs, i);
            if (!is_dropped(rule, &united, pair[0], pair[1]))
                feeds->start[l][pair[0] + 2]++;
        }
        for (int64_t p = 0; p <= n_pes; p++)
            feeds->start[l][p + 1] += feeds->start[l][p];
        for (int64_t i = 0; i < pairs.n; i++) {
            const int64_t *pair = tuples_at(&pairs, i);
            if (!is_dropped(rule, &united, pair[0], pair[1]))
                feeds->list[l][feeds->start[l][pair[0] + 1]++] = pair[1];
        }
        tuples_clear(&pairs);
    }
    tuples_clear(&united);
}

static void feeds_clear(struct feeds *feeds)
{
    for (int l = 0; l < ORACLE_LINKS; l++) {
        free(feeds->start[l]);
        free(feeds->list[l]);
    }
}

/* ---- the data assignment ---- */

/* Every instance's PE and time-stamp; time-stamps numbered in their order from 0, so that prev
 * subtracts 1. */
struct stamped {
    int64_t n;
    int64_t *points; /* n * ORACLE_LOOPS */
    int64_t *pe, *rank;
    int64_t n_ranks;
};

static int
        compare_width; /* of the tuples being sorted: qsort takes no argument for its comparison */

static int compare_tuples(const void *a, const void *b)
{
    const int64_t *x = *(const int64_t *const *)a, *y = *(const int64_t *const *)b;
    for (int i = 0; i < compare_width; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* rank_of[number] for the tuples of "set" in lexicographic order (GIVE: free). */
static int64_t *rank_tuples(const struct tuples *set)
{
    const int64_t **order = tuples_must(calloc((size_t)set->n + 1, sizeof *order));
    int64_t *rank_of = tuples_must(calloc((size_t)set->n + 1, sizeof *rank_of));

    for (int64_t i = 0; i < set->n; i++)
        order[i] = tuples_at(set, i);
    compare_width = set->width;
    qsort(order, (size_t)set->n, sizeof *order, compare_tuples);
    for (int64_t i = 0; i < set->n; i++)
        rank_of[tuples_find(set, order[i])] = i;
    free(order);
    return rank_of;
}

/* False when an instance leaves the array. */
static bool stamp_instances(
        const struct oracle_program *program, int n_space, int n_time, struct stamped *stamped)
{
    struct tuples times;
    int64_t point[ORACLE_LOOPS] = {0};
    int64_t n = oracle_instances(program, INT64_MAX - 1);
    int64_t *rank_of;
    bool inside = true;

    *stamped = (struct stamped){.n = 0};
    stamped->points = tuples_must(calloc((size_t)n + 1, sizeof point));
    stamped->pe = tuples_must(calloc((size_t)n + 1, sizeof(int64_t)));
    stamped->rank = tuples_must(calloc((size_t)n + 1, sizeof(int64_t)));
    tuples_init(&times, n_time);
    for (bool more = start(program, point); more; more = step(program, point)) {
        int64_t space[ORACLE_SPACE], time[ORACLE_TIME];
        if (!oracle_holds(program, &program->domain, point))
            continue;
        for (int d = 0; d < n_space; d++)
            space[d] = oracle_value(program, program->space[d], point) + program->space_offset[d];
        for (int d = 0; d < n_time; d++)
            time[d] = oracle_value(program, program->time[d], point);
        memcpy(stamped->points + stamped->n * ORACLE_LOOPS, point, sizeof point);
        stamped->pe[stamped->n] = pe_number(program, n_space, space);
        inside = inside && stamped->pe[stamped->n] >= 0;
        stamped->rank[stamped->n++] = tuples_add(&times, time);
    }
    rank_of = rank_tuples(&times);
    for (int64_t i = 0; i < stamped->n; i++)
        stamped->rank[i] = rank_of[stamped->rank[i]];
    stamped->n_ranks = times.n;
    free(rank_of);
    tuples_clear(&times);
    return inside;
}

static void stamped_clear(struct stamped *stamped)
{
    free(stamped->points);
    free(stamped->pe);
    free(stamped->rank);
}

/* The greatest number of equal entries in keys[0 .. n-1], each below "n_keys", and how many keys
 * occur. */
static int64_t most_equal(const int64_t *keys, int64_t n, int64_t n_keys, int64_t *distinct)
{
    int64_t *count = tuples_must(calloc((size_t)n_keys + 1, sizeof *count));
    int64_t most = 0;

    *distinct = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t now = ++count[keys[i]];
        *distinct += now == 1;
        most = now > most ? now : most;
    }
    free(count);
    return most;
}

/* The most instances that one PE runs in a time-stamp, added up over the time-stamps. */
static int64_t sum_most(const struct stamped *stamped, int64_t n_pes)
{
    int64_t *in_pe = tuples_must(calloc((size_t)n_pes + 1, sizeof *in_pe));
    int64_t sum = 0;

    for (int64_t rank = 0; rank < stamped->n_ranks; rank++) {
        int64_t most = 0;
        memset(in_pe, 0, (size_t)n_pes * sizeof *in_pe);
        for (int64_t i = 0; i < stamped->n; i++) {
            if (stamped->rank[i] == rank && ++in_pe[stamped->pe[i]] > most)
                most = in_pe[stamped->pe[i]];
        }
        sum += most;
    }
    free(in_pe);
    return sum;
}

static void count_stamps(const struct stamped *stamped, int64_t n_pes, struct oracle_result *result)
{
    struct tuples stamps;
    int64_t *of_instance = tuples_must(calloc((size_t)stamped->n + 1, sizeof(int64_t)));
    int64_t *rank_of_stamp = tuples_must(calloc((size_t)stamped->n + 1, sizeof(int64_t)));
    int64_t ignored;

    tuples_init(&stamps, 2);
    for (int64_t i = 0; i < stamped->n; i++) {
        of_instance[i] = tuples_add(&stamps, (int64_t[]){stamped->pe[i], stamped->rank[i]});
        rank_of_stamp[of_instance[i]] = stamped->rank[i];
    }
    result->stamps = stamps.n;
    result->time_stamps = stamped->n_ranks;
    result->most_instances = sum_most(stamped, n_pes);
    result->max_per_stamp = most_equal(of_instance, stamped->n, stamps.n, &ignored);
    most_equal(stamped->pe, stamped->n, n_pes, &result->active_pes);
    result->max_active_pes = most_equal(rank_of_stamp, stamps.n, stamped->n_ranks, &ignored);
    free(of_instance);
    free(rank_of_stamp);
    tuples_clear(&stamps);
}

/* The sets of one access: pairs ((p, t), f) as (pe, rank, element number). */
struct assignment {
    struct tuples pairs, elements;
    int64_t access; /* distinct (instance, element) */
};

static void assign(const struct oracle_program *program, const struct stamped *stamped,
        const struct oracle_access *access, struct assignment *assignment)
{
    struct tuples of_instance;

    tuples_init(&assignment->pairs, 3);
    tuples_init(&assignment->elements, access->n_index);
    tuples_init(&of_instance, 2);
    for (int64_t i = 0; i < stamped->n; i++) {
        const int64_t *point = stamped->points + i * ORACLE_LOOPS;
        for (int piece = 0; piece < access->n_pieces; piece++) {
            int64_t index[ORACLE_INDEX], element;
            if (!oracle_holds(program, &access->pieces[piece].conds, point))
                continue;
            for (int d = 0; d < access->n_index; d++)
                index[d] = oracle_value(program, access->pieces[piece].index[d], point);
            element = tuples_add(&assignment->elements, index);
            tuples_add(&of_instance, (int64_t[]){i, element});
            tuples_add(&assignment->pairs, (int64_t[]){stamped->pe[i], stamped->rank[i], element});
        }
    }
    assignment->access = of_instance.n;
    tuples_clear(&of_instance);
}

/* The most pairs in one stamp. */
static int64_t tile_of(const struct tuples *pairs)
{
    struct tuples stamps;
    int64_t *stamp = tuples_must(calloc((size_t)pairs->n + 1, sizeof *stamp));
    int64_t ignored, tile;

    tuples_init(&stamps, 2);
    for (int64_t i = 0; i < pairs->n; i++)
        stamp[i] = tuples_add(&stamps, tuples_at(pairs, i));
    tile = most_equal(stamp, pairs->n, stamps.n, &ignored);
    free(stamp);
    tuples_clear(&stamps);
    return tile;
}

static bool is_temporal(
        const struct oracle_program *program, const struct tuples *pairs, const int64_t *pair)
{
    return program->registers &&
            tuples_find(pairs, (int64_t[]){pair[0], pair[1] - 1, pair[2]}) >= 0;
}

/* What the memory outside holds: (instance, time prefix, element); "prefix_of" the time-stamps. */
struct held {
    struct tuples words;
    int64_t *prefix_of;
    int64_t pes_inside; /* of one instance */
};

static void held_init(struct held *held, const struct oracle_program *program,
        const struct stamped *stamped, int n_space, const struct tuples *pairs)
{
    struct tuples prefixes;

    held->pes_inside = 1;
    for (int d = program->held_space; d < n_space; d++)
        held->pes_inside *= program->shape[d];
    held->prefix_of = tuples_must(calloc((size_t)stamped->n_ranks + 1, sizeof(int64_t)));
    tuples_init(&prefixes, program->held_time);
    for (int64_t i = 0; i < stamped->n; i++) {
        int64_t time[ORACLE_TIME] = {0};
        for (int d = 0; d < program->held_time; d++)
            time[d] = oracle_value(program, program->time[d], stamped->points + i * ORACLE_LOOPS);
        held->prefix_of[stamped->rank[i]] = tuples_add(&prefixes, time);
    }
    tuples_clear(&prefixes);
    tuples_init(&held->words, 3);
    for (int64_t i = 0; i < pairs->n; i++) {
        const int64_t *pair = tuples_at(pairs, i);
        tuples_add(&held->words,
                (int64_t[]){pair[0] / held->pes_inside, held->prefix_of[pair[1]], pair[2]});
    }
}

static void held_clear(struct held *held)
{
    tuples_clear(&held->words);
    free(held->prefix_of);
}

/* Whether the element of "pair" is held outside at the "interval" stamps before it; without "held"
 * it is. */
static bool is_held(const struct held *held, const int64_t *pair, int interval)
{
    for (int back = 1; held != NULL && back <= interval; back++) {
        int64_t word[3] = {pair[0] / held->pes_inside, held->prefix_of[pair[1] - back], pair[2]};
        if (tuples_find(&held->words, word) < 0)
            return false;
    }
    return true;
}

/* The first link that serves "pair", or -1. */
static int serving_link(const struct oracle_program *program, const struct feeds *feeds,
        const struct held *held, const struct tuples *pairs, const int64_t *pair)
{
    for (int l = 0; l < program->n_links; l++) {
        if (!feeds->start[l])
            continue;
        for (int64_t i = feeds->start[l][pair[0]]; i < feeds->start[l][pair[0] + 1]; i++) {
            int64_t provided[3] = {
                    feeds->list[l][i], pair[1] - program->links[l].interval, pair[2]};
            if (tuples_find(pairs, provided) >= 0 &&
                    is_held(held, pair, program->links[l].interval))
                return l;
        }
    }
    return -1;
}

/* The wires of interval 0 and how far each leads. */
struct wiring {
    const struct oracle_program *program;
    const struct feeds *feeds;
    int n_space;
    struct tuples carrying; /* p - q of some wire q -> p that brings p an element both need */
};

static void offset_of(const struct wiring *wiring, int64_t p, int64_t q, int64_t *offset)
{
    int64_t from[ORACLE_SPACE];

    pe_coordinates(wiring->program, wiring->n_space, p, offset);
    pe_coordinates(wiring->program, wiring->n_space, q, from);
    for (int d = 0; d < wiring->n_space; d++)
        offset[d] -= from[d];
}

static bool is_wire(const struct wiring *wiring, int l)
{
    return wiring->feeds->start[l] && wiring->program->links[l].interval == 0;
}

static void find_carrying(struct wiring *wiring, const struct tuples *pairs)
{
    const struct feeds *feeds = wiring->feeds;

    tuples_init(&wiring->carrying, wiring->n_space);
    for (int64_t i = 0; i < pairs->n; i++)
        for (int l = 0; l < wiring->program->n_links; l++) {
            const int64_t *pair = tuples_at(pairs, i);
            if (!is_wire(wiring, l))
                continue;
            for (int64_t w = feeds->start[l][pair[0]]; w < feeds->start[l][pair[0] + 1]; w++) {
                int64_t offset[ORACLE_SPACE];
                offset_of(wiring, pair[0], feeds->list[l][w], offset);
                if (tuples_find(pairs, (int64_t[]){feeds->list[l][w], pair[1], pair[2]}) >= 0)
                    tuples_add(&wiring->carrying, offset);
            }
        }
}

/* Whether wires that lead as far as q -> p carry anything. */
static bool carries(const struct wiring *wiring, int64_t p, int64_t q)
{
    int64_t offset[ORACLE_SPACE];

    offset_of(wiring, p, q, offset);
    return tuples_find(&wiring->carrying, offset) >= 0;
}

/* Mark in "met" every PE from which carrying wires lead to "pe". */
static void find_sources(const struct wiring *wiring, int64_t pe, bool *met)
{
    const struct feeds *feeds = wiring->feeds;

    for (int l = 0; l < wiring->program->n_links; l++) {
        if (!is_wire(wiring, l))
            continue;
        for (int64_t w = feeds->start[l][pe]; w < feeds->start[l][pe + 1]; w++) {
            int64_t q = feeds->list[l][w];
            if (!met[q] && carries(wiring, pe, q)) {
                met[q] = true;
                find_sources(wiring, q, met);
            }
        }
    }
}

/* doc/model.md, section 2, cycles of wires: of the wires that carry the tensor, drop each q -> p on
 * a cycle with q > p. It lies on one when wires lead from p to q. */
static void cut_cycles(const struct oracle_program *program, int n_space,
        const struct tuples *pairs, struct feeds *feeds)
{
    int64_t n_pes = pe_count(program, n_space);
    struct wiring wiring = {.program = program, .feeds = feeds, .n_space = n_space};
    bool *leads = tuples_must(calloc((size_t)(n_pes * n_pes) + 1, sizeof *leads)); /* [to][from] */

    find_carrying(&wiring, pairs);
    for (int64_t pe = 0; pe < n_pes && wiring.carrying.n > 0; pe++)
        find_sources(&wiring, pe, leads + pe * n_pes);
    for (int l = 0; l < program->n_links; l++) {
        int64_t kept = 0, w = 0;
        if (!is_wire(&wiring, l))
            continue;
        for (int64_t p = 0; p < n_pes; p++) {
            int64_t end = feeds->start[l][p + 1];
            feeds->start[l][p] = kept;
            for (; w < end; w++) {
                int64_t q = feeds->list[l][w];
                if (q < p || !carries(&wiring, p, q) || !leads[q * n_pes + p])
                    feeds->list[l][kept++] = q;
            }
        }
        feeds->start[l][n_pes] = kept;
    }
    tuples_clear(&wiring.carrying);
    free(leads);
}

/* Of the pairs that are "left", those on one bus with one stamp and element keep their smallest PE.
 */
static int64_t share_bus(const struct oracle_program *program, int n_space,
        const struct oracle_bus *bus, const struct tuples *pairs, bool *left)
{
    struct tuples groups;
    int64_t *best = tuples_must(calloc((size_t)pairs->n + 1, sizeof *best)); /* pair number + 1 */
    int64_t saved = 0;

    tuples_init(&groups, bus->n_out + 2);
    for (int64_t i = 0; i < pairs->n; i++) {
        int64_t point[ORACLE_SPACE], key[ORACLE_SPACE + 2], group;
        const int64_t *pair = tuples_at(pairs, i);
        if (!left[i])
            continue;
        pe_coordinates(program, n_space, pair[0], point);
        if (!oracle_holds(program, &bus->conds, point))
            continue;
        for (int d = 0; d < bus->n_out; d++)
            key[d] = oracle_value(program, bus->out[d], point);
        key[bus->n_out] = pair[1];
        key[bus->n_out + 1] = pair[2];
        group = tuples_add(&groups, key);
        if (best[group] == 0) {
            best[group] = i + 1;
            continue;
        }
        saved++;
        if (pair[0] < tuples_at(pairs, best[group] - 1)[0]) {
            left[best[group] - 1] = false;
            best[group] = i + 1;
        } else {
            left[i] = false;
        }
    }
    free(best);
    tuples_clear(&groups);
    return saved;
}

static void count_reuse(const struct oracle_program *program, int n_space,
        const struct oracle_access *access, enum oracle_wires wires, const struct stamped *stamped,
        const struct tuples *pairs, struct oracle_volumes *volumes)
{
    const bool asks = access->is_write && program->held_time > 0;
    struct feeds feeds;
    struct held held;
    bool *left = tuples_must(calloc((size_t)pairs->n + 1, sizeof *left));

    feeds_init(&feeds, program, n_space, access->tensor, wires);
    if (wires == ORACLE_WIRES_ORDERED)
        cut_cycles(program, n_space, pairs, &feeds);
    if (asks)
        held_init(&held, program, stamped, n_space, pairs);
    for (int64_t i = 0; i < pairs->n; i++) {
        const int64_t *pair = tuples_at(pairs, i);
        int link;
        if (is_temporal(program, pairs, pair))
            volumes->temporal++;
        else if ((link = serving_link(program, &feeds, asks ? &held : NULL, pairs, pair)) >= 0)
            volumes->by_link[link]++;
        else
            left[i] = true;
    }
    for (int b = 0; b < program->n_buses; b++)
        if (program->buses[b].is_reduction == access->is_write &&
                serves(program->buses[b].tensors, access->tensor))
            volumes->by_bus[b] = share_bus(program, n_space, &program->buses[b], pairs, left);
    for (int64_t i = 0; i < pairs->n; i++)
        volumes->unique += left[i];
    volumes->spatial = volumes->total - volumes->temporal - volumes->unique;
    free(left);
    if (asks)
        held_clear(&held);
    feeds_clear(&feeds);
}

void oracle_run(const struct oracle_program *program, int n_space, int n_time,
        enum oracle_wires wires, struct oracle_result *result)
{
    struct stamped stamped;

    memset(result, 0, sizeof *result);
    result->outside = !stamp_instances(program, n_space, n_time, &stamped);
    result->instances = stamped.n;
    if (!result->outside) {
        count_stamps(&stamped, pe_count(program, n_space), result);
        for (int a = 0; a < program->n_accesses; a++) {
            const struct oracle_access *access = &program->accesses[a];
            struct oracle_volumes *volumes = &result->accesses[a];
            struct assignment assignment;
            assign(program, &stamped, access, &assignment);
            volumes->access = assignment.access;
            volumes->total = assignment.pairs.n;
            volumes->footprint = assignment.elements.n;
            volumes->tile = tile_of(&assignment.pairs);
            count_reuse(program, n_space, access, wires, &stamped, &assignment.pairs, volumes);
            tuples_clear(&assignment.pairs);
            tuples_clear(&assignment.elements);
        }
    }
    stamped_clear(&stamped);
}
