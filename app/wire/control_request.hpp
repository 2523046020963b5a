#pragma once

#include "app/wire/request_reader.hpp"
#include "core/exec/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::wire {

inline constexpr std::size_t max_stdin_bytes = 64 << 20;

/// Input for a running program. With `offset`, bytes before the end of what was taken are a repeat and are dropped.
struct stdin_request {
    std::string data;
    std::optional<std::uint64_t> offset;
    bool eof = false;
};

enum class signal_scope { group, leader };

struct signal_request {
    int number = 15;
    signal_scope scope = signal_scope::group;
};

/// Bodies of POST …/stdin and …/signal, and of requests that need none: it is empty then, or an object without fields. Errors:
/// errc::bad_request, errc::too_large.
result<stdin_request> parse_stdin_request(std::string_view body);
result<signal_request> parse_signal_request(std::string_view body);
result<void> parse_no_fields(std::string_view body);

/// The same for parts of a larger object; mistakes go to the reader's problems.
stdin_request read_stdin(object_reader& reader);
signal_request read_signal(object_reader& reader);
/// {"cols": 1 to 1000, "rows": 1 to 1000}; what is absent keeps its default.
pty_size read_pty_size(object_reader& reader);

/// The number of "SIGTERM" or "TERM", in any case; nothing for names that are not known. Real-time signals have none.
std::optional<int> signal_number(std::string_view name);

}    // namespace caisson::wire
