#include "adapters/host/cgroup/cgroup_io.hpp"

#include "adapters/host/small_file.hpp"

#include <cerrno>
#include <csignal>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson {

namespace {

class file_by_path : public cgroup_file {
public:
    file_by_path(const cgroup_io& io, std::string path) : io_(io), path_(std::move(path)) { }
    std::optional<std::string> read() const override { return io_.read(path_); }

private:
    const cgroup_io& io_;
    std::string path_;
};

/// The kernel regenerates the text for each read at offset 0 (seq_file).
class open_file : public cgroup_file {
public:
    explicit open_file(unique_fd file) : file_(std::move(file)) { }
    std::optional<std::string> read() const override
    {
        char buffer[4096];    // a page: more than any of these files holds
        ssize_t got = 0;
        do
            got = ::pread(file_.get(), buffer, sizeof buffer, 0);
        while (got < 0 && errno == EINTR);
        return got < 0 ? std::nullopt : std::optional(std::string(buffer, static_cast<std::size_t>(got)));
    }

private:
    unique_fd file_;
};

}    // namespace

std::unique_ptr<cgroup_file> cgroup_io::open_to_read(const std::string& path) const { return std::make_unique<file_by_path>(*this, path); }

void system_cgroup_io::look_up_from(const std::string& directory)
{
    unique_fd opened(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (opened)
        starts_.push_back({directory + "/", std::move(opened)});
}

system_cgroup_io::place system_cgroup_io::find(const std::string& path) const
{
    for (const auto& each : starts_)
        if (path.size() > each.directory.size() && path.starts_with(each.directory))
            return {each.opened.get(), path.c_str() + each.directory.size()};
    return {AT_FDCWD, path.c_str()};
}

/// Falls back to reading by path if no descriptor is available.
std::unique_ptr<cgroup_file> system_cgroup_io::open_to_read(const std::string& path) const
{
    const auto there = find(path);
    unique_fd file(::openat(there.directory, there.path, O_RDONLY | O_CLOEXEC));
    if (!file)
        return cgroup_io::open_to_read(path);
    return std::make_unique<open_file>(std::move(file));
}

int system_cgroup_io::make_directory(const std::string& path)
{
    const auto there = find(path);
    return ::mkdirat(there.directory, there.path, 0755) == 0 || errno == EEXIST ? 0 : errno;
}

int system_cgroup_io::remove_directory(const std::string& path)
{
    const auto there = find(path);
    return ::unlinkat(there.directory, there.path, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : errno;
}

int system_cgroup_io::write(const std::string& path, std::string_view text)
{
    const auto there = find(path);
    return write_small_file_at(there.directory, there.path, text);
}

std::optional<std::string> system_cgroup_io::read(const std::string& path) const
{
    const auto there = find(path);
    return read_small_file_at(there.directory, there.path);
}

bool system_cgroup_io::exists(const std::string& path) const
{
    const auto there = find(path);
    return ::faccessat(there.directory, there.path, F_OK, 0) == 0;
}

unique_fd system_cgroup_io::open(const std::string& path)
{
    const auto there = find(path);
    return unique_fd(::openat(there.directory, there.path, O_WRONLY | O_CLOEXEC));
}

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

int system_cgroup_io::kill(pid_t pid) { return ::kill(pid, SIGKILL) == 0 || errno == ESRCH ? 0 : errno; }

}    // namespace caisson
