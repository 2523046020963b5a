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

/// What metadata and retention may say at most.
namespace thread_bounds {

inline constexpr std::int64_t step = 9'007'199'254'740'991;    // 2^53 - 1, either way: what every client reads exactly
inline constexpr std::size_t node_id_bytes = 200;
inline constexpr std::size_t tags = 64;
inline constexpr std::size_t tag_bytes = 128;
inline constexpr std::size_t custom_bytes = 65'536;    // as it was written
inline constexpr std::size_t custom_depth = 16;
inline constexpr std::int64_t max_checkpoints = 100'000;    // at least 1
inline constexpr std::int64_t ttl_ms = 315'360'000'000;     // ten years; at least 1

}    // namespace thread_bounds

/// Names of threads are 1 to max_thread_name_bytes visible characters of ASCII, such as "user:123" or "team/a@example.com", and neither
/// "." nor "..", which clients take out of paths. In a path they are percent-encoded (RFC 3986, section 2.1).
std::optional<field_problem> check_thread_name(std::string_view text, std::string_view field = "thread");

/// Ids that clients give are 1 to max_checkpoint_id_bytes of [A-Za-z0-9._-], and neither "." nor ".."; those made here are among them.
/// No time (RFC 3339) is one, so that a query may name either.
std::optional<field_problem> check_checkpoint_id(std::string_view text, std::string_view field = "id");

/// "type/name", of visible characters that need no quotes, at most max_media_type_bytes (RFC 9110, section 8.3.1, without parameters).
bool is_media_type(std::string_view text);

/// Whether it is JSON's, in whatever case: such states are texts and no bytes.
bool is_json_type(std::string_view media_type);

/// `raw` with `custom` in its canonical form. Errors: errc::bad_request with all that is wrong, by fields below "metadata".
result<checkpoint_metadata> checked_metadata(checkpoint_metadata raw);

/// What is wrong with `policy`, by its fields.
std::vector<field_problem> check_retention(const retention_policy& policy);

}    // namespace caisson
