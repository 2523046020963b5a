#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <sys/types.h>

namespace caisson {

/// What a record lock of fcntl(2) counts as, with the time that looks at it take. Its 192 bytes of the kernel are in no control group.
inline constexpr std::int64_t record_lock_bytes = 1 << 10;

/// Locks that `processes` hold on files, by what the kernel says of their descriptors (proc_pid_fdinfo(5)). A table of descriptors that
/// threads share is read once; a lock whose descriptor was duplicated counts for each. Reads until `enough` are counted. Counts `enough`
/// where this thread has used `most_cpu` and has not read all, and where the kernel has no memory for what it says of a descriptor: what
/// takes so much to look at is itself too much. Descriptors that are gone count nothing. Blocks for microseconds a descriptor, 200 ms for
/// one of epoll with 400,000 watches.
std::int64_t count_record_locks(const std::set<pid_t>& processes, std::int64_t enough, std::chrono::nanoseconds most_cpu);

}    // namespace caisson
