/* Reading what an analysis needs: workloads and networks, architectures, dataflows.
 *
 * A "spec" is a file name, the name of an entry of the built-in library, or such a name
 * with sizes: "gemm:i=512,j=512,k=512". Whatever is wrong in a file is reported, all of it,
 * through the context's messages; the call then returns SATOR_INPUT.
 *
 * What was read does not change: several contexts, one a thread, may analyse it at once, as long as
 * the context that read it lives (messages point into its sources).
 */
#ifndef SATOR_INPUT_H
#define SATOR_INPUT_H

#include "sator/context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sator_network; /* one workload or more: the layers of a network */
struct sator_arch; /* an accelerator: memory levels, PE arrays, compute */
struct sator_dataflow; /* where and when each loop instance runs */

struct sator_input_options {
    size_t size; /* sizeof the struct: sator/context.h */
    const char *const
            *defines; /* "N=256": macros for C files, symbolic dimensions of ONNX models */
    int n_defines;
    const char *const *include_dirs;
    int n_include_dirs;
    const char *function; /* C: read this function; NULL: the scop, or the only function */
    int nest; /* C: the nest's number from 1; 0: the only one */
    const char *const *sets; /* "sizes.k=64": values that override fields of the input */
    int n_sets;
    bool all_operators; /* ONNX: also the operators that multiply nothing become layers */
    int n_varied; /* the last so many of "sets" come from --vary: messages say so */
    bool no_dataflow; /* no dataflow is read: "sets" of a dataflow's fields are errors */
    int tenet_interval; /* .p files: 1: paper's systolic reading; 0: the program's reading,
                           intervals 0 and 1 */
};

/* Read a workload or a network (GIVE: sator_network_free). "options" may be NULL. */
SATOR_API enum sator_status sator_network_load(struct sator_ctx *ctx, const char *spec,
        const struct sator_input_options *options, SATOR_GIVE struct sator_network **network);
/* Read several as one network, layer after layer (GIVE: sator_network_free). Layers whose name an
 * earlier one has are called "NETWORK/LAYER", and then "NETWORK/LAYER#2" and so on. The options are
 * for each of them. */
SATOR_API enum sator_status sator_network_load_all(struct sator_ctx *ctx, int n_specs,
        const char *const *specs, const struct sator_input_options *options,
        SATOR_GIVE struct sator_network **network);
SATOR_API void sator_network_free(SATOR_TAKE struct sator_network *network);
SATOR_API const char *sator_network_name(const struct sator_network *network);
SATOR_API int sator_network_layer_count(const struct sator_network *network);
SATOR_API const char *sator_network_layer_name(const struct sator_network *network, int layer);

/* Read an architecture (GIVE: sator_arch_free). */
SATOR_API enum sator_status sator_arch_load(struct sator_ctx *ctx, const char *spec,
        const struct sator_input_options *options, SATOR_GIVE struct sator_arch **arch);
SATOR_API void sator_arch_free(SATOR_TAKE struct sator_arch *arch);
SATOR_API const char *sator_arch_name(const struct sator_arch *arch);

/* Whether the tensors that settings of the architecture name are there in some layer of the
 * network; SATOR_INPUT with messages otherwise. A warning when the architecture's file names
 * tensors and the network has none of them, or has a bus or tree for tensors that are never read or
 * never written. */
SATOR_API enum sator_status sator_check_tensors(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, SATOR_KEEP const struct sator_arch *arch);

/* Read a dataflow (GIVE: sator_dataflow_free). It names loops and levels; they are bound to
 * a workload and an architecture when it is analysed. */
SATOR_API enum sator_status sator_dataflow_load(struct sator_ctx *ctx, const char *spec,
        const struct sator_input_options *options, SATOR_GIVE struct sator_dataflow **dataflow);
/* The same from texts as on the command line: space "i%8, j%8", time "i/8, j/8, k". */
SATOR_API enum sator_status sator_dataflow_from_text(struct sator_ctx *ctx, const char *name,
        const char *space, const char *time, SATOR_GIVE struct sator_dataflow **dataflow);
SATOR_API void sator_dataflow_free(SATOR_TAKE struct sator_dataflow *dataflow);
SATOR_API const char *sator_dataflow_name(const struct sator_dataflow *dataflow);

/* Read all that an input holds: a file of another tool may have a network, an architecture and a
 * dataflow (GIVE: free each); NULL for what is not there. */
SATOR_API enum sator_status sator_input_load(struct sator_ctx *ctx, const char *spec,
        const struct sator_input_options *options, SATOR_GIVE struct sator_network **network,
        SATOR_GIVE struct sator_arch **arch, SATOR_GIVE struct sator_dataflow **dataflow);

/* One experiment of the TENET program: paths of its files. */
struct sator_experiment {
    const char *mapping, *pe_array, *statement;
};
/* The experiments that the experiment file or sweep at "path" stands for, all of one statement: an
 * array that lives as long as "ctx". */
SATOR_API enum sator_status sator_experiments_read(struct sator_ctx *ctx, const char *path,
        int *n_experiments, const struct sator_experiment **experiments);

/* Validate a file of any kind: report all that is wrong in it. "*kind" is "workload", "network",
 * "architecture", "dataflow" or "experiment" (static); it is set also when something is wrong in a
 * file of a kind that is known. */
SATOR_API enum sator_status sator_check_file(struct sator_ctx *ctx, const char *path,
        const struct sator_input_options *options, const char **kind);

/* The built-in library. "kind" is "workloads", "networks", "archs" or "dataflows". */
SATOR_API int sator_library_count(const char *kind);
SATOR_API const char *sator_library_name(const char *kind, int index);
SATOR_API const char *sator_library_summary(const char *kind, int index);

/* The text of a library entry, or for a C file the list of nests found in it, or for any
 * other input file what was understood, in Sator's own notation (GIVE: free). */
SATOR_API enum sator_status sator_show(struct sator_ctx *ctx, const char *spec,
        const struct sator_input_options *options, SATOR_GIVE char **text);

#ifdef __cplusplus
}
#endif
#endif
