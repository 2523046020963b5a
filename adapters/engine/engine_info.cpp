#include "adapters/engine/engine_info.hpp"

#include "adapters/engine/engine_error.hpp"

#include <boost/json/object.hpp>

namespace caisson::docker {

result<engine_info> engine_info_from(const boost::json::value& json, const engine_version& of, api_version spoken)
{
    const auto* const object = json.if_object();
    const auto* const memory = object == nullptr ? nullptr : object->if_contains("MemTotal");
    if (memory == nullptr || !memory->is_int64())
        return not_an_engine("what it tells of itself is not understood");
    engine_info out{.version = of.version, .api_version = spoken.str(), .architecture = of.architecture, .cgroup_version = "1"};
    out.memory_bytes = memory->get_int64();
    if (const auto* cgroups = object->if_contains("CgroupVersion"); cgroups != nullptr && cgroups->is_string())    // older engines: v1 only
        out.cgroup_version = std::string(cgroups->get_string());
    if (const auto* live = object->if_contains("LiveRestoreEnabled"); live != nullptr && live->is_bool())
        out.live_restore = live->get_bool();
    if (const auto* runtimes = object->if_contains("Runtimes"); runtimes != nullptr && runtimes->is_object())
        for (const auto& [name, how] : runtimes->get_object())
            out.runtimes.emplace_back(name);
    return out;
}

}    // namespace caisson::docker
