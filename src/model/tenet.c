/* TENET's own model: Table II and Equations 6 to 10 of the paper, as far as they go (doc/model.md,
 * section 6). Links are taken as they are declared, the scratchpad is the only memory. */
#include "model/analysis.h"

#include <math.h>

/* SpatialReuseVolume: what other PEs could provide, whether the own register holds it or not. */
static enum sator_status count_spatial(
        struct analysis *analysis, const struct transfer *full, struct sator_volumes *volumes)
{
    const struct sator_model_network *network = full->network;
    struct sator_transport transport = network->transport;

    *volumes = full->volumes;
    if (volumes->temporal == 0 || network->n_links + network->n_buses == 0)
        return SATOR_OK; /* nothing was taken for temporal reuse, or there is nothing else */
    volumes->by_link = SATOR_NEW_ARRAY(analysis->arena, sator_int, network->n_links + 1);
    volumes->by_bus = SATOR_NEW_ARRAY(analysis->arena, sator_int, network->n_buses + 1);
    transport.registers = false;
    transport.footprint = analysis->footprints[full->access];
    return sator_count_volumes(analysis_counter(analysis, analysis->n_time, analysis->n_space),
            analysis->workload->accesses[full->access].relation, &transport, volumes);
}

/* ReuseVolume is that of the union, which the register and the links bring together. */
static enum sator_status set_volumes(struct analysis *analysis, int access)
{
    const struct transfer *full = analysis->full[access];
    struct sator_tensor_result *tensor = &analysis->tensors[access];
    struct sator_volumes spatial;
    enum sator_status st = count_spatial(analysis, full, &spatial);

    if (st != SATOR_OK)
        return st;
    tensor->spatial_reuse = spatial.spatial;
    tensor->links = analysis_link_volumes(analysis, full->network, &spatial);
    tensor->partial_sum_reads = 0;
    if (tensor->unique_volume == 0) /* PEs that excuse one another: nothing to divide by */
        tensor->reuse_factor = NAN;
    return SATOR_OK;
}

static double unique_bits(const struct analysis *analysis, enum sator_role role)
{
    double bits = 0;

    for (int i = 0; i < analysis->result->n_tensors; i++) {
        if (analysis->tensors[i].role == role)
            bits += (double)analysis->tensors[i].unique_volume * analysis->tensors[i].word_bits;
    }
    return bits;
}

/* Equation 7 at one bandwidth, and the latency. fmax takes the other operand where one is NAN: a
 * bandwidth that is not given is no limit. */
static struct sator_bandwidth_point find_delays(
        const struct analysis *analysis, double read_bits_per_cycle, double write_bits_per_cycle)
{
    double compute = analysis->result->compute_cycles;
    double read = unique_bits(analysis, SATOR_READ) / read_bits_per_cycle;
    double write = unique_bits(analysis, SATOR_WRITE) / write_bits_per_cycle;
    const char *bound_by = "compute";

    if (read > compute && !(write > read))
        bound_by = "scratchpad reads";
    else if (write > compute)
        bound_by = "scratchpad writes";
    return (struct sator_bandwidth_point){.bits_per_cycle = read_bits_per_cycle,
            .read_cycles = read,
            .write_cycles = write,
            .total_cycles = fmax(compute, fmax(read, write)),
            .bound_by = bound_by};
}

static void sweep(struct analysis *analysis)
{
    int n = analysis->options->n_sweep;
    struct sator_bandwidth_point *points =
            SATOR_NEW_ARRAY(analysis->arena, struct sator_bandwidth_point, n + 1);

    for (int i = 0; i < n; i++) {
        double bits = analysis->options->sweep_bandwidths[i];
        points[i] = find_delays(analysis, bits, bits);
    }
    analysis->result->n_sweep = n;
    analysis->result->sweep = points;
}

enum sator_status analysis_tenet(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;
    const struct sator_level *scratchpad = analysis->scratchpad;
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < result->n_tensors; i++)
        SATOR_TRY(set_volumes(analysis, i));
    analysis_compute(analysis);
    struct sator_bandwidth_point delays =
            find_delays(analysis, scratchpad == NULL ? NAN : scratchpad->memory.read_bits,
                    scratchpad == NULL ? NAN : scratchpad->memory.write_bits);
    result->read_cycles = delays.read_cycles;
    result->write_cycles = delays.write_cycles;
    result->total_cycles = result->roofline_cycles = delays.total_cycles;
    result->scheduled_cycles = result->scheduled_compute_cycles = NAN;
    result->bound_by = delays.bound_by;
    result->macs_per_cycle = (double)result->instances / result->total_cycles;
    analysis_bandwidths(analysis);
    sweep(analysis);
    result->energy_pj = result->edp = NAN; /* the paper gives no equation for it */
done:
    return st;
}
