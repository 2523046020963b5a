#pragma once

#include "adapters/net/exchange.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>

namespace caisson::testing {

/// The body of an answer, as it was written.
struct sent_body {
    std::string text;
    std::size_t largest_write = 0;
    std::size_t writes_taken = SIZE_MAX;    // further ones find that the client is gone
    bool finished = false;
};

class fake_stream_writer final : public net::stream_writer {
public:
    /// `into` outlives it.
    explicit fake_stream_writer(sent_body& into) : into_(into) { }

    task<bool> write(std::string_view bytes) override
    {
        if (into_.writes_taken == 0)
            co_return false;
        --into_.writes_taken;
        into_.text += bytes;
        into_.largest_write = std::max(into_.largest_write, bytes.size());
        co_return true;
    }
    task<> finish() override
    {
        into_.finished = true;
        co_return;
    }

private:
    sent_body& into_;
};

/// A body that comes in pieces, over and over.
class endless_body final : public net::request_body {
public:
    task<result<shared_bytes>> read() override { co_return shared_bytes(std::string("piece")); }
};

/// A request whose answer is kept. Its streamed body does not end, nobody hears its client leave, and it cannot become a WebSocket:
/// std::logic_error.
class fake_exchange final : public net::exchange {
public:
    net::request asked;
    std::size_t share = 4 << 20;
    std::optional<net::response> answer;    // its head, and the body of one that came whole
    sent_body sent;
    std::function<task<>()> stays;    // of a client that is waited for, and of a server that is not stopping: does not return

    const net::request& request() const override { return asked; }
    net::request_body& body() override { return body_; }
    result<void> mark_authenticated(std::string_view) override { return {}; }
    std::size_t share_bytes() const override { return share; }
    task<> respond(net::response whole) override
    {
        answer = std::move(whole);
        co_return;
    }
    task<std::unique_ptr<net::stream_writer>> begin_stream(net::response head) override
    {
        answer = std::move(head);
        co_return std::make_unique<fake_stream_writer>(sent);
    }
    task<result<std::unique_ptr<net::websocket>>> upgrade(net::websocket_options) override { throw std::logic_error("no WebSocket"); }
    void go_on(task<>) override { throw std::logic_error("no WebSocket"); }
    const net::connection_context& lasting() const override { return *this; }
    task<wait_end> client_gone() override { return gone(); }
    bool draining() const override { return false; }
    task<> drain_begun() const override { return never("nobody waits for the end"); }

private:
    endless_body body_;

    task<wait_end> gone() const
    {
        co_await never("nobody waits for the client");
        co_return wait_end::came;
    }
    task<> never(const char* otherwise) const { return stays ? stays() : throw std::logic_error(otherwise); }
};

}    // namespace caisson::testing
