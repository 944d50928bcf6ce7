/* How a point moves the tensors, tensor by tensor, within a run of the innermost time dimension:
 *
 *   stationary   the PE uses the element again in the next stamp
 *   systolic     a link carries it to a neighbour, to be used there one interval later
 *   multicast,   a wire or a bus (a tree) joins PEs that use (update) it in the same stamp
 *   reduction
 *   unsupported  none of these
 *
 * A movement is a vector of changes: of the space digits by the link's offset o, of the innermost
 * time digit by delta, such that the time-stamp grows by the link's interval and the element stays
 * the same.
 *
 * Rule idle_skew (safe). A skew coefficient a of a space digit that no movement of any tensor makes
 * use of is never better than a = 0, all else equal, when links have interval 0 or 1 and a hop
 * costs no more than a scratchpad access: within a run the movements are the same, for they leave
 * that digit alone. Between runs, prev of a run's first stamp is the last stamp of the run before
 * it; the PEs active at these two are, skewed, a subset of those active with a = 0, with the same
 * elements. So no volume that crosses to the scratchpad grows when a becomes 0, no port of a memory
 * outside the array moves more, and the time-stamps, whose number is the run's length plus the
 * skew's, become fewer. Latency, energy and their product follow, under three conditions:
 *
 *   - no memory has a capacity, so that what it holds does not depend on the skew;
 *   - no memory inside the array has a bandwidth: whether its busiest instance can be found at all
 *     may depend on the skew;
 *   - sums that stay in PEs below a tree are not dearer than sums that leave. Where the g PEs of a
 *     tree keep their partial sums from one run to the next, each reads its own; where they do not,
 *     one word leaves and one comes back, and g - 1 PEs start from zero, which costs no read.
 *
 * (Other objectives may prefer idle stamps: callers switch the rule off.)
 *
 * Rules unsupported.F (not safe) are the paper's: every tensor has to move in a way that the array
 * supports.
 */
#include "explore/space.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ROWS = 8
};

/* One question: is there a movement of "access", and which digits does it change? */
struct search {
    const struct space *space;
    const struct space_point *point;
    const struct linear_access *access;
    const struct link_offset *link;
    int inner_loop; /* of the innermost time digit; -1: there is none */
    int64_t inner_step, inner_extent; /* of its loop for one step; its length */
    int64_t change[SPACE_MOST_DIGITS];
    uint32_t used; /* digits that a movement changes */
    bool found;
};

/* Whether the change of the loops, digits and "delta" of the inner digit together, leaves the
 * element as it is, from some piece of the access to some piece. */
static bool keeps_element(const struct search *s, int64_t delta)
{
    const struct linear_access *access = s->access;
    int n_loops = s->space->n_loops, n_index = access->n_index;

    for (int a = 0; a < access->n_pieces; a++) {
        for (int b = 0; b < access->n_pieces; b++) {
            bool same = true;
            for (int i = 0; i < n_index && same; i++) {
                const int64_t *row = &access->coefficients[(a * n_index + i) * n_loops];
                int64_t move =
                        access->constants[a * n_index + i] - access->constants[b * n_index + i];
                for (int d = 0; d < s->point->n_digits; d++)
                    move += row[s->point->digits[d].loop] * s->change[d];
                if (s->inner_loop >= 0)
                    move += row[s->inner_loop] * s->inner_step * delta;
                same = move == 0;
            }
            if (same)
                return true;
        }
    }
    return false;
}

static void try_change(struct search *s)
{
    int64_t delta = s->link->interval;

    for (int i = 0; i < s->point->n_digits && s->point->n_skewed > 0; i++)
        delta -= s->point->skew[0][i] * s->change[i];
    if (delta >= s->inner_extent || delta <= -s->inner_extent || !keeps_element(s, delta))
        return;
    s->found = true;
    for (int i = 0; i < s->point->n_digits; i++)
        s->used |= s->change[i] != 0 ? 1u << i : 0;
}

