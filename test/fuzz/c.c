/* Any bytes as a C file: the nests found in it, and the one that is read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "frontend/frontend.h"
#include "sator/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_input_options options = {0};
    struct sator_text list = {0};
    struct sator_network *network;
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    sator_ctx_set_work_limit(ctx, 20000000);
    struct sator_source source = {.path = "text.c", .text = text, .length = size};
    if (sator_c_network(ctx, &source, &options, &network) == SATOR_OK)
        sator_network_free(network);
    sator_c_list(ctx, &source, &options, &list);
    sator_text_clear(&list);
    free(sator_ctx_take_messages(ctx, true));
    sator_ctx_free(ctx);
    free(text);
    return 0;
}
