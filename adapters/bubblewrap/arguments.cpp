#include "adapters/bubblewrap/arguments.hpp"

#include "adapters/host/small_file.hpp"

#include <algorithm>
#include <climits>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <unistd.h>

namespace caisson {

namespace {

using arguments = std::vector<std::string>;

constexpr std::size_t mounts_bytes = 4 << 20;
constexpr std::string_view default_work_directory = "/workspace";    // the agent's default too

void add(arguments& argv, std::initializer_list<std::string> more) { argv.insert(argv.end(), more); }

void add_namespaces(arguments& argv)
{
    add(argv, {"--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox"});
    add(argv, {"--as-pid-1", "--cap-drop", "ALL", "--new-session", "--clearenv"});
}

const std::vector<std::string> beside_usr = {"/bin", "/lib", "/lib32", "/lib64", "/sbin"};

/// Mounts `path` read-only, from the view of its top-level directory if there is one.
void add_host_path(arguments& argv, const bubblewrap_layout& layout, const std::string& path)
{
    const auto top = path.substr(1, path.find('/', 1) - 1);
    const bool viewed = std::ranges::find(layout.views, top) != layout.views.end();
    add(argv, {"--ro-bind", viewed ? layout.view + path : path, path});
}

/// Adds /usr and what a host has next to it: links if its /usr is merged, else directories.
void add_programs(arguments& argv, const bubblewrap_layout& layout, const host_files& host)
{
    add_host_path(argv, layout, "/usr");
    for (const auto& path : beside_usr) {
        const auto target = host.link_target(path);
        if (!target.empty())
            add(argv, {"--symlink", target, path});
        else if (host.exists(path))
            add_host_path(argv, layout, path);
    }
}

/// Masks existing files only: bwrap fails on a missing target.
void add_proc(arguments& argv, const bubblewrap_layout& layout, const host_files& host)
{
    add(argv, {"--proc", "/proc", "--ro-bind", layout.proc + "/sys", "/proc/sys"});
    for (const auto& name : masked_in_proc(host))
        add(argv, {"--ro-bind", layout.dev.empty() ? "/dev/null" : layout.dev + "/null", "/proc/" + name});
    for (const auto& name : hidden_in_proc(host))
        add(argv, {"--tmpfs", "/proc/" + name, "--remount-ro", "/proc/" + name});
}

void add_writable(arguments& argv, const bubblewrap_layout& layout)
{
    if (layout.dev.empty())
        add(argv, {"--dev", "/dev", "--bind", layout.shm, "/dev/shm", "--remount-ro", "/dev"});
    else
        add(argv, {"--dev-bind", layout.dev, "/dev"});
    add(argv, {"--bind", layout.work, layout.work_directory});
    for (std::size_t i = 0; i < layout.trees.size(); ++i)
        add(argv, {"--ro-bind", layout.tree + "/" + std::to_string(i), layout.work_directory + "/" + layout.trees[i]});
    add(argv, {"--bind", layout.tmp, "/tmp"});
}

/// Adds /etc and the other public files of the host.
void add_roots(arguments& argv, const bubblewrap_layout& layout)
{
    for (std::size_t i = 0; i < layout.roots.size(); ++i)
        add(argv, {"--ro-bind", layout.tree + "/" + std::to_string(layout.trees.size() + i), "/" + layout.roots[i]});
}

void add_agent(arguments& argv, const bubblewrap_layout& layout)
{
    const std::string place = "/.caisson/agent";
    if (layout.agent.empty())
        add(argv, {"--perms", "0555", "--ro-bind-data", std::to_string(layout.agent_fd), place});
    else
        add(argv, {"--ro-bind", layout.agent, place});
}

std::vector<std::string> there_in_proc(std::initializer_list<const char*> names, const host_files& host)
{
    std::vector<std::string> found;
    for (const std::string name : names)
        if (host.exists("/proc/" + name))
            found.push_back(name);
    return found;
}

/// Checks the fifth field of each line; true if the mounts cannot be read.
bool is_mounted_below(const std::string& path)
{
    std::istringstream mounts(read_small_file("/proc/self/mountinfo", mounts_bytes).value_or("- - - - " + path + "/"));
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream fields(line);
        std::string place;
        for (int field = 0; field < 5; ++field)
            fields >> place;
        if (place.starts_with(path + "/"))
            return true;
    }
    return false;
}

}    // namespace

