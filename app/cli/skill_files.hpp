#pragma once

#include "core/base/error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::cli {

/// A file of a folder that is to be packed.
struct skill_file {
    std::string path;    // relative, with slashes
    std::int64_t size_bytes = 0;
    std::uint32_t mode = 0644;    // or 0755 if its owner may execute it
};

struct skill_files {
    std::vector<skill_file> files;        // by their paths
    std::vector<std::string> left_out;    // folders (with a slash) and files that no skill needs, by their paths
    std::vector<std::string> secrets;     // the same of those that usually hold keys and passwords: left out too
};

/// Whether a folder or a file of this name is left out of packages: of version control, editors, systems, or made anew by interpreters.
bool is_litter(std::string_view name, bool is_folder);

/// Whether a folder or a file of this name usually holds keys or passwords, which a package would give to all of a tenant: `.env`,
/// `.env.*` but for examples of it, `.netrc`, `id_rsa`, `.ssh/` and the like.
bool is_secret(std::string_view name, bool is_folder);

/// What a package of `folder` has. Links are not followed. Errors: errc::not_found if it is no folder or cannot be read;
/// errc::invalid_skill naming all that cannot be in a package (links, devices), or if there are more than 10,000 files.
result<skill_files> gather_skill(const std::filesystem::path& folder);

}    // namespace caisson::cli
