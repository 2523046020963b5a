#include "app/server/probe_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace caisson {

namespace {

constexpr std::string_view prefix = "/tmp/caisson-doctor-";
constexpr std::size_t suffix_length = 6;
constexpr std::chrono::seconds grace{60};    // a new directory may not be locked yet

unique_fd lock_directory(const std::string& path)
{
    unique_fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (directory && ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0)
        directory.reset();
    return directory;
}

}    // namespace

probe_directory::probe_directory() : path_(std::string(prefix) + std::string(suffix_length, 'X'))
{
    if (::mkdtemp(path_.data()) == nullptr)
        throw std::system_error(errno, std::generic_category(), "no directory can be made in /tmp");
    lock_ = lock_directory(path_);
}

probe_directory::~probe_directory()
{
    std::error_code ignored;
    if (lock_)
        std::filesystem::remove_all(path_, ignored);
}

std::string probe_directory::instance() const { return "doctor-" + path_.substr(prefix.size()); }

std::optional<probe_directory> probe_directory::take_over(const std::string& path)
{
    auto locked = lock_directory(path);
    struct stat seen{};
    if (!locked || ::fstat(locked.get(), &seen) != 0 || seen.st_uid != ::geteuid())
        return std::nullopt;
    const auto age = std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(seen.st_mtime);
    if (age < grace)
        return std::nullopt;
    return probe_directory(path, std::move(locked));
}

std::vector<probe_directory> probe_directory::abandoned()
{
    std::vector<probe_directory> found;
    std::error_code failed;
    for (std::filesystem::directory_iterator entry("/tmp", failed), end; !failed && entry != end; entry.increment(failed)) {
        const auto path = entry->path().string();
        if (!path.starts_with(prefix) || path.size() != prefix.size() + suffix_length)
            continue;
        if (auto taken = take_over(path))
            found.push_back(std::move(*taken));
    }
    return found;
}

}    // namespace caisson
