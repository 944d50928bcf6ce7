/* Nests of digits: reading. */
#include "model/timing/timing_nest.h"

/* ---- reading ---- */

bool nest_read_term(const struct sator_workload *w, const struct sator_term *term,
        struct nest_digit *digit, bool *is_plain)
{
    const struct sator_expr *argument = term->argument;

    *is_plain = term->atom == SATOR_ATOM_VAR;
    *digit = (struct nest_digit){.loop = term->var, .stride = 1, .order = -1};
    if (*is_plain)
        return true;
    digit->modulus = term->atom == SATOR_ATOM_MOD ? term->divisor : 0;
    digit->stride = term->atom == SATOR_ATOM_FLOOR ? term->divisor : 1;
    if (argument->n_terms != 1 || argument->terms[0].factor != 1)
        return false;
    const struct sator_term *inner = &argument->terms[0];
    if (term->atom == SATOR_ATOM_MOD && inner->atom == SATOR_ATOM_FLOOR &&
            argument->constant == 0) {
        digit->stride = inner->divisor;
        argument = inner->argument;
        if (argument->n_terms != 1 || argument->terms[0].factor != 1)
            return false;
        inner = &argument->terms[0];
    }
    digit->loop = inner->var;
    return inner->atom == SATOR_ATOM_VAR && argument->constant == -w->lower[inner->var];
}

/* The index of the digit, which is added when it is new; -1: no room. */
static int add_digit(struct nest *nest, const struct nest_digit *digit)
{
    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *known = &nest->digits[i];
        if (known->loop == digit->loop && known->stride == digit->stride &&
                known->modulus == digit->modulus)
            return i;
    }
    if (nest->n_digits == NEST_DIGITS)
        return -1;
    nest->digits[nest->n_digits] = *digit;
    return nest->n_digits++;
}

/* A row: factors of digits. */
struct row {
    int n;
    int digit[NEST_DIGITS];
    int64_t factor[NEST_DIGITS];
    int64_t constant;
    bool is_window; /* it is none of digits: perhaps it numbers windows of the skewed row */
};

static bool read_row(struct nest *nest, const struct sator_expr *expr, struct row *row)
{
    const struct sator_workload *w = nest->timing->analysis->workload;
    struct nest_digit digit;
    bool is_plain;

    *row = (struct row){.constant = expr->constant};
    for (int i = 0; i < expr->n_terms; i++) {
        if (row->n == NEST_DIGITS || !nest_read_term(w, &expr->terms[i], &digit, &is_plain))
            return false;
        int index = add_digit(nest, &digit);
        if (index < 0)
            return false;
        row->digit[row->n] = index;
        row->factor[row->n++] = expr->terms[i].factor;
        if (is_plain)
            row->constant += expr->terms[i].factor * w->lower[digit.loop];
    }
    return true;
}

/* The loop's coarsest digit that is finer than "above"; -1: none. */
static int next_digit(const struct nest *nest, int loop, int64_t above)
{
    int next = -1;

    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        if (digit->loop == loop && digit->stride < above &&
                (next < 0 || digit->stride > nest->digits[next].stride))
            next = i;
    }
    return next;
}

/* Add the digit of "loop" that is left within a stamp between others. */
static bool add_rest(struct nest *nest, int loop, int64_t stride, int64_t above)
{
    int64_t count = (nest->size[loop] + stride - 1) / stride;
    struct nest_digit rest = {.loop = loop, .stride = stride, .order = -1};

    if (above != INT64_MAX && above % stride != 0)
        return false;
    rest.modulus = above == INT64_MAX ? 0 : above / stride;
    rest.extent = rest.modulus > 0 && rest.modulus < count ? rest.modulus : count;
    return add_digit(nest, &rest) >= 0;
}

/* Order the digits of a loop, and add what is left of it within a stamp: false where they are no
 * mixed radix. */
