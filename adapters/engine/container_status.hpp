#pragma once

#include "adapters/engine/container_end.hpp"
#include "core/runtime/types.hpp"

#include <optional>
#include <string>

namespace caisson::docker {

/// The state of one container, combined from its events, inspections and usage readings in any order. No I/O.
class container_status {
public:
    void note(const container_event& event);
    /// Takes the result of an inspection. Ignores errors other than errc::not_found.
    void note_look(const result<container_info>& found);
    /// The container has no process left and the engine is unreachable, with the error `asked`. Sets the cause without the engine.
    void note_gone(const error& asked);
    /// Takes a usage reading of the whole container since its start. Absent or smaller values change nothing.
    void note_usage(const group_usage& seen);
    /// The event feed broke: events may be lost and a restarted engine may answer next.
    void engine_was_lost() { engine_was_lost_ = true; }
    /// The event feed is back: requests an inspection.
    void note_events_again() { wants_look_ = true; }
    /// This server ends the container: a later end is attributed to it.
    void ended_here() { ended_here_ = true; }

    /// True if the container should be inspected.
    bool wants_look() const { return wants_look_; }
    bool is_paused() const { return paused_; }
    /// Why the container ended, as a clause; nothing while it may be running.
    const std::optional<std::string>& cause() const { return cause_; }
    /// True if the end may be due to memory exhaustion and has no known cause yet: engines report memory events after the end.
    bool may_be_explained_yet() const { return unexplained_; }
    const group_usage& usage() const { return usage_; }

private:
    std::string cause_of(const result<container_info>& found) const;
    std::string killed_from_outside() const;
    bool is_unexplained(const result<container_info>& found) const;

    group_usage usage_;
    std::int64_t oom_events_ = 0;
    std::optional<std::string> cause_;
    std::string killed_by_;    // the signal number of a kill event
    bool unexplained_ = false;
    bool seen_oom_ = false;    // in the cgroup's own readings
    bool paused_ = false;
    bool wants_look_ = true;
    bool engine_was_lost_ = false;
    bool ended_here_ = false;
    bool removed_ = false;
};

}    // namespace caisson::docker
