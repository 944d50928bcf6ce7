#include "cli/cli.h"

#include <malloc.h>
#include <stdlib.h>

enum {
    MOST_ON_HEAP = 32 << 20, /* bytes of one allocation; the C library takes no more */
    MOST_KEPT = 512 << 20 /* bytes that are free at the end of the heap */
};

static int write_and_free(const struct cli_options *options, char *text)
{
    int exit_code = cli_write(options, text);

    free(text);
    return exit_code;
}

static int run(const struct cli_options *options)
{
    int exit_code = cli_check_outputs(options);

    if (exit_code != CLI_DONE)
        return exit_code;
    if (options->version)
        return cli_write(options, "sator " SATOR_VERSION "\n");
    if (options->man)
        return write_and_free(options, cli_man_text(options->command));
    if (options->completion != NULL)
        return write_and_free(options, cli_completion_text());
    if (options->help)
        return write_and_free(options, cli_help_text(options->command));
    if (options->command == NULL) {
        char *help = cli_help_text(NULL);
        fputs(help, stderr);
        free(help);
        return CLI_USAGE;
    }
    return options->command->run(options);
}

/* From now on what is freed is kept for the next allocation: a search that asks the model of one
 * mapping after the other frees tens of megabytes each time, and the kernel, given them back, takes
 * longer to hand them out again than the model takes. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, MOST_ON_HEAP);
    mallopt(M_TRIM_THRESHOLD, MOST_KEPT);
#endif
}

int main(int argc, char **argv)
{
    struct cli_outputs outputs = {0};
    struct cli_options options = {.outputs = &outputs};

    keep_memory();
    cli_interrupt_init();
    int exit_code = cli_parse(argc, argv, &options) ? run(&options) : CLI_USAGE;
    cli_options_clear(&options);
    return cli_interrupted() ? cli_interrupt_exit() : exit_code;
}
