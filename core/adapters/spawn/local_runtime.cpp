#include "core/adapters/spawn/local_runtime.hpp"

#include "core/protocol/agent_link.hpp"

#include <algorithm>
#include <unistd.h>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr sandbox_limits probe_limits{.memory_bytes = 64 << 20, .cpu_milli = 500, .pids = 32, .disk_bytes = 1 << 20, .inodes = 64};

/// Says HELLO to the agent of a probe's sandbox.
task<result<void>> greet(local_services services, sandbox* running)
{
    auto connect = [running] { return running->connect(); };
    protocol::link_options options{.instance = "probe", .epoch = static_cast<std::uint64_t>(services.time.now_ms())};
    const auto link = protocol::make_agent_link(services.executor, services.time, services.log, std::move(connect), std::move(options));
    auto opened = co_await link->open(services.time.steady_now() + 10s);
    link->close();
    co_return opened;
}

}    // namespace

std::optional<std::string> not_executable(const std::string& path, const std::string& remedy)
{
    if (::access(path.c_str(), X_OK) == 0)
        return std::nullopt;
    return path + " cannot be executed: " + remedy;
}

local_runtime::local_runtime(std::string name, local_services services, local_runtime_options options)
    : services_(services), options_(std::move(options))
{
    services_.groups.prepare();
    capabilities_ = known_without_trying(std::move(name));
    capabilities_.unavailable_reason = "not tried yet";
}

runtime_capabilities local_runtime::known_without_trying(std::string name) const
{
    const auto& groups = services_.groups;
    runtime_capabilities known{.name = std::move(name)};
    known.enforces_memory = groups.controls(cgroup_control::memory);
    known.enforces_pids = groups.controls(cgroup_control::pids);
    known.enforces_cpu = groups.controls(cgroup_control::cpu);
    known.execution_usage = groups.controls(cgroup_control::cpu_usage) && known.enforces_memory && known.enforces_pids;
    known.pauses = groups.controls(cgroup_control::freeze);
    known.degraded = groups.degraded();
    return known;
}

task<result<std::unique_ptr<sandbox>>> local_runtime::create(sandbox_spec spec)
{
    auto directory = run_directory::make(options_.data_dir, spec.id);
    if (directory.has_error())
        co_return directory.error();
    local_record record;
    record.runtime = name();
    record.limits = spec.limits;
    record.group = services_.groups.sandbox_group(spec.id.str());
    auto created = make_sandbox(spec.id, std::move(record), std::move(*directory));
    auto prepared = prepare_parts(*created, spec);
    if (!prepared.has_error())
        co_return std::unique_ptr<sandbox>(std::move(created));
    auto removed = co_await created->destroy();
    if (removed.has_error())
        services_.log.warning(
            "a sandbox that could not be made is not wholly removed", {{"sandbox", spec.id.str()}, {"reason", removed.error().detail}});
    co_return prepared.error();
}

result<void> local_runtime::prepare_parts(local_sandbox& created, const sandbox_spec& spec)
{
    // The record first: whatever is made after it can be found and removed by a later server.
    auto done = created.directory().write_state(created.runtime_state());
    if (done.has_error())
        return done;
    auto group = services_.groups.make_sandbox_group(spec.id.str(), spec.limits);
    if (group.has_error())
        return group.error();
    auto listener = created.directory().listen();
    if (listener.has_error())
        return listener.error();
    created.listener() = std::move(*listener);
    return prepare(created);
}

task<result<std::unique_ptr<sandbox>>> local_runtime::recover(sandbox_id id, std::string runtime_state)
{
    auto record = local_record::from_json(services_.groups.io(), runtime_state);
    std::unique_ptr<local_sandbox> found;
    if (record && record->runtime == name())
        found = make_sandbox(id, std::move(*record), run_directory::open(options_.data_dir, id));
    else
        found = find_left_over(id);
    if (found == nullptr)
        co_return error{errc::gone, "nothing is left of the sandbox"};
    // A record that was stored before the start does not name the agent; the run directory's does.
    if (!found->record().agent) {
        if (auto newer = find_left_over(id))
            found = std::move(newer);
    }
    const bool runs = found->find_processes();
    if (runs && found->has_directory())
        co_return std::unique_ptr<sandbox>(std::move(found));
    auto removed = co_await found->destroy();
    if (removed.has_error())
        services_.log.warning("a lost sandbox is not wholly removed", {{"sandbox", id.str()}, {"reason", removed.error().detail}});
    co_return error{errc::gone, "the sandbox's agent does not run any more"};
}

/// By the record in the run directory; nothing if that is another runtime's or there is nothing at all.
std::unique_ptr<local_sandbox> local_runtime::find_left_over(const sandbox_id& id)
{
    auto directory = run_directory::open(options_.data_dir, id);
    const auto text = directory ? directory->read_state() : std::nullopt;
    auto record = text ? local_record::from_json(services_.groups.io(), *text) : std::nullopt;
    if (record && record->runtime != name())
        return nullptr;
    if (!record) {
        record.emplace();
        record->runtime = name();
        record->group = services_.groups.sandbox_group(id.str());
    }
    return make_sandbox(id, std::move(*record), std::move(directory));
}

std::vector<sandbox_id> local_runtime::candidates() const
{
    auto ids = run_directory::list(options_.data_dir);
    for (const auto& name : services_.groups.sandbox_names()) {
        if (auto id = sandbox_id::parse(name))
            ids.push_back(std::move(*id));
    }
    std::ranges::sort(ids);
    const auto repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
    return ids;
}

task<std::size_t> local_runtime::sweep(std::vector<sandbox_id> keep)
{
    std::size_t removed = 0;
    for (const auto& id : candidates()) {
        if (live_->contains(id) || std::ranges::find(keep, id) != keep.end())
            continue;
        const auto left = find_left_over(id);
        if (left == nullptr)
            continue;
        left->find_processes();
        auto done = co_await left->destroy();
        if (done.has_error())
            services_.log.warning("a left-over sandbox is not wholly removed", {{"sandbox", id.str()}, {"reason", done.error().detail}});
        else
            ++removed;
    }
    co_return removed;
}

task<> local_runtime::probe()
{
    auto found = known_without_trying(capabilities_.name);
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

task<result<void>> local_runtime::try_sandbox(runtime_capabilities* found)
{
    id_factory ids(services_.time);
    sandbox_spec spec{.id = ids.make<sandbox_id>(), .limits = probe_limits};
    auto created = co_await create(std::move(spec));
    if (created.has_error())
        co_return created.error();
    auto& local = static_cast<local_sandbox&>(**created);
    auto tried = co_await try_running(&local, found);
    auto removed = co_await local.destroy();
    co_return tried.has_error() ? tried : removed;
}

task<result<void>> local_runtime::try_running(local_sandbox* created, runtime_capabilities* found)
{
    auto done = co_await start(*created);
    if (done.has_error())
        co_return done;
    done = co_await greet(services_, created);
    if (done.has_error()) {
        const auto line = created->directory().first_log_line();
        co_return error{errc::runtime_unavailable, "the agent does not answer: " + (line.empty() ? done.error().detail : line)};
    }
    co_return inspect(*created, *found);
}

}    // namespace caisson
