/* The ports of the memories: what passes through each, and how long it takes (doc/model.md, section
 * 3). */
#include "base/checked.h"
#include "model/analysis.h"

#include <math.h>

/* Add the bits of "words" of access "access". */
static bool add_bits(const struct analysis *analysis, int access, sator_int words, sator_int *bits)
{
    sator_int more;

    return sator_mul(words, analysis->workload->accesses[access].word_bits, &more) &&
            sator_add(*bits, more, bits);
}

/* What passes through a lane of all instances together; false when it leaves 128 bits. */
static bool all_bits(const struct analysis *analysis, const struct memory *memory,
        const struct sator_lane *lane, sator_int *bits)
{
    bool fits = true;

    *bits = 0;
    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        const struct sator_level_tensor *tensor = &memory->tensors[i];
        if (!memory->held[i])
            continue;
        if (sator_lane_serves(&memory->level->memory, lane, tensor->name, false))
            fits = fits && add_bits(analysis, i, tensor->reads, bits);
        if (sator_lane_serves(&memory->level->memory, lane, tensor->name, true))
            fits = fits && add_bits(analysis, i, tensor->writes, bits) &&
                    add_bits(analysis, i, tensor->updates, bits);
    }
    return fits;
}

/* The tensors that "memory" holds and "lane" serves. */
static void list_tensors(struct analysis *analysis, const struct memory *memory,
        const struct sator_lane *lane, struct sator_port_result *port)
{
    const char **names =
            SATOR_NEW_ARRAY(analysis->arena, const char *, analysis->workload->n_accesses + 1);

    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        const char *name = memory->tensors[i].name;
        bool served = memory->held[i] &&
                (sator_lane_serves(&memory->level->memory, lane, name, false) ||
                        sator_lane_serves(&memory->level->memory, lane, name, true));
        if (served && !model_lists(name, port->n_tensors, names))
            names[port->n_tensors++] = name;
    }
    port->tensors = names;
}

static enum sator_status measure(struct analysis *analysis, int m, const struct sator_lane *lane,
        struct sator_port_result *port)
{
    const struct memory *memory = &analysis->memories[m];

    if (!all_bits(analysis, memory, lane, &port->bits))
        return analysis_too_many(analysis, memory);
    if (port->bits == 0) {
        port->cycles = 0;
        return SATOR_OK;
    }
    if (isnan(lane->bits))
        port->unknown = "no bandwidth is given";
    if (memory->result->instances > 1) { /* the busiest is asked for where it decides something */
        port->bits = -1;
        enum sator_status st = isnan(lane->bits)
                ? SATOR_OK
                : analysis_busiest(analysis, m, lane, &port->bits, &port->unknown);
        if (st != SATOR_OK)
            return st;
    }
    port->cycles = port->bits < 0 ? NAN : (double)port->bits / lane->bits;
    return SATOR_OK;
}

enum sator_status analysis_ports(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;
    struct sator_port_result *ports = NULL;
    enum sator_status st = SATOR_OK;

    for (int m = 0; m < analysis->n_memories; m++) {
        struct memory *memory = &analysis->memories[m];
        memory->result->read_cycles = memory->result->write_cycles = NAN;
        for (int k = 0; k < memory->named->n_lanes; k++) {
            const struct sator_lane *lane = &memory->named->lanes[k];
            struct sator_port_result port = {.name = lane->name,
                    .level = m,
                    .reads = lane->reads,
                    .writes = lane->writes,
                    .bandwidth_bits = lane->bits};
            list_tensors(analysis, memory, lane, &port);
            if (port.n_tensors == 0)
                continue;
            SATOR_TRY(measure(analysis, m, lane, &port));
            /* fmax takes the other operand where one is NAN */
            if (lane->reads)
                memory->result->read_cycles = fmax(memory->result->read_cycles, port.cycles);
            if (lane->writes)
                memory->result->write_cycles = fmax(memory->result->write_cycles, port.cycles);
            SATOR_PUSH(analysis->arena, ports, result->n_ports, port);
        }
    }
    result->ports = ports;
done:
    return st;
}
