#include "app/agent/collector.hpp"

#include "app/agent/poller.hpp"
#include "core/base/unique_fd.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

/// Bound on the names of all directories on the walk's path.
constexpr std::size_t most_held_bytes = 8 * 1024 * 1024;

struct close_directory {
    void operator()(DIR* of) const { ::closedir(of); }
};

bool is_dots(std::string_view name) { return name == "." || name == ".."; }

/// d_type of an entry; calls fstatat(2) where the file system does not provide it.
unsigned char type_of(const dirent& entry, int directory)
{
    struct stat about{};
    if (entry.d_type != DT_UNKNOWN || ::fstatat(directory, entry.d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return entry.d_type;
    return static_cast<unsigned char>(IFTODT(about.st_mode));
}

std::string more_than(const char* what, std::uint64_t limit) { return "beyond " + std::string(what) + " (" + std::to_string(limit) + ")"; }

}    // namespace

collector::collector(const collect_order& order, collect_writer& out)
    : order_(order), out_(out), patterns_(order.patterns), denied_(order.is_trial() ? on_denial::leave : on_denial::widen)
{
}

bool collector::run()
{
    const auto root = open_root(order_.root.c_str());
    if (!root.fd || !root.problem.empty()) {
        problem_ = root.problem;
        out_.done(0, problem_);
        return out_.ok();
    }
    if (!order_.output.empty())
        send_output(root.fd.get());
    path_.clear();
    walk(root.fd.get(), patterns_.start(), 0);
    out_.done(entries_, problem_);
    return out_.ok();
}

void collector::send_output(int root)
{
    unique_fd inner;
    int parent = root;
    std::string_view rest = order_.output;
    path_ = order_.output;
    for (auto slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
        auto next = open_directory(parent, std::string(rest.substr(0, slash)).c_str(), denied_);
        if (is_left(next))
            return;
        if (!next.fd)
            return next.about.st_mode == 0 ? void() : skip(next.problem);
        inner = std::move(next.fd);
        parent = inner.get();
        rest.remove_prefix(slash + 1);
    }
    const auto opened = open_regular(parent, std::string(rest).c_str(), denied_);
    if (is_left(opened))
        return;
    if (!opened.fd)
        return opened.about.st_mode == 0 ? void() : skip(opened.problem);
    const auto size = static_cast<std::uint64_t>(opened.about.st_size);
    if (size > order_.max_output_bytes)
        return skip("larger than " + std::to_string(order_.max_output_bytes) + " bytes");
    out_.file({true, size, opened.about.st_mode & 0777U, 0, path_}, opened.fd.get());
}

/// False once the output failed; a trial also stops at its first problem and at its deadline.
bool collector::goes_on()
{
    if (order_.is_trial() && problem_.empty() && monotonic_us() > order_.deadline_us)
        problem_ = "it takes too long";
    return out_.ok() && !(order_.is_trial() && has_problem());
}

/// True if a trial may not read the entry: a collector process will make it readable.
bool collector::is_left(const opened_entry& what)
{
    if (what.denied)
        problem_ = what.problem;
    return what.denied;
}

void collector::walk(int directory, const path_patterns::position& at, std::uint64_t depth)
{
    const auto names = list(directory, at);
    const auto length = path_.size();
    held_bytes_ += names.bytes();
    for (std::size_t i = 0; i < names.size() && goes_on(); ++i) {
        auto name = std::string(names[i]);
        const bool is_directory = name.ends_with('/');
        if (is_directory)
            name.pop_back();
        path_ += (length == 0 ? "" : "/") + name;
        if (is_directory)
            visit_directory(directory, name, at, depth + 1);
        else
            visit_file(directory, name, names.kind_of(i));
        path_.resize(length);
    }
    held_bytes_ -= names.bytes();
    if (names.dropped() > 0) {
        path_ += (length == 0 ? "" : "/") + std::string("…");
        skip("more names than fit: " + std::to_string(names.dropped()) + " of the directory's last were not looked at");
        path_.resize(length);
    }
}

collect_listing collector::list(int directory, const path_patterns::position& at)
{
    collect_listing names(most_held_bytes - std::min(most_held_bytes, held_bytes_));
    if (!problem_.empty())
        return names;
    const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, close_directory> reading(copy < 0 ? nullptr : ::fdopendir(copy));
    if (!reading) {
        skip(std::string("it cannot be read: ") + std::strerror(errno));
        return names;
    }
    while (const dirent* entry = goes_on() ? ::readdir(reading.get()) : nullptr) {
        if (is_dots(entry->d_name))
            continue;
        if (++entries_ > order_.max_entries) {
            problem_ = "more than " + std::to_string(order_.max_entries) + " directory entries; the rest was not looked at";
            break;
        }
        note(*entry, directory, at, names);
    }
    names.sort();
    return names;
}

/// Adds entries that match a pattern. An entry of the wrong kind is added if a pattern gives its exact name, to be reported as skipped.
void collector::note(const dirent& entry, int directory, const path_patterns::position& at, collect_listing& into)
{
    const std::string_view name(entry.d_name);
    const auto type = type_of(entry, directory);
    if (path_.empty() && type == DT_DIR && name == protocol::build_directory)
        return;
    if (type == DT_DIR && !patterns_.enter(at, name).empty())
        into.add(name, entry_kind::directory);
    else if (type == DT_DIR || type == DT_LNK ? patterns_.expects(at, name) : patterns_.takes(at, name))
        into.add(name, type == DT_REG ? entry_kind::regular : entry_kind::other);
    else if (type == DT_LNK && patterns_.takes(at, name))
        into.add(name, entry_kind::other);
}

void collector::visit_directory(int parent, const std::string& name, const path_patterns::position& at, std::uint64_t depth)
{
    if (depth > order_.max_depth)
        return skip(more_than("the depth of directories", order_.max_depth));
    const auto opened = open_directory(parent, name.c_str(), denied_);
    if (is_left(opened))
        return;
    if (!opened.fd)
        return skip(opened.problem);
    walk(opened.fd.get(), patterns_.enter(at, name), depth);
}

void collector::visit_file(int parent, const std::string& name, entry_kind kind)
{
    if (path_ == order_.output)
        return;
    if (!protocol::is_collectable_path(path_))
        return skip(
            path_.size() > protocol::max_collect_path ? "its path is too long" : "its name is not UTF-8 without control characters");
    if (files_ >= order_.max_files)
        return skip(more_than("the number of files", order_.max_files));
    const auto opened =
        kind == entry_kind::regular ? open_listed_regular(parent, name.c_str(), denied_) : open_regular(parent, name.c_str(), denied_);
    if (is_left(opened))
        return;
    if (!opened.fd)
        return skip(opened.problem);
    const auto size = static_cast<std::uint64_t>(opened.about.st_size);
    if (size > order_.max_file_bytes)
        return skip("larger than " + std::to_string(order_.max_file_bytes) + " bytes");
    if (size > order_.max_bytes - bytes_)
        return skip(more_than("the bytes of all files", order_.max_bytes));
    send(opened.about, opened.fd.get());
}

void collector::send(const struct stat& about, int file)
{
    const auto size = static_cast<std::uint64_t>(about.st_size);
    ++files_;
    bytes_ += size;
    const auto modified = std::int64_t{about.st_mtim.tv_sec} * 1000 + about.st_mtim.tv_nsec / 1'000'000;
    out_.file({false, size, about.st_mode & 0777U, static_cast<std::uint64_t>(std::clamp<std::int64_t>(modified, 0, std::int64_t{1} << 60)),
                  path_},
        file);
}

int collect(int argc, char** arguments)
{
    collect_order order;
    if (!parse(argc, arguments, order))
        return 2;
    collect_writer out(STDOUT_FILENO);
    return collector(order, out).run() ? 0 : 1;
}

}    // namespace caisson::agent
