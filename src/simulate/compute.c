/* What the PEs compute.
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
static bool is_repeated(
        const struct walk_part *part, const struct access_way *way, int t, int64_t i)
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

/* The product of each instance's operands, by one more. */
static void read_touch(
        struct run *run, const struct access_way *way, int t, const struct walk_part *part)
{
    struct holder *inner = way->inner;
    const struct view view = view_of(&inner->table, inner->stamp);
    const bool *const holds = part->holds[t];
    const int64_t *const places = part->place;
    const uint64_t *const elements = part->elements[t];
    const bool is_operand = !way->is_update[t - way->first_touch], in_place = way->in_place;
    const bool may_repeat = t > way->first_touch, uses = inner->operand_reads.words != NULL;
    uint64_t *const products = run->products;
    int64_t reads = 0;

    for (int64_t i = 0; i < part->n; i++) {
        const uint64_t element = elements[i];
        if ((holds != NULL && !holds[i]) || (may_repeat && is_repeated(part, way, t, i)))
            continue;
        const struct word *word = view_find(&view, places[i], element, view_slot(&view, element));
        if (word == NULL || !word->present) {
            miss(run, way, places[i], element);
            continue;
        }
        reads++;
        if (uses)
            use_port(&inner->operand_reads, places[i]);
        if (!is_operand)
            continue;
        int64_t value = word->value;
        if (in_place) {
            const struct word *current = table_find(way->current, 0, element, 0);
            value = current == NULL ? machine_value(way->salt, element) : current->value;
        }
        products[i] *= (uint64_t)value;
    }
    inner->reads += way->is_own ? reads : 0;
}

static void add_current(
        struct run *run, const struct access_way *way, uint64_t element, uint64_t product)
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

static void write_touch(
        struct run *run, const struct access_way *way, int t, const struct walk_part *part)
{
    struct holder *inner = way->inner;
    const struct view view = view_of(&inner->table, inner->stamp);
    const bool *const holds = part->holds[t];
    const int64_t *const places = part->place;
    const uint64_t *const elements = part->elements[t];
    const bool may_repeat = t > way->first_touch, in_place = way->in_place;
    const bool uses_reads = inner->operand_reads.words != NULL;
    const bool uses_writes = inner->operand_writes.words != NULL;
    const uint64_t *const products = run->products;
    int64_t reads = 0, updates = 0;

    for (int64_t i = 0; i < part->n; i++) {
        const uint64_t element = elements[i];
        if ((holds != NULL && !holds[i]) || (may_repeat && is_repeated(part, way, t, i)))
            continue;
        struct word *word = view_find(&view, places[i], element, view_slot(&view, element));
        if (word == NULL || !word->present) {
            miss(run, way, places[i], element);
            continue;
        }
        reads += !word->untouched;
        updates++;
        if (uses_reads && !word->untouched)
            use_port(&inner->operand_reads, places[i]);
        if (uses_writes)
            use_port(&inner->operand_writes, places[i]);
        word->untouched = false;
        word->value = (int64_t)((uint64_t)word->value + products[i]);
        if (in_place)
            write_later(run, way, element, products[i]);
    }
    inner->reads += way->is_own ? reads : 0;
    inner->updates += way->is_own ? updates : 0;
}

static void count_per_pe(struct run *run, const struct walk_part *part)
{
    for (int64_t i = 0; i < part->n; i++) {
        int64_t place = part->place[i];
        if (run->per_pe_stamp[place] != run->stamps) {
            run->per_pe_stamp[place] = run->stamps;
            run->per_pe[place] = 0;
            run->active[run->n_active++] = place;
        }
        if (++run->per_pe[place] > run->most_per_pe)
            run->most_per_pe = run->per_pe[place];
    }
}

static void compute_part(struct run *run, const struct walk_part *part)
{
    const struct machine *machine = &run->machine;

    run->products = machine_room(run->products, part->n, &run->part_room, sizeof *run->products);
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

    run->most_per_pe = run->n_active = 0;
    walk_again(run->walk);
    while (walk_more(run->walk, &part)) {
        compute_part(run, &part);
        count_per_pe(run, &part);
        run->instances += part.n;
        if (sator_work(run->ctx, 1) == SATOR_INTERRUPTED) /* the run ends after this stamp */
            break;
    }
    write_currents(run);
}
