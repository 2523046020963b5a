#include "adapters/host/sandbox_processes.hpp"

#include "core/async/deadline.hpp"

#include <csignal>
#include <sys/wait.h>

namespace caisson {

namespace {

using namespace std::chrono_literals;
using exit_task = task<std::optional<int>>;

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

void sandbox_processes::find(const local_record& record)
{
    if (!record.is_of_this_boot())
        return;
    if (record.monitor)
        monitor_ = process_handle::open(*record.monitor);
    if (record.agent)
        agent_ = process_handle::open(*record.agent);
}

task<std::string> sandbox_processes::ended(std::optional<run_directory> directory) const
{
    // Not a coroutine: the returned task owns its descriptors.
    std::optional<exit_task> agent;
    std::optional<exit_task> monitor;
    if (agent_)
        agent = agent_->wait();
    if (monitor_ && !is_monitor_agent())
        monitor = monitor_->wait();
    return watch_end(&time_, std::move(agent), std::move(monitor), std::move(directory));
}

void sandbox_processes::kill_below_agent() const
{
    if (!agent_->alive())
        return;
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

void sandbox_processes::kill_agent() const { agent_->send(SIGKILL); }

void sandbox_processes::kill_monitor() const
{
    if (!monitor_ || !monitor_->alive())
        return;
    // The start did not get as far as the agent's pid: it is among the monitor's children.
    if (!agent_) {
        for (const pid_t pid : children_of(monitor_->identity().pid))
            ::kill(pid, SIGKILL);
    }
    monitor_->send(SIGKILL);
}

task<result<void>> sandbox_processes::wait_gone(steady_time deadline) const
{
    for (const auto* process : {&agent_, &monitor_}) {
        if (!process->has_value())
            continue;
        auto gone = co_await with_deadline(time_, deadline, (*process)->wait());
        if (gone.has_error())
            co_return error{errc::timed_out, "a process of the sandbox does not end"};
    }
    co_return result<void>();
}

}    // namespace caisson
