#include "app/launch/trees.hpp"

#include "app/launch/fail.hpp"
#include "app/launch/mount_flags.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace caisson::launch {

namespace {

/// Makes a directory unless it exists.
void have_directory(const char* path)
{
    if (::mkdir(path, 0755) != 0 && errno != EEXIST)
        fail(path);
}

/// Mount flags of the host that an ordinary user's namespace must not clear.
unsigned long inherited_flags(const char* place)
{
    constexpr struct {
        unsigned long seen;
        unsigned long kept;
    } all[] = {{ST_NOEXEC, MS_NOEXEC}, {ST_NOATIME, MS_NOATIME}, {ST_NODIRATIME, MS_NODIRATIME}, {ST_RELATIME, MS_RELATIME}};
    struct statvfs about{};
    if (::statvfs(place, &about) != 0)
        fail(place);
    unsigned long flags = 0;
    for (const auto& each : all)
        if ((about.f_flag & each.seen) != 0)
            flags |= each.kept;
    return flags;
}

/// Binds the current directory.
void bind_read_only(const char* place)
{
    if (::mount(".", place, nullptr, MS_BIND, nullptr) != 0)
        fail(place);
    const unsigned long flags = MS_BIND | MS_REMOUNT | MS_RDONLY | unprivileged | inherited_flags(place);
    if (::mount(nullptr, place, nullptr, flags, nullptr) != 0)
        fail(place);
}

void mount_tree(int tree, std::size_t number)
{
    char place[64];
    std::snprintf(place, sizeof place, "/tmp/tree/%zu", number);
    have_directory(place);
    if (::fchdir(tree) != 0)
        fail("tree");
    if (::mount("overlay", place, "overlay", MS_RDONLY | unprivileged, "lowerdir=.:/tmp/empty") != 0)
        bind_read_only(place);
}

}    // namespace

unsigned tree_inodes(const options& wanted)
{
    if (wanted.tree_count == 0)
        return 0;
    const unsigned others = wanted.view_count > 0 ? 1 : 2;    // /tmp/tree, and /tmp/empty unless the views make it
    return 2 * static_cast<unsigned>(wanted.tree_count) + others;
}

opened_trees open_trees(const options& wanted)
{
    opened_trees opened{};
    for (std::size_t i = 0; i < wanted.tree_count; ++i) {
        opened.fds[i] = ::open(wanted.trees[i], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (opened.fds[i] < 0)
            fail("tree");
    }
    return opened;
}

void mount_trees(const options& wanted, const opened_trees& opened)
{
    if (!wanted.has_tmpfs || wanted.tree_count == 0)
        return;
    have_directory("/tmp/empty");
    have_directory("/tmp/tree");
    for (std::size_t i = 0; i < wanted.tree_count; ++i)
        mount_tree(opened.fds[i], i);
    if (::chdir("/") != 0)
        fail("chdir");
}

}    // namespace caisson::launch
