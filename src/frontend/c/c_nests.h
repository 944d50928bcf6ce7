/* The loop nests of a C file: each statement inside loops, with the loops around it. */
#ifndef SATOR_FRONTEND_C_NESTS_H
#define SATOR_FRONTEND_C_NESTS_H

#include "frontend/c/c_tree.h"

struct c_nest {
    const struct c_function *function;
    int number; /* within its function, from 1 */
    int n_loops; /* outermost first */
    const struct c_node **loops;
    const struct c_node *statement;
    const struct c_node *obstacle; /* an if, while, switch, do or jump that makes it no nest of for
                                      loops; or NULL */
    bool is_perfect; /* the outermost loop holds this statement alone */
    bool in_scop; /* between #pragma scop and #pragma endscop; loops around the pragmas are left out
                   */
};

struct c_nests {
    int n_nests;
    struct c_nest *nests; /* in the file's order */
    int n_scops;
};

/* Find all nests. A "#pragma scop" without its end, or the other way round, is an error. */
enum sator_status c_find_nests(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct c_file *file, struct c_nests *nests);

/* The text of a place on one line, blanks run together, cut to "most" bytes. */
char *c_excerpt(struct sator_arena *arena, struct sator_loc loc, size_t most);

#endif
