#include "base/arguments.h"

#include <string.h>

enum sator_status sator_misuse(struct sator_ctx *ctx, const char *format, ...)
{
    if (ctx == NULL)
        return SATOR_USAGE;
    SATOR_CALL(ctx, return SATOR_NOMEM)
    struct sator_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    sator_text_add_v(&text, format, arguments);
    va_end(arguments);
    sator_error(ctx, (struct sator_loc){0}, "%s", text.data);
    sator_text_clear(&text);
    return SATOR_USAGE;
}

enum sator_status sator_number_between(
        struct sator_ctx *ctx, const char *name, int64_t number, int64_t least, int64_t most)
{
    if (number >= least && number <= most)
        return SATOR_OK;
    if (most < least)
        return sator_misuse(ctx, "%s is %lld: there is none", name, (long long)number);
    return sator_misuse(ctx, "%s is %lld: it is between %lld and %lld", name, (long long)number,
            (long long)least, (long long)most);
}

enum {
    MOST_GROWTH = 4096 /* bytes that a later library's struct may have more: a size that was never
                          set is no size */
};

/* The size that the caller gives its struct. */
static enum sator_status read_size(
        struct sator_ctx *ctx, const void *given, size_t first, size_t *size)
{
    memcpy(size, given, sizeof *size);
    if (*size == 0)
        *size = first;
    if (*size >= first && *size <= first + MOST_GROWTH)
        return SATOR_OK;
    if (*size > first)
        return sator_misuse(
                ctx, "'size' is %zu: it is sizeof the struct, which has %zu bytes", *size, first);
    return sator_misuse(ctx,
            "'size' is %zu, and the struct never had less than %zu bytes: it is sizeof the struct",
            *size, first);
}

enum sator_status sator_take_options(
        struct sator_ctx *ctx, const void *given, void *own, size_t size, size_t first)
{
    size_t theirs;

    memset(own, 0, size);
    if (given != NULL) {
        enum sator_status st = read_size(ctx, given, first, &theirs);
        if (st != SATOR_OK)
            return st;
        for (size_t i = size; i < theirs; i++) {
            if (((const unsigned char *)given)[i] != 0)
                return sator_misuse(ctx,
                        "the options set a field that library " SATOR_VERSION " does not have");
        }
        memcpy(own, given, theirs < size ? theirs : size);
    }
    memcpy(own, &size, sizeof size);
    return SATOR_OK;
}

enum sator_status sator_give_struct(
        struct sator_ctx *ctx, const void *own, void *offered, size_t size, size_t first)
{
    size_t theirs, kept;
    enum sator_status st = read_size(ctx, offered, first, &theirs);

    if (st != SATOR_OK)
        return st;
    memcpy(&kept, offered, sizeof kept);
    if (theirs > size)
        memset((unsigned char *)offered + size, 0, theirs - size);
    memcpy(offered, own, theirs < size ? theirs : size);
    memcpy(offered, &kept, sizeof kept);
    return SATOR_OK;
}
