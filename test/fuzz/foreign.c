/* Any bytes as a file of another tool, which SATOR_FUZZ_READER names (all of them without it); what
 * is written must read as a document. */
#include "base/text.h"
#include "frontend/frontend.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum sator_status reader(struct sator_ctx *ctx, const struct sator_source *source,
        enum sator_document kind, struct sator_text *text);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- Accelergy: a table of energies, which an architecture names ---- */

static const struct sator_source *the_table;

static enum sator_status find_table(struct sator_ctx *ctx, const char *folder, const char *name,
        struct sator_loc loc, const struct sator_source **source)
{
    (void)ctx, (void)folder, (void)name, (void)loc;
    *source = the_table;
    return SATOR_OK;
}

static enum sator_status read_accelergy(struct sator_ctx *ctx, const struct sator_source *source,
        enum sator_document kind, struct sator_text *text)
{
    static const char machine[] =
            "name: a\nenergy_table: t\nlevels:\n  - {memory: Main, capacity_words: 64}\n"
            "  - {array: PE, shape: [2]}\n  - {memory: Buffer}\n  - {compute: MACC}\n";
    struct sator_settings settings = {.find = find_table};
    struct sator_arch *arch;
    bool is_table;

    if (kind == SATOR_DOCUMENT_WORKLOAD)
        return sator_yaml_check_table(ctx, source, &is_table);
    if (kind != SATOR_DOCUMENT_ARCH)
        return SATOR_INPUT;
    the_table = source;
    enum sator_status st =
            sator_yaml_arch(ctx, sator_source_from_text(ctx, "machine", machine), &settings, &arch);
    if (st == SATOR_OK) {
        sator_yaml_write_arch(text, arch);
        sator_arch_free(arch);
    }
    return st;
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    reader *read;
} readers[] = {{"timeloop", sator_timeloop_read}, {"scalesim", sator_scalesim_read},
        {"maestro", sator_maestro_read}, {"zigzag", sator_zigzag_read},
        {"accelergy", read_accelergy}};

static void read_back(struct sator_ctx *ctx, enum sator_document kind, const char *text)
{
    const struct sator_source *source = sator_source_from_text(ctx, "text", text);
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;

    if (kind == SATOR_DOCUMENT_WORKLOAD &&
            sator_yaml_network(ctx, source, NULL, &network) == SATOR_OK)
        sator_network_free(network);
    if (kind == SATOR_DOCUMENT_ARCH && sator_yaml_arch(ctx, source, NULL, &arch) == SATOR_OK)
        sator_arch_free(arch);
    if (kind == SATOR_DOCUMENT_DATAFLOW &&
            sator_yaml_dataflow(ctx, source, NULL, &dataflow) == SATOR_OK)
        sator_dataflow_free(dataflow);
}

static void read_one(reader *read, enum sator_document kind, const char *text, size_t size)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_source source = {.path = "text", .text = text, .length = size};
    struct sator_text written = {0};

    sator_ctx_set_work_limit(ctx, 20000000);
    if (read(ctx, &source, kind, &written) == SATOR_OK && written.length > 0)
        read_back(ctx, kind, written.data);
    sator_text_clear(&written);
    free(sator_ctx_take_messages(ctx, true));
    sator_ctx_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum sator_document kinds[] = {
            SATOR_DOCUMENT_WORKLOAD, SATOR_DOCUMENT_ARCH, SATOR_DOCUMENT_DATAFLOW};
    const char *only = getenv("SATOR_FUZZ_READER");
    char *copy = malloc(size + 1);

    memcpy(copy, data, size);
    copy[size] = '\0';
    for (size_t r = 0; r < sizeof readers / sizeof *readers; r++) {
        if (only != NULL && strcmp(only, readers[r].name) != 0)
            continue;
        for (int k = 0; k < 3; k++)
            read_one(readers[r].read, kinds[k], copy, size);
    }
    free(copy);
    return 0;
}
