#include "base/text.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void reserve(struct sator_text *text, size_t more)
{
    if (text->capacity - text->length > more)
        return;
    size_t capacity = 2 * text->capacity + more + 64;
    text->data = sator_realloc(text->data, capacity);
    text->capacity = capacity;
}

void sator_text_clear(struct sator_text *text)
{
    free(text->data);
    *text = (struct sator_text){0};
}

void sator_text_add_bytes(struct sator_text *text, const char *bytes, size_t length)
{
    reserve(text, length);
    if (length != 0)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void sator_text_add_v(struct sator_text *text, const char *format, va_list arguments)
{
    va_list again;

    va_copy(again, arguments);
    reserve(text, 32); /* enough for most additions, which are then formatted once */
    size_t room = text->capacity - text->length;
    int length = vsnprintf(text->data + text->length, room, format, arguments);
    if (length >= 0 && (size_t)length >= room) {
        reserve(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    }
    if (length > 0)
        text->length += (size_t)length;
    text->data[text->length] = '\0';
    va_end(again);
}

void sator_text_add(struct sator_text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    sator_text_add_v(text, format, arguments);
    va_end(arguments);
}

void sator_text_put(struct sator_text *text, const char *part)
{
    sator_text_add_bytes(text, part, strlen(part));
}

void sator_text_add_csv(struct sator_text *text, const char *field)
{
    if (strpbrk(field, ",\"\r\n") == NULL) {
        sator_text_put(text, field);
        return;
    }
    sator_text_put(text, "\"");
    for (const char *at = field; *at != '\0'; at++)
        sator_text_add(text, "%s%c", *at == '"' ? "\"" : "", *at);
    sator_text_put(text, "\"");
}

void sator_text_add_json(struct sator_text *text, const char *string)
{
    sator_text_put(text, "\"");
    for (const char *at = string; *at != '\0';) {
        size_t plain = 0;
        while ((unsigned char)at[plain] >= ' ' && at[plain] != '"' && at[plain] != '\\')
            plain++;
        sator_text_add_bytes(text, at, plain);
        at += plain;
        if (*at == '"' || *at == '\\')
            sator_text_add(text, "\\%c", *at++);
        else if (*at != '\0')
            sator_text_add(text, "\\u%04x", (unsigned)*at++);
    }
    sator_text_put(text, "\"");
}

void sator_text_add_yaml(struct sator_text *text, const char *string)
{
    sator_text_put(text, "\"");
    for (const char *at = string; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\')
            sator_text_add(text, "\\%c", c);
        else if (c < ' ' || c == 127)
            sator_text_add(text, "\\x%02X", c);
        else
            sator_text_add_bytes(text, at, 1);
    }
    sator_text_put(text, "\"");
}

bool sator_text_is_plain_yaml(const char *string)
{
    static const char *const words[] = {
            "null", "true", "false", "yes", "no", "on", "off"}; /* the last four of YAML 1.1 */

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(string, words[i]) == 0)
            return false;
    }
    return strspn(string, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
            strlen(string) &&
            *string != '\0' && (*string < '0' || *string > '9');
}

void sator_text_add_yaml_name(struct sator_text *text, const char *string)
{
    if (sator_text_is_plain_yaml(string))
        sator_text_put(text, string);
    else
        sator_text_add_yaml(text, string);
}

void sator_text_add_number(struct sator_text *text, double number)
{
    char digits[40];

    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    sator_text_put(text, digits);
}

void sator_text_add_int(struct sator_text *text, sator_int value)
{
    char digits[64];

    sator_int_format(value, 0, digits);
    sator_text_put(text, digits);
}

char *sator_text_take(struct sator_text *text)
{
    if (text->data == NULL)
        sator_text_add_bytes(text, "", 0);
    char *data = text->data;
    *text = (struct sator_text){0};
    return data;
}

char *sator_text_keep(struct sator_text *text, struct sator_arena *arena)
{
    char *copy = sator_arena_strdup(arena, text->data == NULL ? "" : text->data);

    sator_text_clear(text);
    return copy;
}

char *sator_int_format(sator_int value, char separator, char *text)
{
    char reversed[64];
    int length = 0, digits = 0;
    bool negative = value < 0;

    do {
        if (separator != 0 && digits != 0 && digits % 3 == 0)
            reversed[length++] = separator;
        int digit = (int)(value % 10);
        reversed[length++] = (char)('0' + (digit < 0 ? -digit : digit));
        value /= 10;
        digits++;
    } while (value != 0);
    if (negative)
        reversed[length++] = '-';
    for (int i = 0; i < length; i++)
        text[i] = reversed[length - 1 - i];
    text[length] = '\0';
    return text;
}

char *sator_int_text(const sator_int *value, char separator, char *text)
{
    return sator_int_format(*value, separator, text);
}

bool sator_int_get(const sator_int *value, int64_t *result)
{
    if (*value < INT64_MIN || *value > INT64_MAX)
        return false;
    *result = (int64_t)*value;
    return true;
}

double sator_int_real(const sator_int *value)
{
    return (double)*value;
}

/* Levenshtein distance of two names that are cut to their first bytes. */
static int edit_distance(const char *a, const char *b)
{
    enum {
        LONGEST = 63
    };
    int row[LONGEST + 1];
    size_t length_a = strnlen(a, LONGEST), length_b = strnlen(b, LONGEST);

    for (size_t j = 0; j <= length_b; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= length_a; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= length_b; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[length_b];
}

bool sator_lists(const char *name, int n_names, const char *const *names)
{
    for (int i = 0; i < n_names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

bool sator_has_texts(const char *const *texts, int n_texts)
{
    if (n_texts < 0 || (texts == NULL && n_texts > 0))
        return false;
    for (int i = 0; i < n_texts; i++) {
        if (texts[i] == NULL)
            return false;
    }
    return true;
}

/* The only name that goes on where "name" ends ("bandwidth_bits" after "bandwidth"), or NULL. */
static const char *only_longer(const char *name, const char *const *names, int n_names)
{
    const char *longer = NULL;
    size_t length = strlen(name);

    for (int i = 0; i < n_names && length >= 3; i++) {
        if (strncasecmp(name, names[i], length) != 0)
            continue;
        if (longer != NULL)
            return NULL;
        longer = names[i];
    }
    return longer;
}

const char *sator_nearest(const char *name, const char *const *names, int n_names)
{
    if (name == NULL || !sator_has_texts(names, n_names))
        return NULL;
    const char *nearest = NULL;
    int length = (int)strlen(name);
    int best = length <= 2 ? 2 : length / 3 + 2; /* farther names would be no help */

    for (int i = 0; i < n_names; i++) {
        int distance = strcasecmp(name, names[i]) == 0 ? 0 : edit_distance(name, names[i]);
        int longer = (int)strlen(names[i]) > length ? (int)strlen(names[i]) : length;
        if (distance < best && distance < longer) { /* something is left of the name */
            best = distance;
            nearest = names[i];
        }
    }
    return nearest != NULL ? nearest : only_longer(name, names, n_names);
}
