/* Points that are the same but for names. Of an orbit under the group that is made of
 *
 *   - orders of the array's dimensions that leave its shape and its network as they are,
 *   - renamings of loops that leave the operation as it is, tensors' own dimensions renamed along,
 *   - reflections of an array dimension on which the network looks the same from both ends and
 * which carries one loop whose values may be renumbered freely (it indexes every tensor alone): the
 * digit d of a loop that fills the array becomes extent-1-d, which turns a skew by d into a skew by
 * -d,
 *
 * only the point with the least number is canonical. Equivalent skews count as one too: skewing by
 * a whole loop moves a time dimension by a constant more than skewing by its digit when the loop's
 * other digit is an outer time dimension of its own.
 *
 * When in doubt there is no symmetry: a point visited twice costs time, a point left out may be the
 * best.
 */
#include "explore/space.h"

#include <string.h>

/* ---- accesses as integers ---- */

static bool linear_row(
        const struct sator_expr *expr, int n_loops, int64_t *coefficients, int64_t *constant)
{
    for (int l = 0; l < n_loops; l++)
        coefficients[l] = 0;
    *constant = expr->constant;
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        if (term->atom != SATOR_ATOM_VAR || term->var >= n_loops)
            return false;
        coefficients[term->var] += term->factor;
    }
    return true;
}

static void linear_access(struct sator_arena *arena, const struct sator_access *access, int n_loops,
        struct linear_access *result)
{
    const struct sator_relation *relation = access->relation;
    int n_index = relation->n_out, rows = relation->n_pieces * n_index;
    int64_t *coefficients = SATOR_NEW_ARRAY(arena, int64_t, rows * n_loops + 1);
    int64_t *constants = SATOR_NEW_ARRAY(arena, int64_t, rows + 1);

    *result = (struct linear_access){
            .tensor = access->tensor, .role = access->role, .word_bits = access->word_bits};
    for (int p = 0; p < relation->n_pieces; p++) {
        const struct sator_piece *piece = &relation->pieces[p];
        if (piece->n_free != 0 || piece->cond->op != SATOR_COND_TRUE)
            return;
        for (int i = 0; i < n_index; i++) {
            int row = p * n_index + i;
            if (!linear_row(piece->out[i], n_loops, &coefficients[row * n_loops], &constants[row]))
                return;
        }
    }
    result->is_linear = true;
    result->n_pieces = relation->n_pieces;
    result->n_index = n_index;
    result->coefficients = coefficients;
    result->constants = constants;
}

const struct linear_access *space_linear_accesses(
        struct sator_arena *arena, const struct sator_workload *workload)
{
    struct linear_access *accesses =
            SATOR_NEW_ARRAY(arena, struct linear_access, workload->n_accesses + 1);

    for (int i = 0; i < workload->n_accesses; i++)
        linear_access(arena, &workload->accesses[i], workload->n_loops, &accesses[i]);
    return accesses;
}

static int64_t coefficient(
        const struct space *space, const struct linear_access *access, int row, int loop)
{
    return access->coefficients[row * space->n_loops + loop];
}

/* ---- renamings of loops ---- */

struct renaming {
    struct space *space;
    int to[SPACE_MOST_LOOPS];
    bool may_exchange; /* tensors */
    int n_tried;
};

enum {
    MOST_RENAMINGS = 64,
    MOST_TRIED = 100000,
    MOST_INDEX = 6
};

/* Whether piece "p" of "a", loops renamed and index "i" moved to order[i], is a piece of "b". */
static bool has_piece(const struct renaming *r, const struct linear_access *a, int p,
        const struct linear_access *b, const int *order)
{
    const struct space *space = r->space;

    for (int q = 0; q < b->n_pieces; q++) {
        bool equal = true;
        for (int i = 0; i < a->n_index && equal; i++) {
            int from = p * a->n_index + i, to = q * b->n_index + order[i];
            equal = a->constants[from] == b->constants[to];
            for (int l = 0; l < space->n_loops && equal; l++)
                equal = coefficient(space, a, from, l) == coefficient(space, b, to, r->to[l]);
        }
        if (equal)
            return true;
    }
    return false;
}

