/* One machine gives one answer, whoever is asked and whatever is spelled out: cuts left out and the
 * derived ones written down, plans, mappings and points of an exploration against sator_analyze;
 * and mappings against the judge of test/oracle/hardware.h, their capacities among the rest.
 *
 *     property_one_answer [--seed N] [--cases N] [--case N]
 */
#include "oracle/notation.h"
#include "oracle/run.h"
#include "support/judge.h"
#include "support/machine.h"
#include "support/same.h"

#include "sator/explore.h"
#include "sator/plan.h"

#include <cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WORK_LIMIT = 20 * 1000 * 1000,
    POINTS = 12 /* of an exploration */
};

struct check {
    struct machine_files files;
    struct sator_ctx *ctx;
    struct random random; /* choices of this case */
    bool shrinking;
    char kind[32], first_kind[32]; /* the question whose answers differ */
    char difference[4096];
    int64_t cuts, plans, mappings, unmapped, judged, points, rows;
};

__attribute__((format(printf, 3, 4))) static void differ(
        struct check *check, const char *kind, const char *format, ...)
{
    va_list arguments;

    if (check->difference[0] != '\0')
        return;
    snprintf(check->kind, sizeof check->kind, "%s", kind);
    va_start(arguments, format);
    vsnprintf(check->difference, sizeof check->difference, format, arguments);
    va_end(arguments);
}

static void forget_messages(struct check *check)
{
    free(sator_ctx_take_messages(check->ctx, false));
}

/* ---- two analyses ---- */

/* Both statuses, or all figures of both results. */
static bool expect_same(struct check *check, const char *kind, enum sator_status expected_status,
        const struct sator_result *expected, enum sator_status status,
        const struct sator_result *got, const struct same_options *options)
{
    char text[1024];

    if (status == SATOR_LIMIT || expected_status == SATOR_LIMIT)
        return false;
    if (status != expected_status) {
        char *messages = machine_messages(check->ctx);
        differ(check, kind, "status %d, but %d of the analysis: %s", (int)status,
                (int)expected_status, messages);
        free(messages);
    } else if (status == SATOR_OK && !same_results(got, expected, options, text, sizeof text)) {
        differ(check, kind, "%s of the analysis", text);
    }
    return status == SATOR_OK;
}

static void check_cuts(struct check *check, const struct hardware *hardware,
        const struct machine_inputs *inputs, const struct sator_result *expected)
{
    struct same_options options = {
            .other_names = hardware->n_nest > 0, .other_cuts = true, .other_engine = true};
    struct sator_result *result = NULL;
    struct machine_inputs spelled;
    int cuts[HARDWARE_LEVELS] = {0}, next = 0;
    const char *what;

    for (int level = 0; level < hardware->n_levels; level++)
        if (!hardware->levels[level].is_array)
            cuts[level] = expected->levels[next++].time_cut;
    enum sator_status status =
            machine_read(check->ctx, &check->files, hardware, cuts, &what, &spelled);
    if (status == SATOR_OK)
        status = sator_analyze(
                check->ctx, inputs->network, 0, inputs->arch, spelled.dataflow, NULL, &result);
    check->cuts += expect_same(check, "cuts", SATOR_OK, expected, status, result, &options);
    sator_result_free(result);
    machine_forget(&spelled);
}

/* ---- plans ---- */

static void evaluate(struct check *check, const struct sator_plan *plan, const int64_t *extents,
        enum sator_status expected_status, const struct sator_result *expected)
{
    static const struct same_options options = {.other_engine = true};
    struct sator_workspace *workspace = sator_workspace_new();
    const struct sator_result *result = NULL;

    forget_messages(check);
    enum sator_status status = sator_plan_evaluate(check->ctx, plan, workspace, extents, &result);
    check->plans += expect_same(check, extents ? "extents" : "plan", expected_status, expected,
            status, result, &options);
    sator_workspace_free(workspace);
}

