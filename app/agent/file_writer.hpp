#pragma once

#include "core/protocol/messages.hpp"

namespace caisson::agent {

/// Writes one part of a file below the directory `work`, without ever following a symbolic link or leaving it. Offset 0
/// takes the place of what is there; directories on the way are made (0755). With S_IFDIR in its mode and no bytes the path itself
/// is made a directory, or one that is there gets the mode. Returns an errno, 0 for success.
int write_file_chunk(const char* work, const protocol::file_chunk& chunk);

}    // namespace caisson::agent
