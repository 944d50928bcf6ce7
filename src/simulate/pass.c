#include "simulate/pass.h"

#include "simulate/digits.h"

#include <stdlib.h>

/* How many stamps a step along a dimension is later, where "row" is so for all digits that make up
 * the coordinate "space"; else 0. */
static int64_t skew_of(
        const struct digits *digits, const struct linear *row, const struct linear *space)
{
    int64_t skew = 0;

    for (int j = 0; j < digits->n_digits; j++) {
        int64_t step = space->factors[j], later = row->factors[j];
        if (step == 0 || digits->digits[j].extent == 1)
            continue;
        if (later == 0 || later % step != 0 || (skew != 0 && later / step != skew))
            return 0;
        skew = later / step;
    }
    return skew < 0 ? -skew : skew;
}

static void forget(const struct pass *pass, struct pass_row *row)
{
    for (int d = 0; d < pass->machine->n_space; d++) {
        row->first[d] = INT64_MAX;
        row->last[d] = -1;
    }
}

/* Both stamps over the digits; false where they are no sums of them. */
static bool find_stamps(
        struct machine *machine, struct digits *digits, struct linear *rows, struct linear *dims)
{
    const struct simulate_question *q = machine->question;
    const struct sator_piece *time = sator_relation_function(q->dataflow->time);
    const struct sator_piece *space = sator_relation_function(q->dataflow->space);
    bool fits = time != NULL && space != NULL;

    for (int k = 0; k < machine->n_time && fits; k++)
        fits = digits_note(machine->arena, digits, time->out[k]);
    for (int d = 0; d < machine->n_space && fits; d++)
        fits = digits_note(machine->arena, digits, space->out[d]);
    fits = fits && digits_make(machine->arena, digits, q->workload);
    for (int k = 0; k < machine->n_time && fits; k++)
        fits = digits_linear(machine->arena, digits, time->out[k], &rows[k]);
    for (int d = 0; d < machine->n_space && fits; d++)
        fits = digits_linear(machine->arena, digits, space->out[d], &dims[d]);
    return fits;
}

/* Which dimensions of the space-stamp are of arrays that pass words through. */
static bool find_dims(const struct machine *machine, bool *passes)
{
    const struct sator_arch *arch = machine->question->arch;
    bool any = false;

    for (int l = 0, dim = 0; l < arch->n_levels; l++) {
        const struct sator_array *array = &arch->levels[l].array;
        for (int d = 0; arch->levels[l].kind == SATOR_LEVEL_ARRAY && d < array->n_dims; d++) {
            passes[dim++] = array->pass_through;
            any |= array->pass_through;
        }
    }
    return any;
}

enum sator_status pass_make(struct pass *pass, struct machine *machine)
{
    struct sator_arena *arena = machine->arena;
    const struct sator_bound_dataflow *dataflow = machine->question->dataflow;
    bool *passes = SATOR_NEW_ARRAY(arena, bool, machine->n_space + 1);
    struct linear *rows = SATOR_NEW_ARRAY(arena, struct linear, machine->n_time + 1);
    struct linear *dims = SATOR_NEW_ARRAY(arena, struct linear, machine->n_space + 1);
    int n_loops = machine->question->workload->n_loops;
    struct digits digits = {
            .n_loops = n_loops, .loops = SATOR_NEW_ARRAY(arena, struct digit_loop, n_loops + 1)};

    *pass = (struct pass){.machine = machine,
            .rows = SATOR_NEW_ARRAY(arena, struct pass_row, machine->n_time + 1)};
    if (!find_dims(machine, passes))
        return SATOR_OK;
    if (!find_stamps(machine, &digits, rows, dims)) {
        sator_error(machine->ctx, dataflow->time_loc,
                "an array has 'pass_through', and the stamps are no sums of digits of the loops: "
                "which rows are skewed is not known");
        return SATOR_DECLINED;
    }
    for (int k = 0; k < machine->n_time; k++) {
        struct pass_row row = {.row = k,
                .skews = SATOR_NEW_ARRAY(arena, int64_t, machine->n_space + 1),
                .first = SATOR_NEW_ARRAY(arena, int64_t, machine->n_space + 1),
                .last = SATOR_NEW_ARRAY(arena, int64_t, machine->n_space + 1)};
        bool any = false;
        for (int d = 0; d < machine->n_space; d++) {
            row.skews[d] = passes[d] ? skew_of(&digits, &rows[k], &dims[d]) : 0;
            any |= row.skews[d] != 0;
        }
        forget(pass, &row);
        if (any)
            pass->rows[pass->n_rows++] = row;
    }
    return SATOR_OK;
}

void pass_use(struct pass *pass, int64_t n_active, const int64_t *active)
{
    const struct machine *machine = pass->machine;

    for (int64_t i = 0; i < n_active && pass->n_rows > 0; i++) {
        int64_t rest = active[i];
        for (int d = machine->n_space - 1; d >= 0; d--) {
            int64_t at = rest % machine->shape[d];
            rest /= machine->shape[d];
            for (int r = 0; r < pass->n_rows; r++) {
                struct pass_row *row = &pass->rows[r];
                row->first[d] = at < row->first[d] ? at : row->first[d];
                row->last[d] = at > row->last[d] ? at : row->last[d];
            }
        }
    }
}

int64_t pass_end(struct pass *pass, struct pass_row *row)
{
    int64_t cycles = 0;

    for (int d = 0; d < pass->machine->n_space; d++)
        cycles += row->skews[d] * (pass->machine->shape[d] - (row->last[d] - row->first[d] + 1));
    forget(pass, row);
    return cycles;
}
