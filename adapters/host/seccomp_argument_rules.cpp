#include "adapters/host/seccomp_argument_rules.hpp"

#include <cerrno>
#include <linux/sockios.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>

namespace caisson {

namespace {

argument_test equals(unsigned argument, std::uint32_t value) { return {argument, comparison::equals, value}; }
argument_test above(unsigned argument, std::uint32_t value) { return {argument, comparison::above, value}; }
argument_test has_any(unsigned argument, std::uint32_t bits) { return {argument, comparison::has_any, bits}; }
argument_test masked(unsigned argument, std::uint32_t mask, std::uint32_t value) { return {argument, comparison::equals, value, mask}; }
argument_test differs(unsigned argument, std::uint32_t mask, std::uint32_t value) { return {argument, comparison::differs, value, mask}; }
argument_test upper_equals(unsigned argument, std::uint32_t value)
{
    argument_test test = equals(argument, value);
    test.upper_half = true;
    return test;
}

/// For clone(2) and unshare(2). In the flags of clone the bit of CLONE_NEWTIME belongs to the exit signal.
constexpr std::uint32_t namespace_flags =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | static_cast<std::uint32_t>(CLONE_NEWNET);
constexpr std::uint32_t time_namespace_flag = 0x80;

/// Resources that an unprivileged process may stop sharing.
constexpr std::uint32_t harmless_unshare_flags = CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM;

void add_namespaces(std::vector<named_rules>& to)
{
    to.push_back({"clone", {{{has_any(0, namespace_flags)}, EPERM}}});
    to.push_back({"unshare", {
                                 {{masked(0, ~harmless_unshare_flags, 0), upper_equals(0, 0)}, kernel_judges},
                                 {{has_any(0, namespace_flags | time_namespace_flag)}, EPERM},
                                 {{}, EINVAL},
                             }});
}

/// AF_INET and AF_INET6 are 2 and 10: they differ in one bit.
constexpr std::uint32_t either_inet = ~static_cast<std::uint32_t>(AF_INET ^ AF_INET6);
constexpr std::uint32_t socket_type = 0xf;    // SOCK_TYPE_MASK of the kernel
constexpr std::uint32_t socket_flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
constexpr std::uint32_t tcp = 6;
constexpr std::uint32_t udp = 17;
constexpr std::uint32_t highest_protocol = 262;    // MPTCP; the kernel rejects higher ones as invalid

/// Allows UNIX, TCP and UDP over INET and INET6, and NETLINK_ROUTE. Other protocols are kernel code, loaded as modules on demand, that is
/// of no use in a sandbox without a network.
void add_sockets(std::vector<named_rules>& to)
{
    to.push_back({"socket", {
                                {{equals(0, AF_UNIX)}, kernel_judges},
                                {{equals(0, AF_NETLINK), equals(2, 0)}, kernel_judges},
                                {{equals(0, AF_NETLINK)}, EPROTONOSUPPORT},
                                {{differs(0, either_inet, AF_INET)}, EAFNOSUPPORT},
                                {{has_any(1, ~(socket_type | socket_flags))}, EINVAL},
                                {{masked(1, socket_type, SOCK_RAW)}, EPERM},
                                {{masked(1, socket_type, SOCK_PACKET)}, EPERM},
                                {{masked(1, socket_type, 0)}, ESOCKTNOSUPPORT},
                                {{{1, comparison::above, SOCK_PACKET, socket_type}}, EINVAL},
                                {{{1, comparison::above, SOCK_DGRAM, socket_type}}, ESOCKTNOSUPPORT},
                                {{equals(2, 0)}, kernel_judges},
                                {{equals(2, tcp)}, kernel_judges},
                                {{equals(2, udp)}, kernel_judges},
                                {{above(2, highest_protocol)}, EINVAL},
                                {{}, EPROTONOSUPPORT},
                            }});
    to.push_back({"socketpair",    // the kernel makes both sockets before it finds that a family has no pairs
        {
            {{equals(0, AF_UNIX)}, kernel_judges},
            {{equals(0, AF_NETLINK)}, EOPNOTSUPP},
            {{differs(0, either_inet, AF_INET)}, EAFNOSUPPORT},
            {{}, EOPNOTSUPP},
        }});
}

/// Calls that query which pages of the host's files are cached, evict them, or merge pages across processes.
void add_shared_pages(std::vector<named_rules>& to)
{
    constexpr std::uint32_t only_from_memory = 8;    // RWF_NOWAIT
    constexpr std::uint32_t drop_pages = 4;          // POSIX_FADV_DONTNEED
    constexpr std::uint32_t merge_pages = 12;        // MADV_MERGEABLE
    constexpr std::uint32_t merge_all_pages = 67;    // PR_SET_MEMORY_MERGE
    to.push_back({"preadv2", {{{has_any(5, only_from_memory)}, EOPNOTSUPP}}});
    to.push_back({"fadvise64", {{{equals(3, drop_pages)}, 0}}});
    to.push_back({"madvise", {{{equals(2, merge_pages)}, EINVAL}}});
    to.push_back({"prctl", {{{equals(0, merge_all_pages)}, EINVAL}}});
}

/// Huge pages come from the pool reserved by the host's administrator, which no control group of a sandbox counts. The kernel checks for
/// other mistakes first: file mappings cannot have them (EINVAL), and memfd_create(2) rejects unknown flags.
void add_huge_pages(std::vector<named_rules>& to)
{
    constexpr std::uint32_t anonymous_huge = MAP_HUGETLB | MAP_ANONYMOUS;
    constexpr std::uint32_t not_executable_or_executable = 0x8 | 0x10;    // MFD_NOEXEC_SEAL, MFD_EXEC
    constexpr std::uint32_t size_bits = 0x3fU << 26;
    constexpr std::uint32_t known_flags = MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB | not_executable_or_executable | size_bits;
    to.push_back({"mmap", {{{masked(3, anonymous_huge, anonymous_huge)}, ENOMEM}}});
    to.push_back({"memfd_create", {
                                      {{masked(1, MFD_HUGETLB, 0)}, kernel_judges},
                                      {{has_any(1, ~known_flags)}, EINVAL},
                                      {{masked(1, not_executable_or_executable, not_executable_or_executable)}, EINVAL},
                                      {{}, ENOMEM},
                                  }});
    to.push_back({"shmget", {{{has_any(2, SHM_HUGETLB)}, ENOMEM}}});
}

constexpr std::uint32_t number_in_type = 0xff;    // in an ioctl request, see _IOC in ioctl(2); the type is above it, then the size
constexpr std::uint32_t type_of_request = 0xff00;

/// Allows requests of terminals, files in memory, random devices, processes, socket interfaces and seccomp(2) listeners. Refuses input
/// injection for another session's shell (TIOCSTI), and the console selection (TIOCLINUX), unknown to other terminals. Line disciplines
/// (TIOCSETD), bridges and VLANs are modules that the kernel would load on demand.
void add_device_requests(std::vector<named_rules>& to)
{
    constexpr std::uint32_t of_terminals = 'T' << 8, low_half = 0x80;    // TUNSETIFF and similar are in the upper half
    constexpr std::uint32_t of_interfaces = 0x8900, first_64 = 0x3f;     // SIOCGIFBR of bridges is 0x8940
    constexpr std::uint32_t unsent_bytes = 0x894b;                       // SIOCOUTQNSD
    constexpr std::uint32_t of_random = 'R' << 8, of_listeners = '!' << 8;
    constexpr std::uint32_t block_size = 2;                                         // FIGETBSZ
    constexpr std::uint32_t get_flags = 0x8008'6601, set_flags = 0x4008'6602;       // FS_IOC_GETFLAGS, FS_IOC_SETFLAGS
    constexpr std::uint32_t get_attributes = 0x801c'581f;                           // FS_IOC_FSGETXATTR
    constexpr std::uint32_t of_a_process = 0xff0b;                                  // PIDFD_GET_INFO, of any size
    constexpr std::uint32_t extents = 0xc020'660b, same_blocks = 0xc018'9436;       // FS_IOC_FIEMAP, FIDEDUPERANGE
    constexpr std::uint32_t clone_file = 0x4004'9409, clone_range = 0x4020'940d;    // FICLONE, FICLONERANGE
    to.push_back({"ioctl", {
                               {{equals(1, TIOCSTI)}, EPERM},
                               {{equals(1, TIOCSETD)}, EPERM},
                               {{equals(1, TIOCLINUX)}, ENOTTY},
                               {{masked(1, type_of_request | low_half, of_terminals)}, kernel_judges},
                               {{masked(1, ~first_64, of_interfaces)}, kernel_judges},
                               {{masked(1, type_of_request | number_in_type, of_a_process)}, kernel_judges},
                               {{masked(1, type_of_request, of_random)}, kernel_judges},
                               {{masked(1, type_of_request, of_listeners)}, kernel_judges},
                               {{equals(1, SIOCGIFTXQLEN)}, kernel_judges},
                               {{equals(1, SIOCETHTOOL)}, kernel_judges},
                               {{equals(1, SIOCGIFMAP)}, kernel_judges},
                               {{equals(1, unsent_bytes)}, kernel_judges},
                               {{equals(1, block_size)}, kernel_judges},
                               {{equals(1, get_flags)}, kernel_judges},
                               {{equals(1, set_flags)}, kernel_judges},
                               {{equals(1, get_attributes)}, kernel_judges},
                               {{equals(1, extents)}, EOPNOTSUPP},
                               {{equals(1, same_blocks)}, EOPNOTSUPP},
                               {{equals(1, clone_file)}, EOPNOTSUPP},
                               {{equals(1, clone_range)}, EOPNOTSUPP},
                               {{}, ENOTTY},
                           }});
}

/// Refuses options above the last one known here, since later kernels may add any. Also refuses socket filter programs, whose compiled code
/// shares a host-wide bound (net.core.bpf_jit_limit), IPv6 flow labels, limited to 4,096 per host, and needless kernel code: protocols
/// above TCP, TCP signatures, IPsec in UDP, packet filter tables; and an obsolete IPv6 option (RFC 2292) whose 64 KiB no group counts.
void add_socket_options(std::vector<named_rules>& to)
{
    constexpr std::uint32_t of_sockets = 1, of_ip = 0, of_tcp = 6, of_udp = 17, of_ipv6 = 41, of_netlink = 270;
    constexpr std::uint32_t last_of_sockets = 77, last_of_ip = 51, last_of_tcp = 37, last_of_udp = 104, last_of_ipv6 = 78,
                            last_of_netlink = 12;
    constexpr std::uint32_t attach_filter = 26, attach_bpf = 50, attach_reuseport_cbpf = 51, attach_reuseport_ebpf = 52;
    constexpr std::uint32_t packet_options = 6;    // IPV6_2292PKTOPTIONS
    constexpr std::uint32_t md5_signature = 14, upper_protocol = 31, md5_signature_of_prefix = 32;
    constexpr std::uint32_t flow_label = 32, packet_filter = 64, packet_filter_counters = 65, encapsulation = 100;
    const auto at = [](std::uint32_t level, std::uint32_t option, int answer) {
        return argument_rule{{equals(1, level), equals(2, option)}, answer};
    };
    const auto behind = [](std::uint32_t level, std::uint32_t last) {
        return argument_rule{{equals(1, level), above(2, last)}, ENOPROTOOPT};
    };
    const auto others_at = [](std::uint32_t level) { return argument_rule{{equals(1, level)}, kernel_judges}; };
    to.push_back({"setsockopt", {
                                    at(of_sockets, attach_filter, EPERM),
                                    at(of_sockets, attach_bpf, EPERM),
                                    at(of_sockets, attach_reuseport_cbpf, EPERM),
                                    at(of_sockets, attach_reuseport_ebpf, EPERM),
                                    behind(of_sockets, last_of_sockets),
                                    others_at(of_sockets),
                                    at(of_tcp, upper_protocol, ENOENT),
                                    at(of_tcp, md5_signature, ENOPROTOOPT),
                                    at(of_tcp, md5_signature_of_prefix, ENOPROTOOPT),
                                    behind(of_tcp, last_of_tcp),
                                    others_at(of_tcp),
                                    behind(of_ip, last_of_ip),
                                    others_at(of_ip),
                                    at(of_ipv6, flow_label, ENOPROTOOPT),
                                    at(of_ipv6, packet_options, ENOPROTOOPT),
                                    at(of_ipv6, packet_filter, ENOPROTOOPT),
                                    at(of_ipv6, packet_filter_counters, ENOPROTOOPT),
                                    behind(of_ipv6, last_of_ipv6),
                                    others_at(of_ipv6),
                                    at(of_udp, encapsulation, ENOPROTOOPT),
                                    behind(of_udp, last_of_udp),
                                    others_at(of_udp),
                                    behind(of_netlink, last_of_netlink),
                                    others_at(of_netlink),
                                    {{}, ENOPROTOOPT},
                                }});
}

/// Allows 0, ADDR_NO_RANDOMIZE and the query.
void add_personalities(std::vector<named_rules>& to)
{
    constexpr std::uint32_t query = 0xffff'ffff;
    to.push_back({"personality", {
                                     {{equals(0, 0)}, kernel_judges},
                                     {{equals(0, ADDR_NO_RANDOMIZE)}, kernel_judges},
                                     {{equals(0, query)}, kernel_judges},
                                     {{}, EPERM},
                                 }});
}

/// The core file limit stays 1: at 0 the kernel would still start the handler in core_pattern, as the host's root. Changing it returns 0
/// without effect, so that `ulimit -c 0` does not fail.
constexpr std::uint32_t core_limit = RLIMIT_CORE;
constexpr std::uint32_t agent = 1;

}    // namespace

std::vector<named_rules> common_argument_rules()
{
    std::vector<named_rules> rules;
    add_namespaces(rules);
    add_sockets(rules);
    add_shared_pages(rules);
    add_huge_pages(rules);
    add_device_requests(rules);
    add_socket_options(rules);
    add_personalities(rules);
    return rules;
}

std::vector<named_rules> program_argument_rules()
{
    constexpr std::uint32_t io_priority_of_user = 3;                        // IOPRIO_WHO_USER
    constexpr std::uint32_t locks_of_open_files = 36, last_two_bits = 3;    // F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW; 39 is no command
    const argument_rule not_the_agent{{equals(0, agent)}, EPERM};
    return {
        // Locks of open file descriptions: one can have any number. No group counts them, and one sent in a message cannot be found.
        {"fcntl", {{{masked(1, ~last_two_bits, locks_of_open_files)}, EINVAL}}},
        {"setrlimit", {{{equals(0, core_limit)}, 0}}},
        {"prlimit64",
            {
                {{equals(2, 0), upper_equals(2, 0)}, kernel_judges},    // query only
                not_the_agent,
                {{equals(1, core_limit)}, 0},
            }},
        {"sched_setaffinity", {not_the_agent}},
        {"sched_setattr", {not_the_agent}},
        {"sched_setparam", {not_the_agent}},
        {"sched_setscheduler", {not_the_agent}},
        {"setpriority", {{{equals(0, PRIO_USER)}, EPERM}, {{equals(1, agent)}, EPERM}}},
        {"ioprio_set", {{{equals(0, io_priority_of_user)}, EPERM}, {{equals(1, agent)}, EPERM}}},
    };
}

}    // namespace caisson
