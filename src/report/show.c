/* The array as shaded cells, and the memories as a tree. */
#include "report/show.h"

#include "base/arguments.h"

#include <math.h>
#include <string.h>

/* ---- shades ---- */

enum {
    N_SHADES = 5
};

static const char *shade(const struct sator_show_options *options, double part)
{
    static const char *const blocks[N_SHADES] = {
            "\xc2\xb7", "\xe2\x96\x91", "\xe2\x96\x92", "\xe2\x96\x93", "\xe2\x96\x88"};
    static const char *const letters[N_SHADES] = {".", "-", "+", "*", "#"};
    int i = part <= 0 ? 0 : 1 + (int)(part * (N_SHADES - 1) * 0.9999);

    i = i >= N_SHADES ? N_SHADES - 1 : i;
    return options->ascii ? letters[i] : blocks[i];
}

/* ---- the array ---- */

/* A figure of every PE: what it adds up to, and over how many stamps. */
struct heat {
    const char *title;
    double *of_pe;
    double most; /* what the darkest shade stands for */
    const char *legend;
};

struct panels {
    struct sator_text *out;
    struct sator_arena *arena;
    const struct sator_show_options *options;
    const struct sator_provenance *is;
    struct chart_grid grid;
    int bin; /* so many PEs in each direction share a cell */
    int cell; /* columns of a cell: 2, or 1 where there is no room */
};

/* The mean of the PEs in each cell, as a part of the most. */
static double *cell_values(const struct panels *panels, const struct heat *heat)
{
    int columns = (panels->grid.columns + panels->bin - 1) / panels->bin;
    int rows = (panels->grid.rows + panels->bin - 1) / panels->bin;
    double *sums = SATOR_NEW_ARRAY(panels->arena, double, (size_t)rows *(size_t)columns);
    double *n = SATOR_NEW_ARRAY(panels->arena, double, (size_t)rows *(size_t)columns);

    for (int p = 0; p < panels->is->n_pes; p++) {
        size_t at = (size_t)(panels->grid.row[p] / panels->bin) * (size_t)columns +
                (size_t)(panels->grid.column[p] / panels->bin);
        sums[at] += heat->of_pe[p];
        n[at]++;
    }
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++)
        sums[i] = n[i] > 0 && heat->most > 0 ? sums[i] / n[i] / heat->most : 0;
    return sums;
}

static void put_panel(const struct panels *panels, const struct heat *heat)
{
    int columns = (panels->grid.columns + panels->bin - 1) / panels->bin;
    int rows = (panels->grid.rows + panels->bin - 1) / panels->bin;
    const double *values = cell_values(panels, heat);

    sator_text_add(panels->out, "\n%s\n", heat->title);
    for (int r = 0; r < rows; r++) {
        sator_text_put(panels->out, "  ");
        for (int c = 0; c < columns; c++) {
            for (int i = 0; i < panels->cell; i++)
                sator_text_put(panels->out,
                        shade(panels->options, values[(size_t)r * (size_t)columns + (size_t)c]));
        }
        sator_text_put(panels->out, "\n");
    }
    sator_text_add(panels->out, "  %s\n", heat->legend);
}

/* Count what PEs have in the window: "kind" -1: stamps in which they are busy. */
static struct heat make_heat(const struct panels *panels, int access, int kind)
{
    const struct sator_provenance *is = panels->is;
    struct heat heat = {.of_pe = SATOR_NEW_ARRAY(panels->arena, double, is->n_pes)};
    int32_t *latest = SATOR_NEW_ARRAY(panels->arena, int32_t, is->n_pes);

    for (int s = 0; s < is->n_stamps; s++) {
        for (int a = 0; a < is->n_accesses; a++) {
            const struct sator_access_words *words = &is->accesses[a];
            if (kind >= 0 && a != access)
                continue;
            for (int64_t i = words->starts[s]; i < words->starts[s + 1]; i++) {
                const struct sator_traced_word *word = &words->words[i];
                if (kind < 0)
                    heat.of_pe[word->pe] += latest[word->pe] != s + 1;
                else
                    heat.of_pe[word->pe] += (int)is->sources[word->source].kind == kind;
                latest[word->pe] = s + 1;
            }
        }
    }
    return heat;
}

static void put_traffic(const struct panels *panels, const struct report_window *trace, int access)
{
    static const struct {
        enum sator_source_kind kind;
        const char *verb;
    } ways[] = {{SATOR_FROM_MEMORY, "from memory"}, {SATOR_FROM_LINK, "over links"},
            {SATOR_FROM_BUS, "shared on buses"}};

    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        struct heat heat = make_heat(panels, access, (int)ways[w].kind);
        double all = 0;
        for (int p = 0; p < panels->is->n_pes; p++) {
            all += heat.of_pe[p];
            heat.most = heat.of_pe[p] > heat.most ? heat.of_pe[p] : heat.most;
        }
        if (all <= 0)
            continue;
        heat.title = sator_arena_printf(panels->arena, "%s %s: %s words",
                report_clean(panels->arena, trace->workload->accesses[access].tensor), ways[w].verb,
                report_number(panels->arena, all, 0));
        heat.legend = sator_arena_printf(panels->arena, "%s none, %s up to %s a PE",
                shade(panels->options, 0), shade(panels->options, 1),
                report_counted(panels->arena, (sator_int)heat.most, "word"));
        put_panel(panels, &heat);
    }
}

