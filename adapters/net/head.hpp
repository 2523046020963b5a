#pragma once

#include "adapters/net/http_types.hpp"
#include "core/base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::net {

/// Why a message is refused, as a server's response. The connection ends after it.
struct refusal {
    int status = 400;
    errc code = errc::bad_request;
    std::string message;    // names the limit or the fault
};

struct head_limits {
    std::size_t line_bytes = 8 * 1024;       // without its CRLF
    std::size_t header_bytes = 32 * 1024;    // all fields with their CRLFs
    std::size_t header_count = 100;
};

/// Finds the end of a head that arrives in pieces. Refuses an oversized head before it is complete.
class head_scanner {
public:
    explicit head_scanner(head_limits limits) : limits_(limits) { }

    /// `buffered` is everything since the head's first byte; each call repeats the earlier bytes and appends new ones.
    /// Returns true once the head is complete.
    bool scan(std::string_view buffered);
    /// The head's length with its empty line. Valid once complete.
    std::size_t head_bytes() const { return at_; }
    const std::optional<refusal>& refused() const { return refused_; }

private:
    bool refuse(int status, std::string message);
    bool check_growth(std::size_t buffered);

    head_limits limits_;
    std::size_t at_ = 0;          // the start of the current line
    std::size_t looked_ = 0;      // no line end before this
    std::size_t line_end_ = 0;    // the end of the first line with its CRLF; 0 until found
    std::size_t fields_ = 0;
    std::optional<refusal> refused_;
};

/// How a message marks the end of its body.
enum class framing { none, length, chunked, until_close };

struct request_head {
    net::request request;    // without body, peer and request_id
    int minor_version = 1;
    framing body = framing::none;
    std::uint64_t content_length = 0;    // saturates at UINT64_MAX
    bool expects_continue = false;
    bool keep_alive = true;
};

struct response_head {
    net::response response;    // without body
    int minor_version = 1;
    framing body = framing::none;
    std::uint64_t content_length = 0;
    bool keep_alive = true;
};

/// Parses a whole head strictly by RFC 9112: refuses anything that two parsers could read differently.
std::optional<refusal> parse_request_head(std::string_view head, request_head& out);
/// `to_method` is the request's method: a response to HEAD has no body.
std::optional<refusal> parse_response_head(std::string_view head, std::string_view to_method, response_head& out);

/// True if no request can begin with this byte: the bytes are not HTTP (a TLS handshake, for example).
bool cannot_begin_request(char first);

/// Status line and fields without the final empty line, so that more can be appended (room for `extra_bytes` is reserved).
/// CR, LF and NUL in values become spaces. The version is HTTP/1.0 for `minor_version` 0, else HTTP/1.1.
std::string serialize_response_head(int status, int minor_version, const headers& fields, std::size_t extra_bytes = 0);
/// Request line, fields and the final empty line.
std::string serialize_request_head(std::string_view method, std::string_view target, const headers& fields);
void append_field(std::string& out, std::string_view name, std::string_view value);

}    // namespace caisson::net
