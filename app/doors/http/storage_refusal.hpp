#pragma once

#include "core/base/error.hpp"
#include "storage/sqlite/errors.hpp"

#include <optional>

namespace caisson::http {

/// The client's error while the databases accept no writes (disk full, busy or overloaded): errc::runtime_unavailable. Empty for any other
/// fault, which must be rethrown.
std::optional<error> refusal_of(const storage_error& failure);

}    // namespace caisson::http
