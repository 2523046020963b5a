#pragma once

#include "core/base/error.hpp"
#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace caisson::cli {

/// What is wrong with a path from a server as a file below a local folder; empty: nothing. It must be relative, with single slashes between
/// names, without ".", ".." and control characters, and at most 4096 bytes of UTF-8.
std::string path_problem(std::string_view path);

/// A folder that receives files from a server. Nothing outside of it is touched: no link below it is followed.
class target_folder {
public:
    /// Creates the folder if needed. Errors: errc::bad_request with the system's message.
    static result<target_folder> open(const std::filesystem::path& path);

    /// True if `path` exists below the folder.
    bool has(const std::string& path) const;

    class file;
    /// Begins a file under a temporary name; creates its folders. Errors: errc::bad_request for an invalid path or with the system's
    /// message.
    result<file> begin(const std::string& path, std::uint32_t mode) const;

private:
    explicit target_folder(unique_fd folder) : folder_(std::move(folder)) { }

    unique_fd folder_;
};

/// A file being written. It is removed unless finish() is called.
class target_folder::file {
public:
    file(unique_fd folder, std::string name, std::string temporary, unique_fd fd);
    file(file&&) noexcept = default;
    file& operator=(file&&) = delete;
    ~file();

    /// Errors: errc::bad_request with the system's message; of finish() also errc::conflict if the file exists, unless `replace`.
    result<void> write(std::string_view bytes);
    result<void> finish(bool replace);

private:
    unique_fd folder_;
    std::string name_;
    std::string temporary_;    // empty once the file has its name
    unique_fd fd_;
};

}    // namespace caisson::cli
