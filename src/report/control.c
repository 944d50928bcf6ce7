#include "report/control.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

static double energy_of(int n_terms, const struct sator_energy_term *terms, const char *component)
{
    double pj = 0;

    for (int i = 0; i < n_terms; i++) {
        if (strcmp(terms[i].component, component) == 0)
            pj += terms[i].pj;
    }
    return pj;
}

static bool add_times(sator_int *sum, sator_int count, int repeat)
{
    sator_int times;

    return sator_mul(count, repeat, &times) && sator_add(*sum, times, sum);
}

void report_control_add(struct report_control *control, const struct sator_control_cost *cost,
        int n_terms, const struct sator_energy_term *terms, int repeat)
{
    if (control->instruction_bits == 0)
        control->known = true;
    control->instruction_bits = cost->instruction_bits;
    control->known &= add_times(&control->loads, cost->loads, repeat) &&
            add_times(&control->stores, cost->stores, repeat) &&
            add_times(&control->reordered, cost->reordered, repeat);
    control->fetch_pj += energy_of(n_terms, terms, "control.fetch") * repeat;
    control->reorder_pj += energy_of(n_terms, terms, "control.reorder") * repeat;
}

struct report_control report_control_of(
        const struct sator_control_cost *cost, int n_terms, const struct sator_energy_term *terms)
{
    struct report_control control = {0};

    report_control_add(&control, cost, n_terms, terms, 1);
    return control;
}

struct report_control report_control_of_network(const struct sator_network_result *network)
{
    struct report_control control = {0};

    for (int i = 0; i < network->n_layers; i++) {
        const struct sator_result *r = network->layers[i].result;
        report_control_add(&control, &r->control, r->n_energy_terms, r->energy_terms,
                network->layers[i].repeat);
    }
    return control;
}

static const char *share(struct sator_arena *arena, double pj, double energy_pj)
{
    if (isnan(pj) || isnan(energy_pj))
        return "-";
    return sator_arena_printf(arena, "%.3g %%", 100 * pj / energy_pj);
}

const char *report_control_text(
        struct sator_arena *arena, const struct report_control *control, double energy_pj)
{
    if (!control->known)
        return "more instructions than fit into 128 bits";
    const char *text = sator_arena_printf(arena, "%s of %d bits, %s of the energy",
            report_counted(arena, control->loads + control->stores, "instruction"),
            control->instruction_bits, share(arena, control->fetch_pj, energy_pj));

    if (control->reordered == 0)
        return text;
    return sator_arena_printf(arena, "%s; %s reordered, %s", text,
            report_counted(arena, control->reordered, "word"),
            share(arena, control->reorder_pj, energy_pj));
}

void json_put_control(cJSON *object, const struct report_control *control)
{
    if (control->instruction_bits == 0)
        return;
    cJSON *put = json_put_object(object, "control");
    json_put(put, "instruction_bits", cJSON_CreateNumber(control->instruction_bits));
    if (control->known) {
        json_put_count(put, "instructions", control->loads + control->stores);
        json_put_count(put, "loads", control->loads);
        json_put_count(put, "stores", control->stores);
        json_put_count(put, "reordered_words", control->reordered);
    } else {
        json_put_number(put, "instructions", NAN);
    }
    json_put_number(put, "fetch_pj", control->fetch_pj);
    json_put_number(put, "reorder_pj", control->reorder_pj);
}
