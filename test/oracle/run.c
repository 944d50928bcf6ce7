#include "oracle/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool read_number(const char *text, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

static const char *given(const char *name, const char *other_name)
{
    const char *text = getenv(name);
    return text ? text : getenv(other_name);
}

int64_t run_count(int64_t n_cases)
{
    uint64_t number;
    const char *cases = given("SATOR_CASES", "SATOR_TEST_COUNT");
    const char *share = getenv("SATOR_TEST_SHARE");

    if (cases != NULL && read_number(cases, &number))
        return (int64_t)number;
    if (share != NULL && read_number(share, &number) && number > 0)
        return n_cases / (int64_t)number > 0 ? n_cases / (int64_t)number : 1;
    return n_cases;
}

bool run_options(int argc, char **argv, int64_t n_cases, struct run_options *options)
{
    uint64_t number;
    const char *seed = given("SATOR_SEED", "SATOR_TEST_SEED");

    *options = (struct run_options){.seed = (uint64_t)time(NULL), .n_cases = run_count(n_cases)};
    if (seed && read_number(seed, &number))
        options->seed = number;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || !read_number(argv[i + 1], &number)) {
            fprintf(stderr, "usage: %s [--seed N] [--cases N] [--case N] [--general-every N]\n",
                    argv[0]);
            return false;
        }
        if (strcmp(argv[i], "--seed") == 0)
            options->seed = number;
        else if (strcmp(argv[i], "--cases") == 0)
            options->n_cases = (int64_t)number;
        else if (strcmp(argv[i], "--general-every") == 0)
            options->general_every = (int64_t)number;
        else if (strcmp(argv[i], "--case") == 0) {
            options->first_case = (int64_t)number;
            options->n_cases = 1;
        }
    }
    printf("seed %" PRIu64 ", %" PRId64 " cases\n", options->seed, options->n_cases);
    fflush(stdout);
    return true;
}

uint64_t run_case_seed(const struct run_options *options, int64_t number)
{
    return options->seed * 0x2545f4914f6cdd1du + (uint64_t)number * 0x9e3779b97f4a7c15u;
}
