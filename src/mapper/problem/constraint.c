/* Constraints from the command line: "L1: k 8, c <= 4" fixes and limits factors of a memory, "PE: k
 * 8" those of an array, "L1: order k c" the order of a memory's loops, "PE: only k c" says which
 * loops may run in parallel on an array, "utilization 0.5" asks for a share of the PEs. Several add
 * up; one that contradicts another is an error. */
#include "base/context.h"
#include "mapper/problem/skew.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SKEW = 1000
};

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

/* The rest of the text from "word" on, a letter of it at least where there is one. */
static struct sator_loc loc_of_rest(const struct reader *r, const char *word)
{
    size_t length = strcspn(word, ",");

    while (length > 0 && (word[length - 1] == ' ' || word[length - 1] == '\t'))
        length--;
    return loc_of(r, word, length > 0 || *word == '\0' ? length : 1);
}

static enum sator_status malformed(struct reader *r, const char *word, const char *why)
{
    sator_error(r->ctx, loc_of_rest(r, word), "%s", why);
    return SATOR_INPUT;
}

/* A text that is no constraint of any kind. */
static enum sator_status unknown(struct reader *r, const char *word)
{
    malformed(r, word, "this is no constraint");
    sator_help(r->ctx,
            "write 'L1: k 8, c <= 4, r >= 2' (factors of a memory), 'L1: order k c' (its loops, "
            "outermost first; '...' stands for all others), 'PE: k 8, c 4 -> 1' (what runs in "
            "parallel on an array, or along one of its dimensions), 'PE: only k c' (loops of an "
            "array), 'PE: skew 1 1' (how much later its PEs run with each step along each "
            "dimension) or 'utilization 0.5' (PEs used, of all)");
    return SATOR_INPUT;
}

/* The level named by a word; -1 after a message. */
static int find_level(struct reader *r, const char *word, size_t length)
{
    const struct sator_arch *arch = r->problem->arch;
    const char **names = SATOR_NEW_ARRAY(r->problem->arena, const char *, arch->n_levels + 1);
    int n_names = 0;

    for (int i = 0; i < arch->n_levels; i++) {
        bool same = is_word(word, length, arch->levels[i].name);
        if (same && arch->levels[i].kind == SATOR_LEVEL_COMPUTE) {
            sator_error(r->ctx, loc_of(r, word, length),
                    "loops stand at memories and arrays, none at the compute level");
            return -1;
        }
        if (same)
            return i;
        if (arch->levels[i].kind != SATOR_LEVEL_COMPUTE)
            names[n_names++] = arch->levels[i].name;
    }
    const char *name = sator_arena_strndup(r->problem->arena, word, length);
    sator_error(r->ctx, loc_of(r, word, length), "'%s' has no level '%s'", arch->name, name);
    sator_help_names(r->ctx, name, names, n_names);
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
        if (loop >= 0 && (r->problem->ordered >> loop & 1))
            return sator_error(r->ctx, loc_of(r, word, length),
                    "loop '%s' cannot run in parallel: instances must keep its order (%s)",
                    r->problem->loop_names[loop], r->problem->order);
        allowed |= loop >= 0 ? 1U << loop : 0;
    }
    if (*r->at != '\0')
        return malformed(r, r->at, "only: the loops are names, with blanks between them");
    for (int row = 0; row < r->problem->n_rows; row++) {
        if (r->problem->row[row].is_space && r->problem->row[row].level == level)
            r->problem->row[row].banned |= ~allowed;
    }
    return SATOR_OK;
}

/* "0", or a coefficient for each dimension. */
static enum sator_status read_skew(struct reader *r, int level, const char *start, size_t length)
{
    struct mapper_problem *p = r->problem;
    int n_dims = p->arch->levels[level].array.n_dims, n = 0;
    int64_t step[MAPPER_ROWS] = {0};
    struct sator_loc loc[MAPPER_ROWS] = {{0}};
    char *end;

