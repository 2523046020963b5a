#pragma once

#include "adapters/net/http_types.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace caisson::net {

/// What a request for stored bytes is answered with: which status, and which of them.
struct content_plan {
    int status = 200;            // 200: all; 206: a part; 304 and 416: nothing
    std::uint64_t offset = 0;    // of the first byte to send
    std::uint64_t length = 0;    // bytes to send
    /// ETag, Accept-Ranges, and as the status needs them Content-Range and Content-Length; for exchange::begin_stream.
    headers fields = {};
};

/// Decides by RFC 9110 sections 13 and 14: If-None-Match (304), then Range (one range; several, another unit and what is malformed are
/// ignored) under If-Range. GET and HEAD; ranges for GET only. `etag` is what it holds without quotes, such as a digest: a strong
/// validator. A 416 is the caller's to give a body.
content_plan plan_content(const request& asked, std::uint64_t size_bytes, std::string_view etag);

}    // namespace caisson::net
