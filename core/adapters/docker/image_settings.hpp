#pragma once

#include "core/adapters/docker/container_types.hpp"
#include "core/adapters/docker/images.hpp"

namespace caisson::docker {

/// Makes `planned` a container that has of `image` its files and its PATH alone. Other variables are taken out. Where the image
/// wants a volume, which the engine would make of unbounded size, an empty directory is that nobody can write, unless something of
/// the plan is there. Errors: errc::image_not_allowed, naming the path, for volumes that cannot be covered so.
result<void> leave_out_settings(container_spec& planned, const image_info& image);

/// When a container turns out to be of another image than the one whose settings were left out. It is worth another try.
error image_was_replaced(const std::string& reference, const std::string& before, const std::string& now);

/// Errors: those of images::inspect(), but errc::image_unavailable if the engine does not have it.
task<result<image_info>> find_image(images* in, std::string reference, steady_time deadline);

}    // namespace caisson::docker
