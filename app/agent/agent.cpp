#include "app/agent/agent.hpp"

#include "app/agent/control_socket.hpp"
#include "app/agent/file_writer.hpp"
#include "app/agent/reaper.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

namespace caisson::agent {

namespace {

constexpr std::int64_t rest_after_ms = 1000;
constexpr std::int64_t end_within_ms = 2000;
constexpr std::int64_t longest_hold_ms = 1;

/// As PID 1 only SIGCHLD, because programs could send the other signals.
sigset_t handled_signals()
{
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGCHLD);
    if (::getpid() != 1) {
        ::sigaddset(&set, SIGTERM);
        ::sigaddset(&set, SIGINT);
    }
    return set;
}

}    // namespace

int agent::run()
{
    if (!prepare())
        return 1;
    while (!is_ending()) {
        if (held_since_ms_ != 0)    // an ending program closes its streams one by one: handle them in one turn
            wait_for(signals_.fd.get(), POLLIN, monotonic_ms() + longest_hold_ms);
        const auto ready = events_.wait(held_since_ms_ != 0 ? 0 : next_timeout_ms());
        closed_.reset();
        if (!ready.empty() && rest_at_ms_ == 0)
            rest_at_ms_ = monotonic_ms() + rest_after_ms;
        for (const auto& each : ready)
            handle(each);
        enforce_deadlines();
        link_.dial();
        watch_all();
        if (holds())
            continue;
        link_.pump();
        if (collect_at_end())
            link_.pump();
        if (!link_.watch())
            return 1;
    }
    end_everything();
    return 0;
}

bool agent::prepare()
{
    const auto set = handled_signals();
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_.fd.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    return signals_.fd && events_.want(signals_, source::signals, 0, EPOLLIN) && link_.open();
}

void agent::handle(const ready_fd& ready)
{
    switch (ready.from) {
    case source::signals: return on_signals();
    case source::listener: return link_.accept();
    case source::link_in: return link_.handle_current((ready.events & ~EPOLLOUT) != 0);
    case source::link_out: return link_.handle_current(false);
    case source::candidate: return link_.handle_candidate();
    case source::parked: return tell_of_parking(parked_.hear(events_));
    default: return handle_program(ready);
    }
}

void agent::handle_program(const ready_fd& ready)
{
    const auto found = programs_.find(ready.exec);
    auto* execution = session_.find(ready.exec);
    if (found == programs_.end() || !execution)
        return;
    auto& of = found->second;
    const int before = of.open_outputs();
    if (ready.from == source::input)
        of.feed(events_, execution->input());
    else if (ready.from == source::output)
        of.read(events_, *execution, protocol::stream_number::stdout_stream, ready.events);
    else
        of.read(events_, *execution, protocol::stream_number::stderr_stream, ready.events);
    if (of.open_outputs() < before)
        closed_ = ready.exec;
}

/// Whether to hold back sending for a millisecond or two: a running program just closed an output, so it is probably ending. Its last
/// frames then go out in one write.
bool agent::holds()
{
    const auto now = monotonic_ms();
    const auto found = closed_ ? programs_.find(*closed_) : programs_.end();
    const bool may_end_soon = found != programs_.end() && found->second.running();
    const bool is_begun = held_since_ms_ != 0;
    if (!may_end_soon || (is_begun && now > held_since_ms_ + longest_hold_ms))
        held_since_ms_ = 0;
    else if (!is_begun)
        held_since_ms_ = now;
    return held_since_ms_ != 0;
}

void agent::on_signals()
{
    signalfd_siginfo info{};
    while (::read(signals_.fd.get(), &info, sizeof(info)) == sizeof(info))
        ending_ = ending_ || info.ssi_signo != SIGCHLD;
    reap();
}

void agent::reap()
{
    const auto cause = lease_over_   ? protocol::exit_cause::lease
                       : is_ending() ? protocol::exit_cause::shutdown
                                     : protocol::exit_cause::by_itself;
    while (const auto dead = reap_one()) {
        if (parked_.exists() && parked_.pid() == dead->pid) {
            const bool was_starting = !parked_.waits();
            parked_.reaped(events_);
            if (was_starting)
                tell_of_parking(ECHILD);
            continue;
        }
        const auto is_leader = [&](const auto& each) { return each.second.running() && each.second.pid() == dead->pid; };
        const auto found = std::find_if(programs_.begin(), programs_.end(), is_leader);
        if (found == programs_.end())
            continue;
        const auto report = found->second.ended(dead->wait_status, dead->usage, cause);
        if (auto* execution = session_.find(found->first))
            execution->set_exited(report);
    }
    childless_ = !has_children_beside(parked_.pid());    // the parked one has no streams yet
    for (auto& [number, each] : programs_)
        each.look_for_group();
    std::erase_if(
        programs_, [](const auto& each) { return each.second.forgotten() && !each.second.running() && !each.second.next_deadline_ms(); });
}

