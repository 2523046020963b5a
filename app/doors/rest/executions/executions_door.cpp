#include "app/doors/rest/executions/executions_door.hpp"

namespace caisson::http {

executions_door::executions_door(const api_services& services) : use_(services), ended_(services.executions.removals())
{
    routes_ = {
        {"POST", "/v1/executions", scope::run, handler(this, &executions_door::create_execution), {.body_bytes = whole_body}},
        {"POST", "/v1/executions/batch", scope::run, handler(this, &executions_door::create_batch), {.body_bytes = whole_body}},
        {"GET", "/v1/executions", scope::read, handler(this, &executions_door::list_executions), {.has_query = true}},
        {"GET", "/v1/executions/{id}", scope::read, handler(this, &executions_door::get_execution), {.has_query = true}},
        {"DELETE", "/v1/executions/{id}", scope::run, handler(this, &executions_door::delete_execution)},
        {"POST", "/v1/executions/{id}/cancel", scope::run, handler(this, &executions_door::cancel_execution)},
        {"POST", "/v1/executions/{id}/signal", scope::run, handler(this, &executions_door::signal_execution)},
        {"POST", "/v1/executions/{id}/stdin", scope::run, handler(this, &executions_door::write_stdin), {.body_bytes = whole_body}},
        {"GET", "/v1/executions/{id}/input", scope::read, handler(this, &executions_door::get_input)},
        {"GET", "/v1/executions/{id}/output", scope::read, handler(this, &executions_door::get_output)},
        {"GET", "/v1/executions/{id}/logs", scope::read, handler(this, &executions_door::get_logs)},
        {"GET", "/v1/executions/{id}/events", scope::read, handler(this, &executions_door::get_events),
            {.has_query = true, .by_ticket = ticket_use::while_stream}},
        {"GET", "/v1/executions/{id}/stream", scope::read, handler(this, &executions_door::stream_execution),
            {.has_query = true, .by_ticket = ticket_use::once}},
        {"GET", "/v1/connect", scope::run, handler(this, &executions_door::connect), {.has_query = true, .by_ticket = ticket_use::once}},
    };
}

}    // namespace caisson::http
