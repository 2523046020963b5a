#include "app/cli/terminal.hpp"

#include "app/cli/quantities.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace caisson::cli {

namespace {

constexpr std::size_t read_bytes = 64 << 10;

bool write_blocking(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto written = ::write(fd, bytes.data(), bytes.size());
        if (written > 0)
            bytes.remove_prefix(static_cast<std::size_t>(written));
        else if (written < 0 && errno == EAGAIN) {
            pollfd poll{fd, POLLOUT, 0};    // another process made it non-blocking
            ::poll(&poll, 1, -1);
        } else if (written < 0 && errno != EINTR)
            return false;
    }
    return true;
}

error cannot_read(const std::string& name)
{
    return error{errc::bad_request, name + " cannot be read: " + std::error_code(errno, std::generic_category()).message()};
}

}    // namespace

bool wants_colours(int fd, const std::map<std::string, std::string>& environment)
{
    const auto value = [&environment](const char* name) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::string() : found->second;
    };
    return value("NO_COLOR").empty() && value("TERM") != "dumb" && ::isatty(fd) == 1;
}

std::optional<window_size> window_of(int fd)
{
    winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        return std::nullopt;
    return window_size{size.ws_col, size.ws_row};
}

raw_mode::raw_mode()
{
    termios now{};
    if (::tcgetattr(STDIN_FILENO, &now) != 0)
        return;
    before_ = now;
    ::cfmakeraw(&now);
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
}

raw_mode::~raw_mode()
{
    if (before_)
        ::tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
}

task<bool> descriptor_writer::write(std::string bytes)
{
    auto work = [fd = fd_, bytes = std::move(bytes)] { return write_blocking(fd, bytes); };
    return offload(pool_, std::move(work));
}

descriptor_reader::descriptor_reader(int fd) : fd_(fd), stopped_(::eventfd(0, EFD_CLOEXEC)), pool_("read", 1)
{
    if (!stopped_)
        throw std::system_error(errno, std::generic_category(), "eventfd");
}

task<std::string> descriptor_reader::read()
{
    auto work = [this] { return read_blocking(); };
    return offload(pool_, std::move(work));
}

void descriptor_reader::stop()
{
    const std::uint64_t uint64 = 1;
    static_cast<void>(!::write(stopped_.get(), &uint64, sizeof uint64));
}

std::string descriptor_reader::read_blocking() const
{
    std::string bytes(read_bytes, '\0');
    while (true) {
        std::array<pollfd, 2> wait{{{fd_, POLLIN, 0}, {stopped_.get(), POLLIN, 0}}};
        if (::poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR)
            return {};
        if (wait[1].revents != 0)
            return {};
        if (wait[0].revents == 0)
            continue;
        const auto got = ::read(fd_, bytes.data(), bytes.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return bytes;
    }
}

result<std::string> read_whole(int fd, const std::string& name, std::size_t limit)
{
    std::string content;
    std::string part(read_bytes, '\0');
    while (true) {
        const auto got = ::read(fd, part.data(), part.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cannot_read(name);
        if (content.size() + static_cast<std::size_t>(got) > limit)
            return error{
                errc::too_large, name + " is larger than " + show_bytes(static_cast<std::int64_t>(limit)) + ", the most that is sent"};
        if (got == 0)
            return content;
        content.append(part, 0, static_cast<std::size_t>(got));
    }
}

result<std::string> read_whole(const std::string& path, std::size_t limit)
{
    const unique_fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return cannot_read(path);
    return read_whole(fd.get(), path, limit);
}

}    // namespace caisson::cli
