#include "core/exec/ending.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sys/wait.h>

namespace caisson {

namespace {

constexpr std::string_view no_memory_left =
    "the host, or the server's sandboxes together, had no memory left, and the kernel ended the program, which was "
    "below limits.memory_bytes";

bool killed_for_memory(const ending_facts& facts) { return facts.killed_for_memory || facts.uncounted_limit; }

/// The kernel killed in the group for memory, and the server then the rest: either may have been the leader's end. One that came
/// to an end of its own before is not ended by it, even if the server's kill is on its way.
bool ended_for_memory(const ending_facts& facts)
{
    if (!killed_for_memory(facts) && facts.group.oom_kills == 0)
        return false;
    return !facts.wait_status || (WIFSIGNALED(*facts.wait_status) && WTERMSIG(*facts.wait_status) == SIGKILL);
}

/// CPU time is looked at from time to time: what was measured at the end decides.
bool out_of_cpu_time(const ending_facts& facts, const execution_limits& limits)
{
    return facts.cpu_limit || (limits.cpu_ms > 0 && facts.group.cpu_us.value_or(0) >= limits.cpu_ms * 1000);
}

verdict decide_verdict(const ending_facts& facts, const execution_limits& limits)
{
    if (!facts.fault.empty())
        return verdict::runtime_error;
    if (facts.cancelled)
        return verdict::cancelled;
    const bool ended_by_limit = facts.output_limit || killed_for_memory(facts) || facts.wall_limit || facts.cpu_limit;
    // Where memory ends the whole sandbox, the agent cannot tell it any more: the group does.
    const bool agent_died_of_memory = facts.group.oom_kills > 0;
    if (!facts.wait_status && !ended_by_limit && !agent_died_of_memory)
        return verdict::lost;
    if (facts.output_limit)
        return verdict::output_limit;
    if (ended_for_memory(facts))
        return facts.group.oom_outside && !facts.uncounted_limit ? verdict::lost : verdict::memory_limit;
    if (facts.wall_limit)
        return verdict::wall_limit;
    if (out_of_cpu_time(facts, limits))
        return verdict::cpu_limit;
    return WIFSIGNALED(*facts.wait_status) ? verdict::signaled : verdict::exited;
}

std::vector<limit_kind> limits_hit(const ending_facts& facts)
{
    std::vector<limit_kind> hit;
    if (facts.uncounted_limit || (!facts.group.oom_outside && (facts.group.oom_kills > 0 || facts.killed_for_memory)))
        hit.push_back(limit_kind::memory);
    if (facts.group.pids_refused > 0)
        hit.push_back(limit_kind::pids);
    if (facts.disk && facts.disk->bytes_exhausted)
        hit.push_back(limit_kind::disk);
    if (facts.disk && facts.disk->inodes_exhausted)
        hit.push_back(limit_kind::inodes);
    if (facts.output_cut)
        hit.push_back(limit_kind::output);
    return hit;
}

/// An agent that did not tell the end may not have sent all that it had, or have read all: nobody knows how much that was.
std::string memory_sentence(const ending_facts& facts, const execution_limits& limits)
{
    std::string text = "the program needed more memory than limits.memory_bytes (" + std::to_string(limits.memory_bytes) + " bytes)";
    if (facts.uncounted_limit && facts.group.oom_kills == 0)
        text = "the program had more than " + std::to_string(most_uncounted_bytes >> 20) +
               " MiB of netlink and UDP sockets, messages unread in them, and record locks, each counted as 1 KiB";
    if (!facts.wait_status)
        text += "; its sandbox did not tell its end, so the last of its output may be missing";
    return text;
}

std::string sentence(verdict value, const ending& end, const ending_facts& facts, const execution_limits& limits)
{
    switch (value) {
    case verdict::exited: return *end.exit_code == 0 ? "" : "the program exited with code " + std::to_string(*end.exit_code);
    case verdict::signaled: return "the program was ended by signal " + std::to_string(*end.signal) + " (" + ::strsignal(*end.signal) + ")";
    case verdict::wall_limit: return "the program ran longer than limits.wall_ms (" + std::to_string(limits.wall_ms) + " ms)";
    case verdict::cpu_limit: return "the program used more CPU time than limits.cpu_ms (" + std::to_string(limits.cpu_ms) + " ms)";
    case verdict::memory_limit: return memory_sentence(facts, limits);
    case verdict::output_limit:
        return "the program wrote more than limits.max_output_bytes (" + std::to_string(limits.max_output_bytes) + " bytes)";
    case verdict::cancelled: return "the execution was cancelled";
    case verdict::lost:
        if (facts.group.oom_outside && ended_for_memory(facts))
            return std::string(no_memory_left) + (facts.lost.empty() ? "" : "; " + facts.lost);
        return facts.lost.empty() ? "the end of the program was not seen" : facts.lost;
    case verdict::runtime_error: return facts.fault;
    }
    return "";
}

}    // namespace

group_usage usage_since(group_usage now, const group_usage& before)
{
    if (now.cpu_us)
        now.cpu_us = std::max<std::int64_t>(0, *now.cpu_us - before.cpu_us.value_or(0));
    now.oom_kills = std::max<std::int64_t>(0, now.oom_kills - before.oom_kills);
    now.oom_outside = now.oom_outside && now.oom_kills > 0;
    now.pids_refused = std::max<std::int64_t>(0, now.pids_refused - before.pids_refused);
    return now;
}

execution_status status_of(verdict value, std::optional<int> exit_code)
{
    switch (value) {
    case verdict::exited: return exit_code == 0 ? execution_status::success : execution_status::failed;
    case verdict::wall_limit:
    case verdict::cpu_limit: return execution_status::timeout;
    case verdict::cancelled: return execution_status::cancelled;
    case verdict::lost: return execution_status::interrupted;
    case verdict::signaled:
    case verdict::memory_limit:
    case verdict::output_limit:
    case verdict::runtime_error: break;
    }
    return execution_status::failed;
}

void note_disk(std::optional<disk_usage>& seen, const std::optional<disk_usage>& now)
{
    if (!now)
        return;
    const auto before = seen.value_or(disk_usage{});
    seen = {before.bytes_exhausted || now->bytes_exhausted, before.inodes_exhausted || now->inodes_exhausted, now->bytes_used};
}

ending decide_ending(const ending_facts& facts, const execution_limits& limits)
{
    if (facts.compile)
        return *facts.compile;
    ending end;
    if (facts.wait_status && WIFEXITED(*facts.wait_status))
        end.exit_code = WEXITSTATUS(*facts.wait_status);
    if (facts.wait_status && WIFSIGNALED(*facts.wait_status))
        end.signal = WTERMSIG(*facts.wait_status);
    end.verdict = decide_verdict(facts, limits);
    end.status = status_of(end.verdict, end.exit_code);
    end.limits_hit = limits_hit(facts);
    end.error = sentence(end.verdict, end, facts, limits);
    return end;
}

}    // namespace caisson
