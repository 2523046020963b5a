#include "adapters/net/ranges.hpp"

#include <algorithm>
#include <optional>

namespace caisson::net {

namespace {

/// Saturates at UINT64_MAX. Nothing if `digits` is empty or has other characters.
std::optional<std::uint64_t> number(std::string_view digits)
{
    std::uint64_t out = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9')
            return std::nullopt;
        const auto value = static_cast<std::uint64_t>(c - '0');
        out = out > (UINT64_MAX - value) / 10 ? UINT64_MAX : out * 10 + value;
    }
    return digits.empty() ? std::nullopt : std::optional(out);
}

/// True if the list of entity tags has `quoted`; weak comparison. A tag may contain commas.
bool lists_tag(std::string_view list, std::string_view quoted)
{
    while (true) {
        const auto start = list.find_first_not_of(" \t,");
        if (start == std::string_view::npos)
            return false;
        list.remove_prefix(start);
        if (list.starts_with("W/"))
            list.remove_prefix(2);
        const auto end = list.starts_with('"') ? list.find('"', 1) : std::string_view::npos;
        if (end == std::string_view::npos)
            return false;
        if (list.substr(0, end + 1) == quoted)
            return true;
        list.remove_prefix(end + 1);
    }
}

bool is_known(const request& asked, std::string_view quoted)
{
    for (const auto& field : asked.fields) {
        if (equal_no_case(field.name, "If-None-Match") && (trimmed(field.value) == "*" || lists_tag(field.value, quoted)))
            return true;
    }
    return false;
}

/// The byte-range-spec of a single-range request that is to be honored.
std::optional<std::string_view> single_range(const request& asked, std::string_view quoted)
{
    const auto field = asked.fields.find("Range");
    if (!field || asked.method != "GET" || asked.fields.count("Range") != 1)
        return std::nullopt;
    // A date never matches, since the content has no Last-Modified. Neither does a weak tag.
    if (const auto condition = asked.fields.find("If-Range"); condition && trimmed(*condition) != quoted)
        return std::nullopt;
    constexpr std::string_view unit = "bytes=";
    const auto text = trimmed(*field);
    if (!equal_no_case(text.substr(0, unit.size()), unit))
        return std::nullopt;
    const auto spec = trimmed(text.substr(unit.size()));
    return spec.find(',') == std::string_view::npos ? std::optional(spec) : std::nullopt;
}

enum class range_kind { ignored, part, unsatisfiable };

range_kind plan_suffix(std::uint64_t wanted, std::uint64_t size, content_plan& out)
{
    if (wanted == 0)
        return range_kind::unsatisfiable;
    if (size == 0)
        return range_kind::ignored;    // Content-Range cannot express an empty part
    out.length = std::min(wanted, size);
    out.offset = size - out.length;
    return range_kind::part;
}

range_kind plan_range(std::string_view spec, std::uint64_t size, content_plan& out)
{
    const auto dash = spec.find('-');
    if (dash == std::string_view::npos)
        return range_kind::ignored;
    const auto last = number(spec.substr(dash + 1));
    if (dash == 0)
        return last ? plan_suffix(*last, size, out) : range_kind::ignored;
    const auto first = number(spec.substr(0, dash));
    const bool open = dash + 1 == spec.size();
    if (!first || (!last && !open) || (last && *last < *first))
        return range_kind::ignored;
    if (*first >= size)
        return range_kind::unsatisfiable;
    out.offset = *first;
    out.length = (last ? std::min(*last, size - 1) : size - 1) - *first + 1;
    return range_kind::part;
}

}    // namespace

content_plan plan_content(const request& asked, std::uint64_t size_bytes, std::string_view etag)
{
    const auto quoted = "\"" + std::string(etag) + "\"";
    content_plan out{200, 0, size_bytes, {{"ETag", quoted}, {"Accept-Ranges", "bytes"}}};
    if (is_known(asked, quoted)) {
        out.status = 304;
        out.length = 0;
        return out;
    }
    const auto spec = single_range(asked, quoted);
    const auto kind = spec ? plan_range(*spec, size_bytes, out) : range_kind::ignored;
    const auto size = std::to_string(size_bytes);
    if (kind == range_kind::unsatisfiable) {
        out.status = 416;
        out.length = 0;
        out.fields.add("Content-Range", "bytes */" + size);
        return out;
    }
    if (kind == range_kind::part) {
        out.status = 206;
        out.fields.add(
            "Content-Range", "bytes " + std::to_string(out.offset) + "-" + std::to_string(out.offset + out.length - 1) + "/" + size);
    }
    out.fields.add("Content-Length", std::to_string(out.length));
    return out;
}

}    // namespace caisson::net
