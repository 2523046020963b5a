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

/// A path without empty and "." components, or a problem.
struct checked_path {
    std::string path;       // empty: the directory itself
    std::string problem;    // a phrase that follows the field's name; empty: valid
};

/// Checks a path below the working directory: relative, no "..", no NUL.
checked_path check_relative(std::string_view path);
/// As check_relative(), for a working directory. It may be absolute; below /workspace it becomes relative.
checked_path check_directory(std::string_view path);
/// As check_relative(), for a file: the path must name one.
checked_path check_file(std::string_view path);

/// The path of `file` in /workspace, for a program that starts in `cwd` (checked by check_directory()).
std::string path_from(std::string_view cwd, const std::string& file);

/// A file of a request, with its field.
struct named_file {
    std::string field;
    input_file file;
};

/// Adds problems for duplicates, files that are a parent of others, and excess of disk or inodes.
void check_files(std::vector<named_file>& files, const execution_limits& limits, problem_list& problems);

}    // namespace caisson::wire
