/* The clock of a run: when phases begin and end, and which port they wait for (doc/model.md,
 * section 7). */
#ifndef SATOR_SIMULATE_PHASES_H
#define SATOR_SIMULATE_PHASES_H

#include "simulate/machine.h"
#include "simulate/pass.h"

/* What a port has to do at one stamp of a level, apart by when it does it. */
enum phase {
    PHASE_EXPOSED_LOADS,
    PHASE_SERIAL_LOADS,
    PHASE_DURING, /* streamed, or overlapped with the run */
    PHASE_SERIAL_STORES,
    PHASE_EXPOSED_STORES,
    N_PHASES
};

/* Costs are in parts of a cycle: bits / bandwidth is bits x parts_per_bit of them, a cycle
 * "parts_per_cycle". */
struct phase_port {
    const char *name;
    int64_t parts_per_cycle, parts_per_bit;
    struct sator_burst burst;
    int64_t n_instances;
    int64_t stalls; /* cycles that the machine waited for it */
};

/* What the instances of a port do in the phases of a stamp. */
struct load {
    struct cost {
        sator_int of[N_PHASES];
        bool is_touched;
    } * costs; /* by instance; NULL: nothing of this level uses the port */
    int64_t *touched;
    int64_t n_touched;
};

struct phase_level {
    int n_time;
    struct load *now, *next; /* by port: at this stamp, and at the one that comes */
    sator_int *inside; /* by port: parts of a cycle that it worked for the stamps inside this one */
    int64_t began; /* cycle in which the stamps inside it began */
};

struct phases {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    int n_ports;
    struct phase_port *ports;
    int n_levels;
    struct phase_level *levels; /* outermost first; the last is the single stamp's */
    int64_t clock, compute;
    struct pass pass;
    int64_t instance_num, instance_den; /* cycles of a loop instance */
    /* or NULL: told what a port of a level does when; "stalls": that the machine waits for it */
    void (*note)(void *user, int level, int port, enum phase phase, int64_t begin, int64_t cycles,
            bool stalls);
    void *note_user;
};

/* Find the ports that limit anything, and give the holders' uses their numbers. */
enum sator_status phases_make(struct phases *phases, struct machine *machine);
void phases_clear(struct phases *phases, struct machine *machine);

/* What "holder" has moved at the boundary between two stamps: "is_same_tile" when the holder
 * outside keeps its contents. */
void phases_take(
        struct phases *phases, struct machine *machine, struct holder *holder, bool is_same_tile);
/* The stamps of all levels with more than "changed" rows are over, innermost first; then those that
 * come begin ("at_end": none does). */
void phases_change(struct phases *phases, int changed, bool is_first, bool at_end);
/* The single stamp has run on the PEs in "active": at most "most" instances on a PE. */
void phases_compute(struct phases *phases, struct machine *machine, int64_t most, int64_t n_active,
        const int64_t *active);

#endif
