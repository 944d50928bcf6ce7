/* Roofline, energy and Pareto front as SVG. */
#include "report/svg.h"

#include <math.h>

static const char ink[] = "#1b1f24", faint[] = "#565e68";

/* ---- roofline ---- */

static void widen(double value, double *low, double *high)
{
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

bool svg_roofline(struct sator_text *out, struct sator_page *page)
{
    struct chart_roofline r;

    if (!chart_roofline(page->arena, page, &r))
        return false;
    double knee = r.peak / r.bandwidth, x_low = knee, x_high = knee, y_low = r.peak;
    double y_high = r.peak;
    for (int i = 0; i < r.n_points; i++) {
        widen(r.points[i].x, &x_low, &x_high);
        widen(r.points[i].y, &y_low, &y_high);
    }
    const double width = 760, height = 430;
    struct svg_scale x = {x_low / 3, x_high * 3, 70, width - 20, true};
    struct svg_scale y = {y_low / 3, y_high * 1.8, height - 50, 34, true};
    svg_open(out, width, height, "Roofline");
    svg_axes(out, &x, &y, sator_arena_printf(page->arena, "MACs per bit through %s", r.port),
            "MACs per cycle");
    double from = fmax(x.low, y.low / r.bandwidth);
    svg_line(out, svg_place(&x, from), svg_place(&y, from * r.bandwidth), svg_place(&x, knee),
            svg_place(&y, r.peak), ink, 2);
    svg_line(out, svg_place(&x, knee), svg_place(&y, r.peak), x.to, svg_place(&y, r.peak), ink, 2);
    svg_text(out, x.to - 4, svg_place(&y, r.peak) - 6, "end", 12, ink,
            sator_arena_printf(page->arena, "%s MACs a cycle, %s bits a cycle",
                    report_number(page->arena, r.peak, 1),
                    report_number(page->arena, r.bandwidth, 1)));
    for (int i = 0; i < r.n_points; i++) {
        double px = svg_place(&x, r.points[i].x), py = svg_place(&y, r.points[i].y);
        svg_dot(out, px, py, 5.5, svg_color(i));
        int above = 0; /* labels of points in the same place stand below each other */
        for (int k = 0; k < i; k++)
            above += fabs(svg_place(&x, r.points[k].x) - px) < 130 &&
                    fabs(svg_place(&y, r.points[k].y) - py) < 14;
        bool right = px < width - 130;
        svg_text(out, right ? px + 9 : px - 9, py + 16 + 14 * above, right ? "start" : "end", 12,
                ink, r.points[i].name);
    }
    svg_close(out);
    return true;
}

/* ---- energy ---- */

bool svg_energy(struct sator_text *out, struct sator_page *page)
{
    struct chart_row *rows;
    const char *const *names;
    int n_rows = chart_rows(page->arena, page, &rows);
    int n_names = chart_components(page->arena, n_rows, rows, &names);
    double most = 0;

    for (int r = 0; r < n_rows; r++)
        most = fmax(most, rows[r].result->energy_pj * rows[r].repeat); /* NAN is passed over */
    if (!(most > 0))
        return false;
    double unit_pj = 1;
    const char *unit = report_energy_unit(most, &unit_pj);
    const double left = 230, line = 26, width = 860;
    double height = 76 + line * n_rows + 18 * ((n_names + 3) / 4);
    struct svg_scale x = {0, most / unit_pj, left, width - 90, false};
    struct svg_scale y = {0, 1, 30 + line * n_rows, 26, false};
    svg_open(out, width, height, "Energy by component");
    svg_axes(out, &x, &y, sator_arena_printf(page->arena, "energy in %s", unit), "");
    for (int r = 0; r < n_rows; r++) {
        double at = left, top = 30 + line * r;
        for (int c = 0; c < n_names; c++) {
            double pj = chart_component_pj(&rows[r], names[c]);
            double wide = svg_place(&x, pj / unit_pj) - left;
            if (wide > 0)
                svg_rect(out, at, top, wide, line - 6, svg_color(c), "#ffffff");
            at += wide;
        }
        svg_text(out, left - 8, top + 14, "end", 12, ink, rows[r].name);
        svg_text(out, at + 5, top + 14, "start", 11, faint,
                sator_arena_printf(page->arena, "%s %s",
                        report_fixed(page->arena,
                                rows[r].result->energy_pj * rows[r].repeat / unit_pj, 2),
                        unit));
    }
    for (int c = 0; c < n_names; c++) {
        double at = 20 + 205 * (c % 4), top = y.from + 46 + 18 * (c / 4);
        svg_rect(out, at, top, 11, 11, svg_color(c), NULL);
        svg_text(out, at + 16, top + 10, "start", 12, ink, report_clean(page->arena, names[c]));
    }
    svg_close(out);
    return true;
}

/* ---- Pareto ---- */

enum {
    MOST_DOTS = 20000
};

static struct svg_scale scale_of(int64_t n, const double *values, double from, double to)
{
    double low = INFINITY, high = -INFINITY;

    for (int64_t i = 0; i < n; i++) {
        if (isfinite(values[i]))
            widen(values[i], &low, &high);
    }
    if (low > 0 && high / low > 20)
        return (struct svg_scale){low / 1.1, high * 1.1, from, to, true};
    double pad = high > low ? (high - low) * 0.05 : fabs(high) * 0.1 + 1;
    return (struct svg_scale){low - pad, high + pad, from, to, false};
}

bool svg_pareto(struct sator_text *out, struct sator_page *page)
{
    struct chart_front f;
    const double width = 760, height = 460;

    if (!chart_front(page->arena, page, &f))
        return false;
    struct svg_scale x = scale_of(f.n_points, f.x, 80, width - 20);
    struct svg_scale y = scale_of(f.n_points, f.y, height - 50, 34);
    svg_open(out, width, height, "Pareto front");
    svg_axes(out, &x, &y, f.x_name, f.y_name);
    int64_t every = f.n_points / MOST_DOTS + 1;
    for (int64_t i = 0; i < f.n_points; i += every) {
        if (isfinite(f.x[i]) && isfinite(f.y[i]))
            sator_text_add(out,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"#0072b2\" "
                    "fill-opacity=\"0.5\"/>\n",
                    svg_place(&x, f.x[i]), svg_place(&y, f.y[i]));
    }
    for (int64_t i = 0; i < f.n_front; i++) {
        double px = svg_place(&x, f.x[f.front[i]]), py = svg_place(&y, f.y[f.front[i]]);
        if (i > 0)
            svg_line(out, svg_place(&x, f.x[f.front[i - 1]]), svg_place(&y, f.y[f.front[i - 1]]),
                    px, py, "#d55e00", 1.5);
        svg_dot(out, px, py, 4, "#d55e00");
    }
    svg_close(out);
    return true;
}
