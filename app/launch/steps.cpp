#include "app/launch/steps.hpp"

#include "adapters/host/host_numbers.hpp"
#include "app/launch/fail.hpp"
#include "app/launch/trees.hpp"
#include "app/launch/views.hpp"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson::launch {

namespace {

void write_file(const char* path, const char* text)
{
    const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
    const auto length = static_cast<ssize_t>(std::strlen(text));
    if (fd < 0 || ::write(fd, text, static_cast<std::size_t>(length)) != length)
        fail(path);
    ::close(fd);
}

/// Maps this user to itself: in the namespace it may mount, and it owns its mounts.
void unshare_user()
{
    const auto uid = ::geteuid();
    const auto gid = ::getegid();
    if (::unshare(CLONE_NEWUSER) != 0)
        fail("user namespace");
    char line[64];
    write_file("/proc/self/setgroups", "deny");
    std::snprintf(line, sizeof line, "%u %u 1", uid, uid);
    write_file("/proc/self/uid_map", line);
    std::snprintf(line, sizeof line, "%u %u 1", gid, gid);
    write_file("/proc/self/gid_map", line);
}

void make_owned_directory(const char* path, mode_t mode, const options& wanted)
{
    if (::mkdir(path, mode) != 0)
        fail(path);
    const auto owner = static_cast<uid_t>(wanted.uid);
    if (wanted.has_uid && ::chown(path, owner, owner) != 0)
        fail(path);
}

}    // namespace

void give_way_without_memory()
{
    char text[16];
    const int length = std::snprintf(text, sizeof text, "%d", sandbox_oom_score_adj);
    const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    [[maybe_unused]] const auto written = ::write(fd, text, static_cast<std::size_t>(length));
    ::close(fd);
}

void join_groups(const options& wanted)
{
    for (std::size_t i = 0; i < wanted.join_count; ++i) {
        if (::write(wanted.join_fds[i], "0", 1) != 1)
            fail("join cgroup");
        ::close(wanted.join_fds[i]);
    }
}

void enter_namespaces(const options& wanted)
{
    if (!wanted.has_tmpfs)
        return;
    if (!wanted.has_uid)
        unshare_user();
    if (::unshare(CLONE_NEWNS) != 0)
        fail("mount namespace");
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        fail("private mounts");
}

void mount_private_tmpfs(const options& wanted)
{
    if (!wanted.has_tmpfs)
        return;
    constexpr unsigned own_inodes = 4;    // the root and its three directories
    char limits[128];
    std::snprintf(limits, sizeof limits, "mode=0711,size=%llu,nr_inodes=%llu", static_cast<unsigned long long>(wanted.tmpfs_bytes),
        static_cast<unsigned long long>(wanted.tmpfs_inodes + own_inodes + view_inodes(wanted) + tree_inodes(wanted)));
    if (::mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, limits) != 0)
        fail("mount tmpfs");
    make_owned_directory("/tmp/work", 0755, wanted);
    make_owned_directory("/tmp/tmp", 01777, wanted);
    make_owned_directory("/tmp/shm", 01777, wanted);
}

void set_limits(const options& wanted)
{
    for (std::size_t i = 0; i < wanted.rlimit_count; ++i) {
        const auto& each = wanted.rlimits[i];
        const auto resource = static_cast<__rlimit_resource>(each.resource);
        struct rlimit has{};
        if (::getrlimit(resource, &has) != 0)
            fail("getrlimit");
        const rlim_t value = each.value < has.rlim_max ? each.value : has.rlim_max;
        const struct rlimit wants{value, value};
        if (::setrlimit(resource, &wants) != 0)
            fail("setrlimit");
    }
}

void become_user(const options& wanted)
{
    if (!wanted.has_uid)
        return;
    const auto id = static_cast<uid_t>(wanted.uid);
    if (::setgroups(0, nullptr) != 0)
        fail("setgroups");
    if (::setresgid(id, id, id) != 0)
        fail("setresgid");
    if (::setresuid(id, id, id) != 0)
        fail("setresuid");
}

}    // namespace caisson::launch
