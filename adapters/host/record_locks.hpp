#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <sys/types.h>

namespace caisson {

/// Charge per record lock of fcntl(2), including the time to read it. Its 192 bytes of kernel memory are in no control group.
inline constexpr std::int64_t record_lock_bytes = 1 << 10;

/// Counts locks that `processes` hold on files, from proc_pid_fdinfo(5). Threads' shared descriptor tables are read once; a duplicated
/// descriptor counts its lock again. Stops at `enough`. Also returns `enough` if this thread has used `most_cpu` before the end, or if the
/// kernel lacks memory for a descriptor's text: such cost is itself excessive. Closed descriptors count nothing. Blocks for microseconds
/// per descriptor, 200 ms for an epoll descriptor with 400,000 watches.
std::int64_t count_record_locks(const std::set<pid_t>& processes, std::int64_t enough, std::chrono::nanoseconds most_cpu);

}    // namespace caisson
