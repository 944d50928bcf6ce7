/* Multicast buses and reduction trees: pairs that share (bus, stamp, element) are one fetch.
 *
 * The pairs that no register and no link serves are a union of products over the axes of the image
 * of (p; t; f). The image of (bus; t; f) has axes of its own, sums of those; the boxes of the pairs
 * are mapped to it, made disjoint and counted. Later buses group the representatives, the smallest
 * PE of each group (representatives.c; doc/counting.md, "Buses").
 */
#ifndef SATOR_COUNT_CLOSED_BUSES_H
#define SATOR_COUNT_CLOSED_BUSES_H

#include "base/room.h"
#include "count/closed/closed.h"
#include "count/closed/unions.h"

/* Where an axis of the pairs goes in the image of a bus; else the axis of that image. */
enum {
    CLOSED_DROPPED = -1, /* nowhere: bus, stamp and element do not depend on it */
    CLOSED_SPREAD = -2, /* its values are listed: the image of the others moved by constants */
    CLOSED_MIXED = -3 /* its digits go to several places: it must be left whole */
};

/* One bus over the pairs' image "from". */
struct closed_bus {
    bool shares; /* two pairs may be on one bus */
    int n_rows; /* of the bus itself, the first of the image's */
    struct closed_image image; /* of (bus; t; f) without the spread axes */
    int axis[CLOSED_DIGITS]; /* of each axis of "from": its place */
    int64_t step[CLOSED_DIGITS]; /* what 1 more of that axis adds to its place */
    int64_t column[CLOSED_DIGITS][CLOSED_ROWS]; /* and to the rows (bus; t; f) */
    uint32_t touching[CLOSED_LOOPS]; /* of each factor of the image: the factors of "from" */
    uint32_t mixed, spread, spanning; /* factors of "from" with such axes; in several factors */
    uint32_t folded; /* factors of "from" whose points may share a group with other points */
    int64_t constant[CLOSED_COPIES][CLOSED_ROWS]; /* of each copy of "from", in the rows */
};

/* Pairs cut so that each atom has one constant, and single boxes where the map needs them. */
struct closed_atoms {
    struct closed_union set; /* over "from"; the tag is the frame */
    int copy[CLOSED_PRODUCTS];
    int n_frames;
    int64_t frame[CLOSED_COPIES][CLOSED_ROWS]; /* constants of (bus; t; f) */
};

enum {
    CLOSED_BUS_POOL = SATOR_ROOM(1 << 14, 256) /* intervals of one case */
};

struct closed_buses {
    int n;
    const struct closed_image *from; /* of (p; t; f) */
    const struct closed_copies *copies; /* of "from" */
    struct closed_bus bus[CLOSED_BUSES];
    sator_int credit[CLOSED_BUSES];
    struct closed_union fetched; /* over "from", tagged with the copy: what is left in a case */
    struct closed_union groups; /* over one bus's image, tagged with the frame */
    struct closed_atoms atoms;
    struct closed_pool pool; /* the lists of one case */
    struct closed_interval pool_data[CLOSED_BUS_POOL];
};

/* Prepare the buses of "request" over "image" of (p; t; f), which exists in "copies". The constants
 * of the buses' rows follow those of the image's in "copies". */
const struct sator_decline *closed_buses_make(struct closed_state *state,
        const struct closed_system *system, const struct closed_request *request,
        const struct closed_image *image, const struct closed_copies *copies,
        struct closed_buses *buses);

/* Begin a case: nothing is to be fetched. */
void closed_buses_begin(struct closed_buses *buses);

/* Add the pairs of copy "copy" that none of "sources" serves to what is to be fetched. */
const struct sator_decline *closed_buses_fetch(const struct closed_system *system,
        const struct closed_sources *sources, int copy, struct closed_buses *buses);

/* Find the buses on which some of the pairs to be fetched, "total" in all stamps, meet. */
const struct sator_decline *closed_buses_find_shared(
        const struct closed_system *system, sator_int total, struct closed_buses *buses);

/* Credit the buses for the "left" pairs to be fetched in one case ("when" NULL: all stamps). */
const struct sator_decline *closed_buses_credit(const struct closed_system *system,
        const struct closed_case *when, sator_int left, struct closed_buses *buses);

/* Cut the pairs to be fetched into buses->atoms for "bus"; factors in "single" into single boxes.
 */
const struct sator_decline *closed_buses_cut(
        struct closed_buses *buses, const struct closed_bus *bus, uint32_t single);

/* Map an atom to the image of "bus"; "*product" has an empty list in some factor when it is empty.
 */
const struct sator_decline *closed_buses_map(struct closed_buses *buses,
        const struct closed_bus *bus, const struct closed_product *atom,
        struct closed_product *product);

/* Replace the pairs to be fetched by one of each group of "bus": the smallest PE's. */
const struct sator_decline *closed_buses_represent(
        const struct closed_bus *bus, int n_space, struct closed_buses *buses);

#endif
