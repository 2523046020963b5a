#pragma once

#include "core/base/error.hpp"

namespace caisson::wire {

/// The HTTP status for an error. This is the only such table.
unsigned http_status(errc code);

}    // namespace caisson::wire
