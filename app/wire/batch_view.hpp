#pragma once

#include "core/base/error.hpp"

#include <string>
#include <string_view>

namespace caisson::wire {

// The answer to a batch is written piece by piece: the begin, items with commas between, the end.
inline constexpr std::string_view batch_begin = R"({"results":[)";
inline constexpr std::string_view batch_end = "]}";

/// {"index":…,"execution":…}; `execution` is JSON.
std::string batch_execution_json(std::size_t index, std::string_view execution);

/// {"index":…,"error":{"error","message","details"}}: one that was not accepted.
std::string batch_error_json(std::size_t index, const error& what);

}    // namespace caisson::wire
