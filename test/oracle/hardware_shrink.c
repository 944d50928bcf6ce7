/* Greedy descent over single simplifications: each is kept when the machine still fails. They are
 * tried from the most to the least effective, again and again, until none helps. */
#include "oracle/hardware_make.h"

#include <stdlib.h>
#include <string.h>

struct shrinking {
    struct hardware *best;
    hardware_fails fails;
    void *user;
    int trials_left;
};

/* One simplification: "which" counts through its places; false when there are no more. "*applies"
 * says whether the machine changed. */
typedef bool (*simplify)(struct hardware *hardware, int which, bool *applies);

static void remove_dims(struct oracle_program *program, int dim, int n)
{
    for (int d = dim; d + n < program->n_space; d++) {
        program->space[d] = program->space[d + n];
        program->shape[d] = program->shape[d + n];
        program->space_offset[d] = program->space_offset[d + n];
    }
    program->n_space -= n;
}

static bool drop_level(struct hardware *hardware, int which, bool *applies)
{
    int dim = 0;

    if (which >= hardware->n_levels)
        return false;
    for (int l = 0; l < which; l++)
        dim += hardware->levels[l].n_dims;
    if (hardware->levels[which].is_array && hardware->n_nest == 0)
        remove_dims(&hardware->program, dim, hardware->levels[which].n_dims);
    for (int l = which; l + 1 < hardware->n_levels; l++)
        hardware->levels[l] = hardware->levels[l + 1];
    hardware->n_levels--;
    for (int e = 0; e < hardware->n_nest; e++) {
        struct hardware_loop *loop = &hardware->nest[e];
        loop->dim = loop->level == which ? -1 : loop->dim;
        loop->level -= loop->level > which || (loop->level == which && which > 0);
    }
    *applies = hardware->n_levels > 0;
    return true;
}

static bool drop_access(struct hardware *hardware, int which, bool *applies)
{
    struct oracle_program *program = &hardware->program;
    int n_reads = 0;

    if (which >= program->n_accesses)
        return false;
    for (int a = 0; a < program->n_accesses; a++)
        n_reads += !program->accesses[a].is_write;
    if (program->accesses[which].is_write || n_reads == 1)
        return true;
    for (int a = which; a + 1 < program->n_accesses; a++)
        program->accesses[a] = program->accesses[a + 1];
    program->n_accesses--;
    *applies = true;
    return true;
}

static bool drop_piece(struct hardware *hardware, int which, bool *applies)
{
    struct oracle_access *access = &hardware->program.accesses[which];

    if (which >= hardware->program.n_accesses)
        return false;
    if (access->n_pieces > 1)
        access->n_pieces--;
    else if (access->pieces[0].conds.n > 0)
        access->pieces[0].conds.n = 0;
    else if (access->n_index > 1)
        access->n_index--;
    else
        return true;
    *applies = true;
    return true;
}

static bool straighten(struct hardware *hardware, int which, bool *applies)
{
    if (which >= hardware->n_levels)
        return false;
    for (int d = 0; d < hardware->levels[which].n_dims; d++) {
        *applies |= hardware->levels[which].skew[d] != 0;
        hardware->levels[which].skew[d] = 0;
    }
    return true;
}

static bool part_loops(struct hardware *hardware, int which, bool *applies)
{
    if (which >= hardware->n_levels)
        return false;
    *applies = hardware->levels[which].joined != 0;
    hardware->levels[which].joined = 0;
    return true;
}

static bool free_the_nest(struct hardware *hardware, int which, bool *applies)
{
    *applies = hardware->n_nest > 0;
    hardware->n_nest = 0;
    return which == 0;
}

static bool drop_condition(struct hardware *hardware, int which, bool *applies)
{
    *applies = hardware->program.domain.n > 0;
    hardware->program.domain.n = 0;
    return which == 0;
}

static bool halve_loop(struct hardware *hardware, int which, bool *applies)
{
    struct oracle_program *program = &hardware->program;
    int loop = which / 3;

    if (loop >= program->n_loops)
        return false;
    int64_t extent = program->upper[loop] - program->lower[loop];
    int64_t less = which % 3 == 0 ? 1 : which % 3 == 1 ? (extent + 1) / 2 : extent - 1;
    *applies = less > 0 && less < extent;
    program->upper[loop] = program->lower[loop] + less;
    return true;
}

static bool drop_time(struct hardware *hardware, int which, bool *applies)
{
    struct oracle_program *program = &hardware->program;

    if (which >= program->n_time || hardware->n_nest > 0)
        return false;
    for (int d = which; d + 1 < program->n_time; d++)
        program->time[d] = program->time[d + 1];
    program->n_time--;
    for (int l = 0; l < hardware->n_levels; l++)
        hardware->levels[l].cut -= hardware->levels[l].cut > which;
    *applies = program->n_time > 0;
    return true;
}

static bool drop_loop_of_nest(struct hardware *hardware, int which, bool *applies)
{
    if (which >= hardware->n_nest)
        return false;
    for (int e = which; e + 1 < hardware->n_nest; e++)
        hardware->nest[e] = hardware->nest[e + 1];
    hardware->n_nest--;
    *applies = true;
    return true;
}

