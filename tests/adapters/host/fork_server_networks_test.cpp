#include "tests/adapters/host/fork_server_fixture.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sstream>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <thread>

namespace caisson {

namespace {

using caisson::testing::ForkServer;
using ::testing::HasSubstr;
using ::testing::Not;

std::string network_of(const std::string& process) { return std::filesystem::read_symlink("/proc/" + process + "/ns/net").string(); }

std::string name_of(const unique_fd& opened)
{
    return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(opened.get())).string();
}

unique_fd bound_socket()
{
    unique_fd made(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in loopback{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    EXPECT_EQ(::bind(made.get(), reinterpret_cast<const sockaddr*>(&loopback), sizeof loopback), 0);
    return made;
}

void send_to_itself()
{
    const auto socket = bound_socket();
    sockaddr_in own{};
    socklen_t length = sizeof own;
    ASSERT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &length), 0);
    EXPECT_EQ(::sendto(socket.get(), "x", 1, 0, reinterpret_cast<const sockaddr*>(&own), length), 1);
}

/// No packet is sent, and yet it is counted.
void send_to_nowhere()
{
    const unique_fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in documentation{.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(0xc0000201)}, .sin_zero = {}};
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&documentation), sizeof documentation), -1);
    EXPECT_EQ(errno, ENETUNREACH);
}

/// Nothing is sent, but a route is looked up.
void connect_to_itself_over_ipv6()
{
    const unique_fd socket(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in6 loopback{};
    loopback.sin6_family = AF_INET6;
    loopback.sin6_port = htons(9);
    loopback.sin6_addr = in6addr_loopback;
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&loopback), sizeof loopback), 0);
}

void connect_to_itself()
{
    const unique_fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const sockaddr_in loopback{.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&loopback), sizeof loopback), 0);
}

/// How long ago the route of IPv4 to this host was used first, in hundredths of a second: what the kernel remembers of it on this
/// processor. 0 if it remembers nothing (rtnetlink(7), RTA_CACHEINFO).
unsigned age_of_route()
{
    struct {
        nlmsghdr head;
        rtmsg route;
        rtattr to;
        in_addr address;
    } asked{{sizeof asked, RTM_GETROUTE, NLM_F_REQUEST, 1, 0}, {}, {RTA_LENGTH(sizeof(in_addr)), RTA_DST}, {htonl(INADDR_LOOPBACK)}};
    asked.route.rtm_family = AF_INET;
    asked.route.rtm_dst_len = 32;
    const unique_fd kernel(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    EXPECT_EQ(::send(kernel.get(), &asked, sizeof asked, 0), static_cast<ssize_t>(sizeof asked));
    alignas(nlmsghdr) char answer[4096];
    const auto got = ::recv(kernel.get(), answer, sizeof answer, 0);
    const auto* const head = reinterpret_cast<const nlmsghdr*>(answer);
    if (got < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(rtmsg))) || head->nlmsg_type != RTM_NEWROUTE) {
        ADD_FAILURE() << "no route";
        return 0;
    }
    const auto* at = reinterpret_cast<const rtattr*>(answer + NLMSG_LENGTH(sizeof(rtmsg)));
    auto left = static_cast<int>(head->nlmsg_len - NLMSG_LENGTH(sizeof(rtmsg)));
    for (; RTA_OK(at, left); at = RTA_NEXT(at, left)) {
        rta_cacheinfo seen{};
        if (at->rta_type != RTA_CACHEINFO)
            continue;
        std::memcpy(&seen, RTA_DATA(at), sizeof seen);
        return seen.rta_lastuse;
    }
    return 0;
}

void stay_on_one_processor()
{
    cpu_set_t first;
    CPU_ZERO(&first);
    cpu_set_t may{};
    ASSERT_EQ(::sched_getaffinity(0, sizeof may, &may), 0);
    int number = 0;
    while (!CPU_ISSET(number, &may))
        ++number;
    CPU_SET(number, &first);
    ASSERT_EQ(::sched_setaffinity(0, sizeof first, &first), 0);
}

constexpr std::uint32_t flow_label = 0xfabce;
constexpr char flow_label_text[] = "FABCE ";    // as ip6_flowlabel shows it

