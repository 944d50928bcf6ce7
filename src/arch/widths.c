/* What words of some width cost at a place of the machine (doc/model.md, section 4, "Widths"). */
#include "arch/arch.h"

#include <math.h>
#include <string.h>

const struct sator_energy sator_no_energy = {.pj = NAN, .bits = SATOR_USUAL_BITS};

int sator_width_of(const struct sator_widths *widths, const char *tensor, int word_bits)
{
    for (int i = 0; i < widths->n_tensors; i++) {
        if (strcmp(widths->tensors[i].tensor, tensor) == 0)
            return widths->tensors[i].bits;
    }
    return widths->bits > 0 ? widths->bits : word_bits;
}

int sator_memory_word_bits(const struct sator_memory *memory, const char *tensor, int word_bits)
{
    return sator_width_of(&memory->widths, tensor, word_bits);
}

/* "source" and how a figure follows from it. */
static const char *derived(struct sator_arena *arena, const char *source, const char *how)
{
    return source == NULL ? how : sator_arena_printf(arena, "%s; %s", source, how);
}

struct sator_action sator_action_of(
        struct sator_arena *arena, const struct sator_energy *energy, int word_bits)
{
    struct sator_action action = {energy->pj, energy->pj, 1, 1, energy->source};

    if (isnan(energy->pj) || energy->bits == word_bits)
        return action;
    if (energy->is_row && word_bits < energy->bits) {
        action.words = energy->bits / word_bits;
        action.word_pj = energy->pj / action.words;
    } else if (energy->is_row) {
        action.per_word = word_bits / energy->bits + (word_bits % energy->bits != 0);
        action.word_pj = energy->pj * action.per_word;
    } else {
        action.pj = action.word_pj = energy->pj * word_bits / energy->bits;
        if (arena != NULL)
            action.source = derived(arena, energy->source,
                    sator_arena_printf(
                            arena, "scaled from %d to %d bits", energy->bits, word_bits));
    }
    return action;
}

sator_int sator_actions(const struct sator_action *action, sator_int words)
{
    return (words / action->words + (words % action->words != 0)) * action->per_word;
}

static bool same_pj(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool sator_same_action(const struct sator_action *a, const struct sator_action *b)
{
    return same_pj(a->pj, b->pj) &&
            (a->source == NULL || b->source == NULL ? a->source == b->source
                                                    : strcmp(a->source, b->source) == 0);
}

struct sator_action sator_memory_action(struct sator_arena *arena,
        const struct sator_memory *memory, const char *tensor, int word_bits, bool writes)
{
    const struct sator_energy *energy = writes ? &memory->write : &memory->read;

    for (int i = 0; i < memory->n_own_energies; i++) {
        const struct sator_tensor_energy *own = &memory->own_energies[i];
        const struct sator_energy *its = writes ? &own->write : &own->read;
        if (strcmp(own->tensor, tensor) == 0 && !isnan(its->pj))
            energy = its;
    }
    return sator_action_of(arena, energy, sator_memory_word_bits(memory, tensor, word_bits));
}

struct sator_action sator_link_action(
        struct sator_arena *arena, const struct sator_link *link, const char *tensor, int word_bits)
{
    return sator_action_of(arena, &link->energy, sator_width_of(&link->widths, tensor, word_bits));
}

struct sator_action sator_bus_action(
        struct sator_arena *arena, const struct sator_bus *bus, const char *tensor, int word_bits)
{
    return sator_action_of(arena, &bus->energy, sator_width_of(&bus->widths, tensor, word_bits));
}

/* ---- compute ---- */

static bool is_written(const struct sator_workload *workload, const char *tensor)
{
    for (int i = 0; i < workload->n_accesses; i++) {
        if (workload->accesses[i].role == SATOR_WRITE &&
                strcmp(workload->accesses[i].tensor, tensor) == 0)
            return true;
    }
    return false;
}

int sator_operand_bits(const struct sator_workload *workload)
{
    int widest[3] = {0}; /* only read, read, written */

    for (int i = 0; i < workload->n_accesses; i++) {
        const struct sator_access *access = &workload->accesses[i];
        int kind = access->role == SATOR_WRITE ? 2 : is_written(workload, access->tensor) ? 1 : 0;
        widest[kind] = access->word_bits > widest[kind] ? access->word_bits : widest[kind];
    }
    return widest[0] > 0 ? widest[0] : widest[1] > 0 ? widest[1] : widest[2];
}

struct sator_figure sator_compute_figure(
        struct sator_arena *arena, const struct sator_compute *compute, int bits)
{
    const struct sator_width_energy *by = compute->by_width;
    int above = 0, n = compute->n_by_width;

    if (n == 0)
        return compute->energy_pj;
    while (above < n && by[above].bits < bits)
        above++;
    if (above < n && by[above].bits == bits)
        return by[above].energy_pj;
    if (above == 0 || above == n)
        return (struct sator_figure){.value = NAN,
                .source = sator_arena_printf(arena,
                        "not given for operands of %d bits, only for %d to %d", bits, by[0].bits,
                        by[n - 1].bits)};
    const struct sator_width_energy *low = &by[above - 1], *high = &by[above];
    double share = log((double)bits / low->bits) / log((double)high->bits / low->bits);
    return (struct sator_figure){.value = low->energy_pj.value *
                    pow(high->energy_pj.value / low->energy_pj.value, share),
            .source = derived(arena, low->energy_pj.source,
                    sator_arena_printf(arena, "derived for %d bits between %d (%g pJ) and %d (%g)",
                            bits, low->bits, low->energy_pj.value, high->bits,
                            high->energy_pj.value))};
}
