#include "app/launch/root.hpp"

#include "app/launch/fail.hpp"
#include "app/launch/mount_flags.hpp"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace caisson::launch {

namespace {

constexpr unsigned long read_only_again = MS_BIND | MS_REMOUNT | MS_RDONLY | unprivileged;
/// Directories, links and mount points, plus devices.
constexpr unsigned most_entries = 64 + 24;

class path {
public:
    path(std::initializer_list<const char*> parts)
    {
        std::size_t length = 0;
        for (const char* part : parts) {
            const auto more = std::strlen(part);
            if (length + more >= sizeof text_)
                refuse("a path of the sandbox is too long");
            std::memcpy(text_ + length, part, more);
            length += more;
        }
        text_[length] = '\0';
    }
    operator const char*() const { return text_; }    // NOLINT(google-explicit-constructor): a path is a text
    char* begin() { return text_; }

private:
    char text_[PATH_MAX];
};

void make_directory(const char* place)
{
    if (::mkdir(place, 0755) != 0)
        fail(place);
}

void mount_from(const char* from, const char* to, unsigned long how)
{
    if (::mount(from, to, nullptr, how, nullptr) != 0)
        fail(to);
}

void move_views(const options& wanted)
{
    for (std::size_t i = 0; i < wanted.view_count; ++i) {
        const path place{"/tmp/root/", wanted.views[i]};
        make_directory(place);
        mount_from(path({"/tmp/view/", wanted.views[i]}), place, MS_MOVE);
    }
}

/// Makes the missing directories up to `place`, owned by the sandbox's user like its own files.
void make_place(path place, std::size_t from, const options& wanted)
{
    const auto owner = static_cast<uid_t>(wanted.uid);
    for (char* at = place.begin() + from;; ++at) {
        const char end = *at;
        if (end != '/' && end != '\0')
            continue;
        *at = '\0';
        if (::mkdir(place, 0755) == 0) {
            if (::chown(place, owner, owner) != 0)
                fail(place);
        } else if (errno != EEXIST) {
            fail(place);
        }
        *at = end;
        if (end == '\0')
            return;
    }
}

void show_trees(const options& wanted)
{
    char number[24];
    for (std::size_t i = 0; i < wanted.place_count; ++i) {
        const path place{"/tmp/root", wanted.work, "/", wanted.places[i]};
        make_place(place, std::strlen("/tmp/root/") + std::strlen(wanted.work), wanted);
        std::snprintf(number, sizeof number, "%zu", i);
        mount_from(path({"/tmp/tree/", number}), place, MS_MOVE);
    }
}

void show_roots(const options& wanted)
{
    char number[24];
    for (std::size_t i = 0; i < wanted.root_count; ++i) {
        const path place{"/tmp/root/", wanted.roots[i]};
        make_directory(place);
        std::snprintf(number, sizeof number, "%zu", wanted.place_count + i);
        mount_from(path({"/tmp/tree/", number}), place, MS_MOVE);
    }
}

void show_agent(const options& wanted)
{
    if (wanted.agent == nullptr)
        return;
    char number[24];
    std::snprintf(number, sizeof number, "%zu", wanted.tree_count - 1);
    const int agent = ::open("/tmp/root/.caisson/agent", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0555);
    if (agent < 0)
        fail("agent");
    ::close(agent);
    mount_from(path({"/tmp/tree/", number, "/", wanted.agent}), "/tmp/root/.caisson/agent", MS_BIND);
    mount_from(nullptr, "/tmp/root/.caisson/agent", read_only_again);
}

}    // namespace

void mount_root(const options& wanted)
{
    char limits[128];
    const auto user = static_cast<unsigned>(wanted.uid);
    std::snprintf(limits, sizeof limits, "mode=0755,size=128k,nr_inodes=%u,uid=%u,gid=%u", most_entries, user, user);
    make_directory("/tmp/root");
    if (::mount("tmpfs", "/tmp/root", "tmpfs", unprivileged, limits) != 0)
        fail("root");
    for (const char* each : {"/tmp/root/proc", "/tmp/root/dev", "/tmp/root/tmp", "/tmp/root/.caisson", "/tmp/root/.caisson/empty"})
        make_directory(each);
    make_directory(path({"/tmp/root", wanted.work}));
    for (std::size_t i = 0; i < wanted.link_count; ++i)
        if (::symlink(wanted.links[i].target, path({"/tmp/root/", wanted.links[i].name})) != 0)
            fail(wanted.links[i].name);
}

void enter_root(const options& wanted)
{
    move_views(wanted);
    mount_from("/tmp/dev", "/tmp/root/dev", MS_MOVE);
    mount_from("/tmp/work", path({"/tmp/root", wanted.work}), MS_BIND);
    mount_from("/tmp/tmp", "/tmp/root/tmp", MS_BIND);
    show_trees(wanted);
    show_roots(wanted);
    show_agent(wanted);
    mount_from(nullptr, "/tmp/root", read_only_again);
    // Stacks the old root on the new one and unmounts it: pivot_root(2), "pivot_root(".", ".")".
    if (::chdir("/tmp/root") != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0 || ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0)
        fail("pivot_root");
}

}    // namespace caisson::launch
