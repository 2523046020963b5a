#include "core/adapters/bubblewrap/arguments.hpp"

#include <climits>
#include <initializer_list>
#include <unistd.h>

namespace caisson {

namespace {

using arguments = std::vector<std::string>;

void add(arguments& argv, std::initializer_list<std::string> more) { argv.insert(argv.end(), more); }

void add_namespaces(arguments& argv)
{
    add(argv, {"--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox"});
    add(argv, {"--as-pid-1", "--cap-drop", "ALL", "--new-session", "--clearenv"});
}

/// /usr with the links that a merged /usr has beside it, or the directories of a host that is not merged.
void add_programs(arguments& argv, const host_files& host)
{
    add(argv, {"--ro-bind", "/usr", "/usr"});
    for (const std::string path : {"/bin", "/lib", "/lib32", "/lib64", "/sbin"}) {
        const auto target = host.link_target(path);
        if (!target.empty())
            add(argv, {"--symlink", target, path});
        else if (host.exists(path))
            add(argv, {"--ro-bind", path, path});
    }
}

/// Masks only what exists: a missing target makes bwrap give up.
void add_proc(arguments& argv, const host_files& host)
{
    add(argv, {"--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"});
    for (const std::string name : {"kcore", "keys", "key-users", "timer_list", "sysrq-trigger", "kallsyms", "cmdline"}) {
        if (host.exists("/proc/" + name))
            add(argv, {"--ro-bind", "/dev/null", "/proc/" + name});
    }
    for (const std::string name : {"acpi", "scsi", "pressure"}) {
        if (host.exists("/proc/" + name))
            add(argv, {"--tmpfs", "/proc/" + name, "--remount-ro", "/proc/" + name});
    }
}

void add_writable(arguments& argv, const bubblewrap_layout& layout)
{
    add(argv, {"--dev", "/dev", "--bind", layout.shm, "/dev/shm", "--remount-ro", "/dev"});
    add(argv, {"--bind", layout.work, "/workspace", "--bind", layout.tmp, "/tmp"});
}

void add_etc(arguments& argv, const bubblewrap_layout& layout, const host_files& host)
{
    for (const auto& file : layout.etc)
        add(argv, {"--perms", "0444", "--file", std::to_string(file.content_fd), "/etc/" + file.name});
    for (const std::string path : {"/etc/alternatives", "/etc/ld.so.cache"}) {
        if (host.exists(path))
            add(argv, {"--ro-bind", path, path});
    }
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
    return {exists, link_target};
}

std::vector<std::string> bubblewrap_arguments(const bubblewrap_layout& layout, const host_files& host)
{
    arguments argv{"bwrap"};
    add_namespaces(argv);
    add_programs(argv, host);
    add_proc(argv, host);
    add_writable(argv, layout);
    add_etc(argv, layout, host);
    add(argv, {"--perms", "0555", "--ro-bind-data", std::to_string(layout.agent_fd), "/.caisson/agent"});
    add(argv, {"--seccomp", std::to_string(layout.seccomp_fd), "--info-fd", std::to_string(layout.info_fd)});
    add(argv, {"--remount-ro", "/", "--chdir", "/workspace", "--", "/.caisson/agent", "--listen-fd", std::to_string(layout.listen_fd)});
    return argv;
}

}    // namespace caisson
