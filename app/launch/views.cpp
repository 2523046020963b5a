#include "app/launch/views.hpp"

#include "app/launch/fail.hpp"

#include <cstdio>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace caisson::launch {

namespace {

constexpr unsigned long unprivileged = MS_NOSUID | MS_NODEV;

struct node {
    const char* path;
    unsigned minor;
};
constexpr unsigned memory_devices = 1;    // major number
constexpr unsigned terminals = 5;
constexpr node nodes[] = {
    {"/tmp/dev/null", 3}, {"/tmp/dev/zero", 5}, {"/tmp/dev/full", 7}, {"/tmp/dev/random", 8}, {"/tmp/dev/urandom", 9}};

void make_directory(const char* path)
{
    if (::mkdir(path, 0755) != 0)
        fail(path);
}

void bind(const char* from, const char* to)
{
    if (::mount(from, to, nullptr, MS_BIND | MS_REC, nullptr) != 0)
        fail(to);
}

/// An overlay shows its layers in /proc/mounts as they are named here: relative, hence the same on every host.
void mount_view(const char* name)
{
    char host[300];
    char view[300];
    char layers[600];
    std::snprintf(host, sizeof host, "/%s", name);
    std::snprintf(view, sizeof view, "/tmp/view/%s", name);
    std::snprintf(layers, sizeof layers, "lowerdir=%s:tmp/empty", name);
    make_directory(view);
    if (::mount("overlay", view, "overlay", MS_RDONLY | unprivileged, layers) != 0)
        bind(host, view);
}

void mount_proc()
{
    make_directory("/tmp/proc");
    if (::mount("proc", "/tmp/proc", "proc", unprivileged | MS_NOEXEC, nullptr) != 0)
        bind("/proc", "/tmp/proc");
}

bool make_node(const char* path, unsigned major, unsigned minor)
{
    constexpr mode_t everyone = 0666;
    return ::mknod(path, S_IFCHR | everyone, makedev(major, minor)) == 0 && ::chmod(path, everyone) == 0;
}

bool make_nodes()
{
    for (const auto& each : nodes)
        if (!make_node(each.path, memory_devices, each.minor))
            return false;
    return make_node("/tmp/dev/tty", terminals, 0);
}

void mount_devices()
{
    make_directory("/tmp/dev");
    if (::mount("tmpfs", "/tmp/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755,size=4k,nr_inodes=16") != 0)
        return;
    if (!make_nodes() || ::mount("/tmp/dev", "/dev", nullptr, MS_MOVE, nullptr) != 0)
        ::umount2("/tmp/dev", MNT_DETACH);
}

}    // namespace

unsigned view_inodes(const options& wanted)
{
    if (wanted.view_count == 0)
        return 0;
    const unsigned others = wanted.has_uid ? 4 : 3;    // empty, view, proc and dev
    return static_cast<unsigned>(wanted.view_count) + others;
}

void make_views(const options& wanted)
{
    if (!wanted.has_tmpfs || wanted.view_count == 0)
        return;
    make_directory("/tmp/empty");
    make_directory("/tmp/view");
    if (::chdir("/") != 0)
        fail("chdir");
    for (std::size_t i = 0; i < wanted.view_count; ++i)
        mount_view(wanted.views[i]);
    mount_proc();
    if (wanted.has_uid)
        mount_devices();
    ::unshare(CLONE_NEWTIME);    // where the kernel has none, there is nothing to share either
}

}    // namespace caisson::launch
