#pragma once

#include "core/protocol/types.hpp"

#include <span>
#include <string>
#include <vector>

namespace caisson::agent {

/// The arguments of execve(2), allocated before the child exists because the child must not allocate.
class exec_image {
public:
    /// `request` must outlive the image. Searches PATH like execvpe(3): the request's, else the agent's own.
    explicit exec_image(const protocol::spawn_request& request);

    /// False if a string contains a NUL, or a variable's name a '='.
    bool valid() const { return valid_; }
    /// "NAME=value" each, in the program's order.
    std::span<const std::string> environment() const { return variables_; }
    /// Replaces the process, or returns the errno that execvpe(3) would give. Makes system calls only.
    int exec();

private:
    int exec_by_shell(const char* path);

    bool valid_ = true;
    std::vector<std::string> variables_;
    std::vector<std::string> paths_;    // candidates, in order
    std::vector<char*> argv_;
    std::vector<char*> envp_;
    std::vector<char*> shell_argv_;    // /bin/sh, a placeholder for the path, the arguments
};

}    // namespace caisson::agent
