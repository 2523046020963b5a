#include "app/launch/network.hpp"

#include "app/launch/fail.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson::launch {

namespace {

int first_network = -1;    // open in this process; closed in children once they have their order's descriptors
bool has_left = false;
bool is_fresh = false;

/// Files in /proc/net with counters of all traffic, errors and look-ups, the existing sockets, and state that outlives sockets.
constexpr const char* shown[] = {"dev", "snmp", "snmp6", "rt6_stats", "fib_triestat", "ip6_flowlabel", "sockstat"};
constexpr char counts_of_host[] = "\nTCP:";    // from here on sockstat counts all namespaces
constexpr std::size_t most_shown = 16 * 1024;
struct look {
    char text[most_shown];
    std::size_t length;    // 0: not recorded
};
look of_fresh;

/// False if the content exceeds the space in `to`.
bool append_file(look& to, int file)
{
    ssize_t got = 0;
    while ((got = ::read(file, to.text + to.length, most_shown - to.length)) > 0)
        to.length += static_cast<std::size_t>(got);
    return got == 0 && to.length < most_shown;
}

/// Missing files are skipped: a kernel without IPv6 lacks its files.
bool append_files(look& to, int directory)
{
    for (const char* name : shown) {
        const int file = ::openat(directory, name, O_RDONLY | O_CLOEXEC);
        if (file < 0 && errno != ENOENT)
            return false;
        if (file < 0)
            continue;
        const bool is_whole = append_file(to, file);
        ::close(file);
        if (!is_whole)
            return false;
    }
    return true;
}

bool take_look(look& to)
{
    to.length = 0;
    const int directory = ::open("/proc/self/net", O_PATH | O_DIRECTORY | O_CLOEXEC);    // of this process's current namespace
    const bool is_whole = directory >= 0 && append_files(to, directory);
    if (directory >= 0)
        ::close(directory);
    const void* const rest = is_whole ? ::memmem(to.text, to.length, counts_of_host, sizeof counts_of_host - 1) : nullptr;
    if (rest == nullptr)
        return false;
    to.length = static_cast<std::size_t>(static_cast<const char*>(rest) - to.text);
    return true;
}

/// The route/flush file of a namespace, opened while in it: each namespace has one of that name, and the look-up slows down with their
/// number. The descriptor does not hold the namespace.
struct route_flush {
    ino_t network = 0;    // inode number of the namespace; may be reused after its end
    int file = -1;
};
constexpr std::size_t most_flushes = 128;    // at least the number of networks that the server keeps by default
route_flush flushes[most_flushes];
std::size_t next_flush = 0;

bool flush(const route_flush& routes) { return routes.file >= 0 && ::write(routes.file, "1", 1) == 1; }

/// Flushes cached IPv4 routes of this process's namespace `network`, since they reveal when they were used (ip-sysctl, route/flush).
bool forget_routes(int network)
{
    struct stat about{};
    if (::fstat(network, &about) != 0)
        return false;
    auto* known = std::find_if(std::begin(flushes), std::end(flushes), [&](const auto& each) { return each.network == about.st_ino; });
    if (known != std::end(flushes) && flush(*known))
        return true;
    if (known == std::end(flushes)) {
        known = &flushes[next_flush];
        next_flush = (next_flush + 1) % most_flushes;
    }
    if (known->file >= 0)
        ::close(known->file);
    *known = {about.st_ino, ::open("/proc/sys/net/ipv4/route/flush", O_WRONLY | O_CLOEXEC)};
    return flush(*known);
}

bool looks_fresh()
{
    static look now;
    const bool is_like_fresh = take_look(now) && now.length == of_fresh.length && std::memcmp(now.text, of_fresh.text, now.length) == 0;
    ::explicit_bzero(&now, sizeof now);    // the next sandbox is forked from this process and must not see another's activity
    return is_like_fresh;
}

/// Checks before the first switch that this process could return: setns() to its current namespace takes the same rights.
bool may_leave()
{
    first_network = ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (first_network >= 0 && ::setns(first_network, CLONE_NEWNET) == 0)
        return true;
    ::close(first_network);
    first_network = -1;
    return false;
}

}    // namespace

bool enter_fresh_network()
{
    static bool may = may_leave();
    is_fresh = false;
    if (!may || ::unshare(CLONE_NEWNET) != 0)
        return false;
    has_left = true;
    is_fresh = may = bring_up_loopback();    // without the capability, do not try again
    if (is_fresh && !take_look(of_fresh))
        of_fresh.length = 0;
    return is_fresh;
}

bool enter_used_network(int network)
{
    is_fresh = network >= 0 && of_fresh.length > 0 && ::setns(network, CLONE_NEWNET) == 0 && forget_routes(network) && looks_fresh();
    return is_fresh;
}

bool has_fresh_network() { return is_fresh; }

void give_network_away() { is_fresh = false; }

void return_to_first_network()
{
    if (has_left && ::setns(first_network, CLONE_NEWNET) != 0)
        fail("network");
    is_fresh = false;
}

bool bring_up_loopback()
{
    const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq interface{};
    std::strcpy(interface.ifr_name, "lo");
    bool is_up = any >= 0 && ::ioctl(any, SIOCGIFFLAGS, &interface) == 0;
    interface.ifr_flags = static_cast<short>(interface.ifr_flags | IFF_UP);
    is_up = is_up && ::ioctl(any, SIOCSIFFLAGS, &interface) == 0;
    if (any >= 0)
        ::close(any);
    return is_up;
}

}    // namespace caisson::launch
