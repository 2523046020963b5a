#pragma once

#include "core/skills/ports.hpp"

namespace caisson {

/// Implements yaml_reader of core/skills/ports.hpp with yaml-cpp. Limits: 64 KiB, 32 levels, 10,000 nodes.
result<yaml_value> read_yaml(std::string_view text, int first_line = 1);

}    // namespace caisson
