#pragma once

#include "adapters/net/connection.hpp"
#include "adapters/net/exchange.hpp"
#include "adapters/net/head.hpp"
#include "adapters/net/streamed_body.hpp"

namespace caisson::net {

/// The exchange that a session hands to the handler.
class session_exchange final : public exchange {
public:
    /// `keep_alive`: whether the server allows another request on the connection. `body`: null if the request has no body or all of it
    /// is in `head`.
    session_exchange(connection& link, request_head& head, bool keep_alive, streamed_body* body = nullptr)
        : link_(link), head_(head), keep_(keep_alive), streamed_(body)
    {
    }

    const net::request& request() const override { return head_.request; }
    request_body& body() override;
    result<void> mark_authenticated(std::string_view owner) override { return link_.mark_authenticated(owner); }
    std::size_t share_bytes() const override { return link_.share_bytes(); }
    task<> respond(response answer) override;
    task<std::unique_ptr<stream_writer>> begin_stream(response head) override;
    task<result<std::unique_ptr<websocket>>> upgrade(websocket_options options) override;
    void go_on(task<> rest) override { rest_ = std::move(rest); }
    const connection_context& lasting() const override { return link_; }
    task<wait_end> client_gone() override { return link_.peer_gone(); }
    bool draining() const override { return link_.draining(); }
    task<> drain_begun() const override { return link_.drain_begun(); }

    /// True once the response has begun.
    bool begun() const { return begun_; }
    /// True if the whole response was sent, or the connection was upgraded.
    bool finished() const { return finished_; }
    /// The task passed to go_on(); not valid() if there is none.
    task<> take_rest() { return std::move(rest_); }
    /// True if another request may follow.
    bool keeps_alive() const { return keep_ && finished_ && !link_.broken(); }

private:
    class writer;

    void begin(const headers& fields);
    std::string head_text(response& answer, std::string_view framing_field) const;

    connection& link_;
    request_head& head_;
    bool keep_;
    streamed_body* streamed_;
    no_body none_;
    bool begun_ = false;
    bool finished_ = false;
    task<> rest_;
};

}    // namespace caisson::net
