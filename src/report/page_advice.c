/* What to change, and what that gives. Each line follows from the model by itself: the latency is
 * the greatest of the delays (doc/model.md, section 3), so what is gained by taking the greatest
 * away is known. */
#include "report/page.h"

#include <math.h>
#include <string.h>

static bool is_count(double x)
{
    return isfinite(x) && x > 0;
}

/* The port that decides the latency, or NULL. */
static const struct sator_port_result *deciding_port(const struct sator_result *r)
{
    for (int i = 0; i < r->n_ports; i++) {
        if (r->bound_by != NULL && strcmp(r->ports[i].name, r->bound_by) == 0)
            return &r->ports[i];
    }
    return NULL;
}

static int advise_port(
        struct sator_arena *arena, const struct sator_result *r, struct page_advice *advice)
{
    const struct sator_port_result *port = deciding_port(r);
    double next;
    const char *whose = port == NULL ? NULL : report_next_bound(r, &next);

    if (whose == NULL || next >= port->cycles)
        return 0;
    double needed = ceil((double)port->bits / next);
    const char *latency = report_number(arena, next, 0);
    *advice = (struct page_advice){.gain = port->cycles / next,
            .text = sator_arena_printf(arena,
                    "Widen %s from %s to %s bits per cycle: latency falls to %s cycles, then bound "
                    "by %s.",
                    report_clean(arena, port->name), report_number(arena, port->bandwidth_bits, 0),
                    report_number(arena, needed, 0), latency, report_clean(arena, whose))};
    return 1;
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

    if (n < most)
        n += advise_port(arena, result, &advice[n]);
    if (n < most)
        n += advise_use(arena, result, &advice[n]);
    if (n < most)
        n += advise_energy(arena, result, &advice[n]);
    return n;
}
