#pragma once

#include "core/runtime/types.hpp"
#include "core/skills/ports.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// An interpreter that is started before its program is known, and waits for it.
struct ready_interpreter {
    std::vector<std::string> argv;    // up to the program's file
    std::string home;                 // HOME of the program; empty: its working directory
    bool operator==(const ready_interpreter&) const = default;
};

/// How sandboxes of one kind are made.
struct sandbox_shape {
    std::string runtime;
    sandbox_spec spec;                         // its id is ignored where several sandboxes are made of the shape
    std::shared_ptr<const skill_tree> tree;    // whose path is in spec.trees; keeps it
    std::string image_digest;                  // "sha256:…" where one is known
    std::optional<ready_interpreter> interpreter = {};
};

}    // namespace caisson
