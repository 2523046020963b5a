#include "adapters/host/chroot.hpp"

#include "adapters/host/cgroup/kernel_text.hpp"
#include "adapters/host/small_file.hpp"

#include <algorithm>
#include <sys/stat.h>

namespace caisson {

namespace {

bool are_the_same(const char* one, const char* other)
{
    struct stat first{};
    struct stat second{};
    return ::stat(one, &first) != 0 || ::stat(other, &second) != 0 || (first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}

/// True if this line of mountinfo is a mount at the root directory (fifth field).
bool is_root_mount(std::string_view line)
{
    for (int skipped = 0; skipped < 4; ++skipped)
        line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
    return line.starts_with("/ ");
}

}    // namespace

root_facts real_root_facts()
{
    constexpr std::size_t longest = std::size_t{4} << 20;
    return {.mountinfo = read_small_file("/proc/self/mountinfo", longest).value_or(""),
        .shares_mounts_with_init = are_the_same("/proc/self/ns/mnt", "/proc/1/ns/mnt"),
        .has_root_of_init = are_the_same("/", "/proc/1/root/.")};
}

bool is_chroot(const root_facts& facts)
{
    if (facts.mountinfo.empty())
        return false;
    std::string_view rest = facts.mountinfo;
    bool has_root_mount = false;
    while (!rest.empty() && !has_root_mount)
        has_root_mount = is_root_mount(take_line(rest));
    return !has_root_mount || (facts.shares_mounts_with_init && !facts.has_root_of_init);
}

}    // namespace caisson
