#pragma once

#include "core/async/timers.hpp"

#include <chrono>
#include <cstddef>

namespace caisson {

/// How long a server that ends its executions waits for them: as long as they get fewer, but not for ever.
struct end_bounds {
    std::chrono::seconds stall{30};     // none came further for so long: the next server has the rest
    std::chrono::seconds whole{600};    // as long as it may take in all
};

/// Of the executions that a server ends.
struct ends_left {
    std::size_t unrecorded = 0;    // their ends are not in the record
    std::size_t unremoved = 0;     // they are, and their sandboxes are being removed
    bool operator==(const ends_left&) const = default;
};

/// Looks at how executions end and says when to tell of it and when to wait no longer. No I/O.
class ending_watch {
public:
    enum class advice { wait, tell, give_up };

    ending_watch(end_bounds within, ends_left left, steady_time now);

    /// `tell` once in 5 s.
    advice look(ends_left left, steady_time now);

private:
    const end_bounds within_;
    const steady_time began_;
    std::size_t least_steps_;
    steady_time came_further_;
    steady_time told_;
};

}    // namespace caisson
