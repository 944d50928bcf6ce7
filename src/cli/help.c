/* Help, manual page and completion, all made of commands.def and options.def. */
#include "cli/cli.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char introduction[] =
        "sator models how a tensor computation runs on a spatial accelerator, exactly:\n"
        "which data is reused, what crosses each wire and memory, how long it takes, what it "
        "costs.\n";

static const char exit_codes[] =
        "0 done; 1 the input is wrong; 2 the call is wrong; 3 a budget ran out or no mapping "
        "exists;\n"
        "4 an execution and its analysis disagree; 5 memory ran out;\n"
        "130 interrupted (Ctrl-C prints what is done so far; a second one stops at once)";

static const char inputs[] =
        "WORKLOAD, ARCH and DATAFLOW are a file or a name of the built-in library; sizes may "
        "follow a\n"
        "name (gemm:i=512,j=512,k=512). A WORKLOAD is a YAML file, a C file with a loop nest, or a "
        ".s file\n"
        "of the TENET program, whose experiment files say everything: sator analyze EXPERIMENT; a "
        "sweep of experiments becomes a comparison.";

/* A memory stream: "text" holds the result (free) once it is closed. */
static FILE *open_text(char **text, size_t *size)
{
    FILE *out = open_memstream(text, size);

    assert(out != NULL); /* nothing but memory is needed (memory.c) */
    return out;
}

static char *close_text(FILE *out, char *const *text)
{
    int failed = fclose(out);

    assert(failed == 0);
    (void)failed;
    return *text;
}

static void print_option(FILE *out, const struct cli_option *row)
{
    if (row->letter != 0)
        fprintf(out, "  -%c, ", row->letter);
    else
        fputs("      ", out);
    fprintf(out, "--%s%s%s\n          %s\n", row->name, *row->argument == '\0' ? "" : " ",
            row->argument, row->help);
    fprintf(out, "          e.g. %s\n", row->example);
}

static void print_options(FILE *out, const char *command)
{
    for (int i = 0; i < cli_option_count; i++) {
        const struct cli_option *row = &cli_option_table[i];
        if (command == NULL ? strcmp(row->commands, "*") == 0 : cli_option_applies(row, command))
            print_option(out, row);
    }
}

char *cli_help_text(const struct cli_command *command)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_text(&text, &size);

    if (command != NULL) {
        fprintf(out, "usage: sator %s %s\n\n%s\n\n  %s\n\n", command->name, command->arguments,
                command->summary, command->example);
        fprintf(out, "%s\n\noptions:\n", inputs);
        print_options(out, command->name);
        return close_text(out, &text);
    }
    fprintf(out, "usage: sator COMMAND [OPTION...]\n\n%s\ncommands:\n", introduction);
    for (int i = 0; i < cli_command_count; i++) {
        const struct cli_command *row = &cli_commands[i];
        fprintf(out, "  %-8s %s\n           e.g. %s\n", row->name, row->summary, row->example);
    }
    fputs("\noptions of every command:\n", out);
    print_options(out, NULL);
    fprintf(out, "\nsator COMMAND --help says more.\n\nexit codes: %s\n", exit_codes);
    return close_text(out, &text);
}

/* Text in roff: backslashes and leading dots are not commands, hyphens are not broken. */
static void roff(FILE *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        bool line_start = at == text || at[-1] == '\n';
        if (*at == '\\')
            fputs("\\e", out);
        else if (*at == '-')
            fputs("\\-", out);
        else if (line_start && (*at == '.' || *at == '\''))
            fprintf(out, "\\&%c", *at);
        else
            fputc(*at, out);
    }
}

static void roff_example(FILE *out, const char *example)
{
    fputs("\n.br\nExample: ", out);
    roff(out, example);
    fputc('\n', out);
}

