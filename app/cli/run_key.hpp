#pragma once

#include <string>

namespace caisson::cli {

/// An Idempotency-Key that nobody else has: what is sent again under it runs once.
std::string new_run_key();

}    // namespace caisson::cli
