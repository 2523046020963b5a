#include "adapters/host/isolated_sandbox.hpp"

namespace caisson {

std::optional<disk_usage> isolated_sandbox::disk() const { return disk_at(record().work_directory); }

std::optional<disk_usage> isolated_sandbox::disk_at(const std::string& place) const { return measures_.disk_at(agent(), place); }

std::int64_t isolated_sandbox::uncounted_bytes(std::int64_t enough) const
{
    return measures_.uncounted_bytes(agent(), record().group, enough);
}

task<result<void>> isolated_sandbox::destroy()
{
    measures_.close();
    return local_sandbox::destroy();
}

void isolated_sandbox::release_uid()
{
    const bool own_lease = lease().has_value();
    local_sandbox::release_uid();
    if (!own_lease && record().uid)
        uids_.clear(*record().uid, id());
}

}    // namespace caisson
