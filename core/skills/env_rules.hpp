#pragma once

#include <string_view>

namespace caisson {

/// Variables that neither a skill nor a request may set: PATH, HOME, LD_PRELOAD, LD_LIBRARY_PATH, PYTHONPATH, NODE_PATH,
/// NODE_OPTIONS (case-sensitive), and names that begin with SANDBOX_ or SKILL_ in any case.
bool is_refused_env(std::string_view name);

/// `[A-Za-z_][A-Za-z0-9_]*`, at most 128 bytes.
bool is_env_name(std::string_view name);

}    // namespace caisson
