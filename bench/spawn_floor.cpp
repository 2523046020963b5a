/// usage: bench-spawn-floor [--workers N] [--count N] [--groups 1] -- PROGRAM ARGS…
/// N workers at once, each starting the program and waiting for it `count` times: what the host itself takes. With --groups each run has a
/// control group with limits of its own, made with it and removed after it, which a sample does not count.
#include "bench/arguments.hpp"
#include "bench/report.hpp"
#include "bench/run_groups.hpp"
#include "bench/spawn.hpp"

#include <future>
#include <memory>
#include <vector>

namespace caisson::bench {

namespace {

samples_ns run_worker(const std::vector<std::string>& argv, std::int64_t count)
{
    samples_ns samples;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto begin = now_ns();
        finish(start(argv));
        samples.push_back(now_ns() - begin);
    }
    return samples;
}

samples_ns run_grouped(run_groups* groups, const std::vector<std::string>& argv, std::int64_t count)
{
    samples_ns samples;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto begin = now_ns();
        auto group = groups->make();
        finish(run_groups::start(group, argv));
        samples.push_back(now_ns() - begin);
        run_groups::remove(group);
    }
    return samples;
}

void measure(const arguments& given)
{
    const auto count = given.count("count", 100);
    const auto groups = given.has("groups") ? std::make_unique<run_groups>() : nullptr;
    const auto work = [&] { return groups ? run_grouped(groups.get(), given.command(), count) : run_worker(given.command(), count); };
    finish(start(given.command()));
    const auto begin = now_ns();
    std::vector<std::future<samples_ns>> workers;
    for (std::int64_t i = 0; i < given.count("workers", 1); ++i)
        workers.push_back(std::async(std::launch::async, work));
    samples_ns all;
    for (auto& worker : workers) {
        const auto part = worker.get();
        all.insert(all.end(), part.begin(), part.end());
    }
    print_report({{"wall_ns", now_ns() - begin}}, all);
}

}    // namespace

}    // namespace caisson::bench

int main(int argc, char** argv) { return caisson::bench::run_main(argc, argv, caisson::bench::measure); }
