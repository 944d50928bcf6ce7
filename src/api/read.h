/* What a spec names, read: one reader a format, and the settings applied. Foreign formats are
 * written in Sator's notation and read from there, so that one reader gives everything its meaning.
 */
#ifndef SATOR_API_READ_H
#define SATOR_API_READ_H

#include "api/spec.h"

/* The part of "kind" of an experiment file of TENET's: its text and its format. */
enum sator_status sator_read_experiment_part(struct sator_ctx *ctx,
        const struct sator_source *source, enum sator_document kind,
        const struct sator_source **part, enum sator_format_of_input *format);

/* sator_spec_open; an experiment file stands for its part of this kind. */
enum sator_status sator_read_open(struct sator_ctx *ctx, const char *text,
        const struct sator_input_options *options, enum sator_document kind,
        struct sator_spec *spec);

/* Whether a file that may hold several documents has one of "kind". */
bool sator_read_has(const struct sator_spec *spec, enum sator_document kind);

enum sator_status sator_read_network(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, struct sator_network **network);
enum sator_status sator_read_arch(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, struct sator_arch **arch);
enum sator_status sator_read_dataflow(
        struct sator_ctx *ctx, const struct sator_spec *spec, struct sator_dataflow **dataflow);

/* Report settings of a network's layers where there is no network. */
enum sator_status sator_read_check_layers(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options);

#endif
