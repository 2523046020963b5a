#include "adapters/host/run_directory.hpp"

#include "adapters/host/remove_tree.hpp"
#include "adapters/host/small_file.hpp"
#include "core/base/utf8.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>

namespace caisson {

namespace {

error failure(const std::string& what, int code)
{
    return error{errc::runtime_unavailable, "run directory: " + what + ": " + std::strerror(code)};
}

/// Goes through the directory's descriptor: the path of the data directory may exceed the length of a socket address.
sockaddr_un address_in(int directory, const char* name = "/s")
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = "/proc/self/fd/" + std::to_string(directory) + name;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

std::string path_of(const std::string& run_dir, const sandbox_id& id) { return run_dir + "/" + id.str(); }

}    // namespace

result<run_directory> run_directory::make(const std::string& run_dir, const sandbox_id& id)
{
    if (::mkdir(run_dir.c_str(), 0700) != 0 && errno != EEXIST)
        return failure(run_dir, errno);
    const auto path = path_of(run_dir, id);
    if (::mkdir(path.c_str(), 0700) != 0) {
        if (errno != EEXIST)
            return failure(path, errno);
        const int failed = remove_tree(path);
        if (failed != 0 || ::mkdir(path.c_str(), 0700) != 0)
            return failure(path, failed != 0 ? failed : errno);
    }
    unique_fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory) {
        const int code = errno;
        ::rmdir(path.c_str());
        return failure(path, code);
    }
    return run_directory(path, std::move(directory));
}

std::optional<run_directory> run_directory::open(const std::string& run_dir, const sandbox_id& id)
{
    auto path = path_of(run_dir, id);
    unique_fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
        throw std::system_error(errno, std::generic_category(), path);
    if (!directory)
        return std::nullopt;
    return run_directory(std::move(path), std::move(directory));
}

std::vector<sandbox_id> run_directory::list(const std::string& run_dir)
{
    std::vector<sandbox_id> found;
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(run_dir, failed), end; !failed && entry != end; entry.increment(failed)) {
        if (auto id = sandbox_id::parse(entry->path().filename().string()))
            found.push_back(std::move(*id));
    }
    return found;
}

namespace {

result<unique_fd> listen_at(const sockaddr_un& address)
{
    unique_fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket)
        return failure("socket", errno);
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return failure("bind", errno);
    constexpr int backlog = 16;
    if (::listen(socket.get(), backlog) != 0)
        return failure("listen", errno);
    return socket;
}

}    // namespace

result<unique_fd> run_directory::listen() const { return listen_at(address_in(directory_.get())); }

result<unique_fd> run_directory::listen_in_link() const
{
    const int directory = directory_.get();
    if ((::mkdirat(directory, "link", 0755) != 0 && errno != EEXIST) || ::fchmodat(directory, "link", 0755, 0) != 0)
        return failure("link", errno);
    if (::unlinkat(directory, "link/s", 0) != 0 && errno != ENOENT)
        return failure("link/s", errno);
    auto socket = listen_at(address_in(directory, "/link/s"));
    if (!socket.has_error() && ::fchmodat(directory, "link/s", 0666, 0) != 0)
        return failure("link/s", errno);
    return socket;
}

result<unique_fd> run_directory::connect() const
{
    unique_fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket)
        return failure("socket", errno);
    const auto address = address_in(directory_.get());
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return socket;
    if (errno == EAGAIN)
        return error{errc::timed_out, "the agent does not accept connections"};
    return error{errc::runtime_unavailable, "the agent is gone: " + std::string(std::strerror(errno))};
}

namespace {

result<void> write_new(int directory, const std::string& name, std::string_view text, mode_t mode)
{
    const unique_fd file(::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file || ::fchmod(file.get(), mode) != 0)
        return failure(name, errno);
    if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        return failure(name, ENOSPC);
    return {};
}

}    // namespace

result<void> run_directory::write_file(const std::string& name, std::string_view text) const
{
    return write_new(directory_.get(), name, text, 0644);
}

result<void> run_directory::copy_program(const std::string& directory, const std::string& name, const std::string& source)
{
    const auto path = directory + "/" + name;
    std::error_code failed;
    std::filesystem::copy_file(source, path, failed);
    if (!failed && ::chmod(path.c_str(), 0555) != 0)
        failed = std::error_code(errno, std::generic_category());
    if (failed)
        return failure(name, failed.value());
    return {};
}

result<void> run_directory::write_state(const std::string& text) const
{
    auto written = write_new(directory_.get(), "state.new", text, 0600);
    if (written.has_error())
        return written;
    if (::renameat(directory_.get(), "state.new", directory_.get(), "state") != 0)
        return failure("state", errno);
    return {};
}

std::optional<std::string> run_directory::read_state() const { return read_small_file(path_ + "/state"); }

unique_fd run_directory::open_log() const
{
    return unique_fd(::openat(directory_.get(), "log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
}

std::string run_directory::first_log_line() const
{
    constexpr std::size_t longest = 300;
    const auto text = read_small_file(path_ + "/log", longest).value_or("");
    return to_valid_utf8(text.substr(0, text.find('\n')));
}

result<void> run_directory::remove(const std::string& path)
{
    for (const char* usual : {"/s", "/log", "/state"})
        ::unlink((path + usual).c_str());
    if (::rmdir(path.c_str()) == 0)
        return {};
    int failed = remove_tree(path);
    if (failed == EBUSY) {    // a program with the right to mount did so
        unmount_below(path);
        failed = remove_tree(path);
    }
    if (failed != 0)
        return failure(path, failed);
    return {};
}

bool run_directory::exists() const
{
    struct stat seen{};
    return ::fstat(directory_.get(), &seen) == 0 && seen.st_nlink > 0;
}

std::optional<run_directory> run_directory::duplicate() const
{
    unique_fd copy(::fcntl(directory_.get(), F_DUPFD_CLOEXEC, 0));
    if (!copy)
        return std::nullopt;
    return run_directory(path_, std::move(copy));
}

}    // namespace caisson
