#pragma once

#include "adapters/engine/engine.hpp"
#include "adapters/net/url.hpp"

namespace caisson::docker {

/// Where `options` says that the engine listens. Errors: errc::bad_request, naming what is wrong with the address, or with certificates
/// that do not go with it.
result<net::url> engine_address(const engine_options& options);

}    // namespace caisson::docker
