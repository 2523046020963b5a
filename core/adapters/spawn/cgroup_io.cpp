#include "core/adapters/spawn/cgroup_io.hpp"

#include "core/adapters/spawn/small_file.hpp"

#include <cerrno>
#include <csignal>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson {

int system_cgroup_io::make_directory(const std::string& path) { return ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST ? 0 : errno; }

int system_cgroup_io::remove_directory(const std::string& path) { return ::rmdir(path.c_str()) == 0 || errno == ENOENT ? 0 : errno; }

int system_cgroup_io::write(const std::string& path, std::string_view text) { return write_small_file(path, text); }

std::optional<std::string> system_cgroup_io::read(const std::string& path) const { return read_small_file(path); }

bool system_cgroup_io::exists(const std::string& path) const { return ::access(path.c_str(), F_OK) == 0; }

unique_fd system_cgroup_io::open(const std::string& path) { return unique_fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC)); }

std::vector<std::string> system_cgroup_io::directories(const std::string& path) const
{
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
    if (!directory)
        return names;
    while (const dirent* entry = ::readdir(directory.get())) {
        const std::string_view name(entry->d_name);
        if (entry->d_type == DT_DIR && name != "." && name != "..")
            names.emplace_back(name);
    }
    return names;
}

void system_cgroup_io::kill(pid_t pid) { ::kill(pid, SIGKILL); }

}    // namespace caisson
