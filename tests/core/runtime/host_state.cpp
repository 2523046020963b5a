#include "tests/core/runtime/host_state.hpp"

#include "core/adapters/spawn/process.hpp"
#include "core/adapters/spawn/run_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace caisson::testing {

namespace {

std::size_t entries_of(const std::string& directory)
{
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
}

/// They come and go with the tests that run beside.
bool is_of_an_engine(const std::string& mount)
{
    const auto has = [&](const char* part) { return mount.find(part) != std::string::npos; };
    return has("/overlay2/") || has("/netns/") || has("/containers/") || has("/io.containerd.");
}

std::size_t mounts_of_sandboxes()
{
    std::size_t count = 0;
    std::ifstream lines("/proc/self/mountinfo");
    for (std::string line; std::getline(lines, line);)
        count += is_of_an_engine(line) ? 0 : 1;
    return count;
}

}    // namespace

host_state::host_state(runtime_world& world)
    : descriptors(entries_of("/proc/self/fd"))
    , children(children_of(::getpid()).size())
    , run_directories(run_directory::list(world.data_dir()).size())
    , groups(world.groups().sandbox_names().size())
    , mounts(mounts_of_sandboxes())
{
    if (std::filesystem::exists(world.uid_lock_dir()))
        uid_locks = entries_of(world.uid_lock_dir());
    if (world.has_engine())
        containers = world.run(world.count_containers());
}

void PrintTo(const host_state& seen, std::ostream* out)
{
    *out << seen.descriptors << " descriptors, " << seen.children << " children, " << seen.run_directories << " run directories, "
         << seen.groups << " groups, " << seen.mounts << " mounts, " << seen.uid_locks << " uid locks, " << seen.containers
         << " containers";
}

}    // namespace caisson::testing
