#include "base/grid.h"

#include <limits.h>
#include <string.h>

/* Columns that "text" takes: its UTF-8 characters. */
static int width(const char *text)
{
    int characters = 0;

    for (; *text != '\0'; text++)
        characters += ((unsigned char)*text & 0xC0) != 0x80;
    return characters;
}

void sator_grid_column(struct sator_grid *grid, const char *header, const char *unit, bool left)
{
    const struct sator_grid_column column = {
            .header = header, .unit = unit, .left = left, .key = grid->n_columns == 0};

    SATOR_PUSH(grid->arena, grid->columns, grid->n_columns, column);
}

void sator_grid_key(struct sator_grid *grid)
{
    grid->columns[grid->n_columns - 1].key = true;
}

void sator_grid_cell(struct sator_grid *grid, const char *text, bool marked)
{
    SATOR_PUSH(grid->arena, grid->cells, grid->n_cells,
            (struct sator_grid_cell){.text = text, .marked = marked});
}

/* ---- aligned text ---- */

static void add_padded(
        struct sator_text *text, const char *cell, int columns, bool left, bool marked, bool color)
{
    int padding = columns - width(cell) - marked;

    if (!left)
        sator_text_add(text, "%*s", padding, "");
    sator_text_add(text, "%s%s%s%s", marked && color ? "\033[1;32m" : "", cell, marked ? "*" : "",
            marked && color ? "\033[0m" : "");
    if (left)
        sator_text_add(text, "%*s", padding, "");
}

static void end_line(struct sator_text *text)
{
    while (text->length > 0 && text->data[text->length - 1] == ' ')
        text->length--;
    text->data[text->length] = '\0';
    sator_text_add(text, "\n");
}

/* Column widths; a column with marks keeps a place for them right of its numbers. */
static void measure(const struct sator_grid *grid, int *widths, bool *marks)
{
    for (int c = 0; c < grid->n_columns; c++) {
        int header = width(grid->columns[c].header), unit = width(grid->columns[c].unit);
        widths[c] = header > unit ? header : unit;
        marks[c] = false;
    }
    for (int i = 0; i < grid->n_cells; i++) {
        int c = i % grid->n_columns;
        marks[c] = marks[c] || grid->cells[i].marked;
    }
    for (int i = 0; i < grid->n_cells; i++) {
        int c = i % grid->n_columns, needed = width(grid->cells[i].text) + marks[c];
        widths[c] = needed > widths[c] ? needed : widths[c];
    }
}

/* The columns of the next block: the keys, and of the others that have not been "shown" as many as
 * fit into "most" columns of text, at least one. */
static bool choose(
        const struct sator_grid *grid, const int *widths, int most, bool *shown, bool *block)
{
    int room = most;
    bool any = false;

    for (int c = 0; c < grid->n_columns; c++) {
        block[c] = grid->columns[c].key;
        room -= block[c] ? 2 + widths[c] : 0;
    }
    for (int c = 0; c < grid->n_columns; c++) {
        if (shown[c] || grid->columns[c].key)
            continue;
        if (any && 2 + widths[c] > room)
            return true;
        room -= 2 + widths[c];
        shown[c] = block[c] = any = true;
    }
    return any;
}

static void write_headers(struct sator_text *text, const struct sator_grid *grid, const int *widths,
        const bool *block)
{
    bool has_units = false;

    for (int c = 0; c < grid->n_columns; c++) {
        const struct sator_grid_column *column = &grid->columns[c];
        if (!block[c])
            continue;
        has_units = has_units || *column->unit != '\0';
        sator_text_add(text, "  ");
        add_padded(text, column->header, widths[c], column->left, false, false);
    }
    end_line(text);
    for (int c = 0; has_units && c < grid->n_columns; c++) {
        if (!block[c])
            continue;
        sator_text_add(text, "  ");
        add_padded(text, grid->columns[c].unit, widths[c], grid->columns[c].left, false, false);
    }
    if (has_units)
        end_line(text);
}

