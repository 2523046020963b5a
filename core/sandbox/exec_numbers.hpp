#pragma once

#include "core/protocol/types.hpp"

#include <cstdint>

namespace caisson {

/// What a program at a sandbox's agent is for.
enum class exec_purpose : std::uint8_t {
    collect = 1,           // reads files out when asked
    collect_at_end = 2,    // reads files out as the program ends
    capture = 3            // reads out what a compiler made
};

/// Chooses the numbers under which the programs of one sandbox run at its agent. No number is used twice in the life of a sandbox, over
/// however many servers and executions. One object for a sandbox and a server.
class exec_numbers {
public:
    /// A sandbox's first program; a sandbox for one execution has no other.
    static constexpr protocol::exec_number first_program = 1;
    /// So many times the code of one program is compiled at most: once for each server that began it.
    static constexpr std::uint64_t most_compilers = 32;

    /// `epoch` is the server's, in Unix ms or less: below 2^42 until the year 2109.
    explicit exec_numbers(std::uint64_t epoch) : next_(epoch << serial_bits) { }

    /// A number that no server before used. It is lost with this server: the next one does the work again under another number.
    /// A server takes fewer than 2^18 numbers a ms, so that the next one's, whose epoch is later, are higher.
    protocol::exec_number next(exec_purpose purpose)
    {
        return (std::uint64_t{static_cast<std::uint8_t>(purpose)} << purpose_shift) | next_++;
    }

    /// The `nth` compiler of `program`, from 0 to most_compilers - 1: a later server finds by it what an earlier one began.
    static constexpr protocol::exec_number compiler(protocol::exec_number program, std::uint64_t nth)
    {
        return first_compiler + (program - first_program) * most_compilers + nth;
    }

private:
    static constexpr unsigned serial_bits = 18;
    static constexpr unsigned purpose_shift = 60;
    static constexpr protocol::exec_number first_compiler = protocol::exec_number{1} << 55;

    std::uint64_t next_;
};

}    // namespace caisson
