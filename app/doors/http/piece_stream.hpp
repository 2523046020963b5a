#pragma once

#include "app/doors/http/call.hpp"
#include "core/base/shared_bytes.hpp"

#include <cstdint>
#include <functional>

namespace caisson::http {

/// Reads at most `most_bytes` from `offset` on. An empty piece means the end.
using piece_reader = std::function<task<result<shared_bytes>>(std::uint64_t offset, std::size_t most_bytes)>;

/// The bytes of the source that form the body.
struct byte_range {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
};

/// Answers with `head`, which has its Content-Length, and the bytes of `range`; a HEAD request reads nothing. Memory is bounded by
/// exchange::share_bytes. An error of the first piece becomes the answer. A later error, or a client that stops reading, cuts the answer,
/// which the client sees.
task<> answer_in_pieces(call_ptr call, net::response head, byte_range range, piece_reader read);

}    // namespace caisson::http
