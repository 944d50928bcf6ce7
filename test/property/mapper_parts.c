/* Parts of an array (sator_mapper_parts): on random machines of links, against the words of every
 * PE, iteration by iteration. Neither place nor link is taken from the mapper: PEs are numbered as
 * doc/mapper.md says, elements as the op does, links as the machine was written. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mapper/search/search.h"
#include "oracle/run.h"
#include "property/mapper_case.h"

enum {
    LOOPS = 4, /* a, b, c, d */
    TENSORS = 3, /* A, B, Y */
    LINKS = 3,
    ROW = 8, /* most PEs along a dimension */
    PES = ROW * ROW,
    SPAN = 16, /* values of an index */
    ELEMENTS = SPAN * SPAN,
    STAMPS = 1300
};

/* Loops of two indices of each tensor, which are sums; a second place is one further along the
 * first. */
struct form {
    const char *op;
    const char *index[TENSORS][2];
    int places[TENSORS];
};

static const struct form forms[] = {
        {"Y[a,b] += A[a,c] * B[c+d,b]", {{"a", "c"}, {"cd", "b"}, {"a", "b"}}, {1, 1, 1}},
        {"Y[a,b] += A[a,c] * B[c,d]", {{"a", "c"}, {"c", "d"}, {"a", "b"}}, {1, 1, 1}},
        {"Y[a,d] += A[a+b,d] * B[b,c]", {{"ab", "d"}, {"b", "c"}, {"a", "d"}}, {1, 1, 1}},
        {"Y[a+b,c] += A[a,d] * B[b,c]", {{"a", "d"}, {"b", "c"}, {"ab", "c"}}, {1, 1, 1}},
        {"Y[a,b] += (A[a,c] + A[a+1,c]) * B[b,d]", {{"a", "c"}, {"b", "d"}, {"a", "b"}}, {2, 1, 1}},
};

struct link {
    int shift[2], interval;
};

struct drawn {
    const struct form *form;
    int extent[LOOPS], n_links;
    struct link link[LINKS];
};

static void draw(struct machines_rng *rng, struct problem_case *one, struct drawn *d)
{
    static const int extents[] = {2, 3, 4, 6};
    int at = 0;

    d->form = &forms[machines_draw(rng, sizeof forms / sizeof *forms)];
    for (int i = 0; i < LOOPS; i++)
        d->extent[i] = extents[machines_draw(rng, 4)];
    snprintf(one->workload_text, TEXT, "name: w\nsizes: {a: %d, b: %d, c: %d, d: %d}\nop: \"%s\"\n",
            d->extent[0], d->extent[1], d->extent[2], d->extent[3], d->form->op);
    at += snprintf(one->arch_text, TEXT,
            "name: m\nlevels:\n  - memory: outside\n    energy_pj: {read: 5, write: 5}\n"
            "  - array: PE\n    shape: [%d, %d]\n    links:\n",
            2 + (int)machines_draw(rng, ROW - 1), 1 + (int)machines_draw(rng, ROW));
    d->n_links = 1 + (int)machines_draw(rng, LINKS);
    for (int i = 0; i < d->n_links; i++) {
        struct link *link = &d->link[i];
        do {
            link->shift[0] = (int)machines_draw(rng, 5) - 2;
            link->shift[1] = (int)machines_draw(rng, 5) - 2;
        } while (link->shift[0] == 0 && link->shift[1] == 0);
        link->interval = (int)machines_draw(rng, 4);
        at += snprintf(one->arch_text + at, TEXT - (size_t)at,
                "      - {name: l%d, map: \"PE[i,j] -> PE[i%+d,j%+d]\", interval: %d, "
                "energy_pj: 0.5}\n",
                i, link->shift[0], link->shift[1], link->interval);
    }
    snprintf(one->arch_text + at, TEXT - (size_t)at,
            "  - memory: registers\n    energy_pj: {read: 1, write: 1}\n"
            "  - compute: mac\n    energy_pj: 1\n");
}

/* Random factors, their product the extents; the outermost row takes what is left. */
static void draw_mapping(
        struct machines_rng *rng, const struct mapper_problem *p, struct mapper_mapping *m)
{
    int64_t room[MAPPER_ROWS];

