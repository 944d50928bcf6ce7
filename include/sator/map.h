/* The best mapping of a workload onto an architecture, with a certificate (doc/mapper.md). */
#ifndef SATOR_MAP_H
#define SATOR_MAP_H

#include "sator/analyze.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sator_map_objective {
    SATOR_MAP_EDP,
    SATOR_MAP_ENERGY,
    SATOR_MAP_LATENCY
};

#ifdef __cplusplus
}
#endif
#endif
