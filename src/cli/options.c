/* The command line, read by the table of options.def. */
#include "cli/cli.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const struct cli_option cli_option_table[] = {
#define OPTION(kind, field, name, letter, argument, commands, help, example)                       \
    {CLI_##kind, name, letter, argument, commands, help, example,                                  \
            offsetof(struct cli_options, field)},
#include "cli/options.def"
#undef OPTION
};
const int cli_option_count = (int)(sizeof cli_option_table / sizeof *cli_option_table);

const struct cli_command cli_commands[] = {
#define COMMAND(name, arguments, summary, example) {#name, arguments, summary, example, cli_##name},
#include "cli/commands.def"
#undef COMMAND
};
const int cli_command_count = (int)(sizeof cli_commands / sizeof *cli_commands);

/* The state of a parse: "seen" remembers which options were given, to check them once the command
 * is known. */
struct parse {
    int argc;
    char **argv;
    int next;
    bool only_arguments; /* after "--" */
    struct cli_options *options;
    bool seen[sizeof cli_option_table / sizeof *cli_option_table];
    const char *first[sizeof cli_option_table / sizeof *cli_option_table]; /* arguments given */
};

void *cli_alloc(size_t size)
{
    return calloc(1, size == 0 ? 1 : size);
}

int cli_usage(const struct cli_options *options, const char *format, ...)
{
    va_list arguments;
    const char *command = options->command == NULL ? "" : options->command->name;

    fputs("sator: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nhow it is used: sator %s%s--help\n", command, *command == '\0' ? "" : " ");
    return CLI_USAGE;
}

/* Whether "word" is one of the words of "list", which "separator" divides. */
static bool has_word(const char *list, const char *word, size_t length, char separator)
{
    for (const char *start = list; *start != '\0';) {
        const char *end = strchr(start, separator);
        size_t n = end == NULL ? strlen(start) : (size_t)(end - start);
        if (n == length && memcmp(start, word, n) == 0)
            return true;
        start += n + (end != NULL);
    }
    return false;
}

bool cli_option_applies(const struct cli_option *option, const char *command)
{
    return strcmp(option->commands, "*") == 0 ||
            has_word(option->commands, command, strlen(command), ' ');
}

static bool is_given(const struct cli_options *options, const struct cli_option *row)
{
    const void *field = (const char *)options + row->offset;

    switch (row->kind) {
    case CLI_FLAG:
        return *(const bool *)field;
    case CLI_NUMBER:
    case CLI_COUNT:
        return *(const int64_t *)field != 0;
    case CLI_LIST:
    case CLI_MANY:
        return ((const struct cli_list *)field)->count > 0;
    case CLI_TEXT:
    case CLI_CHOICE:
        break;
    }
    return *(const char *const *)field != NULL;
}

/* The row of "--name", "name" with this length; NULL: there is none. */
static const struct cli_option *find_name(const char *name, size_t length)
{
    for (int i = 0; i < cli_option_count; i++) {
        const struct cli_option *row = &cli_option_table[i];
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
            return row;
    }
    return NULL;
}

/* The row of the option "word", as in --name, --name=VALUE, -x or -xVALUE, with the value in it or
 * NULL in "*attached"; NULL: there is none. Letters are not combined. */
static const struct cli_option *find_option(const char *word, const char **attached)
{
    if (word[0] == '-' && word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        *attached = word[2 + length] == '=' ? word + 3 + length : NULL;
        return find_name(word + 2, length);
    }
    for (int i = 0; i < cli_option_count && word[0] == '-' && word[1] != '\0'; i++) {
        *attached = word[2] == '\0' ? NULL : word + 2;
        if (cli_option_table[i].letter == word[1])
            return &cli_option_table[i];
    }
    return NULL;
}

int cli_refuse(const struct cli_options *options, const char *names, const char *why)
{
    size_t length;

    for (const char *at = names; *at != '\0'; at += length + (at[length] == ' ')) {
        length = strcspn(at, " ");
        const struct cli_option *row = find_name(at, length);
        assert(row != NULL); /* a name that the table does not have would never be refused */
        if (is_given(options, row))
            return cli_usage(options, "--%s %s", row->name, why);
    }
    return CLI_DONE;
}

static int check_twice(
        const struct cli_options *options, const char *name, const struct cli_list *given)
{
    for (int i = 1; i < given->count; i++) {
        for (int k = 0; k < i; k++) {
            if (strcmp(given->items[i], given->items[k]) == 0)
                return cli_usage(options, "--%s '%s' is given twice", name, given->items[i]);
        }
    }
    return CLI_DONE;
}

int cli_check_archs(const struct cli_options *options)
{
    return check_twice(options, "arch", &options->arch);
}

int cli_check_dataflows(const struct cli_options *options)
{
    return check_twice(options, "dataflow", &options->dataflow);
}