    sator_mapper_mapping_init(p, m);
    for (int r = 0; r < p->n_rows; r++)
        room[r] = p->row[r].is_space ? p->row[r].shape : INT64_MAX;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t left = p->extent[i];
        while (left > 1) {
            int64_t factor = sator_mapper_smallest_prime(left);
            int r = (int)machines_draw(rng, (uint64_t)p->n_rows);
            if (room[r] < factor)
                continue;
            room[r] /= factor;
            left /= factor;
            m->factor[r][i] *= factor;
        }
    }
    for (int k = 0; k < 16; k++) { /* exchanges */
        int i = (int)machines_draw(rng, (uint64_t)p->n_loops);
        int r = (int)machines_draw(rng, (uint64_t)p->n_rows);
        int8_t *order = p->row[r].is_space ? m->along[r] : m->order[p->row[r].memory];
        int8_t first = order[0];
        order[0] = order[i];
        order[i] = first;
    }
}

/* ---- what every PE touches ---- */

/* Who touches what in each stamp of a mapping. */
static bool touched[STAMPS][ELEMENTS][PES];

/* The digits of the loops of row "r" at an iteration, as one number, the last of "order" least. */
static int64_t number_at(const struct mapper_problem *p, const struct mapper_mapping *m, int r,
        const int8_t *order, const int *iteration)
{
    int64_t number = 0;

    for (int k = 0; k < p->n_loops; k++) {
        int64_t inside = 1;
        int i = order[k];
        for (int further = r + 1; further < p->n_rows; further++)
            inside *= m->factor[further][i];
        int64_t digit = iteration[p->loop_names[i][0] - 'a'] / inside % m->factor[r][i];
        number = number * m->factor[r][i] + digit;
    }
    return number;
}

static void touch(const struct drawn *d, int tensor, const int *iteration, int stamp, int pe)
{
    int value[2] = {0, 0};

    for (int e = 0; e < 2; e++) {
        for (const char *loop = d->form->index[tensor][e]; *loop != 0; loop++)
            value[e] += iteration[*loop - 'a'];
    }
    for (int place = 0; place < d->form->places[tensor]; place++)
        touched[stamp][(value[0] + place) * SPAN + value[1]][pe] = true;
}

/* Set "touched"; the number of stamps. */
static int run(const struct drawn *d, const struct mapper_problem *p,
        const struct mapper_mapping *m, int tensor)
{
    int iteration[LOOPS], all = 1;
    int64_t stamps = 1;

    for (int i = 0; i < LOOPS; i++)
        all *= d->extent[i];
    for (int r = 0; r < p->n_rows; r++)
        stamps *= p->row[r].is_space ? 1 : mapper_steps_at(p, m, r);
    assert_true(stamps <= STAMPS);
    memset(touched, 0, sizeof *touched * (size_t)stamps);
    for (int n = 0; n < all; n++) {
        int64_t stamp = 0, pe = 0;
        for (int i = 0, rest = n; i < LOOPS; rest /= d->extent[i++])
            iteration[i] = rest % d->extent[i];
        for (int r = 0; r < p->n_rows; r++) {
            if (p->row[r].is_space)
                pe = pe * ROW + number_at(p, m, r, m->along[r], iteration);
            else
                stamp = stamp * mapper_steps_at(p, m, r) +
                        number_at(p, m, r, m->order[p->row[r].memory], iteration);
        }
        touch(d, tensor, iteration, (int)stamp, (int)pe);
    }
    return (int)stamps;
}

/* The PE that a link leads to from "pe", or -1. */
static int end_of(const struct link *link, int pe)
{
    int i = pe / ROW + link->shift[0], j = pe % ROW + link->shift[1];

    return i < 0 || i >= ROW || j < 0 || j >= ROW ? -1 : i * ROW + j;
}

/* Of the PEs of "holds", set to the least of all that links join it to: any, or wires alone. */
static void join(const struct drawn *d, const bool *holds, bool wires_alone, int *least)
{
    bool changed = true;

    for (int pe = 0; pe < PES; pe++)
        least[pe] = pe;
    while (changed) {
        changed = false;
        for (int l = 0; l < d->n_links; l++) {
            for (int pe = 0; pe < PES; pe++) {
                int to = end_of(&d->link[l], pe);
                if (!holds[pe] || to < 0 || !holds[to] || least[pe] == least[to] ||
                        (wires_alone && d->link[l].interval > 0))
                    continue;
                least[pe] = least[to] = least[pe] < least[to] ? least[pe] : least[to];
                changed = true;
            }
        }
    }
}

