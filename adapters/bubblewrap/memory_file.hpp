#pragma once

#include "core/base/unique_fd.hpp"

#include <string>
#include <string_view>

namespace caisson {

/// An immutable file in memory; each recipient of a descriptor reads it from the start.
class memory_file {
public:
    /// Throws std::system_error.
    memory_file(const char* name, std::string_view content);

    /// Opens it at offset 0, independent of other readers. Invalid if no descriptors are left.
    unique_fd reopen() const;

private:
    unique_fd file_;
};

}    // namespace caisson
