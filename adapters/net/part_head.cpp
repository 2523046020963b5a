#include "adapters/net/http_types.hpp"
#include "adapters/net/multipart.hpp"
#include "adapters/net/parameters.hpp"
#include "adapters/net/percent.hpp"
#include "core/base/utf8.hpp"

#include <algorithm>

namespace caisson::net {

namespace {

bool is_control_or_tab(char c) { return (c >= 0 && c < ' ') || c == 127; }
bool is_name_char(char c) { return c > ' ' && c < 127 && c != ':'; }

/// True if a name can be shown and stored: UTF-8 without control characters.
bool is_clean(std::string_view text) { return is_utf8(text) && std::ranges::none_of(text, is_control_or_tab); }

std::optional<header_field> field_of(std::string_view line)
{
    const auto colon = line.find(':');
    if (colon == 0 || colon == std::string_view::npos || !std::ranges::all_of(line.substr(0, colon), is_name_char))
        return std::nullopt;
    auto value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    value = value.substr(0, value.find_last_not_of(" \t") + 1);
    if (std::ranges::any_of(value, [](char c) { return is_control_or_tab(c) && c != '\t'; }))
        return std::nullopt;
    return header_field{std::string(line.substr(0, colon)), std::string(value)};
}

/// Parses the lines up to the empty one.
result<headers> fields_of(std::string_view text, const multipart_limits& limits)
{
    headers out;
    while (!text.starts_with("\r\n")) {
        const auto end = text.find("\r\n");
        if (end == std::string_view::npos)
            return bad_multipart("the header fields of a part do not end");
        auto field = field_of(text.substr(0, end));
        if (!field)
            return bad_multipart("a header field of a part is none");
        if (out.size() == limits.max_header_count)
            return error{errc::too_large, "a part has more than " + std::to_string(limits.max_header_count) + " header fields"};
        out.add(field->name, std::move(field->value));
        text.remove_prefix(end + 2);
    }
    return out;
}

/// Decodes the value of `filename*`: UTF-8'language'percent-encoded (RFC 8187).
std::optional<std::string> extended_value(std::string_view text)
{
    const auto first = text.find('\'');
    const auto second = first == std::string_view::npos ? first : text.find('\'', first + 1);
    if (second == std::string_view::npos || !equal_no_case(text.substr(0, first), "UTF-8"))
        return std::nullopt;
    return percent_decode(text.substr(second + 1));
}

result<void> take_disposition(const parameters& from, part_head& out)
{
    const auto* const name = from.find("name");
    if (from.value != "form-data" || !name)
        return bad_multipart("a part's Content-Disposition is not form-data with a name");
    out.name = *name;
    if (const auto* const file = from.find("filename"))
        out.file_name = *file;
    if (const auto* const extended = from.find("filename*")) {
        out.file_name = extended_value(*extended);
        if (!out.file_name)
            return bad_multipart("a part's filename* is not UTF-8 with percent-encoding");
    }
    if (!is_clean(out.name) || (out.file_name && !is_clean(*out.file_name)))
        return bad_multipart("a part's name or file name is not UTF-8 or holds a control character");
    return {};
}

bool is_identity(std::string_view coding)
{
    return equal_no_case(coding, "binary") || equal_no_case(coding, "8bit") || equal_no_case(coding, "7bit");
}

}    // namespace

result<part_head> parse_part_head(std::string_view text, multipart_limits limits)
{
    auto fields = fields_of(text, limits);
    if (fields.has_error())
        return fields.error();
    if (fields->count("Content-Disposition") != 1 || fields->count("Content-Type") > 1)
        return bad_multipart("a part needs one Content-Disposition and at most one Content-Type");
    if (const auto coding = fields->find("Content-Transfer-Encoding"); coding && !is_identity(*coding))
        return bad_multipart("a part has a Content-Transfer-Encoding; send its bytes as they are");
    const auto parsed = parse_parameters(*fields->find("Content-Disposition"));
    if (!parsed)
        return bad_multipart("a part's Content-Disposition cannot be read");
    part_head out;
    auto taken = take_disposition(*parsed, out);
    if (taken.has_error())
        return taken.error();
    out.content_type = fields->find("Content-Type").value_or("");
    return out;
}

}    // namespace caisson::net
