#include "base/text.h"
#include "simulate/machine.h"

#include "simulate/wiring.h"

#include <stdlib.h>
#include <string.h>

static const struct sator_loc nowhere;

void *machine_room(void *array, int64_t n, int64_t *room, size_t size)
{
    if (n <= *room)
        return array;
    *room = 2 * n + 16;
    return sator_realloc(array, (size_t)*room * size);
}

/* ---- elements ---- */

static int bits_of(uint64_t value)
{
    int bits = 0;

    while (bits < 64 && value >> bits != 0)
        bits++;
    return bits;
}

static enum sator_status too_large(struct machine *machine, const char *tensor)
{
    sator_error(machine->ctx, machine->question->workload->loc,
            "the elements of '%s' cannot be numbered with 62 bits", tensor);
    return SATOR_LIMIT;
}

/* Widen "least" and "most" to what "piece" may say. */
static bool widen(const struct sator_workload *workload, const int64_t *last,
        const struct sator_piece *piece, int n_dims, int64_t *least, int64_t *most)
{
    for (int d = 0; d < n_dims; d++) {
        int64_t low, high;
        if (!sator_expr_range(piece->out[d], workload->lower, last, &low, &high))
            return false;
        least[d] = low < least[d] ? low : least[d];
        most[d] = high > most[d] ? high : most[d];
    }
    return true;
}

/* One numbering for all accesses of a tensor. */
static enum sator_status number(
        struct machine *machine, const char *tensor, struct numbering *numbering)
{
    const struct sator_workload *w = machine->question->workload;
    int64_t *last = SATOR_NEW_ARRAY(machine->arena, int64_t, w->n_loops + 1);
    int64_t *least = NULL, *most = NULL;
    int *shift, *width, n_dims = 0, bits = 0;

    for (int l = 0; l < w->n_loops; l++)
        last[l] = w->upper[l] - 1;
    for (int a = 0; a < w->n_accesses; a++) {
        const struct sator_relation *relation = w->accesses[a].relation;
        if (strcmp(w->accesses[a].tensor, tensor) != 0)
            continue;
        if (least == NULL) {
            n_dims = relation->n_out;
            least = SATOR_NEW_ARRAY(machine->arena, int64_t, n_dims + 1);
            most = SATOR_NEW_ARRAY(machine->arena, int64_t, n_dims + 1);
            for (int d = 0; d < n_dims; d++) {
                least[d] = INT64_MAX;
                most[d] = INT64_MIN;
            }
        }
        for (int p = 0; p < relation->n_pieces; p++) {
            if (relation->n_out != n_dims ||
                    !widen(w, last, &relation->pieces[p], n_dims, least, most))
                return too_large(machine, tensor);
        }
    }
    shift = SATOR_NEW_ARRAY(machine->arena, int, n_dims + 1);
    width = SATOR_NEW_ARRAY(machine->arena, int, n_dims + 1);
    for (int d = n_dims - 1; d >= 0; d--) {
        width[d] = bits_of((uint64_t)most[d] - (uint64_t)least[d]);
        shift[d] = bits;
        bits += width[d];
        if (bits > 62)
            return too_large(machine, tensor);
    }
    *numbering = (struct numbering){n_dims, least, shift, width};
    return SATOR_OK;
}

/* Whether "piece" of a read is the old value of what the same instance writes: no operand. */
static bool is_update(
        const struct sator_workload *w, const char *tensor, const struct sator_piece *piece)
{
    for (int a = 0; a < w->n_accesses; a++) {
        const struct sator_relation *relation = w->accesses[a].relation;
        if (w->accesses[a].role != SATOR_WRITE || strcmp(w->accesses[a].tensor, tensor) != 0)
            continue;
        for (int p = 0; p < relation->n_pieces; p++) {
            bool same = true;
            for (int d = 0; d < relation->n_out; d++)
                same &= sator_expr_equal(relation->pieces[p].out[d], piece->out[d]);
            if (same)
                return true;
        }
    }
    return false;
}

static enum sator_status add_touches(struct machine *machine, struct access_way *way)
{
    const struct sator_relation *relation = way->access->relation;

    way->first_touch = machine->n_touches;
    way->n_touches = relation->n_pieces;
    way->is_update = SATOR_NEW_ARRAY(machine->arena, bool, relation->n_pieces + 1);
    for (int p = 0; p < relation->n_pieces; p++) {
        const struct sator_piece *piece = &relation->pieces[p];
        if (piece->n_free > 0 || sator_cond_has_exists(piece->cond)) {
            sator_error(machine->ctx, piece->loc,
                    "the elements of '%s' are given by conditions that have to be solved",
                    way->access->tensor);
            sator_help(machine->ctx, "an execution needs them as expressions of the loops");
            return SATOR_DECLINED;
        }
        if (machine->n_touches == WALK_TOUCHES) {
            sator_error(machine->ctx, piece->loc, "an execution follows %d accesses, not more",
                    WALK_TOUCHES);
            return SATOR_LIMIT;
        }
        machine->touches[machine->n_touches++] = (struct touch){piece, way->numbering};
        way->is_update[p] = way->access->role == SATOR_READ &&
                is_update(machine->question->workload, way->access->tensor, piece);
    }
    return SATOR_OK;
}

