/* The array as SVG: a row a tensor, a column a stamp; a PE's colour says where its word comes from,
 * an arrow which neighbour had it. */
#include "report/svg.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_STAMPS = 4,
    MOST_STAMPS = 12,
    TEXT_CELL = 26, /* cells as wide have room for an element */
    ARROW_CELL = 12,
    SINGLE_CELL = 6 /* smaller ones are drawn together */
};
static const double widest = 1100;

struct array {
    struct sator_text *out;
    struct sator_arena *arena;
    const struct report_window *trace;
    const struct sator_provenance *is;
    struct chart_grid grid;
    const char **colors; /* of each source */
    double cell;
};

/* Whether any word came from the source. */
static bool is_used(const struct sator_provenance *is, int source)
{
    for (int a = 0; a < is->n_accesses; a++) {
        for (int64_t i = 0; i < is->accesses[a].n_words; i++) {
            if (is->accesses[a].words[i].source == source)
                return true;
        }
    }
    return false;
}

/* Colours by kind: links and buses in their order, memories the darker the farther out. As on the
 * page (report/src/page.css), the first of each kind are told apart by how light they are, too. */
static const char **source_colors(struct sator_arena *arena, const struct report_window *trace)
{
    static const char *const links[] = {
            "#0065a3", "#e69f00", "#56b4e9", "#cc79a7", "#6a4fb0", "#7a6a00"};
    static const char *const memories[] = {"#cc5500", "#7f2704", "#f7b38f", "#4a1600"};
    const struct sator_provenance *is = trace->is;
    const char **colors = SATOR_NEW_ARRAY(arena, const char *, is->n_sources);
    int n_links = 0, n_buses = 0, n_memories = 0;

    for (int s = 0; s < is->n_sources; s++) {
        switch (is->sources[s].kind) {
        case SATOR_FROM_REGISTER:
            colors[s] = "#c3ccd6";
            break;
        case SATOR_FROM_LINK:
            colors[s] = links[n_links++ % 6];
            break;
        case SATOR_FROM_BUS:
            colors[s] = n_buses++ % 2 == 0 ? "#00a87b" : "#86c900";
            break;
        case SATOR_FROM_MEMORY:
            colors[s] = memories[n_memories % 4];
            n_memories += is_used(is, s);
        }
    }
    return colors;
}

static void put_arrow(
        const struct array *array, const struct sator_traced_word *word, double left, double top)
{
    const struct chart_grid *grid = &array->grid;
    double cell = array->cell, half = cell * 0.16 > 8 ? 8 : cell * 0.16;
    double x0 = left + (grid->column[word->provider] + 0.5) * cell;
    double y0 = top + (grid->row[word->provider] + 0.5) * cell;
    double x1 = left + (grid->column[word->pe] + 0.5) * cell;
    double y1 = top + (grid->row[word->pe] + 0.5) * cell;
    double mx = (x0 + x1) / 2, my = (y0 + y1) / 2;
    double far = (x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0);
    double part = far < 2.2 * cell * cell ? half / cell : 0.3;

    svg_arrow(array->out, mx - (x1 - x0) * part, my - (y1 - y0) * part, mx + (x1 - x0) * part,
            my + (y1 - y0) * part);
}

static void put_element(const struct array *array, int access, const struct sator_traced_word *word,
        double x, double y, const char *color)
{
    const struct sator_access_words *words = &array->is->accesses[access];
    int64_t *element = SATOR_NEW_ARRAY(array->arena, int64_t, words->n_index + 1);
    struct sator_text text = {0};

    report_element(words, word->element, element);
    for (int i = 0; i < words->n_index; i++)
        sator_text_add(&text, "%s%lld", i == 0 ? "" : ",", (long long)element[i]);
    double size = (array->cell - 4) / (0.56 * (double)text.length + 1.2);
    if (size > 6)
        svg_text(array->out, x, y + 4, "middle", size > 11 ? 11 : size, color,
                text.data == NULL ? "" : text.data);
    sator_text_clear(&text);
}

/* Whether black is read better on "#rrggbb" than white, as on the page: by relative luminance (WCAG
 * 2.1), where gamma is taken to be 2. */
static bool is_light(const char *color)
{
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    long rgb = strtol(color + 1, NULL, 16);
    double light = 0;

    for (int i = 0; i < 3; i++) {
        double part = (double)(rgb >> (16 - 8 * i) & 255) / 255;
        light += weights[i] * part * part;
    }
    return light > 0.2;
}

/* Small cells: those of one colour side by side are one rectangle. */
static void put_pixels(const struct array *array, const struct sator_traced_word *const *shown,
        double left, double top)
{
    const struct chart_grid *grid = &array->grid;
    size_t n_columns = (size_t)grid->columns;
    const char **colors =
            SATOR_NEW_ARRAY(array->arena, const char *, n_columns *(size_t)grid->rows);

    for (int p = 0; p < array->is->n_pes; p++) {
        if (shown[p] != NULL)
            colors[(size_t)grid->row[p] * n_columns + (size_t)grid->column[p]] =
                    array->colors[shown[p]->source];
    }
    for (int r = 0; r < grid->rows; r++) {
        const char **row = colors + (size_t)r * n_columns;
        for (int c = 0, end; c < grid->columns; c = end) {
            for (end = c + 1; end < grid->columns && row[end] == row[c];)
                end++;
            if (row[c] != NULL)
                svg_rect(array->out, left + c * array->cell, top + r * array->cell,
                        (end - c) * array->cell, array->cell, row[c], NULL);
        }
    }
}

