/* Any bytes as each kind of file of the TENET program: statement, mapping, PE array. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/frontend.h"
#include "sator/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sator_ctx *ctx = sator_ctx_new();
    char *text = malloc(size + 1);
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;

    memcpy(text, data, size);
    text[size] = '\0';
    sator_ctx_set_work_limit(ctx, 20000000);
    struct sator_source source = {.path = "text", .text = text, .length = size};
    if (sator_tenet_statement(ctx, &source, &network) == SATOR_OK)
        sator_network_free(network);
    if (sator_tenet_mapping(ctx, &source, &dataflow) == SATOR_OK)
        sator_dataflow_free(dataflow);
    for (int interval = 0; interval < 2; interval++) {
        if (sator_tenet_pe_array(ctx, &source, interval, &arch) == SATOR_OK)
            sator_arch_free(arch);
    }
    free(sator_ctx_take_messages(ctx, true));
    sator_ctx_free(ctx);
    free(text);
    return 0;
}