static bool finish_loop(struct nest *nest, int loop)
{
    int64_t above = INT64_MAX; /* what the digits so far are multiples of */

    for (int next; (next = next_digit(nest, loop, above)) >= 0;) {
        struct nest_digit *digit = &nest->digits[next];
        int64_t stride = digit->stride;
        int64_t count = (nest->size[loop] + stride - 1) / stride;
        for (int i = 0; i < nest->n_digits; i++) {
            if (i != next && nest->digits[i].loop == loop && nest->digits[i].stride == stride)
                return false; /* the same digit with another modulus */
        }
        digit->extent = digit->modulus > 0 && digit->modulus < count ? digit->modulus : count;
        if (digit->modulus == 0 && above != INT64_MAX)
            return false;
        if (digit->modulus > 0 && digit->modulus * stride != above &&
                (above != INT64_MAX || digit->modulus < count) &&
                !add_rest(nest, loop, digit->modulus * stride, above))
            return false;
        above = stride;
    }
    return above == 1 || add_rest(nest, loop, 1, above);
}

/* Leave out digits of one value. */
static void drop_constants(const struct nest *nest, struct row *row)
{
    int n = 0;

    for (int i = 0; i < row->n; i++) {
        row->digit[n] = row->digit[i];
        row->factor[n] = row->factor[i];
        n += nest->digits[row->digit[i]].extent > 1;
    }
    row->n = n;
}

/* Whether the digits of a row make different values in the order of their factors, greatest first:
 * then sort them so. */
static bool sort_row(const struct nest *nest, struct row *row)
{
    int64_t inner = 0;

    drop_constants(nest, row);
    for (int i = 0; i < row->n; i++) {
        for (int k = i; k > 0 && row->factor[k] > row->factor[k - 1]; k--) {
            int64_t factor = row->factor[k];
            int digit = row->digit[k];
            row->factor[k] = row->factor[k - 1];
            row->digit[k] = row->digit[k - 1];
            row->factor[k - 1] = factor;
            row->digit[k - 1] = digit;
        }
    }
    for (int i = row->n - 1; i >= 0; i--) {
        if (row->factor[i] <= inner)
            return false;
        inner += row->factor[i] * (nest->digits[row->digit[i]].extent - 1);
    }
    return true;
}

static bool read_space(struct nest *nest, const struct sator_piece *space, struct row *rows)
{
    int n_space = nest->timing->analysis->n_space;

    for (int d = 0; d < n_space; d++) {
        if (!read_row(nest, space->out[d], &rows[d]))
            return false;
        for (int i = 0; i < rows[d].n; i++)
            nest->digits[rows[d].digit[i]].is_space = true;
    }
    return true;
}

/* Add a row of time whose digits are of time alone. */
static bool add_row(struct nest *nest, int r, struct row *row)
{
    if (!sort_row(nest, row))
        return false;
    for (int i = 0; i < row->n; i++) {
        struct nest_digit *digit = &nest->digits[row->digit[i]];
        if (digit->order >= 0 || digit->is_space)
            continue; /* said by a row before, or always 0 */
        digit->order = nest->n_order;
        nest->row[nest->n_order] = r;
        nest->order[nest->n_order++] = row->digit[i];
    }
    return true;
}

/* Order the digits that make the running number of the skewed row, coarsest first: false where they
 * are no mixed radix. */
static bool sort_runs(struct nest *nest)
{
    int64_t weight = 1;

    for (int i = 1; i < nest->n_runs; i++) {
        for (int k = i; k > 0; k--) {
            int coarse = nest->runs[k - 1], fine = nest->runs[k];
            if (nest->digits[coarse].run >= nest->digits[fine].run)
                break;
            nest->runs[k - 1] = fine;
            nest->runs[k] = coarse;
        }
    }
    for (int i = nest->n_runs - 1; i >= 0; i--) {
        const struct nest_digit *digit = &nest->digits[nest->runs[i]];
        if (digit->run != weight || __builtin_mul_overflow(weight, digit->extent, &weight))
            return false;
    }
    return true;
}

