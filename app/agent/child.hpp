#pragma once

#include "app/agent/exec_image.hpp"
#include "app/agent/landlock.hpp"
#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <sys/types.h>

namespace caisson::agent {

/// The groups and Landlock rules of a child, known before its program.
struct child_place {
    std::span<const unique_fd> join;    // the child writes "0" to each
    const landlock* rules = nullptr;
};

/// The program that a child executes. Everything it refers to must outlive it.
struct child_program {
    /// Sets all members from `request` and `image`, except the descriptors.
    void take(const protocol::spawn_request& request, exec_image& image);

    int stdio[3] = {-1, -1, -1};     // none below 3
    bool controlling_tty = false;    // stdio[0] becomes the session's controlling terminal
    int control = -1;                // becomes the program's descriptor 3
    unsigned closed_from = 3;        // closes all descriptors from this one on
    std::span<const protocol::spawn_request::limit> rlimits;
    const char* cwd = "/";
    const std::string* filter = nullptr;    // struct sock_filter[]
    exec_image* image = nullptr;
    bool is_prepared = false;    // prepare() was called already
};

/// How far a child came on its way to execve(2).
struct child_outcome {
    const char* failed_step = nullptr;
    int code = 0;                  // errno of failed_step
    std::int64_t execve_us = 0;    // CLOCK_MONOTONIC right before execve

    bool runs() const { return failed_step == nullptr && execve_us != 0; }
    /// The child ended without reporting a step: nothing of its program ran.
    bool is_unknown() const { return failed_step == nullptr && execve_us == 0; }
};

/// enter() joins the groups and confines the child; execute() takes the program's settings and calls execve(2), so it returns on failure
/// only. These functions and prepare() record failures in `outcome` and make system calls only.
bool enter(const child_place& place, child_outcome& outcome);
void execute(const child_program& program, child_outcome& outcome);
/// Sets the limits, resets all signals to default and unblocked, then installs `filter` (struct sock_filter[]; empty: none).
bool prepare(std::span<const protocol::spawn_request::limit> rlimits, const std::string& filter, child_outcome& outcome);

/// Starts a child in this process's memory (CLONE_VM) and waits until it has called execve or failed (CLONE_VFORK). Reaps a child
/// that failed. Returns -1 on failure.
pid_t start_child(const child_place& place, const child_program& program, child_outcome& outcome);
/// Forks a child that runs `work` and exits with its result: for code of this process, so that nothing needs to be loaded. `program`
/// needs no image. The child keeps this process's signal actions, none blocked: where SIGPIPE is ignored, a write fails with EPIPE. It
/// exits with 127 if it cannot apply `place` or `program`. Returns -1 on failure.
pid_t start_copy(const child_place& place, const child_program& program, const std::function<int()>& work, child_outcome& outcome);

}    // namespace caisson::agent
