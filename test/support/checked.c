#include "support/checked.h"

#include "base/arena.h"
#include "base/context.h"
#include "sator/analyze.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void checked_open(struct checked *c, const struct mapper_problem *problem, struct machines_rng *rng)
{
    c->problem = problem;
    c->rng = rng;
    c->words = sator_mapper_words_new(problem);
    c->joined = c->single = 0;
    c->bounds = sator_mapper_bounds_new(problem, c->words, 0);
}

void checked_close(struct checked *c)
{
    sator_mapper_bounds_free(c->bounds);
    sator_mapper_words_free(c->words);
}

/* ---- mappings ---- */

int checked_draw(struct checked *c, int n)
{
    return (int)machines_draw(c->rng, (uint64_t)n);
}

int64_t checked_prime(int64_t n)
{
    for (int64_t p = 2; p <= n / p; p++) {
        if (n % p == 0)
            return p;
    }
    return n;
}

/* Another innermost tile of loop "i" for the same parallel factors, and what is left at the
 * outermost memory; false: none was found, and the mapping is as it was. */
static bool draw_tile(struct checked *c, int i, struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    struct mapper_unrolled unrolled;
    int64_t tile = 1, left = 0;

    sator_mapper_unrolled(p, mapping, i, &unrolled);
    for (int try = 0; try < 1000 && left == 0; try++) {
        tile = 1 + checked_draw(c, (int)p->extent[i]);
        left = sator_mapper_left(p, i, &unrolled, tile);
    }
    for (int r = 0; r < p->innermost && left != 0; r++)
        mapping->factor[r][i] = r == 0 ? left : p->row[r].is_space ? mapping->factor[r][i] : 1;
    mapping->factor[p->innermost][i] = left != 0 ? tile : mapping->factor[p->innermost][i];
    return left != 0;
}

void checked_spread(
        struct checked *c, int loop, int end, bool but_innermost, struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    int rows[MAPPER_ROWS], n = 0;
    int64_t rest = 1;

    for (int r = 0; r < end; r++) {
        if (p->row[r].is_space || (but_innermost && r == p->innermost))
            continue;
        rest *= mapping->factor[r][loop];
        mapping->factor[r][loop] = 1;
        rows[n++] = r;
    }
    while (rest > 1) {
        int64_t prime = checked_prime(rest);
        mapping->factor[rows[checked_draw(c, n)]][loop] *= prime;
        rest /= prime;
    }
}

static void shuffle(struct checked *c, int8_t *order)
{
    for (int k = c->problem->n_loops - 1; k > 0; k--) {
        int other = checked_draw(c, k + 1);
        int8_t swap = order[k];
        order[k] = order[other];
        order[other] = swap;
    }
}

void checked_complete(struct checked *c, int end, struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    bool any_tile = p->imperfect && end > p->innermost;

    for (int i = 0; i < p->n_loops; i++) {
        if (!any_tile || draw_tile(c, i, mapping))
            checked_spread(c, i, end, any_tile || (c->single >> i & 1), mapping);
    }
    for (int m = 0; m < p->n_memories; m++)
        shuffle(c, mapping->order[m]);
    for (int r = 0; r < p->n_rows && c->any_order; r++) {
        if (p->any_order >> r & 1)
            shuffle(c, mapping->along[r]);
    }
}

void checked_show(const struct checked *c, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;

    for (int r = 0; r < p->n_rows; r++) {
        print_message("  %s%s:", p->arch->levels[p->row[r].level].name,
                p->row[r].is_space ? " (parallel)" : "");
        for (int k = 0; k < p->n_loops; k++) {
            int i = p->row[r].is_space ? k : mapping->order[p->row[r].memory][k];
            if (mapping->factor[r][i] > 1)
                print_message(" %s %lld", p->loop_names[i], (long long)mapping->factor[r][i]);
        }
        print_message("\n");
    }
}

/* ---- what is known, and what it costs ---- */

