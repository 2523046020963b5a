#pragma once

#include "core/base/error.hpp"

namespace caisson::wire {

/// The HTTP status that an error is answered with: the one table of it.
unsigned http_status(errc code);

}    // namespace caisson::wire
