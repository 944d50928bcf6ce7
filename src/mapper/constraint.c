/* Constraints from the command line: "L1: k 8, c 4" fixes factors of a memory, "PE: only k c" says
 * which loops may run in parallel on an array, "utilization 0.5" asks for a share of the PEs. */
#include "base/context.h"
#include "mapper/mapper.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct sator_ctx *ctx;
    struct mapper_problem *problem;
    const struct sator_source *source;
    const char *at;
};

/* The next word, blanks before it skipped; its length in "*length". */
static const char *next_word(struct reader *r, size_t *length)
{
    r->at += strspn(r->at, " \t");
    const char *word = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '.' || *r->at == '-')
        r->at++;
    *length = (size_t)(r->at - word);
    return word;
}

static struct sator_loc loc_of(const struct reader *r, const char *word, size_t length)
{
    return (struct sator_loc){r->source, (size_t)(word - r->source->text), length};
}

static bool is_word(const char *word, size_t length, const char *expected)
{
    return strlen(expected) == length && strncmp(word, expected, length) == 0;
}

static enum sator_status malformed(struct reader *r, const char *word)
{
    sator_error(r->ctx, loc_of(r, word, strlen(word) > 0 ? 1 : 0), "this is no constraint");
    sator_help(r->ctx,
            "write 'L1: k 8, c 4' (factors of a memory), 'PE: only k c' (loops of an array) "
            "or 'utilization 0.5' (PEs used, of all)");
    return SATOR_INPUT;
}

/* The level named by a word; -1 after a message. */
static int find_level(struct reader *r, const char *word, size_t length)
{
    const struct sator_arch *arch = r->problem->arch;
    const char **names = SATOR_NEW_ARRAY(r->problem->arena, const char *, arch->n_levels + 1);

    for (int i = 0; i < arch->n_levels; i++) {
        names[i] = arch->levels[i].name;
        if (is_word(word, length, names[i]) && arch->levels[i].kind != SATOR_LEVEL_COMPUTE)
            return i;
    }
    const char *name = sator_arena_strndup(r->problem->arena, word, length);
    sator_error(r->ctx, loc_of(r, word, length), "'%s' has no level '%s'", arch->name, name);
    sator_help_names(r->ctx, name, names, arch->n_levels);
    return -1;
}

/* The workload's loop named by a word; -1 after a message. "*loop" is its number in the problem, -1
 * for a loop of extent 1. */
static int find_loop(struct reader *r, const char *word, size_t length, int *loop)
{
    const struct sator_workload *w = r->problem->workload;

    *loop = -1;
    for (int i = 0; i < w->n_loops; i++) {
        if (!is_word(word, length, w->loop_names[i]))
            continue;
        for (int k = 0; k < r->problem->n_loops; k++) {
            if (r->problem->loop_of[k] == i)
                *loop = k;
        }
        return i;
    }
    const char *name = sator_arena_strndup(r->problem->arena, word, length);
    sator_error(r->ctx, loc_of(r, word, length), "'%s' has no loop '%s'", w->name, name);
    sator_help_names(r->ctx, name, w->loop_names, w->n_loops);
    return -1;
}

static enum sator_status read_only(struct reader *r, int level)
{
    unsigned allowed = 0;
    size_t length;
    int loop;

    for (const char *word = next_word(r, &length); length > 0; word = next_word(r, &length)) {
        if (find_loop(r, word, length, &loop) < 0)
            return SATOR_INPUT;
        allowed |= loop >= 0 ? 1U << loop : 0;
    }
    if (*r->at != '\0')
        return malformed(r, r->at);
    for (int row = 0; row < r->problem->n_rows; row++) {
        if (r->problem->row[row].is_space && r->problem->row[row].level == level)
            r->problem->row[row].banned = ~allowed;
    }
    return SATOR_OK;
}

static enum sator_status read_factors(struct reader *r, int level)
{
    struct mapper_problem *p = r->problem;
    int row = 0, loop;
    size_t length;

    while (p->row[row].level != level)
        row++;
    for (;;) {
        const char *name = next_word(r, &length);
        if (length == 0)
            return malformed(r, name);
        int which = find_loop(r, name, length, &loop);
        if (which < 0)
            return SATOR_INPUT;
        const char *number = next_word(r, &length);
        char *end;
        long long factor = strtoll(number, &end, 10);
        if (length == 0 || end != number + length || factor < 1)
            return malformed(r, number);
        int64_t extent = p->workload->upper[which] - p->workload->lower[which];
        if (extent % factor != 0)
            return sator_error(r->ctx, loc_of(r, number, length),
                    "loop '%s' has extent %lld, which %lld does not divide",
                    p->workload->loop_names[which], (long long)extent, factor);
        if (loop >= 0) {
            p->row[row].fixed[loop] = factor;
            p->has_fixed = true;
        }
        r->at += strspn(r->at, " \t");
        if (*r->at == '\0')
            return SATOR_OK;
        if (*r->at != ',')
            return malformed(r, r->at);
        r->at++;
    }
}

static enum sator_status read_utilization(struct reader *r)
{
    size_t length;
    const char *number = next_word(r, &length);
    char *end;
    double share = strtod(number, &end);

    if (length == 0 || end != number + length || *r->at != '\0' || !(share > 0 && share <= 1))
        return malformed(r, number);
    r->problem->least_utilization = share;
    return SATOR_OK;
}

enum sator_status sator_mapper_constrain(
        struct sator_ctx *ctx, struct mapper_problem *problem, const char *text)
{
    struct reader r = {.ctx = ctx,
            .problem = problem,
            .source = sator_source_from_text(ctx, "--constraint", text)};
    size_t length;

    r.at = r.source->text;
    const char *word = next_word(&r, &length);
    if (is_word(word, length, "utilization"))
        return read_utilization(&r);
    r.at += strspn(r.at, " \t");
    if (length == 0 || *r.at != ':')
        return malformed(&r, word);
    r.at++;
    int level = find_level(&r, word, length);
    if (level < 0)
        return SATOR_INPUT;
    bool is_array = problem->arch->levels[level].kind == SATOR_LEVEL_ARRAY;
    const char *start = r.at;
    const char *first = next_word(&r, &length);
    if (is_word(first, length, "only") && is_array)
        return read_only(&r, level);
    r.at = start;
    return is_array ? malformed(&r, first) : read_factors(&r, level);
}

bool sator_mapper_is_allowed(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    double used = 1, all = 1;

    for (int r = 0; r < problem->n_rows; r++) {
        const struct mapper_row *row = &problem->row[r];
        for (int i = 0; i < problem->n_loops; i++) {
            int64_t factor = mapping->factor[r][i];
            if ((row->fixed[i] != 0 && factor != row->fixed[i]) ||
                    (row->is_space && factor > 1 && (row->banned >> i & 1)))
                return false;
            used *= row->is_space ? (double)factor : 1;
        }
        all *= row->is_space ? (double)row->shape : 1;
    }
    return used >= problem->least_utilization * all;
}
