#pragma once

#include "adapters/host/seccomp_program.hpp"

#include <vector>

namespace caisson {

/// A call that is refused by its arguments.
struct named_rules {
    const char* name;
    std::vector<argument_rule> rules;
};

/// For all of a sandbox, its agent too. A call that is refused gets what the kernel would answer, in the order in which it looks at the
/// arguments. Flags that no kernel knows yet are not left to it where a later one could take them for what is refused.
std::vector<named_rules> common_argument_rules();

/// For programs: their limit of core files stays as it is, and calls that take a process by number or by user do not reach the agent, which
/// is PID 1 of the same user. The kernel judges what they do to other processes: a program can name those of its own sandbox alone.
std::vector<named_rules> program_argument_rules();

}    // namespace caisson
