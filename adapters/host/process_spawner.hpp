#pragma once

#include "adapters/host/process.hpp"
#include "core/base/error.hpp"

#include <string>
#include <vector>

namespace caisson {

/// The descriptors of a child: the index is the number in the child. The caller keeps its descriptors open.
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
    descriptor_table descriptors;            // the child closes all others
    /// The child creates its own network namespace, unless a fork server already created one for it.
    bool may_have_fresh_network = false;
    /// For a fork server: number in the child of the descriptor that receives a line about a failure before the child's command line is
    /// read.
    int status = -1;
    /// For a fork server: number of a used network namespace for the next child, if it looks fresh. The child does not get it.
    int network = -1;
    /// Only a fork server with keeps_program_apart() may start it, as process 1 of a new pid namespace.
    bool must_be_forked = false;
};

/// Starts a process in a new session, in "/", with default signal actions and an empty signal mask, without forking the server's memory.
/// Errors: errc::runtime_unavailable.
result<process_handle> spawn_process(const spawn_options& options);

}    // namespace caisson
