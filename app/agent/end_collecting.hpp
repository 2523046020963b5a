#pragma once

#include "core/protocol/agent_session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caisson::agent {

/// Collecting that is ordered with a program, for its end: caisson-agent --collect-at-end NUMBER, that of the program's execution, and the
/// arguments of --collect. It runs in this process, once no other one is left in the sandbox, and where little is to be sent: a process of
/// its own takes longer than that.
class end_collecting {
public:
    /// Whether that is what is to be started.
    static bool is_meant(const protocol::spawn_request& request);

    bool is_ordered() const { return number_ != 0; }
    protocol::exec_number number() const { return number_; }
    /// Whose end is waited for. It may not have been started yet.
    protocol::exec_number program() const { return program_; }
    /// Errors: EBUSY if one is ordered already; EINVAL if no program is named.
    protocol::agent_host::start_result order(protocol::exec_number number, const protocol::spawn_request& request);
    void forget(protocol::exec_number number);
    /// Gives `into` what it collects and its end, whose exit code is cannot_collect_at_end if it is not to be had in this way. Nothing is
    /// ordered afterwards. `is_alone`: no process is left that could change what is read.
    void run(protocol::agent_execution& into, bool is_alone);

private:
    protocol::exec_number number_ = 0;
    protocol::exec_number program_ = 0;
    std::vector<std::string> arguments_;
};

/// The stream of core/protocol/collect_stream.hpp for the arguments behind --collect; nothing if it is long, or there is a lot to look at.
std::optional<std::string> collect_little(std::vector<std::string> arguments);

}    // namespace caisson::agent
