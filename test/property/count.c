/* The two counting engines against the brute-force reference, through count.h, on random programs
 * and random prefixes of their stamps. Every failing case is made smaller and printed with the
 * numbers that differ.
 *
 * Both engines answer every case, the choice between the two one in some.
 *
 *     property_count [--seed N] [--cases N] [--case N]
 */
#include "count/count.h"
#include "oracle/notation.h"
#include "oracle/run.h"
#include "oracle/shrink.h"
#include "support/engines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Ticks for one question about a program that has at most a thousand instances. */
enum {
    WORK_LIMIT = 200 * 1000 * 1000
};

/* What the choice between the engines answers costs as much as the general engine, 20 ms a case. */
enum {
    CHOICE_EVERY = 8
};

/* ---- what is asked of one case ---- */

struct engine_tally {
    int64_t asked, declined;
};

struct check {
    enum sator_engine_choice engine;
    int n_space, n_time; /* the prefix in use, cut to what the program has */
    struct engine_tally *tally;
    char difference[512]; /* what is wrong, "" when nothing */
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

static void expect(struct check *check, const char *field, sator_int got, int64_t expected)
{
    char text[48];

    if (got != expected)
        differ(check, "%s is %s, must be %" PRId64, field, sator_int_format(got, 0, text),
                expected);
}

/* Whether the call answered. Declining is the right of the closed form and of lists alone. */
static bool answered(
        struct check *check, struct sator_ctx *ctx, enum sator_status status, const char *question)
{
    check->tally->asked++;
    if (status == SATOR_OK)
        return true;
    if (status == SATOR_DECLINED && check->engine != SATOR_ENGINE_GENERAL &&
            check->engine != SATOR_ENGINE_AUTO) {
        check->tally->declined++;
        return false;
    }
    char *messages = sator_ctx_take_messages(ctx, false);
    differ(check, "%s ended with status %d: %s", question, (int)status,
            messages ? messages : "no message");
    free(messages);
    return false;
}

/* ---- relations from text ---- */

typedef void (*writer)(FILE *out, const struct oracle_program *program, int n_space, int number);

static void write_domain(FILE *out, const struct oracle_program *program, int n_space, int number)
{
    (void)n_space, (void)number;
    notation_domain(out, program);
}

static void write_space(FILE *out, const struct oracle_program *program, int n_space, int number)
{
    (void)n_space, (void)number;
    notation_space(out, program);
}

static void write_time(FILE *out, const struct oracle_program *program, int n_space, int number)
{
    (void)n_space, (void)number;
    notation_time(out, program);
}

static void write_access(FILE *out, const struct oracle_program *program, int n_space, int number)
{
    (void)n_space;
    notation_access(out, program, number);
}

struct reading {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct oracle_program *program;
    struct check *check;
};

/* The relation that "write" writes, or NULL with the difference noted. */
static const struct sator_relation *relation(struct reading *reading, writer write, int number)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    const struct sator_source *source;
    const struct sator_relation *result = NULL;
    enum sator_status status;

    write(out, reading->program, reading->check->n_space, number);
    fclose(out);
    source = sator_source_from_text(reading->ctx, "random", text);
    status = sator_relation_read(reading->ctx, reading->arena,
            (struct sator_loc){.source = source, .length = source->length}, &result);
    if (status != SATOR_OK) {
        char *messages = sator_ctx_take_messages(reading->ctx, false);
        differ(reading->check, "cannot read %s: %s", text, messages ? messages : "no message");
        free(messages);
        result = NULL;
    }
    free(text);
    return result;
}

/* ---- questions ---- */

static void check_stamps(struct check *check, struct sator_ctx *ctx, struct sator_counter *counter,
        const struct oracle_result *expected)
{
    struct sator_stamp_counts counts;
    int64_t instance[ORACLE_LOOPS];
    sator_int most;

    if (answered(check, ctx, sator_count_stamps(counter, &counts), "stamps")) {
        expect(check, "instances", counts.instances, expected->instances);
        expect(check, "stamps", counts.stamps, expected->stamps);
        expect(check, "time stamps", counts.time_stamps, expected->time_stamps);
        expect(check, "active PEs", counts.active_pes, expected->active_pes);
        expect(check, "max active PEs", counts.max_active_pes, expected->max_active_pes);
    }
    if (answered(check, ctx, sator_count_max_per_stamp(counter, &most, instance), "max per stamp"))
        expect(check, "max per stamp", most, expected->max_per_stamp);
}

