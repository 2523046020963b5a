#pragma once

#include "app/cli/skill_files.hpp"
#include "core/base/unique_fd.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace caisson::cli {

/// The result of packing a folder.
struct packed_skill {
    std::int64_t size_bytes = 0;
    std::string sha256;    // lower-case hex
    std::size_t files = 0;
    std::vector<std::string> left_out;    // see skill_files
    std::vector<std::string> secrets;
};

/// Writes the zip package of `folder` to `fd`. Equal files give equal bytes. Errors: those of gather_skill; errc::bad_request if a file
/// changes meanwhile or the package cannot be written.
result<packed_skill> pack_skill(const std::filesystem::path& folder, int fd);

/// A package in a temporary file, removed with this object.
class temporary_package {
public:
    /// Packs `folder`. Errors: those of pack_skill.
    static result<temporary_package> of(const std::filesystem::path& folder);
    ~temporary_package();
    temporary_package(temporary_package&& from) noexcept;
    temporary_package& operator=(temporary_package&&) = delete;

    const std::filesystem::path& path() const { return path_; }
    const packed_skill& what() const { return what_; }

private:
    explicit temporary_package(std::filesystem::path path) : path_(std::move(path)) { }

    std::filesystem::path path_;
    packed_skill what_;
};

}    // namespace caisson::cli
