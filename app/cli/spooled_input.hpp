#pragma once

#include "core/base/error.hpp"
#include "core/base/unique_fd.hpp"

#include <filesystem>
#include <string>

namespace caisson::cli {

/// All that comes from a descriptor, as a file without a name that goes with this: what is sent with its length has to be whole before.
class spooled_input {
public:
    /// Reads `from` to its end, which may take any time. `what` names it in errors. Errors: errc::bad_request if it cannot be read,
    /// errc::internal if there is no room for it in the directory for temporary files.
    static result<spooled_input> take(int from, std::string what);

    /// Good as long as this lives, within this process.
    std::filesystem::path path() const;

private:
    explicit spooled_input(unique_fd file) : file_(std::move(file)) { }

    unique_fd file_;
};

}    // namespace caisson::cli
