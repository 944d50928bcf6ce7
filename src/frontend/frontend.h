/* Readers, one subfolder an input format. Each reports everything wrong in its input and returns
 * SATOR_INPUT. */
#ifndef SATOR_FRONTEND_FRONTEND_H
#define SATOR_FRONTEND_FRONTEND_H

#include "arch/arch.h"
#include "relation/workload.h"
#include "sator/input.h"

#include <stdio.h>

/* What a YAML document is, from its keys. */
enum sator_document {
    SATOR_DOCUMENT_UNKNOWN,
    SATOR_DOCUMENT_WORKLOAD,
    SATOR_DOCUMENT_NETWORK,
    SATOR_DOCUMENT_ARCH,
    SATOR_DOCUMENT_DATAFLOW
};

/* Finds the text that an input names: a file (looked for beside the input first), or the entry
 * "name" of the folder "folder" of the library. Reports at "loc" when there is none. */
typedef enum sator_status sator_find_source(struct sator_ctx *ctx, const char *folder,
        const char *name, struct sator_loc loc, const struct sator_source **source);

/* "path=value" of --set, split over the inputs: a setting is used by the document that has its
 * first key. */
struct sator_settings {
    int n_sets;
    const char *const *sets;
    const char *const *specs; /* n_sets, or NULL: the "gemm:i=512" that "sizes.i=512" comes from;
                                 NULL for a --set */
    int n_varied; /* the last so many of "sets" are values of --vary */
    bool *used; /* n_sets flags, set when a document took the setting */
    sator_find_source *find; /* NULL: an input may name no other */
    bool is_rewritten; /* the text is an input of another format, written as YAML for the settings
                          to apply to */
};

/* ---- yaml/ (the only user of libyaml) ---- */
/* Whether a setting's path begins with a key that documents of this kind have. */
bool sator_yaml_takes(enum sator_document kind, const char *path);
/* The top-level keys of all kinds, each once, into "names" (room for "most"); how many. */
int sator_yaml_all_keys(const char **names, int most);
enum sator_status sator_yaml_kind(
        struct sator_ctx *ctx, const struct sator_source *source, enum sator_document *kind);
/* Report that a document of unknown kind is none, with the key that may be misspelt. Returns
 * SATOR_INPUT. */
enum sator_status sator_yaml_unknown(struct sator_ctx *ctx, const struct sator_source *source);
/* Whether a document of unknown kind is a table of energies, Sator's or Accelergy's; errors if it
 * is a wrong one. */
enum sator_status sator_yaml_check_table(
        struct sator_ctx *ctx, const struct sator_source *source, bool *is_table);
/* A workload or a network; a workload becomes a network of one layer. */
enum sator_status sator_yaml_network(struct sator_ctx *ctx, const struct sator_source *source,
        const struct sator_settings *settings, struct sator_network **network);
enum sator_status sator_yaml_arch(struct sator_ctx *ctx, const struct sator_source *source,
        const struct sator_settings *settings, struct sator_arch **arch);
enum sator_status sator_yaml_dataflow(struct sator_ctx *ctx, const struct sator_source *source,
        const struct sator_settings *settings, struct sator_dataflow **dataflow);
/* Check a space- or time-stamp ("key" says which) before its loops are known; one in isl notation,
 * a relation by position, is read into "*relation". */
enum sator_status sator_yaml_read_stamp(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc, const char *key, const struct sator_relation **relation);
/* What was read, as a YAML text in Sator's notation that reads back to the same thing. */
struct sator_text;
void sator_yaml_write_network(struct sator_text *text, const struct sator_network *network);
void sator_yaml_write_arch(struct sator_text *text, const struct sator_arch *arch);
void sator_yaml_write_dataflow(struct sator_text *text, const struct sator_dataflow *dataflow);

/* ---- timeloop/ ---- */
/* Whether a YAML text is Timeloop's: it has a problem, an architecture or a mapping. */
bool sator_timeloop_is(const struct sator_source *source);
/* Whether it has the part that is a document of "kind". */
bool sator_timeloop_has(const struct sator_source *source, enum sator_document kind);
/* Its problem, architecture or mapping ("kind") as a document in Sator's notation. */
enum sator_status sator_timeloop_read(struct sator_ctx *ctx, const struct sator_source *source,
        enum sator_document kind, struct sator_text *text);

