#pragma once

#include <filesystem>
#include <string>

namespace caisson::cli {

/// The language for a file's extension: "python" for "x.py"; empty if there is none. The server decides which languages exist.
std::string language_of_file(const std::filesystem::path& file);

}    // namespace caisson::cli