const int64_t checked_ones[MAPPER_LOOPS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

void checked_know(struct checked *c, const struct mapper_mapping *mapping)
{
    struct mapper_shape shape;

    sator_mapper_shape_init(c->problem, mapping, &shape);
    sator_mapper_crew_init(c->problem, &shape, 0, &c->crew);
    sator_mapper_bounds_given(c->bounds)->crew = &c->crew;
}

int checked_row(const struct checked *c, int m)
{
    return m == c->problem->n_memories ? c->problem->n_rows : c->problem->memory[m].row;
}

/* Past the last digit stands one that an earlier unrolling left: nothing may look at it. */
static void leave_digit(const struct mapper_problem *p, struct mapper_shape *shape)
{
    struct mapper_digit *left = &shape->digit[shape->n_digits];

    *left = (struct mapper_digit){.row = 0, .count = 3};
    if (p->n_loops > 0)
        left->loop = shape->n_digits % p->n_loops;
    for (int r = 0; r < p->n_rows; r++) {
        if (p->row[r].is_space && (left->row == 0 || shape->n_digits % 2 == 0))
            left->row = r;
    }
}

void checked_shape(const struct checked *c, int end, const struct mapper_mapping *mapping,
        struct mapper_shape *shape, int64_t *outside)
{
    const struct mapper_problem *p = c->problem;
    struct mapper_mapping known = *mapping;

    for (int i = 0; i < p->n_loops; i++) {
        outside[i] = 1;
        for (int r = 0; r < end; r++) {
            if (p->row[r].is_space)
                continue;
            outside[i] *= mapping->factor[r][i];
            known.factor[r][i] = 1;
        }
    }
    sator_mapper_shape_init(p, &known, shape);
    shape->in_any_order = c->any_order;
    leave_digit(p, shape);
}

void checked_bound(struct checked *c, int child, int m, int known,
        const struct mapper_mapping *mapping, struct mapper_share *share)
{

    int row = checked_row(c, m);
    int64_t far[MAPPER_LOOPS];
    struct mapper_shape shape;

    checked_shape(c, row, mapping, &shape, far);
    sator_mapper_bounds_known(c->bounds, known);
    sator_mapper_bounds_given(c->bounds)->chosen = m;
    sator_mapper_bounds_share(
            c->bounds, child, &shape, m == child ? checked_ones : mapping->factor[row], far, share);
}

void checked_exact(const struct checked *c, uint32_t group, int known,
        const struct mapper_traffic *traffic, struct mapper_share *share)
{
    const struct mapper_problem *p = c->problem;

    *share = (struct mapper_share){0};
    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        if (!(group >> i & 1))
            continue;
        double unique = (double)traffic->unique[i], arriving = (double)traffic->arriving[i];
        share->pj += unique * t->unique_pj + arriving * t->arriving_pj +
                (t->is_counted ? traffic->extra_pj[i] : 0);
        if (p->lends && t->child < known)
            share->pj += c->crew.lent_pj[i] *
                    (arriving - (t->inward < 0 ? (double)p->access[t->access].volume : 0));
        if (p->lends && t->outward >= 0 && p->transfer[t->outward].child < known)
            share->pj -= c->crew.lent_pj[t->outward] * unique;
        for (int k = 0; k < t->n_flows; k++)
            share->bits[t->flow[k].port] +=
                    (t->flow[k].arriving ? arriving : unique) * t->flow[k].bits;
    }
}

struct mapper_share checked_fixed(const struct checked *c)
{
    struct mapper_share share = {.pj = c->problem->fixed_pj};

    memcpy(share.bits, c->crew.fixed_bits, sizeof share.bits);
    return share;
}

bool checked_exceeds(double bound, double exact)
{
    return bound > exact + 1e-9 * fabs(exact) + 1e-6;
}

/* ---- real layers ---- */

static const struct {
    const char *workload, *layer, *arch;
} layers[CHECKED_LAYERS] = {{"resnet18", "conv1", "conventional"},
        {"resnet18", "conv3_1", "simba-like"}, {"resnet18", "conv4_x", "eyeriss"},
        {"resnet18", "conv2_x", "five-level"},
        {"inception-v3", "mixed_6b_7x7_2_1x7", "conventional"},
        {"conv2d-weight-update", NULL, "conventional"}, {"conv2d-dilated", NULL, "five-level"},
        {"conv2d-grouped", NULL, "conventional"}, {"mttkrp", NULL, "conventional"},
        {"ttmc", NULL, "five-level"}, {"attention-qk", NULL, "simba-like"},
        {"resnet18", "conv5_x", "gemmini"}};

void checked_open_layer(struct checked_layer *c, size_t which)
{
    const struct sator_workload *layer;
    int number = 0;

    c->ctx = sator_ctx_new();
    c->arena = sator_arena_new();
    assert_int_equal(
            sator_network_load(c->ctx, layers[which].workload, NULL, &c->network), SATOR_OK);
    assert_int_equal(sator_arch_load(c->ctx, layers[which].arch, NULL, &c->arch), SATOR_OK);
    while (layers[which].layer != NULL &&
            strcmp(c->network->layers[number].name, layers[which].layer) != 0)
        assert_true(++number < c->network->n_layers);
    layer = &c->network->layers[number];
    assert_int_equal(sator_mapper_problem_init(
                             c->ctx, c->arena, layer, c->arch, SATOR_MAP_EDP, NULL, &c->problem),
            SATOR_OK);
}

void checked_close_layer(struct checked_layer *c)
{
    sator_network_free(c->network);
    sator_arch_free(c->arch);
    sator_arena_free(c->arena);
    sator_ctx_free(c->ctx);
}
