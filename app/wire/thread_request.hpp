#pragma once

#include "core/base/error.hpp"
#include "core/threads/thread_service.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace caisson::wire {

/// Limit on the bytes of a body beside the state.
inline constexpr std::size_t most_beside_state = 256 << 10;
/// Limits per checkpoint.
inline constexpr std::size_t max_artifact_references = 200;
inline constexpr std::size_t max_reference_bytes = 64 << 10;    // of all their paths

/// Parses the body of POST /v1/threads/{thread}/checkpoints; the wish refers to it. Thread-safe. Errors: those of parse_json_object;
/// errc::bad_request with every mistake in `fields`; errc::not_implemented for fields of features that are not built yet.
result<checkpoint_wish> parse_checkpoint_request(std::string_view body, std::size_t max_state_bytes);

/// Parses the body of PUT /v1/threads/{thread}; absent fields get `defaults`. Errors: errc::bad_request.
result<retention_policy> parse_policy_request(std::string_view body, const retention_policy& defaults);

enum class rollback_mode { append, truncate };
struct rollback_request {
    checkpoint_id to;
    rollback_mode mode = rollback_mode::append;
};
/// Errors of both: errc::bad_request.
result<rollback_request> parse_rollback_request(std::string_view body);

struct branch_request {
    thread_name thread;                   // name of the new thread
    std::optional<checkpoint_id> from;    // nullopt: the latest
};
result<branch_request> parse_branch_request(std::string_view body);

}    // namespace caisson::wire
