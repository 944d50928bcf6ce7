/* Tokens of isl's notation, and the state that the readers of relations, tuples and einsums share.
 */
#ifndef SATOR_RELATION_SCANNER_H
#define SATOR_RELATION_SCANNER_H

#include "relation/relation.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_SYMBOL, /* one of { } [ ] ( ) , ; : + - * / % = < > and -> <= >= == != += */
    TOKEN_UNKNOWN /* a byte that belongs to no token */
};

/* Nesting of parentheses, signs and conditions, which readers follow by recursion. */
enum {
    DEEPEST = 200
};

struct token {
    enum token_kind kind;
    const char *text; /* into the source */
    size_t length;
    int64_t value; /* numbers */
    bool too_large; /* the number does not fit into 64 bits */
};

struct scanner {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_source *source;
    const char *end; /* of the text to read */
    struct token token; /* the current one */
    const char *previous_end;
    int n_vars; /* names in scope, innermost last */
    const char **var_names;
    int n_hidden; /* of them, bound variables whose scope has ended */
    bool *hidden;
    const struct sator_extents *extents; /* what "PE.0" stands for; NULL: nothing */
    int guesses; /* extents that were read and are not known yet */
    int depth; /* of nesting */
    int divisions; /* seen inside the floor(...) being read */
};

/* Start at "loc"; an offset past the end of the source reads as empty. */
void scanner_init(struct scanner *scanner, struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc);
void scanner_next(struct scanner *scanner);
/* Let the number at the scanner take in the decimals and the exponent that follow it, as in
 * 0.25e-3: a scalar, whose value is of no account. */
void scanner_widen_number(struct scanner *scanner);
/* Let the name at the scanner take in the ".0" that follows it, the number in "*dim" (-1 where it
 * is none, or too large); false where no "." follows. */
bool scanner_widen_name(struct scanner *scanner, int *dim);
bool scanner_at(const struct scanner *scanner, const char *symbol_or_word);
/* Step over "symbol_or_word" when it is next. */
bool scanner_accept(struct scanner *scanner, const char *symbol_or_word);
/* The same, or an error "expected ...". */
enum sator_status scanner_expect(struct scanner *scanner, const char *symbol, const char *where);
struct sator_loc scanner_loc(const struct scanner *scanner);
/* The current token as a quoted text for messages. */
const char *scanner_shown(const struct scanner *scanner);
bool scanner_is_keyword(const struct token *token);
char *scanner_copy(const struct scanner *scanner);

/* ---- expressions, from expr_read.c ---- */

/* Add a variable; its index. */
int scope_add(struct scanner *scanner, const char *name);
/* Index of the visible variable, or -1. */
int scope_find(const struct scanner *scanner, const char *name, size_t length);
enum sator_status read_expr(struct scanner *scanner, const struct sator_expr **expr);
/* ---- conditions, from cond_read.c ---- */
enum sator_status read_cond(struct scanner *scanner, const struct sator_cond **cond);

#endif
