#pragma once

#include "core/auth/auth_service.hpp"

#include <filesystem>

namespace caisson {

/// The key that the local command line uses: the one in the file at `path` if the store knows it (though it may have been
/// revoked), else a new one with scope admin for the tenant "default", put there with mode 0600 by a rename. Reads and
/// writes the file on the calling thread: for the start of a server. Throws std::system_error if the file cannot be written.
/// `auth` must outlive the call.
task<result<secret>> ensure_admin_key(auth_service& auth, std::filesystem::path path);

/// The key in the file at `path`; nothing if it cannot be read or holds something else.
std::optional<secret> read_key_file(const std::filesystem::path& path);

}    // namespace caisson
