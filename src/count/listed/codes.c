/* Values of expressions and conditions at all instances of a part, line by line of its box. */
#include "count/listed/codes.h"

#include <assert.h>
#include <string.h>

const struct sator_decline listed_too_many_bits = {
        "the stamps and elements of some loops do not fit into one number"};

/* ---- instances ---- */

static int64_t extent(const struct listed_parts *parts, int loop)
{
    assert(parts->lower[loop] <= parts->last[loop]);
    return parts->last[loop] - parts->lower[loop] + 1;
}

/* The loops of a part, in their order. */
static int loops_of_part(const struct listed_parts *parts, int part, int *loop)
{
    int n = 0;
    for (int l = 0; l < parts->n_loops; l++) {
        if (parts->part_of[l] == part)
            loop[n++] = l;
    }
    return n;
}

int64_t listed_count_points(const struct listed_parts *parts, int part, int64_t most)
{
    int loop[LISTED_LOOPS];
    int n = loops_of_part(parts, part, loop);
    int64_t product = 1;
    for (int i = 0; i < n; i++) {
        int64_t factor = extent(parts, loop[i]);
        if (factor > most || (product *= factor) > most)
            return most + 1;
    }
    return product;
}

void listed_instance(const struct listed_parts *parts, int part, int64_t i, int64_t *point)
{
    int loop[LISTED_LOOPS];
    i = parts->instance[part] == NULL ? i : parts->instance[part][i];
    for (int k = loops_of_part(parts, part, loop) - 1; k >= 0; k--) {
        point[loop[k]] = parts->lower[loop[k]] + i % extent(parts, loop[k]);
        i /= extent(parts, loop[k]);
    }
    assert(i == 0);
}

/* Go on to the part's next instance; the first of its loops that changed, -1 after the last one. */
static int next_instance(const struct listed_parts *parts, int n, const int *loop, int64_t *point)
{
    for (int k = n - 1; k >= 0; k--) {
        if (point[loop[k]] < parts->last[loop[k]]) {
            point[loop[k]]++;
            return k;
        }
        point[loop[k]] = parts->lower[loop[k]];
    }
    return -1;
}

/* ---- codes ---- */

void listed_code_rows(
        const struct listed_parts *parts, int part, int first, int n, struct listed_code *code)
{
    for (int r = first; r < first + n; r++) {
        for (int s = parts->row[r].first; s < parts->row[r].first + parts->row[r].n; s++) {
            if (parts->summand[s].part == part)
                code->expr[code->n++] = parts->summand[s].expr;
        }
    }
}

const struct sator_decline *listed_code_finish(
        const struct listed_parts *parts, struct listed_code *code)
{
    uint64_t range = 1;
    for (int i = code->n - 1; i >= 0; i--) {
        int64_t greatest;
        if (!sator_expr_range(
                    code->expr[i], parts->lower, parts->last, &code->least[i], &greatest) ||
                __builtin_sub_overflow(greatest, code->least[i], &greatest))
            return DECLINE("a row reaches beyond 64 bits");
        assert(greatest >= 0);
        code->stride[i] = range;
        code->size[i] = (uint64_t)greatest + 1;
        if (__builtin_mul_overflow(range, code->size[i], &range) || range > UINT64_MAX / 2)
            return &listed_too_many_bits;
    }
    code->range = range;
    return NULL;
}

/* A term of several loops, and what 1 more of its atom adds to a code. */
struct coupling {
    struct sator_term atom; /* factor 1 */
    uint64_t factor;
};

/* A code as a sum over single loops' values and atoms of several loops. Sums wrap around: the code
 * itself is in range. */
struct sum {
    int n;
    int loop[LISTED_LOOPS];
    uint64_t base;
    uint64_t *table[LISTED_LOOPS]; /* of each loop of the part, by value from the lower bound */
    int n_couplings;
    struct coupling *coupling;
};

