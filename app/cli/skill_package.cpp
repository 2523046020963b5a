#include "app/cli/skill_package.hpp"

#include "adapters/archive/archive_writer.hpp"
#include "adapters/crypto/sha256_hasher.hpp"
#include "app/cli/last_error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace caisson::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t fixed_time_ms = 315'532'800'000;    // 1980-01-01, the earliest time in a zip

/// Writes and hashes the archive.
class output {
public:
    explicit output(int fd) : fd_(fd), hash_(make_sha256_hasher()) { }

    result<void> take(archive_writer& from)
    {
        const auto bytes = from.take();
        hash_->add(bytes);
        size_ += static_cast<std::int64_t>(bytes.size());
        for (std::size_t done = 0; done < bytes.size();) {
            const auto written = ::write(fd_, bytes.data() + done, bytes.size() - done);
            if (written < 0 && errno != EINTR)
                return error{errc::bad_request, "the package cannot be written: " + last_error()};
            done += written > 0 ? static_cast<std::size_t>(written) : 0;
        }
        return {};
    }
    std::int64_t size() const { return size_; }
    std::string sha256() { return to_hex(hash_->finish()); }

private:
    int fd_;
    std::unique_ptr<hasher> hash_;
    std::int64_t size_ = 0;
};

error changed(const fs::path& path) { return {errc::bad_request, path.string() + " changed or cannot be read while it is packed"}; }

result<void> copy(const fs::path& from, archive_writer& archive, output& to)
{
    const unique_fd file(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file)
        return error{errc::bad_request, from.string() + " cannot be read: " + last_error()};
    std::array<char, 64 << 10> part{};
    for (;;) {
        const auto got = ::read(file.get(), part.data(), part.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 ? result<void>() : result<void>(changed(from));
        if (archive.write({part.data(), static_cast<std::size_t>(got)}).has_error())
            return changed(from);
        auto written = to.take(archive);
        if (written.has_error())
            return written;
    }
}

}    // namespace

result<packed_skill> pack_skill(const fs::path& folder, int fd)
{
    auto found = gather_skill(folder);
    if (found.has_error())
        return found.error();
    archive_writer archive(archive_format::zip);
    output to(fd);
    for (const auto& each : found->files) {
        if (auto begun = archive.begin_file(each.path, each.size_bytes, each.mode, fixed_time_ms); begun.has_error())
            return error{errc::invalid_skill, each.path + ": " + begun.error().detail};
        auto copied = copy(folder / each.path, archive, to);
        if (copied.has_error())
            return copied.error();
    }
    if (archive.finish().has_error())
        return changed(folder);
    auto written = to.take(archive);
    if (written.has_error())
        return written.error();
    return packed_skill{to.size(), to.sha256(), found->files.size(), std::move(found->left_out), std::move(found->secrets)};
}

result<temporary_package> temporary_package::of(const fs::path& folder)
{
    const char* const base = std::getenv("TMPDIR");
    auto name = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/caisson-skill-XXXXXX.zip";
    const unique_fd fd(::mkostemps(name.data(), 4, O_CLOEXEC));
    if (!fd)
        return error{errc::bad_request, "no temporary file can be made (" + name + "): " + last_error()};
    temporary_package out{fs::path(name)};
    auto packed = pack_skill(folder, fd.get());
    if (packed.has_error())
        return packed.error();
    out.what_ = std::move(*packed);
    return out;
}

temporary_package::temporary_package(temporary_package&& from) noexcept : path_(std::exchange(from.path_, {})), what_(std::move(from.what_))
{
}

temporary_package::~temporary_package()
{
    if (!path_.empty())
        ::unlink(path_.c_str());
}

}    // namespace caisson::cli
