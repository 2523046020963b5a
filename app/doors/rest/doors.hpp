#pragma once

#include "app/doors/http/api.hpp"

#include <vector>

namespace caisson::http {

/// The doors of the REST API, which docs/openapi.yaml describes.
std::vector<door_maker> rest_doors();

}    // namespace caisson::http
