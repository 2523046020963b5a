#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace caisson {

/// Identity of this server among those of the host, stored in `<data>/instance.json`.
struct instance {
    std::string id;             // set at the first start: 12 characters of base32; part of the names of cgroups
    std::uint64_t epoch = 1;    // greater at each start: agents drop what an earlier server still sends
};

/// Reads the file, or creates it at the first start. Increases the epoch and writes the file durably. Throws std::runtime_error with the
/// file's name if it cannot be read, written or parsed.
instance begin_instance(const std::filesystem::path& data_dir, std::int64_t now_ms);

/// Writes `text` to `path` with mode 0600, durably and by a rename: a reader sees the old text or the new one. Throws std::system_error.
void write_private_file(const std::filesystem::path& path, const std::string& text);

}    // namespace caisson