int cli_refuse_void(const struct cli_options *options, const struct cli_void *cases, size_t n_cases)
{
    int exit_code = CLI_DONE;

    for (size_t i = 0; i < n_cases && exit_code == CLI_DONE; i++) {
        if (cases[i].applies)
            exit_code = cli_refuse(options, cases[i].names, cases[i].why);
    }
    return exit_code;
}

int cli_read_budget(const struct cli_options *options, double *seconds)
{
    char *end;

    *seconds = 0;
    if (options->budget_seconds == NULL)
        return CLI_DONE;
    *seconds = strtod(options->budget_seconds, &end);
    if (end == options->budget_seconds || *end != '\0' || !(*seconds > 0))
        return cli_usage(
                options, "--budget '%s' is no number of seconds above 0", options->budget_seconds);
    return CLI_DONE;
}

static bool unknown_option(const struct cli_options *options, const char *name, size_t length)
{
    const char *names[sizeof cli_option_table / sizeof *cli_option_table];
    char *wrong = cli_alloc(length + 1);

    memcpy(wrong, name, length);
    for (int i = 0; i < cli_option_count; i++)
        names[i] = cli_option_table[i].name;
    const char *nearest = sator_nearest(wrong, names, cli_option_count);
    if (nearest != NULL)
        cli_usage(options, "there is no option '--%s'; did you mean '--%s'?", wrong, nearest);
    else
        cli_usage(options, "there is no option '--%s'", wrong);
    free(wrong);
    return false;
}

static void append(struct cli_list *list, const char *item, int most)
{
    if (list->items == NULL)
        list->items = cli_alloc(sizeof *list->items * (size_t)most);
    list->items[list->count++] = item;
}

static bool set_number(
        const struct cli_options *options, const struct cli_option *row, const char *value)
{
    char *end;
    int64_t *field = (int64_t *)(void *)((char *)(uintptr_t)options + row->offset);

    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (errno != 0 || end == value || *end != '\0' || number < 0) {
        cli_usage(options, "--%s takes a whole number, not '%s'", row->name, value);
        return false;
    }
    if (number == 0 && row->kind == CLI_COUNT) {
        cli_usage(options, "--%s is at least 1", row->name);
        return false;
    }
    if (number > CLI_MAX_THREADS && strcmp(row->name, "threads") == 0) {
        cli_usage(options, "--threads is at most %d", CLI_MAX_THREADS);
        return false;
    }
    *field = number;
    return true;
}

/* One of two values would be read by nobody: the usage error that names both. */
static bool given_twice(const struct parse *parse, const struct cli_option *row, const char *value)
{
    cli_usage(parse->options, "--%s takes one argument and is given two: '%s' and '%s'", row->name,
            parse->first[row - cli_option_table], value);
    return false;
}

/* Keep the argument "value" of the option "row". */
static bool set_value(struct parse *parse, const struct cli_option *row, const char *value)
{
    char *field = (char *)parse->options + row->offset;
    const char **first = &parse->first[row - cli_option_table];
    bool takes_one = row->kind == CLI_TEXT || row->kind == CLI_CHOICE || row->kind == CLI_NUMBER ||
            row->kind == CLI_COUNT;

    if (takes_one && *first != NULL)
        return given_twice(parse, row, value);
    *first = value;
    switch (row->kind) {
    case CLI_NUMBER:
    case CLI_COUNT:
        return set_number(parse->options, row, value);
    case CLI_CHOICE:
        if (!has_word(row->argument, value, strlen(value), '|')) {
            cli_usage(parse->options, "--%s takes one of %s, not '%s'", row->name, row->argument,
                    value);
            return false;
        }
        *(const char **)(void *)field = value;
        return true;
    case CLI_TEXT:
        *(const char **)(void *)field = value;
        return true;
    case CLI_LIST:
    case CLI_MANY:
        append((struct cli_list *)(void *)field, value, parse->argc);
        return true;
    case CLI_FLAG:
        break;
    }
    *(bool *)field = true;
    return true;
}

static bool is_argument(const char *word)
{
    return word[0] != '-' || word[1] == '\0';
}

/* Take the value of "row" from "attached" (the text after "=" or a letter, or NULL) or from the
 * next words. */
static bool take_value(struct parse *parse, const struct cli_option *row, const char *attached)
{
    parse->seen[row - cli_option_table] = true;
    if (row->kind == CLI_FLAG) {
        if (attached != NULL) {
            cli_usage(parse->options, "--%s takes no argument", row->name);
            return false;
        }
        return set_value(parse, row, NULL);
    }
    if (attached == NULL) {
        if (parse->next == parse->argc ||
                (row->kind == CLI_MANY && !is_argument(parse->argv[parse->next]))) {
            cli_usage(parse->options, "--%s needs an argument: %s", row->name, row->argument);
            return false;
        }
        attached = parse->argv[parse->next++];
    }
    if (!set_value(parse, row, attached))
        return false;
    while (row->kind == CLI_MANY && parse->next < parse->argc &&
            is_argument(parse->argv[parse->next])) {
        if (!set_value(parse, row, parse->argv[parse->next++]))
            return false;
    }
    return true;
}

