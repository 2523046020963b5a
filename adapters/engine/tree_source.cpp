#include "adapters/engine/tree_source.hpp"

#include "adapters/engine/small_tar.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace caisson::docker {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t piece_bytes = 256 << 10;
constexpr unsigned plain_mode = 0444;
constexpr unsigned program_mode = 0555;    // also for directories

error changed(const std::string& path) { return {errc::internal, path + " changed while it was copied"}; }

}    // namespace

tree_source::tree_source(worker_pool* workers, std::vector<member> members) : workers_(workers), members_(std::move(members))
{
    size_ = tar_end().size();
    for (const auto& each : members_)
        size_ += head_of(each).size() + each.bytes + tar_padding(each.bytes).size();
}

task<result<std::unique_ptr<tree_source>>> tree_source::open(worker_pool* workers, std::string directory)
{
    auto look = [directory] { return walk(directory); };
    auto members = co_await offload(*workers, std::move(look));
    if (members.has_error())
        co_return members.error();
    co_return std::unique_ptr<tree_source>(new tree_source(workers, std::move(*members)));
}

/// Lists all members, each directory before its content.
result<std::vector<tree_source::member>> tree_source::walk(const std::string& directory)
{
    std::vector<member> found;
    std::error_code failed;
    for (fs::recursive_directory_iterator each(directory, failed), end; !failed && each != end; each.increment(failed)) {
        struct stat seen{};
        const auto path = each->path().string();
        if (::lstat(path.c_str(), &seen) != 0 || (!S_ISREG(seen.st_mode) && !S_ISDIR(seen.st_mode)))
            return error{errc::internal, path + " is neither a file nor a directory"};
        const bool is_directory = S_ISDIR(seen.st_mode);
        auto name = each->path().lexically_relative(directory).string() + (is_directory ? "/" : "");
        const bool runs = is_directory || (seen.st_mode & S_IXUSR) != 0;
        found.push_back({std::move(name), path, is_directory ? 0 : static_cast<std::uint64_t>(seen.st_size),
            runs ? program_mode : plain_mode, is_directory});
    }
    if (failed)
        return error{errc::gone, "the package's files cannot be read: " + failed.message()};
    std::ranges::sort(found, {}, &member::name);
    return found;
}

std::string tree_source::head_of(const member& of)
{
    return tar_head(of.name, of.is_directory ? tar_member::directory : tar_member::file, of.mode, of.bytes);
}

task<result<shared_bytes>> tree_source::read()
{
    // `this` stays valid: offloaded work is always awaited.
    auto make = [this] { return next_piece(); };
    auto piece = co_await offload(*workers_, std::move(make));
    if (piece.has_error())
        co_return piece.error();
    co_return shared_bytes(std::move(*piece));
}

result<std::string> tree_source::next_piece()
{
    std::string piece;
    while (piece.size() < piece_bytes && !ended_) {
        if (at_ == members_.size()) {
            piece += tar_end();
            ended_ = true;
        } else if (members_[at_].is_directory) {
            piece += head_of(members_[at_++]);
        } else {
            auto done = read_file(piece);
            if (done.has_error())
                return done.error();
        }
    }
    return piece;
}

/// Appends the next part of the current file.
result<void> tree_source::read_file(std::string& into)
{
    const auto& of = members_[at_];
    if (!file_) {
        file_.reset(::open(of.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        struct stat seen{};
        if (!file_ || ::fstat(file_.get(), &seen) != 0 || static_cast<std::uint64_t>(seen.st_size) != of.bytes)
            return changed(of.path);
        left_ = of.bytes;
        into += head_of(of);
    }
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left_, piece_bytes));
    const auto before = into.size();
    into.resize(before + wanted);
    const auto got = wanted == 0 ? 0 : ::read(file_.get(), into.data() + before, wanted);
    if (got < 0 || (got == 0 && wanted > 0))
        return changed(of.path);
    into.resize(before + static_cast<std::size_t>(got));
    left_ -= static_cast<std::uint64_t>(got);
    if (left_ == 0) {
        into += tar_padding(of.bytes);
        file_.reset();
        ++at_;
    }
    return {};
}

}    // namespace caisson::docker
