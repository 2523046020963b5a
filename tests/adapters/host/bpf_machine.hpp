#pragma once

#include <cstdint>
#include <cstring>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <optional>
#include <string>
#include <vector>

namespace caisson::testing {

inline std::vector<sock_filter> instructions_of(const std::string& raw)
{
    std::vector<sock_filter> code(raw.size() / sizeof(sock_filter));
    std::memcpy(code.data(), raw.data(), raw.size());
    return code;
}

/// What the kernel would do with `call` under `code`, as SECCOMP_RET_*; nothing where it would not take the filter.
inline std::optional<std::uint32_t> run_filter(const std::vector<sock_filter>& code, const seccomp_data& call)
{
    std::uint32_t held = 0;
    for (std::size_t at = 0; at < code.size(); ++at) {
        const auto& now = code[at];
        const auto jump = [&](bool holds) { at += holds ? now.jt : now.jf; };
        switch (now.code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (now.k + sizeof held > sizeof call || now.k % sizeof held != 0)
                return std::nullopt;
            std::memcpy(&held, static_cast<const char*>(static_cast<const void*>(&call)) + now.k, sizeof held);
            break;
        case BPF_ALU | BPF_AND | BPF_K: held &= now.k; break;
        case BPF_JMP | BPF_JA: at += now.k; break;
        case BPF_JMP | BPF_JEQ | BPF_K: jump(held == now.k); break;
        case BPF_JMP | BPF_JGT | BPF_K: jump(held > now.k); break;
        case BPF_JMP | BPF_JGE | BPF_K: jump(held >= now.k); break;
        case BPF_JMP | BPF_JSET | BPF_K: jump((held & now.k) != 0); break;
        case BPF_RET | BPF_K: return now.k;
        default: return std::nullopt;
        }
    }
    return std::nullopt;
}

}    // namespace caisson::testing
