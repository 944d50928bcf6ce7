/* Tiny random programs: domain, stamps, access, links and buses; their generation and their text.
 */
#ifndef TEST_TINY_PROGRAM_H
#define TEST_TINY_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    LOOPS = 14,
    USUAL_LOOPS = 6,
    DIMS = 14,
    USUAL_DIMS = 5,
    TERMS = 6,
    COPIES = 5,
    LINKS = 4,
    BUSES = 2,
    MOST = 6000,
    HOPS = 8
};

/* ---- random numbers ---- */

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(2685821657736338717);
}

static int pick(int n)
{
    return (int)((next_random() >> 33) % (uint64_t)n);
}

static bool chance(int percent)
{
    return pick(100) < percent;
}

/* ---- programs ---- */

/* factor * ((((loop + add) / div) % mod) / div2), where div, div2 = 1 and mod = 0 leave out. */
struct term {
    int factor, loop, add, div, mod, div2;
    int window; /* one more than a second loop that is added under the division; 0: none */
    int scale; /* times the second loop */
};

struct expression {
    int n, constant;
    struct term term[TERMS];
};

enum link_kind {
    LINK_SHIFT,
    LINK_GROUP,
    LINK_WINDOW
};

struct link {
    enum link_kind kind;
    int interval;
    int n_offsets; /* LINK_SHIFT */
    int offset[2][DIMS];
    int dim, size; /* LINK_GROUP: PEs of one group of "size" along "dim"; LINK_WINDOW: up to size
                      apart */
};

struct program {
    int n_loops, lower[LOOPS], upper[LOOPS];
    int n_space, n_time; /* of the maps */
    int cut_space, cut_time; /* leading dimensions in use */
    int shape[DIMS];
    struct expression space[DIMS], time[DIMS];
    int n_index, n_copies;
    struct expression index[COPIES][DIMS];
    int n_parts, part[DIMS]; /* the access is of the instances whose first n_parts space rows are
                                these alone */
    bool registers;
    bool holds_idle; /* what a PE has stays while it runs nothing */
    int n_links, n_buses;
    struct link link[LINKS];
    int n_bus[BUSES];
    struct expression bus[BUSES][DIMS]; /* over PE coordinates */
};

