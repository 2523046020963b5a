#include "app/config/settings.hpp"

#include <algorithm>
#include <charconv>

namespace caisson {

namespace {

std::optional<std::int64_t> parse_integer(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::vector<std::string> split_at_commas(std::string_view text)
{
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        auto part = text.substr(0, comma);
        while (part.starts_with(' '))
            part.remove_prefix(1);
        while (part.ends_with(' '))
            part.remove_suffix(1);
        parts.emplace_back(part);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return parts;
}

bool is_host(std::string_view text)
{
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':' || c == '%';
    };
    return !text.empty() && text.size() <= 255 && std::ranges::all_of(text, allowed);
}

}    // namespace

std::string environment_name(std::string_view key)
{
    std::string name = "CAISSON_";
    for (const char c : key)
        name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return name;
}

std::string_view name_of(setting_kind kind)
{
    switch (kind) {
    case setting_kind::text: return "a string";
    case setting_kind::integer: return "an integer";
    case setting_kind::boolean: return "true or false";
    case setting_kind::text_list: return "a list of strings";
    }
    return "a value";
}

std::optional<setting_value> parse_setting(setting_kind kind, std::string_view text)
{
    switch (kind) {
    case setting_kind::text: return setting_value(std::string(text));
    case setting_kind::text_list: return setting_value(split_at_commas(text));
    case setting_kind::integer:
        if (const auto number = parse_integer(text))
            return setting_value(*number);
        return std::nullopt;
    case setting_kind::boolean:
        if (text == "true" || text == "false")
            return setting_value(text == "true");
        return std::nullopt;
    }
    return std::nullopt;
}

std::optional<host_and_port> parse_host_and_port(std::string_view text)
{
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos)
        return std::nullopt;
    auto host = text.substr(0, colon);
    const auto port = parse_integer(text.substr(colon + 1));
    if (!port || *port < 0 || *port > 65'535)
        return std::nullopt;
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    if (bracketed)
        host = host.substr(1, host.size() - 2);
    if (!is_host(host) || bracketed != (host.find(':') != std::string_view::npos))
        return std::nullopt;
    return host_and_port{std::string(host), static_cast<std::uint16_t>(*port)};
}

bool is_module_name(std::string_view name)
{
    constexpr std::string_view first = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    constexpr std::string_view digits = "0123456789";
    const auto is_part = [&](std::string_view part) {
        return !part.empty() && digits.find(part.front()) == std::string_view::npos && std::ranges::all_of(part, [&](char c) {
            return first.find(c) != std::string_view::npos || digits.find(c) != std::string_view::npos;
        });
    };
    for (;;) {
        const auto dot = name.find('.');
        if (!is_part(name.substr(0, dot)))
            return false;
        if (dot == std::string_view::npos)
            return true;
        name.remove_prefix(dot + 1);
    }
}

}    // namespace caisson
