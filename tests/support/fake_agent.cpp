#include "tests/support/fake_agent.hpp"

#include "core/protocol/frame_decoder.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>

namespace caisson::testing {

using namespace protocol;

namespace {

constexpr std::size_t read_bytes = 64 << 10;
constexpr std::int32_t fake_pid = 2;
constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

}    // namespace

/// What both ends of one connection share.
struct fake_agent::wire {
    frame_decoder decoder{read_bytes, frame_decoder::markers::at_start};
    std::string to_server;
    wake_list changed;
    bool greeted = false;
    bool closed_by_agent = false;
    bool closed_by_server = false;
};

/// The server's end.
class fake_agent::connection final : public byte_stream {
public:
    connection(std::shared_ptr<fake_agent> agent, std::shared_ptr<wire> shared) : agent_(std::move(agent)), wire_(std::move(shared)) { }
    ~connection() override { close(); }

    task<std::size_t> read_some(std::span<char> into) override { return read(wire_, into); }
    task<> write(std::span<const std::string_view> parts, std::span<const int> fds) override;
    bool carries_descriptors() const override { return false; }
    void close() noexcept override;

private:
    static task<std::size_t> read(std::shared_ptr<wire> from, std::span<char> into);
    std::shared_ptr<fake_agent> agent_;
    std::shared_ptr<wire> wire_;
};

task<std::size_t> fake_agent::connection::read(std::shared_ptr<wire> from, std::span<char> into)
{
    while (from->to_server.empty() && !from->closed_by_agent && !from->closed_by_server)
        co_await from->changed.wait();
    if (from->closed_by_server)
        throw boost::system::system_error(asio::error::operation_aborted, "read");
    const auto count = std::min(into.size(), from->to_server.size());
    std::memcpy(into.data(), from->to_server.data(), count);
    from->to_server.erase(0, count);
    co_return count;
}

task<> fake_agent::connection::write(std::span<const std::string_view> parts, std::span<const int>)
{
    if (wire_->closed_by_agent || wire_->closed_by_server)
        throw boost::system::system_error(asio::error::broken_pipe, "write");
    for (auto part : parts) {
        while (!part.empty()) {
            const auto room = wire_->decoder.prepare();
            const auto count = std::min(room.size(), part.size());
            std::memcpy(room.data(), part.data(), count);
            wire_->decoder.commit(count);
            part.remove_prefix(count);
            agent_->on_bytes(wire_);
        }
    }
    co_return;
}

void fake_agent::connection::close() noexcept
{
    if (std::exchange(wire_->closed_by_server, true))
        return;
    if (agent_->wire_ == wire_) {
        agent_->session_.close();
        agent_->wire_.reset();
    }
    wire_->changed.wake_all();
}

result<std::unique_ptr<byte_stream>> fake_agent::connect(std::shared_ptr<fake_agent> self)
{
    if (self->dead())
        return error{errc::runtime_unavailable, "the agent does not run any more"};
    ++self->connections;
    auto shared = std::make_shared<wire>();
    return std::unique_ptr<byte_stream>(std::make_unique<connection>(self, std::move(shared)));
}

void fake_agent::on_bytes(std::shared_ptr<wire> from)
{
    frame_view frame;
    for (;;) {
        const auto status = from->decoder.next(frame);
        if (status == decode_status::need_more || dead())
            break;
        if (status == decode_status::opened)
            continue;
        if (status != decode_status::frame || !on_frame(from, frame)) {
            from->closed_by_agent = true;
            from->changed.wake_all();
            break;
        }
        if (std::exchange(fresh_, false) && program)
            program(*this);
    }
    pump();
}

bool fake_agent::on_frame(const std::shared_ptr<wire>& from, const frame_view& frame)
{
    if (!from->greeted)
        return on_hello(from, frame);
    spawn_chunk chunk;
    if (frame.type == frame_type::spawn && decode(frame.body, chunk) && chunk.offset == 0)
        ++spawns;
    return wire_ == from && session_.on_frame(frame);
}

bool fake_agent::on_hello(const std::shared_ptr<wire>& from, const frame_view& frame)
{
    hello server;
    if (frame.type != frame_type::hello || !decode(frame.body, server))
        return false;
    std::string answer;
    const bool obeyed = session_.open(server, answer);
    from->greeted = true;
    if (!muted_)
        from->to_server += answer;
    from->changed.wake_all();
    if (obeyed && wire_) {
        wire_->closed_by_agent = true;
        wire_->changed.wake_all();
    }
    if (obeyed)
        wire_ = from;
    return true;
}

namespace {

bool begins_like(const std::vector<std::string>& argv, const std::vector<std::string>& begin)
{
    return argv.size() >= begin.size() && std::equal(begin.begin(), begin.end(), argv.begin());
}

}    // namespace

agent_host::start_result fake_agent::start(exec_number number, const spawn_request& what, std::vector<unique_fd>)
{
    if (what.argv.size() > 1 && what.argv[1] == "--collect")
        return start_collector(number, what);
    if (what.argv.size() > 1 && what.argv[1] == "--collect-at-end") {
        asked_at_end = what;
        at_end_ = {number, what};
        return {0, {}, {.pid = 0, .monotonic_ns = monotonic_ns()}};
    }
    if (number >= fake_compiler::first)
        return compiler.start(number, what);
    if (start_code != 0)
        return {start_code, "execve", {}};
    if (request)
        return {EBUSY, "a second program", {}};
    request = what;
    number_ = number;
    running_ = fresh_ = true;
    const bool was_parked = parked && !parked->is_bare() && begins_like(what.argv, parked->program.argv);
    parked.reset();
    return {0, {}, {.pid = fake_pid, .monotonic_ns = monotonic_ns(), .was_parked = was_parked}};
}

int fake_agent::park(exec_number number, const park_request& what, std::vector<unique_fd>)
{
    if (park_code != 0 || park_hangs)
        return park_code;
    parked = what;
    parked_for = number;
    session_.tell({});
    return 0;
}

int fake_agent::put_file(const file_chunk& chunk)
{
    if (file_code != 0)
        return file_code;
    auto& content = files[std::string(chunk.path)];
    content.resize(chunk.offset);
    content.append(chunk.bytes);
    return 0;
}

void fake_agent::signal(exec_number number, const signal_order& order)
{
    if (number >= fake_compiler::first) {
        compiler.signal(order);
        return pump();
    }
    signals.push_back(order);
    if (ignored_signals.contains(static_cast<int>(order.number)))
        return;
    if (running_)
        end_by(static_cast<int>(order.number));
    else if (order.group || order.everyone)
        kill_group();
}

void fake_agent::kill_group()
{
    if (ignored_signals.contains(SIGKILL))
        return;
    if (running_)
        return end_by(SIGKILL);
    end_stream(stream::stdout_stream);
    end_stream(stream::stderr_stream);
}

void fake_agent::forget(exec_number number)
{
    collecting_.erase(number);
    ++forgets;
    running_ = running_ && number != number_;
}

void fake_agent::shutdown()
{
    ++shutdowns;
    die("the agent was shut down");
}

void fake_agent::print(std::string_view text, stream to)
{
    blocked_[to].append(text);
    pump();
}

void fake_agent::end_stream(stream which)
{
    ending_.insert(which);
    pump();
}

void fake_agent::finish(int wait_status, bool with_streams)
{
    if (!std::exchange(running_, false))
        return;
    exiting_ = wait_status;
    const bool killed = (wait_status & 0x7f) != 0;
    if (killed)    // what it did not get out of its hands is lost
        blocked_.clear();
    if (with_streams)
        ending_ = {stream::stdout_stream, stream::stderr_stream};
    pump();
}

/// Moves what the program wrote into the windows; false if something is left.
bool fake_agent::write_out(agent_execution& execution)
{
    bool all = true;
    for (const auto which : {stream::stdout_stream, stream::stderr_stream}) {
        auto& text = blocked_[which];
        auto& window = execution.output(which);
        for (auto room = window.room(); !text.empty() && !room.empty(); room = window.room()) {
            const auto count = std::min(room.size(), text.size());
            std::memcpy(room.data(), text.data(), count);
            window.filled(count);
            text.erase(0, count);
        }
        all = all && text.empty();
        if (text.empty() && ending_.contains(which))
            window.end();
    }
    return all;
}

void fake_agent::read_stdin(agent_execution& execution)
{
    auto& input = execution.input();
    if (!reads_)
        return;
    for (auto bytes = input.pending(); !bytes.empty(); bytes = input.pending()) {
        stdin_.append(bytes);
        input.delivered(bytes.size());
    }
    stdin_ended_ = input.finished();
}

/// Does everything that can be done now.
void fake_agent::pump()
{
    if (auto* execution = session_.find(number_)) {
        read_stdin(*execution);
        if (write_out(*execution) && exiting_) {
            usage.wait_status = *std::exchange(exiting_, std::nullopt);
            execution->set_exited(usage);
            has_ended_ = true;
        }
    }
    if (has_ended_ && !holds_collected)
        write_at_end();
    compiler.pump(session_);
    write_collected();
    if (!wire_ || muted_)
        return;
    session_.emit(wire_->to_server, no_limit);
    wire_->changed.wake_all();
}

void fake_agent::unmute()
{
    muted_ = false;
    pump();
}

void fake_agent::disconnect()
{
    session_.close();
    if (const auto lost = std::exchange(wire_, nullptr)) {
        lost->closed_by_agent = true;
        lost->changed.wake_all();
    }
}

void fake_agent::die(std::string cause)
{
    if (dead())
        return;
    death_ = std::move(cause);
    running_ = false;
    disconnect();
    death_heard_.wake_all();
}

std::uint64_t fake_agent::acknowledged(stream of)
{
    auto* execution = session_.find(number_);
    return execution == nullptr ? 0 : execution->output(of).base();
}

task<std::string> fake_agent::ended(std::shared_ptr<fake_agent> self)
{
    while (!self->death_)
        co_await self->death_heard_.wait();
    co_return *self->death_;
}

}    // namespace caisson::testing
