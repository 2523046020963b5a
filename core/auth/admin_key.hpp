#pragma once

#include "core/auth/auth_service.hpp"

#include <filesystem>

namespace caisson {

/// The local command line's key. Returns the key in the file at `path` if the store knows it, even revoked. Else makes a key with scope
/// admin for the tenant "default" and writes it there, with mode 0600, by a rename. File I/O blocks the calling thread: only for the
/// start of a server. Throws std::system_error if the file cannot be written. `auth` must outlive the call.
task<result<secret>> ensure_admin_key(auth_service& auth, std::filesystem::path path);

/// The key in the file at `path`; nothing if the file cannot be read or holds no key.
std::optional<secret> read_key_file(const std::filesystem::path& path);

}    // namespace caisson
