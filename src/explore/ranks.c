/* Whether a launcher started this process as one of several; MPI itself is in a plugin, so that the
 * program starts fast and runs where there is no MPI. */
#include "explore/ranks.h"

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLUGIN "libsator_mpi.so"

/* Variables that launchers set to the number of processes: Open MPI; MPICH and its kin. */
static const char *const size_variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

static bool is_launched(void)
{
    for (size_t i = 0; i < sizeof size_variables / sizeof *size_variables; i++) {
        const char *size = getenv(size_variables[i]);
        if (size != NULL && atoi(size) > 1)
            return true;
    }
    return false;
}

/* The plugin beside the program, in ../lib/sator, or where the system looks for libraries. */
static void *open_plugin(void)
{
    static const char *const places[] = {"", "../lib/sator/", "../lib/"};
    char program[PATH_MAX], path[PATH_MAX + 64];
    const char *named = getenv("SATOR_MPI_PLUGIN");
    void *plugin = NULL;

    if (named != NULL)
        return dlopen(named, RTLD_NOW | RTLD_GLOBAL);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL)
        slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places && plugin == NULL && slash != NULL; i++) {
        snprintf(path, sizeof path, "%s%s%s", program, places[i], PLUGIN);
        plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    return plugin != NULL ? plugin : dlopen(PLUGIN, RTLD_NOW | RTLD_GLOBAL);
}

bool explore_ranks_join(struct explore_ranks **ranks, const char **why)
{
    explore_ranks_open_function *open = NULL;

    *ranks = NULL;
    if (!is_launched())
        return true;
    void *plugin = open_plugin();
    void *symbol = plugin == NULL ? NULL : dlsym(plugin, EXPLORE_RANKS_SYMBOL);
    if (symbol == NULL) {
        *why = "this program was built without MPI, and several processes were started (build it "
               "with Open MPI, or "
               "visit one shard a process)";
        return false;
    }
    memcpy(&open, &symbol, sizeof open); /* ISO C has no cast from an object to a function */
    *ranks = open();
    if (*ranks == NULL)
        *why = "MPI did not start";
    return *ranks != NULL;
}