void agent::enforce_deadlines()
{
    const auto now = monotonic_ms();
    rest_if_due(now);
    for (auto& [number, each] : programs_)
        each.enforce(now);
    if (parked_.is_late(now)) {
        parked_.end(events_);
        tell_of_parking(ETIMEDOUT);
    }
    if (const auto end = link_.lease_end_ms(); end >= 0 && now >= end)
        ending_ = lease_over_ = true;
}

/// Releases empty buffers, rest_after_ms after the first event since the last rest.
void agent::rest_if_due(std::int64_t now_ms)
{
    if (rest_at_ms_ == 0 || now_ms < rest_at_ms_)
        return;
    rest_at_ms_ = 0;
    link_.rest();
    for (auto& [number, execution] : session_.executions())
        execution.rest();
}

std::int64_t agent::next_timeout_ms() const
{
    std::int64_t first = link_.next_deadline_ms();
    if (rest_at_ms_ != 0 && (first < 0 || rest_at_ms_ < first))
        first = rest_at_ms_;
    if (const auto at = parked_.deadline_ms(); at != 0 && (first < 0 || at < first))
        first = at;
    for (const auto& [number, each] : programs_)
        if (const auto at = each.next_deadline_ms(); at != 0 && (first < 0 || at < first))
            first = at;
    return first < 0 ? -1 : std::max<std::int64_t>(first - monotonic_ms(), 0);
}

void agent::end_everything()
{
    const auto until = monotonic_ms() + end_within_ms;
    const auto set = handled_signals();
    while (has_children() && monotonic_ms() < until) {
        kill_descendants();
        const timespec moment{0, 20'000'000};
        ::sigtimedwait(&set, nullptr, &moment);
        reap();
    }
    link_.pump();
}

void agent::watch_all()
{
    for (auto& [number, each] : programs_) {
        auto* execution = session_.find(number);
        if (execution && childless_)
            each.end_silent_output(events_, execution->output(protocol::stream_number::stdout_stream));
        if (execution)
            each.watch(events_, *execution);
    }
}

/// Runs the ordered collecting once its program has ended and that was reported. False if none was due.
bool agent::collect_at_end()
{
    const auto program = at_end_.is_ordered() ? programs_.find(at_end_.program()) : programs_.end();
    auto* const execution = program != programs_.end() && !program->second.running() ? session_.find(at_end_.number()) : nullptr;
    if (execution != nullptr)
        at_end_.run(*execution, childless_);
    return execution != nullptr;
}

protocol::agent_host::start_result agent::start(
    protocol::exec_number number, const protocol::spawn_request& request, std::vector<unique_fd> join)
{
    if (end_collecting::is_meant(request))
        return at_end_.order(number, request);
    if (programs_.contains(number))    // forgotten while running
        return {EEXIST, "spawn", {}};
    if (programs_.size() >= protocol::agent_session::max_executions)
        return {EAGAIN, "too many executions", {}};
    program fresh(number);
    const bool is_awaited = parked_.is_for(number);
    if (!is_awaited)
        parked_.share_sandbox(events_);
    auto outcome = fresh.start(request, {join, &rules_}, is_awaited ? &parked_ : nullptr, events_);
    if (outcome.code == 0) {
        childless_ = false;
        programs_.emplace(number, std::move(fresh));
    } else if (is_awaited) {
        parked_.end(events_);
    }
    return outcome;
}

int agent::park(protocol::exec_number number, const protocol::park_request& request, std::vector<unique_fd> join)
{
    if (parked_.exists() || !programs_.empty())
        return EBUSY;
    return parked_.begin(number, request, {join, &rules_}, events_);
}

/// `code`: 0 once parked, EAGAIN while still starting, else the errno of the failure.
void agent::tell_of_parking(int code)
{
    if (code != EAGAIN)
        session_.tell({code, "park"});
}

int agent::put_file(const protocol::file_chunk& chunk) { return write_file_chunk(options_.work, chunk); }

void agent::signal(protocol::exec_number number, const protocol::signal_order& order)
{
    if (order.everyone) {
        if (order.number == SIGKILL)
            kill_descendants();
    } else if (const auto found = programs_.find(number); found != programs_.end())
        found->second.signal(static_cast<int>(order.number), order.group);
}

void agent::resize(protocol::exec_number number, const protocol::resize_order& order)
{
    if (const auto found = programs_.find(number); found != programs_.end())
        found->second.resize(order.cols, order.rows);
}

void agent::forget(protocol::exec_number number)
{
    at_end_.forget(number);
    const auto found = programs_.find(number);
    if (found == programs_.end())
        return;
    found->second.forget(events_);
    if (!found->second.running() && !found->second.next_deadline_ms())
        programs_.erase(found);
}

}    // namespace caisson::agent
