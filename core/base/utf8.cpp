#include "core/base/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace caisson {

namespace {

/// Length of a character whose first byte is `lead`; 0 if no character starts with `lead`.
std::size_t sequence_length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    if (lead >= 0xf0 && lead <= 0xf4)
        return 4;
    return 0;
}

/// Whether `byte` may stand at `index` (1 to 3) of a character that starts with `lead`: table 3-7 of the Unicode standard.
bool may_follow(unsigned char lead, std::size_t index, unsigned char byte)
{
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
    if (index == 1) {
        if (lead == 0xe0)
            low = 0xa0;
        else if (lead == 0xed)
            high = 0x9f;
        else if (lead == 0xf0)
            low = 0x90;
        else if (lead == 0xf4)
            high = 0x8f;
    }
    return byte >= low && byte <= high;
}

struct scan {
    std::size_t length;    // bytes of the character that are present
    std::size_t wanted;    // bytes of the whole character; 0 if no character starts here
};

/// Scans the character, or its longest valid prefix, at the front of `bytes` (not empty).
scan scan_front(std::string_view bytes)
{
    const auto lead = static_cast<unsigned char>(bytes[0]);
    const std::size_t wanted = sequence_length(lead);
    if (wanted == 0)
        return {1, 0};
    std::size_t have = 1;
    while (have < wanted && have < bytes.size() && may_follow(lead, have, static_cast<unsigned char>(bytes[have])))
        ++have;
    return {have, wanted};
}

/// Bytes of plain ASCII at the front, found eight at a time.
std::size_t ascii_run(std::string_view bytes)
{
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, 8);
        if ((word & 0x8080808080808080ull) != 0)
            break;
    }
    while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80)
        ++at;
    return at;
}

}    // namespace

bool is_utf8(std::string_view bytes)
{
    for (bytes.remove_prefix(ascii_run(bytes)); !bytes.empty(); bytes.remove_prefix(ascii_run(bytes))) {
        const auto found = scan_front(bytes);
        if (found.length != found.wanted)
            return false;
        bytes.remove_prefix(found.length);
    }
    return true;
}

std::size_t incomplete_utf8_tail(std::string_view bytes)
{
    for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
        const auto tail = bytes.substr(bytes.size() - back);
        if (sequence_length(static_cast<unsigned char>(tail[0])) == 0)
            continue;    // a continuation byte: its lead is further back
        const auto found = scan_front(tail);
        return found.length == back && found.length < found.wanted ? back : 0;
    }
    return 0;
}

std::string to_valid_utf8(std::string_view bytes)
{
    std::string out;
    out.reserve(bytes.size());
    while (!bytes.empty()) {
        if (const auto plain = ascii_run(bytes); plain > 0) {
            out.append(bytes.substr(0, plain));
            bytes.remove_prefix(plain);
            continue;
        }
        const auto found = scan_front(bytes);
        if (found.length == found.wanted)
            out.append(bytes.substr(0, found.length));
        else
            out.append("\xef\xbf\xbd");
        bytes.remove_prefix(found.length);
    }
    return out;
}

}    // namespace caisson
