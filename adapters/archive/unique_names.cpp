#include "adapters/archive/unique_names.hpp"

#include <algorithm>
#include <functional>

namespace caisson {

namespace {

constexpr std::size_t max_name_bytes = 255;
constexpr std::size_t max_ending_bytes = 32;    // longer ones do not count as extensions

bool is_inside_character(std::string_view text, std::size_t at) { return at < text.size() && (text[at] & '\xC0') == '\x80'; }

}    // namespace

std::string numbered_name(std::string_view path, int number)
{
    const auto name_begin = path.rfind('/') + 1;    // 0 without a slash
    const auto name = path.substr(name_begin);
    auto dot = name.rfind('.');
    if (dot == 0 || dot == std::string_view::npos || name.size() - dot > max_ending_bytes)
        dot = name.size();
    const auto added = " (" + std::to_string(number) + ")" + std::string(name.substr(dot));
    auto kept = std::min(dot, max_name_bytes - added.size());
    while (kept > 0 && is_inside_character(name, kept))
        --kept;
    return std::string(path.substr(0, name_begin + kept)) + added;
}

std::string unique_names::take(std::string path)
{
    constexpr std::hash<std::string_view> hash;
    auto given = path;
    for (auto place = given_.try_emplace(hash(given), 1); !place.second; place = given_.try_emplace(hash(given), 1))
        given = numbered_name(path, ++given_[hash(path)]);
    return given;
}

}    // namespace caisson
