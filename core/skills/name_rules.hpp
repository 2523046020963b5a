#pragma once

#include "core/base/error.hpp"
#include "core/skills/types.hpp"

#include <map>
#include <string>
#include <string_view>

namespace caisson {

/// `name` made safe for a message: at most 100 bytes, ASCII control characters as \xNN, invalid UTF-8 as U+FFFD.
std::string shown_name(std::string_view name);

/// `name` with each control character, backslash and drive colon replaced by "_", as clean_name() would refuse them.
/// Invalid UTF-8 becomes U+FFFD.
std::string harmless_name(std::string_view name);

/// The name of an entry without "./", "//" and a trailing "/"; empty for the root. `format` names the archive in messages. Errors:
/// errc::invalid_skill for an empty or absolute name, "..", backslashes, control characters, invalid UTF-8, excess length or depth.
result<std::string> clean_name(std::string_view raw, std::string_view format, const package_limits& limits);

/// True for files that operating systems add to archives: __MACOSX/, .DS_Store, Thumbs.db, ._* files.
bool is_system_litter(std::string_view path);

/// The archive format by its magic number: "zip", "gzip", "bzip2", "xz", "7z", "rar", "zstd" or "tar"; else empty. Needs 262 bytes.
std::string_view archive_kind(std::string_view first_bytes);

/// Equal for names that are the same if case or Unicode normalization is ignored.
std::string folded_name(std::string_view path);

/// The paths of one archive; detects collisions.
class path_set {
public:
    enum class kind { file, directory };

    /// Adds a clean path and its parent directories. Errors: errc::invalid_skill if the path exists, exists in another case or Unicode
    /// form, or if a file is where a directory is needed.
    result<void> add(const std::string& path, kind type);
    /// Directories added, parents included.
    std::int64_t directories() const { return directories_; }

private:
    struct taken {
        std::string path;
        kind type;
    };
    result<void> add_one(const std::string& path, kind type, std::string_view shown);

    std::map<std::string, taken, std::less<>> by_folded_;
    std::int64_t directories_ = 0;
};

}    // namespace caisson
