#include "app/agent/entry.hpp"

#include "app/agent/agent.hpp"
#include "app/agent/collector.hpp"
#include "core/protocol/agent_session.hpp"
#include "core/protocol/frame.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

/// Allocations from this size on return to the kernel when freed.
constexpr int large_bytes = 64 * 1024;

/// Address space of its stream windows, plus a margin for everything else. A soft limit that its programs do not keep: see child.cpp.
constexpr rlim_t memory_bytes = 3 * protocol::stream_window_bytes * protocol::agent_session::max_executions + (64 << 20);

/// Limits the agent's memory against leaks where no control group counts it. gVisor refuses to set some limits at all: there the
/// container's limit applies.
void limit_memory()
{
    rlimit own{};
    if (::getrlimit(RLIMIT_DATA, &own) != 0 || own.rlim_cur <= memory_bytes)
        return;
    own.rlim_cur = memory_bytes;
    ::setrlimit(RLIMIT_DATA, &own);
}

/// Puts /dev/null on closed descriptors 0 to 2, with `replace` on all three, so that no other descriptor gets these numbers.
bool fill_stdio(bool replace)
{
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 3; ++i)
        if ((replace || ::fcntl(i, F_GETFD) < 0) && (null < 0 || (null != i && ::dup2(null, i) < 0)))
            return false;
    if (null > 2)
        ::close(null);
    return true;
}

void close_others(int kept)
{
    const auto first = static_cast<unsigned>(std::max(kept, 2));
    ::syscall(SYS_close_range, first + 1, ~0U, 0U);
    if (kept > 3)
        ::syscall(SYS_close_range, 3U, first - 1, 0U);
}

bool keep_stdio(options& how)
{
    how.stdio_in = ::fcntl(0, F_DUPFD_CLOEXEC, 3);
    how.stdio_out = ::fcntl(1, F_DUPFD_CLOEXEC, 3);
    return how.stdio_in >= 0 && how.stdio_out >= 0 && fill_stdio(true);
}

bool take_listener(const options& how)
{
    return ::fcntl(how.listen_fd, F_SETFD, FD_CLOEXEC) == 0 && ::fcntl(how.listen_fd, F_SETFL, O_NONBLOCK) == 0;
}

bool take_link(options& how)
{
    if (how.connect_to)
        return true;
    return how.listen_fd >= 0 ? take_listener(how) : keep_stdio(how);
}

bool settle(options& how)
{
    close_others(how.listen_fd);
    if (!fill_stdio(false) || !take_link(how))
        return false;
    ::mallopt(M_MMAP_THRESHOLD, large_bytes);
    limit_memory();
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGHUP, SIG_IGN);
    if (how.subreaper && ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return false;
    return ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

}    // namespace

int run(int argc, char** argv)
{
    if (argc > 1 && std::strcmp(argv[1], "--collect") == 0)
        return collect(argc - 2, argv + 2);
    options how;
    if (!parse(argc, argv, how))
        return 2;
    if (!settle(how)) {
        constexpr char text[] = "caisson-agent: its descriptors cannot be used\n";
        [[maybe_unused]] const auto ignored = ::write(2, text, sizeof(text) - 1);
        return 1;
    }
    landlock rules;
    if (how.confine && !rules.confine(how.work)) {
        constexpr char text[] = "caisson-agent: the kernel's Landlock refuses its rules\n";
        [[maybe_unused]] const auto ignored = ::write(2, text, sizeof(text) - 1);
        return 1;
    }
    return agent(how, std::move(rules)).run();
}

}    // namespace caisson::agent
