#pragma once

#include "core/base/error.hpp"
#include "core/skills/types.hpp"

#include <map>
#include <string>
#include <string_view>

namespace caisson {

/// `name` as it may stand in a message: at most 100 bytes, what is not printable as \xNN.
std::string shown_name(std::string_view name);

/// `name` with "_" for what clean_name() would refuse in a name of its own: control characters and backslashes; the ":" of a drive too.
/// What is not UTF-8 becomes U+FFFD.
std::string harmless_name(std::string_view name);

/// The name of an entry without "./", "//" and a "/" at its end; empty: the root itself. `format` is for the message. Errors:
/// errc::invalid_skill: absolute names, "..", backslashes, control characters, bytes that are not UTF-8, too long, too deep.
result<std::string> clean_name(std::string_view raw, std::string_view format, const package_limits& limits);

/// What systems leave in archives and no skill needs: __MACOSX/, .DS_Store, Thumbs.db, ._* files.
bool is_system_litter(std::string_view path);

/// What the first bytes of a file (262 tell all) say: "zip", "gzip", "bzip2", "xz", "7z", "rar", "zstd", "tar"; empty: none of them.
std::string_view archive_kind(std::string_view first_bytes);

/// Two names of the same text for file systems that ignore case or Unicode forms.
std::string folded_name(std::string_view path);

/// The paths of one archive.
class path_set {
public:
    enum class kind { file, directory };

    /// Adds a clean path with the directories above it. Errors: errc::invalid_skill: it is there already, there under another
    /// case or Unicode form, or a file is where a directory is needed.
    result<void> add(const std::string& path, kind type);
    /// Those that were added and those above what was added.
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
