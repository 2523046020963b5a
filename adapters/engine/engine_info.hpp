#pragma once

#include "adapters/engine/engine.hpp"
#include "adapters/engine/engine_version.hpp"

namespace caisson::docker {

/// Parses GET /info and adds the negotiated version. Errors: errc::runtime_unavailable for unexpected JSON.
result<engine_info> engine_info_from(const boost::json::value& json, const engine_version& of, api_version spoken);

}    // namespace caisson::docker
