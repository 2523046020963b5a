#include "app/agent/landlock.hpp"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

/// struct landlock_ruleset_attr of version 6. Older kernels accept the longer struct if the members unknown to them are 0.
struct ruleset {
    std::uint64_t files = 0;
    std::uint64_t network = 0;
    std::uint64_t scopes = 0;
};

constexpr std::uint64_t rename_between = LANDLOCK_ACCESS_FS_REFER;    // version 2
constexpr std::uint64_t truncate = 1 << 14;                           // version 3
constexpr std::uint64_t scope_sockets_and_signals = 3;                // version 6
constexpr std::uint64_t use = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t first_version = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

long version() { return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION); }

/// All access rights that both the kernel and this code know.
std::uint64_t ruled_by(long version) { return first_version | (version >= 2 ? rename_between : 0) | (version >= 3 ? truncate : 0); }

bool allow(const unique_fd& rules, const char* path, std::uint64_t access)
{
    const unique_fd place(::open(path, O_PATH | O_CLOEXEC));
    if (!place)
        return errno == ENOENT;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = access;
    rule.parent_fd = place.get();
    return ::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0U) == 0;
}

unique_fd make_rules(long version, bool scoped, const char* work)
{
    ruleset wanted;
    wanted.files = ruled_by(version);
    wanted.scopes = scoped && version >= 6 ? scope_sockets_and_signals : 0;
    unique_fd rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &wanted, sizeof(wanted), 0U)));
    const std::uint64_t all = wanted.files;
    const std::uint64_t device = (LANDLOCK_ACCESS_FS_WRITE_FILE | truncate) & all;
    if (rules && allow(rules, "/", use) && allow(rules, work, all) && allow(rules, "/tmp", all) && allow(rules, "/dev/shm", all) &&
        allow(rules, "/dev", device))
        return rules;
    return {};
}

bool restrict_by(const unique_fd& rules) { return ::syscall(SYS_landlock_restrict_self, rules.get(), 0U) == 0; }

}    // namespace

bool landlock::confine(const char* work)
{
    const long found = version();
    if (found < 1)
        return true;
    rules_ = make_rules(found, false, work);
    const auto own = make_rules(found, true, work);
    return rules_ && own && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && restrict_by(own);
}

bool landlock::enter() const { return !rules_ || restrict_by(rules_); }

}    // namespace caisson::agent
