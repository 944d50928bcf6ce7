/* What the functions of sator/map.h share. */
#ifndef SATOR_API_MAP_H
#define SATOR_API_MAP_H

#include "sator/map.h"

/* The caller's options, checked. "has_schedule": they are of a search that may be by the scheduled
 * time, which then is the default. */
enum sator_status sator_map_take_options(struct sator_ctx *ctx,
        const struct sator_map_options *given, bool has_schedule,
        struct sator_map_options *options);

#endif