static uint64_t salt_of(const char *tensor)
{
    uint64_t salt = UINT64_C(0xcbf29ce484222325);

    while (*tensor != '\0')
        salt = (salt ^ (unsigned char)*tensor++) * UINT64_C(0x100000001b3);
    return salt;
}

/* The number of another access with the same tensor, or -1. */
static int same_tensor(const struct machine *machine, int access)
{
    const struct sator_workload *w = machine->question->workload;

    for (int a = 0; a < access; a++) {
        if (strcmp(w->accesses[a].tensor, w->accesses[access].tensor) == 0)
            return a;
    }
    return -1;
}

/* ---- holders ---- */

static bool is_bypassed(const struct machine *machine, const char *level, const char *tensor)
{
    const struct sator_bound_dataflow *dataflow = machine->question->dataflow;

    for (int c = 0; c < dataflow->n_cuts; c++) {
        const struct sator_cut *cut = &dataflow->cuts[c];
        if (strcmp(cut->level, level) == 0 && sator_lists(tensor, cut->n_bypass, cut->bypass))
            return true;
    }
    return false;
}

static bool holds(
        const struct machine *machine, const struct sator_level *level, const char *tensor)
{
    const struct sator_memory *memory = &level->memory;

    return level->kind == SATOR_LEVEL_MEMORY && sator_memory_holds(memory, tensor) &&
            !is_bypassed(machine, level->name, tensor);
}

static struct holder *add_holder(
        struct machine *machine, struct access_way *way, int level, int n_time, int n_space)
{
    struct holder *holder = &way->holders[way->n_holders];
    const struct sator_workload *workload = machine->question->workload;
    const struct sator_relation *time = machine->question->dataflow->time;

    *holder = (struct holder){.access = (int)(way - machine->ways),
            .level = level,
            .n_time = n_time,
            .n_space = n_space,
            .n_instances = 1,
            .below = 1,
            .parent = way->n_holders > 0 ? holder - 1 : NULL,
            .is_write = way->access->role == SATOR_WRITE,
            .is_loaded = way->n_holders == 1 && level >= 0 && n_space == 0 &&
                    sator_time_reach(machine->arena, workload, time, 0) >= n_time,
            .is_stamp = sator_time_reach(machine->arena, workload, time, n_time) == machine->n_time,
            .holds_idle = level >= 0 && n_space > 0 &&
                    machine->question->arch->levels[level].memory.holds_idle,
            .longest = 1};
    for (int d = 0; d < n_space; d++)
        holder->n_instances *= machine->shape[d];
    if (holder->parent != NULL)
        holder->below = holder->n_instances / holder->parent->n_instances;
    way->n_holders++;
    return holder;
}

static enum sator_status no_room(struct machine *machine, const struct holder *holder)
{
    const char *name =
            holder->level < 0 ? "the PEs" : machine->question->arch->levels[holder->level].name;

    sator_error(machine->ctx, nowhere, "what %s hold of '%s' does not fit into memory", name,
            machine->ways[holder->access].access->tensor);
    return SATOR_LIMIT;
}

static enum sator_status finish_holder(struct machine *machine, struct holder *holder)
{
    enum sator_status st = SATOR_OK;
    int n_planes = 1;

    if (holder->parent != NULL) {
        SATOR_TRY(wiring_make(machine, holder));
        holder->ahead = holder->is_write ? holder->longest - 1 : 0;
        n_planes = holder->longest + 1 + holder->ahead;
        holder->coming = SATOR_NEW_ARRAY(machine->arena, struct pairs, holder->ahead + 1);
        holder->outer = SATOR_NEW_ARRAY(machine->arena, int64_t, n_planes);
    }
    if (holder->holds_idle && holder->ahead > 0) {
        sator_error(machine->ctx, machine->question->arch->levels[holder->level].loc,
                "sums that idle PEs hold ('holds: idle' of '%s') beside links of interval 2 or "
                "more are not executed yet",
                machine->question->arch->levels[holder->level].name);
        return SATOR_DECLINED;
    }
    if (holder->holds_idle) {
        size_t size = sizeof *holder->active * (size_t)holder->n_instances;
        holder->active = sator_alloc(size);
        memset(holder->active, 0, size);
    }
    if (!table_init(&holder->table, holder->n_instances, n_planes))
        return no_room(machine, holder);
    holder->stamp = holder->parent == NULL ? 0 : holder->longest; /* no link looks below 0 */
    holder->looked_at = holder->stamp;
    if (holder->parent != NULL && (holder->n_time < machine->n_time || holder->ahead > 0)) {
        const struct access_way *way = &machine->ways[holder->access];
        struct walk_question question = {.workload = machine->question->workload,
                .space = machine->question->dataflow->space,
                .time = machine->question->dataflow->time,
                .shape = machine->shape,
                .n_time = holder->n_time,
                .n_space = holder->n_space,
                .n_touches = way->n_touches,
                .touches = machine->touches + way->first_touch};
        SATOR_TRY(walk_new(machine->ctx, &question, &holder->walk));
    }
done:
    return st;
}