static bool take_option(struct parse *parse, const char *word)
{
    const char *attached;
    const struct cli_option *row = find_option(word, &attached);

    if (row != NULL)
        return take_value(parse, row, attached);
    if (word[1] == '-')
        return unknown_option(parse->options, word + 2, strcspn(word + 2, "="));
    cli_usage(parse->options, "there is no option '%s'", word);
    return false;
}

static bool take_command(struct cli_options *options, const char *name)
{
    const char *names[sizeof cli_commands / sizeof *cli_commands];

    for (int i = 0; i < cli_command_count; i++) {
        names[i] = cli_commands[i].name;
        if (strcmp(cli_commands[i].name, name) == 0) {
            options->command = &cli_commands[i];
            return true;
        }
    }
    const char *nearest = sator_nearest(name, names, cli_command_count);
    if (nearest != NULL)
        cli_usage(options, "there is no command '%s'; did you mean '%s'?", name, nearest);
    else
        cli_usage(options, "there is no command '%s'", name);
    return false;
}

static bool take_word(struct parse *parse, const char *word)
{
    if (parse->only_arguments || is_argument(word)) {
        if (parse->options->command == NULL)
            return take_command(parse->options, word);
        append(&parse->options->arguments, word, parse->argc);
        return true;
    }
    if (strcmp(word, "--") == 0) {
        parse->only_arguments = true;
        return true;
    }
    return take_option(parse, word);
}

static bool check_applies(const struct parse *parse)
{
    const struct cli_command *command = parse->options->command;

    for (int i = 0; command != NULL && i < cli_option_count; i++) {
        if (parse->seen[i] && !cli_option_applies(&cli_option_table[i], command->name)) {
            cli_usage(parse->options, "sator %s has no option '--%s'", command->name,
                    cli_option_table[i].name);
            return false;
        }
    }
    if (parse->options->json && parse->options->csv) {
        cli_usage(parse->options, "--json or --csv, not both");
        return false;
    }
    if (parse->options->format != NULL && (parse->options->json || parse->options->csv)) {
        cli_usage(parse->options, "--format or --%s, not both",
                parse->options->json ? "json" : "csv");
        return false;
    }
    if (parse->options->schema != NULL && cli_format(parse->options) != SATOR_FORMAT_JSON) {
        cli_usage(parse->options, "--schema goes with --json");
        return false;
    }
    return true;
}

/* Whether a shell takes the word as it is. */
static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";

    return *word != '\0' && strspn(word, plain) == strlen(word);
}

/* Whether a word is about where a result goes, not what it is; how many words there are with its
 * argument. */
static int about_output(const char *word)
{
    static const char names[] = "csv db html json output pareto quiet resume svg threads top";
    const char *attached;
    const struct cli_option *row = find_option(word, &attached);

    if (row == NULL || !has_word(names, row->name, strlen(row->name), ' '))
        return 0;
    return row->kind == CLI_FLAG || attached != NULL ? 1 : 2;
}

/* The command line as one would type it (GIVE: free); "bare" without what is about output. */
static char *quoted_line(int argc, char **argv, bool bare)
{
    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);

    for (int i = 1; i < argc && out != NULL; i++) {
        if (bare && about_output(argv[i]) > 0) {
            i += about_output(argv[i]) - 1;
            continue;
        }
        fputs(i == 1 ? "sator " : " ", out);
        if (is_plain(argv[i])) {
            fputs(argv[i], out);
            continue;
        }
        fputc('\'', out);
        for (const char *at = argv[i]; *at != '\0'; at++)
            fputs(*at == '\'' ? "'\\''" : (char[]){*at, '\0'}, out);
        fputc('\'', out);
    }
    if (out != NULL)
        fclose(out);
    return line;
}

bool cli_parse(int argc, char **argv, struct cli_options *options)
{
    struct parse parse = {.argc = argc, .argv = argv, .next = 1, .options = options};

    options->line = quoted_line(argc, argv, false);
    options->bare_line = quoted_line(argc, argv, true);

    while (parse.next < argc) {
        if (!take_word(&parse, argv[parse.next++]))
            return false;
    }
    return check_applies(&parse);
}

void cli_options_clear(struct cli_options *options)
{
    free(options->line);
    free(options->bare_line);
    free(options->arguments.items);
#define CLEAR_FLAG(field)
#define CLEAR_TEXT(field)
#define CLEAR_CHOICE(field)
#define CLEAR_NUMBER(field)
#define CLEAR_COUNT(field)
#define CLEAR_LIST(field) free(options->field.items);
#define CLEAR_MANY(field) free(options->field.items);
#define OPTION(kind, field, name, letter, argument, commands, help, example) CLEAR_##kind(field)
#include "cli/options.def"
#undef OPTION
}
