#pragma once

#include <filesystem>
#include <string>

namespace caisson::cli {

/// The language that a file's extension stands for ("python" of "x.py"); empty if it stands for none. The server decides
/// which languages there are.
std::string language_of_file(const std::filesystem::path& file);

}    // namespace caisson::cli