/* The same machine with other extents of the loops. */
static void check_extents(struct check *check, const struct hardware *hardware,
        const struct machine_inputs *inputs, const struct sator_plan *plan)
{
    static struct hardware other;
    struct machine_inputs read;
    struct sator_result *expected = NULL;
    int64_t extents[ORACLE_LOOPS];
    const char *what;

    other = *hardware;
    for (int loop = 0; loop < hardware->program.n_loops; loop++) {
        int64_t extent = hardware->program.upper[loop] - hardware->program.lower[loop];
        extents[loop] = 1 + random_below(&check->random, extent + 1);
        other.program.upper[loop] = other.program.lower[loop] + extents[loop];
    }
    if (sator_plan_loop_count(plan) != hardware->program.n_loops)
        return;
    enum sator_status status = machine_read(check->ctx, &check->files, &other, NULL, &what, &read);
    if (status == SATOR_OK)
        status = sator_analyze(
                check->ctx, read.network, 0, inputs->arch, inputs->dataflow, NULL, &expected);
    evaluate(check, plan, extents, status, expected);
    sator_result_free(expected);
    machine_forget(&read);
}

/* The same machine with the time dimensions the other way round. */
static void check_remap(struct check *check, const struct hardware *hardware,
        const struct machine_inputs *inputs, const struct sator_plan *plan)
{
    static struct hardware other;
    struct oracle_program *program = &other.program;
    struct machine_inputs read;
    struct sator_result *expected = NULL;
    struct sator_plan *remapped = NULL;
    const char *what;

    other = *hardware;
    other.n_nest = 0;
    for (int d = 0; d < program->n_time; d++)
        program->time[d] = hardware->program.time[program->n_time - 1 - d];
    for (int l = 0; l < other.n_levels; l++)
        if (other.levels[l].bypassed == 0)
            other.levels[l].cut = -1;
    enum sator_status status = machine_read(check->ctx, &check->files, &other, NULL, &what, &read);
    if (status == SATOR_OK)
        status = sator_analyze(
                check->ctx, inputs->network, 0, inputs->arch, read.dataflow, NULL, &expected);
    forget_messages(check);
    enum sator_status planned =
            read.dataflow ? sator_plan_remap(check->ctx, plan, read.dataflow, &remapped) : status;
    if (planned == SATOR_OK)
        evaluate(check, remapped, NULL, status, expected);
    else if (status == SATOR_OK)
        differ(check, "remap", "status %d of a remapped plan", (int)planned);
    sator_plan_free(remapped);
    sator_result_free(expected);
    machine_forget(&read);
}

static void check_plan(struct check *check, const struct hardware *hardware,
        const struct machine_inputs *inputs, enum sator_status expected_status,
        const struct sator_result *expected)
{
    struct sator_plan *plan = NULL;
    enum sator_status status = sator_plan_new(
            check->ctx, inputs->network, 0, inputs->arch, inputs->dataflow, NULL, &plan);

    if (status == SATOR_OK) {
        evaluate(check, plan, NULL, expected_status, expected);
        if (hardware->program.domain.n == 0)
            check_extents(check, hardware, inputs, plan);
        check_remap(check, hardware, inputs, plan);
    } else if (expected_status == SATOR_OK) {
        differ(check, "plan", "no plan: status %d", (int)status);
    }
    sator_plan_free(plan);
}

/* ---- mappings ---- */

static int loop_number(const char *name)
{
    return name[0] - 'i';
}

