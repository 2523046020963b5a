#pragma once

#include "app/wire/paths.hpp"
#include "app/wire/request_reader.hpp"
#include "core/base/config.hpp"
#include "core/exec/types.hpp"
#include "core/languages/languages.hpp"

#include <map>
#include <string>
#include <vector>

namespace caisson::wire {

inline constexpr std::size_t max_arguments = 4'096;
inline constexpr std::size_t max_variables = 1'000;
inline constexpr std::size_t max_argument_bytes = 128 << 10;    // arguments and environment in total, with NULs
inline constexpr std::size_t max_labels = 64;
inline constexpr std::size_t max_label_key_bytes = 63;
inline constexpr std::size_t max_label_value_bytes = 255;

// Readers for parts of an execution request. Mistakes go to the reader's problems; an invalid or absent field gets its default.

/// All limits, with defaults, derived ones included.
execution_limits read_limits(object_reader& reader, const execution_limit_ranges& ranges);
std::map<std::string, std::string> read_env(object_reader& reader);
std::map<std::string, std::string> read_labels(object_reader& reader);
std::vector<named_file> read_files(object_reader& reader);

struct wire_context;

/// Reads the program: exactly one of command, shell, and language with code. `spec` must have its runtime, image and cwd. Sets kind,
/// language and argv, and host_argv if the execution may fall back to the host's runtime. Adds the code's file to `files`.
void read_program(object_reader& reader, const wire_context& context, execution_spec& spec, std::vector<named_file>& files);

/// Adds a problem if arguments and environment are too large for execve(2).
void check_argument_size(const execution_spec& spec, problem_list& problems);

}    // namespace caisson::wire
