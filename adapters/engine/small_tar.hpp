#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace caisson::docker {

/// A tar of one regular file of root's, readable and executable for all.
std::string tar_of_program(std::string_view name, std::string_view content);

// Its parts, to make a larger one piece by piece: for each member a head, its content, and padding; then the end.

enum class tar_member { file, directory };

/// Root's, of any length of name; of a directory `bytes` is 0.
std::string tar_head(std::string_view name, tar_member kind, unsigned mode, std::uint64_t bytes);
/// Zeros behind a content of this size.
std::string tar_padding(std::uint64_t bytes);
std::string tar_end();

}    // namespace caisson::docker
