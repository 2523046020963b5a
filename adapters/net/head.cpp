#include "adapters/net/head.hpp"

#include "adapters/net/percent.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace caisson::net {

namespace {

constexpr auto token_chars = [] {
    std::array<bool, 256> out{};
    for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        out[static_cast<unsigned char>(c)] = true;
    return out;
}();

bool is_token(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) { return token_chars[static_cast<unsigned char>(c)]; });
}

bool is_value_char(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= ' ' && byte != 127);
}

/// At most 64 bytes of `text` in quotes for a message; unprintable bytes become '?'.
std::string shown(std::string_view text)
{
    std::string out(text.substr(0, 64));
    std::ranges::replace_if(out, [](char c) { return c < ' ' || c > '~'; }, '?');
    return "'" + out + "'";
}

refusal bad(std::string message) { return refusal{400, errc::bad_request, std::move(message)}; }

/// Cuts the first line off `rest` and returns it without its CRLF, which the scanner has verified.
std::string_view cut_line(std::string_view& rest)
{
    const auto end = rest.find('\n');
    const auto line = rest.substr(0, end == std::string_view::npos ? end : end - 1);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return line;
}

/// Most messages have fewer fields.
constexpr std::size_t usual_fields = 8;

std::optional<refusal> parse_fields(std::string_view rest, headers& out)
{
    out.reserve(usual_fields);
    for (auto line = cut_line(rest); !line.empty(); line = cut_line(rest)) {
        if (line.front() == ' ' || line.front() == '\t')
            return bad("a header field is folded over two lines, which is obsolete: send it on one line");
        const auto colon = line.find(':');
        if (colon == std::string_view::npos)
            return bad("the header line " + shown(line) + " has no colon");
        const auto name = line.substr(0, colon);
        if (!is_token(name))
            return bad("the header name " + shown(name) + " holds a character that is not allowed there");
        const auto value = trimmed(line.substr(colon + 1));
        if (!std::ranges::all_of(value, is_value_char))
            return bad("the value of the header " + shown(name) + " holds a control character");
        out.add(name, std::string(value));
    }
    return std::nullopt;
}

/// "HTTP/1.0" or "HTTP/1.1".
std::optional<refusal> parse_version(std::string_view text, int& minor)
{
    const bool shaped = text.size() == 8 && text.starts_with("HTTP/") && text[5] >= '0' && text[5] <= '9' && text[6] == '.' &&
                        text[7] >= '0' && text[7] <= '9';
    if (!shaped)
        return bad("the first line does not hold an HTTP version");
    if (text[5] != '1')
        return refusal{505, errc::bad_request, "only HTTP/1.1 and HTTP/1.0 are spoken here, not " + shown(text)};
    minor = text[7] == '0' ? 0 : 1;
    return std::nullopt;
}

std::optional<refusal> parse_content_length(const headers& fields, std::uint64_t& out)
{
    const auto text = fields.find("Content-Length").value_or("");
    if (fields.count("Content-Length") > 1)
        return bad("Content-Length is there more than once");
    if (text.empty() || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }))
        return bad("Content-Length is " + shown(text) + ", which is not a number");
    if (std::from_chars(text.data(), text.data() + text.size(), out).ec != std::errc())
        out = UINT64_MAX;
    return std::nullopt;
}

std::optional<refusal> parse_framing(const headers& fields, int minor_version, framing& body, std::uint64_t& length)
{
    const auto coding = fields.find("Transfer-Encoding");
    const bool has_length = fields.contains("Content-Length");
    if (coding) {
        if (has_length)
            return bad("Content-Length and Transfer-Encoding are both there: send one");
        if (minor_version == 0)
            return bad("Transfer-Encoding is not part of HTTP/1.0");
        if (fields.count("Transfer-Encoding") > 1)
            return bad("Transfer-Encoding is there more than once");
        if (!equal_no_case(*coding, "chunked"))
            return refusal{501, errc::not_implemented, "Transfer-Encoding " + shown(*coding) + " is not understood, only 'chunked'"};
        body = framing::chunked;
    } else if (has_length) {
        if (auto refused = parse_content_length(fields, length))
            return refused;
        body = framing::length;
    }
    return std::nullopt;
}

bool keeps_alive(const headers& fields, int minor_version)
{
    if (fields.has_token("Connection", "close"))
        return false;
    return minor_version >= 1 || fields.has_token("Connection", "keep-alive");
}

bool is_host(std::string_view text) { return text.find_first_of(" \t/?#@,\\") == std::string_view::npos; }

/// Converts "http://host/path" to "/path" with that Host (RFC 9112 section 3.2.2).
std::optional<refusal> to_origin_form(request& out)
{
    const auto scheme_end = out.target.find("://");
    const auto scheme = std::string_view(out.target).substr(0, scheme_end);
    if (scheme_end == std::string::npos || !(equal_no_case(scheme, "http") || equal_no_case(scheme, "https")))
        return bad("the target " + shown(out.target) + " does not begin with '/'");
    const auto path = out.target.find_first_of("/?", scheme_end + 3);
    const auto authority = out.target.substr(scheme_end + 3, path == std::string::npos ? path : path - scheme_end - 3);
    if (authority.empty() || !is_host(authority))
        return bad("the target " + shown(out.target) + " names no host, or a user besides it");
    out.fields.set("Host", authority);
    out.target.erase(0, path == std::string::npos ? out.target.size() : path);
    if (!out.target.starts_with('/'))
        out.target.insert(0, "/");
    return std::nullopt;
}

