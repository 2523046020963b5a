#pragma once

#include "adapters/host/seccomp_program.hpp"

#include <vector>

namespace caisson {

/// A system call that is refused depending on its arguments.
struct named_rules {
    const char* name;
    std::vector<argument_rule> rules;
};

/// For the whole sandbox, including the agent. A refused call gets the kernel's own error, in the kernel's order of argument checks. Flags
/// that no kernel knows yet are refused too where a later kernel could give them a refused meaning.
std::vector<named_rules> common_argument_rules();

/// For programs. They cannot change their core file limit, nor reach the agent (PID 1, same user) with calls that take a process or a user.
/// For other processes the kernel decides: a program can name only those of its own sandbox.
std::vector<named_rules> program_argument_rules();

}    // namespace caisson