/* Have the loops begin and end where instances do: digits count from a loop's first value. */
static void tighten(struct oracle_program *program)
{
    int64_t point[ORACLE_LOOPS], least[ORACLE_LOOPS], end[ORACLE_LOOPS];
    int moved = 0;

    memcpy(point, program->lower, sizeof point);
    memcpy(least, program->upper, sizeof least);
    memcpy(end, program->lower, sizeof end);
    while (moved >= 0) {
        bool runs = oracle_holds(program, &program->domain, point);
        for (int l = 0; l < program->n_loops && runs; l++) {
            least[l] = point[l] < least[l] ? point[l] : least[l];
            end[l] = point[l] >= end[l] ? point[l] + 1 : end[l];
        }
        for (moved = program->n_loops - 1; moved >= 0; moved--) {
            if (++point[moved] < program->upper[moved])
                break;
            point[moved] = program->lower[moved];
        }
    }
    memcpy(program->lower, least, sizeof least);
    memcpy(program->upper, end, sizeof end);
}

/* The mapping as a nest on the judge's machine; false when it has more loops than that takes. */
static bool to_nest(const struct sator_map_result *mapping, struct hardware *hardware)
{
    int digits = 0;

    hardware->n_nest = 0;
    for (int l = 0; l < mapping->n_levels; l++) {
        const struct sator_map_level *level = &mapping->levels[l];
        hardware->levels[l].bypassed = 0;
        for (int d = 0; level->skew != NULL && d < level->n_dims; d++)
            hardware->levels[l].skew[d] = level->skew[d];
        for (int k = 0; k < level->n_bypassed; k++)
            for (int t = 0; t < hardware->program.n_tensors; t++)
                if (strcmp(level->bypassed[k], notation_tensor(t)) == 0)
                    hardware->levels[l].bypassed |= 1u << t;
        for (int k = 0; k < level->n_loops; k++) {
            if (hardware->n_nest == HARDWARE_LOOPS)
                return false;
            digits += level->loops[k].dim < 0;
            hardware->nest[hardware->n_nest++] = (struct hardware_loop){.level = l,
                    .loop = loop_number(level->loops[k].name),
                    .dim = level->loops[k].dim,
                    .factor = level->loops[k].factor};
        }
    }
    if (digits > ORACLE_TIME)
        return false;
    return hardware_unfold(hardware);
}

static void judge_mapping(struct check *check, const struct hardware *hardware,
        const struct sator_map_result *mapping, const struct sator_result *result)
{
    static struct hardware mapped;
    static struct hardware_result expected;
    char text[1024];

    mapped = *hardware;
    tighten(&mapped.program);
    if (!to_nest(mapping, &mapped) || mapped.n_nest == 0) /* its file then has a loop of extent 1 */
        return;
    hardware_run(&mapped, &expected);
    if (expected.fault == HARDWARE_CYCLIC) /* rings of wires are cut: not judged here */
        return;
    check->judged++;
    if (expected.fault == HARDWARE_FULL)
        differ(check, "judge", "a tile of the mapping does not fit at level %d",
                expected.fault_level);
    else if (expected.fault != HARDWARE_FINE)
        differ(check, "judge", "the mapping has fault %d", (int)expected.fault);
    else if (!judge_agrees(&mapped, &expected, result, true, text, sizeof text))
        differ(check, "judge", "%s", text);
}

/* Analyse the file of a mapping, and compare what the mapper says with that. */
static void check_mapping(struct check *check, const struct hardware *hardware,
        const struct machine_inputs *inputs, const struct sator_map_result *mapping)
{
    struct sator_dataflow *dataflow = NULL;
    struct sator_result *result = NULL;
    char text[1024];
    enum sator_status status =
            machine_read_dataflow(check->ctx, &check->files, mapping->yaml, &dataflow);

    if (status == SATOR_OK)
        status = sator_analyze(
                check->ctx, inputs->network, 0, inputs->arch, dataflow, NULL, &result);
    if (status == SATOR_OK) {
        check->mappings++;
        if (!same_mapping(mapping, result, text, sizeof text))
            differ(check, "map", "%s of the analysis\n%s", text, mapping->yaml);
        judge_mapping(check, hardware, mapping, result);
    } else if (status != SATOR_LIMIT) {
        char *messages = machine_messages(check->ctx);
        differ(check, "map", "the mapping is refused: %s\n%s", messages, mapping->yaml);
        free(messages);
    }
    sator_result_free(result);
    sator_dataflow_free(dataflow);
}

