#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace caisson::docker {

/// A tar of one regular file, owned by root, readable and executable by all.
std::string tar_of_program(std::string_view name, std::string_view content);

// The parts of a tar, to produce one piece by piece: for each member a head, its content and padding; then the end.

enum class tar_member { file, directory };

/// The head of a member owned by root, with a name of any length. `bytes` is 0 for a directory.
std::string tar_head(std::string_view name, tar_member kind, unsigned mode, std::uint64_t bytes);
/// The zeros after a content of `bytes` bytes.
std::string tar_padding(std::uint64_t bytes);
std::string tar_end();

}    // namespace caisson::docker
