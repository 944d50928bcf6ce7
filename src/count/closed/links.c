/* From a link's relation to translations.
 *
 * A piece gives each consumer coordinate as a function of the provider's, or leaves it free under a
 * condition. The offsets of a free coordinate are tried one by one: the array is small. Under a
 * fixed offset a linear condition is decided by its range; what is left undecided (floor(j/4) =
 * floor(j2/4)) is evaluated on the coordinates it mentions.
 */
#include "count/closed/links.h"
#include "base/room.h"

#include "count/count.h"

#include <stdlib.h>
#include <string.h>

enum {
    PREPARE_POOL = SATOR_ROOM(4096, 64), /* intervals; a link that needs more is left as it is */
    MOST_OFFSETS = SATOR_ROOM(40000, 40), /* candidates tried for one piece */
    MOST_EVALUATIONS = SATOR_ROOM(500000, 500) /* of a condition, for one map */
};

enum truth {
    TRUTH_NO,
    TRUTH_YES,
    TRUTH_DEPENDS
};

/* One piece under one candidate offset: provider q in "range", variable v = q[dim_of[v]] +
 * offset[dim]. */
struct candidate {
    const struct sator_piece *piece;
    int n_space, n_vars;
    int dim_of[CLOSED_SPACES * 2]; /* -1: a variable that is no coordinate */
    bool is_output[CLOSED_SPACES * 2];
    int64_t offset[CLOSED_SPACES];
    struct closed_interval range[CLOSED_SPACES];
    bool mentions[CLOSED_SPACES]; /* undecided conditions depend on the coordinate */
    long budget;
};

/* ---- deciding conditions ---- */

static void mention(struct candidate *c, const struct sator_expr *expr)
{
    for (int i = 0; i < expr->n_terms; i++) {
        if (expr->terms[i].atom == SATOR_ATOM_VAR)
            c->mentions[c->dim_of[expr->terms[i].var]] = true;
        else
            mention(c, expr->terms[i].argument);
    }
}

/* Whether "expr" is linear, with numbers so small that ranges over an array cannot overflow. */
static bool is_linear(const struct sator_expr *expr)
{
    const int64_t most = (int64_t)1 << 24;
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        if (term->atom != SATOR_ATOM_VAR || term->factor > most || term->factor < -most)
            return false;
    }
    return expr->constant <= CLOSED_BOUND && expr->constant >= -CLOSED_BOUND;
}

/* The range of a linear expression over the providers. */
static struct closed_interval linear_range(const struct candidate *c, const struct sator_expr *expr)
{
    int64_t coef[CLOSED_SPACES] = {0};
    int64_t constant = expr->constant;
    for (int i = 0; i < expr->n_terms; i++) {
        int var = expr->terms[i].var;
        coef[c->dim_of[var]] += expr->terms[i].factor;
        if (c->is_output[var])
            constant += expr->terms[i].factor * c->offset[c->dim_of[var]];
    }
    struct closed_interval range = {constant, constant};
    for (int k = 0; k < c->n_space; k++) {
        range.lo += coef[k] * (coef[k] < 0 ? c->range[k].hi : c->range[k].lo);
        range.hi += coef[k] * (coef[k] < 0 ? c->range[k].lo : c->range[k].hi);
    }
    return range;
}

static enum truth decide(struct candidate *c, const struct sator_cond *cond);

static enum truth decide_expr(struct candidate *c, const struct sator_cond *cond)
{
    struct closed_interval range = {0, 0};
    bool linear = is_linear(cond->expr);
    if (linear)
        range = linear_range(c, cond->expr);
    bool never_zero = linear && (range.lo > 0 || range.hi < 0);
    bool only_zero = linear && range.lo == 0 && range.hi == 0;
    enum truth truth = TRUTH_DEPENDS;
    if (cond->op == SATOR_COND_AT_LEAST && linear && range.lo >= 0)
        truth = TRUTH_YES;
    else if (cond->op == SATOR_COND_AT_LEAST && linear && range.hi < 0)
        truth = TRUTH_NO;
    else if (cond->op != SATOR_COND_AT_LEAST && (never_zero || only_zero))
        truth = (cond->op == SATOR_COND_EQUAL) == only_zero ? TRUTH_YES : TRUTH_NO;
    if (truth == TRUTH_DEPENDS)
        mention(c, cond->expr);
    return truth;
}