static void check_map(
        struct check *check, const struct hardware *hardware, const struct machine_inputs *inputs)
{
    static const enum sator_map_strategy strategies[] = {SATOR_MAP_RANDOM, SATOR_MAP_RANDOM,
            SATOR_MAP_SUNSTONE, SATOR_MAP_OPTIMAL, SATOR_MAP_OPTIMAL, SATOR_MAP_EXHAUSTIVE};
    struct sator_map_options options = {.strategy = strategies[random_below(&check->random, 6)],
            .objective = (enum sator_map_objective)random_below(&check->random, 3),
            .seed = (uint64_t)random_below(&check->random, 1000),
            .samples = 50,
            .limit = 2000,
            .budget_seconds = 1};
    struct sator_map_result *mapping = NULL;

    options.imperfect = options.strategy != SATOR_MAP_SUNSTONE && random_chance(&check->random, 30);
    sator_map(check->ctx, inputs->network, 0, inputs->arch, &options, &mapping);
    forget_messages(check);
    if (mapping)
        check_mapping(check, hardware, inputs, mapping);
    else
        check->unmapped++;
    sator_map_result_free(mapping);
}

/* ---- explorations ---- */

struct text {
    char *of;
    size_t n;
};

static bool append(void *data, const char *more, size_t length)
{
    struct text *text = data;

    text->of = realloc(text->of, text->n + length + 1);
    if (!text->of)
        abort();
    memcpy(text->of + text->n, more, length);
    text->n += length;
    text->of[text->n] = '\0';
    return true;
}

/* The number at "path" (keys with dots) of a JSON object; NAN for null or nothing. */
static double at(const cJSON *object, const char *path)
{
    char key[64];

    while (object && *path != '\0') {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        object = cJSON_GetObjectItem(object, key);
        path += length + (path[length] == '.');
    }
    return cJSON_IsString(object)    ? strtod(object->valuestring, NULL)
            : cJSON_IsNumber(object) ? object->valuedouble
                                     : NAN;
}

static void expect_at(struct check *check, const cJSON *row, const char *path, double expected)
{
    double got = at(row, path);

    if (!(isnan(got) && isnan(expected)) && !(fabs(got - expected) <= 1e-9 * fabs(expected)))
        differ(check, "row", "%s is %.17g, %.17g of the analysis", path, got, expected);
}

static void compare_row(struct check *check, const cJSON *row, const struct sator_result *expected)
{
    const cJSON *tensor;
    int next = 0;

    expect_at(check, row, "latency_cycles.total", expected->total_cycles);
    expect_at(check, row, "latency_cycles.compute", expected->compute_cycles);
    expect_at(check, row, "latency_cycles.read", expected->read_cycles);
    expect_at(check, row, "latency_cycles.write", expected->write_cycles);
    expect_at(check, row, "energy_pj.total", expected->energy_pj);
    expect_at(check, row, "edp", expected->edp);
    expect_at(check, row, "utilization.average", expected->utilization_average);
    expect_at(check, row, "utilization.max", expected->utilization_max);
    expect_at(check, row, "macs_per_cycle", expected->macs_per_cycle);
    expect_at(check, row, "time_stamps", (double)expected->time_stamps);
    expect_at(check, row, "active_pes", (double)expected->active_pes);
    expect_at(
            check, row, "bandwidth_bits_per_cycle.scratchpad", expected->scratchpad_bits_per_cycle);
    expect_at(check, row, "bandwidth_bits_per_cycle.interconnect",
            expected->interconnect_bits_per_cycle);
    cJSON_ArrayForEach(tensor, cJSON_GetObjectItem(row, "tensors"))
    {
        const struct sator_tensor_result *of = &expected->tensors[next++];
        expect_at(check, tensor, "total_volume", (double)of->total_volume);
        expect_at(check, tensor, "temporal_reuse", (double)of->temporal_reuse);
        expect_at(check, tensor, "spatial_reuse", (double)of->spatial_reuse);
        expect_at(check, tensor, "unique_volume", (double)of->unique_volume);
    }
}

