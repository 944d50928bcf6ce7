/* Stamps in order by sorting instances, for maps of any form. Private to walks. */
#ifndef SATOR_SIMULATE_SORTED_H
#define SATOR_SIMULATE_SORTED_H

#include "simulate/touch.h"

struct sorted;

enum sator_status sorted_new(
        struct sator_ctx *ctx, const struct walk_question *question, struct sorted **sorted);
void sorted_free(struct sorted *sorted);
enum sator_status sorted_next(struct sorted *sorted, int *changed);
bool sorted_more(struct sorted *sorted, struct walk_part *part);
void sorted_again(struct sorted *sorted);
const int64_t *sorted_stamp(const struct sorted *sorted);

#endif