/* The row that has space digits. */
static void add_skewed_row(struct nest *nest, const struct row *row)
{
    nest->is_skewed = true;
    for (int i = 0; i < row->n; i++) {
        struct nest_digit *digit = &nest->digits[row->digit[i]];
        if (digit->order >= 0 || row->factor[i] == 0 || digit->extent == 1)
            continue; /* constant under the rows before */
        if (digit->is_space) {
            digit->skew = row->factor[i];
        } else {
            digit->run = row->factor[i];
            nest->runs[nest->n_runs++] = row->digit[i];
        }
    }
}

/* Where memories are cut inside the skewed row: its values number the prefixes up to it, or all
 * stamps, but not both. */
static bool find_full(struct nest *nest)
{
    const struct timing *timing = nest->timing;
    const int length = timing->reach[nest->skewed_row + 1];

    nest->full_length = timing_level_of(timing, length) >= 0 ? length : timing->analysis->n_time;
    for (int l = 0; l < timing->n_levels - 1; l++) {
        if (timing->lengths[l] > nest->skewed_row && timing->lengths[l] != nest->full_length)
            return false;
    }
    return true;
}

/* A row inside the skewed one where a memory is cut between: all of its digits' values are there in
 * each stamp's contents. */
static bool add_contents(struct nest *nest, const struct row *row)
{
    for (int i = 0; i < row->n; i++) {
        struct nest_digit *digit = &nest->digits[row->digit[i]];
        int64_t rest = nest->size[digit->loop] - 1;
        if (digit->order >= 0 || digit->extent == 1)
            continue;
        for (int k = 0; k < nest->loops[digit->loop].n; k++) {
            const struct nest_digit *other = &nest->digits[nest->loops[digit->loop].digits[k]];
            rest -= other->stride * (other->extent - 1);
        }
        if (digit->is_space || digit->run != 0 || rest != 0)
            return false;
        digit->is_inner = true;
    }
    return true;
}

/* Each value of the skewed row lasts as long as "extent" stamps. */
static bool stretch_row(struct nest *nest, int64_t extent)
{
    bool fits = true;

    for (int k = 0; k < nest->n_digits; k++) {
        struct nest_digit *outer = &nest->digits[k];
        fits &= !__builtin_mul_overflow(outer->run, extent, &outer->run);
        fits &= !__builtin_mul_overflow(outer->skew, extent, &outer->skew);
    }
    for (int k = 0; k < nest->n_windows; k++) {
        fits &= !__builtin_mul_overflow(nest->windows[k].unit, extent, &nest->windows[k].unit);
        fits &= !__builtin_mul_overflow(nest->windows[k].lead, extent, &nest->windows[k].lead);
    }
    return fits;
}

/* A row inside the skewed one: its digits are the finest of the running number, as each value of
 * the skewed row lasts as long as they run. */
static bool add_inner_row(struct nest *nest, struct row *row)
{
    if (!sort_row(nest, row))
        return false;
    if (nest->full_length < nest->timing->analysis->n_time)
        return add_contents(nest, row);
    for (int i = 0; i < row->n; i++) {
        struct nest_digit *digit = &nest->digits[row->digit[i]];
        if (digit->order >= 0 || digit->extent == 1)
            continue;
        if (digit->is_space || digit->run != 0)
            return false;
        if (!stretch_row(nest, digit->extent))
            return false;
        digit->run = 1;
        nest->runs[nest->n_runs++] = row->digit[i];
    }
    return true;
}

static bool has_space(const struct nest *nest, const struct row *row)
{
    for (int i = 0; i < row->n; i++) {
        if (nest->digits[row->digit[i]].is_space && nest->digits[row->digit[i]].extent > 1)
            return true;
    }
    return false;
}

/* How much earlier than at the first PE the row may begin: what its digits of space take off. */
static int64_t find_lead(const struct nest *nest, const struct row *row)
{
    int64_t lead = 0;

    for (int i = 0; i < row->n; i++) {
        const struct nest_digit *digit = &nest->digits[row->digit[i]];
        if (row->factor[i] < 0)
            lead -= row->factor[i] * ((digit->modulus > 0 ? digit->modulus : digit->extent) - 1);
    }
    return lead;
}

/* Row "r" of time, which is none of digits: it numbers windows of the skewed one after it. Where no
 * memory is cut there, it tells nothing that the skewed row does not. */