/* Choose changes of the digits below "i", those of its dimension adding up to "rest". */
static void choose_changes(struct search *s, int i, int dim, int64_t rest)
{
    if (i < 0 || s->point->digits[i].dim != dim) { /* the dimension is done */
        if (rest != 0)
            return;
        if (dim == 0)
            try_change(s);
        else
            choose_changes(s, i, dim - 1, s->link->offset[dim - 1]);
        return;
    }
    const struct space_digit *digit = &s->point->digits[i];
    if (digit->weight == 1) {
        if (rest >= digit->width || rest <= -digit->width)
            return;
        s->change[i] = rest;
        choose_changes(s, i - 1, dim, 0);
        return;
    }
    for (int64_t change = 1 - digit->width; change < digit->width; change++) {
        s->change[i] = change;
        choose_changes(s, i - 1, dim, rest - change * digit->weight);
    }
}

static void set_inner(const struct space *space, const struct space_point *point, struct search *s)
{
    s->inner_loop = point->n_time == 0 ? -1 : point->time[point->n_time - 1];
    s->inner_step = 1;
    s->inner_extent = 1;
    if (s->inner_loop < 0)
        return;
    s->inner_extent = space->extents[s->inner_loop];
    for (int i = 0; i < point->n_digits; i++) {
        if (point->digits[i].loop == s->inner_loop) {
            s->inner_step = point->digits[i].width;
            s->inner_extent = (s->inner_extent + s->inner_step - 1) / s->inner_step;
        }
    }
}

/* ---- buses ---- */

/* The rank of the columns (which it destroys) by Bareiss's elimination: all divisions are exact.
 * -1: a number does not fit. */
static int rank_of(sator_int (*columns)[MOST_ROWS], int n_columns, int n_rows)
{
    sator_int last_pivot = 1;
    int rank = 0;

    for (int row = 0; row < n_rows && rank < n_columns; row++) {
        int pivot = rank;
        while (pivot < n_columns && columns[pivot][row] == 0)
            pivot++;
        if (pivot == n_columns)
            continue;
        for (int r = 0; r < n_rows; r++) {
            sator_int swap = columns[pivot][r];
            columns[pivot][r] = columns[rank][r];
            columns[rank][r] = swap;
        }
        for (int c = rank + 1; c < n_columns; c++) {
            sator_int factor = columns[c][row], base = columns[rank][row];
            for (int r = 0; r < n_rows; r++) {
                sator_int a, b;
                if (!sator_mul(columns[c][r], base, &a) ||
                        !sator_mul(columns[rank][r], factor, &b) || !sator_sub(a, b, &a))
                    return -1;
                columns[c][r] = a / last_pivot;
            }
        }
        last_pivot = columns[rank][row];
        rank++;
    }
    return rank;
}

/* The element's change, index by index, for one step of digit "i" within one stamp. */
static void bus_column(const struct search *s, int i, sator_int *column)
{
    int n_loops = s->space->n_loops;
    int64_t skew = s->point->n_skewed > 0 ? s->point->skew[0][i] : 0;

    for (int r = 0; r < s->access->n_index; r++) {
        const int64_t *row = &s->access->coefficients[r * n_loops];
        column[r] = row[s->point->digits[i].loop];
        if (s->inner_loop >= 0)
            column[r] -= (sator_int)skew * s->inner_step * row[s->inner_loop];
    }
}

/* The digits whose change may join PEs of one bus with the same element: those whose column is a
 * combination of the other columns (a superset: ranges are not looked at). */
static uint32_t shared_by_bus(const struct search *s, const struct sator_bus *bus)
{
    uint32_t dims, shared = 0, all = (1u << s->point->n_digits) - 1;
    sator_int columns[SPACE_MOST_DIGITS][MOST_ROWS];

    if (!space_bus_dims(bus, &dims) || s->access->n_pieces != 1 || s->access->n_index > MOST_ROWS)
        return all;
    for (int i = 0; i < s->point->n_digits; i++) {
        int with = 0, without = 0;
        if ((dims >> s->point->digits[i].dim & 1) != 0)
            continue;
        for (int pass = 0; pass < 2; pass++) {
            int n = 0;
            for (int j = 0; j < s->point->n_digits; j++) {
                if ((dims >> s->point->digits[j].dim & 1) == 0 && (pass == 0 || j != i))
                    bus_column(s, j, columns[n++]);
            }
            int rank = rank_of(columns, n, s->access->n_index);
            if (pass == 0)
                with = rank;
            else
                without = rank;
        }
        shared |= with == without || with < 0 || without < 0 ? 1u << i : 0;
    }
    return shared;
}

