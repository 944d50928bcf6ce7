/* Variants of an architecture: "PATH=[a,b,c]" and "PATH=from:to:step" into lists of settings. */
#include "base/text.h"
#include "explore/problem.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_VALUES = 10000,
    MOST_COMBINATIONS = 100000
};

struct variation {
    const char *path;
    int n_values;
    const char **values;
};

struct reader {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_source *source;
    const char *array;
};

static enum sator_status fail(const struct reader *r, size_t at, size_t length, const char *what)
{
    sator_error(r->ctx, (struct sator_loc){r->source, at, length}, "%s", what);
    sator_help(r->ctx,
            "%s levels.PE.shape=[[4,4],[8,8]] or %s "
            "levels.scratchpad.bandwidth_bits=64:160:16",
            sator_word(r->ctx, "varies"), sator_word(r->ctx, "varies"));
    return SATOR_INPUT;
}

/* The path as a setting takes it: levels by their names alone, and the array's own fields. */
static const char *full_path(const struct reader *r, size_t length)
{
    static const char *const tops[] = {"levels", "clock_mhz", "technology_nm", "name"};
    const char *path = sator_arena_strndup(r->arena, r->source->text, length);

    if (strcmp(path, "shape") == 0 || strcmp(path, "topology") == 0)
        return sator_arena_printf(r->arena, "levels.%s.%s", r->array, path);
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        size_t top = strlen(tops[i]);
        if (strncmp(path, tops[i], top) == 0 && (path[top] == '.' || path[top] == '\0'))
            return path;
    }
    return sator_arena_printf(r->arena, "levels.%s", path);
}

static const char *trimmed(const struct reader *r, size_t from, size_t to)
{
    const char *text = r->source->text;

    while (from < to && isspace((unsigned char)text[from]))
        from++;
    while (to > from && isspace((unsigned char)text[to - 1]))
        to--;
    return sator_arena_strndup(r->arena, text + from, to - from);
}

/* The entries of "[a, b, [c, d]]", which starts at "at". */
static enum sator_status read_list(const struct reader *r, size_t at, struct variation *variation)
{
    const char *text = r->source->text;
    size_t from = at + 1, i = at;
    int depth = 0;

    for (; text[i] != '\0'; i++) {
        depth += text[i] == '[';
        depth -= text[i] == ']';
        bool ends = depth == 0;
        if (!ends && !(depth == 1 && text[i] == ','))
            continue;
        const char *value = trimmed(r, from, i);
        if (*value == '\0')
            return fail(r, i, 1, "a value is missing here");
        if (variation->n_values == MOST_VALUES)
            return fail(r, at, 1, "there are too many values");
        SATOR_PUSH(r->arena, variation->values, variation->n_values, value);
        from = i + 1;
        if (ends)
            break;
    }
    if (depth != 0)
        return fail(r, at, 1, "this '[' is not closed");
    while (isspace((unsigned char)text[i + 1]))
        i++;
    return text[i + 1] == '\0' ? SATOR_OK : fail(r, i + 1, 1, "nothing is expected after the list");
}

static bool read_number(const char **at, double *number)
{
    char *end;

    errno = 0;
    *number = strtod(*at, &end);
    if (end == *at || errno != 0 || !isfinite(*number))
        return false;
    *at = end;
    return true;
}

static enum sator_status read_range(const struct reader *r, size_t at, struct variation *variation)
{
    const char *text = r->source->text + at;
    double from, to, step = 1;
    bool fine = read_number(&text, &from) && *text == ':' && (text++, read_number(&text, &to));

    if (fine && *text == ':') {
        text++;
        fine = read_number(&text, &step);
    }
    if (!fine || *text != '\0')
        return fail(r, at, r->source->length - at,
                "a list [a,b,...] or a range from:to:step is expected");
    if (step == 0)
        return fail(r, at, r->source->length - at, "the step of this range is 0");
    if ((to - from) / step < 0)
        return fail(
                r, at, r->source->length - at, "the steps of this range lead away from its end");
    if ((to - from) / step >= MOST_VALUES)
        return fail(r, at, r->source->length - at, "there are too many values");
    int n = (int)floor((to - from) / step + 1e-9) + 1;
    for (int i = 0; i < n; i++)
        SATOR_PUSH(r->arena, variation->values, variation->n_values,
                sator_arena_printf(r->arena, "%.12g", from + i * step));
    return SATOR_OK;
}

static enum sator_status read_variation(const struct reader *r, struct variation *variation)
{
    const char *text = r->source->text, *equal = strchr(text, '=');

    if (equal == NULL || equal == text)
        return fail(r, 0, r->source->length, "PATH=VALUES is expected");
    size_t at = (size_t)(equal - text) + 1;
    variation->path = full_path(r, (size_t)(equal - text));
    while (isspace((unsigned char)text[at]))
        at++;
    return text[at] == '[' ? read_list(r, at, variation) : read_range(r, at, variation);
}

enum sator_status explore_vary(struct sator_ctx *ctx, struct sator_arena *arena, const char *array,
        int n_varies, const char *const *varies, int *n_combinations, const char *const **settings)
{
    struct variation *variations = SATOR_NEW_ARRAY(arena, struct variation, n_varies + 1);
    struct reader r = {.ctx = ctx, .arena = arena, .array = array};
    enum sator_status st = SATOR_OK;
    int n = 1;

    for (int i = 0; i < n_varies; i++) {
        r.source = sator_source_from_field(ctx, "varies", varies[i]);
        enum sator_status one = read_variation(&r, &variations[i]);
        st = one == SATOR_OK ? st : one;
        if (one == SATOR_OK && n > MOST_COMBINATIONS / variations[i].n_values)
            return fail(&r, 0, r.source->length, "there are too many combinations");
        n *= one == SATOR_OK ? variations[i].n_values : 1;
    }
    if (st != SATOR_OK)
        return st;
    const char **list = SATOR_NEW_ARRAY(arena, const char *, n *n_varies + 1);
    for (int c = 0; c < n; c++) {
        int rest = c;
        for (int i = n_varies - 1; i >= 0; i--) { /* the last one varies fastest */
            list[c * n_varies + i] = sator_arena_printf(arena, "%s=%s", variations[i].path,
                    variations[i].values[rest % variations[i].n_values]);
            rest /= variations[i].n_values;
        }
    }
    *n_combinations = n;
    *settings = list;
    return SATOR_OK;
}
