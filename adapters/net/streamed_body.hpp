#pragma once

#include "adapters/net/body_decoder.hpp"
#include "adapters/net/connection.hpp"
#include "adapters/net/exchange.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace caisson::net {

inline constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

/// What a body is answered with that comes slower than min_body_bytes in each body_timeout.
refusal too_slow_body(const server_options& options, std::size_t bytes);

/// The body of a request without one.
class no_body final : public request_body {
public:
    task<result<shared_bytes>> read() override { co_return shared_bytes(); }
};

/// A request's body that is taken out of the connection as the handler reads it.
class streamed_body final : public request_body {
public:
    /// `expects_continue`: the client waits for a word before it sends. `link` outlives this.
    streamed_body(connection& link, body_decoder decoder, bool expects_continue);

    task<result<shared_bytes>> read() override;

    /// All of it was read: what follows in the connection is the next request.
    bool complete() const { return decoder_.done() && !failed_; }
    /// Drops what has come and was not read. True if that is all of it.
    bool drop_what_came();
    /// A read gave an error.
    bool failed() const { return failed_.has_value(); }
    /// What the client is to be told of it; nothing if it is gone.
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
    std::uint64_t due_ = 0;                 // bytes at which the time begins anew
    std::chrono::nanoseconds time_left_;    // to wait for the client until then; the handler's own time does not count
};

}    // namespace caisson::net
