/* What the PEs compute, and what the loop nest says that it is.
 *
 * Every operation is executed as the sum of products that an einsum is, in integers modulo 2^64: a
 * workload does not keep the operation of a C statement. Inputs are odd numbers made from their
 * element, so that no product of them is 0 or mistaken for another.
 */
#include "simulate/run.h"

#include <stdlib.h>
#include <string.h>

/* ---- the machine ---- */

/* Whether an earlier piece of the access touches the same element in instance "i". */
static bool is_repeated(const struct walk_part *part, const struct access_way *way, int t, int64_t i)
{
    for (int u = way->first_touch; u < t; u++) {
        if (part->elements[u][i] == part->elements[t][i] &&
                (part->holds[u] == NULL || part->holds[u][i]))
            return true;
    }
    return false;
}

static void miss(struct run *run, const struct access_way *way, int64_t place, uint64_t element)
{
    run_differ(run, way->inner, place, NULL, "%s is used and is not there",
            run_element(run, (int)(way - run->machine.ways), element));
}

static void read_touch(struct run *run, const struct access_way *way, int t,
        const struct walk_part *part)
{
    struct holder *inner = way->inner;
    const bool *holds = part->holds[t];
    bool is_operand = !way->is_update[t - way->first_touch], is_own = way->is_own;
    bool may_repeat = t > way->first_touch;

    for (int64_t i = 0; i < part->n; i++) {
        uint64_t element = part->elements[t][i];
        if ((holds != NULL && !holds[i]) || (may_repeat && is_repeated(part, way, t, i)))
            continue;
        const struct word *word =
                table_find(&inner->table, part->place[i], element, inner->stamp);
        if (word == NULL || !word->present) {
            miss(run, way, part->place[i], element);
            continue;
        }
        if (is_own) {
            inner->reads++;
            use_port(&inner->operand_reads, part->place[i]);
        }
        if (!is_operand)
            continue;
        int64_t value = word->value;
        if (way->in_place) {
            const struct word *current = table_find(way->current, 0, element, 0);
            value = current == NULL ? machine_value(way->salt, element) : current->value;
        }
        run->products[i] *= (uint64_t)value;
    }
}

static void add_current(struct run *run, const struct access_way *way, uint64_t element,
        uint64_t product)
{
    bool is_new = false;
    struct word *word = table_put(way->current, 0, element, 0, &is_new);

    if (word == NULL) {
        run->has_room = false;
        return;
    }
    if (is_new)
        word->value = machine_value(way->salt, element);
    word->value = (int64_t)((uint64_t)word->value + product);
}

/* Values of tensors in place change when the whole stamp has read. */
static void write_currents(struct run *run)
{
    for (int64_t i = 0; i < run->n_later; i++)
        add_current(run, run->later[i].way, run->later[i].element, run->later[i].product);
    run->n_later = 0;
}

static void write_later(
        struct run *run, const struct access_way *way, uint64_t element, uint64_t product)
{
    run->later = machine_room(run->later, run->n_later + 1, &run->later_room, sizeof *run->later);
    run->later[run->n_later++] = (struct later){way, element, product};
}

static void write_touch(struct run *run, const struct access_way *way, int t,
        const struct walk_part *part)
{
    struct holder *inner = way->inner;
    const bool *holds = part->holds[t];
    bool is_own = way->is_own, may_repeat = t > way->first_touch;

    for (int64_t i = 0; i < part->n; i++) {
        uint64_t element = part->elements[t][i];
        if ((holds != NULL && !holds[i]) || (may_repeat && is_repeated(part, way, t, i)))
            continue;
        struct word *word = table_find(&inner->table, part->place[i], element, inner->stamp);
        if (word == NULL || !word->present) {
            miss(run, way, part->place[i], element);
            continue;
        }
        if (is_own) {
            if (!word->untouched) {
                inner->reads++;
                use_port(&inner->operand_reads, part->place[i]);
            }
            inner->updates++;
            use_port(&inner->operand_writes, part->place[i]);
        }
        word->untouched = false;
        word->value = (int64_t)((uint64_t)word->value + run->products[i]);
        if (way->in_place)
            write_later(run, way, element, run->products[i]);
    }
}

static void count_per_pe(struct run *run, const struct walk_part *part)
{
    for (int64_t i = 0; i < part->n; i++) {
        int64_t place = part->place[i];
        if (run->per_pe_stamp[place] != run->stamps) {
            run->per_pe_stamp[place] = run->stamps;
            run->per_pe[place] = 0;
        }
        if (++run->per_pe[place] > run->most_per_pe)
            run->most_per_pe = run->per_pe[place];
    }
}

static void compute_part(struct run *run, const struct walk_part *part)
{
    const struct machine *machine = &run->machine;

    run->products =
            machine_room(run->products, part->n, &run->part_room, sizeof *run->products);
    for (int64_t i = 0; i < part->n; i++)
        run->products[i] = 1;
    for (int a = 0; a < machine->n_accesses; a++) {
        const struct access_way *way = &machine->ways[a];
        bool is_read = way->access->role == SATOR_READ;
        for (int t = way->first_touch; t < way->first_touch + way->n_touches; t++) {
            if (is_read)
                read_touch(run, way, t, part);
            else
                write_touch(run, way, t, part);
        }
    }
}

void compute_stamp(struct run *run)
{
    struct walk_part part;

    run->most_per_pe = 0;
    walk_again(run->walk);
    while (walk_more(run->walk, &part)) {
        compute_part(run, &part);
        count_per_pe(run, &part);
        run->instances += part.n;
    }
    write_currents(run);
}

/* ---- the loop nest ---- */

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

static enum sator_status nest_run(struct nest *nest)
{
    const struct sator_workload *w = nest->run->question->workload;
    int64_t *point = sator_alloc(sizeof *point * (size_t)(w->n_loops + 1)), visited = 0;
    enum sator_status st = SATOR_OK;
    int l = w->n_loops;

    memcpy(point, w->lower, sizeof *point * (size_t)w->n_loops);
    while (l >= 0 && st == SATOR_OK) {
        bool inside = w->is_box;
        for (int p = 0; p < w->domain->n_pieces && !inside; p++) {
            bool holds = false;
            inside = sator_cond_holds(w->domain->pieces[p].cond, point, &holds) && holds;
        }
        if (inside)
            nest_instance(nest, point);
        for (l = w->n_loops - 1; l >= 0 && ++point[l] == w->upper[l]; l--)
            point[l] = w->lower[l];
        if ((++visited & 0xffff) == 0 && sator_work(nest->run->ctx, 1) == SATOR_INTERRUPTED)
            st = SATOR_INTERRUPTED;
    }
    free(point);
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

enum sator_status compute_compare(struct run *run)
{
    const struct machine *machine = &run->machine;
    struct nest nest = {run,
            SATOR_NEW_ARRAY(run->arena, struct table, machine->n_accesses + 1),
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