/* Whether some order of the tensor's dimensions, "n" of which are chosen, makes "a" into "b". */
static bool maps_to(const struct renaming *r, const struct linear_access *a,
        const struct linear_access *b, int *order, int n)
{
    if (n == a->n_index || n == MOST_INDEX) {
        for (int p = 0; p < a->n_pieces; p++) {
            if (!has_piece(r, a, p, b, order))
                return false;
        }
        return true;
    }
    for (int i = 0; i < a->n_index && i < MOST_INDEX; i++) {
        bool taken = false;
        for (int j = 0; j < n && j < MOST_INDEX; j++)
            taken = taken || order[j] == i;
        order[n] = i;
        if (!taken && maps_to(r, a, b, order, n + 1))
            return true;
    }
    return false;
}

/* Whether the renaming maps every access to one of its own role and width: onto the same tensor,
 * or, where tensors may be exchanged, onto another one that has no second role. */
static bool keeps_operation(const struct renaming *r)
{
    const struct space *space = r->space;
    uint32_t taken = 0;

    for (int i = 0; i < space->n_accesses; i++) {
        const struct linear_access *a = &space->accesses[i];
        bool found = false;
        for (int j = 0; j < space->n_accesses && !found; j++) {
            const struct linear_access *b = &space->accesses[j];
            int order[MOST_INDEX];
            if ((taken >> j & 1) != 0 || a->role != b->role || a->word_bits != b->word_bits ||
                    a->n_index != b->n_index || a->n_pieces != b->n_pieces ||
                    a->n_index > MOST_INDEX)
                continue;
            if (strcmp(a->tensor, b->tensor) != 0 && !r->may_exchange)
                continue;
            found = maps_to(r, a, b, order, 0);
            taken |= found ? 1u << j : 0;
        }
        if (!found)
            return false;
    }
    return true;
}

static bool same_loop(const struct space *space, int a, int b)
{
    for (int i = 0; i < space->n_layers; i++) {
        const struct sator_workload *layer = space->family[i];
        if (layer->lower[a] != layer->lower[b] || layer->upper[a] != layer->upper[b])
            return false;
    }
    return true;
}

static void try_renamings(struct renaming *r, int loop, uint32_t used)
{
    struct space *space = r->space;

    if (r->n_tried > MOST_TRIED || space->n_renamings == MOST_RENAMINGS)
        return;
    if (loop == space->n_loops) {
        r->n_tried++;
        if (keeps_operation(r))
            memcpy(space->renamings[space->n_renamings++], r->to, sizeof r->to);
        return;
    }
    for (int l = 0; l < space->n_loops; l++) {
        if ((used >> l & 1) != 0 || !same_loop(space, loop, l))
            continue;
        r->to[loop] = l;
        try_renamings(r, loop + 1, used | 1u << l);
    }
}

/* Whether a tensor would fare otherwise in "memory" under another name. */
static bool memory_tells_apart(const struct sator_memory *memory)
{
    for (int i = 0; i < memory->n_capacities; i++) {
        if (memory->capacities[i].tensor != NULL)
            return true;
    }
    for (int i = 0; i < memory->n_ports; i++) {
        if (memory->ports[i].n_tensors > 0)
            return true;
    }
    return memory->n_tensors > 0 || memory->n_bypass > 0 || memory->n_own_energies > 0 ||
            memory->widths.n_tensors > 0;
}

/* Whether something in the architecture or the operation tells tensors apart. */
static bool tells_tensors_apart(const struct space *space)
{
    for (int i = 0; i < space->n_accesses; i++) {
        for (int j = i + 1; j < space->n_accesses; j++) {
            if (strcmp(space->accesses[i].tensor, space->accesses[j].tensor) == 0)
                return true; /* two roles: exchanging one of them alone is no renaming */
        }
    }
    for (int i = 0; i < space->arch->n_levels; i++) {
        const struct sator_level *level = &space->arch->levels[i];
        for (int j = 0; j < level->array.n_links; j++) {
            if (level->array.links[j].n_tensors + level->array.links[j].widths.n_tensors > 0)
                return true;
        }
        for (int j = 0; j < level->array.n_buses; j++) {
            if (level->array.buses[j].n_tensors + level->array.buses[j].widths.n_tensors > 0)
                return true;
        }
        if (level->kind == SATOR_LEVEL_MEMORY && memory_tells_apart(&level->memory))
            return true;
    }
    return false;
}

