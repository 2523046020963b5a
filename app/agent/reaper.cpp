#include "app/agent/reaper.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

/// The parent of a process by /proc/PID/stat, "pid (name) state ppid …", where the name may hold any bytes; 0 if the process is gone.
pid_t parent_of(const char* pid)
{
    const std::string path = "/proc/" + std::string(pid) + "/stat";
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    char text[512];
    const auto size = ::read(file, text, sizeof(text) - 1);
    ::close(file);
    if (size <= 0)
        return 0;
    text[size] = '\0';
    const char* after_name = std::strrchr(text, ')');
    return after_name && std::strlen(after_name) > 4 ? static_cast<pid_t>(std::strtol(after_name + 4, nullptr, 10)) : 0;
}

/// Calls `each` for this process's children in /proc until it asks to stop.
template <class F>
void look_at_children(F each)
{
    DIR* directory = ::opendir("/proc");
    if (!directory)
        return;
    const pid_t self = ::getpid();
    bool more = true;
    while (const dirent* entry = more ? ::readdir(directory) : nullptr) {
        const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
        if (pid > 1 && pid != self && parent_of(entry->d_name) == self)
            more = each(pid);
    }
    ::closedir(directory);
}

void kill_children()
{
    look_at_children([](pid_t pid) {
        ::kill(pid, SIGKILL);
        return true;
    });
}

}    // namespace

std::optional<dead_child> reap_one()
{
    siginfo_t about{};
    if (::waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid == 0)
        return std::nullopt;
    dead_child dead{about.si_pid, 0, {}};
    if (::wait4(about.si_pid, &dead.wait_status, WNOHANG, &dead.usage) != about.si_pid)
        return std::nullopt;
    return dead;
}

void kill_descendants()
{
    if (::getpid() == 1)
        ::kill(-1, SIGKILL);
    else
        kill_children();
}

bool has_children()
{
    siginfo_t about{};
    return ::waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

bool has_children_beside(pid_t pid)
{
    if (pid < 0 || !has_children())
        return has_children();
    bool found = false;
    look_at_children([&](pid_t each) {
        found = each != pid;
        return !found;
    });
    return found;
}

}    // namespace caisson::agent
