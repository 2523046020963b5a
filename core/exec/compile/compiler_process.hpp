#pragma once

#include "core/exec/agent_process.hpp"
#include "core/exec/compile/compile_session.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace caisson {

/// A compiler at a sandbox's agent, and what was heard of it.
struct compiler_process {
    compile_session session;
    agent_process process;

    /// `program` is what it is called when it cannot be started; `changed` is called when there is more to know.
    compiler_process(const std::shared_ptr<protocol::agent_link>& link, protocol::exec_number number, std::string program,
        std::function<void()> changed, std::optional<protocol::resume_point> resume)
        : session(std::move(program), acknowledging(link, number), std::move(changed)), process(link, number, session, resume)
    {
    }
};

}    // namespace caisson