static bool add_window(struct nest *nest, int r, const struct row *rows)
{
    const struct analysis *analysis = nest->timing->analysis;
    const struct sator_piece *time = sator_relation_function(analysis->dataflow->time);
    struct nest_window *window = &nest->windows[nest->n_windows];
    int skewed = r + 1;

    while (skewed < analysis->n_time && rows[skewed].is_window)
        skewed++;
    if (skewed == analysis->n_time || nest->is_skewed || !has_space(nest, &rows[skewed]) ||
            nest->n_windows == NEST_WINDOWS ||
            !nest_read_window(
                    nest, time->out[r], time->out[skewed], find_lead(nest, &rows[skewed]), window))
        return false;
    window->length = nest->timing->reach[r + 1];
    nest->n_windows += timing_level_of(nest->timing, window->length) >= 0;
    return true;
}

/* The digits of every loop. */
static void list_digits(struct nest *nest)
{
    int64_t greatest[NEST_DIGITS] = {0}; /* of each loop */

    for (int i = 0; i < nest->n_digits; i++) {
        struct nest_loop *loop = &nest->loops[nest->digits[i].loop];
        int k = loop->n++;
        for (; k > 0 && nest->digits[loop->digits[k - 1]].stride < nest->digits[i].stride; k--)
            loop->digits[k] = loop->digits[k - 1];
        loop->digits[k] = i;
        greatest[nest->digits[i].loop] += nest->digits[i].stride * (nest->digits[i].extent - 1);
    }
    for (int l = 0; l < nest->n_loops; l++)
        nest->loops[l].is_whole = greatest[l] == nest->size[l] - 1;
}

static void count_fixed(struct nest *nest)
{
    const int n_time = nest->timing->analysis->n_time;

    nest->fixed = SATOR_NEW_ARRAY(nest->timing->arena, int, n_time + 1);
    for (int length = 0, n = 0; length <= n_time; length++) {
        while (n < nest->n_order && nest->row[n] < length)
            n++;
        nest->fixed[length] = n;
    }
}

static bool read_stamps(struct nest *nest)
{
    const struct analysis *analysis = nest->timing->analysis;
    const struct sator_piece *space = sator_relation_function(analysis->dataflow->space);
    const struct sator_piece *time = sator_relation_function(analysis->dataflow->time);
    struct row *rows = SATOR_NEW_ARRAY(
            nest->timing->arena, struct row, analysis->n_space + analysis->n_time + 1);
    struct row *time_rows = rows + analysis->n_space;

    if (space == NULL || time == NULL || !read_space(nest, space, rows))
        return false;
    for (int r = 0; r < analysis->n_time; r++) {
        time_rows[r].is_window = !read_row(nest, time->out[r], &time_rows[r]);
    }
    for (int loop = 0; loop < nest->n_loops; loop++) {
        if (!finish_loop(nest, loop))
            return false;
    }
    list_digits(nest);
    nest->skewed_row = nest->full_length = analysis->n_time;
    for (int r = 0; r < analysis->n_time; r++) {
        if (time_rows[r].is_window) {
            if (!add_window(nest, r, time_rows))
                return false;
            continue;
        }
        bool is_skewed = has_space(nest, &time_rows[r]);
        if (is_skewed && nest->is_skewed)
            return false; /* several skewed rows */
        if (is_skewed) {
            nest->skewed_row = r;
            add_skewed_row(nest, &time_rows[r]);
            if (!find_full(nest))
                return false;
        } else if (nest->is_skewed ? !add_inner_row(nest, &time_rows[r])
                                   : !add_row(nest, r, &time_rows[r])) {
            return false;
        }
    }
    if (nest->is_skewed && !sort_runs(nest))
        return false;
    count_fixed(nest);
    nest->is_row_whole = true;
    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        nest->is_row_whole &= nest_row_factor(digit) == 0 || nest->loops[digit->loop].is_whole;
    }
    nest->space_factor =
            SATOR_NEW_ARRAY(nest->timing->arena, int64_t, analysis->n_space * NEST_DIGITS + 1);
    nest->space_constant = SATOR_NEW_ARRAY(nest->timing->arena, int64_t, analysis->n_space + 1);
    for (int d = 0; d < analysis->n_space; d++) {
        if (!sort_row(nest, &rows[d]))
            return false;
        for (int i = 0; i < rows[d].n; i++) {
            if (nest->digits[rows[d].digit[i]].order >= 0)
                return false;
            nest->space_factor[d * NEST_DIGITS + rows[d].digit[i]] = rows[d].factor[i];
        }
        nest->space_constant[d] = rows[d].constant;
    }
    return true;
}

