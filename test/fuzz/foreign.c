/* Any bytes as a file of each of the other tools; what is written must read as a document. */
#include "base/text.h"
#include "frontend/frontend.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum sator_status reader(struct sator_ctx *ctx, const struct sator_source *source,
        enum sator_document kind, struct sator_text *text);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum sator_document kinds[] = {
            SATOR_DOCUMENT_WORKLOAD, SATOR_DOCUMENT_ARCH, SATOR_DOCUMENT_DATAFLOW};
    static reader *const readers[] = {sator_timeloop_read, sator_scalesim_read, sator_maestro_read, sator_zigzag_read};
    enum {
        N_READERS = sizeof readers / sizeof *readers
    };
    char *copy = malloc(size + 1);

    memcpy(copy, data, size);
    copy[size] = '\0';
    for (int i = 0; i < N_READERS * 3; i++) {
        struct sator_ctx *ctx = sator_ctx_new();
        struct sator_source source = {.path = "text", .text = copy, .length = size};
        struct sator_text text = {0};
        sator_ctx_set_work_limit(ctx, 20000000);
        if (readers[i / 3](ctx, &source, kinds[i % 3], &text) == SATOR_OK)
            read_back(ctx, kinds[i % 3], text.data);
        sator_text_clear(&text);
        free(sator_ctx_take_messages(ctx, true));
        sator_ctx_free(ctx);
    }
    free(copy);
    return 0;
}
