#pragma once

#include "core/exec/types.hpp"
#include "core/runtime/ports.hpp"
#include "core/sandbox/shape.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// spec.argv, or what stands for it on runtimes without images.
const std::vector<std::string>& argv_on(const execution_spec& spec, const runtime& where);

/// The interpreter that may wait for `spec`, `argv` of which it will be started with; nothing for what is no Python program, or is to be
/// started in a way that an interpreter which waits cannot serve.
std::optional<ready_interpreter> interpreter_for(
    const execution_spec& spec, const std::vector<std::string>& argv, const std::vector<std::string>& preload);
/// Whether `spec` is a program for an interpreter that could wait, in whichever way it is to be started.
bool wants_interpreter(const execution_spec& spec, const std::vector<std::string>& argv);

}    // namespace caisson
