#pragma once

#include "core/base/config.hpp"
#include "core/base/error.hpp"
#include "core/images/image_service.hpp"

#include <functional>
#include <optional>
#include <string>

namespace caisson {

/// Finds the login for a registry; the password file is read at each call. Empty for a registry that the config does not name. Errors:
/// errc::image_unavailable if the password file cannot be read or is empty.
std::function<result<std::optional<registry_login>>(const std::string&)> registry_logins(const images_config& config);

/// image_options_of(), with the config's logins.
image_options options_with_logins(const server_config& config);

}    // namespace caisson
