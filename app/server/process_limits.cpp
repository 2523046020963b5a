#include "app/server/process_limits.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>

namespace caisson {

std::int64_t raise_descriptor_limit()
{
    ::rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1'024;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_max, 1 << 20));
}

server_config within_host(server_config config, std::int64_t most_descriptors)
{
    auto& range = config.limits.open_files;
    range.max = std::min(range.max, most_descriptors);
    range.def = std::min(range.def, range.max);
    range.min = std::min(range.min, range.max);
    constexpr std::int64_t part_of_each = 5;    // the rest is for clients and running sandboxes
    constexpr std::int64_t of_prepared = 16;
    constexpr std::int64_t of_started = 24;
    const auto most = [most_descriptors](std::int64_t of_one) { return most_descriptors / part_of_each / of_one; };
    config.bubblewrap.max_prepared = std::min(config.bubblewrap.max_prepared, most(of_prepared));
    const auto uids = config.bubblewrap.uid_count;
    config.pool.max = std::min({config.pool.max, most(of_started), uids / 4});
    config.pool.max_put_off = std::min({config.pool.max_put_off, most(of_started), uids / 8});
    return config;
}

void set_allocator_limits()
{
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
    ::mallopt(M_TRIM_THRESHOLD, 8 << 20);
    ::mallopt(M_ARENA_MAX, 4);
}

}    // namespace caisson
