#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <sys/types.h>

namespace caisson {

/// What a record lock of fcntl(2) counts as, with the time that looks at it take. Its 192 bytes of the kernel are in no control group.
inline constexpr std::int64_t record_lock_bytes = 1 << 10;

/// Locks that `processes` hold on files, by what the kernel says of their descriptors (proc_pid_fdinfo(5)). A table of descriptors that
/// threads share is read once; a lock whose descriptor was duplicated counts for each. Reads until `enough` are counted, and of
/// `most_descriptors` at most, from the `first`-th process and its `first`-th descriptor on, so that looks that are cut short see others
/// each. What cannot be read counts as nothing. Blocks for microseconds a descriptor, longer for one of epoll with many watches.
std::int64_t count_record_locks(const std::set<pid_t>& processes, std::size_t first, std::int64_t enough, std::size_t most_descriptors);

}    // namespace caisson
