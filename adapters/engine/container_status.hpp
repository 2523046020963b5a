#pragma once

#include "adapters/engine/container_end.hpp"
#include "core/runtime/types.hpp"

#include <optional>
#include <string>

namespace caisson::docker {

/// What is known of one container, from its events, from looks at it and from readings of its usage, in whatever order they come.
/// No I/O.
class container_status {
public:
    void note(const container_event& event);
    /// What the engine said when it was asked. An engine that did not answer says nothing.
    void note_look(const result<container_info>& found);
    /// None of its processes is left, and the engine is away, which `asked` says: it may not be back for long.
    void note_gone(const error& asked);
    /// Of the whole container since its begin. Values that are absent or smaller than before change nothing.
    void note_usage(const group_usage& seen);
    /// Events may have been missed since: another engine may answer the next time.
    void engine_was_lost() { engine_was_lost_ = true; }
    /// They are heard again: look what happened meanwhile.
    void note_events_again() { wants_look_ = true; }
    /// What happens from now on is this server's doing.
    void ended_here() { ended_here_ = true; }

    /// Whether an event says that it is worth asking the engine.
    bool wants_look() const { return wants_look_; }
    bool is_paused() const { return paused_; }
    /// Why it ended, as a clause; nothing while it may run.
    const std::optional<std::string>& cause() const { return cause_; }
    /// The end may be for want of memory, and nothing else is known of it: engines tell of memory after they told of the end.
    bool may_be_explained_yet() const { return unexplained_; }
    const group_usage& usage() const { return usage_; }

private:
    std::string cause_of(const result<container_info>& found) const;
    std::string killed_from_outside() const;
    bool is_unexplained(const result<container_info>& found) const;

    group_usage usage_;
    std::int64_t oom_events_ = 0;
    std::optional<std::string> cause_;
    std::string killed_by_;    // the number of a signal that the engine was asked to send
    bool unexplained_ = false;
    bool seen_oom_ = false;    // in the group's own readings
    bool paused_ = false;
    bool wants_look_ = true;
    bool engine_was_lost_ = false;
    bool ended_here_ = false;
    bool removed_ = false;
};

}    // namespace caisson::docker
