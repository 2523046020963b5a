#include "adapters/containers/engine_host.hpp"
#include "adapters/containers/engine_runtime.hpp"
#include "adapters/containers/trial_images.hpp"
#include "adapters/engine/json_fields.hpp"
#include "adapters/host/greeting.hpp"
#include "core/async/deadline.hpp"
#include "core/async/uncancellable.hpp"

#include <algorithm>

/// The runtime's probe of the engine.
namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto probe_within = 5s;
constexpr auto trial_within = 45s;    // a gVisor platform may hang forever
constexpr sandbox_limits trial_limits{.memory_bytes = 64 << 20, .cpu_milli = 500, .pids = 32, .disk_bytes = 1 << 20, .inodes = 64};

degradation unbounded_disks()
{
    return {"disk_reads", "what containers read of the disks of the engine's host is not bounded: the server does not see its disks",
        "run the server on the engine's host, not in a container, or use bubblewrap"};
}

bool has(const std::vector<std::string>& names, const std::string& wanted) { return std::ranges::find(names, wanted) != names.end(); }

}    // namespace

/// The usual capabilities of an engine. The probe removes those that this one lacks.
runtime_capabilities engine_runtime::known_without_trying() const
{
    runtime_capabilities known{.name = options_.name};
    known.isolates = known.pauses = true;
    known.enforces_memory = known.enforces_cpu = known.enforces_disk = true;
    known.enforces_pids = !is_gvisor();
    known.degraded = {
        {"usage", "CPU time and memory are those of the whole container, its agent included, and there is no count of processes",
            "use the docker runtime over its socket, or bubblewrap"},
        {"disk_full", "whether a sandbox's disk was full cannot be seen", "use the docker runtime over its socket, or bubblewrap"},
        {"pause", "a sandbox that is paused stands still with its agent", "use the docker runtime over its socket, or bubblewrap"},
    };
    if (options_.disk_reads.any() && !bounds_disks_)
        known.degraded.push_back(unbounded_disks());
    if (services_.on.exposed())
        known.degraded.push_back({"engine",
            "the engine is reached over TCP without TLS: whoever is on the way reads and changes what runs, and whoever reaches it is root "
            "there",
            "set docker.ca_file, docker.certificate_file and docker.key_file, and start the engine with --tlsverify"});
    if (is_gvisor()) {
        known.degraded.push_back({"pids", "gVisor counts the processes of a user by RLIMIT_NPROC, and cannot tell how often it refused one",
            "use the docker or the bubblewrap runtime where that matters"});
        known.degraded.push_back({"terminal", "gVisor's terminals do not tell programs the end of input, and are of no use after it",
            "tell programs in a terminal to end (exit), or do without pty where they read to the end"});
        known.degraded.push_back({"inodes", "gVisor does not bound the number of files", "limits.memory_bytes bounds them"});
        known.degraded.push_back(
            {"agent", "gVisor lets a program end its agent and speak in its name: what a record tells may be its program's word",
                "use the docker or the bubblewrap runtime where that matters"});
        known.degraded.push_back({"memory",
            "gVisor's kernel counts too, with 64 MiB for it; out of memory the whole sandbox ends, and output that was not sent yet is "
            "lost",
            "use the docker or the bubblewrap runtime where that matters"});
    }
    return known;
}

task<> engine_runtime::probe()
{
    bounds_disks_ = options_.sees_disks && !paths_of(block_devices()).empty();
    auto found = known_without_trying();
    auto done = co_await try_engine(&found);
    const bool answers = !done.has_error();
    if (answers)
        done = co_await try_sandbox();
    if (answers && done.has_error() && bounds_disks_ && options_.disk_reads.any()) {    // its host may have other disks
        bounds_disks_ = false;
        found.degraded.push_back(unbounded_disks());
        done = co_await try_sandbox();
    }
    found.available = !done.has_error();
    found.unavailable_reason = done.has_error() ? explain(done.error()) : "";
    if (found.available && !co_await has_an_image())
        found.degraded.push_back({"image", "the engine has none of the images that are allowed", "docker pull " + options_.images.front()});
    capabilities_ = std::move(found);
}

