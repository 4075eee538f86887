// oneTBB's parallel_pipeline with `--cap` tokens, chains only. `tbb_pipe`: every filter serial_in_order, as a process
// network needs. `tbb_pipe_par`: the nodes' filters parallel, right for stateless nodes only.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include "harness.hpp"
namespace tbb = oneapi::tbb;

Sink network(const Config &config, uint64_t n, tbb::filter_mode mode) {
    const uint64_t iters = config.iters;
    uint64_t next = 0;
    Sink sink(config);
    auto source = [&](tbb::flow_control &control) -> uint64_t {
        if (next == n) control.stop();
        return next == n ? 0 : next++;
    };
    auto chain = tbb::make_filter<void, uint64_t>(tbb::filter_mode::serial_in_order, source);
    for (int i = 0; i < config.depth; i++)
        chain = chain & tbb::make_filter<uint64_t, uint64_t>(mode, [iters](uint64_t x) { return node(x, iters); });
    auto last = tbb::make_filter<uint64_t, void>(tbb::filter_mode::serial_in_order, [&](uint64_t x) { sink.take(x); });
    tbb::parallel_pipeline(config.cap, chain & last);
    return sink;
}

int main(int argc, char **argv) {
    Config config(argc, argv);
    if (!config.chain()) unsupported();
    tbb::global_control threads(tbb::global_control::max_allowed_parallelism, config.threads);
    auto mode = config.peer == "tbb_pipe" ? tbb::filter_mode::serial_in_order : tbb::filter_mode::parallel;
    measure(config, [=](const Config &config, uint64_t n) { return network(config, n, mode); });
}
