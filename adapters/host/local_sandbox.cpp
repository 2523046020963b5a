#include "adapters/host/local_sandbox.hpp"

#include "core/protocol/unix_stream.hpp"

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto end_deadline = 5s;

}    // namespace

local_sandbox::local_sandbox(
    local_services services, sandbox_id id, local_record record, std::optional<run_directory> directory, live_set live)
    : services_(services)
    , id_(std::move(id))
    , stored_(std::move(record), std::move(directory))
    , groups_(services_.time, stored_)
    , freezer_(services_.time, groups_)
    , processes_(services_.time)
    , live_(std::move(live))
{
    live_->insert(id_);
}

local_sandbox::~local_sandbox() { live_->erase(live_->find(id_)); }

void local_sandbox::mark_new(std::vector<sandbox_tree> trees)
{
    groups_.mark_new();
    freezer_.mark_new();
    trees_ = std::move(trees);
}

void local_sandbox::hold(uid_lease lease)
{
    stored_.set_uid(lease.uid());
    lease_ = std::move(lease);
}

result<void> local_sandbox::open_listener()
{
    auto opened = directory().listen();
    if (opened.has_error())
        return opened.error();
    listener_ = std::move(*opened);
    return {};
}

task<std::string> local_sandbox::why_gone() { co_return "its agent does not run any more"; }

task<result<void>> local_sandbox::remove_outside() { co_return result<void>(); }

void local_sandbox::adopt_monitor(process_handle monitor)
{
    stored_.set_monitor(monitor.identity());
    processes_.set_monitor(std::move(monitor));
}

result<void> local_sandbox::adopt_agent(process_handle agent)
{
    stored_.set_agent(agent.identity());
    processes_.set_agent(std::move(agent));
    return stored_.save();
}

void local_sandbox::keep_network() { network_ = used_networks::of(*agent()); }

bool local_sandbox::find_processes()
{
    processes_.find(record());
    return agent().has_value();
}

task<result<std::unique_ptr<protocol::byte_stream>>> local_sandbox::connect()
{
    if (!stored_.has_directory() || !agent())
        co_return error{errc::runtime_unavailable, "the agent does not run"};
    auto socket = directory().connect();
    if (socket.has_error())
        co_return socket.error();
    co_return protocol::make_unix_stream(services_.executor, std::move(*socket));
}

/// The record on disk is updated with the agent's start; until then it serves removal only.
result<void> local_sandbox::repurpose(const sandbox_spec& spec)
{
    if (!directory().exists() || !groups_.is_ahead_intact())
        return error{errc::runtime_unavailable, "its directory or a control group of it was removed"};
    stored_.stamp(services_.time.steady_now());
    stored_.set_work_directory(spec.work_directory);
    trees_ = spec.trees;
    return groups_.limit_ahead(spec.limits);
}

/// The watcher of the agent's end may not have run yet.
result<void> local_sandbox::claim(const sandbox_limits& limits, execution_group& made)
{
    if (agent() && !agent()->alive())
        return error{errc::runtime_unavailable, "its agent does not run any more"};
    stored_.stamp(services_.time.steady_now());
    return groups_.limit(limits, made);
}

task<std::string> local_sandbox::ended()
{
    // Not a coroutine: the sandbox may be destroyed meanwhile.
    return processes_.ended(stored_.duplicate_directory());
}

task<result<void>> local_sandbox::stop()
{
    listener_.reset();
    freezer_.thaw_for_kill();
    if (agent()) {
        if (processes_.is_monitor_agent() && !groups_.hold_agent())
            processes_.kill_below_agent();
        processes_.kill_agent();
        (void)co_await processes_.wait_gone(services_.time.steady_now() + 1s);
    }
    groups_.kill();
    processes_.kill_monitor();
    co_return co_await processes_.wait_gone(services_.time.steady_now() + end_deadline);
}

task<result<void>> local_sandbox::destroy()
{
    groups_.drop_unused();
    const auto removed = co_await remove_outside();
    auto done = co_await stop();
    if (done.has_error())
        co_return done;
    if (removed.has_error())
        co_return removed;
    done = co_await groups_.remove(services_.workers, services_.time.steady_now() + end_deadline);
    if (done.has_error())
        co_return done;
    services_.networks->give(std::move(network_), services_.time.steady_now());
    if (stored_.has_directory()) {
        auto remove = [copy = directory().path()] { return run_directory::remove(copy); };
        done = co_await offload(services_.workers, std::move(remove));
        if (done.has_error())
            co_return done;
        stored_.drop_directory();
    }
    release_uid();
    co_return result<void>();
}

void local_sandbox::release_uid()
{
    if (lease_)
        lease_->release();
    lease_.reset();
}

}    // namespace caisson
