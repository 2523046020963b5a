#include "core/threads/json_members.hpp"

#include "core/threads/json_string.hpp"

#include <algorithm>
#include <charconv>

namespace caisson {

std::optional<text_index::position> json_members::find(std::string_view name) const
{
    if (!is_object() || index_.size(0) == 0)
        return std::nullopt;
    const auto quoted = quoted_json(name);
    auto at = index_.first(0);
    for (std::size_t left = index_.size(0);;) {
        if (index_.name(at) == quoted)
            return at;
        if (--left == 0)
            return std::nullopt;
        at = index_.next(at);
    }
}

std::optional<std::string_view> json_members::raw(std::string_view name) const
{
    const auto at = find(name);
    return at ? std::optional(index_.text(*at)) : std::nullopt;
}

std::optional<std::string> json_members::text(std::string_view name) const
{
    const auto at = find(name);
    if (!at || index_.kind(*at) != json_kind::string)
        return std::nullopt;
    return unquoted_json(index_.text(*at));
}

std::optional<std::int64_t> json_members::integer(std::string_view name) const
{
    const auto at = find(name);
    if (!at || index_.kind(*at) != json_kind::number)
        return std::nullopt;
    const auto text = index_.text(*at);
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<std::string> json_members::first_but(std::span<const std::string_view> names) const
{
    if (!is_object() || index_.size(0) == 0)
        return std::nullopt;
    auto at = index_.first(0);
    for (std::size_t left = index_.size(0);;) {
        auto name = unquoted_json(index_.name(at));
        if (std::ranges::find(names, name) == names.end())
            return name;
        if (--left == 0)
            return std::nullopt;
        at = index_.next(at);
    }
}

std::vector<std::string> json_members::texts(std::string_view name) const
{
    std::vector<std::string> found;
    const auto at = find(name);
    if (!at || index_.kind(*at) != json_kind::list || index_.size(*at) == 0)
        return found;
    auto each = index_.first(*at);
    for (std::size_t left = index_.size(*at);;) {
        found.push_back(index_.kind(each) == json_kind::string ? unquoted_json(index_.text(each)) : std::string());
        if (--left == 0)
            return found;
        each = index_.next(each);
    }
}

}    // namespace caisson
