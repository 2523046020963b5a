#pragma once

#include "core/protocol/types.hpp"

#include <cstdint>

namespace caisson {

/// The numbers under which a sandbox's agent knows what runs in the sandbox: programs, their compilers, and what reads files out. Gives
/// those of the last kind; the lease of a sandbox says its program's. No number is used twice in the life of a sandbox, over however many
/// servers and executions. One object for a sandbox and a server. All numbers are below 2^56, as the protocol wants.
class exec_numbers {
public:
    /// A sandbox's first program; a sandbox for one execution has no other. Programs are numbered from here on, below 2^32.
    static constexpr protocol::exec_number first_program = 1;
    /// So many times the code of one program is compiled at most: once for each server that began it.
    static constexpr std::uint64_t most_compilers = 32;

    /// `epoch` is the server's, in Unix ms: below 2^43, which is the year 2248.
    explicit exec_numbers(std::uint64_t epoch) : next_(epoch << serial_bits) { }

    /// A number for what reads files out of the sandbox. A next server does that again, under another number: its epoch is later by at
    /// least the ms that this one ran, or by 1 where the clock was set back. A sandbox is asked for fewer than 4096 in that time.
    protocol::exec_number next() { return next_++; }

    /// The `nth` compiler of `program`, from 0 to most_compilers - 1: a later server finds by it what an earlier one began.
    static constexpr protocol::exec_number compiler(protocol::exec_number program, std::uint64_t nth)
    {
        return first_compiler + (program - first_program) * most_compilers + nth;
    }

private:
    static constexpr unsigned serial_bits = 12;
    static constexpr protocol::exec_number first_compiler = protocol::exec_number{1} << 55;

    std::uint64_t next_;
};

}    // namespace caisson
