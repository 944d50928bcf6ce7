/* Constraints: texts as `sator map --constraint` takes them (doc/mapper.md), read as limits of the
 * space that a certificate covers. What a text has that is not understood here is refused: a space
 * must not be smaller than it is meant. */
#include "certificate/cert_bound.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct cert_problem *p;
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const char *at;
};

/* ---- words ---- */

static size_t word_length(const char *at)
{
    size_t n = 0;

    while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '.' || at[n] == '-')
        n++;
    return n;
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t");
}

/* Take the word "expected". */
static bool take_word(struct reader *r, const char *expected)
{
    skip_blanks(r);
    size_t n = word_length(r->at);
    if (n != strlen(expected) || strncmp(r->at, expected, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool take_sign(struct reader *r, const char *sign)
{
    skip_blanks(r);
    if (strncmp(r->at, sign, strlen(sign)) != 0)
        return false;
    r->at += strlen(sign);
    return true;
}

static bool take_number(struct reader *r, int64_t *value)
{
    skip_blanks(r);
    if (!isdigit((unsigned char)*r->at))
        return false;
    char *end;
    *value = strtoll(r->at, &end, 10);
    r->at = end;
    return true;
}

static bool is_at_end(struct reader *r)
{
    skip_blanks(r);
    return *r->at == '\0';
}

/* Take a loop's name: its number, or -1 for a loop of one iteration. */
static bool take_loop(struct reader *r, int *loop)
{
    const struct sator_workload *w = r->workload;

    for (int i = 0; i < w->n_loops; i++) {
        if (!take_word(r, w->loop_names[i]))
            continue;
        *loop = r->p->n_loops - 1;
        while (*loop >= 0 && strcmp(r->p->loop_name[*loop], w->loop_names[i]) != 0)
            --*loop;
        return true;
    }
    return false;
}

/* ---- what a constraint says ---- */

static unsigned rows_of(const struct cert_problem *p, int level)
{
    unsigned rows = 0;

    for (int r = 0; r < p->n_rows; r++)
        rows |= p->row[r].level == level ? 1U << r : 0;
    return rows;
}

/* "only k c": the loops of an array. */
static bool take_only(struct reader *r, int level)
{
    unsigned allowed = 0;
    int loop;

    while (take_loop(r, &loop))
        allowed |= loop >= 0 ? 1U << loop : 0;
    for (int k = 0; k < r->p->n_rows; k++)
        r->p->row[k].banned |= r->p->row[k].level == level ? ~allowed : 0;
    return is_at_end(r);
}

/* "order k ... c": put each loop further in than all that stand before it. */
static bool take_order(struct reader *r, int level)
{
    struct cert_row *row = &r->p->row[__builtin_ctz(rows_of(r->p, level))];
    unsigned named = 0, outer = 0, inner = 0;
    bool has_rest = false;
    int loop;

    for (;;) {
        bool is_rest = take_word(r, "...");
        if (!is_rest && !take_loop(r, &loop))
            break;
        if (is_rest) {
            has_rest = true;
            outer = named;
        } else if (loop >= 0) {
            for (int i = 0; i < r->p->n_loops; i++)
                row->within[i] |= named >> i & 1 ? 1U << loop : 0;
            named |= 1U << loop;
        }
    }
    inner = named & ~outer;
    unsigned rest = ((1U << r->p->n_loops) - 1) & ~named;
    for (int i = 0; i < r->p->n_loops && has_rest; i++) {
        row->within[i] |= outer >> i & 1 ? rest : 0;
        row->within[i] |= rest >> i & 1 ? inner : 0;
    }
    return is_at_end(r);
}

/* "skew 1 -1": a coefficient for each dimension, CERT_SHAPES at most; how many. */
static int take_skew(struct reader *r, int64_t *step)
{
    int n = 0;

    do {
        bool is_less = take_sign(r, "-");
        if (n == CERT_SHAPES || !take_number(r, &step[n]))
            return 0;
        step[n] = is_less ? -step[n] : step[n];
        n++;
    } while (!is_at_end(r));
    return n;
}

/* "k 8, c <= 4, r >= 2", of an array also "k 8 -> 0". */
static bool take_factors(struct reader *r, int level)
{
    struct cert_problem *p = r->p;

    do {
        struct cert_limit limit = {rows_of(p, level), -1, 1, INT64_MAX};
        int64_t value, dim;
        if (!take_loop(r, &limit.loop))
            return false;
        char sign = (char)(take_sign(r, "<=") ? '<' : take_sign(r, ">=") ? '>' : '=');
        if (!take_number(r, &value))
            return false;
        limit.least = sign == '<' ? 1 : value;
        limit.most = sign == '>' ? INT64_MAX : value;
        if (take_sign(r, "->")) {
            if (!take_number(r, &dim) || dim >= __builtin_popcount(limit.rows))
                return false;
            for (; dim > 0; dim--)
                limit.rows &= limit.rows - 1;
            limit.rows &= -limit.rows;
        }
        if (limit.loop >= 0 && p->n_limits == CERT_LIMITS)
            return false;
        if (limit.loop >= 0)
            p->limit[p->n_limits++] = limit;
    } while (take_sign(r, ","));
    return is_at_end(r);
}

static bool take_utilization(struct reader *r)
{
    double pes = 1;
    char *end;

    double share = strtod(r->at, &end);
    if (end == r->at || !(share > 0 && share <= 1))
        return false;
    r->at = end;
    for (int k = 0; k < r->p->n_rows; k++)
        pes *= r->p->row[k].is_space ? (double)r->p->row[k].pes : 1;
    if (share * pes > r->p->least_used)
        r->p->least_used = share * pes;
    return is_at_end(r);
}

/* A word that begins a form of its own, not a loop that is called so: loops follow it. */
static bool take_form(struct reader *r, const char *name)
{
    const char *start = r->at;

    if (take_word(r, name)) {
        skip_blanks(r);
        if (*r->at == '\0' || strchr("0123456789<>,", *r->at) == NULL)
            return true;
    }
    r->at = start;
    return false;
}

bool cert_limits_add(struct cert_problem *p, const struct sator_workload *workload,
        const struct sator_arch *arch, const char *text)
{
    struct reader r = {p, workload, arch, text};
    int64_t step[CERT_SHAPES];
    int level = 0;

    if (take_word(&r, "utilization") && !take_sign(&r, ":"))
        return take_utilization(&r);
    r.at = text;
    while (level < arch->n_levels && !take_word(&r, arch->levels[level].name))
        level++;
    if (level == arch->n_levels || !take_sign(&r, ":") || rows_of(p, level) == 0)
        return false;
    bool is_array = arch->levels[level].kind == SATOR_LEVEL_ARRAY;
    if (is_array && take_form(&r, "only"))
        return take_only(&r, level);
    if (is_array && take_word(&r, "skew")) /* which says what spaces there are */
        return take_skew(&r, step) > 0;
    if (!is_array && take_form(&r, "order"))
        return take_order(&r, level);
    return take_factors(&r, level);
}

int cert_limits_skew(const struct sator_arch *arch, const char *text, int *level, int64_t *step)
{
    struct reader r = {.arch = arch, .at = text};

    *level = 0;
    while (*level < arch->n_levels && !take_word(&r, arch->levels[*level].name))
        ++*level;
    bool is_skew = *level < arch->n_levels && arch->levels[*level].kind == SATOR_LEVEL_ARRAY &&
            take_sign(&r, ":") && take_word(&r, "skew");
    return is_skew ? take_skew(&r, step) : 0;
}

/* ---- what they leave ---- */

bool cert_may_be(const struct cert_problem *p, const struct cert_part *part)
{
    for (int r = 0; r < p->n_rows; r++) {
        for (int i = 0; i < p->n_loops && !(part->loose >> r & 1); i++) {
            if ((p->row[r].banned >> i & 1) && part->factor[r][i] > 1)
                return false;
        }
    }
    for (int k = 0; k < p->n_limits; k++) {
        const struct cert_limit *limit = &p->limit[k];
        int64_t factor = cert_spread(p, part, limit->rows, limit->loop);
        bool is_decided = true;
        if ((limit->rows & part->loose) != 0)
            continue;
        for (int r = 0; r < p->n_rows; r++)
            is_decided &= !(limit->rows >> r & 1) || (part->known[r] >> limit->loop & 1);
        if (factor > limit->most || (is_decided && factor < limit->least))
            return false;
    }
    return p->least_used <= 0 || cert_used(p, part, p->n_rows) >= p->least_used * (1 - 1e-12);
}

/* The row of "rows" that has dimension "dim" of its array (-1: a memory's only one); -1: none. */
static int row_of(const struct cert_problem *p, unsigned rows, int dim)
{
    for (; rows != 0; rows &= rows - 1) {
        int r = __builtin_ctz(rows);
        if (dim < p->row[r].n_shapes)
            return r;
        dim -= p->row[r].n_shapes;
    }
    return -1;
}

/* Multiply the loops of an entry of a mapping to the factors of its rows; false where one of them
 * must not stand there. */
static bool add_entry(const struct cert_problem *p, const struct sator_loop_entry *entry,
        unsigned rows, struct cert_part *part)
{
    unsigned inside = 0;

    for (int k = entry->n_loops - 1; k >= 0; k--) {
        const struct sator_nest_loop *loop = &entry->loops[k];
        int row = row_of(p, rows, loop->dim), i = p->n_loops - 1;
        while (i >= 0 && strcmp(p->loop_name[i], loop->loop) != 0)
            i--;
        if (loop->extent == 1)
            continue;
        if (i < 0 || row < 0 || (p->row[row].banned >> i & 1) ||
                (!p->allows_short && loop->extent > p->extent[i] / part->factor[row][i]))
            return false;
        for (unsigned left = inside; left != 0 && !p->row[row].is_space; left &= left - 1) {
            if (p->row[row].within[__builtin_ctz(left)] >> i & 1)
                return false;
        }
        part->factor[row][i] *= loop->extent;
        inside |= 1U << i;
    }
    return true;
}

/* Whether as many loops of a memory are joined as in the space: all of that directly outside the
 * skewed array ("outside" further in: 0), and all or none of those outside of it. */
static bool is_joined_so(
        const struct cert_space *space, const struct sator_loop_entry *entry, int outside)
{
    int joined = entry->says_joined ? entry->joined : outside == 0 ? entry->n_loops : 0;

    return joined == (outside == 0 || (outside > 0 && space->across) ? entry->n_loops : 0);
}

static bool is_used(const struct sator_loop_entry *entry, int dim)
{
    bool used = false;

    for (int k = 0; k < entry->n_loops; k++)
        used |= entry->loops[k].dim == dim && entry->loops[k].extent > 1;
    return used;
}

/* Whether a nest is skewed as the mappings of the space are, where it uses several PEs. */
static bool is_skewed_so(const struct sator_arch *arch, const struct cert_space *space,
        const struct sator_loop_nest *nest)
{
    int row = 0, outside = -1; /* the level directly outside the first array that is skewed */
    bool same = true;

    for (int i = 0, memory = -1; i < arch->n_levels && outside < 0; i++) {
        bool is_array = arch->levels[i].kind == SATOR_LEVEL_ARRAY;
        memory = is_array ? memory : i;
        for (int d = 0; d < (is_array ? arch->levels[i].array.n_dims : 1); d++, row++)
            outside = row < CERT_ROWS && space->step[row] != 0 ? memory : outside;
    }
    row = 0;
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        static const struct sator_loop_entry none;
        const struct sator_loop_entry *entry = &none;
        for (int e = 0; e < nest->n_entries; e++)
            entry = strcmp(nest->entries[e].level, level->name) == 0 ? &nest->entries[e] : entry;
        if (level->kind == SATOR_LEVEL_MEMORY)
            same &= outside < 0 ? !entry->says_joined : is_joined_so(space, entry, outside - i);
        for (int d = 0; level->kind == SATOR_LEVEL_ARRAY && d < level->array.n_dims; d++)
            same &= !is_used(entry, d) ||
                    space->step[row + d] == (d < entry->n_skew ? entry->skew[d] : 0);
        row += level->kind == SATOR_LEVEL_ARRAY ? level->array.n_dims : 1;
    }
    return same;
}

bool cert_is_of_space(const struct cert_problem *p, const struct sator_arch *arch,
        const struct cert_space *space, const struct sator_loop_nest *nest)
{
    struct cert_part part = {.is_unrolled = true};
    bool is_one = nest != NULL && is_skewed_so(arch, space, nest);

    for (int r = 0; r < p->n_rows; r++) {
        part.known[r] = (1U << p->n_loops) - 1;
        for (int i = 0; i < p->n_loops; i++)
            part.factor[r][i] = 1;
    }
    for (int e = 0; is_one && e < nest->n_entries; e++) {
        int level = 0;
        while (level < arch->n_levels &&
                strcmp(arch->levels[level].name, nest->entries[e].level) != 0)
            level++;
        is_one = add_entry(p, &nest->entries[e], rows_of(p, level), &part);
    }
    for (int i = 0; is_one && i < p->n_loops; i++) {
        const int64_t all = cert_spread(p, &part, ~0U, i);
        is_one = p->allows_short ? all >= p->extent[i] : all == p->extent[i];
    }
    return is_one && cert_may_be(p, &part);
}
