#pragma once

#include "app/http/call.hpp"

namespace caisson::http {

/// Whether the answer to a pull is to say how far it is: by SSE or JSON lines.
bool wants_pull_progress(const net::request& from);

/// Pulls `image`, which is allowed, and answers with frames of wire/image_view.hpp as it goes: progress, then done or an error. A client
/// that leaves does not end the pull. `use` outlives the call.
task<> stream_pull(const api_services* use, call_ptr one, std::string image);

}    // namespace caisson::http
