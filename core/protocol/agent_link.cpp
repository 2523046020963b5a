#include "core/protocol/agent_link.hpp"

#include "core/async/deadline.hpp"
#include "core/async/notifier.hpp"
#include "core/base/random.hpp"
#include "core/protocol/frame_decoder.hpp"
#include "core/protocol/park_exchange.hpp"

#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <fcntl.h>
#include <utility>

namespace caisson::protocol {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t read_bytes = 256 * 1024;
constexpr auto attempt_timeout = 5s;    // to connect and receive the agent's HELLO
constexpr auto first_delay = 10ms;
constexpr auto longest_delay = 1000ms;
constexpr auto longest_ping = 30s;
constexpr auto stable_after = 1s;    // a connection that lasted this long is retried without delay

std::chrono::milliseconds delay_before(int attempt)
{
    if (attempt == 0)
        return 0ms;
    return std::min<std::chrono::milliseconds>(first_delay * (1 << std::min(attempt - 1, 10)), longest_delay);
}

/// Whether another attempt is useless.
bool is_final(errc code) { return code == errc::runtime_unavailable || code == errc::gone || code == errc::conflict; }

std::uint64_t random_number()
{
    std::array<std::uint8_t, 8> bytes{};
    random_fill(bytes);
    return std::bit_cast<std::uint64_t>(bytes);
}

void spawn_in(link_execution& to, const spawn_request& request, const std::vector<int>& join)
{
    if (auto copies = duplicates_of(join))
        to.spawn(request, std::move(copies));
    else
        to.refuse(errno, "cgroup");
}

class link_over_stream final : public agent_link {
public:
    link_over_stream(io_executor executor, timers& time, logger& log, connector connect, link_options options)
        : time_(time), log_(log), connect_(std::move(connect)), options_(std::move(options)), changed_(executor)
    {
    }

    task<result<void>> open(steady_time deadline) override { return until_closed_or(establish(deadline)); }
    task<result<bool>> park(exec_number number, park_request request, std::vector<int> join, steady_time deadline) override;
    task<result<void>> run() override;
    void close() noexcept override;

    void attach(exec_number number, execution_sink& sink, std::optional<resume_point> resume) override
    {
        state_.attach(number, sink, resume);
        changed_.notify_all();
    }
    void detach(exec_number number) override { state_.detach(number); }
    void put_file(exec_number number, std::string path, std::uint32_t mode, shared_bytes content) override
    {
        change(number, [&](link_execution& to) { to.put_file(std::move(path), mode, std::move(content)); });
    }
    void spawn(exec_number number, spawn_request request, std::vector<int> join) override
    {
        change(number, [&](link_execution& to) { spawn_in(to, request, join); });
    }
    void send_stdin(exec_number number, std::uint64_t offset, shared_bytes bytes) override
    {
        change(number, [&](link_execution& to) { to.input().push(offset, std::move(bytes)); });
    }
    void end_stdin(exec_number number, std::uint64_t end) override
    {
        change(number, [&](link_execution& to) { to.input().finish(end); });
    }
    std::uint64_t stdin_backlog(exec_number number) const override
    {
        const auto of = state_.find(number);
        return of ? of->input().backlog() : 0;
    }
    void acknowledge(exec_number number, stream_number stream, std::uint64_t end) override
    {
        change(number, [&](link_execution& to) { to.acknowledge(stream, end); });
    }
    bool signal(exec_number number, int signal_number, target to_whom) override
    {
        const signal_order order{static_cast<std::uint32_t>(signal_number), to_whom == target::group, to_whom == target::sandbox};
        bool kept = false;
        change(number, [&](link_execution& to) { kept = to.signal(order); });
        return kept;
    }
    void resize(exec_number number, std::uint16_t cols, std::uint16_t rows) override
    {
        change(number, [&](link_execution& to) { to.resize({cols, rows}); });
    }
    void forget(exec_number number) override
    {
        state_.forget(number);
        changed_.notify_all();
    }
    void shutdown() override
    {
        state_.shutdown();
        changed_.notify_all();
    }

private:
    template <class F>
    void change(exec_number number, F what)
    {
        if (const auto execution = state_.find(number)) {
            what(*execution);
            changed_.notify_all();
        }
    }

    task<result<void>> establish(steady_time deadline);
    task<result<void>> connect_once();
    task<result<void>> greet(byte_stream* stream);
    task<result<bool>> heard_hello(byte_stream* stream);
    task<result<void>> until_closed_or(task<result<void>> work);
    bool say_park(exec_number number, park_request request, std::vector<int> join);
    task<wait_end> wait_closed();
    task<> serve();
    task<> read_frames();
    task<wait_end> write_batches();
    task<wait_end> keep_alive();
    void handle_frames();

