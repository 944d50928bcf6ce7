/* sator_model_provenance on random machines: over a whole run its words add up to the volumes of
 * the judge (test/oracle/hardware.h); the words of any window are those of the whole, and add up to
 * what the counting engine says of all stamps up to the window's last, less those before its first;
 * memories are those that a search through all earlier words finds.
 *
 *     property_provenance [--seed N] [--cases N] [--case N]
 */
#include "model/provenance/provenance.h"
#include "base/arena.h"
#include "base/text.h"
#include "model/analysis.h"
#include "oracle/run.h"
#include "support/machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct check {
    struct machine_files files;
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct hardware *hardware;
    struct hardware_result expected;
    struct machine_inputs inputs;
    const struct sator_workload *workload;
    const struct sator_bound_dataflow *bound;
    const struct sator_model *model;
    struct sator_result *result;
    const struct sator_provenance *whole;
    char difference[1024];
    int64_t n_words, n_windows;
};

__attribute__((format(printf, 2, 3))) static void differ(
        struct check *check, const char *format, ...)
{
    va_list arguments;

    if (check->difference[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(check->difference, sizeof check->difference, format, arguments);
    va_end(arguments);
}

static enum sator_source_kind kind_of(
        const struct sator_provenance *window, const struct sator_traced_word *word)
{
    return window->sources[word->source].kind;
}

/* ---- the whole against the judge ---- */

static void check_whole(struct check *check)
{
    const struct sator_provenance *whole = check->whole;

    if (!whole->at_start || !whole->at_end || whole->n_stamps != check->expected.time_stamps)
        differ(check, "%d stamps from start %d to end %d, expected %" PRId64, whole->n_stamps,
                whole->at_start, whole->at_end, check->expected.time_stamps);
    for (int a = 0; a < whole->n_accesses; a++) {
        const struct sator_access_words *words = &whole->accesses[a];
        const struct hardware_volumes *volumes = &check->expected.volumes[a];
        int64_t n[4] = {0};
        for (int64_t i = 0; i < words->n_words; i++)
            n[kind_of(whole, &words->words[i])]++;
        check->n_words += words->n_words;
        if (words->n_words != volumes->total || n[SATOR_FROM_REGISTER] != volumes->temporal ||
                n[SATOR_FROM_LINK] + n[SATOR_FROM_BUS] != volumes->spatial ||
                n[SATOR_FROM_MEMORY] != volumes->unique)
            differ(check,
                    "access %d: %" PRId64 " words, %" PRId64 " kept, %" PRId64 " + %" PRId64
                    " passed on, %" PRId64 " fetched; expected %" PRId64 ", %" PRId64 ", %" PRId64
                    ", %" PRId64,
                    a, words->n_words, n[0], n[1], n[2], n[3], volumes->total, volumes->temporal,
                    volumes->spatial, volumes->unique);
    }
}

/* ---- memories by searching ---- */

static int64_t instance_of(const struct check *check, int space_cut, int64_t pe)
{
    for (int i = space_cut; i < check->whole->n_space; i++)
        pe /= check->whole->shape[i];
    return pe;
}

static int tile_of(const struct check *check, int time_cut, int stamp)
{
    const struct sator_provenance *whole = check->whole;
    int tile = 0;

    for (int s = 1; s <= stamp; s++)
        tile += memcmp(whole->stamps + s * whole->n_time, whole->stamps + (s - 1) * whole->n_time,
                        sizeof(int64_t) * (size_t)time_cut) != 0;
    return tile;
}

static bool had(const struct check *check, const struct sator_level_result *level,
        const struct sator_access_words *words, const struct sator_traced_word *word)
{
    int tile = tile_of(check, level->time_cut, word->stamp);

    for (int64_t i = 0; i < words->n_words && words->words[i].stamp < word->stamp; i++) {
        const struct sator_traced_word *before = &words->words[i];
        if (before->element == word->element &&
                instance_of(check, level->space_cut, before->pe) ==
                        instance_of(check, level->space_cut, word->pe) &&
                tile_of(check, level->time_cut, before->stamp) >= tile - 1)
            return true;
    }
    return false;
}

static const char *memory_of(
        const struct check *check, int access, const struct sator_traced_word *word)
{
    const struct sator_access *is = &check->workload->accesses[access];
    const char *last = "outside";

    for (int l = check->result->n_levels - 1; l >= 0; l--) {
        const struct sator_level_result *level = &check->result->levels[l];
        bool held = false;
        for (int t = 0; t < level->n_tensors; t++)
            held |= strcmp(level->tensors[t].name, is->tensor) == 0 &&
                    level->tensors[t].role == is->role;
        if (!held)
            continue;
        last = level->name;
        if (had(check, level, &check->whole->accesses[access], word))
            return last;
    }
    return last;
}

static void check_memories(struct check *check)
{
    const struct sator_provenance *whole = check->whole;

    for (int a = 0; a < whole->n_accesses; a++) {
        for (int64_t i = 0; i < whole->accesses[a].n_words; i++) {
            const struct sator_traced_word *word = &whole->accesses[a].words[i];
            if (kind_of(whole, word) != SATOR_FROM_MEMORY)
                continue;
            const char *expected = memory_of(check, a, word);
            if (strcmp(expected, whole->sources[word->source].name) != 0)
                differ(check, "access %d, word %" PRId64 ": from %s, expected %s", a, i,
                        whole->sources[word->source].name, expected);
        }
    }
}

/* ---- windows ---- */

static const struct sator_provenance *trace(struct check *check, int first, int n_stamps)
{
    const struct sator_provenance *window = NULL;
    int n_time = check->bound->time->n_out;
    const struct sator_window wanted = {.n_from = check->whole == NULL ? 0 : n_time,
            .from = check->whole == NULL ? NULL : check->whole->stamps + first * n_time,
            .n_stamps = n_stamps,
            .most_words = INT64_MAX};

    if (sator_model_provenance(check->ctx, check->arena, check->model, check->workload,
                check->bound, check->result, &wanted, &window) != SATOR_OK) {
        char *messages = machine_messages(check->ctx);
        differ(check, "window at %d of %d: refused: %s", first, n_stamps, messages);
        free(messages);
        return NULL;
    }
    return window;
}

static void check_same(struct check *check, const struct sator_provenance *window, int first)
{
    const struct sator_provenance *whole = check->whole;

    for (int a = 0; a < window->n_accesses; a++) {
        const struct sator_access_words *some = &window->accesses[a], *all = &whole->accesses[a];
        if (some->n_words != all->starts[first + window->n_stamps] - all->starts[first])
            differ(check, "access %d: %" PRId64 " words at %d", a, some->n_words, first);
        for (int64_t i = 0; i < some->n_words && check->difference[0] == '\0'; i++) {
            const struct sator_traced_word *x = &some->words[i],
                                           *y = &all->words[all->starts[first] + i];
            const struct sator_word_source *from = &window->sources[x->source],
                                           *of = &whole->sources[y->source];
            if (x->stamp + first != y->stamp || x->pe != y->pe || x->element != y->element ||
                    x->provider != y->provider || from->kind != of->kind ||
                    strcmp(from->name, of->name) != 0)
                differ(check, "access %d: word %" PRId64 " of the window at %d is from %s, not %s",
                        a, i, first, from->name, of->name);
        }
    }
}

/* t <= "stamp", lexicographically. */
static const struct sator_cond *not_after(
        struct check *check, const struct sator_piece *time, const int64_t *stamp)
{
    struct sator_arena *arena = check->arena;
    int n = check->bound->time->n_out;
    const struct sator_cond *all = sator_cond_and(arena, 0, NULL);

    for (int i = n - 1; i >= 0; i--) {
        const struct sator_expr *at = sator_expr_constant(arena, stamp[i]);
        const struct sator_expr *gap = sator_expr_add(arena, at, -1, time->out[i]);
        const struct sator_expr *below =
                sator_expr_add(arena, gap, -1, sator_expr_constant(arena, 1));
        const struct sator_cond *kids[] = {sator_cond_compare(arena, SATOR_COND_EQUAL, gap), all};
        const struct sator_cond *either[] = {sator_cond_compare(arena, SATOR_COND_AT_LEAST, below),
                sator_cond_and(arena, 2, kids)};
        all = sator_cond_or(arena, 2, either);
    }
    return all;
}

/* The engine's counts of all stamps up to number "last", with the whole's wires; in the order of
 * enum sator_source_kind. False where the time-stamp is no plain function. */
static bool count_up_to(struct check *check, int access, int last, int64_t *n)
{
    const struct sator_piece *time = sator_relation_function(check->bound->time);
    struct sator_relation domain = *check->workload->domain;
    struct sator_piece piece = domain.pieces[0];
    const struct sator_access *is = &check->workload->accesses[access];

    memset(n, 0, sizeof *n * 4);
    if (time == NULL || domain.n_pieces != 1)
        return false;
    if (last < 0)
        return true;
    const struct sator_cond *kids[] = {
            piece.cond, not_after(check, time, check->whole->stamps + last * check->whole->n_time)};
    piece.cond = sator_cond_and(check->arena, 2, kids);
    domain.pieces = &piece;
    struct sator_stamping stamping = {.domain = check->workload->domain,
            .space = check->bound->space,
            .time = check->bound->time,
            .n_space = check->model->n_space,
            .n_time = check->bound->time->n_out,
            .shape = check->model->shape};
    const struct sator_model_network *network =
            model_network(check->model, 0, check->model->n_space, access);
    struct sator_counter *counter = NULL;
    struct sator_transport transport;
    struct sator_volumes volumes = {
            .by_link = SATOR_NEW_ARRAY(check->arena, sator_int, network->n_links + 1),
            .by_bus = SATOR_NEW_ARRAY(check->arena, sator_int, network->n_buses + 1)};
    enum sator_status st = sator_counter_new(check->ctx, SATOR_ENGINE_AUTO, &stamping, &counter);
    if (st == SATOR_OK)
        st = sator_model_cut(check->ctx, check->arena, counter, is->relation, network, &transport);
    sator_counter_free(counter);
    stamping.domain = &domain;
    transport.footprint = 0;
    if (st == SATOR_OK)
        st = sator_counter_new(check->ctx, SATOR_ENGINE_GENERAL, &stamping, &counter);
    if (st == SATOR_OK) {
        st = sator_count_volumes(counter, is->relation, &transport, &volumes);
        sator_counter_free(counter);
    }
    free(machine_messages(check->ctx));
    n[SATOR_FROM_REGISTER] = (int64_t)volumes.temporal;
    for (int l = 0; l < network->n_links; l++)
        n[SATOR_FROM_LINK] += (int64_t)volumes.by_link[l];
    for (int b = 0; b < network->n_buses; b++)
        n[SATOR_FROM_BUS] += (int64_t)volumes.by_bus[b];
    n[SATOR_FROM_MEMORY] = (int64_t)volumes.unique;
    return st == SATOR_OK;
}

static void check_counts(struct check *check, const struct sator_provenance *window, int first)
{
    static const char *const kinds[] = {"registers", "links", "buses", "memories"};

    for (int a = 0; a < window->n_accesses; a++) {
        const struct sator_access_words *words = &window->accesses[a];
        int64_t before[4], after[4], n[4] = {0};
        if (!count_up_to(check, a, first - 1, before) ||
                !count_up_to(check, a, first + window->n_stamps - 1, after))
            return;
        for (int64_t i = 0; i < words->n_words; i++)
            n[kind_of(window, &words->words[i])]++;
        for (int k = 0; k < 4; k++) {
            if (n[k] != after[k] - before[k])
                differ(check,
                        "access %d: %" PRId64 " words from %s at %d, the engine says %" PRId64, a,
                        n[k], kinds[k], first, after[k] - before[k]);
        }
    }
}

static void check_windows(struct check *check, uint64_t seed)
{
    struct random random = {seed};

    for (int i = 0; i < 3 && check->difference[0] == '\0'; i++) {
        int first = (int)random_below(&random, check->whole->n_stamps);
        int n = 1 + (int)random_below(&random, check->whole->n_stamps - first);
        const struct sator_provenance *window = trace(check, first, n);
        if (window == NULL)
            return;
        if (window->n_stamps != n || window->at_start != (first == 0) ||
                window->at_end != (first + n == check->whole->n_stamps))
            differ(check, "%d stamps at %d, expected %d", window->n_stamps, first, n);
        else
            check_same(check, window, first);
        if (check->difference[0] == '\0' && i == 0)
            check_counts(check, window, first);
        check->n_windows++;
    }
}

/* ---- a case ---- */

static void check_case(struct check *check, uint64_t seed)
{
    const struct sator_analyze_options options = {.engine = SATOR_ENGINE_AUTO};
    const char *what;

    check->whole = NULL;
    check->result = NULL;
    enum sator_status st =
            machine_read(check->ctx, &check->files, check->hardware, NULL, &what, &check->inputs);
    if (st == SATOR_OK)
        st = sator_analyze(check->ctx, check->inputs.network, 0, check->inputs.arch,
                check->inputs.dataflow, &options, &check->result);
    if (st == SATOR_OK) {
        check->workload = &check->inputs.network->layers[0];
        st = sator_arch_bind(check->ctx, check->arena, check->inputs.arch, check->inputs.dataflow,
                check->workload, &check->bound);
    }
    if (st == SATOR_OK)
        st = sator_model_new(check->ctx, check->arena, check->workload, check->inputs.arch,
                SATOR_MODEL_SATOR, &check->model);
    free(machine_messages(check->ctx));
    if (st == SATOR_OK)
        check->whole = trace(check, 0, (int)check->result->time_stamps + 3);
    if (check->whole != NULL) {
        check_whole(check);
        check_memories(check);
        check_windows(check, seed);
    }
    sator_result_free(check->result);
    machine_forget(&check->inputs);
}

static bool fails(const struct hardware *hardware, void *user)
{
    struct check *check = user;

    check->difference[0] = '\0';
    hardware_run(hardware, &check->expected);
    if (check->expected.fault != HARDWARE_FINE) /* rings of wires: the judge has no word on them */
        return false;
    check->hardware = hardware;
    check->ctx = sator_ctx_new();
    check->arena = sator_arena_new();
    check_case(check, 7);
    sator_arena_free(check->arena);
    sator_ctx_free(check->ctx);
    return check->difference[0] != '\0';
}

int main(int argc, char **argv)
{
    static const struct hardware_options plain = {
            .max_instances = 200, .max_pes = 24, .bypass = true, .long_links = true};
    static struct hardware hardware;
    static struct check check;
    struct run_options options;
    int n_failed = 0;

    if (!run_options(argc, argv, 300, &options))
        return 2;
    machine_open(&check.files);
    for (int64_t i = options.first_case; i < options.first_case + options.n_cases && n_failed < 3;
            i++) {
        hardware_make(run_case_seed(&options, i), &plain, &hardware);
        if (!fails(&hardware, &check))
            continue;
        n_failed++;
        printf("FAILED: case %" PRId64 ": %s\n", i, check.difference);
        hardware_shrink(&hardware, fails, &check, 1000);
        fails(&hardware, &check);
        printf("made smaller: %s\n", check.difference);
        hardware_put(stdout, &hardware);
        printf("again with: property_provenance --seed %" PRIu64 " --case %" PRId64 "\n",
                options.seed, i);
    }
    machine_close(&check.files);
    printf("%" PRId64 " words and %" PRId64 " windows compared\n", check.n_words, check.n_windows);
    return n_failed > 0;
}
