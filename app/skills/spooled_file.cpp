#include "app/skills/spooled_file.hpp"

#include "adapters/crypto/sha256_hasher.hpp"
#include "adapters/host/remove_tree.hpp"
#include "app/skills/file_failure.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace caisson {

namespace {

bool is_full(int number) { return number == ENOSPC || number == EDQUOT; }

}    // namespace

spooled_file::spooled_file(std::filesystem::path path)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)), hash_(make_sha256_hasher())
{
    if (!fd_)
        fail(errno, "cannot make " + path_.string());
}

spooled_file::~spooled_file() { ::unlink(path_.c_str()); }

result<void> spooled_file::append(std::string_view bytes)
{
    hash_->add(bytes);
    while (!bytes.empty()) {
        const auto written = ::pwrite(fd_.get(), bytes.data(), bytes.size(), size_bytes_);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && is_full(errno))
            return error{errc::runtime_unavailable, "the server cannot store anything now (is its disk full?); try again later"};
        if (written < 0)
            fail(errno, "cannot write " + path_.string());
        size_bytes_ += written;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

std::string spooled_file::read(std::int64_t offset, std::size_t max_bytes) const
{
    std::string bytes(max_bytes, '\0');
    std::size_t got = 0;
    while (got < max_bytes) {
        const auto count = ::pread(fd_.get(), bytes.data() + got, max_bytes - got, offset + static_cast<std::int64_t>(got));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            fail(errno, "cannot read " + path_.string());
        if (count == 0)
            break;
        got += static_cast<std::size_t>(count);
    }
    bytes.resize(got);
    return bytes;
}

std::string spooled_file::digest() { return to_hex(hash_->finish()); }

result<std::shared_ptr<spooled_file>> make_spooled_file(std::filesystem::path path)
try {
    return std::make_shared<spooled_file>(std::move(path));
} catch (const std::system_error& failure) {
    const int number = failure.code().value();
    if (!is_full(number) && number != EMFILE && number != ENFILE)
        throw;
    return error{errc::runtime_unavailable, "the server cannot take a package now (is its disk full?); try again later"};
}

void empty_directory(const std::filesystem::path& directory)
{
    if (const int failed = remove_tree(directory.string()); failed != 0)
        fail(failed, "cannot empty " + directory.string());
    if (::mkdir(directory.c_str(), 0700) != 0)
        fail(errno, "cannot make " + directory.string());
}

}    // namespace caisson
