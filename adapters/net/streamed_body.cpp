#include "adapters/net/streamed_body.hpp"

#include <algorithm>

namespace caisson::net {

refusal too_slow_body(const server_options& options, std::size_t bytes)
{
    return {408, errc::timed_out,
        "the body came slower than " + std::to_string(bytes) + " bytes in " + std::to_string(options.body_timeout.count()) + " ms"};
}

streamed_body::streamed_body(connection& link, body_decoder decoder, bool expects_continue)
    : link_(link), decoder_(std::move(decoder)), expects_continue_(expects_continue), time_left_(link.server().options.body_timeout)
{
    due_ = link.server().options.min_body_bytes;
}

task<result<shared_bytes>> streamed_body::read()
{
    if (failed_)
        co_return *failed_;
    if (expects_continue_ && !co_await ask_for_it())
        co_return fail_gone();
    std::string piece;
    while (true) {
        auto& input = link_.input();
        input.consume(decoder_.feed(input.view(), piece));
        if (const auto& why = decoder_.refused())
            co_return fail(*why);
        if (!piece.empty() || decoder_.done())
            break;
        auto more = co_await read_more();
        if (more.has_error())
            co_return more.error();
    }
    count(piece.size());
    co_return shared_bytes(std::move(piece));
}

/// Sends "100 Continue" unless the body has begun. False if the client is gone.
task<bool> streamed_body::ask_for_it()
{
    expects_continue_ = false;
    if (!link_.input().empty())
        co_return true;
    co_return co_await link_.write(continue_line);
}

task<result<void>> streamed_body::read_more()
{
    const auto& server = link_.server();
    const auto begun = server.time.steady_now();
    link_.wait_for(phase::reading, std::chrono::ceil<std::chrono::milliseconds>(time_left_));
    const bool more = co_await link_.read_more();
    link_.handling();
    const auto waited = server.time.steady_now() - begun;
    time_left_ = std::max(std::chrono::nanoseconds(0), time_left_ - waited);
    if (more)
        co_return result<void>();
    if (link_.timed_out())
        co_return fail(too_slow_body(server.options, server.options.min_body_bytes));
    co_return fail_gone();
}

void streamed_body::count(std::size_t bytes)
{
    taken_ += bytes;
    if (taken_ < due_)
        return;
    const auto& options = link_.server().options;
    time_left_ = options.body_timeout;
    due_ = taken_ + options.min_body_bytes;
}

bool streamed_body::drop_what_came()
{
    std::string dropped;
    auto& input = link_.input();
    if (!failed_ && !decoder_.refused())
        input.consume(decoder_.feed(input.view(), dropped));
    return complete() && !decoder_.refused();
}

error streamed_body::fail(refusal why)
{
    failed_ = error{why.code, why.message};
    refused_ = std::move(why);
    return *failed_;
}

error streamed_body::fail_gone()
{
    failed_ = error{errc::bad_request, "the connection ended before the body was complete"};
    return *failed_;
}

}    // namespace caisson::net
