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

/// Digests in lower-case hexadecimal.
struct public_digests {
    std::string (*md5)(std::string_view bytes) = nullptr;
    std::string (*sha256)(std::string_view bytes) = nullptr;
};

/// Where the host's files are. Tests have a directory that stands for the host's root.
struct public_source {
    std::string root;    // before each path; empty: the host's own root
    uid_t owner = 0;     // who must own what is copied
    public_digests digests;
};

/// The text of a file that every sandbox has in /etc, whatever the host's says: name in /etc, and text.
using own_etc_files = std::vector<std::pair<std::string, std::string>>;

/// Copies what is public (is_public) of the host's /etc and of public_data to `target`, at the same paths, with the links that lead to
/// something shown, and `own` to its /etc. Directories are 0755, files 0444 (0555 if everybody may execute them), with their times.
/// Blocks. Returns a digest of names and contents in hexadecimal: equal digests are equal copies.
/// Errors: errc::runtime_unavailable with what could not be written. What cannot be read is left out.
result<std::string> copy_public_files(
    const public_source& source, const shipped_files& shipped, const own_etc_files& own, const std::string& target);

/// The configuration files that the host's package manager knows; none where it is not Debian's.
shipped_files shipped_by_packages(const public_source& source);

}    // namespace caisson
