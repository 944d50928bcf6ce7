/* What texts in Sator's notation are made of. */
#ifndef SATOR_FRONTEND_YAML_YAML_WRITE_H
#define SATOR_FRONTEND_YAML_YAML_WRITE_H

#include "base/text.h"
#include "relation/relation.h"

/* The shortest decimal that reads back to the same double. */
void yaml_write_number(struct sator_text *text, double value);
/* ", KEY: [NAME, ...]"; nothing where there are none. */
void yaml_write_names(struct sator_text *text, const char *key, int n, const char *const *names);
void yaml_write_relation(struct sator_text *text, const struct sator_relation *relation);
/* A line "KEY: TEXT" after the one before, where there is a text. */
void yaml_write_text(struct sator_text *text, const char *key, const char *value);

#endif
