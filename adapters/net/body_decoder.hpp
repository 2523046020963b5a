#pragma once

#include "adapters/net/head.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::net {

/// Decodes a message body from a connection's bytes, in pieces of any size. Checks and drops chunk extensions and trailers.
class body_decoder {
public:
    body_decoder() = default;
    /// Refuses content above `limit_bytes` with 413, as soon as its length is announced.
    body_decoder(framing how, std::uint64_t content_length, std::uint64_t limit_bytes);

    /// Appends content to `out` and returns the bytes consumed from `in`: all, unless the body is done or refused.
    std::size_t feed(std::string_view in, std::string& out);
    /// Call when the connection ended. Returns true if the body is complete.
    bool end_of_input();

    /// The most content bytes still to come: as announced, else up to the limit.
    std::uint64_t most_left() const;
    bool done() const { return state_ == state::done; }
    const std::optional<refusal>& refused() const { return refused_; }

private:
    enum class state { length, until_close, size, extension, size_lf, data_cr, data_lf, data, trailer, trailer_lf, done };

    std::size_t take_content(std::string_view in, std::string& out);
    void take_framing(char c);
    void take_size(char c);
    void take_trailer(char c);
    void begin_chunk();
    void refuse(int status, std::string message);

    state state_ = state::done;
    std::uint64_t left_ = 0;     // bytes left of the body or the chunk
    std::uint64_t limit_ = 0;    // bytes still allowed
    std::uint64_t limit_bytes_ = 0;
    std::size_t digits_ = 0;        // in the chunk size
    std::size_t overhead_ = 0;      // bytes of the current extension, or of the trailers
    std::size_t line_bytes_ = 0;    // in the current trailer line
    std::optional<refusal> refused_;
};

}    // namespace caisson::net
