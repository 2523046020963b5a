#include "core/files/patterns.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::string_view any_depth = "**";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Calls `each` with the names between slashes until it gives false.
template <class Each>
bool for_each_name(std::string_view path, Each each)
{
    for (;;) {
        const auto slash = path.find('/');
        if (!each(path.substr(0, slash)))
            return false;
        if (slash == std::string_view::npos)
            return true;
        path.remove_prefix(slash + 1);
    }
}

std::vector<std::string> segments_of(std::string_view pattern)
{
    std::vector<std::string> out;
    for_each_name(pattern, [&out](std::string_view name) {
        const bool repeats = name == any_depth && !out.empty() && out.back() == any_depth;
        if (!name.empty() && name != "." && !repeats)
            out.emplace_back(name);
        return true;
    });
    if (pattern.ends_with('/') && !out.empty() && out.back() != any_depth)
        out.emplace_back(any_depth);
    return out;
}

std::size_t character_at(std::string_view text, std::size_t at)
{
    auto end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        ++end;
    return end - at;
}

void add(path_patterns::position& to, std::uint16_t pattern, std::size_t segment)
{
    const path_patterns::place where{pattern, static_cast<std::uint16_t>(segment)};
    if (std::find(to.begin(), to.end(), where) == to.end())
        to.push_back(where);
}

}    // namespace

std::string pattern_problem(std::string_view pattern)
{
    if (pattern.empty() || pattern.size() > max_pattern_bytes)
        return "must be 1 to " + std::to_string(max_pattern_bytes) + " bytes long";
    if (pattern.front() == '/')
        return "must be relative to the working directory";
    if (std::any_of(pattern.begin(), pattern.end(), is_control))
        return "must not hold control characters";
    if (!for_each_name(pattern, [](std::string_view name) { return name != ".."; }))
        return "must not hold \"..\"";
    if (segments_of(pattern).empty())
        return "must name files, for example \"out/**\"";
    return {};
}

/// A star that was passed is tried again with one character more; only the last one has to be.
bool name_matches(std::string_view pattern, std::string_view name)
{
    std::size_t p = 0;
    std::size_t n = 0;
    std::size_t star = std::string_view::npos;
    std::size_t from = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            from = n;
        } else if (p < pattern.size() && pattern[p] == '?') {
            ++p;
            n += character_at(name, n);
        } else if (p < pattern.size() && pattern[p] == name[n]) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++from;
        } else {
            return false;
        }
    }
    return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

path_patterns::path_patterns(std::span<const std::string> patterns)
{
    for (const auto& each : patterns)
        patterns_.push_back(segments_of(each));
}

path_patterns::position path_patterns::start() const
{
    position at;
    for (std::size_t i = 0; i < patterns_.size(); ++i)
        if (!patterns_[i].empty())
            add(at, static_cast<std::uint16_t>(i), 0);
    return at;
}

path_patterns::position path_patterns::enter(const position& at, std::string_view name) const
{
    position below;
    for (auto where : at) {
        if (text(where) == any_depth) {
            add(below, where.pattern, where.segment);
            if (is_last(where))
                continue;
            ++where.segment;    // over no directory at all
        }
        if (!is_last(where) && name_matches(text(where), name))
            add(below, where.pattern, where.segment + 1U);
    }
    return below;
}

bool path_patterns::takes(const position& at, std::string_view name) const
{
    return std::any_of(at.begin(), at.end(), [&](place where) {
        const bool deep = text(where) == any_depth;
        if (deep && is_last(where))
            return true;
        where.segment = static_cast<std::uint16_t>(where.segment + (deep ? 1 : 0));
        return is_last(where) && name_matches(text(where), name);
    });
}

bool path_patterns::expects(const position& at, std::string_view name) const
{
    return std::any_of(at.begin(), at.end(), [&](const place& where) { return text(where) == name; });
}

bool path_patterns::takes(std::string_view path) const
{
    auto at = start();
    for (auto slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
        at = enter(at, path.substr(0, slash));
        path.remove_prefix(slash + 1);
    }
    return takes(at, path);
}

}    // namespace caisson
