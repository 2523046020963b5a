#include "adapters/host/remove_tree.hpp"

#include "adapters/host/cgroup/cgroup_mounts.hpp"
#include "adapters/host/small_file.hpp"
#include "core/base/unique_fd.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <ranges>
#include <sstream>
#include <sys/mount.h>
#include <sys/stat.h>
#include <vector>

namespace caisson {

namespace {

std::vector<std::string> names_in(int directory)
{
    std::vector<std::string> names;
    const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, int (*)(DIR*)> open(copy < 0 ? nullptr : ::fdopendir(copy), ::closedir);
    while (const dirent* entry = open ? ::readdir(open.get()) : nullptr) {
        const std::string name(entry->d_name);
        if (name != "." && name != "..")
            names.push_back(name);
    }
    return names;
}

unique_fd open_directory(int parent, const std::string& name)
{
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    unique_fd opened(::openat(parent, name.c_str(), flags));
    if (!opened && errno == EACCES && ::fchmodat(parent, name.c_str(), 0700, 0) == 0)
        opened.reset(::openat(parent, name.c_str(), flags));
    return opened;
}

int move_up(int top, int directory, const std::string& name, std::uint64_t& next_name)
{
    bool widened = false;
    for (;;) {
        const auto moved = ".removed-" + std::to_string(next_name++);
        if (::renameat2(directory, name.c_str(), top, moved.c_str(), RENAME_NOREPLACE) == 0)
            return 0;
        if (errno == EEXIST)
            continue;
        // Moving a directory requires write permission in it, to change its parent.
        if (errno != EACCES || std::exchange(widened, true) || ::fchmodat(directory, name.c_str(), 0700, 0) != 0)
            return errno;
    }
}

/// Empties one directory: deletes its files and moves its non-empty directories up into `top`, to be emptied later.
int empty_directory(int top, int directory, std::uint64_t& next_name)
{
    ::fchmod(directory, 0700);
    for (const auto& name : names_in(directory)) {
        if (::unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT)
            continue;
        if (::unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0)
            continue;
        if (errno != ENOTEMPTY && errno != EEXIST)
            return errno;
        if (const int failed = move_up(top, directory, name, next_name); failed != 0)
            return failed;
    }
    return 0;
}

int empty_top(int top)
{
    std::uint64_t next_name = 0;
    for (;;) {
        const auto names = names_in(top);
        if (names.empty())
            return 0;
        for (const auto& name : names) {
            if (::unlinkat(top, name.c_str(), 0) == 0 || ::unlinkat(top, name.c_str(), AT_REMOVEDIR) == 0)
                continue;
            const auto directory = open_directory(top, name);
            if (!directory)
                return errno;
            const int failed = empty_directory(top, directory.get(), next_name);
            if (failed != 0)
                return failed;
            if (::unlinkat(top, name.c_str(), AT_REMOVEDIR) != 0)
                return errno;
        }
    }
}

}    // namespace

int remove_tree(const std::string& path)
{
    const auto top = open_directory(AT_FDCWD, path);
    if (!top)
        return errno == ENOENT ? 0 : errno;
    const int failed = empty_top(top.get());
    if (failed != 0)
        return failed;
    return ::rmdir(path.c_str()) == 0 || errno == ENOENT ? 0 : errno;
}

void unmount_below(const std::string& path) noexcept
try {
    std::error_code failed;
    const auto top = std::filesystem::canonical(path, failed).string() + "/";
    constexpr std::size_t longest = 4 << 20;
    std::istringstream lines(read_small_file("/proc/self/mountinfo", longest).value_or(""));
    std::vector<std::string> below;
    for (std::string line; !failed && std::getline(lines, line);) {
        auto place = mount_point_of(line);
        if (place.starts_with(top))
            below.push_back(std::move(place));
    }
    for (const auto& place : std::views::reverse(below))
        ::umount2(place.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
} catch (const std::exception&) {
    // Out of memory: the caller notices that it is still mounted.
}

}    // namespace caisson
