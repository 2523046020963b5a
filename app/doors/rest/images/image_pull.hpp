#pragma once

#include "app/doors/http/call.hpp"

namespace caisson::http {

/// True if the client wants the pull's progress, as SSE or JSON lines.
bool wants_pull_progress(const net::request& from);

/// Pulls `image`, which was checked, and answers with frames of wire/image_view.hpp: progress, then done or an error. The pull goes on if
/// the client leaves. `use` outlives the call.
task<> stream_pull(const api_services* use, call_ptr call, std::string image);

}    // namespace caisson::http