static int floor_div(int a, int b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static int value_of(const struct expression *e, const int *n)
{
    int sum = e->constant;
    for (int i = 0; i < e->n; i++) {
        const struct term *t = &e->term[i];
        int sum_of_loops = n[t->loop] + (t->window > 0 ? t->scale * n[t->window - 1] : 0);
        int v = floor_div(sum_of_loops + t->add, t->div);
        if (t->mod > 0)
            v -= floor_div(v, t->mod) * t->mod;
        sum += t->factor * floor_div(v, t->div2);
    }
    return sum;
}

/* ---- generation ---- */

/* What a program has more of than others. */
enum flavour {
    FLAVOUR_TILED,
    FLAVOUR_BUSES,
    FLAVOUR_SINGULAR,
    FLAVOUR_MATRICES,
    FLAVOUR_CARRIES, /* sums of two loops under / and % */
    FLAVOUR_STENCILS, /* several accesses, and buses */
    FLAVOUR_MAPPINGS, /* digits of loops, some tiles ragged, under windows with strides */
    FLAVOUR_MAPS, /* accesses of one tensor through different maps: A[i,k] and A[k,j] */
    FLAVOUR_MODULI, /* divisors of one loop that do not divide each other */
    FLAVOUR_DEEP, /* up to 14 loops */
    FLAVOUR_NESTS, /* tilings of several levels and arrays, each of whose factors may be a ceiling
                    */
    N_FLAVOURS
};
static enum flavour flavour;
static const char *const flavour_names[] = {"tiled", "buses", "singular", "matrices", "carries",
        "stencils", "mappings", "maps", "moduli", "deep", "nests"};

/* How a program is made: the radix of each loop, so that divisors fit together most of the time. */
static int radix[LOOPS];

static struct term random_term(const struct program *p, bool plain)
{
    struct term t = {.factor = 1, .div = 1, .div2 = 1};
    t.loop = pick(p->n_loops);
    int m = radix[t.loop];
    if (flavour == FLAVOUR_MODULI && m > 1 && chance(50))
        m = 2 + pick(5);
    if (!plain && m > 1) {
        switch (pick(6)) {
        case 0:
        case 1:
            t.mod = m;
            break;
        case 2:
        case 3:
            t.div = m;
            break;
        case 4:
            if (m % 2 == 0 && m > 2) {
                t.mod = m;
                t.div2 = 2;
            } else {
                t.div = m;
                t.mod = 2;
            }
            break;
        default:
            break;
        }
        if (chance(5))
            t.add = m;
        if (chance(3))
            t.add = pick(4);
    }
    return t;
}

static int random_factor(int skew)
{
    static const int factors[] = {-1, 2, -2, 3, 1, 4};
    return chance(skew) ? factors[pick(6)] : 1;
}

/* A sum that crosses blocks of its divisor: (n0 + 2*n1 + 3) / 4, ((n0 + n1) % 4) / 2. */
static struct term random_carry(const struct program *p)
{
    static const int scales[] = {1, 1, 1, 2, -1, 3};
    struct term t = {.factor = random_factor(20), .div = 1, .div2 = 1, .scale = scales[pick(6)]};
    t.loop = pick(p->n_loops);
    if (p->n_loops > 1 && chance(80))
        t.window = 1 + (t.loop + 1 + pick(p->n_loops - 1)) % p->n_loops;
    t.add = chance(40) ? pick(9) - 4 : 0;
    if (chance(70))
        t.div = 2 + pick(3);
    if (t.div == 1 || chance(20))
        t.mod = 2 + pick(4);
    if (chance(15))
        t.div2 = 2;
    return t;
}

static struct expression random_expression(const struct program *p, int terms, int skew, bool plain)
{
    struct expression e = {.n = 1 + pick(terms)};
    for (int i = 0; i < e.n; i++) {
        e.term[i] = random_term(p, plain);
        e.term[i].factor = random_factor(skew);
    }
    if (chance(5))
        e.constant = pick(5) - 2;
    return e;
}

/* A stamping as people write it: split loops once, tiles in time, the inner part in space. */
static void tile(struct program *p)
{
    int loop_of[DIMS];
    p->n_space = 0;
    p->n_time = 0;
    for (int l = 0; l < p->n_loops && p->n_space < 3; l++) {
        if (radix[l] > 1 && chance(60)) {
            loop_of[p->n_space] = l;
            p->space[p->n_space++] = (struct expression){.n = 1,
                    .term = {{.factor = 1, .loop = l, .div = 1, .mod = radix[l], .div2 = 1}}};
        }
    }
    if (p->n_space == 0) {
        loop_of[0] = pick(p->n_loops);
        p->space[p->n_space++] = (struct expression){
                .n = 1, .term = {{.factor = 1, .loop = loop_of[0], .div = 1, .div2 = 1}}};
        radix[loop_of[0]] = 100;
    }
    for (int l = 0; l < p->n_loops && p->n_time < DIMS; l++) {
        bool is_space = false;
        for (int i = 0; i < p->n_space; i++)
            is_space |= loop_of[i] == l;
        if (chance(15))
            continue;
        p->time[p->n_time++] = (struct expression){.n = 1,
                .term = {{.factor = 1, .loop = l, .div = is_space ? radix[l] : 1, .div2 = 1}}};
    }
    for (int i = p->n_time - 1; i > 0; i--) {
        int j = pick(i + 1);
        struct expression swap = p->time[i];
        p->time[i] = p->time[j];
        p->time[j] = swap;
    }
    if (p->n_time > 0 && chance(40)) {
        struct expression *last = &p->time[chance(80) ? p->n_time - 1 : pick(p->n_time)];
        for (int i = 0; i < p->n_space && last->n < TERMS; i++) {
            if (chance(70))
                last->term[last->n++] = p->space[i].term[0];
        }
    }
}

static struct link random_link(const struct program *p)
{
    struct link link = {.interval = pick(10) < 6 ? 1 : pick(3), .n_offsets = 1 + chance(25)};
    link.dim = pick(p->cut_space);
    link.size = 2 + pick(3);
    if (chance(15))
        link.kind = chance(50) ? LINK_GROUP : LINK_WINDOW;
    for (int k = 0; k < 2; k++) {
        bool zero = true;
        while (zero) {
            for (int i = 0; i < p->cut_space; i++) {
                link.offset[k][i] =
                        chance(50) ? 0 : pick(chance(10) ? 5 : 3) - (chance(50) ? 1 : 0);
                zero &= link.offset[k][i] == 0;
            }
        }
    }
    return link;
}

/* A sum of loops, or of the digits of split ones, with coefficients 0 and 1, and -1 if "negative".
 */
static struct expression random_row(const struct program *p, bool negative)
{
    struct expression e = {.n = 0};
    for (int l = 0; l < p->n_loops; l++) {
        for (int digit = 0; digit < (radix[l] > 1 ? 2 : 1); digit++) {
            int factor = negative ? pick(3) - 1 : pick(2);
            if (factor == 0 || e.n == TERMS)
                continue;
            struct term t = {.factor = factor, .loop = l, .div = 1, .div2 = 1};
            if (radix[l] > 1 && digit == 0)
                t.mod = radix[l];
            else
                t.div = radix[l];
            e.term[e.n++] = t;
        }
    }
    return e;
}

/* Stamps as rows of a random matrix over whole loops, some loops split into digits, as in the space
 * of TENET's section IV-A; extents so small that most points are on some face. */
static void generate_matrix(struct program *p)
{
    bool negative = chance(40);
    int volume = 1;
    p->n_loops = 2 + pick(USUAL_LOOPS - 1);
    for (int l = 0; l < p->n_loops; l++) {
        int most = 700 / volume;
        int extent = chance(70) ? 1 + pick(4) : 1 + pick(9);
        extent = extent < most ? extent : most;
        radix[l] = chance(15) ? 2 + pick(2) : 1;
        if (extent * radix[l] <= most)
            extent *= radix[l];
        p->lower[l] = radix[l] == 1 && chance(10) ? pick(5) - 2 : 0;
        p->upper[l] = p->lower[l] + extent;
        volume *= extent;
    }
    p->n_space = chance(10) ? 3 : 1 + pick(2);
    p->n_time = chance(80) ? p->n_loops - p->n_space : 1 + pick(4);
    p->n_time = p->n_time < 0 ? 0 : p->n_time > USUAL_DIMS ? USUAL_DIMS : p->n_time;
    for (int i = 0; i < p->n_space; i++)
        p->space[i] = random_row(p, negative);
    for (int i = 0; i < p->n_time; i++)
        p->time[i] = random_row(p, negative);
    p->cut_space = p->n_space;
    p->cut_time = p->n_time;
    if (chance(10)) {
        p->cut_space = pick(p->n_space + 1);
        p->cut_time = pick(p->n_time + 1);
    }
    p->n_index = 1 + pick(3);
    p->n_copies = chance(92) ? 1 : 2 + pick(2);
    for (int i = 0; i < p->n_index; i++) {
        p->index[0][i] = random_expression(p, chance(60) ? 1 : 2, 10, true);
        for (int c = 1; c < p->n_copies; c++) {
            p->index[c][i] = p->index[0][i];
            p->index[c][i].constant += pick(3) - 1;
        }
    }
    p->registers = chance(70);
    p->holds_idle = chance(20);
    p->n_links = p->cut_space == 0 ? 0 : pick(LINKS);
    for (int i = 0; i < p->n_links; i++)
        p->link[i] = random_link(p);
    p->n_buses = p->cut_space > 0 && chance(15) ? 1 + pick(2) : 0;
    if (p->n_buses > 0 && chance(50))
        p->n_links = 0;
    for (int b = 0; b < p->n_buses; b++) {
        p->n_bus[b] = pick(p->cut_space + 1);
        for (int i = 0; i < p->n_bus[b]; i++)
            p->bus[b][i] = (struct expression){.n = 1,
                    .term = {{.factor = 1, .loop = pick(p->cut_space), .div = 1, .div2 = 1}}};
    }
}

/* Append a digit to a row that is a mixed-radix number of digits so far, "*size" values of it. */
static void append_digit(struct expression *row, struct term digit, int values, int *size)
{
    digit.factor = *size;
    row->term[row->n++] = digit;
    *size *= values;
}

/* Split every loop at up to two places, the lower one at any size, and hand the digits out to two
 * space rows and the time rows. Where time rows run out, a digit becomes the higher one of a row
 * that has some. */
static void hand_out_digits(struct program *p)
{
    struct term digit[3 * LOOPS];
    int values[3 * LOOPS];
    int size[2][DIMS];
    int n_digits = 0;
    for (int l = 0; l < p->n_loops; l++) {
        int extent = p->upper[l] - p->lower[l];
        int place[4] = {1, 1 + pick(extent), 0, 1 << 20};
        place[2] = place[1] * (1 + pick(3));
        for (int k = 0; k < 3; k++) {
            int more = k == 2 ? 0 : place[k + 1] / place[k];
            if (more == 1 || place[k] >= extent)
                continue;
            digit[n_digits] = (struct term){.factor = 1,
                    .loop = l,
                    .add = -p->lower[l],
                    .div = place[k],
                    .mod = more,
                    .div2 = 1};
            values[n_digits++] = more > 0 ? more : (extent + place[k] - 1) / place[k];
        }
    }
    for (int i = 0; i < 2 * DIMS; i++)
        size[i % 2][i / 2] = 1;
    p->n_space = 2;
    p->n_time = 0;
    while (n_digits > 0) {
        int i = pick(n_digits--);
        int kind = pick(100);
        int row = pick(2);
        if (kind < 30 && p->space[row].n < 3) {
            append_digit(&p->space[row], digit[i], values[i], &size[0][row]);
        } else if (kind < 92) {
            int at = p->n_time < USUAL_DIMS ? p->n_time++ : pick(USUAL_DIMS);
            if (p->time[at].n < TERMS)
                append_digit(&p->time[at], digit[i], values[i], &size[1][at]);
        }
        digit[i] = digit[n_digits];
        values[i] = values[n_digits];
    }
}

/* An index that slides a window: stride * x + dilation * r, or floor((x + r) / 2). */
static struct expression random_window(int x, int r)
{
    struct expression e = {.n = 2, .constant = chance(10) ? pick(3) - 1 : 0};
    e.term[0] = (struct term){.factor = 1 + pick(3), .loop = x, .div = 1, .div2 = 1};
    e.term[1] = (struct term){.factor = 1 + chance(25), .loop = r, .div = 1, .div2 = 1};
    if (chance(15)) {
        e.n = 1;
        e.term[0] = (struct term){
                .factor = 1, .loop = x, .div = 2, .div2 = 1, .window = r + 1, .scale = 1};
    }
    return e;
}

/* What a mapper writes: loops x, r, and maybe a second window and channels; each memory's stamps
 * are leading dimensions. */
static void generate_mapping(struct program *p)
{
    int volume = 1;
    p->n_loops = 2 + pick(USUAL_LOOPS - 1);
    bool windows = p->n_loops >= 4 && chance(70);
    for (int l = 0; l < p->n_loops; l++) {
        int most = 1500 / volume;
        int extent = 1 + pick(l % 2 == 0 ? 12 : 7);
        extent = extent < most ? extent : most;
        p->lower[l] = chance(8) ? pick(5) - 2 : 0;
        p->upper[l] = p->lower[l] + extent;
        volume *= extent;
    }
    hand_out_digits(p);
    p->cut_space = chance(70) ? p->n_space : pick(p->n_space + 1);
    p->cut_time = chance(50) ? p->n_time : pick(p->n_time + 1);
    p->n_copies = 1;
    if (chance(70))
        p->index[0][p->n_index++] = random_window(0, 1);
    if (windows && chance(70))
        p->index[0][p->n_index++] = random_window(2, 3);
    for (int l = p->n_index == 0 ? 0 : windows ? 4 : 2; l < p->n_loops && p->n_index < 3; l++) {
        if (p->n_index == 0 || chance(50))
            p->index[0][p->n_index++] = (struct expression){
                    .n = 1, .term = {{.factor = 1, .loop = l, .div = 1, .div2 = 1}}};
    }
    p->registers = chance(85);
    p->holds_idle = chance(20);
    p->n_links = p->cut_space > 0 && chance(25) ? 1 + pick(2) : 0;
    for (int i = 0; i < p->n_links; i++) {
        p->link[i] = (struct link){.interval = pick(2), .n_offsets = 1};
        p->link[i].offset[0][pick(p->cut_space)] = chance(70) ? 1 : -1;
    }
    p->n_buses = p->cut_space > 0 && chance(70) ? 1 + chance(40) : 0;
    for (int b = 0; b < p->n_buses; b++) {
        p->n_bus[b] = pick(2);
        if (p->n_bus[b] > 0)
            p->bus[b][0] = (struct expression){.n = 1,
                    .term = {{.factor = 1, .loop = pick(p->cut_space), .div = 1, .div2 = 1}}};
    }
}

/* Cut a loop of "extent" iterations into digits, outermost first: tiles of tiles of tiles, of any
 * sizes, so that any of them may be cut short. */
static int cut_loop(int loop, int lower, int extent, struct term *digit, int *values)
{
    int n = 0;
    int left = extent;
    int place = 1;
    int sizes[4];
    while (left > 1 && n < 3 && chance(75)) {
        sizes[n] = chance(50) ? 2 + pick(2) : 1 + pick(left);
        sizes[n] = sizes[n] > left ? left : sizes[n] < 2 ? 2 : sizes[n];
        left = (left + sizes[n] - 1) / sizes[n];
        n++;
    }
    if (left > 1)
        sizes[n++] = left;
    for (int k = 0; k < n; k++) {
        digit[n - 1 - k] = (struct term){.factor = 1,
                .loop = loop,
                .add = -lower,
                .div = place,
                .mod = k == n - 1 ? 0 : sizes[k],
                .div2 = 1};
        values[n - 1 - k] = sizes[k];
        place *= sizes[k];
    }
    return n;
}

/* Take the outermost digit left of a random loop, or any digit of it if "any". */
static bool take_digit(
        int n_loops, const int *n_digits, uint8_t (*taken)[4], bool any, int *loop, int *digit)
{
    for (int tries = 0; tries < 20; tries++) {
        *loop = pick(n_loops);
        if (n_digits[*loop] == 0)
            continue;
        *digit = any ? pick(n_digits[*loop]) : 0;
        while (*digit < n_digits[*loop] && taken[*loop][*digit])
            ++*digit;
        if (*digit == n_digits[*loop])
            continue;
        taken[*loop][*digit] = 1;
        return true;
    }
    return false;
}

/* Rows in the order of a machine's levels: loops of a memory, dimensions of an array, and again; a
 * cut anywhere. Now and then a PE's digit stands inside digits of time of its loop further in. */
static void nest_rows(struct program *p)
{
    struct term digit[LOOPS][4];
    int values[LOOPS][4];
    int n_digits[LOOPS];
    uint8_t taken[LOOPS][4] = {{0}};
    int loop;
    int k;
    for (int l = 0; l < p->n_loops; l++)
        n_digits[l] = cut_loop(l, p->lower[l], p->upper[l] - p->lower[l], digit[l], values[l]);
    p->n_space = p->n_time = 0;
    for (int level = 0; level < 4; level++) {
        for (int i = pick(4); i > 0 && p->n_time < DIMS; i--) {
            if (!take_digit(p->n_loops, n_digits, taken, false, &loop, &k))
                break;
            p->time[p->n_time++] = (struct expression){.n = 1, .term = {digit[loop][k]}};
        }
        for (int row = level == 3 ? 0 : pick(3); row > 0 && p->n_space < 4; row--) {
            struct expression *e = &p->space[p->n_space];
            int size = 1;
            *e = (struct expression){.n = 0};
            for (int i = 1 + pick(2); i > 0; i--) {
                if (take_digit(p->n_loops, n_digits, taken, chance(15), &loop, &k))
                    append_digit(e, digit[loop][k], values[loop][k], &size);
            }
            p->n_space += e->n > 0;
        }
    }
}

/* An index of a nest: a loop, a window, a quotient, or loops that another index has, too. */
static struct expression nest_index(const struct program *p, int i)
{
    int a = (2 * i) % p->n_loops;
    int b = (2 * i + 1) % p->n_loops;
    if (chance(35))
        return (struct expression){.n = 1,
                .term = {{.factor = 1,
                        .loop = chance(85) ? a : pick(p->n_loops),
                        .div = 1,
                        .div2 = 1}}};
    struct expression e = random_window(a, b);
    if (chance(10))
        e.term[0].factor = -e.term[0].factor;
    return e;
}

static void nest_network(struct program *p)
{
    p->registers = chance(85);
    p->holds_idle = chance(20);
    p->n_links = p->cut_space > 0 && chance(45) ? 1 + pick(3) : 0;
    for (int i = 0; i < p->n_links; i++) {
        p->link[i] = (struct link){.interval = pick(3), .n_offsets = 1 + chance(15)};
        for (int k = 0; k < 2; k++) {
            p->link[i].offset[k][pick(p->cut_space)] = chance(70) ? 1 : pick(5) - 2;
            for (int d = 0; d < p->cut_space && p->link[i].interval == 0; d++)
                p->link[i].offset[k][d] += chance(10);
            bool zero = true;
            for (int d = 0; d < p->cut_space; d++)
                zero &= p->link[i].offset[k][d] == 0;
            p->link[i].offset[k][0] += zero;
        }
    }
    p->n_buses = p->cut_space > 0 && chance(60) ? 1 + chance(40) : 0;
    for (int b = 0; b < p->n_buses; b++) {
        p->n_bus[b] = pick(p->cut_space + 1);
        for (int i = 0; i < p->n_bus[b]; i++)
            p->bus[b][i] = (struct expression){.n = 1,
                    .term = {{.factor = 1,
                            .loop = pick(p->cut_space),
                            .div = 1 + chance(10),
                            .div2 = 1}}};
    }
}

static void generate_nest(struct program *p)
{
    int volume = 1;
    p->n_loops = 1 + pick(5);
    for (int l = 0; l < p->n_loops; l++) {
        int most = 1200 / volume;
        int extent = 1 + pick(chance(30) ? 20 : 8);
        extent = extent < most ? extent : most;
        p->lower[l] = chance(8) ? pick(5) - 2 : 0;
        p->upper[l] = p->lower[l] + extent;
        volume *= extent;
    }
    nest_rows(p);
    p->cut_space = chance(75) ? p->n_space : pick(p->n_space + 1);
    p->cut_time = chance(60) ? p->n_time : pick(p->n_time + 1);
    p->n_index = 1 + pick(3);
    p->n_copies = chance(85) ? 1 : 2 + pick(COPIES - 1);
    for (int i = 0; i < p->n_index; i++) {
        p->index[0][i] = nest_index(p, i);
        for (int c = 1; c < p->n_copies; c++) {
            p->index[c][i] = p->index[0][i];
            if (p->index[c][i].n == 1 && p->index[c][i].term[0].window > 0)
                p->index[c][i].term[0].add += pick(3) - 1;
            else
                p->index[c][i].constant += pick(3) - 1;
        }
    }
    nest_network(p);
}

/* The accesses after the first: other loops, or other constants. */
static void change_maps(struct program *p)
{
    for (int c = 1; c < p->n_copies; c++) {
        int from = pick(c);
        int loop = pick(p->n_loops);
        int kind = pick(4);
        for (int i = 0; i < p->n_index; i++) {
            p->index[c][i] = p->index[from][kind == 0 ? p->n_index - 1 - i : i];
            if (kind == 1)
                p->index[c][i].constant += pick(3) - 1;
            if (kind == 2 && chance(50))
                p->index[c][i] = random_expression(p, 1, 10, true);
        }
        if (kind == 3) {
            struct expression *e = &p->index[c][pick(p->n_index)];
            e->term[pick(e->n)].loop = loop;
        }
    }
}

static void generate_program(struct program *p)
{
    if (flavour == FLAVOUR_MAPPINGS) {
        *p = (struct program){0};
        generate_mapping(p);
        return;
    }
    if (flavour == FLAVOUR_NESTS) {
        *p = (struct program){0};
        generate_nest(p);
        return;
    }
    if (flavour == FLAVOUR_MATRICES) {
        *p = (struct program){0};
        generate_matrix(p);
        return;
    }
    *p = (struct program){.n_loops = 1 + pick(USUAL_LOOPS)};
    if (flavour == FLAVOUR_DEEP)
        p->n_loops = LOOPS - pick(6);
    if (flavour == FLAVOUR_MAPS)
        p->n_loops = 2 + pick(3);
    int volume = 1;
    for (int l = 0; l < p->n_loops; l++) {
        int most = MOST / (flavour == FLAVOUR_TILED ? 2 : 10) / volume;
        int usual = flavour == FLAVOUR_DEEP ? 3 : flavour == FLAVOUR_MODULI ? 13 : 9;
        int extent = 1 + pick(most < usual ? most : usual);
        p->lower[l] = chance(15) ? pick(7) - 3 : 0;
        p->upper[l] = p->lower[l] + extent;
        volume *= extent;
        radix[l] = chance(30) ? 1 : 2 + pick(3);
    }
    if (chance(flavour == FLAVOUR_SINGULAR ? 40 : 60)) {
        tile(p);
    } else {
        int skew = flavour == FLAVOUR_SINGULAR ? 60 : chance(50) ? 10 : 40;
        p->n_space = 1 + pick(3);
        p->n_time = pick(5);
        for (int i = 0; i < p->n_space; i++)
            p->space[i] = random_expression(p, chance(70) ? 1 : 2, skew / 4, false);
        for (int i = 0; i < p->n_time; i++)
            p->time[i] = random_expression(p, chance(60) ? 1 : 3, skew, false);
    }
    p->cut_space = p->n_space;
    p->cut_time = p->n_time;
    if (chance(20)) {
        p->cut_space = pick(p->n_space + 1);
        p->cut_time = pick(p->n_time + 1);
    }
    p->n_index = 1 + pick(3);
    p->n_copies = flavour == FLAVOUR_STENCILS ? 2 + pick(COPIES - 1) : chance(85) ? 1 : 2 + pick(2);
    if (flavour == FLAVOUR_MAPS)
        p->n_copies = 2 + chance(30);
    for (int i = 0; i < p->n_index; i++) {
        bool wide = flavour == FLAVOUR_SINGULAR;
        p->index[0][i] = random_expression(p,
                wide                 ? 4
                        : chance(60) ? 1
                                     : 2,
                wide ? 50 : 20, chance(90));
        struct term *t = &p->index[0][i].term[0];
        if (chance(4) && t->window == 0 && t->mod == 0 && t->div2 == 1) {
            t->div = 2 + pick(2);
            t->window = 1 + (t->loop + 1) % p->n_loops;
            t->scale = 1;
        }
        if (flavour == FLAVOUR_CARRIES && chance(60))
            *t = random_carry(p);
        for (int c = 1; c < p->n_copies; c++) {
            p->index[c][i] = p->index[0][i];
            p->index[c][i].constant += pick(3) - 1;
        }
    }
    if (flavour == FLAVOUR_MAPS)
        change_maps(p);
    p->registers = chance(70);
    p->holds_idle = chance(20);
    p->n_links = p->cut_space == 0 ? 0 : pick(LINKS);
    for (int i = 0; i < p->n_links; i++)
        p->link[i] = random_link(p);
    bool has_buses = flavour == FLAVOUR_BUSES || flavour == FLAVOUR_STENCILS;
    p->n_buses = p->cut_space > 0 && chance(has_buses ? 100 : 20) ? 1 + pick(2) : 0;
    if (flavour == FLAVOUR_BUSES && chance(40))
        p->n_links = 0;
    for (int b = 0; b < p->n_buses; b++) {
        p->n_bus[b] = pick(p->cut_space + 1);
        for (int i = 0; i < p->n_bus[b]; i++) {
            p->bus[b][i] = (struct expression){.n = 1,
                    .term = {{.factor = 1, .loop = pick(p->cut_space), .div = 1, .div2 = 1}}};
            if (chance(10))
                p->bus[b][i].term[0].div = 2;
        }
    }
}

/* ---- as text ---- */

static void write_expression(FILE *out, const struct expression *e, const char *name)
{
    fprintf(out, "%d", e->constant);
    for (int i = 0; i < e->n; i++) {
        const struct term *t = &e->term[i];
        char text[80];
        char inner[160];
        if (t->window > 0)
            snprintf(text, sizeof text, "(%s%d + %d*%s%d + %d)", name, t->loop, t->scale, name,
                    t->window - 1, t->add);
        else
            snprintf(text, sizeof text, "(%s%d + %d)", name, t->loop, t->add);
        if (t->div > 1) {
            snprintf(inner, sizeof inner, "floor(%s/%d)", text, t->div);
            memcpy(text, inner, sizeof text);
        }
        if (t->mod > 0) {
            snprintf(inner, sizeof inner, "(%s %% %d)", text, t->mod);
            memcpy(text, inner, sizeof text);
        }
        if (t->div2 > 1) {
            snprintf(inner, sizeof inner, "floor(%s/%d)", text, t->div2);
            memcpy(text, inner, sizeof text);
        }
        fprintf(out, " + %d*%s", t->factor, text);
    }
}

static void write_tuple(FILE *out, const char *tuple, int n, const char *name)
{
    fprintf(out, "%s[", tuple);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%s%d", i > 0 ? ", " : "", name, i);
    fprintf(out, "]");
}

static void write_map(FILE *out, int n_in, const char *in, const char *name, const char *tuple,
        int n_out, const struct expression *e)
{
    write_tuple(out, in, n_in, name);
    fprintf(out, " -> %s[", tuple);
    for (int i = 0; i < n_out; i++) {
        fprintf(out, i > 0 ? ", " : "");
        write_expression(out, &e[i], name);
    }
    fprintf(out, "]");
}

static void write_link(FILE *out, const struct link *link, int n_space)
{
    fprintf(out, "{ ");
    for (int k = 0; link->kind == LINK_SHIFT && k < link->n_offsets; k++) {
        fprintf(out, k > 0 ? "; " : "");
        write_tuple(out, "PE", n_space, "p");
        fprintf(out, " -> PE[");
        for (int i = 0; i < n_space; i++)
            fprintf(out, "%sp%d + %d", i > 0 ? ", " : "", i, link->offset[k][i]);
        fprintf(out, "]");
    }
    if (link->kind != LINK_SHIFT) {
        write_tuple(out, "PE", n_space, "p");
        fprintf(out, " -> PE[");
        for (int i = 0; i < n_space; i++)
            fprintf(out, "%s%s%d", i > 0 ? ", " : "", i == link->dim ? "q" : "p", i);
        if (link->kind == LINK_GROUP)
            fprintf(out, "] : floor(p%d/%d) = floor(q%d/%d) and q%d > p%d", link->dim, link->size,
                    link->dim, link->size, link->dim, link->dim);
        else
            fprintf(out, "] : %d <= q%d - p%d <= %d and q%d > p%d", -link->size, link->dim,
                    link->dim, link->size, link->dim, link->dim);
    }
    fprintf(out, " }");
}

#endif
