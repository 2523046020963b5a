#pragma once

#include "app/server/host.hpp"
#include "app/server/instance.hpp"
#include "core/base/config.hpp"
#include "core/sandbox/services.hpp"

namespace caisson {

/// Where sandboxes of the server `self` come from. `images` is of runtimes with images. `host` and `images` outlive the result.
sandbox_sources sandbox_sources_of(const server_config& config, const host& host, const instance& self, image_supply& images);

}    // namespace caisson
