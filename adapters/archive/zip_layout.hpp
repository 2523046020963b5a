#pragma once

#include "adapters/archive/package_file.hpp"
#include "core/skills/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace caisson {

/// An entry of a zip, as both of its headers describe it.
struct zip_member {
    std::string name;
    std::uint16_t made_by = 0;
    std::uint16_t flags = 0;
    std::uint16_t method = 0;    // 0 stored, 8 deflated
    std::uint32_t crc = 0;
    std::int64_t packed_bytes = 0;
    std::int64_t size_bytes = 0;
    std::uint32_t attributes = 0;
    std::int64_t header_offset = 0;
};

/// Reads the headers of a zip without inflating. Returns the members in file order; they fill the file from its first byte to the central
/// directory without gaps. Errors: errc::invalid_skill for headers that disagree, overlap or leave bytes between, before or after them, for
/// encryption, methods other than stored and deflated, multi-disk archives, or more than max_entries.
result<std::vector<zip_member>> read_zip_layout(const package_file& file, const package_limits& limits);

}    // namespace caisson
