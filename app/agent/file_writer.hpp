#pragma once

#include "core/protocol/messages.hpp"

namespace caisson::agent {

/// Writes one part of a file below the directory `work`. Never follows a symbolic link or leaves `work`. Creates parent directories
/// (0755). Offset 0 replaces an existing file. A mode with S_IFDIR, without bytes, creates a directory or sets the mode of an existing
/// one. Returns an errno, 0 for success.
int write_file_chunk(const char* work, const protocol::file_chunk& chunk);

}    // namespace caisson::agent