static void put_stamp(
        struct sator_text *out, struct sator_arena *arena, const struct report_window *trace, int s)
{
    const struct sator_provenance *is = trace->is;

    sator_text_add(out, "%s[", report_clean(arena, trace->time_name));
    for (int i = 0; i < is->n_time; i++)
        sator_text_add(out, "%s%lld", i == 0 ? "" : ",", (long long)is->stamps[s * is->n_time + i]);
    sator_text_put(out, "]");
}

static void put_heading(const struct panels *panels, const struct report_window *trace)
{
    const struct sator_provenance *is = panels->is;

    sator_text_add(panels->out, "%s, stamps ", report_counted(panels->arena, is->n_pes, "PE"));
    put_stamp(panels->out, panels->arena, trace, 0);
    sator_text_put(panels->out, " to ");
    put_stamp(panels->out, panels->arena, trace, is->n_stamps - 1);
    sator_text_add(panels->out, " (%s%s)", report_count(panels->arena, is->n_stamps),
            is->at_start && is->at_end ? ", all" : "");
    if (panels->bin > 1)
        sator_text_add(panels->out, "; a cell is %d x %d PEs", panels->bin, panels->bin);
    sator_text_put(panels->out, "\n");
}

/* Of several results each has a heading. */
static void put_title(struct sator_text *out, const struct sator_page *page, int result, bool first)
{
    const struct sator_result *r = page->results[result].is;

    if (page->n_results > 1)
        sator_text_add(out, "%s# %s, %s, %s\n", first ? "" : "\n",
                report_clean(page->arena, r->workload), report_clean(page->arena, r->dataflow),
                report_clean(page->arena, r->arch));
}

static void put_array(struct sator_text *out, const struct sator_page *page,
        const struct report_window *trace, const struct sator_show_options *options)
{
    const struct sator_provenance *is = trace->is;
    struct panels panels = {.out = out,
            .arena = page->arena,
            .options = options,
            .is = is,
            .grid = chart_grid(page->arena, is)};
    int room = options->width - 4;

    panels.cell = 2 * panels.grid.columns <= room ? 2 : 1;
    panels.bin = (panels.grid.columns * panels.cell + room - 1) / room;
    struct heat busy = make_heat(&panels, 0, -1);
    double all = 0;
    for (int p = 0; p < is->n_pes; p++)
        all += busy.of_pe[p];
    busy.most = is->n_stamps;
    busy.title = sator_arena_printf(page->arena, "busy: %s %% of the PEs, on average",
            report_fixed(page->arena, 100 * all / is->n_stamps / is->n_pes, 1));
    busy.legend = sator_arena_printf(
            page->arena, "%s never, %s in every stamp", shade(options, 0), shade(options, 1));
    put_heading(&panels, trace);
    put_panel(&panels, &busy);
    for (int a = 0; a < is->n_accesses; a++)
        put_traffic(&panels, trace, a);
}

bool show_array(
        struct sator_text *out, struct sator_page *page, const struct sator_show_options *options)
{
    for (int w = 0; w < page->n_windows; w++) {
        put_title(out, page, page->windows[w].result, w == 0);
        put_array(out, page, &page->windows[w].is, options);
    }
    return page->n_windows > 0;
}

/* ---- the tree ---- */

struct tree {
    struct sator_text *out;
    struct sator_arena *arena;
    const struct sator_show_options *options;
    const struct page_result *result;
    const char *const *parts; /* branch, stem, down, up */
    int depth;
    int n_edges;
    struct chart_edge *edges;
};

static void put_indent(const struct tree *tree)
{
    for (int i = 0; i < tree->depth; i++)
        sator_text_put(tree->out, "  ");
}

static void put_loops(
        struct tree *tree, const char *word, const struct sator_relation *map, int first, int end)
{
    const struct sator_workload *workload = tree->result->workload;
    const struct sator_piece *piece = sator_relation_function(map);
    int64_t *upper = SATOR_NEW_ARRAY(tree->arena, int64_t, workload->n_loops + 1);

    for (int l = 0; l < workload->n_loops; l++)
        upper[l] = workload->upper[l] - 1;
    for (int i = first; i < end; i++) {
        struct sator_text text = {0};
        int64_t least = 0, greatest = 0;
        if (piece == NULL) {
            sator_text_put(&text, "by cases");
        } else {
            sator_expr_write(&text, piece->out[i], piece->names);
            if (sator_expr_range(piece->out[i], workload->lower, upper, &least, &greatest))
                sator_text_add(&text, " in %lld .. %lld", (long long)least, (long long)greatest);
        }
        put_indent(tree);
        sator_text_add(
                tree->out, "%s%s %s\n", tree->parts[0], word, report_clean(tree->arena, text.data));
        sator_text_clear(&text);
        tree->depth++;
    }
}

