#pragma once

#include "app/agent/exec_image.hpp"
#include "app/agent/landlock.hpp"
#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <span>
#include <sys/types.h>

namespace caisson::agent {

/// What a child does between clone(2) and execve(2), and how far it came.
struct child_plan {
    int stdio[3] = {-1, -1, -1};        // none below 3
    bool controlling_tty = false;       // stdio[0] becomes the session's terminal
    std::span<const unique_fd> join;    // "0" is written to each
    std::span<const protocol::spawn_request::limit> rlimits;
    int control = -1;    // becomes descriptor 3
    const char* cwd = "/";
    const landlock* rules = nullptr;
    const std::string* filter = nullptr;    // struct sock_filter[]
    exec_image* image = nullptr;

    const char* failed_step = nullptr;    // null: the program runs
    int code = 0;
    std::int64_t execve_us = 0;    // CLOCK_MONOTONIC right before it
};

/// Starts a child in this process's memory (CLONE_VM) and waits until it has called execve or failed (CLONE_VFORK). A child
/// that failed is reaped. Returns -1 with failed_step and code set on failure.
pid_t start_child(child_plan& plan);

}    // namespace caisson::agent