static const char *text_at(const cJSON *row, const char *key)
{
    const cJSON *text = cJSON_GetObjectItem(cJSON_GetObjectItem(row, "dataflow"), key);
    return cJSON_IsString(text) ? text->valuestring : NULL;
}

/* One stored result: against an analysis of its dataflow, and the same point analysed alone. */
static void check_row(struct check *check, const struct machine_inputs *inputs,
        struct sator_exploration *exploration, const cJSON *row)
{
    static const struct same_options options = {.other_names = true, .other_engine = true};
    const char *file = text_at(row, "file");
    struct sator_dataflow *dataflow = NULL;
    struct sator_result *expected = NULL, *point = NULL;
    enum sator_status status = file
            ? machine_read_dataflow(check->ctx, &check->files, file, &dataflow)
            : sator_dataflow_from_text(
                      check->ctx, "point", text_at(row, "space"), text_at(row, "time"), &dataflow);

    if (status == SATOR_OK)
        status = sator_analyze(
                check->ctx, inputs->network, 0, inputs->arch, dataflow, NULL, &expected);
    if (status == SATOR_OK) {
        check->rows++;
        compare_row(check, row, expected);
    } else if (status != SATOR_LIMIT) {
        char *messages = machine_messages(check->ctx);
        differ(check, "row", "stored, but its analysis is refused: %s", messages);
        free(messages);
    }
    if (!file && status == SATOR_OK) {
        enum sator_status alone = sator_explore_point(
                check->ctx, exploration, 0, 0, (uint64_t)at(row, "point"), &point);
        check->points += expect_same(check, "point", status, expected, alone, point, &options);
    }
    if (check->difference[0] != '\0' && !check->shrinking)
        printf("point %s | %s\n%s\n", text_at(row, "space"), text_at(row, "time"),
                file ? file : "");
    sator_result_free(point);
    sator_result_free(expected);
    sator_dataflow_free(dataflow);
}

static void check_rows(struct check *check, const struct machine_inputs *inputs,
        struct sator_exploration *exploration, const char *database)
{
    static const struct sator_query_options query = {.format = SATOR_FORMAT_JSON};
    struct text text = {0};
    struct sator_sink sink = {append, &text};
    const cJSON *row;

    if (sator_explore_query(check->ctx, database, &query, &sink) != SATOR_OK) {
        differ(check, "row", "the database cannot be read");
        return;
    }
    cJSON *json = cJSON_Parse(text.of);
    if (!json)
        differ(check, "row", "no JSON: %s", text.of);
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "results"))
            check_row(check, inputs, exploration, row);
    cJSON_Delete(json);
    free(text.of);
}

static void check_exploration(struct check *check, const struct machine_inputs *inputs)
{
    char arch[512], database[512];
    struct sator_explore_options options = {
            .space = random_chance(&check->random, 30) ? SATOR_SPACE_MAPPINGS : SATOR_SPACE_TILED,
            .prune = SATOR_PRUNE_NONE,
            .first_point = (uint64_t)random_below(&check->random, 20),
            .n_points = POINTS,
            .work_limit = WORK_LIMIT,
            .threads = 1,
            .budget_seconds = 1,
            .database = database};
    struct sator_exploration *exploration = NULL;
    const struct sator_explore_summary *summary;

    if (options.space == SATOR_SPACE_MAPPINGS)
        options.first_point = options.n_points = 0;
    snprintf(arch, sizeof arch, "%s/arch.yaml", check->files.directory);
    snprintf(database, sizeof database, "%s/database", check->files.directory);
    enum sator_status status = sator_exploration_new(
            check->ctx, inputs->network, -1, arch, NULL, &options, &exploration);
    if (status == SATOR_OK)
        status = sator_explore_run(check->ctx, exploration, NULL, NULL, &summary);
    forget_messages(check);
    if (status == SATOR_OK && summary->results > 0)
        check_rows(check, inputs, exploration, database);
    sator_exploration_free(exploration);
    unlink(database);
}

