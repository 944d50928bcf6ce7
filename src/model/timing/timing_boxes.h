/* What a transfer over links, or of the PEs' own memory, moves in a stamp, by boxes of places that
 * are alike (doc/model.md, section 7).
 *
 * Whether the words of PE p are sent depends on what a few neighbours hold: PEs that a link leads
 * from or to, the stamps before and after. These are missing, or hold fewer elements, only near the
 * ends of the digits of p (and, in a skewed row, of the running number there). So the places fall
 * into few boxes that are alike: products of ranges of digits. One place of each is followed; what
 * it holds and what its neighbours hold are boxes, too, of elements: progressions in each index.
 */
#ifndef SATOR_MODEL_TIMING_BOXES_H
#define SATOR_MODEL_TIMING_BOXES_H

#include "model/timing/timing_nest.h"

enum {
    BOX_WINDOW = 24, /* prefixes that follow each other */
    BOX_LINKS = 8,
    BOX_MOVES = 64
};

/* The values that the skewed row takes under a prefix. */
struct box_range {
    int64_t first, last;
};

/* What one prefix of the window fixes. */
struct box_run {
    const struct nest_stamp *prefix;
    struct box_range row; /* 0 without a skewed one */
    int64_t *base; /* of each loop: what its fixed digits add up to */
    bool is_near; /* it may hold what the prefix at hand holds, and that matters */
};

/* Low, low + step, .. high. */
struct box_line {
    int64_t low, high, step;
};

/* What a place holds: of each piece of the access a line for each index. */
struct box_holding {
    bool any;
    struct box_line *lines;
    int64_t element; /* where a place holds but one: its number */
};

/* A place in a run, by the values of the loops: its fixed digits', its own, not what is inside. */
struct box_place {
    int run;
    int64_t row; /* value of the skewed row */
    int64_t local; /* of the running number */
    int64_t sum[NEST_DIGITS]; /* of each loop */
};

/* A neighbour that matters: so many stamps later, at a PE so far away. */
struct box_move {
    const int64_t *offset; /* NULL: the same PE */
    int64_t stamps;
};

struct box_digit {
    int digit;
    bool is_run; /* of the skewed row's running number, not of space */
    bool is_holder; /* tells the holder's instances apart */
    int64_t factor; /* in the row */
    int64_t extent; /* under the prefix at hand */
    int64_t low, high; /* how much lower, higher neighbours are */
    int64_t cross_low, cross_high; /* so near the ends, they are in another run */
    int n_cells;
    int64_t *cells; /* first values of ranges that are alike, and the extent */
    int64_t first, count; /* of the box at hand */
};

/* Words of one place. */
struct box_words {
    int64_t sent, arrived, stored;
    int64_t begun; /* that neither the place itself nor a link had before */
};

struct boxes {
    const struct nest *nest;
    const struct timing_transfer *transfer;
    const struct nest_access *access;
    const struct sator_relation *map;
    bool is_output, full;
    bool is_single; /* a place holds one element */
    bool is_outside; /* of all arrays: one instance, which holds what any PE wants (timing_runs.c)
                      */
    int n_fixed, n_dims;
    int64_t *reach; /* of each loop: the most that digits add that no prefix fixes */
    struct box_dim {
        int n;
        int *list; /* digits, coarsest first */
    } * dims;
    struct box_within { /* digits of a loop inside a place: their values are 0, step, .. */
        int64_t step, extent;
    } * within;
    struct box_term { /* of each piece and index, those of small factors first */
        int64_t constant;
        int n;
        int *loop;
        int64_t *factor;
    } * terms;
    int n_digits; /* the holder's first */
    struct box_digit *digits;
    int n_moves;
    struct box_move *moves;
    int64_t back; /* stamps that the longest move spans */
    int n_runs, at; /* the prefixes, and which of them is at hand */
    int n_key, n_cut; /* numbers that what moves under it depends on, */
    int64_t *key, *cut; /* and those that the digits' cells are of */
    struct box_run runs[BOX_WINDOW];
    struct box_holding own, *others; /* of each move */
    bool crosses; /* another of them matters */
    bool untouched; /* nobody touched the sums of the prefix before */
    bool branches; /* several others go on with a place's sum: */
    bool is_grouped; /* then the last of all that have it stores it (boxes_group) */
    uint64_t joined; /* moves over which sums come to the box at hand, and go on */
    uint64_t passed, grouped; /* digits along which sums go on: in the row at hand; where grouped */
    bool is_joined; /* sums of the row at hand go on in another */
    bool failed; /* something has another form */
    struct known_row *rows; /* what was followed before: of timing_runs.c, */
    struct known_places *places; /* of timing_places.c */
};

