#pragma once

#include "core/base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::net {

struct multipart_limits {
    std::size_t max_parts = 64;
    std::size_t max_header_bytes = 8 * 1024;    // of one part: all lines with their CRLFs and the empty line
    std::size_t max_header_count = 16;          // of one part
};

/// The parsed header fields of a part.
struct part_head {
    std::string name;                        // the form field's name; UTF-8
    std::optional<std::string> file_name;    // as sent, UTF-8; may be a path or ".."
    std::string content_type;                // as sent; empty: absent
    bool operator==(const part_head&) const = default;
};

struct part_event {
    enum class kind { begin, data, end };
    kind what = kind::data;
    part_head head = {};           // for begin
    std::string_view data = {};    // for data: not empty; valid until the parser's next call
};

/// Parses a multipart/form-data body (RFC 7578) strictly, in pieces of any size. Buffers at most the head of one part. No I/O.
///   auto parser = multipart_parser::make(*request.fields.find("Content-Type"));
///   … for (auto& event : *parser->feed(piece.view())) … ; at the end: parser->finish()
class multipart_parser {
public:
    /// `content_type` is the request's field. Errors: errc::unsupported_media_type if it is not multipart/form-data, errc::bad_request
    /// if its boundary is missing or invalid.
    static result<multipart_parser> make(std::string_view content_type, multipart_limits limits = {});

    /// Returns the events that `bytes` complete. Errors: errc::bad_request with the fault, errc::too_large with the limit.
    /// Do not use the parser after an error.
    result<std::vector<part_event>> feed(std::string_view bytes);
    /// Call at the end of the body. Errors: errc::bad_request if the body is incomplete.
    result<void> finish() const;

private:
    enum class state { start, after_delimiter, closing, line_feed, head, data, epilogue };

    multipart_parser(std::string boundary, multipart_limits limits);
    result<std::size_t> step(std::string_view bytes, std::vector<part_event>& out);
    result<std::size_t> take_start(std::string_view bytes);
    result<void> take_line_end(char c);
    result<std::size_t> take_head(std::string_view bytes, std::vector<part_event>& out);
    result<void> begin_part(std::vector<part_event>& out);
    std::size_t take_data(std::string_view bytes, std::vector<part_event>& out);

    multipart_limits limits_;
    std::string delimiter_;    // CRLF, "--", the boundary
    state state_ = state::start;
    std::size_t matched_ = 0;    // bytes of the delimiter
    std::size_t parts_ = 0;
    std::string head_;
};

/// An errc::bad_request that says why the body is malformed.
error bad_multipart(std::string_view why);

/// Parses the head of one part: its lines with their CRLFs, and the empty line.
/// Errors: errc::bad_request; errc::too_large.
result<part_head> parse_part_head(std::string_view text, multipart_limits limits);

}    // namespace caisson::net
