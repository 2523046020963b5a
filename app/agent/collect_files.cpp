#include "app/agent/collect_files.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

namespace caisson::agent {

namespace {

constexpr int never = O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;

/// openat2(2). Where the kernel (or an emulation) lacks it, O_NOFOLLOW suffices for a single name, except that it crosses mounts.
unique_fd open_below(int directory, const char* name, int flags)
{
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
    const long got = ::syscall(SYS_openat2, directory, name, &how, sizeof(how));
    if (got >= 0 || errno != ENOSYS)
        return unique_fd(static_cast<int>(got));
    return unique_fd(::openat(directory, name, flags));
}

const char* what_it_is(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFLNK: return "a symbolic link, which is not followed";
    case S_IFDIR: return "a directory; a pattern that ends in /** takes what is in it";
    case S_IFCHR:
    case S_IFBLK: return "a device";
    case S_IFIFO: return "a FIFO";
    case S_IFSOCK: return "a socket";
    default: return "not a regular file";
    }
}

std::string in_words(int code)
{
    if (code == EXDEV)
        return "a mount of its own, which is not the run's";
    return std::string("it cannot be read: ") + std::strerror(code);
}

/// Makes the entry readable for its owner. Changes it by its link below /proc, which always leads to the entry that was opened.
void widen(int directory, const char* name, mode_t bits, mode_t kind)
{
    const auto found = open_below(directory, name, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    struct stat about{};
    if (!found || ::fstat(found.get(), &about) != 0 || (about.st_mode & S_IFMT) != kind)
        return;
    const auto self = "/proc/self/fd/" + std::to_string(found.get());
    static_cast<void>(::chmod(self.c_str(), (about.st_mode & 0777) | bits));
}

/// How a directory or a regular file is opened.
struct way {
    int flags;
    mode_t needed;    // by its owner
    mode_t kind;
};
constexpr way directory_way{O_RDONLY | O_DIRECTORY, S_IRUSR | S_IXUSR, S_IFDIR};
constexpr way regular_way{O_RDONLY, S_IRUSR, S_IFREG};

opened_entry open_kind(int parent, const char* name, const way& how, on_denial denied)
{
    const auto [flags, bits, kind] = how;
    opened_entry out;
    if (::fstatat(parent, name, &out.about, AT_SYMLINK_NOFOLLOW) != 0) {
        out.problem = in_words(errno);
        return out;
    }
    if ((out.about.st_mode & S_IFMT) != kind) {
        out.problem = what_it_is(out.about.st_mode);
        return out;
    }
    const auto mode = out.about.st_mode;    // as the run left it
    out.fd = open_below(parent, name, flags | never);
    out.denied = !out.fd && errno == EACCES && denied == on_denial::leave;
    if (!out.fd && errno == EACCES && denied == on_denial::widen) {
        widen(parent, name, bits, kind);
        out.fd = open_below(parent, name, flags | never);
    }
    if (!out.fd || ::fstat(out.fd.get(), &out.about) != 0) {
        out.problem = in_words(errno);
        out.fd.reset();
    } else if ((out.about.st_mode & S_IFMT) != kind) {
        out.problem = what_it_is(out.about.st_mode);
        out.fd.reset();
    }
    out.about.st_mode = mode;
    return out;
}

}    // namespace

opened_entry open_root(const char* path)
{
    opened_entry out;
    out.fd.reset(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!out.fd || ::fstat(out.fd.get(), &out.about) != 0)
        out.problem = "the working directory cannot be read: " + std::string(std::strerror(errno));
    return out;
}

opened_entry open_directory(int parent, const char* name, on_denial denied) { return open_kind(parent, name, directory_way, denied); }

opened_entry open_regular(int parent, const char* name, on_denial denied) { return open_kind(parent, name, regular_way, denied); }

opened_entry open_listed_regular(int parent, const char* name, on_denial denied)
{
    opened_entry out;
    out.fd = open_below(parent, name, O_RDONLY | never);
    if (out.fd && ::fstat(out.fd.get(), &out.about) == 0 && S_ISREG(out.about.st_mode))
        return out;
    out.fd.reset();
    return open_regular(parent, name, denied);
}

}    // namespace caisson::agent
