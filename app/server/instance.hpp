#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace caisson {

/// Who this server is among those of the host, kept in `<data>/instance.json`.
struct instance {
    std::string id;             // made at the first start: 12 characters of base32; part of the names of cgroups
    std::uint64_t epoch = 1;    // greater at each start, so that agents drop what an earlier server still sends
};

/// Reads the file, counts the epoch up and writes it back durably; makes it at the first start. Throws std::runtime_error that
/// names the file if it cannot be read, written or understood.
instance begin_instance(const std::filesystem::path& data_dir, std::int64_t now_ms);

/// Writes `text` to `path` with mode 0600 by a rename, so that a reader sees all of it or nothing. Throws std::system_error.
void write_private_file(const std::filesystem::path& path, const std::string& text);

}    // namespace caisson
