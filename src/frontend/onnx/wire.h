/* The wire format of protocol buffers, read from a file front to back: fields of a number and one
 * of four wire types. What a caller skips is not read, so that weights of gigabytes cost nothing.
 *
 *     while (sator_wire_next(wire, &field))
 *         switch (field.number) { case 1: n = field.value; ... }
 *
 * A field that no case takes is skipped by the next sator_wire_next. The first fault ends the
 * reading: everything then answers false, and "fault" says why.
 */
#ifndef SATOR_FRONTEND_ONNX_WIRE_H
#define SATOR_FRONTEND_ONNX_WIRE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum sator_wire_type {
    SATOR_WIRE_VARINT = 0,
    SATOR_WIRE_FIXED64 = 1,
    SATOR_WIRE_BYTES = 2,
    SATOR_WIRE_FIXED32 = 5
};

struct sator_wire_field {
    uint32_t number;
    enum sator_wire_type type;
    uint64_t value; /* of a number */
    uint64_t end; /* of bytes: the offset behind them */
};

struct sator_wire {
    FILE *file;
    bool can_seek;
    uint64_t at; /* offset of the next byte */
    uint64_t end; /* of the message being read */
    uint64_t next; /* where the field being looked at ends */
    const char *fault; /* why the reading ended early; NULL: it did not */
};

/* Begin at the file's next byte; the message ends where the file does. */
void sator_wire_begin(struct sator_wire *wire, FILE *file);
/* The next field of the message; false at its end, or after a fault. */
bool sator_wire_next(struct sator_wire *wire, struct sator_wire_field *field);
/* Enter a field of bytes as a message of its own; the message around it, for sator_wire_leave. */
uint64_t sator_wire_enter(struct sator_wire *wire, const struct sator_wire_field *field);
void sator_wire_leave(struct sator_wire *wire, uint64_t outer);
/* The bytes of a field as a string of "arena", NUL-terminated; NULL, a fault, when there are more
 * than "most" or a NUL is among them. */
const char *sator_wire_string(struct sator_wire *wire, const struct sator_wire_field *field,
        struct sator_arena *arena, uint64_t most);
/* The numbers of a repeated field, packed or not, appended to "*values" while there are fewer than
 * "most"; "*count" counts all of them. */
void sator_wire_ints(struct sator_wire *wire, const struct sator_wire_field *field,
        struct sator_arena *arena, int most, int *count, int64_t **values);
/* "size" raw bytes of a field of bytes, at its beginning; false when it is shorter. */
bool sator_wire_raw(
        struct sator_wire *wire, const struct sator_wire_field *field, void *bytes, size_t size);
/* Record a fault of the caller's. */
void sator_wire_fail(struct sator_wire *wire, const char *fault);

#endif
