#pragma once

#include "core/base/unique_fd.hpp"
#include "core/protocol/agent_link.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace caisson::protocol {

/// A real caisson-agent in a directory of its own. Killed with all it started when the test ends.
class agent_process {
public:
    enum class transport { unix_socket, dialled, pipes };
    static std::string name_of(transport how);

    /// Throws std::system_error.
    static std::unique_ptr<agent_process> start(io_executor executor, transport how);

    virtual ~agent_process();
    /// A connector to it; several may be used one after the other.
    virtual agent_link::connector connector() = 0;
    /// Ends the descriptors of this side that outlive connections.
    virtual void abandon() = 0;

    const std::string& work() const { return work_; }
    pid_t pid() const { return pid_; }
    /// True when it has ended by itself; waits up to `timeout`.
    bool ends_within(std::chrono::milliseconds timeout);

protected:
    agent_process();
    void spawn(int stdio_in, int stdio_out, int listener, const char* connect_to = nullptr);
    bool has_ended() const;

    std::string work_;
    pid_t pid_ = -1;
};

}    // namespace caisson::protocol
