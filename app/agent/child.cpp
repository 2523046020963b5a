#include "app/agent/child.hpp"

#include "app/agent/poller.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// Everything here up to start_child() runs in the child, in its parent's memory: system calls only.
namespace caisson::agent {

namespace {

bool join_groups(const child_plan& plan)
{
    for (const auto& each : plan.join)
        if (::write(each.get(), "0", 1) != 1)
            return false;
    return true;
}

bool take_stdio(const child_plan& plan)
{
    for (int i = 0; i < 3; ++i)
        if (::dup2(plan.stdio[i], i) < 0)
            return false;
    if (plan.control >= 0 && (::dup2(plan.control, 3) < 0 || ::fcntl(3, F_SETFD, 0) != 0))
        return false;
    ::syscall(SYS_close_range, plan.control < 0 ? 3U : 4U, ~0U, 0U);    // where it is missing, O_CLOEXEC does the same
    return true;
}

bool take_tty(const child_plan& plan) { return !plan.controlling_tty || ::ioctl(0, TIOCSCTTY, 0) == 0; }

/// Where the agent itself may have less, as in gVisor, that is the limit: only who has rights can go above it.
bool set_limits(const child_plan& plan)
{
    for (const auto& each : plan.rlimits) {
        const auto resource = static_cast<__rlimit_resource_t>(each.resource);
        rlimit own{};
        if (::getrlimit(resource, &own) != 0)
            return false;
        const auto value = std::min<rlim_t>(each.value, own.rlim_max);
        const rlimit limit{value, value};
        const bool is_so = own.rlim_cur == value && own.rlim_max == value;    // gVisor refuses to set some at all
        if (!is_so && ::setrlimit(resource, &limit) != 0)
            return false;
    }
    return true;
}

/// rt_sigaction(2) itself: the C library keeps 32 and 33 to itself, though they may have been inherited ignored.
void reset_signals()
{
    const unsigned long defaults[4] = {};    // struct kernel_sigaction: SIG_DFL, no flags, no mask
    for (int i = 1; i < NSIG; ++i)
        ::syscall(SYS_rt_sigaction, i, defaults, nullptr, sizeof(unsigned long));
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Dies with the agent, whose loss would leave it without limits where there are no control groups. Before the descriptor of
/// the rules is closed.
bool confine(const child_plan& plan)
{
    return ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && plan.rules->enter();
}

bool install_filter(const child_plan& plan)
{
    if (plan.filter->empty())
        return true;
    sock_fprog program{};
    program.len = static_cast<unsigned short>(plan.filter->size() / sizeof(sock_filter));
    program.filter = const_cast<sock_filter*>(static_cast<const sock_filter*>(static_cast<const void*>(plan.filter->data())));
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &program) == 0;
}

int run_child(void* argument)
{
    auto& plan = *static_cast<child_plan*>(argument);
    ::umask(022);
    if (!join_groups(plan)) {
        plan.failed_step = "cgroup";
    } else if (::setsid() < 0) {
        plan.failed_step = "setsid";
    } else if (!confine(plan)) {
        plan.failed_step = "landlock";
    } else if (!take_stdio(plan)) {
        plan.failed_step = "stdio";
    } else if (!take_tty(plan)) {
        plan.failed_step = "terminal";
    } else if (!set_limits(plan)) {
        plan.failed_step = "rlimit";
    } else if (::chdir(plan.cwd) != 0) {
        plan.failed_step = "chdir";
    } else {
        reset_signals();
        plan.failed_step = "seccomp";
        if (install_filter(plan)) {
            plan.failed_step = nullptr;         // as long as nothing says otherwise the child has become the program
            plan.execve_us = monotonic_us();    // whoever waits for it may be woken much later
            errno = plan.image->exec();
            plan.failed_step = "execve";
        }
    }
    plan.code = errno;
    ::_exit(127);
}

}    // namespace

pid_t start_child(child_plan& plan)
{
    alignas(16) static char stack[64 * 1024];
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::clone(run_child, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
    const int code = errno;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (pid < 0) {
        plan.failed_step = "clone";
        plan.code = code;
    } else if (plan.failed_step) {
        plan.code = plan.code == 0 ? EINTR : plan.code;    // killed on the way
        while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) { }
    }
    return plan.failed_step ? -1 : pid;
}

}    // namespace caisson::agent
