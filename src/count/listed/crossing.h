/* Two buses that cross, such as rows and columns of an array.
 *
 * The first bus leaves one pair of each of its groups, that of the smallest PE which has no source;
 * the second bus joins those. For one (t, f) the PEs are a product P of the parts' PEs, and those
 * with the only source a product S inside it. A group's smallest PE m is smallest in each part. If
 * m is not in S it stays for its group; else it is m but for one part, where it is the smallest PE
 * outside S: the part whose change comes latest in the order of the rows of space.
 *
 * So whether something stays on a second bus follows from what each part knows of its own: its
 * "prospects" there.
 */
#ifndef SATOR_COUNT_LISTED_CROSSING_H
#define SATOR_COUNT_LISTED_CROSSING_H

#include "count/listed/lists.h"

/* What some parts know of a second bus, for one (t, f). A part's groups are those of the first bus;
 * a group is settled if its smallest PE has no source, else it has a place: the row of space in
 * which its smallest PE without source differs from the smallest one, or none if all PEs have the
 * source. */
struct listed_prospects {
    bool met; /* in all parts a group's smallest PE is on the bus */
    bool settled; /* in some part it is so for a settled group */
    int8_t place; /* per part the least place of such a group; of all parts the greatest of these */
    int8_t other_place; /* the greatest of the parts without the one that "place" is of */
    int8_t change; /* per part the greatest place of a group whose smallest PE without source is on
                      the bus: of the part that "place" is of */
    int8_t other_change; /* the greatest of the other parts */
};

struct listed_crossing {
    int n;
    struct listed_crossing_class {
        struct listed_prospects prospects;
        sator_int count;
    } * list;
};

/* A pair of one time-stamp. */
struct listed_candidate {
    uint64_t element;
    uint32_t first, second; /* its buses */
    uint32_t pe;
    bool has_source;
};

/* Add to "crossing" every (element, second bus) that the "n" candidates of one time-stamp of "part"
 * make; "place" is the row of space, of all, of each expression of list->pe. They get another
 * order. A reason, or NULL. */
const struct sator_decline *listed_crossing_add(struct sator_arena *arena,
        const struct listed_list *list, const int8_t *place, int64_t n,
        struct listed_candidate *candidate, struct listed_crossing *crossing);

/* The prospects of the parts of "a" and "b" together. */
const struct sator_decline *listed_crossing_multiply(struct sator_arena *arena,
        const struct listed_crossing *a, const struct listed_crossing *b,
        struct listed_crossing *product);

/* How many second buses something stays on. */
sator_int listed_crossing_count(const struct listed_crossing *crossing);

#endif
