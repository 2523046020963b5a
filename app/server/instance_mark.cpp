#include "app/server/instance_mark.hpp"

#include "adapters/host/small_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace caisson {

namespace {

const std::string marks_directory = "/run/caisson/instances";

std::string path_of(const std::string& instance) { return marks_directory + "/" + instance; }

unique_fd lock_file(const std::string& path, int flags)
{
    unique_fd file(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600));
    struct stat seen{};
    if (file && (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(file.get(), &seen) != 0 || seen.st_nlink == 0))
        file.reset();
    return file;
}

}    // namespace

instance_mark::instance_mark(const std::string& instance, const std::string& data_dir) : path_(path_of(instance))
{
    if (::geteuid() != 0)
        return;
    std::error_code failed;
    std::filesystem::create_directories(marks_directory, failed);
    file_ = lock_file(path_, O_RDWR | O_CREAT);
    if (!file_)
        return;
    const bool written = ::ftruncate(file_.get(), 0) == 0 &&
                         ::pwrite(file_.get(), data_dir.data(), data_dir.size(), 0) == static_cast<ssize_t>(data_dir.size());
    if (!written)
        remove();
}

void instance_mark::remove() noexcept
{
    if (file_)
        ::unlink(path_.c_str());
    file_.reset();
}

instance_mark::facts instance_mark::of(const std::string& instance)
{
    const auto path = path_of(instance);
    constexpr std::size_t longest_path = 4'096;
    auto data_dir = read_small_file(path, longest_path);
    if (!data_dir)
        return {};
    return {!lock_file(path, O_RDONLY), std::move(*data_dir)};
}

std::vector<std::string> instance_mark::unlocked()
{
    std::vector<std::string> found;
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(marks_directory, failed), end; !failed && entry != end; entry.increment(failed)) {
        if (lock_file(entry->path().string(), O_RDONLY))
            found.push_back(entry->path().filename().string());
    }
    return found;
}

bool instance_mark::clear(const std::string& instance)
{
    instance_mark taken;
    taken.path_ = path_of(instance);
    taken.file_ = lock_file(taken.path_, O_RDONLY);
    const bool was_there = static_cast<bool>(taken.file_);
    taken.remove();
    return was_there;
}

}    // namespace caisson