    for (const char *word = next_word(r, &length); length > 0; word = next_word(r, &length)) {
        long long value = strtoll(word, &end, 10);
        if (end != word + length || value < -MOST_SKEW || value > MOST_SKEW)
            return malformed(r, word,
                    sator_arena_printf(p->arena,
                            "a skew's coefficients are whole numbers up to %d, such as '1 -1'",
                            MOST_SKEW));
        if (n < MAPPER_ROWS) {
            step[n] = value;
            loc[n] = loc_of(r, word, length);
        }
        n++;
    }
    if (*r->at != '\0')
        return malformed(r, r->at, "skew: the coefficients are numbers, with blanks between them");
    if (n != n_dims && !(n == 1 && step[0] == 0))
        return malformed(r, start,
                sator_arena_printf(p->arena,
                        "array '%s' has %d %s: write as many coefficients, or 'skew 0'",
                        p->arch->levels[level].name, n_dims,
                        n_dims == 1 ? "dimension" : "dimensions"));
    for (int row = 0; row < p->n_rows; row++) {
        struct mapper_row *what = &p->row[row];
        if (!what->is_space || what->level != level)
            continue;
        int64_t wanted = n == n_dims ? step[what->dim] : 0;
        if (what->has_skew && what->skew != wanted)
            return malformed(r, start, "another constraint skews this array in another way");
        what->has_skew = true;
        what->skew = wanted;
        what->skew_loc = loc[n == n_dims ? what->dim : 0];
    }
    return SATOR_OK;
}

/* ---- orders ---- */

static int row_of_memory(const struct mapper_problem *p, int level)
{
    int row = 0;

    while (p->row[row].level != level)
        row++;
    return row;
}

void sator_mapper_put_outside(struct mapper_row *row, int n_loops, unsigned outer, unsigned inner)
{
    for (int i = 0; i < n_loops; i++) {
        if (inner >> i & 1)
            row->outside[i] |= outer;
    }
    for (int k = 0; k < n_loops; k++) { /* the transitive closure */
        for (int i = 0; i < n_loops; i++) {
            if (row->outside[i] >> k & 1)
                row->outside[i] |= row->outside[k];
        }
    }
}

/* "k c ... r": k outside c, all loops that are not named inside c, r innermost. */
static enum sator_status read_order(struct reader *r, int level)
{
    struct mapper_problem *p = r->problem;
    struct mapper_row *row = &p->row[row_of_memory(p, level)];
    unsigned before = 0, before_rest = 0; /* named so far; before "..." */
    bool has_rest = false;
    size_t length;
    int loop;
    const char *start = r->at;

    for (const char *word = next_word(r, &length); length > 0; word = next_word(r, &length)) {
        if (is_word(word, length, "...")) {
            if (has_rest)
                return sator_error(r->ctx, loc_of(r, word, length),
                        "'...' stands for all loops that are not named: it can stand once");
            has_rest = true;
            before_rest = before;
            continue;
        }
        if (find_loop(r, word, length, &loop) < 0)
            return SATOR_INPUT;
        if (loop < 0)
            continue;
        if (before >> loop & 1)
            return sator_error(r->ctx, loc_of(r, word, length), "loop '%s' is named twice",
                    p->loop_names[loop]);
        sator_mapper_put_outside(row, p->n_loops, before, 1U << loop);
        before |= 1U << loop;
        if (row->outside[loop] >> loop & 1)
            return sator_error(r->ctx, loc_of(r, word, length),
                    "another constraint puts '%s' outside a loop that stands before it here",
                    p->loop_names[loop]);
    }
    if (*r->at != '\0' || r->at == start)
        return malformed(r, r->at,
                r->at == start ? "order: which loops, outermost first?"
                               : "order: the loops are names, with blanks between them");
    if (has_rest) {
        unsigned rest = ((1U << p->n_loops) - 1) & ~before;
        sator_mapper_put_outside(row, p->n_loops, before_rest, rest);
        sator_mapper_put_outside(row, p->n_loops, rest, before & ~before_rest);
    }
    for (int i = 0; i < p->n_loops; i++) {
        if (row->outside[i] >> i & 1)
            return sator_error(r->ctx, loc_of(r, start, strlen(start)),
                    "this order contradicts another constraint on loop '%s'", p->loop_names[i]);
    }
    p->has_orders = true;
    return SATOR_OK;
}

