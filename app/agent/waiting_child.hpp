#pragma once

#include "app/agent/child.hpp"
#include "app/agent/stdio_set.hpp"

#include <string>

namespace caisson::agent {

/// A child that waits for its program in this process's memory (CLONE_VM): neither its start nor its execve copies or unmaps memory. It
/// has joined its groups, is confined, has its program's filter and pipes, and of this process's descriptors only its control socket.
/// It makes system calls only, and this process waits for it meanwhile: the two never use shared memory, including errno, at the same
/// time. (Only the receive that it waits in may fail concurrently, when the child is ended.) If its groups run out of memory the kernel may
/// kill this process with it, as they share memory: no other program may run in its groups.
class waiting_child {
public:
    /// Starts the child with the limits and the filter of `known`. It sends `word` over the socket pair `theirs` and `ours` once it
    /// waits. Returns its pid, or -1 with errno, once `ours` is readable or the child has ended. If neither happens by `until_ms`,
    /// is_late() is true: then kill the child before the arguments die.
    pid_t start(
        const child_place& place, const protocol::spawn_request& known, unique_fd theirs, int ours, char word, std::int64_t until_ms);
    bool is_late() const { return is_late_; }
    /// Turns the child into the program of `request`, for which `image` was laid out, and waits until the program runs or the child has
    /// ended; `stdio` gets this side's ends. False if neither happened by `until_ms`, the child was gone, or its filter differs: then
    /// kill the child before the arguments die.
    bool tell(int ours, const protocol::spawn_request& request, exec_image& image, stdio_set& stdio, std::int64_t until_ms);
    /// How far the child came. Valid after tell() returned true, or once the child has ended.
    const child_outcome& outcome() const { return outcome_; }
    /// The child has ended or runs its program: releases its resources.
    void forget();

private:
    static int live(void* self);
    void wait_and_become();
    void become();

    stdio_set pipes_;    // until tell()
    std::string filter_;
    child_outcome outcome_;
    child_program program_;
    // Arguments of start(), until the child waits.
    const child_place* place_ = nullptr;
    const protocol::spawn_request* known_ = nullptr;
    int socket_ = -1;
    char word_ = 0;
    bool is_late_ = false;
};

}    // namespace caisson::agent
