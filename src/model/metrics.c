/* Utilization, delays, bandwidth and latency: doc/model.md, section 3. Floating point begins here,
 * from exact counts, in a fixed order. */
#include "model/analysis.h"

#include <math.h>

/* What decides a latency. */
struct delay {
    double total, read, write; /* read and write NAN where no bandwidth is known */
    const char *bound_by;
};

static bool is_scratchpad(const struct analysis *analysis, const struct sator_port_result *port)
{
    return analysis->memories[port->level].level == analysis->scratchpad;
}

/* Of a port; with "bits_per_cycle" (0: as declared) instead of the scratchpad's bandwidths. */
static double cycles_of(const struct analysis *analysis, const struct sator_port_result *port,
        double bits_per_cycle)
{
    return bits_per_cycle > 0 && is_scratchpad(analysis, port) ? (double)port->bits / bits_per_cycle
                                                               : port->cycles;
}

/* The greatest of compute and all ports. */
static struct delay find_delay(const struct analysis *analysis, double bits_per_cycle)
{
    const struct sator_result *result = analysis->result;
    struct delay delay = {result->compute_cycles, NAN, NAN, "compute"};

    for (int i = 0; i < result->n_ports; i++) {
        const struct sator_port_result *port = &result->ports[i];
        double cycles = cycles_of(analysis, port, bits_per_cycle);
        if (isnan(cycles))
            continue;
        if (port->reads) /* fmax takes the other operand where one is NAN */
            delay.read = fmax(delay.read, cycles);
        if (port->writes)
            delay.write = fmax(delay.write, cycles);
        if (cycles > delay.total) {
            delay.total = cycles;
            delay.bound_by = port->name;
        }
    }
    return delay;
}

static void sweep(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;
    int n = analysis->options->n_sweep;
    struct sator_bandwidth_point *points =
            SATOR_NEW_ARRAY(analysis->arena, struct sator_bandwidth_point, n + 1);

    for (int i = 0; i < n; i++) {
        double bits_per_cycle = analysis->options->sweep_bandwidths[i];
        struct delay delay = find_delay(analysis, bits_per_cycle);
        points[i] = (struct sator_bandwidth_point){.bits_per_cycle = bits_per_cycle,
                .read_cycles = delay.read,
                .write_cycles = delay.write,
                .total_cycles = delay.total,
                .bound_by = delay.bound_by};
    }
    result->n_sweep = n;
    result->sweep = points;
}

/* A word's bits in the scratchpad, and those of all words of the tensor that wires carry; TENET's
 * own equations have one width. */
static double scratchpad_bits(const struct analysis *analysis, int access)
{
    int bits = analysis->tensors[access].word_bits;

    if (analysis->scratchpad == NULL || analysis->model->choice == SATOR_MODEL_TENET)
        return bits;
    return sator_memory_word_bits(
            &analysis->scratchpad->memory, analysis->tensors[access].name, bits);
}

static double wire_bits(const struct analysis *analysis, int access)
{
    const struct sator_tensor_result *tensor = &analysis->tensors[access];
    const struct sator_model_wire *wires = analysis->full[access]->network->wires[access];
    double bits = (double)tensor->spatial_reuse * tensor->word_bits;

    for (int i = 0; i < tensor->n_links && analysis->model->choice != SATOR_MODEL_TENET; i++)
        bits += (double)tensor->links[i].spatial_reuse * (wires[i].bits - tensor->word_bits);
    return bits;
}

void analysis_bandwidths(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;

    result->interconnect_bits_per_cycle = 0;
    result->scratchpad_bits_per_cycle = 0;
    for (int i = 0; i < result->n_tensors; i++) {
        struct sator_tensor_result *tensor = &analysis->tensors[i];
        double crossing = (double)tensor->unique_volume + (double)tensor->partial_sum_reads;
        tensor->interconnect_bits_per_cycle = wire_bits(analysis, i) / result->compute_cycles;
        tensor->scratchpad_bits_per_cycle =
                crossing * scratchpad_bits(analysis, i) / result->compute_cycles;
        result->interconnect_bits_per_cycle += tensor->interconnect_bits_per_cycle;
        result->scratchpad_bits_per_cycle += tensor->scratchpad_bits_per_cycle;
    }
}

void analysis_compute(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;

    result->pes = 1;
    for (int i = 0; i < analysis->n_space; i++)
        result->pes *= analysis->shape[i];
    result->utilization_average =
            (double)result->stamps / ((double)result->time_stamps * (double)result->pes);
    result->utilization_max = (double)result->max_active_pes / (double)result->pes;
    double per_instance = sator_arch_compute_cycles(analysis->arch);
    /* instances / (average utilization x PEs), the PEs cancelled: TENET, Equation 8 */
    result->compute_cycles = analysis->model->choice == SATOR_MODEL_TENET
            ? (double)result->instances * (double)result->time_stamps / (double)result->stamps *
                    per_instance
            : (double)analysis_most(analysis) * per_instance;
}

void analysis_metrics(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;

    analysis_compute(analysis);
    struct delay delay = find_delay(analysis, 0);
    result->total_cycles = result->roofline_cycles = delay.total;
    result->scheduled_cycles = result->scheduled_compute_cycles = NAN;
    result->read_cycles = delay.read;
    result->write_cycles = delay.write;
    result->bound_by = delay.bound_by;
    result->macs_per_cycle = (double)result->instances / result->total_cycles;
    analysis_bandwidths(analysis);
    sweep(analysis);
}
