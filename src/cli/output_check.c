/* Whether the options that name files for what is written name such as may be, asked before any
 * work begins: a slip there must not destroy what the command reads, or writes elsewhere, nor be
 * noticed only when hours of work are to be written. */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The options, by their fields' names: one rule for all. */
static const char *const output_names[] = {"output", "trace", "events", "certificate"};

enum {
    N_NAMES = sizeof output_names / sizeof *output_names
};
_Static_assert(N_NAMES == (int)CLI_MOST_OUTPUTS, "each has room");

static bool is_output(const struct cli_option *row)
{
    bool is = false;

    for (int i = 0; i < N_NAMES; i++)
        is |= strcmp(row->name, output_names[i]) == 0;
    return is;
}

static int cannot_write(const char *path, int error)
{
    fprintf(stderr, "sator: cannot write %s: %s\n", path, strerror(error));
    return CLI_INPUT;
}

/* Whether the first "length" bytes of "word" name the file "target": under any name of it. */
static bool names(const char *word, size_t length, const struct stat *target)
{
    struct stat status;
    char *path = cli_alloc(length + 1);

    memcpy(path, word, length);
    bool same = length > 0 && stat(path, &status) == 0 && status.st_dev == target->st_dev &&
            status.st_ino == target->st_ino;
    free(path);
    return same;
}

/* Whether a word of the command line leads to the file: FILE, FILE:i=4 or PATH=FILE. */
static bool leads_to(const char *word, const struct stat *target)
{
    const char *value = strchr(word, '='), *colon = strrchr(word, ':');

    return names(word, strlen(word), target) ||
            (colon != NULL && names(word, (size_t)(colon - word), target)) ||
            (value != NULL && names(value + 1, strlen(value + 1), target));
}

static bool list_leads_to(const struct cli_list *list, const struct stat *target)
{
    bool found = false;

    for (int i = 0; i < list->count; i++)
        found = found || leads_to(list->items[i], target);
    return found;
}

/* The option that leads to the file, "" for an argument, NULL for none. */
static const char *reader_of(const struct cli_options *options, const struct stat *target)
{
    if (list_leads_to(&options->arguments, target))
        return "";
    for (int i = 0; i < cli_option_count; i++) {
        const struct cli_option *row = &cli_option_table[i];
        const char *field = (const char *)options + row->offset;
        const char *text;
        if (is_output(row))
            continue;
        if (row->kind == CLI_TEXT) {
            memcpy(&text, field, sizeof text);
            if (text != NULL && leads_to(text, target))
                return row->name;
        }
        if ((row->kind == CLI_LIST || row->kind == CLI_MANY) &&
                list_leads_to((const void *)field, target))
            return row->name;
    }
    return NULL;
}

static bool is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char start[sizeof magic] = "";
    FILE *file = fopen(path, "rb");
    bool found = file != NULL && fread(start, 1, sizeof start, file) == sizeof start &&
            memcmp(start, magic, sizeof magic) == 0;

    if (file != NULL)
        fclose(file);
    return found;
}