/* ---- factors ---- */

/* The largest factor of "extent" up to "factor", the smallest from there on. */
static void help_factors(struct sator_ctx *ctx, int64_t extent, int64_t factor)
{
    int64_t below = 1, above = extent;

    for (int64_t d = 1; d <= extent / d; d++) {
        for (int k = 0; k < 2 && extent % d == 0; k++) {
            int64_t divisor = k == 0 ? d : extent / d;
            if (divisor <= factor && divisor > below)
                below = divisor;
            if (divisor >= factor && divisor < above)
                above = divisor;
        }
    }
    if (factor > extent)
        sator_help(ctx, "the largest factor is %lld itself", (long long)extent);
    else
        sator_help(ctx, "the nearest factors of %lld are %lld and %lld", (long long)extent,
                (long long)below, (long long)above);
}

/* "i 8", "i <= 4", "i >= 2", of an array also "i 8 -> 0". */
struct factor {
    const char *name, *end; /* as it is written */
    int which, loop; /* of the workload; of the problem, -1 where its extent is 1 */
    char sign; /* '=', '<' or '>' */
    int64_t value;
    const char *number;
    int dim; /* of an array; -1: all together */
};

static bool take(struct reader *r, const char *sign)
{
    r->at += strspn(r->at, " \t");
    if (strncmp(r->at, sign, strlen(sign)) != 0)
        return false;
    r->at += strlen(sign);
    return true;
}

/* A whole number above 0; what is out of range is the greatest there is. */
static enum sator_status read_number(struct reader *r, const char *why, int64_t *value)
{
    r->at += strspn(r->at, " \t");
    const char *number = r->at;
    r->at += strspn(number, "0123456789");
    if (r->at == number || number[0] == '0' || isalpha((unsigned char)*r->at))
        return malformed(r, number, why);
    *value = strtoll(number, NULL, 10);
    return SATOR_OK;
}

/* "-> 0": of the array at "level". */
static enum sator_status read_dim(struct reader *r, int level, struct factor *factor)
{
    const struct sator_level *array = &r->problem->arch->levels[level];

    r->at += strspn(r->at, " \t");
    const char *number = r->at;
    size_t length = strspn(number, "0123456789");
    long long dim = strtoll(number, NULL, 10);
    r->at += length;
    if (length == 0 || dim >= array->array.n_dims)
        return malformed(r, number,
                sator_arena_printf(r->problem->arena, "array '%s' has %s", array->name,
                        array->array.n_dims == 1
                                ? "one dimension, 0"
                                : sator_arena_printf(r->problem->arena, "the dimensions 0 to %d",
                                          array->array.n_dims - 1)));
    factor->dim = (int)dim;
    return SATOR_OK;
}

/* Whether a factor may be so many: it divides, or is at most, the extent. */
static enum sator_status check_factor(struct reader *r, const struct factor *factor)
{
    const struct sator_workload *w = r->problem->workload;
    int64_t extent = w->upper[factor->which] - w->lower[factor->which];
    size_t length = strspn(factor->number, "0123456789");
    bool divides = factor->sign == '=' && !r->problem->imperfect;

    if (factor->sign == '<' || (divides ? extent % factor->value == 0 : factor->value <= extent))
        return SATOR_OK;
    sator_error(r->ctx, loc_of(r, factor->number, length),
            "loop '%s' has extent %lld, which %.*s%s %s", w->loop_names[factor->which],
            (long long)extent, length > 20 ? 20 : (int)length, factor->number,
            length > 20 ? "..." : "", divides ? "does not divide" : "exceeds");
    if (divides)
        help_factors(r->ctx, extent, factor->value);
    return SATOR_INPUT;
}

