#include "adapters/engine/container_end.hpp"

#include <csignal>

namespace caisson::docker {

namespace {

constexpr std::int64_t signal_base = 128;    // a container killed by a signal exits with this plus the signal's number

std::string of_exit(std::int64_t code)
{
    if (code <= signal_base)
        return "the agent exited with status " + std::to_string(code);
    auto text = "the agent was killed by signal " + std::to_string(code - signal_base);
    if (code == signal_base + SIGKILL)    // programs in the container cannot send SIGKILL to the agent
        text += ": the container was killed from outside, or by the engine as it stopped (exit " + std::to_string(code) + ")";
    return text;
}

}    // namespace

std::string cause_of_end(const result<container_info>& found, engine_since engine)
{
    if (found.has_error() && found.error().code == errc::not_found)
        return "the container was removed from outside";
    if (found.has_error())
        return "the agent ended while the engine was away, which ends its containers when it stops: " + found.error().detail;
    if (found->oom_killed)
        return "the container ran out of memory and its agent was killed";
    if (found->state == container_state::removing)
        return "the container was removed from outside";
    if (engine == engine_since::another)
        return "the engine ended the container when it was restarted (exit " + std::to_string(found->exit_code) + ")";
    if (!found->error.empty())
        return "the engine ended the container: " + found->error;
    if (found->pid != 0)
        return "the agent ended";    // the engine has not noticed yet
    return of_exit(found->exit_code);
}

}    // namespace caisson::docker