host_files real_host_files()
{
    const auto exists = [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; };
    const auto link_target = [](const std::string& path) {
        char target[PATH_MAX];
        const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
        return length < 0 ? std::string() : std::string(target, static_cast<std::size_t>(length));
    };
    return {exists, link_target, is_mounted_below};
}

namespace {

template <class Found>
class memory_of {
public:
    memory_of(std::function<Found(const std::string&)> find, std::function<steady_time()> now)
        : find_(std::move(find)), now_(std::move(now))
    {
    }
    Found operator()(const std::string& path)
    {
        const std::lock_guard lock(mutex_);
        if (const auto now = now_(); now - since_ >= std::chrono::seconds(1)) {
            found_.clear();
            since_ = now;
        }
        const auto known = found_.find(path);
        return known != found_.end() ? known->second : found_.emplace(path, find_(path)).first->second;
    }

private:
    std::function<Found(const std::string&)> find_;
    std::function<steady_time()> now_;
    std::mutex mutex_;
    steady_time since_{};
    std::map<std::string, Found> found_;
};

template <class Found>
std::function<Found(const std::string&)> remembered(std::function<Found(const std::string&)> find, const std::function<steady_time()>& now)
{
    return [memory = std::make_shared<memory_of<Found>>(std::move(find), now)](const std::string& path) { return (*memory)(path); };
}

}    // namespace

host_files with_memory(host_files host, std::function<steady_time()> now)
{
    return {remembered(std::move(host.exists), now), remembered(std::move(host.link_target), now), std::move(host.has_mounts_below)};
}

std::vector<std::string> viewable(const host_files& host)
{
    std::vector<std::string> names;
    const auto consider = [&](const std::string& path) {
        if (host.exists(path) && host.link_target(path).empty() && !host.has_mounts_below(path))
            names.push_back(path.substr(1));
    };
    consider("/usr");
    std::ranges::for_each(beside_usr, consider);
    return names;
}

bool are_programs_viewed(const std::vector<std::string>& views, const host_files& host)
{
    const auto is_viewed = [&](const std::string& path) {
        return !host.exists(path) || !host.link_target(path).empty() || std::ranges::find(views, path.substr(1)) != views.end();
    };
    return std::ranges::find(views, "usr") != views.end() && std::ranges::all_of(beside_usr, is_viewed);
}

std::vector<std::pair<std::string, std::string>> program_links(const host_files& host)
{
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& path : beside_usr) {
        auto target = host.link_target(path);
        if (!target.empty())
            found.emplace_back(path.substr(1), std::move(target));
    }
    return found;
}

std::vector<std::string> masked_in_proc(const host_files& host)
{
    return there_in_proc({"kcore", "keys", "key-users", "timer_list", "sysrq-trigger", "kallsyms", "cmdline", "locks"}, host);
}

std::vector<std::string> hidden_in_proc(const host_files& host) { return there_in_proc({"acpi", "scsi", "pressure"}, host); }

std::vector<std::string> agent_arguments(const bubblewrap_layout& layout)
{
    arguments argv{"/.caisson/agent", "--confine"};
    if (layout.work_directory != default_work_directory)
        add(argv, {"--work", layout.work_directory});
    add(argv, {"--listen-fd", std::to_string(layout.listen_fd)});
    return argv;
}

std::vector<std::string> bubblewrap_arguments(const bubblewrap_layout& layout, const host_files& host)
{
    arguments argv{"bwrap"};
    add_namespaces(argv);
    add_programs(argv, layout, host);
    add_proc(argv, layout, host);
    add_writable(argv, layout);
    add_roots(argv, layout);
    add_agent(argv, layout);
    add(argv, {"--seccomp", std::to_string(layout.seccomp_fd), "--info-fd", std::to_string(layout.info_fd)});
    add(argv, {"--remount-ro", "/", "--chdir", layout.work_directory, "--"});
    const auto agent = agent_arguments(layout);
    argv.insert(argv.end(), agent.begin(), agent.end());
    return argv;
}

}    // namespace caisson