/* The numbers of an access's elements, as a sum over loops. */
static bool read_access(struct nest *nest, const struct sator_relation *map, struct nest_access *a)
{
    struct sator_arena *arena = nest->timing->arena;
    const struct sator_workload *w = nest->timing->analysis->workload;
    struct timing_numbering numbering;

    if (!timing_number_tuple(nest->timing, map, &numbering))
        return false;
    *a = (struct nest_access){.n_pieces = map->n_pieces,
            .factor = SATOR_NEW_ARRAY(arena, int64_t, map->n_pieces * nest->n_loops + 1),
            .constant = SATOR_NEW_ARRAY(arena, int64_t, map->n_pieces + 1),
            .range = numbering.range,
            .uses = SATOR_NEW_ARRAY(arena, bool, nest->n_loops + 1)};
    for (int p = 0; p < map->n_pieces; p++) {
        const struct sator_piece *piece = &map->pieces[p];
        if (piece->n_free > 0 || piece->cond->op != SATOR_COND_TRUE)
            return false;
        for (int d = 0; d < map->n_out; d++) {
            int64_t radix = numbering.below[d + 1];
            a->constant[p] += radix * (piece->out[d]->constant - numbering.least[d]);
            for (int t = 0; t < piece->out[d]->n_terms; t++) {
                const struct sator_term *term = &piece->out[d]->terms[t];
                if (term->atom != SATOR_ATOM_VAR)
                    return false;
                a->factor[p * nest->n_loops + term->var] += radix * term->factor;
                a->constant[p] += radix * term->factor * w->lower[term->var];
                a->uses[term->var] = true;
            }
        }
    }
    return true;
}

/* The instances of a PE in a stamp where all of them have as many; 0: they have not. */
static int64_t count_always(const struct nest *nest)
{
    int64_t n = 1;

    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        if (digit->is_space || digit->order >= 0 || digit->run != 0 || digit->is_inner ||
                digit->extent == 1)
            continue;
        if (!nest->loops[digit->loop].is_whole)
            return 0;
        n *= digit->extent;
    }
    return n;
}

bool nest_read(struct timing *timing, struct nest *nest)
{
    const struct sator_workload *w = timing->analysis->workload;

    if (!w->is_box)
        return false;
    *nest = (struct nest){.timing = timing,
            .uneven = -1,
            .n_loops = w->n_loops,
            .size = SATOR_NEW_ARRAY(timing->arena, int64_t, w->n_loops + 1),
            .accesses = SATOR_NEW_ARRAY(timing->arena, struct nest_access, w->n_accesses + 1),
            .loops = SATOR_NEW_ARRAY(timing->arena, struct nest_loop, w->n_loops + 1),
            .parts = SATOR_NEW_ARRAY(timing->arena, struct parts *, timing->n_transfers + 1),
            .boxes = SATOR_NEW_ARRAY(timing->arena, struct boxes *, timing->n_transfers + 1),
            .starts =
                    SATOR_NEW_ARRAY(timing->arena, struct known_starts *, timing->n_transfers + 1)};
    for (int i = 0; i < w->n_loops; i++)
        nest->size[i] = w->upper[i] - w->lower[i];
    if (!read_stamps(nest))
        return false;
    nest->most = count_always(nest);
    for (int i = 0; i < w->n_accesses; i++) {
        if (!read_access(nest, w->accesses[i].relation, &nest->accesses[i]))
            return false;
    }
    return true;
}
