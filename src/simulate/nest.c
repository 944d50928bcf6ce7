/* The loop nest in order: what the outputs must be.
 *
 * Nothing of the dataflow and nothing of the machine is asked here. Where elements are sums of
 * loops, as nearly everywhere, they are stepped along the innermost loop.
 */
#include "simulate/run.h"

#include <stdlib.h>
#include <string.h>

/* What the elements of each access must become. */
struct nest {
    struct run *run;
    struct table *sums; /* of each access */
    struct table *currents; /* of each access in place: shared by its accesses through "current" */
};

static struct table *nest_current(const struct nest *nest, const struct access_way *way)
{
    return &nest->currents[way->current - nest->run->machine.currents];
}

static int64_t nest_value(const struct nest *nest, const struct access_way *way, uint64_t element)
{
    const struct word *word =
            way->in_place ? table_find(nest_current(nest, way), 0, element, 0) : NULL;

    return word == NULL ? machine_value(way->salt, element) : word->value;
}

static void nest_add(
        struct run *run, struct table *table, uint64_t element, int64_t start, uint64_t product)
{
    bool is_new = false;
    struct word *word = table_put(table, 0, element, 0, &is_new);

    if (word == NULL) {
        run->has_room = false;
        return;
    }
    if (is_new)
        word->value = start;
    word->value = (int64_t)((uint64_t)word->value + product);
}

/* The elements of access "way" at "point", each once, and whether each is an operand. */
static int elements_at(const struct run *run, const struct access_way *way, const int64_t *point,
        uint64_t *elements, bool *is_operand)
{
    int n = 0;

    for (int t = 0; t < way->n_touches; t++) {
        uint64_t element;
        bool known = false;
        if (!touch_element(&run->machine.touches[way->first_touch + t], point, &element))
            continue;
        for (int i = 0; i < n; i++)
            known |= elements[i] == element;
        if (known)
            continue;
        is_operand[n] = !way->is_update[t];
        elements[n++] = element;
    }
    return n;
}

static void nest_instance(struct nest *nest, const int64_t *point)
{
    struct run *run = nest->run;
    const struct machine *machine = &run->machine;
    uint64_t product = 1, elements[WALK_TOUCHES];
    bool is_operand[WALK_TOUCHES];

    for (int a = 0; a < machine->n_accesses; a++) {
        const struct access_way *way = &machine->ways[a];
        if (way->access->role != SATOR_READ)
            continue;
        int n = elements_at(run, way, point, elements, is_operand);
        for (int i = 0; i < n; i++)
            product *= is_operand[i] ? (uint64_t)nest_value(nest, way, elements[i]) : 1;
    }
    for (int a = 0; a < machine->n_accesses; a++) {
        const struct access_way *way = &machine->ways[a];
        if (way->access->role != SATOR_WRITE)
            continue;
        int n = elements_at(run, way, point, elements, is_operand);
        for (int i = 0; i < n; i++) {
            nest_add(run, &nest->sums[a], elements[i], 0, product);
            if (way->in_place)
                nest_add(run, nest_current(nest, way), elements[i],
                        machine_value(way->salt, elements[i]), product);
        }
    }
}

/* ---- elements that step evenly ---- */

/* An access of one element an instance, a sum of loops. */
struct even {
    const struct access_way *way;
    struct table *sums; /* of a write */
    uint64_t element; /* at the point at hand */
    uint64_t step; /* along the innermost loop */
    struct word *word; /* of a write: where the last sum is */
};

/* The factor of loop "l" in "expr"; false where it is no sum of loops. */
static bool factor_of(const struct sator_expr *expr, int l, int64_t *factor)
{
    *factor = 0;
    for (int i = 0; i < expr->n_terms; i++) {
        if (expr->terms[i].atom != SATOR_ATOM_VAR)
            return false;
        if (expr->terms[i].var == l)
            *factor = expr->terms[i].factor;
    }
    return true;
}

static bool make_even(const struct run *run, const struct access_way *way, struct even *even)
{
    const struct touch *touch = &run->machine.touches[way->first_touch];
    const struct numbering *numbering = touch->numbering;

    *even = (struct even){.way = way};
    if (way->n_touches != 1 || way->in_place || touch->piece->cond->op != SATOR_COND_TRUE)
        return false;
    for (int d = 0; d < numbering->n_dims; d++) {
        int64_t factor;
        if (!factor_of(touch->piece->out[d], run->question->workload->n_loops - 1, &factor))
            return false;
        even->step += (uint64_t)factor << numbering->shift[d];
    }
    return true;
}

/* All accesses as such, reads first; 0 where some are not, or the domain is no box. */
static int make_all_even(struct nest *nest, struct even *evens)
{
    const struct machine *machine = &nest->run->machine;
    int n = 0;

    if (!nest->run->question->workload->is_box || nest->run->question->workload->n_loops == 0)
        return 0;
    for (int writes = 0; writes < 2; writes++)
        for (int a = 0; a < machine->n_accesses; a++) {
            const struct access_way *way = &machine->ways[a];
            if ((way->access->role == SATOR_WRITE) != (writes == 1))
                continue;
            if (!make_even(nest->run, way, &evens[n]))
                return 0;
            evens[n++].sums = &nest->sums[a];
        }
    return n;
}

