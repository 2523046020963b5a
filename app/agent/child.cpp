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

/// Except for child_program::take() and the start functions, this code runs in a child that may share its parent's memory: system calls
/// only.
namespace caisson::agent {

namespace {

bool join_groups(const child_place& place)
{
    for (const auto& each : place.join)
        if (::write(each.get(), "0", 1) != 1)
            return false;
    return true;
}

bool take_stdio(const child_program& program)
{
    for (int i = 0; i < 3; ++i)
        if (::dup2(program.stdio[i], i) < 0)
            return false;
    if (program.control >= 0 && (::dup2(program.control, 3) < 0 || ::fcntl(3, F_SETFD, 0) != 0))
        return false;
    ::syscall(SYS_close_range, program.closed_from, ~0U, 0U);    // where it is missing, O_CLOEXEC suffices
    return true;
}

bool take_tty(const child_program& program) { return !program.controlling_tty || ::ioctl(0, TIOCSCTTY, 0) == 0; }

/// Lifts the agent's own memory limit, which is not for programs.
bool lift_memory_limit()
{
    rlimit own{};
    if (::getrlimit(RLIMIT_DATA, &own) != 0)
        return false;
    if (own.rlim_cur == own.rlim_max)
        return true;
    own.rlim_cur = own.rlim_max;
    return ::setrlimit(RLIMIT_DATA, &own) == 0;
}

/// Caps each limit at the agent's own hard limit, which may be lower, as in gVisor, and needs a privilege to raise.
bool set_limits(std::span<const protocol::spawn_request::limit> rlimits)
{
    if (!lift_memory_limit())
        return false;
    for (const auto& each : rlimits) {
        const auto resource = static_cast<__rlimit_resource_t>(each.resource);
        rlimit own{};
        if (::getrlimit(resource, &own) != 0)
            return false;
        const auto value = std::min<rlim_t>(each.value, own.rlim_max);
        const rlimit limit{value, value};
        const bool is_so = own.rlim_cur == value && own.rlim_max == value;    // gVisor refuses to set some limits at all
        if (!is_so && ::setrlimit(resource, &limit) != 0)
            return false;
    }
    return true;
}

/// Makes the child die with the agent: on hosts without control groups it would otherwise run without limits. Call before the rules'
/// descriptor is closed.
bool confine(const child_place& place)
{
    return ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && place.rules->enter();
}

bool install_filter(const std::string& instructions)
{
    if (instructions.empty())
        return true;
    sock_fprog filter{};
    filter.len = static_cast<unsigned short>(instructions.size() / sizeof(sock_filter));
    filter.filter = const_cast<sock_filter*>(static_cast<const sock_filter*>(static_cast<const void*>(instructions.data())));
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &filter) == 0;
}

void unblock_signals()
{
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Calls rt_sigaction(2) directly: the C library reserves signals 32 and 33, which may be inherited as ignored.
void reset_signals()
{
    const unsigned long defaults[4] = {};    // struct kernel_sigaction: SIG_DFL, no flags, no mask
    for (int i = 1; i < NSIG; ++i)
        ::syscall(SYS_rt_sigaction, i, defaults, nullptr, sizeof(unsigned long));
    unblock_signals();
}

/// The step of entering `place` that failed, or null.
const char* step_out_of(const child_place& place)
{
    ::umask(022);
    if (!join_groups(place))
        return "cgroup";
    if (::setsid() < 0)
        return "setsid";
    return confine(place) ? nullptr : "landlock";
}

/// The setting of the program that the child could not apply, or null.
const char* step_missing(const child_program& program)
{
    if (!take_stdio(program))
        return "stdio";
    if (!take_tty(program))
        return "terminal";
    if (!set_limits(program.rlimits))
        return "rlimit";
    return ::chdir(program.cwd) == 0 ? nullptr : "chdir";
}

bool fail(child_outcome& outcome, const char* step)
{
    outcome.code = errno == 0 ? EINTR : errno;    // a short write to a group sets no errno
    outcome.failed_step = step;
    return false;
}

/// Applies all settings of the program before execve.
bool take(const child_program& program, child_outcome& outcome)
{
    if (const char* const missing = step_missing(program))
        return fail(outcome, missing);
    return program.is_prepared || prepare({}, *program.filter, outcome);
}

/// Like take(), for a forked copy of this process.
bool take_copied(const child_program& program)
{
    if (step_missing(program) != nullptr)
        return false;
    unblock_signals();
    return install_filter(*program.filter);
}

/// The argument of clone(2).
struct child_plan {
    const child_place& place;
    const child_program& program;
    child_outcome& outcome;
};

int run_child(void* argument)
{
    const auto& plan = *static_cast<const child_plan*>(argument);
    if (enter(plan.place, plan.outcome))
        execute(plan.program, plan.outcome);
    ::_exit(127);
}

}    // namespace

void child_program::take(const protocol::spawn_request& request, exec_image& laid_out)
{
    controlling_tty = request.pty.has_value();
    rlimits = request.rlimits;
    cwd = request.cwd.c_str();
    filter = &request.seccomp_filter;
    image = &laid_out;
}

bool enter(const child_place& place, child_outcome& outcome)
{
    const char* const failed = step_out_of(place);
    return failed == nullptr || fail(outcome, failed);
}

bool prepare(std::span<const protocol::spawn_request::limit> rlimits, const std::string& filter, child_outcome& outcome)
{
    if (!set_limits(rlimits))
        return fail(outcome, "rlimit");
    reset_signals();
    return install_filter(filter) || fail(outcome, "seccomp");
}

void execute(const child_program& program, child_outcome& outcome)
{
    if (!take(program, outcome))
        return;
    outcome.execve_us = monotonic_us();    // measured here: the waiting parent may wake much later
    errno = program.image->exec();
    fail(outcome, "execve");
}

pid_t start_child(const child_place& place, const child_program& program, child_outcome& outcome)
{
    alignas(16) static char stack[64 * 1024];
    child_plan plan{place, program, outcome};
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::clone(run_child, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
    const int code = errno;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (pid < 0) {
        outcome = {"clone", code, 0};
    } else if (outcome.is_unknown()) {
        outcome.execve_us = monotonic_us();    // killed before execve: treated as a program that ended
    } else if (!outcome.runs()) {
        while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) { }
    }
    return outcome.runs() ? pid : -1;
}

pid_t start_copy(const child_place& place, const child_program& program, const std::function<int()>& work, child_outcome& outcome)
{
    const pid_t pid = ::fork();
    if (pid == 0) {
        const int code = step_out_of(place) == nullptr && take_copied(program) ? work() : 127;
        ::sched_yield();    // lets the reader of its output run before the teardown of this copy
        ::_exit(code);
    }
    outcome = pid < 0 ? child_outcome{"fork", errno, 0} : child_outcome{nullptr, 0, monotonic_us()};
    return pid;
}

}    // namespace caisson::agent