static enum truth decide(struct candidate *c, const struct sator_cond *cond)
{
    bool is_and = cond->op == SATOR_COND_AND;
    enum truth result = is_and ? TRUTH_YES : TRUTH_NO;
    switch (cond->op) {
    case SATOR_COND_TRUE:
        return TRUTH_YES;
    case SATOR_COND_EQUAL:
    case SATOR_COND_NOT_EQUAL:
    case SATOR_COND_AT_LEAST:
        return decide_expr(c, cond);
    case SATOR_COND_NOT:
        result = decide(c, cond->kids[0]);
        return result == TRUTH_DEPENDS ? result : result == TRUTH_YES ? TRUTH_NO : TRUTH_YES;
    case SATOR_COND_AND:
    case SATOR_COND_OR:
        for (int i = 0; i < cond->n_kids; i++) {
            enum truth kid = decide(c, cond->kids[i]);
            if (kid == (is_and ? TRUTH_NO : TRUTH_YES))
                return kid;
            if (kid == TRUTH_DEPENDS)
                result = TRUTH_DEPENDS;
        }
        return result;
    default:
        return TRUTH_DEPENDS;
    }
}

/* The condition at one point; false on overflow too, reported by "*fits". */
static bool holds(const struct sator_cond *cond, const int64_t *point, bool *fits)
{
    int64_t value = 0;
    bool is_and = cond->op == SATOR_COND_AND;
    switch (cond->op) {
    case SATOR_COND_EQUAL:
    case SATOR_COND_NOT_EQUAL:
    case SATOR_COND_AT_LEAST:
        *fits &= sator_expr_value(cond->expr, point, &value);
        return cond->op == SATOR_COND_EQUAL        ? value == 0
                : cond->op == SATOR_COND_NOT_EQUAL ? value != 0
                                                   : value >= 0;
    case SATOR_COND_NOT:
        return !holds(cond->kids[0], point, fits);
    case SATOR_COND_AND:
    case SATOR_COND_OR:
        for (int i = 0; i < cond->n_kids; i++) {
            if (holds(cond->kids[i], point, fits) != is_and)
                return !is_and;
        }
        return is_and;
    default:
        return true;
    }
}

static bool has_exists(const struct sator_cond *cond)
{
    if (cond->op == SATOR_COND_EXISTS)
        return true;
    for (int i = 0; i < cond->n_kids; i++) {
        if (has_exists(cond->kids[i]))
            return true;
    }
    return false;
}

/* ---- one candidate ---- */

/* Whether the piece leads from q to q + offset. */
static bool leads(const struct candidate *c, const int64_t *q, bool *fits)
{
    int64_t point[CLOSED_SPACES * 2] = {0};
    for (int v = 0; v < c->n_vars; v++)
        point[v] = q[c->dim_of[v]] + (c->is_output[v] ? c->offset[c->dim_of[v]] : 0);
    for (int k = 0; k < c->n_space; k++) {
        int64_t out = 0;
        *fits &= sator_expr_value(c->piece->out[k], point, &out);
        if (out != q[k] + c->offset[k])
            return false;
    }
    return holds(c->piece->cond, point, fits);
}

static const struct sator_decline *append(struct sator_arena *arena, const struct candidate *c,
        const struct closed_boxes *boxes, struct closed_hops *hops)
{
    struct closed_hop hop = {0};
    if (boxes != NULL && boxes->n == 0)
        return NULL;
    memcpy(hop.offset, c->offset, sizeof hop.offset);
    if (boxes != NULL) {
        hop.n_boxes = boxes->n;
        hop.box = sator_arena_copy(
                arena, boxes->box, sizeof *boxes->box * (size_t)(boxes->n * boxes->n_axes));
    }
    hops->hop = sator_arena_grow(arena, hops->hop, hops->n, sizeof hop);
    hops->hop[hops->n++] = hop;
    return NULL;
}

/* Append the consumers of provider "q" (of all that agree with it in the mentioned coordinates) to
 * the list at the end of the pool; join them with the last ones, so that the list stays short. */