/* A new file needs a directory that takes it; so does an old one, which is replaced as a whole. */
static int check_directory(const char *path)
{
    char *directory = cli_alloc(strlen(path) + 2);
    const char *slash = strrchr(path, '/');
    int error = 0;

    memcpy(directory, path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
    if (access(slash == NULL ? "." : directory, W_OK | X_OK) != 0)
        error = errno;
    free(directory);
    return error == 0 ? CLI_DONE : cannot_write(path, error);
}

/* The same for the file "path" of the option "name". */
static int check(const struct cli_options *options, const char *name, const char *path)
{
    struct stat target;

    if (*path == '\0')
        return cli_usage(options, "--%s '': the name of the file is empty", name);
    if (stat(path, &target) != 0) {
        if (errno != ENOENT)
            return cannot_write(path, errno);
        return check_directory(path);
    }
    if (S_ISDIR(target.st_mode))
        return cannot_write(path, EISDIR);
    if (!S_ISREG(target.st_mode))
        return access(path, W_OK) == 0 ? CLI_DONE : cannot_write(path, errno);
    const char *reader = reader_of(options, &target);
    if (reader != NULL)
        return cli_usage(options, "--%s %s: the command reads this file%s%s", name, path,
                *reader == '\0' ? "" : ": --", reader);
    if (is_database(path))
        return cli_usage(
                options, "--%s %s: this is a database, which a text would destroy", name, path);
    if (access(path, W_OK) != 0)
        return cannot_write(path, errno);
    char *real = realpath(path, NULL); /* a symbolic link stays one */
    int exit_code = check_directory(real == NULL ? path : real);
    free(real);
    return exit_code;
}

/* ---- two of them ---- */

enum {
    MOST_LINKS = 40 /* that are followed to where a file would be made */
};

/* The name that a file gets which is not there yet: a symbolic link is followed (GIVE: free). */
static char *target_of(const char *path)
{
    char *name = strdup(path), leads[PATH_MAX];

    for (int i = 0; name != NULL && i < MOST_LINKS; i++) {
        ssize_t length = readlink(name, leads, sizeof leads - 1);
        if (length <= 0)
            break;
        const char *slash = *leads == '/' ? NULL : strrchr(name, '/');
        size_t kept = slash == NULL ? 0 : (size_t)(slash - name) + 1;
        char *next = cli_alloc(kept + (size_t)length + 1);
        memcpy(next, name, kept);
        memcpy(next + kept, leads, (size_t)length);
        free(name);
        name = next;
    }
    return name;
}

/* Whether both names, of files that are not there, are the same in one directory. */
static bool would_be_same(const char *a, const char *b)
{
    char *names[] = {target_of(a), target_of(b)};
    struct stat directory[2];
    const char *last[2];
    bool known = true;

    for (int i = 0; i < 2; i++) {
        char *slash = names[i] == NULL ? NULL : strrchr(names[i], '/');
        last[i] = slash == NULL ? names[i] : slash + 1;
        known &= names[i] != NULL;
        if (slash == NULL) {
            known &= stat(".", &directory[i]) == 0;
            continue;
        }
        char first = slash[1];
        slash[1] = '\0';
        known &= stat(names[i], &directory[i]) == 0;
        slash[1] = first;
    }
    bool same = known && directory[0].st_dev == directory[1].st_dev &&
            directory[0].st_ino == directory[1].st_ino && strcmp(last[0], last[1]) == 0;
    free(names[0]);
    free(names[1]);
    return same;
}

/* Whether one would take the other's place; a device or a pipe takes both. */
static bool are_one_file(const char *a, const char *b)
{
    struct stat status[2];
    bool a_is_there = stat(a, &status[0]) == 0, b_is_there = stat(b, &status[1]) == 0;

    if (a_is_there && b_is_there)
        return S_ISREG(status[0].st_mode) && status[0].st_dev == status[1].st_dev &&
                status[0].st_ino == status[1].st_ino;
    return !a_is_there && !b_is_there && would_be_same(a, b);
}

/* The database that the command makes, or NULL; one that is there is read, too. */
static const char *database_of(const struct cli_options *options)
{
    bool merges = options->command != NULL && strcmp(options->command->name, "merge") == 0;

    return merges && options->arguments.count > 0 ? options->arguments.items[0] : options->database;
}

static int check_pairs(const struct cli_options *options, const struct cli_outputs *outputs)
{
    const char *database = database_of(options);

    for (int i = 0; i < outputs->count; i++) {
        const struct sator_output *file = &outputs->file[i];
        for (int k = 0; k < i; k++) {
            const struct sator_output *other = &outputs->file[k];
            if (are_one_file(other->path, file->path))
                return cli_usage(options, "--%s %s and --%s %s: two results cannot be one file",
                        other->field, other->path, file->field, file->path);
        }
        if (database != NULL && are_one_file(database, file->path))
            return cli_usage(options, "--%s %s and %s %s: two results cannot be one file",
                    file->field, file->path, database == options->database ? "--db" : "database",
                    database);
    }
    return CLI_DONE;
}

/* ---- all of them ---- */

int cli_check_outputs(const struct cli_options *options)
{
    const char *const paths[N_NAMES] = {
            options->output, options->trace, options->events, options->certificate};
    struct cli_outputs *outputs = options->outputs;
    /* whose result goes to the standard output */
    const char *shown = options->output == NULL ? output_names[0] : NULL;
    int exit_code = CLI_DONE;

    for (int i = 0; i < N_NAMES; i++) {
        if (paths[i] == NULL)
            continue;
        if (strcmp(paths[i], "-") != 0) {
            outputs->file[outputs->count++] = (struct sator_output){output_names[i], paths[i]};
            continue;
        }
        if (shown != NULL)
            return cli_usage(options,
                    "--%s - and --%s: both would go to the standard output; name a file for one",
                    output_names[i], shown);
        shown = output_names[i];
    }
    for (int i = 0; i < outputs->count && exit_code == CLI_DONE; i++)
        exit_code = check(options, outputs->file[i].field, outputs->file[i].path);
    return exit_code == CLI_DONE ? check_pairs(options, outputs) : exit_code;
}
