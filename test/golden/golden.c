/* Every field of every case of relation_centric.json, computed by our engines (README.md here says
 * how the program's words translate into ours).
 *
 *     golden general|closed|tiled|listed FILE [ID-PART]
 *
 * "closed", "tiled" and "listed" leave out what that engine declines and say how much that is.
 */
#include "golden/golden.h"

#include "count/count.h"
#include "support/engines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct run {
    enum sator_engine_choice engine;
    int n_fields, n_questions, n_declined, n_failed;
};

struct checking {
    struct run *run;
    struct golden_case *golden;
    struct sator_counter *counter;
    const struct sator_relation *reach[GOLDEN_REACHES]; /* NULL where there is none */
    bool complete; /* nothing was declined so far */
    sator_int unique_default[2]; /* all tensors of a role together */
    sator_int access[2];
    sator_int total[2];
};

__attribute__((format(printf, 3, 4))) static void fail(
        struct checking *checking, const char *field, const char *format, ...)
{
    va_list arguments;

    checking->run->n_failed++;
    printf("FAILED: %s: %s: ", checking->golden->id, field);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

/* Integers in the file are below 2^53: exact as doubles. */
static void expect(struct checking *checking, const cJSON *object, const char *field, sator_int got)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, field);
    char text[48];

    checking->run->n_fields++;
    if (!cJSON_IsNumber(item))
        fail(checking, field, "not in the file");
    else if (got != (sator_int)item->valuedouble)
        fail(checking, field, "is %s, must be %.0f", sator_int_format(got, 0, text),
                item->valuedouble);
}

/* The program computes ratios in 32-bit floating point. */
static void expect_ratio(
        struct checking *checking, const cJSON *object, const char *field, double got)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, field);

    checking->run->n_fields++;
    if (cJSON_IsNull(item) && isinf(got))
        return;
    if (!cJSON_IsNumber(item) || !(fabs(got - item->valuedouble) <= 2e-7 * fabs(item->valuedouble)))
        fail(checking, field, "is %.17g, must be %.17g", got,
                item ? item->valuedouble : (double)NAN);
}

/* Whether the call answered. */
static bool answered(struct checking *checking, const char *question, enum sator_status status)
{
    char *messages;

    checking->run->n_questions++;
    if (status == SATOR_OK)
        return true;
    checking->complete = false;
    if (status == SATOR_DECLINED && checking->run->engine != SATOR_ENGINE_GENERAL) {
        checking->run->n_declined++;
        return false;
    }
    messages = sator_ctx_take_messages(checking->golden->ctx, false);
    fail(checking, question, "status %d: %s", (int)status, messages ? messages : "no message");
    free(messages);
    return false;
}

/* ---- unique volumes: one field, one transport ---- */

struct reuse_path {
    enum golden_reach reach;
    int interval;
};

struct unique_field {
    const char *name;
    bool own_register; /* (p, prev(t)) */
    int n_paths;
    struct reuse_path paths[4];
};

static const struct unique_field unique_fields[] = {
        {"unique_default", true, 2, {{GOLDEN_ONE_STEP, 0}, {GOLDEN_ONE_STEP, 1}}},
        {"unique_temporal", true, 0, {{0}}},
        {"unique_spatial", false, 2, {{GOLDEN_ONE_STEP, 0}, {GOLDEN_ONE_STEP, 1}}},
        {"unique_multicast", false, 1, {{GOLDEN_ONE_STEP, 0}}},
        {"unique_systolic", false, 1, {{GOLDEN_ONE_STEP, 1}}},
        {"unique_prev", true, 1, {{GOLDEN_ONE_STEP, 1}}},
        {"unique_t2", true, 4,
                {{GOLDEN_SELF_IN_ARRAY, 2}, {GOLDEN_ONE_STEP, 0}, {GOLDEN_ONE_STEP, 1},
                        {GOLDEN_ONE_STEP, 2}}},
        {"unique_s2", true, 2, {{GOLDEN_TWO_STEPS, 0}, {GOLDEN_TWO_STEPS, 1}}},
        {"unique_t2exact", false, 1, {{GOLDEN_SELF, 2}}},
        {"unique_s2exact", false, 1, {{GOLDEN_EXACTLY_TWO, 0}}},
};
enum {
    N_UNIQUE_FIELDS = sizeof unique_fields / sizeof *unique_fields
};

/* Outside the declared array the program lets a PE keep what it had in "temporal" and "t2exact",
 * which use no interconnect, and not in the others: there the register becomes a link of a PE with
 * itself inside the array. */
static bool uses_register_link(const struct checking *checking, const struct unique_field *field)
{
    return !checking->golden->inside && field->own_register && field->n_paths > 0;
}