static const struct sator_decline *add_consumers(struct closed_pool *pool,
        const struct candidate *c, const int64_t *q, struct closed_boxes *boxes)
{
    struct closed_interval *box = closed_pool_take(pool, c->n_space);
    if (box == NULL)
        return DECLINE("a link's condition has too many cases");
    for (int k = 0; k < c->n_space; k++) {
        struct closed_interval range =
                c->mentions[k] ? (struct closed_interval){q[k], q[k]} : c->range[k];
        box[k] = (struct closed_interval){range.lo + c->offset[k], range.hi + c->offset[k]};
    }
    if (++boxes->n < 2)
        return NULL;
    struct closed_boxes pair = {.n = 2, .n_axes = c->n_space, .box = box - c->n_space};
    const struct sator_decline *why = closed_boxes_disjoin(pool, &pair);
    if (why == NULL && pair.n == 1) {
        boxes->n--;
        pool->used -= c->n_space;
    }
    return why;
}

/* Test every provider, as far as the mentioned coordinates tell them apart, and append the
 * consumers found. */
static const struct sator_decline *enumerate(struct sator_arena *arena, struct closed_pool *pool,
        struct candidate *c, struct closed_hops *hops)
{
    struct closed_boxes boxes = {.n_axes = c->n_space, .box = pool->data + pool->used};
    int64_t q[CLOSED_SPACES];
    const struct sator_decline *why = NULL;
    bool fits = true;
    int k = 0;
    for (int i = 0; i < c->n_space; i++)
        q[i] = c->range[i].lo;
    while (k >= 0 && why == NULL) {
        if (--c->budget < 0)
            return DECLINE("a link's condition takes too long to tabulate");
        if (leads(c, q, &fits))
            why = add_consumers(pool, c, q, &boxes);
        k = c->n_space - 1;
        while (k >= 0 && (!c->mentions[k] || ++q[k] > c->range[k].hi)) {
            q[k] = c->range[k].lo;
            k--;
        }
    }
    if (why == NULL && !fits)
        why = DECLINE("a link's condition overflows");
    if (why == NULL)
        why = closed_boxes_disjoin(pool, &boxes);
    return why != NULL ? why : append(arena, c, &boxes, hops);
}

/* Whether output k is q[k] + offset[k]. */
static enum truth decide_output(struct candidate *c, int k)
{
    const struct sator_expr *out = c->piece->out[k];
    struct sator_term terms[CLOSED_SPACES * 2 + 1];
    if (is_linear(out) && out->n_terms <= CLOSED_SPACES * 2) {
        /* out - q[k] - offset[k], by the range of both together */
        struct sator_expr difference = {.constant = out->constant - c->offset[k],
                .n_terms = out->n_terms + 1,
                .terms = terms};
        if (out->n_terms > 0)
            memcpy(terms, out->terms, sizeof *terms * (size_t)out->n_terms);
        terms[out->n_terms] = (struct sator_term){.factor = -1, .atom = SATOR_ATOM_VAR, .var = k};
        struct closed_interval range = linear_range(c, &difference);
        if (range.lo > 0 || range.hi < 0)
            return TRUTH_NO;
        if (range.lo == range.hi)
            return TRUTH_YES;
    }
    c->mentions[k] = true;
    mention(c, out);
    return TRUTH_DEPENDS;
}

/* Append the providers that the piece joins with offset c->offset. */
static const struct sator_decline *try_offset(struct sator_arena *arena, struct closed_pool *pool,
        struct candidate *c, const int64_t *shape, struct closed_hops *hops)
{
    enum truth truth = TRUTH_YES;
    const struct sator_decline *why = NULL;
    int used = pool->used;
    for (int k = 0; k < c->n_space; k++) {
        int64_t o = c->offset[k];
        c->range[k] = (struct closed_interval){o < 0 ? -o : 0, shape[k] - 1 - (o > 0 ? o : 0)};
        c->mentions[k] = false;
        if (closed_is_empty(c->range[k]))
            return NULL;
    }
    for (int k = 0; k < c->n_space && truth != TRUTH_NO; k++) {
        enum truth output = decide_output(c, k);
        truth = output == TRUTH_YES ? truth : output;
    }
    if (truth != TRUTH_NO) {
        enum truth cond = decide(c, c->piece->cond);
        truth = cond == TRUTH_YES ? truth : cond;
    }
    if (truth == TRUTH_YES)
        why = append(arena, c, NULL, hops);
    else if (truth == TRUTH_DEPENDS)
        why = enumerate(arena, pool, c, hops);
    pool->used = used;
    return why;
}

