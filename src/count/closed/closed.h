/* The closed-form engine's state: one stamping in digits, and a workspace. */
#ifndef SATOR_COUNT_CLOSED_CLOSED_H
#define SATOR_COUNT_CLOSED_CLOSED_H

#include "base/room.h"
#include "count/closed/credits.h"
#include "count/closed/links.h"
#include "count/closed/times.h"
#include "count/engine.h"

enum {
    CLOSED_COPIES =
            SATOR_ROOM(32, 4), /* most accesses of one tensor, and copies of an unrolled image */
    CLOSED_BUSES = 4, /* most buses of a transport */
    CLOSED_CREDITS = 64, /* most links of a transport, and two */
    CLOSED_POOL = SATOR_ROOM(4096, 256) /* intervals of the workspace */
};

/* A stamping whose expressions are forms over common digits. */
struct closed_system {
    struct closed_digits digits;
    int n_space, n_time;
    struct closed_form space[CLOSED_SPACES];
    struct closed_form time[CLOSED_TIMES]; /* as given; times.row is the normal form */
    struct closed_times times;
    const struct sator_decline *times_declined; /* why times is not there, or NULL */
};

/* A link's translations, found once for all tensors. */
struct closed_known_link {
    const struct sator_relation *map;
    struct closed_hops hops;
};

/* Copies of one image, each moved by constants: the accesses of a tensor, the values of an unrolled
 * loop. */
struct closed_copies {
    int n;
    int64_t constant[CLOSED_COPIES][CLOSED_ROWS]; /* what the copy adds to each row */
};

struct closed_buses;
struct closed_sheets; /* sheets.h */
struct closed_skews; /* skews.h */

struct closed_state {
    struct sator_ctx *ctx;
    const struct sator_stamping *stamping;
    sator_int instances;
    struct closed_system main; /* the digits of the stamping alone */
    struct closed_system *extended; /* with those that an access asks for too; made on demand */
    struct closed_skews *skews; /* made on demand */
    struct closed_sheets *sheets; /* made on demand */
    uint64_t work_limit; /* the context's, while sheets have a smaller one */
    enum sator_status stopped; /* why sheets ended a question, or SATOR_OK */
    bool hurried, gave_up; /* engine.h */
    struct sator_arena *arena; /* links; made on demand */
    int n_links;
    struct closed_known_link **link;
    struct closed_pool pool;
    struct closed_image image, other; /* scratch */
    struct closed_sources *sources; /* scratch */
    struct closed_copies copies;
    struct closed_buses *buses; /* made on demand */
};

/* What a question about one tensor adds to the stamping. */
struct closed_request {
    const struct sator_relation *access;
    int n_buses;
    const struct sator_relation *const *buses;
    struct closed_form index[CLOSED_COPIES * CLOSED_INDICES]; /* access->n_out forms a piece */
    struct closed_form bus[CLOSED_BUSES][CLOSED_SPACES]; /* the PEs' buses */
    int n_zeros; /* expressions that are 0 in all instances of the access (fixed.h) */
    const struct sator_expr *zero[CLOSED_SPACES];
    struct closed_form zero_form[CLOSED_SPACES];
    bool rewritten; /* the domain is another one, with the same pairs ((p, t), f) */
    sator_int instances; /* that access anything */
    int n_copies; /* pieces that differ from each other */
    const struct closed_form *copy[CLOSED_COPIES];
    int n_maps; /* those of one map differ by constants alone, and are consecutive */
    int first_copy[CLOSED_COPIES + 1]; /* of each map, and the end */
};

/* Set "*system" to one in whose digits everything in "request" is a form, and make those forms; its
 * time-stamps are always those of the whole. &closed_image_empty: the access is of nothing. */
const struct sator_decline *closed_system_for(
        struct closed_state *state, struct closed_request *request, struct closed_system **system);

/* Rewrite request->access and the loop bounds so that loops which only matter inside one division
 * leave it (window.c); the pairs ((p, t), f) stay the same, the instances do not. False when there
 * is no such loop. */
bool closed_windows_rewrite(
        struct closed_state *state, struct closed_request *request, int64_t *lower, int64_t *upper);

/* Declined: sator_transport.held_time asks for more than the stamps at the ends of a link. */
extern const struct sator_decline closed_link_passes;

/* What the engine answers when "why" is the reason that a question ended with, or NULL. */
enum sator_status closed_answer(struct closed_state *state, const struct sator_decline *why,
        const struct sator_decline **reason);

/* doc/model.md, section 2 (count/count.h). */
enum sator_status closed_volumes(void *opaque, const struct sator_relation *access,
        const struct sator_transport *transport, struct sator_volumes *volumes,
        const struct sator_decline **reason);

/* The copies of an image that the accesses of "request" make, whose indices begin at row
 * "n_before". */
void closed_copies_of_request(
        const struct closed_request *request, int n_before, struct closed_copies *copies);

/* The image of the first "n_rows" of "rows", which exists in "copies" already; loops that no key
 * (the first "n_keys" rows) uses are unrolled into further copies as far as the image needs to be a
 * bijection. The copies get constants of "n_more" further rows, functions of the others, too. */
const struct sator_decline *closed_copies_make(struct closed_pool *pool,
        const struct closed_digits *digits, int n_keys, int n_rows, int n_more,
        const struct closed_form *const *rows, struct closed_image *image,
        struct closed_copies *copies);

/* Set "rhs" to the image of a move from a point of copy "copy" to the same vector in copy "from".
 */
static inline void closed_copies_difference(
        const struct closed_copies *copies, int n_rows, int copy, int from, int64_t *rhs)
{
    for (int r = 0; r < n_rows; r++)
        rhs[r] = copies->constant[from][r] - copies->constant[copy][r];
}

/* The points of the union of all copies of "region". */
const struct sator_decline *closed_copies_count(struct closed_state *state,
        const struct closed_image *image, const struct closed_copies *copies,
        const struct closed_region *region, sator_int *count);

/* The number of distinct vectors of the forms "rows", for all copies of "request" (NULL: the one).
 */
const struct sator_decline *closed_count_distinct(struct closed_state *state,
        const struct closed_digits *digits, int n_rows, const struct closed_form *const *rows,
        const struct closed_request *request, sator_int *count);

/* What closed_most counts: distinct vectors "value" among the digit vectors of one vector "key". */
struct closed_classes {
    int n_keys, n_values;
    const struct closed_form *key[CLOSED_ROWS];
    const struct closed_form *value[CLOSED_ROWS];
    bool every; /* every digit vector counts, whatever its value */
    const struct closed_request *copies; /* a value for each of its copies, or NULL */
    sator_int *distinct; /* NULL, or set to the number of all vectors (key; value) if that is known
                            on the way */
};

/* Set "*most" to the greatest number of values that share a key; "instance" (NULL or n_loops
 * numbers) to a digit vector of such a key. */
const struct sator_decline *closed_most(struct closed_state *state,
        const struct closed_system *system, const struct closed_classes *classes, sator_int *most,
        int64_t *instance);

#endif
