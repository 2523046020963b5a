#include "core/images/name_rules.hpp"

#include <algorithm>
#include <optional>

namespace caisson {

namespace {

constexpr std::string_view standard_registry = "docker.io";
constexpr std::size_t longest_tag = 128;
constexpr std::size_t digest_digits = 64;
constexpr auto no_name = "must be the name of an image, such as python:3.12-slim";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return (c >= 'a' && c <= 'z') || is_digit(c); }
bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }

/// Lower-case words with one of . _ __ or any number of - between them.
bool is_component(std::string_view text)
{
    if (text.empty() || !is_lower(text.front()) || !is_lower(text.back()))
        return false;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find_first_not_of("._-", at), text.size());
        const auto between = text.substr(at, end - at);
        const bool dashes = between.find_first_not_of('-') == std::string_view::npos;
        if (!dashes && between != "." && between != "_" && between != "__")
            return false;
        at = end + 1;
        if (end < text.size() && !is_lower(text[end]))
            return false;
    }
    return true;
}

bool is_tag(std::string_view text)
{
    const auto plain = [](char c) { return is_letter(c) || c == '_' || c == '.' || c == '-'; };
    return !text.empty() && text.size() <= longest_tag && (is_letter(text.front()) || text.front() == '_') &&
           std::ranges::all_of(text, plain);
}

bool is_digest(std::string_view text)
{
    constexpr std::string_view kind = "sha256:";
    const auto hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); };
    return text.starts_with(kind) && text.size() == kind.size() + digest_digits && std::ranges::all_of(text.substr(kind.size()), hex);
}

bool is_host(std::string_view text)
{
    const auto colon = text.find(':');
    const auto name = text.substr(0, colon);
    const auto plain = [](char c) { return is_letter(c) || c == '.' || c == '-'; };
    const bool has_port =
        colon == std::string_view::npos || (colon + 1 < text.size() && std::ranges::all_of(text.substr(colon + 1), is_digit));
    return !name.empty() && is_letter(name.front()) && is_letter(name.back()) && std::ranges::all_of(name, plain) && has_port;
}

/// The part before the first slash, if it can only be a host; else empty.
std::string_view host_of(std::string_view name)
{
    const auto slash = name.find('/');
    const auto first = name.substr(0, slash);
    const bool is_host = first == "localhost" || first.find_first_of(".:") != std::string_view::npos;
    return slash != std::string_view::npos && is_host ? first : std::string_view();
}

/// Cuts `text` at the first `mark` and returns the part after it; nothing if there is no `mark`.
std::optional<std::string_view> cut(std::string_view& text, char mark)
{
    const auto at = text.find(mark);
    if (at == std::string_view::npos)
        return std::nullopt;
    const auto rest = text.substr(at + 1);
    text = text.substr(0, at);
    return rest;
}

bool is_name(std::string_view text)
{
    if (const auto digest = cut(text, '@'); digest && !is_digest(*digest))
        return false;
    if (const auto host = host_of(text); !host.empty()) {
        if (!is_host(host))
            return false;
        text.remove_prefix(host.size() + 1);
    }
    if (const auto tag = cut(text, ':'); tag && !is_tag(*tag))
        return false;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find('/', begin), text.size());
        if (!is_component(text.substr(begin, end - begin)))
            return false;
        begin = end + 1;
    }
    return true;
}

}    // namespace

std::string image_name_problem(std::string_view name)
{
    if (name.empty())
        return "must not be empty";
    if (name.size() > max_image_name_bytes)
        return "must have at most " + std::to_string(max_image_name_bytes) + " bytes";
    return is_name(name) ? std::string() : std::string(no_name);
}

std::string registry_of(std::string_view name)
{
    const auto host = host_of(name);
    return std::string(host.empty() || host == "index.docker.io" ? standard_registry : host);
}

}    // namespace caisson
