#include "app/agent/program.hpp"

#include "app/agent/child.hpp"
#include "app/agent/collector.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

constexpr std::int64_t grace_ms = 1000;                // between SIGTERM and SIGKILL
constexpr std::size_t most_read_bytes = 256 * 1024;    // per turn of a stream
constexpr std::uint64_t longest_wall_ms = std::uint64_t{1} << 40;

std::uint64_t to_us(const timeval& time)
{
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
}

/// Runs in a forked copy of this process: execve would take longer than collecting mostly does.
int collect_as(const protocol::spawn_request& request)
{
    ::prctl(PR_SET_NAME, "caisson-collect");
    auto texts = request.argv;
    std::vector<char*> arguments;
    for (auto& each : texts)
        arguments.push_back(each.data());
    return collect(static_cast<int>(arguments.size()) - 2, arguments.data() + 2);
}

/// Whether a pipe without writers is empty. EPOLLHUP without EPOLLIN does not prove it: epoll reads both without a lock.
bool is_empty(int pipe)
{
    int bytes = 0;
    return ::ioctl(pipe, FIONREAD, &bytes) == 0 && bytes == 0;
}

/// Starts the program without a parked process.
child_outcome start_anew(const protocol::spawn_request& request, const child_place& place, exec_image& image, stdio_set& stdio, pid_t& pid)
{
    if (const int code = open_stdio(request, stdio))
        return {request.pty ? "terminal" : "pipes", code, 0};
    child_program program;
    program.take(request, image);
    for (int i = 0; i < 3; ++i)
        program.stdio[i] = stdio.child[request.pty ? 0 : i].get();
    child_outcome outcome;
    pid = names_own_program(request, "--collect") ? start_copy(
                                                        place, program, [&request] { return collect_as(request); }, outcome)
                                                  : start_child(place, program, outcome);
    return outcome;
}

}    // namespace

protocol::agent_host::start_result program::start(
    const protocol::spawn_request& request, const child_place& place, parked_program* parked, poller& events)
{
    exec_image image(request);
    if (!image.valid())
        return {EINVAL, "arguments", {}};
    stdio_set stdio;
    child_outcome outcome;
    if (parked != nullptr) {
        pid_ = parked->pid();
        outcome = parked->become(request, image, place.join, stdio, events);
    }
    const bool was_parked = outcome.runs() && !parked->is_bare();
    if (outcome.is_unknown())
        outcome = start_anew(request, place, image, stdio, pid_);
    if (!outcome.runs())
        return {outcome.code, outcome.failed_step, {}};
    auto result = begun(request, std::move(stdio), outcome.execve_us);
    result.what.was_parked = was_parked;
    return result;
}

protocol::agent_host::start_result program::begun(const protocol::spawn_request& request, stdio_set stdio, std::int64_t started_us)
{
    started_us_ = started_us;
    running_ = group_alive_ = true;
    terminal_ = request.pty.has_value();
    tells_end_ = stdio.tells_end;
    input_.fd = std::move(stdio.input);
    output_.fd = std::move(stdio.output);
    error_.fd = std::move(stdio.error);
    if (request.wall_ms > 0)
        deadline_ms_ = (started_us_ + 999) / 1000 + static_cast<std::int64_t>(std::min(request.wall_ms, longest_wall_ms));
    return {0, {}, {pid_, static_cast<std::uint64_t>(started_us_) * 1000}};
}

protocol::exit_report program::ended(int wait_status, const rusage& usage, protocol::exit_cause cause)
{
    running_ = closed_by_all_ = false;
    look_for_group();
    protocol::exit_report report;
    report.wait_status = wait_status;
    report.cause = overdue_ ? protocol::exit_cause::wall_limit : cause;
    report.user_us = to_us(usage.ru_utime);
    report.system_us = to_us(usage.ru_stime);
    report.max_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    report.wall_us = static_cast<std::uint64_t>(std::max<std::int64_t>(monotonic_us() - started_us_, 0));
    return report;
}