static enum sator_status add_holders(struct machine *machine, struct access_way *way)
{
    const struct sator_arch *arch = machine->question->arch;
    int space = 0;
    enum sator_status st = SATOR_OK;

    way->holders = SATOR_NEW_ARRAY(machine->arena, struct holder, arch->n_levels + 2);
    way->inner = add_holder(machine, way, -1, 0, 0);
    for (int l = 0; l < arch->n_levels; l++) {
        const struct sator_level *level = &arch->levels[l];
        space += level->kind == SATOR_LEVEL_ARRAY ? level->array.n_dims : 0;
        if (holds(machine, level, way->access->tensor))
            way->inner = add_holder(machine, way, l, machine->question->time_cuts[l], space);
    }
    way->is_own = way->n_holders > 1 && way->inner->n_space == machine->n_space;
    if (!way->is_own)
        way->inner = add_holder(machine, way, -1, machine->n_time, machine->n_space);
    for (int h = 0; h < way->n_holders; h++)
        SATOR_TRY(finish_holder(machine, &way->holders[h]));
done:
    return st;
}

static enum sator_status add_way(struct machine *machine, int access)
{
    const struct sator_workload *w = machine->question->workload;
    struct access_way *way = &machine->ways[access];
    int same = same_tensor(machine, access);
    enum sator_status st;

    way->access = &w->accesses[access];
    way->salt = salt_of(way->access->tensor);
    machine->n_accesses++;
    if (same >= 0) {
        way->numbering = machine->ways[same].numbering;
    } else {
        way->numbering = SATOR_NEW(machine->arena, struct numbering);
        SATOR_TRY(number(machine, way->access->tensor, way->numbering));
    }
    if (same >= 0 && machine->ways[same].access->role != way->access->role) {
        struct table *current = &machine->currents[machine->n_currents++];
        if (!table_init(current, 1, 1))
            return no_room(machine, &way->holders[0]);
        way->current = machine->ways[same].current = current;
        way->in_place = machine->ways[same].in_place = true;
    }
    SATOR_TRY(add_touches(machine, way));
    SATOR_TRY(add_holders(machine, way));
done:
    return st;
}

enum sator_status machine_make(struct machine *machine)
{
    const struct simulate_question *question = machine->question;
    int n_accesses = question->workload->n_accesses;
    enum sator_status st = SATOR_OK;

    machine->n_space = sator_arch_space_dims(question->arch);
    machine->n_time = question->dataflow->time->n_out;
    machine->shape = SATOR_NEW_ARRAY(machine->arena, int64_t, machine->n_space + 1);
    sator_arch_shape(question->arch, machine->shape);
    machine->n_pes = 1;
    for (int d = 0; d < machine->n_space; d++)
        machine->n_pes *= machine->shape[d];
    machine->ways = SATOR_NEW_ARRAY(machine->arena, struct access_way, n_accesses + 1);
    machine->currents = SATOR_NEW_ARRAY(machine->arena, struct table, n_accesses + 1);
    for (int a = 0; a < n_accesses; a++)
        SATOR_TRY(add_way(machine, a));
done:
    return st;
}

static void holder_clear(struct holder *holder)
{
    for (int l = 0; l < holder->n_links; l++) {
        free(holder->links[l].first);
        free(holder->links[l].providers);
        free(holder->links[l].wires);
        free(holder->links[l].singles);
    }
    for (int b = 0; b < holder->n_buses; b++)
        free(holder->buses[b].bus_of);
    table_clear(&holder->table);
    table_clear(&holder->groups);
    free(holder->now.all);
    free(holder->before.all);
    free(holder->active);
    for (int i = 0; i <= holder->ahead && holder->coming != NULL; i++)
        free(holder->coming[i].all);
    free(holder->fetched);
    free(holder->from_wire);
    free(holder->standing);
    free(holder->chains);
    walk_free(holder->walk);
}

void machine_clear(struct machine *machine)
{
    for (int a = 0; a < machine->n_accesses; a++)
        for (int h = 0; h < machine->ways[a].n_holders; h++)
            holder_clear(&machine->ways[a].holders[h]);
    for (int c = 0; c < machine->n_currents; c++)
        table_clear(&machine->currents[c]);
}
