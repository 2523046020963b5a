#include "app/agent/stdio_set.hpp"

#include "app/agent/poller.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

constexpr int largest_pipe = 1024 * 1024;
constexpr int smallest_pipe = 128 * 1024;

/// Enlarges a pipe as far as an unprivileged user may; a failure leaves the default size.
void enlarge(int fd)
{
    for (int size = largest_pipe; size >= smallest_pipe; size /= 2)
        if (::fcntl(fd, F_SETPIPE_SZ, size) >= 0)
            return;
}

int open_pipe(unique_fd& read, unique_fd& write)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    read.reset(ends[0]);
    write.reset(ends[1]);
    return 0;
}

int open_output(unique_fd& ours, unique_fd& theirs)
{
    if (const int code = open_pipe(ours, theirs))
        return code;
    enlarge(ours.get());
    return set_nonblocking(ours.get()) ? 0 : errno;
}

void set_utf8(int terminal)
{
    termios settings{};
    if (::tcgetattr(terminal, &settings) == 0) {
        settings.c_iflag |= IUTF8;
        ::tcsetattr(terminal, TCSANOW, &settings);
    }
}

}    // namespace

int open_pipes(stdio_set& out)
{
    if (const int code = open_pipe(out.child[0], out.input))
        return code;
    if (!set_nonblocking(out.input.get()))
        return errno;
    if (const int code = open_output(out.output, out.child[1]))
        return code;
    return open_output(out.error, out.child[2]);
}

/// Opens the program's end of a terminal. gVisor has no TIOCGPTPEER: there the terminal is opened by name, and a master whose other end
/// is closed reads as empty.
int open_peer(int master, bool& tells_end)
{
    constexpr int flags = O_RDWR | O_NOCTTY | O_CLOEXEC;
    const int peer = ::ioctl(master, TIOCGPTPEER, flags);
    if (peer >= 0 || (errno != ENOTTY && errno != EINVAL))
        return peer;
    tells_end = false;
    char name[32];
    if (const int code = ::ptsname_r(master, name, sizeof name); code != 0) {
        errno = code;
        return -1;
    }
    return ::open(name, flags);
}

int open_terminal(protocol::spawn_request::size size, stdio_set& out)
{
    out.output.reset(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    int unlocked = 0;
    if (!out.output || ::ioctl(out.output.get(), TIOCSPTLCK, &unlocked) != 0)
        return errno;
    out.child[0].reset(open_peer(out.output.get(), out.tells_end));
    out.input.reset(::fcntl(out.output.get(), F_DUPFD_CLOEXEC, 3));
    if (!out.child[0] || !out.input)
        return errno;
    set_utf8(out.child[0].get());
    resize_terminal(out.output.get(), size.cols, size.rows);
    return 0;
}

int open_stdio(const protocol::spawn_request& request, stdio_set& out)
{
    return request.pty ? open_terminal(*request.pty, out) : open_pipes(out);
}

void resize_terminal(int master, std::uint16_t cols, std::uint16_t rows)
{
    winsize size{};
    size.ws_col = cols;
    size.ws_row = rows;
    ::ioctl(master, TIOCSWINSZ, &size);
}

bool send_terminal_eof(int master, bool line_begun)
{
    termios settings{};
    if (::tcgetattr(master, &settings) != 0)
        return true;    // no process has the terminal open
    const char end[2] = {static_cast<char>(settings.c_cc[VEOF]), static_cast<char>(settings.c_cc[VEOF])};
    return ::write(master, end, line_begun ? 2 : 1) >= 0 || errno != EAGAIN;
}

}    // namespace caisson::agent
