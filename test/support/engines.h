/* The choices of an engine: what is compared with brute force by each name on every random program.
 */
#ifndef SATOR_TEST_SUPPORT_ENGINES_H
#define SATOR_TEST_SUPPORT_ENGINES_H

#include "sator/analyze.h"

static const struct engine_choice {
    enum sator_engine_choice choice;
    const char *name;
} engine_choices[] = {
        {SATOR_ENGINE_GENERAL, "general"}, {SATOR_ENGINE_CLOSED, "closed"},
        {SATOR_ENGINE_TILED, "tiled"}, {SATOR_ENGINE_LISTED, "listed"},
        {SATOR_ENGINE_AUTO, "auto"}, /* the last: those between the first and it may decline */
};

enum {
    ENGINE_CHOICES = sizeof engine_choices / sizeof *engine_choices
};

static inline const char *engine_name(enum sator_engine_choice choice)
{
    int i = 0;

    while (engine_choices[i].choice != choice)
        i++;
    return engine_choices[i].name;
}

#endif
