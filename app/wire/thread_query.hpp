#pragma once

#include "app/wire/query.hpp"
#include "core/threads/ports.hpp"

#include <optional>
#include <string>

namespace caisson::wire {

/// Parts to include with a checkpoint.
struct checkpoint_parts {
    bool state = true;
    bool execution = false;
    bool artifacts = false;
};

/// Errors of all: errc::bad_request naming each parameter that is unknown, repeated or invalid.
result<checkpoint_parts> parse_checkpoint_query(const query_parameters& query);
/// Lists omit states unless requested.
result<checkpoint_filter> parse_checkpoints_query(const query_parameters& query);

struct threads_query {
    thread_name after;
    std::size_t limit = 50;
};
result<threads_query> parse_threads_query(const query_parameters& query);
std::string threads_cursor(const thread_name& last);

struct diff_query {
    std::optional<checkpoint_id> from;    // nullopt: the latest; also for `to`
    std::optional<checkpoint_id> to;
};
result<diff_query> parse_diff_query(const query_parameters& query);

}    // namespace caisson::wire
