// oneTBB's flow graph: input_node -> limiter_node(`--cap`) -> serial function_nodes -> sink.
// `tbb_flow`: queueing nodes. `tbb_flow_lw`: queueing_lightweight ones, whose bodies may run in the sender's task.
// `tbb_flow_key`: queueing nodes, but joins by key_matching.
//
// A serial function_node calls its body serially but does not put the results in order, so tokens overtake each other and
// a queueing join pairs strangers. With tbb_flow_key pairs are right: the branches' equal values are the keys.
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>

#include <array>
#include <memory>

#include "harness.hpp"
namespace flow = oneapi::tbb::flow;
using Token = uint64_t;

template <class Tuple, class Match>
struct Join {
    static auto make(flow::graph &g) { return flow::join_node<Tuple, Match>(g); }
};
template <class Tuple>
struct Join<Tuple, flow::key_matching<Token>> {
    static auto make(flow::graph &g) {
        auto key = [](Token x) { return x; };
        if constexpr (std::tuple_size_v<Tuple> == 2)
            return flow::join_node<Tuple, flow::key_matching<Token>>(g, key, key);
        else
            return flow::join_node<Tuple, flow::key_matching<Token>>(g, key, key, key, key);
    }
};

template <class Policy, class Match>
Sink network(const Config &config, uint64_t n) {
    using Work = flow::function_node<Token, Token, Policy>;
    const uint64_t iters = config.iters;
    uint64_t next = 0;
    Sink sink(config);

    flow::graph g;
    flow::input_node<Token> source(g, [&](oneapi::tbb::flow_control &control) -> Token {
        if (next == n) control.stop();
        return next == n ? 0 : next++;
    });
    flow::limiter_node<Token> limit(g, config.cap);
    flow::make_edge(source, limit);
    auto work = [&] {
        return std::make_unique<Work>(g, flow::serial, [iters](Token x) { return node(x, iters); });
    };
    flow::function_node<Token, flow::continue_msg, Policy> last(g, flow::serial, [&](Token x) {
        sink.take(x);
        return flow::continue_msg();
    });
    auto run = [&] {
        source.activate();
        g.wait_for_all();
        return sink;
    };

    if (config.chain()) {
        std::vector<std::unique_ptr<Work>> chain;
        flow::sender<Token> *tail = &limit;
        for (int i = 0; i < config.depth; i++) {
            chain.push_back(work());
            flow::make_edge(*tail, static_cast<flow::receiver<Token> &>(*chain.back()));
            tail = chain.back().get();
        }
        flow::make_edge(*tail, static_cast<flow::receiver<Token> &>(last));
        flow::make_edge(last, limit.decrementer());
        return run();
    }
    if (config.wide()) {
        using Four = std::tuple<Token, Token, Token, Token>;
        auto join = Join<Four, Match>::make(g);
        // A node of its own: TBB has no other way to pair tokens.
        flow::function_node<Four, flow::continue_msg, Policy> join_sink(g, flow::serial, [&](const Four &four) {
            auto [a, b, c, d] = four;
            sink.take(a + b + c + d);
            return flow::continue_msg();
        });
        std::array<std::unique_ptr<Work>, 4> branch{work(), work(), work(), work()};
        for (auto &b : branch) flow::make_edge(limit, *b);
        flow::make_edge(*branch[0], flow::input_port<0>(join));
        flow::make_edge(*branch[1], flow::input_port<1>(join));
        flow::make_edge(*branch[2], flow::input_port<2>(join));
        flow::make_edge(*branch[3], flow::input_port<3>(join));
        flow::make_edge(join, join_sink);
        flow::make_edge(join_sink, limit.decrementer());
        return run();
    }
    using Two = std::tuple<Token, Token>;
    auto a = work(), b = work(), c = work();
    auto join = Join<Two, Match>::make(g);
    flow::function_node<Two, Token, Policy> d(
        g, flow::serial, [iters](const Two &two) { return node(std::get<0>(two) + std::get<1>(two), iters); });
    flow::make_edge(limit, *a);
    flow::make_edge(*a, *b);
    flow::make_edge(*a, *c);
    flow::make_edge(*b, flow::input_port<0>(join));
    flow::make_edge(*c, flow::input_port<1>(join));
    flow::make_edge(join, d);
    flow::make_edge(d, last);
    flow::make_edge(last, limit.decrementer());
    return run();
}

int main(int argc, char **argv) {
    Config config(argc, argv);
    oneapi::tbb::global_control threads(oneapi::tbb::global_control::max_allowed_parallelism, config.threads);
    if (config.peer == "tbb_flow")
        measure(config, network<flow::queueing, flow::queueing>);
    else if (config.peer == "tbb_flow_lw")
        measure(config, network<flow::queueing_lightweight, flow::queueing>);
    else if (config.peer == "tbb_flow_key" && !config.chain())
        measure(config, network<flow::queueing, flow::key_matching<Token>>);
    else
        unsupported();
}
