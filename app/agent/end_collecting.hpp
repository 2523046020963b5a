#pragma once

#include "core/protocol/agent_session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caisson::agent {

/// Collecting at a program's end: caisson-agent --collect-at-end NUMBER, the number of the program's execution, then the arguments of
/// --collect. Runs in this process, if no other process is left in the sandbox and the stream is small: starting a collector process
/// would take longer.
class end_collecting {
public:
    /// Whether `request` is such a command.
    static bool is_meant(const protocol::spawn_request& request);

    bool is_ordered() const { return number_ != 0; }
    protocol::exec_number number() const { return number_; }
    /// The execution whose end starts the collecting. It may not have been started yet.
    protocol::exec_number program() const { return program_; }
    /// Errors: EBUSY if an order exists already; EINVAL if no program is named.
    protocol::agent_host::start_result order(protocol::exec_number number, const protocol::spawn_request& request);
    void forget(protocol::exec_number number);
    /// Collects into stdout of `into` and sets its exit: with code cannot_collect_at_end if this process cannot do it. Clears the order.
    /// `is_alone`: no process is left that could change the files.
    void run(protocol::agent_execution& into, bool is_alone);

private:
    protocol::exec_number number_ = 0;
    protocol::exec_number program_ = 0;
    std::vector<std::string> arguments_;
};

/// The stream of core/protocol/collect_stream.hpp for the arguments after --collect. Nothing if it is long or takes many entries or time.
std::optional<std::string> collect_little(std::vector<std::string> arguments);

}    // namespace caisson::agent
