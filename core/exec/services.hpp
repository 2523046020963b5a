#pragma once

#include "core/async/task_group.hpp"
#include "core/async/timers.hpp"
#include "core/base/ids.hpp"
#include "core/base/log.hpp"
#include "core/exec/log_buffer.hpp"
#include "core/exec/ports.hpp"
#include "core/protocol/agent_link.hpp"
#include "core/runtime/ports.hpp"
#include "core/sandbox/ports.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace caisson {

/// What executions are made with. Everything referred to outlives the execution_service.
struct execution_services {
    io_executor executor;
    timers& time;
    logger& log;
    id_factory& ids;
    execution_store& executions;
    event_store& events;
    sandbox_store& sandboxes;
    std::map<std::string, runtime*, std::less<>> runtimes;    // by name; those that are not enabled find and end what they left
    std::string payload_filter;                               // seccomp filter of isolating runtimes, raw struct sock_filter[]
    protocol::link_options link;
    log_options logs;    // max_output_bytes comes from each execution's limits
    std::size_t max_running = 4;
    std::size_t max_queued = 10'000;
    std::vector<std::string> enabled;               // names of the runtimes that may make new sandboxes; empty: all
    std::uint64_t max_waiting_bytes = 512 << 20;    // of files and stdin, of all executions that wait
};

}    // namespace caisson
