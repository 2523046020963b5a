#include "core/exec/ending_watch.hpp"

namespace caisson {

namespace {

constexpr std::chrono::seconds tell_every(5);

/// To the end of all: the record of an execution is one, the removal of its sandbox the other.
std::size_t steps_of(const ends_left& left) { return 2 * left.unrecorded + left.unremoved; }

}    // namespace

ending_watch::ending_watch(end_bounds within, ends_left left, steady_time now)
    : within_(within), began_(now), least_steps_(steps_of(left)), came_further_(now), told_(now)
{
}

ending_watch::advice ending_watch::look(ends_left left, steady_time now)
{
    if (steps_of(left) < least_steps_) {
        least_steps_ = steps_of(left);
        came_further_ = now;
    }
    if (now - came_further_ >= within_.stall || now - began_ >= within_.whole)
        return advice::give_up;
    if (now - told_ < tell_every)
        return advice::wait;
    told_ = now;
    return advice::tell;
}

}    // namespace caisson