/// It outlives its socket for some seconds.
void lease_flow_label()
{
    struct request {    // in6_flowlabel_req of linux/in6.h, which cannot be had beside netinet/in.h
        in6_addr destination;
        std::uint32_t label;
        std::uint8_t action;
        std::uint8_t share;
        std::uint16_t flags;
        std::uint16_t expires_s;
        std::uint16_t linger_s;
        std::uint32_t padding;
    };
    constexpr std::uint8_t get = 0;
    constexpr std::uint8_t any = 255;
    constexpr std::uint16_t create = 1;
    constexpr int manage = 32;    // IPV6_FLOWLABEL_MGR
    const unique_fd socket(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const request wanted{in6addr_loopback, htonl(flow_label), get, any, create, 6, 6, 0};
    EXPECT_EQ(::setsockopt(socket.get(), IPPROTO_IPV6, manage, &wanted, sizeof wanted), 0) << std::strerror(errno);
}

/// As the launcher makes them, in which `used` was done.
unique_fd make_network(const std::function<void()>& used)
{
    unique_fd made;
    std::thread([&] {
        ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
        {
            const unique_fd any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
            ifreq interface{};
            std::strcpy(interface.ifr_name, "lo");
            interface.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
            ASSERT_EQ(::ioctl(any.get(), SIOCSIFFLAGS, &interface), 0);
        }
        used();
        made.reset(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    }).join();
    return made;
}

/// Debian's kernel shows how often routes of IPv4 were looked up, as binding to an address does, others do not (CONFIG_IP_FIB_TRIE_STATS).
bool lookups_are_shown()
{
    std::ifstream shown("/proc/self/net/fib_triestat");
    return std::string(std::istreambuf_iterator<char>(shown), {}).find("gets = ") != std::string::npos;
}

TEST_F(ForkServer, GivesEachItsNetworkOrThisProcesss)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root may make networks for others";
    const auto seen_by = [&](bool may_have_fresh) {
        std::filesystem::remove(scratch.path() + "/out");
        auto wanted = order("readlink /proc/$$/ns/net; cut -d: -f1 /proc/$$/net/dev | tail -n +3");
        wanted.may_have_fresh_network = may_have_fresh;
        EXPECT_EQ(run(wanted), 0);
        return text();
    };
    const auto own = network_of("self");
    EXPECT_THAT(seen_by(true), HasSubstr(own)) << "the first makes it itself";
    const auto second = seen_by(true);
    EXPECT_THAT(second, ::testing::AllOf(Not(HasSubstr(own)), ::testing::EndsWith("\n    lo\n")));
    EXPECT_THAT(seen_by(false), HasSubstr(own));
    const auto third = seen_by(true);
    EXPECT_THAT(third, ::testing::AllOf(Not(HasSubstr(own)), Not(second), ::testing::EndsWith("\n    lo\n")));
    EXPECT_THAT(seen_by(false), HasSubstr(own));
}

/// Whether the order after the one with which it came gets it. Nothing leads to it from the first, and the one after both gets another.
class ForkServerWithUsedNetworks : public ForkServer {
protected:
    bool is_used_again(const unique_fd& network)
    {
        look(network.get());
        const auto next = look(-1);
        const auto last = look(-1);
        EXPECT_NE(next, last);
        EXPECT_NE(last, network_of("self"));
        return next == name_of(network);
    }
    /// The network of a process that is ordered with one for the next.
    std::string look(int for_next)
    {
        std::filesystem::remove(scratch.path() + "/out");
        auto wanted = order("readlink /proc/$$/ns/net; ls -l /proc/$$/fd | grep -cE 'net:|route'");
        wanted.may_have_fresh_network = true;
        if (for_next >= 0)
            wanted.network = wanted.descriptors.add(for_next);
        EXPECT_EQ(run(wanted), 1 << 8);
        const auto seen = text();
        EXPECT_THAT(seen, ::testing::EndsWith("\n0\n"));
        return seen.substr(0, seen.find('\n'));
    }
};

TEST_F(ForkServerWithUsedNetworks, GivesThoseInWhichNothingHappened)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root may make networks for others";
    const auto quiet = make_network([] { });
    EXPECT_FALSE(is_used_again(quiet)) << "nobody knows yet how a fresh one looks";
    EXPECT_TRUE(is_used_again(quiet));
    EXPECT_TRUE(is_used_again(quiet));
    EXPECT_FALSE(is_used_again(make_network(send_to_itself)));
    EXPECT_FALSE(is_used_again(make_network(send_to_nowhere)));
    EXPECT_FALSE(is_used_again(make_network(connect_to_itself_over_ipv6)));
    EXPECT_FALSE(is_used_again(make_network(lease_flow_label)));
    EXPECT_EQ(count_in_memory(servers().front(), flow_label_text), 0U);
    unique_fd left;
    const auto busy = make_network([&left] { left = bound_socket(); });
    EXPECT_FALSE(is_used_again(busy));
    left.reset();
    EXPECT_EQ(is_used_again(busy), !lookups_are_shown()) << "a socket without traffic leaves nothing but that its address was looked up";
    EXPECT_FALSE(is_used_again(unique_fd(::open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC)))) << "no network at all";
    EXPECT_EQ(servers().size(), 1U);
    EXPECT_EQ(run(order("true")), 0) << "and so the next network is made";
    auto held = descriptors_of(servers().front());
    const auto flushes = std::erase_if(held, [](const auto& each) { return each.starts_with("/proc/sys/net/ipv4/route/flush"); });
    EXPECT_EQ(held.size(), 5U) << "stdio, the socket and the first network";
    constexpr std::size_t entered = 6;    // and a number of one may be given again
    EXPECT_THAT(flushes, ::testing::AllOf(::testing::Ge(1U), ::testing::Le(entered))) << "what has a network's routes forgotten";
}

TEST_F(ForkServerWithUsedNetworks, TellsNobodyWhenRoutesWereUsed)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root may make networks for others";
    const auto used = make_network([] {
        stay_on_one_processor();
        connect_to_itself();
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (age_of_route() == 0 && std::chrono::steady_clock::now() < until)
            std::this_thread::yield();
        EXPECT_GT(age_of_route(), 0U) << "else nothing is to be forgotten";
    });
    look(-1);
    if (lookups_are_shown()) {
        EXPECT_FALSE(is_used_again(used)) << "nobody gets it";
        return;
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!is_used_again(used))    // the kernel counts a netlink socket some time longer than it is there
        ASSERT_LT(std::chrono::steady_clock::now(), until);
    std::thread([&used] {
        stay_on_one_processor();
        ASSERT_EQ(::setns(used.get(), CLONE_NEWNET), 0);
        EXPECT_EQ(age_of_route(), 0U);
    }).join();
}

}    // namespace

}    // namespace caisson
