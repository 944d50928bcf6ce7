/* Any bytes as an ONNX model; what is read must be a network in Sator's notation. */
#include "base/text.h"
#include "frontend/frontend.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const defines[] = {"batch=2"};

    if (size == 0)
        return 0;
    for (int i = 0; i < 2; i++) {
        struct sator_ctx *ctx = sator_ctx_new();
        struct sator_input_options options = {
                .defines = defines, .n_defines = i, .all_operators = i};
        struct sator_text text = {0};
        struct sator_network *network;
        FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
        sator_ctx_set_work_limit(ctx, 20000000);
        if (sator_onnx_read(ctx, "model", file, &options, &text) == SATOR_OK) {
            const struct sator_source *source = sator_source_from_text(ctx, "text", text.data);
            if (sator_yaml_network(ctx, source, NULL, &network) == SATOR_OK)
                sator_network_free(network);
        }
        fclose(file);
        sator_text_clear(&text);
        free(sator_ctx_take_messages(ctx, true));
        sator_ctx_free(ctx);
    }
    return 0;
}
