#pragma once

namespace caisson {

/// For oom_score_adj of proc(5), -1000 to 1000: where the host has no memory left, the kernel ends the largest program of a sandbox before
/// the server and all else.
inline constexpr int sandbox_oom_score_adj = 900;

/// Pseudo terminals that a sandbox of caisson-launch can open at once. The host has one number for all sandboxes: kernel.pty.max without
/// kernel.pty.reserve, 3,072 by default.
inline constexpr int most_terminals = 64;

}    // namespace caisson
