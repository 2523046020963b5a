/// usage: bench-sandbox-floor --launch PATH --agent PATH --run DIR [--workers N] [--count N]
/// N at once, each making `count` sandboxes one after the other as the server makes them (a fork of caisson-launch with the server's
/// options, control groups with the default limits), ending its agent as soon as that can be connected to, and waiting for that: what the
/// host takes for the isolation alone. A sample ends with all of its processes, as one of a bare bwrap does; the removal is in the time of
/// all (wall_ns) only.
#include "adapters/bubblewrap/bubblewrap_runtime.hpp"
#include "adapters/crypto/digest.hpp"
#include "bench/arguments.hpp"
#include "bench/report.hpp"
#include "core/async/task_group.hpp"
#include "core/base/ids.hpp"
#include "core/base/log.hpp"

#include <unistd.h>

namespace caisson::bench {

namespace {

constexpr sandbox_limits limits{.memory_bytes = 512 << 20, .cpu_milli = 500, .pids = 128, .disk_bytes = 256 << 20, .inodes = 16'384};

struct measurement {
    std::int64_t count = 0;
    samples_ns samples;
    std::exception_ptr failure;
};

task<> make_one(runtime* where, sandbox_id id, samples_ns* samples)
{
    const auto begin = now_ns();
    sandbox_spec spec;
    spec.id = std::move(id);
    spec.limits = limits;
    const auto made = (co_await where->create(std::move(spec))).value();
    (co_await where->start(*made)).value();
    (co_await made->connect()).value();
    (co_await made->stop()).value();
    samples->push_back(now_ns() - begin);
    (co_await made->destroy()).value();
}

task<> make_all(runtime* where, id_factory* ids, measurement* out)
{
    try {
        for (std::int64_t i = 0; i < out->count; ++i)
            co_await make_one(where, ids->make<sandbox_id>(), &out->samples);
    } catch (...) {
        out->failure = std::current_exception();
    }
}

void measure(const arguments& given)
{
    asio::io_context context(1);
    const auto executor = context.get_executor();
    system_timers time;
    null_logger log;
    worker_pool workers("sandboxes", 2);
    cgroup_tree groups(std::make_shared<system_cgroup_io>(), cgroup_options_of_this_process("bench-" + std::to_string(::getpid())));
    const auto run = given.text("run");
    bubblewrap_runtime where({executor, time, log, workers, groups}, {.local = {.data_dir = run,
                                                                          .instance = groups.instance(),
                                                                          .launch_path = given.text("launch"),
                                                                          .agent_path = given.text("agent"),
                                                                          .launcher_has_agent = true},
                                                                         .uid_lock_dir = run + "/uids",
                                                                         .digests = {&md5_hex, &sha256_hex}});
    id_factory ids(time);
    measurement out{.count = given.count("count", 50)};
    task_group all(executor, log);
    const auto begin = now_ns();
    for (std::int64_t i = 0; i < given.count("workers", 1); ++i)
        all.spawn("sandboxes", make_all(&where, &ids, &out));
    context.run();
    if (out.failure)
        std::rethrow_exception(out.failure);
    print_report({{"wall_ns", now_ns() - begin}}, out.samples);
}

}    // namespace

}    // namespace caisson::bench

int main(int argc, char** argv) { return caisson::bench::run_main(argc, argv, caisson::bench::measure); }
