/* The order that an operation in place must keep, as constraints on its mappings.
 *
 * Of two instances that must stay in order the loops differ by a vector whose first entry that is
 * not 0, at the loop that carries the dependence, is positive. Where nothing else is ever
 * different, any tiling keeps the order as long as all of that loop's tiles run one after the
 * other: they count the loop up. Where other loops differ too, the carrying loop stays whole at the
 * outermost memory, outside of these: it decides then, and they may be tiled and run in parallel at
 * will. Mappings that keep the order in other ways are no part of the space.
 */
#include "base/context.h"
#include "base/text.h"
#include "mapper/problem/mapping.h"
#include "model/order.h"

/* By loop of the workload: the others that may differ where it carries a dependence. */
struct carried {
    bool any;
    unsigned moved;
};

static void note_distance(
        struct carried *carried, const int64_t *distance, const struct sator_workload *workload)
{
    int carrier = 0;

    while (distance[carrier] == 0)
        carrier++;
    carried[carrier].any = true;
    for (int l = carrier + 1; l < workload->n_loops; l++)
        carried[carrier].moved |= distance[l] != 0 ? 1U << l : 0;
}

/* A conflict whose distances differ. */
static enum sator_status note_directions(struct sator_ctx *ctx, struct carried *carried,
        const struct order_conflict *conflict, const struct sator_workload *workload)
{
    struct sator_order_question question = {
            .domain = workload->domain, .write = conflict->write, .read = conflict->read};
    enum sator_status st = SATOR_OK;

    for (int k = 0; k < 2 * workload->n_loops; k++) {
        unsigned positive = 0, negative = 0;
        bool found = false;
        question.kind = k % 2 == 0 ? SATOR_ORDER_FLOW : SATOR_ORDER_ANTI;
        SATOR_TRY(sator_witness_directions(ctx, &question, k / 2, &found, &positive, &negative));
        carried[k / 2].any = carried[k / 2].any || found;
        carried[k / 2].moved |= positive | negative;
    }
done:
    return st;
}

/* The problem's loops of a set of the workload's. */
static unsigned loops_of(const struct mapper_problem *p, unsigned set)
{
    unsigned loops = 0;

    for (int i = 0; i < p->n_loops; i++)
        loops |= set >> p->loop_of[i] & 1 ? 1U << i : 0;
    return loops;
}

static void forbid_parallel(struct mapper_problem *p, int loop)
{
    p->ordered |= 1U << loop;
    for (int r = 0; r < p->n_rows; r++)
        p->row[r].banned |= p->row[r].is_space ? 1U << loop : 0;
}

static void keep_outermost(struct mapper_problem *p, int loop, unsigned inner)
{
    for (int m = 0; m < p->n_memories; m++)
        p->row[p->memory[m].row].fixed[loop] = m == 0 ? p->extent[loop] : 1;
    sator_mapper_put_outside(&p->row[p->memory[0].row], p->n_loops, 1U << loop, inner);
    p->has_fixed = p->has_orders = true;
}

static void add_names(const struct mapper_problem *p, unsigned loops, struct sator_text *text)
{
    for (int i = 0; i < p->n_loops; i++) {
        if (loops >> i & 1)
            sator_text_add(text, " %s", p->loop_names[i]);
    }
}

static void constrain(struct mapper_problem *p, const struct carried *carried)
{
    const char *outermost = p->arch->levels[p->memory[0].level].name;
    struct sator_text text = {0};
    unsigned tiled = 0;

    for (int i = 0; i < p->n_loops; i++) {
        unsigned inner = loops_of(p, carried[p->loop_of[i]].moved);
        if (!carried[p->loop_of[i]].any)
            continue;
        forbid_parallel(p, i);
        if (inner == 0) {
            tiled |= 1U << i;
            continue;
        }
        keep_outermost(p, i, inner);
        sator_text_add(&text, "%s%s whole at %s, outside", text.length == 0 ? "" : "; ",
                p->loop_names[i], outermost);
        add_names(p, inner, &text);
    }
    if (tiled != 0) {
        sator_text_add(&text, "%snot parallel:", text.length == 0 ? "" : "; ");
        add_names(p, tiled, &text);
    }
    p->order = text.data == NULL ? NULL : sator_arena_strdup(p->arena, text.data);
    sator_text_clear(&text);
}

enum sator_status sator_mapper_keep_order(struct sator_ctx *ctx, struct mapper_problem *problem)
{
    const struct sator_workload *workload = problem->workload;
    const struct sator_order *order;
    enum sator_status st;

    sator_work_begin(ctx);
    SATOR_TRY(sator_order_new(ctx, problem->arena, workload, &order));
    if (order == NULL)
        return SATOR_OK;
    struct carried *carried = SATOR_NEW_ARRAY(problem->arena, struct carried, workload->n_loops);
    for (int i = 0; i < order->n_conflicts; i++) {
        const struct order_conflict *conflict = &order->conflicts[i];
        if (conflict->distance == NULL)
            SATOR_TRY(note_directions(ctx, carried, conflict, workload));
        else
            note_distance(carried, conflict->distance, workload);
    }
    constrain(problem, carried);
done:
    if (st == SATOR_LIMIT)
        sator_error(ctx, workload->loc,
                "which orders of '%s' are legal was not decided within the work limit: it reads "
                "elements that other instances write",
                workload->name);
    return st;
}
