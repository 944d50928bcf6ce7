/* Unions of products: sets of points of an image that are no single product of box lists.
 *
 * A product has a list of boxes for each factor of an image. Products that carry the same tag are
 * disjoint. Lists are made in a pool and never changed, so that products may share them.
 */
#ifndef SATOR_COUNT_CLOSED_UNIONS_H
#define SATOR_COUNT_CLOSED_UNIONS_H

#include "base/room.h"
#include "count/closed/image.h"

enum {
    CLOSED_PRODUCTS = SATOR_ROOM(256, 8) /* most products of a union */
};

struct closed_product {
    int tag; /* of the user: which copy of the image it belongs to */
    struct closed_boxes factor[CLOSED_LOOPS];
};

struct closed_union {
    int n, n_factors;
    struct closed_product list[CLOSED_PRODUCTS];
};

/* Append "product". */
const struct sator_decline *closed_union_append(
        struct closed_union *set, const struct closed_product *product);

/* Take the points of "hole" out of the products from "first" on that carry "tag". The order of
 * these products changes. */
const struct sator_decline *closed_union_subtract(struct closed_pool *pool, int first, int tag,
        const struct closed_product *hole, struct closed_union *set);

/* Append the points of "product" that no product with its tag has. */
const struct sator_decline *closed_union_add(
        struct closed_pool *pool, const struct closed_product *product, struct closed_union *set);

/* The points of "image" that are those of "product" moved by "shift". */
const struct sator_decline *closed_product_move(struct closed_pool *pool,
        const struct closed_image *image, const int64_t *shift,
        const struct closed_product *product, struct closed_product *moved);

/* Whether a point is in both products of "n_factors" factors. */
bool closed_products_meet(
        int n_factors, const struct closed_product *a, const struct closed_product *b);

/* Whether two lists are one and the same. */
static inline bool closed_same_list(const struct closed_boxes *a, const struct closed_boxes *b)
{
    return a->box == b->box && a->n == b->n;
}

#endif
