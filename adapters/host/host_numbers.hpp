#pragma once

namespace caisson {

/// oom_score_adj of sandboxes (proc(5), -1000 to 1000): when the host runs out of memory, the kernel kills a sandbox's largest program
/// first.
inline constexpr int sandbox_oom_score_adj = 900;

/// Pseudo terminals that a sandbox of caisson-launch can open at once. All sandboxes share the host's limit: kernel.pty.max minus
/// kernel.pty.reserve, 3,072 by default.
inline constexpr int most_terminals = 64;

}    // namespace caisson
