/* Roofline and Pareto front as characters. */
#include "report/show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    HEIGHT = 18,
    MARGIN = 11, /* for the numbers beside the axis */
    WIDEST = 100
};

/* A board of single characters, each a string: Unicode has several bytes. */
struct board {
    struct sator_arena *arena;
    int width;
    const char **cells;
    double x_low, x_high, y_low, y_high;
    bool log_x, log_y;
};

static double part(double value, double low, double high, bool is_log)
{
    return is_log ? log(value / low) / log(high / low) : (value - low) / (high - low);
}

static int column_of(const struct board *board, double x)
{
    return (int)lround(part(x, board->x_low, board->x_high, board->log_x) * (board->width - 1));
}

static int row_of(const struct board *board, double y)
{
    return (int)lround((1 - part(y, board->y_low, board->y_high, board->log_y)) * (HEIGHT - 1));
}

static void put(const struct board *board, int row, int column, const char *mark)
{
    if (row >= 0 && row < HEIGHT && column >= 0 && column < board->width)
        board->cells[row * board->width + column] = mark;
}

static struct board new_board(struct sator_arena *arena, const struct sator_show_options *options)
{
    struct board board = {.arena = arena, .width = options->width - MARGIN - 2};

    board.width = board.width > WIDEST ? WIDEST : board.width;
    board.cells = SATOR_NEW_ARRAY(arena, const char *, HEIGHT *board.width);
    return board;
}

static void write_board(struct sator_text *out, const struct board *board,
        const struct sator_show_options *options, const char *x_name, const char *y_name)
{
    const char *stem = options->ascii ? "|" : "\xe2\x94\x82";
    const char *floor_mark = options->ascii ? "-" : "\xe2\x94\x80";
    const char *corner = options->ascii ? "+" : "\xe2\x94\x94";

    sator_text_add(out, "%s\n", y_name);
    for (int r = 0; r < HEIGHT; r++) {
        char number[32] = "";
        if (r == 0 || r == HEIGHT - 1)
            snprintf(number, sizeof number, "%.3g", r == 0 ? board->y_high : board->y_low);
        sator_text_add(out, "%*s %s", MARGIN - 1, number, stem);
        int last = board->width;
        while (last > 0 && board->cells[r * board->width + last - 1] == NULL)
            last--;
        for (int c = 0; c < last; c++) {
            const char *cell = board->cells[r * board->width + c];
            sator_text_put(out, cell == NULL ? " " : cell);
        }
        sator_text_put(out, "\n");
    }
    sator_text_add(out, "%*s%s", MARGIN, "", corner);
    for (int c = 0; c < board->width; c++)
        sator_text_put(out, floor_mark);
    sator_text_add(out, "\n%*s%-12.3g%*.3g\n%*s%*s\n", MARGIN, "", board->x_low, board->width - 11,
            board->x_high, MARGIN, "", board->width + 1, x_name);
}

/* ---- roofline ---- */

static const char *letter(struct sator_arena *arena, int i)
{
    return i < 26    ? sator_arena_printf(arena, "%c", 'a' + i)
            : i < 52 ? sator_arena_printf(arena, "%c", 'A' + i - 26)
                     : "o";
}

bool show_roofline(
        struct sator_text *out, struct sator_page *page, const struct sator_show_options *options)
{
    struct chart_roofline r;