/* Whether the prefixes fix the digit. */
static inline bool boxes_fix(const struct boxes *boxes, const struct nest_digit *digit)
{
    return digit->order >= 0 && digit->order < boxes->n_fixed;
}

/* The transfer's boxes, made once; NULL: it has another form. */
struct boxes *boxes_of(const struct nest *nest, const struct timing_transfer *transfer);
/* Let the last place that has a sum store it, in place of each that nobody goes on for. Those that
 * hold an element and differ only in digits along which sums go on have one sum, if one place
 * begins it and no prefix before or after has it; each value of the other digits begins anew.
 * False: which of them is the last is not known. */
bool boxes_group(struct boxes *boxes);
/* The sums that places under the prefix at hand make, where boxes_group says true. */
int64_t boxes_count_sums(const struct boxes *boxes);

/* ---- timing_cells.c: prefixes ---- */

/* Go to the "at"-th of the prefixes, which follow each other and have these rows (NULL: no skewed
 * ones): false where they have another form. "key" has what the words under it depend on. */
bool boxes_open(struct boxes *boxes, const struct nest_stamp *prefixes,
        const struct box_range *rows, int n, int at);
/* Cut the digits into the cells of the prefix at hand; false: there are too many. */
bool boxes_cut(struct boxes *boxes);
/* How many values a digit takes under it, of a loop that has no other or all of their values. */
int64_t boxes_count_values(const struct boxes *boxes, const struct nest_digit *digit);

/* ---- timing_held.c: places ---- */

/* What each place of the box at hand moves; "failed" may be set. */
struct box_words boxes_follow(struct boxes *boxes);

/* ---- timing_runs.c: rows ---- */

/* The digits of the running number, coarsest first, without values that are left out. */
struct squeezed {
    int n;
    struct squeezed_digit {
        int digit;
        int64_t extent;
        int64_t low, high; /* values at either end that are kept, of all transfers */
        int64_t left_out; /* values in the middle */
        int64_t factor; /* in the row, when these are left out */
        int64_t middle; /* the value that stands for them and itself */
    } digits[NEST_DIGITS];
    int64_t span; /* of the row, without the running number */
    int64_t n_values; /* of the row */
    int64_t first; /* the value that is number 0 */
};

/* The values of a box's digit in such a row. */
struct box_span {
    int64_t first, count, factor;
};
struct box_span boxes_squeeze(const struct squeezed *squeezed, const struct box_digit *digit);

/* ---- timing_busiest.c ---- */

/* Whether the transfer passes ports that each PE has for itself. */
bool boxes_pass_own_ports(const struct timing_transfer *transfer);
/* Find what the busiest PE has each such port do, at each value of "row": its "busiest". False:
 * there are too many boxes, or one of them leaves the row. */
bool boxes_find_busiest(
        const struct nest *nest, const struct squeezed *squeezed, struct nest_row *row);

/* ---- timing_sift.c: elements ---- */

/* Find what the place holds, and the others that matter, in "boxes". */
struct box_words boxes_sift(struct boxes *boxes, bool is_fresh, bool is_last);

/* The numbers of the moves of a transfer with "n" links. */
enum {
    BOX_BEFORE = 0 /* the same PE, in the stamp before; then who provides over each link */
};
static inline int box_provider(int k)
{
    return 1 + k;
}
static inline int box_after(int n)
{
    return 1 + n;
}
static inline int box_consumer(int n, int k)
{
    return 2 + n + k;
}
static inline int box_consumer_before(int n, int k)
{
    return 2 + 2 * n + k;
}
/* Who else provides for the consumer over link k: over an earlier link. */
static inline int box_consumer_provider(int n, int k, int earlier)
{
    return 2 + 3 * n + k * (k - 1) / 2 + earlier;
}

#endif