/* The same accesses in every layer, all linear, over boxes? */
static bool is_regular(struct space *space)
{
    for (int i = 0; i < space->n_accesses; i++) {
        if (!space->accesses[i].is_linear)
            return false;
    }
    space->all_boxes = true;
    for (int i = 0; i < space->n_layers; i++)
        space->all_boxes = space->all_boxes && space->family[i]->is_box;
    for (int i = 1; i < space->n_layers; i++) {
        const struct sator_workload *layer = space->family[i];
        const struct linear_access *other = space_linear_accesses(space->arena, layer);
        if (layer->n_accesses != space->n_accesses)
            return false;
        for (int j = 0; j < space->n_accesses; j++) {
            const struct linear_access *a = &space->accesses[j], *b = &other[j];
            size_t rows = (size_t)a->n_pieces * (size_t)a->n_index;
            if (!b->is_linear || a->n_pieces != b->n_pieces || a->n_index != b->n_index ||
                    a->word_bits != b->word_bits || a->role != b->role ||
                    strcmp(a->tensor, b->tensor) != 0 ||
                    memcmp(a->constants, b->constants, rows * sizeof *a->constants) != 0 ||
                    memcmp(a->coefficients, b->coefficients,
                            rows * (size_t)space->n_loops * sizeof *a->coefficients) != 0)
                return false;
        }
    }
    return space->all_boxes;
}

/* Loops that index every tensor alone or not at all: their values may be renumbered. */
static void find_reversible(struct space *space)
{
    space->reversible_loops = (1u << space->n_loops) - 1;
    for (int i = 0; i < space->n_accesses; i++) {
        const struct linear_access *access = &space->accesses[i];
        if (access->n_pieces != 1)
            space->reversible_loops = 0;
        for (int row = 0; row < access->n_index && access->n_pieces == 1; row++) {
            uint32_t together = 0;
            for (int l = 0; l < space->n_loops; l++)
                together |= coefficient(space, access, row, l) != 0 ? 1u << l : 0;
            if ((together & (together - 1)) != 0)
                space->reversible_loops &= ~together;
        }
    }
}

/* ---- the array ---- */

/* One array, every link a constant offset of interval >= 1, one energy and the same tensors for
 * all, at most one family of buses a role. Otherwise which link is credited for a word, or which PE
 * fetches it, might depend on the orientation. */
static const struct sator_array *plain_array(const struct space *space)
{
    const struct sator_array *array = NULL;
    int n_multicasts = 0, n_trees = 0;

    for (int i = 0; i < space->arch->n_levels; i++) {
        if (space->arch->levels[i].kind != SATOR_LEVEL_ARRAY)
            continue;
        if (array != NULL)
            return NULL;
        array = &space->arch->levels[i].array;
    }
    if (array == NULL || !space->all_offsets)
        return NULL;
    for (int i = 0; i < array->n_links; i++) {
        double energy = array->links[i].energy.pj, first = array->links[0].energy.pj;
        bool same = (energy == first || (energy != energy && first != first)) &&
                array->links[i].energy.bits == array->links[0].energy.bits &&
                array->links[i].energy.is_row == array->links[0].energy.is_row;
        if (array->links[i].interval < 1 || array->links[i].n_tensors > 0 || !same)
            return NULL;
    }
    for (int i = 0; i < array->n_buses; i++) {
        n_multicasts += !array->buses[i].is_reduction;
        n_trees += array->buses[i].is_reduction;
    }
    return n_multicasts > 1 || n_trees > 1 ? NULL : array;
}

