/* Exploration needs architectures by the dozen: read one for every combination of the fields that
 * vary. */
#include "sator/explore.h"

#include "api/spec.h"
#include "api/timing.h"
#include "base/arguments.h"
#include "base/text.h"
#include "count/count.h"
#include "explore/problem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct variants {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const char *arch;
    const struct sator_input_options *input;
    int n_varies, n;
    const char *const *settings; /* n_varies to a variant */
    struct explore_hardware *hardware;
};

static const char *first_array(const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_ARRAY)
            return arch->levels[i].name;
    }
    return "array";
}

/* Whether what varies in number "i" is also set, or varies before: the values of one of the two
 * would have no effect. */
static bool is_given_before(const struct variants *v, int i)
{
    for (int k = 0; k < v->input->n_sets; k++) {
        if (sator_spec_same_path(v->input->sets[k], v->settings[i]))
            return true;
    }
    for (int k = 0; k < i; k++) {
        if (sator_spec_same_path(v->settings[k], v->settings[i]))
            return true;
    }
    return false;
}

static enum sator_status check_settings(const struct variants *v)
{
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < v->n_varies; i++) {
        const struct sator_source *source =
                sator_source_from_field(v->ctx, "varies", v->settings[i]);
        if (is_given_before(v, i))
            st = sator_error(v->ctx, (struct sator_loc){source, 0, strcspn(v->settings[i], "=")},
                    "another %s or %s gives this field, too", sator_word(v->ctx, "varies"),
                    sator_word(v->ctx, "sets"));
        if (sator_yaml_takes(SATOR_DOCUMENT_ARCH, v->settings[i]))
            continue;
        st = sator_error(v->ctx, (struct sator_loc){source, 0, strcspn(v->settings[i], "=")},
                "an architecture has no such field");
    }
    return st;
}

/* Read the architecture with the settings of variant "index" after those of the command line. */
static enum sator_status load_variant(struct variants *v, int index)
{
    const char *const *own = &v->settings[index * v->n_varies];
    struct sator_input_options input = *v->input;
    const char **sets = SATOR_NEW_ARRAY(v->arena, const char *, input.n_sets + v->n_varies + 1);
    struct sator_text text = {0};

    for (int i = 0; i < input.n_sets; i++)
        sets[i] = input.sets[i];
    for (int i = 0; i < v->n_varies; i++) {
        sets[input.n_sets + i] = own[i];
        sator_text_add(&text, "%s%s", i == 0 ? "" : "\n", own[i]);
    }
    input.sets = sets;
    input.n_sets += v->n_varies;
    input.n_varied = v->n_varies;
    v->hardware[index].settings = sator_text_keep(&text, v->arena);
    return sator_arch_load(v->ctx, v->arch, &input, &v->hardware[index].arch);
}

static enum sator_status load_variants(struct variants *v, int n_varies, const char *const *varies)
{
    struct sator_arch *base = NULL;
    enum sator_status st;

    SATOR_TRY(sator_arch_load(v->ctx, v->arch, v->input, &base));
    v->n_varies = n_varies;
    SATOR_TRY(explore_vary(
            v->ctx, v->arena, first_array(base), n_varies, varies, &v->n, &v->settings));
    SATOR_TRY(check_settings(v));
    v->hardware = SATOR_NEW_ARRAY(v->arena, struct explore_hardware, v->n + 1);
    for (int i = 0; i < v->n; i++)
        SATOR_TRY(load_variant(v, i));
done:
    sator_arch_free(base);
    return st;
}

static enum sator_status take_options(struct sator_ctx *ctx,
        const struct sator_explore_options *given, struct sator_explore_options *options)
{
    struct sator_explore_options own;

    SATOR_OPTIONS(ctx, given, own);
    *options = own;
    SATOR_NUMBER(ctx, options->space, SATOR_SPACE_TILED, SATOR_SPACE_MAPPINGS);
    SATOR_NUMBER(ctx, options->prune, SATOR_PRUNE_SAFE, SATOR_PRUNE_NONE);
    SATOR_NUMBER(ctx, options->timing, SATOR_TIMING_AUTO, SATOR_TIMING_SCHEDULED);
    options->timing = sator_timing_of(options->timing, true);
    SATOR_NUMBER(ctx, options->pack, 0, 3);
    SATOR_NUMBER(ctx, options->skew, SATOR_NO_SKEW, 2);
    SATOR_NUMBER(ctx, options->fold, 0, INT_MAX);
    SATOR_TEXTS(ctx, options->varies, options->n_varies);
    SATOR_NUMBER(ctx, options->engine, SATOR_ENGINE_AUTO, SATOR_ENGINE_LAST);
    SATOR_REAL(ctx, options->budget_seconds);
    SATOR_NUMBER(ctx, options->threads, 0, INT_MAX);
    SATOR_NUMBER(ctx, options->n_shards, 0, INT_MAX);
    SATOR_NUMBER(ctx, options->shard, options->n_shards > 0, options->n_shards);
    return SATOR_OK;
}

enum sator_status sator_exploration_new(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const char *arch, const struct sator_input_options *input,
        const struct sator_explore_options *options, struct sator_exploration **exploration)
{
    struct sator_explore_options own;
    struct sator_input_options own_input;
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && exploration != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_NUMBER(ctx, layer, -1, network->n_layers - 1);
    enum sator_status st = take_options(ctx, options, &own);
    if (st == SATOR_OK)
        st = sator_spec_take_options(ctx, input, &own_input);
    if (st != SATOR_OK)
        return st;
    struct variants v = {.ctx = ctx, .arena = sator_arena_new(), .arch = arch, .input = &own_input};
    st = load_variants(&v, own.n_varies, own.varies);

    for (int i = 0; i < v.n && st == SATOR_OK; i++)
        st = sator_tensors_check(ctx, network, v.hardware[i].arch, i == 0);
    if (st == SATOR_OK)
        st = explore_new(ctx, network, layer, v.n, v.hardware, &own, exploration);
    for (int i = 0; i < v.n && st != SATOR_OK; i++)
        sator_arch_free(v.hardware == NULL ? NULL : v.hardware[i].arch);
    sator_arena_free(v.arena);
    return st;
}
