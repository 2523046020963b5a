#pragma once

#include "core/exec/types.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// How an execution ended, as recorded.
struct ending {
    execution_status status = execution_status::failed;
    caisson::verdict verdict = caisson::verdict::exited;
    std::vector<limit_kind> limits_hit;
    std::optional<int> exit_code;
    std::optional<int> signal;
    std::string error;    // empty on success
};

/// So much may netlink and UDP sockets and record locks take, of whose memory groups count a part at most. Programs that ask for the
/// network's settings need some 100 KiB.
inline constexpr std::int64_t most_uncounted_bytes = 16 << 20;

/// What was seen of an execution's end. The verdict is decided from these alone, never from a signal number alone.
struct ending_facts {
    std::optional<int> wait_status;    // wait(2) status of the leader, if it is known
    bool wall_limit = false;           // the agent, or the server as its backstop, ended it at its wall limit
    bool cpu_limit = false;            // the group's CPU time reached cpu_ms and the server killed it
    bool output_limit = false;         // max_output_bytes was passed and the server killed it, as asked
    bool killed_for_memory = false;    // the server killed the group after the kernel had killed in it for memory
    bool uncounted_limit = false;      // sockets and locks took most_uncounted_bytes and the server killed it
    bool cancelled = false;            // a cancel was asked for before the end
    bool output_cut = false;           // max_output_bytes was passed
    group_usage group;
    std::optional<disk_usage> disk;             // full at any look
    std::string lost;                           // why nothing more can be known: the agent is gone, for example
    std::string fault;                          // why the runtime could not start or run it
    std::optional<attempt_fault> host_fault;    // with `fault`: what failed before a program was handed over
    bool host_to_blame = false;                 // with `lost`: nothing in the sandbox can have ended its agent
    bool can_repeat = true;                     // false: what failed would fail again
    std::optional<ending> compile;              // there was no program: how its compilation failed
};

/// What a group's readings say since `before`; the peaks are of all time.
group_usage usage_since(group_usage now, const group_usage& before);

/// The status that goes with a verdict.
execution_status status_of(verdict value, std::optional<int> exit_code);

/// Adds a look at the disk to the former ones: a program may have made room since.
void note_disk(std::optional<disk_usage>& seen, const std::optional<disk_usage>& now);

/// The rules of docs/architecture.md "Verdicts".
ending decide_ending(const ending_facts& facts, const execution_limits& limits);

}    // namespace caisson