    if (!chart_roofline(page->arena, page, &r))
        return false;
    struct board board = new_board(page->arena, options);
    double knee = r.peak / r.bandwidth;
    board.x_low = board.x_high = knee;
    board.y_low = board.y_high = r.peak;
    for (int i = 0; i < r.n_points; i++) {
        board.x_low = fmin(board.x_low, r.points[i].x);
        board.x_high = fmax(board.x_high, r.points[i].x);
        board.y_low = fmin(board.y_low, r.points[i].y);
    }
    board.x_low /= 3;
    board.x_high *= 3;
    board.y_low /= 3;
    board.y_high *= 1.5;
    board.log_x = board.log_y = true;
    for (int c = 0; c < board.width; c++) {
        double x = board.x_low * pow(board.x_high / board.x_low, (double)c / (board.width - 1));
        bool flat = x >= knee;
        put(&board, row_of(&board, flat ? r.peak : x * r.bandwidth), c,
                flat ? (options->ascii ? "_" : "\xe2\x94\x80")
                     : (options->ascii ? "/" : "\xe2\x95\xb1"));
    }
    for (int i = 0; i < r.n_points; i++)
        put(&board, row_of(&board, r.points[i].y), column_of(&board, r.points[i].x),
                letter(page->arena, i));
    write_board(out, &board, options,
            sator_arena_printf(page->arena, "MACs per bit through %s", r.port), "MACs per cycle");
    sator_text_add(out, "  roof: %s MACs a cycle; %s bits a cycle through %s\n",
            report_number(page->arena, r.peak, 2), report_number(page->arena, r.bandwidth, 2),
            r.port);
    for (int i = 0; i < r.n_points; i++)
        sator_text_add(out, "  %s  %s: %s MACs a cycle, %s MACs per bit\n", letter(page->arena, i),
                r.points[i].name, report_number(page->arena, r.points[i].y, 2),
                report_number(page->arena, r.points[i].x, 4));
    return true;
}

/* ---- Pareto ---- */

enum {
    MOST_LISTED = 12
};

static void fit(int64_t n, const double *values, double *low, double *high, bool *is_log)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        *low = fmin(*low, values[i]); /* NAN is passed over */
        *high = fmax(*high, values[i]);
    }
    *is_log = *low > 0 && *high / *low > 20;
    if (*high <= *low)
        *high = *low + 1;
}

bool show_pareto(
        struct sator_text *out, struct sator_page *page, const struct sator_show_options *options)
{
    static const char *const blocks[] = {
            "\xc2\xb7", "\xe2\x96\x91", "\xe2\x96\x92", "\xe2\x96\x93"};
    static const char *const letters[] = {".", ":", "+", "#"};
    struct chart_front f;

    if (!chart_front(page->arena, page, &f))
        return false;
    struct board board = new_board(page->arena, options);
    fit(f.n_points, f.x, &board.x_low, &board.x_high, &board.log_x);
    fit(f.n_points, f.y, &board.y_low, &board.y_high, &board.log_y);
    int64_t *counts = SATOR_NEW_ARRAY(page->arena, int64_t, HEIGHT * board.width), most = 1;
    for (int64_t i = 0; i < f.n_points; i++) {
        if (!isfinite(f.x[i]) || !isfinite(f.y[i]))
            continue;
        int64_t *count = &counts[row_of(&board, f.y[i]) * board.width + column_of(&board, f.x[i])];
        most = ++*count > most ? *count : most;
    }
    for (int i = 0; i < HEIGHT * board.width; i++) {
        int shade = counts[i] == 0
                ? 0
                : (int)(3.99 * log((double)counts[i]) / fmax(log((double)most), 1));
        if (counts[i] > 0)
            board.cells[i] = (options->ascii ? letters : blocks)[shade];
    }
    for (int64_t i = 0; i < f.n_front; i++)
        put(&board, row_of(&board, f.y[f.front[i]]), column_of(&board, f.x[f.front[i]]), "*");
    write_board(out, &board, options, f.x_name, f.y_name);
    sator_text_add(out, "  %s, * the %s that no other beats:\n",
            report_counted(page->arena, f.n_points, "point"), report_count(page->arena, f.n_front));
    for (int64_t i = 0; i < f.n_front && i < MOST_LISTED; i++)
        sator_text_add(out, "  %s, %s\n", report_number(page->arena, f.x[f.front[i]], 0),
                report_number(page->arena, f.y[f.front[i]], 0));
    if (f.n_front > MOST_LISTED)
        sator_text_add(out, "  and %s more\n", report_count(page->arena, f.n_front - MOST_LISTED));
    return true;
}
