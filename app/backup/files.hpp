#pragma once

#include "app/backup/manifest.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace caisson::sqlite {
class directory_lock;
}

namespace caisson::backup {

/// Told the file's name and how many of its bytes are done.
using progress = std::function<void(const std::string& file, std::uint64_t done, std::uint64_t total)>;

/// A directory beside its final place, in which something is made that must be whole or not be there. What an earlier one of
/// the same name left is removed. It is removed with all that is in it unless it was put in place.
class work_directory {
public:
    /// `<target><ending>`, 0700. Throws std::system_error; std::runtime_error if another process works on the same target, or if
    /// what has that name was not left by an earlier one: it is not touched.
    work_directory(const std::filesystem::path& target, std::string_view ending);
    ~work_directory();
    work_directory(const work_directory&) = delete;
    work_directory& operator=(const work_directory&) = delete;

    const std::filesystem::path& path() const { return path_; }
    enum class placement { fresh, replace };
    /// Makes all of it durable and gives it the target's name; a target that exists must be an empty directory, or is
    /// replaced in one step. Throws std::system_error.
    void put_in_place(placement how);

private:
    void take();

    std::filesystem::path target_;
    std::filesystem::path path_;
    std::unique_ptr<sqlite::directory_lock> lock_;
};

/// Copies a file (0600), durably. Returns what it is for a manifest, without the schema. Throws std::system_error.
file_entry copy_file(const std::filesystem::path& from, const std::filesystem::path& to, const progress& told);
/// What a file is for a manifest. Throws std::system_error.
file_entry measure_file(const std::filesystem::path& file, const progress& told);
/// Writes a file (0600), durably. Throws std::system_error.
void write_text(const std::filesystem::path& file, std::string_view text);

/// Throws std::runtime_error if the file system of `directory` has less than `bytes` and some more free.
void require_space(const std::filesystem::path& directory, std::uint64_t bytes);

}    // namespace caisson::backup
