#pragma once

#include <cstddef>
#include <cstdint>

/// The protocol between the server and caisson-launch --serve, one SOCK_SEQPACKET message each: an order with the descriptors of the new
/// process (SCM_RIGHTS; a descriptor's index is its number there), then its answer.
namespace caisson {

/// Header of an order. NUL-terminated strings follow: the command line, then the environment.
struct fork_order {
    std::uint32_t arguments = 0;
    std::uint32_t variables = 0;
    std::uint32_t may_have_fresh_network = 0;    // 0: the child stays in the server's network namespace
    std::uint32_t is_first = 0;                  // the child is process 1 of a new pid namespace
    std::int32_t status = -1;                    // index in the descriptors: receives a line that names the failure, or nothing
    std::int32_t network = -1;                   // index likewise: used network namespace that the next child may get if it looks fresh
};

struct fork_answer {
    std::int32_t pid = 0;       // child of the server, not of the process that forked it
    std::int32_t failed = 0;    // errno; if set there is no process
};

inline constexpr std::size_t most_order_bytes = 64 * 1024;    // below the default send buffer (net.core.wmem_default)
inline constexpr std::size_t most_order_texts = 512;
inline constexpr std::size_t most_order_descriptors = 128;    // one message can carry 253 (unix(7))
/// Shared memory that begins with a pid_t: the last forked process.
inline constexpr std::size_t fork_page_bytes = 4096;

}    // namespace caisson
