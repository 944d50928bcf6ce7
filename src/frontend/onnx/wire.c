#include "frontend/onnx/wire.h"

#include <string.h>

/* A length above this belongs to no file, and sums of offsets must not wrap. */
static const uint64_t largest_offset = UINT64_C(1) << 62;

void sator_wire_fail(struct sator_wire *wire, const char *fault)
{
    if (wire->fault == NULL)
        wire->fault = fault;
}

void sator_wire_begin(struct sator_wire *wire, FILE *file)
{
    *wire = (struct sator_wire){.file = file, .end = largest_offset};
    wire->can_seek = fseeko(file, 0, SEEK_END) == 0;
    if (!wire->can_seek)
        return;
    off_t size = ftello(file);
    wire->can_seek = size >= 0 && fseeko(file, 0, SEEK_SET) == 0;
    if (wire->can_seek)
        wire->end = (uint64_t)size;
}

/* ---- bytes ---- */

static bool take(struct sator_wire *wire, void *bytes, size_t size)
{
    if (wire->fault != NULL)
        return false;
    if (size > wire->end - wire->at || fread(bytes, 1, size, wire->file) != size) {
        sator_wire_fail(wire, ferror(wire->file) ? "it cannot be read" : "the file ends too early");
        return false;
    }
    wire->at += size;
    return true;
}

/* Go on at the offset "to", behind the current one. */
static void skip_to(struct sator_wire *wire, uint64_t to)
{
    char buffer[1 << 12];

    if (wire->fault == NULL && wire->can_seek && to - wire->at > sizeof buffer) {
        if (fseeko(wire->file, (off_t)to, SEEK_SET) != 0)
            sator_wire_fail(wire, "it cannot be read");
        wire->at = to;
    }
    while (wire->fault == NULL && wire->at < to) {
        uint64_t left = to - wire->at;
        take(wire, buffer, left < sizeof buffer ? (size_t)left : sizeof buffer);
    }
}

static bool take_varint(struct sator_wire *wire, uint64_t *value)
{
    unsigned char byte;

    *value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (!take(wire, &byte, 1))
            return false;
        if (shift < 64)
            *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    sator_wire_fail(wire, "a number has more than ten bytes");
    return false;
}

static bool take_fixed(struct sator_wire *wire, int size, uint64_t *value)
{
    unsigned char bytes[8];

    if (!take(wire, bytes, (size_t)size))
        return false;
    *value = 0;
    for (int i = size - 1; i >= 0; i--)
        *value = *value << 8 | bytes[i];
    return true;
}

/* ---- fields ---- */

static bool take_length(struct sator_wire *wire, struct sator_wire_field *field)
{
    uint64_t length;

    if (!take_varint(wire, &length))
        return false;
    if (length > wire->end - wire->at) {
        sator_wire_fail(wire, "a field is longer than what is left of the message around it");
        return false;
    }
    field->end = wire->at + length;
    wire->next = field->end;
    return true;
}

/* Whether the message is over: a pipe's end is only found by reading on. */
static bool is_over(struct sator_wire *wire)
{
    if (wire->fault != NULL || wire->at >= wire->end)
        return true;
    if (wire->end < largest_offset)
        return false;
    int byte = getc(wire->file);
    if (byte == EOF)
        return true;
    ungetc(byte, wire->file);
    return false;
}

bool sator_wire_next(struct sator_wire *wire, struct sator_wire_field *field)
{
    uint64_t key;

    if (wire->next > wire->at)
        skip_to(wire, wire->next);
    if (is_over(wire) || !take_varint(wire, &key))
        return false;
    *field = (struct sator_wire_field){
            .number = (uint32_t)(key >> 3), .type = (enum sator_wire_type)(key & 7)};
    if (key >> 3 == 0 || key >> 3 > (1u << 29) - 1) {
        sator_wire_fail(wire, "a field has a number that no field may have");
        return false;
    }
    switch (field->type) {
    case SATOR_WIRE_VARINT:
        return take_varint(wire, &field->value);
    case SATOR_WIRE_FIXED64:
        return take_fixed(wire, 8, &field->value);
    case SATOR_WIRE_FIXED32:
        return take_fixed(wire, 4, &field->value);
    case SATOR_WIRE_BYTES:
        return take_length(wire, field);
    }
    sator_wire_fail(wire, "a field is of a wire type that there is not");
    return false;
}

uint64_t sator_wire_enter(struct sator_wire *wire, const struct sator_wire_field *field)
{
    uint64_t outer = wire->end;

    if (field->type != SATOR_WIRE_BYTES) {
        sator_wire_fail(wire, "a number stands where a message is expected");
        return outer;
    }
    wire->end = field->end;
    wire->next = 0;
    return outer;
}

void sator_wire_leave(struct sator_wire *wire, uint64_t outer)
{
    if (wire->fault == NULL && wire->end < outer)
        skip_to(wire, wire->end);
    wire->end = outer;
    wire->next = 0;
}

bool sator_wire_raw(
        struct sator_wire *wire, const struct sator_wire_field *field, void *bytes, size_t size)
{
    if (field->type != SATOR_WIRE_BYTES || size > field->end - wire->at)
        return false;
    return take(wire, bytes, size);
}

const char *sator_wire_string(struct sator_wire *wire, const struct sator_wire_field *field,
        struct sator_arena *arena, uint64_t most)
{
    if (field->type != SATOR_WIRE_BYTES) {
        sator_wire_fail(wire, "a number stands where text is expected");
        return NULL;
    }
    uint64_t length = field->end - wire->at;
    if (length > most) {
        sator_wire_fail(wire, "a name has more than 65,536 bytes");
        return NULL;
    }
    /* of a pipe it is not known whether the bytes are there: they must not cost memory before */
    if (length > sizeof(char[1 << 12]) && !wire->can_seek) {
        sator_wire_fail(wire, "a name has more than 4,096 bytes, from a pipe");
        return NULL;
    }
    char *string = sator_arena_alloc(arena, (size_t)length + 1);
    if (!sator_wire_raw(wire, field, string, (size_t)length))
        return NULL;
    if (memchr(string, '\0', (size_t)length) != NULL) {
        sator_wire_fail(wire, "a name has a zero byte");
        return NULL;
    }
    return string;
}

static void add_int(
        struct sator_arena *arena, int most, int *count, int64_t **values, uint64_t value)
{
    int n = *count;

    if (n < most) {
        SATOR_PUSH(arena, *values, n, (int64_t)value);
        *count = n;
    } else if (n < INT32_MAX) {
        ++*count;
    }
}

void sator_wire_ints(struct sator_wire *wire, const struct sator_wire_field *field,
        struct sator_arena *arena, int most, int *count, int64_t **values)
{
    uint64_t value;

    if (field->type != SATOR_WIRE_BYTES) {
        add_int(arena, most, count, values, field->value);
        return;
    }
    while (wire->at < field->end && *count <= most && take_varint(wire, &value))
        add_int(arena, most, count, values, value);
    if (wire->at > field->end)
        sator_wire_fail(wire, "a list's last number is longer than the list");
}
