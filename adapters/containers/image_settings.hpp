#pragma once

#include "adapters/engine/container_types.hpp"
#include "adapters/engine/images.hpp"

namespace caisson::docker {

/// Makes `planned` a container of `image` by its id, whatever its name comes to mean meanwhile, that has of it its files and its PATH
/// alone. Other variables are taken out. Where the image wants a volume, which the engine would make of unbounded size, an empty
/// directory is that nobody can write, unless something of the plan is there. Errors: errc::image_not_allowed, naming the path, for
/// volumes that cannot be covered so.
result<void> leave_out_settings(container_spec& planned, const image_info& image);

/// When a container turns out to be of another image than the one by whose id it was asked for. It is worth another try.
error is_of_another_image(const std::string& reference, const std::string& asked_for, const std::string& found);

/// Whether `image` can be what `reference` stands for: false if it has names, and none of them is that one. Registries do not count:
/// engines leave them out, or write their own.
bool can_be_called(const image_info& image, std::string_view reference);

/// Errors: those of images::inspect(), but errc::image_unavailable if the engine does not have it; errc::runtime_unavailable if what the
/// engine tells of cannot be called `reference`.
task<result<image_info>> find_image(images* in, std::string reference, steady_time deadline);

}    // namespace caisson::docker
