/* What keeps a nest from being read, as the steps of reading find it. */
#include "base/text.h"
#include "frontend/c/c_reader.h"

#include <stdlib.h>
#include <string.h>

void c_fault(
        struct c_reader *reader, struct sator_loc loc, const char *help, const char *format, ...)
{
    struct sator_text text = {NULL, 0, 0};
    va_list arguments;
    char *message;

    va_start(arguments, format);
    sator_text_add_v(&text, format, arguments);
    va_end(arguments);
    message = sator_text_take(&text);
    SATOR_PUSH(reader->arena, reader->faults, reader->n_faults,
            (struct c_fault){loc, sator_arena_strdup(reader->arena, message), help});
    free(message);
}

bool c_has_fault(const struct c_reader *reader, const char *message)
{
    for (int i = 0; i < reader->n_faults; i++)
        if (strcmp(reader->faults[i].message, message) == 0)
            return true;
    return false;
}