static bool has_offset(const struct space *space, int interval, const int64_t *offset)
{
    for (int i = 0; i < space->n_offsets; i++) {
        if (space->offsets[i].interval == interval &&
                memcmp(space->offsets[i].offset, offset, sizeof *offset * (size_t)space->n_dims) ==
                        0)
            return true;
    }
    return false;
}

bool space_bus_dims(const struct sator_bus *bus, uint32_t *dims)
{
    const struct sator_piece *piece = sator_relation_function(bus->map);

    *dims = 0;
    for (int i = 0; piece != NULL && i < bus->map->n_out; i++) {
        const struct sator_expr *expr = piece->out[i];
        if (expr->n_terms > 1 || (expr->n_terms == 1 && expr->terms[0].atom != SATOR_ATOM_VAR))
            return false;
        if (expr->n_terms == 1)
            *dims |= 1u << expr->terms[0].var;
    }
    return piece != NULL;
}

static bool keeps_array(const struct space *space, const struct sator_array *array, const int *to,
        uint32_t mirrored)
{
    for (int d = 0; d < space->n_dims; d++) {
        if (space->shape[d] != space->shape[to[d]])
            return false;
    }
    for (int i = 0; i < space->n_offsets; i++) {
        int64_t image[SPACE_MOST_DIMS];
        for (int d = 0; d < space->n_dims; d++) {
            int64_t offset = space->offsets[i].offset[d];
            image[to[d]] = (mirrored >> d & 1) != 0 ? -offset : offset;
        }
        if (!has_offset(space, space->offsets[i].interval, image))
            return false;
    }
    for (int i = 0; i < array->n_buses; i++) {
        uint32_t dims, image = 0;
        if (!space_bus_dims(&array->buses[i], &dims))
            return false;
        for (int d = 0; d < space->n_dims; d++)
            image |= (dims >> d & 1) << to[d];
        if (image != dims)
            return false;
    }
    return true;
}

static void try_orders(struct space *space, const struct sator_array *array, int *to, int dim)
{
    if (space->n_dim_orders == SPACE_MOST_ORDERS)
        return;
    if (dim == space->n_dims || dim == SPACE_MOST_DIMS) {
        if (keeps_array(space, array, to, 0))
            memcpy(space->dim_orders[space->n_dim_orders++], to,
                    sizeof *to * (size_t)space->n_dims);
        return;
    }
    for (int d = 0; d < space->n_dims; d++) {
        bool taken = false;
        for (int j = 0; j < dim && j < SPACE_MOST_DIMS; j++)
            taken = taken || to[j] == d;
        to[dim] = d;
        if (!taken)
            try_orders(space, array, to, dim + 1);
    }
}

void space_find_symmetries(struct space *space)
{
    struct renaming renaming = {.space = space};
    const struct sator_array *array;
    int to[SPACE_MOST_DIMS];
    bool regular = is_regular(space);

    space->renamings = sator_arena_alloc(space->arena, MOST_RENAMINGS * sizeof *space->renamings);
    space_find_movements(space, regular);
    if (space->is_ordered)
        space->safe_rules = false; /* the point without the skew may be illegal */
    array = plain_array(space);
    if (space->options.symmetry && array != NULL) {
        try_orders(space, array, to, 0);
        for (int d = 0; d < space->n_dims; d++)
            to[d] = d;
        for (int d = 0; d < space->n_dims; d++)
            space->mirrored_dims |= keeps_array(space, array, to, 1u << d) ? 1u << d : 0;
    }
    /* An order of instances knows loops by their place in the nest, and forwards from backwards. */
    if (space->options.symmetry && regular && !space->is_ordered && space->n_accesses <= 32) {
        find_reversible(space);
        renaming.may_exchange = !space->options.tensors_matter && !tells_tensors_apart(space);
        try_renamings(&renaming, 0, 0);
    }
    if (space->n_dim_orders == 0) {
        for (int d = 0; d < space->n_dims; d++)
            space->dim_orders[0][d] = d;
        space->n_dim_orders = 1;
    }
    if (space->n_renamings == 0) {
        for (int l = 0; l < space->n_loops; l++)
            space->renamings[0][l] = l;
        space->n_renamings = 1;
    }
}

