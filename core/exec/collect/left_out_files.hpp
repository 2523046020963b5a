#pragma once

#include "core/files/types.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace caisson {

/// The files that a collection left out, as the record tells of them: at most 100 files and 16 KiB of paths and reasons, because each list
/// of executions reads the record. A path or reason that is longer than 512 bytes ends with "…". No I/O.
class left_out_files {
public:
    /// Tells of a file; does not count it. Has no effect once a file did not fit: the first ones are told, without a hole.
    void tell(std::string path, std::string reason);
    /// Counts files, or takes back what was counted before.
    void count(std::int64_t files) { count_ += files; }

    /// Writes the files and their number into `summary`, once.
    void move_into(collect_summary& summary);

private:
    std::vector<skipped_file> told_;
    std::size_t bytes_ = 0;    // of all that was to be told
    std::int64_t count_ = 0;
};

}    // namespace caisson
