/* Cases of relation_centric.json through the public interface, as the YAML files that a user would
 * write, with every link declared for intervals 0 and 1 as the program reads it.
 *
 * Where no two PEs are wired both ways, the volumes are the program's. Where some are, ours differ
 * by choice (doc/model.md, section 2: the smaller PE provides) and are compared with the
 * brute-force reference, for cases of at most MOST_INSTANCES. The case that leaves its array must
 * be refused.
 *
 *     golden_model FILE [ID-PART]
 */
#include "golden/reference.h"
#include "sator/analyze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_INSTANCES = 10000
};

struct tally {
    int n_published, n_reference, n_refused, n_fields, n_failed;
};

static void fail(struct tally *tally, const struct golden_case *golden, const char *what)
{
    tally->n_failed++;
    printf("FAILED: %s: %s\n", golden->id, what);
}

static void expect(struct tally *tally, const struct golden_case *golden, const char *tensor,
        const char *field, sator_int got, int64_t expected)
{
    char text[48];

    tally->n_fields++;
    if (got == expected)
        return;
    tally->n_failed++;
    printf("FAILED: %s: %s: %s is %s, must be %lld\n", golden->id, tensor, field,
            sator_int_format(got, 0, text), (long long)expected);
}

/* ---- files ---- */

static void write_accesses(FILE *out, const struct golden_case *golden, const char *role)
{
    const cJSON *line;

    fprintf(out, "%ss:\n", role);
    cJSON_ArrayForEach(line, cJSON_GetObjectItemCaseSensitive(golden->json, "accesses"))
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetArrayItem(line, 1)), role) == 0)
            fprintf(out, "  - \"%s\"\n", cJSON_GetStringValue(cJSON_GetArrayItem(line, 2)));
    }
}

static void write_workload(FILE *out, const struct golden_case *golden)
{
    fprintf(out, "name: published\ndomain: \"%s\"\n", golden_string(golden, "domain"));
    write_accesses(out, golden, "read");
    write_accesses(out, golden, "write");
}

static void write_arch(FILE *out, const struct golden_case *golden)
{
    char *links = golden_links(golden, GOLDEN_ONE_STEP);

    fputs("name: published\nlevels:\n  - {memory: scratchpad}\n  - array: PE\n    shape: [", out);
    for (int d = 0; d < golden->n_dims; d++)
        fprintf(out, "%s%lld", d > 0 ? ", " : "", (long long)golden->shape[d]);
    fputs("]\n    links:\n", out);
    for (int interval = 0; interval < 2; interval++)
        fprintf(out, "      - {name: link%d, map: \"%s\", interval: %d}\n", interval, links,
                interval);
    fputs("  - {compute: mac}\n", out);
    free(links);
}

static void write_dataflow(FILE *out, const struct golden_case *golden)
{
    fprintf(out, "name: published\nspace: \"%s\"\ntime: \"%s\"\n", golden_string(golden, "space"),
            golden_string(golden, "time"));
}

typedef void (*writer)(FILE *out, const struct golden_case *golden);

static const struct {
    const char *name;
    writer write;
} files[] = {{"workload.yaml", write_workload}, {"arch.yaml", write_arch},
        {"dataflow.yaml", write_dataflow}};

/* ---- analysis ---- */

/* The analysis of the three files in "directory", or NULL with the status and messages of what
 * failed. */
static struct sator_result *analyze(struct sator_ctx *ctx, const struct golden_case *golden,
        const char *directory, enum sator_status *status)
{
    static const struct sator_analyze_options options = {.engine = SATOR_ENGINE_AUTO};
    char paths[3][256];
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;
    struct sator_dataflow *dataflow = NULL;
    struct sator_result *result = NULL;

    for (int i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", directory, files[i].name);
        FILE *out = fopen(paths[i], "w");
        if (!out) {
            perror(paths[i]);
            exit(2);
        }
        files[i].write(out, golden);
        fclose(out);
    }
    *status = sator_network_load(ctx, paths[0], NULL, &network);
    if (*status == SATOR_OK)
        *status = sator_arch_load(ctx, paths[1], NULL, &arch);
    if (*status == SATOR_OK)
        *status = sator_dataflow_load(ctx, paths[2], NULL, &dataflow);
    if (*status == SATOR_OK)
        *status = sator_analyze(ctx, network, 0, arch, dataflow, &options, &result);
    sator_network_free(network);
    sator_arch_free(arch);
    sator_dataflow_free(dataflow);
    return result;
}

static int64_t number(const cJSON *object, const char *field)
{
    return (int64_t)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, field));
}

