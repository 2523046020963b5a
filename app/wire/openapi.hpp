#pragma once

#include <string>
#include <string_view>

namespace caisson::wire {

/// docs/openapi.yaml as it was built in.
std::string_view openapi_yaml();

/// The same as JSON: what /openapi.json serves. Made at the first call; throws std::exception if the document is malformed.
const std::string& openapi_json();

/// A YAML document as JSON. Plain scalars get their JSON types, quoted ones stay strings. Throws std::exception.
std::string yaml_to_json(const std::string& yaml);

}    // namespace caisson::wire
