/* Random mappings, the same ones for the same seed: the baseline. */
#include "mapper/search/search.h"

void sator_mapper_random_search(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    uint64_t state = search->options->seed;
    uint64_t samples = search->options->samples == 0 ? 100000 : search->options->samples;

    for (uint64_t n = 0; n < samples && !sator_mapper_should_stop(search); n++) {
        struct mapper_mapping mapping;
        sator_mapper_draw(p, &state, &mapping);
        search->counters.tilings++;
        if (sator_mapper_is_legal(p, search->words, &mapping))
            sator_mapper_try(search, &mapping);
        else
            search->counters.pruned_capacity++;
    }
}
