/* Any bytes as a relation, a tuple, a condition and an einsum. A relation that is read must be
 * written and read back as the same text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "relation/relation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *rewritten(struct sator_ctx *ctx, const struct sator_source *source)
{
    struct sator_loc loc = {.source = source, .length = source->length};
    const struct sator_relation *relation;
    struct sator_text text = {0};

    if (sator_relation_read(ctx, ctx->arena, loc, &relation) != SATOR_OK)
        return NULL;
    sator_relation_write(&text, relation);
    return sator_text_take(&text);
}

static void relation_there_and_back(struct sator_ctx *ctx, const struct sator_source *source)
{
    char *once = rewritten(ctx, source);

    if (once == NULL)
        return;
    char *twice = rewritten(ctx, sator_source_from_text(ctx, "again", once));
    if (twice == NULL || strcmp(once, twice) != 0)
        abort();
    free(once);
    free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"i", "j", "k"};
    static const int64_t shape[] = {4, 1};
    static const struct sator_extent_array array = {"PE", 2, shape};
    const struct sator_extents extents = {.n_arrays = 1, .arrays = &array};
    struct sator_ctx *ctx = sator_ctx_new();
    char *text = malloc(size + 1);
    const char *name;
    int count;
    const struct sator_expr *const *exprs;
    const struct sator_cond *cond;
    struct sator_einsum_access *accesses;

    memcpy(text, data, size);
    text[size] = '\0';
    struct sator_source source = {.path = "text", .text = text, .length = size};
    struct sator_loc loc = {.source = &source, .length = size};
    relation_there_and_back(ctx, &source);
    sator_tuple_read(ctx, ctx->arena, loc, 3, names, NULL, &name, &count, &exprs);
    sator_tuple_read(ctx, ctx->arena, loc, 3, names, &extents, &name, &count, &exprs);
    sator_cond_read(ctx, ctx->arena, loc, 3, names, &cond);
    sator_einsum_read(ctx, ctx->arena, loc, 3, names, &count, &accesses);
    free(sator_ctx_take_messages(ctx, true));
    sator_ctx_free(ctx);
    free(text);
    return 0;
}