static enum sator_status read_factor(struct reader *r, int level, struct factor *factor)
{
    const struct mapper_problem *p = r->problem;
    bool is_array = p->arch->levels[level].kind == SATOR_LEVEL_ARRAY;
    size_t length;
    enum sator_status st = SATOR_OK;

    factor->name = next_word(r, &length);
    factor->dim = -1;
    if (length == 0)
        return malformed(r, factor->name, "a loop and its factor belong here, such as 'k 8'");
    factor->which = find_loop(r, factor->name, length, &factor->loop);
    if (factor->which < 0)
        return SATOR_INPUT;
    factor->sign = (char)(take(r, "<=") ? '<' : take(r, ">=") ? '>' : '=');
    r->at += strspn(r->at, " \t");
    factor->number = r->at;
    SATOR_TRY(read_number(r,
            sator_arena_printf(p->arena,
                    "a factor of loop '%s' is a whole number from 1 to its extent, %lld",
                    p->workload->loop_names[factor->which],
                    (long long)(p->workload->upper[factor->which] -
                            p->workload->lower[factor->which])),
            &factor->value));
    SATOR_TRY(check_factor(r, factor));
    if (is_array && take(r, "->"))
        SATOR_TRY(read_dim(r, level, factor));
    factor->end = r->at;
done:
    return st;
}

static bool tighten(struct mapper_limits *limits, const struct factor *factor)
{
    if (factor->sign != '<' && factor->value > limits->least)
        limits->least = factor->value;
    if (factor->sign != '>' && (limits->most == 0 || factor->value < limits->most))
        limits->most = factor->value;
    return limits->most == 0 || limits->least <= limits->most;
}

static enum sator_status say_contradiction(
        struct reader *r, const struct factor *factor, const struct mapper_limits *limits)
{
    const struct mapper_problem *p = r->problem;
    bool exceeds = factor->value > limits->most && limits->most > 0;

    return sator_error(r->ctx, loc_of(r, factor->name, (size_t)(factor->end - factor->name)),
            "%s gives loop '%s' %s %lld here",
            p->ordered >> factor->loop & 1 ? "the order of instances" : "another constraint",
            p->loop_names[factor->loop],
            limits->least == limits->most ? "the factor"
                    : exceeds             ? "at most"
                                          : "at least",
            (long long)(exceeds ? limits->most : limits->least));
}

/* A factor of a memory. */
static enum sator_status limit_memory(struct reader *r, int level, const struct factor *factor)
{
    struct mapper_problem *p = r->problem;
    struct mapper_row *row = &p->row[row_of_memory(p, level)];
    int64_t *fixed = &row->fixed[factor->loop];
    struct mapper_limits limits = row->limits[factor->loop], before = limits;

    if (*fixed != 0)
        limits = before = (struct mapper_limits){*fixed, *fixed};
    if (!tighten(&limits, factor))
        return say_contradiction(r, factor, &before);
    p->has_fixed = true;
    if (factor->sign == '=')
        *fixed = factor->value;
    p->has_limits |= *fixed == 0;
    row->limits[factor->loop] = limits;
    return SATOR_OK;
}

/* A factor of an array, or of one of its dimensions. */
static enum sator_status limit_array(struct reader *r, int level, const struct factor *factor)
{
    struct mapper_problem *p = r->problem;
    struct mapper_spread_limits *limits = p->spread_limits;
    size_t length = (size_t)(factor->end - factor->name);
    unsigned rows = 0;
    int64_t pes = 1;

