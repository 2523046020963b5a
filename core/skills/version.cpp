#include "core/skills/version.hpp"

#include "core/skills/digits.hpp"

#include <algorithm>
#include <charconv>

namespace caisson {

namespace {

constexpr std::size_t max_version_bytes = 64;
constexpr std::size_t max_digits = 18;

bool has_only_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }
bool is_pre_release_char(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.'; }

/// Removes and returns the text before `end`, or all if there is none. Also removes `end`.
std::string_view take_until(std::string_view& text, char end)
{
    const auto at = text.find(end);
    const auto part = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return part;
}

std::optional<std::int64_t> part_number(std::string_view text)
{
    std::int64_t value = 0;
    if (!has_only_digits(text) || text.size() > max_digits)
        return std::nullopt;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::string_view without_leading_zeros(std::string_view digits)
{
    const auto first = digits.find_first_not_of('0');
    return first == std::string_view::npos ? digits.substr(digits.size() - 1) : digits.substr(first);
}

std::strong_ordering compare_digits(std::string_view left, std::string_view right)
{
    left = without_leading_zeros(left);
    right = without_leading_zeros(right);
    return left.size() != right.size() ? left.size() <=> right.size() : left <=> right;
}

std::strong_ordering compare_identifiers(std::string_view left, std::string_view right)
{
    const bool number = has_only_digits(left);
    if (number != has_only_digits(right))
        return number ? std::strong_ordering::less : std::strong_ordering::greater;
    return number ? compare_digits(left, right) : left <=> right;
}

std::strong_ordering compare_pre_releases(std::string_view left, std::string_view right)
{
    if (left.empty() || right.empty())    // a release is above its pre-releases
        return right.size() <=> left.size();
    while (!left.empty() && !right.empty())
        if (const auto order = compare_identifiers(take_until(left, '.'), take_until(right, '.')); order != 0)
            return order;
    return left.size() <=> right.size();
}

}    // namespace

std::optional<skill_version> parse_version(std::string_view text)
{
    if (text.size() > max_version_bytes)
        return std::nullopt;
    const auto hyphen = text.find('-');
    auto core = text.substr(0, hyphen);
    const bool two_dots = std::ranges::count(core, '.') == 2;
    const auto major = part_number(take_until(core, '.'));
    const auto minor = part_number(take_until(core, '.'));
    const auto patch = part_number(core);
    if (!two_dots || !major || !minor || !patch)
        return std::nullopt;
    skill_version version{*major, *minor, *patch, {}};
    if (hyphen != std::string_view::npos) {
        version.pre_release = text.substr(hyphen + 1);
        if (version.pre_release.empty() || !std::ranges::all_of(version.pre_release, is_pre_release_char))
            return std::nullopt;
    }
    return version;
}

std::strong_ordering operator<=>(const skill_version& left, const skill_version& right)
{
    if (const auto order = left.major <=> right.major; order != 0)
        return order;
    if (const auto order = left.minor <=> right.minor; order != 0)
        return order;
    if (const auto order = left.patch <=> right.patch; order != 0)
        return order;
    return compare_pre_releases(left.pre_release, right.pre_release);
}

bool operator==(const skill_version& left, const skill_version& right) { return (left <=> right) == 0; }

std::optional<std::size_t> latest_of(std::span<const std::string> versions)
{
    std::optional<std::size_t> found;
    std::optional<skill_version> highest;
    for (std::size_t i = 0; i < versions.size(); ++i) {
        auto each = parse_version(versions[i]);
        if (!each)
            continue;
        const bool release = each->pre_release.empty();
        const bool above = !highest || (release != highest->pre_release.empty() ? release : *each > *highest);
        if (above) {
            found = i;
            highest = std::move(each);
        }
    }
    return found;
}

}    // namespace caisson
