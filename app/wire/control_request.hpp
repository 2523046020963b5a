#pragma once

#include "app/wire/request_reader.hpp"
#include "core/exec/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::wire {

inline constexpr std::size_t max_stdin_bytes = 64 << 20;

/// Input for a running program. With `offset`, bytes that the server has already accepted are treated as a repeat and dropped.
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

/// Parse the bodies of POST …/stdin and …/signal, and of requests without fields, whose body is empty or an object without fields.
/// Errors: errc::bad_request, errc::too_large.
result<stdin_request> parse_stdin_request(std::string_view body);
result<signal_request> parse_signal_request(std::string_view body);
result<void> parse_no_fields(std::string_view body);

/// Read the same fields from a larger object; mistakes go to the reader's problems.
stdin_request read_stdin(object_reader& reader);
signal_request read_signal(object_reader& reader);
/// Reads {"cols": 1 to 1000, "rows": 1 to 1000}; absent fields keep their default.
pty_size read_pty_size(object_reader& reader);

/// The number of a signal such as "SIGTERM" or "TERM", in any case; nullopt for unknown names and real-time signals.
std::optional<int> signal_number(std::string_view name);

}    // namespace caisson::wire
