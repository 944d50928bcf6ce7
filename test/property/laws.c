/* Laws that hold whatever the numbers are, on programs too large to enumerate: moving, mirroring,
 * permuting and tiling loops, renaming stamps and elements one to one, and the order of accesses
 * change no volume.
 *
 *     property_laws [--seed N] [--cases N] [--case N]
 */
#include "oracle/run.h"
#include "oracle/shrink.h"
#include "support/files.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Ticks for one question; beyond it a law says nothing about the program, which is counted. */
enum {
    WORK_LIMIT = 50 * 1000 * 1000
};

/* ---- rewriting ---- */

/* "expr" with variable v replaced by replacement[v]. */
static int rewrite(struct oracle_program *program, int expr, const int *replacement)
{
    const struct oracle_expr e = program->exprs[expr];
    int a, b;

    switch (e.op) {
    case ORACLE_CONST:
        return expr;
    case ORACLE_VAR:
        return replacement[e.a];
    case ORACLE_ADD:
        a = rewrite(program, e.a, replacement);
        b = rewrite(program, e.b, replacement);
        return oracle_add(program, a, b);
    case ORACLE_MUL:
        return oracle_mul(program, e.value, rewrite(program, e.a, replacement));
    case ORACLE_DIV:
        return oracle_div(program, rewrite(program, e.a, replacement), e.value);
    case ORACLE_MOD:
        return oracle_mod(program, rewrite(program, e.a, replacement), e.value);
    }
    abort();
}

static void rewrite_conds(
        struct oracle_program *program, struct oracle_conds *conds, const int *replacement)
{
    for (int c = 0; c < conds->n; c++)
        conds->of[c].expr = rewrite(program, conds->of[c].expr, replacement);
}

/* Everything that speaks of loops; links and buses speak of PEs. */
static void rewrite_loops(struct oracle_program *program, const int *replacement)
{
    rewrite_conds(program, &program->domain, replacement);
    for (int d = 0; d < program->n_space; d++)
        program->space[d] = rewrite(program, program->space[d], replacement);
    for (int d = 0; d < program->n_time; d++)
        program->time[d] = rewrite(program, program->time[d], replacement);
    for (int a = 0; a < program->n_accesses; a++)
        for (int piece = 0; piece < program->accesses[a].n_pieces; piece++) {
            rewrite_conds(program, &program->accesses[a].pieces[piece].conds, replacement);
            for (int d = 0; d < program->accesses[a].n_index; d++) {
                int *index = &program->accesses[a].pieces[piece].index[d];
                *index = rewrite(program, *index, replacement);
            }
        }
}

static void all_loops(struct oracle_program *program, int *replacement)
{
    for (int loop = 0; loop < program->n_loops; loop++)
        replacement[loop] = oracle_var(program, loop);
}

/* ---- the laws: each changes how a program is written and none of its numbers ---- */

static void translate(struct random *random, struct oracle_program *program)
{
    int replacement[ORACLE_LOOPS];

    all_loops(program, replacement);
    for (int loop = 0; loop < program->n_loops; loop++) {
        int64_t by = random_below(random, 41) - 20;
        program->lower[loop] += by;
        program->upper[loop] += by;
        replacement[loop] = oracle_add(program, replacement[loop], oracle_const(program, -by));
    }
    rewrite_loops(program, replacement);
}

static void mirror(struct random *random, struct oracle_program *program)
{
    int loop = (int)random_below(random, program->n_loops);
    int64_t lower = program->lower[loop];
    int replacement[ORACLE_LOOPS];

    all_loops(program, replacement);
    program->lower[loop] = 1 - program->upper[loop];
    program->upper[loop] = 1 - lower;
    replacement[loop] = oracle_mul(program, -1, replacement[loop]);
    rewrite_loops(program, replacement);
}

static void permute(struct random *random, struct oracle_program *program)
{
    int replacement[ORACLE_LOOPS];
    int loop = (int)random_below(random, program->n_loops);
    int other = (int)random_below(random, program->n_loops);
    int64_t lower = program->lower[loop], upper = program->upper[loop];

    all_loops(program, replacement);
    program->lower[loop] = program->lower[other];
    program->upper[loop] = program->upper[other];
    program->lower[other] = lower;
    program->upper[other] = upper;
    replacement[loop] = oracle_var(program, other);
    replacement[other] = oracle_var(program, loop);
    rewrite_loops(program, replacement);
}

/* loop = lower + size * outer + inner */
static void tile(struct random *random, struct oracle_program *program)
{
    int loop = (int)random_below(random, program->n_loops);
    int64_t extent = program->upper[loop] - program->lower[loop];
    int64_t size = 1 + random_below(random, extent);
    int replacement[ORACLE_LOOPS], outer, inner = program->n_loops;

    if (program->n_loops == ORACLE_LOOPS || program->domain.n == ORACLE_CONDS)
        return;
    all_loops(program, replacement);
    outer = oracle_mul(program, size, replacement[loop]);
    outer = oracle_add(program, outer, oracle_const(program, program->lower[loop]));
    replacement[loop] = oracle_add(program, outer, oracle_var(program, inner));
    if (extent % size != 0) {
        int below = oracle_mul(program, -1, oracle_var(program, loop));
        below = oracle_add(program, below, oracle_const(program, program->upper[loop] - 1));
        program->domain.of[program->domain.n++] = (struct oracle_cond){ORACLE_AT_LEAST_0, below};
    }
    program->n_loops++;
    program->lower[inner] = 0;
    program->upper[inner] = size;
    program->lower[loop] = 0;
    program->upper[loop] = (extent + size - 1) / size;
    rewrite_loops(program, replacement);
}