/// Checks the engine's runtimes and its kernel's limits.
task<result<void>> engine_runtime::try_engine(runtime_capabilities* found)
{
    const auto info = co_await services_.on.info(services_.time.steady_now() + probe_within);
    if (info.has_error())
        co_return error{errc::runtime_unavailable, "no engine answers at " + services_.on.address() + " (" + info.error().detail +
                                                       "): start it, or set docker.engine to its address"};
    if (!has(info->runtimes, options_.engine_runtime))
        co_return error{errc::runtime_unavailable, "the engine has no OCI runtime \"" + options_.engine_runtime +
                                                       "\": register it in the engine's daemon.json (\"runtimes\": {\"" +
                                                       options_.engine_runtime + "\": {\"path\": \"/usr/bin/" + options_.engine_runtime +
                                                       "\"}}) and restart the engine"};
    const auto said = co_await services_.on.call("GET", "/info", services_.time.steady_now() + probe_within);
    if (said.has_error())
        co_return said.error();
    const auto lacks = [&](const char* name) { return said->is_object() && docker::member(*said, name) && !docker::flag_of(*said, name); };
    limits_ = docker::container_limit::all;
    const auto take_away = [&](bool& enforced, const char* name, const char* control, unsigned limits) {
        if (!lacks(name))
            return;
        enforced = false;
        limits_ &= ~limits;
        found->degraded.push_back({control, "the engine's kernel does not enforce it", "give the engine's host that cgroup controller"});
    };
    take_away(found->enforces_memory, "MemoryLimit", "memory", docker::container_limit::memory | docker::container_limit::swap);
    take_away(found->enforces_pids, "PidsLimit", "pids", docker::container_limit::pids);
    take_away(found->enforces_cpu, "CpuCfsQuota", "cpu", docker::container_limit::cpu);
    if (found->enforces_memory && lacks("SwapLimit")) {
        limits_ &= ~docker::container_limit::swap;
        if (!services_.on.local() || docker::host_swaps())
            found->degraded.push_back({"swap", "the engine's kernel does not limit swap: a sandbox may use its host's beside its memory",
                "boot the engine's host with swapaccount=1 or cgroup v2, or switch its swap off"});
    }
    co_return result<void>();
}

task<result<void>> engine_runtime::try_sandbox()
{
    id_factory ids(services_.time);
    sandbox_spec spec{.id = ids.make<sandbox_id>(), .limits = trial_limits};
    spec.image = options_.trial_image.empty() ? trial_image_of(spec.id) : options_.trial_image;
    const bool own_image = options_.trial_image.empty();
    auto trial = object_of(spec.id, spec.work_directory, spec.image);
    if (own_image)
        trial->own_image();
    std::exception_ptr failure;
    result<void> tried;
    try {
        if (own_image)    // not cancellable: the engine might create it later
            tried = co_await uncancellable(import_trial_image(&images_, spec.id, settings_));
        if (!tried.has_error())
            tried = co_await make_container(trial.get(), std::move(spec));
        if (!tried.has_error()) {
            auto running = try_running(trial.get());
            tried = co_await with_deadline(services_.time, services_.time.steady_now() + trial_within, std::move(running));
        }
    } catch (...) {
        failure = std::current_exception();
    }
    // Clean up also if the probe is cancelled by a stopping server.
    co_await asio::this_coro::throw_if_cancelled(false);
    auto removed = co_await uncancellable(trial->destroy());
    if (failure)
        std::rethrow_exception(failure);
    co_return tried.has_error() ? tried : removed;
}

task<result<void>> engine_runtime::try_running(engine_sandbox* created)
{
    auto done = co_await created->run();
    if (done.has_error())
        co_return done;
    done = co_await greet_agent(services_.executor, services_.time, services_.log, created);
    if (done.has_error())
        co_return error{done.error().code, "the agent does not answer: " + done.error().detail};
    co_return result<void>();
}

/// False if the engine is known to have none of the config's images.
task<bool> engine_runtime::has_an_image()
{
    for (const auto& each : options_.images) {
        const auto found = co_await images_.inspect(each, services_.time.steady_now() + probe_within);
        if (found.has_value() || found.error().code != errc::not_found)
            co_return true;
    }
    co_return options_.images.empty();
}

std::string engine_runtime::explain(const error& failure) const
{
    if (!is_gvisor() || failure.detail.starts_with("no engine") || failure.detail.starts_with("the engine has no"))
        return failure.detail;
    return "a trial sandbox under gVisor failed (" + failure.detail +
           "): where its platform cannot work (kvm without /dev/kvm, or in a virtual " + "machine), register " + options_.engine_runtime +
           " with \"runtimeArgs\": [\"--platform=systrap\"] (older ones: ptrace)";
}

}    // namespace caisson