static void add_even(struct run *run, struct even *even, uint64_t product)
{
    if (even->word == NULL || even->word->element != even->element) {
        bool is_new;
        even->word = table_put(even->sums, 0, even->element, 0, &is_new);
        if (even->word == NULL) {
            run->has_room = false;
            return;
        }
    }
    even->word->value = (int64_t)((uint64_t)even->word->value + product);
}

/* The innermost loop, from "point" on. */
static void run_evenly(struct nest *nest, const int64_t *point, int n_evens, struct even *evens)
{
    const struct sator_workload *w = nest->run->question->workload;
    int l = w->n_loops - 1, n_reads = 0;

    for (int e = 0; e < n_evens; e++) {
        touch_element(
                &nest->run->machine.touches[evens[e].way->first_touch], point, &evens[e].element);
        n_reads += evens[e].way->access->role == SATOR_READ;
    }
    for (int64_t i = point[l]; i < w->upper[l]; i++) {
        uint64_t product = 1;
        for (int e = 0; e < n_reads; e++) {
            product *= (uint64_t)machine_value(evens[e].way->salt, evens[e].element);
            evens[e].element += evens[e].step;
        }
        for (int e = n_reads; e < n_evens; e++) {
            add_even(nest->run, &evens[e], product);
            evens[e].element += evens[e].step;
        }
    }
}

/* ---- the nest ---- */

static enum sator_status nest_run(struct nest *nest)
{
    const struct sator_workload *w = nest->run->question->workload;
    int64_t *point = sator_alloc(sizeof *point * (size_t)(w->n_loops + 1)), visited = 0;
    struct even *evens = sator_alloc(sizeof *evens * (size_t)(nest->run->machine.n_accesses + 1));
    int n_evens = make_all_even(nest, evens), l = w->n_loops;
    enum sator_status st = SATOR_OK;

    memcpy(point, w->lower, sizeof *point * (size_t)w->n_loops);
    while (l >= 0 && st == SATOR_OK) {
        bool inside = w->is_box;
        for (int p = 0; p < w->domain->n_pieces && !inside; p++) {
            bool holds = false;
            inside = sator_cond_holds(w->domain->pieces[p].cond, point, &holds) && holds;
        }
        if (n_evens > 0)
            run_evenly(nest, point, n_evens, evens);
        else if (inside)
            nest_instance(nest, point);
        if (n_evens > 0)
            point[w->n_loops - 1] = w->upper[w->n_loops - 1] - 1;
        for (l = w->n_loops - 1; l >= 0 && ++point[l] == w->upper[l]; l--)
            point[l] = w->lower[l];
        if ((++visited & 0xffff) == 0 && sator_work(nest->run->ctx, 1) == SATOR_INTERRUPTED)
            st = SATOR_INTERRUPTED;
    }
    free(point);
    free(evens);
    return st;
}

static void compare_sums(
        struct run *run, int access, const struct table *expected, const struct table *got)
{
    const struct holder *outside = &run->machine.ways[access].holders[0];

    for (int64_t i = 0; i < INT64_C(1) << expected->bits; i++) {
        const struct word *word = &expected->words[i];
        if (word->stamp != 0)
            continue;
        const struct word *found = table_find(got, 0, word->element, 0);
        if (found != NULL && found->value == word->value)
            continue;
        run->outcome->values_are_equal = false;
        run_differ(run, outside, -1, NULL, "%s is %lld after the run, and %lld by the loop nest",
                run_element(run, access, word->element),
                found == NULL ? 0LL : (long long)found->value, (long long)word->value);
    }
}

enum sator_status nest_compare(struct run *run)
{
    const struct machine *machine = &run->machine;
    struct nest nest = {run, SATOR_NEW_ARRAY(run->arena, struct table, machine->n_accesses + 1),
            SATOR_NEW_ARRAY(run->arena, struct table, machine->n_currents + 1)};
    enum sator_status st = SATOR_OK;

    for (int a = 0; a < machine->n_accesses; a++)
        run->has_room &= table_init(&nest.sums[a], 1, 1);
    for (int c = 0; c < machine->n_currents; c++)
        run->has_room &= table_init(&nest.currents[c], 1, 1);
    if (run->has_room)
        st = nest_run(&nest);
    run->outcome->values_are_equal = st == SATOR_OK;
    for (int a = 0; a < machine->n_accesses && st == SATOR_OK && run->has_room; a++) {
        const struct access_way *way = &machine->ways[a];
        if (way->access->role != SATOR_WRITE)
            continue;
        compare_sums(run, a, &nest.sums[a], &way->holders[0].table);
        if (way->in_place)
            compare_sums(run, a, nest_current(&nest, way), way->current);
    }
    for (int a = 0; a < machine->n_accesses; a++)
        table_clear(&nest.sums[a]);
    for (int c = 0; c < machine->n_currents; c++)
        table_clear(&nest.currents[c]);
    return st;
}
