#include "adapters/net/http_types.hpp"

#include <algorithm>

namespace caisson::net {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool list_holds(std::string_view list, std::string_view token)
{
    while (true) {
        const auto comma = list.find(',');
        if (equal_no_case(trimmed(list.substr(0, comma)), token))
            return true;
        if (comma == std::string_view::npos)
            return false;
        list.remove_prefix(comma + 1);
    }
}

}    // namespace

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool equal_no_case(std::string_view a, std::string_view b)
{
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::string_view> headers::find(std::string_view name) const
{
    for (const auto& field : fields_) {
        if (equal_no_case(field.name, name))
            return field.value;
    }
    return std::nullopt;
}

std::size_t headers::count(std::string_view name) const
{
    return static_cast<std::size_t>(std::ranges::count_if(fields_, [&](const auto& field) { return equal_no_case(field.name, name); }));
}

bool headers::has_token(std::string_view name, std::string_view token) const
{
    return std::ranges::any_of(
        fields_, [&](const auto& field) { return equal_no_case(field.name, name) && list_holds(field.value, token); });
}

void headers::set(std::string_view name, std::string value)
{
    erase(name);
    add(name, std::move(value));
}

void headers::erase(std::string_view name)
{
    std::erase_if(fields_, [&](const auto& field) { return equal_no_case(field.name, name); });
}

std::optional<std::string_view> request::query_value(std::string_view name) const
{
    for (const auto& [key, value] : query) {
        if (key == name)
            return value;
    }
    return std::nullopt;
}

std::string_view reason_phrase(int status)
{
    switch (status) {
    case 100: return "Continue";
    case 101: return "Switching Protocols";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 207: return "Multi-Status";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 426: return "Upgrade Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Unknown";
    }
}

}    // namespace caisson::net
