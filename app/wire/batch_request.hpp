#pragma once

#include "app/wire/execution_request.hpp"

#include <string_view>
#include <vector>

namespace caisson::wire {

inline constexpr std::size_t max_batch_executions = 100;

/// The executions of a batch in their order, each checked by itself.
struct batch_request {
    std::vector<result<parsed_execution>> executions;    // an error is as of parse_execution_request(), its fields relative to the item
    bool wait = true;                                    // for all ends
};

/// Checks the body of POST /v1/executions/batch. A mistake within an item is that item's alone. Errors: those of parse_json_object;
/// errc::bad_request if `executions` is not a list of 1 to max_batch_executions, or for another field.
result<batch_request> parse_batch_request(std::string_view body, const wire_context& context);

}    // namespace caisson::wire
