#include "core/threads/retention_rules.hpp"

#include <string_view>
#include <unordered_map>

namespace caisson {

namespace {

/// The path from a checkpoint to its nearest kept ancestor.
struct way_back {
    std::optional<checkpoint_id> to;
    std::int64_t gap = 0;    // number of checkpoints between
};

bool is_over(const retention_candidate& checkpoint, const retention_policy& policy, std::int64_t now_ms)
{
    return policy.ttl_ms && checkpoint.created_at_ms <= now_ms - *policy.ttl_ms;
}

}    // namespace

retention_plan plan_retention(std::span<const retention_candidate> checkpoints, const retention_policy& policy, std::int64_t now_ms)
{
    std::vector<bool> goes(checkpoints.size());
    for (std::size_t i = 0; i + 1 < checkpoints.size(); ++i) {
        const auto& checkpoint = checkpoints[i];
        const auto newer = static_cast<std::int64_t>(checkpoints.size() - 1 - i);
        goes[i] = !checkpoint.pinned && !checkpoint.needed && (newer >= policy.max_checkpoints || is_over(checkpoint, policy, now_ms));
    }
    return plan_removal(checkpoints, goes);
}

retention_plan plan_removal(std::span<const retention_candidate> checkpoints, const std::vector<bool>& goes)
{
    retention_plan plan;
    std::unordered_map<std::string_view, way_back> dropped;    // each dropped checkpoint with its path to a kept one
    for (std::size_t i = 0; i < checkpoints.size(); ++i) {
        const auto& checkpoint = checkpoints[i];
        way_back way{checkpoint.parent, checkpoint.gap};
        const auto parent = checkpoint.parent ? dropped.find(checkpoint.parent->str()) : dropped.end();
        if (parent != dropped.end())
            way = {parent->second.to, checkpoint.gap + 1 + parent->second.gap};
        if (goes[i]) {
            plan.dropped.push_back(checkpoint.id);
            dropped.emplace(checkpoint.id.str(), std::move(way));
        } else if (parent != dropped.end()) {
            plan.relinked.push_back({checkpoint.id, std::move(way.to), way.gap});
        }
    }
    return plan;
}

}    // namespace caisson
