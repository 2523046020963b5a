#pragma once

#include "adapters/engine/engine.hpp"
#include "adapters/net/url.hpp"

namespace caisson::docker {

/// The engine's URL from `options`. Errors: errc::bad_request with the fault in the address, or for certificates that do not fit it.
result<net::url> engine_address(const engine_options& options);

}    // namespace caisson::docker