/* "A 2,097,152 down, Y 65,536 up": what crosses from memory "level" inward. */
static void put_words(const struct tree *tree, int level)
{
    bool any = false;

    for (int e = 0; e < tree->n_edges; e++) {
        const struct chart_edge *edge = &tree->edges[e];
        if (edge->from != level)
            continue;
        if (!any) {
            put_indent(tree);
            sator_text_put(tree->out, tree->parts[1]);
        }
        sator_text_add(tree->out, "%s%s", any ? ", " : "", edge->name);
        if (edge->down > 0 || edge->up <= 0)
            sator_text_add(
                    tree->out, " %s%s", tree->parts[2], report_number(tree->arena, edge->down, 0));
        if (edge->up > 0)
            sator_text_add(
                    tree->out, " %s%s", tree->parts[3], report_number(tree->arena, edge->up, 0));
        any = true;
    }
    if (any)
        sator_text_put(tree->out, " words\n");
}

static void put_memory(struct tree *tree, const struct sator_level_result *level, int number)
{
    sator_int held = 0;

    for (int t = 0; t < level->n_tensors; t++)
        held += level->tensors[t].tile_words;
    put_indent(tree);
    sator_text_add(tree->out, "%s", report_clean(tree->arena, level->name));
    if (level->instances > 1)
        sator_text_add(tree->out, " x %s", report_count(tree->arena, level->instances));
    sator_text_add(tree->out, ": holds %s", report_counted(tree->arena, held, "word"));
    if (isfinite(level->capacity_bytes))
        sator_text_add(tree->out, ", room for %s",
                report_quantity(tree->arena, level->capacity_bytes, 0, "byte"));
    else if (isfinite(level->capacity_words))
        sator_text_add(tree->out, ", room for %s",
                report_quantity(tree->arena, level->capacity_words, 0, "word"));
    sator_text_put(tree->out, "\n");
    put_words(tree, number);
}

static void put_tree(struct sator_text *out, const struct sator_page *page,
        const struct page_result *result, const struct sator_show_options *options)
{
    static const char *const unicode[] = {
            "\xe2\x94\x94 ", "\xe2\x94\x82 ", "\xe2\x86\x93", "\xe2\x86\x91"};
    static const char *const ascii[] = {"` ", "| ", "in ", "out "};

    const struct sator_arch *arch = page->archs[result->arch];
    struct tree tree = {.out = out,
            .arena = page->arena,
            .options = options,
            .result = result,
            .parts = options->ascii ? ascii : unicode};
    int memory = 0, space = 0, time = 0;

    tree.n_edges = chart_edges(page->arena, result->is, &tree.edges);
    for (int l = 0; l < arch->n_levels; l++) {
        const struct sator_level *level = &arch->levels[l];
        if (level->kind == SATOR_LEVEL_MEMORY) {
            const struct sator_level_result *is = &result->is->levels[memory];
            put_loops(&tree, "for", result->bound->time, time, is->time_cut);
            time = is->time_cut > time ? is->time_cut : time;
            put_memory(&tree, is, memory++);
        } else if (level->kind == SATOR_LEVEL_ARRAY) {
            put_loops(&tree,
                    sator_arena_printf(
                            page->arena, "%s over", report_clean(page->arena, level->name)),
                    result->bound->space, space, space + level->array.n_dims);
            space += level->array.n_dims;
        } else {
            put_loops(&tree, "for", result->bound->time, time, result->bound->time->n_out);
            put_indent(&tree);
            sator_text_add(out, "%s: %s\n", report_clean(page->arena, level->name),
                    report_counted(page->arena, result->is->instances, "instance"));
        }
    }
}

bool show_tree(
        struct sator_text *out, struct sator_page *page, const struct sator_show_options *options)
{
    for (int r = 0; r < page->n_results; r++) {
        put_title(out, page, r, r == 0);
        put_tree(out, page, &page->results[r], options);
    }
    return page->n_results > 0;
}

/* ---- the choice ---- */

enum {
    WIDEST = 10000 /* columns */
};

enum sator_status sator_page_show(struct sator_ctx *ctx, struct sator_page *page,
        const char *picture, const struct sator_show_options *options, char **text)
{
    static const char *const names[] = {"array", "roofline", "tree", "pareto"};
    static bool (*const pictures[])(
            struct sator_text *, struct sator_page *, const struct sator_show_options *) = {
            show_array, show_roofline, show_tree, show_pareto};
    struct sator_show_options wanted;
    struct sator_text out = {0};

    SATOR_NEEDS(ctx, page != NULL && picture != NULL && text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_OPTIONS(ctx, options, wanted);
    options = &wanted;
    SATOR_NUMBER(ctx, options->width, 0, WIDEST);

    wanted.width = wanted.width < 20 ? 80 : wanted.width;
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        if (strcmp(picture, names[i]) != 0)
            continue;
        if (pictures[i](&out, page, &wanted)) {
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
