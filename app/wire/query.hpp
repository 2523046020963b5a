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

/// The parameters of a query, percent-decoded, in order.
using query_parameters = std::vector<std::pair<std::string, std::string>>;

/// Bounds of the wait of GET /v1/executions/{id}?wait_ms=.
inline constexpr std::chrono::milliseconds max_wait{300'000};

struct list_query {
    execution_filter filter;
    bool include_output = false;
};
struct get_query {
    std::chrono::milliseconds wait{0};
    bool include_output = true;    // include=none leaves it out
};
struct events_query {
    std::optional<log_position> after;    // absent: the beginning, unless Last-Event-ID says more
    bool follow = false;
};
enum class frame_format { json, binary };
struct stream_query {
    log_position after;
    frame_format frames = frame_format::json;
};

/// Errors of all: errc::bad_request naming each parameter that is unknown, given twice or wrong; errc::not_implemented for
/// those that belong to features that are not built yet. `ticket` is accepted everywhere: authentication reads it.
result<list_query> parse_list_query(const query_parameters& query);
result<get_query> parse_get_query(const query_parameters& query);
result<events_query> parse_events_query(const query_parameters& query);
result<stream_query> parse_stream_query(const query_parameters& query);
/// Of /v1/connect: frames only.
result<frame_format> parse_connect_query(const query_parameters& query);
/// Of routes that take no parameters.
result<void> parse_no_query(const query_parameters& query);

/// The opaque cursor after which a list goes on.
std::string list_cursor(const execution_id& last);

}    // namespace caisson::wire
