#pragma once

#include <string>

namespace caisson::cli {

/// A random Idempotency-Key: a request repeated under it runs once.
std::string new_run_key();

}    // namespace caisson::cli
