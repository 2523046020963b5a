#include "core/adapters/spawn/seccomp_filter.hpp"

#include "core/adapters/spawn/seccomp_rules.hpp"
#include "core/base/unique_fd.hpp"

#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <vector>

namespace caisson {

namespace {

constexpr std::uint64_t low_word = 0xffff'ffff;

/// Comparisons of the argument with number `at`, over all 64 bits.
scmp_arg_cmp equals(unsigned at, std::uint64_t value) { return {at, SCMP_CMP_EQ, value, 0}; }
scmp_arg_cmp differs(unsigned at, std::uint64_t value) { return {at, SCMP_CMP_NE, value, 0}; }
scmp_arg_cmp exceeds(unsigned at, std::uint64_t value) { return {at, SCMP_CMP_GT, value, 0}; }
scmp_arg_cmp masked(unsigned at, std::uint64_t mask, std::uint64_t value) { return {at, SCMP_CMP_MASKED_EQ, mask, value}; }

void check(int outcome, const char* what)
{
    if (outcome < 0)
        throw std::runtime_error(std::string("seccomp: ") + what + ": error " + std::to_string(-outcome));
}

/// Builds one filter: allows what no rule refuses. The kernel reads most arguments as 32 bits, so rules that compare for
/// equality mask the upper word, and rules that compare otherwise refuse whatever has bits there.
class filter_builder {
public:
    filter_builder() : context_(seccomp_init(SCMP_ACT_ALLOW), seccomp_release)
    {
        if (!context_)
            throw std::runtime_error("seccomp: no memory");
        // Other ABIs get ENOSYS: being killed would write to the host's log.
        check(seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)), "foreign ABIs");
        check(seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_NNP, 0), "no_new_privs");
        check(seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2), "tree");
    }

    void refuse(int syscall, int code, std::initializer_list<scmp_arg_cmp> when = {})
    {
        check(seccomp_rule_add_array(
                  context_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(code)), syscall, static_cast<unsigned>(when.size()), when.begin()),
            "rule");
    }

    void refuse_listed()
    {
        for (const auto& each : refused_calls) {
            const int number = seccomp_syscall_resolve_name(each.name);
            if (number != __NR_SCMP_ERROR)
                refuse(number, each.code);
            else if (each.number >= 0)
                refuse(each.number, each.code);
        }
    }

    void refuse_namespaces()
    {
        for (const std::uint64_t flag :
            {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET})
            refuse(SCMP_SYS(clone), EPERM, {masked(0, flag, flag)});
    }

    /// Allows UNIX, INET, INET6 and NETLINK_ROUTE.
    void refuse_socket_families()
    {
        for (const int call : {SCMP_SYS(socket), SCMP_SYS(socketpair)}) {
            refuse(call, EAFNOSUPPORT, {exceeds(0, AF_NETLINK)});
            for (std::uint64_t family = 0; family < AF_NETLINK; ++family) {
                if (family != AF_UNIX && family != AF_INET && family != AF_INET6)
                    refuse(call, EAFNOSUPPORT, {equals(0, family)});
            }
            refuse(call, EAFNOSUPPORT, {equals(0, AF_NETLINK), differs(2, 0)});
        }
        // Raw and packet sockets, whatever the family; the upper bits hold SOCK_CLOEXEC and SOCK_NONBLOCK.
        constexpr std::uint64_t type_mask = 0xf;
        for (const std::uint64_t type : {SOCK_RAW, SOCK_RDM, SOCK_DCCP, SOCK_PACKET}) {
            refuse(SCMP_SYS(socket), EPERM, {equals(0, AF_INET), masked(1, type_mask, type)});
            refuse(SCMP_SYS(socket), EPERM, {equals(0, AF_INET6), masked(1, type_mask, type)});
        }
    }

    /// Allows TCP and UDP. The rest is code of the kernel that nothing in a sandbox without a network can use.
    void refuse_protocols()
    {
        constexpr std::uint64_t tcp = 6;
        constexpr std::uint64_t udp = 17;
        for (const std::uint64_t family : {AF_INET, AF_INET6}) {
            refuse(SCMP_SYS(socket), EPROTONOSUPPORT, {equals(0, family), exceeds(2, udp)});
            for (std::uint64_t protocol = 1; protocol < udp; ++protocol) {
                if (protocol != tcp)
                    refuse(SCMP_SYS(socket), EPROTONOSUPPORT, {equals(0, family), equals(2, protocol)});
            }
        }
    }

    /// What asks which pages of the host's files are in memory, throws them out, or merges pages over all processes.
    void refuse_shared_pages()
    {
        constexpr std::uint64_t only_from_memory = 8;    // RWF_NOWAIT
        constexpr std::uint64_t drop_pages = 4;          // POSIX_FADV_DONTNEED
        constexpr std::uint64_t merge_pages = 12;        // MADV_MERGEABLE
        constexpr std::uint64_t merge_all_pages = 67;    // PR_SET_MEMORY_MERGE
        refuse(SCMP_SYS(preadv2), EOPNOTSUPP, {masked(5, only_from_memory, only_from_memory)});
        refuse(SCMP_SYS(fadvise64), 0, {masked(3, low_word, drop_pages)});
        refuse(SCMP_SYS(madvise), EINVAL, {masked(2, low_word, merge_pages)});
        refuse(SCMP_SYS(prctl), EINVAL, {masked(0, low_word, merge_all_pages)});
    }

    /// Pages of the pool that the host's administrator has set aside: no control group of a sandbox counts them.
    void refuse_huge_pages()
    {
        refuse(SCMP_SYS(mmap), ENOMEM, {masked(3, MAP_HUGETLB, MAP_HUGETLB)});
        refuse(SCMP_SYS(memfd_create), ENOMEM, {masked(1, MFD_HUGETLB, MFD_HUGETLB)});
        refuse(SCMP_SYS(shmget), ENOMEM, {masked(2, SHM_HUGETLB, SHM_HUGETLB)});
    }

    /// The limit is 1: at 0 the kernel still starts a handler that core_pattern names, as the host's root. What would set it
    /// to another value returns 0, so that `ulimit -c 0` does not fail.
    void keep_core_limit()
    {
        refuse(SCMP_SYS(setrlimit), 0, {masked(0, low_word, RLIMIT_CORE)});
        refuse(SCMP_SYS(prlimit64), 0, {masked(1, low_word, RLIMIT_CORE), differs(2, 0)});
    }

    /// Input that another session's shell would read (TIOCSTI), and the console's selection (TIOCLINUX).
    void refuse_terminal_injection()
    {
        for (const std::uint64_t request : {0x5412, 0x541c})
            refuse(SCMP_SYS(ioctl), EPERM, {masked(1, low_word, request)});
    }

    /// Leaves 0, ADDR_NO_RANDOMIZE and the query 0xffffffff. The library has one comparison for an argument and rule: it would need sixty
    /// rules for that, which are more than a third of a filter that the kernel translates for each sandbox. So it comes before what the
    /// library makes, for the native ABI's call only; all else goes on there.
    void refuse_odd_personalities()
    {
        constexpr std::uint32_t no_randomize = 0x0004'0000;
        constexpr std::uint32_t query = 0xffff'ffff;
        constexpr std::uint32_t low = offsetof(seccomp_data, args) + (std::endian::native == std::endian::big ? 4 : 0);
        const auto load = [](std::uint32_t at) { return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at); };
        const auto if_equal = [](std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
            return sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
        };
        const auto finish = [](std::uint32_t with) { return sock_filter BPF_STMT(BPF_RET | BPF_K, with); };
        before_ = {
            load(offsetof(seccomp_data, arch)),
            if_equal(seccomp_arch_native(), 0, 8),    // else past the end of this
            load(offsetof(seccomp_data, nr)),
            if_equal(SCMP_SYS(personality), 0, 6),
            load(low),
            if_equal(0, 3, 0),
            if_equal(no_randomize, 2, 0),
            if_equal(query, 1, 0),
            finish(SECCOMP_RET_ERRNO | EPERM),
            finish(SECCOMP_RET_ALLOW),
        };
    }

    /// Calls that take a process by number or by user reach PID 1, which has the same uid: 0, the caller, is left.
    void refuse_other_processes()
    {
        refuse(SCMP_SYS(prlimit64), EPERM, {differs(0, 0), differs(2, 0)});
        for (const int call :
            {SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setattr), SCMP_SYS(sched_setparam), SCMP_SYS(sched_setscheduler)})
            refuse(call, EPERM, {differs(0, 0)});
        constexpr std::uint64_t priority_of_user = 2;
        constexpr std::uint64_t io_priority_of_user = 3;
        refuse(SCMP_SYS(setpriority), EPERM, {differs(1, 0)});
        refuse(SCMP_SYS(setpriority), EPERM, {masked(0, low_word, priority_of_user)});
        refuse(SCMP_SYS(ioprio_set), EPERM, {differs(1, 0)});
        refuse(SCMP_SYS(ioprio_set), EPERM, {masked(0, low_word, io_priority_of_user)});
    }

    std::string raw() const
    {
        const unique_fd file(::memfd_create("seccomp", MFD_CLOEXEC));
        check(seccomp_export_bpf(context_.get(), file.get()), "export");
        std::string program(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
        if (::pread(file.get(), program.data(), program.size(), 0) != static_cast<ssize_t>(program.size()))
            throw std::runtime_error("seccomp: the exported filter cannot be read");
        const auto* const first = static_cast<const char*>(static_cast<const void*>(before_.data()));
        return std::string(first, before_.size() * sizeof(sock_filter)) + program;
    }

private:
    std::vector<sock_filter> before_;    // of what the library makes; jumps of both are relative
    std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
};

filter_builder common_filter()
{
    filter_builder filter;
    filter.refuse_listed();
    filter.refuse_namespaces();
    filter.refuse_socket_families();
    filter.refuse_protocols();
    filter.refuse_shared_pages();
    filter.refuse_huge_pages();
    filter.refuse_terminal_injection();
    filter.refuse_odd_personalities();
    return filter;
}

std::string with_rest(filter_builder filter)
{
    filter.keep_core_limit();
    filter.refuse_other_processes();
    return filter.raw();
}

}    // namespace

const std::string& payload_filter()
{
    static const std::string filter = with_rest(common_filter());
    return filter;
}

const std::string& rest_of_payload_filter()
{
    static const std::string filter = with_rest({});
    return filter;
}

const std::string& agent_filter()
{
    static const std::string filter = common_filter().raw();
    return filter;
}

}    // namespace caisson
