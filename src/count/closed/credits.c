/* Inclusion-exclusion over sources, skipping what is empty or served entirely. */
#include "count/closed/credits.h"

#include <string.h>

void closed_sources_init(
        struct closed_sources *sources, struct closed_pool *pool, const struct closed_image *image)
{
    sources->pool = pool;
    sources->image = image;
    sources->n = 0;
    sources->n_space = 0;
    sources->visits = 0;
}

const struct sator_decline *closed_sources_add(
        struct closed_sources *sources, const int64_t *rhs, int credit)
{
    int64_t shift[8][CLOSED_DIGITS];
    int n_shifts;
    const struct sator_decline *why = closed_image_solve(sources->image, rhs, 8, shift, &n_shifts);
    for (int i = 0; i < n_shifts && why == NULL; i++) {
        struct closed_source *source = &sources->list[sources->n];
        if (sources->n == CLOSED_SOURCES)
            return DECLINE("a value can come from too many places");
        sources->n++;
        source->credit = credit;
        memcpy(source->shift, shift[i], sizeof source->shift);
        source->consumers = NULL;
    }
    return why;
}

/* The part of "region" that source "i" serves. */
static const struct sator_decline *restrict_to(struct closed_sources *sources,
        const struct closed_region *region, int index, struct closed_region *result,
        sator_int *count)
{
    struct closed_pool *pool = sources->pool;
    const struct closed_image *image = sources->image;
    const struct closed_source *source = &sources->list[index];
    if (++sources->visits > CLOSED_VISITS)
        return DECLINE("the links overlap in too many ways");
    const struct sator_decline *why =
            closed_region_move(pool, image, source->shift, region, result);
    for (int k = 0; source->consumers != NULL && k < sources->n_space && why == NULL; k++) {
        struct closed_interval bounds = source->consumers[k];
        bounds.lo -= sources->moved[k];
        bounds.hi -= sources->moved[k];
        why = closed_region_clip(pool, image, k, bounds, result);
    }
    return why != NULL ? why : closed_region_count(image, result, count);
}

const struct sator_decline *closed_count_fresh(struct closed_sources *sources,
        const struct closed_region *region, sator_int total, int end, sator_int *count)
{
    sator_int sum = total;
    for (int i = 0; i < end && sum > 0; i++) {
        struct closed_region part;
        sator_int n;
        int used = sources->pool->used;
        const struct sator_decline *why = restrict_to(sources, region, i, &part, &n);
        if (why == NULL && n == total)
            sum = 0;
        else if (why == NULL && n > 0) {
            why = closed_count_fresh(sources, &part, n, i, &n);
            sum -= n;
        }
        if (why != NULL)
            return why;
        sources->pool->used = used;
    }
    *count = sum;
    return NULL;
}

const struct sator_decline *closed_count_served(
        struct closed_sources *sources, const struct closed_region *region, int i, sator_int *count)
{
    struct closed_region part;
    int used = sources->pool->used;
    const struct sator_decline *why = restrict_to(sources, region, i, &part, count);
    if (why == NULL && *count > 0)
        why = closed_count_fresh(sources, &part, *count, i, count);
    sources->pool->used = used;
    return why;
}
