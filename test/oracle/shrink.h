/* Make a failing program smaller while it still fails. */
#ifndef SATOR_TEST_SHRINK_H
#define SATOR_TEST_SHRINK_H

#include "oracle/oracle.h"

typedef bool (*shrink_fails)(const struct oracle_program *program, void *user);

/* Replace "program", which fails, by a smaller one that fails too; at most "max_trials" questions
 * are asked. */
void shrink(struct oracle_program *program, shrink_fails fails, void *user, int max_trials);

#endif
