#pragma once

#include <cstdint>
#include <linux/filter.h>
#include <vector>

namespace caisson {

/// How 32 bits of an argument compare with `value`: whether they are it, are not it, are above it (unsigned), or have any of its bits.
enum class comparison : std::uint8_t { equals, differs, above, has_any };

/// A condition on one argument of a system call. The kernel reads most arguments as 32 bits, so a test sees one half of an argument only:
/// bits that the kernel ignores do not count.
struct argument_test {
    unsigned argument;    // 0 to 5
    comparison how;
    std::uint32_t value;
    std::uint32_t mask = 0xffff'ffff;    // bits that are compared; all for has_any
    bool upper_half = false;
    bool operator==(const argument_test&) const = default;
};

/// The answer where the kernel decides.
inline constexpr int kernel_judges = -1;

struct argument_rule {
    std::vector<argument_test> when;    // all must hold; empty: always
    int answer;                         // an errno; 0: the call returns 0 and does nothing; kernel_judges
};

/// The first rule that holds decides; if none does, the kernel.
struct filtered_call {
    std::uint32_t number;
    std::vector<argument_rule> rules;
};

/// A filter for seccomp(2), made here and not by libseccomp, whose rules for a call have no order and cannot ask whether some bit is set:
/// answers as the kernel's need both, and come out shorter so. In it the kernel judges every call that is not in `calls`. Calls of another
/// architecture than `architecture` (AUDIT_ARCH_*, little-endian), and those of x32 on x86_64, get ENOSYS: being killed would write to the
/// host's log. Throws std::invalid_argument if two of `calls` have the same number, or if a rule is too long for its jumps.
std::vector<sock_filter> seccomp_program(std::uint32_t architecture, std::vector<filtered_call> calls);

}    // namespace caisson
