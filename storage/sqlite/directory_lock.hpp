#pragma once

#include "core/base/unique_fd.hpp"

#include <filesystem>
#include <optional>

namespace caisson::sqlite {

/// An advisory lock (flock(2)) on a file that is made if need be. Given up when it dies, and by the kernel when the process does.
class directory_lock {
public:
    /// Waits until it has the lock.
    static directory_lock wait(const std::filesystem::path& file);
    /// Takes the lock and writes this process's id into the file; nothing if another process, or this one, has it.
    static std::optional<directory_lock> try_take(const std::filesystem::path& file);
    /// True if some process has the lock now.
    static bool is_held(const std::filesystem::path& file);
    /// The process id in the file; 0 if there is none.
    static int owner(const std::filesystem::path& file);

private:
    explicit directory_lock(unique_fd fd) : fd_(std::move(fd)) { }
    unique_fd fd_;
};

}    // namespace caisson::sqlite
