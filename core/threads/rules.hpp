#pragma once

#include "core/base/error.hpp"
#include "core/threads/types.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace caisson {

inline constexpr std::size_t max_thread_name_bytes = 200;
inline constexpr std::size_t max_checkpoint_id_bytes = 128;
inline constexpr std::size_t max_media_type_bytes = 200;

/// Limits on metadata and retention policies.
namespace thread_bounds {

inline constexpr std::int64_t step = 9'007'199'254'740'991;    // 2^53 - 1, also negative: exact in every client
inline constexpr std::size_t node_id_bytes = 200;
inline constexpr std::size_t tags = 64;
inline constexpr std::size_t tag_bytes = 128;
inline constexpr std::size_t custom_bytes = 65'536;    // as sent
inline constexpr std::size_t custom_depth = 16;
inline constexpr std::int64_t max_checkpoints = 100'000;    // at least 1
inline constexpr std::int64_t ttl_ms = 315'360'000'000;     // ten years of 365 days; at least 1

}    // namespace thread_bounds

/// A thread name has 1 to max_thread_name_bytes visible ASCII characters, such as "user:123" or "team/a@example.com". It is not "." or
/// "..", which clients remove from URL paths. In a path it is percent-encoded (RFC 3986, section 2.1).
std::optional<field_problem> check_thread_name(std::string_view text, std::string_view field = "thread");

/// A client's checkpoint id has 1 to max_checkpoint_id_bytes characters of [A-Za-z0-9._-] and is not "." or "..". The server's own ids
/// match too. An RFC 3339 time never matches, so that a query may accept either.
std::optional<field_problem> check_checkpoint_id(std::string_view text, std::string_view field = "id");

/// True for "type/subtype" of token characters, at most max_media_type_bytes (RFC 9110, section 8.3.1, without parameters).
bool is_media_type(std::string_view text);

/// True for application/json in any case. Only such states are JSON text.
bool is_json_type(std::string_view media_type);

/// Checks `raw` and brings `custom` into canonical form. Errors: errc::bad_request with all problems, by fields below "metadata".
result<checkpoint_metadata> checked_metadata(checkpoint_metadata raw);

/// The problems of `policy`, by field.
std::vector<field_problem> check_retention(const retention_policy& policy);

}    // namespace caisson
