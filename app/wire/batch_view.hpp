#pragma once

#include "core/base/error.hpp"

#include <string>
#include <string_view>

namespace caisson::wire {

// The response to a batch is streamed: batch_begin, items separated by commas, batch_end.
inline constexpr std::string_view batch_begin = R"({"results":[)";
inline constexpr std::string_view batch_end = "]}";

/// {"index":…,"execution":…}; `execution` is JSON.
std::string batch_execution_json(std::size_t index, std::string_view execution);

/// {"index":…,"error":{"error","message","details"}}, for an execution that was not accepted.
std::string batch_error_json(std::size_t index, const error& what);

}    // namespace caisson::wire
