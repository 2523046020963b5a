#pragma once

#include "app/agent/child.hpp"
#include "app/agent/stdio_set.hpp"

#include <string>

namespace caisson::agent {

/// A child that waits for its program: in this process's memory (CLONE_VM), so that neither its start nor its execve copies or takes down
/// any of it. It has joined its groups, is confined and has its program's filter and pipes, and holds nothing of what this process has open
/// but the socket by which it hears that it is to go on. It executes its program as start_child() would. It makes system calls only, and
/// while it makes them this process waits for it: what the two share, errno among it, has one user at a time. (The one that it waits in
/// may fail beside this process, at its own end.) Who is out of memory in its groups may take this process along, as all that share a
/// memory go together: no program runs in them beside it.
class waiting_child {
public:
    /// `known` says limits and the filter, which it has before it waits; `theirs` and `ours` are a connected socket, by which it says
    /// `word` then. Returns its pid, or -1 with errno, when that can be read from `ours` or the child has ended. Where neither came by
    /// `until_ms`, is_late() holds, and the child is to be killed before this call's arguments go.
    pid_t start(
        const child_place& place, const protocol::spawn_request& known, unique_fd theirs, int ours, char word, std::int64_t until_ms);
    bool is_late() const { return is_late_; }
    /// Has it become what `request` says, which `image` was laid out for, and waits until it runs its program or has ended; `stdio` has the
    /// ends of this side then. False if it did neither by `until_ms`, was not there to be told, or has another filter: it is to be killed
    /// then, before the arguments go.
    bool tell(int ours, const protocol::spawn_request& request, exec_image& image, stdio_set& stdio, std::int64_t until_ms);
    /// How far it came. Read it when tell() is over, or the child has ended.
    const child_outcome& outcome() const { return outcome_; }
    /// It has ended or runs its program: lets go of what was kept for it.
    void forget();

private:
    static int live(void* self);
    void wait_and_become();
    void become();

    stdio_set pipes_;    // until it is told
    std::string filter_;
    child_outcome outcome_;
    child_program program_;
    // Of start(), until it waits.
    const child_place* place_ = nullptr;
    const protocol::spawn_request* known_ = nullptr;
    int socket_ = -1;
    char word_ = 0;
    bool is_late_ = false;
};

}    // namespace caisson::agent