    timers& time_;
    logger& log_;
    connector connect_;
    link_options options_;
    link_state state_;
    notifier changed_;
    std::unique_ptr<byte_stream> stream_;    // set once HELLO was exchanged
    std::unique_ptr<frame_decoder> decoder_;
    std::uint64_t nonce_ = 0;    // of the latest HELLO
    std::uint32_t version_ = protocol_version;
    int attempt_ = 0;
    bool closed_ = false;
};

/// False if PARK cannot be sent to this agent.
bool link_over_stream::say_park(exec_number number, park_request request, std::vector<int> join)
{
    const bool joins = state_.version() >= first_with_joined_parking;
    if (state_.version() < first_with_parking || (request.is_bare() && !joins))
        return false;
    if (!joins || !stream_->carries_descriptors())
        join.clear();
    auto copies = duplicates_of(join);
    if (!copies)
        return false;
    request.descriptors = static_cast<std::uint8_t>(copies->size());
    std::string frame;
    if (!encode_frame(frame, joins ? number : 0, request))
        return false;
    state_.park(std::move(frame), std::move(copies));
    return true;
}

task<result<bool>> link_over_stream::park(exec_number number, park_request request, std::vector<int> join, steady_time deadline)
{
    if (!stream_ || !say_park(number, std::move(request), std::move(join)))
        co_return false;
    auto hearing = with_deadline(time_, deadline, exchange_park(stream_.get(), decoder_.get(), &state_));
    auto heard = co_await std::move(hearing);
    if (heard.has_error())
        co_return heard.error();
    co_return state_.was_parked().value_or(false);
}

task<result<void>> link_over_stream::run()
{
    while (!closed_) {
        if (!stream_) {
            auto attempt = until_closed_or(establish(steady_time::max()));
            auto established = co_await std::move(attempt);
            if (established.has_error())
                co_return closed_ ? result<void>() : established;
        }
        const auto since = time_.steady_now();
        std::string reason = "the agent closed it";
        try {
            co_await serve();
        } catch (const boost::system::system_error& failure) {
            reason = failure.code().message();
        } catch (const std::exception& failure) {
            reason = failure.what();
        }
        stream_.reset();
        if (time_.steady_now() - since > stable_after)
            attempt_ = 0;
        if (state_.shuts_down())
            co_return result<void>();    // the agent was asked to end
        if (!closed_)
            log_.info("the link to an agent broke", {{"reason", reason}});
    }
    co_return result<void>();
}

void link_over_stream::close() noexcept
{
    closed_ = true;
    changed_.notify_all();
    if (stream_)
        stream_->close();
}

task<wait_end> link_over_stream::wait_closed()
{
    while (!closed_) {
        const auto seen = changed_.version();
        if (co_await changed_.wait_past_or_cancelled(seen) == wait_end::cancelled)
            co_return wait_end::cancelled;
    }
    co_return wait_end::came;
}

task<result<void>> link_over_stream::until_closed_or(task<result<void>> work)
{
    auto first = co_await race(std::move(work), wait_closed());
    if (first.index() == 1)
        co_return error{errc::cancelled, "the link was closed"};
    co_return std::get<0>(std::move(first));
}

/// Retries with growing pauses until HELLO is exchanged.
task<result<void>> link_over_stream::establish(steady_time deadline)
{
    for (;;) {
        const auto pause = delay_before(attempt_++);
        if (time_.steady_now() + pause >= deadline)
            co_return error{errc::timed_out, "the agent did not answer in time"};
        if (pause > 0ms)
            co_await time_.wait_for(pause);
        const auto until = std::min(deadline, time_.steady_now() + attempt_timeout);
        auto attempt = with_deadline(time_, until, connect_once());
        auto outcome = co_await std::move(attempt);
        if (outcome.has_value() || is_final(outcome.error().code))
            co_return outcome;
        log_.debug("no link to an agent yet", {{"reason", outcome.error().detail}});
    }
}

task<result<void>> link_over_stream::connect_once()
{
    try {
        auto connected = co_await connect_();
        if (connected.has_error())
            co_return connected.error();
        auto stream = std::move(*connected);
        auto greeted = co_await greet(stream.get());
        if (greeted.has_value()) {
            stream_ = std::move(stream);
            state_.connected(stream_->carries_descriptors(), version_);
        }
        co_return greeted;
    } catch (const std::exception& failure) {
        co_return error{errc::internal, failure.what()};
    }
}

task<result<void>> link_over_stream::greet(byte_stream* stream)
{
    decoder_ = std::make_unique<frame_decoder>(read_bytes, frame_decoder::markers::at_start);
    std::string out(open_marker);
    const auto lease = static_cast<std::uint64_t>(options_.lease.count());
    nonce_ = random_number();
    encode_frame(out, hello{version_, options_.epoch, nonce_, lease, options_.instance});
    const std::string_view parts[] = {out};
    const std::span<const int> no_descriptors;
    co_await stream->write(parts, no_descriptors);
    for (;;) {
        const auto heard = co_await heard_hello(stream);
        if (heard.has_error())
            co_return heard.error();
        if (*heard)
            co_return result<void>();
    }
}

/// One step towards the agent's HELLO; true once it arrived. A stream that outlived a server may hold frames meant for that server.
task<result<bool>> link_over_stream::heard_hello(byte_stream* stream)
{
    frame_view frame;
    switch (decoder_->next(frame)) {
    case decode_status::opened: co_return false;
    case decode_status::broken: co_return false;
    case decode_status::frame: break;
    case decode_status::need_more: {
        const auto count = co_await stream->read_some(decoder_->prepare());
        if (count == 0)
            co_return error{errc::internal, "the stream ended before the agent's HELLO"};
        decoder_->commit(count);
        co_return false;
    }
    }
    hello agent;
    if (frame.type != frame_type::hello || !decode(frame.body, agent) || agent.nonce != nonce_) {
        decoder_->resync();
        co_return false;
    }
    if (agent.version < oldest_version || agent.version > version_)
        co_return error{
            errc::gone, "the agent speaks version " + std::to_string(agent.version) + " of the protocol, which this server does not"};
    if (agent.version < std::exchange(version_, agent.version))
        co_return error{errc::internal, "the agent speaks an older version of the protocol"};    // the next attempt uses that version
    if (agent.epoch > options_.epoch)
        co_return error{errc::conflict, "a newer server has the sandbox"};
    co_return true;
}

/// Runs until the connection ends or breaks.
task<> link_over_stream::serve()
{
    auto io = race(read_frames(), write_batches());
    auto pings = keep_alive();
    co_await race(std::move(io), std::move(pings));
}

task<> link_over_stream::read_frames()
{
    for (;;) {
        handle_frames();
        const auto count = co_await stream_->read_some(decoder_->prepare());
        if (count == 0)
            co_return;
        decoder_->commit(count);
    }
}

void link_over_stream::handle_frames()
{
    frame_view frame;
    bool answers = false;
    for (;;) {
        const auto status = decoder_->next(frame);
        if (status == decode_status::need_more)
            break;
        if (status != decode_status::frame || !state_.on_frame(frame))
            throw boost::system::system_error(boost::system::errc::make_error_code(boost::system::errc::bad_message), "agent");
        answers = answers || frame.type == frame_type::state || frame.type == frame_type::stdin_ack || frame.type == frame_type::orders;
    }
    if (answers)
        changed_.notify_all();
}

/// Runs until cancelled.
task<wait_end> link_over_stream::write_batches()
{
    for (;;) {
        const auto seen = changed_.version();
        frame_batch batch;
        if (state_.fill(batch)) {
            const auto parts = batch.parts();
            co_await stream_->write(parts, batch.descriptors());
            co_await asio::post(use_task);    // yields the thread: the write may not have suspended
        } else if (co_await changed_.wait_past_or_cancelled(seen) == wait_end::cancelled) {
            co_return wait_end::cancelled;
        }
    }
}

/// Runs until cancelled.
task<wait_end> link_over_stream::keep_alive()
{
    const auto interval = std::max<std::chrono::milliseconds>(std::min<std::chrono::milliseconds>(longest_ping, options_.lease / 4), 10ms);
    while (co_await time_.wait_until_or_cancelled(time_.steady_now() + interval) == wait_end::came) {
        state_.ping();
        changed_.notify_all();
    }
    co_return wait_end::cancelled;
}

}    // namespace

std::unique_ptr<agent_link> make_agent_link(
    io_executor executor, timers& time, logger& log, agent_link::connector connect, link_options options)
{
    return std::make_unique<link_over_stream>(executor, time, log, std::move(connect), std::move(options));
}

}    // namespace caisson::protocol
