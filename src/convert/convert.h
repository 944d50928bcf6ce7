/* What was read, written in the notation of another tool. Each writer takes what is there of a
 * network, a machine and a dataflow, and says what its format cannot: an error where nothing can
 * stand for it, else one warning that names all that is left out. */
#ifndef SATOR_CONVERT_CONVERT_H
#define SATOR_CONVERT_CONVERT_H

#include "arch/arch.h"
#include "base/context.h"
#include "base/text.h"
#include "relation/workload.h"

struct convert {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_network *network; /* NULL: not given; so for the next two */
    const struct sator_arch *arch;
    const struct sator_dataflow *dataflow;
    int first, end; /* layers */
    const char *format; /* the target's name, in messages */
    struct sator_text *text;
    int n_unsaid;
    const char **unsaid;
};

/* Remember that "what" is left out; each once. */
void convert_unsaid(struct convert *c, const char *what);
/* The same of an array's buses and trees, where the notation has networks that reach all PEs. */
void convert_unsaid_buses(struct convert *c, const struct sator_array *array);
/* The same of all that a machine says and no other tool's notation has. */
void convert_unsaid_machine(struct convert *c);

/* ---- view.c: relations as other notations have them ---- */

/* An access whose indices are sums of loops with factors: row d has a factor a loop and then the
 * constant. */
struct convert_access {
    const struct sator_access *access;
    int n_dims;
    int64_t *const *rows; /* n_dims of n_loops + 1 */
};
/* All accesses of a layer; false after an error, at the first that is none, or when the layer's
 * domain is no box from 0 on. */
bool convert_accesses(struct convert *c, const struct sator_workload *layer,
        const struct convert_access **accesses);

/* floor(loop / stride) % count of a loop, times "scale". */
struct convert_digit {
    int loop;
    int64_t stride, count, scale;
};
enum {
    CONVERT_MOST_DIGITS = 16
};
/* An expression as digits, the most significant first, which together are a number of mixed radix
 * (a digit may leave some of its radix unused, and the last may have a scale above 1); their
 * number, -1 when it is something else. A constant 0 has none. */
int convert_digits(const struct sator_workload *layer, const struct sator_expr *expr,
        struct convert_digit digits[CONVERT_MOST_DIGITS]);
/* The expression, for a message. */
const char *convert_shown(
        struct convert *c, const struct sator_workload *layer, const struct sator_expr *expr);

/* Space and time of the dataflow for a layer, each one unconditional function; NULL after an error.
 * The arrays are the machine's, or as many dimensions as the space-stamp has. */
const struct sator_bound_dataflow *convert_bind(
        struct convert *c, const struct sator_workload *layer);

/* Bits of the words that a memory of the machine holds: its own, those of the first layer where it
 * gives none, the usual ones without a layer. */
int convert_word_bits(const struct convert *c, const struct sator_memory *memory);

/* What a layer computes, as networks of CNNs know it: loops by what they are in. */
struct convert_shape {
    int batch, group, filter, channel; /* loops n, g, k, c; -1: none */
    int out[2], window[2]; /* rows, columns; -1: none */
    int64_t stride[2];
    const struct sator_access *input, *weight, *output;
};
/* Whether "layer" is a product or a convolution; nothing is said when it is not. */
bool convert_find_shape(struct convert *c, const struct sator_workload *layer,
        const struct convert_access *accesses, struct convert_shape *shape);

/* ---- a writer a format ---- */
void convert_to_timeloop(struct convert *c);
void convert_to_maestro(struct convert *c);
void convert_to_zigzag(struct convert *c);
void convert_to_scalesim(struct convert *c);
void convert_to_accelergy(struct convert *c);
void convert_to_stt(struct convert *c);
void convert_to_c(struct convert *c);

#endif
