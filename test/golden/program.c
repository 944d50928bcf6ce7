#include "golden/reference.h"

#include "oracle/parse.h"

#include <string.h>

static const char *text_of(const cJSON *json, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));
}

/* All access lines of a tensor and role. */
static bool add_access(const cJSON *json, const cJSON *tensor, struct oracle_program *program)
{
    struct oracle_access *access = &program->accesses[program->n_accesses];
    const cJSON *line;

    access->tensor = program->n_accesses++;
    access->is_write = strcmp(text_of(tensor, "role"), "write") == 0;
    cJSON_ArrayForEach(line, cJSON_GetObjectItemCaseSensitive(json, "accesses"))
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetArrayItem(line, 0)), text_of(tensor, "tensor")) ==
                        0 &&
                strcmp(cJSON_GetStringValue(cJSON_GetArrayItem(line, 1)),
                        text_of(tensor, "role")) == 0 &&
                !parse_access(program, cJSON_GetStringValue(cJSON_GetArrayItem(line, 2)), access))
            return false;
    }
    return access->n_pieces > 0;
}

bool golden_program(const cJSON *json, struct oracle_program *program)
{
    const cJSON *tensor;

    memset(program, 0, sizeof *program);
    if (!parse_domain(program, text_of(json, "domain")) ||
            !parse_space(program, text_of(json, "space")) ||
            !parse_time(program, text_of(json, "time")) ||
            !parse_shape(program, text_of(json, "array")))
        return false;
    cJSON_ArrayForEach(tensor, cJSON_GetObjectItemCaseSensitive(json, "tensors"))
    {
        if (program->n_accesses == ORACLE_ACCESSES || !add_access(json, tensor, program))
            return false;
    }
    program->n_tensors = program->n_accesses;
    program->registers = true;
    program->n_links = 2;
    for (int l = 0; l < 2; l++) {
        program->links[l].interval = l;
        program->links[l].tensors = ~0u;
        if (!parse_consumer_link(program, text_of(json, "links"), &program->links[l]))
            return false;
    }
    return true;
}
