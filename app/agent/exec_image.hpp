#pragma once

#include "core/protocol/types.hpp"

#include <span>
#include <string>
#include <vector>

namespace caisson::agent {

/// What execve(2) is called with, laid out before the child exists, which must not allocate.
class exec_image {
public:
    /// `request` must outlive this. Paths are looked for as execvpe(3) does, in the PATH of the request's environment.
    explicit exec_image(const protocol::spawn_request& request);

    /// False if a text holds a NUL, or a variable's name a '='.
    bool valid() const { return valid_; }
    /// "NAME=value" each, in the order in which the program sees them.
    std::span<const std::string> environment() const { return variables_; }
    /// Replaces the process, or returns the errno that execvpe(3) would give. Makes only system calls.
    int exec();

private:
    int exec_by_shell(const char* path);

    bool valid_ = true;
    std::vector<std::string> variables_;
    std::vector<std::string> paths_;    // to be tried in this order
    std::vector<char*> argv_;
    std::vector<char*> envp_;
    std::vector<char*> shell_argv_;    // /bin/sh, a path to be filled in, then the arguments
};

}    // namespace caisson::agent
