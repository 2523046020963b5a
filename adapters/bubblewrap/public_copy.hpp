#pragma once

#include "adapters/bubblewrap/public_rule.hpp"
#include "adapters/bubblewrap/shipped_files.hpp"
#include "core/base/error.hpp"

#include <set>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace caisson {

/// Functions that return digests in lower-case hexadecimal.
struct public_digests {
    std::string (*md5)(std::string_view bytes) = nullptr;
    std::string (*sha256)(std::string_view bytes) = nullptr;
};

/// The host's files. Tests substitute a directory for the host's root.
struct public_source {
    std::string root;    // prefix of each path; empty: the host's own root
    uid_t owner = 0;     // required owner of files to copy
    public_digests digests;
};

/// Files in /etc of every sandbox that replace the host's: name in /etc, and text.
using own_etc_files = std::vector<std::pair<std::string, std::string>>;

/// Copies the public files (is_public) of the host's /etc and of public_data to `target` at the same paths, with links to shown files, and
/// adds `own` to its /etc. Directories get mode 0755, files 0444 (0555 if executable by all) and their times. Skips unreadable files.
/// Blocks. Returns a hexadecimal digest of names and contents: equal digests mean equal copies. Errors: errc::runtime_unavailable with what
/// could not be written.
result<std::string> copy_public_files(
    const public_source& source, const shipped_files& shipped, const own_etc_files& own, const std::string& target);

/// The configuration files known to the host's package manager; none unless it is Debian's.
shipped_files shipped_by_packages(const public_source& source);

}    // namespace caisson
