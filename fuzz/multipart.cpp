/// multipart/form-data: what comes out does not depend on how the bytes are cut, holds no more than was sent, and what was put together
/// comes apart again.
#include "adapters/net/multipart.hpp"
#include "core/base/utf8.hpp"
#include "fuzz/fuzz.hpp"

#include <string>

namespace caisson::net {
namespace {

constexpr std::string_view content_type = "multipart/form-data; boundary=B";

struct outcome {
    std::vector<part_head> heads;
    std::string data;    // of all parts, a newline and "|" behind each
    bool refused = false;
    bool done = false;
    bool operator==(const outcome&) const = default;
};

void take(part_event& event, bool& open, outcome& out)
{
    switch (event.what) {
    case part_event::kind::begin:
        FUZZ_CHECK(!open && is_utf8(event.head.name));
        open = true;
        out.heads.push_back(std::move(event.head));
        return;
    case part_event::kind::data:
        FUZZ_CHECK(open && !event.data.empty());
        out.data += event.data;
        return;
    case part_event::kind::end:
        FUZZ_CHECK(open);
        open = false;
        out.data += "\n|";
        return;
    }
}

outcome parsed(std::string_view bytes, std::uint8_t cuts)
{
    const multipart_limits limits{4, 256, 4};
    auto parser = multipart_parser::make(content_type, limits);
    outcome out;
    bool open = false;
    fuzz::in_pieces(bytes, cuts, cuts == 0 ? 1 : bytes.size() + 1, [&](std::string_view piece) {
        auto events = parser->feed(piece);
        out.refused = events.has_error();
        if (out.refused)
            return false;
        for (auto& event : *events)
            take(event, open, out);
        return true;
    });
    if (out.refused) {
        out.heads.clear();    // how much of it came before depends on the cuts
        out.data.clear();
        return out;
    }
    out.done = parser->finish().has_value();
    FUZZ_CHECK(out.heads.size() <= limits.max_parts);
    FUZZ_CHECK(!out.done || !open);
    return out;
}

}    // namespace
}    // namespace caisson::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace caisson::net;
    caisson::fuzz::input in(data, size);
    const auto cuts = in.byte();
    const auto text = in.rest();
    const auto whole = parsed(text, 0);
    FUZZ_CHECK(whole.data.size() <= text.size() + 2 * whole.heads.size());
    FUZZ_CHECK(parsed(text, cuts | 1) == whole);

    if (("\r\n" + std::string(text)).find("\r\n--B") != std::string::npos)
        return 0;
    const std::string head = "--B\r\nContent-Disposition: form-data; name=\"n\"; filename=\"f\"\r\n\r\n";
    const auto sent = parsed(head + std::string(text) + "\r\n" + head + "2\r\n--B--\r\n", cuts);
    FUZZ_CHECK(sent.done && sent.heads.size() == 2 && sent.heads[0] == (part_head{"n", "f", ""}));
    FUZZ_CHECK(sent.data == std::string(text) + "\n|2\n|");
    return 0;
}