/* Time-stamps in the same order under other names, and one more dimension that says nothing. */
static void rename_time(struct random *random, struct oracle_program *program)
{
    for (int d = 0; d < program->n_time; d++) {
        int scaled = oracle_mul(program, 1 + random_below(random, 3), program->time[d]);
        program->time[d] =
                oracle_add(program, scaled, oracle_const(program, random_below(random, 9) - 4));
    }
    if (program->n_time > 0 && program->n_time < ORACLE_TIME)
        program->time[program->n_time++] = oracle_const(program, 7);
}

static void rename_elements(struct random *random, struct oracle_program *program)
{
    int64_t factor = random_chance(random, 50) ? -1 : 1;

    for (int a = 0; a < program->n_accesses; a++)
        for (int piece = 0; piece < program->accesses[a].n_pieces; piece++)
            for (int d = 0; d < program->accesses[a].n_index; d++) {
                int *index = &program->accesses[a].pieces[piece].index[d];
                *index = oracle_add(
                        program, oracle_mul(program, factor, *index), oracle_const(program, 3));
            }
}

static void reverse_accesses(struct random *random, struct oracle_program *program)
{
    (void)random;
    for (int a = 0; a < program->n_accesses; a++) {
        struct oracle_access before = program->accesses[a];
        for (int piece = 0; piece < before.n_pieces; piece++)
            program->accesses[a].pieces[piece] = before.pieces[before.n_pieces - 1 - piece];
    }
}

static const struct law {
    const char *name;
    void (*apply)(struct random *random, struct oracle_program *program);
} laws[] = {{"translate", translate}, {"mirror", mirror}, {"permute", permute}, {"tile", tile},
        {"rename time", rename_time}, {"rename elements", rename_elements},
        {"reverse accesses", reverse_accesses}};
enum {
    N_LAWS = sizeof laws / sizeof *laws
};

/* ---- large programs ---- */

/* Bounds of an expression when each loop takes any of its values. */
static void range(const struct oracle_program *program, int expr, int64_t *least, int64_t *most)
{
    const struct oracle_expr *e = &program->exprs[expr];
    int64_t a, b, c, d;

    switch (e->op) {
    case ORACLE_CONST:
        *least = *most = e->value;
        return;
    case ORACLE_VAR:
        *least = program->lower[e->a];
        *most = program->upper[e->a] - 1;
        return;
    case ORACLE_ADD:
        range(program, e->a, &a, &b);
        range(program, e->b, &c, &d);
        *least = a + c;
        *most = b + d;
        return;
    case ORACLE_MUL:
        range(program, e->a, &a, &b);
        *least = e->value * (e->value < 0 ? b : a);
        *most = e->value * (e->value < 0 ? a : b);
        return;
    case ORACLE_DIV:
        range(program, e->a, &a, &b);
        *least = a / e->value - 1;
        *most = b / e->value + 1;
        return;
    case ORACLE_MOD:
        *least = 0;
        *most = e->value - 1;
        return;
    }
}

static void enlarge(struct random *random, struct oracle_program *program)
{
    for (int loop = 0; loop < program->n_loops; loop++) {
        int64_t extent = program->upper[loop] - program->lower[loop];
        extent = extent * (1 + random_below(random, 40)) + random_below(random, 3);
        program->upper[loop] = program->lower[loop] + extent;
    }
    for (int d = 0; d < program->n_space; d++) {
        int64_t least, most;
        range(program, program->space[d], &least, &most);
        if (most - least >= 8) {
            program->space[d] = oracle_mod(program, program->space[d], 8);
            least = 0;
            most = 7;
        }
        program->space_offset[d] = -least;
        program->shape[d] = most - least + 1;
    }
    program->fits = false; /* it does, but fitting enumerates */
}

/* ---- comparing two ways to write a program ---- */

struct check {
    const struct law *law;
    uint64_t seed;
    const char *directory;
    enum sator_status status; /* of the first analysis that was not SATOR_OK */
    char difference[256];
};

/* The files of a program and of the same under the law are the same in style: an einsum would put
 * them apart. */
static const struct files_style style = {.levels = {.scratchpad_cut = -1, .local_cut = -1}};

static void apply(const struct check *check, struct oracle_program *program)
{
    struct random random = {check->seed};
    check->law->apply(&random, program);
}

static void same(struct check *check, const char *of, const char *field, sator_int a, sator_int b)
{
    char text[2][48];

    if (a != b && check->difference[0] == '\0')
        snprintf(check->difference, sizeof check->difference, "%s: %s is %s, then %s", of, field,
                sator_int_format(a, 0, text[0]), sator_int_format(b, 0, text[1]));
}