/* The outside question, and that the instance named is one of the domain that is outside. */
static void check_outside(struct check *check, struct sator_ctx *ctx, struct sator_counter *counter,
        const struct oracle_program *program, bool expected)
{
    int64_t point[ORACLE_LOOPS] = {0};
    bool found = false, leaves = false;

    if (!answered(check, ctx, sator_count_outside(counter, &found, point), "outside"))
        return;
    expect(check, "outside", found, expected);
    if (!found || !expected)
        return;
    for (int loop = 0; loop < program->n_loops; loop++)
        if (point[loop] < program->lower[loop] || point[loop] >= program->upper[loop])
            differ(check, "the instance outside is not in the domain");
    if (!oracle_holds(program, &program->domain, point))
        differ(check, "the instance outside is not in the domain");
    for (int d = 0; d < check->n_space; d++) {
        int64_t at = oracle_value(program, program->space[d], point) + program->space_offset[d];
        leaves = leaves || at < 0 || at >= program->shape[d];
    }
    if (!leaves)
        differ(check, "the instance named is inside the array");
}

static bool serves(unsigned tensors, int tensor)
{
    return (tensors >> tensor & 1) != 0;
}

/* The links and buses that serve one access; "link_of" and "bus_of" give their numbers in the
 * program. */
static bool make_transport(struct reading *reading, const struct oracle_access *access,
        struct sator_transport *transport, int *link_of, int *bus_of)
{
    const struct oracle_program *program = reading->program;
    struct sator_network_link *links =
            SATOR_NEW_ARRAY(reading->arena, struct sator_network_link, ORACLE_LINKS);
    const struct sator_relation **buses =
            SATOR_NEW_ARRAY(reading->arena, const struct sator_relation *, ORACLE_BUSES);

    *transport = (struct sator_transport){
            .registers = program->registers, .links = links, .buses = buses};
    for (int l = 0; l < program->n_links; l++) {
        if (!serves(program->links[l].tensors, access->tensor))
            continue;
        link_of[transport->n_links] = l;
        links[transport->n_links].interval = program->links[l].interval;
        links[transport->n_links].map = relation(reading, notation_link, l);
        if (!links[transport->n_links++].map)
            return false;
    }
    for (int b = 0; b < program->n_buses; b++) {
        if (!serves(program->buses[b].tensors, access->tensor) ||
                program->buses[b].is_reduction != access->is_write)
            continue;
        bus_of[transport->n_buses] = b;
        buses[transport->n_buses] = relation(reading, notation_bus, b);
        if (!buses[transport->n_buses++])
            return false;
    }
    return true;
}

static void check_access(struct reading *reading, struct sator_counter *counter, int number,
        const struct oracle_volumes *expected)
{
    struct check *check = reading->check;
    const struct oracle_access *access = &reading->program->accesses[number];
    sator_int by_link[ORACLE_LINKS], by_bus[ORACLE_BUSES], tile;
    int link_of[ORACLE_LINKS], bus_of[ORACLE_BUSES];
    struct sator_volumes volumes = {.by_link = by_link, .by_bus = by_bus};
    struct sator_transport transport;
    const struct sator_relation *map = relation(reading, write_access, number);
    char field[48];
    bool was_different = check->difference[0] != '\0';

    if (!map || !make_transport(reading, access, &transport, link_of, bus_of))
        return;
    if (answered(check, reading->ctx, sator_count_tile(counter, map, &tile), "tile"))
        expect(check, "tile", tile, expected->tile);
    if (!answered(check, reading->ctx, sator_count_volumes(counter, map, &transport, &volumes),
                "volumes"))
        return;
    expect(check, "access", volumes.access, expected->access);
    expect(check, "total", volumes.total, expected->total);
    expect(check, "footprint", volumes.footprint, expected->footprint);
    expect(check, "temporal", volumes.temporal, expected->temporal);
    for (int l = 0; l < transport.n_links; l++) {
        snprintf(field, sizeof field, "link %d", link_of[l]);
        expect(check, field, by_link[l], expected->by_link[link_of[l]]);
    }
    for (int b = 0; b < transport.n_buses; b++) {
        snprintf(field, sizeof field, "bus %d", bus_of[b]);
        expect(check, field, by_bus[b], expected->by_bus[bus_of[b]]);
    }
    expect(check, "spatial", volumes.spatial, expected->spatial);
    expect(check, "unique", volumes.unique, expected->unique);
    if (check->difference[0] != '\0' && !was_different) {
        size_t used = strlen(check->difference);
        snprintf(check->difference + used, sizeof check->difference - used, " (access %d)", number);
    }
}

