#pragma once

#include "adapters/containers/container_plan.hpp"
#include "adapters/engine/images.hpp"
#include "core/base/ids.hpp"

namespace caisson {

/// The name of the empty image of a probe's sandbox, removed with it.
std::string trial_image_of(const sandbox_id& id);

/// Creates the image, with the labels of `settings` that identify it as the server's own.
task<result<void>> import_trial_image(docker::images* into, sandbox_id of, docker::container_settings settings);

/// The sandboxes of the instance and runtime of `settings` that have a trial image.
task<result<std::vector<sandbox_id>>> trial_images_on(docker::images* where, docker::container_settings settings, steady_time deadline);

/// True for a trial image of any server that has no other name.
bool is_trial_image(const docker::image_info& of);

/// Succeeds if the image does not exist.
task<result<void>> remove_trial_image(docker::images* from, sandbox_id of, steady_time deadline);

}    // namespace caisson
