#include "app/doors/http/piece_stream.hpp"

#include <algorithm>

namespace caisson::http {

namespace {

constexpr std::size_t most_read_bytes = 1 << 20;

task<result<shared_bytes>> nothing() { co_return shared_bytes(); }

task<result<shared_bytes>> read_piece(net::exchange& to, byte_range left, const piece_reader& read)
{
    if (left.length == 0)
        return nothing();
    const auto most = std::min<std::uint64_t>({left.length, most_read_bytes, to.share_bytes()});
    return read(left.offset, static_cast<std::size_t>(most));
}

}    // namespace

task<> answer_in_pieces(call_ptr call, net::response head, byte_range range, piece_reader read)
{
    if (call->request().method == "HEAD")
        range.length = 0;
    auto piece = co_await read_piece(call->exchange(), range, read);
    if (piece.has_error()) {
        co_await call->fail(piece.error());
        co_return;
    }
    auto out = co_await call->begin_stream(std::move(head));
    while (range.length > 0) {
        if (piece.has_error() || piece->empty())
            co_return;
        const auto bytes = piece->slice(0, range.length);
        const bool taken = co_await out->write(bytes.view());
        if (!taken)
            co_return;
        range.offset += bytes.size();
        range.length -= bytes.size();
        piece = co_await read_piece(call->exchange(), range, read);
    }
    co_await out->finish();
}

}    // namespace caisson::http
