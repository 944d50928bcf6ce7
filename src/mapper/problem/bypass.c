/* Which tensors bypass which memories, where the architecture leaves that open. */
#include "base/context.h"
#include "base/text.h"
#include "mapper/problem/problem.h"

#include <string.h>

/* More choices than are tried; "m" is the memory with the first that is too much. */
static enum sator_status say_too_many(struct sator_ctx *ctx, const struct mapper_problem *p, int m)
{
    struct sator_text pairs = {0};
    int count = 0;

    for (int i = 0; i < p->n_memories; i++) {
        int before = count;
        for (int a = 0; a < p->n_accesses; a++) {
            if (!(p->memory[i].may_bypass >> a & 1) || p->access[a].stored_as != a)
                continue;
            sator_text_add(&pairs, "%s%s",
                    count > before      ? ", "
                            : count > 0 ? "; "
                                        : "",
                    p->access[a].name);
            count++;
        }
        if (count > before)
            sator_text_add(&pairs, " at '%s'", p->arch->levels[p->memory[i].level].name);
    }
    enum sator_status st = sator_error(ctx, p->arch->levels[p->memory[m].level].loc,
            "the mapper tries at most %d pairs of a tensor and a memory that it may bypass; '%s' "
            "on "
            "'%s' has %d: %s",
            MAPPER_MOST_CHOICES, p->workload->name, p->arch->name, count, pairs.data);
    sator_help(ctx, "leave some out of the memories' may_bypass (%s levels.%s.may_bypass=[...])",
            sator_word(ctx, "sets"), p->arch->levels[p->memory[m].level].name);
    sator_text_clear(&pairs);
    return st;
}

enum sator_status sator_mapper_choices_init(
        struct sator_ctx *ctx, const struct mapper_problem *p, struct mapper_choices *choices)
{
    choices->n_bits = 0;
    for (int m = 0; m < p->n_memories; m++) {
        for (int a = 0; a < p->n_accesses; a++) {
            unsigned accesses = 0;
            if (!(p->memory[m].may_bypass >> a & 1) || p->access[a].stored_as != a)
                continue;
            for (int b = a; b < p->n_accesses; b++)
                accesses |= p->access[b].stored_as == a ? 1U << b : 0;
            if (choices->n_bits == MAPPER_MOST_CHOICES)
                return say_too_many(ctx, p, m);
            choices->bit[choices->n_bits].memory = m;
            choices->bit[choices->n_bits++].accesses = accesses;
        }
    }
    return SATOR_OK;
}

void sator_mapper_choice(
        const struct mapper_choices *choices, unsigned number, unsigned bypassed[MAPPER_MEMORIES])
{
    memset(bypassed, 0, sizeof *bypassed * MAPPER_MEMORIES);
    for (int i = 0; i < choices->n_bits; i++) {
        if (number >> i & 1)
            bypassed[choices->bit[i].memory] |= choices->bit[i].accesses;
    }
}

static int find_memory(const struct mapper_problem *p, const char *level)
{
    for (int m = 0; m < p->n_memories; m++) {
        if (strcmp(p->arch->levels[p->memory[m].level].name, level) == 0)
            return m;
    }
    return -1;
}

enum sator_status sator_mapper_choice_of_nest(struct sator_ctx *ctx, const struct mapper_problem *p,
        const struct sator_dataflow *dataflow, unsigned bypassed[MAPPER_MEMORIES])
{
    const struct sator_loop_nest *nest = dataflow->loops;

    memset(bypassed, 0, sizeof *bypassed * MAPPER_MEMORIES);
    for (int e = 0; nest != NULL && e < nest->n_entries; e++) {
        const struct sator_loop_entry *entry = &nest->entries[e];
        for (int i = 0; i < entry->n_bypass; i++) {
            int m = find_memory(p, entry->level);
            unsigned accesses = 0;
            for (int a = 0; a < p->n_accesses; a++)
                accesses |= strcmp(p->access[a].name, entry->bypass[i]) == 0 ? 1U << a : 0;
            if (m < 0 || (accesses & p->memory[m].holds & ~p->memory[m].may_bypass) != 0) {
                sator_error(ctx, entry->loc, "'%s' does not leave open that '%s' bypasses '%s'",
                        p->arch->name, entry->bypass[i], entry->level);
                sator_help(ctx, "'may_bypass: [%s]' at the memory does", entry->bypass[i]);
                return SATOR_INPUT;
            }
            if (accesses == 0)
                return sator_error(ctx, entry->loc, "workload '%s' has no tensor '%s'",
                        p->workload->name, entry->bypass[i]);
            bypassed[m] |= accesses;
        }
    }
    return SATOR_OK;
}
