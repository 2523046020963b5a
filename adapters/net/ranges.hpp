#pragma once

#include "adapters/net/http_types.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace caisson::net {

/// The response to a request for stored bytes: the status and the byte range.
struct content_plan {
    int status = 200;            // 200: all; 206: a part; 304 and 416: nothing
    std::uint64_t offset = 0;    // of the first byte to send
    std::uint64_t length = 0;    // bytes to send
    /// ETag, Accept-Ranges, and Content-Range and Content-Length if the status needs them; for exchange::begin_stream().
    headers fields = {};
};

/// Applies RFC 9110 sections 13 and 14: If-None-Match (304), then Range with If-Range. Supports one byte range; ignores several
/// ranges, other units and malformed ones. For GET and HEAD; ranges for GET only. `etag` is a strong validator without its quotes,
/// such as a digest. The caller supplies the body of a 416.
content_plan plan_content(const request& asked, std::uint64_t size_bytes, std::string_view etag);

}    // namespace caisson::net
