#include "adapters/engine/create_warnings.hpp"

#include <algorithm>

namespace caisson::docker {

namespace {

constexpr std::size_t most_remembered = 64;

std::string lower(std::string_view text)
{
    std::string out(text);
    for (char& each : out)
        if (each >= 'A' && each <= 'Z')
            each = static_cast<char>(each - 'A' + 'a');
    return out;
}

/// The first rule whose words occur in a warning applies.
struct rule {
    std::string_view words;
    unsigned lost;
};

constexpr rule rules[] = {
    {"swappiness", 0},    // not requested, as are the next three
    {"soft limit", 0},
    {"kernel memory", 0},
    {"oomkilldisable", 0},
    {"block i/o", 0},    // the limit of disk reads: not essential
    {"swap limit", container_limit::swap},
    {"without swap", container_limit::swap},
    {"resource limits", container_limit::all},    // rootless engines
    {"memory limit", container_limit::memory},
    {"pids limit", container_limit::pids},
    {"pidslimit", container_limit::pids},
    {"cpu cfs", container_limit::cpu},
    {"cpu quota", container_limit::cpu},
    {"cpu period", container_limit::cpu},
    {"nanocpus", container_limit::cpu},
};

}    // namespace

unsigned limits_lost_by(std::string_view warning)
{
    const auto text = lower(warning);
    const auto found = std::ranges::find_if(rules, [&](const rule& each) { return text.find(each.words) != std::string::npos; });
    return found == std::end(rules) ? 0 : found->lost;
}

result<void> create_warnings::take(const std::vector<std::string>& warnings, unsigned needed)
{
    result<void> outcome;
    for (const auto& each : warnings) {
        if (said_.size() < most_remembered && said_.insert(each).second)
            log_.warning("the engine warns of the containers that it makes", {{"warning", each}});
        if (outcome.has_value() && (limits_lost_by(each) & needed) != 0)
            outcome = error{errc::runtime_unavailable, "the engine does not hold containers to their limits: " + each};
    }
    return outcome;
}

}    // namespace caisson::docker
