/* A table: columns with headers and units, and cells row by row; as aligned text, as Markdown, as
 * LaTeX. Cells are the caller's, and live as long as the table. */
#ifndef SATOR_BASE_GRID_H
#define SATOR_BASE_GRID_H

#include "base/arena.h"
#include "base/text.h"

struct sator_grid_cell {
    const char *text;
    bool marked;
};
struct sator_grid_column {
    const char *header, *unit;
    bool left; /* words, aligned to the left */
    bool key; /* says what a row is about */
};
struct sator_grid {
    struct sator_arena *arena;
    int n_columns;
    struct sator_grid_column *columns;
    int n_cells;
    struct sator_grid_cell *cells;
};

/* The next column; the first one is a key. */
void sator_grid_column(struct sator_grid *grid, const char *header, const char *unit, bool left);
/* The last column is a key, as the first one is. */
void sator_grid_key(struct sator_grid *grid);
void sator_grid_cell(struct sator_grid *grid, const char *text, bool marked);

/* Aligned, and indented by two blanks; marked cells get a '*', with "color" in green. What does not
 * fit into "most_width" columns of text (0: any) follows below, with the key columns again. */
void sator_grid_text(
        struct sator_text *text, const struct sator_grid *grid, int most_width, bool color);
void sator_grid_markdown(struct sator_text *text, const struct sator_grid *grid);
/* For the package booktabs. */
void sator_grid_latex(struct sator_text *text, const struct sator_grid *grid);

#endif
