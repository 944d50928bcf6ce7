/* Boxes: what the place at hand and its neighbours hold. */
#include "model/timing/timing_boxes.h"

#include <stdlib.h>
#include <string.h>

/* Go from dimension "d" of a place, whose digits have "values", "by" steps along it; false: nobody
 * is there. */
static bool shift_dim(
        const struct boxes *b, int d, const int64_t *values, int64_t by, struct box_place *place)
{
    const struct nest *nest = b->nest;
    const struct box_dim *dim = &b->dims[d];
    int64_t rest = by;

    for (int i = 0; i < dim->n; i++)
        rest += values[dim->list[i]] * nest->space_factor[d * NEST_DIGITS + dim->list[i]];
    for (int i = 0; i < dim->n; i++) {
        const struct nest_digit *digit = &nest->digits[dim->list[i]];
        int64_t factor = nest->space_factor[d * NEST_DIGITS + dim->list[i]];
        int64_t v = factor == 1 ? rest : rest / factor, more = v - values[dim->list[i]];
        if (rest < 0 || v >= digit->extent)
            return false;
        rest -= v * factor;
        place->sum[digit->loop] += more * digit->stride;
        place->local -= more * digit->skew;
    }
    return rest == 0;
}

/* Set the digits of the running number from "before" to the place's; false: it has no such. */
static bool shift_local(const struct boxes *b, int64_t before, struct box_place *place)
{
    const struct nest *nest = b->nest;
    int64_t rest = place->local;

    if (rest == before)
        return true;
    for (int r = 0; r < nest->n_runs && rest >= 0; r++) {
        const struct nest_digit *digit = &nest->digits[nest->runs[r]];
        int64_t v = digit->run == 1 ? rest : rest / digit->run;
        int64_t old = digit->run == 1 ? before : before / digit->run;
        if (v >= digit->extent)
            return false;
        rest -= v * digit->run;
        before -= old * digit->run;
        place->sum[digit->loop] += (v - old) * digit->stride;
    }
    return rest == 0;
}

/* Add a loop's values to the line; false: the sums are no progression. */
static bool add_values(
        struct box_line *line, int64_t base, int64_t count, int64_t step, int64_t factor)
{
    int64_t reach = factor * step * (count - 1), by = llabs(factor * step);

    line->low += factor * base + (reach < 0 ? reach : 0);
    line->high += factor * base + (reach > 0 ? reach : 0);
    if (reach == 0)
        return true;
    if (line->low == line->high - llabs(reach))
        line->step = by; /* it was one value */
    return by % line->step == 0 &&
            by / line->step <= (line->high - line->low - llabs(reach)) / line->step + 1;
}

/* The only element that a place holds; false: it has none. */
static void find_element(
        const struct boxes *b, const struct box_place *place, struct box_holding *holding)
{
    const struct nest *nest = b->nest;

    holding->element = 0;
    for (int l = 0; l < nest->n_loops; l++)
        holding->element += b->access->factor[l] * place->sum[l];
}

static void find_lines(struct boxes *b, const struct box_place *place, struct box_holding *holding)
{
    const struct nest *nest = b->nest;

    for (int i = 0; i < b->map->n_pieces * b->map->n_out; i++) {
        const struct box_term *term = &b->terms[i];
        struct box_line *line = &holding->lines[i];
        *line = (struct box_line){term->constant, term->constant, 1};
        for (int t = 0; t < term->n; t++) {
            int loop = term->loop[t];
            const struct box_within *within = &b->within[loop];
            int64_t count = within->extent == 1
                    ? 1
                    : (nest->size[loop] - 1 - place->sum[loop]) / within->step + 1;
            count = count < within->extent ? count : within->extent;
            if (!add_values(line, place->sum[loop], count, within->step, term->factor[t]))
                b->failed = true;
        }
    }
}

/* Find what the place holds. */
static void find_holding(
        struct boxes *b, const struct box_place *place, struct box_holding *holding)
{
    const struct nest *nest = b->nest;

    for (int l = 0; l < nest->n_loops; l++) {
        if (place->sum[l] >= nest->size[l])
            return;
    }
    holding->any = true;
    if (b->is_single)
        find_element(b, place, holding);
    else
        find_lines(b, place, holding);
}

/* Go "k" stamps on; false: there are none that matter. */
static bool step(const struct boxes *b, int64_t k, int *run, int64_t *row)
{
    int start = *run;

    for (*row += k; *row < b->runs[*run].row.first; (*run)--) {
        int64_t beyond = b->runs[*run].row.first - *row;
        if (*run == 0)
            return false;
        *row = b->runs[*run - 1].row.last - beyond + 1;
    }
    for (; *row > b->runs[*run].row.last; (*run)++) {
        int64_t beyond = *row - b->runs[*run].row.last;
        if (*run == b->n_runs - 1)
            return false;
        *row = b->runs[*run + 1].row.first + beyond - 1;
    }
    return *run == start || b->runs[*run].is_near;
}

