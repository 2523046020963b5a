#pragma once

#include "app/wire/request_reader.hpp"
#include "core/exec/types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace caisson::wire {

inline constexpr std::size_t max_path_bytes = 4'096;
inline constexpr std::size_t max_component_bytes = 255;
inline constexpr std::size_t max_path_depth = 64;
inline constexpr std::size_t max_files = 1'000;

/// A path without empty and "." components, or what is wrong with it.
struct checked_path {
    std::string path;       // empty: the directory itself
    std::string problem;    // a sentence without the field's name; empty if nothing is wrong
};

/// A path below the working directory: relative, no "..", no NUL.
checked_path check_relative(std::string_view path);
/// The same for a working directory, which may be absolute; below /workspace it becomes relative.
checked_path check_directory(std::string_view path);
/// The same for a file: it has a name.
checked_path check_file(std::string_view path);

/// `file` of the working directory, as a program sees it that starts in `cwd` (checked by check_directory).
std::string path_from(std::string_view cwd, const std::string& file);

/// A file of the request, with the field that it came from.
struct named_file {
    std::string field;
    input_file file;
};

/// Notes files that are the same, files that are a directory of others, and more than the limits hold.
void check_files(std::vector<named_file>& files, const execution_limits& limits, problem_list& problems);

}    // namespace caisson::wire
