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

void set_allocator_limits()
{
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
    ::mallopt(M_TRIM_THRESHOLD, 8 << 20);
    ::mallopt(M_ARENA_MAX, 4);
}

}    // namespace caisson
