#pragma once

#include "app/wire/request_reader.hpp"
#include "core/retry/types.hpp"

namespace caisson::wire {

/// The fields `retry` and `idempotent` of a request.
struct repetition {
    retry_policy policy;
    bool idempotent = false;
};

/// Invalid or absent fields get their defaults.
repetition read_repetition(object_reader& reader);

}    // namespace caisson::wire
