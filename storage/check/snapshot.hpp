#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace caisson {

/// Told the file's name and how many of its bytes are copied.
using copy_progress = std::function<void(const std::string& file, std::uint64_t done, std::uint64_t total)>;

struct snapshot_summary {
    std::size_t records_schema = 0;
    std::size_t events_schema = 0;
    std::size_t content_schema = 0;          // 0: the data is of a version that had no contents
    std::size_t being_removed = 0;           // ended executions that a client removed meanwhile: left out
    std::vector<std::string> without_end;    // ended executions whose log has no end in the original either
};

/// Copies the databases of a data directory into `into`, a directory without such files, as files that need no others and
/// are on the disk on return. A server may run and write meanwhile: it is not held up, but its logs (-wal) grow until the copy
/// is done. Records are copied first: each execution that has ended in the copy has its whole log there, and the contents that it
/// names unless they were removed meanwhile (see drop_lost_contents()). Blocks. Throws storage_error; what was copied by then is left for
/// the caller to remove.
snapshot_summary take_snapshot(const std::filesystem::path& data_dir, const std::filesystem::path& into, const copy_progress& progress);

}    // namespace caisson