static enum sator_status count_field(struct checking *checking, const struct unique_field *field,
        const struct sator_relation *access, struct sator_volumes *volumes)
{
    struct sator_network_link links[5];
    sator_int by_link[5];
    struct sator_transport transport = {.registers = field->own_register, .links = links};

    for (int i = 0; i < field->n_paths; i++)
        links[transport.n_links++] =
                (struct sator_network_link){.map = checking->reach[field->paths[i].reach],
                        .interval = field->paths[i].interval};
    if (uses_register_link(checking, field)) {
        transport.registers = false;
        links[transport.n_links++] = (struct sator_network_link){
                .map = checking->reach[GOLDEN_SELF_IN_ARRAY], .interval = 1};
    }
    volumes->by_link = by_link;
    volumes->by_bus = NULL;
    return sator_count_volumes(checking->counter, access, &transport, volumes);
}

static void check_field(struct checking *checking, const cJSON *tensor,
        const struct unique_field *field, const struct sator_relation *access)
{
    int role = strcmp(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tensor, "role")),
                       "write") == 0;
    struct sator_volumes volumes;
    double instances =
            cJSON_GetObjectItemCaseSensitive(checking->golden->metrics, "domain_size")->valuedouble;

    if (!cJSON_GetObjectItemCaseSensitive(tensor, field->name))
        return;
    if (!answered(checking, field->name, count_field(checking, field, access, &volumes)))
        return;
    expect(checking, tensor, field->name, volumes.unique);
    if (strcmp(field->name, "unique_default") == 0) {
        expect(checking, tensor, "total_access", volumes.access);
        expect(checking, tensor, "total_stt", volumes.total);
        expect(checking, tensor, "footprint", volumes.footprint);
        expect(checking, tensor, "reuse_default", volumes.temporal + volumes.spatial);
        expect_ratio(checking, tensor, "reuse_factor_code",
                (double)volumes.access / (double)volumes.unique);
        checking->unique_default[role] += volumes.unique;
        checking->access[role] += volumes.access;
        checking->total[role] += volumes.total;
    } else if (strcmp(field->name, "unique_temporal") == 0) {
        expect(checking, tensor, "temporal_reuse", volumes.temporal);
        expect_ratio(checking, tensor, "temporal_reuse_code",
                (double)(volumes.access - volumes.unique) / instances);
    } else if (strcmp(field->name, "unique_spatial") == 0) {
        expect(checking, tensor, "spatial_reuse", volumes.spatial);
        expect_ratio(checking, tensor, "spatial_reuse_code", (double)volumes.spatial / instances);
    }
}

static void check_tensor(struct checking *checking, const cJSON *tensor)
{
    char *text = golden_access(checking->golden,
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tensor, "tensor")),
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tensor, "role")));
    const struct sator_relation *access = golden_relation(checking->golden, text);

    free(text);
    for (int i = 0; i < N_UNIQUE_FIELDS; i++)
        check_field(checking, tensor, &unique_fields[i], access);
}

/* ---- the case as a whole ---- */

static void check_stamps(struct checking *checking)
{
    const cJSON *metrics = checking->golden->metrics;
    struct sator_stamp_counts counts;
    sator_int most;
    bool outside;
    int64_t instance[16];

    if (answered(checking, "stamps", sator_count_stamps(checking->counter, &counts))) {
        expect(checking, metrics, "domain_size", counts.instances);
        expect(checking, metrics, "time_stamps", counts.time_stamps);
        expect(checking, metrics, "spacetime_stamps", counts.stamps);
        expect(checking, metrics, "active_pe", counts.active_pes);
        expect_ratio(checking, metrics, "avg_active_pe",
                (double)counts.stamps / (double)counts.time_stamps);
        expect(checking, metrics, "compute_delay", counts.instances / counts.active_pes);
        expect_ratio(checking, metrics, "compute_delay_paper",
                (double)counts.instances * (double)counts.time_stamps / (double)counts.stamps);
    }
    if (answered(checking, "max per stamp",
                sator_count_max_per_stamp(checking->counter, &most, instance)) &&
            (most == 1) !=
                    (bool)cJSON_IsTrue(
                            cJSON_GetObjectItemCaseSensitive(metrics, "spacetime_map_injective")))
        fail(checking, "spacetime_map_injective", "differs");
    if (answered(checking, "outside", sator_count_outside(checking->counter, &outside, instance)) &&
            checking->golden->inside && outside)
        fail(checking, "space_inside_pe_domain", "differs");
    checking->run->n_fields += 2;
}

/* The program's energy: one unit an instance, then for each tensor, reads first and each role by
 * name, twice 1.68 an access and twice 18.61 a unique element, truncated after every addition. */
static int64_t energy_of(const struct checking *checking)
{
    const cJSON *tensor;
    int64_t energy =
            (int64_t)cJSON_GetObjectItemCaseSensitive(checking->golden->metrics, "domain_size")
                    ->valuedouble;

    for (int role = 0; role < 2; role++)
        cJSON_ArrayForEach(tensor, checking->golden->tensors)
        {
            const char *name =
                    cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tensor, "role"));
            double access = cJSON_GetObjectItemCaseSensitive(tensor, "total_access")->valuedouble;
            double unique = cJSON_GetObjectItemCaseSensitive(tensor, "unique_default")->valuedouble;
            if ((strcmp(name, "write") == 0) != role)
                continue;
            for (int i = 0; i < 2; i++)
                energy = (int64_t)((double)energy + 1.68 * access);
            for (int i = 0; i < 2; i++)
                energy = (int64_t)((double)energy + 18.61 * unique);
        }
    return energy;
}

