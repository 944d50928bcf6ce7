#include "report/charts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

int chart_rows(struct sator_arena *arena, const struct sator_page *page, struct chart_row **rows)
{
    int n = 0;
    const struct page_design *network = NULL;

    *rows = NULL;
    for (int d = page->n_designs - 1; d >= 0; d--)
        network = page->designs[d].n_layers > 1 ? &page->designs[d] : network;
    for (int d = 0; d < page->n_designs; d++) {
        const struct page_design *design = &page->designs[d];
        if (network != NULL && design != network)
            continue;
        for (int l = 0; l < design->n_layers; l++) {
            const char *name = network != NULL ? design->layers[l].name : design->summary;
            if (network == NULL && page->n_archs > 1)
                name = sator_arena_printf(arena, "%s on %s", name, page->archs[design->arch]->name);
            SATOR_PUSH(arena, *rows, n,
                    (struct chart_row){.name = report_clean(arena, name),
                            .repeat = design->layers[l].repeat,
                            .result = page->results[design->layers[l].result].is,
                            .arch = page->archs[design->arch]});
        }
    }
    return n;
}

/* ---- roofline ---- */

static const struct sator_port_result *find_port(const struct sator_result *r, const char *name)
{
    for (int i = 0; name != NULL && i < r->n_ports; i++) {
        if (strcmp(r->ports[i].name, name) == 0 && r->ports[i].bits > 0 &&
                isfinite(r->ports[i].bandwidth_bits))
            return &r->ports[i];
    }
    return NULL;
}

static const struct sator_port_result *choose_port(int n_rows, const struct chart_row *rows)
{
    const struct sator_port_result *port = NULL;

    for (int i = 0; i < n_rows && port == NULL; i++)
        port = find_port(rows[i].result, rows[i].result->bound_by);
    for (int i = 0; i < n_rows; i++) {
        for (int p = 0; p < rows[i].result->n_ports && port == NULL; p++)
            port = find_port(rows[i].result, rows[i].result->ports[p].name);
    }
    return port;
}

bool chart_roofline(
        struct sator_arena *arena, const struct sator_page *page, struct chart_roofline *roofline)
{
    struct chart_row *rows;
    int n_rows = chart_rows(arena, page, &rows);
    const struct sator_port_result *port = choose_port(n_rows, rows);

    if (port == NULL)
        return false;
    *roofline = (struct chart_roofline){.port = report_clean(arena, port->name),
            .bandwidth = port->bandwidth_bits,
            .points = SATOR_NEW_ARRAY(arena, struct chart_point, n_rows)};
    for (int i = 0; i < n_rows; i++) {
        const struct sator_result *r = rows[i].result;
        const struct sator_port_result *own = find_port(r, port->name);
        double peak = (double)r->pes / sator_arch_compute_cycles(rows[i].arch);
        if (own == NULL)
            continue;
        roofline->peak = peak > roofline->peak ? peak : roofline->peak;
        roofline->points[roofline->n_points++] = (struct chart_point){.name = rows[i].name,
                .x = (double)r->instances / (double)own->bits,
                .y = r->macs_per_cycle};
    }
    return true;
}

/* ---- energy ---- */

double chart_component_pj(const struct chart_row *row, const char *name)
{
    double sum = 0;

    for (int t = 0; t < row->result->n_energy_terms; t++) {
        const struct sator_energy_term *term = &row->result->energy_terms[t];
        if (strcmp(term->component, name) == 0 && isfinite(term->pj))
            sum += term->pj * row->repeat;
    }
    return sum;
}

int chart_components(struct sator_arena *arena, int n_rows, const struct chart_row *rows,
        const char *const **names)
{
    const char **found = NULL;
    double *sums = NULL;
    int n = 0, n_sums = 0;

    for (int r = 0; r < n_rows; r++) {
        for (int t = 0; t < rows[r].result->n_energy_terms; t++) {
            const char *name = rows[r].result->energy_terms[t].component;
            int at = 0;
            while (at < n && strcmp(found[at], name) != 0)
                at++;
            if (at < n)
                continue;
            double sum = 0;
            for (int i = 0; i < n_rows; i++)
                sum += chart_component_pj(&rows[i], name);
            SATOR_PUSH(arena, found, n, name);
            SATOR_PUSH(arena, sums, n_sums, sum);
        }
    }
    for (int i = 1; i < n; i++) {
        const char *name = found[i];
        double sum = sums[i];
        int k = i;
        for (; k > 0 && sums[k - 1] < sum; k--) {
            found[k] = found[k - 1];
            sums[k] = sums[k - 1];
        }
        found[k] = name;
        sums[k] = sum;
    }
    *names = found;
    return n;
}

/* ---- Pareto ---- */

struct place {
    double x, y;
    int64_t point;
};

