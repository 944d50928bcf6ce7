/* Differences of products, factor by factor. */
#include "count/closed/unions.h"

static const struct sator_decline too_many = {"what is left to fetch has too many parts"};

const struct sator_decline *closed_union_append(
        struct closed_union *set, const struct closed_product *product)
{
    if (set->n == CLOSED_PRODUCTS)
        return &too_many;
    set->list[set->n++] = *product;
    return NULL;
}

bool closed_products_meet(
        int n_factors, const struct closed_product *a, const struct closed_product *b)
{
    for (int f = 0; f < n_factors; f++) {
        if (!closed_boxes_meet(&a->factor[f], &b->factor[f]))
            return false;
    }
    return true;
}

const struct sator_decline *closed_product_move(struct closed_pool *pool,
        const struct closed_image *image, const int64_t *shift,
        const struct closed_product *product, struct closed_product *moved)
{
    const struct sator_decline *why = NULL;
    *moved = *product;
    for (int f = 0; f < image->n_factors && why == NULL; f++) {
        const struct closed_factor *factor = &image->factor[f];
        const int64_t *by = shift + factor->first_axis;
        bool moves = false;
        for (int a = 0; a < factor->boxes.n_axes; a++)
            moves = moves || by[a] != 0;
        if (moves)
            why = closed_boxes_intersect(
                    pool, &factor->boxes, &product->factor[f], by, &moved->factor[f]);
    }
    return why;
}

/* Append the points of "product" outside "hole": those that are outside in factor 0, those inside
 * there and outside in factor 1, and so on. */
static const struct sator_decline *append_outside(struct closed_pool *pool,
        const struct closed_product *product, const struct closed_product *hole,
        struct closed_union *set)
{
    struct closed_product inside = *product;
    const struct sator_decline *why = NULL;
    for (int f = 0; f < set->n_factors && why == NULL; f++) {
        struct closed_product part = inside;
        if (closed_same_list(&product->factor[f], &hole->factor[f]))
            continue;
        why = closed_boxes_subtract(pool, &product->factor[f], &hole->factor[f], &part.factor[f]);
        if (why == NULL && part.factor[f].n > 0)
            why = closed_union_append(set, &part);
        if (why == NULL)
            why = closed_boxes_intersect(
                    pool, &product->factor[f], &hole->factor[f], NULL, &inside.factor[f]);
    }
    return why;
}

const struct sator_decline *closed_union_subtract(struct closed_pool *pool, int first, int tag,
        const struct closed_product *hole, struct closed_union *set)
{
    for (int i = first; i < set->n;) {
        struct closed_product product = set->list[i];
        int end = set->n;
        if (product.tag != tag || !closed_products_meet(set->n_factors, &product, hole)) {
            i++;
            continue;
        }
        const struct sator_decline *why = append_outside(pool, &product, hole, set);
        if (why != NULL)
            return why;
        /* The parts are outside the hole: those that take the product's place need no second look.
         */
        if (set->n > end)
            set->list[i++] = set->list[--set->n];
        else
            set->list[i] = set->list[--set->n];
    }
    return NULL;
}

const struct sator_decline *closed_union_add(
        struct closed_pool *pool, const struct closed_product *product, struct closed_union *set)
{
    int first = set->n;
    const struct sator_decline *why = closed_union_append(set, product);
    for (int i = 0; i < first && why == NULL; i++) {
        if (set->list[i].tag == product->tag)
            why = closed_union_subtract(pool, first, product->tag, &set->list[i], set);
    }
    return why;
}