/* Whether a PE has the element from the stamp before, or over a link from stamps before. */
static bool is_served(const struct drawn *d, int stamp, int element, int pe)
{
    bool served = stamp > 0 && touched[stamp - 1][element][pe];

    for (int l = 0; l < d->n_links; l++) {
        int before = stamp - d->link[l].interval;
        for (int from = 0; from < PES && before >= 0 && before < stamp; from++)
            served |= end_of(&d->link[l], from) == pe && touched[before][element][from];
    }
    return served;
}

/* The words of an element that nobody passes on, at least: where wires join PEs, one. */
static int brought(const struct drawn *d, int stamps, int element)
{
    int words = 0, least[PES];

    for (int s = 0; s < stamps; s++) {
        bool served[PES] = {false};
        join(d, touched[s][element], true, least);
        for (int pe = 0; pe < PES; pe++) {
            if (touched[s][element][pe] && is_served(d, s, element, pe))
                served[least[pe]] = true;
        }
        for (int pe = 0; pe < PES; pe++)
            words += touched[s][element][pe] && least[pe] == pe && !served[pe];
    }
    return words;
}

/* ---- the comparison ---- */

struct compared {
    int exact, at_most, parted, parted_windows, open, dearer;
};

/* Whether each loop on the array stands alone in each index that has it, or in none, and links lead
 * only along dimensions with loops: others may get some yet, as far as is known. */
static bool is_exact(const struct drawn *d, const struct mapper_problem *p,
        const struct mapper_mapping *m, int tensor)
{
    bool exact = true;

    for (int r = 0; r < p->n_rows; r++) {
        for (int l = 0; l < d->n_links && p->row[r].is_space; l++)
            exact &= d->link[l].shift[p->row[r].dim] == 0 || mapper_steps_at(p, m, r) > 1;
    }
    for (int e = 0; e < 2; e++) {
        const char *index = d->form->index[tensor][e];
        bool several = strlen(index) > 1 || (e == 0 && d->form->places[tensor] > 1);
        for (int i = 0; i < p->n_loops && several; i++) {
            for (int r = 0; r < p->n_rows; r++)
                exact &= strchr(index, p->loop_names[i][0]) == NULL || !p->row[r].is_space ||
                        m->factor[r][i] == 1;
        }
    }
    return exact;
}

static int64_t parts_of(const struct mapper_problem *p, const struct mapper_mapping *m, int t)
{
    struct mapper_words *words = sator_mapper_words_new(p);
    struct mapper_shape shape;

    sator_mapper_shape_init(p, m, &shape);
    int64_t parts = sator_mapper_parts(p, words, &shape, t);
    sator_mapper_words_free(words);
    return parts;
}

static void compare(const struct drawn *d, const struct mapper_problem *p,
        const struct mapper_mapping *m, int t, struct compared *c)
{
    int tensor = (int)(strchr("ABY", p->access[p->transfer[t].access].name[0]) - "ABY");
    int stamps = run(d, p, m, tensor), fewest = PES, words = 0, elements = 0;
    int64_t parts = parts_of(p, m, t);

    for (int element = 0; element < ELEMENTS; element++) {
        bool holds[PES] = {false};
        int least[PES], n = 0;
        for (int s = 0; s < stamps; s++) {
            for (int pe = 0; pe < PES; pe++)
                holds[pe] |= touched[s][element][pe];
        }
        join(d, holds, false, least);
        for (int pe = 0; pe < PES; pe++)
            n += holds[pe] && least[pe] == pe;
        if (n == 0)
            continue;
        elements++;
        fewest = n < fewest ? n : fewest;
        words += brought(d, stamps, element);
    }
    bool exact = is_exact(d, p, m, tensor);
    assert_true(exact ? parts == fewest : parts >= 1 && parts <= fewest);
    assert_true(words >= parts * elements);
    c->exact += exact;
    c->at_most += !exact;
    c->parted += exact && parts > 1;
    c->parted_windows += !exact && parts > 1;
    c->dearer += words == parts * elements && parts > 1;
    for (int r = 0; r < p->n_rows; r++) { /* a row whose factors are not known yet */
        struct mapper_mapping open = *m;
        if (!p->row[r].is_space || mapper_steps_at(p, m, r) == 1)
            continue;
        for (int i = 0; i < p->n_loops; i++)
            open.factor[r][i] = 1;
        assert_true(parts_of(p, &open, t) <= fewest);
        c->open += parts_of(p, &open, t) > 1;
    }
}

