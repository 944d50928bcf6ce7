/* Lists of bandwidths: "64,80,...,160" counts on by the last difference, "64:160:16" from, to,
 * step. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_POINTS = 10000
};

struct points {
    double *values;
    int count;
    const char *why;
};

static bool add(struct points *points, double value)
{
    if (points->count == MOST_POINTS) {
        points->why = "it has more than 10,000 values";
        return false;
    }
    points->values[points->count++] = value;
    return true;
}

/* Add from, from + step, ... up to "to". Each is computed from "from", so that errors do not add
 * up. */
static bool add_range(struct points *points, double from, double to, double step, bool skip_first)
{
    if (!(step > 0)) {
        points->why = "its values do not grow";
        return false;
    }
    double steps = floor((to - from) / step + 1e-9);
    if (steps > MOST_POINTS)
        steps = MOST_POINTS + 1;
    for (int i = skip_first; i <= (int)steps; i++) {
        if (!add(points, from + step * i))
            return false;
    }
    return true;
}

static bool read_number(const char **at, double *value)
{
    char *end;

    while (**at == ' ')
        (*at)++;
    if (strchr("0123456789.", **at) == NULL || **at == '\0')
        return false; /* no sign, no "inf" */
    *value = strtod(*at, &end);
    *at = end;
    while (**at == ' ')
        (*at)++;
    return isfinite(*value) && *value > 0;
}

/* "...,TO" after at least two values. */
static bool read_dots(struct points *points, const char **at)
{
    double to;

    *at += strlen("...");
    if (points->count < 2 || **at != ',') {
        points->why = "'...' goes between two values and a last one: 64,80,...,160";
        return false;
    }
    (*at)++;
    if (!read_number(at, &to))
        return false;
    double last = points->values[points->count - 1];
    return add_range(points, last, to, last - points->values[points->count - 2], true);
}

static bool read_item(struct points *points, const char **at)
{
    double from, to, step;

    while (**at == ' ')
        (*at)++;
    if (strncmp(*at, "...", 3) == 0)
        return read_dots(points, at);
    if (!read_number(at, &from))
        return false;
    if (**at != ':')
        return add(points, from);
    (*at)++;
    if (!read_number(at, &to) || **at != ':') {
        points->why = "a range is FROM:TO:STEP";
        return false;
    }
    (*at)++;
    if (!read_number(at, &step)) {
        points->why = "its step is no positive number";
        return false;
    }
    if (to < from) {
        points->why = "the range ends below its start";
        return false;
    }
    return add_range(points, from, to, step, false);
}

bool cli_read_bandwidths(const char *text, double **values, int *count, const char **why)
{
    struct points points = {.values = cli_alloc(sizeof(double) * MOST_POINTS),
            .why = "it is a list of positive numbers"};
    const char *at = text;
    bool good = read_item(&points, &at);

    while (good && *at == ',') {
        at++;
        good = read_item(&points, &at);
    }
    if (!good || *at != '\0' || points.count == 0) {
        free(points.values);
        *why = points.why;
        return false;
    }
    *values = points.values;
    *count = points.count;
    return true;
}
