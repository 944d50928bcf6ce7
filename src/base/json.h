/* JSON as it is written, member by member, into a growing text: what streams (rows of a query,
 * events of an execution, data of a page) and would not be held as a tree. Commas, escapes and how
 * numbers look are this writer's business; "key" is NULL in arrays and for a value that stands
 * alone. */
#ifndef SATOR_BASE_JSON_H
#define SATOR_BASE_JSON_H

#include "base/text.h"

#include <stdbool.h>

struct sator_json {
    struct sator_text *text;
    bool spaced; /* a blank after commas and colons */
    bool counts_as_text; /* for those who read numbers as doubles */
    bool follows; /* the next member needs a comma; the writer's own */
};

/* "bracket" is '{' or '[', and what closes it. */
void sator_json_open(struct sator_json *json, const char *key, char bracket);
void sator_json_close(struct sator_json *json, char bracket);
/* NULL is null. */
void sator_json_text(struct sator_json *json, const char *key, const char *text);
/* The shortest text that reads back as the same number; null for one that is not known. */
void sator_json_number(struct sator_json *json, const char *key, double number);
/* A count, which may pass 2^53. */
void sator_json_count(struct sator_json *json, const char *key, sator_int count);
/* A number that is small in practice: an index, a coordinate. */
void sator_json_small(struct sator_json *json, const char *key, int64_t number);
void sator_json_small_array(
        struct sator_json *json, const char *key, int64_t n, const int64_t *numbers);
void sator_json_bool(struct sator_json *json, const char *key, bool is_true);
/* What is JSON already. */
void sator_json_raw(struct sator_json *json, const char *key, const char *value);

#endif