static void test_parts(void **state)
{
    (void)state;
    int n_cases = (int)run_count(300);
    struct machines_rng rng = {seed()};
    struct compared c = {0};

    for (int k = 0; k < n_cases; k++) {
        struct problem_case one;
        struct mapper_mapping mapping;
        struct drawn d;
        draw(&rng, &one, &d);
        bool opens = open_texts(&one, &rng);
        assert_true(opens && one.problem.n_loops == LOOPS);
        draw_mapping(&rng, &one.problem, &mapping);
        for (int t = 0; t < one.problem.n_transfers; t++) {
            const struct mapper_transfer *transfer = &one.problem.transfer[t];
            if (transfer->is_complex && transfer->links_alone != NULL)
                compare(&d, &one.problem, &mapping, t, &c);
        }
        close_case(&one);
    }
    print_message("%d exact, %d of several parts; %d with windows, %d of several parts; %d of "
                  "several with an open row; %d that bring no more\n",
            c.exact, c.parted, c.at_most, c.parted_windows, c.open, c.dearer);
    assert_true(n_cases < 100 ||
            (c.parted > n_cases / 10 && c.parted_windows > 0 && c.open > n_cases / 20 &&
                    c.dearer > 0));
}

/* ---- orders of every kind ---- */

/* The least value of random mappings, the loops of each row in random order. */
static double least_drawn(struct machines_rng *rng, const struct mapper_problem *p, int n)
{
    struct mapper_words *words = sator_mapper_words_new(p);
    double least = INFINITY;

    for (int k = 0; k < n; k++) {
        struct mapper_mapping mapping;
        struct mapper_traffic traffic;
        draw_mapping(rng, p, &mapping);
        if (!sator_mapper_is_legal(p, words, &mapping))
            continue;
        sator_mapper_count(p, words, &mapping, &traffic);
        least = fmin(least, sator_mapper_cost(p, &traffic).value);
    }
    sator_mapper_words_free(words);
    return least;
}

/* The value of the best mapping; -INFINITY: it is not proved. */
static double optimum(struct problem_case *c)
{
    struct sator_map_options options = {.threads = 1};
    struct mapper_search search = {.ctx = c->ctx,
            .problem = &c->problem,
            .words = sator_mapper_words_new(&c->problem),
            .options = &options,
            .deadline = INFINITY,
            .next_report = INFINITY};

    sator_mapper_optimal(&search);
    sator_mapper_words_free(search.words);
    assert_true(search.found);
    bool all = search.proved && !search.orders_open && !search.counted_open;
    return all ? search.best_cost.value : -INFINITY;
}

static void test_orders(void **state)
{
    (void)state;
    int n_cases = (int)run_count(120), compared = 0, reached = 0, skewed = 0;
    struct machines_rng rng = {seed()};

    for (int k = 0; k < n_cases; k++) {
        struct problem_case one;
        struct drawn d;
        draw(&rng, &one, &d);
        bool opens = open_texts(&one, &rng);
        assert_true(opens);
        struct mapper_problem plain = one.problem;
        if (machines_draw(&rng, 2) == 0 && skew_case(&one, &rng, true))
            skewed++;
        else
            one.problem = plain;
        sator_mapper_allow_orders(&one.problem);
        double least = least_drawn(&rng, &one.problem, 1000), best = optimum(&one);
        if (best > least * (1 + 1e-9))
            print_message("%s%sproved %g, but %g\n", one.workload_text, one.arch_text, best, least);
        assert_true(best <= least * (1 + 1e-9));
        compared += best > 0;
        reached += best >= least * (1 - 1e-9);
        close_case(&one);
    }
    print_message("%d proved, %d reached by chance, %d skewed\n", compared, reached, skewed);
    assert_true(n_cases < 100 || (compared > n_cases / 2 && skewed > n_cases / 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_parts),
            cmocka_unit_test(test_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
