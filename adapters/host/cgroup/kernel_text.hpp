#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// Takes the first line off the front of `text`, without its newline.
std::string_view take_line(std::string_view& text);

/// The number after `key` in lines of "key number", as in cpu.stat; without a key the number that begins a line.
std::optional<std::int64_t> number_of(std::string_view text, std::string_view key = {});

/// The value of a line "Name:\tvalue" of /proc/PID/status; empty if there is none.
std::string status_value(std::string_view status, std::string_view name);

}    // namespace caisson
