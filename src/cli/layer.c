/* The layer that --layer names. */
#include "cli/cli.h"

#include "sator/input.h"

#include <stdlib.h>
#include <string.h>

/* Say that there is no such layer, and which one may be meant. */
static void say_missing(const struct sator_network *network, const char *wanted)
{
    int n = sator_network_layer_count(network);
    const char **names = cli_alloc(sizeof *names * (size_t)n);

    for (int i = 0; i < n; i++)
        names[i] = sator_network_layer_name(network, i);
    const char *nearest = sator_nearest(wanted, names, n);
    fprintf(stderr, "sator: %s has %d layer%s, none is '%s'", sator_network_name(network), n,
            n == 1 ? "" : "s", wanted);
    if (nearest != NULL)
        fprintf(stderr, "; did you mean '%s'?\n", nearest);
    else
        fputs("; 'sator show' of the network has their names\n", stderr);
    free(names);
}

int cli_find_layer(const struct sator_network *network, const char *wanted, int *layer)
{
    int n = sator_network_layer_count(network);
    char *end;

    *layer = -1;
    if (wanted == NULL)
        return CLI_DONE;
    for (int i = 0; i < n && *layer < 0; i++)
        *layer = strcmp(sator_network_layer_name(network, i), wanted) == 0 ? i : -1;
    long number = strtol(wanted, &end, 10);
    if (*layer < 0 && end != wanted && *end == '\0' && number >= 1 && number <= n)
        *layer = (int)number - 1;
    if (*layer < 0)
        say_missing(network, wanted);
    return *layer < 0 ? CLI_INPUT : CLI_DONE;
}

int cli_choose_layer(const struct sator_network *network, const char *wanted, int *layer)
{
    int exit_code = cli_find_layer(network, wanted, layer);
    bool is_workload = sator_network_layer_count(network) == 1 &&
            strcmp(sator_network_name(network), sator_network_layer_name(network, 0)) == 0;

    if (wanted == NULL && is_workload)
        *layer = 0;
    return exit_code;
}
