#pragma once

#include "app/cli/skill_options.hpp"
#include "core/base/error.hpp"

#include <string>

namespace caisson::cli {

/// Reads the input that `options` name: JSON text; "{}" if none was given. Errors: those of read_whole; errc::bad_request if it is not
/// JSON.
result<std::string> read_skill_input(const skill_run_options& options);

/// The body of POST /v1/executions, with the text of `input` unchanged. No I/O.
std::string skill_run_request(const skill_run_options& options, const std::string& input);

}    // namespace caisson::cli