/* The place of a neighbour; false: there is none. */
static bool find_neighbour(const struct boxes *b, const struct box_move *move,
        const int64_t *values, const struct box_place *own, struct box_place *other)
{
    int64_t row = own->row;
    int run = own->run;

    if (!step(b, move->stamps, &run, &row))
        return false;
    *other = (struct box_place){.run = run, .row = row, .local = own->local + row - own->row};
    memcpy(other->sum, own->sum, sizeof *own->sum * (size_t)b->nest->n_loops);
    for (int l = 0; l < b->nest->n_loops && run != own->run; l++)
        other->sum[l] += b->runs[run].base[l] - b->runs[own->run].base[l];
    for (int d = 0; d < b->n_dims && move->offset != NULL; d++) {
        if (move->offset[d] != 0 && !shift_dim(b, d, values, move->offset[d], other))
            return false;
    }
    return !b->full || shift_local(b, own->local, other);
}

/* Whether wires that lead to lesser PEs join those that differ in the digit: then it is the last
 * of them that takes a sum up. */
static bool starts_last(const struct boxes *b, int digit)
{
    const struct sator_transport *transport = &b->transfer->transport;

    for (int k = 0; k < transport->n_links; k++) {
        const int64_t *offset = b->moves[box_consumer(transport->n_links, k)].offset;
        for (int d = 0; d < b->n_dims && transport->links[k].interval == 0; d++) {
            if (offset[d] < 0 && b->nest->space_factor[d * NEST_DIGITS + digit] != 0)
                return true;
        }
    }
    return false;
}

/* Whether the box's places are the first to take up what they hold. */
static bool is_first(const struct boxes *b)
{
    for (int i = 0; i < b->n_digits; i++) {
        const struct box_digit *digit = &b->digits[i];
        int64_t start = nest_start(b->nest, b->transfer, digit->digit, digit->extent);
        if (digit->first != start &&
                (digit->is_run ? !b->access->uses[b->nest->digits[digit->digit].loop]
                               : nest_spreads(b->nest, b->transfer, digit->digit) &&
                                        !starts_last(b, digit->digit)))
            return false;
    }
    return true;
}

/* Note the digits along which sums go on from "other", or there. */
static void note_passed(struct boxes *b, const struct box_move *move, const struct box_place *own,
        const struct box_place *other)
{
    for (int i = 0; i < b->n_digits; i++) {
        const struct nest_digit *digit = &b->nest->digits[b->digits[i].digit];
        bool moves = b->digits[i].is_run &&
                own->local / digit->run % digit->extent !=
                        other->local / digit->run % digit->extent;
        for (int d = 0; d < b->n_dims && move->offset != NULL && !b->digits[i].is_run; d++)
            moves |= move->offset[d] != 0 &&
                    b->nest->space_factor[d * NEST_DIGITS + b->digits[i].digit] != 0;
        b->passed |= (uint64_t)moves << i;
    }
    b->is_joined |= other->run != own->run;
}

/* Whether the box's place is the last of those that have its sum, and of those in the same stamp
 * the first. */
static bool is_last(const struct boxes *b)
{
    for (int i = 0; i < b->n_digits; i++) {
        const struct box_digit *digit = &b->digits[i];
        if ((b->grouped >> i & 1) != 0 && !b->access->uses[b->nest->digits[digit->digit].loop] &&
                digit->first != (digit->factor > 0 ? digit->extent - 1 : 0))
            return false;
    }
    return true;
}

/* The place of the box at hand: its first. */
static void find_place(const struct boxes *b, int64_t *values, struct box_place *place)
{
    const struct nest *nest = b->nest;

    place->run = b->at;
    place->row = place->local = 0;
    memcpy(place->sum, b->runs[b->at].base, sizeof *place->sum * (size_t)nest->n_loops);
    for (int i = 0; i < b->n_digits; i++) {
        const struct box_digit *own = &b->digits[i];
        const struct nest_digit *digit = &nest->digits[own->digit];
        values[own->digit] = own->first;
        place->sum[digit->loop] += own->first * digit->stride;
        place->row += own->first * own->factor;
        place->local += own->is_run ? own->first * own->factor : 0;
    }
}

struct box_words boxes_follow(struct boxes *b)
{
    int64_t values[NEST_DIGITS]; /* of places' digits */
    struct box_place own, others[BOX_MOVES];

    b->own.any = false;
    find_place(b, values, &own);
    find_holding(b, &own, &b->own);
    if (!b->own.any)
        return (struct box_words){0};
    if (b->transfer->is_own) {
        struct box_words words = {0};
        bool starts = b->is_output && b->untouched && is_first(b);
        nest_count_own(b->nest, b->transfer, own.sum, starts, &words.sent, &words.stored);
        return words;
    }
    for (int m = 0; m < b->n_moves; m++) {
        b->others[m].any = false;
        if (find_neighbour(b, &b->moves[m], values, &own, &others[m]))
            find_holding(b, &others[m], &b->others[m]);
    }
    b->joined = 0;
    struct box_words words =
            boxes_sift(b, b->untouched && is_first(b), b->is_grouped && is_last(b));
    for (int m = 0; m < b->n_moves && b->joined != 0; m++) {
        if ((b->joined >> m & 1) != 0)
            note_passed(b, &b->moves[m], &own, &others[m]);
    }
    return words;
}
