// A workload, a machine and a dataflow that no file describes, from C++.
#include <sator/build.h>
#include <sator/input.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

using context = std::unique_ptr<sator_ctx, decltype(&sator_ctx_free)>;
using network = std::unique_ptr<sator_network, decltype(&sator_network_free)>;
using machine = std::unique_ptr<sator_arch, decltype(&sator_arch_free)>;
using mapping = std::unique_ptr<sator_dataflow, decltype(&sator_dataflow_free)>;

network make_gemm(sator_ctx *ctx, int64_t i, int64_t j, int64_t k)
{
    const int64_t a[] = {1, 0, 0, 0, /**/ 0, 0, 1, 0}; // A[i, k]: a row an index, a constant at its end
    const int64_t b[] = {0, 0, 1, 0, /**/ 0, 1, 0, 0}; // B[k, j]
    const int64_t y[] = {1, 0, 0, 0, /**/ 0, 1, 0, 0}; // Y[i, j]
    sator_network *made = nullptr;

    sator_builder *builder = sator_workload_begin(ctx, "gemm");
    sator_workload_loop(builder, "i", i);
    sator_workload_loop(builder, "j", j);
    sator_workload_loop(builder, "k", k);
    sator_workload_access(builder, SATOR_READ, "A", 2, a);
    sator_workload_access(builder, SATOR_READ, "B", 2, b);
    sator_workload_access(builder, SATOR_WRITE, "Y", 2, y);
    if (sator_workload_end(builder, &made) != SATOR_OK)
        made = nullptr;
    return network(made, sator_network_free);
}

machine make_array(sator_ctx *ctx, int64_t rows, int64_t columns)
{
    const int64_t shape[] = {rows, columns}, east[] = {0, 1}, south[] = {1, 0};
    sator_memory_fields scratchpad = {};
    sator_arch *made = nullptr;

    scratchpad.size = sizeof scratchpad;
    scratchpad.read_bits = scratchpad.write_bits = 128;
    sator_builder *builder = sator_arch_begin(ctx, "array");
    sator_arch_memory(builder, "scratchpad", &scratchpad);
    sator_arch_array(builder, "PE", 2, shape);
    sator_arch_link(builder, "east", east, 1, 0);
    sator_arch_link(builder, "south", south, 1, 0);
    sator_arch_compute(builder, "mac", 0, 1);
    if (sator_arch_end(builder, &made) != SATOR_OK)
        made = nullptr;
    return machine(made, sator_arch_free);
}

mapping make_dataflow(sator_ctx *ctx, int64_t rows, int64_t columns)
{
    sator_dataflow *made = nullptr;
    sator_builder *builder = sator_dataflow_begin(ctx, "output-stationary");

    sator_dataflow_digit(builder, SATOR_SPACE_STAMP, 0, 1, "i", 1, rows); // PE[i % rows, j % columns]
    sator_dataflow_digit(builder, SATOR_SPACE_STAMP, 1, 1, "j", 1, columns);
    sator_dataflow_digit(builder, SATOR_TIME_STAMP, 0, 1, "i", rows, 0); // T[i / rows, j / columns, ...]
    sator_dataflow_digit(builder, SATOR_TIME_STAMP, 1, 1, "j", columns, 0);
    sator_dataflow_digit(builder, SATOR_TIME_STAMP, 2, 1, "i", 1, rows); // i % rows + j % columns + k
    sator_dataflow_digit(builder, SATOR_TIME_STAMP, 2, 1, "j", 1, columns);
    sator_dataflow_digit(builder, SATOR_TIME_STAMP, 2, 1, "k", 1, 0);
    if (sator_dataflow_end(builder, &made) != SATOR_OK)
        made = nullptr;
    return mapping(made, sator_dataflow_free);
}

} // namespace

int main()
{
    context ctx(sator_ctx_new(), sator_ctx_free);
    network gemm = make_gemm(ctx.get(), 256, 256, 256);
    machine array = make_array(ctx.get(), 8, 8);
    mapping flow = make_dataflow(ctx.get(), 8, 8);
    sator_result *result = nullptr;

    if (gemm == nullptr || array == nullptr || flow == nullptr ||
            sator_analyze(ctx.get(), gemm.get(), 0, array.get(), flow.get(), nullptr, &result) != SATOR_OK) {
        char *messages = sator_ctx_take_messages(ctx.get(), false);
        std::fputs(messages == nullptr ? "interrupted\n" : messages, stderr);
        std::free(messages);
        return 1;
    }
    std::printf("%.0f cycles, bound by %s\n", result->total_cycles, result->bound_by);
    for (int i = 0; i < result->n_tensors; i++) {
        const sator_tensor_result *tensor = sator_result_tensor(result, i);
        int64_t unique = 0;
        if (sator_int_get(&tensor->unique_volume, &unique))
            std::printf("%s: %" PRId64 " words, reuse factor %g\n", tensor->name, unique, tensor->reuse_factor);
    }
    sator_result_free(result);
    return 0;
}
