#include "adapters/archive/package_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace caisson {

package_file::package_file(const std::filesystem::path& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW))
{
    struct stat facts{};
    if (!fd_ || ::fstat(fd_.get(), &facts) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot read " + path.string());
    if (!S_ISREG(facts.st_mode))
        throw std::system_error(EINVAL, std::generic_category(), path.string() + " is no regular file");
    size_ = facts.st_size;
}

std::string package_file::read(std::int64_t offset, std::size_t count) const
{
    const auto left = static_cast<std::size_t>(std::max<std::int64_t>(size_ - offset, 0));
    std::string bytes(std::min(count, left), '\0');
    for (std::size_t done = 0; done < bytes.size();) {
        const auto got = ::pread(fd_.get(), bytes.data() + done, bytes.size() - done, offset + static_cast<std::int64_t>(done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            throw std::system_error(errno, std::generic_category(), "cannot read a package");
        if (got == 0)
            bytes.resize(done);    // the file was truncated meanwhile
        done += static_cast<std::size_t>(got);
    }
    return bytes;
}

error refused_archive(const std::string& sentence) { return {errc::invalid_skill, "invalid skill: " + sentence, {{"package", sentence}}}; }

error damaged_zip(const std::string& what) { return refused_archive("the zip is damaged: " + what); }

}    // namespace caisson
