/* The ports of the memories: what passes through each, and how long it takes (doc/model.md, section
 * 3). */
#include "base/checked.h"
#include "model/analysis.h"

#include <assert.h>
#include <math.h>

/* Add the bits of "words" of access "access" as wide as they are in "memory". */
static bool add_bits(const struct memory *memory, int access, sator_int words, sator_int *bits)
{
    sator_int more;

    assert(words >= 0 && memory->named->word_bits[access] > 0);
    return sator_mul(words, memory->named->word_bits[access], &more) &&
            sator_add(*bits, more, bits);
}

/* The tensors that "memory" holds and "lane" serves, and what passes through it of all instances
 * together; false when that leaves 128 bits. */
static bool add_up(struct analysis *analysis, const struct memory *memory,
        const struct sator_lane *lane, struct sator_port_result *port)
{
    const char **names =
            SATOR_NEW_ARRAY(analysis->arena, const char *, analysis->workload->n_accesses + 1);
    bool fits = true;

    port->tensors = names;
    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        const struct sator_level_tensor *tensor = &memory->tensors[i];
        if (!memory->held[i])
            continue;
        bool reads = sator_lane_serves(&memory->level->memory, lane, tensor->name, false);
        bool writes = sator_lane_serves(&memory->level->memory, lane, tensor->name, true);
        if (!reads && !writes)
            continue;
        if (!model_lists(tensor->name, port->n_tensors, names))
            names[port->n_tensors++] = tensor->name;
        sator_int words = reads ? tensor->reads : 0;
        if (writes)
            fits = fits && sator_add(words, tensor->writes, &words) &&
                    sator_add(words, tensor->updates, &words);
        fits = fits && add_bits(memory, i, words, &port->bits);
    }
    return fits;
}

static enum sator_status measure(struct analysis *analysis, int m, const struct sator_lane *lane,
        struct sator_port_result *port)
{
    const struct memory *memory = &analysis->memories[m];

    if (port->bits == 0) {
        port->cycles = 0;
        return SATOR_OK;
    }
    if (isnan(lane->bits))
        port->unknown = "no bandwidth is given";
    if (memory->result->instances > 1) { /* the busiest is asked for where it decides something */
        enum sator_status st = isnan(lane->bits)
                ? SATOR_OK
                : analysis_busiest(analysis, m, lane, &port->bits, &port->unknown);
        if (st != SATOR_OK)
            return st;
        if (isnan(lane->bits))
            port->bits = -1;
    }
    port->cycles = port->bits < 0 ? NAN : (double)port->bits / lane->bits;
    assert(isnan(port->cycles) || port->cycles >= 0);
    return SATOR_OK;
}

enum sator_status analysis_ports(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;
    int n_lanes = 0;
    enum sator_status st = SATOR_OK;

    for (int m = 0; m < analysis->n_memories; m++)
        n_lanes += analysis->memories[m].named->n_lanes;
    struct sator_port_result *ports =
            SATOR_NEW_ARRAY(analysis->arena, struct sator_port_result, n_lanes + 1);
    for (int m = 0; m < analysis->n_memories; m++) {
        struct memory *memory = &analysis->memories[m];
        memory->result->read_cycles = memory->result->write_cycles = NAN;
        for (int k = 0; k < memory->named->n_lanes; k++) {
            const struct sator_lane *lane = &memory->named->lanes[k];
            struct sator_port_result port = {.name = lane->name,
                    .level = m,
                    .reads = lane->reads,
                    .writes = lane->writes,
                    .bandwidth_bits = lane->bits,
                    .busy_cycles = NAN,
                    .exposed_cycles = NAN,
                    .stalled_cycles = NAN};
            bool fits = add_up(analysis, memory, lane, &port);
            if (port.n_tensors == 0)
                continue;
            if (!fits)
                return analysis_too_many(analysis, memory);
            SATOR_TRY(measure(analysis, m, lane, &port));
            /* fmax takes the other operand where one is NAN */
            if (lane->reads)
                memory->result->read_cycles = fmax(memory->result->read_cycles, port.cycles);
            if (lane->writes)
                memory->result->write_cycles = fmax(memory->result->write_cycles, port.cycles);
            ports[result->n_ports++] = port;
        }
    }
    result->ports = analysis->ports = ports;
done:
    return st;
}
