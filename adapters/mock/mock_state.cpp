#include "adapters/mock/mock_state.hpp"

#include "core/async/deadline.hpp"
#include "core/protocol/frame_decoder.hpp"

#include <boost/asio/post.hpp>

#include <cerrno>
#include <sys/wait.h>

namespace caisson {

namespace {

constexpr std::size_t read_bytes = 64 << 10;
constexpr std::size_t write_bytes = 256 << 10;
constexpr std::int32_t mock_pid = 2;

}    // namespace

protocol::agent_host::start_result mock_agent::state::start(
    protocol::exec_number number, const protocol::spawn_request& request, std::vector<unique_fd>)
{
    auto script = parse_mock_script(request.argv);
    if (script.has_error())
        return {EINVAL, script.error().detail, {}};
    auto self = self_.lock();
    if (tasks_ == nullptr || self == nullptr)
        return {ESRCH, "the agent is gone", {}};
    programs[number] = {.script = std::move(*script), .started = time_.steady_now()};
    tasks_->spawn("mock program", run(self, number));
    if (request.wall_ms > 0) {
        const auto longest = static_cast<std::uint64_t>(std::chrono::milliseconds(std::chrono::hours(24 * 365)).count());
        tasks_->spawn("mock wall limit", watch_wall(self, number, std::chrono::milliseconds(std::min(request.wall_ms, longest))));
    }
    return {0, {}, {.pid = mock_pid}};
}

void mock_agent::state::send(protocol::exec_number number, int signal_number)
{
    const auto found = programs.find(number);
    if (found == programs.end() || found->second.ended_by || signal_number <= 0)
        return;
    found->second.ended_by = signal_number;
    changed_.notify_all();
}

void mock_agent::state::kill_programs()
{
    for (const auto& [number, program] : programs)
        send(number, SIGKILL);
}

void mock_agent::state::set_paused(bool paused)
{
    paused_ = paused;
    changed_.notify_all();
}

void mock_agent::state::die(std::string cause)
{
    if (death)
        return;
    death = std::move(cause);
    programs.clear();
    session_.close();
    if (current_ != nullptr)
        current_->close();
    changed_.notify_all();
}

task<std::string> mock_agent::state::wait_for_death(std::shared_ptr<state> self)
{
    while (!self->death)
        co_await self->changed_.wait_past(self->changed_.version());
    co_return *self->death;
}

bool mock_agent::state::stopped(protocol::exec_number number) const
{
    const auto found = programs.find(number);
    return found == programs.end() || found->second.ended_by.has_value();
}

task<> mock_agent::state::until_stopped(std::shared_ptr<state> self, protocol::exec_number number)
{
    while (!self->stopped(number))
        co_await self->changed_.wait_past(self->changed_.version());
}

task<> mock_agent::state::watch_wall(std::shared_ptr<state> self, protocol::exec_number number, std::chrono::milliseconds wall)
{
    auto outcome = co_await race(until_stopped(self, number), self->time_.wait_for(wall));
    if (outcome.index() == 0 || self->stopped(number))
        co_return;
    self->programs.at(number).overdue = true;
    self->send(number, SIGTERM);
}

task<> mock_agent::state::run(std::shared_ptr<state> self, protocol::exec_number number)
{
    // The session records the program only after start() returned.
    const auto executor = co_await asio::this_coro::executor;
    co_await asio::post(executor, use_task);
    const auto started = self->programs.find(number);
    if (started == self->programs.end())
        co_return;
    const auto script = started->second.script;
    for (const auto& step : script) {
        while (self->paused_ && !self->stopped(number))
            co_await self->changed_.wait_past(self->changed_.version());
        if (self->stopped(number))
            break;
        co_await self->do_step(number, step);
        if (step.what == mock_step::kind::exit) {
            self->finish(number, static_cast<int>(step.number) << 8);
            co_return;
        }
    }
    const auto found = self->programs.find(number);
    if (found != self->programs.end())
        self->finish(number, found->second.ended_by.value_or(0));
}

task<> mock_agent::state::do_step(protocol::exec_number number, mock_step step)
{
    switch (step.what) {
    case mock_step::kind::print_stdout: return print(number, protocol::stream_number::stdout_stream, std::move(step.text));
    case mock_step::kind::print_stderr: return print(number, protocol::stream_number::stderr_stream, std::move(step.text));
    case mock_step::kind::cat: return cat(number);
    case mock_step::kind::wait: return wait(number, std::chrono::milliseconds(step.number));
    case mock_step::kind::hang: return until_stopped(self_.lock(), number);
    case mock_step::kind::oom:
        ++oom_kills;
        send(number, SIGKILL);
        break;
    case mock_step::kind::signal: send(number, static_cast<int>(step.number)); break;
    case mock_step::kind::fill_disk: disk_full = true; break;
    case mock_step::kind::die: die("the agent was killed by signal 9"); break;
    case mock_step::kind::exit: break;
    }
    return nothing();
}

task<> mock_agent::state::nothing() { co_return; }

task<> mock_agent::state::wait(protocol::exec_number number, std::chrono::milliseconds how_long)
{
    (void)co_await race(until_stopped(self_.lock(), number), time_.wait_for(how_long));
}

task<> mock_agent::state::print(protocol::exec_number number, protocol::stream_number stream, std::string text)
{
    std::string_view left(text);
    while (!left.empty() && !stopped(number)) {
        auto* execution = session_.find(number);
        if (execution == nullptr)
            co_return;
        const auto room = execution->output(stream).room();
        const auto count = left.copy(room.data(), room.size());
        execution->output(stream).filled(count);
        left.remove_prefix(count);
        changed_.notify_all();
        if (!left.empty() && room.empty())
            co_await changed_.wait_past(changed_.version());
    }
}

task<> mock_agent::state::cat(protocol::exec_number number)
{
    while (!stopped(number)) {
        auto* execution = session_.find(number);
        if (execution == nullptr || execution->input().finished())
            co_return;
        const std::string taken(execution->input().pending());
        if (taken.empty()) {
            co_await changed_.wait_past(changed_.version());
            continue;
        }
        co_await print(number, protocol::stream_number::stdout_stream, taken);
        execution = session_.find(number);
        if (execution != nullptr)
            execution->input().delivered(taken.size());
        changed_.notify_all();
    }
}

void mock_agent::state::finish(protocol::exec_number number, int wait_status)
{
    const auto& ended = programs.at(number);
    const auto wall = std::chrono::duration_cast<std::chrono::microseconds>(time_.steady_now() - ended.started);
    protocol::exit_report report{.wait_status = wait_status, .wall_us = static_cast<std::uint64_t>(wall.count())};
    report.cause = ended.overdue ? protocol::exit_cause::wall_limit : protocol::exit_cause::by_itself;
    programs.erase(number);
    if (auto* execution = session_.find(number)) {
        execution->input().reader_gone();
        execution->output(protocol::stream_number::stdout_stream).end();
        execution->output(protocol::stream_number::stderr_stream).end();
        execution->set_exited(report);
    }
    changed_.notify_all();
}

task<> mock_agent::state::serve(std::shared_ptr<state> self, std::unique_ptr<protocol::byte_stream> stream)
{
    try {
        (void)co_await race(read(self, stream.get()), write(self, stream.get()));
    } catch (const boost::system::system_error&) {
        // The connection broke; the next one resumes.
    }
    if (self->current_ == stream.get()) {
        self->current_ = nullptr;
        self->session_.close();
    }
}

task<> mock_agent::state::read(std::shared_ptr<state> self, protocol::byte_stream* stream)
{
    protocol::frame_decoder decoder(read_bytes, protocol::frame_decoder::markers::at_start);
    bool greeting = false;
    while (!self->death) {
        const std::size_t count = co_await stream->read_some(decoder.prepare());
        if (count == 0)
            co_return;
        decoder.commit(count);
        protocol::frame_view frame;
        for (auto status = decoder.next(frame); status != protocol::decode_status::need_more; status = decoder.next(frame)) {
            if (status == protocol::decode_status::broken)
                co_return;
            if (status == protocol::decode_status::frame && !self->on_frame(stream, frame, greeting))
                co_return;
            greeting = status == protocol::decode_status::opened;
        }
        self->changed_.notify_all();
    }
}

bool mock_agent::state::on_frame(protocol::byte_stream* stream, const protocol::frame_view& frame, bool greeting)
{
    if (!greeting)
        return current_ == stream && session_.is_open() && session_.on_frame(frame);
    protocol::hello server;
    std::string answer;
    if (frame.type != protocol::frame_type::hello || !protocol::decode(frame.body, server) || !session_.open(server, answer))
        return false;
    if (current_ != nullptr && current_ != stream)
        current_->close();
    current_ = stream;
    answers_ = std::move(answer);
    return true;
}

task<> mock_agent::state::write(std::shared_ptr<state> self, protocol::byte_stream* stream)
{
    for (;;) {
        const auto seen = self->changed_.version();
        const bool obeyed = self->current_ == stream;
        std::string text;
        if (obeyed) {
            text = std::exchange(self->answers_, {});
            self->session_.emit(text, write_bytes);
        }
        if (!text.empty()) {
            const std::string_view part(text);
            const std::span parts(&part, 1);
            const std::span<const int> no_descriptors;
            co_await stream->write(parts, no_descriptors);
        } else {
            co_await self->changed_.wait_past(seen);
        }
    }
}

}    // namespace caisson
