#pragma once

#include "adapters/archive/package_file.hpp"

namespace caisson {

/// Where the central directory of a zip is, as the record at its end says.
struct zip_end {
    std::int64_t entries = 0;
    std::int64_t directory_offset = 0;
    std::int64_t directory_bytes = 0;
};

/// Reads the end record, and that of zip64 if there is one; both must lie right behind the central directory and end the file (a comment
/// of at most 4 KiB may follow). Errors: errc::invalid_skill.
result<zip_end> read_zip_end(const package_file& file);

}    // namespace caisson
