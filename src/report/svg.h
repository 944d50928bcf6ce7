/* SVG, drawn by hand: what the pictures share. */
#ifndef SATOR_REPORT_SVG_H
#define SATOR_REPORT_SVG_H

#include "report/charts.h"

/* Colours that colour-blind readers tell apart (Okabe and Ito), by number. */
const char *svg_color(int i);

void svg_open(struct sator_text *out, double width, double height, const char *title);
void svg_close(struct sator_text *out);
/* "anchor": "start", "middle" or "end". */
void svg_text(struct sator_text *out, double x, double y, const char *anchor, double size,
        const char *color, const char *text);
void svg_rect(struct sator_text *out, double x, double y, double width, double height,
        const char *fill, const char *stroke);
void svg_line(struct sator_text *out, double x0, double y0, double x1, double y1, const char *color,
        double width);
/* A line with a head at its end. */
void svg_arrow(struct sator_text *out, double x0, double y0, double x1, double y1);
void svg_dot(struct sator_text *out, double x, double y, double r, const char *fill);

/* A scale from numbers to places, linear or of logarithms. */
struct svg_scale {
    double low, high, from, to;
    bool is_log;
};
double svg_place(const struct svg_scale *scale, double value);
/* Both axes with their ticks and names; one across alone where "y_name" is empty. */
void svg_axes(struct sator_text *out, const struct svg_scale *x, const struct svg_scale *y,
        const char *x_name, const char *y_name);

/* The pictures (svg_array.c, svg_charts.c, svg_machine.c); false where there is nothing to show. */
bool svg_array(struct sator_text *out, struct sator_page *page);
bool svg_roofline(struct sator_text *out, struct sator_page *page);
bool svg_energy(struct sator_text *out, struct sator_page *page);
bool svg_pareto(struct sator_text *out, struct sator_page *page);
bool svg_machine(struct sator_text *out, struct sator_page *page);
bool svg_tree(struct sator_text *out, struct sator_page *page);

#endif
