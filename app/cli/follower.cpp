#include "app/cli/follower.hpp"

namespace caisson::cli {

follower::follower(api_client& api, timers& time, std::string execution_id, output_sink& sink)
    : api_(api), time_(time), id_(std::move(execution_id)), sink_(sink)
{
}

task<result<boost::json::object>> follower::to_the_end()
{
    while (true) {
        const auto began = time_.steady_now();
        auto ended = co_await connect_and_read();
        const bool was_open = socket_ != nullptr;
        socket_.reset();
        if (reader_.end())
            co_return *reader_.end();
        if (ended.has_error() && !may_pass(ended.error().code))
            co_return ended.error();
        const auto now = time_.steady_now();
        const auto delay = policy_.broke(now, was_open ? now - began : std::chrono::nanoseconds(0));
        if (!delay)
            co_return gone(ended.has_error() ? ended.error() : error{errc::runtime_unavailable, "the connection broke"});
        co_await time_.wait_for(*delay);
    }
}

task<result<void>> follower::connect_and_read()
{
    refused_.clear();
    auto opened = co_await api_.connect("/v1/executions/" + id_ + "/stream?after=" + reader_.cursor());
    if (opened.has_error())
        co_return opened.error();
    socket_ = std::move(*opened);
    while (true) {
        auto message = co_await socket_->receive();
        if (!message)
            break;
        auto taken = co_await take(std::move(message->data));
        if (taken.has_error())
            co_return taken.error();
        if (reader_.end()) {
            co_await socket_->close(net::close_code::normal, "");
            co_return result<void>();
        }
    }
    if (socket_->peer_close_code() == net::close_code::policy)
        co_return error{errc::forbidden, "the server closed the stream: " + (refused_.empty() ? socket_->peer_close_reason() : refused_)};
    co_return result<void>();
}

task<result<void>> follower::take(std::string text)
{
    auto effects = reader_.take(text);
    if (effects.has_error())
        co_return effects.error();
    if (!reader_.connection_error().empty()) {
        refused_ = reader_.connection_error();
        co_return result<void>();
    }
    policy_.worked();
    const bool written = co_await sink_.write(std::move(*effects));
    if (!written)
        co_return error{errc::cancelled, "nobody reads the output any more"};
    co_return result<void>();
}

void follower::send(std::string frame)
{
    if (socket_)
        socket_->send_text(std::move(frame));
}

error follower::gone(const error& last) const
{
    return error{
        errc::runtime_unavailable, "the server stayed away (" + last.detail + "); the execution may go on: caisson logs -f " + id_};
}

}    // namespace caisson::cli
