/* The built-in library: the YAML files of library/, embedded at build time. */
#ifndef SATOR_API_LIBRARY_H
#define SATOR_API_LIBRARY_H

#include <stddef.h>

struct sator_library_file {
    const char *name; /* path below library/ without ".yaml": "dataflows/gemm/ij-p_j-ijk-t" */
    const char *title; /* the file's "name:", such as "(IJ-P | J,IJK-T)"; "" without one */
    const char *summary; /* the file's "summary:"; "" without one */
    const char *text;
    size_t length;
};

extern const struct sator_library_file sator_library_files[];
extern const int sator_library_file_count;

/* The entry "name" of the folder "folder" ("workloads", "energy", ...), or NULL. A dataflow may
 * also be called by its title; "*n_alike" is how many of the folder's entries have this name or
 * title. */
const struct sator_library_file *sator_library_find(
        const char *folder, const char *name, int *n_alike);
/* The name of an entry below its folder. */
const char *sator_library_entry_name(const struct sator_library_file *file, const char *folder);
/* Whether the entry is in the folder and has "name" as its title, blanks aside. */
int sator_library_has_title(
        const struct sator_library_file *file, const char *folder, const char *name);

#endif
