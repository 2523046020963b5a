#include "core/adapters/spawn/uid_allocator.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson {

namespace {

enum class attempt { locked, in_use, removed_meanwhile };

attempt try_lock(const std::string& path, unique_fd& file)
{
    file.reset(::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    struct stat seen{};
    if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(file.get(), &seen) != 0)
        return attempt::in_use;
    return seen.st_nlink == 0 ? attempt::removed_meanwhile : attempt::locked;
}

std::optional<unique_fd> lock(const std::string& path)
{
    constexpr int most_tries = 10;
    for (int tries = 0; tries < most_tries; ++tries) {
        unique_fd file;
        const auto outcome = try_lock(path, file);
        if (outcome == attempt::locked)
            return file;
        if (outcome == attempt::in_use)
            break;
    }
    return std::nullopt;
}

}    // namespace

void uid_lease::release() noexcept
{
    if (!file_)
        return;
    ::unlink(path_.c_str());
    file_.reset();
}

std::string uid_allocator::path_of(uid_t uid) const { return directory_ + "/" + std::to_string(uid); }

void uid_allocator::clear(uid_t uid) noexcept
try {
    const auto path = path_of(uid);
    if (::access(path.c_str(), F_OK) != 0)
        return;
    if (auto file = lock(path))
        uid_lease(uid, path, std::move(*file)).release();
} catch (const std::exception&) {
    // Out of memory: the file stays, unlocked and harmless.
}

result<uid_lease> uid_allocator::acquire()
{
    std::error_code failed;
    std::filesystem::create_directories(directory_, failed);
    if (failed || ::access(directory_.c_str(), W_OK) != 0)
        return error{errc::runtime_unavailable,
            "the directory of uid locks cannot be used: " + directory_ + ": " + std::strerror(failed ? failed.value() : errno)};
    const uid_t count = last_ - first_ + 1;
    for (uid_t tried = 0; tried < count; ++tried) {
        const uid_t uid = next_;
        next_ = uid == last_ ? first_ : uid + 1;
        const auto path = path_of(uid);
        if (auto file = lock(path))
            return uid_lease(uid, path, std::move(*file));
    }
    return error{
        errc::runtime_unavailable, "every host uid from " + std::to_string(first_) + " to " + std::to_string(last_) + " is in use"};
}

}    // namespace caisson
