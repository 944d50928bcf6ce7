#include "explore/origin.h"

#include <string.h>

struct explore_origin explore_origin_of(enum sator_timing_choice timing)
{
    return (struct explore_origin){.model = "sator",
            .timing = timing == SATOR_TIMING_SCHEDULED ? "scheduled" : "roofline",
            .version = "3"};
}

enum sator_status explore_origin_read(struct sator_ctx *ctx, struct sator_store *store,
        struct sator_arena *arena, struct explore_origin *origin)
{
    enum sator_status st;

    SATOR_TRY(sator_store_get(ctx, store, arena, "model", &origin->model));
    SATOR_TRY(sator_store_get(ctx, store, arena, "timing", &origin->timing));
    SATOR_TRY(sator_store_get(ctx, store, arena, "model_version", &origin->version));
    if (origin->model == NULL || origin->timing == NULL || origin->version == NULL)
        st = sator_store_error(ctx, store, "the database's description is incomplete");
done:
    return st;
}

enum sator_status explore_origin_write(
        struct sator_ctx *ctx, struct sator_store *store, const struct explore_origin *origin)
{
    enum sator_status st;

    SATOR_TRY(sator_store_put(ctx, store, "model", origin->model));
    SATOR_TRY(sator_store_put(ctx, store, "timing", origin->timing));
    SATOR_TRY(sator_store_put(ctx, store, "model_version", origin->version));
done:
    return st;
}

enum sator_status explore_origin_check(struct sator_ctx *ctx, struct sator_store *store,
        const struct explore_origin *expected, const char *whose)
{
    struct sator_arena *arena = sator_arena_new();
    struct explore_origin found;
    enum sator_status st;

    SATOR_TRY(explore_origin_read(ctx, store, arena, &found));
    if (strcmp(found.model, expected->model) != 0 || strcmp(found.timing, expected->timing) != 0 ||
            strcmp(found.version, expected->version) != 0) {
        st = sator_store_error(ctx, store,
                "the database's results are of model %s (%s, version %s), %s are of model %s (%s, "
                "version %s)",
                found.model, found.timing, found.version, whose, expected->model, expected->timing,
                expected->version);
        sator_help(ctx, "such results do not mix: explore again into a new file");
    }
done:
    sator_arena_free(arena);
    return st;
}
