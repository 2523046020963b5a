#include "adapters/engine/container_status.hpp"

#include <algorithm>
#include <csignal>

namespace caisson::docker {

namespace {

constexpr std::int64_t killed_exit = 128 + SIGKILL;
constexpr std::int64_t fatal_exit = 2;    // of Go's runtime: gVisor's kernel exits so if the host killed a process that runs its programs
constexpr const char* out_of_memory = "the container ran out of memory and its agent was killed";
constexpr const char* out_of_threads =
    "the agent exited with status 2 after the container had met its limit of processes and threads (limits.pids)";

/// True if the host may have killed the agent, gVisor's kernel or one of its processes for lack of memory.
bool may_lack_memory(std::int64_t exit_code) { return exit_code == killed_exit || exit_code == fatal_exit; }

/// True if gVisor's kernel ended because the host refused it another thread.
bool lacked_threads(std::int64_t exit_code, const group_usage& usage) { return exit_code == fatal_exit && usage.pids_refused > 0; }

bool may_run(container_state state)
{
    return state != container_state::exited && state != container_state::dead && state != container_state::removing;
}

void raise(std::optional<std::int64_t>& known, const std::optional<std::int64_t>& seen)
{
    if (seen)
        known = std::max(known.value_or(0), *seen);
}

}    // namespace

void container_status::note(const container_event& event)
{
    if (event.action == "oom") {
        usage_.oom_kills = std::max(usage_.oom_kills, ++oom_events_);
    } else if (event.action == "pause") {
        paused_ = true;
    } else if (event.action == "unpause") {
        paused_ = false;
    } else if (event.action == "kill") {
        const auto signal = event.attributes.find("signal");
        killed_by_ = signal == event.attributes.end() ? "9" : signal->second;
    } else if (event.action == "destroy") {
        removed_ = wants_look_ = true;
    } else if (event.action == "die") {
        wants_look_ = true;
    }
    wants_look_ = wants_look_ || unexplained_;
}

void container_status::note_look(const result<container_info>& found)
{
    const bool gone = found.has_error() && found.error().code == errc::not_found;
    if (found.has_error() && !gone)
        return;
    wants_look_ = false;
    if (found.has_value() && found->oom_killed)    // true for any of its processes since its start
        usage_.oom_kills = std::max<std::int64_t>(usage_.oom_kills, 1);
    if (found.has_value() && may_run(found->state)) {
        paused_ = found->state == container_state::paused;
        engine_was_lost_ = false;
        return;
    }
    if (cause_ && !unexplained_)
        return;
    cause_ = cause_of(found);
    unexplained_ = is_unexplained(found);
}

void container_status::note_gone(const error& asked)
{
    if (cause_)
        return;
    if (!ended_here_ && !removed_ && !killed_by_.empty())
        cause_ = killed_from_outside();
    else if (ended_here_ || removed_ || usage_.oom_kills > 0)
        cause_ = cause_of(asked);
    else
        cause_ = cause_of_end(asked, engine_since::the_same);
}

std::string container_status::killed_from_outside() const
{
    return "the container was killed from outside, or by the engine as it stopped (signal " + killed_by_ + ")";
}

std::string container_status::cause_of(const result<container_info>& found) const
{
    if (ended_here_)
        return "this server ended the container";
    if (removed_ || found.has_error())
        return usage_.oom_kills > 0 ? out_of_memory : "the container was removed from outside";
    const bool explained = found->oom_killed || engine_was_lost_ || found->state == container_state::removing;
    if (may_lack_memory(found->exit_code) && killed_by_.empty() && !explained && usage_.oom_kills > 0)
        return out_of_memory;
    if (!killed_by_.empty() && !explained)
        return killed_from_outside();
    if (lacked_threads(found->exit_code, usage_) && !explained && found->error.empty())
        return out_of_threads;
    return cause_of_end(found, engine_was_lost_ ? engine_since::another : engine_since::the_same);
}

bool container_status::is_unexplained(const result<container_info>& found) const
{
    return found.has_value() && found->state != container_state::removing && may_lack_memory(found->exit_code) && !found->oom_killed &&
           usage_.oom_kills == 0 && killed_by_.empty() && !engine_was_lost_ && !ended_here_ && !removed_;
}

void container_status::note_usage(const group_usage& seen)
{
    raise(usage_.cpu_us, seen.cpu_us);
    raise(usage_.memory_peak_bytes, seen.memory_peak_bytes);
    raise(usage_.pids_peak, seen.pids_peak);
    if (seen.oom_kills > usage_.oom_kills || (seen.oom_kills > 0 && !seen_oom_))
        usage_.oom_outside = seen.oom_outside;
    seen_oom_ = seen_oom_ || seen.oom_kills > 0;
    usage_.oom_kills = std::max(usage_.oom_kills, seen.oom_kills);
    usage_.pids_refused = std::max(usage_.pids_refused, seen.pids_refused);
}

}    // namespace caisson::docker
