#include "app/launch/views.hpp"

#include "adapters/host/host_numbers.hpp"
#include "app/launch/fail.hpp"
#include "app/launch/mount_flags.hpp"

#include <cstdio>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace caisson::launch {

namespace {

struct node {
    const char* path;
    const char* of_host;
    unsigned major;
    unsigned minor;
};
constexpr unsigned memory_devices = 1;
constexpr unsigned terminals = 5;
constexpr node nodes[] = {
    {"/tmp/dev/null", "/dev/null", memory_devices, 3},
    {"/tmp/dev/zero", "/dev/zero", memory_devices, 5},
    {"/tmp/dev/full", "/dev/full", memory_devices, 7},
    {"/tmp/dev/random", "/dev/random", memory_devices, 8},
    {"/tmp/dev/urandom", "/dev/urandom", memory_devices, 9},
    {"/tmp/dev/tty", "/dev/tty", terminals, 0},
};

struct link {
    const char* path;
    const char* target;
};
constexpr link links[] = {
    {"/tmp/dev/fd", "/proc/self/fd"},
    {"/tmp/dev/stdin", "/proc/self/fd/0"},
    {"/tmp/dev/stdout", "/proc/self/fd/1"},
    {"/tmp/dev/stderr", "/proc/self/fd/2"},
    {"/tmp/dev/core", "/proc/kcore"},
    {"/tmp/dev/ptmx", "pts/ptmx"},
};

void make_new_directory(const char* path)
{
    if (::mkdir(path, 0755) != 0)
        fail(path);
}

void bind(const char* from, const char* to, unsigned long how = MS_BIND | MS_REC)
{
    if (::mount(from, to, nullptr, how, nullptr) != 0)
        fail(to);
}

/// Restricts one mount.
void restrict(const char* place, unsigned long flags)
{
    if (::mount(nullptr, place, nullptr, MS_BIND | MS_REMOUNT | flags, nullptr) != 0)
        fail(place);
}

/// bwrap restricts all mounts below recursively; the launcher restricts one mount, so it shows no others, like an overlay.
unsigned long bind_of(const options& wanted) { return wanted.makes_sandbox() ? MS_BIND : MS_BIND | MS_REC; }

/// Mounts a view; for a whole sandbox read-only and unprivileged. /proc/mounts shows an overlay's layers as named here: relative names are
/// the same on every host.
void mount_view(const char* name, const options& wanted)
{
    char host[300];
    char view[300];
    char layers[600];
    std::snprintf(host, sizeof host, "/%s", name);
    std::snprintf(view, sizeof view, "/tmp/view/%s", name);
    std::snprintf(layers, sizeof layers, "lowerdir=%s:tmp/empty", name);
    make_new_directory(view);
    if (::mount("overlay", view, "overlay", MS_RDONLY | unprivileged, layers) == 0)
        return;
    bind(host, view, bind_of(wanted));
    if (wanted.makes_sandbox())
        restrict(view, MS_RDONLY | unprivileged);
}

void mount_proc()
{
    make_new_directory("/tmp/proc");
    if (::mount("proc", "/tmp/proc", "proc", unprivileged | MS_NOEXEC, nullptr) != 0)
        bind("/proc", "/tmp/proc");
}

void make_file(const char* path)
{
    const int file = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (file < 0)
        fail(path);
    ::close(file);
}

/// Uses the host's node where mknod is refused, as in most containers.
void make_node(const node& wanted)
{
    constexpr mode_t everyone = 0666;
    if (::mknod(wanted.path, S_IFCHR | everyone, makedev(wanted.major, wanted.minor)) == 0)
        return;
    make_file(wanted.path);
    bind(wanted.of_host, wanted.path);
}

/// Mounts a directory again with these flags; a new file system would cost more.
void bind_again(const char* from, const char* to, unsigned long flags)
{
    bind(from, to, MS_BIND);
    restrict(to, flags);
}

void mount_devices(const options& wanted)
{
    constexpr unsigned long flags = MS_NOSUID | MS_NOEXEC;
    make_new_directory("/tmp/dev");
    if (wanted.makes_sandbox())
        bind_again("/tmp/root/dev", "/tmp/dev", flags);
    else if (::mount("tmpfs", "/tmp/dev", "tmpfs", flags, "mode=0755,size=4k,nr_inodes=24") != 0)
        fail("devices");
    for (const auto& each : nodes)
        make_node(each);
    for (const auto& each : links)
        if (::symlink(each.target, each.path) != 0)
            fail(each.path);
    make_new_directory("/tmp/dev/pts");
    char settings[64];
    std::snprintf(settings, sizeof settings, "newinstance,ptmxmode=0666,mode=620,max=%d", most_terminals);
    if (::mount("devpts", "/tmp/dev/pts", "devpts", flags, settings) != 0)
        fail("terminals");
    make_new_directory("/tmp/dev/shm");
    bind("/tmp/shm", "/tmp/dev/shm");
    restrict("/tmp/dev", MS_RDONLY | flags);
}

}    // namespace

unsigned view_inodes(const options& wanted)
{
    if (wanted.view_count == 0)
        return 0;
    const unsigned others = wanted.has_uid ? 4 : 3;    // empty, view, proc (or root), and as root dev
    return static_cast<unsigned>(wanted.view_count) + others;
}

void make_views(const options& wanted)
{
    if (!wanted.has_tmpfs || wanted.view_count == 0)
        return;
    make_new_directory("/tmp/empty");
    make_new_directory("/tmp/view");
    if (::chdir("/") != 0)
        fail("chdir");
    for (std::size_t i = 0; i < wanted.view_count; ++i)
        mount_view(wanted.views[i], wanted);
    if (!wanted.makes_sandbox())
        mount_proc();
    if (wanted.has_uid)
        mount_devices(wanted);
    if (!wanted.makes_sandbox())
        ::unshare(CLONE_NEWTIME);    // for children; a kernel without time namespaces has nothing to isolate
}

}    // namespace caisson::launch
