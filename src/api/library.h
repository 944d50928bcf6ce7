/* The built-in library: the YAML files of library/, embedded at build time. */
#ifndef SATOR_API_LIBRARY_H
#define SATOR_API_LIBRARY_H

#include <stddef.h>

struct sator_library_file {
    const char *name; /* path below library/ without ".yaml": "dataflows/gemm/ij-p_j-ijk-t" */
    const char *text;
    size_t length;
};

extern const struct sator_library_file sator_library_files[];
extern const int sator_library_file_count;

#endif
