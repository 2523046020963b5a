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

/// Called with a file's name, its bytes done and its total bytes.
using progress = std::function<void(const std::string& file, std::uint64_t done, std::uint64_t total)>;

/// A directory beside a target, in which its contents are built before an atomic rename. Removes what an earlier work directory of the
/// same name left. The destructor removes the directory unless it was put in place.
class work_directory {
public:
    /// Creates `<target><ending>`, 0700. Throws std::system_error; std::runtime_error if another process works on the same target, or if
    /// the name is taken by something other than a work directory, which is not touched.
    work_directory(const std::filesystem::path& target, std::string_view ending);
    ~work_directory();
    work_directory(const work_directory&) = delete;
    work_directory& operator=(const work_directory&) = delete;

    const std::filesystem::path& path() const { return path_; }
    enum class placement { fresh, replace };
    /// Syncs the directory and renames it to the target. With `fresh` the target must be absent or an empty
    /// directory; with `replace` it is exchanged atomically. Does not sync the files. Throws std::system_error.
    void put_in_place(placement how);

private:
    void take();

    std::filesystem::path target_;
    std::filesystem::path path_;
    std::unique_ptr<sqlite::directory_lock> lock_;
};

/// Copies a file (0600) and syncs it. Returns its manifest entry, without the schema. Throws std::system_error, std::runtime_error.
file_entry copy_file(const std::filesystem::path& from, const std::filesystem::path& to, const progress& told);
/// As copy_file(), without copying.
file_entry measure_file(const std::filesystem::path& file, const progress& told);
/// Writes a file (0600) and syncs it. Throws std::system_error.
void write_text(const std::filesystem::path& file, std::string_view text);

/// Throws std::runtime_error if the file system of `directory` has less than `bytes`, plus 4 MiB for SQLite, free.
void require_space(const std::filesystem::path& directory, std::uint64_t bytes);

}    // namespace caisson::backup
