#include "adapters/host/process.hpp"

#include "adapters/host/small_file.hpp"

#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <poll.h>
#include <sstream>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>

namespace caisson {

namespace {

struct process_stat {
    char state = '?';
    pid_t parent = 0;
    std::uint64_t start_ticks = 0;
};

/// Parses the fields after the command name, which may contain spaces and parentheses.
std::optional<process_stat> stat_of(pid_t pid)
{
    const auto text = read_small_file("/proc/" + std::to_string(pid) + "/stat");
    if (!text)
        return std::nullopt;
    const auto end_of_name = text->rfind(')');
    if (end_of_name == std::string::npos)
        return std::nullopt;
    std::istringstream rest(text->substr(end_of_name + 1));
    process_stat found;
    std::string skipped;
    rest >> found.state >> found.parent;
    for (int field = 5; field < 22; ++field)
        rest >> skipped;
    rest >> found.start_ticks;
    if (!rest)
        return std::nullopt;
    return found;
}

unique_fd open_pidfd(pid_t pid) { return unique_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

std::optional<int> reap(int pidfd)
{
    siginfo_t info{};
    if (::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0)
        return std::nullopt;
    if (info.si_code == CLD_EXITED)
        return (info.si_status & 0xff) << 8;
    return info.si_status & 0x7f;
}

bool readable(int fd)
{
    ::pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 0) > 0;
}

task<std::optional<int>> wait_on(unique_fd pidfd)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::posix::basic_stream_descriptor<io_executor> watched(executor);
    watched.assign(pidfd.get());    // may throw; takes ownership only on success
    static_cast<void>(pidfd.release());
    // Check readability first: Asio reuses its descriptor records, so a queued event of a closed descriptor can end this wait.
    while (!readable(watched.native_handle()))
        co_await watched.async_wait(asio::posix::descriptor_base::wait_read, use_task);
    co_return reap(watched.native_handle());
}

std::vector<pid_t> all_processes()
{
    std::vector<pid_t> found;
    const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
    if (!proc)
        return found;
    while (const dirent* entry = ::readdir(proc.get())) {
        const std::string_view name(entry->d_name);
        pid_t pid = 0;
        const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (parsed.ec == std::errc() && parsed.ptr == name.data() + name.size())
            found.push_back(pid);
    }
    return found;
}

}    // namespace

std::optional<process_handle> process_handle::open(process_identity identity)
{
    auto pidfd = open_pidfd(identity.pid);
    if (!pidfd && errno != ESRCH && errno != EINVAL)
        throw std::system_error(errno, std::generic_category(), "pidfd_open");
    if (!pidfd)
        return std::nullopt;
    process_handle handle(identity, std::move(pidfd));
    const auto seen = stat_of(identity.pid);
    if (!handle.alive() || (seen && seen->start_ticks != identity.start_ticks))
        return std::nullopt;
    if (!seen)
        throw std::system_error(EIO, std::generic_category(), "/proc/" + std::to_string(identity.pid) + "/stat");
    return handle;
}

std::optional<process_handle> process_handle::open_running(pid_t pid)
{
    auto pidfd = open_pidfd(pid);
    if (!pidfd)
        return std::nullopt;
    const auto seen = stat_of(pid);
    if (!seen)
        return std::nullopt;
    return process_handle({pid, seen->start_ticks}, std::move(pidfd));
}

bool process_handle::alive() const
{
    pollfd one{pidfd_.get(), POLLIN, 0};
    return ::poll(&one, 1, 0) == 0;
}

void process_handle::send(int signal_number) const noexcept { ::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal_number, nullptr, 0); }

task<std::optional<int>> process_handle::wait() const
{
    // Not a coroutine: it duplicates the descriptor now, so the handle may be destroyed.
    return wait_on(unique_fd(::fcntl(pidfd_.get(), F_DUPFD_CLOEXEC, 0)));
}

void kill_with_children(pid_t pid) noexcept
{
    ::kill(pid, SIGSTOP);    // stopped, it starts no others
    try {
        for (const pid_t child : children_of(pid))
            ::kill(child, SIGKILL);
    } catch (const std::exception&) {    // no memory for the list: the sweep kills those in a group
    }
    ::kill(pid, SIGKILL);
}

std::vector<pid_t> children_of(pid_t pid)
{
    std::vector<pid_t> found;
    for (const pid_t each : all_processes()) {
        const auto seen = stat_of(each);
        if (seen && seen->parent == pid)
            found.push_back(each);
    }
    return found;
}

std::vector<pid_t> ancestors_of(pid_t pid)
{
    std::vector<pid_t> found;
    constexpr std::size_t deepest = 1'000;
    for (auto seen = stat_of(pid); seen && seen->parent > 0 && found.size() < deepest; seen = stat_of(seen->parent))
        found.push_back(seen->parent);
    return found;
}

std::vector<pid_t> descendants_of(pid_t pid)
{
    std::multimap<pid_t, pid_t> children;
    std::vector<pid_t> dead;
    for (const pid_t each : all_processes()) {
        const auto seen = stat_of(each);
        if (seen)
            children.emplace(seen->parent, each);
        if (seen && seen->state == 'Z')
            dead.push_back(each);
    }
    std::vector<pid_t> below{pid};
    for (std::size_t at = 0; at < below.size(); ++at) {
        const auto [from, to] = children.equal_range(below[at]);
        for (auto child = from; child != to; ++child)
            below.push_back(child->second);
    }
    below.erase(below.begin());
    std::erase_if(below, [&](pid_t each) { return std::find(dead.begin(), dead.end(), each) != dead.end(); });
    return below;
}

}    // namespace caisson