/* ---- rules ---- */

/* What moves access "a": the digits that its movements change; "*supported" when there is one, or
 * it is stationary. */
static uint32_t movements(
        const struct space *space, const struct space_point *point, int a, bool *supported)
{
    struct search s = {.space = space, .point = point, .access = &space->accesses[a]};
    static const struct link_offset own = {.interval = 1}; /* the PE's own register */

    set_inner(space, point, &s);
    for (int i = 0; i < space->n_offsets; i++) {
        s.link = &space->offsets[i];
        if (sator_serves(s.link->n_tensors, s.link->tensors, s.access->tensor))
            choose_changes(
                    &s, point->n_digits - 1, space->n_dims - 1, s.link->offset[space->n_dims - 1]);
    }
    uint32_t used = s.used;
    for (int i = 0; i < space->arch->n_levels; i++) {
        const struct sator_array *array = &space->arch->levels[i].array;
        for (int j = 0; space->arch->levels[i].kind == SATOR_LEVEL_ARRAY && j < array->n_buses;
                j++) {
            const struct sator_bus *bus = &array->buses[j];
            if (bus->is_reduction == (s.access->role == SATOR_WRITE) &&
                    sator_serves(bus->n_tensors, bus->tensors, s.access->tensor))
                used |= shared_by_bus(&s, bus);
        }
    }
    s.link = &own;
    s.found = s.found || used != 0;
    memset(s.change, 0, sizeof s.change);
    try_change(&s);
    *supported = s.found || s.inner_loop < 0;
    return used;
}

const char *space_movement_rule(const struct space *space, const struct space_point *point)
{
    uint32_t used = 0, skewed = 0;
    bool safe = space->safe_rules && point->folded == 0;

    if (space->options.prune == SPACE_PRUNE_NONE || point->kind == SPACE_MATRIX ||
            !space->regular || !space->all_offsets)
        return NULL;
    for (int s = 0; s < point->n_skewed; s++) {
        for (int i = 0; i < point->n_digits; i++) {
            int skew = point->skew[s][i];
            skewed |= skew != 0 ? 1u << i : 0;
            safe = safe && skew != 2 && skew != -2 && (s == 0 || skew == 0);
        }
    }
    if ((!safe || skewed == 0) && space->options.prune == SPACE_PRUNE_SAFE)
        return NULL;
    for (int a = 0; a < space->n_accesses; a++) {
        bool supported;
        used |= movements(space, point, a, &supported);
        if (!supported && space->options.prune == SPACE_PRUNE_MOVEMENTS)
            return space->unsupported[a];
    }
    return safe && (skewed & ~used) != 0 ? "idle_skew" : NULL;
}

/* ---- the architecture ---- */

/* The link's offset over all dimensions, its array's first one being "first"; false when it is
 * none. */
static bool link_offset(const struct sator_link *link, int first, struct link_offset *result)
{
    const struct sator_piece *piece = sator_relation_function(link->map);

    if (piece == NULL || link->map->n_in != link->map->n_out)
        return false;
    *result = (struct link_offset){
            .interval = link->interval, .n_tensors = link->n_tensors, .tensors = link->tensors};
    for (int d = 0; d < link->map->n_out; d++) {
        const struct sator_expr *expr = piece->out[d];
        if (expr->n_terms != 1 || expr->terms[0].atom != SATOR_ATOM_VAR ||
                expr->terms[0].var != d || expr->terms[0].factor != 1)
            return false;
        result->offset[first + d] = expr->constant;
    }
    return true;
}

/* What reading or writing a word of "access" costs; NAN when not given. */
static double memory_pj(
        const struct sator_memory *memory, const struct linear_access *access, bool writes)
{
    return sator_memory_action(NULL, memory, access->tensor, access->word_bits, writes).word_pj;
}

/* Whether a hop of a word of "access" costs at most what reading or writing it in any memory costs,
 * as far as is known. */
