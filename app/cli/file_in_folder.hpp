#pragma once

#include "core/base/error.hpp"
#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace caisson::cli {

/// What is wrong with the path of a file that a server names, as a file below a folder of ours; empty: nothing. It has to be relative,
/// of names between single slashes, without "." and ".." and control characters.
std::string path_problem(std::string_view path);

/// A folder that files of a server are put into. Nothing outside of it is touched: no link is followed below it.
class target_folder {
public:
    /// Makes the folder if it is not there. Errors: errc::bad_request with what the system says.
    static result<target_folder> open(const std::filesystem::path& path);

    /// Whether something is there under this name.
    bool has(const std::string& path) const;

    class file;
    /// Begins a file, under another name until it is finished; its folders are made. Errors: errc::bad_request with what is wrong.
    result<file> begin(const std::string& path, std::uint32_t mode) const;

private:
    explicit target_folder(unique_fd folder) : folder_(std::move(folder)) { }

    unique_fd folder_;
};

/// A file on its way. Without finish() it vanishes.
class target_folder::file {
public:
    file(unique_fd folder, std::string name, std::string temporary, unique_fd fd);
    file(file&&) noexcept = default;
    file& operator=(file&&) = delete;
    ~file();

    /// Errors of both: errc::bad_request with what the system says; of finish() errc::conflict if there is such a file, unless `replace`.
    result<void> write(std::string_view bytes);
    result<void> finish(bool replace);

private:
    unique_fd folder_;
    std::string name_;
    std::string temporary_;    // empty once it has its name
    unique_fd fd_;
};

}    // namespace caisson::cli
