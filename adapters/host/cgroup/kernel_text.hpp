#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// Removes the first line from `text` and returns it without its newline.
std::string_view take_line(std::string_view& text);

/// The number after `key` in lines of "key number", as in cpu.stat; without a key the first number at the start of a line.
std::optional<std::int64_t> number_of(std::string_view text, std::string_view key = {});

/// The value in a line "Name:\tvalue" of /proc/PID/status; empty if there is none.
std::string status_value(std::string_view status, std::string_view name);

}    // namespace caisson
