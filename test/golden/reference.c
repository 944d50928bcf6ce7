/* The brute-force reference against every small enough case of relation_centric.json: two
 * independent witnesses, the published program and an enumeration of the definitions, before either
 * judges the engines.
 *
 *     golden_reference FILE [MOST-INSTANCES]
 */
#include "golden/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unique_field {
    const char *name;
    bool own_register, same_stamp, previous_stamp;
};

static const struct unique_field unique_fields[] = {
        {"unique_default", true, true, true},
        {"unique_temporal", true, false, false},
        {"unique_spatial", false, true, true},
        {"unique_multicast", false, true, false},
        {"unique_systolic", false, false, true},
        {"unique_prev", true, false, true},
};
enum {
    N_FIELDS = sizeof unique_fields / sizeof *unique_fields
};

struct tally {
    int n_cases, n_fields, n_failed;
};

static void expect(
        struct tally *tally, const cJSON *json, const cJSON *object, const char *field, int64_t got)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, field);

    tally->n_fields++;
    if (cJSON_IsNumber(item) && (int64_t)item->valuedouble == got)
        return;
    tally->n_failed++;
    printf("FAILED: %s: %s is %lld, must be %.0f\n",
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "id")), field,
            (long long)got, item ? item->valuedouble : -1.0);
}

static void check_case(struct tally *tally, const cJSON *json, struct oracle_program *program)
{
    const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(json, "metrics");
    const cJSON *tensors = cJSON_GetObjectItemCaseSensitive(json, "tensors");
    struct oracle_result result;

    for (int f = 0; f < N_FIELDS; f++) {
        struct oracle_program asked = *program;
        asked.registers = unique_fields[f].own_register;
        asked.links[0].tensors = unique_fields[f].same_stamp ? ~0u : 0;
        asked.links[1].tensors = unique_fields[f].previous_stamp ? ~0u : 0;
        oracle_run(&asked, asked.n_space, asked.n_time, ORACLE_WIRES_NO_SELF, &result);
        for (int a = 0; a < program->n_accesses; a++) {
            const cJSON *tensor = cJSON_GetArrayItem(tensors, a);
            expect(tally, json, tensor, unique_fields[f].name, result.accesses[a].unique);
            if (f > 0)
                continue;
            expect(tally, json, tensor, "total_access", result.accesses[a].access);
            expect(tally, json, tensor, "total_stt", result.accesses[a].total);
            expect(tally, json, tensor, "footprint", result.accesses[a].footprint);
        }
    }
    expect(tally, json, metrics, "domain_size", result.instances);
    expect(tally, json, metrics, "time_stamps", result.time_stamps);
    expect(tally, json, metrics, "spacetime_stamps", result.stamps);
    expect(tally, json, metrics, "active_pe", result.active_pes);
    tally->n_cases++;
}

int main(int argc, char **argv)
{
    struct tally tally = {0};
    int64_t most = argc > 2 ? strtoll(argv[2], NULL, 10) : 10000;
    const cJSON *json;
    cJSON *cases;

    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE [MOST-INSTANCES]\n", argv[0]);
        return 2;
    }
    cases = golden_load(argv[1]);
    cJSON_ArrayForEach(json, cases)
    {
        struct oracle_program program;
        bool inside = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(
                cJSON_GetObjectItemCaseSensitive(json, "metrics"), "space_inside_pe_domain"));
        if (golden_program(json, &program) && inside && oracle_instances(&program, most) <= most)
            check_case(&tally, json, &program);
    }
    cJSON_Delete(cases);
    printf("%d cases, %d fields, %d failures\n", tally.n_cases, tally.n_fields, tally.n_failed);
    return tally.n_failed > 0 || tally.n_cases == 0;
}
