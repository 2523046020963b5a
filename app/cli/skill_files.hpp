#pragma once

#include "core/base/error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::cli {

/// A file to pack.
struct skill_file {
    std::string path;    // relative, with slashes
    std::int64_t size_bytes = 0;
    std::uint32_t mode = 0644;    // or 0755 if its owner may execute it
};

struct skill_files {
    std::vector<skill_file> files;        // sorted by path
    std::vector<std::string> left_out;    // folders (with a slash) and files that no skill needs, sorted
    std::vector<std::string> secrets;     // the same for those that usually hold keys or passwords
};

/// True for names left out of packages: files of version control, editors and systems, and files that interpreters generate.
bool is_litter(std::string_view name, bool is_folder);

/// True for names that usually hold keys or passwords, which all users of a tenant could read in a package: `.env`, `.env.*` except
/// examples of it, `.netrc`, `id_rsa`, `.ssh/` and the like.
bool is_secret(std::string_view name, bool is_folder);

/// Lists the files for a package of `folder`. Links are not followed. Errors: errc::not_found if it is not a folder or cannot be read;
/// errc::invalid_skill naming all that a package may not have (links, devices), or for more than 10,000 files.
result<skill_files> gather_skill(const std::filesystem::path& folder);

}    // namespace caisson::cli
