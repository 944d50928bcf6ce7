/* Steps of a loop that are alike, of which the stamps that are followed one by one have the first
 * alone, which counts for all of them.
 *
 * Let a digit of a loop make a row of time by itself, let no condition join the loop with others,
 * and let it stand alone in an index of each tensor or in none. Then whatever runs in a step of the
 * digit runs in the next one, too, one value later in that row, on other elements of the tensors
 * that the loop indexes and on the same ones of the others. So the steps differ in what surrounds
 * them alone, and only the first and the last see what is not the digit's: as many as links lead
 * back over, one more for what idle instances keep, and a last step that is shorter. Of a memory
 * that holds all steps at once the elements of those left out are as many as those of the step that
 * stands for them, and move like these.
 *
 * Where a digit makes a dimension of space by itself, and every tensor is indexed by its loop, no
 * two of the PEs along that dimension ever hold an element in common: all of them do the same, and
 * the first stands for them.
 */
#include "model/timing/timing_nest.h"

static const int64_t most_times = INT64_C(1) << 40;

/* The steps of a digit that may see what was before the first of them, or comes after the last. */
static int64_t find_reach(const struct timing *timing)
{
    int64_t reach = 1;
    bool holds_idle = false;

    for (int i = 0; i < timing->n_transfers; i++) {
        const struct sator_transport *transport = &timing->transfers[i].transport;
        for (int k = 0; k < transport->n_links; k++)
            reach = transport->links[k].interval > reach ? transport->links[k].interval : reach;
        holds_idle |= timing->transfers[i].holds_idle;
    }
    return reach + holds_idle;
}

/* Whether the digit "other" of the same loop stays, or comes to the same values again, where
 * "digit" takes a step. */
static bool is_apart(const struct nest_digit *digit, const struct nest_digit *other)
{
    if (other->modulus > 0 && digit->stride % other->stride == 0 &&
            digit->stride / other->stride % other->modulus == 0)
        return true; /* it is finer */
    return digit->modulus > 0 && other->stride % digit->stride == 0 &&
            other->stride / digit->stride % digit->modulus == 0;
}

/* Whether all other terms of a row leave the digit alone. */
static bool spares(const struct sator_workload *w, const struct sator_expr *expr,
        const struct nest_digit *digit)
{
    for (int t = 0; t < expr->n_terms; t++) {
        const struct sator_term *term = &expr->terms[t];
        const struct sator_expr alone = {.n_terms = 1, .terms = term};
        struct nest_digit other;
        bool is_plain;
        if (!sator_expr_has_var(&alone, digit->loop))
            continue;
        if (!nest_read_term(w, term, &other, &is_plain) || !is_apart(digit, &other))
            return false;
    }
    return true;
}

/* Whether no row of time and space but "row" has the digit. */
static bool is_of_row(
        const struct timing *timing, const struct sator_expr *row, const struct nest_digit *digit)
{
    const struct analysis *analysis = timing->analysis;
    const struct sator_piece *time = sator_relation_function(analysis->dataflow->time);
    const struct sator_piece *space = sator_relation_function(analysis->dataflow->space);
    bool all = true;

    for (int r = 0; r < analysis->n_time && all; r++)
        all = time->out[r] == row || spares(analysis->workload, time->out[r], digit);
    for (int d = 0; d < analysis->n_space && all; d++)
        all = space->out[d] == row || spares(analysis->workload, space->out[d], digit);
    return all;
}

/* Find the index of an access that "loop" is, the same one in all of its pieces; false: it is part
 * of one, or of a condition. */
static bool find_index(const struct sator_relation *map, int loop, int *index)
{
    const struct sator_piece *first = &map->pieces[0];

    *index = -1;
    for (int d = 0; d < map->n_out; d++) {
        const struct sator_expr *expr = first->out[d];
        if (!sator_expr_has_var(expr, loop))
            continue;
        if (*index >= 0 || expr->n_terms != 1 || expr->terms[0].atom != SATOR_ATOM_VAR)
            return false;
        *index = d;
    }
    for (int p = 0; p < map->n_pieces; p++) {
        const struct sator_piece *piece = &map->pieces[p];
        if (sator_cond_has_var(piece->cond, loop))
            return false;
        for (int d = 0; d < map->n_out; d++) {
            if (d == *index ? !sator_expr_equal(piece->out[d], first->out[d])
                            : sator_expr_has_var(piece->out[d], loop))
                return false;
        }
    }
    return true;
}

/* Where the elements of the loop's values are, by access; false: the loop does not stand alone. */
static bool find_elements(
        const struct timing *timing, const struct timing_list *list, struct timing_fold *fold)
{
    const struct sator_workload *w = timing->analysis->workload;

    fold->elements = SATOR_NEW_ARRAY(timing->arena, struct timing_place, w->n_accesses + 1);
    for (int i = 0; i < w->n_accesses; i++) {
        const struct sator_relation *map = w->accesses[i].relation;
        const struct timing_numbering *numbering = list->elements[i].numbering;
        int index;
        if (map->n_pieces == 0 || !find_index(map, fold->loop, &index))
            return false;
        if (index >= 0)
            fold->elements[i] = (struct timing_place){.below = numbering->below[index + 1],
                    .extent = numbering->extent[index],
                    .factor = map->pieces[0].out[index]->terms[0].factor};
    }
    return true;
}

