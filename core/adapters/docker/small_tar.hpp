#pragma once

#include <string>
#include <string_view>

namespace caisson::docker {

/// A tar of one regular file of root's, readable and executable for all. `name` has at most 99 bytes.
std::string tar_of_program(std::string_view name, std::string_view content);

}    // namespace caisson::docker
