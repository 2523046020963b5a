#include "app/config/load.hpp"

#include "adapters/host/host_memory.hpp"
#include "adapters/host/small_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <thread>

namespace caisson {

std::filesystem::path default_data_dir(const host_facts& host, const std::map<std::string, std::string>& environment)
{
    if (host.is_root)
        return "/var/lib/caisson";
    const auto value = [&environment](const char* name) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::filesystem::path() : std::filesystem::path(found->second);
    };
    // The base directory specification says to ignore a relative path.
    if (const auto state = value("XDG_STATE_HOME"); state.is_absolute())
        return state / "caisson";
    const auto home = value("HOME");
    return home.is_absolute() ? home / ".local/state/caisson" : std::filesystem::path();
}

host_facts this_host()
{
    constexpr std::size_t limit_bytes = 1 << 20;
    const auto text = [](const char* path) { return read_small_file(path, limit_bytes).value_or(""); };
    const system_cgroup_io groups;
    std::error_code failure;
    const auto executable = std::filesystem::read_symlink("/proc/self/exe", failure);
    return {.is_root = ::geteuid() == 0,
        .cores = std::max(1U, std::thread::hardware_concurrency()),
        .memory_bytes = usable_memory_bytes(groups, ::geteuid() == 0 ? groups_at::top : groups_at::own, text("/proc/meminfo"),
            text("/proc/self/mountinfo"), text("/proc/self/cgroup")),
        .executable_dir = executable.parent_path()};
}

std::map<std::string, std::string> this_environment()
{
    std::map<std::string, std::string> variables;
    for (char** variable = ::environ; *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        const auto equals = text.find('=');
        if (equals != std::string_view::npos)
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return variables;
}

}    // namespace caisson
