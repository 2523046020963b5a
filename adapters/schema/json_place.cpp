#include "adapters/schema/json_place.hpp"

#include "core/base/utf8.hpp"

namespace caisson {

namespace {

constexpr std::size_t longest_name = 64;
constexpr std::size_t longest_pointer = 512;

std::string escaped(std::string_view name)
{
    std::string text;
    for (const char c : name)
        text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return text;
}

std::string shortened(std::string_view name)
{
    if (name.size() <= longest_name)
        return escaped(name);
    auto begin = name.substr(0, longest_name);
    begin.remove_suffix(incomplete_utf8_tail(begin));
    return escaped(begin) + "…";
}

}    // namespace

std::string pointer_to(const json_place& place)
{
    std::string text;
    for (const auto* at = &place; at->above != nullptr; at = at->above) {
        if (text.size() > longest_pointer)
            return "…" + text;
        text.insert(0, "/" + (at->item == json_place::no_item ? shortened(at->name) : std::to_string(at->item)));
    }
    return text;
}

}    // namespace caisson
