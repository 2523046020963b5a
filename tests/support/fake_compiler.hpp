#pragma once

#include "core/protocol/agent_session.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace caisson::testing {

/// The compilers of a fake agent, one after the other: the test is each of them. An agent of its own kind calls pump().
class fake_compiler {
public:
    using stream = protocol::stream_number;
    /// From here on numbers are those of compilers.
    static constexpr protocol::exec_number first = protocol::exec_number{1} << 55;

    // What it does; the agent is to be turned afterwards.
    void print(std::string_view text, stream to = stream::stderr_stream) { text_[to].append(text); }
    void exit(int code) { end(code << 8); }
    void end(int wait_status, protocol::exit_cause cause = protocol::exit_cause::by_itself);
    bool is_running() const { return running_; }

    // Knobs.
    int start_code = 0;             // errno: it is not started
    bool ignores_kill = false;      // SIGKILL does nothing
    protocol::exit_report usage;    // what its exit reports besides its status

    // What was asked of it.
    std::vector<protocol::spawn_request> requests;
    std::size_t kills = 0;

    protocol::agent_host::start_result start(protocol::exec_number number, const protocol::spawn_request& what);
    void signal(const protocol::signal_order& order);
    /// All processes of its group.
    void kill();
    /// What it wrote goes as far as the window lets it.
    void pump(protocol::agent_session& session);

private:
    protocol::exec_number number_ = 0;
    bool running_ = false;
    std::map<stream, std::string> text_;
    std::optional<protocol::exit_report> exiting_;
};

}    // namespace caisson::testing
