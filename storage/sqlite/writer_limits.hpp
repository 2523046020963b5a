#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace caisson::sqlite {

struct writer_limits {
    std::size_t queued = 16'384;                 // closures that wait; more are refused
    std::size_t batch = 1'024;                   // closures in one transaction
    std::chrono::milliseconds batch_time{10};    // a transaction takes no more closures after this
    std::chrono::milliseconds later{10'000};     // work of run_later waits so long for company
    /// A log (-wal) of this size is moved into the file, which writes all of it a second time and holds up what is to be written:
    std::int64_t log_bytes = 16 << 20;
    /// if this is more, not before it has this size or nothing was written for `quiet`; unless the disk has little room.
    std::int64_t burst_log_bytes = 0;
    std::chrono::milliseconds quiet{200};
    /// Once nothing was written for `quiet` the log's file is made this large, a step at a time; unless the disk has little room.
    std::int64_t ahead_log_bytes = 0;
    /// Idle steps stay away from who writes one transaction after the other: they begin so long after the last one, but
    std::chrono::milliseconds idle_after{20};
    /// some in this time are made whatever comes, for so long.
    std::chrono::milliseconds idle_every{200};
    std::chrono::milliseconds idle_slice{10};
};

}    // namespace caisson::sqlite
