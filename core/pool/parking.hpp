#pragma once

#include "core/protocol/types.hpp"
#include "core/sandbox/services.hpp"
#include "core/sandbox/shape.hpp"

#include <map>
#include <string>
#include <string_view>

/// Interpreters that are started in a sandbox that is kept ready, and wait there for their program. See docs/adr/0012.
namespace caisson {

/// The stack of an interpreter that waits. Where a program's memory lies follows from its limit of stack at its start (mmap_base in the
/// kernel, sizes of threads in the C library), so that it serves no program with another one.
inline constexpr std::int64_t waiting_stack_bytes = 8 << 20;

/// What a program's environment has in every execution. PATH is the image's in a runtime with images, which the agent knows.
std::map<std::string, std::string> fixed_environment(const std::string& home, const runtime& where);

/// Whether a program's own value of this variable may differ from that with which its interpreter was started. `preloads`: modules were
/// imported ahead, which may have read any variable.
bool may_differ(std::string_view name, bool preloads);

/// What the agent is told: of the interpreter, or of a bare child that becomes whatever program is asked for.
protocol::park_request park_order(
    const ready_interpreter& what, const std::string& work_directory, const runtime& where, const sandbox_sources& use);
protocol::park_request bare_park_order(const runtime& where, const sandbox_sources& use);

}    // namespace caisson
