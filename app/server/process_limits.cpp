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
    constexpr std::int64_t part_of_prepared = 4;    // the others are for clients and for what runs
    constexpr std::int64_t descriptors_of_one = 16;
    config.bubblewrap.max_prepared = std::min(config.bubblewrap.max_prepared, most_descriptors / part_of_prepared / descriptors_of_one);
    return config;
}

void set_allocator_limits()
{
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
    ::mallopt(M_TRIM_THRESHOLD, 8 << 20);
    ::mallopt(M_ARENA_MAX, 4);
}

}    // namespace caisson
