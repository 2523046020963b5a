#pragma once

#include "core/base/error.hpp"

#include <boost/json/value.hpp>

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::docker {

/// A version of the engine's HTTP API: 1.41 is older than 1.100.
struct api_version {
    int major = 1;
    int minor = 0;

    static std::optional<api_version> parse(std::string_view text);
    std::string str() const;
    auto operator<=>(const api_version&) const = default;
};

/// The oldest version with all the features used here, and the version used if the engine supports it.
inline constexpr api_version oldest_api{1, 40};
inline constexpr api_version preferred_api{1, 41};

/// The content of GET /version.
struct engine_version {
    std::string version;    // of the engine
    api_version newest;     // supported API versions
    api_version oldest;
    std::string architecture;    // "amd64", as images name it
};

/// Errors: errc::runtime_unavailable for unexpected JSON.
result<engine_version> engine_version_from(const boost::json::value& json);

/// The API version to use: preferred_api or the nearest supported one. Errors: errc::runtime_unavailable if the engine is too old.
result<api_version> spoken_with(const engine_version& engine);

}    // namespace caisson::docker
