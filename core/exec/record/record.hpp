#pragma once

#include "core/exec/ending.hpp"
#include "core/exec/types.hpp"

#include <span>
#include <string>
#include <string_view>

namespace caisson {

/// The bodies of control events, as JSON objects, and what an execution's end does to its record.

std::string state_body(const execution_row& row);
/// Between an attempt and the next: which one comes, after how long, and why.
std::string next_attempt_body(const execution_row& row);
/// What a state event says: an empty status if it cannot be read.
struct state_said {
    std::string status;
    int attempt = 1;
};
state_said read_state_body(std::string_view body) noexcept;
std::string usage_body(const execution_usage& usage);
/// With a skill's output of at most max_said_output_bytes as the text `output`, else `output_bytes`, and, if something was to be
/// collected, how that went and the first paths of `left`, in their order.
std::string exit_body(const execution_row& row, std::span<const artifact_row> left = {});
inline constexpr std::size_t max_said_output_bytes = 32 << 10;
inline constexpr std::size_t max_said_paths = 100;
inline constexpr std::size_t max_said_path_bytes = 8 << 10;    // of all that are said

/// Writes an end into the record.
void apply_ending(execution_row& row, const ending& end, std::int64_t now_ms);

/// Reads back what exit_body() wrote, for a record that a dying server did not finish. Throws std::exception on foreign text.
void apply_exit_body(execution_row& row, std::string_view body, std::int64_t at_ms);

}    // namespace caisson