static const struct sator_tensor_result *find(
        const struct sator_result *result, const cJSON *tensor)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tensor, "tensor"));
    const char *role = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tensor, "role"));

    for (int i = 0; i < result->n_tensors; i++)
        if (strcmp(result->tensors[i].name, name) == 0 &&
                (result->tensors[i].role == SATOR_WRITE) == (strcmp(role, "write") == 0))
            return &result->tensors[i];
    return NULL;
}

/* "expected": the reference's numbers, or NULL where the program's own count. */
static void compare(struct tally *tally, const struct golden_case *golden,
        const struct sator_result *result, const struct oracle_result *expected)
{
    const cJSON *tensor;
    int a = 0;

    expect(tally, golden, "all", "instances", result->instances,
            number(golden->metrics, "domain_size"));
    expect(tally, golden, "all", "stamps", result->stamps,
            number(golden->metrics, "spacetime_stamps"));
    expect(tally, golden, "all", "time stamps", result->time_stamps,
            number(golden->metrics, "time_stamps"));
    expect(tally, golden, "all", "active PEs", result->active_pes,
            number(golden->metrics, "active_pe"));
    cJSON_ArrayForEach(tensor, golden->tensors)
    {
        const struct sator_tensor_result *got = find(result, tensor);
        const struct oracle_volumes *volumes = expected ? &expected->accesses[a] : NULL;
        a++;
        if (!got) {
            fail(tally, golden, "a tensor is missing");
            continue;
        }
        expect(tally, golden, got->name, "access", got->access_volume,
                number(tensor, "total_access"));
        expect(tally, golden, got->name, "total", got->total_volume, number(tensor, "total_stt"));
        expect(tally, golden, got->name, "footprint", got->footprint, number(tensor, "footprint"));
        expect(tally, golden, got->name, "temporal", got->temporal_reuse,
                number(tensor, "temporal_reuse"));
        expect(tally, golden, got->name, "unique", got->unique_volume,
                volumes ? volumes->unique : number(tensor, "unique_default"));
        for (int l = 0; l < got->n_links && volumes; l++)
            expect(tally, golden, got->name, got->links[l].name, got->links[l].spatial_reuse,
                    volumes->by_link[l]);
    }
}

/* ---- cases ---- */

static void check_case(struct tally *tally, const cJSON *json, const char *directory)
{
    struct golden_case golden;
    struct oracle_program program;
    struct oracle_result expected;
    bool mutual;
    enum sator_status status;
    struct sator_result *result;

    golden_open(json, &golden);
    mutual = number(golden.metrics, "ic_mutual_links") > 0;
    if (!golden_program(json, &program)) {
        fail(tally, &golden, "not in the reference's notation");
        golden_close(&golden);
        return;
    }
    if (mutual && oracle_instances(&program, MOST_INSTANCES) > MOST_INSTANCES) {
        golden_close(&golden);
        return;
    }
    result = analyze(golden.ctx, &golden, directory, &status);
    if (!golden.inside) {
        tally->n_refused++;
        if (status != SATOR_INPUT)
            fail(tally, &golden, "leaves its array, but is not refused");
    } else if (status != SATOR_OK) {
        char *messages = sator_ctx_take_messages(golden.ctx, false);
        fail(tally, &golden, messages ? messages : "no message");
        free(messages);
    } else if (mutual) {
        tally->n_reference++;
        oracle_run(&program, program.n_space, program.n_time, ORACLE_WIRES_ORDERED, &expected);
        compare(tally, &golden, result, &expected);
    } else {
        tally->n_published++;
        compare(tally, &golden, result, NULL);
    }
    sator_result_free(result);
    golden_close(&golden);
}

int main(int argc, char **argv)
{
    struct tally tally = {0};
    char directory[200];
    const char *temporary = getenv("TMPDIR");
    const cJSON *json;
    cJSON *cases;

    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE [ID-PART]\n", argv[0]);
        return 2;
    }
    snprintf(directory, sizeof directory, "%s/sator-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(directory)) {
        perror(directory);
        return 2;
    }
    cases = golden_load(argv[1]);
    cJSON_ArrayForEach(json, cases)
    {
        const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "id"));
        if (argc < 3 || strstr(id, argv[2]))
            check_case(&tally, json, directory);
    }
    cJSON_Delete(cases);
    for (int i = 0; i < 3; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", directory, files[i].name);
        unlink(path);
    }
    rmdir(directory);
    printf("%d cases equal the program, %d the reference (mutual wires), %d refused; %d fields, "
           "%d failures\n",
            tally.n_published, tally.n_reference, tally.n_refused, tally.n_fields, tally.n_failed);
    return tally.n_failed > 0 || tally.n_fields == 0;
}
