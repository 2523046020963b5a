/// Bodies of HTTP messages: what comes out does not depend on how the bytes are cut, and keeps its limit.
#include "adapters/net/body_decoder.hpp"
#include "fuzz/fuzz.hpp"

#include <string>

namespace caisson::net {
namespace {

struct outcome {
    std::string content;
    std::size_t taken = 0;
    bool done = false;
    std::optional<int> refused;
    bool operator==(const outcome&) const = default;
};

struct body_kind {
    framing how;
    std::uint64_t length;
    std::uint64_t limit;
};

outcome decoded(const body_kind& kind, std::string_view bytes, std::uint8_t cuts, bool ends)
{
    body_decoder decoder(kind.how, kind.length, kind.limit);
    outcome got;
    fuzz::in_pieces(bytes, cuts, cuts == 0 ? 1 : bytes.size() + 1, [&](std::string_view piece) {
        const auto taken = decoder.feed(piece, got.content);
        FUZZ_CHECK(taken <= piece.size());
        FUZZ_CHECK(taken == piece.size() || decoder.done() || decoder.refused());
        got.taken += taken;
        return !decoder.done() && !decoder.refused();
    });
    if (decoder.refused()) {
        got.refused = decoder.refused()->status;
        FUZZ_CHECK(got.refused == 400 || got.refused == 413);
        got.content.clear();    // how much of it came before depends on the cuts
        got.taken = 0;
        return got;
    }
    got.done = ends ? decoder.end_of_input() : decoder.done();
    FUZZ_CHECK(got.content.size() <= kind.limit);
    FUZZ_CHECK(kind.how != framing::length || got.content.size() <= kind.length);
    FUZZ_CHECK(kind.how != framing::length || got.done == (got.content.size() == kind.length));
    return got;
}

std::string chunked(std::string_view content, std::uint8_t cuts)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    fuzz::in_pieces(content, cuts, content.size() + 1, [&](std::string_view piece) {
        out += digits[piece.size() / 16 % 16];
        out += digits[piece.size() % 16];
        out.append("\r\n").append(piece).append("\r\n");
        return true;
    });
    return out + "0\r\n\r\n";
}

}    // namespace
}    // namespace caisson::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace caisson::net;
    caisson::fuzz::input in(data, size);
    const auto what = in.byte();
    const auto cuts = in.byte();
    const body_kind kind{static_cast<framing>(what % 4), in.number(2), in.number(2)};
    const bool ends = (what & 4) != 0;
    const auto whole = decoded(kind, in.rest(), 0, ends);
    FUZZ_CHECK(whole == decoded(kind, in.rest(), cuts, ends));

    const auto content = in.rest();
    const auto sent = decoded({framing::chunked, 0, content.size()}, chunked(content, cuts) + "GET /", cuts ^ 21, ends);
    FUZZ_CHECK(sent.done && sent.content == content && sent.taken == chunked(content, cuts).size());
    if (!content.empty())
        FUZZ_CHECK(decoded({framing::chunked, 0, content.size() - 1}, chunked(content, cuts), cuts, ends).refused == 413);
    return 0;
}
