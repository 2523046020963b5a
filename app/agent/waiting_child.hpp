#pragma once

#include "app/agent/child.hpp"
#include "app/agent/stdio_set.hpp"

#include <memory>
#include <string>

namespace caisson::agent {

/// A child that waits for its program: a fork of this process that has joined its groups, is confined and has its program's filter and
/// pipes, and holds nothing of what this process has open but the socket by which it hears what to become. It executes that as
/// start_child() would.
class waiting_child {
public:
    /// `known` says limits and the filter, which it has before it waits; `control` is its end of a connected socket, by which it says
    /// `word` then. Returns -1 with errno on failure.
    pid_t start(const child_place& place, const protocol::spawn_request& known, int control, char word);
    /// Tells it over the other end what to become, and waits until it runs its program or has ended; `stdio` has the ends of this side
    /// then. False if it did neither by `until_ms`, was not there to be told, or has another filter: it is to be killed then.
    bool tell(int socket, const protocol::spawn_request& request, stdio_set& stdio, std::int64_t until_ms);
    /// How far it came. Read it when tell() is over, or the child has ended.
    child_outcome outcome() const { return shared_ ? *shared_ : child_outcome(); }
    /// Lets go of all but the memory, which costs more: rest() does that.
    void forget()
    {
        pipes_ = {};
        filter_.clear();
        is_there_ = false;
    }
    void rest()
    {
        if (!is_there_)
            shared_.reset();
    }

private:
    struct unmap {
        void operator()(child_outcome* what) const;
    };
    bool is_there_ = false;
    std::string filter_;
    stdio_set pipes_;                                 // until it is told; its own ends are in it alone
    std::unique_ptr<child_outcome, unmap> shared_;    // written by the child: under its program's filter it may say nothing any more
};

}    // namespace caisson::agent
