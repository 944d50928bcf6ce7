/* A file of hardware: lines "num_pes: 256". Two levels of buffers, a network that multicasts and
 * adds; sizes are bytes, bandwidths elements of a byte a cycle. */
#include "frontend/maestro/maestro.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    PES,
    L1,
    L2,
    NOC,
    OFFCHIP,
    HOPS,
    N_KEYS
};

static const char *const keys[N_KEYS] = {
        "num_pes", "l1_size_cstr", "l2_size_cstr", "noc_bw_cstr", "offchip_bw_cstr", "NoC_NumHops"};

bool maestro_is_machine(const struct sator_source *source)
{
    const char *line = source->text;

    while (line != NULL) {
        line += strspn(line, " \t\r\n");
        for (int i = 0; i < N_KEYS; i++) {
            size_t length = strlen(keys[i]);
            if (strncmp(line, keys[i], length) == 0 &&
                    line[length + strspn(line + length, " \t")] == ':')
                return true;
        }
        if (strncmp(line, "//", 2) != 0)
            return false;
        line = strchr(line, '\n');
    }
    return false;
}

/* The value of a line whose key is "key"; 0 after an error. */
static int64_t value_of(struct maestro *m, struct sator_loc loc, const char *key)
{
    const char *text = loc.source->text + loc.offset;
    char *end;
    long long value = strtoll(text, &end, 10);

    if (loc.length > 0 && end == text + loc.length && value >= 1 && value <= INT64_C(1) << 40)
        return value;
    loc.length = loc.length > 0 ? loc.length : 1;
    sator_error(m->ctx, loc, "%s: a whole number from 1 to 2^40 is expected", key);
    return 0;
}

static void read_line(struct maestro *m, struct sator_loc line, int64_t values[N_KEYS])
{
    const char *text = line.source->text + line.offset;
    size_t key = 0;

    while (key < line.length && (isalnum((unsigned char)text[key]) || text[key] == '_'))
        key++;
    size_t colon = key + strspn(text + key, " \t");
    struct sator_loc name = {line.source, line.offset, key == 0 ? 1 : key};
    if (key == 0 || colon >= line.length || text[colon] != ':') {
        sator_error(m->ctx, name, "a line 'KEY: VALUE' is expected");
        return;
    }
    size_t value = colon + 1 + strspn(text + colon + 1, " \t"), end = line.length;
    for (int i = 0; i < N_KEYS; i++) {
        if (strlen(keys[i]) != key || memcmp(keys[i], text, key) != 0)
            continue;
        if (values[i] != 0)
            sator_error(m->ctx, name, "'%s' is given twice", keys[i]);
        value = value > end ? end : value;
        values[i] = value_of(
                m, (struct sator_loc){line.source, line.offset + value, end - value}, keys[i]);
        return;
    }
    const char *given = sator_arena_strndup(m->arena, text, key);
    sator_error(m->ctx, name, "hardware has no '%s'", given);
    sator_help_names(m->ctx, given, keys, N_KEYS);
}

static void write_memory(struct sator_text *text, const char *name, int64_t bytes, int64_t words)
{
    sator_text_add(text, "  - {memory: %s", name);
    if (bytes > 0)
        sator_text_add(text, ", capacity_bytes: %lld", (long long)bytes);
    if (words > 0)
        sator_text_add(text, ", bandwidth_bits: %lld", (long long)words * 8);
    sator_text_put(text, "}\n");
}

void maestro_write_machine(struct maestro *m, struct sator_text *text)
{
    const char *all = m->source->text;
    int64_t values[N_KEYS] = {0};

    for (size_t at = 0; at < m->source->length;) {
        size_t begin = at + strspn(all + at, " \t\r"), length = strcspn(all + begin, "\r\n");
        at = begin + length + 1;
        const char *comment = strstr(all + begin, "//");
        if (comment != NULL && comment < all + begin + length)
            length = (size_t)(comment - all) - begin;
        while (length > 0 && isspace((unsigned char)all[begin + length - 1]))
            length--;
        if (length > 0)
            read_line(m, (struct sator_loc){m->source, begin, length}, values);
    }
    if (values[PES] == 0 && !maestro_failed(m))
        sator_error(m->ctx, (struct sator_loc){m->source, 0, 0}, "the hardware has no num_pes");
    if (values[HOPS] > 0)
        sator_warn(m->ctx, (struct sator_loc){m->source, 0, 0},
                "of this hardware this is not honoured: NoC_NumHops");
    sator_text_put(text, "levels:\n");
    write_memory(text, "DRAM", 0, values[OFFCHIP]);
    write_memory(text, "L2", values[L2], values[NOC]);
    sator_text_add(text,
            "  - {array: PE, shape: [%lld], multicast: [{name: all, map: \"PE[i] -> BUS[0]\"}], "
            "reduction: [{name: sum, map: \"PE[i] -> TREE[0]\"}]}\n",
            (long long)values[PES]);
    write_memory(text, "L1", values[L1], 0);
    sator_text_put(text, "  - {compute: mac}\n");
}
