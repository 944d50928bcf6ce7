/* The ports of the memories: what passes through each, and how long it takes (doc/model.md, section
 * 3). */
#include "base/checked.h"
#include "base/text.h"
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
        if (!sator_lists(tensor->name, port->n_tensors, names))
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

/* ---- wires ---- */

/* Whether words of access "index" pass the link, bus or tree "name": a link, where it hands some
 * on; a bus or tree, whatever it is declared for, in its role. */
static bool passes(const struct analysis *analysis, int index, const char *name, bool is_link,
        enum sator_role role, int n_tensors, const char *const *tensors)
{
    const struct sator_tensor_result *tensor = &analysis->result->tensors[index];
    bool named = n_tensors == 0 || sator_lists(tensor->name, n_tensors, tensors);

    if (!is_link)
        return named && tensor->role == role;
    for (int i = 0; i < tensor->n_links; i++) {
        if (named && strcmp(tensor->links[i].name, name) == 0 && tensor->links[i].spatial_reuse > 0)
            return true;
    }
    return false;
}

/* Name the wires of "level" called "name" if words pass them, in "*port". */
static bool name_wires(struct analysis *analysis, const struct sator_level *level,
        const struct sator_link *link, const struct sator_bus *bus, struct sator_port_result *port)
{
    const int n_accesses = analysis->workload->n_accesses;
    const char **names = SATOR_NEW_ARRAY(analysis->arena, const char *, n_accesses + 1);
    const char *name = link != NULL ? link->name : bus->name;
    double bits = link != NULL ? link->bandwidth_bits : bus->bandwidth_bits;
    enum sator_role role = bus != NULL && bus->is_reduction ? SATOR_WRITE : SATOR_READ;
    int n = 0;

    for (int i = 0; i < n_accesses && !isnan(bits); i++) {
        const char *tensor = analysis->result->tensors[i].name;
        if (!sator_lists(tensor, n, names) &&
                passes(analysis, i, name, link != NULL, role,
                        link != NULL ? link->n_tensors : bus->n_tensors,
                        link != NULL ? link->tensors : bus->tensors))
            names[n++] = tensor;
    }
    *port = (struct sator_port_result){
            .name = sator_arena_printf(analysis->arena, "%s.%s", level->name, name),
            .level = -1,
            .array = sator_arena_strdup(analysis->arena, level->name),
            .reads = true,
            .writes = true,
            .n_tensors = n,
            .tensors = names,
            .bits = -1,
            .bandwidth_bits = bits,
            .cycles = NAN,
            .unknown = "wires, whose time the scheduled latency counts",
            .busy_cycles = NAN,
            .exposed_cycles = NAN,
            .stalled_cycles = NAN};
    return n > 0;
}

void analysis_name_wires(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;
    const struct sator_arch *arch = analysis->arch;
    struct sator_port_result *ports = NULL, port;
    int n = 0;

    for (int i = 0; i < result->n_ports; i++)
        SATOR_PUSH(analysis->arena, ports, n, result->ports[i]);
    for (int l = 0; l < arch->n_levels; l++) {
        const struct sator_array *array = &arch->levels[l].array;
        bool is_array = arch->levels[l].kind == SATOR_LEVEL_ARRAY;
        for (int i = 0; is_array && i < array->n_links; i++) {
            if (name_wires(analysis, &arch->levels[l], &array->links[i], NULL, &port))
                SATOR_PUSH(analysis->arena, ports, n, port);
        }
        for (int i = 0; is_array && i < array->n_buses; i++) {
            if (name_wires(analysis, &arch->levels[l], NULL, &array->buses[i], &port))
                SATOR_PUSH(analysis->arena, ports, n, port);
        }
    }
    if (n > result->n_ports) {
        result->n_ports = n;
        result->ports = analysis->ports = ports;
    }
}
