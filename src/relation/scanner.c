#include "relation/scanner.h"

#include <ctype.h>
#include <string.h>

static const char *const keywords[] = {
        "and", "or", "not", "exists", "mod", "floor", "floord", "fl", "ceil", "min", "max"};

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '\'';
}

static size_t symbol_length(const char *text, const char *end)
{
    static const char *const doubles[] = {"->", "<=", ">=", "==", "!=", "+="};

    if (end - text >= 2) {
        for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
            if (memcmp(text, doubles[i], 2) == 0)
                return 2;
        }
    }
    return *text != '\0' && strchr("{}[](),;:+-*/%=<>", *text) != NULL ? 1 : 0;
}

void scanner_next(struct scanner *scanner)
{
    struct token *token = &scanner->token;
    const char *at = token->text + token->length;

    scanner->previous_end = at;
    while (at < scanner->end && isspace((unsigned char)*at))
        at++;
    *token = (struct token){.kind = TOKEN_END, .text = at};
    if (at == scanner->end)
        return;
    if (is_name_start(*at)) {
        token->kind = TOKEN_NAME;
        while (at + token->length < scanner->end && is_name_char(at[token->length]))
            token->length++;
    } else if (isdigit((unsigned char)*at)) {
        token->kind = TOKEN_NUMBER;
        for (; at + token->length < scanner->end && isdigit((unsigned char)at[token->length]);
                token->length++) {
            if (__builtin_mul_overflow(token->value, 10, &token->value) ||
                    __builtin_add_overflow(token->value, at[token->length] - '0', &token->value))
                token->too_large = true;
        }
    } else {
        token->length = symbol_length(at, scanner->end);
        token->kind = token->length == 0 ? TOKEN_UNKNOWN : TOKEN_SYMBOL;
        if (token->length == 0)
            token->length = 1;
    }
}

void scanner_widen_number(struct scanner *scanner)
{
    struct token *token = &scanner->token;
    const char *at = token->text + token->length, *digits;

    if (at < scanner->end && *at == '.') {
        for (at++; at < scanner->end && isdigit((unsigned char)*at); at++)
            ;
    }
    if (at < scanner->end && (*at == 'e' || *at == 'E')) {
        digits = at + 1;
        if (digits < scanner->end && (*digits == '+' || *digits == '-'))
            digits++;
        if (digits < scanner->end && isdigit((unsigned char)*digits)) {
            for (at = digits; at < scanner->end && isdigit((unsigned char)*at); at++)
                ;
        }
    }
    token->length = (size_t)(at - token->text);
}

bool scanner_widen_name(struct scanner *scanner, int *dim)
{
    struct token *token = &scanner->token;
    const char *at = token->text + token->length;

    if (token->kind != TOKEN_NAME || at == scanner->end || *at != '.')
        return false;
    *dim = at + 1 < scanner->end && isdigit((unsigned char)at[1]) ? 0 : -1;
    for (at++; at < scanner->end && (isalnum((unsigned char)*at) || *at == '_'); at++) {
        bool fits = *dim >= 0 && *dim < 1000 && isdigit((unsigned char)*at);
        *dim = fits ? *dim * 10 + (*at - '0') : -1;
    }
    token->length = (size_t)(at - token->text);
    return true;
}

void scanner_init(struct scanner *scanner, struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc)
{
    const struct sator_source *source = loc.source;
    size_t from = loc.offset < source->length ? loc.offset : source->length;
    size_t length = loc.length < source->length - from ? loc.length : source->length - from;

    *scanner = (struct scanner){.ctx = ctx,
            .arena = arena,
            .source = source,
            .end = source->text + from + length,
            .token.text = source->text + from};
    scanner_next(scanner);
}

bool scanner_at(const struct scanner *scanner, const char *symbol_or_word)
{
    /* The first byte decides nearly always. */
    return (scanner->token.kind == TOKEN_SYMBOL || scanner->token.kind == TOKEN_NAME) &&
            *scanner->token.text == *symbol_or_word &&
            strlen(symbol_or_word) == scanner->token.length &&
            memcmp(scanner->token.text, symbol_or_word, scanner->token.length) == 0;
}

bool scanner_accept(struct scanner *scanner, const char *symbol_or_word)
{
    if (!scanner_at(scanner, symbol_or_word))
        return false;
    scanner_next(scanner);
    return true;
}

struct sator_loc scanner_loc(const struct scanner *scanner)
{
    const struct token *token = &scanner->token;

    return (struct sator_loc){.source = scanner->source,
            .offset = (size_t)(token->text - scanner->source->text),
            .length = token->length == 0 ? 1 : token->length};
}

const char *scanner_shown(const struct scanner *scanner)
{
    const struct token *token = &scanner->token;

    if (token->kind == TOKEN_END)
        return "the end";
    if (token->kind == TOKEN_UNKNOWN && !isprint((unsigned char)*token->text))
        return sator_arena_printf(
                scanner->arena, "the byte 0x%02x", (unsigned)(unsigned char)*token->text);
    return sator_arena_printf(scanner->arena, "'%.*s'", (int)token->length, token->text);
}

enum sator_status scanner_expect(struct scanner *scanner, const char *symbol, const char *where)
{
    if (scanner_accept(scanner, symbol))
        return SATOR_OK;
    return sator_error(scanner->ctx, scanner_loc(scanner), "expected '%s' %s, found %s", symbol,
            where, scanner_shown(scanner));
}

static bool is_word(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (*keywords[i] == *text && strlen(keywords[i]) == length &&
                memcmp(keywords[i], text, length) == 0)
            return true;
    }
    return false;
}

bool scanner_is_keyword(const struct token *token)
{
    return is_word(token->text, token->length);
}

bool sator_is_notation(const char *name)
{
    return is_word(name, strlen(name));
}

char *scanner_copy(const struct scanner *scanner)
{
    return sator_arena_strndup(scanner->arena, scanner->token.text, scanner->token.length);
}
