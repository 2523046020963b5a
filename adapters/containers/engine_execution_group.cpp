#include "adapters/containers/engine_execution_group.hpp"

#include <algorithm>

namespace caisson {

group_usage engine_execution_group::usage() const
{
    if (!whole_->group.members().empty())
        whole_->status.note_usage(whole_->group.usage());
    auto seen = whole_->status.usage();
    if (whole_->counts_threads)
        seen.pids_peak.reset();
    if (seen.cpu_us)
        seen.cpu_us = std::max<std::int64_t>(0, *seen.cpu_us - whole_->cpu_before_us);
    return seen;
}

/// A frozen agent cannot kill: requests a thaw.
void engine_execution_group::kill() noexcept
{
    if (!whole_->status.is_paused())
        return;
    whole_->thaw_wanted = true;
    whole_->changed.notify_all();
}

}    // namespace caisson