/* Ask one engine everything about "program"; the answer is in check->difference. */
static void check_program(const struct oracle_program *program, struct check *check)
{
    struct check cut = *check;
    struct oracle_result expected;
    struct reading reading = {
            .ctx = sator_ctx_new(), .arena = sator_arena_new(), .program = program, .check = &cut};
    struct sator_stamping stamping;
    struct sator_counter *counter = NULL;
    enum sator_status status;

    cut.difference[0] = '\0';
    sator_ctx_set_work_limit(reading.ctx, WORK_LIMIT);
    if (cut.n_space > program->n_space)
        cut.n_space = program->n_space;
    if (cut.n_time > program->n_time)
        cut.n_time = program->n_time;
    oracle_run(program, cut.n_space, cut.n_time, ORACLE_WIRES_AS_GIVEN, &expected);
    stamping = (struct sator_stamping){.domain = relation(&reading, write_domain, 0),
            .space = relation(&reading, write_space, 0),
            .time = relation(&reading, write_time, 0),
            .n_space = cut.n_space,
            .n_time = cut.n_time,
            .shape = program->shape};
    if (stamping.domain && stamping.space && stamping.time) {
        status = sator_counter_new(reading.ctx, cut.engine, &stamping, &counter);
        if (answered(&cut, reading.ctx, status, "a counter")) {
            check_outside(&cut, reading.ctx, counter, program, expected.outside);
            if (!expected.outside)
                check_stamps(&cut, reading.ctx, counter, &expected);
            for (int a = 0; a < program->n_accesses && !expected.outside; a++)
                check_access(&reading, counter, a, &expected.accesses[a]);
        }
        sator_counter_free(counter);
    }
    sator_arena_free(reading.arena);
    sator_ctx_free(reading.ctx);
    memcpy(check->difference, cut.difference, sizeof cut.difference);
}

static bool fails(const struct oracle_program *program, void *user)
{
    struct check *check = user;
    check_program(program, check);
    return check->difference[0] != '\0';
}

/* ---- cases ---- */

static void report(const struct run_options *options, int64_t number, struct check *check,
        struct oracle_program *program)
{
    printf("FAILED: case %" PRId64 ", engine %s: %s\n", number, engine_name(check->engine),
            check->difference);
    shrink(program, fails, check, 2000);
    check_program(program, check);
    printf("made smaller, with at most the first %d space and %d time dimensions: %s\n",
            check->n_space, check->n_time, check->difference);
    notation_relations(stdout, program, check->n_space);
    printf("again with: property_count --seed %" PRIu64 " --case %" PRId64 "\n", options->seed,
            number);
    fflush(stdout);
}

/* A prefix of the stamps: all of them mostly, as links over fewer dimensions need a program of
 * their own. */
static void choose_prefix(uint64_t seed, struct oracle_program *program, struct check *check)
{
    struct random random = {seed ^ 0x5bd1e995u};

    check->n_space = program->n_space;
    check->n_time = program->n_time;
    if (random_chance(&random, 25))
        check->n_time = (int)random_below(&random, program->n_time + 1);
    if (program->n_links == 0 && program->n_buses == 0 && random_chance(&random, 25))
        check->n_space = (int)random_below(&random, program->n_space + 1);
}

int main(int argc, char **argv)
{
    static const struct generate_options generation = {.max_instances = 1000,
            .max_pes = 100,
            .may_leave = true,
            .conditional = true,
            .may_be_empty = true};
    struct run_options options;
    struct engine_tally tally[ENGINE_CHOICES] = {{0, 0}};
    int n_failed = 0;

    if (!run_options(argc, argv, 2500, &options))
        return 2;
    for (int64_t i = options.first_case; i < options.first_case + options.n_cases && n_failed < 5;
            i++) {
        struct oracle_program program;
        uint64_t seed = run_case_seed(&options, i);
        generate(seed, &generation, &program);
        for (int e = 0; e < ENGINE_CHOICES && n_failed < 5; e++) {
            const enum sator_engine_choice engine = engine_choices[e].choice;
            if (engine == SATOR_ENGINE_AUTO && options.n_cases > 1 && i % CHOICE_EVERY != 0)
                continue;
            struct check check = {.engine = engine, .tally = &tally[e]};
            struct oracle_program copy = program;
            choose_prefix(seed, &copy, &check);
            if (!fails(&copy, &check))
                continue;
            n_failed++;
            report(&options, i, &check, &copy);
        }
    }
    for (int e = 1; e < ENGINE_CHOICES - 1; e++)
        printf("%s: answered %" PRId64 " of %" PRId64 " questions, declined %" PRId64 "\n",
                engine_choices[e].name, tally[e].asked - tally[e].declined, tally[e].asked,
                tally[e].declined);
    return n_failed > 0;
}
