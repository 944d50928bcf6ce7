/* The library's networks that are known by name, against published numbers of multiply-accumulates
 * and of parameters. */
#include "base/context.h"
#include "frontend/frontend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static int64_t extent(const struct sator_workload *layer, int loop)
{
    return layer->upper[loop] - layer->lower[loop];
}

static int64_t macs_of(const struct sator_workload *layer)
{
    int64_t macs = layer->repeat;

    for (int i = 0; i < layer->n_loops; i++)
        macs *= extent(layer, i);
    return macs;
}

/* The elements of B, whose every index is a loop; an attention's B are keys or values. */
static int64_t weights_of(const struct sator_workload *layer)
{
    int64_t weights = layer->repeat;

    for (int a = 0; a < layer->n_accesses; a++) {
        const struct sator_relation *relation = layer->accesses[a].relation;
        if (strcmp(layer->accesses[a].tensor, "B") != 0)
            continue;
        for (int d = 0; d < relation->n_out; d++)
            weights *= extent(layer, relation->pieces[0].out[d]->terms[0].var);
    }
    return strncmp(layer->name, "attention", 9) == 0 ? 0 : weights;
}

static void count(const char *name, int64_t *macs, int64_t *weights)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;

    assert_int_equal(sator_network_load(ctx, name, NULL, &network), SATOR_OK);
    *macs = *weights = 0;
    for (int i = 0; i < network->n_layers; i++) {
        *macs += macs_of(&network->layers[i]);
        *weights += weights_of(&network->layers[i]);
    }
    sator_network_free(network);
    sator_ctx_free(ctx);
}

static void test_published(void **state)
{
    static const struct {
        const char *name;
        int64_t parameters; /* as published */
        int64_t others; /* of these, what is no weight of a layer, as said */
        int64_t macs; /* as published, to the digits that were */
        int64_t digits; /* what the last of them stands for */
    } cases[] = {
            /* torchvision's model table: 25,557,032 parameters, 4.09 G; 2 x 26,560 of batch
             * normalisation, 1,000 of a bias */
            {"resnet50", 25557032, 2 * 26560 + 1000, 4090000000, 10000000},
            /* 3,504,872 and 0.301 G there, 300 M in Sandler et al., Table 4; 2 x 17,056 and 1,000
             */
            {"mobilenet-v2", 3504872, 2 * 17056 + 1000, 301000000, 1000000},
            /* 5,288,548 and 0.386 G there, 0.39 B in Tan and Le, Table 2; 2 x 21,008, biases of the
             * squeezing (380) and exciting (8,960) layers and the classifier */
            {"efficientnet-b0", 5288548, 2 * 21008 + 380 + 8960 + 1000, 386000000, 1000000},
            /* Hugging Face's bert-base-uncased; embeddings of 30,522 words, 512 positions, 2 types;
             * normalisation and biases of the embeddings, 12 layers, the pooler. 22.5 B operations
             * of two at 128 tokens: Sun et al. (MobileBERT, ACL 2020), Table 4, 1 % above */
            {"bert-base", 109482240,
                    (30522 + 512 + 2 + 2) * 768 + 12 * (2 * 1536 + 5 * 768 + 3072) + 768,
                    11250000000, 200000000},
            /* torchvision: 86,567,656 and 17.56 G; a class token, 197 positions, biases,
             * normalisation */
            {"vit-b16", 86567656,
                    768 + 768 + 197 * 768 + 12 * (2 * 1536 + 5 * 768 + 3072) + 1536 + 1000,
                    17560000000, 10000000},
            /* Hugging Face's gpt2: 124,439,808; 1,024 positions, biases, normalisation. Karpathy's
             * nanoGPT, transformer_sizing.ipynb: 291,648,307,200 operations of two */
            {"gpt2", 124439808, 1024 * 768 + 12 * (2 * 1536 + 5 * 768 + 3072) + 1536,
                    291648307200 / 2, 1},
            /* Meta's model card: 8.03 B (8,030,261,248); the embedding of 128,256 words, 65
             * normalisations of 4,096. MACs: 2,048 x 32 x 218,103,808 of weights, 2 x 32 x 32 x 128
             * x 2,048 x 2,048 of attention, 525,336,576 for the last token */
            {"llama3-8b-prefill", 8030261248, 128256LL * 4096 + 65 * 4096,
                    2048LL * 32 * 218103808 + 2LL * 32 * 32 * 128 * 2048 * 2048 + 525336576, 1},
            {"llama3-8b-decode", 8030261248, 128256LL * 4096 + 65 * 4096,
                    32LL * 218103808 + 2LL * 32 * 32 * 128 * 2048 + 525336576, 1},
            /* a U-Net of 3 channels and one class with batch normalisation (milesial/Pytorch-UNet):
             * 31,037,633. Here 1 channel and 2 classes: 1,088 weights fewer; 2 x 5,888 of
             * normalisation, 960 and 1 of biases. MACs: no figure of the paper */
            {"unet", 31037633, 2 * 5888 + 960 + 1 + 1088, 0, 0},
    };
    int64_t macs, weights;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        count(cases[i].name, &macs, &weights);
        if (weights + cases[i].others != cases[i].parameters)
            fail_msg("%s: %lld weights and %lld others are not %lld", cases[i].name,
                    (long long)weights, (long long)cases[i].others, (long long)cases[i].parameters);
        if (cases[i].digits > 0 &&
                (macs > cases[i].macs + cases[i].digits - 1 ||
                        macs < cases[i].macs - cases[i].digits + 1))
            fail_msg("%s: %lld multiply-accumulates", cases[i].name, (long long)macs);
    }
    /* Mistral's 46.7 B parameters: 32 layers of 8 experts, attention of 41,943,040, a router of
     * 4,096 x 8 and two normalisations; two tables of 32,000 words; a last normalisation */
    count("mixtral-expert", &macs, &weights);
    assert_int_equal(
            32 * (8 * weights + 41943040 + 4096 * 8 + 2 * 4096) + 2 * 32000LL * 4096 + 4096,
            46702792704);
}

/* The same network from an exporter's file. */
static void test_same_as_onnx(void **state)
{
    static const char *const pairs[][2] = {{"mobilenet-v2", "test/onnx/mobilenetv2.onnx"},
            {"resnet18", "test/onnx/resnet18.onnx"}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        int64_t macs[2], weights[2];
        for (int k = 0; k < 2; k++)
            count(pairs[i][k], &macs[k], &weights[k]);
        assert_int_equal(macs[0], macs[1]);
        assert_int_equal(weights[0], weights[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_published), cmocka_unit_test(test_same_as_onnx)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
