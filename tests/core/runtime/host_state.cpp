#include "tests/core/runtime/host_state.hpp"

#include "adapters/host/process.hpp"
#include "adapters/host/run_directory.hpp"

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

/// In the test's own directories, or where launchers mount in namespaces of their own; others come and go with what runs beside.
bool is_of_a_sandbox(const std::string& mount, const std::string& data_dir)
{
    const auto has = [&](const std::string& part) { return mount.find(part) != std::string::npos; };
    return has(data_dir) || has(" /tmp ") || has(" /tmp/work") || has(" /tmp/tmp") || has(" /tmp/shm") || has(" /tmp/tree") ||
           has(" /tmp/view") || has(" /tmp/proc");
}

std::size_t mounts_of_sandboxes(const std::string& data_dir)
{
    std::size_t count = 0;
    std::ifstream lines("/proc/self/mountinfo");
    for (std::string line; std::getline(lines, line);)
        count += is_of_a_sandbox(line, data_dir) ? 1 : 0;
    return count;
}

}    // namespace

host_state::host_state(runtime_world& world)
    : descriptors(entries_of("/proc/self/fd") - world.networks().size())
    , children(children_of(::getpid()).size())
    , run_directories(run_directory::list(world.data_dir() + "/run").size())
    , groups(world.groups().sandbox_names().size())
    , mounts(mounts_of_sandboxes(world.data_dir()))
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
