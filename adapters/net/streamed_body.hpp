#pragma once

#include "adapters/net/body_decoder.hpp"
#include "adapters/net/connection.hpp"
#include "adapters/net/exchange.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace caisson::net {

inline constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

/// The refusal of a body slower than `bytes` in each body_timeout.
refusal too_slow_body(const server_options& options, std::size_t bytes);

/// The body of a request without one.
class no_body final : public request_body {
public:
    task<result<shared_bytes>> read() override { co_return shared_bytes(); }
};

/// A request body that is read from the connection as the handler asks for it.
class streamed_body final : public request_body {
public:
    /// `expects_continue`: the client waits for "100 Continue" before it sends. `link` must outlive the body.
    streamed_body(connection& link, body_decoder decoder, bool expects_continue);

    task<result<shared_bytes>> read() override;

    /// True if the whole body was read: the next bytes of the connection are the next request.
    bool complete() const { return decoder_.done() && !failed_; }
    /// Drops received but unread bytes. Returns true if the body is then complete.
    bool drop_what_came();
    /// True if a read returned an error.
    bool failed() const { return failed_.has_value(); }
    /// The refusal to send to the client; nothing if the client is gone.
    const std::optional<refusal>& refused() const { return refused_; }

private:
    task<bool> ask_for_it();
    task<result<void>> read_more();
    error fail(refusal why);
    error fail_gone();
    void count(std::size_t bytes);

    connection& link_;
    body_decoder decoder_;
    bool expects_continue_;
    std::optional<error> failed_;
    std::optional<refusal> refused_;
    std::uint64_t taken_ = 0;
    std::uint64_t due_ = 0;                 // the byte count that restarts the timeout
    std::chrono::nanoseconds time_left_;    // of waiting for the client until then; the handler's own time does not count
};

}    // namespace caisson::net
