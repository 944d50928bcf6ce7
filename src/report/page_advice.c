/* What to change, and what that gives: what sator_advise found for the result, and two lines that
 * follow from the result by itself. */
#include "report/page.h"

#include <math.h>
#include <string.h>

static bool is_count(double x)
{
    return isfinite(x) && x > 0;
}

static const struct sator_port_result *port_of(const struct sator_result *r, const char *name)
{
    for (int i = 0; i < r->n_ports; i++) {
        if (strcmp(r->ports[i].name, name) == 0)
            return &r->ports[i];
    }
    return NULL;
}

/* What sator_advise found, item "i" of it; ports come first, each together with those before. */
static struct page_advice advise_change(
        struct sator_arena *arena, const struct sator_result *r, int i)
{
    const struct sator_advice *item = &r->advice[i];
    const struct sator_port_result *port = item->port == NULL ? NULL : port_of(r, item->port);
    const char *then = sator_arena_printf(arena, "latency falls to %s cycles, %s by %s",
            report_number(arena, item->total_cycles, 0),
            strcmp(item->bound_by, r->bound_by) == 0 ? "still bound" : "then bound",
            report_clean(arena, item->bound_by));
    const char *text = item->port == NULL
            ? sator_arena_printf(arena, "Or give %s %s: %s.", report_clean(arena, item->memory),
                      report_room(arena, item), then)
            : sator_arena_printf(arena, "%s %s from %s to %s bits per cycle: %s.",
                      i == 0 ? "Widen" : "And", report_clean(arena, item->port),
                      report_number(arena, port == NULL ? NAN : port->bandwidth_bits, 0),
                      report_number(arena, item->needed, 0), then);

    return (struct page_advice){.gain = r->total_cycles / item->total_cycles, .text = text};
}

static int advise_use(
        struct sator_arena *arena, const struct sator_result *r, struct page_advice *advice)
{
    bool compute = r->bound_by != NULL && strcmp(r->bound_by, "compute") == 0;

    if (!compute || !(r->utilization_average < 0.95))
        return 0;
    double least = r->compute_cycles * r->utilization_average;
    for (int i = 0; i < r->n_ports; i++)
        least = r->ports[i].cycles > least ? r->ports[i].cycles : least;
    *advice = (struct page_advice){.gain = r->compute_cycles / least,
            .text = sator_arena_printf(arena,
                    "Compute decides, with %s %% of the PEs busy on average: a dataflow that keeps "
                    "all of them busy needs at least %s cycles.",
                    report_fixed(arena, 100 * r->utilization_average, 1),
                    report_number(arena, ceil(least), 0))};
    return 1;
}

static int advise_energy(
        struct sator_arena *arena, const struct sator_result *r, struct page_advice *advice)
{
    const struct sator_energy_term *most = NULL;

    for (int i = 0; i < r->n_energy_terms; i++) {
        const struct sator_energy_term *term = &r->energy_terms[i];
        if (is_count(term->pj) && (most == NULL || term->pj > most->pj))
            most = term;
    }
    if (most == NULL || !is_count(r->energy_pj) || most->pj >= r->energy_pj)
        return 0;
    *advice = (struct page_advice){.gain = r->energy_pj / (r->energy_pj - most->pj / 2),
            .is_energy = true,
            .text = sator_arena_printf(arena,
                    "%s takes %s %% of the energy: half as many words there save %s %%.",
                    report_clean(arena, most->component),
                    report_fixed(arena, 100 * most->pj / r->energy_pj, 1),
                    report_fixed(arena, 50 * most->pj / r->energy_pj, 1))};
    return 1;
}

int page_advise(struct sator_arena *arena, const struct sator_result *result,
        struct page_advice *advice, int most)
{
    int n = 0;

    for (int i = 0; i < result->n_advice && n < most; i++)
        advice[n++] = advise_change(arena, result, i);
    if (n < most)
        n += advise_use(arena, result, &advice[n]);
    if (n < most)
        n += advise_energy(arena, result, &advice[n]);
    return n;
}
