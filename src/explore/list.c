/* Points by their numbers: listing them, and analysing one. */
#include "base/arguments.h"
#include "base/text.h"
#include "explore/problem.h"

#include <stdlib.h>
#include <string.h>

static bool put(const struct sator_sink *sink, struct sator_text *text)
{
    bool go_on = text->length == 0 || sink->write(sink->data, text->data, text->length);

    text->length = 0;
    return go_on;
}

static void write_part(struct sator_text *text, const struct sator_exploration *exploration,
        const struct explore_part *part)
{
    const struct explore_family *family = &exploration->families[part->family];
    const struct explore_hardware *hardware = &exploration->hardware[part->hardware];

    sator_text_add(text, "# hardware %d: %s", part->hardware, hardware->arch->name);
    for (const char *at = hardware->settings; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        sator_text_add(text, " %.*s", (int)length, at);
        at += length + (at[length] == '\n');
    }
    sator_text_add(text, "; layers");
    for (int i = 0; i < family->n_layers; i++)
        sator_text_add(text, "%s %s", i == 0 ? "" : ",", family->workloads[i]->name);
    sator_text_add(
            text, "; %llu point%s\n", (unsigned long long)part->size, part->size == 1 ? "" : "s");
}

static void write_mapping(struct sator_text *text, const struct sator_exploration *exploration,
        const struct explore_part *part, uint64_t index)
{
    sator_text_add(text, "%d\t%d\t%llu\t%s\n", part->family, part->hardware,
            (unsigned long long)index, exploration->families[part->family].workloads[index]->name);
}

static void write_point(struct sator_text *text, const struct explore_part *part, uint64_t index)
{
    struct sator_arena *arena = sator_arena_new();
    const struct sator_relation *space, *time;
    struct space_point point;

    sator_space_point(part->space, index, &point);
    sator_space_maps(part->space, &point, 0, arena, &space, &time);
    const char *rule = sator_space_rule(part->space, index, &point);
    sator_text_add(text, "%d\t%d\t%llu\t", part->family, part->hardware, (unsigned long long)index);
    sator_tuple_write(text, "PE", space->n_out, space->pieces[0].out, space->pieces[0].names);
    sator_text_add(text, "\t");
    sator_tuple_write(text, "T", time->n_out, time->pieces[0].out, time->pieces[0].names);
    sator_text_add(text, "\t%s\n", rule == NULL ? "" : rule);
    sator_arena_free(arena);
}

enum sator_status sator_explore_list(struct sator_ctx *ctx, struct sator_exploration *exploration,
        uint64_t most, const struct sator_sink *sink)
{
    SATOR_NEEDS(ctx, exploration != NULL && sink != NULL && sink->write != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    struct sator_text text = {0};
    enum sator_status st = SATOR_OK;
    bool go_on = true;
    uint64_t n = 0;

    for (int p = 0; p < exploration->n_parts; p++)
        write_part(&text, exploration, &exploration->parts[p]);
    sator_text_add(&text, "family\thardware\tpoint\t%s\n",
            exploration->options.space == SATOR_SPACE_MAPPINGS ? "layer" : "space\ttime\trule");
    for (int p = 0; p < exploration->n_parts && go_on; p++) {
        const struct explore_part *part = &exploration->parts[p];
        for (uint64_t i = 0; i < part->points && go_on && (most == 0 || n < most); i++, n++) {
            if (part->space == NULL)
                write_mapping(&text, exploration, part, part->first + i);
            else
                write_point(&text, part, part->first + i);
            if (atomic_load(&ctx->cancelled)) {
                st = SATOR_INTERRUPTED;
                go_on = false;
            } else if (text.length > 4096) {
                go_on = put(sink, &text);
            }
        }
    }
    if (go_on)
        put(sink, &text);
    sator_text_clear(&text);
    return st;
}

static enum sator_status no_such_point(
        struct sator_ctx *ctx, const struct explore_part *part, uint64_t point)
{
    sator_error(ctx, (struct sator_loc){0}, "there is no point %llu", (unsigned long long)point);
    sator_help(ctx, "points are numbered from 0 to %llu", (unsigned long long)part->size - 1);
    return SATOR_INPUT;
}

/* The part and the family's layer for a layer among those explored. */
static const struct explore_part *find_part(
        const struct sator_exploration *exploration, int layer, int hardware, int *member)
{
    for (int p = 0; p < exploration->n_parts; p++) {
        const struct explore_part *part = &exploration->parts[p];
        const struct explore_family *family = &exploration->families[part->family];
        for (int i = 0; i < family->n_layers && part->hardware == hardware; i++) {
            *member = i;
            if (family->layers[i] == exploration->same_as[layer])
                return part;
        }
    }
    return NULL;
}

enum sator_status sator_explore_point(struct sator_ctx *ctx, struct sator_exploration *exploration,
        int layer, int hardware, uint64_t point, struct sator_result **result)
{
    SATOR_NEEDS(ctx, exploration != NULL && result != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    const struct explore_part *part = NULL;
    const char *rule = NULL;
    int member = 0;

    if (layer >= 0 && layer < exploration->n_layers)
        part = find_part(exploration, layer, hardware, &member);
    if (part == NULL || part->space == NULL) {
        sator_error(ctx, (struct sator_loc){0}, "there is no dataflow for layer %d on hardware %d",
                layer, hardware);
        return SATOR_USAGE;
    }
    if (point >= part->size)
        return no_such_point(ctx, part, point);
    sator_work_begin(ctx);
    enum sator_status st = explore_evaluate(ctx, exploration, part, point, member, &rule, result);
    if (st != SATOR_OK || rule == NULL)
        return st;
    return sator_error(ctx, (struct sator_loc){0}, "point %llu is no result: %s",
            (unsigned long long)point, rule);
}

enum sator_status sator_explore_point_mapping(struct sator_ctx *ctx,
        struct sator_exploration *exploration, int hardware, uint64_t point,
        struct sator_map_result **mapping)
{
    SATOR_NEEDS(ctx, exploration != NULL && mapping != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    const struct explore_part *part = NULL;

    for (int p = 0; p < exploration->n_parts; p++) {
        if (exploration->parts[p].hardware == hardware)
            part = &exploration->parts[p];
    }
    if (part == NULL || part->space != NULL) {
        sator_error(ctx, (struct sator_loc){0}, "there are no mappings onto hardware %d", hardware);
        return SATOR_USAGE;
    }
    if (point >= part->size)
        return no_such_point(ctx, part, point);
    return sator_map(ctx, exploration->network,
            exploration->layers[exploration->families[part->family].layers[point]],
            exploration->hardware[hardware].arch, &exploration->map_options, mapping);
}
