#pragma once

#include "core/base/error.hpp"
#include "storage/sqlite/errors.hpp"

#include <optional>

namespace caisson::http {

/// What a client is told while the databases take nothing (errc::runtime_unavailable): a full disk, too much at once. Nothing: it is a
/// fault that has to be thrown on.
std::optional<error> refusal_of(const storage_error& failure);

}    // namespace caisson::http
