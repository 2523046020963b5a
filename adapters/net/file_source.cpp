#include "adapters/net/file_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace caisson::net {

namespace {

constexpr std::uint64_t file_piece_bytes = 256 * 1024;

error cannot(std::string_view what, const std::filesystem::path& path, int number)
{
    const auto code = number == ENOENT ? errc::not_found : number == EACCES ? errc::forbidden : errc::bad_request;
    return {code, "cannot " + std::string(what) + " " + path.string() + ": " + std::generic_category().message(number)};
}

}    // namespace

result<std::unique_ptr<file_source>> file_source::open(const std::filesystem::path& path, worker_pool& disk)
{
    unique_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file)
        return cannot("open", path, errno);
    struct stat facts{};
    if (::fstat(file.get(), &facts) != 0)
        return cannot("look at", path, errno);
    if (!S_ISREG(facts.st_mode))
        return error{errc::bad_request, path.string() + " is not a regular file"};
    return std::unique_ptr<file_source>(new file_source(std::move(file), static_cast<std::uint64_t>(facts.st_size), path, disk));
}

task<result<shared_bytes>> file_source::read()
{
    auto work = [this, at = done_] { return read_at(at); };
    auto piece = co_await offload(disk_, std::move(work));
    if (piece.has_value())
        done_ += piece->size();
    co_return piece;
}

result<shared_bytes> file_source::read_at(std::uint64_t offset) const
{
    std::string out(std::min(file_piece_bytes, size_ - offset), '\0');
    const auto count = ::pread(file_.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (count < 0)
        return cannot("read", path_, errno);
    if (count == 0 && !out.empty())
        return error{errc::bad_request, path_.string() + " became shorter while it was sent"};
    out.resize(static_cast<std::size_t>(count));
    return shared_bytes(std::move(out));
}

}    // namespace caisson::net
