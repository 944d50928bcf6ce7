/* Where things are written: the result to stdout or a file, words about it to stderr. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NARROWEST = 20, /* columns that a terminal is taken to have at least */
    WIDEST = 1000
};

bool cli_color(FILE *stream)
{
    const char *off = getenv("NO_COLOR"), *term = getenv("TERM");

    if (off != NULL && *off != '\0')
        return false;
    return term != NULL && strcmp(term, "dumb") != 0 && isatty(fileno(stream)) != 0;
}

int cli_width(const struct cli_options *options)
{
    const char *said = getenv("COLUMNS");
    struct winsize size = {0};
    long width = said == NULL ? 0 : strtol(said, NULL, 10);

    if (options->output == NULL && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    return width <= 0 ? 0 : width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : (int)width;
}

void cli_print_messages(struct sator_ctx *ctx)
{
    char *messages = sator_ctx_take_messages(ctx, cli_color(stderr));

    if (messages != NULL)
        fputs(messages, stderr);
    free(messages);
}

int cli_worse(int a, int b)
{
    static const int ranks[] = {
            CLI_DONE, CLI_DIFFERENT, CLI_INPUT, CLI_LIMIT, CLI_USAGE, CLI_MEMORY, CLI_INTERRUPTED};
    int rank_a = 0, rank_b = 0;

    for (int i = 0; i < (int)(sizeof ranks / sizeof *ranks); i++) {
        rank_a = ranks[i] == a ? i : rank_a;
        rank_b = ranks[i] == b ? i : rank_b;
    }
    return rank_a >= rank_b ? a : b;
}

int cli_status(enum sator_status status, const char *what)
{
    switch (status) {
    case SATOR_OK:
        return CLI_DONE;
    case SATOR_USAGE:
        return CLI_USAGE;
    case SATOR_LIMIT:
        fprintf(stderr,
                "sator: %s: the work limit was reached before the answer; --work-limit sets it\n",
                what);
        return CLI_LIMIT;
    case SATOR_INFEASIBLE:
        return CLI_LIMIT;
    case SATOR_INTERRUPTED:
        return CLI_INTERRUPTED;
    case SATOR_NOMEM:
        fprintf(stderr, "sator: %s: out of memory\n", what);
        return CLI_MEMORY;
    case SATOR_INPUT: /* these come with messages */
    case SATOR_OVERFLOW:
    case SATOR_DECLINED:
        break;
    }
    return CLI_INPUT;
}

static int cannot_write(const char *name, int error)
{
    fprintf(stderr, "sator: cannot write %s: %s\n", name, strerror(error));
    return CLI_INPUT;
}

/* 0, or the errno of what went wrong. */
static int write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        text += written;
        length -= (size_t)written;
    }
    return 0;
}

static int write_in_place(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0666);
    int error = fd < 0 ? errno : write_all(fd, text, strlen(text));

    if (fd >= 0 && close(fd) != 0 && error == 0)
        error = errno;
    return error == 0 || error == EPIPE ? CLI_DONE : cannot_write(path, error);
}

/* Write a new file beside "path" and put it in its place: a reader sees the old text or the new,
 * never a part, even after a power failure. Other names (hard links) of the old file keep the old
 * text, and a mode that gives rights away (set-uid) is not carried over. */
static int write_whole(const char *path, const char *text, mode_t mode)
{
    static const char suffix[] = ".XXXXXX";
    size_t length = strlen(path);
    char *temporary = cli_alloc(length + sizeof suffix);

    memcpy(temporary, path, length);
    memcpy(temporary + length, suffix, sizeof suffix);
    int fd = mkstemp(temporary);
    if (fd < 0) {
        int error = errno;
        free(temporary);
        return cannot_write(path, error);
    }
    int error = write_all(fd, text, strlen(text));
    if (error == 0 && fchmod(fd, mode) != 0)
        error = errno;
    if (error == 0 && fsync(fd) != 0) /* its name never stands for less than the whole */
        error = errno;
    if (close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0 && rename(temporary, path) != 0)
        error = errno;
    if (error != 0)
        unlink(temporary);
    free(temporary);
    return error == 0 ? CLI_DONE : cannot_write(path, error);
}

static int write_file(const char *path, const char *text)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        mode_t mask = umask(0);
        umask(mask);
        return write_whole(path, text, 0666 & ~mask);
    }
    if (!S_ISREG(status.st_mode))
        return write_in_place(path, text); /* a device or a pipe is not replaced */
    if (access(path, W_OK) != 0)
        return cannot_write(path, errno);
    char *target = realpath(path, NULL); /* a symbolic link stays one */
    int exit_code = write_whole(target == NULL ? path : target, text, status.st_mode & 0777);
    free(target);
    return exit_code;
}

int cli_write_to(const struct cli_options *options, const char *path, const char *text)
{
    if (options->outputs->is_read)
        return CLI_USAGE; /* it was said; nothing is worth the input */
    if (strcmp(path, "-") != 0)
        return write_file(path, text);
    int error = write_all(STDOUT_FILENO, text, strlen(text));
    return error == 0 || error == EPIPE ? CLI_DONE : cannot_write("to the standard output", error);
}

int cli_write(const struct cli_options *options, const char *text)
{
    return cli_write_to(options, options->output == NULL ? "-" : options->output, text);
}
