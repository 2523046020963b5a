#include "adapters/host/local_runtime.hpp"

#include "adapters/host/greeting.hpp"
#include "adapters/host/sweep_mark.hpp"
#include "core/async/uncancellable.hpp"

#include <unistd.h>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// Upper bound for the kills and waits of a sweep, except for a disk that does not respond.
constexpr auto sweep_grace = 15s;
constexpr sandbox_limits probe_limits{.memory_bytes = 64 << 20, .cpu_milli = 500, .pids = 32, .disk_bytes = 1 << 20, .inodes = 64};

runtime_capabilities known_without_trying(const cgroup_tree& groups, std::string name)
{
    runtime_capabilities known{.name = std::move(name)};
    known.enforces_memory = groups.controls(cgroup_control::memory);
    known.enforces_pids = groups.controls(cgroup_control::pids);
    known.enforces_cpu = groups.controls(cgroup_control::cpu);
    known.execution_usage = groups.controls(cgroup_control::cpu_usage) && known.enforces_memory && known.enforces_pids;
    known.pauses = groups.controls(cgroup_control::freeze);
    known.degraded = groups.degraded();
    return known;
}

local_runtime_options with_run_dirs(local_runtime_options options)
{
    if (options.run_dirs.empty())
        options.run_dirs = {options.data_dir + "/run"};
    return options;
}

}    // namespace

std::optional<std::string> not_executable(const std::string& path, const std::string& remedy)
{
    if (::access(path.c_str(), X_OK) == 0)
        return std::nullopt;
    return path + " cannot be executed: " + remedy;
}

local_runtime::local_runtime(std::string name, local_services services, local_runtime_options options)
    : services_(services), options_(with_run_dirs(std::move(options))), traces_(services_, name, options_.run_dirs), stock_(services_)
{
    services_.groups.prepare();
    capabilities_ = known_without_trying(services_.groups, std::move(name));
    capabilities_.unavailable_reason = "not tried yet";
}

task<result<std::unique_ptr<sandbox>>> local_runtime::recover(sandbox_id id, std::string runtime_state)
{
    const auto until = services_.time.steady_now() + sweep_grace;
    while (services_.swept->contains(id)) {
        if (services_.time.steady_now() >= until)
            co_return error{errc::timed_out, "a sweep has been removing it for " + std::to_string(sweep_grace.count()) + " s"};
        co_await services_.time.wait_for(5ms);
    }
    auto record = local_record::from_json(services_.groups.io(), runtime_state);
    std::unique_ptr<local_sandbox> found;
    if (record && record->runtime == name())
        found = make_sandbox(id, std::move(*record), traces_.open_directory(id));
    else
        found = find_left_over(id);
    if (found == nullptr)
        co_return error{errc::gone, "nothing is left of the sandbox"};
    // A record stored before the start lacks the agent; the one in the run directory has it.
    const bool same_boot = found->record().is_of_this_boot();
    if (!found->record().agent && same_boot) {
        if (auto newer = find_left_over(id))
            found = std::move(newer);
    }
    const bool runs = found->find_processes();
    if (runs && found->stored().has_directory())
        co_return std::unique_ptr<sandbox>(std::move(found));
    std::string why = "the host was booted since";
    if (same_boot)
        why = co_await found->why_gone();
    auto removed = co_await found->destroy();
    if (removed.has_error())
        services_.log.warning("a lost sandbox is not wholly removed", {{"sandbox", id.str()}, {"reason", removed.error().detail}});
    co_return error{errc::gone, std::move(why)};
}

/// Uses the record in the run directory, else `runtime_state`; null if it belongs to another runtime.
std::unique_ptr<local_sandbox> local_runtime::find_left_over(const sandbox_id& id, const std::string& runtime_state)
{
    auto directory = traces_.open_directory(id);
    auto record = traces_.record_of(id, directory, runtime_state);
    return record ? make_sandbox(id, std::move(*record), std::move(directory)) : nullptr;
}

task<result<std::vector<sandbox_id>>> local_runtime::left_overs() { co_return co_await traces_.ids(); }

task<result<void>> local_runtime::remove_left_over(sandbox_id id, std::string runtime_state)
{
    // No suspension from here until an object counts as live, so that nobody can recover the sandbox in between.
    if (services_.live->contains(id))
        co_return error{errc::conflict, "the sandbox is in use"};
    const auto left = find_left_over(id, runtime_state);
    if (left == nullptr)
        co_return result<void>();
    const sweep_mark mark(services_.swept, id);
    left->find_processes();
    co_return co_await traces_.remove(left.get());
}

task<> local_runtime::probe()
{
    auto found = known_without_trying(services_.groups, capabilities_.name);
    auto reason = missing();
    if (!reason) {
        auto tried = co_await try_sandbox(&found);
        if (tried.has_error())
            reason = explain(tried.error().detail);
    }
    found.available = !reason;
    found.unavailable_reason = reason.value_or("");
    capabilities_ = std::move(found);
}

void local_runtime::fit_trial(sandbox_spec&) const { }

task<result<void>> local_runtime::try_sandbox(runtime_capabilities* found)
{
    id_factory ids(services_.time);
    sandbox_spec spec{.id = ids.make<sandbox_id>(), .limits = probe_limits};
    fit_trial(spec);
    auto created = co_await create(std::move(spec));
    if (created.has_error())
        co_return created.error();
    auto& local = static_cast<local_sandbox&>(**created);
    std::exception_ptr failure;
    result<void> tried;
    try {
        tried = co_await try_running(&local, found);
    } catch (...) {
        failure = std::current_exception();
    }
    // Also on cancellation by a stopping server: the agent would otherwise wait a day for a new one.
    co_await asio::this_coro::throw_if_cancelled(false);
    auto removed = co_await uncancellable(local.destroy());
    if (failure)
        std::rethrow_exception(failure);
    co_return tried.has_error() ? tried : removed;
}

task<result<void>> local_runtime::try_running(local_sandbox* created, runtime_capabilities* found)
{
    auto done = co_await start(*created);
    if (done.has_error())
        co_return done;
    done = co_await greet_agent(services_.executor, services_.time, services_.log, created);
    if (done.has_error()) {
        const auto line = created->directory().first_log_line();
        co_return error{errc::runtime_unavailable, "the agent does not answer: " + (line.empty() ? done.error().detail : line)};
    }
    co_return inspect(*created, *found);
}

}    // namespace caisson