    for (int i = 0; i < p->n_rows; i++) {
        const struct mapper_row *row = &p->row[i];
        if (!row->is_space || row->level != level || (factor->dim >= 0 && row->dim != factor->dim))
            continue;
        rows |= 1U << i;
        pes *= row->shape;
    }
    if (factor->sign != '<' && factor->value > pes)
        return sator_error(r->ctx, loc_of(r, factor->name, length),
                "%lld tiles of loop '%s' side by side take more than the %lld PE%s there",
                (long long)factor->value, p->loop_names[factor->loop], (long long)pes,
                pes == 1 ? "" : "s");
    if (factor->sign != '<' && factor->value > 1 && (p->ordered >> factor->loop & 1))
        return sator_error(r->ctx, loc_of(r, factor->name, length),
                "loop '%s' cannot run in parallel: instances must keep its order (%s)",
                p->loop_names[factor->loop], p->order);
    while (limits < p->spread_limits + p->n_spread_limits &&
            (limits->rows != rows || limits->loop != factor->loop))
        limits++;
    if (limits == p->spread_limits + MAPPER_SPREAD_LIMITS)
        return sator_error(r->ctx, loc_of(r, factor->name, length),
                "more than %d limits on what runs in parallel", MAPPER_SPREAD_LIMITS);
    if (limits == p->spread_limits + p->n_spread_limits) {
        p->n_spread_limits++;
        *limits = (struct mapper_spread_limits){rows, factor->loop, {1, 0}};
    }
    struct mapper_limits before = limits->limits;
    return tighten(&limits->limits, factor) ? SATOR_OK : say_contradiction(r, factor, &before);
}

static enum sator_status read_factors(struct reader *r, int level)
{
    bool is_array = r->problem->arch->levels[level].kind == SATOR_LEVEL_ARRAY;
    struct factor factor;

    for (;;) {
        if (read_factor(r, level, &factor) != SATOR_OK)
            return SATOR_INPUT;
        if (factor.loop >= 0 &&
                (is_array ? limit_array(r, level, &factor) : limit_memory(r, level, &factor)) !=
                        SATOR_OK)
            return SATOR_INPUT;
        r->at += strspn(r->at, " \t");
        if (*r->at == '\0')
            return SATOR_OK;
        if (*r->at != ',')
            return malformed(r, r->at,
                    is_array ? "a comma stands between two factors: 'PE: k 8 -> 0, c 4 -> 1'"
                             : "a comma stands between two factors: 'L1: k 8, c 4'");
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
        return malformed(r, number,
                "utilization is a share of all PEs, above 0 and at most 1: 'utilization 0.5'");
    r->problem->least_pes = fmax(r->problem->least_pes, share * (double)r->problem->pes);
    return SATOR_OK;
}

enum sator_status sator_mapper_constrain(
        struct sator_ctx *ctx, struct mapper_problem *problem, const char *text)
{
    struct reader r = {.ctx = ctx,
            .problem = problem,
            .source = sator_source_from_field(ctx, "constraints", text)};
    size_t length;

