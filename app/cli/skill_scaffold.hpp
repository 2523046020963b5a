#pragma once

#include "core/base/error.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::cli {

/// A file to create.
struct scaffold_file {
    std::string path;    // relative
    std::string content;
};

/// The files of a new skill: SKILL.md, a program in `lang` (python, node, bash) and an example input. No I/O.
std::vector<scaffold_file> scaffold(std::string_view name, std::string_view lang);

/// Writes the files into `folder`, which must be absent or empty. Errors: errc::conflict if it is not; errc::bad_request for an invalid
/// skill name, or with the system's message.
result<void> write_scaffold(const std::filesystem::path& folder, std::string_view lang);

}    // namespace caisson::cli
