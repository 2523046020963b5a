#pragma once

#include "app/wire/request_reader.hpp"
#include "core/base/config.hpp"
#include "core/files/types.hpp"

namespace caisson::wire {

/// A spec without patterns, with the limits of this server.
collect_spec collect_limits(const artifacts_config& config);

/// Reads the field `collect` of a request: patterns, each relative and without "..".
collect_spec read_collect(object_reader& reader, const artifacts_config& config);

}    // namespace caisson::wire
