/* Relations read from text, and read again from what the library writes, hold for exactly the
 * points for which they hold in the reference.
 *
 *     property_notation [--seed N] [--cases N] [--case N]
 */
#include "oracle/notation.h"
#include "base/text.h"
#include "oracle/run.h"
#include "relation/relation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_VARS = 32
};

/* ---- the library's relations, evaluated from their data ---- */

static bool cond_holds(const struct sator_cond *cond, const int64_t *point)
{
    int64_t value = 0;

    if (cond->expr && !sator_expr_value(cond->expr, point, &value))
        abort();
    switch (cond->op) {
    case SATOR_COND_TRUE:
        return true;
    case SATOR_COND_EQUAL:
        return value == 0;
    case SATOR_COND_NOT_EQUAL:
        return value != 0;
    case SATOR_COND_AT_LEAST:
        return value >= 0;
    case SATOR_COND_AND:
        for (int i = 0; i < cond->n_kids; i++)
            if (!cond_holds(cond->kids[i], point))
                return false;
        return true;
    case SATOR_COND_OR:
        for (int i = 0; i < cond->n_kids; i++)
            if (cond_holds(cond->kids[i], point))
                return true;
        return false;
    case SATOR_COND_NOT:
        return !cond_holds(cond->kids[0], point);
    case SATOR_COND_EXISTS:
        break; /* no text of these tests has one */
    }
    abort();
}

/* Whether in -> out is in the relation. A free variable must be an output: it takes the output's
 * value. */
static bool holds(const struct sator_relation *relation, const int64_t *in, const int64_t *out)
{
    for (int i = 0; i < relation->n_pieces; i++) {
        const struct sator_piece *piece = &relation->pieces[i];
        int64_t point[MAX_VARS] = {0}, value;
        bool equal = true;

        memcpy(point, in, (size_t)relation->n_in * sizeof *in);
        for (int d = 0; d < relation->n_out; d++) {
            const struct sator_expr *e = piece->out[d];
            if (e->n_terms == 1 && e->constant == 0 && e->terms[0].atom == SATOR_ATOM_VAR &&
                    e->terms[0].factor == 1 && e->terms[0].var >= relation->n_in)
                point[e->terms[0].var] = out[d];
        }
        for (int d = 0; d < relation->n_out; d++)
            equal = equal && sator_expr_value(piece->out[d], point, &value) && value == out[d];
        if (equal && cond_holds(piece->cond, point))
            return true;
    }
    return false;
}

/* ---- reading ---- */

struct texts {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const char *problem; /* what is wrong, or NULL */
    char *text; /* the last text */
};

static const struct sator_relation *read_text(struct texts *texts)
{
    const struct sator_source *source = sator_source_from_text(texts->ctx, "text", texts->text);
    const struct sator_relation *relation = NULL;

    if (sator_relation_read(texts->ctx, texts->arena,
                (struct sator_loc){.source = source, .length = source->length},
                &relation) != SATOR_OK) {
        texts->problem = "cannot be read";
        return NULL;
    }
    return relation;
}

/* Read what "texts->text" holds, and once more what the library writes for it. */
static bool read_twice(struct texts *texts, const struct sator_relation **both)
{
    struct sator_text written = {0};

    both[0] = read_text(texts);
    if (!both[0])
        return false;
    sator_relation_write(&written, both[0]);
    free(texts->text);
    texts->text = sator_text_take(&written);
    both[1] = read_text(texts);
    return both[1] != NULL;
}

static FILE *open_text(struct texts *texts, size_t *length)
{
    free(texts->text);
    texts->text = NULL;
    return open_memstream(&texts->text, length);
}

/* ---- comparisons ---- */

/* Values near those that occur: the right ones and, mostly, wrong ones beside them. */
static void nudge(struct random *random, int n, int64_t *values)
{
    if (n > 0 && random_chance(random, 70))
        values[random_below(random, n)] += random_below(random, 5) - 2;
}

static bool compare(struct texts *texts, const struct sator_relation *const *both,
        const int64_t *in, const int64_t *out, bool expected)
{
    for (int i = 0; i < 2 && !texts->problem; i++)
        if (holds(both[i], in, out) != expected)
            texts->problem = i == 0 ? "is read as something else" : "is written as something else";
    return !texts->problem;
}

static void random_point(
        struct random *random, const struct oracle_program *program, int64_t *point)
{
    for (int loop = 0; loop < program->n_loops; loop++)
        point[loop] = program->lower[loop] - 1 +
                random_below(random, program->upper[loop] - program->lower[loop] + 2);
}

enum {
    POINTS = 30
};

static void check_domain(
        struct texts *texts, struct random *random, const struct oracle_program *program)
{
    const struct sator_relation *both[2];
    size_t length;
    FILE *out = open_text(texts, &length);

    notation_domain(out, program);
    fclose(out);
    if (!read_twice(texts, both))
        return;
    for (int i = 0; i < POINTS; i++) {
        int64_t point[ORACLE_LOOPS];
        bool inside = true;
        random_point(random, program, point);
        for (int loop = 0; loop < program->n_loops; loop++)
            inside = inside && point[loop] >= program->lower[loop] &&
                    point[loop] < program->upper[loop];
        inside = inside && oracle_holds(program, &program->domain, point);
        if (!compare(texts, both, point, point, inside))
            return;
    }
}

