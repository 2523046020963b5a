#pragma once

#include <cstdint>
#include <linux/filter.h>
#include <vector>

namespace caisson {

/// How 32 bits of an argument compare with `value`: equal, unequal, greater (unsigned), or any of its bits set.
enum class comparison : std::uint8_t { equals, differs, above, has_any };

/// A condition on one argument of a system call. The kernel reads most arguments as 32 bits, so a test covers one half: bits that the
/// kernel ignores do not count.
struct argument_test {
    unsigned argument;    // 0 to 5
    comparison how;
    std::uint32_t value;
    std::uint32_t mask = 0xffff'ffff;    // bits to compare; all of them for has_any
    bool upper_half = false;
    bool operator==(const argument_test&) const = default;
};

/// Answer: pass the call to the kernel.
inline constexpr int kernel_judges = -1;

struct argument_rule {
    std::vector<argument_test> when;    // all must hold; empty: always
    int answer;                         // an errno; 0: the call returns 0 and does nothing; kernel_judges
};

/// The first matching rule decides. If none matches, the kernel does.
struct filtered_call {
    std::uint32_t number;
    std::vector<argument_rule> rules;
};

/// Compiles a filter for seccomp(2). libseccomp does not order a call's rules and cannot test for any of several bits; matching the
/// kernel's answers needs both, and the result is shorter. Calls absent from `calls` pass to the kernel. Calls of other architectures than
/// `architecture` (AUDIT_ARCH_*, little-endian), and of x32 on x86_64, get ENOSYS: a kill would write to the host's log. Throws
/// std::invalid_argument if `calls` has a number twice or a rule exceeds the range of a jump.
std::vector<sock_filter> seccomp_program(std::uint32_t architecture, std::vector<filtered_call> calls);

}    // namespace caisson
