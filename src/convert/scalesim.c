/* Topologies (CSV) and configurations as SCALE-Sim takes them. */
#include "convert/convert.h"

#include <math.h>
#include <string.h>

static int64_t extent(const struct sator_workload *layer, int loop)
{
    return loop < 0 ? 1 : layer->upper[loop];
}

/* A convolution's columns; a product is one of a window of 1 over as many rows as it has. */
static void write_layer(struct convert *c, const struct sator_workload *layer, bool products)
{
    const struct convert_access *accesses;
    struct convert_shape s;

    if (!convert_accesses(c, layer, &accesses))
        return;
    if (!convert_find_shape(c, layer, accesses, &s) || s.group >= 0 || s.stride[0] != s.stride[1]) {
        sator_error(c->ctx, layer->loc,
                "scalesim cannot say '%s': it is neither a product nor a convolution without "
                "groups and with one stride",
                layer->name);
        return;
    }
    if (layer->repeat > 1)
        convert_unsaid(c, "repeat");
    if (products) {
        sator_text_add(c->text, "%s,%lld,%lld,%lld,\n", layer->name,
                (long long)extent(layer, s.batch), (long long)extent(layer, s.filter),
                (long long)extent(layer, s.channel));
        return;
    }
    bool is_product = s.out[0] < 0;
    int64_t window[] = {extent(layer, s.window[0]), extent(layer, s.window[1])};
    int64_t rows = is_product ? extent(layer, s.batch)
                              : (extent(layer, s.out[0]) - 1) * s.stride[0] + window[0];
    sator_text_add(c->text, "%s,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,\n", layer->name,
            (long long)rows, (long long)((extent(layer, s.out[1]) - 1) * s.stride[1] + window[1]),
            (long long)window[0], (long long)window[1], (long long)extent(layer, s.channel),
            (long long)extent(layer, s.filter), (long long)s.stride[0],
            (long long)(is_product ? 1 : extent(layer, s.batch)));
}

static bool all_products(struct convert *c)
{
    const struct convert_access *accesses;
    struct convert_shape s;

    for (int i = c->first; i < c->end; i++) {
        if (!convert_accesses(c, &c->network->layers[i], &accesses))
            return false;
        if (!convert_find_shape(c, &c->network->layers[i], accesses, &s) || s.out[0] >= 0)
            return false;
    }
    return true;
}

static void write_network(struct convert *c)
{
    bool products = all_products(c);

    sator_text_put(c->text,
            products ? "Layer,M,N,K,\n"
                     : "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,"
                       "Num Filter,Strides,Batch Size,\n");
    for (int i = c->first; i < c->end; i++)
        write_layer(c, &c->network->layers[i], products);
}

static void write_machine(struct convert *c)
{
    static const char *const tensors[] = {"A", "B", "Y"};
    static const char *const keys[] = {"IfmapSramSzkB", "FilterSramSzkB", "OfmapSramSzkB"};
    int64_t shape[64] = {0};
    double bytes[3] = {0}, bandwidth = NAN;

    if (sator_arch_space_dims(c->arch) != 2) {
        sator_error(c->ctx, c->arch->loc, "scalesim's array has two dimensions, not %d",
                sator_arch_space_dims(c->arch));
        return;
    }
    sator_arch_shape(c->arch, shape);
    for (int i = 0; i < c->arch->n_levels; i++) {
        const struct sator_level *level = &c->arch->levels[i];
        const struct sator_memory *memory = &level->memory;
        if (level->kind == SATOR_LEVEL_ARRAY)
            break;
        if (i == 0 && memory->n_capacities == 0) {
            bandwidth = memory->read_bits / SATOR_USUAL_BITS;
            continue;
        }
        int t = 3;
        for (int k = 0; k < 3 && memory->n_tensors == 1; k++)
            t = strcmp(memory->tensors[0], tensors[k]) == 0 ? k : t;
        if (t == 3 || memory->n_capacities != 1 || isnan(memory->capacities[0].bytes))
            convert_unsaid(c, level->name);
        else
            bytes[t] = memory->capacities[0].bytes;
    }
    sator_text_add(c->text,
            "[general]\nrun_name = %s\n\n[architecture_presets]\nArrayHeight: %lld\nArrayWidth: "
            "%lld\n",
            c->arch->name, (long long)shape[0], (long long)shape[1]);
    for (int t = 0; t < 3; t++) {
        if (bytes[t] >= 1024)
            sator_text_add(c->text, "%s: %.0f\n", keys[t], floor(bytes[t] / 1024));
    }
    if (!isnan(bandwidth))
        sator_text_add(c->text, "Bandwidth: %.15g\n", bandwidth);
    sator_text_add(c->text, "\n[run_presets]\nInterfaceBandwidth: %s\n",
            isnan(bandwidth) ? "CALC" : "USER");
    convert_unsaid(c, "energies, wires and what is in a PE");
    convert_unsaid_machine(c);
}

void convert_to_scalesim(struct convert *c)
{
    if (c->dataflow != NULL)
        convert_unsaid(c, "the dataflow (SCALE-Sim has os, ws and is)");
    if (c->network != NULL && c->arch != NULL)
        convert_unsaid(c, "the architecture, which is a file of its own (without a workload)");
    if (c->network != NULL)
        write_network(c);
    else if (c->arch != NULL)
        write_machine(c);
    else
        sator_error(c->ctx, c->dataflow->loc, "scalesim has no files of dataflows");
}
