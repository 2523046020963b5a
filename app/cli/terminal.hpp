#pragma once

#include "core/async/offload.hpp"
#include "core/base/error.hpp"
#include "core/base/unique_fd.hpp"

#include <termios.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace caisson::cli {

/// True if `fd` is a terminal and neither NO_COLOR nor TERM=dumb forbids colours.
bool wants_colours(int fd, const std::map<std::string, std::string>& environment);

struct window_size {
    int cols = 80;
    int rows = 24;
};
/// The size of the terminal at `fd`; empty if it is none.
std::optional<window_size> window_of(int fd);

/// Puts the terminal at standard input into raw mode; the destructor restores it. Does nothing if it is not a terminal.
class raw_mode {
public:
    raw_mode();
    ~raw_mode();
    raw_mode(const raw_mode&) = delete;
    raw_mode& operator=(const raw_mode&) = delete;

private:
    std::optional<termios> before_;
};

/// Writes to a descriptor on a thread of its own: a slow reader does not block the connection.
class descriptor_writer {
public:
    explicit descriptor_writer(int fd) : fd_(fd), pool_("write", 1) { }

    /// False once the other end is gone or the descriptor is broken.
    task<bool> write(std::string bytes);

private:
    int fd_;
    worker_pool pool_;
};

/// Reads a descriptor on a thread of its own. stop() ends a pending read.
class descriptor_reader {
public:
    explicit descriptor_reader(int fd);

    /// Returns at least one byte; empty at the end, after an error and after stop().
    task<std::string> read();
    void stop();

private:
    std::string read_blocking() const;
    int fd_;
    unique_fd stopped_;    // an eventfd
    worker_pool pool_;
};

/// Reads a file, or a descriptor called `name` in errors, to its end. Errors: errc::bad_request with the system's message, errc::too_large
/// for more than `limit` bytes.
result<std::string> read_whole(const std::string& path, std::size_t limit);
result<std::string> read_whole(int fd, const std::string& name, std::size_t limit);

}    // namespace caisson::cli
