#pragma once

#include "adapters/net/head.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::net {

/// Takes a body out of the bytes of a connection, in pieces of any size. Chunk extensions and trailers are checked and dropped.
class body_decoder {
public:
    body_decoder() = default;
    /// More than `limit_bytes` of content is refused with 413, as soon as it is announced.
    body_decoder(framing how, std::uint64_t content_length, std::uint64_t limit_bytes);

    /// Appends content to `out` and returns how many bytes of `in` it took: all, unless it is done or refuses.
    std::size_t feed(std::string_view in, std::string& out);
    /// The connection ended. True if the body may end so.
    bool end_of_input();

    /// Bytes of content that may still come: as announced, else as allowed.
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
    std::uint64_t left_ = 0;     // of the body or the chunk
    std::uint64_t limit_ = 0;    // still allowed
    std::uint64_t limit_bytes_ = 0;
    std::size_t digits_ = 0;        // of the chunk size
    std::size_t overhead_ = 0;      // bytes of this extension, or of the trailers
    std::size_t line_bytes_ = 0;    // of this trailer line
    std::optional<refusal> refused_;
};

}    // namespace caisson::net
