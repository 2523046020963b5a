#include "core/auth/key_text.hpp"

#include "core/base/random.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace caisson {

namespace {

constexpr std::string_view alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view prefix = "csn_";
constexpr std::size_t letters = 43;
constexpr std::size_t hint_length = 4;

}    // namespace

std::string random_letters(std::size_t length)
{
    constexpr std::size_t fair = 256 / alphabet.size() * alphabet.size();    // greater bytes are dropped: they would bias the letters
    std::string text;
    std::array<std::uint8_t, 64> draw{};
    while (text.size() < length) {
        random_fill(draw);
        for (const auto byte : draw)
            if (byte < fair && text.size() < length)
                text += alphabet[byte % alphabet.size()];
    }
    return text;
}

secret make_key_text() { return secret(std::string(prefix) + random_letters(letters)); }

bool is_key_text(std::string_view text)
{
    if (text.size() != prefix.size() + letters || !text.starts_with(prefix))
        return false;
    const auto known = [](char c) { return alphabet.find(c) != std::string_view::npos; };
    return std::ranges::all_of(text.substr(prefix.size()), known);
}

std::string hint_of(std::string_view key_text)
{
    return std::string(key_text.substr(key_text.size() - std::min(key_text.size(), hint_length)));
}

}    // namespace caisson