/* ---- one case ---- */

/* What is asked: a part of all questions, for the sake of time. */
static void ask(
        struct check *check, const struct hardware *hardware, const struct machine_inputs *inputs)
{
    struct sator_result *result = NULL;
    int64_t question = random_below(&check->random, 100);
    enum sator_status status = sator_analyze(
            check->ctx, inputs->network, 0, inputs->arch, inputs->dataflow, NULL, &result);

    forget_messages(check);
    if (status == SATOR_OK)
        check_cuts(check, hardware, inputs, result);
    if (question < 40)
        check_plan(check, hardware, inputs, status, result);
    else if (question < 85)
        check_map(check, hardware, inputs);
    else
        check_exploration(check, inputs);
    sator_result_free(result);
}

static bool fails(const struct hardware *hardware, void *user)
{
    struct check *check = user;
    struct random before = check->random;
    struct machine_inputs inputs;
    const char *what;

    check->difference[0] = '\0';
    check->ctx = sator_ctx_new();
    sator_ctx_set_work_limit(check->ctx, WORK_LIMIT);
    if (machine_read(check->ctx, &check->files, hardware, NULL, &what, &inputs) == SATOR_OK)
        ask(check, hardware, &inputs);
    else if (!check->shrinking)
        differ(check, "read", "the %s cannot be read", what);
    machine_forget(&inputs);
    sator_ctx_free(check->ctx);
    check->random = before; /* the same questions when it is asked again */
    return check->difference[0] != '\0' &&
            (!check->shrinking || strcmp(check->kind, check->first_kind) == 0);
}

static void report(const struct run_options *options, int64_t number, struct check *check,
        struct hardware *hardware)
{
    printf("FAILED: case %" PRId64 ", %s: %s\n", number, check->kind, check->difference);
    snprintf(check->first_kind, sizeof check->first_kind, "%s", check->kind);
    check->shrinking = true;
    hardware_shrink(hardware, fails, check, 1000);
    check->shrinking = false;
    fails(hardware, check);
    printf("made smaller, %s: %s\n", check->kind, check->difference);
    hardware_put(stdout, hardware);
    printf("again with: property_one_answer --seed %" PRIu64 " --case %" PRId64 "\n", options->seed,
            number);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct hardware_options plain = {
            .max_instances = 120, .max_pes = 16, .bypass = true, .idle = true};
    static struct hardware hardware;
    struct run_options options;
    struct check check = {0};
    int n_failed = 0;

    if (!run_options(argc, argv, 1000, &options))
        return 2;
    machine_open(&check.files);
    for (int64_t i = options.first_case; i < options.first_case + options.n_cases && n_failed < 5;
            i++) {
        uint64_t seed = run_case_seed(&options, i);
        hardware_make(seed, &plain, &hardware);
        check.random.state = seed;
        if (fails(&hardware, &check)) {
            n_failed++;
            report(&options, i, &check, &hardware);
        }
    }
    machine_close(&check.files);
    printf("compared: %" PRId64 " analyses with cuts spelled out, %" PRId64
           " evaluations of plans, %" PRId64 " mappings (%" PRId64 " by the judge, %" PRId64
           " machines without one), %" PRId64 " stored results, %" PRId64 " points\n",
            check.cuts, check.plans, check.mappings, check.judged, check.unmapped, check.rows,
            check.points);
    return n_failed > 0;
}