std::optional<refusal> parse_query(std::string_view text, request& out)
{
    while (!text.empty()) {
        const auto end = text.find('&');
        const auto pair = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (pair.empty())
            continue;
        const auto equals = pair.find('=');
        auto name = percent_decode(pair.substr(0, equals), plus_sign::space);
        auto value = percent_decode(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), plus_sign::space);
        if (!name || !value)
            return bad("the query holds a '%' that is not followed by two hex digits");
        out.query.emplace_back(std::move(*name), std::move(*value));
    }
    return std::nullopt;
}

std::optional<refusal> parse_target(request& out)
{
    if (!std::ranges::all_of(out.target, [](char c) { return c > ' ' && c <= '~' && c != '#'; }))
        return bad("the target holds a character that must be percent-encoded");
    if (out.target == "*" && out.method == "OPTIONS") {
        out.path = "*";
        return std::nullopt;
    }
    if (!out.target.starts_with('/')) {
        if (auto refused = to_origin_form(out))
            return refused;
    }
    const auto question = out.target.find('?');
    out.path = out.target.substr(0, question);
    return question == std::string::npos ? std::nullopt : parse_query(std::string_view(out.target).substr(question + 1), out);
}

std::optional<refusal> parse_request_line(std::string_view line, request_head& out)
{
    const auto first = line.find(' ');
    const auto last = line.rfind(' ');
    if (first == std::string_view::npos || first == last || line.find(' ', first + 1) != last)
        return bad("the request line " + shown(line) + " is not a method, a target and a version with single spaces");
    if (!is_token(line.substr(0, first)) || first > 32)
        return bad("the method " + shown(line.substr(0, first)) + " is not one");
    out.request.method = line.substr(0, first);
    out.request.target = line.substr(first + 1, last - first - 1);
    return parse_version(line.substr(last + 1), out.minor_version);
}

std::optional<refusal> check_host(const request_head& head)
{
    const auto count = head.request.fields.count("Host");
    if (count > 1)
        return bad("Host is there more than once");
    if (count == 0 && head.minor_version >= 1)
        return bad("HTTP/1.1 needs a Host header");
    const auto host = head.request.fields.find("Host").value_or("");
    if (!is_host(host))
        return bad("Host is " + shown(host) + ", which is not a host");
    return std::nullopt;
}

std::optional<refusal> parse_expectation(request_head& head)
{
    const auto expected = head.request.fields.find("Expect");
    if (!expected || head.minor_version == 0)
        return std::nullopt;
    if (!equal_no_case(*expected, "100-continue"))
        return refusal{417, errc::bad_request, "the expectation " + shown(*expected) + " is not understood, only 100-continue"};
    head.expects_continue = head.body != framing::none;
    return std::nullopt;
}

std::optional<refusal> parse_status_line(std::string_view line, response_head& out)
{
    if (line.size() < 12 || line[8] != ' ' || (line.size() > 12 && line[12] != ' '))
        return bad("the status line is malformed");
    const auto digits = line.substr(9, 3);
    if (!std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }) || digits[0] == '0')
        return bad("the status line is malformed");
    if (!std::ranges::all_of(line.substr(12), is_value_char))
        return bad("the status line holds a control character");
    std::from_chars(digits.data(), digits.data() + 3, out.response.status);
    return parse_version(line.substr(0, 8), out.minor_version);
}

}    // namespace

bool cannot_begin_request(char first) { return !token_chars[static_cast<unsigned char>(first)]; }

std::optional<refusal> parse_request_head(std::string_view head, request_head& out)
{
    auto refused = parse_request_line(cut_line(head), out);
    if (!refused)
        refused = parse_fields(head, out.request.fields);
    if (!refused)
        refused = check_host(out);
    if (!refused)
        refused = parse_target(out.request);
    if (!refused)
        refused = parse_framing(out.request.fields, out.minor_version, out.body, out.content_length);
    if (!refused)
        refused = parse_expectation(out);
    out.keep_alive = !refused && keeps_alive(out.request.fields, out.minor_version);
    return refused;
}

std::optional<refusal> parse_response_head(std::string_view head, std::string_view to_method, response_head& out)
{
    auto refused = parse_status_line(cut_line(head), out);
    if (!refused)
        refused = parse_fields(head, out.response.fields);
    if (refused)
        return refused;
    out.body = framing::until_close;
    refused = parse_framing(out.response.fields, out.minor_version, out.body, out.content_length);
    const int status = out.response.status;
    if (to_method == "HEAD" || status / 100 == 1 || status == 204 || status == 304)
        out.body = framing::none;
    out.keep_alive = out.body != framing::until_close && keeps_alive(out.response.fields, out.minor_version);
    return refused;
}

}    // namespace caisson::net