/* ---- pieces ---- */

/* Set the variables' meaning; the offsets that dimension k can have into "least" and "greatest". */
static const struct sator_decline *bind(struct candidate *c, const struct sator_relation *map,
        const int64_t *shape, int64_t *least, int64_t *greatest)
{
    const struct sator_piece *piece = c->piece;
    if (map->n_in + piece->n_free > CLOSED_SPACES * 2)
        return DECLINE("a link has too many variables");
    c->n_vars = map->n_in + piece->n_free;
    for (int v = 0; v < c->n_vars; v++) {
        c->dim_of[v] = v < map->n_in ? v : -1;
        c->is_output[v] = false;
    }
    for (int k = 0; k < c->n_space; k++) {
        const struct sator_expr *out = piece->out[k];
        const struct sator_term *term = out->n_terms == 1 ? &out->terms[0] : NULL;
        bool is_var = term != NULL && term->atom == SATOR_ATOM_VAR && term->factor == 1;
        least[k] = 1 - shape[k];
        greatest[k] = shape[k] - 1;
        if (is_var && term->var >= map->n_in && out->constant == 0 && c->dim_of[term->var] < 0) {
            c->dim_of[term->var] = k;
            c->is_output[term->var] = true;
        } else if (is_var && term->var == k) {
            bool inside = out->constant > -shape[k] && out->constant < shape[k];
            least[k] = inside ? out->constant : 0;
            greatest[k] = inside ? out->constant : -1;
        }
    }
    for (int v = 0; v < c->n_vars; v++) {
        if (c->dim_of[v] < 0)
            return DECLINE("a link has a variable that is no coordinate");
    }
    return NULL;
}

static const struct sator_decline *add_piece(struct sator_arena *arena, struct closed_pool *pool,
        struct candidate *c, const struct sator_relation *map, const int64_t *shape,
        struct closed_hops *hops)
{
    int64_t least[CLOSED_SPACES];
    int64_t greatest[CLOSED_SPACES];
    int64_t candidates = 1;
    const struct sator_decline *why = bind(c, map, shape, least, greatest);
    if (why != NULL)
        return why;
    if (has_exists(c->piece->cond))
        return DECLINE("a link's condition binds a variable");
    for (int k = 0; k < c->n_space; k++) {
        c->offset[k] = least[k];
        candidates *= greatest[k] - least[k] + 1;
        if (candidates > MOST_OFFSETS)
            return DECLINE("a link has too many offsets");
    }
    while (candidates > 0) {
        why = try_offset(arena, pool, c, shape, hops);
        if (why != NULL)
            return why;
        int k = c->n_space - 1;
        while (k >= 0 && ++c->offset[k] > greatest[k]) {
            c->offset[k] = least[k];
            k--;
        }
        if (k < 0)
            break;
    }
    return NULL;
}

const struct sator_decline *closed_hops_of_map(struct sator_arena *arena, struct closed_pool *pool,
        const struct sator_relation *map, int n_space, const int64_t *shape,
        struct closed_hops *hops)
{
    long budget = MOST_EVALUATIONS;
    *hops = (struct closed_hops){0};
    if (map->n_in != n_space || map->n_out != n_space)
        return DECLINE("a link's dimensions are not those of the array");
    for (int i = 0; i < map->n_pieces; i++) {
        struct candidate c = {.piece = &map->pieces[i], .n_space = n_space, .budget = budget};
        const struct sator_decline *why = add_piece(arena, pool, &c, map, shape, hops);
        if (why != NULL)
            return why;
        budget = c.budget;
    }
    return NULL;
}

void sator_count_prepare(struct sator_arena *arena, int n_space, const int64_t *shape, int n_links,
        struct sator_network_link *links)
{
    struct closed_pool pool = {.capacity = PREPARE_POOL};
    pool.data = sator_alloc(sizeof *pool.data * PREPARE_POOL);
    for (int i = 0; i < n_links; i++) {
        struct sator_prepared_link *prepared = SATOR_NEW(arena, struct sator_prepared_link);
        pool.used = 0;
        if (n_space <= CLOSED_SPACES &&
                closed_hops_of_map(arena, &pool, links[i].map, n_space, shape, &prepared->hops) ==
                        NULL)
            links[i].prepared = prepared;
    }
    free(pool.data);
}
