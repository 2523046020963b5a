#pragma once

#include "app/wire/execution_request.hpp"

#include <string_view>
#include <vector>

namespace caisson::wire {

inline constexpr std::size_t max_batch_executions = 100;

/// The executions of a batch, in request order, each checked separately.
struct batch_request {
    std::vector<result<parsed_execution>> executions;    // errors as of parse_execution_request(), fields relative to the item
    bool wait = true;                                    // until all executions have ended
};

/// Parses the body of POST /v1/executions/batch. An invalid item fails alone. Errors: those of parse_json_object; errc::bad_request if
/// `executions` is not a list of 1 to max_batch_executions items, or if another field is invalid.
result<batch_request> parse_batch_request(std::string_view body, const wire_context& context);

}    // namespace caisson::wire
