// What the C++ peers share; the twin of the Rust peers' library: the same arithmetic, sizing and columns.
#pragma once
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

[[noreturn]] inline void fail(const std::string &why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(1);
}

// This peer can't express this topology.
[[noreturn]] inline void unsupported() { std::exit(3); }

// Burns `iters` dependent multiply-adds: the Rust peers' loop, to the instruction.
inline __attribute__((always_inline)) void burn(uint64_t seed, uint64_t iters) {
    uint64_t x = seed;
    for (uint64_t i = 0; i < iters; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        asm volatile("" : "+r"(x));
    }
}

// One node's work: burns, then counts the visit in the token; opaque, so that no visit is folded away.
inline __attribute__((always_inline)) uint64_t node(uint64_t token, uint64_t iters) {
    burn(token, iters);
    token++;
    asm volatile("" : "+r"(token));
    return token;
}

inline double ns_per_iter() {
    double best = 1e9;
    const uint64_t iters = 20000;
    for (int i = 0; i < 200; i++) {
        auto began = Clock::now();
        burn(i, iters);
        best = std::min(best, seconds_since(began) * 1e9 / iters);
    }
    return best;
}

inline double spin_per_us() {
    const char *given = std::getenv("SPIN_PER_US");
    if (!given) fail("SPIN_PER_US must give the iterations a microsecond");
    return std::atof(given);
}

struct Config {
    std::string peer, topo;
    int depth = 0;  // N of chain-N
    double work_us, target_ms;
    uint64_t iters, min_items;
    int threads, cap, reps;

    Config(int argc, char **argv) {
        auto get = [&](const char *name, const char *otherwise) {
            for (int i = 1; i + 1 < argc; i++)
                if (!std::strcmp(argv[i], name)) return argv[i + 1];
            return const_cast<char *>(otherwise);
        };
        peer = get("--peer", "");
        topo = get("--topo", "");
        if (topo.rfind("chain-", 0) == 0) depth = std::atoi(topo.c_str() + 6);
        if (!chain() && !wide() && !diamond()) unsupported();
        work_us = std::atof(get("--work", "0"));
        iters = uint64_t(std::llround(work_us * spin_per_us()));
        threads = std::atoi(get("--threads", "2"));
        cap = std::atoi(get("--cap", "64"));
        reps = std::atoi(get("--reps", "5"));
        target_ms = std::atof(get("--target-ms", "500"));
        min_items = std::strtoull(get("--min-items", "2000"), nullptr, 10);
    }
    bool chain() const { return depth > 0; }
    bool wide() const { return topo == "wide-4"; }
    bool diamond() const { return topo == "diamond-4"; }

    // Item i reaches the sink as i * times() + plus().
    uint64_t times() const { return chain() ? 1 : wide() ? 4 : 2; }
    uint64_t plus() const { return chain() ? depth : wide() ? 4 : 5; }
    uint64_t expected(uint64_t n) const {
        return uint64_t((unsigned __int128)n * (n - 1) / 2) * times() + n * plus();
    }
};

// Sums the tokens, and counts those that came at another's place: out of order, or joined with a stranger.
struct Sink {
    uint64_t step, next, sum = 0, misordered = 0;
    explicit Sink(const Config &config) : step(config.times()), next(config.plus()) {}
    void take(uint64_t token) {
        sum += token;
        misordered += token != next;
        next += step;
    }
};

struct Usage {
    double cpu_us, sleeps, preemptions;
    static Usage now() {
        rusage r{};
        getrusage(RUSAGE_SELF, &r);
        auto us = [](timeval t) { return t.tv_sec * 1e6 + t.tv_usec; };
        return {us(r.ru_utime) + us(r.ru_stime), double(r.ru_nvcsw), double(r.ru_nivcsw)};
    }
};

// The peak of memory. ru_maxrss would start at the parent's, since it survives exec.
inline long peak_kib() {
    long kib = 0;
    char line[256];
    if (FILE *status = std::fopen("/proc/self/status", "r")) {
        while (std::fgets(line, sizeof line, status))
            if (std::sscanf(line, "VmHWM: %ld", &kib) == 1) break;
        std::fclose(status);
    }
    return kib;
}

// CPU seconds of the whole machine so far, without processes that were niced.
inline double machine_cpu() {
    double f[8] = {};
    if (FILE *stat = std::fopen("/proc/stat", "r")) {
        int read = std::fscanf(stat, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", f, f + 1, f + 2, f + 3, f + 4, f + 5,
                               f + 6, f + 7);
        if (read != 8) std::fill(f, f + 8, 0.0);
        std::fclose(stat);
    }
    return (f[0] + f[2] + f[5] + f[6] + f[7]) / 100;
}

// Measures run(config, n), which pushes items 0..n through a fresh network and returns the sink, and prints one line.
template <class Run>
void measure(const Config &config, Run run) {
    const uint64_t max_items = 20000000;
    uint64_t misordered = 0;
    auto timed = [&](uint64_t n) {
        auto began = Clock::now();
        Sink sink = run(config, n);
        double took = seconds_since(began);
        if (sink.sum != config.expected(n)) fail(config.peer + " lost or changed a token of " + config.topo);
        misordered += sink.misordered;
        return took;
    };
    // Sizes double until a run is long enough to trust; the last of them is the warm-up.
    double target = config.target_ms / 1e3;
    uint64_t n = std::clamp<uint64_t>(config.min_items, 1, 256), items;
    for (;;) {
        double took = timed(n);
        uint64_t wanted = uint64_t(n * target / took);
        if (took >= target / 10 || n >= max_items) {
            items = std::max(std::min(wanted, max_items), config.min_items);
            break;
        }
        n = std::min(std::clamp(wanted, n * 2, n * 16), max_items);
    }

    Usage before = Usage::now();
    double machine = machine_cpu();
    auto began = Clock::now();
    std::string samples;
    for (int i = 0; i < config.reps; i++)
        samples += (i ? ";" : "") + std::to_string(std::llround(items / timed(items)));
    Usage after = Usage::now();
    machine = machine_cpu() - machine;
    double wall = seconds_since(began), own = (after.cpu_us - before.cpu_us) / 1e6;

    double total = double(items) * config.reps;
    std::printf("%s,%s,%g,%d,%d,%llu,%.4f,%.5f,%.5f,%ld,%.1f,%.0f,%llu,%s\n", config.peer.c_str(),
                config.topo.c_str(), config.work_us, config.threads, config.cap, (unsigned long long)items,
                (after.cpu_us - before.cpu_us) / total, (after.sleeps - before.sleeps) / total,
                (after.preemptions - before.preemptions) / total, peak_kib(),
                (ns_per_iter() * spin_per_us() / 1e3 - 1) * 100, std::max(0.0, (machine - own) / wall * 100),
                (unsigned long long)misordered, samples.c_str());
}
