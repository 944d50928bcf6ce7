#include "base/json.h"

#include <math.h>

/* Up to where the value of "key" begins. */
static void begin(struct sator_json *json, const char *key)
{
    if (json->follows)
        sator_text_put(json->text, json->spaced ? ", " : ",");
    json->follows = true;
    if (key == NULL)
        return;
    sator_text_add_json(json->text, key);
    sator_text_put(json->text, json->spaced ? ": " : ":");
}

void sator_json_open(struct sator_json *json, const char *key, char bracket)
{
    begin(json, key);
    sator_text_add_bytes(json->text, &bracket, 1);
    json->follows = false;
}

void sator_json_close(struct sator_json *json, char bracket)
{
    sator_text_add_bytes(json->text, &bracket, 1);
    json->follows = true;
}

void sator_json_text(struct sator_json *json, const char *key, const char *text)
{
    begin(json, key);
    if (text == NULL)
        sator_text_put(json->text, "null");
    else
        sator_text_add_json(json->text, text);
}

void sator_json_number(struct sator_json *json, const char *key, double number)
{
    begin(json, key);
    if (isfinite(number))
        sator_text_add_number(json->text, number);
    else
        sator_text_put(json->text, "null");
}

void sator_json_count(struct sator_json *json, const char *key, sator_int count)
{
    begin(json, key);
    sator_text_put(json->text, json->counts_as_text ? "\"" : "");
    sator_text_add_int(json->text, count);
    sator_text_put(json->text, json->counts_as_text ? "\"" : "");
}

void sator_json_small(struct sator_json *json, const char *key, int64_t number)
{
    begin(json, key);
    sator_text_add_int(json->text, number);
}

void sator_json_small_array(
        struct sator_json *json, const char *key, int64_t n, const int64_t *numbers)
{
    sator_json_open(json, key, '[');
    for (int64_t i = 0; i < n; i++)
        sator_json_small(json, NULL, numbers[i]);
    sator_json_close(json, ']');
}

void sator_json_bool(struct sator_json *json, const char *key, bool is_true)
{
    sator_json_raw(json, key, is_true ? "true" : "false");
}

void sator_json_raw(struct sator_json *json, const char *key, const char *value)
{
    begin(json, key);
    sator_text_put(json->text, value);
}
