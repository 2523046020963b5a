#include "app/server/run_place.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace caisson {

namespace {

constexpr mode_t own_mode = 0700;

bool is_in_memory(const std::string& path)
{
    struct statfs seen{};
    return ::statfs(path.c_str(), &seen) == 0 && seen.f_type == TMPFS_MAGIC;
}

/// /dev/shm is writable by all: only a directory that root alone can use is accepted.
bool is_own_directory(const std::string& path)
{
    struct stat seen{};
    return ::lstat(path.c_str(), &seen) == 0 && S_ISDIR(seen.st_mode) && seen.st_uid == 0 && (seen.st_mode & 0777) == own_mode;
}

struct place {
    const char* memory;
    const char* parent;
    const char* directory;
};
/// In order of preference. The second is for containers, whose /run is on their disk.
constexpr place known_places[] = {{"/run", "/run/caisson", "/run/caisson/run"}, {"/dev/shm", "/dev/shm", "/dev/shm/caisson-run"}};

bool can_be_used(const place& of)
{
    if (!is_in_memory(of.memory))
        return false;
    constexpr mode_t for_all = 0755;
    if (::mkdir(of.parent, for_all) != 0 && errno != EEXIST)
        return false;
    const bool there = ::mkdir(of.directory, own_mode) == 0 || errno == EEXIST;
    return there && is_own_directory(of.directory) && is_in_memory(of.directory);
}

std::string path_in(const place& of, const std::string& instance) { return std::string(of.directory) + "/" + instance; }

}    // namespace

run_place::run_place(const std::string& instance)
{
    if (::geteuid() != 0)
        return;
    const auto is_there = [&](const place& each) { return is_own_directory(path_in(each, instance)) && is_own_directory(each.directory); };
    const auto* chosen = std::ranges::find_if(known_places, is_there);    // used by an earlier server
    if (chosen == std::end(known_places))
        chosen = std::ranges::find_if(known_places, can_be_used);
    if (chosen == std::end(known_places))
        return;
    auto path = path_in(*chosen, instance);
    if (::mkdir(path.c_str(), own_mode) == 0 || errno == EEXIST)
        path_ = std::move(path);
}

run_place::~run_place()
{
    if (!path_.empty())
        ::rmdir(path_.c_str());
}

std::vector<std::string> run_place::candidates(const std::string& instance)
{
    std::vector<std::string> found;
    for (const auto& each : known_places)
        found.push_back(path_in(each, instance));
    return found;
}

void run_place::clear(const std::string& instance) noexcept
try {
    for (const auto& each : candidates(instance))
        ::rmdir(each.c_str());
} catch (const std::exception&) {
    // Out of memory: the next sweep removes them.
}

}    // namespace caisson
