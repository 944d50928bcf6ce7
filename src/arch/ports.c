/* The ports of a memory, one direction at a time (doc/model.md, section 3). */
#include "arch/arch.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* The one that names the tensor, else the one for all. */
const struct sator_port *sator_memory_port(
        const struct sator_memory *memory, const char *tensor, bool writes)
{
    const struct sator_port *general = NULL;

    for (int i = 0; i < memory->n_ports; i++) {
        const struct sator_port *port = &memory->ports[i];
        if (!(writes ? port->writes : port->reads))
            continue;
        if (sator_lists(tensor, port->n_tensors, port->tensors))
            return port;
        if (port->n_tensors == 0)
            general = port;
    }
    return general;
}

/* The texts one after the other. */
static const char *join(
        struct sator_arena *arena, const char *a, const char *b, const char *c, const char *d)
{
    size_t lengths[] = {strlen(a), strlen(b), strlen(c), strlen(d)};
    const char *parts[] = {a, b, c, d};
    char *text = sator_arena_alloc(arena, lengths[0] + lengths[1] + lengths[2] + lengths[3] + 1);
    size_t at = 0;

    for (int i = 0; i < 4; i++) {
        memcpy(text + at, parts[i], lengths[i]);
        at += lengths[i];
    }
    text[at] = '\0';
    return text;
}

const struct sator_lane *sator_memory_lanes(
        struct sator_arena *arena, const struct sator_level *level, int *n_lanes)
{
    const struct sator_memory *memory = &level->memory;
    struct sator_lane *lanes = SATOR_NEW_ARRAY(arena, struct sator_lane, 2 * memory->n_ports + 2);
    int n = 0;

    for (int i = 0; i < memory->n_ports; i++) {
        const struct sator_port *port = &memory->ports[i];
        const char *base = join(arena, level->name, ".", port->name, "");
        if (port->is_shared) {
            lanes[n++] = (struct sator_lane){base, port, true, true, port->read_bits, port->burst};
            continue;
        }
        if (port->reads)
            lanes[n++] = (struct sator_lane){join(arena, base, " reads", "", ""), port, true, false,
                    port->read_bits, port->burst};
        if (port->writes)
            lanes[n++] = (struct sator_lane){join(arena, base, " writes", "", ""), port, false,
                    true, port->write_bits, port->burst};
    }
    lanes[n++] = (struct sator_lane){join(arena, level->name, " reads", "", ""), NULL, true, false,
            memory->read_bits, memory->burst};
    lanes[n++] = (struct sator_lane){join(arena, level->name, " writes", "", ""), NULL, false, true,
            memory->write_bits, memory->burst};
    *n_lanes = n;
    return lanes;
}