static bool drop_network(struct hardware *hardware, int which, bool *applies)
{
    int level = which / (HARDWARE_LINKS + HARDWARE_BUSES);
    int part = which % (HARDWARE_LINKS + HARDWARE_BUSES);

    if (level >= hardware->n_levels)
        return false;
    struct hardware_level *array = &hardware->levels[level];
    if (part < array->n_links) {
        for (int l = part; l + 1 < array->n_links; l++)
            array->links[l] = array->links[l + 1];
        array->n_links--;
        *applies = true;
    } else if (part >= HARDWARE_LINKS && part - HARDWARE_LINKS < array->n_buses) {
        for (int b = part - HARDWARE_LINKS; b + 1 < array->n_buses; b++)
            array->buses[b] = array->buses[b + 1];
        array->n_buses--;
        *applies = true;
    }
    return true;
}

static bool plainer_network(struct hardware *hardware, int which, bool *applies)
{
    if (which >= hardware->n_levels)
        return false;
    for (int l = 0; l < hardware->levels[which].n_links; l++) {
        *applies |= hardware->levels[which].links[l].n_steps > 1;
        hardware->levels[which].links[l].n_steps = 1;
    }
    return true;
}

enum {
    PLAINER = 8
};

static bool plainer_memory(struct hardware *hardware, int which, bool *applies)
{
    struct hardware_level *memory = &hardware->levels[which / PLAINER];

    if (which / PLAINER >= hardware->n_levels)
        return false;
    struct hardware_level before = *memory;
    if (memory->is_array)
        return true;
    switch (which % PLAINER) {
    case 0:
        memory->capacity = HARDWARE_UNLIMITED;
        memory->is_double_buffered = false;
        memory->holds_idle = false;
        break;
    case 1:
        memory->n_ports -= memory->n_ports > 0;
        break;
    case 2:
        memory->never = memory->may_bypass = memory->bypassed = 0;
        break;
    case 3:
        memory->bandwidth[0] = memory->bandwidth[1] = 0;
        break;
    case 4:
        memory->cut = hardware->n_nest > 0 ? memory->cut : -1;
        break;
    case 5:
        memory->is_double_buffered = false;
        break;
    case 6:
        memory->bandwidth[1] = memory->bandwidth[0];
        break;
    default:
        memory->overlaps = true;
    }
    *applies = memcmp(&before, memory, sizeof before) != 0;
    return true;
}

static bool plainer_compute(struct hardware *hardware, int which, bool *applies)
{
    *applies = hardware->cycles > 1;
    hardware->cycles = 1;
    for (int t = 0; t < hardware->program.n_tensors; t++) {
        *applies |= hardware->word_bits[t] != 16;
        hardware->word_bits[t] = 16;
    }
    for (int l = 0; l < hardware->n_levels; l++) {
        struct hardware_level *level = &hardware->levels[l];
        struct hardware_level before = *level;
        level->width = 0;
        memset(level->width_of, 0, sizeof level->width_of);
        level->energy = (struct hardware_energy){{1, 2}, 16, false};
        level->own_tensor = -1;
        *applies |= memcmp(&before, level, sizeof before) != 0;
    }
    return which == 0;
}

static bool keep(struct shrinking *shrinking, struct hardware *candidate)
{
    if (candidate->n_nest > 0) {
        int digits = 0;
        for (int e = 0; e < candidate->n_nest; e++)
            digits += candidate->nest[e].dim < 0;
        if (digits > ORACLE_TIME || digits == 0 || candidate->program.n_exprs > ORACLE_EXPRS - 500)
            return false;
        if (!hardware_unfold(candidate))
            return false;
    }
    if (shrinking->trials_left-- <= 0 || candidate->program.n_space == 0 ||
            oracle_instances(&candidate->program, 0) == 0 ||
            !shrinking->fails(candidate, shrinking->user))
        return false;
    *shrinking->best = *candidate;
    return true;
}

void hardware_shrink(struct hardware *hardware, hardware_fails fails, void *user, int max_trials)
{
    static const simplify all[] = {drop_level, drop_access, part_loops, straighten, free_the_nest,
            drop_network, drop_condition, halve_loop, plainer_memory, drop_time, drop_loop_of_nest,
            drop_piece, plainer_network, plainer_compute};
    struct shrinking shrinking = {hardware, fails, user, max_trials};
    struct hardware *candidate = malloc(sizeof *candidate);

    if (!candidate)
        abort();
    for (bool improved = true; improved && shrinking.trials_left > 0;) {
        improved = false;
        for (size_t s = 0; s < sizeof all / sizeof *all; s++)
            for (int which = 0;; which++) {
                bool applies = false;
                *candidate = *hardware;
                if (!all[s](candidate, which, &applies))
                    break;
                if (applies && keep(&shrinking, candidate)) {
                    improved = true;
                    which--;
                }
            }
    }
    free(candidate);
}
