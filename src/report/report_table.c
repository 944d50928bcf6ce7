/* Markdown and LaTeX: a table of the figures that a paper prints. The rows are those of the CSV, of
 * which it keeps the main columns, and every row once: the tensors of one result differ in none. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* In the order of the table: the CSV's column, and how it is headed. */
static const struct {
    const char *column, *header, *unit;
} main_columns[] = {{"kind", "kind", ""}, {"name", "name", ""}, {"summary", "summary", ""},
        {"network", "network", ""}, {"layer", "layer", ""}, {"workload", "workload", ""},
        {"repeat", "repeat", ""}, {"arch", "machine", ""}, {"dataflow", "dataflow", ""},
        {"bandwidth_bits_per_cycle", "bandwidth", "bits/cycle"},
        {"latency_cycles", "latency", "cycles"}, {"latency_cycles.total", "latency", "cycles"},
        {"bound_by", "bound by", ""}, {"utilization", "utilization", ""},
        {"utilization.average", "utilization", ""}, {"unique_volume", "unique", "words"},
        {"energy_pj", "energy", "pJ"}, {"energy_pj.total", "energy", "pJ"},
        {"edp", "EDP", "pJ cycles"}, {"proved", "proved", ""}};

enum {
    N_MAIN = sizeof main_columns / sizeof *main_columns
};

struct rows {
    struct sator_arena *arena;
    int n_fields, n_rows; /* fields a row */
    const char **fields; /* row by row, the header first */
    int picked[N_MAIN], n_picked; /* columns of the CSV */
    int mains[N_MAIN]; /* their rows of main_columns */
};

static bool is_table(enum sator_format format)
{
    return format == SATOR_FORMAT_MARKDOWN || format == SATOR_FORMAT_LATEX;
}

bool report_is_csv(enum sator_format format)
{
    return format == SATOR_FORMAT_CSV || is_table(format);
}

/* ---- CSV ---- */

/* The field at "*at", which then is behind it; quotes are taken off. */
static const char *take_field(struct sator_arena *arena, const char **at)
{
    struct sator_text field = {0};
    bool quoted = **at == '"';

    for (*at += quoted; **at != '\0'; ++*at) {
        if (quoted && **at == '"') {
            if ((*at)[1] != '"')
                break;
            ++*at;
        } else if (!quoted && (**at == ',' || **at == '\n')) {
            break;
        }
        sator_text_add_bytes(&field, *at, 1);
    }
    *at += quoted && **at == '"';
    return sator_text_keep(&field, arena);
}

static void read_csv(struct rows *rows, const char *csv)
{
    int n = 0;

    for (const char *at = csv; *at != '\0'; at++) { /* past the comma or line end */
        SATOR_PUSH(rows->arena, rows->fields, n, take_field(rows->arena, &at));
        if (*at == '\n' && rows->n_fields == 0)
            rows->n_fields = n;
        if (*at == '\0')
            break;
    }
    rows->n_rows = rows->n_fields == 0 ? 0 : n / rows->n_fields;
}

static void pick_columns(struct rows *rows)
{
    for (int m = 0; m < N_MAIN; m++) {
        for (int c = 0; c < rows->n_fields; c++) {
            if (strcmp(rows->fields[c], main_columns[m].column) != 0)
                continue;
            rows->mains[rows->n_picked] = m;
            rows->picked[rows->n_picked++] = c;
            break;
        }
    }
}

static const char *cell(const struct rows *rows, int row, int column)
{
    return rows->fields[row * rows->n_fields + rows->picked[column]];
}

static bool same_as_before(const struct rows *rows, int row)
{
    for (int c = 0; c < rows->n_picked; c++) {
        if (row < 2 || strcmp(cell(rows, row, c), cell(rows, row - 1, c)) != 0)
            return false;
    }
    return true;
}

/* ---- tables ---- */

static bool is_number(const char *field)
{
    char *end;

    strtod(field, &end);
    return *field != '\0' && *end == '\0';
}

/* Whether every cell of the column is a number, or not known. */
static bool is_numeric(const struct rows *rows, int column)
{
    for (int row = 1; row < rows->n_rows; row++) {
        if (*cell(rows, row, column) != '\0' && !is_number(cell(rows, row, column)))
            return false;
    }
    return true;
}

/* A cell as it is shown: whole numbers in full, others with six digits, what is not known as "-".
 */
static const char *shown(const struct rows *rows, int row, int column)
{
    const char *field = cell(rows, row, column);

    if (*field == '\0')
        return "-";
    if (!is_number(field) || strpbrk(field, ".eE") == NULL)
        return field;
    return sator_arena_printf(rows->arena, "%.6g", strtod(field, NULL));
}

/* Rows as a table, each once. */
static void fill(struct sator_grid *grid, const struct rows *rows)
{
    for (int c = 0; c < rows->n_picked; c++)
        sator_grid_column(grid, main_columns[rows->mains[c]].header,
                main_columns[rows->mains[c]].unit, !is_numeric(rows, c));
    for (int row = 1; row < rows->n_rows; row++) {
        for (int c = 0; c < rows->n_picked && !same_as_before(rows, row); c++)
            sator_grid_cell(grid, shown(rows, row, c), false);
    }
}

/* "csv" (TAKE) as a table of its main columns (GIVE: free); rows that differ in none of them are
 * one. */
static char *table_of_csv(char *csv, enum sator_format format)
{
    struct rows rows = {.arena = sator_arena_new()};
    struct sator_text text = {0};

    read_csv(&rows, csv);
    pick_columns(&rows);
    struct sator_grid grid = {.arena = rows.arena};
    fill(&grid, &rows);
    if (format == SATOR_FORMAT_LATEX)
        sator_grid_latex(&text, &grid);
    else
        sator_grid_markdown(&text, &grid);
    sator_arena_free(rows.arena);
    free(csv);
    return sator_text_take(&text);
}

char *report_finish(struct sator_text *text, const struct sator_report_options *options)
{
    char *taken = report_take(text, report_look(options));

    return is_table(options->format) ? table_of_csv(taken, options->format) : taken;
}
