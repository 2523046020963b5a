#pragma once

#include "core/base/unique_fd.hpp"

#include <string>
#include <string_view>

namespace caisson {

/// Bytes behind a descriptor that nobody can change, read from the start by each who is given one.
class memory_file {
public:
    /// Throws std::system_error.
    memory_file(const char* name, std::string_view content);

    /// Reads from the start, whatever others have read. Invalid if there are no descriptors left.
    unique_fd reopen() const;

private:
    unique_fd file_;
};

}    // namespace caisson
