#pragma once

#include "core/base/error.hpp"
#include "core/base/unique_fd.hpp"

#include <filesystem>
#include <string>

namespace caisson::cli {

/// The whole input of a descriptor in an unnamed file that lives as long as this object. An upload needs its length first.
class spooled_input {
public:
    /// Reads `from` to its end, which may take any time. `what` names it in errors. Errors: errc::bad_request if it cannot be read,
    /// errc::internal if the temporary file cannot be made or written.
    static result<spooled_input> take(int from, std::string what);

    /// Valid in this process while this object lives.
    std::filesystem::path path() const;

private:
    explicit spooled_input(unique_fd file) : file_(std::move(file)) { }

    unique_fd file_;
};

}    // namespace caisson::cli
