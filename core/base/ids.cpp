#include "core/base/ids.hpp"

#include "core/base/random.hpp"

#include <algorithm>
#include <span>

namespace caisson {

namespace {

constexpr std::string_view alphabet = "0123456789abcdefghjkmnpqrstvwxyz";    // Crockford's base32, lower case
constexpr std::size_t encoded_length = 26;

std::string encode_digits(const std::array<std::uint8_t, 16>& bytes)
{
    // 128 bits in 26 digits of 5 bits: two zero bits lead.
    std::string out(encoded_length, '0');
    unsigned buffer = 0;
    int bits = 2;
    std::size_t at = 0;
    for (auto byte : bytes) {
        buffer = buffer << 8 | byte;
        bits += 8;
        while (bits >= 5) {
            bits -= 5;
            out[at++] = alphabet[buffer >> bits & 31u];
        }
    }
    return out;
}

void increment(std::array<std::uint8_t, 16>& bytes)
{
    for (auto it = bytes.rbegin(); it != bytes.rend() && ++*it == 0; ++it) { }
}

}    // namespace

bool is_well_formed_id(std::string_view prefix, std::string_view text)
{
    return text.size() == prefix.size() + encoded_length && text.starts_with(prefix) &&
           text.find_first_not_of(alphabet, prefix.size()) == std::string_view::npos;
}

id_factory::id_factory(const clock& time) : time_(time) { }

std::string id_factory::next(std::string_view prefix)
{
    std::array<std::uint8_t, 16> now{};
    auto ms = static_cast<std::uint64_t>(time_.now_ms());
    for (int i = 5; i >= 0; --i, ms >>= 8)
        now[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(ms);
    if (std::equal(now.begin(), now.begin() + 6, last_.begin()) || now < last_) {
        increment(last_);
    } else {
        random_fill(std::span(now).subspan(6));
        last_ = now;
    }
    return std::string(prefix) + encode_digits(last_);
}

}    // namespace caisson
