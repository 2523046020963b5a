#pragma once

#include "core/base/error.hpp"
#include "core/exec/ports.hpp"
#include "core/log/events.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace caisson::wire {

/// The percent-decoded parameters of a URL query, in order.
using query_parameters = std::vector<std::pair<std::string, std::string>>;

/// Limit on wait_ms of GET /v1/executions/{id}.
inline constexpr std::chrono::milliseconds max_wait{300'000};

struct list_query {
    execution_filter filter;
    bool include_output = false;
};
struct get_query {
    std::chrono::milliseconds wait{0};
    bool include_output = true;    // false for include=none
};
struct events_query {
    std::optional<log_position> after;    // nullopt: from Last-Event-ID, else from the start
    bool follow = false;
};
enum class frame_format { json, binary };
struct stream_query {
    log_position after;
    frame_format frames = frame_format::json;
};

/// Errors of all: errc::bad_request naming each parameter that is unknown, repeated or invalid; errc::not_implemented for
/// features that are not built yet. All accept `ticket`, which authentication reads.
result<list_query> parse_list_query(const query_parameters& query);
result<get_query> parse_get_query(const query_parameters& query);
result<events_query> parse_events_query(const query_parameters& query);
result<stream_query> parse_stream_query(const query_parameters& query);
/// For /v1/connect, which takes only `frames`.
result<frame_format> parse_connect_query(const query_parameters& query);
/// For routes without parameters.
result<void> parse_no_query(const query_parameters& query);

/// The opaque cursor of a list of executions after `last`.
std::string list_cursor(const execution_id& last);

}    // namespace caisson::wire
