#pragma once

#include <string>
#include <string_view>

namespace caisson::wire {

/// The contents of docs/openapi.yaml at build time.
std::string_view openapi_yaml();

/// The document as JSON, as served at /openapi.json. Made at the first call; throws std::exception if the document is malformed.
const std::string& openapi_json();

/// Converts a YAML document to JSON. Plain scalars get their JSON types, quoted scalars stay strings. Throws std::exception.
std::string yaml_to_json(const std::string& yaml);

}    // namespace caisson::wire