/* Whether every access is indexed by the loop. */
static bool indexes_all(const struct timing *timing, const struct timing_fold *fold)
{
    bool all = true;

    for (int i = 0; i < timing->analysis->workload->n_accesses; i++)
        all &= fold->elements[i].factor != 0;
    return all;
}

/* Whether some wires are so narrow that it matters which words pass which. */
static bool limits_wires(const struct timing *timing)
{
    bool any = false;

    for (int i = 0; i < timing->n_transfers; i++)
        any |= timing->transfers[i].limits_wires;
    return any;
}

/* Whether "expr" is a digit with whole steps, all of them in the domain whatever the other loops
 * are, and stands alone in all that it is part of. "fold" then has what is known of the loop. */
static bool read_fold(const struct timing *timing, const struct timing_list *list,
        const struct sator_expr *expr, struct timing_fold *fold)
{
    const struct sator_workload *w = timing->analysis->workload;
    struct nest_digit digit;
    bool is_plain;

    if (expr->n_terms != 1 || expr->terms[0].factor < 0 ||
            !nest_read_term(w, &expr->terms[0], &digit, &is_plain))
        return false;
    const int64_t size = w->upper[digit.loop] - w->lower[digit.loop];
    const int64_t steps = (size - 1) / digit.stride + 1;
    *fold = (struct timing_fold){.loop = digit.loop,
            .size = size,
            .stride = digit.stride,
            .modulus = digit.modulus > 0 ? digit.modulus : steps,
            .is_whole =
                    size % digit.stride == 0 && (digit.modulus == 0 || steps % digit.modulus == 0),
            .row_factor = expr->terms[0].factor};
    return (w->is_box || !sator_set_ties(w->domain, digit.loop)) &&
            (fold->is_whole || digit.modulus == 0) && is_of_row(timing, expr, &digit) &&
            find_elements(timing, list, fold);
}

/* Fold the digit too, where that leaves something out, and the words of a stamp stay 64-bit numbers
 * however many each of the list's stands for. */
static void add_fold(
        const struct timing *timing, struct timing_list *list, const struct timing_fold *fold)
{
    if (fold->times < 2 || fold->times > most_times / list->times)
        return;
    list->times *= fold->times;
    SATOR_PUSH(timing->arena, list->folds, list->n_folds, *fold);
}

void timing_find_folds(const struct timing *timing, struct timing_list *list)
{
    const struct analysis *analysis = timing->analysis;
    const struct sator_piece *time = sator_relation_function(analysis->dataflow->time);
    const struct sator_piece *space = sator_relation_function(analysis->dataflow->space);
    const int64_t reach = find_reach(timing);
    struct timing_fold fold;

    if (time == NULL || space == NULL)
        return;
    for (int row = 0; row < analysis->n_time; row++) {
        if (!read_fold(timing, list, time->out[row], &fold))
            continue;
        fold.row = row;
        fold.first = reach;
        fold.times = fold.modulus - 2 * reach - !fold.is_whole;
        add_fold(timing, list, &fold);
    }
    for (int row = 0; row < analysis->n_space && !limits_wires(timing); row++) {
        if (!read_fold(timing, list, space->out[row], &fold) || !fold.is_whole ||
                !indexes_all(timing, &fold))
            continue;
        fold.row = row;
        fold.is_space = true;
        fold.times = fold.modulus;
        add_fold(timing, list, &fold);
    }
}

/* The step that "value" of the loop, from 0 on, is in. */
static int64_t step_of(const struct timing_fold *fold, int64_t value)
{
    return value / fold->stride % fold->modulus;
}

int64_t timing_next_value(const struct timing_list *list, int loop, int64_t value)
{
    int64_t next = value;

    do {
        value = next;
        for (int k = 0; k < list->n_folds; k++) {
            const struct timing_fold *fold = &list->folds[k];
            const int64_t left = fold->first + fold->times - step_of(fold, next);
            if (fold->loop == loop && 0 < left && left < fold->times)
                next += left * fold->stride - next % fold->stride;
        }
    } while (next != value);
    return value;
}

int64_t timing_stamp_times(const struct timing_list *list, int length, int64_t code)
{
    int64_t times = 1;

    for (int k = 0; k < list->n_folds; k++) {
        const struct timing_fold *fold = &list->folds[k];
        if (fold->is_space || fold->row >= length)
            continue;
        int64_t below = list->time_below[fold->row + 1] / list->time_below[length];
        int64_t extent = list->time_below[fold->row] / list->time_below[fold->row + 1];
        times *= code / below % extent == fold->first * fold->row_factor ? fold->times : 1;
    }
    return times;
}

int64_t timing_instance_times(const struct timing_list *list, int n_space)
{
    int64_t times = 1;

    for (int k = 0; k < list->n_folds; k++)
        times *= list->folds[k].is_space && list->folds[k].row < n_space ? list->folds[k].times : 1;
    return times;
}

int64_t timing_element_times(
        const struct timing_list *list, int n_time, int n_space, int access, int64_t element)
{
    int64_t times = 1;

    for (int k = 0; k < list->n_folds; k++) {
        const struct timing_fold *fold = &list->folds[k];
        const struct timing_place *place = &fold->elements[access];
        if (fold->row < (fold->is_space ? n_space : n_time) || place->factor == 0)
            continue;
        int64_t at = element / place->below % place->extent;
        int64_t value =
                place->factor > 0 ? at / place->factor : fold->size - 1 - at / -place->factor;
        times *= step_of(fold, value) == fold->first ? fold->times : 1;
    }
    return times;
}