/* ---- orbits ---- */

/* The point with its dimensions and loops renamed. */
static void rename_point(const struct space *space, const struct space_point *point,
        const int *dim_to, const int *loop_to, struct space_point *image)
{
    int n = 0;

    *image = *point;
    for (int d = 0; d < space->n_dims; d++) {
        for (int i = 0; i < point->n_digits; i++) {
            if (dim_to[point->digits[i].dim] != d)
                continue;
            image->digits[n] = point->digits[i];
            image->digits[n].dim = d;
            image->digits[n].loop = loop_to[point->digits[i].loop];
            for (int s = 0; s < point->n_skewed; s++)
                image->skew[s][n] = point->skew[s][i];
            n++;
        }
    }
    for (int i = 0; i < point->n_time; i++)
        image->time[i] = loop_to[point->time[i]];
    image->folded = 0;
    for (int l = 0; l < space->n_loops; l++)
        image->folded |= (point->folded >> l & 1) << loop_to[l];
}

static bool is_skewed(const struct space_point *point, int time)
{
    int s = point->n_time - 1 - time;

    for (int i = 0; i < point->n_digits && s < point->n_skewed; i++) {
        if (point->skew[s][i] != 0)
            return true;
    }
    return false;
}

/* Write skews by whole loops as skews by their digits where that is the same. */
static void simplify_skews(struct space_point *point)
{
    for (int s = 0; s < point->n_skewed; s++) {
        for (int i = 0; i < point->n_digits; i++) {
            bool outer = false;
            for (int t = 0; t < point->n_time - 1 - s; t++)
                outer = outer || (point->time[t] == point->digits[i].loop && !is_skewed(point, t));
            if (outer && (point->skew[s][i] == 2 || point->skew[s][i] == -2))
                point->skew[s][i] = (int8_t)(point->skew[s][i] / 2);
        }
    }
}

/* Whether digit "i" may be reflected: it fills its dimension alone, with the loop's extent a
 * multiple. */
static bool may_reflect(const struct space *space, const struct space_point *point, int i)
{
    const struct space_digit *digit = &point->digits[i];

    if ((space->mirrored_dims >> digit->dim & 1) == 0 ||
            (space->reversible_loops >> digit->loop & 1) == 0 ||
            digit->width != space->shape[digit->dim])
        return false;
    for (int k = 0; k < space->n_layers; k++) {
        int64_t extent =
                space->family[k]->upper[digit->loop] - space->family[k]->lower[digit->loop];
        if (extent % digit->width != 0)
            return false;
    }
    for (int s = 0; s < point->n_skewed; s++) {
        if (point->skew[s][i] == 2 || point->skew[s][i] == -2)
            return false;
    }
    return true;
}

/* Of a digit and its reflection take the one that is numbered first. */
static void reflect(const struct space *space, struct space_point *point)
{
    for (int i = 0; i < point->n_digits; i++) {
        int first = point->n_skewed - 1;
        if (!may_reflect(space, point, i))
            continue;
        while (first > 0 && point->skew[first][i] == 0)
            first--; /* the most significant one decides */
        if (point->n_skewed == 0 || point->skew[first][i] >= 0)
            continue;
        for (int s = 0; s < point->n_skewed; s++)
            point->skew[s][i] = (int8_t)-point->skew[s][i];
    }
}

bool space_is_canonical(const struct space *space, uint64_t index, const struct space_point *point)
{
    struct space_point image;

    if (point->kind == SPACE_MATRIX || !space->options.symmetry)
        return true;
    for (int d = 0; d < space->n_dim_orders; d++) {
        for (int r = 0; r < space->n_renamings; r++) {
            rename_point(space, point, space->dim_orders[d], space->renamings[r], &image);
            simplify_skews(&image);
            reflect(space, &image);
            if (sator_space_index(space, &image) < index)
                return false;
        }
    }
    return true;
}
