#pragma once

#include "app/wire/request_reader.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace caisson::wire {

struct file_content {
    std::string bytes;
    std::uint32_t mode = 0644;    // permission bits
};

/// Reads a file of a request: a string, {"text"} or {"base64"}; the objects may have "mode", three or four octal digits up to 0777.
/// Mistakes are added under `field` or below it.
std::optional<file_content> read_file_content(
    const boost::json::value& value, const std::string& field, std::size_t max_bytes, problem_list& problems);

}    // namespace caisson::wire
