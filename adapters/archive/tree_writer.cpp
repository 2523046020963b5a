#include "adapters/archive/tree_writer.hpp"

#include "core/skills/name_rules.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace caisson {

namespace {

constexpr mode_t directory_mode = 0755;

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

error other_archive() { return refused_archive("the archive is not the one that was inspected"); }

unique_fd open_directory(int parent, const char* name)
{
    unique_fd fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd)
        fail("cannot open a directory of a skill");
    return fd;
}

/// Opens the directory; makes it first if it does not exist.
unique_fd make_directory(int parent, const std::string& name)
{
    const bool made = ::mkdirat(parent, name.c_str(), directory_mode) == 0;
    if (!made && errno != EEXIST)
        fail("cannot make a directory of a skill");
    auto fd = open_directory(parent, name.c_str());
    if (made && ::fchmod(fd.get(), directory_mode) != 0)    // independent of the umask
        fail("cannot make a directory of a skill");
    return fd;
}

}    // namespace

tree_writer::tree_writer(const package_index& index, const package_limits& limits, const std::filesystem::path& into)
    : index_(index), limits_(limits), root_(open_directory(AT_FDCWD, into.c_str())), written_(index.entries.size(), false)
{
}

const package_entry* tree_writer::find(const std::string& path) const
{
    const auto at = std::ranges::lower_bound(index_.entries, path, {}, &package_entry::path);
    return at != index_.entries.end() && at->path == path ? &*at : nullptr;
}

result<void> tree_writer::begin(const archive_member& member)
{
    file_.reset();
    auto path = clean_name(member.name, index_.format, limits_);
    if (path.has_error() || (member.kind != member_kind::file && member.kind != member_kind::directory))
        return other_archive();
    if (member.kind == member_kind::directory || is_system_litter(*path))
        return {};
    if (!path->starts_with(index_.wrapper))
        return other_archive();
    path->erase(0, index_.wrapper.size());
    const auto* entry = find(*path);
    if (entry == nullptr || entry->size_bytes != member.size_bytes || written_[static_cast<std::size_t>(entry - index_.entries.data())])
        return other_archive();
    written_[static_cast<std::size_t>(entry - index_.entries.data())] = true;
    mode_ = entry->mode;
    open_file(*path);
    return {};
}

void tree_writer::open_file(const std::string& path)
{
    unique_fd above;
    std::size_t from = 0;
    for (auto end = path.find('/'); end != std::string::npos; end = path.find('/', from)) {
        above = make_directory(above ? above.get() : root_.get(), path.substr(from, end - from));
        from = end + 1;
    }
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_.reset(::openat(above ? above.get() : root_.get(), path.c_str() + from, flags, 0600));
    if (!file_)
        fail("cannot make a file of a skill");
}

result<void> tree_writer::data(std::string_view bytes)
{
    while (file_ && !bytes.empty()) {
        const auto done = ::write(file_.get(), bytes.data(), bytes.size());
        if (done < 0 && errno != EINTR)
            fail("cannot write a file of a skill");
        bytes.remove_prefix(done > 0 ? static_cast<std::size_t>(done) : 0);
    }
    return {};
}

result<void> tree_writer::end()
{
    if (file_ && ::fchmod(file_.get(), mode_) != 0)
        fail("cannot set the mode of a file of a skill");
    file_.reset();
    return {};
}

result<void> tree_writer::finish() const
{
    return std::ranges::all_of(written_, [](bool each) { return each; }) ? result<void>() : other_archive();
}

}    // namespace caisson
