/* Growing strings. */
#ifndef SATOR_BASE_TEXT_H
#define SATOR_BASE_TEXT_H

#include "sator/context.h"

#include <stdarg.h>

struct sator_arena;

struct sator_text {
    char *data; /* NUL-terminated once something was added, else NULL */
    size_t length;
    size_t capacity;
};

void sator_text_clear(struct sator_text *text);
__attribute__((format(printf, 2, 3))) void sator_text_add(
        struct sator_text *text, const char *format, ...);
__attribute__((format(printf, 2, 0))) void sator_text_add_v(
        struct sator_text *text, const char *format, va_list arguments);
/* Add "part" as it is: what printf would cost is seen in an analysis of microseconds. */
void sator_text_put(struct sator_text *text, const char *part);
void sator_text_add_bytes(struct sator_text *text, const char *bytes, size_t length);
/* Add "field" as one of CSV: quoted where it has commas, quotes or line ends. */
void sator_text_add_csv(struct sator_text *text, const char *field);
/* Add "string" as one of JSON, in quotes. */
void sator_text_add_json(struct sator_text *text, const char *string);
/* Add "string" as a scalar of YAML, in double quotes, so that no word means anything else. */
void sator_text_add_yaml(struct sator_text *text, const char *string);
/* The same without quotes where it is plain: a word that every reader takes for a text. */
void sator_text_add_yaml_name(struct sator_text *text, const char *string);
bool sator_text_is_plain_yaml(const char *string);
/* The shortest text that reads back as the same finite number. */
void sator_text_add_number(struct sator_text *text, double number);
void sator_text_add_int(struct sator_text *text, sator_int value);
/* Whether there are "n_texts" texts, none of them NULL. */
bool sator_has_texts(const char *const *texts, int n_texts);
/* Whether "name" is one of the names. */
bool sator_lists(const char *name, int n_names, const char *const *names);
/* Return the string (GIVE: free), "" when nothing was added, and reset "text". */
char *sator_text_take(struct sator_text *text);
/* The same, but "arena" frees it. */
char *sator_text_keep(struct sator_text *text, struct sator_arena *arena);

#endif
