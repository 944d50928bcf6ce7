/* A spec of the public interface, resolved: which text it names, in which format, with which
 * settings. */
#ifndef SATOR_API_SPEC_H
#define SATOR_API_SPEC_H

#include "api/library.h"
#include "frontend/frontend.h"

enum sator_format_of_input {
    SATOR_INPUT_YAML,
    SATOR_INPUT_C,
    SATOR_INPUT_STATEMENT,
    SATOR_INPUT_PE_ARRAY,
    SATOR_INPUT_MAPPING,
    SATOR_INPUT_EXPERIMENT,
    SATOR_INPUT_ONNX,
    SATOR_INPUT_TIMELOOP,
    SATOR_INPUT_SCALESIM,
    SATOR_INPUT_MAESTRO,
    SATOR_INPUT_ZIGZAG
};

struct sator_spec {
    struct sator_arena *arena;
    const struct sator_source *source;
    enum sator_format_of_input format;
    const struct sator_library_file *entry; /* the library's, or NULL for a file */
    struct sator_settings settings; /* sizes of the spec itself, then those of the options */
};

/* Find what "text" names: a file, an entry of the library folders for "kind" (any folder for
 * SATOR_DOCUMENT_UNKNOWN), or either with sizes, "NAME:i=512,j=512". Release with sator_spec_clear,
 * also on failure. */
enum sator_status sator_spec_open(struct sator_ctx *ctx, const char *text,
        const struct sator_input_options *options, enum sator_document kind,
        struct sator_spec *spec);
void sator_spec_clear(struct sator_spec *spec);
const char *sator_spec_format_name(enum sator_format_of_input format);

/* The same for a YAML text in memory, which is called "name" and whose options are "options". */
void sator_spec_of_text(struct sator_ctx *ctx, const char *name, const char *text,
        const struct sator_input_options *options, struct sator_spec *spec);

/* The caller's options, checked. */
enum sator_status sator_spec_take_options(struct sator_ctx *ctx,
        const struct sator_input_options *given, struct sator_input_options *options);

/* Report the settings that no kind of input takes. */
enum sator_status sator_spec_check_sets(
        struct sator_ctx *ctx, const struct sator_input_options *options);

/* ---- tensors.c ---- */
/* Whether two settings "path=value" are of the same path. */
bool sator_spec_same_path(const char *set, const char *other);

/* sator_check_tensors; without its warning unless "may_warn". */
enum sator_status sator_tensors_check(struct sator_ctx *ctx, const struct sator_network *network,
        const struct sator_arch *arch, bool may_warn);

#endif
