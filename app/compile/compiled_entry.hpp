#pragma once

#include "core/base/hasher.hpp"
#include "core/exec/compile/compile_cache.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// Serializes a result for a file, with its tenant, its key and a SHA-256.
///
///   file   : magic, 32 bytes SHA-256 of what follows, tenant, key, output, u8 output truncated, u32 files, file…
///   file   : path, u32 mode, content
///   texts  : u64 length, bytes                        numbers are little endian
std::string pack_entry(const tenant_id& tenant, const std::string& key, const compiled_result& result, hasher& sha256);

/// Nullopt if `bytes` are damaged, truncated, or not from pack_entry() for the same tenant and key.
std::optional<compiled_result> unpack_entry(const tenant_id& tenant, const std::string& key, shared_bytes bytes, hasher& sha256);

}    // namespace caisson
