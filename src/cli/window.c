/* --from and --stamps: a window of time-stamps. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The list between the brackets of "T[3,0,12]", or a bare one; false where it is neither. */
static bool read_stamp(const char *text, int64_t **stamp, int *n)
{
    const char *open = strchr(text, '['), *at = open == NULL ? text : open + 1;
    int64_t *values = cli_alloc(sizeof *values * (strlen(text) + 1));
    int count = 0;
    char *end = NULL;

    for (bool more = true; more; more = *end == ',', at = end + 1) {
        errno = 0;
        values[count++] = strtoll(at, &end, 10);
        while (*end == ' ')
            end++;
        if (end == at || errno != 0)
            break;
    }
    *stamp = values;
    *n = count;
    return errno == 0 && strcmp(end, open == NULL ? "" : "]") == 0 && end != at;
}

int cli_read_window(const struct cli_options *options, struct sator_report_window *window)
{
    int64_t *from = NULL;

    if (options->stamps > INT32_MAX)
        return cli_usage(options, "--stamps is at most %d", INT32_MAX);
    window->n_stamps = (int)options->stamps;
    if (options->from == NULL)
        return CLI_DONE;
    bool fine = read_stamp(options->from, &from, &window->n_from);
    window->from = from;
    if (fine)
        return CLI_DONE;
    return cli_usage(
            options, "--from '%s' is no time-stamp, such as 'T[0,3,12]' or 0,3,12", options->from);
}

void cli_window_clear(struct sator_report_window *window)
{
    void *from = NULL;

    memcpy(&from, &window->from, sizeof from); /* was made here: const for others alone */
    free(from);
    window->from = NULL;
}