/* Its constraints on loops as texts that a search takes, into "arena"; what of them cannot be said
 * is named in a warning. */
enum sator_status sator_timeloop_constraints(struct sator_ctx *ctx,
        const struct sator_source *source, struct sator_arena *arena, int *n_texts,
        const char *const **texts);

/* ---- scalesim/ ---- */
/* Whether a text is SCALE-Sim's: a topology (CSV) or a configuration (INI). */
bool sator_scalesim_is(const struct sator_source *source);
bool sator_scalesim_has(const struct sator_source *source, enum sator_document kind);
/* A topology as a network, a configuration as an architecture, in Sator's notation. */
enum sator_status sator_scalesim_read(struct sator_ctx *ctx, const struct sator_source *source,
        enum sator_document kind, struct sator_text *text);

/* ---- maestro/ ---- */
/* Whether a text is MAESTRO's: a network, which may have a dataflow for each layer, or hardware. */
bool sator_maestro_is(const struct sator_source *source);
bool sator_maestro_has(const struct sator_source *source, enum sator_document kind);
enum sator_status sator_maestro_read(struct sator_ctx *ctx, const struct sator_source *source,
        enum sator_document kind, struct sator_text *text);

/* ---- zigzag/ ---- */
/* Whether a YAML text is ZigZag's: layers, hardware or mappings. */
bool sator_zigzag_is(const struct sator_source *source);
bool sator_zigzag_has(const struct sator_source *source, enum sator_document kind);
enum sator_status sator_zigzag_read(struct sator_ctx *ctx, const struct sator_source *source,
        enum sator_document kind, struct sator_text *text);

/* ---- onnx/ ---- */
/* The model in "file", called "path" in messages, as a network in Sator's notation. */
enum sator_status sator_onnx_read(struct sator_ctx *ctx, const char *path, FILE *file,
        const struct sator_input_options *options, struct sator_text *text);
/* The same from the file at "path"; "-" is the standard input. */
enum sator_status sator_onnx_network(struct sator_ctx *ctx, const char *path,
        const struct sator_input_options *options, struct sator_text *text);

/* ---- c/ (the only user of libclang, which is loaded when the first C file is read) ---- */
enum sator_status sator_c_network(struct sator_ctx *ctx, const struct sator_source *source,
        const struct sator_input_options *options, struct sator_network **network);
/* The nests found in a file, one a line with function, line and statement, readable or why not. */
enum sator_status sator_c_list(struct sator_ctx *ctx, const struct sator_source *source,
        const struct sator_input_options *options, struct sator_text *text);

/* ---- tenet/: files of the published TENET program ---- */
enum sator_status sator_tenet_statement(
        struct sator_ctx *ctx, const struct sator_source *source, struct sator_network **network);
enum sator_status sator_tenet_mapping(
        struct sator_ctx *ctx, const struct sator_source *source, struct sator_dataflow **dataflow);
/* "interval": 0 for the program's reading (every link serves both in the same stamp and from the
 * previous one), 1 for the paper's systolic reading. Links are turned round: the files give
 * consumer -> provider. */
enum sator_status sator_tenet_pe_array(struct sator_ctx *ctx, const struct sator_source *source,
        int interval, struct sator_arch **arch);
/* An experiment file: paths of its mapping, PE array and statement, as found relative to the file
 * or its parents. */
enum sator_status sator_tenet_experiment(struct sator_ctx *ctx, const struct sator_source *source,
        struct sator_arena *arena, const char **mapping, const char **pe_array,
        const char **statement);
/* Whether a file that has an experiment's place is a sweep: its first line is a name and a number.
 */
bool sator_tenet_is_sweep(const struct sator_source *source);
/* A sweep file: a statement, and groups of mappings each of which goes with each PE array of the
 * group. */
enum sator_status sator_tenet_sweep(struct sator_ctx *ctx, const struct sator_source *source,
        struct sator_arena *arena, int *n_cases, const struct sator_experiment **cases);

#endif