static void compare(struct check *check, const struct sator_result *a, const struct sator_result *b)
{
    same(check, "all", "instances", a->instances, b->instances);
    same(check, "all", "stamps", a->stamps, b->stamps);
    same(check, "all", "time stamps", a->time_stamps, b->time_stamps);
    same(check, "all", "active PEs", a->active_pes, b->active_pes);
    same(check, "all", "most active PEs", a->max_active_pes, b->max_active_pes);
    same(check, "all", "tensors", a->n_tensors, b->n_tensors);
    for (int i = 0; i < a->n_tensors && i < b->n_tensors; i++) {
        const struct sator_tensor_result *x = &a->tensors[i], *y = &b->tensors[i];
        same(check, x->name, "name", strcmp(x->name, y->name), 0);
        same(check, x->name, "access", x->access_volume, y->access_volume);
        same(check, x->name, "total", x->total_volume, y->total_volume);
        same(check, x->name, "footprint", x->footprint, y->footprint);
        same(check, x->name, "temporal", x->temporal_reuse, y->temporal_reuse);
        same(check, x->name, "spatial", x->spatial_reuse, y->spatial_reuse);
        same(check, x->name, "unique", x->unique_volume, y->unique_volume);
        for (int l = 0; l < x->n_links && l < y->n_links; l++)
            same(check, x->name, x->links[l].name, x->links[l].spatial_reuse,
                    y->links[l].spatial_reuse);
    }
}

static struct sator_result *analyze(struct check *check, const struct oracle_program *program)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_result *result = NULL;
    const char *what;
    enum sator_status status;

    sator_ctx_set_work_limit(ctx, WORK_LIMIT);
    status = files_analyze(
            ctx, check->directory, program, &style, SATOR_ENGINE_AUTO, &what, &result);
    if (status != SATOR_OK)
        check->status = status;
    /* Empty domains: found by property_analyze where the right answer is known. */
    if (status != SATOR_OK && status != SATOR_LIMIT && status != SATOR_INPUT) {
        char *messages = sator_ctx_take_messages(ctx, false);
        snprintf(check->difference, sizeof check->difference, "%s: status %d: %.200s", what,
                (int)status, messages ? messages : "no message");
        free(messages);
    }
    sator_ctx_free(ctx);
    return result;
}

static bool fails(const struct oracle_program *program, void *user)
{
    struct check *check = user;
    struct oracle_program changed = *program;
    struct sator_result *a, *b;

    check->status = SATOR_OK;
    check->difference[0] = '\0';
    apply(check, &changed);
    a = analyze(check, program);
    b = a ? analyze(check, &changed) : NULL;
    if (a && b)
        compare(check, a, b);
    else if (a && check->status == SATOR_INPUT && !oracle_is_in_place(program))
        snprintf(check->difference, sizeof check->difference, "accepted, then refused");
    sator_result_free(a);
    sator_result_free(b);
    return check->difference[0] != '\0';
}

/* ---- cases ---- */

static void report(const struct run_options *options, int64_t number, struct check *check,
        struct oracle_program *program)
{
    struct oracle_program changed;

    printf("FAILED: case %" PRId64 ", %s: %s\n", number, check->law->name, check->difference);
    shrink(program, fails, check, 300);
    fails(program, check);
    changed = *program;
    apply(check, &changed);
    printf("made smaller: %s\n", check->difference);
    for (int file = 0; file < FILES; file++) {
        printf("# %s\n", files_names[file]);
        files_print(stdout, program, &style, (enum files_file)file);
        if (file == FILES_ARCH)
            continue;
        printf("# %s after '%s'\n", files_names[file], check->law->name);
        files_print(stdout, &changed, &style, (enum files_file)file);
    }
    printf("again with: property_laws --seed %" PRIu64 " --case %" PRId64 "\n", options->seed,
            number);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct generate_options generation = {
            .max_instances = 300, .max_pes = 64, .always_registers = true};
    struct run_options options;
    char directory[256];
    int64_t n_limited = 0, n_refused = 0;
    int n_failed = 0;

    if (!run_options(argc, argv, 100, &options))
        return 2;
    files_open(directory);
    for (int64_t i = options.first_case; i < options.first_case + options.n_cases && n_failed < 5;
            i++) {
        uint64_t seed = run_case_seed(&options, i);
        struct random random = {seed ^ 0x68bc21ebu};
        struct check check = {
                .law = &laws[random_below(&random, N_LAWS)], .seed = seed, .directory = directory};
        struct oracle_program program;
        generate(seed, &generation, &program);
        enlarge(&random, &program);
        if (fails(&program, &check)) {
            n_failed++;
            report(&options, i, &check, &program);
        }
        n_limited += check.status == SATOR_LIMIT;
        n_refused += check.status == SATOR_INPUT;
    }
    files_close(directory);
    printf("%" PRId64 " cases, of which %" PRId64 " took too long to count, %" PRId64
           " were refused\n",
            options.n_cases, n_limited, n_refused);
    /* A law that is never put to the test cannot fail. */
    return n_failed > 0 || (n_limited + n_refused) * 2 > options.n_cases;
}
