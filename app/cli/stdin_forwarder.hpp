#pragma once

#include "app/cli/api_client.hpp"
#include "app/cli/reconnect_policy.hpp"
#include "app/cli/terminal.hpp"

#include <cstdint>
#include <string>

namespace caisson::cli {

/// Forwards standard input to an execution. Each piece carries its offset and is sent again until the server has taken it: a broken
/// connection loses and repeats nothing. I/O thread only.
class stdin_forwarder {
public:
    /// `api` and `time` must outlive it.
    stdin_forwarder(api_client& api, timers& time, std::string execution_id);

    /// Returns at the end of standard input, when the execution takes no more input, or after stop().
    task<> run();
    /// Ends a pending read.
    void stop() { reader_.stop(); }

private:
    task<bool> deliver(std::string bytes, bool eof);

    api_client& api_;
    timers& time_;
    std::string target_;
    descriptor_reader reader_;
    reconnect_policy policy_;
    std::uint64_t offset_ = 0;
};

}    // namespace caisson::cli
