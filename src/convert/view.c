/* Relations as other notations have them: matrices, digits, convolutions. */
#include "base/text.h"
#include "convert/convert.h"

#include <string.h>

void convert_unsaid(struct convert *c, const char *what)
{
    if (!sator_lists(what, c->n_unsaid, c->unsaid))
        SATOR_PUSH(c->arena, c->unsaid, c->n_unsaid, sator_arena_strdup(c->arena, what));
}

static void unsaid_of_memory(struct convert *c, const struct sator_memory *memory)
{
    const struct sator_burst *burst = &memory->burst;

    if (memory->transfers.others != SATOR_TRANSFER_UNSAID || memory->transfers.n_tensors > 0 ||
            !memory->overlaps)
        convert_unsaid(c, "transfers (when words move)");
    if (burst->setup_cycles > 0 || burst->granule_bits > 1)
        convert_unsaid(c, "setup_cycles and granule_bits");
    if (memory->n_gates > 0)
        convert_unsaid(c, "gating");
    if (memory->holds_idle)
        convert_unsaid(c, "holds: idle");
}

/* Whether the array spreads every word to all PEs ("sums": adds up those of all), as the
 * networks of other tools do; a single PE has nobody to share with. */
static bool reaches_all(const struct sator_array *array, bool sums)
{
    bool reaches = true;

    for (int d = 0; d < array->n_dims; d++)
        reaches = reaches && array->shape[d] == 1;
    for (int i = 0; i < array->n_buses; i++) {
        const struct sator_bus *bus = &array->buses[i];
        const struct sator_piece *piece = sator_relation_function(bus->map);
        if (bus->is_reduction != sums)
            continue;
        if (piece == NULL || bus->map->n_out != 1 || !sator_expr_is_constant(piece->out[0]))
            return false;
        reaches = true;
    }
    return reaches;
}

void convert_unsaid_buses(struct convert *c, const struct sator_array *array)
{
    bool is_named = false;

    if (!reaches_all(array, false) || !reaches_all(array, true))
        convert_unsaid(
                c, "which PEs share words (there one reaches all that want it, and all sums meet)");
    for (int i = 0; i < array->n_buses; i++)
        is_named |= array->buses[i].n_tensors > 0;
    if (is_named)
        convert_unsaid(c, "which tensors a bus or tree is for (there it is for all)");
}

void convert_unsaid_machine(struct convert *c)
{
    for (int i = 0; i < c->arch->n_levels; i++) {
        const struct sator_level *level = &c->arch->levels[i];
        if (level->kind == SATOR_LEVEL_MEMORY)
            unsaid_of_memory(c, &level->memory);
        if (level->kind == SATOR_LEVEL_ARRAY && level->array.pass_through)
            convert_unsaid(c, "pass_through");
        if (level->kind == SATOR_LEVEL_COMPUTE && level->compute.n_gates > 0)
            convert_unsaid(c, "gating");
        if (level->kind == SATOR_LEVEL_COMPUTE && level->compute.n_skips > 0)
            convert_unsaid(c, "skipping");
        if (level->kind == SATOR_LEVEL_COMPUTE && level->compute.per_stamp > 0)
            convert_unsaid(c, "per_stamp");
    }
    if (c->arch->control.instruction_bits > 0)
        convert_unsaid(c, "control");
}

const char *convert_shown(
        struct convert *c, const struct sator_workload *layer, const struct sator_expr *expr)
{
    struct sator_text text = {0};

    sator_expr_write(&text, expr, layer->loop_names);
    return sator_text_keep(&text, c->arena);
}

/* ---- accesses ---- */

/* The expression as a row of factors and a constant; false when it has a floor or a remainder. */
static bool linear(const struct sator_expr *expr, int n_loops, int64_t *row)
{
    memset(row, 0, sizeof *row * (size_t)(n_loops + 1));
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        if (term->atom != SATOR_ATOM_VAR || term->var >= n_loops)
            return false;
        row[term->var] += term->factor;
    }
    row[n_loops] = expr->constant;
    return true;
}

