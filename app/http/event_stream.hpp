#pragma once

#include "app/http/call.hpp"
#include "core/log/events.hpp"

namespace caisson::http {

/// True if the client accepts server-sent events.
bool wants_event_stream(const net::request& from);

/// Answers with the events of an execution as SSE, from `after` on and then live, until its end or the client's. With
/// `cancel_on_disconnect` a client that leaves ends the execution. `use` outlives the call.
task<> stream_events(const api_services& use, call_ptr one, execution_id id, log_position after, bool cancel_on_disconnect);

/// The same as JSON lines; ends with what is there now unless `follow`.
task<> stream_lines(const api_services& use, call_ptr one, execution_id id, log_position after, bool follow);

}    // namespace caisson::http
