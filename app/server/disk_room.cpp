#include "app/server/disk_room.hpp"

#include "core/async/rounds.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <system_error>

namespace caisson {

namespace {

constexpr std::chrono::milliseconds between_looks{250};    // a fast disk writes less than the reserve in this time

/// Tenants that keep at least an equal share of the sum. None if the sum is less than `matters`: then something else fills the disk.
std::set<tenant_id> with_a_share(const std::map<tenant_id, std::int64_t>& kept, std::uint64_t matters)
{
    std::int64_t sum = 0;
    std::int64_t tenants = 0;
    for (const auto& [tenant, bytes] : kept) {
        sum += std::max<std::int64_t>(bytes, 0);
        tenants += bytes > 0 ? 1 : 0;
    }
    std::set<tenant_id> found;
    if (static_cast<std::uint64_t>(sum) < matters)
        return found;
    for (const auto& [tenant, bytes] : kept)
        if (bytes > 0 && bytes >= sum / tenants)
            found.insert(tenant);
    return found;
}

std::string mib(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}    // namespace

disk_space space_of(const std::filesystem::path& directory)
{
    std::error_code unknown;
    const auto space = std::filesystem::space(directory, unknown);
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return unknown ? disk_space{most, most} : disk_space{space.capacity, space.available};
}

task<> disk_room::run()
{
    return run_every<bool>(
        &use_.time, &use_.log, between_looks, "what the tenants keep cannot be found out; trying again", [this] { return look(); });
}

std::uint64_t disk_room::least_free(const disk_space& now) const
{
    constexpr std::uint64_t logs = 256 << 20;
    return now.total / 10 < logs ? 0 : std::min(least_free_bytes_, now.total / 10);
}

task<result<bool>> disk_room::look()
{
    last_ = use_.space();
    const bool is_low = last_.free < least_free(last_);
    if (!is_low && refused_.empty())
        co_return false;
    std::set<tenant_id> most;
    if (is_low) {
        const auto kept = co_await use_.kept();
        most = with_a_share(kept, least_free(last_));
        use_.make_room();
    }
    refuse(std::move(most));
    co_return is_low;
}

void disk_room::refuse(std::set<tenant_id> now)
{
    if (now == refused_)
        return;
    refused_ = std::move(now);
    if (refused_.empty())
        use_.log.info("the disk of the data directory has room again", {{"free_bytes", last_.free}});
    else
        use_.log.warning("the disk of the data directory is nearly full: tenants that keep most may store nothing more",
            {{"free_bytes", last_.free}, {"tenants", refused_.size()}});
    use_.changed();
}

result<void> disk_room::check(const tenant_id& tenant) const
{
    if (!refused_.contains(tenant))
        return {};
    return error{errc::runtime_unavailable, "the server's disk is nearly full: " + mib(last_.free) + " of " + mib(last_.total) +
                                                " are free, and this tenant keeps at least an equal share of what tenants keep; delete "
                                                "executions, files, skills or threads, or "
                                                "give the disk room"};
}

std::string disk_room::told() const
{
    return refused_.empty()
               ? std::string()
               : mib(last_.free) + " are free; " + std::to_string(refused_.size()) + " tenants that keep most may store nothing more";
}

}    // namespace caisson