static bool read_access(struct convert *c, const struct sator_workload *layer,
        const struct sator_access *access, struct convert_access *read)
{
    const struct sator_piece *piece = sator_relation_function(access->relation);
    int n_dims = access->relation->n_out;
    int64_t **rows = SATOR_NEW_ARRAY(c->arena, int64_t *, n_dims + 1);

    *read = (struct convert_access){.access = access, .n_dims = n_dims, .rows = rows};
    for (int d = 0; piece != NULL && d < n_dims; d++) {
        rows[d] = SATOR_NEW_ARRAY(c->arena, int64_t, layer->n_loops + 1);
        if (!linear(piece->out[d], layer->n_loops, rows[d]))
            piece = NULL;
    }
    if (piece != NULL)
        return true;
    sator_error(c->ctx, sator_access_loc(layer, access),
            access->relation->n_pieces > 1
                    ? "%s cannot say that '%s' is accessed several times"
                    : "%s cannot say the indices of '%s': they are no sums of loops",
            c->format, access->tensor);
    return false;
}

bool convert_accesses(struct convert *c, const struct sator_workload *layer,
        const struct convert_access **accesses)
{
    struct convert_access *all =
            SATOR_NEW_ARRAY(c->arena, struct convert_access, layer->n_accesses + 1);
    bool is_box = layer->is_box;

    for (int l = 0; is_box && l < layer->n_loops; l++)
        is_box = layer->lower[l] == 0;
    if (!is_box) {
        sator_error(c->ctx, layer->loc,
                "%s cannot say the domain of '%s': its loops do not all run from 0 to a number",
                c->format, layer->name);
        return false;
    }
    for (int i = 0; i < layer->n_accesses; i++) {
        if (!read_access(c, layer, &layer->accesses[i], &all[i]))
            return false;
    }
    *accesses = all;
    return true;
}

/* ---- digits ---- */

/* One term without its factor. */
static bool read_digit(const struct sator_workload *layer, const struct sator_term *term,
        struct convert_digit *digit)
{
    if (term->atom == SATOR_ATOM_VAR) {
        if (term->var >= layer->n_loops || layer->lower[term->var] != 0)
            return false;
        *digit = (struct convert_digit){
                .loop = term->var, .stride = 1, .count = layer->upper[term->var]};
        return true;
    }
    const struct sator_expr *inner = term->argument;
    if (inner->constant != 0 || inner->n_terms != 1 || inner->terms[0].factor != 1 ||
            !read_digit(layer, &inner->terms[0], digit))
        return false;
    if (term->atom == SATOR_ATOM_MOD) {
        digit->count = digit->count < term->divisor ? digit->count : term->divisor;
        return true;
    }
    if (__builtin_mul_overflow(digit->stride, term->divisor, &digit->stride))
        return false;
    digit->count = (digit->count - 1) / term->divisor + 1;
    return true;
}

int convert_digits(const struct sator_workload *layer, const struct sator_expr *expr,
        struct convert_digit digits[CONVERT_MOST_DIGITS])
{
    int64_t scale = 1;
    int n = 0;

    if (expr->constant != 0 || expr->n_terms > CONVERT_MOST_DIGITS)
        return -1;
    for (int i = 0; i < expr->n_terms; i++) {
        struct convert_digit digit;
        if (expr->terms[i].factor < 1 || !read_digit(layer, &expr->terms[i], &digit))
            return -1;
        digit.scale = expr->terms[i].factor;
        int at = n++;
        for (; at > 0 && digits[at - 1].scale < digit.scale; at--)
            digits[at] = digits[at - 1];
        digits[at] = digit;
    }
    for (int i = n - 1; i >= 0; i--) {
        if (digits[i].scale < scale || (i < n - 1 && digits[i].scale % digits[i + 1].scale != 0))
            return -1;
        scale = digits[i].scale * digits[i].count;
    }
    return n;
}

/* ---- dataflows ---- */

const struct sator_bound_dataflow *convert_bind(
        struct convert *c, const struct sator_workload *layer)
{
    const struct sator_bound_dataflow *bound = NULL;
    enum sator_status st = c->arch != NULL
            ? sator_arch_bind(c->ctx, c->arena, c->arch, c->dataflow, layer, &bound)
            : sator_dataflow_bind(c->ctx, c->arena, c->dataflow, layer, 0, NULL, &bound);

    if (st != SATOR_OK)
        return NULL;
    if (sator_relation_function(bound->space) != NULL &&
            sator_relation_function(bound->time) != NULL)
        return bound;
    sator_error(c->ctx, bound->space_loc,
            "%s cannot say stamps of several pieces, or with conditions", c->format);
    return NULL;
}

/* ---- convolutions ---- */

enum {
    IN_OUTPUT = 1,
    IN_INPUT = 2,
    IN_WEIGHT = 4
};

