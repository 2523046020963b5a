#pragma once

#include "app/http/call.hpp"
#include "core/base/shared_bytes.hpp"

#include <cstdint>
#include <functional>

namespace caisson::http {

/// Reads at most `most_bytes` from `offset` on. Empty: there is nothing more.
using piece_reader = std::function<task<result<shared_bytes>>(std::uint64_t offset, std::size_t most_bytes)>;

/// Which bytes of what is read are the answer's body.
struct byte_range {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
};

/// Answers with `head`, which has its Content-Length, and the bytes of `range`; to HEAD without reading any. No more is held at once than
/// one answer should hold (exchange::share_bytes). If the first piece cannot be read the answer is its error. What fails later, or
/// a client that takes no more, leaves the answer cut, which the client sees.
task<> answer_in_pieces(call_ptr one, net::response head, byte_range range, piece_reader read);

}    // namespace caisson::http
