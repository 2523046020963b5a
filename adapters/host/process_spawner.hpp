#pragma once

#include "adapters/host/process.hpp"
#include "core/base/error.hpp"

#include <string>
#include <vector>

namespace caisson {

/// The descriptors of a child: index is the number there. They stay the caller's and are closed nowhere but in the child.
class descriptor_table {
public:
    /// Returns the number that `fd` has in the child.
    int add(int fd)
    {
        sources_.push_back(fd);
        return static_cast<int>(sources_.size()) - 1;
    }
    const std::vector<int>& sources() const { return sources_; }

private:
    std::vector<int> sources_;
};

struct spawn_options {
    std::string path;    // absolute
    std::vector<std::string> argv;
    std::vector<std::string> environment;    // "NAME=value"; nothing is inherited
    descriptor_table descriptors;            // all others are closed in the child
    /// It makes itself a network namespace, unless a fork server has made one for it.
    bool may_have_fresh_network = false;
    /// Of a fork server: the child's number of what takes a line that says what failed before its own command line was read.
    int status = -1;
    /// Of a fork server: the child's number, which it does not get, of a network namespace for the next child to have instead of a fresh
    /// one, if it is like one.
    int network = -1;
    /// Only a fork server that keeps_program_apart() may make it, as process 1 of a namespace of its own.
    bool must_be_forked = false;
};

/// Starts a process in a session of its own, in "/", with default signal actions and nothing blocked, without forking the
/// server's memory. Errors: errc::runtime_unavailable.
result<process_handle> spawn_process(const spawn_options& options);

}    // namespace caisson
