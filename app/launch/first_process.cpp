#include "app/launch/first_process.hpp"

#include "app/agent/entry.hpp"
#include "app/launch/fail.hpp"
#include "app/launch/fork_server.hpp"
#include "app/launch/mount_flags.hpp"
#include "app/launch/network.hpp"
#include "app/launch/root.hpp"
#include "app/launch/steps.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace caisson::launch {

namespace {

constexpr unsigned long proc_flags = unprivileged | MS_NOEXEC;
constexpr char host_name[] = "sandbox";
constexpr unsigned inner_id = 1000;
constexpr int signal_base = 128;    // exit status for a signal, as in shells
constexpr std::size_t most_instructions = BPF_MAXINSNS;

void cover(const char* with, const char* name)
{
    char place[300];
    std::snprintf(place, sizeof place, "/proc/%s", name);
    if (::mount(with, place, nullptr, MS_BIND, nullptr) != 0)
        fail(place);
}

/// Returns a descriptor of the new proc's sys, which is read-only through /proc.
int mount_own_proc(const options& wanted)
{
    if (::mount("proc", "/proc", "proc", proc_flags, nullptr) != 0)
        fail("mount proc");
    const int settings = ::open("/proc/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (settings < 0)
        fail("/proc/sys");
    cover("/proc/sys", "sys");
    if (::mount(nullptr, "/proc/sys", nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY | proc_flags, nullptr) != 0)
        fail("/proc/sys");
    for (std::size_t i = 0; i < wanted.mask_count; ++i)
        cover("/dev/null", wanted.masks[i]);
    for (std::size_t i = 0; i < wanted.hide_count; ++i)
        cover(empty_directory, wanted.hides[i]);
    return settings;
}

void write_text(int directory, const char* name, const char* text)
{
    const int file = ::openat(directory, name, O_WRONLY | O_CLOEXEC);
    const auto length = std::strlen(text);
    if (file < 0 || ::write(file, text, length) != static_cast<ssize_t>(length))
        fail(name);
    ::close(file);
}

/// The sandbox's own user makes the namespace, so that privileges in it are none on the host. No further one can be made in it.
void enter_user_namespace(const options& wanted, int settings)
{
    become_user(wanted);
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);    // else root would own uid_map and gid_map
    if (::unshare(CLONE_NEWUSER) != 0)
        fail("user namespace");
    char line[64];
    std::snprintf(line, sizeof line, "%u %u 1", inner_id, static_cast<unsigned>(wanted.uid));
    write_text(AT_FDCWD, "/proc/self/setgroups", "deny");
    write_text(AT_FDCWD, "/proc/self/uid_map", line);
    write_text(AT_FDCWD, "/proc/self/gid_map", line);
    write_text(settings, "user/max_user_namespaces", "0");
    ::close(settings);
}

void drop_capabilities()
{
    int each = 0;
    while (::prctl(PR_CAPBSET_DROP, each, 0, 0, 0) == 0)
        ++each;
    if (errno != EINVAL || each <= CAP_SETPCAP)    // EINVAL: past the last capability (capabilities(7))
        fail("capabilities");
    struct __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
    if (::syscall(SYS_capset, &header, none) != 0)
        fail("capabilities");
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        fail("no new privileges");
}

void install_filter(int fd)
{
    static sock_filter instructions[most_instructions];
    std::size_t bytes = 0;
    ssize_t got = 0;
    while ((got = ::read(fd, reinterpret_cast<char*>(instructions) + bytes, sizeof instructions - bytes)) > 0)
        bytes += static_cast<std::size_t>(got);
    if (got < 0 || bytes == 0 || bytes == sizeof instructions || bytes % sizeof(sock_filter) != 0)
        refuse("seccomp: the filter cannot be read");
    const sock_fprog program{static_cast<unsigned short>(bytes / sizeof(sock_filter)), instructions};
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        fail("seccomp");
}

/// Continues as caisson-agent without loading a program.
[[noreturn]] void become_agent(const options& wanted, char** environment)
{
    set_title("agent");
    report_success();
    environ = environment;
    int count = 0;
    while (wanted.argv[count] != nullptr)
        ++count;
    std::exit(agent::run(count, wanted.argv));
}

/// Enters a new time namespace where the kernel has them. A process that shares memory with its child must share the time namespace
/// (time_namespaces(7)), so one for children only would not do.
void enter_time_namespace()
{
    if (::unshare(CLONE_NEWTIME) != 0)
        return;
    const int own = ::open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC);
    if (own < 0 || ::setns(own, CLONE_NEWTIME) != 0)
        fail("time namespace");
    ::close(own);
}

/// Makes the remaining namespaces; the cgroup namespace starts at the groups joined before.
[[noreturn]] void become_first(const options& wanted, char** environment)
{
    if (::unshare(CLONE_NEWCGROUP | (has_fresh_network() ? 0 : CLONE_NEWNET)) != 0)
        fail("new namespaces");
    if (::sethostname(host_name, sizeof host_name - 1) != 0)
        fail("host name");
    if (!has_fresh_network() && !bring_up_loopback())
        fail("loopback");
    const int settings = mount_own_proc(wanted);
    enter_time_namespace();
    enter_user_namespace(wanted, settings);
    drop_capabilities();
    if (::chdir(wanted.work) != 0)
        fail(wanted.work);
    install_filter(wanted.seccomp_fd);
    if (wanted.agent == nullptr)
        become_agent(wanted, environment);
    ::execve(agent_program, wanted.argv, environment);
    fail("execve");
}

[[noreturn]] void stay_for(pid_t first, const options& wanted)
{
    char line[64];
    const int length = std::snprintf(line, sizeof line, "{\"child-pid\": %d}\n", first);
    if (::write(wanted.info_fd, line, static_cast<std::size_t>(length)) != length) {
        ::kill(first, SIGKILL);
        fail("info");
    }
    become_user(wanted);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::syscall(SYS_close_range, 0U, ~0U, 0U);
    int status = 0;
    while (::waitpid(first, &status, 0) < 0)
        if (errno != EINTR)
            ::_exit(1);
    ::_exit(WIFSIGNALED(status) ? signal_base + WTERMSIG(status) : WEXITSTATUS(status));
}

}    // namespace

void run_first_process(const options& wanted, char** environment)
{
    if (wanted.is_first())
        become_first(wanted, environment);
    constexpr unsigned long namespaces = CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
    const auto first = static_cast<pid_t>(::syscall(SYS_clone, namespaces | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (first < 0)
        fail("new namespaces");
    if (first > 0)
        stay_for(first, wanted);
    if (::setsid() < 0)
        fail("session");
    become_first(wanted, environment);
}

}    // namespace caisson::launch
