#pragma once

#include "app/agent/exec_image.hpp"
#include "app/agent/landlock.hpp"
#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <sys/types.h>

namespace caisson::agent {

/// Where a child belongs and what it may touch: known before its program is.
struct child_place {
    std::span<const unique_fd> join;    // "0" is written to each
    const landlock* rules = nullptr;
};

/// What a child becomes. All that it refers to outlives it.
struct child_program {
    /// What `request` says of it, laid out in `image`; its descriptors are given otherwise.
    void take(const protocol::spawn_request& request, exec_image& image);

    int stdio[3] = {-1, -1, -1};     // none below 3
    bool controlling_tty = false;    // stdio[0] becomes the session's terminal
    int control = -1;                // becomes descriptor 3 of the program
    unsigned closed_from = 3;        // these descriptors and all above, whatever they are
    std::span<const protocol::spawn_request::limit> rlimits;
    const char* cwd = "/";
    const std::string* filter = nullptr;    // struct sock_filter[]
    exec_image* image = nullptr;
    bool is_prepared = false;    // prepare() was called with its filter
};

/// How far a child came between its start and its program's.
struct child_outcome {
    const char* failed_step = nullptr;
    int code = 0;                  // errno of that
    std::int64_t execve_us = 0;    // CLOCK_MONOTONIC right before it

    bool runs() const { return failed_step == nullptr && execve_us != 0; }
    /// It ended before it could tell: nothing of its program ran.
    bool is_unknown() const { return failed_step == nullptr && execve_us == 0; }
};

/// The first half of a child's way, and the second, which ends in execve(2): it returns on failure only. All of these tell `outcome`, and
/// make system calls only.
bool enter(const child_place& place, child_outcome& outcome);
void execute(const child_program& program, child_outcome& outcome);
/// Limits, and all signals with their default actions, none blocked; then `filter` (struct sock_filter[], empty: none) holds.
bool prepare(std::span<const protocol::spawn_request::limit> rlimits, const std::string& filter, child_outcome& outcome);

/// Starts a child in this process's memory (CLONE_VM) and waits until it has called execve or failed (CLONE_VFORK). A child
/// that failed is reaped. Returns -1 on failure.
pid_t start_child(const child_place& place, const child_program& program, child_outcome& outcome);
/// Starts a child that does `work` in a copy of this process's memory, and ends with what that returns: for what this process has in it, so
/// that nothing needs to be loaded. Its signals have the actions that they have here, none blocked: where SIGPIPE is ignored, writing fails
/// with EPIPE. One that cannot take what `program` says, which needs no image, ends with 127. Returns -1 on failure.
pid_t start_copy(const child_place& place, const child_program& program, const std::function<int()>& work, child_outcome& outcome);

}    // namespace caisson::agent