static int64_t value_of_atom(const struct sator_term *atom, const int64_t *point)
{
    const struct sator_expr expr = {.n_terms = 1, .terms = atom};
    int64_t value = 0;
    /* It fits: the ranges that these values are in did. */
    sator_expr_value(&expr, point, &value);
    return value;
}

static void add_term(const struct listed_parts *parts, const struct sator_term *term,
        uint64_t stride, struct sum *sum)
{
    const struct sator_expr expr = {.n_terms = 1, .terms = term};
    uint32_t loops = listed_loops_of(&expr);
    struct coupling coupling = {.atom = *term, .factor = (uint64_t)term->factor * stride};
    int64_t point[LISTED_LOOPS] = {0};
    coupling.atom.factor = 1;
    if ((loops & (loops - 1)) != 0) {
        sum->coupling[sum->n_couplings++] = coupling;
        return;
    }
    int l = __builtin_ctz(loops);
    int k = 0;
    while (sum->loop[k] != l)
        k++;
    for (int64_t x = 0; x < extent(parts, l); x++) {
        point[l] = parts->lower[l] + x;
        sum->table[k][x] += coupling.factor * (uint64_t)value_of_atom(&coupling.atom, point);
    }
}

static void make_sum(
        const struct listed_parts *parts, int part, const struct listed_code *code, struct sum *sum)
{
    int n_terms = 0;
    sum->n = loops_of_part(parts, part, sum->loop);
    sum->base = 0;
    sum->n_couplings = 0;
    for (int k = 0; k < sum->n; k++)
        sum->table[k] = SATOR_NEW_ARRAY(parts->arena, uint64_t, extent(parts, sum->loop[k]));
    for (int i = 0; i < code->n; i++)
        n_terms += code->expr[i]->n_terms;
    sum->coupling = SATOR_NEW_ARRAY(parts->arena, struct coupling, n_terms + 1);
    for (int i = 0; i < code->n; i++) {
        const struct sator_expr *expr = code->expr[i];
        sum->base += ((uint64_t)expr->constant - (uint64_t)code->least[i]) * code->stride[i];
        for (int t = 0; t < expr->n_terms; t++)
            add_term(parts, &expr->terms[t], code->stride[i], sum);
    }
}

/* A walk along a part's instances, those that differ in its last loop alone at once: a line. */
struct walk {
    const struct listed_parts *parts;
    int part;
    struct sum sum;
    uint64_t partial[LISTED_LOOPS + 1]; /* of the loops before */
    int64_t point[LISTED_LOOPS];
    int from; /* the loops from this one on have moved */
    int64_t i, n; /* numbers in the part's box, and of its instances */
};

static void begin_walk(const struct listed_parts *parts, int part, const struct listed_code *code,
        struct walk *walk)
{
    walk->parts = parts;
    walk->part = part;
    walk->i = walk->n = 0;
    walk->from = 0;
    memcpy(walk->point, parts->lower, sizeof *walk->point * (size_t)parts->n_loops);
    make_sum(parts, part, code, &walk->sum);
    walk->partial[0] = walk->sum.base;
}

/* The number in its line of the walk's next instance and "ahead". */
static inline int64_t place_in_line(const struct walk *walk, int64_t ahead)
{
    const int64_t *instance = walk->parts->instance[walk->part];

    return instance == NULL ? ahead : instance[walk->n + ahead] - walk->i;
}

