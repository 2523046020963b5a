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
inline constexpr std::size_t max_argument_bytes = 128 << 10;    // of arguments and environment together, each with its NUL
inline constexpr std::size_t max_labels = 64;
inline constexpr std::size_t max_label_key_bytes = 63;
inline constexpr std::size_t max_label_value_bytes = 255;

// Parts of an execution request. Mistakes go to the reader's problems; what is wrong or absent reads as its default.

/// Every limit, with defaults, derived ones too.
execution_limits read_limits(object_reader& reader, const execution_limit_ranges& ranges);
std::map<std::string, std::string> read_env(object_reader& reader);
std::map<std::string, std::string> read_labels(object_reader& reader);
std::vector<named_file> read_files(object_reader& reader);

struct wire_context;

/// What runs: exactly one of command, shell, and language with code. Sets kind, language and argv, for the runtime and the image that
/// were read before like `spec.cwd`, and host_argv for what may fall back; adds the code's file to `files`.
void read_program(object_reader& reader, const wire_context& context, execution_spec& spec, std::vector<named_file>& files);

/// Notes arguments and environment that are too much for the kernel to start a program with.
void check_argument_size(const execution_spec& spec, problem_list& problems);

}    // namespace caisson::wire