    r.at = r.source->text;
    const char *word = next_word(&r, &length);
    if (is_word(word, length, "utilization"))
        return read_utilization(&r);
    r.at += strspn(r.at, " \t");
    if (length == 0 || *r.at != ':')
        return unknown(&r, word);
    r.at++;
    int level = find_level(&r, word, length);
    if (level < 0)
        return SATOR_INPUT;
    bool is_array = problem->arch->levels[level].kind == SATOR_LEVEL_ARRAY;
    const char *start = r.at;
    const char *first = next_word(&r, &length);
    const char *next = r.at + strspn(r.at, " \t");
    bool names_loops = strchr(",<>", *next) == NULL || *next == '\0';
    names_loops &= !isdigit((unsigned char)*next); /* else it is a loop called "order" */
    if (is_array && is_word(first, length, "only") && names_loops)
        return read_only(&r, level);
    if (is_array && is_word(first, length, "skew"))
        return read_skew(&r, level, first, length);
    if (is_array && is_word(first, length, "order") && names_loops)
        return malformed(&r, first, "'order' is for memories: this is an array");
    if (is_word(first, length, "order") && names_loops)
        return read_order(&r, level);
    if (is_word(first, length, "only") && names_loops)
        return malformed(&r, first, "'only' is for arrays: this is a memory");
    r.at = start;
    return read_factors(&r, level);
}

bool sator_mapper_may_have(const struct mapper_problem *problem, int row, int loop, int64_t factor)
{
    const struct mapper_row *what = &problem->row[row];
    const struct mapper_limits *limits = &what->limits[loop];

    if (what->fixed[loop] != 0)
        return factor == what->fixed[loop];
    return factor >= limits->least && (limits->most == 0 || factor <= limits->most);
}

static bool may_be(const struct mapper_spread_limits *spread, const struct mapper_mapping *mapping,
        unsigned rows)
{
    int64_t pes = 1;

    for (unsigned left = spread->rows & rows; left != 0; left &= left - 1)
        pes *= mapping->factor[__builtin_ctz(left)][spread->loop];
    return (spread->limits.most == 0 || pes <= spread->limits.most) &&
            ((spread->rows & ~rows) != 0 || pes >= spread->limits.least);
}

bool sator_mapper_may_spread(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, unsigned rows)
{
    bool may = true;

    for (int k = 0; k < problem->n_spread_limits && may; k++)
        may = may_be(&problem->spread_limits[k], mapping, rows);
    return may;
}

bool sator_mapper_may_spread_loop(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int loop)
{
    bool may = true;

    for (int k = 0; k < problem->n_spread_limits && may; k++)
        may = problem->spread_limits[k].loop != loop ||
                may_be(&problem->spread_limits[k], mapping, ~0U);
    return may;
}

bool sator_mapper_is_allowed(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    double used = 1;

    for (int r = 0; r < problem->n_rows; r++) {
        const struct mapper_row *row = &problem->row[r];
        for (int i = 0; i < problem->n_loops && (row->is_space || problem->has_fixed); i++) {
            int64_t factor = mapping->factor[r][i];
            if (row->is_space ? factor > 1 && (row->banned >> i & 1)
                              : !sator_mapper_may_have(problem, r, i, factor))
                return false;
            used *= row->is_space ? (double)factor : 1;
        }
    }
    return used >= problem->least_pes && !sator_mapper_has_gaps(problem, mapping) &&
            sator_mapper_may_spread(problem, mapping, ~0U);
}

/* ---- what a mapping has to respect of orders ---- */

unsigned sator_mapper_innermost_of(const struct mapper_problem *problem, int row, unsigned left)
{
    unsigned blocked = 0;

    for (int i = 0; i < problem->n_loops && problem->has_orders; i++)
        blocked |= left >> i & 1 ? problem->row[row].outside[i] : 0;
    return left & ~blocked;
}

/* The loops of memory "m" with more than one iteration there. */
static unsigned movable(const struct mapper_problem *p, const struct mapper_mapping *mapping, int m)
{
    unsigned loops = 0;

    for (int i = 0; i < p->n_loops; i++)
        loops |= mapping->factor[p->memory[m].row][i] > 1 ? 1U << i : 0;
    return loops;
}

void sator_mapper_arrange(const struct mapper_problem *problem, struct mapper_mapping *mapping)
{
    for (int m = 0; m < problem->n_memories && problem->has_orders; m++) {
        const struct mapper_row *row = &problem->row[problem->memory[m].row];
        unsigned open = movable(problem, mapping, m), left = (1U << problem->n_loops) - 1;
        int8_t before[MAPPER_LOOPS];
        memcpy(before, mapping->order[m], sizeof before);
        for (int at = 0; at < problem->n_loops; at++) { /* the first that nothing left precedes */
            int k = 0;
            while (!(left >> before[k] & 1) ||
                    ((open >> before[k] & 1) && (row->outside[before[k]] & left & open) != 0))
                k++;
            mapping->order[m][at] = before[k];
            left &= ~(1U << before[k]);
        }
    }
}