static void roff_option(FILE *out, const struct cli_option *row)
{
    fputs(".TP\n", out);
    if (row->letter != 0)
        fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
    fputs("\\fB\\-\\-", out);
    roff(out, row->name);
    fputs("\\fR", out);
    if (*row->argument != '\0') {
        fputs(" \\fI", out);
        roff(out, row->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    roff(out, row->help);
    roff_example(out, row->example);
}

static void roff_section(FILE *out, const char *title)
{
    fprintf(out, ".SH %s\n", title);
}

static void roff_synopsis(FILE *out, const struct cli_command *row)
{
    fprintf(out, ".B sator %s\n", row->name);
    roff(out, row->arguments);
    fputs("\n.RI [ option ...]\n.br\n", out);
}

/* The heading: "NAME - what" of section 1. */
static void roff_head(FILE *out, const char *command, const char *what)
{
    fprintf(out, ".TH \"SATOR%s%s\" 1 \"\" \"sator %s\" \"User Commands\"\n",
            *command == '\0' ? "" : "\\-", command, SATOR_VERSION);
    roff_section(out, "NAME");
    fprintf(out, "sator%s%s \\- ", *command == '\0' ? "" : "\\-", command);
    roff(out, what);
    fputc('\n', out);
}

static void roff_end(FILE *out)
{
    roff_section(out, "EXIT STATUS");
    roff(out, exit_codes);
    fputc('\n', out);
    roff_section(out, "ENVIRONMENT");
    fputs(".TP\n.B NO_COLOR\nif set, terminals get no colours either\n", out);
}

static void man_of_command(FILE *out, const struct cli_command *command)
{
    roff_head(out, command->name, command->summary);
    roff_section(out, "SYNOPSIS");
    roff_synopsis(out, command);
    roff_section(out, "DESCRIPTION");
    roff(out, inputs);
    roff_example(out, command->example);
    roff_section(out, "OPTIONS");
    for (int i = 0; i < cli_option_count; i++) {
        if (cli_option_applies(&cli_option_table[i], command->name))
            roff_option(out, &cli_option_table[i]);
    }
    roff_end(out);
    roff_section(out, "SEE ALSO");
    fputs(".BR sator (1)\n", out);
}

static void man_of_all(FILE *out)
{
    roff_head(out, "", "exact model of tensor computations on spatial accelerators");
    roff_section(out, "SYNOPSIS");
    for (int i = 0; i < cli_command_count; i++)
        roff_synopsis(out, &cli_commands[i]);
    roff_section(out, "DESCRIPTION");
    roff(out, introduction);
    fputs(".PP\n", out);
    roff(out, inputs);
    fputc('\n', out);
    roff_section(out, "COMMANDS");
    for (int i = 0; i < cli_command_count; i++) {
        fprintf(out, ".TP\n.BR sator\\-%s (1)\n", cli_commands[i].name);
        roff(out, cli_commands[i].summary);
        roff_example(out, cli_commands[i].example);
    }
    roff_section(out, "OPTIONS");
    for (int i = 0; i < cli_option_count; i++) {
        if (strcmp(cli_option_table[i].commands, "*") == 0)
            roff_option(out, &cli_option_table[i]);
    }
    roff_end(out);
}

char *cli_man_text(const struct cli_command *command)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_text(&text, &size);

    if (command == NULL)
        man_of_all(out);
    else
        man_of_command(out, command);
    return close_text(out, &text);
}

static void complete_words(FILE *out, const char *words, char separator)
{
    for (const char *at = words; *at != '\0'; at++)
        fputc(*at == separator ? ' ' : *at, out);
}

static void completion_options(FILE *out)
{
    fputs("    case \"$command\" in\n", out);
    for (int i = 0; i < cli_command_count; i++) {
        fprintf(out, "    %s) words='", cli_commands[i].name);
        for (int j = 0; j < cli_option_count; j++) {
            if (cli_option_applies(&cli_option_table[j], cli_commands[i].name))
                fprintf(out, "--%s ", cli_option_table[j].name);
        }
        fputs("' ;;\n", out);
    }
    fputs("    *) words='--help --version' ;;\n    esac\n", out);
}

static void completion_values(FILE *out)
{
    fputs("    case \"$previous\" in\n", out);
    for (int i = 0; i < cli_option_count; i++) {
        const struct cli_option *row = &cli_option_table[i];
        if (row->kind != CLI_CHOICE || *row->commands == '\0')
            continue;
        fprintf(out, "    --%s) COMPREPLY=($(compgen -W '", row->name);
        complete_words(out, row->argument, '|');
        fputs("' -- \"$current\")); return ;;\n", out);
    }
    fputs("    --arch|-a) COMPREPLY=($(compgen -W \"$(_sator_names archs)\" -- \"$current\")"
          " $(compgen -f -- \"$current\")); return ;;\n"
          "    --dataflow|-d) COMPREPLY=($(compgen -W \"$(_sator_names dataflows)\" -- "
          "\"$current\")"
          " $(compgen -f -- \"$current\")); return ;;\n"
          "    --output|-o) COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"
          "    --include|-I) COMPREPLY=($(compgen -d -- \"$current\")); return ;;\n"
          "    esac\n",
            out);
}

/* What stands behind each command: names of the library, or the words that its arguments list. */
static void completion_arguments(FILE *out)
{
    for (int i = 0; i < cli_command_count; i++) {
        const char *arguments = cli_commands[i].arguments;
        fprintf(out, "    %s) words=", cli_commands[i].name);
        if (strncmp(arguments, "WORKLOAD", strlen("WORKLOAD")) == 0)
            fputs("$(_sator_names workloads networks)", out);
        else if (strncmp(arguments, "NAME", strlen("NAME")) == 0)
            fputs("$(_sator_names workloads networks archs dataflows energies)", out);
        else if (strcmp(arguments, "[COMMAND]") == 0)
            for (int j = 0; j < cli_command_count; j++)
                fprintf(out, "%s%s%s", j == 0 ? "'" : " ", cli_commands[j].name,
                        j + 1 == cli_command_count ? "'" : "");
        else if (strchr(arguments, '|') != NULL) { /* [one|or|another] */
            char words[128];
            snprintf(words, sizeof words, "%.*s", (int)strcspn(arguments + 1, "]"), arguments + 1);
            fputc('\'', out);
            complete_words(out, words, '|');
            fputc('\'', out);
        }
        fputs(" ;;\n", out);
    }
}

char *cli_completion_text(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_text(&text, &size);

    fputs("# bash completion for sator, made by: sator --completion bash\n"
          "_sator_names()\n{\n"
          "    local kind\n"
          "    for kind in \"$@\"; do\n"
          "        sator list \"$kind\" --csv 2>/dev/null | sed -n "
          "'2,$s/^[^,]*,\\([^,]*\\).*/\\1/p'\n"
          "    done\n}\n"
          "_sator()\n{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local command=${COMP_WORDS[1]} words=''\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "        COMPREPLY=($(compgen -W '",
            out);
    for (int i = 0; i < cli_command_count; i++)
        fprintf(out, "%s ", cli_commands[i].name);
    fputs("--help --version' -- \"$current\"))\n        return\n    fi\n", out);
    completion_values(out);
    completion_options(out);
    fputs("    if [[ $current == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
          "        return\n"
          "    fi\n"
          "    case \"$command\" in\n",
            out);
    completion_arguments(out);
    fputs("    *) words='' ;;\n"
          "    esac\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\") $(compgen -f -- \"$current\"))\n"
          "}\n"
          "complete -o filenames -F _sator sator\n",
            out);
    return close_text(out, &text);
}
