#pragma once

#include "adapters/engine/container_types.hpp"
#include "adapters/engine/images.hpp"

namespace caisson::docker {

/// Sets `planned` to use `image` by its id, so that a retagged name does not matter, with only the image's files and PATH. Removes its
/// other variables. Covers each declared volume, which the engine would create without a size limit, by an empty read-only directory,
/// unless the plan mounts something there. Errors: errc::image_not_allowed, with the path, for volumes that cannot be covered.
result<void> leave_out_settings(container_spec& planned, const image_info& image);

/// The error for a container of another image than the requested id. The caller may retry.
error is_of_another_image(const std::string& reference, const std::string& asked_for, const std::string& found);

/// False if `image` has names and none matches `reference`. Ignores registries: engines omit or rewrite them.
bool can_be_called(const image_info& image, std::string_view reference);

/// Inspects an image. Errors: those of images::inspect(), but errc::image_unavailable if the engine does not have it;
/// errc::runtime_unavailable if the image found does not match `reference`.
task<result<image_info>> find_image(images* in, std::string reference, steady_time deadline);

}    // namespace caisson::docker
