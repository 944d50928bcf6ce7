/* The pieces of which pictures are made, and the choice of a picture. */
#include "report/svg.h"

#include "base/arguments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *svg_color(int i)
{
    static const char *const colors[] = {
            "#0072b2", "#d55e00", "#008a63", "#b0568c", "#7a6a00", "#56b4e9", "#6a4fb0", "#55606b"};

    return colors[i % (int)(sizeof colors / sizeof *colors)];
}

static void put_escaped(struct sator_text *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            sator_text_put(out, "&lt;");
            break;
        case '>':
            sator_text_put(out, "&gt;");
            break;
        case '&':
            sator_text_put(out, "&amp;");
            break;
        case '"':
            sator_text_put(out, "&quot;");
            break;
        default:
            sator_text_add_bytes(out, text, 1);
        }
    }
}

void svg_open(struct sator_text *out, double width, double height, const char *title)
{
    sator_text_add(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\" "
            "role=\"img\">\n",
            width, height, width, height);
    sator_text_put(out, "<title>");
    put_escaped(out, title);
    sator_text_put(out, "</title>\n");
    svg_rect(out, 0, 0, width, height, "#ffffff", NULL);
}

void svg_close(struct sator_text *out)
{
    sator_text_put(out, "</svg>\n");
}

void svg_text(struct sator_text *out, double x, double y, const char *anchor, double size,
        const char *color, const char *text)
{
    sator_text_add(out,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%.1f\" fill=\"%s\">", x, y,
            anchor, size, color);
    put_escaped(out, text);
    sator_text_put(out, "</text>\n");
}

void svg_rect(struct sator_text *out, double x, double y, double width, double height,
        const char *fill, const char *stroke)
{
    sator_text_add(out,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"%s%s%s/>\n", x,
            y, width, height, fill, stroke == NULL ? "" : " stroke=\"",
            stroke == NULL ? "" : stroke, stroke == NULL ? "" : "\"");
}

void svg_line(struct sator_text *out, double x0, double y0, double x1, double y1, const char *color,
        double width)
{
    sator_text_add(out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-width=\"%.1f\"/>\n",
            x0, y0, x1, y1, color, width);
}

void svg_arrow(struct sator_text *out, double x0, double y0, double x1, double y1)
{
    double length = hypot(x1 - x0, y1 - y0), ux = (x1 - x0) / length, uy = (y1 - y0) / length;
    double head = length / 2.2 < 5 ? length / 2.2 : 5;

    sator_text_add(out,
            "<path d=\"M%.1f,%.1fL%.1f,%.1fM%.1f,%.1fL%.1f,%.1fL%.1f,%.1f\" fill=\"none\" "
            "stroke=\"#1b1f24\" stroke-width=\"1.4\"/>\n",
            x0, y0, x1, y1, x1 - ux * head - uy * head * 0.6, y1 - uy * head + ux * head * 0.6, x1,
            y1, x1 - ux * head + uy * head * 0.6, y1 - uy * head - ux * head * 0.6);
}

void svg_dot(struct sator_text *out, double x, double y, double r, const char *fill)
{
    sator_text_add(out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"#ffffff\"/>\n", x, y,
            r, fill);
}

/* ---- scales ---- */

double svg_place(const struct svg_scale *scale, double value)
{
    double part = scale->is_log ? log(value / scale->low) / log(scale->high / scale->low)
                                : (value - scale->low) / (scale->high - scale->low);

    return scale->from + part * (scale->to - scale->from);
}

/* The distance of ticks that are 1, 2 or 5 times a power of ten, some six of them. */
static double tick_step(const struct svg_scale *scale)
{
    double rough = (scale->high - scale->low) / 6, power = pow(10, floor(log10(rough)));
    double part = rough / power;

    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void put_tick(struct sator_text *out, const struct svg_scale *scale,
        const struct svg_scale *other, bool across, double value)
{
    double at = svg_place(scale, value);
    char text[32];

    snprintf(text, sizeof text, fabs(value) >= 1e5 ? "%.3g" : "%.6g", value);
    if (across) {
        svg_line(out, at, other->from, at, other->to, "#e6e9ed", 1);
        svg_text(out, at, other->from + 16, "middle", 11, "#565e68", text);
    } else {
        svg_line(out, other->from, at, other->to, at, "#e6e9ed", 1);
        svg_text(out, other->from - 6, at + 4, "end", 11, "#565e68", text);
    }
}

static void put_ticks(struct sator_text *out, const struct svg_scale *scale,
        const struct svg_scale *other, bool across)
{
    static const double steps[] = {1, 2, 5};

    if (!scale->is_log) {
        double step = tick_step(scale);
        for (double v = ceil(scale->low / step) * step; v <= scale->high; v += step)
            put_tick(out, scale, other, across, fabs(v) < step / 1e6 ? 0 : v);
        return;
    }
    bool few = scale->high / scale->low > 1e4;
    for (int power = (int)floor(log10(scale->low)); pow(10, power) <= scale->high; power++) {
        for (int i = 0; i < (few ? 1 : 3); i++) {
            double value = steps[i] * pow(10, power);
            if (value >= scale->low && value <= scale->high)
                put_tick(out, scale, other, across, value);
        }
    }
}

void svg_axes(struct sator_text *out, const struct svg_scale *x, const struct svg_scale *y,
        const char *x_name, const char *y_name)
{
    put_ticks(out, x, y, true);
    if (*y_name != '\0')
        put_ticks(out, y, x, false);
    svg_line(out, x->from, y->from, x->to, y->from, "#8a929c", 1);
    svg_line(out, x->from, y->from, x->from, y->to, "#8a929c", 1);
    svg_text(out, x->to, y->from + 34, "end", 12, "#1b1f24", x_name);
    svg_text(out, x->from - 50, y->to - 10, "start", 12, "#1b1f24", y_name);
}

/* ---- the choice ---- */

enum sator_status sator_page_svg(
        struct sator_ctx *ctx, struct sator_page *page, const char *picture, char **text)
{
    static const char *const names[] = {"machine", "array", "roofline", "energy", "tree", "pareto"};
    static bool (*const pictures[])(struct sator_text *, struct sator_page *) = {
            svg_machine, svg_array, svg_roofline, svg_energy, svg_tree, svg_pareto};
    struct sator_text out = {0};

    SATOR_NEEDS(ctx, page != NULL && picture != NULL && text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        if (strcmp(picture, names[i]) != 0)
            continue;
        if (pictures[i](&out, page)) {
            *text = sator_text_take(&out);
            return SATOR_OK;
        }
        sator_text_clear(&out);
        return page_has_none(ctx, page, picture);
    }
    sator_error(ctx, (struct sator_loc){0}, "there is no picture '%s'", picture);
    sator_help_names(ctx, picture, names, (int)(sizeof names / sizeof *names));
    return SATOR_USAGE;
}