static void write_rows(struct sator_text *text, const struct sator_grid *grid, const int *widths,
        const bool *marks, const bool *block, bool color)
{
    for (int i = 0; i < grid->n_cells; i++) {
        int c = i % grid->n_columns;
        const struct sator_grid_cell *cell = &grid->cells[i];
        bool room = marks[c] && !cell->marked && !grid->columns[c].left;
        if (block[c]) {
            sator_text_add(text, "  ");
            add_padded(
                    text, cell->text, widths[c] - room, grid->columns[c].left, cell->marked, color);
            sator_text_add(text, "%s", room ? " " : "");
        }
        if (c == grid->n_columns - 1)
            end_line(text);
    }
}

void sator_grid_text(
        struct sator_text *text, const struct sator_grid *grid, int most_width, bool color)
{
    int *widths = SATOR_NEW_ARRAY(grid->arena, int, grid->n_columns);
    bool *marks = SATOR_NEW_ARRAY(grid->arena, bool, grid->n_columns);
    bool *shown = SATOR_NEW_ARRAY(grid->arena, bool, grid->n_columns);
    bool *block = SATOR_NEW_ARRAY(grid->arena, bool, grid->n_columns);
    int most = most_width > 0 ? most_width : INT_MAX / 2;

    measure(grid, widths, marks);
    for (bool first = true; choose(grid, widths, most, shown, block) || first; first = false) {
        sator_text_add(text, "%s", first ? "" : "\n");
        write_headers(text, grid, widths, block);
        write_rows(text, grid, widths, marks, block, color);
    }
}

/* ---- Markdown and LaTeX ---- */

/* What the notation takes for its own is escaped. */
static void add_escaped(struct sator_text *text, const char *cell, bool latex)
{
    const char *specials = latex ? "#$%&_{}" : "|\\*_<>`";

    for (; *cell != '\0'; cell++) {
        if (*cell == '\n')
            sator_text_put(text, " ");
        else if (latex && *cell == '\\')
            sator_text_put(text, "\\textbackslash{}");
        else if (latex && (*cell == '~' || *cell == '^'))
            sator_text_add(text, "\\%c{}", *cell);
        else
            sator_text_add(text, strchr(specials, *cell) != NULL ? "\\%c" : "%c", *cell);
    }
}

/* Headers with their units, in one line. */
static void add_header(struct sator_text *text, const struct sator_grid_column *column, bool latex)
{
    add_escaped(text, column->header, latex);
    if (*column->unit != '\0')
        sator_text_add(text, " (%s)", column->unit);
}

static void add_rows(struct sator_text *text, const struct sator_grid *grid, const char *begin,
        const char *between, const char *end, bool latex)
{
    for (int c = 0; c < grid->n_columns; c++) {
        sator_text_put(text, c == 0 ? begin : between);
        add_header(text, &grid->columns[c], latex);
    }
    sator_text_put(text, end);
    if (latex)
        sator_text_put(text, "\\midrule\n");
    for (int c = 0; c < grid->n_columns && !latex; c++)
        sator_text_put(text, grid->columns[c].left ? "| --- " : "| ---: ");
    sator_text_put(text, latex ? "" : "|\n");
    for (int i = 0; i < grid->n_cells; i++) {
        int c = i % grid->n_columns;
        sator_text_put(text, c == 0 ? begin : between);
        add_escaped(text, grid->cells[i].text, latex);
        sator_text_put(text, c == grid->n_columns - 1 ? end : "");
    }
}

void sator_grid_markdown(struct sator_text *text, const struct sator_grid *grid)
{
    add_rows(text, grid, "| ", " | ", " |\n", false);
}

void sator_grid_latex(struct sator_text *text, const struct sator_grid *grid)
{
    sator_text_put(text, "% \\usepackage{booktabs}\n\\begin{tabular}{");
    for (int c = 0; c < grid->n_columns; c++)
        sator_text_put(text, grid->columns[c].left ? "l" : "r");
    sator_text_put(text, "}\n\\toprule\n");
    add_rows(text, grid, "", " & ", " \\\\\n", true);
    sator_text_put(text, "\\bottomrule\n\\end{tabular}\n");
}