/* Delays of all reads and all writes: 16 bits an element, rounded down, and the latency of the
 * first. */
static void check_delays(struct checking *checking)
{
    const cJSON *metrics = checking->golden->metrics;
    sator_int bandwidth =
            (sator_int)cJSON_GetObjectItemCaseSensitive(checking->golden->json, "bandwidth")
                    ->valuedouble;
    sator_int latency =
            (sator_int)cJSON_GetObjectItemCaseSensitive(checking->golden->json, "latency")
                    ->valuedouble;
    sator_int delay[2], most;

    if (!checking->complete)
        return;
    expect(checking, metrics, "in_total_access", checking->access[0]);
    expect(checking, metrics, "in_total_stt", checking->total[0]);
    expect(checking, metrics, "in_unique_default", checking->unique_default[0]);
    expect(checking, metrics, "out_unique_default", checking->unique_default[1]);
    for (int role = 0; role < 2; role++)
        delay[role] = checking->unique_default[role] * 16 / bandwidth + latency - 1;
    expect(checking, metrics, "ingress_delay", delay[0]);
    expect(checking, metrics, "egress_delay", delay[1]);
    most = (sator_int)cJSON_GetObjectItemCaseSensitive(metrics, "compute_delay")->valuedouble;
    for (int role = 0; role < 2; role++)
        most = delay[role] > most ? delay[role] : most;
    expect(checking, metrics, "delay_code", most);
    expect(checking, metrics, "energy_code", energy_of(checking));
}

static void check_case(struct run *run, const cJSON *json)
{
    static const int64_t roomy[GOLDEN_DIMS] = {64, 64, 64, 64};
    struct golden_case golden;
    struct checking checking = {.run = run, .golden = &golden, .complete = true};
    struct sator_stamping stamping;
    const cJSON *tensor;
    sator_int pes = 1;

    golden_open(json, &golden);
    for (int reach = 0; reach < GOLDEN_REACHES; reach++) {
        char *text = golden_links(&golden, (enum golden_reach)reach);
        if (text)
            checking.reach[reach] = golden_relation(&golden, text);
        free(text);
    }
    for (int d = 0; d < golden.n_dims; d++)
        pes *= golden.shape[d];
    expect(&checking, golden.metrics, "pe_domain_size", pes);
    stamping = (struct sator_stamping){
            .domain = golden_relation(&golden, golden_string(&golden, "domain")),
            .space = golden_relation(&golden, golden_string(&golden, "space")),
            .time = golden_relation(&golden, golden_string(&golden, "time")),
            .shape = golden.inside ? golden.shape : roomy};
    stamping.n_space = stamping.space->n_out;
    stamping.n_time = stamping.time->n_out;
    if (answered(&checking, "a counter",
                sator_counter_new(golden.ctx, run->engine, &stamping, &checking.counter))) {
        check_stamps(&checking);
        cJSON_ArrayForEach(tensor, golden.tensors) check_tensor(&checking, tensor);
        check_delays(&checking);
    }
    sator_counter_free(checking.counter);
    golden_close(&golden);
}

/* How many values the file gives for a case: everything but names and what describes the input. */
static int count_fields(const cJSON *json)
{
    const cJSON *tensor;
    int n = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "metrics")) - 1;

    cJSON_ArrayForEach(tensor, cJSON_GetObjectItemCaseSensitive(json, "tensors")) n +=
            cJSON_GetArraySize(tensor) - 2;
    return n;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    struct run run = {.engine = SATOR_ENGINE_AUTO};
    const cJSON *json;
    cJSON *cases;
    int n_cases = 0, n_fields = 0;

    for (int i = 0; argc >= 3 && i < ENGINE_CHOICES; i++) {
        if (strcmp(argv[1], engine_choices[i].name) == 0)
            run.engine = engine_choices[i].choice;
    }
    if (run.engine == SATOR_ENGINE_AUTO) {
        fprintf(stderr, "usage: %s ENGINE FILE [ID-PART]\n", argv[0]);
        return 2;
    }
    cases = golden_load(argv[2]);
    cJSON_ArrayForEach(json, cases)
    {
        const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "id"));
        double begin = seconds();
        if (argc > 3 && !strstr(id, argv[3]))
            continue;
        check_case(&run, json);
        n_cases++;
        n_fields += count_fields(json);
        if (seconds() - begin > 2)
            printf("slow: %s: %.1f s\n", id, seconds() - begin);
        fflush(stdout);
    }
    cJSON_Delete(cases);
    printf("%d cases, %d of %d fields compared, %d differ; %d of %d questions declined\n", n_cases,
            run.n_fields, n_fields, run.n_failed, run.n_declined, run.n_questions);
    if (run.engine == SATOR_ENGINE_GENERAL && run.n_fields != n_fields) {
        printf("FAILED: not every field was compared\n");
        return 1;
    }
    return run.n_failed > 0 || n_cases == 0;
}
