#include "adapters/containers/foreign_servers.hpp"

#include "adapters/containers/container_plan.hpp"

namespace caisson::docker {

std::vector<foreign_server> foreign_servers_of(const std::vector<container_summary>& all, const std::string& prefix, const std::string& own)
{
    std::map<std::string, foreign_server> found;
    for (const auto& each : all) {
        const auto instance = each.labels.find(instance_label);
        if (instance == each.labels.end() || instance->second.empty() || instance->second == own || !each.name.starts_with(prefix))
            continue;
        auto& server = found[instance->second];
        server.instance = instance->second;
        ++server.containers;
        if (each.state == container_state::running || each.state == container_state::paused)
            ++server.running;
    }
    std::vector<foreign_server> out;
    for (auto& [instance, server] : found)
        out.push_back(std::move(server));
    return out;
}

}    // namespace caisson::docker
