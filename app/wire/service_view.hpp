#pragma once

#include "core/admission/runtime_breakers.hpp"
#include "core/languages/image_table.hpp"
#include "core/languages/languages.hpp"
#include "core/runtime/types.hpp"

#include <span>
#include <string>
#include <string_view>

namespace caisson::wire {

/// GET /v1/languages: {"items":[{"name","aliases","file","available","version"?,"interpreter"?,"image"?}]}. Availability is
/// that in `images`, or on this host if null.
std::string languages_json(const language_catalog& catalog, const image_table* images = nullptr);

/// A runtime in the response.
struct runtime_item {
    const runtime_capabilities* host;
    runtime_breakers::view breaker = {};
    bool has_images = false;     // sandboxes are made from images
    std::size_t ready = 0;       // sandboxes waiting for an execution
    std::size_t prepared = 0;    // sandboxes prepared ahead of demand
};
/// GET /v1/runtimes: {"default","items":[…]}. Each item lists the limits that this host does not enforce.
std::string runtimes_json(std::span<const runtime_item> runtimes, std::string_view default_runtime);
/// Why a failing runtime makes no sandboxes; empty while its breaker is closed.
std::string breaker_detail(const runtime_breakers::view& breaker);

/// POST /v1/tickets: {"ticket","expires_at"}.
std::string ticket_json(std::string_view ticket, std::int64_t expires_at_ms);

/// A dependency of the server, for GET /ready.
struct dependency {
    std::string_view name;
    bool ready = false;
    std::string detail;      // why it is not ready, or a remark; may be empty if ready
    bool required = true;    // false: reported, but executions run without it
};

/// GET /ready: {"status":"ready"|"not_ready","dependencies":{name:{"ready","detail"?}}}.
std::string ready_json(std::span<const dependency> dependencies);

/// GET /health: {"status":"ok","version"}.
std::string health_json(std::string_view version);

}    // namespace caisson::wire
