#pragma once

#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <string>
#include <sys/stat.h>

namespace caisson::agent {

/// A directory entry, opened without following links, leaving the directory, or blocking.
struct opened_entry {
    unique_fd fd;
    struct stat about = {};
    std::string problem;    // why there is no fd, in a few words
    bool denied = false;    // unreadable, and left so
};

/// Whether to make entries readable that their owner may not read, or to leave them.
enum class on_denial : std::uint8_t { widen, leave };

/// Opens the directory `path`, which is trusted.
opened_entry open_root(const char* path);
/// Opens a directory of the same mount.
opened_entry open_directory(int parent, const char* name, on_denial denied);
/// Opens a regular file of the same mount for reading.
opened_entry open_regular(int parent, const char* name, on_denial denied);
/// Like open_regular(), for an entry with d_type DT_REG: opens it without a stat before.
opened_entry open_listed_regular(int parent, const char* name, on_denial denied);

}    // namespace caisson::agent