static bool cheap_hops(const struct sator_arch *arch, const struct sator_array *array,
        const struct linear_access *access)
{
    const char *name = access->tensor;
    int bits = access->word_bits;
    double most = 0; /* fmax passes over NAN */

    for (int i = 0; i < array->n_links; i++)
        most = fmax(most, sator_link_action(NULL, &array->links[i], name, bits).word_pj);
    for (int i = 0; i < array->n_buses; i++)
        most = fmax(most, sator_bus_action(NULL, &array->buses[i], name, bits).word_pj);
    for (int i = 0; i < arch->n_levels && arch->levels[i].kind != SATOR_LEVEL_ARRAY; i++) {
        const struct sator_memory *memory = &arch->levels[i].memory;
        if (memory_pj(memory, access, false) < most || memory_pj(memory, access, true) < most)
            return false;
    }
    return true;
}

static bool has_bandwidth(const struct sator_memory *memory)
{
    bool known = !isnan(memory->read_bits) || !isnan(memory->write_bits);

    for (int i = 0; i < memory->n_ports; i++)
        known = known || !isnan(memory->ports[i].read_bits) || !isnan(memory->ports[i].write_bits);
    return known;
}

/* Whether what memories hold, and how fast those in the array are, is the same whatever the skew.
 */
static bool ignores_skew(const struct sator_arch *arch)
{
    bool inside = false;

    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_memory *memory = &arch->levels[i].memory;
        inside |= arch->levels[i].kind == SATOR_LEVEL_ARRAY;
        if (arch->levels[i].kind == SATOR_LEVEL_MEMORY &&
                (memory->n_capacities > 0 || (inside && has_bandwidth(memory))))
            return false;
    }
    return true;
}

/* Whether a partial sum that leaves a tree's PEs and comes back costs at least what the others of
 * them save, which then need not read theirs, as far as is known. */
static bool cheap_sums(const struct sator_arch *arch, const struct sator_array *array,
        const struct linear_access *access)
{
    double kept = 0, moved = INFINITY, pes = 1;
    bool has_trees = false, inside = false;

    for (int i = 0; i < array->n_buses; i++)
        has_trees = has_trees || array->buses[i].is_reduction;
    for (int d = 0; d < array->n_dims; d++)
        pes *= (double)array->shape[d];
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_memory *memory = &arch->levels[i].memory;
        inside |= arch->levels[i].kind == SATOR_LEVEL_ARRAY;
        if (arch->levels[i].kind == SATOR_LEVEL_MEMORY && inside)
            kept = fmax(kept, memory_pj(memory, access, false)); /* passing over NAN */
        else if (arch->levels[i].kind == SATOR_LEVEL_MEMORY)
            moved = fmin(moved, memory_pj(memory, access, false) + memory_pj(memory, access, true));
    }
    return !has_trees || (pes - 1) * kept <= moved;
}

void space_find_movements(struct space *space, bool regular)
{
    const struct sator_arch *arch = space->arch;
    int first = 0, n_arrays = 0;

    space->regular = regular;
    space->safe_rules = regular && ignores_skew(arch) && sator_arch_holds_idle(arch) == NULL;
    space->all_offsets = true;
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_array *array = &arch->levels[i].array;
        if (arch->levels[i].kind != SATOR_LEVEL_ARRAY)
            continue;
        for (int j = 0; j < array->n_links; j++) {
            struct link_offset offset;
            if (!link_offset(&array->links[j], first, &offset)) {
                space->all_offsets = false;
                continue;
            }
            space->safe_rules = space->safe_rules && offset.interval <= 1;
            SATOR_PUSH(space->arena, space->offsets, space->n_offsets, offset);
        }
        first += array->n_dims;
        for (int a = 0; a < space->n_accesses; a++)
            space->safe_rules = space->safe_rules && cheap_hops(arch, array, &space->accesses[a]) &&
                    cheap_sums(arch, array, &space->accesses[a]);
        space->safe_rules = space->safe_rules && n_arrays++ == 0;
    }
    space->unsupported = SATOR_NEW_ARRAY(space->arena, const char *, space->n_accesses + 1);
    for (int a = 0; a < space->n_accesses; a++)
        space->unsupported[a] =
                sator_arena_printf(space->arena, "unsupported.%s", space->accesses[a].tensor);
}
