#pragma once

#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <string>
#include <sys/stat.h>

namespace caisson::agent {

/// One thing of a directory, opened without following a link, without leaving the directory and without waiting for anybody.
struct opened_entry {
    unique_fd fd;
    struct stat about = {};
    std::string problem;    // why there is no fd, in a few words
    bool denied = false;    // it may not be read, and was not made readable
};

/// What is done with what its owner may not read.
enum class on_denial : std::uint8_t { widen, leave };

/// The directory `path`, which is trusted.
opened_entry open_root(const char* path);
/// A directory of the same mount. What its owner may not read is made readable, or left.
opened_entry open_directory(int parent, const char* name, on_denial denied);
/// A regular file, to be read; likewise.
opened_entry open_regular(int parent, const char* name, on_denial denied);
/// The same of what the directory says is a regular file: it need not be looked at before it is opened.
opened_entry open_listed_regular(int parent, const char* name, on_denial denied);

}    // namespace caisson::agent
