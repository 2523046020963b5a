#pragma once

#include "adapters/containers/container_plan.hpp"
#include "adapters/engine/images.hpp"
#include "core/base/ids.hpp"

namespace caisson {

/// The name of an empty image that lives as long as a probe's sandbox.
std::string trial_image_of(const sandbox_id& id);

/// Makes one, which is known by `settings` as the server's own.
task<result<void>> import_trial_image(docker::images* into, sandbox_id of, docker::container_settings settings);

/// Sandboxes of the instance and runtime of `settings` for which there is one.
task<result<std::vector<sandbox_id>>> trial_images_on(docker::images* where, docker::container_settings settings, steady_time deadline);

/// Whether it is a probe's, of whichever server, and nobody gave it another name.
bool is_trial_image(const docker::image_info& of);

/// One that is not there is no error.
task<result<void>> remove_trial_image(docker::images* from, sandbox_id of, steady_time deadline);

}    // namespace caisson