/* One stamp of one tensor. Of several words of a PE the one from farthest away shows. */
static void put_grid(const struct array *array, int access, int stamp, double left, double top)
{
    const struct sator_access_words *words = &array->is->accesses[access];
    const struct chart_grid *grid = &array->grid;
    const struct sator_traced_word **shown =
            SATOR_NEW_ARRAY(array->arena, const struct sator_traced_word *, array->is->n_pes);
    double cell = array->cell, gap = cell > 6 ? 1 : 0;

    for (int64_t i = words->starts[stamp]; i < words->starts[stamp + 1]; i++) {
        const struct sator_traced_word *word = &words->words[i], *before = shown[word->pe];
        if (before == NULL ||
                array->is->sources[word->source].kind > array->is->sources[before->source].kind)
            shown[word->pe] = word;
    }
    svg_rect(array->out, left, top, cell * grid->columns, cell * grid->rows, "#eceef1", NULL);
    if (cell < SINGLE_CELL) {
        put_pixels(array, shown, left, top);
        return;
    }
    for (int p = 0; p < array->is->n_pes; p++) {
        double x = left + grid->column[p] * cell, y = top + grid->row[p] * cell;
        if (shown[p] == NULL)
            continue;
        const char *color = array->colors[shown[p]->source];
        svg_rect(array->out, x + gap, y + gap, cell - 2 * gap, cell - 2 * gap, color, NULL);
        if (cell >= TEXT_CELL)
            put_element(array, access, shown[p], x + cell / 2, y + cell / 2,
                    is_light(color) ? "#1b1f24" : "#ffffff");
    }
    for (int p = 0; p < array->is->n_pes && cell >= ARROW_CELL; p++) {
        if (shown[p] != NULL && shown[p]->provider >= 0)
            put_arrow(array, shown[p], left, top);
    }
}

static const char *stamp_text(const struct array *array, int stamp)
{
    const struct sator_provenance *is = array->is;
    struct sator_text text = {0};

    sator_text_add(&text, "%s[", array->trace->time_name);
    for (int i = 0; i < is->n_time; i++)
        sator_text_add(
                &text, "%s%lld", i == 0 ? "" : ",", (long long)is->stamps[stamp * is->n_time + i]);
    sator_text_add(&text, "]");
    const char *copy = report_clean(array->arena, text.data);
    sator_text_clear(&text);
    return copy;
}

static void put_legend(const struct array *array, double x, double y)
{
    const struct sator_provenance *is = array->is;

    for (int s = 0; s < is->n_sources; s++) {
        bool used = false;
        for (int a = 0; a < is->n_accesses; a++) {
            for (int64_t i = 0; i < is->accesses[a].n_words && !used; i++)
                used = is->accesses[a].words[i].source == s;
        }
        if (!used)
            continue;
        const char *name = report_clean(array->arena, is->sources[s].name);
        svg_rect(array->out, x, y, 12, 12, array->colors[s], NULL);
        svg_text(array->out, x + 17, y + 10, "start", 12, "#1b1f24", name);
        x += 40 + 7 * (double)strlen(name);
    }
}

bool svg_array(struct sator_text *out, struct sator_page *page)
{
    if (page->n_windows == 0)
        return false;
    const struct report_window *trace = &page->windows[0].is;
    const struct sator_provenance *is = trace->is;
    struct array array = {.out = out,
            .arena = page->arena,
            .trace = trace,
            .is = is,
            .grid = chart_grid(page->arena, is),
            .colors = source_colors(page->arena, trace)};
    bool chosen = page->window.n_from > 0 || page->window.n_stamps > 0;
    int first = chosen ? 0 : chart_first_stamp(is);
    int n = page->window.n_stamps > 0 ? page->window.n_stamps : DEFAULT_STAMPS;
    n = n > MOST_STAMPS ? MOST_STAMPS : n;
    n = n > is->n_stamps - first ? is->n_stamps - first : n;
    const double label = 40, gap = 22, top = 36;
    double room = (widest - label - gap * (n - 1)) / n;
    array.cell = room / array.grid.columns;
    array.cell = array.cell > 48 ? 48 : array.cell;
    if (array.cell * array.grid.rows > 420)
        array.cell = 420.0 / array.grid.rows;
    double wide = array.cell * array.grid.columns, high = array.cell * array.grid.rows;
    double width = label + n * wide + (n - 1) * gap + 12;
    svg_open(out, width < 420 ? 420 : width, top + is->n_accesses * (high + gap) + 26,
            "The array, stamp by stamp");
    for (int s = 0; s < n; s++) {
        double left = label + s * (wide + gap);
        svg_text(out, left + wide / 2, 22, "middle", 13, "#1b1f24", stamp_text(&array, first + s));
        for (int a = 0; a < is->n_accesses; a++)
            put_grid(&array, a, first + s, left, top + a * (high + gap));
    }
    for (int a = 0; a < is->n_accesses; a++)
        svg_text(out, 14, top + a * (high + gap) + high / 2, "start", 14, "#1b1f24",
                report_clean(page->arena, trace->workload->accesses[a].tensor));
    put_legend(&array, label, top + is->n_accesses * (high + gap));
    svg_close(out);
    return true;
}
