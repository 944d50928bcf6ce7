/* A random program as a user would give it: three YAML files, read and analysed through the public
 * interface. */
#ifndef SATOR_TEST_FILES_H
#define SATOR_TEST_FILES_H

#include "oracle/notation.h"
#include "sator/analyze.h"

/* How a program is written down: nothing here may change a number of doc/model.md, section 2. */
struct files_style {
    bool einsum; /* where the program can be one */
    enum notation notation;
    struct notation_levels levels;
    enum sator_model_choice model; /* which is asked; "levels" then change nothing else either */
};

enum files_file {
    FILES_WORKLOAD,
    FILES_ARCH,
    FILES_DATAFLOW,
    FILES
};

extern const char *const files_names[FILES];

/* Make a new directory for the files below TMPDIR or /tmp; ends the program when that fails. */
void files_open(char directory[256]);
void files_close(const char *directory);

void files_print(FILE *out, const struct oracle_program *program, const struct files_style *style,
        enum files_file file);

/* Write, read and analyse. "*what" names the file that was refused, or the analysis. */
enum sator_status files_analyze(struct sator_ctx *ctx, const char *directory,
        const struct oracle_program *program, const struct files_style *style,
        enum sator_engine_choice engine, const char **what, struct sator_result **result);

#endif
