#pragma once

#include "core/base/error.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::cli {

/// A file of a folder that is made.
struct scaffold_file {
    std::string path;    // relative
    std::string content;
};

/// What a new skill begins with: SKILL.md, a program in `lang` (python, node, bash), an example of its input. No I/O.
std::vector<scaffold_file> scaffold(std::string_view name, std::string_view lang);

/// Writes the files into `folder`, which is made unless it is there and empty. Errors: errc::conflict if it is not;
/// errc::bad_request for a name that no skill may have, or what the system says.
result<void> write_scaffold(const std::filesystem::path& folder, std::string_view lang);

}    // namespace caisson::cli
