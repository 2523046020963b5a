#pragma once

#include "adapters/engine/engine.hpp"
#include "adapters/engine/engine_version.hpp"

namespace caisson::docker {

/// Of GET /info, with what was negotiated. Errors: errc::runtime_unavailable for what no engine says.
result<engine_info> engine_info_from(const boost::json::value& json, const engine_version& of, api_version spoken);

}    // namespace caisson::docker
