/* Which time is meant where the caller says nothing of it: the one place that has the default. */
#ifndef SATOR_API_TIMING_H
#define SATOR_API_TIMING_H

#include "sator/analyze.h"

enum {
    TIMING_USUAL = SATOR_TIMING_SCHEDULED
};

static inline enum sator_timing_choice sator_timing_of(
        enum sator_timing_choice given, bool has_schedule)
{
    if (given != SATOR_TIMING_AUTO)
        return given;
    return has_schedule ? (enum sator_timing_choice)TIMING_USUAL : SATOR_TIMING_ROOFLINE;
}

#endif
