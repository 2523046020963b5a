#pragma once

#include "app/doors/http/call.hpp"
#include "core/log/events.hpp"

namespace caisson::http {

/// True if the client accepts server-sent events.
bool wants_event_stream(const net::request& from);

/// Answers with the events of an execution as SSE: those after `after`, then live ones, until the execution ends or the client leaves. With
/// `cancel_on_disconnect` a client that leaves cancels the execution. `use` outlives the call.
task<> stream_events(const api_services& use, call_ptr call, execution_id id, log_position after, bool cancel_on_disconnect);

/// The same as JSON lines. Without `follow` the answer ends with the events that exist now.
task<> stream_lines(const api_services& use, call_ptr call, execution_id id, log_position after, bool follow);

}    // namespace caisson::http
