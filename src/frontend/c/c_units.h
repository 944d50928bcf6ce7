/* A C file as libclang's translation units: as it is written, and with its functions printed with
 * macros expanded. */
#ifndef SATOR_FRONTEND_C_UNITS_H
#define SATOR_FRONTEND_C_UNITS_H

#include "frontend/c/libclang.h"

#include "base/text.h"
#include "sator/input.h"

/* libclang's interface does not say which operator a node is: it is read off the text between the
 * operands, which is only possible where no macro was expanded. Hence the second unit: the same
 * file with every function replaced by its printed form. Both have the same nodes; those of the
 * first know the places in the user's file. */
struct c_units {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    struct sator_libclang clang;
    const struct sator_source *source;
    CXIndex index;
    CXTranslationUnit written;
    CXTranslationUnit printed;
    struct sator_text text; /* of the printed unit */
    int n_functions;
    CXCursor *functions; /* of the written unit: definitions in the file itself */
    CXCursor *printed_functions; /* the same of the printed unit */
};

/* SATOR_INPUT for a text that is nested deeper than libclang can read (c_depth.c). */
enum sator_status c_check_depth(struct sator_ctx *ctx, const struct sator_source *source);

/* Load libclang and parse "source" twice. The file's errors are reported. What libclang has is
 * never given back: the process ends when the file is read (c_parse). */
enum sator_status c_units_open(struct c_units *units, struct sator_ctx *ctx,
        struct sator_arena *arena, const struct sator_source *source,
        const struct sator_input_options *options);

/* The children of a node, in the arena. */
CXCursor *c_children(struct c_units *units, CXCursor cursor, int *n_children);
/* A string of libclang as one of the arena. */
char *c_string(struct c_units *units, CXString string);
/* The place of a node of the written unit in the user's file; inside a macro the macro's use. */
struct sator_loc c_place(struct c_units *units, CXCursor cursor);
/* The offsets of a node of the printed unit in its text. */
void c_extent(struct c_units *units, CXCursor cursor, unsigned *begin, unsigned *end);

#endif
