#pragma once

#include "core/base/error.hpp"

#include <string>
#include <string_view>

namespace caisson {

inline constexpr std::size_t max_image_name_bytes = 255;

/// What is wrong with a client's image name, as the rest of a sentence. Empty if the name is valid:
/// `[REGISTRY/]PATH[:TAG][@sha256:DIGEST]`, as docker reads it.
std::string image_name_problem(std::string_view name);

/// The registry of an image: "docker.io" unless the name begins with a host ("registry.example:5000/team/app").
std::string registry_of(std::string_view name);

}    // namespace caisson
