#pragma once

#include "adapters/archive/package_file.hpp"

namespace caisson {

/// The location of a zip's central directory, from its end record.
struct zip_end {
    std::int64_t entries = 0;
    std::int64_t directory_offset = 0;
    std::int64_t directory_bytes = 0;
};

/// Reads the end record, and the zip64 one if present. They must directly follow the central directory and end the file, except for a
/// comment of at most 4 KiB. Errors: errc::invalid_skill.
result<zip_end> read_zip_end(const package_file& file);

}    // namespace caisson
