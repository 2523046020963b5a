#include "core/log/live_log.hpp"

#include "core/async/deadline.hpp"

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// How long an incomplete UTF-8 character waits for its rest before its bytes are shown.
constexpr auto held_for = 50ms;
/// Bounds of take_whole(), whose events are stored with the record: a usual execution with little output.
constexpr std::size_t most_whole_events = 32;
constexpr std::size_t most_whole_bytes = 16 << 10;
/// First and longest pause between tries of a failing store.
constexpr auto first_store_pause = 20ms;
constexpr auto longest_store_pause = 1000ms;

}    // namespace

live_log::live_log(
    io_executor executor, execution_id id, event_store& store, timers& time, logger& log, log_options options, log_extent stored)
    : id_(std::move(id))
    , store_(store)
    , time_(time)
    , log_(log)
    , buffer_(options, std::move(stored))
    , work_(executor)
    , wanted_(executor)
    , changed_(executor)
{
}

void live_log::output(output_stream stream, std::uint64_t offset, shared_bytes bytes)
{
    buffer_.output(stream, offset, std::move(bytes), time_.now_ms());
    if (wanted_.version() == 0 && !buffer_.is_whole(most_whole_events, most_whole_bytes))
        follow();    // the agent's window is freed only by stored output
    work_.notify_all();
    changed_.notify_all();
}

void live_log::gap(output_stream stream, std::uint64_t missing)
{
    buffer_.gap(stream, missing, time_.now_ms());
    work_.notify_all();
}

void live_log::control(event_kind kind, std::string body)
{
    buffer_.control(kind, std::move(body), time_.now_ms());
    work_.notify_all();
}

void live_log::end(output_stream stream)
{
    buffer_.end(stream, time_.now_ms());
    work_.notify_all();
    changed_.notify_all();
}

void live_log::end_attempt()
{
    buffer_.end_attempt(time_.now_ms());
    work_.notify_all();
    changed_.notify_all();
}

task<> live_log::run(std::chrono::milliseconds patience)
{
    if (patience.count() > 0 && wanted_.version() == 0)
        static_cast<void>(co_await race(wanted_.wait_past_or_cancelled(0), time_.wait_until_or_cancelled(time_.steady_now() + patience)));
    while (co_await wait_for_work() == wait_end::came)
        co_await store_pending();
}

task<wait_end> live_log::wait_for_work()
{
    while (taken_whole_ || !buffer_.has_unstored()) {
        const auto seen = work_.version();
        if (taken_whole_ || !buffer_.holds_back()) {
            if (co_await work_.wait_past_or_cancelled(seen) == wait_end::cancelled)
                co_return wait_end::cancelled;
            continue;
        }
        auto more = work_.wait_past_or_cancelled(seen);
        const auto outcome = co_await race(std::move(more), time_.wait_until_or_cancelled(time_.steady_now() + held_for));
        if (outcome.index() == 1) {
            buffer_.release_held(time_.now_ms());
            changed_.notify_all();
        }
    }
    co_return wait_end::came;
}

task<> live_log::store_pending()
{
    auto batch = buffer_.take();
    auto pause = std::chrono::milliseconds(first_store_pause);
    for (;;) {
        std::string failure;
        try {
            const auto outcome = co_await store_.append(id_, batch.events, batch.cuts);
            if (outcome.has_value())
                break;
            failure = outcome.error().detail;
            if (outcome.error().code == errc::conflict) {    // a retry cannot succeed
                log_.error("events contradict what is stored; they are dropped", {{"execution_id", id_.str()}, {"what", failure}});
                failure_ = failure;
                break;
            }
        } catch (const boost::system::system_error& e) {
            if (e.code() == asio::error::operation_aborted)
                throw;
            failure = e.what();
        } catch (const std::exception& e) {
            failure = e.what();
        }
        log_.error("events cannot be stored; trying again", {{"execution_id", id_.str()}, {"what", failure}});
        co_await time_.wait_for(pause);
        pause = std::min<std::chrono::milliseconds>(pause * 2, longest_store_pause);
    }
    all_stored();
}

void live_log::all_stored()
{
    buffer_.stored();
    work_.notify_all();
    changed_.notify_all();
    if (committed_)
        committed_();
}

std::optional<event_list> live_log::take_whole()
{
    if (taken_whole_ || !buffer_.is_whole(most_whole_events, most_whole_bytes))
        return std::nullopt;
    taken_whole_ = true;
    return buffer_.take().events;
}

bool live_log::may_be_taken_whole() const
{
    constexpr std::size_t usage_and_exit = 2;
    return !taken_whole_ && !buffer_.holds_back() && buffer_.is_whole(most_whole_events - usage_and_exit, most_whole_bytes);
}

void live_log::stored_whole()
{
    taken_whole_ = false;
    all_stored();
}

task<> live_log::flushed()
{
    wanted_.notify_all();
    while (buffer_.has_unstored()) {
        const auto seen = work_.version();
        co_await work_.wait_past(seen);
    }
}

void live_log::publish_exit()
{
    exit_withheld_ = false;
    changed_.notify_all();
}

std::uint64_t live_log::visible_end() const
{
    const auto end = buffer_.end_number();
    if (exit_withheld_ && end > buffer_.first_number() && buffer_.entry(end - 1)->kind == event_kind::exit)
        return end - 1;
    return end;
}

}    // namespace caisson
