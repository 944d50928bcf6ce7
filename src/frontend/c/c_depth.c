/* How deep a C text is nested where no brackets show it: "- - - x", "if (a) if (b) ...", "x ? y : z
 * ?
 * ...", "else if". A parser of C calls itself for each of them, and libclang ends the process when
 * its stack is full; of brackets it says so by itself. So the text is looked at first, roughly:
 * what is counted are signs that may nest, not what does. */
#include "frontend/c/c_units.h"

#include <ctype.h>
#include <string.h>

enum {
    MOST_SIGNS = 1500, /* 2,000 casts fill a stack of 8 MiB */
    MOST_BLOCKS = 64 /* blocks within blocks whose branches are told apart */
};

struct depth {
    const char *text;
    size_t at, length;
    int parens, blocks;
    int operators; /* of an expression */
    int statements; /* "if", "for" and the like before what they are about */
    int branches[MOST_BLOCKS]; /* "else" after "else", by block */
    bool at_start; /* of a statement */
};

/* Skip what is no code: a comment, a string, a character. */
static bool skip(struct depth *d)
{
    const char *from = d->text + d->at, *end = d->text + d->length;

    if (end - from > 1 && from[0] == '/' && (from[1] == '/' || from[1] == '*')) {
        const char *close = strstr(from + 2, from[1] == '/' ? "\n" : "*/");
        d->at = close == NULL ? d->length : (size_t)(close - d->text) + (from[1] == '*' ? 2 : 0);
        return true;
    }
    if (*from != '"' && *from != '\'')
        return false;
    const char *at = from + 1;
    while (at < end && *at != *from && *at != '\n')
        at += at[0] == '\\' && end - at > 1 ? 2 : 1;
    d->at = at < end ? (size_t)(at - d->text) + 1 : d->length;
    return true;
}

static int *branches(struct depth *d)
{
    return &d->branches[d->blocks < MOST_BLOCKS ? d->blocks : MOST_BLOCKS - 1];
}

static void word(struct depth *d)
{
    static const char *const nesting[] = {
            "if", "for", "while", "do", "switch", "case", "default", "sizeof", "else"};
    const char *from = d->text + d->at;
    size_t length = 0;

    while (d->at + length < d->length &&
            (isalnum((unsigned char)from[length]) || from[length] == '_'))
        length++;
    d->at += length;
    bool is_else = length == 4 && memcmp(from, "else", 4) == 0;
    if (is_else)
        ++*branches(d);
    else if (d->at_start)
        *branches(d) = 0;
    d->at_start = false;
    for (size_t i = 0; i < sizeof nesting / sizeof *nesting; i++)
        d->statements += strlen(nesting[i]) == length && memcmp(from, nesting[i], length) == 0;
}

static void sign(struct depth *d, char sign)
{
    d->parens += sign == '(' ? 1 : sign == ')' && d->parens > 0 ? -1 : 0;
    if (sign == '{' || sign == '}' || (sign == ';' && d->parens == 0)) {
        d->blocks += sign == '{' ? 1 : sign == '}' && d->blocks > 0 ? -1 : 0;
        d->operators = d->statements = 0;
        d->parens = 0;
        d->at_start = true;
        if (sign == '{')
            *branches(d) = 0;
    } else if (sign == ',' && d->parens == 0) {
        d->operators = 0; /* a table of numbers may be long */
    } else {
        d->operators += strchr("+-*/%&|^~!<>=?:),", sign) != NULL;
    }
}

enum sator_status c_check_depth(struct sator_ctx *ctx, const struct sator_source *source)
{
    struct depth d = {.text = source->text, .length = source->length, .at_start = true};

    while (d.at < d.length) {
        char byte = d.text[d.at];
        if (skip(&d))
            continue;
        if (isalnum((unsigned char)byte) || byte == '_')
            word(&d);
        else if (byte != '\0' && !isspace((unsigned char)byte))
            sign(&d, d.text[d.at++]);
        else
            d.at++;
        if (d.operators > MOST_SIGNS || d.statements > MOST_SIGNS || *branches(&d) > MOST_SIGNS)
            return sator_error(ctx, (struct sator_loc){source, d.at - 1, 1},
                    "more than %d operators or statements that may be nested in each other",
                    MOST_SIGNS);
    }
    return SATOR_OK;
}
