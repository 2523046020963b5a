#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace caisson::net {

/// The Content-Type of an event stream.
inline constexpr std::string_view sse_content_type = "text/event-stream";

/// One server-sent event. Each line of `data` (ended by CRLF, CR or LF) becomes a `data:` line. Empty `id` and `event` are
/// omitted; line ends and NULs in them are dropped.
std::string sse_event(std::string_view id, std::string_view data, std::string_view event = {});

/// A comment, which clients ignore: a heartbeat to detect dead connections.
std::string sse_comment(std::string_view text);

/// Sets a browser's delay before it reconnects.
std::string sse_retry(std::chrono::milliseconds wait);

}    // namespace caisson::net
