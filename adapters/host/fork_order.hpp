#pragma once

#include <cstddef>
#include <cstdint>

/// What the server and caisson-launch --serve say to each other, each in one message of a SOCK_SEQPACKET socket: an order with the
/// descriptors of the process to be (SCM_RIGHTS, in the order of their numbers there), and its answer.
namespace caisson {

/// Followed by as many texts, each with its NUL: the command line's first, then the environment's.
struct fork_order {
    std::uint32_t arguments = 0;
    std::uint32_t variables = 0;
    std::uint32_t may_have_fresh_network = 0;    // else it is in the server's
    std::uint32_t is_first = 0;                  // it is process 1 of a namespace of its own
    std::int32_t status = -1;                    // among the descriptors, by its number there: takes a line: what failed, or nothing
    std::int32_t network = -1;    // likewise: a network namespace for the next order to have instead of a fresh one, if it is like one
};

struct fork_answer {
    std::int32_t pid = 0;       // a child of the server's, not of who made it
    std::int32_t failed = 0;    // errno; then there is no process
};

inline constexpr std::size_t most_order_bytes = 64 * 1024;    // less than what a socket takes by default (net.core.wmem_default)
inline constexpr std::size_t most_order_texts = 512;
inline constexpr std::size_t most_order_descriptors = 128;    // of the 253 that one message may carry (unix(7))
/// Shared memory that begins with a pid_t: what was forked last.
inline constexpr std::size_t fork_page_bytes = 4096;

}    // namespace caisson
