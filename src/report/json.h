/* JSON objects piece by piece. A piece for which there is no memory ends the call: cJSON would
 * leave it out, and a shortened report is a wrong one. */
#ifndef SATOR_REPORT_JSON_H
#define SATOR_REPORT_JSON_H

#include "report/report.h"

#include <cjson/cJSON.h>

/* "item" (TAKE) as the member "key" of "object"; also returned. */
cJSON *json_put(cJSON *object, const char *key, cJSON *item);
cJSON *json_put_object(cJSON *object, const char *key);
cJSON *json_put_array(cJSON *object, const char *key);
/* "item" (TAKE) as the next of "array"; also returned. */
cJSON *json_append(cJSON *array, cJSON *item);
/* A text that may come from a user's file; NULL is null. */
void json_put_text(cJSON *object, const char *key, struct sator_arena *arena, const char *text);
/* A figure; one that is not known is null. */
void json_put_number(cJSON *object, const char *key, double number);
/* A count, which may pass 2^53: by schema 1 a string. */
void json_put_count(cJSON *object, const char *key, sator_int count);
/* A count that is small in practice: a number, by schema 1 a string where it would not be exact. */
void json_put_small(cJSON *object, const char *key, sator_int count);
/* "tensors" of a memory level: what each holds and moves. */
void json_put_level_tensors(cJSON *level, struct sator_arena *arena, int n_tensors,
        const struct sator_level_tensor *tensors);
/* "by_component": energies by name, terms of the same name together. */
void json_put_components(cJSON *energy, struct sator_arena *arena, int n_terms,
        const struct sator_energy_term *terms);
/* Make the counts in "item" strings, for those who read numbers as doubles: schema 1. */
void json_counts_as_text(cJSON *item);
/* "root" (TAKE) as text (GIVE: free), with a line break at the end, by "schema": 1 has strings
 * where counts may pass 2^53, anything else is 2, which has integers and says so. */
char *json_print(cJSON *root, int schema);

#endif
