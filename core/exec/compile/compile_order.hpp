#pragma once

#include "core/exec/compile/compile_cache.hpp"
#include "core/protocol/types.hpp"

#include <string>

namespace caisson {

/// What is to be compiled.
struct compile_order {
    protocol::spawn_request request;    // of the compiler
    compile_inputs inputs;              // the same as a cache sees it; empty once it is started, if nothing is to be kept
    std::string key;                    // under which the result is kept; empty: it is not
    bool is_plain = false;              // no limit was met, and nothing was lost
};

}    // namespace caisson