/* Set the values at the instances of the next line, which may have none; how many they are. */
static int64_t next_line(struct walk *walk, uint64_t *value)
{
    const struct listed_parts *parts = walk->parts;
    const struct sum *sum = &walk->sum;
    const int last = sum->n - 1, loop = sum->loop[last];
    const int64_t length = extent(parts, loop), left = parts->n_instances[walk->part] - walk->n;
    const uint64_t *table = sum->table[last];
    int64_t count = 0;

    for (int k = walk->from; k < last; k++)
        walk->partial[k + 1] = walk->partial[k] +
                sum->table[k][walk->point[sum->loop[k]] - parts->lower[sum->loop[k]]];
    const uint64_t before = walk->partial[last];
    for (; count < left && place_in_line(walk, count) < length; count++)
        value[count] = before + table[place_in_line(walk, count)];
    for (int64_t x = 0; x < count && sum->n_couplings > 0; x++) {
        walk->point[loop] = parts->lower[loop] + place_in_line(walk, x);
        for (int c = 0; c < sum->n_couplings; c++)
            value[x] += sum->coupling[c].factor *
                    (uint64_t)value_of_atom(&sum->coupling[c].atom, walk->point);
    }
    walk->from = next_instance(parts, last, sum->loop, walk->point);
    walk->i += length;
    walk->n += count;
    return count;
}

uint64_t *listed_code_values(
        const struct listed_parts *parts, int part, const struct listed_code *code)
{
    const int64_t n = parts->n_instances[part];
    uint64_t *value = SATOR_NEW_ARRAY(parts->arena, uint64_t, n);
    struct walk walk;

    begin_walk(parts, part, code, &walk);
    for (int64_t i = 0; i < n;)
        i += next_line(&walk, value + i);
    return value;
}

/* ---- conditions ---- */

/* Of which of the part's instances a comparison holds; false where a value may not fit. */
static bool compare(
        const struct listed_parts *parts, int part, const struct sator_cond *cond, bool *holds)
{
    struct listed_code code = {.n = 1, .expr = {cond->expr}, .stride = {1}};
    struct walk walk;
    int64_t least, greatest;

    if (!sator_expr_range(cond->expr, parts->lower, parts->last, &least, &greatest))
        return false;
    begin_walk(parts, part, &code, &walk);
    const int64_t length = extent(parts, walk.sum.loop[walk.sum.n - 1]);
    uint64_t *line = SATOR_NEW_ARRAY(parts->arena, uint64_t, length);
    for (int64_t i = 0; i < parts->n_instances[part];) {
        const int64_t n = next_line(&walk, line);
        for (int64_t x = 0; x < n; x++) {
            const int64_t value = (int64_t)line[x];
            holds[i + x] = cond->op == SATOR_COND_EQUAL ? value == 0
                    : cond->op == SATOR_COND_AT_LEAST   ? value >= 0
                                                        : value != 0;
        }
        i += n;
    }
    return true;
}

bool *listed_which_hold(const struct listed_parts *parts, int part, const struct sator_cond *cond)
{
    const int64_t n = parts->n_instances[part];
    const bool is_and = cond->op == SATOR_COND_AND || cond->op == SATOR_COND_TRUE;
    bool *holds = SATOR_NEW_ARRAY(parts->arena, bool, n);

    switch (cond->op) {
    case SATOR_COND_EQUAL:
    case SATOR_COND_NOT_EQUAL:
    case SATOR_COND_AT_LEAST:
        return compare(parts, part, cond, holds) ? holds : NULL;
    case SATOR_COND_TRUE:
    case SATOR_COND_AND:
    case SATOR_COND_OR:
        memset(holds, is_and, (size_t)n * sizeof *holds);
        for (int k = 0; k < cond->n_kids; k++) {
            const bool *kid = listed_which_hold(parts, part, cond->kids[k]);
            for (int64_t i = 0; i < n && kid != NULL; i++)
                holds[i] = is_and ? holds[i] && kid[i] : holds[i] || kid[i];
            holds = kid == NULL ? NULL : holds;
            if (holds == NULL)
                break;
        }
        return holds;
    case SATOR_COND_NOT:
        holds = listed_which_hold(parts, part, cond->kids[0]);
        for (int64_t i = 0; i < n && holds != NULL; i++)
            holds[i] = !holds[i];
        return holds;
    case SATOR_COND_EXISTS:
        return NULL;
    }
    return NULL;
}
