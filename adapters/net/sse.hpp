#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace caisson::net {

/// The Content-Type of an event stream.
inline constexpr std::string_view sse_content_type = "text/event-stream";

/// One server-sent event. `data` is split at its line ends (CRLF, CR, LF) into as many `data:` lines. `id` and `event` are
/// left out when empty; line ends and NULs in them are dropped.
std::string sse_event(std::string_view id, std::string_view data, std::string_view event = {});

/// A comment, which clients ignore: a heartbeat that finds dead connections.
std::string sse_comment(std::string_view text);

/// How long a browser waits before it connects again.
std::string sse_retry(std::chrono::milliseconds wait);

}    // namespace caisson::net
