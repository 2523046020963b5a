#include "adapters/host/seccomp_argument_rules.hpp"

#include "adapters/host/seccomp_filter.hpp"
#include "tests/adapters/host/bpf_machine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>

namespace caisson {

namespace {

using call_arguments = std::array<std::uint64_t, 6>;

/// As the C library passes an int below zero.
constexpr std::uint64_t minus(std::int64_t value) { return static_cast<std::uint64_t>(-value); }

struct argument_case {
    const char* name;
    const char* call;
    call_arguments with;
    int want;    // errno; 0: nothing is done; kernel_judges
};

int judged(filter_part part, std::uint32_t architecture, const argument_case& c)
{
    seccomp_data call{};
    call.nr = seccomp_syscall_resolve_name_arch(architecture, c.call);
    call.arch = architecture;
    for (std::size_t i = 0; i < c.with.size(); ++i)
        call.args[i] = c.with[i];
    EXPECT_GE(call.nr, 0);
    const auto done = testing::run_filter(testing::instructions_of(make_filter(part, architecture)), call);
    EXPECT_TRUE(done.has_value());
    return done == SECCOMP_RET_ALLOW ? kernel_judges : static_cast<int>(done.value_or(0) & SECCOMP_RET_DATA);
}

/// Of the agent too.
class CommonArguments : public ::testing::TestWithParam<argument_case> { };

TEST_P(CommonArguments, AreAnsweredAsTheKernelWould)
{
    for (const std::uint32_t architecture : {AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64}) {
        EXPECT_EQ(judged(filter_part::payload, architecture, GetParam()), GetParam().want);
        EXPECT_EQ(judged(filter_part::agent, architecture, GetParam()), GetParam().want);
        EXPECT_EQ(judged(filter_part::rest_of_payload, architecture, GetParam()), kernel_judges);
    }
}

constexpr std::uint64_t cloexec = SOCK_CLOEXEC | SOCK_NONBLOCK;
constexpr std::uint64_t high = 1ULL << 32;

constexpr argument_case namespace_cases[] = {
    {"fork", "clone", {17}, kernel_judges},
    {"thread", "clone", {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM}, kernel_judges},
    {"clone_user", "clone", {CLONE_NEWUSER | 17}, EPERM},
    {"clone_user_and_unread_bits", "clone", {CLONE_NEWUSER | high}, EPERM},
    {"clone_net", "clone", {CLONE_NEWNET}, EPERM},
    {"clone_mount", "clone", {CLONE_NEWNS}, EPERM},
    {"clone_pid", "clone", {CLONE_NEWPID}, EPERM},
    {"clone_ipc", "clone", {CLONE_NEWIPC}, EPERM},
    {"clone_uts", "clone", {CLONE_NEWUTS}, EPERM},
    {"clone_cgroup", "clone", {CLONE_NEWCGROUP}, EPERM},
    {"unshare_nothing", "unshare", {0}, kernel_judges},
    {"unshare_directory", "unshare", {CLONE_FS}, kernel_judges},
    {"unshare_files_and_semaphores", "unshare", {CLONE_FILES | CLONE_SYSVSEM}, kernel_judges},
    {"unshare_user", "unshare", {CLONE_NEWUSER}, EPERM},
    {"unshare_user_and_files", "unshare", {CLONE_NEWUSER | CLONE_FILES}, EPERM},
    {"unshare_net", "unshare", {CLONE_NEWNET}, EPERM},
    {"unshare_mount", "unshare", {CLONE_NEWNS}, EPERM},
    {"unshare_pid", "unshare", {CLONE_NEWPID}, EPERM},
    {"unshare_ipc", "unshare", {CLONE_NEWIPC}, EPERM},
    {"unshare_uts", "unshare", {CLONE_NEWUTS}, EPERM},
    {"unshare_cgroup", "unshare", {CLONE_NEWCGROUP}, EPERM},
    {"unshare_time", "unshare", {0x80}, EPERM},
    {"unshare_a_later_flag", "unshare", {0x1000}, EINVAL},
    {"unshare_a_high_flag", "unshare", {high}, EINVAL},
};

constexpr argument_case socket_cases[] = {
    {"unix_stream", "socket", {AF_UNIX, SOCK_STREAM | cloexec, 0}, kernel_judges},
    {"unix_seqpacket", "socket", {AF_UNIX, SOCK_SEQPACKET, 0}, kernel_judges},
    {"tcp", "socket", {AF_INET, SOCK_STREAM | cloexec, 6}, kernel_judges},
    {"tcp_by_default", "socket", {AF_INET6, SOCK_STREAM, 0}, kernel_judges},
    {"udp", "socket", {AF_INET6, SOCK_DGRAM | cloexec, 17}, kernel_judges},
    {"family_and_unread_bits", "socket", {AF_INET | high, SOCK_STREAM, 0}, kernel_judges},
    {"route", "socket", {AF_NETLINK, SOCK_RAW | cloexec, 0}, kernel_judges},
    {"audit", "socket", {AF_NETLINK, SOCK_RAW, 9}, EPROTONOSUPPORT},
    {"route_and_unread_bits", "socket", {AF_NETLINK, SOCK_RAW, high}, kernel_judges},
    {"unspecified_family", "socket", {AF_UNSPEC, SOCK_STREAM, 0}, EAFNOSUPPORT},
    {"packet", "socket", {AF_PACKET, SOCK_RAW, 0}, EAFNOSUPPORT},
    {"vsock", "socket", {AF_VSOCK, SOCK_STREAM, 0}, EAFNOSUPPORT},
    {"alg", "socket", {AF_ALG, SOCK_SEQPACKET, 0}, EAFNOSUPPORT},
    {"family_18", "socket", {18, SOCK_STREAM, 0}, EAFNOSUPPORT},
    {"family_above_all", "socket", {1'000, SOCK_STREAM, 0}, EAFNOSUPPORT},
    {"negative_family", "socket", {minus(1), SOCK_STREAM, 0}, EAFNOSUPPORT},
    {"flags_that_are_not_there", "socket", {AF_INET, SOCK_STREAM | 0x100, 0}, EINVAL},
    {"negative_type", "socket", {AF_INET, minus(1), 0}, EINVAL},
    {"type_above_all", "socket", {AF_INET, 11, 0}, EINVAL},
    {"no_type", "socket", {AF_INET, 0, 0}, ESOCKTNOSUPPORT},
    {"raw", "socket", {AF_INET, SOCK_RAW | cloexec, 1}, EPERM},
    {"raw_6", "socket", {AF_INET6, SOCK_RAW, 58}, EPERM},
    {"inet_packet", "socket", {AF_INET, SOCK_PACKET, 0}, EPERM},
    {"rdm", "socket", {AF_INET, SOCK_RDM, 0}, ESOCKTNOSUPPORT},
    {"sctp_by_its_type", "socket", {AF_INET, SOCK_SEQPACKET | cloexec, 0}, ESOCKTNOSUPPORT},
    {"dccp_by_its_type", "socket", {AF_INET6, SOCK_DCCP, 0}, ESOCKTNOSUPPORT},
    {"icmp", "socket", {AF_INET, SOCK_DGRAM, 1}, EPROTONOSUPPORT},
    {"sctp", "socket", {AF_INET, SOCK_STREAM, 132}, EPROTONOSUPPORT},
    {"udp_lite", "socket", {AF_INET6, SOCK_DGRAM, 136}, EPROTONOSUPPORT},
    {"smc", "socket", {AF_INET, SOCK_STREAM, 256}, EPROTONOSUPPORT},
    {"mptcp", "socket", {AF_INET, SOCK_STREAM, 262}, EPROTONOSUPPORT},
    {"protocol_above_all", "socket", {AF_INET, SOCK_STREAM, 263}, EINVAL},
    {"negative_protocol", "socket", {AF_INET, SOCK_STREAM, minus(1)}, EINVAL},
    {"unix_pair", "socketpair", {AF_UNIX, SOCK_STREAM | cloexec, 0, 1}, kernel_judges},
    {"tcp_pair", "socketpair", {AF_INET, SOCK_STREAM, 0, 1}, EOPNOTSUPP},
    {"sctp_pair", "socketpair", {AF_INET6, SOCK_STREAM, 132, 1}, EOPNOTSUPP},
    {"netlink_pair", "socketpair", {AF_NETLINK, SOCK_RAW, 0, 1}, EOPNOTSUPP},
    {"tipc_pair", "socketpair", {AF_TIPC, SOCK_STREAM, 0, 1}, EAFNOSUPPORT},
};

constexpr argument_case memory_cases[] = {
    {"memfd", "memfd_create", {1, MFD_CLOEXEC | MFD_ALLOW_SEALING}, kernel_judges},
    {"memfd_of_a_later_flag", "memfd_create", {1, 0x20}, kernel_judges},
    {"memfd_of_huge_pages", "memfd_create", {1, MFD_HUGETLB}, ENOMEM},
    {"memfd_of_pages_of_2_mib", "memfd_create", {1, MFD_HUGETLB | MFD_CLOEXEC | (21ULL << 26)}, ENOMEM},
    {"memfd_of_huge_pages_sealed", "memfd_create", {1, MFD_HUGETLB | 0x8}, ENOMEM},
    {"memfd_of_all_flags", "memfd_create", {1, 0xffff'ffff}, EINVAL},
    {"memfd_of_huge_pages_and_a_later_flag", "memfd_create", {1, MFD_HUGETLB | 0x20}, EINVAL},
    {"memfd_of_huge_pages_for_both", "memfd_create", {1, MFD_HUGETLB | 0x8 | 0x10}, EINVAL},
    {"memory", "mmap", {0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS}, kernel_judges},
    {"huge_memory", "mmap", {0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, minus(1)}, ENOMEM},
    {"shared_huge_memory_of_1_gib", "mmap", {0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB | (30ULL << 26), minus(1)}, ENOMEM},
    {"a_file_as_huge_memory", "mmap", {0, 4096, 3, MAP_PRIVATE | MAP_HUGETLB, 3}, kernel_judges},
    {"segment", "shmget", {0, 4096, 0600 | IPC_CREAT}, kernel_judges},
    {"huge_segment", "shmget", {0, 4096, 0600 | IPC_CREAT | SHM_HUGETLB}, ENOMEM},
    {"merge", "madvise", {0, 4096, 12}, EINVAL},
    {"unmerge", "madvise", {0, 4096, 13}, kernel_judges},
    {"free", "madvise", {0, 4096, MADV_DONTNEED}, kernel_judges},
    {"merge_all", "prctl", {67, 1}, EINVAL},
    {"name", "prctl", {15, 1}, kernel_judges},
    {"read_from_memory_only", "preadv2", {0, 1, 1, 0, 0, 0x8}, EOPNOTSUPP},
    {"read_from_memory_only_urgently", "preadv2", {0, 1, 1, 0, 0, 0x9}, EOPNOTSUPP},
    {"read_urgently", "preadv2", {0, 1, 1, 0, 0, 0x1}, kernel_judges},
    {"throw_pages_out", "fadvise64", {0, 0, 0, 4}, 0},
    {"read_ahead", "fadvise64", {0, 0, 0, 3}, kernel_judges},
};

constexpr argument_case other_cases[] = {
    {"terminal_input", "ioctl", {0, 0x5412}, EPERM},
    {"terminal_input_and_unread_bits", "ioctl", {0, 0x5412 | high}, EPERM},
    {"console", "ioctl", {0, 0x541c}, ENOTTY},
    {"no_personality", "personality", {0}, kernel_judges},
    {"not_randomized", "personality", {0x0040000}, kernel_judges},
    {"personality_of_32_bits", "personality", {0x8}, EPERM},
    {"all_may_be_executed", "personality", {0x0400000}, EPERM},
    {"which_personality", "personality", {0xffff'ffff}, kernel_judges},
};

constexpr argument_case request_cases[] = {
    {"terminal_size", "ioctl", {0, 0x5413}, kernel_judges},
    {"bytes_to_read", "ioctl", {0, 0x541b}, kernel_judges},
    {"bytes_to_read_and_unread_bits", "ioctl", {0, 0x541b | high}, kernel_judges},
    {"not_to_block", "ioctl", {0, 0x5421}, kernel_judges},
    {"settings_of_a_terminal", "ioctl", {0, 0x802c'542a}, kernel_judges},
    {"number_of_a_terminal", "ioctl", {0, 0x8004'5430}, kernel_judges},
    {"other_end_of_a_terminal", "ioctl", {0, 0x5441}, kernel_judges},
    {"size_of_blocks", "ioctl", {0, 2}, kernel_judges},
    {"flags_of_a_file", "ioctl", {0, 0x8008'6601}, kernel_judges},
    {"new_flags_of_a_file", "ioctl", {0, 0x4008'6602}, kernel_judges},
    {"random_bits", "ioctl", {0, 0x8004'5200}, kernel_judges},
    {"a_process", "ioctl", {0, 0xc040'ff0b}, kernel_judges},
    {"interfaces", "ioctl", {0, 0x8912}, kernel_judges},
    {"address_of_an_interface", "ioctl", {0, 0x8927}, kernel_judges},
    {"queue_of_an_interface", "ioctl", {0, 0x8942}, kernel_judges},
    {"driver_of_an_interface", "ioctl", {0, 0x8946}, kernel_judges},
    {"line_discipline", "ioctl", {0, 0x5423}, EPERM},
    {"line_discipline_and_unread_bits", "ioctl", {0, 0x5423 | high}, EPERM},
    {"which_line_discipline", "ioctl", {0, 0x5424}, kernel_judges},
    {"a_tunnel", "ioctl", {0, 0x4004'54ca}, ENOTTY},
    {"bridges", "ioctl", {0, 0x8940}, ENOTTY},
    {"a_new_bridge", "ioctl", {0, 0x89a0}, ENOTTY},
    {"a_vlan", "ioctl", {0, 0x8982}, ENOTTY},
    {"frame_relay", "ioctl", {0, 0x8980}, ENOTTY},
    {"a_bond", "ioctl", {0, 0x8990}, ENOTTY},
    {"file_of_a_socket", "ioctl", {0, 0x89e0}, ENOTTY},
    {"namespaces", "ioctl", {0, 0xb701}, ENOTTY},
    {"frozen_file_system", "ioctl", {0, 0xc004'5877}, ENOTTY},
    {"where_a_file_is", "ioctl", {0, 0xc020'660b}, EOPNOTSUPP},
    {"a_clone", "ioctl", {0, 0x4004'9409}, EOPNOTSUPP},
    {"blocks_of_a_file", "ioctl", {0, 0xc018'9436}, EOPNOTSUPP},
    {"a_map_of_memory", "ioctl", {0, 0xc068'6611}, ENOTTY},
    {"encryption_of_files", "ioctl", {0, 0x8010'6613}, ENOTTY},
    {"subvolumes", "ioctl", {0, 0x5000'940e}, ENOTTY},
    {"attributes_of_a_file", "ioctl", {0, 0x801c'581f}, kernel_judges},
    {"a_listeners_notification", "ioctl", {0, 0xc050'2100}, kernel_judges},
    {"unsent_bytes", "ioctl", {0, 0x894b}, kernel_judges},
    {"nothing", "ioctl", {0, 0}, ENOTTY},
    {"all_bits", "ioctl", {0, minus(1)}, ENOTTY},
};

constexpr argument_case option_cases[] = {
    {"reuse", "setsockopt", {0, 1, 2}, kernel_judges},
    {"send_buffer", "setsockopt", {0, 1, 7}, kernel_judges},
    {"reuse_port", "setsockopt", {0, 1, 15}, kernel_judges},
    {"zero_copy", "setsockopt", {0, 1, 60}, kernel_judges},
    {"filter", "setsockopt", {0, 1, 26}, EPERM},
    {"filter_and_unread_bits", "setsockopt", {0, 1 | high, 26 | high}, EPERM},
    {"bpf_filter", "setsockopt", {0, 1, 50}, EPERM},
    {"choosing_filter", "setsockopt", {0, 1, 51}, EPERM},
    {"choosing_bpf_filter", "setsockopt", {0, 1, 52}, EPERM},
    {"no_filter", "setsockopt", {0, 1, 27}, kernel_judges},
    {"later_option", "setsockopt", {0, 1, 78}, ENOPROTOOPT},
    {"obsolete_option_of_ipv6", "setsockopt", {0, 41, 6}, ENOPROTOOPT},
    {"no_delay", "setsockopt", {0, 6, 1}, kernel_judges},
    {"congestion", "setsockopt", {0, 6, 13}, kernel_judges},
    {"user_timeout", "setsockopt", {0, 6, 18}, kernel_judges},
    {"tls", "setsockopt", {0, 6, 31}, ENOENT},
    {"md5", "setsockopt", {0, 6, 14}, ENOPROTOOPT},
    {"md5_of_a_prefix", "setsockopt", {0, 6, 32}, ENOPROTOOPT},
    {"authentication_key", "setsockopt", {0, 6, 38}, ENOPROTOOPT},
    {"type_of_service", "setsockopt", {0, 0, 1}, kernel_judges},
    {"multicast", "setsockopt", {0, 0, 35}, kernel_judges},
    {"ip_tables", "setsockopt", {0, 0, 64}, ENOPROTOOPT},
    {"multicast_routing", "setsockopt", {0, 0, 200}, ENOPROTOOPT},
    {"only_ipv6", "setsockopt", {0, 41, 26}, kernel_judges},
    {"traffic_class", "setsockopt", {0, 41, 67}, kernel_judges},
    {"flow_label", "setsockopt", {0, 41, 32}, ENOPROTOOPT},
    {"ip6_tables", "setsockopt", {0, 41, 64}, ENOPROTOOPT},
    {"ip6_counters", "setsockopt", {0, 41, 65}, ENOPROTOOPT},
    {"multicast_routing_6", "setsockopt", {0, 41, 200}, ENOPROTOOPT},
    {"segments", "setsockopt", {0, 17, 103}, kernel_judges},
    {"ipsec_in_udp", "setsockopt", {0, 17, 100}, ENOPROTOOPT},
    {"later_option_of_udp", "setsockopt", {0, 17, 105}, ENOPROTOOPT},
    {"netlink_group", "setsockopt", {0, 270, 1}, kernel_judges},
    {"later_option_of_netlink", "setsockopt", {0, 270, 13}, ENOPROTOOPT},
    {"later_option_of_ipv6", "setsockopt", {0, 41, 79}, ENOPROTOOPT},
    {"options_of_tls", "setsockopt", {0, 282, 1}, ENOPROTOOPT},
    {"options_of_xdp", "setsockopt", {0, 283, 4}, ENOPROTOOPT},
    {"options_of_icmp", "setsockopt", {0, 58, 1}, ENOPROTOOPT},
    {"negative_level", "setsockopt", {0, minus(1), 26}, ENOPROTOOPT},
    {"negative_option", "setsockopt", {0, 1, minus(1)}, ENOPROTOOPT},
};

std::string name_of(const ::testing::TestParamInfo<argument_case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Namespaces, CommonArguments, ::testing::ValuesIn(namespace_cases), name_of);
INSTANTIATE_TEST_SUITE_P(Sockets, CommonArguments, ::testing::ValuesIn(socket_cases), name_of);
INSTANTIATE_TEST_SUITE_P(Memory, CommonArguments, ::testing::ValuesIn(memory_cases), name_of);
INSTANTIATE_TEST_SUITE_P(Requests, CommonArguments, ::testing::ValuesIn(request_cases), name_of);
INSTANTIATE_TEST_SUITE_P(Options, CommonArguments, ::testing::ValuesIn(option_cases), name_of);
INSTANTIATE_TEST_SUITE_P(Others, CommonArguments, ::testing::ValuesIn(other_cases), name_of);

/// Of programs, and not of the agent.
class ProgramArguments : public ::testing::TestWithParam<argument_case> { };

TEST_P(ProgramArguments, ReachEveryProcessButTheAgent)
{
    for (const std::uint32_t architecture : {AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64}) {
        EXPECT_EQ(judged(filter_part::payload, architecture, GetParam()), GetParam().want);
        EXPECT_EQ(judged(filter_part::rest_of_payload, architecture, GetParam()), GetParam().want);
        EXPECT_EQ(judged(filter_part::agent, architecture, GetParam()), kernel_judges);
    }
}

constexpr argument_case lock_cases[] = {
    {"duplicate", "fcntl", {3, 0}, kernel_judges},
    {"record_lock", "fcntl", {3, 6}, kernel_judges},
    {"wait_for_a_record_lock", "fcntl", {3, 7}, kernel_judges},
    {"who_locks", "fcntl", {3, 5}, kernel_judges},
    {"who_locks_the_open_file", "fcntl", {3, 36}, EINVAL},
    {"lock_of_the_open_file", "fcntl", {3, 37}, EINVAL},
    {"lock_of_the_open_file_and_unread_bits", "fcntl", {3, 37 | high}, EINVAL},
    {"wait_for_a_lock_of_the_open_file", "fcntl", {3, 38}, EINVAL},
    {"lease", "fcntl", {3, 1'024}, kernel_judges},
};

constexpr argument_case process_cases[] = {
    {"own_scheduler", "sched_setscheduler", {0, SCHED_BATCH, 1}, kernel_judges},
    {"a_threads_scheduler", "sched_setscheduler", {2, SCHED_OTHER, 1}, kernel_judges},
    {"the_agents_scheduler", "sched_setscheduler", {1, SCHED_IDLE, 1}, EPERM},
    {"the_agents_scheduler_and_unread_bits", "sched_setscheduler", {1 | high, SCHED_IDLE, 1}, EPERM},
    {"a_threads_parameters", "sched_setparam", {2, 1}, kernel_judges},
    {"the_agents_parameters", "sched_setparam", {1, 1}, EPERM},
    {"a_threads_attributes", "sched_setattr", {2, 1, 0}, kernel_judges},
    {"the_agents_attributes", "sched_setattr", {1, 1, 0}, EPERM},
    {"own_processors", "sched_setaffinity", {0, 8, 1}, kernel_judges},
    {"a_threads_processors", "sched_setaffinity", {4'000'000, 8, 1}, kernel_judges},
    {"the_agents_processors", "sched_setaffinity", {1, 8, 1}, EPERM},
    {"own_priority", "setpriority", {PRIO_PROCESS, 0, 5}, kernel_judges},
    {"a_threads_priority", "setpriority", {PRIO_PROCESS, 2, 5}, kernel_judges},
    {"the_agents_priority", "setpriority", {PRIO_PROCESS, 1, 19}, EPERM},
    {"the_own_groups_priority", "setpriority", {PRIO_PGRP, 0, 5}, kernel_judges},
    {"the_agents_groups_priority", "setpriority", {PRIO_PGRP, 1, 5}, EPERM},
    {"the_users_priority", "setpriority", {PRIO_USER, 1'000, 19}, EPERM},
    {"the_own_users_priority", "setpriority", {PRIO_USER, 0, 19}, EPERM},
    {"a_threads_io_priority", "ioprio_set", {1, 2, 0}, kernel_judges},
    {"the_agents_io_priority", "ioprio_set", {1, 1, 0}, EPERM},
    {"the_agents_groups_io_priority", "ioprio_set", {2, 1, 0}, EPERM},
    {"the_users_io_priority", "ioprio_set", {3, 0, 0}, EPERM},
    {"own_limit", "prlimit64", {0, RLIMIT_NOFILE, 1, 0}, kernel_judges},
    {"a_childs_limit", "prlimit64", {2, RLIMIT_NOFILE, 1, 0}, kernel_judges},
    {"the_agents_limit", "prlimit64", {1, RLIMIT_NOFILE, 1, 0}, EPERM},
    {"the_agents_limit_from_high_memory", "prlimit64", {1, RLIMIT_NOFILE, high, 0}, EPERM},
    {"what_the_agents_limit_is", "prlimit64", {1, RLIMIT_NOFILE, 0, 1}, kernel_judges},
    {"own_core_limit", "prlimit64", {0, RLIMIT_CORE, 1, 0}, 0},
    {"a_childs_core_limit", "prlimit64", {2, RLIMIT_CORE, high, 0}, 0},
    {"the_agents_core_limit", "prlimit64", {1, RLIMIT_CORE, 1, 0}, EPERM},
    {"what_the_core_limit_is", "prlimit64", {0, RLIMIT_CORE, 0, 1}, kernel_judges},
    {"core_limit_of_old", "setrlimit", {RLIMIT_CORE, 1}, 0},
    {"other_limit_of_old", "setrlimit", {RLIMIT_NOFILE, 1}, kernel_judges},
};

INSTANTIATE_TEST_SUITE_P(Locks, ProgramArguments, ::testing::ValuesIn(lock_cases), name_of);
INSTANTIATE_TEST_SUITE_P(Processes, ProgramArguments, ::testing::ValuesIn(process_cases), name_of);

}    // namespace

}    // namespace caisson
