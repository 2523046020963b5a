#include "adapters/host/uid_allocator.hpp"

#include "adapters/host/small_file.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson {

namespace json = boost::json;

namespace {

std::string own_pid_namespace()
{
    std::error_code failed;
    return std::filesystem::read_symlink("/proc/self/ns/pid", failed).string();
}

error lock_failure(const std::string& path, int code)
{
    return {errc::runtime_unavailable, "a uid lock cannot be taken: " + path + ": " + std::strerror(code)};
}

/// Locks an open lock file; nothing if another process holds it, or it was removed meanwhile. Errors: errc::runtime_unavailable.
result<std::optional<unique_fd>> lock(const std::string& path, unique_fd file)
{
    struct stat seen{};
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? result<std::optional<unique_fd>>(std::nullopt) : lock_failure(path, errno);
    if (::fstat(file.get(), &seen) != 0)
        return lock_failure(path, errno);
    return seen.st_nlink == 0 ? std::optional<unique_fd>() : std::optional(std::move(file));
}

/// Makes and locks a lock file; nothing if the uid is taken. Errors: errc::runtime_unavailable.
result<std::optional<unique_fd>> make_locked(const std::string& path)
{
    unique_fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file)
        return errno == EEXIST ? result<std::optional<unique_fd>>(std::nullopt) : lock_failure(path, errno);
    return lock(path, std::move(file));
}

/// Opens and locks an existing lock file; nothing if it cannot be locked now.
std::optional<unique_fd> lock_existing(const std::string& path)
{
    unique_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    auto locked = file ? lock(path, std::move(file)) : result<std::optional<unique_fd>>(std::nullopt);
    return locked.has_error() ? std::nullopt : std::move(*locked);
}

std::string text_of(const unique_fd& file)
{
    char text[4096 + PATH_MAX];
    const auto size = ::pread(file.get(), text, sizeof text, 0);
    return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

std::optional<uid_t> uid_from(const std::string& name)
{
    uid_t uid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), uid);
    return parsed.ec == std::errc() && parsed.ptr == name.data() + name.size() ? std::optional(uid) : std::nullopt;
}

/// The real, effective, saved and file system uids of all processes that are not zombies.
std::set<uid_t> uids_of_processes()
{
    std::set<uid_t> found;
    std::error_code failed;
    for (std::filesystem::directory_iterator entry("/proc", failed), end; !failed && entry != end; entry.increment(failed)) {
        if (!uid_from(entry->path().filename().string()))
            continue;
        const auto status = read_small_file(entry->path().string() + "/status").value_or("");
        const auto uids = status.find("\nUid:");
        if (uids == std::string::npos || status.find("\nState:\tZ") != std::string::npos)
            continue;
        std::istringstream numbers(status.substr(uids + 5, status.find('\n', uids + 1) - uids - 5));
        for (uid_t uid = 0; numbers >> uid;)
            found.insert(uid);
    }
    return found;
}

}    // namespace

std::string uid_owner::to_json() const
{
    return json::serialize(
        json::object{{"instance", instance}, {"data_dir", data_dir}, {"sandbox", sandbox.str()}, {"pid_namespace", pid_namespace}});
}

std::optional<uid_owner> uid_owner::from_json(std::string_view text)
try {
    const auto object = json::parse(json::string_view(text.data(), text.size()));
    const auto member = [&](const char* name) { return std::string(object.at(name).as_string()); };
    auto sandbox = sandbox_id::parse(member("sandbox"));
    if (!sandbox)
        return std::nullopt;
    return uid_owner{member("instance"), member("data_dir"), std::move(*sandbox), member("pid_namespace")};
} catch (const std::exception&) {
    return std::nullopt;
}

void uid_lease::release() noexcept
{
    if (!file_)
        return;
    ::unlink(path_.c_str());
    file_.reset();
}

std::string uid_allocator::path_of(uid_t uid) const { return directory_ + "/" + std::to_string(uid); }

void uid_allocator::clear(uid_t uid, const sandbox_id& sandbox) noexcept
try {
    const auto path = path_of(uid);
    auto file = lock_existing(path);
    if (!file)
        return;
    const auto text = text_of(*file);
    const auto owner = uid_owner::from_json(text);
    if (text.empty() || (owner && owner->sandbox == sandbox))
        uid_lease(uid, path, std::move(*file)).release();
} catch (const std::exception&) {
    // Out of memory: the next sweep removes it.
}

result<uid_lease> uid_allocator::acquire(uid_owner owner)
{
    std::error_code failed;
    std::filesystem::create_directories(directory_, failed);
    if (failed || ::access(directory_.c_str(), W_OK) != 0)
        return error{errc::runtime_unavailable,
            "the directory of uid locks cannot be used: " + directory_ + ": " + std::strerror(failed ? failed.value() : errno)};
    owner.pid_namespace = own_pid_namespace();
    const auto text = owner.to_json();
    const uid_t count = last_ - first_ + 1;
    const std::lock_guard lock_of_next(taking_);
    for (uid_t tried = 0; tried < count; ++tried) {
        const uid_t uid = next_;
        next_ = uid == last_ ? first_ : uid + 1;
        const auto path = path_of(uid);
        auto file = make_locked(path);
        if (file.has_error())
            return file.error();
        if (!*file)
            continue;
        uid_lease lease(uid, path, std::move(**file));
        if (::write(lease.descriptor(), text.data(), text.size()) == static_cast<ssize_t>(text.size()))
            return lease;
        lease.release();
        return error{errc::runtime_unavailable, "a uid lock cannot be written: " + path + ": " + std::strerror(errno)};
    }
    return error{errc::runtime_unavailable, "every host uid from " + std::to_string(first_) + " to " + std::to_string(last_) +
                                                " is in use; caisson doctor lists what is left over"};
}

std::size_t sweep_uid_locks(const std::string& directory, const std::function<bool(const uid_owner&)>& is_left)
{
    std::size_t removed = 0;
    std::optional<std::set<uid_t>> in_use;    // read once, after the first free lock was found: shows processes that held it then
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(directory, failed), end; !failed && entry != end; entry.increment(failed)) {
        const auto path = entry->path().string();
        const auto uid = uid_from(entry->path().filename().string());
        auto file = uid ? lock_existing(path) : std::nullopt;
        if (!file)
            continue;
        const auto text = text_of(*file);
        const auto owner = uid_owner::from_json(text);
        if (!text.empty() && (!owner || owner->pid_namespace != own_pid_namespace() || is_left(*owner)))
            continue;
        if (!in_use)
            in_use = uids_of_processes();
        if (in_use->contains(*uid))
            continue;
        uid_lease(*uid, path, std::move(*file)).release();
        ++removed;
    }
    return removed;
}

}    // namespace caisson
