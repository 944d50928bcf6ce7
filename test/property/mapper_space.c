/* The mapper's space: its size against an enumeration of factors and orders, under random
 * constraints; and texts that may or may not be constraints.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "property/mapper_case.h"

#include "mapper/search/search.h"

/* ---- the size of the space ---- */

static struct mapper_mapping enumerated;

/* The factor assignments from row "row", loop "loop" on, one by one. */
static double enumerate(
        const struct mapper_problem *p, int row, int loop, int64_t *left, int64_t used)
{
    double count = 0;

    if (row == p->n_rows) {
        for (int i = 0; i < p->n_loops; i++)
            count += left[i] > 1;
        return count == 0 && sator_mapper_is_allowed(p, &enumerated);
    }
    const struct mapper_row *what = &p->row[row];
    if (loop == p->n_loops)
        return enumerate(p, row + 1, 0, left, 1);
    int64_t whole = left[loop];
    for (int64_t d = 1; d <= whole; d++) {
        if (whole % d != 0 || (what->is_space && used * d > what->shape))
            continue;
        left[loop] = whole / d;
        enumerated.factor[row][loop] = d;
        count += enumerate(p, row, loop + 1, left, used * d);
    }
    left[loop] = whole;
    return count;
}

/* The orders of all loops at memory "m" that constraints leave, one by one. */
static double enumerate_orders(const struct mapper_problem *p, int m, int placed, int8_t *order)
{
    struct mapper_mapping mapping;
    double count = 0;

    if (placed == p->n_loops) {
        sator_mapper_mapping_init(p, &mapping);
        for (int k = 0; k < MAPPER_MEMORIES; k++)
            memcpy(mapping.order[k], order, sizeof mapping.order[k]);
        for (int i = 0; i < p->n_loops; i++)
            mapping.factor[p->memory[m].row][i] = 2;
        return is_in_order(p, &mapping);
    }
    for (int i = 0; i < p->n_loops; i++) {
        if (memchr(order, i, (size_t)placed) != NULL)
            continue;
        order[placed] = (int8_t)i;
        count += enumerate_orders(p, m, placed + 1, order);
    }
    return count;
}

static void add_constraints(
        struct mapper_problem *p, struct sator_ctx *ctx, struct machines_rng *rng)
{
    char text[128];

    for (uint64_t n = machines_draw(rng, 3); n > 0 && p->n_loops > 1; n--) {
        struct mapper_problem before = *p;
        const struct mapper_row *row = &p->row[machines_draw(rng, (uint64_t)p->n_rows)];
        const char *level = p->arch->levels[row->level].name;
        int loop = (int)machines_draw(rng, (uint64_t)p->n_loops);
        const char *a = p->loop_names[loop], *b = p->loop_names[(loop + 1) % p->n_loops];
        static const char *const signs[] = {"", "", "<= ", ">= "};
        const char *sign = signs[machines_draw(rng, 4)];
        int factor = 1 + (int)machines_draw(rng, 3);
        if (row->is_space && machines_draw(rng, 2) == 0)
            snprintf(text, sizeof text, "%s: only %s", level, a);
        else if (row->is_space && machines_draw(rng, 2) == 0)
            snprintf(text, sizeof text, "%s: %s %s%d -> %d", level, a, sign, factor, row->dim);
        else if (row->is_space || machines_draw(rng, 2) == 0)
            snprintf(text, sizeof text, "%s: %s %s%d", level, a, sign, factor);
        else
            snprintf(text, sizeof text, "%s: order %s ... %s", level, a, b);
        if (sator_mapper_constrain(ctx, p, text) != SATOR_OK)
            *p = before;
    }
    if (machines_draw(rng, 4) == 0)
        sator_mapper_constrain(ctx, p, "utilization 0.3");
}

static void test_space_size(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    int compared = 0, constrained = 0;

    while (compared < 300) {
        struct problem_case c;
        struct machines_options options = {
                .most_extent = 4 + (int)machines_draw(&rng, 9), .most_memories = 3};
        int8_t order[MAPPER_LOOPS];
        int64_t left[MAPPER_LOOPS];
        if (open_case(&c, &rng, &options) && c.problem.n_loops <= 5) {
            add_constraints(&c.problem, c.ctx, &rng);
            memcpy(left, c.problem.extent, sizeof left);
            double size = enumerate(&c.problem, 0, 0, left, 1);
            for (int m = 0; m < c.problem.n_memories; m++) {
                if (sator_mapper_order_matters(&c.problem, m))
                    size *= enumerate_orders(&c.problem, m, 0, order);
            }
            if (sator_mapper_count_space(&c.problem) != size)
                print_message("%s%scounted %.17g, enumerated %.17g\n", c.workload_text, c.arch_text,
                        sator_mapper_count_space(&c.problem), size);
            assert_true(sator_mapper_count_space(&c.problem) == size);
            constrained += c.problem.has_orders || c.problem.has_fixed;
            compared++;
        }
        close_case(&c);
    }
    assert_true(constrained > 50);
}

/* ---- constraints that are none ---- */

/* Random words are a constraint or get a message, and never leave an order that cannot be had. */
static void test_constraint_texts(void **state)
{
    (void)state;
    static const char *const words[] = {"L1", "L2", "PE", "DRAM", ":", ": order", "order", "...",
            "only", "<=", ">=", "->", "utilization", "0.5", "1e999", "8", "-1",
            "99999999999999999999", ",", " ", "i", "j", "k", "x", "n", "c", "\t", "'", "%s", "."};
    struct machines_rng rng = {seed()};
    struct machines_options options = {.most_extent = 9, .most_memories = 3};
    int fine = 0, refused = 0;

    for (int n = 0; n < 300; n++) {
        struct problem_case c;
        bool opened = open_case(&c, &rng, &options);
        for (int k = 0; k < 30 && opened; k++) {
            static const char *const starts[] = {"", "", "DRAM: order ", "DRAM: ", "PE: only "};
            char text[256];
            size_t length =
                    (size_t)snprintf(text, sizeof text, "%s", starts[machines_draw(&rng, 5)]);
            for (uint64_t left = machines_draw(&rng, 8); left > 0; left--)
                length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                        words[machines_draw(&rng, sizeof words / sizeof *words)],
                        machines_draw(&rng, 3) ? " " : "");
            int errors = sator_ctx_error_count(c.ctx);
            struct mapper_problem before = c.problem;
            bool is_one = sator_mapper_constrain(c.ctx, &c.problem, text) == SATOR_OK;
            assert_true(is_one == (sator_ctx_error_count(c.ctx) == errors));
            *(is_one ? &fine : &refused) += 1;
            if (!is_one)
                c.problem = before;
            free(sator_ctx_take_messages(c.ctx, false));
        }
        for (int m = 0; m < c.problem.n_memories && opened; m++) { /* some loop is innermost */
            unsigned all = (1U << c.problem.n_loops) - 1;
            int row = c.problem.memory[m].row;
            assert_true(sator_mapper_innermost_of(&c.problem, row, all) != 0 || all == 0);
        }
        close_case(&c);
    }
    assert_true(fine > 100 && refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_space_size),
            cmocka_unit_test(test_constraint_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