static int place_order(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a->point < b->point ? -1 : a->point > b->point;
}

static void find_front(struct sator_arena *arena, struct chart_front *front)
{
    struct place *places = sator_alloc(sizeof *places * ((size_t)front->n_points + 1));
    double best = INFINITY;
    int64_t n = 0;

    for (int64_t i = 0; i < front->n_points; i++) {
        if (isfinite(front->x[i]) && isfinite(front->y[i]))
            places[n++] = (struct place){front->x[i], front->y[i], i};
    }
    qsort(places, (size_t)n, sizeof *places, place_order);
    front->front = SATOR_NEW_ARRAY(arena, int64_t, n + 1);
    for (int64_t i = 0; i < n; i++) {
        if (places[i].y < best) {
            best = places[i].y;
            front->front[front->n_front++] = places[i].point;
        }
    }
    free(places);
}

bool chart_front(
        struct sator_arena *arena, const struct sator_page *page, struct chart_front *front)
{
    static const char *const names[] = {
            "latency_cycles.total", "energy_pj.total", "edp", "unique_volume"};
    const double *columns[2] = {NULL, NULL};
    const char *found[2];
    int n = 0;

    if (page->points == NULL || page->points->n_rows == 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names && n < 2; i++) {
        const double *values = page_points_column(arena, page->points, names[i]);
        bool any = false;
        for (int64_t r = 0; values != NULL && r < page->points->n_rows; r++)
            any |= isfinite(values[r]);
        if (any) {
            found[n] = names[i];
            columns[n++] = values;
        }
    }
    if (n < 2)
        return false;
    *front = (struct chart_front){.x_name = found[0],
            .y_name = found[1],
            .n_points = page->points->n_rows,
            .x = columns[0],
            .y = columns[1]};
    find_front(arena, front);
    return true;
}

/* ---- edges ---- */

static const struct sator_level_tensor *held(
        const struct sator_level_result *level, const struct sator_tensor_result *tensor)
{
    for (int t = 0; t < level->n_tensors; t++) {
        if (level->tensors[t].role == tensor->role &&
                strcmp(level->tensors[t].name, tensor->name) == 0)
            return &level->tensors[t];
    }
    return NULL;
}

int chart_edges(
        struct sator_arena *arena, const struct sator_result *result, struct chart_edge **edges)
{
    int n = 0;

    *edges = NULL;
    for (int t = 0; t < result->n_tensors; t++) {
        const struct sator_tensor_result *tensor = &result->tensors[t];
        for (int l = 0; l < result->n_levels; l++) {
            const struct sator_level_tensor *here = held(&result->levels[l], tensor), *next = NULL;
            int to = l + 1;
            while (to < result->n_levels && (next = held(&result->levels[to], tensor)) == NULL)
                to++;
            if (here != NULL)
                SATOR_PUSH(arena, *edges, n,
                        (struct chart_edge){.tensor = t,
                                .name = report_clean(arena, report_tensor_label(arena, result, t)),
                                .from = l,
                                .to = to,
                                .down = (double)(next != NULL ? next->fills : here->reads),
                                .up = tensor->role == SATOR_WRITE ? (double)here->updates : 0});
        }
    }
    return n;
}

/* ---- the array ---- */

struct chart_grid chart_grid(struct sator_arena *arena, const struct sator_provenance *window)
{
    struct chart_grid grid = {.rows = 1,
            .columns = 1,
            .row = SATOR_NEW_ARRAY(arena, int32_t, window->n_pes + 1),
            .column = SATOR_NEW_ARRAY(arena, int32_t, window->n_pes + 1)};
    int64_t *pe = SATOR_NEW_ARRAY(arena, int64_t, window->n_space + 1);

    for (int d = 0; d < window->n_space; d++) {
        int *extent = (window->n_space - 1 - d) % 2 == 0 ? &grid.columns : &grid.rows;
        *extent *= (int)window->shape[d];
    }
    for (int p = 0; p < window->n_pes; p++) {
        report_pe(window, p, pe);
        for (int d = 0; d < window->n_space; d++) {
            int32_t *at = (window->n_space - 1 - d) % 2 == 0 ? &grid.column[p] : &grid.row[p];
            *at = (int32_t)(*at * window->shape[d] + pe[d]);
        }
    }
    return grid;
}

int chart_first_stamp(const struct sator_provenance *window)
{
    int64_t most = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (int s = 0; s < window->n_stamps; s++) {
            int64_t n = 0;
            for (int a = 0; a < window->n_accesses; a++)
                n += window->accesses[a].starts[s + 1] - window->accesses[a].starts[s];
            if (pass == 1 && 2 * n >= most)
                return s;
            most = n > most ? n : most;
        }
    }
    return 0;
}