/* In which of the three the loop is. */
static int members(const struct convert_access *const in[3], int loop)
{
    int found = 0;

    for (int i = 0; i < 3; i++) {
        for (int d = 0; d < in[i]->n_dims; d++)
            found |= in[i]->rows[d][loop] != 0 ? 1 << i : 0;
    }
    return found;
}

/* The loops of an index, "*factors" beside them; their number, at most 2; -1: more, or a constant.
 */
static int loops_of(const int64_t *row, int n_loops, int loops[2], int64_t factors[2])
{
    int n = 0;

    for (int l = 0; l < n_loops; l++) {
        if (row[l] == 0)
            continue;
        if (n == 2 || row[l] < 0)
            return -1;
        loops[n] = l;
        factors[n++] = row[l];
    }
    return row[n_loops] != 0 ? -1 : n;
}

static bool place(int *slot, int loop)
{
    if (*slot >= 0 && *slot != loop)
        return false;
    *slot = loop;
    return true;
}

/* An index of the input of two loops: an output's, times the stride, and the window's. */
static bool place_window(const struct convert_access *const in[3], const int loops[2],
        const int64_t factors[2], int n_windows, struct convert_shape *shape)
{
    for (int i = 0; i < 2 && n_windows < 2; i++) {
        if (members(in, loops[i]) != (IN_OUTPUT | IN_INPUT) ||
                members(in, loops[1 - i]) != (IN_INPUT | IN_WEIGHT) || factors[1 - i] != 1)
            continue;
        shape->out[n_windows] = loops[i];
        shape->window[n_windows] = loops[1 - i];
        shape->stride[n_windows] = factors[i];
        return true;
    }
    return false;
}

static bool place_loops(const struct sator_workload *layer,
        const struct convert_access *const in[3], struct convert_shape *shape)
{
    int loops[2], n_windows = 0, n;
    int64_t factors[2];

    for (int i = 0; i < 3; i++) {
        for (int d = 0; d < in[i]->n_dims; d++) {
            n = loops_of(in[i]->rows[d], layer->n_loops, loops, factors);
            if (n == 2 && i == 1) {
                if (!place_window(in, loops, factors, n_windows++, shape))
                    return false;
            } else if (n < 0 || n == 2 || (n == 1 && factors[0] != 1)) {
                return false;
            }
        }
    }
    for (int l = 0; l < layer->n_loops; l++) {
        int in_which = members(in, l);
        if (l == shape->out[0] || l == shape->out[1] || l == shape->window[0] ||
                l == shape->window[1])
            continue;
        int *slot = in_which == (IN_OUTPUT | IN_INPUT)           ? &shape->batch
                : in_which == (IN_OUTPUT | IN_WEIGHT)            ? &shape->filter
                : in_which == (IN_INPUT | IN_WEIGHT)             ? &shape->channel
                : in_which == (IN_OUTPUT | IN_INPUT | IN_WEIGHT) ? &shape->group
                                                                 : NULL;
        if (slot == NULL || !place(slot, l))
            return false;
    }
    return true;
}

bool convert_find_shape(struct convert *c, const struct sator_workload *layer,
        const struct convert_access *accesses, struct convert_shape *shape)
{
    const struct convert_access *output = NULL, *reads[2] = {NULL, NULL};
    int n_reads = 0;

    (void)c;
    for (int i = 0; i < layer->n_accesses; i++) {
        if (accesses[i].access->role == SATOR_WRITE)
            output = &accesses[i];
        else if (n_reads < 2)
            reads[n_reads++] = &accesses[i];
    }
    if (layer->n_accesses != 3 || output == NULL || n_reads != 2)
        return false;
    for (int swap = 0; swap < 2; swap++) {
        const struct convert_access *const in[] = {output, reads[swap], reads[1 - swap]};
        *shape = (struct convert_shape){-1, -1, -1, -1, {-1, -1}, {-1, -1}, {1, 1}, in[1]->access,
                in[2]->access, in[0]->access};
        if (place_loops(layer, in, shape))
            return true;
    }
    return false;
}

int convert_word_bits(const struct convert *c, const struct sator_memory *memory)
{
    int bits = c->network == NULL ? SATOR_USUAL_BITS
                                  : c->network->layers[c->first].accesses[0].word_bits;

    return memory->widths.bits > 0 ? memory->widths.bits : bits;
}
