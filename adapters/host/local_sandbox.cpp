#include "adapters/host/local_sandbox.hpp"

#include "adapters/host/cgroup/cgroup_execution_group.hpp"
#include "adapters/host/cgroup/group_removal.hpp"
#include "core/async/deadline.hpp"
#include "core/protocol/unix_stream.hpp"

#include <csignal>
#include <sys/wait.h>

namespace caisson {

namespace {

using namespace std::chrono_literals;
using exit_task = task<std::optional<int>>;

constexpr auto end_deadline = 5s;
constexpr int shell_signal_base = 128;    // bwrap exits with this plus the signal that killed its child

std::string describe(std::optional<int> status)
{
    if (!status)
        return "the agent ended";
    if (WIFSIGNALED(*status))
        return "the agent was killed by signal " + std::to_string(WTERMSIG(*status));
    const int code = WEXITSTATUS(*status);
    if (code > shell_signal_base)
        return "the agent was killed by signal " + std::to_string(code - shell_signal_base);
    return "the agent exited with status " + std::to_string(code);
}

std::string with_log(std::string text, const std::optional<run_directory>& directory)
{
    const auto line = directory ? directory->first_log_line() : std::string();
    return line.empty() ? text : text + ": " + line;
}

/// The sandbox ends with its agent; its parent process (bwrap or the launcher) knows the agent's exit status.
task<std::string> watch_end(
    timers* time, std::optional<exit_task> agent, std::optional<exit_task> monitor, std::optional<run_directory> directory)
{
    if (agent) {
        auto own_status = co_await std::move(*agent);
        if (own_status)
            co_return with_log(describe(own_status), directory);
    }
    if (!monitor)
        co_return with_log("the agent ended", directory);
    if (!agent) {
        auto status = co_await std::move(*monitor);
        co_return with_log(describe(status), directory);
    }
    auto status = co_await with_deadline(*time, time->steady_now() + 1s, std::move(*monitor));
    co_return with_log(describe(status.has_value() ? *status : std::nullopt), directory);
}

}    // namespace

local_sandbox::local_sandbox(
    local_services services, sandbox_id id, local_record record, std::optional<run_directory> directory, live_set live)
    : services_(services), id_(std::move(id)), record_(std::move(record)), directory_(std::move(directory)), live_(std::move(live))
{
    live_->insert(id_);
}

local_sandbox::~local_sandbox() { live_->erase(live_->find(id_)); }

void local_sandbox::hold(uid_lease lease)
{
    record_.uid = lease.uid();
    lease_ = std::move(lease);
}

result<void> local_sandbox::open_listener()
{
    auto opened = directory_->listen();
    if (opened.has_error())
        return opened.error();
    listener_ = std::move(*opened);
    return {};
}

result<void> local_sandbox::set_container(local_record::container made)
{
    record_.made_of = std::move(made);
    return save();
}

task<std::string> local_sandbox::why_gone() { co_return "its agent does not run any more"; }

task<result<void>> local_sandbox::remove_outside() { co_return result<void>(); }

void local_sandbox::adopt_monitor(process_handle monitor)
{
    record_.monitor = monitor.identity();
    monitor_ = std::move(monitor);
}

result<void> local_sandbox::adopt_agent(process_handle agent)
{
    record_.agent = agent.identity();
    agent_ = std::move(agent);
    return save();
}

void local_sandbox::keep_network() { network_ = used_networks::of(*agent_); }

bool local_sandbox::find_processes()
{
    if (!record_.is_of_this_boot())
        return false;
    if (record_.monitor)
        monitor_ = process_handle::open(*record_.monitor);
    if (record_.agent)
        agent_ = process_handle::open(*record_.agent);
    return agent_.has_value();
}

std::optional<steady_time> local_sandbox::made_at() const
{
    if (record_.made_at_ns <= 0 || !record_.is_of_this_boot())
        return std::nullopt;
    return steady_time(std::chrono::duration_cast<steady_time::duration>(std::chrono::nanoseconds(record_.made_at_ns)));
}

task<result<std::unique_ptr<protocol::byte_stream>>> local_sandbox::connect()
{
    if (!directory_ || !agent_)
        co_return error{errc::runtime_unavailable, "the agent does not run"};
    auto socket = directory_->connect();
    if (socket.has_error())
        co_return socket.error();
    co_return protocol::make_unix_stream(services_.executor, std::move(*socket));
}

void local_sandbox::stamp()
{
    record_.stamp(std::chrono::duration_cast<std::chrono::nanoseconds>(services_.time.steady_now().time_since_epoch()).count());
}

/// The record on disk is updated with the agent's start; until then it serves removal only.
result<void> local_sandbox::serve(const sandbox_spec& spec)
{
    auto& ahead = static_cast<cgroup_execution_group&>(*ahead_);
    if (!directory_->exists() || !ahead.exists() || !record_.group.own_part(agent_part).exists())
        return error{errc::runtime_unavailable, "its directory or a control group of it was removed"};
    stamp();
    record_.work_directory = spec.work_directory;
    trees_ = spec.trees;
    return spec.limits == record_.limits ? result<void>() : limit_again(spec.limits, ahead);
}

/// The watcher of the agent's end may not have run yet.
result<void> local_sandbox::claim(const sandbox_limits& limits, execution_group& made)
{
    if (agent_ && !agent_->alive())
        return error{errc::runtime_unavailable, "its agent does not run any more"};
    stamp();
    if (limits == record_.limits)
        return {};
    return limit_again(limits, static_cast<cgroup_execution_group&>(made));
}

task<std::string> local_sandbox::ended()
{
    // Not a coroutine: the returned task owns its descriptors, so the sandbox may be destroyed.
    std::optional<exit_task> agent;
    std::optional<exit_task> monitor;
    if (agent_)
        agent = agent_->wait();
    if (monitor_ && !monitor_is_agent())
        monitor = monitor_->wait();
    return watch_end(&services_.time, std::move(agent), std::move(monitor), directory_ ? directory_->duplicate() : std::nullopt);
}

void local_sandbox::kill_below_agent()
{
    // All descendants of a subreaper stay below it while it lives. While stopped, it starts none.
    agent_->send(SIGSTOP);
    constexpr int most_passes = 100;
    for (int pass = 0; pass < most_passes; ++pass) {
        const auto below = descendants_of(agent_->identity().pid);
        if (below.empty())
            return;
        for (const pid_t pid : below)
            ::kill(pid, SIGKILL);
    }
}

bool local_sandbox::monitor_is_agent() const { return monitor_ && agent_ && monitor_->identity() == agent_->identity(); }

/// The agent first: bwrap, its parent, then reaps it and exits, so that init need not reap it.
void local_sandbox::kill_agent()
{
    if (monitor_is_agent() && record_.group.whole().members().empty() && agent_->alive())
        kill_below_agent();
    agent_->send(SIGKILL);
}

void local_sandbox::kill_rest()
{
    const bool has_siblings = may_have_compiler_ || may_have_later_programs_;
    if (!record_.group.is_surely_empty())
        (has_siblings ? record_.group : record_.group.without_siblings()).kill();
    if (!monitor_ || !monitor_->alive())
        return;
    // The start did not get as far as the agent's pid: it is among the monitor's children.
    if (!agent_) {
        for (const pid_t pid : children_of(monitor_->identity().pid))
            ::kill(pid, SIGKILL);
    }
    monitor_->send(SIGKILL);
}

task<result<void>> local_sandbox::wait_gone(steady_time deadline)
{
    for (const auto* process : {&agent_, &monitor_}) {
        if (!process->has_value())
            continue;
        auto gone = co_await with_deadline(services_.time, deadline, (*process)->wait());
        if (gone.has_error())
            co_return error{errc::timed_out, "a process of the sandbox does not end"};
    }
    co_return result<void>();
}

task<result<void>> local_sandbox::stop()
{
    listener_.reset();
    for (auto& each : may_be_frozen_ ? freezable() : std::vector<control_group>())
        (void)each.thaw();    // the v1 freezer blocks even SIGKILL
    if (agent_) {
        kill_agent();
        (void)co_await wait_gone(services_.time.steady_now() + 1s);
    }
    kill_rest();
    co_return co_await wait_gone(services_.time.steady_now() + end_deadline);
}

task<result<void>> local_sandbox::destroy()
{
    ahead_.reset();
    made_at_start_.reset();
    const auto removed = co_await remove_outside();
    auto done = co_await stop();
    if (done.has_error())
        co_return done;
    if (removed.has_error())
        co_return removed;
    auto removing =
        remove_group(services_.workers, services_.time, record_.group, known_groups(), services_.time.steady_now() + end_deadline);
    done = co_await std::move(removing);
    if (done.has_error())
        co_return done;
    services_.networks->give(std::move(network_), services_.time.steady_now());
    if (directory_) {
        auto remove = [copy = directory_->path()] { return run_directory::remove(copy); };
        done = co_await offload(services_.workers, std::move(remove));
        if (done.has_error())
            co_return done;
        directory_.reset();
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