void program::look_for_group()
{
    if (running_ || !group_alive_)
        return;
    group_alive_ = ::kill(-pid_, 0) == 0 || errno == EPERM;
    if (!group_alive_)
        deadline_ms_ = grace_end_ms_ = 0;
}

void program::signal(int number, bool group) const
{
    if (group && group_alive_)
        ::kill(-pid_, number);
    else if (running_)
        ::kill(pid_, number);
}

void program::resize(std::uint16_t cols, std::uint16_t rows) const
{
    if (terminal_ && output_.fd)
        resize_terminal(output_.fd.get(), cols, rows);
}

void program::read(poller& events, protocol::agent_execution& execution, protocol::stream_number stream, std::uint32_t ready)
{
    auto& from = stream == protocol::stream_number::stdout_stream ? output_ : error_;
    auto& into = execution.output(stream);
    if (from.fd && !terminal_ && (ready & (EPOLLIN | EPOLLHUP)) == EPOLLHUP && is_empty(from.fd.get())) {
        into.end();
        return events.drop(from);
    }
    const auto room = into.room();
    if (!from.fd || room.empty())
        return;
    const auto got = ::read(from.fd.get(), room.data(), std::min(room.size(), most_read_bytes));
    if (got > 0) {
        closed_by_all_ = false;
        into.filled(static_cast<std::size_t>(got));
    } else if (got < 0 && errno == EIO && terminal_ && running_) {
        closed_by_all_ = true;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {    // a terminal ends with EIO
        into.end();
        events.drop(from);
    }
}

void program::end_silent_output(poller& events, protocol::output_window& into)
{
    while (!tells_end_ && !running_ && output_.fd) {
        const auto room = into.room();
        if (room.empty())
            return;
        const auto got = ::read(output_.fd.get(), room.data(), room.size());
        if (got > 0) {
            into.filled(static_cast<std::size_t>(got));
        } else if (got == 0 || errno != EINTR) {
            into.end();
            events.drop(output_);
        }
    }
}

void program::feed(poller& events, protocol::input_window& from)
{
    while (input_.fd) {
        const auto bytes = from.pending();
        if (bytes.empty())
            break;
        const auto done = ::write(input_.fd.get(), bytes.data(), bytes.size());
        if (done < 0 && errno == EAGAIN)
            return;
        if (done < 0 && errno != EINTR) {    // no reader is left
            from.reader_gone();
            events.drop(input_);
        } else if (done > 0) {
            line_begun_ = bytes[static_cast<std::size_t>(done) - 1] != '\n';
            from.delivered(static_cast<std::size_t>(done));
        }
    }
    if (input_.fd && from.finished() && (!terminal_ || send_terminal_eof(input_.fd.get(), line_begun_)))
        events.drop(input_);
}

void program::watch(poller& events, protocol::agent_execution& execution)
{
    using protocol::stream_number;
    const auto wanted = [&](stream_number stream) { return execution.output(stream).wants_input() ? EPOLLIN : 0U; };
    const auto of_output = wanted(stream_number::stdout_stream);
    events.want(output_, source::output, number_, of_output != 0 && closed_by_all_ ? of_output | EPOLLET : of_output);
    events.want(error_, source::error, number_, wanted(stream_number::stderr_stream));
    if (input_.events == 0)    // otherwise it is full
        feed(events, execution.input());
    const bool waits = !execution.input().pending().empty() || execution.input().finished();
    events.want(input_, source::input, number_, waits ? EPOLLOUT : 0U);
}

void program::forget(poller& events)
{
    forgotten_ = true;
    events.drop(input_);
    events.drop(output_);
    events.drop(error_);
}

void program::enforce(std::int64_t now_ms)
{
    if (next_deadline_ms() == 0 || now_ms < next_deadline_ms())
        return;
    overdue_ = true;
    if (grace_end_ms_ != 0) {
        signal(SIGKILL, true);
        grace_end_ms_ = deadline_ms_ = 0;
    } else {
        signal(SIGTERM, true);
        grace_end_ms_ = now_ms + grace_ms;
    }
}

}    // namespace caisson::agent
