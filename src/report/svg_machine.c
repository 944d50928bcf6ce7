/* The machine with the words that cross its edges, and its memories with their loops, as SVG. */
#include "report/show.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

static const char ink[] = "#1b1f24", faint[] = "#565e68", hot[] = "#b03a00";
static const double box_height = 58, box_gap = 26, box_width = 700;

struct machine {
    struct sator_text *out;
    struct sator_arena *arena;
    const struct sator_result *result;
    const struct sator_arch *arch;
    double *tops; /* of each memory's box, then of the compute units' */
};

static const char *about_level(const struct machine *m, const struct sator_level *level, int memory)
{
    if (level->kind == SATOR_LEVEL_ARRAY) {
        struct sator_text text = {0};
        for (int d = 0; d < level->array.n_dims; d++)
            sator_text_add(&text, "%s%lld", d == 0 ? "" : " x ", (long long)level->array.shape[d]);
        const char *shape = sator_arena_printf(m->arena, "%s PEs", text.data);
        sator_text_clear(&text);
        return shape;
    }
    if (level->kind == SATOR_LEVEL_COMPUTE)
        return sator_arena_printf(m->arena, "%s, %s cycles",
                report_counted(m->arena, m->result->pes, "unit"),
                report_number(m->arena, m->result->compute_cycles, 0));
    return report_counted(m->arena, m->result->levels[memory].instances, "instance");
}

static bool decides(const struct machine *m, const struct sator_level *level, int memory)
{
    const struct sator_result *r = m->result;

    if (level->kind == SATOR_LEVEL_COMPUTE)
        return r->bound_by != NULL && strcmp(r->bound_by, "compute") == 0;
    for (int p = 0; p < r->n_ports && level->kind == SATOR_LEVEL_MEMORY; p++) {
        if (r->ports[p].level == memory && r->bound_by != NULL &&
                strcmp(r->ports[p].name, r->bound_by) == 0)
            return true;
    }
    return false;
}

static void put_boxes(struct machine *m)
{
    double top = 8;
    int memory = 0;

    for (int l = 0; l < m->arch->n_levels; l++, top += box_height + box_gap) {
        const struct sator_level *level = &m->arch->levels[l];
        bool is_memory = level->kind == SATOR_LEVEL_MEMORY;
        bool bound = decides(m, level, memory);
        svg_rect(m->out, 8, top, box_width, box_height,
                level->kind == SATOR_LEVEL_ARRAY ? "#ffffff" : "#f5f6f8", bound ? hot : "#d4d8dd");
        svg_text(m->out, 20, top + 22, "start", 14, ink, report_clean(m->arena, level->name));
        svg_text(m->out, 20, top + 41, "start", 12, bound ? hot : faint,
                bound ? sator_arena_printf(m->arena, "%s; %s decides the latency",
                                about_level(m, level, memory),
                                report_clean(m->arena, m->result->bound_by))
                      : about_level(m, level, memory));
        if (is_memory)
            m->tops[memory++] = top;
        else if (level->kind == SATOR_LEVEL_COMPUTE)
            m->tops[m->result->n_levels] = top;
    }
}

static void put_edges(struct machine *m)
{
    struct chart_edge *edges;
    int n = chart_edges(m->arena, m->result, &edges);
    double most = 1, lane = 370.0 / m->result->n_tensors, left = box_width - 370;

    lane = lane > 130 ? 130 : lane;
    for (int i = 0; i < n; i++)
        most = fmax(most, edges[i].down + edges[i].up);
    for (int i = 0; i < n; i++) {
        const struct chart_edge *edge = &edges[i];
        double x = left + lane * (edge->tensor + 0.5), words = edge->down + edge->up;
        double y0 = m->tops[edge->from] + box_height / 2, y1 = m->tops[edge->to] + box_height / 2;
        double middle = (y0 + y1) / 2;
        svg_line(m->out, x, y0, x, y1 - 8, svg_color(edge->tensor),
                words > 0 ? 1.5 + 20 * sqrt(words / most) : 0.8);
        svg_rect(m->out, x - lane * 0.42, middle - 9, lane * 0.84, 18, "#ffffff", NULL);
        svg_text(m->out, x, middle + 4, "middle", 12, ink, report_number(m->arena, words, 0));
        svg_dot(m->out, x, y0, 6, svg_color(edge->tensor));
        if (i == 0 || edges[i - 1].tensor != edge->tensor)
            svg_text(m->out, x, y0 - 10, "middle", 13, ink, edge->name);
    }
}

bool svg_machine(struct sator_text *out, struct sator_page *page)
{
    if (page->n_results == 0)
        return false;
    struct machine m = {.out = out,
            .arena = page->arena,
            .result = page->results[0].is,
            .arch = page->archs[page->results[0].arch]};

    m.tops = SATOR_NEW_ARRAY(page->arena, double, m.result->n_levels + 2);
    svg_open(out, box_width + 16, 16 + m.arch->n_levels * (box_height + box_gap) - box_gap,
            sator_arena_printf(page->arena, "%s: words between the memories",
                    report_clean(page->arena, m.arch->name)));
    put_boxes(&m);
    put_edges(&m);
    svg_close(out);
    return true;
}

/* ---- the tree, line by line ---- */

bool svg_tree(struct sator_text *out, struct sator_page *page)
{
    const struct sator_show_options options = {.width = 110};
    struct sator_text lines = {0};
    double longest = 0, n = 0;

    if (!show_tree(&lines, page, &options))
        return false;
    for (const char *at = lines.data, *end; (end = strchr(at, '\n')) != NULL; at = end + 1, n++)
        longest = fmax(longest, (double)(end - at));
    svg_open(out, 24 + 7.3 * longest, 20 + 17 * n, "Memories with their loops and words");
    n = 0;
    for (char *at = lines.data, *end; (end = strchr(at, '\n')) != NULL; at = end + 1, n++) {
        *end = '\0';
        size_t blanks = strspn(at, " ");
        sator_text_put(out, "<g font-family=\"DejaVu Sans Mono, Menlo, monospace\">");
        svg_text(out, 12 + 7.22 * (double)blanks, 22 + 17 * n, "start", 12, ink, at + blanks);
        sator_text_put(out, "</g>\n");
    }
    svg_close(out);
    sator_text_clear(&lines);
    return true;
}
