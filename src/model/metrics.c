/* Utilization, delays, bandwidth and latency: doc/model.md, section 3. Floating point begins here,
 * from exact counts, in a fixed order. */
#include "model/analysis.h"

#include <math.h>

static double compute_cycles_per_instance(const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_COMPUTE)
            return arch->levels[i].compute.cycles;
    }
    return 1;
}

/* Words x bits of the reads (partial sums among them), or of the writes. */
static double traffic_bits(const struct analysis *analysis, enum sator_role role)
{
    double bits = 0;

    for (int i = 0; i < analysis->result->n_tensors; i++) {
        const struct sator_tensor_result *tensor = &analysis->tensors[i];
        if (tensor->role == role)
            bits += (double)tensor->unique_volume * tensor->word_bits;
        if (role == SATOR_READ)
            bits += (double)tensor->partial_sum_reads * tensor->word_bits;
    }
    return bits;
}

/* fmax takes the other operand where one is NAN: a bandwidth that is not given is no limit. */
static double latency(const struct analysis *analysis, double read, double write)
{
    const struct sator_result *result = analysis->result;

    double others = fmax(analysis->slowest_read_cycles, analysis->slowest_write_cycles);

    if (analysis->scratchpad != NULL && !analysis->scratchpad->memory.overlaps)
        return fmax(result->compute_cycles + (isnan(read) ? 0 : read) + (isnan(write) ? 0 : write),
                others);
    return fmax(fmax(result->compute_cycles, fmax(read, write)), others);
}

static enum sator_bound bound(double compute, double read, double write)
{
    if (read > compute && !(write > read))
        return SATOR_BOUND_READ;
    return write > compute ? SATOR_BOUND_WRITE : SATOR_BOUND_COMPUTE;
}

/* The scratchpad's delay, or that of a slower level; 0: there is none. */
static double slowest(double scratchpad, double others)
{
    return others > 0 ? fmax(scratchpad, others) : scratchpad;
}

static void sweep(struct analysis *analysis, double read_bits, double write_bits)
{
    struct sator_result *result = analysis->result;
    int n = analysis->options->n_sweep;
    struct sator_bandwidth_point *points =
            SATOR_NEW_ARRAY(analysis->arena, struct sator_bandwidth_point, n + 1);

    for (int i = 0; i < n; i++) {
        struct sator_bandwidth_point *point = &points[i];
        point->bits_per_cycle = analysis->options->sweep_bandwidths[i];
        point->read_cycles = read_bits / point->bits_per_cycle;
        point->write_cycles = write_bits / point->bits_per_cycle;
        point->total_cycles = latency(analysis, point->read_cycles, point->write_cycles);
        point->bound = bound(result->compute_cycles,
                slowest(point->read_cycles, analysis->slowest_read_cycles),
                slowest(point->write_cycles, analysis->slowest_write_cycles));
    }
    result->n_sweep = n;
    result->sweep = points;
}

static void tensor_bandwidths(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;

    result->interconnect_bits_per_cycle = 0;
    result->scratchpad_bits_per_cycle = 0;
    for (int i = 0; i < result->n_tensors; i++) {
        struct sator_tensor_result *tensor = &analysis->tensors[i];
        double crossing = (double)tensor->unique_volume + (double)tensor->partial_sum_reads;
        tensor->interconnect_bits_per_cycle =
                (double)tensor->spatial_reuse * tensor->word_bits / result->compute_cycles;
        tensor->scratchpad_bits_per_cycle = crossing * tensor->word_bits / result->compute_cycles;
        result->interconnect_bits_per_cycle += tensor->interconnect_bits_per_cycle;
        result->scratchpad_bits_per_cycle += tensor->scratchpad_bits_per_cycle;
    }
}

void analysis_metrics(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;
    const struct sator_level *scratchpad = analysis->scratchpad;
    /* declared cuts say what crosses the scratchpad; without them every stamp's words do */
    double read_bits = analysis->has_cuts ? analysis->scratchpad_read_bits
                                          : traffic_bits(analysis, SATOR_READ);
    double write_bits = analysis->has_cuts ? analysis->scratchpad_write_bits
                                           : traffic_bits(analysis, SATOR_WRITE);

    result->pes = 1;
    for (int i = 0; i < analysis->n_space; i++)
        result->pes *= analysis->shape[i];
    result->utilization_average =
            (double)result->stamps / ((double)result->time_stamps * (double)result->pes);
    result->utilization_max = (double)result->max_active_pes / (double)result->pes;
    /* instances / (average utilization x PEs), the PEs cancelled: TENET, Equation 8 */
    result->compute_cycles = (double)result->instances * (double)result->time_stamps /
            (double)result->stamps * compute_cycles_per_instance(analysis->arch);
    result->read_cycles = scratchpad == NULL ? NAN : read_bits / scratchpad->memory.read_bits;
    result->write_cycles = scratchpad == NULL ? NAN : write_bits / scratchpad->memory.write_bits;
    result->total_cycles = latency(analysis, result->read_cycles, result->write_cycles);
    result->read_cycles = slowest(result->read_cycles, analysis->slowest_read_cycles);
    result->write_cycles = slowest(result->write_cycles, analysis->slowest_write_cycles);
    result->bound = bound(result->compute_cycles, result->read_cycles, result->write_cycles);
    result->macs_per_cycle = (double)result->instances / result->total_cycles;
    tensor_bandwidths(analysis);
    sweep(analysis, read_bits, write_bits);
}
