/* What a transfer over links moves in one stamp that is no row's, by boxes of places: rows of words
 * for each port's instances, those that are alike together. */
#include "model/timing/timing_boxes.h"

#include "base/arena.h"

#include <string.h>

/* What was followed before, of stamps that agree in all that it depends on. */
struct known_places {
    struct known_places *next;
    int n_key;
    int64_t *key;
    bool one_by_one;
    struct timing_movement movement; /* of stamp 0 */
};

struct follower {
    struct boxes *boxes;
    bool one_by_one;
    struct timing_movement *movement;
    struct box_words words; /* of the holder's instance at hand */
};

/* The number of the instance that digits at "value" make, in the first "n_dims" dimensions. */
static int64_t instance_of(const struct boxes *b, const int64_t *value, int n_dims)
{
    const struct nest *nest = b->nest;
    int64_t number = 0;

    for (int d = 0; d < n_dims; d++) {
        int64_t place = nest->space_constant[d];
        for (int i = 0; i < b->n_digits; i++)
            place += value[i] * nest->space_factor[d * NEST_DIGITS + b->digits[i].digit];
        number = number * nest->timing->analysis->shape[d] + place;
    }
    return number;
}

/* Add "words" for each of the instances that the box's first "n_digits" digits make. */
static void add_rows(const struct follower *f, int n_digits, int n_dims, int64_t words,
        struct timing_moves *moves)
{
    const struct boxes *b = f->boxes;
    int64_t value[NEST_DIGITS] = {0}, last[NEST_DIGITS] = {0}, copies = 1;
    int i = 0;

    if (words == 0)
        return;
    for (int k = 0; k < n_digits; k++) {
        value[k] = b->digits[k].first;
        copies *= b->digits[k].count;
    }
    struct timing_words row = {.words = words, .copies = f->one_by_one ? 0 : copies - 1};
    for (int k = 0; k < n_digits; k++)
        last[k] = value[k] + b->digits[k].count - 1;
    row.last = instance_of(b, last, n_dims);
    while (i >= 0) {
        row.instance = instance_of(b, value, n_dims);
        timing_moves_push(moves, b->nest->timing->arena, row);
        for (i = f->one_by_one ? n_digits - 1 : -1;
                i >= 0 && ++value[i] == b->digits[i].first + b->digits[i].count; i--)
            value[i] = b->digits[i].first;
    }
}

static int count_holder_digits(const struct boxes *b)
{
    int n = 0;

    while (n < b->n_digits && b->digits[n].is_holder)
        n++;
    return n;
}

static void follow_box(struct follower *f)
{
    struct boxes *b = f->boxes;
    struct box_words words = boxes_follow(b);
    int64_t places = 1;

    for (int i = count_holder_digits(b); i < b->n_digits; i++)
        places *= b->digits[i].count;
    f->words.sent += words.sent * places;
    f->words.stored += words.stored * places;
    if (b->transfer->arrives.port >= 0)
        add_rows(f, b->n_digits, b->n_dims, words.arrived, &f->movement->arrived);
}

static void walk_boxes(struct follower *f, int i)
{
    struct boxes *b = f->boxes;
    int n_holder = count_holder_digits(b);

    if (b->failed)
        return;
    if (i == n_holder)
        f->words = (struct box_words){0};
    if (i == b->n_digits) {
        follow_box(f);
    } else {
        struct box_digit *digit = &b->digits[i];
        for (int c = 0; c < digit->n_cells; c++) {
            digit->first = digit->cells[c];
            digit->count = digit->cells[c + 1] - digit->first;
            walk_boxes(f, i + 1);
        }
    }
    if (i != n_holder)
        return;
    add_rows(f, n_holder, b->transfer->holder_space, f->words.sent, &f->movement->sent);
    if (b->is_output)
        add_rows(f, n_holder, b->transfer->holder_space, f->words.stored, &f->movement->stored);
}

/* Add what was followed, in the stamp numbered "at". */
static void add_known(
        const struct boxes *b, const struct timing_moves *known, int at, struct timing_moves *moves)
{
    for (int i = 0; i < known->n; i++) {
        struct timing_words row = known->rows[i];
        row.stamp = at;
        timing_moves_push(moves, b->nest->timing->arena, row);
    }
}

bool nest_follow_places(const struct nest *nest, const struct timing_transfer *transfer, int n,
        const struct nest_stamp *stamps, int at, bool one_by_one, struct timing_movement *movement)
{
    struct boxes *b = transfer->is_own ? NULL : boxes_of(nest, transfer);

    if (b == NULL || b->full || !boxes_open(b, stamps, NULL, n, at))
        return false;
    struct known_places *known = b->places;
    while (known != NULL &&
            (known->one_by_one != one_by_one || known->n_key != b->n_key ||
                    memcmp(known->key, b->key, sizeof *b->key * (size_t)b->n_key) != 0))
        known = known->next;
    if (known == NULL) {
        if (!boxes_cut(b))
            return false;
        known = SATOR_NEW(nest->timing->arena, struct known_places);
        *known = (struct known_places){.next = b->places,
                .n_key = b->n_key,
                .key = sator_arena_copy(
                        nest->timing->arena, b->key, sizeof *b->key * (size_t)b->n_key),
                .one_by_one = one_by_one};
        struct follower f = {.boxes = b, .one_by_one = one_by_one, .movement = &known->movement};
        walk_boxes(&f, 0);
        b->failed |= b->branches;
        if (b->failed)
            return false;
        b->places = known;
    }
    add_known(b, &known->movement.sent, at, &movement->sent);
    add_known(b, &known->movement.arrived, at, &movement->arrived);
    add_known(b, &known->movement.stored, at, &movement->stored);
    return true;
}
