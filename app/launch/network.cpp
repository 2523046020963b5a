#include "app/launch/network.hpp"

#include "app/launch/fail.hpp"

#include <cstring>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace caisson::launch {

namespace {

int first_network = -1;    // open in this process, and in none of its children past their orders
bool has_left = false;
bool is_fresh = false;

/// For the first time. Whoever may not go back, which the kernel judges by the same rule, must not leave.
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
    is_fresh = may = bring_up_loopback();    // without the capability it will not do better the next time
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