static void check_stamp(struct texts *texts, struct random *random,
        const struct oracle_program *program, bool is_time)
{
    const struct sator_relation *both[2];
    int n = is_time ? program->n_time : program->n_space;
    size_t length;
    FILE *out = open_text(texts, &length);

    (is_time ? notation_time : notation_space)(out, program);
    fclose(out);
    if (!read_twice(texts, both))
        return;
    for (int i = 0; i < POINTS; i++) {
        int64_t point[ORACLE_LOOPS], right[ORACLE_TIME] = {0}, tried[ORACLE_TIME];
        random_point(random, program, point);
        for (int d = 0; d < n; d++)
            right[d] = is_time
                    ? oracle_value(program, program->time[d], point)
                    : oracle_value(program, program->space[d], point) + program->space_offset[d];
        memcpy(tried, right, sizeof tried);
        nudge(random, n, tried);
        if (!compare(texts, both, point, tried,
                    memcmp(tried, right, (size_t)n * sizeof *right) == 0))
            return;
    }
}

static void check_access(struct texts *texts, struct random *random,
        const struct oracle_program *program, int number)
{
    const struct oracle_access *access = &program->accesses[number];
    const struct sator_relation *both[2];
    size_t length;
    FILE *out = open_text(texts, &length);

    notation_access(out, program, number);
    fclose(out);
    if (!read_twice(texts, both))
        return;
    for (int i = 0; i < POINTS; i++) {
        int64_t point[ORACLE_LOOPS], element[ORACLE_INDEX] = {0};
        int from = (int)random_below(random, access->n_pieces);
        bool touched = false;
        random_point(random, program, point);
        for (int d = 0; d < access->n_index; d++)
            element[d] = oracle_value(program, access->pieces[from].index[d], point);
        nudge(random, access->n_index, element);
        for (int piece = 0; piece < access->n_pieces; piece++) {
            bool equal = oracle_holds(program, &access->pieces[piece].conds, point);
            for (int d = 0; d < access->n_index; d++)
                equal = equal &&
                        element[d] == oracle_value(program, access->pieces[piece].index[d], point);
            touched = touched || equal;
        }
        if (!compare(texts, both, point, element, touched))
            return;
    }
}

static void check_link(struct texts *texts, struct random *random,
        const struct oracle_program *program, int number)
{
    const struct oracle_link *link = &program->links[number];
    const struct sator_relation *both[2];
    int n = program->n_space;
    size_t length;
    FILE *out = open_text(texts, &length);

    notation_link(out, program, n, number);
    fclose(out);
    if (!read_twice(texts, both))
        return;
    for (int i = 0; i < POINTS; i++) {
        int64_t pair[2 * ORACLE_SPACE];
        int from = (int)random_below(random, link->n_pieces);
        bool linked = false;
        for (int d = 0; d < n; d++)
            pair[d] = random_below(random, program->shape[d]);
        for (int d = 0; d < n; d++)
            pair[n + d] = link->pieces[from].functional
                    ? oracle_value(program, link->pieces[from].out[d], pair)
                    : pair[d] + (random_chance(random, 60) ? 0 : random_below(random, 5) - 2);
        nudge(random, n, pair + n);
        for (int piece = 0; piece < link->n_pieces; piece++) {
            bool equal = oracle_holds(program, &link->pieces[piece].conds, pair);
            for (int d = 0; d < n && link->pieces[piece].functional; d++)
                equal = equal &&
                        pair[n + d] == oracle_value(program, link->pieces[piece].out[d], pair);
            linked = linked || equal;
        }
        if (!compare(texts, both, pair, pair + n, linked))
            return;
    }
}

static void check_case(struct texts *texts, uint64_t seed)
{
    static const struct generate_options generation = {.max_instances = 200,
            .max_pes = 100,
            .self_wires = true,
            .conditional = true,
            .may_be_empty = true};
    struct oracle_program program;
    struct random random = {seed + 1};

    generate(seed, &generation, &program);
    check_domain(texts, &random, &program);
    for (int is_time = 0; is_time < 2 && !texts->problem; is_time++)
        check_stamp(texts, &random, &program, is_time);
    for (int a = 0; a < program.n_accesses && !texts->problem; a++)
        check_access(texts, &random, &program, a);
    for (int l = 0; l < program.n_links && !texts->problem; l++)
        check_link(texts, &random, &program, l);
}

int main(int argc, char **argv)
{
    struct run_options options;
    int n_failed = 0;

    if (!run_options(argc, argv, 3000, &options))
        return 2;
    for (int64_t i = 0; i < options.n_cases && n_failed < 5; i++) {
        struct texts texts = {.ctx = sator_ctx_new(), .arena = sator_arena_new()};
        check_case(&texts, run_case_seed(&options, options.first_case + i));
        if (texts.problem) {
            char *messages = sator_ctx_take_messages(texts.ctx, false);
            printf("FAILED: case %" PRId64 ": %s %s\n%s\n", options.first_case + i, texts.text,
                    texts.problem, messages ? messages : "");
            free(messages);
            n_failed++;
        }
        free(texts.text);
        sator_arena_free(texts.arena);
        sator_ctx_free(texts.ctx);
    }
    return n_failed > 0;
}
