/* Any bytes as a YAML input of every kind, with a setting. What is read must be written and read
 * back as the same text.
 *
 * The first line, when it begins with "set ", is a --set; the rest is the document.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "frontend/frontend.h"
#include "sator/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is written of the source's reading as each kind of document; 0: network, 1: architecture, 2:
 * dataflow. */
static char *read_and_write(struct sator_ctx *ctx, const struct sator_source *source, int kind,
        const struct sator_settings *settings)
{
    struct sator_text text = {0};
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;

    if (kind == 0 && sator_yaml_network(ctx, source, settings, &network) == SATOR_OK) {
        sator_yaml_write_network(&text, network);
        sator_network_free(network);
    } else if (kind == 1 && sator_yaml_arch(ctx, source, settings, &arch) == SATOR_OK) {
        sator_yaml_write_arch(&text, arch);
        sator_arch_free(arch);
    } else if (kind == 2 && sator_yaml_dataflow(ctx, source, settings, &dataflow) == SATOR_OK) {
        sator_yaml_write_dataflow(&text, dataflow);
        sator_dataflow_free(dataflow);
    }
    return text.data;
}

static void there_and_back(struct sator_ctx *ctx, const struct sator_source *source, int kind,
        const struct sator_settings *settings)
{
    char *written = read_and_write(ctx, source, kind, settings);

    if (written == NULL)
        return;
    const struct sator_source *again = sator_source_from_text(ctx, "text.yaml", written);
    char *back = read_and_write(ctx, again, kind, NULL);
    if (back == NULL || strcmp(written, back) != 0)
        abort();
    free(written);
    free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_settings settings = {0};
    char *text = malloc(size + 1);
    const char *document = text, *set = text + 4;
    enum sator_document kind;

    memcpy(text, data, size);
    text[size] = '\0';
    sator_ctx_set_work_limit(ctx, 20000000);
    if (strncmp(text, "set ", 4) == 0 && strchr(text, '\n') != NULL) {
        char *end = strchr(text, '\n');
        *end = '\0';
        settings.n_sets = 1;
        settings.sets = &set;
        document = end + 1;
    }
    struct sator_source source = {
            .path = "text.yaml", .text = document, .length = size - (size_t)(document - text)};
    sator_yaml_kind(ctx, &source, &kind);
    for (int k = 0; k < 3; k++)
        there_and_back(ctx, &source, k, &settings);
    free(sator_ctx_take_messages(ctx, true));
    sator_ctx_free(ctx);
    free(text);
    return 0;
}
