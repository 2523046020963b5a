#pragma once

#include "core/exec/services.hpp"
#include "core/exec/types.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// Interpreters that are started in a sandbox that is kept ready, and wait there for their program. See docs/adr/0012.
namespace caisson {

/// The stack of an interpreter that waits. Where a program's memory lies follows from its limit of stack at its start (mmap_base in the
/// kernel, sizes of threads in the C library), so that it serves no program with another one.
inline constexpr std::int64_t waiting_stack_bytes = 8 << 20;

/// What is known of a program before it is asked for.
struct ready_interpreter {
    std::vector<std::string> argv;    // up to the program's file
    std::string home;                 // HOME of the program; empty: its working directory
    bool operator==(const ready_interpreter&) const = default;
};

/// spec.argv, or what stands for it on runtimes without images.
const std::vector<std::string>& argv_on(const execution_spec& spec, const runtime& where);

/// What a program's environment has in every execution. PATH is the image's in a runtime with images, which the agent knows.
std::map<std::string, std::string> fixed_environment(const std::string& home, const runtime& where);

/// The interpreter that may wait for `spec`, `argv` of which it will be started with; nothing for what is no Python program, or is to be
/// started in a way that an interpreter which waits cannot serve.
std::optional<ready_interpreter> interpreter_for(
    const execution_spec& spec, const std::vector<std::string>& argv, const std::vector<std::string>& preload);
/// Whether `spec` is a program for an interpreter that could wait, in whichever way it is to be started.
bool wants_interpreter(const execution_spec& spec, const std::vector<std::string>& argv);

/// What the agent is told: of the interpreter, or of a bare child that becomes whatever program is asked for.
protocol::park_request park_order(
    const ready_interpreter& what, const std::string& work_directory, const runtime& where, const execution_services& use);
protocol::park_request bare_park_order(const runtime& where, const execution_services& use);

}    // namespace caisson
